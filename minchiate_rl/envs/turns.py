"""One step of many tables in one kernel: check, act, let the agents play on, settle, look, encode.

All environments run through these kernels, the single ones as a batch of one. A table is a row of the engine, with a
row of `books` for what an environment keeps besides. What a learner is shown is written by game/engine/observe.py and
encoded by views/; nothing here reads a hidden card.

`step_slice` does everything at once and serves where all agents run in kernels. With agents that have to be asked from
Python the parts are called one by one: `act_slice`, then asking and `follow_slice`, `settle_slice`, asking again where
that dealt new hands, `show_slice`.
"""

from typing import Final

import numpy as np

from minchiate_rl.agents.fused import advance
from minchiate_rl.game.cards import N_CARDS
from minchiate_rl.game.engine.bits import ONE, ZERO, U
from minchiate_rl.game.engine.deal import deal_row
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    HAND_NUMBER,
    KEY,
    NOBODY,
    PILE,
    RESTI,
    SCORE,
    SEAT,
    SEED,
    V_LEGAL,
    V_SPEECH,
)
from minchiate_rl.game.engine.legal import is_legal
from minchiate_rl.game.engine.observe import observe
from minchiate_rl.game.engine.score import RESTO, card_points
from minchiate_rl.game.engine.step import apply
from minchiate_rl.game.engine.streams import stream_word
from minchiate_rl.game.engine.versicole import value
from minchiate_rl.game.rules import R_EXTRAS
from minchiate_rl.views.encoding import encode_dense, encode_mask

#: Columns of `books`, int64 (B, BOOKS). What has been paid out as reward, from side 0's place.
PAID_OUT: Final = 0
#: PLAYING, FINISHED, or BROKEN_OFF by an illegal action.
STATUS: Final = 1
#: The learner's seat; SELF_PLAY if every seat is one.
LEARNER: Final = 2
#: The seat that acted last.
ACTOR: Final = 3
#: The seat that is shown.
LOOKER: Final = 4
#: What the last step did: ACTED, DEALT or STOOD.
EVENT: Final = 5
#: The learner's seat as it was asked for; ANY_SEAT for a new one by chance each hand.
SEAT_ASKED: Final = 6
#: The dealer of the hand to be dealt, if one was asked for; -1 for the hand's own.
DEALER_ASKED: Final = 7
BOOKS: Final = 8

PLAYING: Final = 0
FINISHED: Final = 1
BROKEN_OFF: Final = 2

ACTED: Final = 0
DEALT: Final = 1
STOOD: Final = 2

SELF_PLAY: Final = -1
ANY_SEAT: Final = -2

#: Entries of `setup`, int64: the kind of reward, the autoreset mode.
REWARD_KIND: Final = 0
AUTORESET: Final = 1

#: Kinds of reward and autoreset modes, as in `tables.REWARDS` and `tables.MODES`.
POINTS: Final = 0
POTENTIAL: Final = 1
RESTI_KIND: Final = 2
NEXT_STEP: Final = 0
SAME_STEP: Final = 1
DISABLED: Final = 2

PENALTY: Final = 10.0
"""What an illegal action costs."""

#: The domain of a hand's stream that draws the learner's seat.
_DOMAIN_LEARNER: Final = np.uint64(16)
_RESTO: Final = float(RESTO)


@kernel
def worth(rows, i, rule, kind):  # type: ignore[no-untyped-def]
    """Return how far side 0 is ahead, as a kind of reward counts it: in points, or in resti."""
    if kind == RESTI_KIND:
        return np.int64(rows[i, RESTI]) - np.int64(rows[i, RESTI + 1])
    ahead = np.int64(rows[i, SCORE]) - np.int64(rows[i, SCORE + 1])
    if kind == POTENTIAL and rows[i, SEAT] != NOBODY:
        # What the settlement would mark for cards and versicole in the piles; afterwards it stands in the score.
        for side in range(2):
            w0, w1 = rows[i, PILE + 2 * side], rows[i, PILE + 2 * side + 1]
            points = value(w0, w1, rule[R_EXTRAS]) + card_points(w0, w1)
            ahead += points if side == 0 else -points
    return ahead


