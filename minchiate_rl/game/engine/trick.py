"""Playing a card to a trick, and what happens when it is full (docs/rules.md, sections 4.1 to 4.3, 7 and 10.3)."""

from typing import Final

import numpy as np

from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, VALUES
from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount, trailing_zeros
from minchiate_rl.game.engine.jit import hot_kernel, kernel
from minchiate_rl.game.engine.layout import (
    BEST,
    EMPTY_TABLE,
    HAND,
    LEADER,
    LED,
    LEFT,
    MATTO_BIT,
    MATTO_STATE,
    NO_CARD,
    NO_KING,
    NO_SUIT,
    NOBODY,
    ON_TABLE,
    OPENED,
    ORDER,
    OUT,
    PHASE,
    PILE,
    PLAYED,
    REVEALED,
    SEAT,
    SHOWN,
    TABLE,
    TRICK,
    TRICKS,
    TRUMP_STRENGTH,
    VOID,
    WINNER,
)
from minchiate_rl.game.engine.score import ACCOUNT_PAIRS, ACCOUNT_SIDES, card_points, finish, mark, mark_death
from minchiate_rl.game.engine.speech import begin_message
from minchiate_rl.game.engine.turns import following
from minchiate_rl.game.engine.versicole import with_card, without_card
from minchiate_rl.game.rules import (
    DECLARE_WHEN,
    R_ACCOUNTS,
    R_DECLARE_WHEN,
    R_DISCARDS_SHOWN,
    R_EXCHANGE,
    R_KING_RULE,
    R_SEATS,
    R_SIDES,
    R_SPEECH,
    R_STEADY,
    R_TRICKS,
    SPEECH_OFF,
)
from minchiate_rl.game.seats import Phase

_TRUMPS: Final = np.uint64(4)
_DECLARE: Final = np.uint64(Phase.DECLARE)
_PLAY: Final = np.uint64(Phase.PLAY)
_OVER: Final = np.uint64(Phase.OVER)
_PICK: Final = np.uint64(Phase.PICK)
_SPEAK: Final = np.uint64(Phase.SPEAK)
_BEFORE_LEAD: Final = DECLARE_WHEN.index("before_lead")
_AFTER_OWN_CARD: Final = DECLARE_WHEN.index("after_own_card")
_MATTO: Final = int(MATTO)
_KING: Final = np.uint64(13)
_SUIT_SIZE: Final = np.uint64(14)
_VALUES: Final = np.array(VALUES, dtype=np.int64)


@hot_kernel
def deduce(rows, i, rule, seat, suit, strength):  # type: ignore[no-untyped-def]
    """Note what a card that does not open the trick tells about its player's hand; suit 5 stands for the Matto."""
    led = rows[i, LED]
    if (
        led < _TRUMPS
        and rows[i, BEST] >= TRUMP_STRENGTH
        and ((rows[i, OPENED] >> led) & ONE) == ZERO
        and rule[R_KING_RULE] != 0
    ):
        # The king rule was in force: whoever does not play the king does not hold it.
        if suit != led or strength != _KING:
            rows[i, NO_KING] |= ONE << (U(4) * seat + led)
    if suit == led or suit == NO_SUIT:
        return
    known = ONE << led
    if led < _TRUMPS and suit < _TRUMPS:
        known |= ONE << _TRUMPS
    rows[i, VOID] |= known << (U(5) * seat)


@hot_kernel
def put_down(rows, i, seat, card):  # type: ignore[no-untyped-def]
    """Move a card (int64) from a seat's hand (uint64) to the table, as the next one of the trick."""
    hand = HAND + 2 * np.int64(seat)
    rows[i, hand], rows[i, hand + 1] = without_card(rows[i, hand], rows[i, hand + 1], card)
    byte = U(8) * seat
    rows[i, TABLE] = (rows[i, TABLE] & ~(NO_CARD << byte)) | (U(card) << byte)
    trick = rows[i, TRICK]
    place = ((trick & ONE) << U(5)) | (rows[i, ON_TABLE] << U(3))
    rows[i, ORDER + np.int64(trick >> ONE)] |= (U(card) + ONE) << place
    rows[i, ON_TABLE] += ONE
    if card == _MATTO:
        rows[i, MATTO_STATE] = (rows[i, MATTO_STATE] & ~NO_CARD) | seat


