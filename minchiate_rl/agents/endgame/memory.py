"""What the solver knows of a position before it looks: bounds on its value, and a table of positions seen before.

Two positions have one key if the rest of the hand is the same in both. Cards count by their rank among those left, as
in partition search (M. L. Ginsberg, Partition Search, AAAI 1996); a card of its own (one that counts or may stand in a
versicola) by its number too. Of the piles only the cards enter that may still stand in a versicola with a card that is
left. Keys are compared whole, so that no two positions are ever mistaken for each other.
"""

from typing import Final

import numpy as np

from minchiate_rl.agents.endgame.board import (
    F_EXTRAS,
    F_NODES,
    F_ODD,
    F_PLAIN,
    F_SINGULAR,
    F_SOLVE,
    F_SUIT,
    F_TRICKS,
    F_UPPER,
    P_ASKED,
    P_CHOSEN,
    P_KEY,
    P_SEAT,
    P_VALUE,
    T_DEBT,
    T_OPENED,
    T_PILE,
    T_PLACES,
    T_WON,
    T_WORTH,
)
from minchiate_rl.game.engine.bits import ONE, ZERO, U, gather, highest, nth_bit, popcount
from minchiate_rl.game.engine.jit import hot_kernel, kernel
from minchiate_rl.game.engine.layout import MATTO_BIT, TRUMP_BITS
from minchiate_rl.game.engine.score import LAST_TRICK_POINTS, card_points
from minchiate_rl.game.engine.streams import mix
from minchiate_rl.game.engine.versicole import (
    DEL_MATTO_BITS,
    DEMONIO_BITS,
    KING_BITS,
    RUN_BITS,
    TENS_BITS,
    TREDICI_BITS,
    TWENTY_THIRTY_BITS,
    value,
)

#: Above every value that an ending can have.
INFINITE: Final = 2000
#: No card is known to be good.
NO_MOVE: Final = 31
_LOW: Final = np.uint64(16)
_HIGH: Final = np.uint64(28)
_MOVE: Final = np.uint64(40)
_DEPTH: Final = np.uint64(45)
_SOLVE: Final = np.uint64(48)
_BOUND: Final = np.uint64(0xFFF)
_OFFSET: Final = 2048
_SUIT_COUNTS: Final = np.uint64(0xFFFF)
#: Solves after which the table is emptied, since their numbers begin anew.
SOLVES: Final = (1 << 16) - 1
_UPPER_SHIFT: Final = np.uint64(27)
_PAPI: Final = np.uint64(0x1F)


@hot_kernel
def _live_runs(pile, left):  # type: ignore[no-untyped-def]
    """Return the trumps of a pile that may still stand in a run with a trump that is left, 18 bits."""
    left &= RUN_BITS
    pile &= RUN_BITS
    both = pile | left
    three = both & (both >> ONE) & (both >> U(2))
    pile &= three | (three << ONE) | (three << U(2))
    # From each trump left walk up and down through the pile; runs of it are at most 13 long.
    up, down, walk_up, walk_down = left, left, pile, pile
    step = ONE
    while step <= U(8):
        up |= walk_up & (up << step)
        down |= walk_down & (down >> step)
        walk_up &= walk_up << step
        walk_down &= walk_down >> step
        step <<= ONE
    live = (up | down) & pile
    return (live & _PAPI) | ((live >> _UPPER_SHIFT) << U(5))


@hot_kernel
def _live_group(pile, left, group):  # type: ignore[no-untyped-def]
    """Return 1 if a group of trumps may still be completed by a pile with trumps that are left, else 0."""
    return U((group & ~(pile | left)) == ZERO and (group & left) != ZERO)


@hot_kernel
def _live_tens(pile, left):  # type: ignore[no-untyped-def]
    """Return which tens lie in a pile, 4 bits, if a diecine may still gain by one that is left, else 0."""
    if (TENS_BITS & left) == ZERO or (TWENTY_THIRTY_BITS & ~(pile | left)) != ZERO:
        return ZERO
    return gather(pile, TENS_BITS)


@hot_kernel
def _live_kings(pile, left):  # type: ignore[no-untyped-def]
    """Return the number of kings in a pile if it may still gain by one that is left, else 0."""
    held, out = popcount(pile & KING_BITS), popcount(left & KING_BITS)
    return held if out != ZERO and held + out >= U(3) else ZERO


