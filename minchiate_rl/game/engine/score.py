"""Marks, resti and the settlement of a hand (docs/rules.md, sections 4.3, 5, 10.5 and 13)."""

from typing import Final

import numpy as np

from minchiate_rl.game.cards import FIRST_TRUMP, N_CARDS, PACK_ORDER, SUIT_SIZE, VALUES
from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount, trailing_zeros
from minchiate_rl.game.engine.jit import hot_kernel, kernel
from minchiate_rl.game.engine.layout import (
    BIDS,
    DEFERRED,
    ENTRIES,
    LEAD,
    LEFT,
    MATTO_STATE,
    N_DEFERRED,
    NO_CARD,
    NOBODY,
    PAID,
    PAIRS,
    PILE,
    RESTI,
    SCORE,
    SUIT_BITS,
    TRICKS,
    TRUMP_BITS,
)
from minchiate_rl.game.engine.piedicavallo import finish_tricks
from minchiate_rl.game.engine.versicole import KING_BITS, value, with_card, without_card
from minchiate_rl.game.forms import ACCOUNTS
from minchiate_rl.game.rules import (
    ALL_TRICKS,
    R_ACCOUNTS,
    R_ALL_TRICKS,
    R_BID_STEP,
    R_COUNTS_RESTI,
    R_EXTRAS,
    R_MIDHAND,
    R_SEATS,
    R_SIDES,
    R_TRICKS,
    R_WITHDRAW_FEE,
    R_WITHDRAW_STEP,
)

RESTO: Final = 60
LAST_TRICK_POINTS: Final = 10
FOURTEEN: Final = 14
ACCOUNT_SIDES: Final = ACCOUNTS.index("sides")
ACCOUNT_PAIRS: Final = ACCOUNTS.index("pairs")
ACCOUNT_TRICKS: Final = ACCOUNTS.index("tricks")
_DOUBLE: Final = ALL_TRICKS.index("double_final")
_FOURTEEN: Final = ALL_TRICKS.index("fourteen")
_VALUES: Final = np.array(VALUES, dtype=np.int64)
_PACK_ORDER: Final = np.array(PACK_ORDER, dtype=np.int64)


def _words_of(points: int) -> tuple[np.uint64, np.uint64]:
    cards = sum(1 << card for card in range(N_CARDS) if VALUES[card] == points)
    return np.uint64(cards & ((1 << 56) - 1)), np.uint64(cards >> 56)


FIVES_0, FIVES_1 = _words_of(5)
_, THREES_1 = _words_of(3)
_, TENS_1 = _words_of(10)


@hot_kernel
def card_points(w0, w1):  # type: ignore[no-untyped-def]
    """Return the sum of the values of a set of cards."""
    fives = popcount(w0 & FIVES_0) + popcount(w1 & FIVES_1)
    return np.int64(U(5) * fives + U(3) * popcount(w1 & THREES_1) + U(10) * popcount(w1 & TENS_1))


@hot_kernel
def over_par(cards, rule):  # type: ignore[no-untyped-def]
    """Return the points for the cards (int64) of a side's pile above its share of all that are played."""
    partners = 2 if rule[R_SIDES] < rule[R_SEATS] else 1
    return max(cards - rule[R_TRICKS] * partners, 0)


@hot_kernel
def enter(rows, ledger, i, item, side, points, against):  # type: ignore[no-untyped-def]
    """Add points to a side's gross marks and write them into the ledger, if there are any."""
    if points == 0:
        return
    n = rows[i, ENTRIES]
    ledger[i, n] = np.uint32((item << 24) | (side << 20) | (against << 16) | points)
    rows[i, ENTRIES] = n + ONE
    rows[i, SCORE + side] += U(points)


@hot_kernel
def mark(rows, ledger, i, rule, item, side, points):  # type: ignore[no-untyped-def]
    """Mark points of one of two sides at once: the lead moves; each full 60 of it is a resto where these are paid."""
    enter(rows, ledger, i, item, side, points, 0)
    lead = np.int64(rows[i, LEAD])
    lead += points if side == 0 else -points
    if rule[R_MIDHAND] != 0:
        while lead >= RESTO:
            lead -= RESTO
            rows[i, RESTI] += ONE
        while lead <= -RESTO:
            lead += RESTO
            rows[i, RESTI + 1] += ONE
    rows[i, LEAD] = U(lead)


