"""Small training runs, and how two of them are compared."""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from minchiate_rl.experiments.folder import RunFolder
from minchiate_rl.experiments.recipes import Recipe
from minchiate_rl.experiments.runs import Run, Status
from minchiate_rl.game.rules import ruleset
from minchiate_rl.training import checkpoint
from minchiate_rl.training.journal import read_metrics

TINY = Recipe(
    name="tiny",
    steps=6,
    hands=16,
    width=16,
    critic_width=16,
    minibatch=256,
    imitation_steps=2,
    past_share=0.5,
    scripted_share=0.5,
    scripted=("greedy", "heuristic"),
    pool_every=1,
    eval_steps=3,
    eval_deals=4,
    final_deals=4,
    checkpoint_steps=2,
    keep_checkpoints=9,
)


def trained(
    path: Path, recipe: Recipe = TINY, stop_at: int | None = None, threads: int = 2, seen: list[Status] | None = None
) -> Run:
    """Train in a folder, from the start or from where it stands, until the end or the end of a step."""
    folder = RunFolder.resume(path) if (path / "config.toml").exists() else RunFolder.create(path, recipe)
    try:
        run = Run(folder, folder.recipe(), threads=threads)

        def tell(status: Status) -> None:
            if seen is not None:
                seen.append(status)
            if status.counters.step == stop_at:
                run.stop.set()

        run.train(tell)
        return run
    finally:
        folder.close()


def content(path: Path) -> dict[str, Any]:
    """Return everything of the newest checkpoint and the metrics but for the seconds."""
    point = checkpoint.newest(path, ruleset(Recipe.from_toml((path / "config.toml").read_text(), str(path)).rules))
    counters = {name: value for name, value in point.counters.items() if name != "seconds"}
    metrics = [{name: value for name, value in line.items() if "second" not in name} for line in read_metrics(path)]
    return {
        "tensors": point.tensors,
        "optimizers": point.optimizers,
        "pool": point.pool,
        "replay": point.replay,
        "rest": [counters, metrics],
    }


def assert_equal_runs(one: Path, two: Path) -> None:
    """Assert that two runs ended with the same checkpoint, to the bit, and the same metrics but for the seconds."""
    a, b = content(one), content(two)
    assert a["rest"] == b["rest"]
    assert a["pool"] == b["pool"]
    assert len(a["replay"]) == len(b["replay"])
    for first, second in zip(a["replay"], b["replay"], strict=True):
        for name, array in vars(first).items():
            np.testing.assert_array_equal(array, getattr(second, name), err_msg=name)
    assert a["tensors"].keys() == b["tensors"].keys()
    for name, tensor in a["tensors"].items():
        assert torch.equal(tensor, b["tensors"][name]), name
    for name, state in a["optimizers"].items():
        for key, values in state["state"].items():
            for part, value in values.items():
                assert torch.equal(value, b["optimizers"][name]["state"][key][part]), (name, key, part)