@hot_kernel
def _live_piles(frame, left_0, left_1, extras):  # type: ignore[no-untyped-def]
    """Return what of both piles may still matter, packed in 55 bits."""
    word = ZERO
    for side in range(2):
        p0, p1 = frame[T_PILE + 2 * side], frame[T_PILE + 2 * side + 1]
        word = (word << U(18)) | _live_runs(p1, left_1)
        word = (word << U(3)) | _live_kings(p0, left_0)
        word = (word << U(4)) | _live_tens(p1, left_1)
        word = (word << ONE) | _live_group(p1, left_1, TREDICI_BITS)
        if (extras & 1) != 0:
            word = (word << ONE) | _live_group(p1, left_1, DEMONIO_BITS)
        if (p1 & MATTO_BIT) != ZERO:
            word = (word << ONE) | _live_group(p1, left_1, DEL_MATTO_BITS)
    return word


@hot_kernel
def write_key(work, p):  # type: ignore[no-untyped-def]
    """Write the key of the position at ply p, the first of a trick, into its frame."""
    plies, fixed, hands = work.plies, work.fixed, work.hands
    frame = work.tricks[p >> 2]
    places, leader = frame[T_PLACES], U(plies[p, P_SEAT])
    if fixed[F_PLAIN] == ZERO:
        # What is paid for the Matto may depend on every card of the piles.
        plies[p, P_KEY] = np.int64(places | (frame[T_WON] << U(32)))
        plies[p, P_KEY + 1] = np.int64(frame[T_DEBT])
        plies[p, P_KEY + 2] = np.int64(leader | (frame[T_OPENED] << U(2)))
        plies[p, P_KEY + 3] = 0
        return
    left_0 = hands[0] | hands[2] | hands[4] | hands[6]
    left_1 = hands[1] | hands[3] | hands[5] | hands[7]
    odd, upper = gather(fixed[F_ODD], places), gather(fixed[F_UPPER], places)
    singular = gather(fixed[F_SINGULAR], places)
    plies[p, P_KEY] = np.int64(odd | (upper << U(32)))
    plies[p, P_KEY + 1] = np.int64(singular | (gather(places, fixed[F_SINGULAR]) << U(32)))
    # Whether a suit has been led matters only to who holds its king (docs/rules.md, 4.1, rule 6).
    unopened = ~frame[T_OPENED] & gather(left_0, KING_BITS)
    word = _live_piles(frame, left_0, left_1, np.int64(fixed[F_EXTRAS]))
    plies[p, P_KEY + 2] = np.int64((word << U(6)) | (unopened << U(2)) | leader)
    counts = ZERO
    for suit in range(4):
        counts = (counts << U(4)) | popcount(places & fixed[F_SUIT + suit])
    plies[p, P_KEY + 3] = np.int64(counts)


@hot_kernel
def _slot(work, p):  # type: ignore[no-untyped-def]
    """Return the first of the two slots where the position at ply p may lie."""
    plies = work.plies
    word = mix(U(plies[p, P_KEY]) + mix(U(plies[p, P_KEY + 1]) + mix(U(plies[p, P_KEY + 2]))))
    word += U(plies[p, P_KEY + 3])
    return np.int64(word & U(len(work.table) - 1)) & ~1


@hot_kernel
def _is_at(work, p, slot):  # type: ignore[no-untyped-def]
    """Return whether a slot holds the position at ply p."""
    plies, table = work.plies, work.table
    last = (work.fixed[F_SOLVE] << _SOLVE) | U(plies[p, P_KEY + 3])
    same = table[slot, 0] == U(plies[p, P_KEY]) and table[slot, 1] == U(plies[p, P_KEY + 1])
    mask = (U(0xFFFF) << _SOLVE) | _SUIT_COUNTS
    return same and table[slot, 2] == U(plies[p, P_KEY + 2]) and (table[slot, 3] & mask) == last


@hot_kernel
def recall(work, p):  # type: ignore[no-untyped-def]
    """Return lower and upper bound of the value at ply p, whose key is written, and the card that was best, or -1."""
    slot = _slot(work, p)
    if not _is_at(work, p, slot):
        slot += 1
        if not _is_at(work, p, slot):
            return -INFINITE, INFINITE, -1
    word = work.table[slot, 3]
    low = np.int64((word >> _LOW) & _BOUND) - _OFFSET
    high = np.int64((word >> _HIGH) & _BOUND) - _OFFSET
    move = np.int64((word >> _MOVE) & U(31))
    if move == NO_MOVE:
        return low, high, -1
    place = nth_bit(work.tricks[p >> 2, T_PLACES], U(move))
    return low, high, work.cards[np.int64(place)]


