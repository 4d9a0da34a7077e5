"""What is decided before the first declaration: withdrawing, using the fola, bidding for it (docs/rules.md, 13)."""

from typing import Final

import numpy as np

from minchiate_rl.game.actions import BID, DONE, USE_FOLA, WITHDRAW
from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    BIDS,
    DEALER,
    FOLA,
    HAND,
    LEFT,
    N_DISCARD,
    NO_CARD,
    NOBODY,
    OUT,
    PHASE,
    SEAT,
    TO_DISCARD,
)
from minchiate_rl.game.engine.turns import begin_play, following
from minchiate_rl.game.forms import BIDDINGS
from minchiate_rl.game.rules import R_BID_LIMIT, R_BID_STEP, R_BIDDING, R_SEATS
from minchiate_rl.game.seats import Phase

_DISCARD: Final = np.uint64(Phase.DISCARD)
_WITHDRAW: Final = np.uint64(Phase.WITHDRAW)
_FOLA: Final = np.uint64(Phase.FOLA)
_BID: Final = np.uint64(Phase.BID)
_CAN_WITHDRAW: Final = BIDDINGS.index("withdraw")
_NO_BIDDING: Final = BIDDINGS.index("none")
_DONE: Final = int(DONE)
_BYTE: Final = np.uint64(0xFF)
#: The eldest's choice of the fola, byte 7 of BIDS.
_USED, _STAYED, _LEFT = np.uint64(1), np.uint64(2), np.uint64(3)
#: Legal actions as word 2, bit a - 97.
_STAY_OR_LEAVE: Final = np.uint64(1 | 1 << (WITHDRAW - DONE))
_ANY_OF_THREE: Final = np.uint64(1 | 1 << (WITHDRAW - DONE) | 1 << (USE_FOLA - DONE))
_PASS_OR_BID: Final = np.uint64(1 | 1 << (BID - DONE))


@kernel
def open_bidding(rows, i, rule):  # type: ignore[no-untyped-def]
    """Begin what comes after the deal, or after the discards: a choice of the eldest, or the play."""
    if rule[R_BIDDING] == _NO_BIDDING:
        begin_play(rows, i, rule)
    else:
        rows[i, SEAT] = following(rows, i, rule, rows[i, DEALER])
        rows[i, PHASE] = _WITHDRAW if rule[R_BIDDING] == _CAN_WITHDRAW else _FOLA


@kernel
def choices(phase):  # type: ignore[no-untyped-def]
    """Return word 2 of the legal actions in a phase of this file."""
    if phase == _WITHDRAW:
        return _STAY_OR_LEAVE
    return _ANY_OF_THREE if phase == _FOLA else _PASS_OR_BID


@kernel
def withdraw(rows, i):  # type: ignore[no-untyped-def]
    """Take the seat to act out of the hand."""
    seat = rows[i, SEAT]
    rows[i, LEFT] = (rows[i, LEFT] & ~NO_CARD) | seat
    rows[i, OUT] |= ONE << seat


@kernel
def use_fola(rows, i, user):  # type: ignore[no-untyped-def]
    """Let a seat (uint64) take the fola into its hand; it discards as many cards."""
    hand = HAND + 2 * np.int64(user)
    size = popcount(rows[i, FOLA]) + popcount(rows[i, FOLA + 1])
    for word in range(2):
        rows[i, hand + word] |= rows[i, FOLA + word]
        rows[i, FOLA + word] = ZERO
    rows[i, BIDS] = (rows[i, BIDS] & ~(_BYTE << U(48))) | (user << U(48))
    rows[i, N_DISCARD] = size
    rows[i, PHASE], rows[i, SEAT], rows[i, TO_DISCARD] = _DISCARD, user, size


@kernel
def answer_withdraw(rows, i, rule, action):  # type: ignore[no-untyped-def]
    """Stay or withdraw: once one has left, or all have stayed, the play begins."""
    rows[i, LEFT] += ONE << U(24)
    if action != _DONE:
        withdraw(rows, i)
    if action != _DONE or ((rows[i, LEFT] >> U(24)) & _BYTE) == U(rule[R_SEATS]):
        begin_play(rows, i, rule)
    else:
        rows[i, SEAT] = following(rows, i, rule, rows[i, SEAT])


@kernel
def answer_fola(rows, i, rule, action):  # type: ignore[no-untyped-def]
    """Let the eldest use the fola, stay without it, or withdraw, which opens the bidding."""
    if action == _DONE:
        rows[i, BIDS] |= _STAYED << U(56)
        begin_play(rows, i, rule)
    elif action == WITHDRAW:
        rows[i, BIDS] |= _LEFT << U(56)
        withdraw(rows, i)
        rows[i, PHASE] = _BID
        rows[i, SEAT] = following(rows, i, rule, rows[i, SEAT])
    else:
        rows[i, BIDS] |= _USED << U(56)
        use_fola(rows, i, rows[i, SEAT])


@kernel
def answer_bid(rows, i, rule, action):  # type: ignore[no-untyped-def]
    """Bid one step more than the highest bid, or pass for good; the last bidder uses the fola."""
    seat = rows[i, SEAT]
    highest = (rows[i, BIDS] >> U(40)) & _BYTE
    if action == _DONE:
        rows[i, BIDS] |= ONE << (U(32) + seat)
    else:
        steps = ONE
        if highest != NOBODY:
            steps += (rows[i, BIDS] >> (U(8) * highest)) & _BYTE
        rows[i, BIDS] = (rows[i, BIDS] & ~((_BYTE << (U(8) * seat)) | (_BYTE << U(40)))) | (steps << (U(8) * seat))
        rows[i, BIDS] |= seat << U(40)
        highest = seat
        if np.int64(steps) * rule[R_BID_STEP] >= rule[R_BID_LIMIT]:
            use_fola(rows, i, seat)
            return
    passed = rows[i, BIDS] >> U(32)
    for _ in range(rule[R_SEATS]):
        seat = following(rows, i, rule, seat)
        if seat == highest:
            use_fola(rows, i, seat)
            return
        if ((passed >> seat) & ONE) == ZERO:
            rows[i, SEAT] = seat
            return
    begin_play(rows, i, rule)
