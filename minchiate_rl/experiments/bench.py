"""The speed of every layer on this machine, now: medians of interleaved runs, beside this machine's own limits.

Runs of all layers alternate, so that a busy moment falls on all of them alike. Rates are told by processor seconds,
which say what the code costs whatever else the machine does, and by the wall, which says what one got.
"""

import contextlib
import datetime
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from minchiate_rl.experiments.form_layers import form_layers
from minchiate_rl.experiments.layers import Clock, Layer, game_layers, network_layers

RUNS: Final = 5
GAMES: Final = 1024
PACKAGES: Final = ("numpy", "numba", "torch", "gymnasium")
#: Stages of a training step that are not the network.
OVERHEAD: Final = ("environment", "encoding", "bookkeeping")
NETWORK: Final = ("network", "values", "policy", "critic")

_ONE_HAND: Final = "import minchiate_rl as m; m.Batch('classic', 1, seed=1).playout()"


def bench(quick: bool = False, tell: Callable[[str], None] = lambda text: None) -> dict[str, Any]:
    """Time everything and return the findings as plain data.

    Args:
        quick: a quarter of the work a run, and no compilation from nothing.
        tell: called with what is being done.
    """
    hands, steps = (1024, 40) if quick else (4096, 150)
    tell("preparing")
    layers, forms = game_layers(hands, GAMES, steps), form_layers(hands)
    missing = ""
    try:
        layers += network_layers(hands)
    except ImportError as error:
        missing = f"the network's layers and training were left out: {error}"
    with _one_torch_thread():
        times = _interleaved([*layers, *forms], tell)
    found: dict[str, Any] = {
        "machine": machine(),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "runs": RUNS,
        "layers": {layer.name: _summary(layer, times) for layer in layers},
        "forms": {layer.name.removeprefix("playout_"): _form_summary(layer, times) for layer in forms},
    }
    if missing:
        found["missing"] = missing
    else:
        tell("training loop")
        found["training_loop"] = training_loop(hands // 16)
    tell("starting processes")
    found["starts"] = starts(first=not quick)
    return found


def machine() -> dict[str, Any]:
    """Return what this machine and its software are."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {"processor": _processor(), "usable_processors": usable, "load_before": load, "versions": versions}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


@contextlib.contextmanager
def _one_torch_thread() -> Iterator[None]:
    """Let torch compute with one thread, as in training."""
    try:
        import torch
    except ImportError:
        yield
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _interleaved(layers: Sequence[Layer], tell: Callable[[str], None]) -> dict[str, list[tuple[float, float]]]:
    """Run all layers in turn, once to compile and then RUNS times; return rates by CPU and by wall seconds."""
    rates: dict[str, list[tuple[float, float]]] = {layer.name: [] for layer in layers}
    for turn in range(RUNS + 1):
        tell(f"run {turn} of {RUNS}" if turn else "compiling")
        for layer in layers:
            clock = Clock()
            units = layer.work(clock)
            if turn:
                rates[layer.name].append((units / clock.cpu, units / clock.wall))
    return rates


def _summary(layer: Layer, times: dict[str, list[tuple[float, float]]]) -> dict[str, Any]:
    cpu, wall = zip(*times[layer.name], strict=True)
    found: dict[str, Any] = {
        "what": layer.what,
        "unit": layer.unit,
        "per_cpu_second": statistics.median(cpu),
        "per_second": statistics.median(wall),
        "slowest_and_fastest_per_cpu_second": [min(cpu), max(cpu)],
    }
    if layer.limit:
        column = 1 if "threads" in layer.name else 0
        ratios = [own[column] / limit[column] for own, limit in zip(times[layer.name], times[layer.limit], strict=True)]
        found |= {"limit": layer.limit, "share_of_limit": statistics.median(ratios)}
    return found


def _form_summary(layer: Layer, times: dict[str, list[tuple[float, float]]]) -> dict[str, Any]:
    """Return a game's playout; its ratio to the classic game's takes the place of the share of a limit."""
    found = _summary(layer, times)
    del found["limit"]
    found["ratio_to_classic"] = found.pop("share_of_limit")
    return found


def training_loop(hands: int) -> dict[str, Any]:
    """Run the real training loop for some steps on one thread, and return where its time goes."""
    from minchiate_rl.experiments import recipes
    from minchiate_rl.experiments.folder import RunFolder
    from minchiate_rl.experiments.runs import Run, Status

    told: list[dict[str, Any]] = []

    def note(status: Status) -> None:
        if status.metrics:
            told.append(dict(status.metrics))

    recipe = recipes.recipe("classic").replace(
        steps=RUNS + 1, hands=max(64, hands), eval_opponents=[], imitation_steps=0, eval_steps=10**6, final_deals=2
    )
    with tempfile.TemporaryDirectory() as name:
        folder = RunFolder.create(Path(name), recipe)
        try:
            Run(folder, recipe, threads=1).train(note)
        finally:
            folder.close()
    steps = [_shares(metrics) for metrics in told[1:]]
    return {
        "what": f"steps of {recipe.hands} hands from self-play to update, one thread, the first left out",
        **{name: statistics.median(step[name] for step in steps) for name in steps[0]},
    }


def _shares(metrics: dict[str, Any]) -> dict[str, float]:
    """Return rates of a training step, and the shares of its seconds that go to the network and to the rest."""
    total = metrics["choices"] / metrics["choices_per_second"]
    overhead = sum(metrics.get(f"seconds_{stage}", 0.0) for stage in OVERHEAD)
    network = sum(metrics.get(f"seconds_{stage}", 0.0) for stage in NETWORK)
    return {
        "hands_per_second": metrics["hands_per_second"],
        "choices_per_second": metrics["choices_per_second"],
        "share_of_network": network / total,
        "share_of_environment_encoding_bookkeeping": overhead / total,
        "share_of_the_rest": (total - overhead - network) / total,
    }


def starts(first: bool) -> dict[str, Any]:
    """Time new processes by the wall: the bare import, a first hand with cached kernels, and one that compiles all."""
    bare, imported, hand = (
        [_process(code) for _ in range(RUNS)] for code in ("pass", "import minchiate_rl", _ONE_HAND)
    )
    found: dict[str, Any] = {
        "import_seconds": statistics.median(imported) - statistics.median(bare),
        "cached_hand_seconds": statistics.median(hand),
    }
    if first:
        with tempfile.TemporaryDirectory() as folder:
            found["compiling_hand_seconds"] = _process(_ONE_HAND, {"MINCHIATE_CACHE_DIR": folder})
    return found


def _process(code: str, variables: dict[str, str] | None = None) -> float:
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | (variables or {}))
    return time.perf_counter() - begin
