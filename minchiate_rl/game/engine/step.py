"""One decision of a hand: discard, declare or play, and who decides next (docs/rules.md, sections 2, 3 and 4)."""

from typing import Final

import numpy as np

from minchiate_rl.game.actions import DECLARE, DECLARE_WITH_MATTO, DEL_MATTO, DONE
from minchiate_rl.game.engine.bits import ONE, ZERO, U
from minchiate_rl.game.engine.deal import add
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    DEALER,
    DECISION,
    DECLARED,
    DISCARD,
    HAND,
    MATTO_BIT,
    N_DISCARD,
    ON_TABLE,
    PHASE,
    REVEALED,
    SEAT,
    SHOWN,
    TO_DISCARD,
    TRICK,
)
from minchiate_rl.game.engine.score import mark
from minchiate_rl.game.engine.trick import play
from minchiate_rl.game.engine.versicole import shown_cards, value, without_card
from minchiate_rl.game.rules import R_DEMONIO
from minchiate_rl.game.seats import Phase

_DISCARD: Final = np.uint64(Phase.DISCARD)
_DECLARE: Final = np.uint64(Phase.DECLARE)
_PLAY: Final = np.uint64(Phase.PLAY)
_DONE: Final = int(DONE)


@kernel
def discard(rows, i, card):  # type: ignore[no-untyped-def]
    """Lay a card (int64) away; after the cutter's last one the dealer follows, then the eldest declares."""
    seat = np.int64(rows[i, SEAT])
    dealer = np.int64(rows[i, DEALER])
    hand = HAND + 2 * seat
    rows[i, hand], rows[i, hand + 1] = without_card(rows[i, hand], rows[i, hand + 1], card)
    add(rows, i, DISCARD + 2 if seat == dealer else DISCARD, card)
    rows[i, TO_DISCARD] -= ONE
    if rows[i, TO_DISCARD] != ZERO:
        return
    dealers = rows[i, N_DISCARD] >> U(8)
    if seat != dealer and dealers != ZERO:
        rows[i, SEAT], rows[i, TO_DISCARD] = U(dealer), dealers
    else:
        rows[i, SEAT], rows[i, PHASE] = U((dealer + 1) & 3), _DECLARE


@kernel
def declare(rows, ledger, i, rule, action):  # type: ignore[no-untyped-def]
    """Declare one versicola, with or without the Matto, and mark it at once."""
    seat = np.int64(rows[i, SEAT])
    with_matto = action >= DECLARE_WITH_MATTO
    k = action - DECLARE_WITH_MATTO if with_matto else action - DECLARE
    rows[i, DECLARED + seat] |= ONE << U(action - DECLARE)
    c0, c1 = shown_cards(rows[i, HAND + 2 * seat], rows[i, HAND + 2 * seat + 1], k)
    if k == DEL_MATTO:
        points = 20
    else:
        # No versicola's own cards hold a second versicola, so the value of the set is that of the one declared.
        points = value(c0, c1, rule[R_DEMONIO]) + (5 if with_matto else 0)
    if with_matto:
        c1 |= MATTO_BIT
    rows[i, SHOWN + 2 * seat] |= c0
    rows[i, SHOWN + 2 * seat + 1] |= c1
    mark(rows, ledger, i, 4, seat & 1, points)


@kernel
def pass_on(rows, i):  # type: ignore[no-untyped-def]
    """End a seat's declarations: the eldest leads, the others declare in turn, then the discards are turned up."""
    seat, dealer = rows[i, SEAT], rows[i, DEALER]
    if rows[i, ON_TABLE] == ZERO:
        rows[i, PHASE] = _PLAY
    elif seat == dealer:
        rows[i, REVEALED] = ONE
        rows[i, PHASE] = _PLAY
        rows[i, SEAT] = (dealer + U(2)) & U(3)
    else:
        rows[i, SEAT] = (seat + ONE) & U(3)


@kernel
def apply(rows, log, ledger, i, rule, action):  # type: ignore[no-untyped-def]
    """Take a legal action (int64) in row i; an illegal one leaves the row without meaning."""
    n = rows[i, DECISION]
    log[i, n] = np.uint8(action)
    rows[i, DECISION] = n + ONE
    phase = rows[i, PHASE]
    if phase == _PLAY:
        play(rows, ledger, i, rule, action)
        if rows[i, TRICK] == ZERO and rows[i, ON_TABLE] == ONE:
            rows[i, PHASE] = _DECLARE
    elif phase == _DISCARD:
        discard(rows, i, action)
    elif action == _DONE:
        pass_on(rows, i)
    else:
        declare(rows, ledger, i, rule, action)
