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
    seating = League(tmp_path, RULES, SHAPE, 1).seating(3, 64, Mix(past=0.5, partner=0.25))
    assert (seating.codes == LEARNER).all()
    assert seating.outside == []
    assert seating.hands == {"latest": 64, "past": 0, "scripted": 0, "partner": 0}


def test_shares_sides_and_dealers_are_balanced(tmp_path: Path) -> None:
    league = League(tmp_path, RULES, SHAPE, 1)
    league.snapshot(10, network(1))
    seating = league.seating(20, 64, Mix(0.25, 0.25, ("heuristic",)))
    codes = seating.codes
    assert len(seating.outside) == 1
    assert seating.hands == {"latest": 32, "past": 16, "scripted": 16, "partner": 0}
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
    league = League(tmp_path, RULES, SHAPE, 1)
    mix = Mix(0.0, 0.5, (f"policy:{tmp_path / 'other'}", "random"))
    first, second = league.seating(0, 16, mix), league.seating(1, 16, mix)
    assert (set(first.codes.ravel().tolist()), len(first.outside)) == ({LEARNER, -2}, 1)
    assert (set(second.codes.ravel().tolist()), len(second.outside)) == ({LEARNER, 0}, 0)


def test_a_partner_from_the_pool_has_one_seat_and_every_seat_in_turn(tmp_path: Path) -> None:
    league = League(tmp_path, RULES, SHAPE, 1)
    league.snapshot(10, network(1))
    seating = league.seating(20, 64, Mix(past=0.25, partner=0.5))
    assert seating.hands == {"latest": 16, "past": 16, "scripted": 0, "partner": 32}
    assert [agent.name for agent in seating.outside] == ["past self 10.safetensors"] * 2
    games, seats = np.nonzero(seating.codes == -3)
    assert len(set(games.tolist())) == len(games) == 32
    assert np.bincount(seats, minlength=4).tolist() == [8, 8, 8, 8]
    assert np.bincount((seats - games) % 4, minlength=4).tolist() == [8, 8, 8, 8]
    assert set(seating.codes[games].ravel().tolist()) == {LEARNER, -3}


def test_hands_are_counted_as_they_are_seated(tmp_path: Path) -> None:
    league = League(tmp_path, RULES, SHAPE, 1)
    league.snapshot(10, network(1))
    for hands in (8, 16, 24, 40):
        seating = league.seating(0, hands, Mix(0.4, 0.3, ("greedy",), partner=0.3))
        assert sum(seating.hands.values()) == hands
        assert seating.hands["latest"] == int((seating.codes == LEARNER).all(axis=1).sum())


def test_past_selves_are_drawn_by_seed_and_step_from_the_newest(tmp_path: Path) -> None:
    league = League(tmp_path, RULES, SHAPE, 1)
    for step in (10, 20, 30):
        league.snapshot(step, network(step))

    def names_of(league: League) -> list[str]:
        mix = Mix(past=0.5, pool_size=2)
        return [league.seating(step, 16, mix).outside[0].name for step in range(40)]

    names = names_of(league)
    again, other = League(tmp_path, RULES, SHAPE, 1), League(tmp_path, RULES, SHAPE, 2)
    again.pool = other.pool = dict(league.pool)
    assert names == names_of(again)
    assert set(names) == {"past self 20.safetensors", "past self 30.safetensors"}
    assert names != names_of(other)


def test_a_past_self_is_the_policy_that_was_saved(tmp_path: Path) -> None:
    league = League(tmp_path, RULES, SHAPE, 1)
    league.snapshot(10, network(7))
    agent = league.seating(0, 16, Mix(past=0.5)).outside[0]
    expected = network(7).state_dict()
    assert all(torch.equal(value, expected[name]) for name, value in agent.network.state_dict().items())  # type: ignore[attr-defined]


def test_an_altered_past_self_is_refused(tmp_path: Path) -> None:
    league = League(tmp_path, RULES, SHAPE, 1)
    league.snapshot(10, network(7))
    (tmp_path / "pool" / "10.safetensors").write_bytes(b"x")
    with pytest.raises(CheckpointError, match=r"10\.safetensors"):
        league.seating(0, 16, Mix(past=0.5))
