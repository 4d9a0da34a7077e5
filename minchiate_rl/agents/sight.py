"""What a seat can count, in kernels: cards not yet seen, and the chances that follow (docs/rules.md, section 9).

The chances are whole numbers out of CERTAIN, so that they are the same on every machine. A card whose place is unknown
is taken to lie with the same chance in the hand of each other seat that may hold its suit; a seat's suits are known by
what it failed to follow. Seats `r` count from the viewer.
"""

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, N_CARDS, SUIT_SIZE
from minchiate_rl.game.engine.bits import ALL, ONE, ZERO, U, highest, popcount
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    NO_CARD,
    SUIT_BITS,
    TRUMP_BITS,
    V_DISCARD,
    V_FOLA,
    V_HAND,
    V_KNOWN,
    V_PLAYED,
    V_SHOWN,
    V_TABLE,
)

#: Chances are out of this: 1 << BITS.
BITS: Final = 10
CERTAIN: Final = 1 << BITS
TRUMPS: Final = 4
#: The strength of a trump is this and its position among the trumps; that of a plain card its position in the suit.
TRUMP_STRENGTH: Final = 64
_PLAIN_BITS: Final = np.uint64((1 << 56) - 1)
_MATTO: Final = int(MATTO)


@kernel
def byte_of(word, n):  # type: ignore[no-untyped-def]
    """Return byte n of a word as int64."""
    return np.int64((word >> U(8 * n)) & U(0xFF))


@kernel
def strength_of(card):  # type: ignore[no-untyped-def]
    """Return the strength of a card (int64) in the trick, -1 for the Matto and for no card."""
    if card >= _MATTO:
        return -1
    return card - FIRST_TRUMP + TRUMP_STRENGTH if card >= FIRST_TRUMP else card % SUIT_SIZE


class Sight(NamedTuple):
    """What the viewer has counted: plain cards and trumps that may lie in any other hand, as sets."""

    plain: Any
    trumps: Any
    top: Any
    """The position of the highest trump that another seat may hold, int64; -1 if none."""
    known: Any
    """V_KNOWN: the suits that the seats are known not to hold."""


def _missing_table() -> npt.NDArray[np.int64]:
    """Return [n, m]: the chance that one of n seats, all alike, holds none of m cards that lie among them."""
    table = np.zeros((4, N_CARDS), dtype=np.int64)
    table[:, 0] = CERTAIN
    table[0, :] = CERTAIN
    for n in (2, 3):
        for m in range(1, N_CARDS):
            table[n, m] = CERTAIN * (n - 1) ** m // n**m
    return table


_MISSING: Final = _missing_table()

