"""The play of a hand once more from its first card, in a world: who was asked, what it saw then, and what it did.

A row of the engine tells which cards were played in which order and who declared what, and from that and the hands the
play can be repeated. So a world can be asked how likely each of the moves was that led to it (`likelihood`).
"""

from typing import Any, Final, NamedTuple

import numpy as np

from minchiate_rl.agents.replica import turned_and_robbed
from minchiate_rl.game.actions import DECLARE, DONE
from minchiate_rl.game.engine.bits import ONE, ZERO, U, trailing_zeros
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    BEST,
    DEALER,
    DECISION,
    DECLARED,
    EMPTY_TABLE,
    ENTRIES,
    HAND,
    LEAD,
    LED,
    LEDGER,
    LOG,
    MATTO_STATE,
    NO_CARD,
    NO_KING,
    NO_SUIT,
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
    SCORE,
    SEAT,
    SHOWN,
    TABLE,
    TAKEN,
    TRICK,
    TRICKS,
    V_SPEECH,
    VOID,
    WINNER,
    W,
)
from minchiate_rl.game.engine.rows import copy_row
from minchiate_rl.game.engine.score import RESTO
from minchiate_rl.game.engine.step import apply
from minchiate_rl.game.engine.turns import begin_play
from minchiate_rl.game.engine.versicole import with_card
from minchiate_rl.game.rules import R_EXTRACTS, R_MIDHAND
from minchiate_rl.game.seats import N_SEATS, N_SIDES, Phase

_PLAY: Final = np.uint64(int(Phase.PLAY))
_DECLARE: Final = np.uint64(int(Phase.DECLARE))
_DECLARE_ACTION: Final = int(DECLARE)
_DONE: Final = int(DONE)
_BYTE: Final = np.uint64(0xFF)


class Stage(NamedTuple):
    """Memory for one hand that is played again, and the view of who is asked."""

    row: Any
    """uint64 (1, W)."""
    log: Any
    ledger: Any
    seen: Any
    """uint64 (1, V_SPEECH)."""


def new_stage() -> Stage:
    """Return memory for one thread."""
    return Stage(
        np.zeros((1, W), np.uint64),
        np.zeros((1, LOG), np.uint8),
        np.zeros((1, LEDGER), np.uint32),
        np.zeros((1, V_SPEECH), np.uint64),
    )


@kernel
def can_retrace(rows, i):  # type: ignore[no-untyped-def]
    """Return whether the play of row i can be repeated: it has begun, and nobody has dropped out."""
    return (rows[i, PHASE] == _PLAY or rows[i, PHASE] == _DECLARE) and rows[i, OUT] == ZERO


@kernel
def _take_back_cards(row):  # type: ignore[no-untyped-def]
    """Put all cards played back into the hands they came from, in row 0."""
    all_0, all_1 = ZERO, ZERO
    for seat in range(N_SEATS):
        w0, w1 = row[0, PLAYED + 2 * seat], row[0, PLAYED + 2 * seat + 1]
        card = (row[0, TABLE] >> U(8 * seat)) & NO_CARD
        if card != NO_CARD:
            w0, w1 = with_card(w0, w1, np.int64(card))
        row[0, HAND + 2 * seat] |= w0
        row[0, HAND + 2 * seat + 1] |= w1
        row[0, PLAYED + 2 * seat] = row[0, PLAYED + 2 * seat + 1] = ZERO
        all_0 |= w0
        all_1 |= w1
    for side in range(N_SIDES):
        row[0, PILE + 2 * side] &= ~all_0
        row[0, PILE + 2 * side + 1] &= ~all_1


@kernel
def _show_anew(row, rule):  # type: ignore[no-untyped-def]
    """Leave of the cards shown in row 0 those that were before play: turned, robbed and taken."""
    for seat in range(N_SEATS):
        w0, w1 = turned_and_robbed(row, 0, seat)
        if seat == np.int64(row[0, DEALER]) and rule[R_EXTRACTS] == 1:
            w0, w1 = w0 | row[0, TAKEN], w1 | row[0, TAKEN + 1]
        row[0, SHOWN + 2 * seat], row[0, SHOWN + 2 * seat + 1] = w0, w1
        row[0, DECLARED + seat] = ZERO


