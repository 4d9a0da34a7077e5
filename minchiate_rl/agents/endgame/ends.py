"""The two ends of an ending: the board set up from a row of a hand, and the settlement of what is not plain.

What is booked at the root, and every value in an ending that is not plain, comes from the engine's own settlement.
"""

from typing import Final

import numpy as np

from minchiate_rl.agents.endgame.board import (
    F_BOOKED,
    F_EXTRAS,
    F_ODD,
    F_PLAIN,
    F_SINGULAR,
    F_SINGULAR_CARDS,
    F_SUIT,
    F_TRICKS,
    F_UPPER,
    P_DELTA,
    P_KILLER,
    P_SEAT,
    SUITS,
    T_COLUMNS,
    T_DEBT,
    T_OPENED,
    T_PILE,
    T_PLACES,
    T_TRICKS,
    T_WORTH,
    clear_table,
    only_card,
    play_card,
    take_back,
)
from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, N_CARDS
from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    DEFERRED,
    ENTRIES,
    HAND,
    MATTO_BIT,
    MATTO_STATE,
    N_DEFERRED,
    NO_CARD,
    NOBODY,
    ON_TABLE,
    OPENED,
    PILE,
    SCORE,
    SEAT,
    TABLE,
    TRICK,
    TRICKS,
)
from minchiate_rl.game.engine.rows import copy_row
from minchiate_rl.game.engine.score import FIVES_1, LAST_TRICK_POINTS, TENS_1, THREES_1, card_points, finish, over_par
from minchiate_rl.game.engine.versicole import (
    DEL_MATTO_BITS,
    DEMONIO_BITS,
    KING_BITS,
    RUN_BITS,
    TENS_BITS,
    TREDICI_BITS,
    card_words,
    value,
)
from minchiate_rl.game.rules import R_EXTRAS, R_SEATS, R_TRICKS

_MATTO: Final = int(MATTO)
_FIRST_TRUMP: Final = FIRST_TRUMP
_VERGOGNOSE: Final = 0xFF


@kernel
def set_up(work, rows, i):  # type: ignore[no-untyped-def]
    """Set the workspace to row i, which stands at a card to be played, at most MAX_TRICKS tricks before its end.

    Return the ply of the seat to act.
    """
    root = np.int64(rows[i, ON_TABLE])
    work.fixed[F_TRICKS] = U(work.rule[R_TRICKS]) - rows[i, TRICK]
    work.fixed[F_EXTRAS] = U(work.rule[R_EXTRAS])
    for n in range(8):
        work.hands[n] = rows[i, HAND + n]
    places = number_places(work, rows, i)
    fill_trick(work, rows, i, places)
    book(work, rows, i)
    plies, table = work.plies, rows[i, TABLE]
    first = (np.int64(rows[i, SEAT]) - root) & 3
    clear_table(plies, 0, first)
    for p in range(root):
        seat = plies[p, P_SEAT]
        play_card(work, p, np.int64((table >> U(8 * seat)) & NO_CARD))
    for p in range(len(plies)):
        plies[p, P_KILLER] = -1
    return root


@kernel
def number_places(work, rows, i):  # type: ignore[no-untyped-def]
    """Number the cards that are out by suit and strength, and note what is fixed about them; return their places."""
    fixed, extras = work.fixed, np.int64(work.fixed[F_EXTRAS])
    fixed[F_SINGULAR_CARDS] = KING_BITS
    singular = FIVES_1 | THREES_1 | TENS_1 | RUN_BITS | TREDICI_BITS | TENS_BITS | DEL_MATTO_BITS
    fixed[F_SINGULAR_CARDS + 1] = singular | DEMONIO_BITS if (extras & 1) != 0 else singular
    for n in range(F_ODD, F_SUIT + 4):
        fixed[n] = ZERO
    place, table = ONE, rows[i, TABLE]
    n = 0
    for card in range(N_CARDS):
        c0, c1 = card_words(card)
        for seat in range(4):
            on_table = np.int64((table >> U(8 * seat)) & NO_CARD) == card
            if not on_table and (work.hands[2 * seat] & c0) == ZERO and (work.hands[2 * seat + 1] & c1) == ZERO:
                continue
            work.places[card], work.cards[n] = place, card
            fixed[F_ODD] |= place * U(seat & 1)
            fixed[F_UPPER] |= place * U(seat >> 1)
            if (c0 & fixed[F_SINGULAR_CARDS]) != ZERO or (c1 & fixed[F_SINGULAR_CARDS + 1]) != ZERO:
                fixed[F_SINGULAR] |= place
            if card < _FIRST_TRUMP:
                fixed[F_SUIT + SUITS[card]] |= place
            place <<= ONE
            n += 1
    return place - ONE