@kernel
def defer(rows, i, item, side, points):  # type: ignore[no-untyped-def]
    """Keep points of one of two sides for the final block."""
    if points == 0:
        return
    n = rows[i, N_DEFERRED]
    entry = U((item << 12) | (side << 10) | points)
    rows[i, DEFERRED + np.int64(n >> U(2))] |= entry << (U(16) * (n & U(3)))
    rows[i, N_DEFERRED] = n + ONE


@kernel
def pair_column(a, b):  # type: ignore[no-untyped-def]
    """Return the column of the balance of seats a < b (int64)."""
    return PAIRS + a * (7 - a) // 2 + b - a - 1


@hot_kernel
def _balance(rows, i, seat, other, points):  # type: ignore[no-untyped-def]
    """Let a seat gain points on another in the balance of the two."""
    column = pair_column(min(seat, other), max(seat, other))
    gained = points if seat < other else -points
    rows[i, column] = U(np.int64(rows[i, column]) + gained)


@kernel
def mark_pairs(rows, ledger, i, item, seat, points, against):  # type: ignore[no-untyped-def]
    """Mark points of a seat against each player of a set (int64, a bit each)."""
    if points == 0 or against == 0:
        return
    enter(rows, ledger, i, item, seat, points, against)
    for other in range(4):
        if (against >> other) & 1:
            _balance(rows, i, seat, other, points)


@hot_kernel
def _mark_pair(rows, ledger, i, item, seat, points, other):  # type: ignore[no-untyped-def]
    """Mark points, more than none, of a seat against one other player."""
    enter(rows, ledger, i, item, seat, points, 1 << other)
    _balance(rows, i, seat, other, points)


@kernel
def in_hand(rows, i, rule):  # type: ignore[no-untyped-def]
    """Return the players who have not withdrawn, a bit each (int64)."""
    return ((1 << rule[R_SEATS]) - 1) & ~(1 << np.int64(rows[i, LEFT] & NO_CARD))


@kernel
def credit(rows, ledger, i, rule, item, seat, points):  # type: ignore[no-untyped-def]
    """Mark points of a seat against the other side, or against every other player in the hand."""
    if rule[R_ACCOUNTS] == ACCOUNT_PAIRS:
        mark_pairs(rows, ledger, i, item, seat, points, in_hand(rows, i, rule) & ~(1 << seat))
    else:
        mark(rows, ledger, i, rule, item, seat & 1, points)


@hot_kernel
def mark_death(rows, ledger, i, captor, owner, points):  # type: ignore[no-untyped-def]
    """Mark a death where everybody plays for himself: by the captor and by who has withdrawn, against the owner."""
    if points == 0:
        return
    _mark_pair(rows, ledger, i, 5, captor, points, owner)
    withdrawn = rows[i, LEFT] & NO_CARD
    if withdrawn != NOBODY:
        _mark_pair(rows, ledger, i, 5, np.int64(withdrawn), points, owner)


