"""Who did what: the log of a hand played again, with what each decision was about (for records)."""

from typing import Final

import numpy as np

from minchiate_rl.game.actions import DECLARE, DECLARE_WITH_MATTO
from minchiate_rl.game.engine.bits import U
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import BIDS, HAND, LEFT, MATTO_BIT, NO_CARD, NOBODY, PHASE, SEAT
from minchiate_rl.game.engine.step import apply
from minchiate_rl.game.engine.versicole import shown_cards
from minchiate_rl.game.rules import R_BID_STEP
from minchiate_rl.game.seats import Phase

_DECLARING: Final = np.uint64(Phase.DECLARE)

#: Columns of what `retrace` tells of a decision: the seat, the phase, the seat picked from (NOBODY if none), the next
#: bid in points; then the words of the cards that a declaration shows.
TRACED: Final = 6


@kernel
def retrace(rows, log, ledger, rule, actions, told):  # type: ignore[no-untyped-def]
    """Take legal actions in row 0, just dealt, and write what each was about to `told`, uint64 (T, TRACED)."""
    for t in range(len(actions)):
        seat, action = rows[0, SEAT], np.int64(actions[t])
        highest, steps = (rows[0, BIDS] >> U(40)) & NO_CARD, U(1)
        if highest != NOBODY:
            steps += (rows[0, BIDS] >> (U(8) * highest)) & NO_CARD
        told[t, 0], told[t, 1] = seat, rows[0, PHASE]
        told[t, 2] = (rows[0, LEFT] >> U(16)) & NO_CARD
        told[t, 3] = steps * U(rule[R_BID_STEP])
        told[t, 4] = told[t, 5] = U(0)
        if rows[0, PHASE] == _DECLARING and action >= DECLARE:
            hand = HAND + 2 * np.int64(seat)
            with_matto = action >= DECLARE_WITH_MATTO
            k = action - DECLARE_WITH_MATTO if with_matto else action - DECLARE
            told[t, 4], told[t, 5] = shown_cards(rows[0, hand], rows[0, hand + 1], k)
            if with_matto:
                told[t, 5] |= MATTO_BIT
        apply(rows, log, ledger, 0, rule, action)
