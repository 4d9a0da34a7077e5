"""Training runs: schedules, stop and resume, damage, and one process at a time."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from minchiate_rl.agents import make, weights
from minchiate_rl.app.cli.main import main
from minchiate_rl.errors import AgentError, CheckpointError, MinchiateError, RecipeError, RunError
from minchiate_rl.experiments import recipes
from minchiate_rl.experiments.folder import RunFolder
from minchiate_rl.experiments.runs import Run, Status
from minchiate_rl.game.rules import ruleset
from minchiate_rl.matches.match import play_match
from minchiate_rl.training import checkpoint
from minchiate_rl.training.journal import read_metrics
from tests.support.runs import TINY, assert_equal_runs, content, trained


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "whole"
    trained(path)
    return path


@pytest.mark.parametrize("stop_at", [0, 1, 3, 5])
def test_a_run_stopped_and_resumed_equals_one_that_was_not(whole: Path, tmp_path: Path, stop_at: int) -> None:
    path = tmp_path / "run"
    assert trained(path, stop_at=stop_at).counters.step == stop_at
    assert trained(path).counters.step == TINY.steps
    assert_equal_runs(path, whole)


def test_threads_change_nothing(whole: Path, tmp_path: Path) -> None:
    trained(tmp_path / "run", threads=1)
    assert_equal_runs(tmp_path / "run", whole)


def test_another_seed_is_another_run(whole: Path, tmp_path: Path) -> None:
    trained(tmp_path / "run", TINY.replace(seed=1))
    assert not torch.equal(
        content(tmp_path / "run")["tensors"]["policy.table"], content(whole)["tensors"]["policy.table"]
    )


def test_evaluations_draw_nothing_from_training(whole: Path, tmp_path: Path) -> None:
    trained(tmp_path / "run", TINY.replace(eval_steps=1, eval_deals=3, eval_opponents=("greedy",)))
    one, two = content(tmp_path / "run")["tensors"], content(whole)["tensors"]
    assert all(torch.equal(one[name], two[name]) for name in two)


def test_a_damaged_checkpoint_is_named_and_the_run_goes_on_from_the_one_before(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    trained(path, stop_at=5)
    damaged = path / "checkpoints" / "5" / "weights.safetensors"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    with pytest.warns(UserWarning, match=str(damaged)):
        trained(path)
    assert_equal_runs(path, whole)


def test_metrics_tell_of_learning_and_of_each_stage(whole: Path) -> None:
    lines = read_metrics(whole)
    assert [line["step"] for line in lines] == [0, 1, 2, 3, 4, 5, 6, 6]
    for opponent in TINY.eval_opponents:
        name = f"evaluation/{opponent}"
        assert lines[0][f"{name}/low"] <= lines[0][name] <= lines[0][f"{name}/high"]
        assert f"final/{opponent}" in lines[-1]
    assert {"imitation_loss", "agreement", "value_loss"} <= set(lines[1])
    assert [line["stage_name"] for line in lines[1:-1]] == ["imitation"] * 2 + ["self-play"] * 4
    assert [line["stage"] for line in lines[1:-1]] == [0] * 2 + [1] * 4
    kinds = ("latest", "past", "scripted", "partner")
    assert [[line[f"mix/{kind}"] for kind in kinds] for line in lines[3:-1]] == [[8, 0, 8, 0], *[[0, 8, 8, 0]] * 3]
    assert "mix/latest" not in lines[1]
    plays = {"play/kings_saved", "play/versicole_kept", "play/versicole_broken", "play/fumata_led"}
    assert plays <= set(lines[4])
    assert not plays & set(lines[1])
    learning = {"policy_loss", "entropy", "kl", "clip_share", "value_loss", "value_error", "explained_variance", "lr"}
    stages = {
        f"seconds_{s}" for s in ("rollout", "environment", "encoding", "network", "bookkeeping", "policy", "critic")
    }
    assert learning | stages | {"hands_per_second", "choices_per_second"} <= set(lines[4])
    assert lines[3]["lr"] > lines[5]["lr"]
    assert any(path.name.startswith("events.") for path in whole.iterdir())


def test_a_finished_run_resumed_changes_nothing_and_can_be_lengthened(tmp_path: Path) -> None:
    trained(tmp_path / "run", TINY.replace(steps=5))
    lines = read_metrics(tmp_path / "run")
    again = trained(tmp_path / "run")
    assert again.scores
    assert read_metrics(tmp_path / "run") == lines
    folder = RunFolder.resume(tmp_path / "run")
    folder.write_recipe(folder.recipe().replace(steps=7))
    folder.close()
    assert trained(tmp_path / "run").counters.step == 7
    assert [line["step"] for line in read_metrics(tmp_path / "run")] == [0, 1, 2, 3, 4, 5, 5, 6, 7, 7]


def test_by_the_clock_the_schedules_follow_the_minutes(tmp_path: Path) -> None:
    recipe = TINY.replace(steps=0, minutes=0.05, imitation_minutes=0.01, eval_minutes=0.01, checkpoint_minutes=0.01)
    seen: list[Status] = []
    run = trained(tmp_path / "run", recipe, seen=seen)
    assert run.finished
    assert seen[-1].progress > 0.8
    assert {status.phase for status in seen} == {"imitation", "self-play"}
    rates = [status.metrics["lr"] for status in seen if "policy_loss" in status.metrics]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] < recipe.lr


def test_a_run_folder_is_used_by_one_at_a_time(tmp_path: Path) -> None:
    first = RunFolder.create(tmp_path / "run", TINY)
    with pytest.raises(RunError, match="in use"):
        RunFolder.resume(tmp_path / "run")
    first.close()
    RunFolder.resume(tmp_path / "run").close()


def test_a_folder_with_a_run_is_not_begun_anew(whole: Path) -> None:
    with pytest.raises(RunError, match="--resume"):
        RunFolder.create(whole, TINY)


def test_nothing_to_resume_is_told(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="holds no run"):
        RunFolder.resume(tmp_path)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"rules": "nonesuch"}, MinchiateError),
        ({"teacher": "nonesuch"}, MinchiateError),
        ({"eval_opponents": ["x"]}, MinchiateError),
    ],
)
def test_unknown_rules_and_agents_are_told_before_training(tmp_path: Path, change: dict[str, Any], kind: Any) -> None:
    folder = RunFolder.create(tmp_path / "run", TINY.replace(**change))
    with pytest.raises(kind):
        Run(folder, folder.recipe())
    folder.close()


def test_an_unknown_device_is_told(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run", TINY)
    with pytest.raises(RecipeError, match="allowed: cpu"):
        Run(folder, TINY, device="abacus")
    folder.close()


def test_a_checkpoint_of_another_width_is_refused(whole: Path) -> None:
    folder = RunFolder.resume(whole)
    with pytest.raises(CheckpointError, match="another width"):
        Run(folder, TINY.replace(width=24))
    folder.close()


def test_a_checkpoint_of_other_rules_is_refused(whole: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('name = "own"\n[switches]\ndemonio = true\n', encoding="utf-8")
    folder = RunFolder.resume(whole)
    with pytest.raises(CheckpointError, match="demonio"):
        Run(folder, TINY.replace(rules=str(own)))
    folder.close()


SMALL = TINY.replace(steps=2, imitation_steps=1, hands=8, eval_deals=2, final_deals=2)


@pytest.mark.parametrize(
    ("rules", "reward"),
    [
        *itertools.product(
            ["solo", "solo_fola", "three", "two", "mini", "mini_team"], ["points", "potential", "resti"]
        ),
        ("piedicavallo", "potential"),
        ("accademia", "points"),
        ("rob_all", "potential"),
    ],
)
def test_every_form_is_trained(tmp_path: Path, rules: str, reward: str) -> None:
    run = trained(tmp_path / "run", SMALL.replace(rules=rules, reward=reward))
    assert run.finished
    agent = make(f"policy:{tmp_path / 'run'}")
    assert agent.rules.game == ruleset(rules).game
    play_match(agent, "random", 1, rules=rules)


def test_the_small_deck_is_learned_in_seconds(tmp_path: Path) -> None:
    recipe = recipes.recipe("mini").replace(steps=12, hands=512, final_deals=500, eval_deals=200, eval_steps=99)
    score = trained(tmp_path / "run", recipe).scores[0]
    assert (score.opponent, score.deals) == ("random", 500)
    assert score.low > 0.0


def test_checkpoints_of_before_there_were_stages_go_on(whole: Path, tmp_path: Path) -> None:
    for stop_at, began in ((1, -1.0), (4, 2 / TINY.steps)):
        path = tmp_path / f"run-{stop_at}"
        trained(path, stop_at=stop_at)
        (folder,) = (path / "checkpoints").glob(f"{stop_at}")
        document = weights.read_document(folder / weights.STATE)
        del document["counters"]["stage"], document["counters"]["stage_from"], document["shape"]["blocks"]
        document["counters"]["self_play_from"] = began
        (folder / weights.STATE).write_bytes(weights.signed(document))
        trained(path)
        assert_equal_runs(path, whole)


def test_no_recipe_takes_an_agent_that_sees_the_true_deal(tmp_path: Path) -> None:
    for where in ({"eval_opponents": ("cheater",)}, {"scripted": ("cheater",)}, {"teacher": "cheater"}):
        folder = RunFolder.create(tmp_path / next(iter(where)), TINY.replace(**where))
        with pytest.raises(AgentError, match="recipe 'tiny': cheater sees the true deal"):
            Run(folder, folder.recipe())
        folder.close()


def test_partners_are_refused_where_there_are_none(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run", TINY.replace(rules="solo", partner_share=0.1, past_share=0.1))
    with pytest.raises(RecipeError, match="partner_share needs partners"):
        Run(folder, folder.recipe())
    folder.close()


# The command line.


def in_line(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["train", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_bad_input_is_one_line_and_status_2(capsys: pytest.CaptureFixture[str], tmp_path: Path, whole: Path) -> None:
    out = str(tmp_path / "out")
    assert "there is no recipe 'nonesuch'" in in_line(capsys, "nonesuch", "--out", out)
    assert "name a recipe" in in_line(capsys)
    for setting in (
        "rules='chess'",
        "rules='palio'",
        "teacher='nobody'",
        "eval_opponents=['nobody']",
        "scripted=['x']",
    ):
        in_line(capsys, "demo", "--set", setting, "--out", out)
    in_line(capsys, "demo", "--rules", "chess", "--out", out)
    in_line(capsys, "two", "--set", f"eval_opponents=['policy:{whole}']", "--out", out)
    assert "unknown field 'speed'" in in_line(capsys, "demo", "--set", "speed=3", "--out", out)
    assert "must be FIELD=VALUE" in in_line(capsys, "demo", "--set", "speed", "--out", out)
    assert "exclude each other" in in_line(capsys, "demo", "--steps", "2", "--minutes", "1", "--out", out)
    assert "not a number above 0" in in_line(capsys, "demo", "--minutes", "-1", "--out", out)
    assert "device 'abacus'" in in_line(capsys, "demo", "--device", "abacus", "--out", out)
    assert not Path(out).exists()
    assert "holds a run already" in in_line(capsys, "demo", "--out", str(whole))
    assert "holds no run" in in_line(capsys, "--resume", str(tmp_path / "missing"))
    assert "is a run of the recipe 'tiny'" in in_line(capsys, "demo", "--resume", str(whole))
    settings = (whole / "config.toml").read_bytes()
    assert "another width" in in_line(capsys, "--resume", str(whole), "--set", "width=72")
    assert "there is no agent 'nope'" in in_line(capsys, "--resume", str(whole), "--set", "scripted=['nope']")
    assert (whole / "config.toml").read_bytes() == settings
    (tmp_path / "file").write_text("")
    assert "cannot be made" in in_line(capsys, "demo", "--out", str(tmp_path / "file"))
    folder = RunFolder.resume(whole)
    assert "in use by another process" in in_line(capsys, "--resume", str(whole))
    folder.close()


def test_the_command_trains_and_says_how_to_use_the_result(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    recipe = tmp_path / "tiny.toml"
    recipe.write_text(TINY.to_toml(), encoding="utf-8")
    out = tmp_path / "run"
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    try:
        assert main(["train", str(recipe), "--steps", "2", "--out", str(out)]) == 0
        text = capsys.readouterr().out
        assert f"match policy:{out} heuristic" in text
        assert "tensorboard --logdir" in text
        assert main(["train", "--resume", str(out), "--steps", "3", "--json"]) == 0
    finally:
        for number, handler in zip((signal.SIGTERM, signal.SIGINT), before, strict=True):
            signal.signal(number, handler)
    document = json.loads(capsys.readouterr().out)
    assert (document["step"], document["finished"]) == (3, True)
    assert set(document["evaluation"]) == set(TINY.eval_opponents)


# In processes of their own.

LONGER = TINY.replace(steps=12, checkpoint_steps=1, eval_steps=6)

KILL = """
import os, signal, sys
calls, fsync = 0, os.fsync
def dying(descriptor):
    global calls
    calls += 1
    if calls == int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)
    fsync(descriptor)