@kernel
def fill_trick(work, rows, i, places):  # type: ignore[no-untyped-def]
    """Fill the frame of the trick on the table as it stood before its first card, and choose the kind of ending."""
    frame = work.tricks[0]
    for n in range(T_COLUMNS):
        frame[n] = ZERO
    frame[T_PLACES] = places
    for n in range(4):
        frame[T_PILE + n] = rows[i, PILE + n]
    frame[T_OPENED] = rows[i, OPENED]
    debtor = (rows[i, MATTO_STATE] >> U(8)) & NO_CARD
    payer = -1
    if debtor != NOBODY:
        payer = np.int64(debtor)
        frame[T_DEBT] = debtor + ONE
    for seat in range(4):
        in_hand = (work.hands[2 * seat + 1] & MATTO_BIT) != ZERO
        if in_hand or np.int64((rows[i, TABLE] >> U(8 * seat)) & NO_CARD) == _MATTO:
            payer = seat & 1
            frame[T_PILE + 2 * payer + 1] |= MATTO_BIT
    extras = np.int64(work.fixed[F_EXTRAS])
    for side in range(2):
        frame[T_WORTH + side] = U(value(frame[T_PILE + 2 * side], frame[T_PILE + 2 * side + 1], extras))
    # A plain card that counts nothing is the cheapest payment, and costs nothing, whatever else is won; only where 20
    # and 30 alone count can a payment bring something. Versicole are then no longer monotone either.
    free = payer < 0 or (rows[i, TRICKS + payer] != ZERO and (rows[i, PILE + 2 * payer] & ~KING_BITS) != ZERO)
    plain = free and ((extras >> 8) & _VERGOGNOSE) == 0 and counts_linearly(rows, i, np.int64(debtor))
    work.fixed[F_PLAIN] = U(plain)


@kernel
def counts_linearly(rows, i, debtor):  # type: ignore[no-untyped-def]
    """Return whether piles hold four cards a trick and no others, so that each trick more is worth two points.

    `debtor` is the side that owes a card for the Matto, 7 if none.
    """
    for side in range(2):
        cards = np.int64(popcount(rows[i, PILE + 2 * side]) + popcount(rows[i, PILE + 2 * side + 1]))
        if debtor < 2:
            cards += -1 if debtor == side else 1
        if cards != 4 * np.int64(rows[i, TRICKS + side]):
            return False
    return True


@kernel
def book(work, rows, i):  # type: ignore[no-untyped-def]
    """Note the marks that are booked at the root: what the piles are worth, what was deferred, and item 9."""
    frame, row, fixed = work.tricks[0], work.row, work.fixed
    copy_row(rows, i, row, 0)
    row[0, MATTO_STATE] = NOBODY * U(0x010101)
    for n in range(4):
        row[0, PILE + n] = ZERO
    # With empty piles the settlement is what was deferred and the last trick.
    booked = engine_marks(work, 0) - LAST_TRICK_POINTS + booked_points(frame)
    row[0, N_DEFERRED] = ZERO
    for n in range(3):
        row[0, DEFERRED + n] = ZERO
    if fixed[F_PLAIN] != ZERO:
        cards, left = 4 * np.int64(rows[i, TRICKS]), 2 * np.int64(fixed[F_TRICKS])
        pack = work.rule[R_TRICKS] * work.rule[R_SEATS]
        # As if each side won every second card that is left: from there a trick more or less is two points.
        booked += over_par(cards + left, work.rule) - over_par(pack - cards - left, work.rule)
    fixed[F_BOOKED] = U(booked)


@kernel
def engine_marks(work, last_side):  # type: ignore[no-untyped-def]
    """Return the marks, side 0's less side 1's, of the engine's settlement of the workspace's row."""
    work.row[0, SCORE] = work.row[0, SCORE + 1] = work.row[0, ENTRIES] = ZERO
    finish(work.row, work.ledger, 0, work.rule, last_side)
    return np.int64(work.row[0, SCORE]) - np.int64(work.row[0, SCORE + 1])


@kernel
def booked_points(frame):  # type: ignore[no-untyped-def]
    """Return what the piles of a trick's frame are worth, side 0's less side 1's: card points and versicole."""
    points = card_points(frame[T_PILE], frame[T_PILE + 1]) - card_points(frame[T_PILE + 2], frame[T_PILE + 3])
    return points + np.int64(frame[T_WORTH]) - np.int64(frame[T_WORTH + 1])


@kernel
def last_trick_settled(work, p):  # type: ignore[no-untyped-def]
    """Return the same in an ending that the engine settles: play the last trick from ply p on."""
    plies, last = work.plies, p | 3
    for q in range(p, last + 1):
        play_card(work, q, only_card(work, plies[q, P_SEAT]))
    points = plies[last, P_DELTA] + settled_end(work, (last + 1) >> 2, plies[last + 1, P_SEAT] & 1)
    for q in range(p, last + 1):
        take_back(work, q)
    return points


@kernel
def settled_end(work, t, last_side):  # type: ignore[no-untyped-def]
    """Let the engine settle the hand at trick frame t, its end; return what that marks beyond what is booked."""
    row, frame = work.row, work.tricks[t]
    won, tricks = frame[T_TRICKS], work.fixed[F_TRICKS]
    before_0, before_1 = row[0, TRICKS], row[0, TRICKS + 1]
    row[0, TRICKS] = before_0 + won
    row[0, TRICKS + 1] = before_1 + tricks - won
    for n in range(4):
        row[0, PILE + n] = frame[T_PILE + n]
    debt = frame[T_DEBT]
    row[0, MATTO_STATE] = NOBODY * U(0x010101)
    if debt != ZERO:
        row[0, MATTO_STATE] = NOBODY | ((debt - ONE) << U(8)) | ((U(2) - debt) << U(16))
    booked = booked_points(frame) + 2 * (2 * np.int64(won) - np.int64(tricks))
    marks = engine_marks(work, last_side)
    row[0, TRICKS], row[0, TRICKS + 1] = before_0, before_1
    return marks - booked
