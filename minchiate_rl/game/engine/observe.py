"""The one redaction: what a seat may know of a row, written into a view row (docs/rules.md, section 2.1).

Whatever a player, an agent or an observer of one seat is shown comes out of `observe`. `observe_state` adds the truth
about the cards that the view leaves open, for critics alone.
"""

from typing import Final

import numpy as np

from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount
from minchiate_rl.game.engine.jit import hot_kernel, kernel
from minchiate_rl.game.engine.layout import (
    BIDS,
    DEALER,
    DECLARED,
    DISCARD,
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
    PAID,
    PASSED,
    PHASE,
    PILE,
    PLAYED,
    RESTI,
    REVEALED,
    ROBBED,
    S_DISCARD,
    S_FOLA,
    S_HAND,
    SAID,
    SCORE,
    SEAT,
    SHOWN,
    STOPPER,
    TABLE,
    TAKEN,
    TO_DISCARD,
    TRANSCRIPT,
    TRANSCRIPT_WORDS,
    TRICK,
    TRICKS,
    TURNED,
    V_BIDS,
    V_COUNTS,
    V_DECLARED,
    V_DISCARD,
    V_FACTS,
    V_FOLA,
    V_FOLA_PUBLIC,
    V_FORM,
    V_HAND,
    V_KNOWN,
    V_LEGAL,
    V_MARKS,
    V_MATCH,
    V_ORDER,
    V_PAIRS,
    V_PASSED,
    V_PILE,
    V_PLAYED,
    V_ROBBED,
    V_RULES,
    V_SCORE,
    V_SEATS,
    V_SHOWN,
    V_SWITCHES,
    V_TABLE,
    V_TRANSCRIPT,
    V_TURN,
    VOID,
    WINNER,
    S,
    V,
)
from minchiate_rl.game.engine.legal import legal_words
from minchiate_rl.game.engine.relative import absolute_seat, relative_seat, relative_seats
from minchiate_rl.game.engine.score import ACCOUNT_PAIRS, pair_column
from minchiate_rl.game.engine.versicole import with_card
from minchiate_rl.game.forms import DEALS, SORTERS
from minchiate_rl.game.rules import (
    MEMORY,
    NO_LIMIT,
    R_ACCOUNTS,
    R_ALL_TRICKS,
    R_DEAL,
    R_DISCARD_TRUMPS,
    R_EXTRAS,
    R_FORM_BYTES,
    R_MEMORY,
    R_ROB_FAILURE,
    R_ROB_LIMIT,
    R_SEATS,
    R_SIDES,
    R_SIZE_BYTES,
    R_SORTER,
    R_SPEECH,
    R_STEADY,
    R_SWITCH_BITS,
    R_TAKE_29,
    R_USUAL,
    SPEECH_OFF,
    USUAL,
)

_PERFECT: Final = MEMORY.index("perfect")
_TABLE_ONLY: Final = MEMORY.index("table")
_BYTE: Final = np.uint64(0xFF)
_WORD: Final = np.uint64(0xFFFF)
_PARTNER_SORTS: Final = SORTERS.index("partner")
_NOBODY_SORTS: Final = SORTERS.index("nobody")
_PIEDICAVALLO: Final = DEALS.index("piedicavallo")
#: What the writers below ask of the table: seats, sides, memory, who sorts the fola, whether the turn just passes on.
_USUAL_TABLE: Final = tuple(USUAL.values())
_NOBODY_LEFT: Final = NOBODY | (NOBODY << np.uint64(16))
_NO_BIDS: Final = (NOBODY << np.uint64(40)) | (NOBODY << np.uint64(48))


@hot_kernel
def _table_words(rows, i, absolute):  # type: ignore[no-untyped-def]
    """Return the card on the table of an absolute seat as two words of a set."""
    card = (rows[i, TABLE] >> U(8 * absolute)) & NO_CARD
    if card == NO_CARD:
        return ZERO, ZERO
    return with_card(ZERO, ZERO, np.int64(card))


