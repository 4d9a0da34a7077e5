"""Checkpoints of a run: written whole or not at all, proved when read, never unpickled.

`RUN/checkpoints/STEP/` holds weights.safetensors, optimizer.pt and state.json; state.json has the rule set in full, the
observation layout, every counter, the pool, and the SHA-256 of the other files. A checkpoint is written into a folder
of another name, flushed to the disk and then renamed: a kill at any moment leaves the checkpoints before it sound.
"""

import dataclasses
import io
import os
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import torch

from minchiate_rl.agents import weights
from minchiate_rl.agents.network import arrays_of, tensors_of
from minchiate_rl.agents.policy import checkpoints
from minchiate_rl.agents.shape import Shape
from minchiate_rl.errors import CheckpointError, RunError
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.training.replay import Memory, pack, unpack

OPTIMIZER: Final = "optimizer.pt"
REPLAY: Final = "replay.npz"
LATEST: Final = "LATEST"
POOL: Final = "pool"
_PART: Final = ".part"
_OLD: Final = ".old"


@dataclasses.dataclass
class Checkpoint:
    """Everything that a run goes on from."""

    rules: RuleSet
    shape: Shape
    tensors: dict[str, torch.Tensor]
    """The weights: `policy.*` and `critic.*`."""
    optimizers: dict[str, Any]
    """The state of each optimizer, by name: tensors, numbers and containers of them."""
    counters: dict[str, Any]
    """Step, hands, seconds and the like: plain JSON."""
    pool: dict[str, str]
    """SHA-256 of each past self in `pool/`, by file name, the oldest first."""
    replay: list[Memory] = dataclasses.field(default_factory=list)
    """What search has found in the last steps, where the run learns from that."""


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file under another name, flush it to the disk and rename it.

    Raises:
        RunError: the file cannot be written.
    """
    part = path.with_name(path.name + _PART)
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        _flush_folder(path.parent)
    except OSError as error:
        raise RunError(f"{path}: cannot be written: {error.strerror}") from None


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def save(run: Path, checkpoint: Checkpoint, keep: int) -> Path:
    """Write a checkpoint of a run, name it in LATEST, and remove those before the newest `keep`.

    Raises:
        RunError: the folder cannot be written.
    """
    step = int(checkpoint.counters["step"])
    goal = run / "checkpoints" / str(step)
    part = goal.with_name(f"{step}{_PART}")
    files = {
        weights.WEIGHTS: weights.pack(arrays_of(checkpoint.tensors)),
        OPTIMIZER: _optimizer_bytes(checkpoint.optimizers),
    }
    if checkpoint.replay:
        files[REPLAY] = pack(checkpoint.replay)
    document = weights.description(checkpoint.rules, checkpoint.shape) | {
        "counters": checkpoint.counters,
        "pool": checkpoint.pool,
        "files": {name: weights.digest(data) for name, data in files.items()},
    }
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        for name, data in files.items():
            write_bytes(part / name, data)
        write_bytes(part / weights.STATE, weights.signed(document))
        _replace_folder(part, goal)
    except OSError as error:
        raise RunError(f"{goal}: cannot be written: {error.strerror}") from None
    write_bytes(run / LATEST, f"{step}\n".encode())
    for folder in checkpoints(run)[keep:]:
        shutil.rmtree(folder, ignore_errors=True)
    return goal


def _replace_folder(part: Path, goal: Path) -> None:
    if goal.exists():
        old = goal.with_name(goal.name + _OLD)
        shutil.rmtree(old, ignore_errors=True)
        goal.rename(old)
        part.rename(goal)
        shutil.rmtree(old, ignore_errors=True)
    else:
        part.rename(goal)
    _flush_folder(goal.parent)


def _optimizer_bytes(state: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    torch.save(state, buffer)
    return buffer.getvalue()


def load(folder: Path) -> Checkpoint:
    """Return the checkpoint of a folder, `RUN/checkpoints/STEP`, every checksum proved.

    Raises:
        CheckpointError: a file is damaged, or made for rules or an observation layout that this version has not.
    """
    document = weights.read_document(folder / weights.STATE)
    rules = weights.rules_of(document, folder / weights.STATE)
    shape = weights.shape_of(document, rules, folder / weights.STATE)
    arrays = weights.unpack(weights.read_file(folder, weights.WEIGHTS, document), folder / weights.WEIGHTS)
    data = weights.read_file(folder, OPTIMIZER, document)
    try:
        optimizers = torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")
        counters, pool = dict(document["counters"]), dict(document["pool"])
    except Exception as error:  # torch raises half a dozen unrelated classes for a file that it cannot read
        raise CheckpointError(f"{folder / OPTIMIZER}: cannot be read: {type(error).__name__}") from None
    for name, digest in pool.items():
        weights.read_file(folder.parents[1] / POOL, name, {"files": {name: digest}})
    memories = []
    if REPLAY in document["files"]:
        memories = unpack(weights.read_file(folder, REPLAY, document), str(folder / REPLAY))
    return Checkpoint(rules, shape, tensors_of(arrays), optimizers, counters, pool, memories)


def newest(run: Path, rules: RuleSet, tell: Callable[[str], None] = warnings.warn) -> Checkpoint:
    """Return the newest sound checkpoint of a run; each damaged one is named through `tell`.

    Raises:
        CheckpointError: there is none, or none is sound, or it was made for other rules or another observation layout.
    """
    faults: list[CheckpointError] = []
    for folder in checkpoints(run):
        try:
            point = load(folder)
        except CheckpointError as error:
            faults.append(error)
            tell(f"{error}; the checkpoint before it is used")
            continue
        _check_rules(folder, point.rules, rules)
        return point
    if faults:
        raise CheckpointError(f"{run}: no checkpoint is sound; the newest: {faults[0]}")
    raise CheckpointError(f"{run}: holds no checkpoint")


def _check_rules(folder: Path, own: RuleSet, rules: RuleSet) -> None:
    if own.game != rules.game:
        raise CheckpointError(f"{folder}: made for the game {own.game}; this run's rules are of the game {rules.game}")
    for switch, value in rules.switches.items():
        if own.switches[switch] != value:
            raise CheckpointError(
                f"{folder}: made for {switch} = {own.switches[switch]!r}; this run's rules have {value!r}"
            )


def tidy(run: Path) -> None:
    """Remove what a killed process left half-written in a run's folder."""
    places = (run, run / "checkpoints", run / POOL)
    for path in [path for place in places for path in place.glob("*") if path.name.endswith((_PART, _OLD))]:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
