"""A row of the engine out of a view: everything that the viewer knows, the hidden cards left out.

Search plays on from such a row once the hidden cards have been put into it (`worlds`). Nothing but the view is read, so
the true deal has no way in. What a view does not hold and play does not need is left empty: the ledger, the log, and
marks that a rule set keeps for the end of the hand, which are the same whatever is played.
"""

from typing import Final

import numpy as np

from minchiate_rl.game.cards import FIRST_TRUMP, SUIT_SIZE
from minchiate_rl.game.engine.bits import ONE, ZERO, U
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    BEST,
    BIDS,
    DEALER,
    DECLARED,
    DISCARD,
    EMPTY_TABLE,
    FOLA,
    FOLA_PUBLIC,
    FOLA_SUITS,
    HAND,
    LEAD,
    LEADER,
    LED,
    LEFT,
    MATCH,
    MATCH_HAND,
    MATTO_STATE,
    N_DISCARD,
    NO_CARD,
    NO_KING,
    NOBODY,
    ON_TABLE,
    OPENED,
    ORDER,
    ORDER_WORDS,
    OUT,
    PAID,
    PHASE,
    PILE,
    PLAYED,
    RESTI,
    REVEALED,
    ROBBED,
    SCORE,
    SEAT,
    SHOWN,
    STOPPER,
    TABLE,
    TO_DISCARD,
    TRICK,
    TRICKS,
    TRUMP_STRENGTH,
    TURNED,
    V_COUNTS,
    V_DECLARED,
    V_DISCARD,
    V_FACTS,
    V_FOLA,
    V_FOLA_PUBLIC,
    V_FORM,
    V_HAND,
    V_KNOWN,
    V_MATCH,
    V_ORDER,
    V_PILE,
    V_PLAYED,
    V_ROBBED,
    V_RULES,
    V_SCORE,
    V_SEATS,
    V_SHOWN,
    V_SWITCHES,
    V_TABLE,
    V_TURN,
    VOID,
    WINNER,
)
from minchiate_rl.game.engine.rows import clear_row
from minchiate_rl.game.engine.versicole import with_card

_BYTE: Final = np.uint64(0xFF)
_WORD: Final = np.uint64(0xFFFF)
_SIGN: Final = np.uint64(0x8000)
_HIGH_ONES: Final = np.uint64(0xFFFFFFFFFFFF0000)
_THREE: Final = np.uint64(3)
_SEATS: Final = 4


@kernel
def _byte(word, n):  # type: ignore[no-untyped-def]
    return (word >> U(8 * n)) & _BYTE


@kernel
def _absolute(r, seat):  # type: ignore[no-untyped-def]
    """Return the seat (uint64) that the viewer counts as r; nobody stays nobody."""
    return NOBODY if r == NOBODY else (r + U(seat)) & _THREE


@kernel
def _absolute_bits(bits, seat):  # type: ignore[no-untyped-def]
    """Return a set of seats that the viewer counts from himself, a bit each, as absolute seats."""
    return ((bits << U(seat)) | (bits >> U(_SEATS - seat))) & U(0xF)


@kernel
def _cards(views, j, seat, rows, i):  # type: ignore[no-untyped-def]
    """Copy the sets of cards."""
    us = seat & 1
    for word in range(2):
        rows[i, HAND + 2 * seat + word] = views[j, V_HAND + word]
        rows[i, PILE + 2 * us + word] = views[j, V_PILE + word]
        rows[i, PILE + 2 * (1 - us) + word] = views[j, V_PILE + 2 + word]
        rows[i, FOLA + word] = views[j, V_FOLA + word]
        rows[i, FOLA_PUBLIC + word] = views[j, V_FOLA_PUBLIC + word]
        for r in range(_SEATS):
            absolute = (seat + r) & 3
            rows[i, PLAYED + 2 * absolute + word] = views[j, V_PLAYED + 2 * r + word]
            rows[i, SHOWN + 2 * absolute + word] = views[j, V_SHOWN + 2 * r + word]
    for column in range(4):
        rows[i, DISCARD + column] = views[j, V_DISCARD + column]
    for column in range(6):
        rows[i, ROBBED + column] = views[j, V_ROBBED + column]
    for column in range(ORDER_WORDS):
        rows[i, ORDER + column] = views[j, V_ORDER + column]


@kernel
def _by_seat(views, j, seat, rows, i):  # type: ignore[no-untyped-def]
    """Turn what there is of each seat from the viewer's numbers to absolute ones."""
    table, known, match = views[j, V_TABLE], views[j, V_KNOWN], views[j, V_MATCH]
    on_table, turned, void, no_king, told = ZERO, ZERO, ZERO, ZERO, ZERO
    for r in range(_SEATS):
        absolute = (seat + r) & 3
        on_table |= _byte(table, r) << U(8 * absolute)
        turned |= _byte(table, r + 4) << U(8 * absolute)
        void |= ((known >> U(5 * r)) & U(0x1F)) << U(5 * absolute)
        no_king |= ((known >> U(20 + 4 * r)) & U(0xF)) << U(4 * absolute)
        told |= ((match >> U(16 * r)) & _WORD) << U(16 * absolute)
        rows[i, DECLARED + absolute] = views[j, V_DECLARED + r]
    rows[i, TABLE], rows[i, TURNED], rows[i, MATCH] = on_table, turned, told
    rows[i, VOID], rows[i, NO_KING] = void, no_king
    owed = _byte(known, 6)
    matto = _absolute(_byte(known, 5), seat)
    if owed == NOBODY:
        matto |= (NOBODY << U(8)) | (NOBODY << U(16))
    else:
        debtor = owed ^ U(seat & 1)
        matto |= (debtor << U(8)) | ((debtor ^ ONE) << U(16))
    rows[i, MATTO_STATE], rows[i, PAID] = matto, _byte(known, 7)