@hot_kernel
def _piles(rows, i, seat, table, out, j):  # type: ignore[no-untyped-def]
    """Write the trick piles that the viewer remembers; return the cards of earlier tricks that he remembers."""
    _, n_sides, memory, _, _ = table
    keep_them = memory == _PERFECT
    side = seat if n_sides > 2 else seat & 1
    seen_0, seen_1 = ZERO, ZERO
    for r in range(4):
        keep = keep_them if r > 0 else memory != _TABLE_ONLY
        w0, w1 = ZERO, ZERO
        if r < n_sides and keep:
            pile = PILE + 2 * absolute_seat(r, side, n_sides)
            w0, w1 = rows[i, pile], rows[i, pile + 1]
        out[j, V_PILE + 2 * r], out[j, V_PILE + 2 * r + 1] = w0, w1
        seen_0 |= w0
        seen_1 |= w1
    if keep_them:
        return ~ZERO, ~ZERO
    return seen_0, seen_1


@hot_kernel
def _remembered_tricks(rows, i, seat, rule, table, out, j):  # type: ignore[no-untyped-def]
    """Write what the viewer remembers of earlier tricks, and what is still open of the cards shown."""
    n_seats = table[0]
    seen_0, seen_1 = _piles(rows, i, seat, table, out, j)
    gone_0, gone_1 = ZERO, ZERO
    if rows[i, REVEALED] != ZERO:
        gone_0 = rows[i, DISCARD] | rows[i, DISCARD + 2]
        if _sees_trumps(rows, i, seat, rule):
            gone_1 = rows[i, DISCARD + 1] | rows[i, DISCARD + 3]
        elif absolute_seat(1, seat, n_seats) == np.int64(rows[i, DEALER]):
            # The cutter, who plays before the dealer, knows his own.
            gone_1 = rows[i, DISCARD + 1]
    for r in range(4):
        if r >= n_seats:
            for word in range(2):
                out[j, V_PLAYED + 2 * r + word] = out[j, V_SHOWN + 2 * r + word] = ZERO
            continue
        absolute = absolute_seat(r, seat, n_seats)
        played, shown = PLAYED + 2 * absolute, SHOWN + 2 * absolute
        p0, p1 = rows[i, played] & seen_0, rows[i, played + 1] & seen_1
        t0, t1 = _table_words(rows, i, absolute)
        out[j, V_PLAYED + 2 * r], out[j, V_PLAYED + 2 * r + 1] = p0, p1
        out[j, V_SHOWN + 2 * r] = rows[i, shown] & ~(p0 | gone_0 | t0)
        out[j, V_SHOWN + 2 * r + 1] = rows[i, shown + 1] & ~(p1 | gone_1 | t1)


@hot_kernel
def _sees_trumps(rows, i, seat, rule):  # type: ignore[no-untyped-def]
    """Return whether a viewer sees the trumps among the discards that are turned up; their owner does in any case."""
    return rule[R_DISCARD_TRUMPS] != 0 or ((seat - np.int64(rows[i, DEALER])) & 1) == 0


@hot_kernel
def _all_if(condition):  # type: ignore[no-untyped-def]
    """Return a word with all bits set where a condition holds, else 0."""
    return ~ZERO if condition else ZERO