@kernel
def play_on(rows, log, ledger, i, rule, books, codes):  # type: ignore[no-untyped-def]
    """Let the agents that run in kernels act until the learner, another agent, or nobody is to act."""
    if books[i, LEARNER] != SELF_PLAY:
        advance(rows, log, ledger, rule, codes, i, i + 1)


@kernel
def open_table(rows, log, ledger, i, rule, books, codes, plan, pack):  # type: ignore[no-untyped-def]
    """Deal the hand that the row's seed and number name, seat the learner, and play on to his turn."""
    dealer = books[i, DEALER_ASKED]
    if dealer < 0:
        dealer = np.int64((rows[i, SEED] + rows[i, HAND_NUMBER]) & U(3))
    books[i, DEALER_ASKED] = -1
    deal_row(rows, ledger, i, rule, pack, dealer)
    seat = books[i, SEAT_ASKED]
    if seat == ANY_SEAT:
        seat = np.int64(stream_word(rows[i, KEY], _DOMAIN_LEARNER, ZERO) & U(3))
    books[i, LEARNER] = seat
    books[i, PAID_OUT], books[i, STATUS], books[i, EVENT] = 0, PLAYING, DEALT
    for r in range(4):
        codes[i, (max(seat, 0) + r) & 3] = plan[r]
    books[i, ACTOR] = np.int64(rows[i, SEAT])
    play_on(rows, log, ledger, i, rule, books, codes)


@kernel
def deal_again(rows, log, ledger, i, rule, books, codes, plan, pack):  # type: ignore[no-untyped-def]
    """Deal the next hand of a table whose episode has just ended."""
    rows[i, HAND_NUMBER] += ONE
    open_table(rows, log, ledger, i, rule, books, codes, plan, pack)


@kernel
def act(rows, log, ledger, i, rule, setup, books, codes, plan, pack, action):  # type: ignore[no-untyped-def]
    """Take the learner's action (int64, any value); a table whose hand is over is dealt anew or stands still."""
    if books[i, STATUS] != PLAYING:
        books[i, EVENT] = STOOD
        if setup[AUTORESET] == NEXT_STEP:
            deal_again(rows, log, ledger, i, rule, books, codes, plan, pack)
        return
    books[i, EVENT] = ACTED
    books[i, ACTOR] = np.int64(rows[i, SEAT])
    if is_legal(rows, i, rule, action):
        apply(rows, log, ledger, i, rule, action)
        play_on(rows, log, ledger, i, rule, books, codes)
    else:
        books[i, STATUS] = BROKEN_OFF


@kernel
def settle(rows, i, rule, setup, books, gains, rewards, ended):  # type: ignore[no-untyped-def]
    """Write what the step brought each seat and whether the episode has ended."""
    for seat in range(4):
        gains[i, seat] = 0.0
    ended[i] = books[i, STATUS] != PLAYING
    if books[i, EVENT] == ACTED:
        actor = books[i, ACTOR]
        if books[i, STATUS] == BROKEN_OFF:
            gains[i, actor] = -PENALTY
        else:
            kind = setup[REWARD_KIND]
            now = worth(rows, i, rule, kind)
            gain = now - books[i, PAID_OUT]
            books[i, PAID_OUT] = now
            unit = 1.0 if kind == RESTI_KIND else _RESTO
            for seat in range(4):
                gains[i, seat] = (gain if seat & 1 == 0 else -gain) / unit
            if rows[i, SEAT] == NOBODY:
                books[i, STATUS] = FINISHED
                ended[i] = True
        rewards[i] = gains[i, actor]
    else:
        rewards[i] = 0.0


@kernel
def look(rows, i, seat, rule, playing, scratch, observations, masks, k):  # type: ignore[no-untyped-def]
    """Write what a seat sees to row k; `done` alone is legal for a seat that waits and where the episode has ended."""
    observe(rows, i, seat, rule, scratch, 0)
    encode_dense(scratch, 0, observations, k)
    if playing:
        w0, w1, w2, w3 = scratch[0, V_LEGAL], scratch[0, V_LEGAL + 1], scratch[0, V_LEGAL + 2], scratch[0, V_LEGAL + 3]
        encode_mask(w0, w1, w2, w3, masks, k)
    else:
        encode_mask(ZERO, ZERO, ONE, masks, k)


