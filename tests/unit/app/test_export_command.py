"""`minchiate export`: an agent's folder out of a run, once, and nothing where something is wrong."""

import json

import numpy as np
import pytest
from safetensors.numpy import load_file

from minchiate_rl import content
from minchiate_rl.agents import make
from minchiate_rl.agents.weights import read_document, shape_for
from minchiate_rl.app.cli.main import main
from minchiate_rl.experiments.folder import RunFolder
from minchiate_rl.experiments.recipes import Recipe
from minchiate_rl.game.rules import ruleset
from minchiate_rl.training import checkpoint
from minchiate_rl.training.learner import Learner
from minchiate_rl.views.batch import Batch

RULES = ruleset("classic")
SHAPE = shape_for(RULES, 16, 8)
ABOUT = {"recipe": "small-one", "seed": 5, "minutes": 2.0, "steps": 20, "hands": 160}


@pytest.fixture
def run(tmp_path):
    """A run with two checkpoints, after steps 10 and 20."""
    path = tmp_path / "run"
    RunFolder.create(path, Recipe(name="small-one", seed=5, width=16, critic_width=8)).close()
    for step in (10, 20):
        learner = Learner(SHAPE, seed=step, max_norm=1.0)
        counters = {"step": step, "hands": 8 * step, "seconds": 6.0 * step}
        point = checkpoint.Checkpoint(RULES, SHAPE, learner.tensors(), learner.optimizer_state(), counters, {})
        checkpoint.save(path, point, keep=5)
    return path


def actions(spec):
    batch = Batch(RULES, 64, seed=3)
    return make(spec).act(batch.views(), batch.rng())


def test_an_exported_agent_plays_as_its_run_and_has_no_critic(run, tmp_path, capsys):
    folder = tmp_path / "agents" / "first"
    assert main(["export", str(run), "--out", str(folder), "--about", "author=Ginori", "--about", "note= a = b "]) == 0
    told = capsys.readouterr().out.splitlines()
    assert "after 20 steps, 160 hands and 2.0 minutes, recipe small-one, seed 5" in told[0]
    assert told[1:] == [f"policy:{folder}"]
    assert sorted(path.name for path in folder.iterdir()) == ["agent.json", "weights.safetensors"]
    assert sorted(path.name for path in folder.parent.iterdir()) == ["first"]
    whole = load_file(run / "checkpoints" / "20" / "weights.safetensors")
    kept = load_file(folder / "weights.safetensors")
    assert kept.keys() == {name for name in whole if name.startswith("policy.")} < whole.keys()
    assert all((kept[name] == whole[name]).all() for name in kept)
    assert read_document(folder / "agent.json")["about"] == {**ABOUT, "author": "Ginori", "note": "a = b"}
    np.testing.assert_array_equal(actions(told[1]), actions(f"policy:{run}"))


def test_an_agent_among_those_of_the_toolkit_is_named_by_its_name(run, tmp_path, monkeypatch, capsys):
    folder = content.folder
    monkeypatch.setattr(content, "folder", lambda name: tmp_path / "zoo" if name == "agents" else folder(name))
    assert main(["export", str(run), "--out", str(tmp_path / "zoo" / "mine"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found == {"folder": str(tmp_path / "zoo" / "mine"), "spec": "zoo:mine", "about": ABOUT}
    np.testing.assert_array_equal(actions("zoo:mine"), actions(f"policy:{run}"))


@pytest.mark.filterwarnings("always")
def test_a_damaged_checkpoint_is_named_and_the_one_before_it_is_exported(run, tmp_path, capsys):
    (run / "checkpoints" / "20" / "weights.safetensors").write_bytes(b"")
    assert main(["export", str(run), "--out", str(tmp_path / "first"), "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["about"]["steps"] == 10
    assert "the checkpoint before it is used" in told.err


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_what_exists_already_is_left_alone(kind, run, tmp_path, capsys):
    goal = tmp_path / "there"
    if kind == "folder":
        goal.mkdir()
    elif kind == "file":
        goal.write_text("mine")
    else:
        goal.symlink_to(tmp_path / "nowhere")
    assert main(["export", str(run), "--out", str(goal)]) == 2
    assert capsys.readouterr().err == f"minchiate: {goal}: exists already; an agent gets a folder of its own\n"
    assert {path.name for path in tmp_path.iterdir()} == {"run", "there"}


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (["--about", "author"], "'author' is not KEY=VALUE"),
        (["--about", "=x"], "'=x' is not KEY=VALUE"),
        (["--about", "a b=x"], "'a b=x' is not KEY=VALUE"),
        (["--about", "a=1", "--about", "a=2"], "--about a: is given twice"),
        (["--about", "seed=7"], "--about seed: is told by the run itself"),
    ],
)
def test_notes_that_cannot_be_kept_are_refused(more, named, run, tmp_path, capsys):
    assert main(["export", str(run), "--out", str(tmp_path / "first"), *more]) == 2
    told = capsys.readouterr().err
    assert named in told
    assert told.count("\n") == 1
    assert not (tmp_path / "first").exists()


def test_what_is_no_run_is_refused(run, tmp_path, capsys):
    for path, named in (
        (tmp_path / "nothing", "holds no run (config.toml is missing)"),
        (run / "checkpoints" / "20", "holds no run (config.toml is missing)"),
    ):
        assert main(["export", str(path), "--out", str(tmp_path / "first")]) == 2
        assert named in capsys.readouterr().err
    RunFolder.create(tmp_path / "young", Recipe(name="young")).close()
    assert main(["export", str(tmp_path / "young"), "--out", str(tmp_path / "first")]) == 2
    assert "holds no agent and no checkpoint" in capsys.readouterr().err
    blocked = run / "config.toml" / "first"
    assert main(["export", str(run), "--out", str(blocked)]) == 2
    assert f"{blocked}: cannot be written: Not a directory" in capsys.readouterr().err