@hot_kernel
def _cards_out_of_play(rows, i, seat, rule, table, out, j):  # type: ignore[no-untyped-def]
    """Write what the viewer knows of the fola and the discards, and what all have seen robbed and taken."""
    n_seats, _, _, sorter, steady = table
    dealer = np.int64(rows[i, DEALER])
    cutter = dealer - 1 if dealer > 0 else n_seats - 1
    first, second = cutter, dealer
    if steady == 0:
        user = (rows[i, BIDS] >> U(48)) & _BYTE
        if user != NOBODY:
            first, second = np.int64(user), -1
    knows_fola = _all_if(seat == dealer)
    if sorter == _PARTNER_SORTS:
        knows_fola = _all_if(((seat - dealer) & 1) == 0)
    elif sorter == _NOBODY_SORTS:
        knows_fola = ZERO
    by_first, by_second, by_all = _all_if(seat == first), _all_if(seat == second), _all_if(rows[i, REVEALED] != ZERO)
    for word in range(2):
        public = rows[i, FOLA_PUBLIC + word]
        out[j, V_FOLA_PUBLIC + word] = public
        out[j, V_FOLA + word] = public | (rows[i, FOLA + word] & knows_fola)
        if word == 1:
            by_all &= _all_if(_sees_trumps(rows, i, seat, rule))
        out[j, V_DISCARD + word] = rows[i, DISCARD + word] & (by_first | by_all)
        out[j, V_DISCARD + 2 + word] = rows[i, DISCARD + 2 + word] & (by_second | by_all)
    r0, r1, r2, r3 = rows[i, ROBBED], rows[i, ROBBED + 1], rows[i, ROBBED + 2], rows[i, ROBBED + 3]
    out[j, V_ROBBED + 4], out[j, V_ROBBED + 5] = rows[i, TAKEN], rows[i, TAKEN + 1]
    out[j, V_ROBBED], out[j, V_ROBBED + 1], out[j, V_ROBBED + 2], out[j, V_ROBBED + 3] = r0, r1, r2, r3


@kernel
def _passed(rows, i, seat, rule, out, j):  # type: ignore[no-untyped-def]
    """Write what is known of the cards that the cutter handed to the dealer, and move them from hand to hand.

    Cutter and dealer know all of them; the others know that the cutter no longer has those that the dealer has played.
    """
    n_seats, dealer = rule[R_SEATS], np.int64(rows[i, DEALER])
    cutter = dealer - 1 if dealer > 0 else n_seats - 1
    to_dealer, to_cutter = (dealer - seat) % n_seats, (cutter - seat) % n_seats
    table = _table_words(rows, i, dealer)
    for word in range(2):
        passed = rows[i, PASSED + word]
        seen = out[j, V_PLAYED + 2 * to_dealer + word] | table[word]
        if seat == cutter:
            out[j, V_SHOWN + 2 * to_dealer + word] |= passed & ~seen
        knows = passed if seat == cutter or seat == dealer else passed & seen
        out[j, V_SHOWN + 2 * to_cutter + word] &= ~knows
        out[j, V_PASSED + word] = passed if seat == cutter or seat == dealer else ZERO


@hot_kernel
def _legal(rows, i, seat, rule, out, j):  # type: ignore[no-untyped-def]
    """Write the legal actions of a viewer who is to act; `done` alone for the others."""
    if rows[i, SEAT] == U(seat):
        w0, w1, w2, w3 = legal_words(rows, i, rule)
    else:
        w0, w1, w2, w3 = ZERO, ZERO, ONE, ZERO
    out[j, V_LEGAL], out[j, V_LEGAL + 1], out[j, V_LEGAL + 2], out[j, V_LEGAL + 3] = w0, w1, w2, w3


@hot_kernel
def _order(rows, i, table, out, j):  # type: ignore[no-untyped-def]
    """Write which cards were played in which order, if the viewer remembers it."""
    kept = _all_if(table[2] == _PERFECT)
    for word in range(ORDER_WORDS):
        out[j, V_ORDER + word] = rows[i, ORDER + word] & kept