@hot_kernel
def remember(work, p):  # type: ignore[no-untyped-def]
    """Keep the answer at ply p: a lower bound if it is as high as was asked, else an upper one."""
    plies, table = work.plies, work.table
    slot = _slot(work, p)
    depth = work.fixed[F_TRICKS] - U(p >> 2) - ONE
    low, high, move = -INFINITE, INFINITE, U(NO_MOVE)
    known = _is_at(work, p, slot)
    if not known and _is_at(work, p, slot + 1):
        slot, known = slot + 1, True
    if known:
        word = table[slot, 3]
        low, high = np.int64((word >> _LOW) & _BOUND) - _OFFSET, np.int64((word >> _HIGH) & _BOUND) - _OFFSET
        move = (word >> _MOVE) & U(31)
    elif (table[slot, 3] >> _SOLVE) == work.fixed[F_SOLVE] and ((table[slot, 3] >> _DEPTH) & U(7)) > depth:
        slot += 1
    found = plies[p, P_VALUE]
    if found >= plies[p, P_ASKED]:
        low = max(low, found)
    else:
        high = min(high, found)
    chosen = plies[p, P_CHOSEN]
    if chosen >= 0:
        place = work.places[chosen]
        move = popcount(work.tricks[p >> 2, T_PLACES] & (place - ONE))
    table[slot, 0], table[slot, 1] = U(plies[p, P_KEY]), U(plies[p, P_KEY + 1])
    table[slot, 2] = U(plies[p, P_KEY + 2])
    bounds = (U(low + _OFFSET) << _LOW) | (U(high + _OFFSET) << _HIGH) | (move << _MOVE)
    table[slot, 3] = U(plies[p, P_KEY + 3]) | bounds | (depth << _DEPTH) | (work.fixed[F_SOLVE] << _SOLVE)


@kernel
def next_solve(work):  # type: ignore[no-untyped-def]
    """Forget the positions of the solve before."""
    work.fixed[F_NODES] = ZERO
    if work.fixed[F_SOLVE] == U(SOLVES):
        work.table[:] = ZERO
        work.fixed[F_SOLVE] = ZERO
    work.fixed[F_SOLVE] += ONE


@hot_kernel
def _safe_trumps(mine, theirs):  # type: ignore[no-untyped-def]
    """Return the trumps of a side above every trump of the other, each of which wins the trick that it falls in."""
    return mine if theirs == ZERO else mine & ~((U(2) << highest(theirs)) - ONE)


@hot_kernel
def _most(work, t, side, safe):  # type: ignore[no-untyped-def]
    """Return the most that a side can still gain over the other (points), whose safe trumps are given.

    It wins every card but those, and every trick but as many as one hand of the others has of them.
    """
    hands, frame, extras = work.hands, work.tricks[t], np.int64(work.fixed[F_EXTRAS])
    a, b = 2 * side, 2 - 2 * side
    own_0, own_1 = hands[a] | hands[a + 4], (hands[a + 1] | hands[a + 5]) & TRUMP_BITS
    won_0, won_1 = hands[b] | hands[b + 4], (hands[b + 1] | hands[b + 5]) & TRUMP_BITS & ~safe
    points = card_points(own_0, own_1) + 2 * card_points(won_0, won_1)
    ours, theirs = T_PILE + a, T_PILE + b
    points += value(frame[ours] | own_0 | won_0, frame[ours + 1] | own_1 | won_1, extras)
    points -= np.int64(frame[T_WORTH + side])
    tricks = np.int64(work.fixed[F_TRICKS]) - t
    if safe != ZERO:
        points -= card_points(ZERO, safe) + value(frame[theirs], frame[theirs + 1] | safe, extras)
        points += np.int64(frame[T_WORTH + 1 - side])
        tricks -= 2 * np.int64(max(popcount(hands[b + 1] & safe), popcount(hands[b + 5] & safe)))
    return points + 2 * tricks + LAST_TRICK_POINTS


@hot_kernel
def bounds(work, p):  # type: ignore[no-untyped-def]
    """Return a lower and an upper bound of the value at ply p, the first of a trick of a plain ending."""
    hands, t = work.hands, p >> 2
    even, odd = (hands[1] | hands[5]) & TRUMP_BITS, (hands[3] | hands[7]) & TRUMP_BITS
    return -_most(work, t, 1, _safe_trumps(even, odd)), _most(work, t, 0, _safe_trumps(odd, even))
