"""One decision of a hand, and who decides next (docs/rules.md, sections 2, 3, 4, 7, 10 and 13)."""

from typing import Final

import numpy as np

from minchiate_rl.game.actions import DECLARE, DECLARE_WITH_MATTO, DEL_MATTO, DONE, DROP
from minchiate_rl.game.engine.bidding import answer_bid, answer_fola, answer_withdraw, open_bidding
from minchiate_rl.game.engine.bits import ONE, ZERO, U
from minchiate_rl.game.engine.deal import add, count
from minchiate_rl.game.engine.jit import hot_kernel, kernel
from minchiate_rl.game.engine.layout import (
    BIDS,
    DEALER,
    DECISION,
    DECLARED,
    DISCARD,
    HAND,
    LEADER,
    MATTO_BIT,
    N_DISCARD,
    NO_CARD,
    NOBODY,
    ON_TABLE,
    PASSED,
    PHASE,
    REVEALED,
    SEAT,
    SHOWN,
    TO_DISCARD,
)
from minchiate_rl.game.engine.score import credit, defer
from minchiate_rl.game.engine.speech import say
from minchiate_rl.game.engine.trick import drop, pass_turn, pick, play
from minchiate_rl.game.engine.turns import begin_play, following
from minchiate_rl.game.engine.versicole import shown_cards, value, without_card
from minchiate_rl.game.forms import BIDDINGS
from minchiate_rl.game.rules import (
    DECLARE_WHEN,
    NO_LIMIT,
    R_BIDDING,
    R_DECLARE_WHEN,
    R_DECLARED_MARKED,
    R_DISCARDS_SHOWN,
    R_EXTRAS,
    R_ROB_LIMIT,
)
from minchiate_rl.game.seats import Phase

_DISCARD: Final = np.uint64(Phase.DISCARD)
_DECLARE: Final = np.uint64(Phase.DECLARE)
_PLAY: Final = np.uint64(Phase.PLAY)
_WITHDRAW: Final = np.uint64(Phase.WITHDRAW)
_FOLA: Final = np.uint64(Phase.FOLA)
_BID: Final = np.uint64(Phase.BID)
_PICK: Final = np.uint64(Phase.PICK)
_DONE: Final = int(DONE)
_DROP: Final = int(DROP)
_CAN_WITHDRAW: Final = BIDDINGS.index("withdraw")
_AFTER_OWN_CARD: Final = DECLARE_WHEN.index("after_own_card")
_FOLA_SIZE: Final = 13
_DEL_MATTO_POINTS: Final = 20


@hot_kernel
def discard(rows, i, rule, card):  # type: ignore[no-untyped-def]
    """Lay a card (int64) away; after the cutter's last one the dealer follows, then bidding or play."""
    seat, dealer = rows[i, SEAT], rows[i, DEALER]
    hand = HAND + 2 * np.int64(seat)
    rows[i, hand], rows[i, hand + 1] = without_card(rows[i, hand], rows[i, hand + 1], card)
    user = (rows[i, BIDS] >> U(48)) & NO_CARD
    if seat == dealer and user == NOBODY:
        add(rows, i, DISCARD + 2, card)
    elif rule[R_ROB_LIMIT] == NO_LIMIT and count(rows, i, DISCARD) == _FOLA_SIZE:
        # The fola is full: the cutter's further cards make up for the dealer's short packet.
        add(rows, i, PASSED, card)
        add(rows, i, HAND + 2 * np.int64(dealer), card)
    else:
        add(rows, i, DISCARD, card)
    rows[i, TO_DISCARD] -= ONE
    if rows[i, TO_DISCARD] != ZERO:
        return
    dealers = rows[i, N_DISCARD] >> U(8)
    if seat != dealer and dealers != ZERO:
        rows[i, SEAT], rows[i, TO_DISCARD] = dealer, dealers
    elif rule[R_BIDDING] == _CAN_WITHDRAW:
        open_bidding(rows, i, rule)
    else:
        begin_play(rows, i, rule)


