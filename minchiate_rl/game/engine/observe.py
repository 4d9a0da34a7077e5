"""The one redaction: what a seat may know of a row, written into a view row (docs/rules.md, section 2.1).

Whatever a player, an agent or an observer of one seat is shown comes out of `observe`. `observe_state` adds the truth
about the cards that the view leaves open, for critics alone.
"""

from typing import Final

import numpy as np

from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    DEALER,
    DECLARED,
    DISCARD,
    FOLA,
    FOLA_PUBLIC,
    HAND,
    LEAD,
    LED,
    MATTO_STATE,
    N_DISCARD,
    NO_CARD,
    NO_KING,
    NOBODY,
    ON_TABLE,
    OPENED,
    PAID,
    PHASE,
    PILE,
    PLAYED,
    RESTI,
    REVEALED,
    ROBBED,
    S_DISCARD,
    S_FOLA,
    S_HAND,
    SCORE,
    SEAT,
    SHOWN,
    STOPPER,
    TABLE,
    TO_DISCARD,
    TRICK,
    TRICKS,
    TURNED,
    V_DECLARED,
    V_DISCARD,
    V_FACTS,
    V_FOLA,
    V_FOLA_PUBLIC,
    V_HAND,
    V_KNOWN,
    V_LEGAL,
    V_PILE,
    V_PLAYED,
    V_ROBBED,
    V_RULES,
    V_SCORE,
    V_SHOWN,
    V_TABLE,
    V_TURN,
    VOID,
    WINNER,
)
from minchiate_rl.game.engine.legal import legal_words
from minchiate_rl.game.engine.versicole import with_card
from minchiate_rl.game.rules import MEMORY, R_ALL_TRICKS, R_DEMONIO, R_MEMORY, R_ROB_FAILURE, R_TAKE_29

_PERFECT: Final = MEMORY.index("perfect")
_TABLE_ONLY: Final = MEMORY.index("table")
_BYTE: Final = np.uint64(0xFF)
_WORD: Final = np.uint64(0xFFFF)


@kernel
def _relative(who, seat):  # type: ignore[no-untyped-def]
    """Return a seat (uint64) as the viewer counts it; nobody stays nobody."""
    if who == NOBODY:
        return NOBODY
    return (who + U(4) - U(seat)) & U(3)


@kernel
def _table_words(rows, i, absolute):  # type: ignore[no-untyped-def]
    """Return the card on the table of an absolute seat as two words of a set."""
    card = (rows[i, TABLE] >> U(8 * absolute)) & NO_CARD
    if card == NO_CARD:
        return ZERO, ZERO
    return with_card(ZERO, ZERO, np.int64(card))


@kernel
def _remembered_tricks(rows, i, seat, memory, out, j):  # type: ignore[no-untyped-def]
    """Write what the viewer remembers of earlier tricks, and what is still open of the cards shown."""
    side = seat & 1
    keep_us = memory != _TABLE_ONLY
    keep_them = memory == _PERFECT
    ours, theirs = PILE + 2 * side, PILE + 2 * (1 - side)
    for word in range(2):
        out[j, V_PILE + word] = rows[i, ours + word] if keep_us else ZERO
        out[j, V_PILE + 2 + word] = rows[i, theirs + word] if keep_them else ZERO
        seen = ~ZERO if keep_them else out[j, V_PILE + word]
        if not keep_us:
            seen = ZERO
        discarded = rows[i, DISCARD + word] | rows[i, DISCARD + 2 + word] if rows[i, REVEALED] != ZERO else ZERO
        for r in range(4):
            absolute = (seat + r) & 3
            played = rows[i, PLAYED + 2 * absolute + word] & seen
            out[j, V_PLAYED + 2 * r + word] = played
            on_table = _table_words(rows, i, absolute)[word]
            out[j, V_SHOWN + 2 * r + word] = rows[i, SHOWN + 2 * absolute + word] & ~played & ~discarded & ~on_table


@kernel
def _cards_out_of_play(rows, i, seat, out, j):  # type: ignore[no-untyped-def]
    """Write what the viewer knows of the fola and the discards, and what all have seen robbed and taken."""
    dealer = np.int64(rows[i, DEALER])
    knows_fola = ((seat - dealer) & 1) == 0
    shown = rows[i, REVEALED] != ZERO
    knows_cutters = shown or seat == ((dealer + 3) & 3)
    knows_dealers = shown or seat == dealer
    for word in range(2):
        out[j, V_FOLA_PUBLIC + word] = rows[i, FOLA_PUBLIC + word]
        out[j, V_FOLA + word] = rows[i, FOLA + word] if knows_fola else rows[i, FOLA_PUBLIC + word]
        out[j, V_DISCARD + word] = rows[i, DISCARD + word] if knows_cutters else ZERO
        out[j, V_DISCARD + 2 + word] = rows[i, DISCARD + 2 + word] if knows_dealers else ZERO
    for word in range(6):
        out[j, V_ROBBED + word] = rows[i, ROBBED + word]


@kernel
def _legal(rows, i, seat, rule, out, j):  # type: ignore[no-untyped-def]
    """Write the legal actions of a viewer who is to act; `done` alone for the others."""
    if rows[i, SEAT] == U(seat):
        w0, w1, w2 = legal_words(rows, i, rule)
    else:
        w0, w1, w2 = ZERO, ZERO, ONE
    out[j, V_LEGAL], out[j, V_LEGAL + 1], out[j, V_LEGAL + 2] = w0, w1, w2


