"""From logits to actions, over legal actions alone."""

import numpy as np
import numpy.typing as npt
import pytest
import torch

from minchiate_rl.agents.choice import best_actions, legal_list, sample_actions, unpack_legal
from minchiate_rl.agents.network import masked
from minchiate_rl.game.actions import N_ACTIONS


def words_of(*sets: set[int]) -> npt.NDArray[np.uint64]:
    out = np.zeros((len(sets), 4), np.uint64)
    for row, actions in zip(out, sets, strict=True):
        number = sum(1 << action for action in actions)
        row[:] = [number & (1 << 56) - 1, number >> 56 & (1 << 41) - 1, number >> 97 & (1 << 47) - 1, number >> 144]
    return out


EDGES = ({0, 55, 56, 95, 96}, {97, 98, 114, 131, 143, 144, 200}, {3}, set(range(N_ACTIONS)))


def test_words_list_and_mask_tell_the_same_actions() -> None:
    words = words_of(*EDGES)
    ids = np.zeros(N_ACTIONS, np.int64)
    for i, actions in enumerate(EDGES):
        assert ids[: legal_list(words, i, ids)].tolist() == sorted(actions)
    assert [set(np.flatnonzero(row)) for row in unpack_legal(words, N_ACTIONS)] == list(EDGES)
    assert unpack_legal(words, 131).shape == (4, 131)


def test_the_best_action_is_legal_and_the_lowest_among_equals() -> None:
    logits = np.zeros((3, N_ACTIONS), np.float32)
    logits[0, 5], logits[0, 55] = 9.0, 1.0
    logits[2, 40] = 1.0
    actions = np.zeros(3, np.int16)
    assert best_actions(logits, words_of({0, 55, 56}, {97, 98}, {7, 40}), actions) == 0
    assert actions.tolist() == [55, 97, 40]


def test_samples_follow_the_masked_softmax_and_tell_their_log_probability() -> None:
    rng = np.random.default_rng(0)
    n = 40_000
    legal = words_of({2, 60, 97, 120})
    logits = rng.normal(size=(1, N_ACTIONS)).astype(np.float32)
    actions, log_probs = np.zeros(n, np.int16), np.zeros(n, np.float32)
    words = rng.integers(0, 2**64, n, dtype=np.uint64)
    assert sample_actions(np.repeat(logits, n, 0), np.repeat(legal, n, 0), words, 1.0, actions, log_probs) == 0
    mask = torch.from_numpy(unpack_legal(legal, N_ACTIONS))
    expected = torch.log_softmax(masked(torch.from_numpy(logits), mask), dim=1)[0].numpy()
    for action in (2, 60, 97, 120):
        share = float((actions == action).mean())
        assert share == pytest.approx(np.exp(expected[action]), abs=0.01)
        assert log_probs[actions == action] == pytest.approx(expected[action], abs=1e-5)
    assert set(actions.tolist()) == {2, 60, 97, 120}


def test_a_low_temperature_plays_the_best_action() -> None:
    logits = np.zeros((200, N_ACTIONS), np.float32)
    logits[:, 60] = 1.0
    actions, log_probs = np.zeros(200, np.int16), np.zeros(200, np.float32)
    words = np.random.default_rng(1).integers(0, 2**64, 200, dtype=np.uint64)
    sample_actions(logits, np.repeat(words_of({2, 60}), 200, 0), words, 0.05, actions, log_probs)
    assert set(actions.tolist()) == {60}


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_logit_that_is_not_finite_is_told_if_it_is_legal(value: float) -> None:
    logits = np.zeros((2, N_ACTIONS), np.float32)
    logits[0, 5], logits[1, 6] = value, value
    legal = words_of({5, 7}, {5, 7})
    out = np.zeros(2, np.int16)
    assert best_actions(logits, legal, out) == 1
    assert sample_actions(logits, legal, np.zeros(2, np.uint64), 1.0, out, np.zeros(2, np.float32)) == 1


def test_no_legal_action_is_told() -> None:
    logits, out = np.zeros((1, N_ACTIONS), np.float32), np.zeros(1, np.int16)
    assert sample_actions(logits, words_of(set()), np.zeros(1, np.uint64), 1.0, out, np.zeros(1, np.float32)) == 1