@kernel
def show(rows, i, rule, books, scratch, observations, masks, seats):  # type: ignore[no-untyped-def]
    """Write what is shown now: to the learner, or else to the seat to act, or after the end to the one that acted."""
    playing = books[i, STATUS] == PLAYING
    seat = books[i, LEARNER]
    if seat == SELF_PLAY:
        seat = np.int64(rows[i, SEAT]) if playing else books[i, ACTOR]
    books[i, LOOKER] = seat
    seats[i] = seat if playing else -1
    look(rows, i, seat, rule, playing, scratch, observations, masks, i)


@kernel
def step_slice(  # type: ignore[no-untyped-def]
    rows, log, ledger, rule, setup, books, codes, plan, actions, observations, masks, gains, rewards, ended, seats,
    last_observations, last_masks, lo, hi,
):  # fmt: skip
    """Take a step at tables lo to hi - 1 where all agents run in kernels; rules, plan and actions stay as they are."""
    scratch = np.zeros((1, V_SPEECH), dtype=np.uint64)
    pack = np.empty(N_CARDS, dtype=np.uint8)
    for i in range(lo, hi):
        act(rows, log, ledger, i, rule, setup, books, codes, plan, pack, actions[i])
        settle(rows, i, rule, setup, books, gains, rewards, ended)
        if setup[AUTORESET] == SAME_STEP and ended[i]:
            show(rows, i, rule, books, scratch, last_observations, last_masks, seats)
            deal_again(rows, log, ledger, i, rule, books, codes, plan, pack)
        show(rows, i, rule, books, scratch, observations, masks, seats)


@kernel
def open_slice(rows, log, ledger, rule, books, codes, plan, where, lo, hi):  # type: ignore[no-untyped-def]
    """Deal at the tables of the slice where `where` is True."""
    pack = np.empty(N_CARDS, dtype=np.uint8)
    for i in range(lo, hi):
        if where[i]:
            open_table(rows, log, ledger, i, rule, books, codes, plan, pack)


@kernel
def act_slice(rows, log, ledger, rule, setup, books, codes, plan, actions, lo, hi):  # type: ignore[no-untyped-def]
    """Take the learners' actions at tables lo to hi - 1."""
    pack = np.empty(N_CARDS, dtype=np.uint8)
    for i in range(lo, hi):
        act(rows, log, ledger, i, rule, setup, books, codes, plan, pack, actions[i])


@kernel
def follow_slice(rows, log, ledger, rule, books, codes, actions, where, lo, hi):  # type: ignore[no-untyped-def]
    """Take the actions of asked agents where `where` is True; return the first table with an illegal one, or -1."""
    for i in range(lo, hi):
        if where[i]:
            if not is_legal(rows, i, rule, actions[i]):
                return i
            apply(rows, log, ledger, i, rule, actions[i])
            play_on(rows, log, ledger, i, rule, books, codes)
    return -1


@kernel
def settle_slice(  # type: ignore[no-untyped-def]
    rows, log, ledger, rule, setup, books, codes, plan, gains, rewards, ended, seats, last_observations, last_masks,
    lo, hi,
):  # fmt: skip
    """Write what the step brought at tables lo to hi - 1; in SAME_STEP deal again where an episode has ended."""
    scratch = np.zeros((1, V_SPEECH), dtype=np.uint64)
    pack = np.empty(N_CARDS, dtype=np.uint8)
    for i in range(lo, hi):
        settle(rows, i, rule, setup, books, gains, rewards, ended)
        if setup[AUTORESET] == SAME_STEP and ended[i]:
            show(rows, i, rule, books, scratch, last_observations, last_masks, seats)
            deal_again(rows, log, ledger, i, rule, books, codes, plan, pack)


@kernel
def show_slice(rows, rule, books, observations, masks, seats, lo, hi):  # type: ignore[no-untyped-def]
    """Write what is shown now at tables lo to hi - 1."""
    scratch = np.zeros((1, V_SPEECH), dtype=np.uint64)
    for i in range(lo, hi):
        show(rows, i, rule, books, scratch, observations, masks, seats)


@kernel
def look_around(rows, i, rule, playing, observations, masks):  # type: ignore[no-untyped-def]
    """Write what each seat of row i sees to rows 0 to 3."""
    scratch = np.zeros((1, V_SPEECH), dtype=np.uint64)
    for seat in range(4):
        look(rows, i, seat, rule, playing, scratch, observations, masks, seat)
