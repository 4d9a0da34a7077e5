"""Checkpoints: damage of every kind is noticed, named, and survived."""

import io
import json
import os
from pathlib import Path

import pytest
import torch

from minchiate_rl.agents import weights
from minchiate_rl.agents.policy import PolicyAgent
from minchiate_rl.errors import AgentError, CheckpointError, RunError
from minchiate_rl.game.rules import ruleset
from minchiate_rl.training import checkpoint
from minchiate_rl.training.learner import Learner

RULES = ruleset("classic")
SHAPE = weights.shape_for(RULES, 8, 8)


def some_checkpoint(run: Path, step: int) -> checkpoint.Checkpoint:
    learner = Learner(SHAPE, seed=step, max_norm=1.0)
    for parameter in learner.policy.parameters():
        parameter.grad = torch.ones_like(parameter)
    learner.optimizers["policy"].step()
    (run / "pool").mkdir(parents=True, exist_ok=True)
    past = weights.pack({"policy.x": torch.full((3,), float(step))})
    (run / "pool" / f"{step}.safetensors").write_bytes(past)
    pool = {f"{step}.safetensors": weights.digest(past)}
    counters = {"step": step, "hands": 8 * step}
    return checkpoint.Checkpoint(RULES, SHAPE, learner.tensors(), learner.optimizer_state(), counters, pool)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    for step in (1, 2):
        checkpoint.save(tmp_path, some_checkpoint(tmp_path, step), keep=5)
    return tmp_path


def read(run: Path) -> tuple[checkpoint.Checkpoint, list[str]]:
    told: list[str] = []
    return checkpoint.newest(run, RULES, told.append), told


def test_what_is_saved_comes_back(run: Path) -> None:
    point, told = read(run)
    wanted = some_checkpoint(run, 2)
    assert told == []
    assert point.counters == wanted.counters
    assert point.pool == wanted.pool
    assert point.shape == SHAPE
    assert point.rules.switches == RULES.switches
    assert point.tensors.keys() == wanted.tensors.keys()
    assert all(torch.equal(point.tensors[name], wanted.tensors[name]) for name in wanted.tensors)
    learner = Learner(SHAPE, seed=9, max_norm=1.0)
    learner.load_optimizers(point.optimizers)
    states = learner.optimizers["policy"].state_dict()["state"]
    assert all(torch.equal(states[k]["exp_avg"], s["exp_avg"]) for k, s in wanted.optimizers["policy"]["state"].items())
    assert (run / "LATEST").read_text() == "2\n"


FILES = ("weights.safetensors", "optimizer.pt", "state.json")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["flip", "truncate", "empty", "remove", "extend"])
def test_a_damaged_file_is_named_and_the_checkpoint_before_is_used(run: Path, name: str, damage: str) -> None:
    path = run / "checkpoints" / "2" / name
    data = bytearray(path.read_bytes())
    if damage == "remove":
        path.unlink()
    else:
        if damage == "flip":
            data[len(data) // 2] ^= 1
        new = {"truncate": data[: len(data) // 2], "empty": b"", "extend": data + b"x"}.get(damage, data)
        path.write_bytes(new)
    point, told = read(run)
    assert point.counters["step"] == 1
    assert len(told) == 1
    assert str(path) in told[0]
    with pytest.warns(UserWarning, match="is used"):
        assert PolicyAgent.load(run).rules.switches == RULES.switches if name != "optimizer.pt" else warn_free(run)


def warn_free(run: Path) -> bool:
    """A damaged optimizer does not matter to an agent; warn as `pytest.warns` expects."""
    import warnings

    PolicyAgent.load(run)
    warnings.warn("nothing else is used", stacklevel=1)
    return True


def test_every_byte_of_state_json_counts(run: Path) -> None:
    path = run / "checkpoints" / "2" / "state.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"hands": 16', '"hands": 17'), encoding="utf-8")
    point, told = read(run)
    assert (point.counters["step"], len(told)) == (1, 1)


def test_an_altered_past_self_is_named(run: Path) -> None:
    (run / "pool" / "2.safetensors").write_bytes(b"altered")
    point, told = read(run)
    assert point.counters["step"] == 1
    assert "2.safetensors" in told[0]


def test_no_sound_checkpoint_is_an_error(run: Path, tmp_path: Path) -> None:
    for step in (1, 2):
        (run / "checkpoints" / str(step) / "weights.safetensors").write_bytes(b"")
    with pytest.raises(CheckpointError, match="no checkpoint is sound"):
        checkpoint.newest(run, RULES, lambda text: None)
    with pytest.raises(CheckpointError, match="holds no checkpoint"):
        checkpoint.newest(tmp_path / "elsewhere", RULES)


def test_other_rules_are_refused(run: Path) -> None:
    with pytest.raises(CheckpointError, match="demonio"):
        checkpoint.newest(run, RULES.replace(demonio=True))


def test_another_observation_layout_is_refused(run: Path) -> None:
    path = run / "checkpoints" / "2" / "state.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    del document["checksum"]
    path.write_bytes(weights.signed(document | {"layout": "tokens 0"}))
    with pytest.raises(CheckpointError, match="observation layout"):
        checkpoint.load(run / "checkpoints" / "2")
    with pytest.raises(CheckpointError, match="observation layout"):
        PolicyAgent.load(run / "checkpoints" / "2")


def test_a_pickle_is_never_loaded(run: Path, tmp_path: Path) -> None:
    class Malicious:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(tmp_path / "ran"),)

    buffer = io.BytesIO()
    torch.save(Malicious(), buffer)
    folder = run / "checkpoints" / "2"
    document = json.loads((folder / "state.json").read_text(encoding="utf-8"))
    del document["checksum"]
    document["files"]["optimizer.pt"] = weights.digest(buffer.getvalue())
    (folder / "optimizer.pt").write_bytes(buffer.getvalue())
    (folder / "state.json").write_bytes(weights.signed(document))
    with pytest.raises(CheckpointError, match=r"optimizer\.pt"):
        checkpoint.load(folder)
    assert not (tmp_path / "ran").exists()


def test_a_checkpoint_that_was_cut_short_is_not_seen_and_tidied_away(run: Path) -> None:
    part = run / "checkpoints" / "3.part"
    part.mkdir()
    (part / "weights.safetensors").write_bytes(b"half")
    assert read(run)[0].counters["step"] == 2
    checkpoint.tidy(run)
    assert not part.exists()
    assert sorted(path.name for path in (run / "checkpoints").iterdir()) == ["1", "2"]


def test_only_the_newest_are_kept_and_the_same_step_is_replaced(run: Path) -> None:
    for step in (3, 3, 4):
        checkpoint.save(run, some_checkpoint(run, step), keep=2)
    assert sorted(path.name for path in (run / "checkpoints").iterdir()) == ["3", "4"]


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "checkpoints").write_text("in the way")
    with pytest.raises(RunError, match="cannot be written"):
        checkpoint.save(tmp_path, some_checkpoint(tmp_path, 1), keep=2)


def test_an_agent_is_found_in_a_run_a_checkpoint_and_nowhere_else(run: Path, tmp_path: Path) -> None:
    for path in (run, run / "checkpoints" / "2"):
        agent = PolicyAgent.load(path, temperature=0.5)
        assert (agent.temperature, agent.rules.name) == (0.5, "classic")
    for path in (tmp_path / "nowhere", run / "pool"):
        with pytest.raises(AgentError, match="policy:"):
            PolicyAgent.load(path)
