"""What a hand of Piedicavallo is worth (docs/rules.md, sections 10.1 and 10.5)."""

from typing import Final

import numpy as np

from minchiate_rl.game.cards import KINGS
from minchiate_rl.game.engine.bits import U, popcount
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import DEALER, DISCARD, MATTO_BIT, PILE, SCORE, TRICKS

TOTAL: Final = 114
_KINGS: Final = np.uint64(sum(1 << king for king in KINGS))
_QUEENS: Final = np.uint64(sum(1 << (king - 1) for king in KINGS))
_KNIGHTS: Final = np.uint64(sum(1 << (king - 2) for king in KINGS))
_PAGES: Final = np.uint64(sum(1 << (king - 3) for king in KINGS))
#: The bagatto, trump 21 and the Matto.
_HONOURS: Final = np.uint64(1 | 1 << 20 | 1 << 40)


@kernel
def trick_points(w0, w1):  # type: ignore[no-untyped-def]
    """Return the points of a set of cards: 5 a king, T21, T1 and the Matto, then 4, 3 and 2 a court, 1 any other."""
    points = popcount(w0) + popcount(w1)
    points += U(4) * (popcount(w0 & _KINGS) + popcount(w1 & _HONOURS))
    points += U(3) * popcount(w0 & _QUEENS) + U(2) * popcount(w0 & _KNIGHTS) + popcount(w0 & _PAGES)
    return np.int64(points)


@kernel
def _surrender(rows, i, side):  # type: ignore[no-untyped-def]
    """Give the Matto of a side that has won no trick to the other side."""
    rows[i, PILE + 2 * (1 - side) + 1] |= rows[i, PILE + 2 * side + 1] & MATTO_BIT
    rows[i, PILE + 2 * side + 1] &= ~MATTO_BIT


@kernel
def finish_tricks(rows, i):  # type: ignore[no-untyped-def]
    """Count a hand: the piles, and the dealer's discards for his side; a side without a trick loses all of it."""
    if rows[i, TRICKS] == U(0):
        _surrender(rows, i, 0)
        points = 0
    elif rows[i, TRICKS + 1] == U(0):
        _surrender(rows, i, 1)
        points = TOTAL
    else:
        points = trick_points(rows[i, PILE], rows[i, PILE + 1])
        if (rows[i, DEALER] & U(1)) == U(0):
            points += trick_points(rows[i, DISCARD + 2], rows[i, DISCARD + 3])
    rows[i, SCORE], rows[i, SCORE + 1] = U(points), U(TOTAL - points)