@kernel
def declare(rows, ledger, i, rule, action):  # type: ignore[no-untyped-def]
    """Declare one versicola, with or without the Matto, and mark it, at once or at the end."""
    seat = np.int64(rows[i, SEAT])
    with_matto = action >= DECLARE_WITH_MATTO
    k = action - DECLARE_WITH_MATTO if with_matto else action - DECLARE
    rows[i, DECLARED + seat] |= ONE << U(action - DECLARE)
    c0, c1 = shown_cards(rows[i, HAND + 2 * seat], rows[i, HAND + 2 * seat + 1], k)
    if k == DEL_MATTO:
        points = _DEL_MATTO_POINTS + (rule[R_EXTRAS] >> 16)
    else:
        # No versicola's own cards hold a second versicola, so the value of the set is that of the one declared.
        points = value(c0, c1, rule[R_EXTRAS]) + (5 if with_matto else 0)
    if with_matto:
        c1 |= MATTO_BIT
    rows[i, SHOWN + 2 * seat] |= c0
    rows[i, SHOWN + 2 * seat + 1] |= c1
    if rule[R_DECLARED_MARKED] == 0:
        credit(rows, ledger, i, rule, 4, seat, points)
    else:
        defer(rows, i, 4, seat & 1, points)


@kernel
def reveal(rows, i, rule):  # type: ignore[no-untyped-def]
    """Turn the discards up before the second card of the hand, where that is their time."""
    if rule[R_DISCARDS_SHOWN] == 0:
        rows[i, REVEALED] = ONE


@kernel
def pass_on(rows, ledger, i, rule):  # type: ignore[no-untyped-def]
    """End a seat's declarations: the next one declares, or the play goes on."""
    seat = rows[i, SEAT]
    if rule[R_DECLARE_WHEN] == _AFTER_OWN_CARD:
        rows[i, PHASE] = _PLAY
        if seat == rows[i, LEADER]:
            reveal(rows, i, rule)
        pass_turn(rows, ledger, i, rule)
    elif rows[i, ON_TABLE] == ZERO:
        rows[i, PHASE] = _PLAY
    else:
        leader = rows[i, LEADER]
        rows[i, SEAT] = following(rows, i, rule, seat)
        if rows[i, SEAT] == leader:
            reveal(rows, i, rule)
            rows[i, PHASE] = _PLAY
            rows[i, SEAT] = following(rows, i, rule, leader)


@kernel
def take_other(rows, ledger, i, rule, phase, action):  # type: ignore[no-untyped-def]
    """Take an action in one of the phases that only some games have."""
    if phase == _PICK:
        pick(rows, ledger, i, rule, action)
    elif phase == _WITHDRAW:
        answer_withdraw(rows, i, rule, action)
    elif phase == _FOLA:
        answer_fola(rows, i, rule, action)
    elif phase == _BID:
        answer_bid(rows, i, rule, action)
    elif say(rows, i, rule, action):
        rows[i, PHASE] = _PLAY
        pass_turn(rows, ledger, i, rule)


@hot_kernel
def apply(rows, log, ledger, i, rule, action):  # type: ignore[no-untyped-def]
    """Take a legal action (int64) in row i; an illegal one leaves the row without meaning."""
    n = rows[i, DECISION]
    log[i, n] = np.uint8(action)
    rows[i, DECISION] = n + ONE
    phase = rows[i, PHASE]
    if phase == _PLAY:
        if action == _DROP:
            drop(rows, ledger, i, rule)
        else:
            play(rows, ledger, i, rule, action)
    elif phase == _DISCARD:
        discard(rows, i, rule, action)
    elif phase != _DECLARE:
        take_other(rows, ledger, i, rule, phase, action)
    elif action == _DONE:
        pass_on(rows, ledger, i, rule)
    else:
        declare(rows, ledger, i, rule, action)