@kernel
def _table_and_turn(rows, i, seat, out, j):  # type: ignore[no-untyped-def]
    """Write the cards on the table, the cards turned up, the declarations and whose turn it is."""
    bytes_ = ZERO
    for r in range(4):
        absolute = (seat + r) & 3
        shift = U(8 * absolute)
        bytes_ |= ((rows[i, TABLE] >> shift) & NO_CARD) << U(8 * r)
        bytes_ |= ((rows[i, TURNED] >> shift) & NO_CARD) << U(8 * r + 32)
        out[j, V_DECLARED + r] = rows[i, DECLARED + absolute]
    out[j, V_TABLE] = bytes_
    out[j, V_TURN] = (
        rows[i, PHASE]
        | (_relative(rows[i, SEAT], seat) << U(8))
        | (_relative(rows[i, DEALER], seat) << U(16))
        | (rows[i, TRICK] << U(24))
        | (rows[i, ON_TABLE] << U(32))
        | (rows[i, LED] << U(40))
        | (_relative(rows[i, WINNER], seat) << U(48))
        | (rows[i, OPENED] << U(56))
    )


@kernel
def _facts(rows, i, seat, out, j):  # type: ignore[no-untyped-def]
    """Write the counts, the stoppers, and what play has shown about voids, kings and the Matto."""
    size = popcount(rows[i, FOLA]) + popcount(rows[i, FOLA + 1])
    out[j, V_FACTS] = (
        (rows[i, N_DISCARD] & _WORD)
        | (rows[i, REVEALED] << U(16))
        | ((rows[i, STOPPER] & _WORD) << U(24))
        | (size << U(40))
        | (popcount(rows[i, FOLA + 1]) << U(48))
        | (rows[i, TO_DISCARD] << U(56))
    )


@kernel
def _known(rows, i, seat, memory, out, j):  # type: ignore[no-untyped-def]
    """Write what play has shown about voids and kings, and the Matto's whereabouts."""
    side = U(seat & 1)
    known = ZERO
    if memory == _PERFECT:
        for r in range(4):
            absolute = (seat + r) & 3
            known |= ((rows[i, VOID] >> U(5 * absolute)) & U(0x1F)) << U(5 * r)
            known |= ((rows[i, NO_KING] >> U(4 * absolute)) & U(0xF)) << U(20 + 4 * r)
    owed = (rows[i, MATTO_STATE] >> U(8)) & _BYTE
    if owed != NOBODY:
        owed ^= side
    known |= _relative(rows[i, MATTO_STATE] & _BYTE, seat) << U(40)
    out[j, V_KNOWN] = known | (owed << U(48)) | (rows[i, PAID] << U(56))


@kernel
def _score(rows, i, seat, rule, out, j):  # type: ignore[no-untyped-def]
    """Write marks, lead, resti and tricks from the viewer's side, and the rules in force."""
    us = seat & 1
    them = 1 - us
    lead = rows[i, LEAD] if us == 0 else ~rows[i, LEAD] + ONE
    out[j, V_SCORE] = (
        (rows[i, SCORE + us] & _WORD)
        | ((rows[i, SCORE + them] & _WORD) << U(16))
        | ((lead & _WORD) << U(32))
        | (rows[i, RESTI + us] << U(48))
        | (rows[i, RESTI + them] << U(56))
    )
    out[j, V_RULES] = (
        rows[i, TRICKS + us]
        | (rows[i, TRICKS + them] << U(8))
        | (U(rule[R_DEMONIO]) << U(16))
        | (U(rule[R_TAKE_29]) << U(24))
        | (U(rule[R_ROB_FAILURE]) << U(32))
        | (U(rule[R_ALL_TRICKS]) << U(40))
        | (U(rule[R_MEMORY]) << U(48))
        | (U(seat) << U(56))
    )


@kernel
def observe(rows, i, seat, rule, out, j):  # type: ignore[no-untyped-def]
    """Write the view of a seat (int64, 0 to 3) of row i into `out[j, :V]`."""
    memory = rule[R_MEMORY]
    own = HAND + 2 * seat
    out[j, V_HAND], out[j, V_HAND + 1] = rows[i, own], rows[i, own + 1]
    _remembered_tricks(rows, i, seat, memory, out, j)
    _cards_out_of_play(rows, i, seat, out, j)
    _legal(rows, i, seat, rule, out, j)
    _table_and_turn(rows, i, seat, out, j)
    _facts(rows, i, seat, out, j)
    _known(rows, i, seat, memory, out, j)
    _score(rows, i, seat, rule, out, j)


@kernel
def observe_state(rows, i, seat, rule, out, j):  # type: ignore[no-untyped-def]
    """Write the view of a seat and then the truth about the hidden cards into `out[j, :S]`: for critics only."""
    observe(rows, i, seat, rule, out, j)
    for word in range(2):
        for r in range(1, 4):
            out[j, S_HAND + 2 * (r - 1) + word] = rows[i, HAND + 2 * ((seat + r) & 3) + word]
        out[j, S_FOLA + word] = rows[i, FOLA + word]
        out[j, S_DISCARD + word] = rows[i, DISCARD + word]
        out[j, S_DISCARD + 2 + word] = rows[i, DISCARD + 2 + word]
