"""Runs of several stages: each way of learning stopped and resumed, and what checkpoints keep of it."""

from pathlib import Path

import numpy as np
import pytest

from minchiate_rl.agents import make
from minchiate_rl.errors import MinchiateError
from minchiate_rl.experiments.runs import Status
from minchiate_rl.training import checkpoint
from minchiate_rl.training.journal import read_metrics
from tests.support.runs import TINY, assert_equal_runs, content, trained

CHAIN = TINY.replace(
    imitation_steps=0,
    past_share=0.25,
    scripted_share=0.25,
    partner_share=0.5,
    steps=10,
    stages=[
        {"kind": "imitation", "steps": 2},
        {"kind": "magnet", "share": 0.3, "magnet_every": 2, "magnet_decay": 0.5},
        {"kind": "dmc", "name": "values", "steps": 2, "lr": 1e-4},
        {"kind": "magnet", "proximal": 1.0, "reward": "resti", "hands": 8},
        {"kind": "ppo", "name": "anneal", "share": 0.1, "final_lr": 0.0},
    ],
)


BELIEVING = TINY.replace(size="tiny", width=16, critic_width=16, blocks=2, belief_every=2, steps=3, imitation_steps=1)


def test_a_run_with_a_belief_network_and_more_blocks_goes_on_where_it_stopped(tmp_path: Path) -> None:
    trained(tmp_path / "whole", BELIEVING)
    trained(tmp_path / "run", BELIEVING, stop_at=2)
    trained(tmp_path / "run")
    assert_equal_runs(tmp_path / "run", tmp_path / "whole")
    tensors = content(tmp_path / "run")["tensors"]
    assert {"belief.first.weight", "policy.more.0.first.weight", "critic.more.0.second.bias"} <= set(tensors)
    lines = read_metrics(tmp_path / "run")
    assert 0.0 < lines[0]["belief/calibration"] < 0.2
    assert lines[-1]["belief/log_loss"] != lines[0]["belief/log_loss"]
    assert lines[0]["belief/log_loss"] == pytest.approx(lines[0]["belief/uniform_log_loss"], abs=0.01)
    assert all(line["belief_loss"] > 0.0 for line in lines[1:-1])
    assert make(f"policy:{tmp_path / 'run'}").network.shape.blocks == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize(("rules", "lr"), [("classic", 1e-2), ("piedicavallo", 1e-3)])
def test_a_stage_for_beliefs_leaves_policy_and_critic_as_they_are(tmp_path: Path, rules: str, lr: float) -> None:
    stages = [{"kind": "ppo", "steps": 1}, {"kind": "belief", "steps": 3}]
    recipe = BELIEVING.replace(rules=rules, imitation_steps=0, steps=4, lr=lr, stages=stages)
    trained(tmp_path / "whole", recipe)
    trained(tmp_path / "run", recipe, stop_at=2, threads=1)
    before = content(tmp_path / "run")["tensors"]
    trained(tmp_path / "run")
    assert_equal_runs(tmp_path / "run", tmp_path / "whole")
    after = content(tmp_path / "run")["tensors"]
    changed = {name.split(".")[0] for name in after if not np.array_equal(before[name], after[name])}
    assert changed == {"belief"}
    lines = [line for line in read_metrics(tmp_path / "whole") if line.get("stage_name") == "belief"]
    assert len(lines) == 3
    assert lines[-1]["belief_loss"] < lines[0]["belief_loss"]
    assert not any("seconds_policy" in line or "value_loss" in line for line in lines)


def test_a_stage_for_beliefs_needs_a_network_for_them(tmp_path: Path) -> None:
    with pytest.raises(MinchiateError, match="a stage of the kind belief needs belief_every above 0"):
        trained(tmp_path / "run", TINY.replace(steps=2, imitation_steps=0, stages=[{"kind": "belief"}]))


def test_two_hundred_steps_of_gradient_are_the_same_every_time(tmp_path: Path) -> None:
    recipe = TINY.replace(steps=4, imitation_steps=1, minibatch=16, belief_every=5)
    seen: list[Status] = []
    trained(tmp_path / "one", recipe, threads=2, seen=seen)
    trained(tmp_path / "two", recipe, threads=1)
    assert sum(status.metrics.get("choices", 0) for status in seen) / recipe.minibatch > 200
    assert_equal_runs(tmp_path / "one", tmp_path / "two")


