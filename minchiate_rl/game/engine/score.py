"""Marks, resti and the settlement of a hand (docs/rules.md, sections 4.3 and 5)."""

from typing import Final

import numpy as np

from minchiate_rl.game.cards import N_CARDS, PACK_ORDER, VALUES
from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    ENTRIES,
    LEAD,
    MATTO_STATE,
    NOBODY,
    PAID,
    PILE,
    RESTI,
    SCORE,
    TRICKS,
)
from minchiate_rl.game.engine.versicole import gain, value, with_card, without_card
from minchiate_rl.game.rules import R_ALL_TRICKS, R_DEMONIO
from minchiate_rl.game.seats import N_TRICKS

RESTO: Final = 60
LAST_TRICK_POINTS: Final = 10
_HALF_OF_THE_CARDS: Final = 42
_VALUES: Final = np.array(VALUES, dtype=np.int64)
_PACK_ORDER: Final = np.array(PACK_ORDER, dtype=np.int64)


def _words_of(points: int) -> tuple[np.uint64, np.uint64]:
    cards = sum(1 << card for card in range(N_CARDS) if VALUES[card] == points)
    return np.uint64(cards & ((1 << 56) - 1)), np.uint64(cards >> 56)


FIVES_0, FIVES_1 = _words_of(5)
_, THREES_1 = _words_of(3)
_, TENS_1 = _words_of(10)


@kernel
def card_points(w0, w1):  # type: ignore[no-untyped-def]
    """Return the sum of the values of a set of cards."""
    fives = popcount(w0 & FIVES_0) + popcount(w1 & FIVES_1)
    return np.int64(U(5) * fives + U(3) * popcount(w1 & THREES_1) + U(10) * popcount(w1 & TENS_1))


@kernel
def enter(rows, ledger, i, item, side, points):  # type: ignore[no-untyped-def]
    """Add points to a side's gross marks and write them into the ledger, if there are any."""
    if points == 0:
        return
    n = rows[i, ENTRIES]
    ledger[i, n] = np.uint16((item << 12) | (side << 11) | points)
    rows[i, ENTRIES] = n + ONE
    rows[i, SCORE + side] += U(points)


@kernel
def mark(rows, ledger, i, item, side, points):  # type: ignore[no-untyped-def]
    """Mark points at once: the lead moves, and each full 60 of it is a resto."""
    enter(rows, ledger, i, item, side, points)
    lead = np.int64(rows[i, LEAD])
    lead += points if side == 0 else -points
    while lead >= RESTO:
        lead -= RESTO
        rows[i, RESTI] += ONE
    while lead <= -RESTO:
        lead += RESTO
        rows[i, RESTI + 1] += ONE
    rows[i, LEAD] = U(lead)


@kernel
def settle(lead, final_0, final_1):  # type: ignore[no-untyped-def]
    """Return side 0's resti of the final settlement, negative where side 1 is paid: one for each started 60."""
    lead += final_0 - final_1
    if lead >= 0:
        return (lead + RESTO - 1) // RESTO
    return -((-lead + RESTO - 1) // RESTO)


@kernel
def cheapest_payment(rows, i, payer, demonio):  # type: ignore[no-untyped-def]
    """Return the card of the payer's pile, the Matto apart, that costs his side least.

    Among equals it is the first in pack order. The cost is what both sides' card points and versicole and the death
    change by.
    """
    ours, theirs = PILE + 2 * payer, PILE + 2 * (1 - payer)
    p0, p1 = rows[i, ours], rows[i, ours + 1]
    q0, q1 = rows[i, theirs], rows[i, theirs + 1]
    best, best_cost = -1, 1 << 30
    for card in _PACK_ORDER[: N_CARDS - 1]:
        a0, a1 = without_card(p0, p1, card)
        if a0 == p0 and a1 == p1:
            continue
        cost = 3 * _VALUES[card] + gain(a0, a1, card, demonio) + gain(q0, q1, card, demonio)
        if cost < best_cost:
            best, best_cost = card, cost
        if cost == 0:
            break
    return best


@kernel
def settle_matto(rows, ledger, i, rule):  # type: ignore[no-untyped-def]
    """Pay the debt for a Matto that fell into a trick of the opponents: a card of the pile, or the Matto itself."""
    debtor = (rows[i, MATTO_STATE] >> U(8)) & U(0xFF)
    if debtor == NOBODY:
        return
    payer = np.int64(debtor)
    ours, theirs = PILE + 2 * payer, PILE + 2 * (1 - payer)
    card = np.int64(N_CARDS - 1)
    if rows[i, TRICKS + payer] != ZERO:
        card = cheapest_payment(rows, i, payer, rule[R_DEMONIO])
    rows[i, ours], rows[i, ours + 1] = without_card(rows[i, ours], rows[i, ours + 1], card)
    rows[i, theirs], rows[i, theirs + 1] = with_card(rows[i, theirs], rows[i, theirs + 1], card)
    rows[i, PAID] = U(card)
    mark(rows, ledger, i, 5, 1 - payer, _VALUES[card])


@kernel
def finish(rows, ledger, i, rule, last_winner):  # type: ignore[no-untyped-def]
    """Settle a hand after its last trick: the Matto's debt, then items 6 to 9 at one stroke."""
    settle_matto(rows, ledger, i, rule)
    before_0, before_1 = np.int64(rows[i, SCORE]), np.int64(rows[i, SCORE + 1])
    enter(rows, ledger, i, 6, last_winner, LAST_TRICK_POINTS)
    for side in range(2):
        enter(rows, ledger, i, 7, side, value(rows[i, PILE + 2 * side], rows[i, PILE + 2 * side + 1], rule[R_DEMONIO]))
    for side in range(2):
        enter(rows, ledger, i, 8, side, card_points(rows[i, PILE + 2 * side], rows[i, PILE + 2 * side + 1]))
    tricks = np.int64(rows[i, TRICKS])
    if 4 * tricks > _HALF_OF_THE_CARDS:
        enter(rows, ledger, i, 9, 0, 4 * tricks - _HALF_OF_THE_CARDS)
    else:
        enter(rows, ledger, i, 9, 1, _HALF_OF_THE_CARDS - 4 * tricks)
    final_0 = np.int64(rows[i, SCORE]) - before_0
    final_1 = np.int64(rows[i, SCORE + 1]) - before_1
    resti = settle(np.int64(rows[i, LEAD]), final_0, final_1)
    if rule[R_ALL_TRICKS] != 0 and (tricks == 0 or tricks == N_TRICKS):
        resti *= 2
    if resti >= 0:
        rows[i, RESTI] += U(resti)
    else:
        rows[i, RESTI + 1] += U(-resti)
    rows[i, LEAD] = ZERO
