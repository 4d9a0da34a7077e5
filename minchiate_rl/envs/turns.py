"""One step of many tables in one kernel: check, act, let the agents play on, settle, look, encode.

All environments run through these kernels, the single ones as a batch of one. A table is a row of the engine, with a
row of `books` for what an environment keeps besides; episodes.py deals its hands. What a learner is shown is written by
game/engine/observe.py and encoded by views/; nothing here reads a hidden card.

`step_slice` does everything at once and serves where all agents run in kernels. With agents that have to be asked from
Python the parts are called one by one: `act_slice`, then asking and `follow_slice`, `settle_slice`, asking again where
that dealt new hands, `show_slice`.
"""

from typing import Final

import numpy as np

from minchiate_rl.envs.episodes import (
    ACTED,
    ACTOR,
    AUTORESET,
    BROKEN_OFF,
    EVENT,
    FINISHED,
    LEARNER,
    LOOKER,
    NEXT_STEP,
    PAID_OUT,
    PLAYER,
    PLAYING,
    REWARD_KIND,
    SAME_STEP,
    SELF_PLAY,
    STATUS,
    STOOD,
    finish_hand,
    next_hand,
    open_table,
    play_on,
)
from minchiate_rl.envs.worth import unit_of, worth
from minchiate_rl.game.cards import N_CARDS
from minchiate_rl.game.engine.bits import ONE, ZERO
from minchiate_rl.game.engine.jit import hot_kernel, kernel, owning_kernel
from minchiate_rl.game.engine.layout import HAND_NUMBER, NOBODY, SEAT, V_LEGAL, V_SPEECH
from minchiate_rl.game.engine.legal import is_legal
from minchiate_rl.game.engine.observe import observe
from minchiate_rl.game.engine.step import apply
from minchiate_rl.game.rules import R_SEATS, R_SIDES
from minchiate_rl.views.encoding import encode_dense, encode_mask

PENALTY: Final = 10.0
"""What an illegal action costs."""


@kernel
def deal_again(rows, log, ledger, i, rule, setup, books, codes, plan, pack):  # type: ignore[no-untyped-def]
    """Deal the first hand of the next episode at a table whose episode has just ended."""
    rows[i, HAND_NUMBER] += ONE
    open_table(rows, log, ledger, i, rule, setup, books, codes, plan, pack)


@hot_kernel
def act(rows, log, ledger, i, rule, setup, books, codes, plan, pack, action):  # type: ignore[no-untyped-def]
    """Take the learner's action (int64, any value); a table whose episode is over is dealt anew or stands still."""
    if books[i, STATUS] != PLAYING:
        books[i, EVENT] = STOOD
        if setup[AUTORESET] == NEXT_STEP:
            deal_again(rows, log, ledger, i, rule, setup, books, codes, plan, pack)
        return
    books[i, EVENT] = ACTED
    books[i, ACTOR] = np.int64(rows[i, SEAT])
    if is_legal(rows, i, rule, action):
        apply(rows, log, ledger, i, rule, action)
        play_on(rows, log, ledger, i, rule, books, codes)
    else:
        books[i, STATUS] = BROKEN_OFF


@kernel
def _pay_out(rule, kind, books, i, net, gains):  # type: ignore[no-untyped-def]
    """Write to each player's gains what his side's worth has risen by since it was last paid out."""
    n_seats, n_sides, unit = rule[R_SEATS], rule[R_SIDES], unit_of(rule, kind)
    for seat in range(n_seats):
        side = seat if n_sides > 2 else seat & 1
        gains[i, books[i, PLAYER + seat]] = (net[side] - books[i, PAID_OUT + side]) / unit
    for side in range(n_sides):
        books[i, PAID_OUT + side] = net[side]


@hot_kernel
def settle(  # type: ignore[no-untyped-def]
    rows, log, ledger, i, rule, setup, books, codes, plan, pack, net, gains, rewards, ended
):
    """Write what the step brought each player and whether the episode has ended; deal its next hand if there is one.

    `net`, int64 (4,), is scratch.
    """
    for seat in range(rule[R_SEATS]):
        gains[i, seat] = 0.0
    ended[i] = books[i, STATUS] != PLAYING
    rewards[i] = 0.0
    if books[i, EVENT] != ACTED:
        return
    actor = books[i, PLAYER + books[i, ACTOR]]
    if books[i, STATUS] == BROKEN_OFF:
        gains[i, actor] = rewards[i] = -PENALTY
        return
    kind = setup[REWARD_KIND]
    worth(rows, i, rule, kind, net)
    over = rows[i, SEAT] == NOBODY
    if over:
        finish_hand(rows, i, rule, setup, books, net)
    changed = False
    for side in range(rule[R_SIDES]):
        changed |= net[side] != books[i, PAID_OUT + side]
    if changed:
        _pay_out(rule, kind, books, i, net, gains)
        rewards[i] = gains[i, actor]
    if over:
        if books[i, STATUS] == PLAYING:
            next_hand(rows, log, ledger, i, rule, setup, books, codes, plan, pack)
        ended[i] = books[i, STATUS] == FINISHED