@pytest.fixture(scope="module")
def chained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "chained"
    trained(path, CHAIN)
    return path


def test_the_stages_of_a_recipe_follow_each_other(chained: Path) -> None:
    lines = [line for line in read_metrics(chained) if "lr" in line]
    names = ["imitation"] * 2 + ["magnet"] * 3 + ["values"] * 2 + ["magnet"] * 2 + ["anneal"]
    assert [line["stage_name"] for line in lines] == names
    assert ["kl_magnet" in line for line in lines] == [name == "magnet" for name in names]
    assert ["epsilon" in line for line in lines] == [name == "values" for name in names]
    assert lines[5]["lr"] == 1e-4
    assert lines[2]["kl_magnet"] == 0.0 or lines[2]["kl_magnet"] < lines[4]["kl_magnet"]
    assert [line["hands"] for line in lines] == [16, 32, 48, 64, 80, 96, 112, 120, 128, 144]
    assert [line["mix/partner"] for line in lines[2:5]] == [0, 8, 8]
    assert {name.split(".")[0] for name in content(chained)["tensors"]} == {"policy", "critic"}


@pytest.mark.parametrize("stop_at", [1, 3, 4, 6, 8])
def test_a_chained_run_stopped_and_resumed_equals_one_that_was_not(chained: Path, tmp_path: Path, stop_at: int) -> None:
    path = tmp_path / "run"
    trained(path, CHAIN, stop_at=stop_at)
    if stop_at in (4, 8):
        assert any(name.startswith("magnet.") for name in content(path)["tensors"])
    trained(path)
    assert_equal_runs(path, chained)


EXPERT = TINY.replace(
    imitation_steps=0,
    steps=6,
    search_worlds=3,
    search_top=3,
    replay=2,
    stages=[
        {"kind": "imitation", "steps": 1},
        {"kind": "ppo", "steps": 1},
        {"kind": "expert", "steps": 3, "hands": 8},
        {"kind": "ppo", "name": "anneal", "steps": 1},
    ],
)


@pytest.mark.parametrize(("player", "weigher"), [("heuristic", "none"), ("own", "none"), ("heuristic", "own")])
def test_expert_iteration_stopped_and_resumed_equals_a_run_that_was_not(
    tmp_path: Path, player: str, weigher: str
) -> None:
    recipe = EXPERT.replace(search_playout=player, search_weigh=weigher, search_steps=2)
    trained(tmp_path / "whole", recipe)
    trained(tmp_path / "run", recipe, stop_at=4, threads=1)
    assert (tmp_path / "run" / "checkpoints" / "4" / checkpoint.REPLAY).exists()
    trained(tmp_path / "run")
    assert_equal_runs(tmp_path / "run", tmp_path / "whole")
    lines = [line for line in read_metrics(tmp_path / "whole") if line.get("stage_name") == "expert"]
    assert [line["replay"] - line["searched"] > 0 for line in lines] == [False, True, True]
    assert all(0.0 < line["agreement"] <= 1.0 and line["expert_loss"] > 0.0 for line in lines)
    assert not (tmp_path / "whole" / "checkpoints" / "6" / checkpoint.REPLAY).exists()


def test_expert_iteration_needs_a_game_with_worlds(tmp_path: Path) -> None:
    with pytest.raises(MinchiateError, match="makes worlds of the game minchiate alone"):
        trained(tmp_path / "run", EXPERT.replace(rules="two", partner_share=0.0))


def test_who_plays_searched_hands_out_and_weighs_worlds_is_a_kernel_agent_or_a_policy(tmp_path: Path) -> None:
    with pytest.raises(MinchiateError, match="playout = 'cheater' is no trained policy; allowed: heuristic, greedy"):
        trained(tmp_path / "run", EXPERT.replace(search_playout="cheater"))
    with pytest.raises(MinchiateError, match="weigh = 'cheater' is no trained policy; allowed: none, heuristic, pol"):
        trained(tmp_path / "other", EXPERT.replace(search_weigh="cheater"))
