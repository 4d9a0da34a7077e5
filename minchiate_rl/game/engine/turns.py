"""Who comes next: the order of play, past players who have withdrawn or dropped their hands, and the first lead."""

from typing import Final

import numpy as np

from minchiate_rl.game.engine.bits import ONE, ZERO, U
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import DEALER, OUT, PHASE, SEAT
from minchiate_rl.game.rules import R_DECLARE_WHEN, R_SEATS
from minchiate_rl.game.seats import Phase

_DECLARE: Final = np.uint64(Phase.DECLARE)
_PLAY: Final = np.uint64(Phase.PLAY)


@kernel
def following(rows, i, rule, seat):  # type: ignore[no-untyped-def]
    """Return the next seat (uint64) after one that still plays cards of its own."""
    last = U(rule[R_SEATS] - 1)
    out = rows[i, OUT]
    seat = seat + ONE if seat < last else ZERO
    while ((out >> seat) & ONE) != ZERO:
        seat = seat + ONE if seat < last else ZERO
    return seat


@kernel
def begin_play(rows, i, rule):  # type: ignore[no-untyped-def]
    """Let the eldest declare, or lead where declarations come later or never."""
    rows[i, SEAT] = following(rows, i, rule, rows[i, DEALER])
    rows[i, PHASE] = _DECLARE if rule[R_DECLARE_WHEN] == 0 else _PLAY
