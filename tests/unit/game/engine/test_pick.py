"""Picking among the legal actions: the k-th of the set, every one as often."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from minchiate_rl.game.actions import N_ACTIONS
from minchiate_rl.game.engine.bits import U
from minchiate_rl.game.engine.pick import pick_uniform

ACTIONS = st.sets(st.integers(0, N_ACTIONS - 1), min_size=1)


def words(actions):
    number = sum(1 << action for action in actions)
    return U(number & (1 << 56) - 1), U(number >> 56 & (1 << 41) - 1), U(number >> 97 & (1 << 47) - 1), U(number >> 144)


@given(actions=ACTIONS, word=st.integers(0, 2**64 - 1))
def test_the_pick_is_the_kth_legal_action(actions, word):
    k = (word >> 32) * len(actions) >> 32
    assert pick_uniform(*words(actions), U(word)) == sorted(actions)[k]


@given(actions=ACTIONS)
def test_every_legal_action_can_be_picked(actions):
    step = 2**64 // len(actions)
    picked = {pick_uniform(*words(actions), U(k * step + step // 2)) for k in range(len(actions))}
    assert picked == actions


def test_a_single_action_is_always_picked():
    for action in (0, 55, 56, 95, 96, 97, 98, N_ACTIONS - 1):
        for word in (0, 2**63, 2**64 - 1):
            assert pick_uniform(*words([action]), U(word)) == action


def test_picks_are_even():
    actions = [3, 55, 56, 96, 97, 120, 130]
    draws = np.random.default_rng(1).integers(0, 2**64, 7000, dtype=np.uint64)
    counts = np.bincount([pick_uniform(*words(actions), word) for word in draws], minlength=N_ACTIONS)[actions]
    assert counts.sum() == 7000
    assert (np.abs(counts - 1000) < 150).all()