@hot_kernel
def _table_and_turn(rows, i, seat, table, out, j):  # type: ignore[no-untyped-def]
    """Write the cards on the table, the cards turned up, the declarations and whose turn it is."""
    n_seats = table[0]
    bytes_ = ZERO
    for r in range(4):
        if r < n_seats:
            absolute = absolute_seat(r, seat, n_seats)
            shift = U(8 * absolute)
            bytes_ |= ((rows[i, TABLE] >> shift) & NO_CARD) << U(8 * r)
            bytes_ |= ((rows[i, TURNED] >> shift) & NO_CARD) << U(8 * r + 32)
            out[j, V_DECLARED + r] = rows[i, DECLARED + absolute]
        else:
            bytes_ |= (NO_CARD << U(8 * r)) | (NO_CARD << U(8 * r + 32))
            out[j, V_DECLARED + r] = ZERO
    out[j, V_TABLE] = bytes_
    out[j, V_TURN] = (
        rows[i, PHASE]
        | (relative_seat(rows[i, SEAT], seat, n_seats) << U(8))
        | (relative_seat(rows[i, DEALER], seat, n_seats) << U(16))
        | (rows[i, TRICK] << U(24))
        | (rows[i, ON_TABLE] << U(32))
        | (rows[i, LED] << U(40))
        | (relative_seat(rows[i, WINNER], seat, n_seats) << U(48))
        | (rows[i, OPENED] << U(56))
    )


@hot_kernel
def _facts(rows, i, rule, table, out, j):  # type: ignore[no-untyped-def]
    """Write the counts and the stoppers."""
    size = popcount(rows[i, FOLA]) + popcount(rows[i, FOLA + 1])
    trumps = popcount(rows[i, FOLA + 1]) if table[3] != _NOBODY_SORTS else NO_CARD
    out[j, V_FACTS] = (
        (rows[i, N_DISCARD] & _WORD)
        | (rows[i, REVEALED] << U(16))
        | ((rows[i, STOPPER] & _WORD) << U(24))
        | (size << U(40))
        | (trumps << U(48))
        | (rows[i, TO_DISCARD] << U(56))
    )
    announced = NO_CARD
    if rule[R_DEAL] == _PIEDICAVALLO and rows[i, TO_DISCARD] == ZERO:
        announced = popcount(rows[i, DISCARD + 3])
    out[j, V_COUNTS] = rows[i, FOLA_SUITS] | (announced << U(32)) | U(rule[R_SIZE_BYTES])


@hot_kernel
def _known(rows, i, seat, table, out, j):  # type: ignore[no-untyped-def]
    """Write what play has shown about voids and kings, and the Matto's whereabouts."""
    n_seats, n_sides, memory, _, _ = table
    known = ZERO
    if memory == _PERFECT:
        for r in range(n_seats):
            absolute = absolute_seat(r, seat, n_seats)
            known |= ((rows[i, VOID] >> U(5 * absolute)) & U(0x1F)) << U(5 * r)
            known |= ((rows[i, NO_KING] >> U(4 * absolute)) & U(0xF)) << U(20 + 4 * r)
    owed = (rows[i, MATTO_STATE] >> U(8)) & _BYTE
    if owed != NOBODY:
        owed = owed ^ U(seat & 1) if n_sides == 2 else relative_seat(owed, seat, n_sides)
    known |= relative_seat(rows[i, MATTO_STATE] & _BYTE, seat, n_seats) << U(40)
    out[j, V_KNOWN] = known | (owed << U(48)) | (rows[i, PAID] << U(56))


@hot_kernel
def _score(rows, i, seat, rule, table, out, j):  # type: ignore[no-untyped-def]
    """Write marks, lead, resti and tricks from the viewer's side, and the rules in force."""
    _, n_sides, memory, _, _ = table
    us = seat if n_sides > 2 else seat & 1
    them = absolute_seat(1, us, n_sides)
    lead = rows[i, LEAD] if us == 0 else ~rows[i, LEAD] + ONE
    out[j, V_SCORE] = (
        (rows[i, SCORE + us] & _WORD)
        | ((rows[i, SCORE + them] & _WORD) << U(16))
        | ((lead & _WORD) << U(32))
        | ((rows[i, RESTI + us] & _BYTE) << U(48))
        | ((rows[i, RESTI + them] & _BYTE) << U(56))
    )
    out[j, V_RULES] = (
        rows[i, TRICKS + us]
        | (rows[i, TRICKS + them] << U(8))
        | (U(rule[R_EXTRAS] & 1) << U(16))
        | (U(rule[R_TAKE_29]) << U(24))
        | (U(rule[R_ROB_FAILURE]) << U(32))
        | (U(rule[R_ALL_TRICKS]) << U(40))
        | (U(memory) << U(48))
        | (U(seat) << U(56))
    )


