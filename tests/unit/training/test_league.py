"""The opponent mix and its seating."""

from pathlib import Path

import numpy as np
import pytest
import torch

from minchiate_rl.agents.network import PolicyNetwork
from minchiate_rl.agents.weights import shape_for
from minchiate_rl.errors import CheckpointError
from minchiate_rl.game.rules import ruleset
from minchiate_rl.training.league import League, Mix
from minchiate_rl.training.table import LEARNER

RULES = ruleset("classic")
SHAPE = shape_for(RULES, 8, 8)


def network(seed: int) -> PolicyNetwork:
    return PolicyNetwork(SHAPE, torch.Generator().manual_seed(seed))


def test_without_a_pool_everybody_is_the_latest_self(tmp_path: Path) -> None:
    codes, outside = League(tmp_path, RULES, SHAPE, Mix(past=0.5), 1).seating(3, 64)
    assert (codes == LEARNER).all()
    assert outside == []


def test_shares_sides_and_dealers_are_balanced(tmp_path: Path) -> None:
    league = League(tmp_path, RULES, SHAPE, Mix(0.25, 0.25, ("heuristic",)), 1)
    league.snapshot(10, network(1))
    codes, outside = league.seating(20, 64)
    assert len(outside) == 1
    for code in (-2, 2):
        has = codes == code
        assert has.any(axis=1).sum() == 16
        assert (has[:, 0] == has[:, 2]).all()
        assert (has[:, 1] == has[:, 3]).all()
        assert not (has[:, 0] & has[:, 1]).any()
        for side in range(2):
            dealers = np.flatnonzero(has[:, side]) % 4
            assert np.bincount(dealers, minlength=4).tolist() == [2, 2, 2, 2]
    halves = [(codes[:32] != LEARNER).sum(), (codes[32:] != LEARNER).sum()]
    assert abs(halves[0] - halves[1]) <= 32


def test_scripted_agents_that_run_in_no_kernel_sit_outside(tmp_path: Path) -> None:
    from minchiate_rl.agents.policy import save_agent

    save_agent(tmp_path / "other", network(1), RULES, {})
    league = League(tmp_path, RULES, SHAPE, Mix(0.0, 0.5, (f"policy:{tmp_path / 'other'}", "random")), 1)
    codes, outside = league.seating(0, 16)
    assert (set(codes.ravel().tolist()), len(outside)) == ({LEARNER, -2}, 1)
    codes, outside = league.seating(1, 16)
    assert (set(codes.ravel().tolist()), len(outside)) == ({LEARNER, 0}, 0)


def test_past_selves_are_drawn_by_seed_and_step_from_the_newest(tmp_path: Path) -> None:
    league = League(tmp_path, RULES, SHAPE, Mix(past=0.5, pool_size=2), 1)
    for step in (10, 20, 30):
        league.snapshot(step, network(step))
    names = [league.seating(step, 16)[1][0].name for step in range(40)]
    again = League(tmp_path, RULES, SHAPE, Mix(past=0.5, pool_size=2), 1)
    again.pool = dict(league.pool)
    assert names == [again.seating(step, 16)[1][0].name for step in range(40)]
    assert set(names) == {"past self 20.safetensors", "past self 30.safetensors"}
    other = League(tmp_path, RULES, SHAPE, Mix(past=0.5, pool_size=2), 2)
    other.pool = dict(league.pool)
    assert names != [other.seating(step, 16)[1][0].name for step in range(40)]


def test_a_past_self_is_the_policy_that_was_saved(tmp_path: Path) -> None:
    league = League(tmp_path, RULES, SHAPE, Mix(past=0.5), 1)
    league.snapshot(10, network(7))
    agent = league.seating(0, 16)[1][0]
    expected = network(7).state_dict()
    assert all(torch.equal(value, expected[name]) for name, value in agent.network.state_dict().items())  # type: ignore[attr-defined]


def test_an_altered_past_self_is_refused(tmp_path: Path) -> None:
    league = League(tmp_path, RULES, SHAPE, Mix(past=0.5), 1)
    league.snapshot(10, network(7))
    (tmp_path / "pool" / "10.safetensors").write_bytes(b"x")
    with pytest.raises(CheckpointError, match=r"10\.safetensors"):
        league.seating(0, 16)
