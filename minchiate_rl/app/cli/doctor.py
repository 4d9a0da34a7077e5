"""Say whether this installation is sound: versions, processor, threads, cache, content, and a hand played twice.

The hand is played by the engine and replayed by the plain reference, which must agree. The time of the first hand is
that of compiling the kernels, or of loading them from the cache. Exit status 1 if anything is unsound.

Examples:
  minchiate doctor
  minchiate doctor --json
"""

import argparse
import os
import platform
import time
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from minchiate_rl.app import terminal

_PACKAGES: Final = ("numpy", "numba", "torch", "gymnasium", "pettingzoo", "tensorboard", "safetensors", "rich")
_FEATURES: Final = ("avx2", "avx512f", "bmi2", "neon")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `minchiate doctor`."""
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Examine the installation and tell what was found."""
    found: dict[str, Any] = {
        "versions": _versions(),
        "processor": _processor(),
        "threads": _threads(),
        "cache": _cache(),
        "content": _content(),
        "hand": _hand(),
    }
    problems = [*found["content"].pop("problems"), *found["hand"].pop("problems")]
    found |= {"problems": problems, "sound": not problems}
    if args.json:
        terminal.emit(found)
    else:
        rows = [(part, name, _text(value)) for part in list(found)[:6] for name, value in found[part].items()]
        terminal.table(["", "what", "found"], rows)
        for problem in problems:
            terminal.say(f"unsound: {problem}")
        terminal.say("This installation is unsound." if problems else "This installation is sound.")
    return 1 if problems else 0


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _versions() -> dict[str, str]:
    from minchiate_rl import __version__

    found = {"minchiate_rl": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def _processor() -> dict[str, Any]:
    from llvmlite import binding

    features = binding.get_host_cpu_features()
    return {
        "machine": platform.machine(),
        "name": binding.get_host_cpu_name(),
        "features": [name for name in _FEATURES if features.get(name)],
        "cuda": _cuda(),
    }


def _cuda() -> str:
    import torch

    return torch.cuda.get_device_name(0) if torch.cuda.is_available() else "none"


def _threads() -> dict[str, int]:
    import torch

    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {"processors": usable, "torch": torch.get_num_threads()}


def _cache() -> dict[str, str]:
    from minchiate_rl.game.engine import jit

    if jit.CACHE_FOLDER is None:
        return {"folder": "none that can be written: kernels are compiled anew in every process"}
    kept = "kernels kept from before" if any(jit.CACHE_FOLDER.rglob("*.nbi")) else "empty: kernels are compiled now"
    return {"folder": str(jit.CACHE_FOLDER), "state": kept}


def _content() -> dict[str, Any]:
    from minchiate_rl import content
    from minchiate_rl.errors import RulesError
    from minchiate_rl.game.rules import ruleset, rulesets

    names, problems = rulesets(), []
    for name in names:
        try:
            ruleset(name)
        except RulesError as error:
            problems.append(str(error))
    if "classic" not in names:
        problems.append(f"the rule set 'classic' is missing in {content.folder('envs')}")
    recipes = list(content.tomls("experiments"))
    return {"root": str(content.root()), "rule sets": names, "recipes": recipes, "problems": problems}


def _hand() -> dict[str, Any]:
    start = time.perf_counter()
    from minchiate_rl.game.record import random_records, verify
    from minchiate_rl.game.rules import ruleset

    record = next(iter(random_records(ruleset("classic"), 1, 0)))
    first = time.perf_counter() - start
    faults = [f"a hand replayed: {fault}" for fault in verify(record)]
    return {
        "engine": f"first hand after {first:.1f} s, compiling or loading included",
        "reference": "disagrees" if faults else "agrees",
        "result": f"score {record['result']['score']}, resti {record['result']['resti']}",
        "problems": faults,
    }