@hot_kernel
def _pair(rows, i, a, b):  # type: ignore[no-untyped-def]
    """Return how far seat a (int64) is ahead of seat b, as 16 bits of a uint64."""
    if a < b:
        return rows[i, pair_column(a, b)] & _WORD
    return (~rows[i, pair_column(b, a)] + ONE) & _WORD


@kernel
def _pairs(rows, i, seat, rule, out, j):  # type: ignore[no-untyped-def]
    """Write the marks and the balances of every pair, where everybody plays for himself."""
    n_seats = rule[R_SEATS]
    marks, own, others = ZERO, ZERO, ZERO
    for r in range(n_seats):
        a = absolute_seat(r, seat, n_seats)
        marks |= (rows[i, SCORE + a] & _WORD) << U(16 * r)
        for q in range(r + 1, n_seats):
            ahead = _pair(rows, i, a, absolute_seat(q, seat, n_seats))
            if r == 0:
                own |= ahead << U(16 * (q - 1))
            else:
                others |= ahead << U(16 * (r + q - 3))
    out[j, V_MARKS], out[j, V_PAIRS], out[j, V_PAIRS + 1] = marks, own, others


@hot_kernel
def _form(rows, i, seat, rule, table, out, j):  # type: ignore[no-untyped-def]
    """Write who has left or dropped out, the bids, the episode, and the switches that only some games have."""
    n_seats, n_sides, _, _, steady = table
    leader = relative_seat(rows[i, LEADER], seat, n_seats) if rows[i, ON_TABLE] != ZERO else NOBODY
    out[j, V_SWITCHES] = U(rule[R_SWITCH_BITS]) | (leader << U(56))
    out[j, V_FORM] = U(rule[R_FORM_BYTES]) | (rows[i, MATCH_HAND] & _WORD)
    if steady != 0 and n_sides == 2:
        us = seat & 1
        tricks = rows[i, TRICKS + us] | (rows[i, TRICKS + 1 - us] << U(8))
        out[j, V_SEATS], out[j, V_BIDS] = _NOBODY_LEFT | (tricks << U(32)), _NO_BIDS
    else:
        _left_and_bids(rows, i, seat, rule, out, j)
    out[j, V_MARKS] = out[j, V_PAIRS] = out[j, V_PAIRS + 1] = out[j, V_MATCH] = ZERO
    if rows[i, MATCH_HAND] != ZERO:
        for r in range(n_seats):
            out[j, V_MATCH] |= ((rows[i, MATCH] >> U(16 * absolute_seat(r, seat, n_seats))) & _WORD) << U(16 * r)


@kernel
def _left_and_bids(rows, i, seat, rule, out, j):  # type: ignore[no-untyped-def]
    """Write who has left or dropped out, and the bids."""
    n_seats, n_sides, left, bids = rule[R_SEATS], rule[R_SIDES], rows[i, LEFT], rows[i, BIDS]
    seats = relative_seat(left & _BYTE, seat, n_seats)
    seats |= relative_seats((left >> U(8)) & _BYTE, seat, n_seats) << U(8)
    seats |= relative_seat((left >> U(16)) & _BYTE, seat, n_seats) << U(16)
    seats |= ((left >> U(24)) & _BYTE) << U(24)
    offers = relative_seats((bids >> U(32)) & _BYTE, seat, n_seats) << U(32)
    offers |= relative_seat((bids >> U(40)) & _BYTE, seat, n_seats) << U(40)
    offers |= relative_seat((bids >> U(48)) & _BYTE, seat, n_seats) << U(48)
    offers |= bids & (_BYTE << U(56))
    us = seat if n_sides > 2 else seat & 1
    for r in range(4):
        if r < n_sides:
            seats |= rows[i, TRICKS + absolute_seat(r, us, n_sides)] << U(32 + 8 * r)
        if r < n_seats:
            absolute = absolute_seat(r, seat, n_seats)
            offers |= ((bids >> U(8 * absolute)) & _BYTE) << U(8 * r)
    out[j, V_SEATS], out[j, V_BIDS] = seats, offers