@hot_kernel
def play(rows, ledger, i, rule, card):  # type: ignore[no-untyped-def]
    """Play a legal card (int64) for the seat to act; the trick is taken in when it is full."""
    seat = rows[i, SEAT]
    put_down(rows, i, seat, card)
    led = rows[i, LED]
    if card == _MATTO:
        if led != NO_SUIT:
            deduce(rows, i, rule, seat, NO_SUIT, ZERO)
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
            deduce(rows, i, rule, seat, suit, strength)
            if (suit == led or suit == _TRUMPS) and value > rows[i, BEST]:
                rows[i, WINNER], rows[i, BEST] = seat, value
    if rows[i, ON_TABLE] == ONE:
        rows[i, LEADER] = seat
    if rule[R_STEADY] == 0 or rows[i, TRICK] == ZERO:
        after_card(rows, ledger, i, rule, card)
    elif rows[i, ON_TABLE] == U(rule[R_SEATS]):
        take_in(rows, ledger, i, rule)
    else:
        rows[i, SEAT] = seat + ONE if seat < U(rule[R_SEATS] - 1) else ZERO


@kernel
def after_card(rows, ledger, i, rule, card):  # type: ignore[no-untyped-def]
    """Let the player of a card (int64) speak, or those declare whose turn for it comes then; or go on."""
    when = rule[R_DECLARE_WHEN]
    if rule[R_SPEECH] != SPEECH_OFF:
        rows[i, PHASE] = _SPEAK
        begin_message(rows, i, card)
    elif rows[i, TRICK] != ZERO:
        pass_turn(rows, ledger, i, rule)
    elif when == _AFTER_OWN_CARD:
        rows[i, PHASE] = _DECLARE
    elif rows[i, ON_TABLE] == ONE and when < _AFTER_OWN_CARD:
        rows[i, PHASE] = _DECLARE
        if when == _BEFORE_LEAD:
            rows[i, SEAT] = following(rows, i, rule, rows[i, SEAT])
    else:
        pass_turn(rows, ledger, i, rule)


@kernel
def pass_turn(rows, ledger, i, rule):  # type: ignore[no-untyped-def]
    """Let the next seat play; when all that still play have played, cards of dropped hands are picked first."""
    if rows[i, ON_TABLE] != U(rule[R_SEATS]) - popcount(rows[i, OUT]):
        rows[i, SEAT] = following(rows, i, rule, rows[i, SEAT])
        return
    if rows[i, WINNER] == NOBODY:
        # Nothing but the Matto was played: its player wins the trick.
        rows[i, WINNER] = rows[i, LEADER]
    dropped = (rows[i, LEFT] >> U(8)) & NO_CARD
    if dropped == ZERO:
        take_in(rows, ledger, i, rule)
    else:
        rows[i, PHASE], rows[i, SEAT] = _PICK, rows[i, WINNER]
        rows[i, LEFT] = (rows[i, LEFT] & ~(NO_CARD << U(16))) | (trailing_zeros(dropped) << U(16))


@kernel
def pick(rows, ledger, i, rule, card):  # type: ignore[no-untyped-def]
    """Play a card (int64) of a dropped hand, as the trick's winner picks it; the next dropped hand follows."""
    seat = (rows[i, LEFT] >> U(16)) & NO_CARD
    put_down(rows, i, seat, card)
    later = ((rows[i, LEFT] >> U(8)) & NO_CARD) >> (seat + ONE)
    rows[i, LEFT] &= ~(NO_CARD << U(16))
    if later != ZERO:
        rows[i, LEFT] |= (seat + ONE + trailing_zeros(later)) << U(16)
    else:
        rows[i, LEFT] |= NOBODY << U(16)
        rows[i, PHASE] = _PLAY
        take_in(rows, ledger, i, rule)