@kernel
def _to_start(rows, i, rule, row):  # type: ignore[no-untyped-def]
    """Write row i as it was when play began to row 0, without marks."""
    copy_row(rows, i, row, 0)
    _take_back_cards(row)
    _show_anew(row, rule)
    for column in range(ORDER_WORDS):
        row[0, ORDER + column] = ZERO
    for side in range(N_SIDES):
        row[0, SCORE + side] = row[0, RESTI + side] = row[0, TRICKS + side] = ZERO
    row[0, TABLE], row[0, ON_TABLE], row[0, LED], row[0, TRICK] = EMPTY_TABLE, ZERO, NO_SUIT, ZERO
    row[0, WINNER], row[0, BEST], row[0, OPENED], row[0, LEAD] = NOBODY, ZERO, ZERO, ZERO
    row[0, VOID] = row[0, NO_KING] = row[0, REVEALED] = row[0, DECISION] = row[0, ENTRIES] = ZERO
    row[0, PAID] = NO_CARD
    row[0, MATTO_STATE] = NOBODY | (NOBODY << U(8)) | (NOBODY << U(16))
    begin_play(row, 0, rule)


@kernel
def next_action(rows, i, row):  # type: ignore[no-untyped-def]
    """Return what was done in row i where row 0 of `row` stands, or -1 where both stand at the same point.

    Of several versicole that a seat declared the lowest comes first, whatever the order was.
    """
    seat, trick = np.int64(row[0, SEAT]), row[0, TRICK]
    here = trick == rows[i, TRICK] and row[0, ON_TABLE] == rows[i, ON_TABLE]
    same = here and row[0, PHASE] == rows[i, PHASE] and row[0, SEAT] == rows[i, SEAT]
    if row[0, PHASE] == _DECLARE:
        left = rows[i, DECLARED + seat] & ~row[0, DECLARED + seat]
        if left != ZERO:
            return _DECLARE_ACTION + np.int64(trailing_zeros(left))
        return -1 if same else _DONE
    if same:
        return -1
    place = ((trick & ONE) << U(5)) | (row[0, ON_TABLE] << U(3))
    return np.int64((rows[i, ORDER + np.int64(trick >> ONE)] >> place) & _BYTE) - 1


@kernel
def _replay(rows, i, rule, stage):  # type: ignore[no-untyped-def]
    """Play from the stage's row, where play began, to where row i stands."""
    action = next_action(rows, i, stage.row)
    while action >= 0:
        apply(stage.row, stage.log, stage.ledger, 0, rule, action)
        action = next_action(rows, i, stage.row)


@kernel
def rewind(rows, i, rule, stage):  # type: ignore[no-untyped-def]
    """Write row i as it was when play began to the stage's row; `can_retrace` says whether that is possible.

    What was marked before is what play itself does not mark. Where resti are paid in mid-hand, the lead left when play
    began may have been of either sign: the marks tell which, unless more than a resto's were marked.
    """
    row = stage.row
    _to_start(rows, i, rule, row)
    _replay(rows, i, rule, stage)
    score_0, score_1 = rows[i, SCORE] - row[0, SCORE], rows[i, SCORE + 1] - row[0, SCORE + 1]
    lead, resti_0, resti_1 = np.int64(rows[i, LEAD]) - np.int64(row[0, LEAD]), rows[i, RESTI], rows[i, RESTI + 1]
    if rule[R_MIDHAND] != 0:
        ahead = np.int64(score_0) - np.int64(score_1)
        likely = ahead - RESTO * (ahead // RESTO if ahead > 0 else -(-ahead // RESTO))
        for first in (likely, likely - RESTO if likely > 0 else likely + RESTO):
            _to_start(rows, i, rule, row)
            row[0, LEAD] = U(first)
            _replay(rows, i, rule, stage)
            fits = rows[i, RESTI] >= row[0, RESTI] and rows[i, RESTI + 1] >= row[0, RESTI + 1]
            if fits and rows[i, LEAD] == row[0, LEAD]:
                lead, resti_0, resti_1 = first, rows[i, RESTI] - row[0, RESTI], rows[i, RESTI + 1] - row[0, RESTI + 1]
                break
    _to_start(rows, i, rule, row)
    row[0, SCORE], row[0, SCORE + 1], row[0, LEAD] = score_0, score_1, U(lead)
    row[0, RESTI], row[0, RESTI + 1] = resti_0, resti_1