@kernel
def _turn(views, j, seat, rows, i):  # type: ignore[no-untyped-def]
    """Write whose turn it is, the trick on the table, and who plays no more."""
    turn, facts, seats = views[j, V_TURN], views[j, V_FACTS], views[j, V_SEATS]
    rows[i, PHASE], rows[i, SEAT] = _byte(turn, 0), _absolute(_byte(turn, 1), seat)
    rows[i, DEALER], rows[i, TRICK] = _absolute(_byte(turn, 2), seat), _byte(turn, 3)
    rows[i, ON_TABLE], rows[i, LED] = _byte(turn, 4), _byte(turn, 5)
    winner = _absolute(_byte(turn, 6), seat)
    rows[i, WINNER], rows[i, OPENED] = winner, _byte(turn, 7)
    if winner != NOBODY:
        card = _byte(rows[i, TABLE], np.int64(winner))
        if card >= U(FIRST_TRUMP):
            rows[i, BEST] = TRUMP_STRENGTH + card - U(FIRST_TRUMP)
        else:
            rows[i, BEST] = card % U(SUIT_SIZE)
    leader = _absolute(views[j, V_SWITCHES] >> U(56), seat)
    rows[i, LEADER] = leader if leader != NOBODY else rows[i, SEAT]
    rows[i, N_DISCARD], rows[i, TO_DISCARD] = facts & _WORD, facts >> U(56)
    rows[i, REVEALED], rows[i, STOPPER] = _byte(facts, 2), (facts >> U(24)) & _WORD
    dropped = _absolute_bits(_byte(seats, 1), seat)
    rows[i, OUT] = dropped
    rows[i, LEFT] = NOBODY | (dropped << U(8)) | (_absolute(_byte(seats, 2), seat) << U(16))


@kernel
def _accounts(views, j, seat, rows, i):  # type: ignore[no-untyped-def]
    """Write marks, lead, resti and tricks."""
    score, rules, us = views[j, V_SCORE], views[j, V_RULES], seat & 1
    lead = (score >> U(32)) & _WORD
    if lead & _SIGN != ZERO:
        lead |= _HIGH_ONES
    rows[i, LEAD] = lead if us == 0 else ~lead + ONE
    for side in range(2):
        absolute = us if side == 0 else 1 - us
        rows[i, SCORE + absolute] = (score >> U(16 * side)) & _WORD
        rows[i, RESTI + absolute] = _byte(score, 6 + side)
        rows[i, TRICKS + absolute] = _byte(rules, side)


@kernel
def turned_and_robbed(rows, i, seat):  # type: ignore[no-untyped-def]
    """Return the cards of a seat (int64), as two words, that all saw when they were turned up or robbed."""
    dealer, (w0, w1) = np.int64(rows[i, DEALER]), (ZERO, ZERO)
    card = _byte(rows[i, TURNED], seat)
    if card != NO_CARD:
        w0, w1 = with_card(w0, w1, np.int64(card))
    if seat == (dealer + _SEATS - 1) % _SEATS:
        return w0 | rows[i, ROBBED], w1 | rows[i, ROBBED + 1]
    if seat == dealer:
        return w0 | rows[i, ROBBED + 2], w1 | rows[i, ROBBED + 3]
    return w0, w1


@kernel
def _shown(rows, i):  # type: ignore[no-untyped-def]
    """Add to the cards shown those that the viewer knows to be elsewhere by now, and others may not."""
    for seat in range(_SEATS):
        w0, w1 = turned_and_robbed(rows, i, seat)
        rows[i, SHOWN + 2 * seat] |= w0
        rows[i, SHOWN + 2 * seat + 1] |= w1


@kernel
def rebuild(views, j, rows, i):  # type: ignore[no-untyped-def]
    """Fill row i with what view row j knows; the hands of the others are left empty.

    The view is one of a game with two sides of two, its rule set one that remembers all tricks. The row's key, seed
    and decision count are 0. Return the viewer's seat (int64).
    """
    clear_row(rows, i)
    seat = np.int64(views[j, V_RULES] >> U(56))
    _cards(views, j, seat, rows, i)
    _by_seat(views, j, seat, rows, i)
    _turn(views, j, seat, rows, i)
    _accounts(views, j, seat, rows, i)
    _shown(rows, i)
    rows[i, BIDS] = (NOBODY << U(40)) | (NOBODY << U(48))
    rows[i, FOLA_SUITS] = views[j, V_COUNTS] & EMPTY_TABLE
    rows[i, MATCH_HAND] = views[j, V_FORM] & _WORD
    return seat
