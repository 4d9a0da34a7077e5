"""What cards are worth to a side that may win or lose them, in kernels (docs/rules.md, sections 1.3, 4.2 and 9).

A card's swing is the difference in points between our side taking it and the other side taking it: its value three
times (the death, the captor's count, the owner's count), more if it completes a versicola of either side, and what is
at stake in versicole that may still come about, highest for the carte gelose.
"""

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from minchiate_rl.game.cards import FIRST_TRUMP, KINGS, N_CARDS, SUIT_SIZE, VALUES
from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import V_FOLA, V_HAND, V_PILE, V_RULES, V_SHOWN
from minchiate_rl.game.engine.versicole import KING_BITS
from minchiate_rl.game.forms import GAMES
from minchiate_rl.game.piedicavallo.lawbook import points_of


def _by_trump(table: dict[int, int], king: int) -> npt.NDArray[np.int64]:
    """Return an int64 array by card number: trumps from a table, the kings, and 0 for all others."""
    array = np.zeros(N_CARDS, dtype=np.int64)
    array[list(KINGS)] = king
    for n, points in table.items():
        array[FIRST_TRUMP + n - 1] = points
    return array


#: Points at stake in versicole that may still come about: most for the carte gelose 1, 3, 20, 30, 38, then 13 and 28.
JEALOUS: Final = _by_trump(
    {1: 7, 2: 2, 3: 5, 4: 2, 5: 1, 10: 3, 13: 4, 20: 6, 28: 4, 29: 3, 30: 7}
    | dict.fromkeys((31, 32, 33, 34, 35, 36, 37), 3)
    | {38: 6, 39: 4, 40: 5},
    king=3,
)


def _power_table() -> npt.NDArray[np.int64]:
    """Return what a card may still win by its strength, in points times sight.CERTAIN, by card number."""
    table = np.zeros(N_CARDS, dtype=np.int64)
    for card in range(FIRST_TRUMP):
        table[card] = 60 * (card % SUIT_SIZE)
    for n in range(1, 41):
        table[FIRST_TRUMP + n - 1] = 200 + 80 * n + (600 * (n - 35) if n > 35 else 0)
    return table


POWER: Final = _power_table()

PIEDICAVALLO: Final[tuple[int, ...]] = tuple(
    points_of(card) if card in GAMES["piedicavallo"].cards else 0 for card in range(N_CARDS)
)
"""The points of each card at Piedicavallo, by card number; 0 where it has no such card."""

#: Points: a card that completes a versicola of one side.
_COMPLETES: Final = 8
_TRIPLE: Final = 3 * np.array(VALUES, dtype=np.int64)


def _trumps(*numbers: int) -> Any:
    return np.uint64(sum(1 << (n - 1) for n in numbers))


_PAPI: Final = _trumps(*range(1, 6))
_UPPER: Final = _trumps(*range(28, 41))
_TREDICI: Final = _trumps(1, 13, 28)
_TWENTY: Final = _trumps(20)
_THIRTY: Final = _trumps(30)
_ENDS: Final = _trumps(10, 40)
_DEMONIO: Final = _trumps(14, 35, 39)


class Stakes(NamedTuple):
    """Sets of plain cards and trumps that complete a versicola of ours, of theirs, and of either if all goes well."""

    ours0: Any
    ours1: Any
    theirs0: Any
    theirs1: Any
    live0: Any
    live1: Any


@kernel
def _complete_run(cards):  # type: ignore[no-untyped-def]
    """Return the places next to or between cards of a set that make a run of three with them."""
    up, down = cards << ONE, cards >> ONE
    return (up & down) | (up & (cards << U(2))) | (down & (cards >> U(2)))


@kernel
def _complete_three(cards, three):  # type: ignore[no-untyped-def]
    """Return the cards of a versicola of three cards that complete it, the set holding the two others."""
    missing = three & ~cards
    if missing == ZERO:
        return three
    return missing if (missing & (missing - ONE)) == ZERO else ZERO


@kernel
def completing(w1, demonio):  # type: ignore[no-untyped-def]
    """Return the trumps that lie, or would lie, in a versicola with other trumps of a set; not that of the Matto."""
    cards = (_complete_run(w1 & _UPPER) & _UPPER) | (_complete_run(w1 & _PAPI) & _PAPI)
    cards |= _complete_three(w1, _TREDICI)
    if (w1 & _ENDS) != ZERO:
        if (w1 & _TWENTY) != ZERO:
            cards |= _THIRTY
        if (w1 & _THIRTY) != ZERO:
            cards |= _TWENTY
    if (w1 & _TWENTY) != ZERO and (w1 & _THIRTY) != ZERO:
        cards |= _ENDS
    if demonio:
        cards |= _complete_three(w1, _DEMONIO)
    return cards


@kernel
def completing_kings(w0):  # type: ignore[no-untyped-def]
    """Return the kings that lie, or would lie, in the versicola of the kings made with other kings of a set."""
    held = w0 & KING_BITS
    n = popcount(held)
    if n >= U(3):
        return KING_BITS
    return KING_BITS & ~held if n == U(2) else ZERO


@kernel
def stakes(views, j):  # type: ignore[no-untyped-def]
    """Return what hangs on single cards in view row j, given piles, hand, what was shown, and the fola."""
    demonio = ((views[j, V_RULES] >> U(16)) & U(0xFF)) != ZERO
    ours0 = views[j, V_PILE] | views[j, V_HAND] | views[j, V_SHOWN + 4]
    ours1 = views[j, V_PILE + 1] | views[j, V_HAND + 1] | views[j, V_SHOWN + 5]
    theirs0 = views[j, V_PILE + 2] | views[j, V_SHOWN + 2] | views[j, V_SHOWN + 6]
    theirs1 = views[j, V_PILE + 3] | views[j, V_SHOWN + 3] | views[j, V_SHOWN + 7]
    fola = views[j, V_FOLA + 1]
    live1 = completing(~(views[j, V_PILE + 3] | fola), demonio) | completing(~(views[j, V_PILE + 1] | fola), demonio)
    return Stakes(
        completing_kings(ours0),
        completing(ours1, demonio),
        completing_kings(theirs0),
        completing(theirs1, demonio),
        completing_kings(~views[j, V_PILE + 2]) | completing_kings(~views[j, V_PILE]),
        live1,
    )


@kernel
def swing(at, card):  # type: ignore[no-untyped-def]
    """Return the points that hang on which side takes a card, 0 for one of no account; `at` is what `stakes` gave."""
    if JEALOUS[card] == 0:
        return 0
    if card < FIRST_TRUMP:
        bit, ours, theirs, live = ONE << U(card), at.ours0, at.theirs0, at.live0
    else:
        bit, ours, theirs, live = ONE << U(card - FIRST_TRUMP), at.ours1, at.theirs1, at.live1
    points = _TRIPLE[card]
    if (ours & bit) != ZERO:
        points += _COMPLETES
    if (theirs & bit) != ZERO:
        points += _COMPLETES
    return points + JEALOUS[card] if (live & bit) != ZERO else points