#: The chance that one of n seats holds a certain card that lies among them.
SHARE: Final = np.array([0, CERTAIN, CERTAIN // 2, CERTAIN // 3], dtype=np.int64)


@kernel
def look(views, j):  # type: ignore[no-untyped-def]
    """Return the sight of view row j."""
    seen0 = views[j, V_HAND] | views[j, V_FOLA] | views[j, V_DISCARD] | views[j, V_DISCARD + 2]
    seen1 = views[j, V_HAND + 1] | views[j, V_FOLA + 1] | views[j, V_DISCARD + 1] | views[j, V_DISCARD + 3]
    for column in range(V_PLAYED, V_PLAYED + 8, 2):
        seen0 |= views[j, column]
        seen1 |= views[j, column + 1]
    shown0 = views[j, V_SHOWN + 2] | views[j, V_SHOWN + 4] | views[j, V_SHOWN + 6]
    shown1 = views[j, V_SHOWN + 3] | views[j, V_SHOWN + 5] | views[j, V_SHOWN + 7]
    table = views[j, V_TABLE]
    for r in range(1, 4):
        card = (table >> U(8 * r)) & NO_CARD
        if card < U(FIRST_TRUMP):
            seen0 |= ONE << card
        elif card != NO_CARD:
            seen1 |= ONE << (card - U(FIRST_TRUMP))
    trumps = ~(seen1 | shown1) & TRUMP_BITS
    held = (trumps | shown1) & TRUMP_BITS
    top = np.int64(highest(held)) if held != ZERO else np.int64(-1)
    return Sight(~(seen0 | shown0) & _PLAIN_BITS, trumps, top, views[j, V_KNOWN])


@kernel
def plain_suit(suit):  # type: ignore[no-untyped-def]
    """Return the bits of a plain suit (int64, 0 to 3) in word 0."""
    return SUIT_BITS << U(SUIT_SIZE * suit)


@kernel
def above(bit):  # type: ignore[no-untyped-def]
    """Return the bits above a position, 0 to 62; all bits for -1."""
    return ALL << U(bit + 1)


@kernel
def is_void(known, r, suit):  # type: ignore[no-untyped-def]
    """Return 1 if seat r is known not to hold a suit, 4 being the trumps, else 0."""
    return np.int64((known >> U(5 * r + suit)) & ONE)


@kernel
def holders(known, suit):  # type: ignore[no-untyped-def]
    """Return how many of the three other seats may hold a suit, 4 being the trumps."""
    return 3 - is_void(known, 1, suit) - is_void(known, 2, suit) - is_void(known, 3, suit)


@kernel
def void_chance(views, j, sight, suit, r):  # type: ignore[no-untyped-def]
    """Return the chance that seat r holds no card of a plain suit."""
    if is_void(sight.known, r, suit) == 1:
        return CERTAIN
    mask = plain_suit(suit)
    if (views[j, V_SHOWN + 2 * r] & mask) != ZERO:
        return 0
    return _MISSING[holders(sight.known, suit), popcount(sight.plain & mask)]


@kernel
def trump_chance(views, j, sight, bit, r):  # type: ignore[no-untyped-def]
    """Return the chance that seat r holds a trump above a position among the trumps, -1 for any trump."""
    if bit >= sight.top or is_void(sight.known, r, TRUMPS) == 1:
        return 0
    mask = above(bit)
    if (views[j, V_SHOWN + 2 * r + 1] & mask & TRUMP_BITS) != ZERO:
        return CERTAIN
    return CERTAIN - _MISSING[holders(sight.known, TRUMPS), popcount(sight.trumps & mask)]


@kernel
def beat_chance(views, j, sight, led, best, r):  # type: ignore[no-untyped-def]
    """Return the chance that seat r, still to play to a trick of suit `led`, can beat a card of strength `best`."""
    if led == TRUMPS:
        return trump_chance(views, j, sight, best - TRUMP_STRENGTH, r)
    void = void_chance(views, j, sight, led, r)
    if best >= TRUMP_STRENGTH:
        return (void * trump_chance(views, j, sight, best - TRUMP_STRENGTH, r)) >> BITS
    ruff = (void * trump_chance(views, j, sight, -1, r)) >> BITS
    if void == CERTAIN:
        return ruff
    mask = above(SUIT_SIZE * led + best) & plain_suit(led)
    if (views[j, V_SHOWN + 2 * r] & mask) != ZERO:
        return CERTAIN
    higher = CERTAIN - _MISSING[holders(sight.known, led), popcount(sight.plain & mask)]
    return ruff + (((CERTAIN - void) * higher) >> BITS)


@kernel
def elsewhere(views, j, sight):  # type: ignore[no-untyped-def]
    """Return the plain cards that the other seats may hold."""
    return sight.plain | views[j, V_SHOWN + 2] | views[j, V_SHOWN + 4] | views[j, V_SHOWN + 6]


@kernel
def is_top(views, j, sight, card):  # type: ignore[no-untyped-def]
    """Return whether no other seat can hold a higher card of the suit of a plain card."""
    return (elsewhere(views, j, sight) & above(card) & plain_suit(card // SUIT_SIZE)) == ZERO
