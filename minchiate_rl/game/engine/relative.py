"""Seats as a viewer counts them: 0 is the viewer, 1 the next in order of play, and so on."""

from minchiate_rl.game.engine.bits import ONE, U
from minchiate_rl.game.engine.jit import hot_kernel
from minchiate_rl.game.engine.layout import NOBODY


@hot_kernel
def relative_seat(who, seat, n_seats):  # type: ignore[no-untyped-def]
    """Return a seat (uint64) as the viewer counts it; nobody stays nobody."""
    if who == NOBODY:
        return NOBODY
    r = who + U(n_seats) - U(seat)
    return r if r < U(n_seats) else r - U(n_seats)


@hot_kernel
def absolute_seat(r, seat, n_seats):  # type: ignore[no-untyped-def]
    """Return the seat (int64) that the viewer counts as r."""
    absolute = seat + r
    return absolute if absolute < n_seats else absolute - n_seats


@hot_kernel
def relative_seats(bits, seat, n_seats):  # type: ignore[no-untyped-def]
    """Return a set of seats, a bit each, as the viewer counts them."""
    return ((bits >> U(seat)) | (bits << U(n_seats - seat))) & ((ONE << U(n_seats)) - ONE)
