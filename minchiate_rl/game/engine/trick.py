"""Playing a card to a trick, and what happens when it is full (docs/rules.md, sections 4.1 to 4.3)."""

from typing import Final

import numpy as np

from minchiate_rl.game.cards import FIRST_TRUMP, MATTO
from minchiate_rl.game.engine.bits import ONE, ZERO, U
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    BEST,
    EMPTY_TABLE,
    HAND,
    LED,
    MATTO_BIT,
    MATTO_STATE,
    NO_CARD,
    NO_KING,
    NO_SUIT,
    NOBODY,
    ON_TABLE,
    OPENED,
    PHASE,
    PILE,
    PLAYED,
    SEAT,
    TABLE,
    TRICK,
    TRICKS,
    TRUMP_STRENGTH,
    VOID,
    WINNER,
)
from minchiate_rl.game.engine.score import card_points, finish, mark
from minchiate_rl.game.engine.versicole import with_card, without_card
from minchiate_rl.game.seats import N_TRICKS, Phase

_TRUMPS: Final = np.uint64(4)
_OVER: Final = np.uint64(Phase.OVER)
_MATTO: Final = int(MATTO)
_KING: Final = np.uint64(13)
_SUIT_SIZE: Final = np.uint64(14)


@kernel
def deduce(rows, i, seat, suit, strength):  # type: ignore[no-untyped-def]
    """Note what a card that does not open the trick tells about its player's hand; suit 5 stands for the Matto."""
    led = rows[i, LED]
    if led < _TRUMPS and rows[i, BEST] >= TRUMP_STRENGTH and ((rows[i, OPENED] >> led) & ONE) == ZERO:
        # The king rule was in force: whoever does not play the king does not hold it.
        if suit != led or strength != _KING:
            rows[i, NO_KING] |= ONE << (U(4) * seat + led)
    if suit == led or suit == NO_SUIT:
        return
    known = ONE << led
    if led < _TRUMPS and suit < _TRUMPS:
        known |= ONE << _TRUMPS
    rows[i, VOID] |= known << (U(5) * seat)


@kernel
def play(rows, ledger, i, rule, card):  # type: ignore[no-untyped-def]
    """Play a legal card (int64) for the seat to act; the trick is taken in when it is full."""
    seat = rows[i, SEAT]
    hand = HAND + 2 * np.int64(seat)
    rows[i, hand], rows[i, hand + 1] = without_card(rows[i, hand], rows[i, hand + 1], card)
    byte = U(8) * seat
    rows[i, TABLE] = (rows[i, TABLE] & ~(NO_CARD << byte)) | (U(card) << byte)
    led = rows[i, LED]
    if card == _MATTO:
        rows[i, MATTO_STATE] = (rows[i, MATTO_STATE] & ~NO_CARD) | seat
        if led != NO_SUIT:
            deduce(rows, i, seat, NO_SUIT, ZERO)
    else:
        if card < FIRST_TRUMP:
            suit = U(card) // _SUIT_SIZE
            strength = U(card) - suit * _SUIT_SIZE
            value = strength
        else:
            suit = _TRUMPS
            strength = U(card - FIRST_TRUMP)
            value = TRUMP_STRENGTH + strength
        if led == NO_SUIT:
            rows[i, LED], rows[i, WINNER], rows[i, BEST] = suit, seat, value
        else:
            deduce(rows, i, seat, suit, strength)
            if (suit == led or suit == _TRUMPS) and value > rows[i, BEST]:
                rows[i, WINNER], rows[i, BEST] = seat, value
    rows[i, ON_TABLE] += ONE
    if rows[i, ON_TABLE] == U(4):
        take_in(rows, ledger, i, rule)
    else:
        rows[i, SEAT] = (seat + ONE) & U(3)


@kernel
def take_in(rows, ledger, i, rule):  # type: ignore[no-untyped-def]
    """Give a full trick to its winner: piles, deaths, the Matto's debt; the winner leads, or the hand is settled."""
    winner = np.int64(rows[i, WINNER])
    side = winner & 1
    table = rows[i, TABLE]
    all_0, all_1, lost_0, lost_1 = ZERO, ZERO, ZERO, ZERO
    for seat in range(4):
        card = np.int64((table >> U(8 * seat)) & NO_CARD)
        c0, c1 = with_card(ZERO, ZERO, card)
        rows[i, PLAYED + 2 * seat] |= c0
        rows[i, PLAYED + 2 * seat + 1] |= c1
        all_0 |= c0
        all_1 |= c1
        if (seat & 1) != side:
            lost_0 |= c0
            lost_1 |= c1
    rows[i, PILE + 2 * side] |= all_0
    rows[i, PILE + 2 * side + 1] |= all_1 & ~MATTO_BIT
    if (all_1 & MATTO_BIT) != ZERO:
        owner = np.int64(rows[i, MATTO_STATE] & NO_CARD) & 1
        rows[i, PILE + 2 * owner + 1] |= MATTO_BIT
        if owner != side:
            rows[i, MATTO_STATE] = (rows[i, MATTO_STATE] & NO_CARD) | (U(owner) << U(8))
    if rows[i, LED] < _TRUMPS:
        rows[i, OPENED] |= ONE << rows[i, LED]
    rows[i, TRICKS + side] += ONE
    rows[i, TRICK] += ONE
    rows[i, ON_TABLE] = ZERO
    rows[i, TABLE] = EMPTY_TABLE
    rows[i, LED] = NO_SUIT
    rows[i, WINNER] = NOBODY
    rows[i, BEST] = ZERO
    rows[i, SEAT] = U(winner)
    mark(rows, ledger, i, 5, side, card_points(lost_0, lost_1 & ~MATTO_BIT))
    if rows[i, TRICK] == U(N_TRICKS):
        rows[i, SEAT] = NOBODY
        rows[i, PHASE] = _OVER
        finish(rows, ledger, i, rule, side)