@kernel
def _transcript(rows, i, out, j):  # type: ignore[no-untyped-def]
    """Write what has been said, which everybody has heard."""
    for column in range(V, S):
        out[j, column] = ZERO
    used = np.int64((rows[i, SAID] + U(7)) >> U(3))
    for word in range(TRANSCRIPT_WORDS):
        out[j, V_TRANSCRIPT + word] = rows[i, TRANSCRIPT + word] if word < used else ZERO


@hot_kernel
def _observe_table(rows, i, seat, rule, table, out, j):  # type: ignore[no-untyped-def]
    """Write what depends on the kind of table; where `table` is a constant, the code is compiled for it alone."""
    _remembered_tricks(rows, i, seat, rule, table, out, j)
    _cards_out_of_play(rows, i, seat, rule, table, out, j)
    _order(rows, i, table, out, j)
    _table_and_turn(rows, i, seat, table, out, j)
    _facts(rows, i, rule, table, out, j)
    _known(rows, i, seat, table, out, j)
    _score(rows, i, seat, rule, table, out, j)
    _form(rows, i, seat, rule, table, out, j)


@kernel
def _observe_any_table(rows, i, seat, rule, out, j):  # type: ignore[no-untyped-def]
    """Write what `_observe_table` does for any table."""
    table = rule[R_SEATS], rule[R_SIDES], rule[R_MEMORY], rule[R_SORTER], rule[R_STEADY]
    _observe_table(rows, i, seat, rule, table, out, j)


@kernel
def observe(rows, i, seat, rule, out, j):  # type: ignore[no-untyped-def]
    """Write the view of a seat (int64, 0 to 3) of row i into `out[j, :V]`; with speech `out[j, :V_SPEECH]`."""
    out[j, V_HAND], out[j, V_HAND + 1] = rows[i, HAND + 2 * seat], rows[i, HAND + 2 * seat + 1]
    if rule[R_USUAL] != 0:
        _observe_table(rows, i, seat, rule, _USUAL_TABLE, out, j)
    else:
        _observe_any_table(rows, i, seat, rule, out, j)
    _legal(rows, i, seat, rule, out, j)
    if rule[R_ROB_LIMIT] == NO_LIMIT:
        _passed(rows, i, seat, rule, out, j)
    else:
        out[j, V_PASSED] = out[j, V_PASSED + 1] = ZERO
    if rule[R_ACCOUNTS] == ACCOUNT_PAIRS:
        _pairs(rows, i, seat, rule, out, j)
    if rule[R_SPEECH] != SPEECH_OFF:
        _transcript(rows, i, out, j)


@kernel
def observe_state(rows, i, seat, rule, out, j):  # type: ignore[no-untyped-def]
    """Write the view of a seat and then the truth about the hidden cards into `out[j, :S]`: for critics only."""
    observe(rows, i, seat, rule, out, j)
    n_seats = rule[R_SEATS]
    for word in range(2):
        for r in range(1, 4):
            hidden = ZERO
            if r < n_seats:
                hidden = rows[i, HAND + 2 * absolute_seat(r, seat, n_seats) + word]
            out[j, S_HAND + 2 * (r - 1) + word] = hidden
        out[j, S_FOLA + word] = rows[i, FOLA + word]
        out[j, S_DISCARD + word] = rows[i, DISCARD + word]
        out[j, S_DISCARD + 2 + word] = rows[i, DISCARD + 2 + word]
