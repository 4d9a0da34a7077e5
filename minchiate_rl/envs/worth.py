"""What a hand is worth to each side so far, as the kinds of reward count it: the rewards are differences of it."""

from typing import Final

import numpy as np

from minchiate_rl.game.engine.jit import hot_kernel, kernel
from minchiate_rl.game.engine.layout import NOBODY, PILE, RESTI, SCORE, SEAT
from minchiate_rl.game.engine.piedicavallo import trick_points
from minchiate_rl.game.engine.score import ACCOUNT_TRICKS, RESTO, card_points, in_hand, pair_column
from minchiate_rl.game.engine.versicole import value
from minchiate_rl.game.rules import R_ACCOUNTS, R_COUNTS_RESTI, R_EXTRAS, R_SIDES

#: Kinds of reward, as in `tables.REWARDS`.
POINTS: Final = 0
POTENTIAL: Final = 1
RESTI_KIND: Final = 2

_RESTO: Final = float(RESTO)


@hot_kernel
def unit_of(rule, kind):  # type: ignore[no-untyped-def]
    """Return what `worth` is divided by: points stand for a sixtieth of a resto, and accounts are averaged."""
    unit = 1.0 if kind == RESTI_KIND and rule[R_COUNTS_RESTI] != 0 else _RESTO
    return unit * (rule[R_SIDES] - 1)


@kernel
def _in_pile(rows, i, rule, side):  # type: ignore[no-untyped-def]
    """Return the points of cards and versicole in a side's pile, which the settlement would mark."""
    w0, w1 = rows[i, PILE + 2 * side], rows[i, PILE + 2 * side + 1]
    if rule[R_ACCOUNTS] == ACCOUNT_TRICKS:
        return trick_points(w0, w1)
    return value(w0, w1, rule[R_EXTRAS]) + card_points(w0, w1)


@kernel
def _worth_for_himself(rows, i, rule, kind, net):  # type: ignore[no-untyped-def]
    """Fill net with what each player is ahead of all others in points or in resti."""
    n = rule[R_SIDES]
    for side in range(n):
        net[side] = np.int64(rows[i, RESTI + side]) if kind == RESTI_KIND else 0
    if kind == RESTI_KIND:
        return
    for a in range(n):
        for b in range(a + 1, n):
            ahead = np.int64(rows[i, pair_column(a, b)])
            net[a] += ahead
            net[b] -= ahead
    if kind == POTENTIAL and rows[i, SEAT] != NOBODY:
        active = in_hand(rows, i, rule)
        for a in range(n):
            if (active >> a) & 1:
                points = _in_pile(rows, i, rule, a)
                for b in range(n):
                    if b != a and (active >> b) & 1:
                        net[a] += points
                        net[b] -= points


@hot_kernel
def worth(rows, i, rule, kind, net):  # type: ignore[no-untyped-def]
    """Fill net, int64 (4,), with how far each side is ahead of all others, as a kind of reward counts it."""
    if rule[R_SIDES] > 2:
        _worth_for_himself(rows, i, rule, kind, net)
        return
    if kind == RESTI_KIND and rule[R_COUNTS_RESTI] != 0:
        ahead = np.int64(rows[i, RESTI]) - np.int64(rows[i, RESTI + 1])
    else:
        ahead = np.int64(rows[i, SCORE]) - np.int64(rows[i, SCORE + 1])
        if kind == POTENTIAL and rows[i, SEAT] != NOBODY:
            # What the settlement would mark for the piles; afterwards it stands in the score.
            ahead += _in_pile(rows, i, rule, 0) - _in_pile(rows, i, rule, 1)
    net[0], net[1] = ahead, -ahead