@hot_kernel
def look(rows, i, seat, rule, playing, scratch, observations, masks, k):  # type: ignore[no-untyped-def]
    """Write what a seat sees to row k; `done` alone is legal for a seat that waits and where the episode has ended."""
    observe(rows, i, seat, rule, scratch, 0)
    encode_dense(scratch, 0, observations, k)
    if playing:
        w0, w1, w2, w3 = scratch[0, V_LEGAL], scratch[0, V_LEGAL + 1], scratch[0, V_LEGAL + 2], scratch[0, V_LEGAL + 3]
        encode_mask(w0, w1, w2, w3, masks, k)
    else:
        encode_mask(ZERO, ZERO, ONE, ZERO, masks, k)


@hot_kernel
def show(rows, i, rule, books, scratch, observations, masks, seats):  # type: ignore[no-untyped-def]
    """Write what is shown now: to the learner, or else to the seat to act, or after the end to the one that acted."""
    playing = books[i, STATUS] == PLAYING
    seat = books[i, LEARNER]
    if seat == SELF_PLAY:
        seat = np.int64(rows[i, SEAT]) if playing else books[i, ACTOR]
    books[i, LOOKER] = seat
    seats[i] = books[i, PLAYER + seat] if playing else -1
    look(rows, i, seat, rule, playing, scratch, observations, masks, i)


@owning_kernel
def step_slice(  # type: ignore[no-untyped-def]
    rows, log, ledger, rule, setup, books, codes, plan, actions, observations, masks, gains, rewards, ended, seats,
    last_observations, last_masks, lo, hi,
):  # fmt: skip
    """Take a step at tables lo to hi - 1 where all agents run in kernels; rules, plan and actions stay as they are."""
    scratch, net = np.zeros((1, V_SPEECH), dtype=np.uint64), np.zeros(4, dtype=np.int64)
    pack = np.empty(N_CARDS, dtype=np.uint8)
    for i in range(lo, hi):
        act(rows, log, ledger, i, rule, setup, books, codes, plan, pack, actions[i])
        settle(rows, log, ledger, i, rule, setup, books, codes, plan, pack, net, gains, rewards, ended)
        if setup[AUTORESET] == SAME_STEP and ended[i]:
            show(rows, i, rule, books, scratch, last_observations, last_masks, seats)
            deal_again(rows, log, ledger, i, rule, setup, books, codes, plan, pack)
        show(rows, i, rule, books, scratch, observations, masks, seats)


@owning_kernel
def open_slice(rows, log, ledger, rule, setup, books, codes, plan, where, lo, hi):  # type: ignore[no-untyped-def]
    """Deal at the tables of the slice where `where` is True."""
    pack = np.empty(N_CARDS, dtype=np.uint8)
    for i in range(lo, hi):
        if where[i]:
            open_table(rows, log, ledger, i, rule, setup, books, codes, plan, pack)


@owning_kernel
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


@owning_kernel
def settle_slice(  # type: ignore[no-untyped-def]
    rows, log, ledger, rule, setup, books, codes, plan, gains, rewards, ended, seats, last_observations, last_masks,
    lo, hi,
):  # fmt: skip
    """Write what the step brought at tables lo to hi - 1; in SAME_STEP deal again where an episode has ended."""
    scratch, net = np.zeros((1, V_SPEECH), dtype=np.uint64), np.zeros(4, dtype=np.int64)
    pack = np.empty(N_CARDS, dtype=np.uint8)
    for i in range(lo, hi):
        settle(rows, log, ledger, i, rule, setup, books, codes, plan, pack, net, gains, rewards, ended)
        if setup[AUTORESET] == SAME_STEP and ended[i]:
            show(rows, i, rule, books, scratch, last_observations, last_masks, seats)
            deal_again(rows, log, ledger, i, rule, setup, books, codes, plan, pack)


@owning_kernel
def show_slice(rows, rule, books, observations, masks, seats, lo, hi):  # type: ignore[no-untyped-def]
    """Write what is shown now at tables lo to hi - 1."""
    scratch = np.zeros((1, V_SPEECH), dtype=np.uint64)
    for i in range(lo, hi):
        show(rows, i, rule, books, scratch, observations, masks, seats)


@owning_kernel
def look_around(rows, i, rule, books, observations, masks):  # type: ignore[no-untyped-def]
    """Write what each player at table i sees to the row of his number."""
    scratch = np.zeros((1, V_SPEECH), dtype=np.uint64)
    playing = books[i, STATUS] == PLAYING
    for seat in range(rule[R_SEATS]):
        look(rows, i, seat, rule, playing, scratch, observations, masks, books[i, PLAYER + seat])