os.fsync = dying
from minchiate_rl.agents import make, weights
from minchiate_rl.app.cli.main import main
sys.exit(main(["train", *sys.argv[2:]]))
"""


@pytest.fixture(scope="module")
def longer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "longer"
    trained(path, LONGER)
    (path.parent / "tiny.toml").write_text(LONGER.to_toml(), encoding="utf-8")
    return path


@pytest.mark.slow
def test_kill_9_during_and_between_checkpoint_writes_costs_nothing(longer: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    first = [str(longer.parent / "tiny.toml"), "--out", str(out)]
    # Each start dies at another write: inside a checkpoint's files, before and after the renames, in the pool.
    for count in (9, 12, 17, 26):
        arguments = ["--resume", str(out)] if (out / "checkpoints").exists() else first
        done = subprocess.run([sys.executable, "-c", KILL, str(count), *arguments], capture_output=True, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    trained(out)
    assert_equal_runs(out, longer)


@pytest.mark.slow
def test_sigterm_stops_cleanly_and_the_run_goes_on(longer: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = [sys.executable, "-m", "minchiate_rl", "train", str(longer.parent / "tiny.toml"), "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 120
    while not (out / "checkpoints" / "2").exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGTERM)
    text, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors.decode()
    assert f"train --resume {out}" in text.decode()
    stopped = checkpoint.newest(out, ruleset(TINY.rules)).counters["step"]
    assert 2 <= stopped < LONGER.steps
    trained(out)
    assert_equal_runs(out, longer)


def test_a_run_begins_with_the_weights_of_another(whole: Path, tmp_path: Path) -> None:
    seen: list[Status] = []
    recipe = TINY.replace(start=str(whole), steps=1, imitation_steps=0, imitation_minutes=0.0, seed=9)
    folder = RunFolder.create(tmp_path / "run", recipe)
    try:
        run = Run(folder, recipe)
        for name, tensor in content(whole)["tensors"].items():
            assert torch.equal(run.learner.tensors()[name], tensor), name
        assert run.counters.step == 0
    finally:
        folder.close()
    believing = recipe.replace(start=str(whole / "checkpoints" / "4"), belief_every=2)
    trained(tmp_path / "other", believing, seen=seen)
    assert seen[-1].counters.step == 1
    for start, what in ((tmp_path / "none", "holds no checkpoint"), (whole, "cannot be the start")):
        changed = recipe.replace(start=str(start), width=24)
        folder = RunFolder.create(tmp_path / f"refused-{what[0]}", changed)
        try:
            with pytest.raises(CheckpointError, match=what):
                Run(folder, changed)
        finally:
            folder.close()