@kernel
def settle(lead, final_0, final_1):  # type: ignore[no-untyped-def]
    """Return side 0's resti of the final settlement, negative where side 1 is paid: one for each started 60."""
    lead += final_0 - final_1
    if lead >= 0:
        return (lead + RESTO - 1) // RESTO
    return -((-lead + RESTO - 1) // RESTO)


@kernel
def _first_worthless(w0):  # type: ignore[no-untyped-def]
    """Return the first plain card in pack order, the kings apart, of a set that has one."""
    for suit in range(4):
        first = SUIT_SIZE * suit
        if ((w0 >> U(first)) & SUIT_BITS) == ZERO:
            continue
        for card in _PACK_ORDER[first : first + SUIT_SIZE]:
            if ((w0 >> U(card)) & ONE) != ZERO:
                return card
    return np.int64(-1)


@hot_kernel
def _cost(p0, p1, q0, q1, card, extras):  # type: ignore[no-untyped-def]
    """Return what paying a card of the set p to the set q costs, but for what the two are worth before."""
    a0, a1 = without_card(p0, p1, card)
    b0, b1 = with_card(q0, q1, card)
    return 3 * _VALUES[card] - value(a0, a1, extras) + value(b0, b1, extras)


@kernel
def cheapest_payment(rows, i, payer, receiver, extras):  # type: ignore[no-untyped-def]
    """Return the card of the payer's pile, the Matto apart, that costs his side least.

    Among equals it is the first in pack order. The cost is what both sides' card points and versicole and the death
    change by.
    """
    ours, theirs = PILE + 2 * payer, PILE + 2 * receiver
    p0, p1 = rows[i, ours], rows[i, ours + 1]
    q0, q1 = rows[i, theirs], rows[i, theirs + 1]
    worth, worth_of_theirs = value(p0, p1, extras), value(q0, q1, extras)
    best, best_cost = np.int64(-1), 1 << 30
    if extras >> 8 == 0:
        if (p0 & ~KING_BITS) != ZERO:
            return _first_worthless(p0 & ~KING_BITS)
        # Kings and trumps alone: in pack order as in order of bits. No versicola grows by what is taken away.
        left_0, left_1 = p0, p1 & TRUMP_BITS
        while (left_0 | left_1) != ZERO:
            if left_0 != ZERO:
                card = np.int64(trailing_zeros(left_0))
                left_0 &= left_0 - ONE
            else:
                card = np.int64(trailing_zeros(left_1)) + FIRST_TRUMP
                left_1 &= left_1 - ONE
            if 3 * _VALUES[card] < best_cost:
                cost = _cost(p0, p1, q0, q1, card, extras) + worth - worth_of_theirs
                if cost < best_cost:
                    best, best_cost = card, cost
        return best
    # A side may gain by what it pays: the 10 beside 20 and 30 where these alone count, the 37 of a run where every aria
    # has a bonus and two are left of one.
    for card in _PACK_ORDER[: N_CARDS - 1]:
        a0, a1 = without_card(p0, p1, card)
        if a0 != p0 or a1 != p1:
            cost = _cost(p0, p1, q0, q1, card, extras) + worth - worth_of_theirs
            if cost < best_cost:
                best, best_cost = card, cost
    return best


@kernel
def settle_matto(rows, ledger, i, rule):  # type: ignore[no-untyped-def]
    """Pay the debt for a Matto that fell into a trick of others: a card of the pile, or the Matto itself."""
    debtor = (rows[i, MATTO_STATE] >> U(8)) & U(0xFF)
    if debtor == NOBODY:
        return
    payer, receiver = np.int64(debtor), np.int64((rows[i, MATTO_STATE] >> U(16)) & U(0xFF))
    ours, theirs = PILE + 2 * payer, PILE + 2 * receiver
    card = np.int64(N_CARDS - 1)
    if rows[i, TRICKS + payer] != ZERO:
        card = cheapest_payment(rows, i, payer, receiver, rule[R_EXTRAS])
    rows[i, ours], rows[i, ours + 1] = without_card(rows[i, ours], rows[i, ours + 1], card)
    rows[i, theirs], rows[i, theirs + 1] = with_card(rows[i, theirs], rows[i, theirs + 1], card)
    rows[i, PAID] = U(card)
    if rule[R_ACCOUNTS] == ACCOUNT_PAIRS:
        mark_death(rows, ledger, i, receiver, payer, _VALUES[card])
    else:
        mark(rows, ledger, i, rule, 5, receiver, _VALUES[card])


@kernel
def finish(rows, ledger, i, rule, last_winner):  # type: ignore[no-untyped-def]
    """Settle a hand after its last trick, which a side (int64) has won."""
    if rule[R_ACCOUNTS] == ACCOUNT_TRICKS:
        finish_tricks(rows, i)
        return
    settle_matto(rows, ledger, i, rule)
    if rule[R_ACCOUNTS] == ACCOUNT_SIDES:
        finish_sides(rows, ledger, i, rule, last_winner)
    else:
        finish_pairs(rows, ledger, i, rule, last_winner)


@kernel
def finish_sides(rows, ledger, i, rule, last_winner):  # type: ignore[no-untyped-def]
    """Settle a hand of two sides: what was kept for the end, then items 6 to 9, at one stroke."""
    before_0, before_1 = np.int64(rows[i, SCORE]), np.int64(rows[i, SCORE + 1])
    for n in range(np.int64(rows[i, N_DEFERRED])):
        entry = np.int64((rows[i, DEFERRED + (n >> 2)] >> U(16 * (n & 3))) & U(0xFFFF))
        enter(rows, ledger, i, entry >> 12, (entry >> 10) & 3, entry & 0x3FF, 0)
    enter(rows, ledger, i, 6, last_winner, LAST_TRICK_POINTS, 0)
    for side in range(2):
        worth = value(rows[i, PILE + 2 * side], rows[i, PILE + 2 * side + 1], rule[R_EXTRAS])
        enter(rows, ledger, i, 7, side, worth, 0)
    for side in range(2):
        enter(rows, ledger, i, 8, side, card_points(rows[i, PILE + 2 * side], rows[i, PILE + 2 * side + 1]), 0)
    for side in range(2):
        cards = np.int64(popcount(rows[i, PILE + 2 * side]) + popcount(rows[i, PILE + 2 * side + 1]))
        enter(rows, ledger, i, 9, side, over_par(cards, rule), 0)
    final_0 = np.int64(rows[i, SCORE]) - before_0
    final_1 = np.int64(rows[i, SCORE + 1]) - before_1
    if rule[R_COUNTS_RESTI] != 0:
        pay_resti(rows, i, rule, final_0, final_1)
    rows[i, LEAD] = ZERO


@kernel
def pay_resti(rows, i, rule, final_0, final_1):  # type: ignore[no-untyped-def]
    """Settle the lead with the final block (int64 each) in resti."""
    lead, tricks = np.int64(rows[i, LEAD]), np.int64(rows[i, TRICKS])
    resti = settle(lead, final_0, final_1)
    if rule[R_ALL_TRICKS] != 0 and (tricks == 0 or tricks == rule[R_TRICKS]):
        if rule[R_ALL_TRICKS] == _DOUBLE:
            resti *= 2
        elif rule[R_ALL_TRICKS] == _FOURTEEN:
            resti = (FOURTEEN if tricks != 0 else -FOURTEEN) + 2 * settle(lead, 0, 0)
    if resti >= 0:
        rows[i, RESTI] += U(resti)
    else:
        rows[i, RESTI + 1] += U(-resti)


@kernel
def finish_pairs(rows, ledger, i, rule, last_winner):  # type: ignore[no-untyped-def]
    """Settle a hand where everybody plays for himself: items 6 to 9 between those in the hand, then fees and resti."""
    n_seats = rule[R_SEATS]
    active = in_hand(rows, i, rule)
    mark_pairs(rows, ledger, i, 6, last_winner, LAST_TRICK_POINTS, active & ~(1 << last_winner))
    for item in range(7, 10):
        for seat in range(n_seats):
            if (active >> seat) & 1:
                w0, w1 = rows[i, PILE + 2 * seat], rows[i, PILE + 2 * seat + 1]
                if item == 7:
                    points = value(w0, w1, rule[R_EXTRAS])
                elif item == 8:
                    points = card_points(w0, w1)
                else:
                    points = over_par(np.int64(popcount(w0) + popcount(w1)), rule)
                mark_pairs(rows, ledger, i, item, seat, points, active & ~(1 << seat))
    withdrawn = rows[i, LEFT] & NO_CARD
    if withdrawn != NOBODY:
        place = np.int64((rows[i, LEFT] >> U(24)) & U(0xFF)) - 1
        fee = rule[R_WITHDRAW_FEE] + rule[R_WITHDRAW_STEP] * place
        mark_pairs(rows, ledger, i, 10, last_winner, fee, 1 << np.int64(withdrawn))
    user = (rows[i, BIDS] >> U(48)) & U(0xFF)
    if user != NOBODY and np.int64(user) != last_winner:
        steps = np.int64((rows[i, BIDS] >> (U(8) * user)) & U(0xFF))
        mark_pairs(rows, ledger, i, 10, last_winner, steps * rule[R_BID_STEP], 1 << np.int64(user))
    for a in range(n_seats):
        for b in range(a + 1, n_seats):
            resti = settle(np.int64(rows[i, pair_column(a, b)]), 0, 0)
            rows[i, RESTI + a] = U(np.int64(rows[i, RESTI + a]) + resti)
            rows[i, RESTI + b] = U(np.int64(rows[i, RESTI + b]) - resti)