@kernel
def drop(rows, ledger, i, rule):  # type: ignore[no-untyped-def]
    """Lay the hand of the seat to act open; it plays no more cards of its own (cascare)."""
    seat = rows[i, SEAT]
    rows[i, OUT] |= ONE << seat
    rows[i, LEFT] |= ONE << (U(8) + seat)
    place = 2 * np.int64(seat)
    rows[i, SHOWN + place] |= rows[i, HAND + place]
    rows[i, SHOWN + place + 1] |= rows[i, HAND + place + 1]
    if rows[i, TRICK] == ZERO and rule[R_DECLARE_WHEN] == _AFTER_OWN_CARD:
        rows[i, PHASE] = _DECLARE
    else:
        pass_turn(rows, ledger, i, rule)


@kernel
def mark_deaths(rows, ledger, i, rule, table, winner):  # type: ignore[no-untyped-def]
    """Mark the deaths of a trick where everybody plays for himself, from the winner's next seat on."""
    seat = winner
    for _ in range(rule[R_SEATS] - 1):
        seat = seat + 1 if seat < rule[R_SEATS] - 1 else 0
        card = np.int64((table >> U(8 * seat)) & NO_CARD)
        if card < _MATTO:
            mark_death(rows, ledger, i, winner, seat, _VALUES[card])


@kernel
def take_in(rows, ledger, i, rule):  # type: ignore[no-untyped-def]
    """Give a full trick to its winner: piles, deaths, the Matto's debt; the winner leads, or the hand is settled."""
    winner = np.int64(rows[i, WINNER])
    mask = 1 if rule[R_SIDES] == 2 else 3
    side = winner & mask
    table = rows[i, TABLE]
    all_0, all_1, lost_0, lost_1 = ZERO, ZERO, ZERO, ZERO
    for seat in range(4):
        card = np.int64((table >> U(8 * seat)) & NO_CARD)
        if card > _MATTO:
            continue
        c0, c1 = with_card(ZERO, ZERO, card)
        rows[i, PLAYED + 2 * seat] |= c0
        rows[i, PLAYED + 2 * seat + 1] |= c1
        all_0 |= c0
        all_1 |= c1
        if (seat & mask) != side:
            lost_0 |= c0
            lost_1 |= c1
    rows[i, PILE + 2 * side] |= all_0
    rows[i, PILE + 2 * side + 1] |= all_1 & ~MATTO_BIT
    if (all_1 & MATTO_BIT) != ZERO:
        owner = np.int64(rows[i, MATTO_STATE] & NO_CARD) & mask
        rows[i, PILE + 2 * owner + 1] |= MATTO_BIT
        if owner != side and rule[R_EXCHANGE] != 0:
            rows[i, MATTO_STATE] = (rows[i, MATTO_STATE] & NO_CARD) | (U(owner) << U(8)) | (U(side) << U(16))
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
    if rows[i, TRICK] == ONE and rule[R_DISCARDS_SHOWN] != 0:
        rows[i, REVEALED] = ONE
    if rule[R_ACCOUNTS] == ACCOUNT_SIDES:
        mark(rows, ledger, i, rule, 5, side, card_points(lost_0, lost_1 & ~MATTO_BIT))
    elif rule[R_ACCOUNTS] == ACCOUNT_PAIRS:
        mark_deaths(rows, ledger, i, rule, table, winner)
    if rows[i, TRICK] == U(rule[R_TRICKS]):
        rows[i, SEAT] = NOBODY
        rows[i, PHASE] = _OVER
        finish(rows, ledger, i, rule, side)
