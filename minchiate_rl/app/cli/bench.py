"""Time every layer on this machine: engine, views, environments, agents, networks, training, starting up, all games.

Rates are medians of five interleaved runs, by seconds of one processor and by the wall. The limits are measured in the
same runs: a bare trick loop for the engine, bare matrix products for the network. Random actions are made outside the
clock. On a busy machine trust the processor seconds, and two threads show less than they can.

Examples:
  minchiate bench
  minchiate bench --quick
  minchiate bench --json > speed.json
"""

import argparse
from typing import Any

from minchiate_rl.app import terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `minchiate bench`."""
    parser.add_argument("--quick", action="store_true", help="smaller runs, and nothing is compiled anew")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Time everything and print what was found."""
    from minchiate_rl.experiments.bench import bench

    found = bench(args.quick, terminal.note if not args.json else lambda text: None)
    if args.json:
        terminal.emit(found)
    else:
        _show(found)
    return 0


def _show(found: dict[str, Any]) -> None:
    machine = found["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    terminal.say(f"{machine['processor']}, {machine['usable_processors']} processors to use; {versions}")
    terminal.say(f"{found['date']}, load before {machine['load_before']}, medians of {found['runs']} interleaved runs")
    rows = [
        (name, layer["what"], layer["unit"], _rate(layer["per_cpu_second"]), _rate(layer["per_second"]), _share(layer))
        for name, layer in found["layers"].items()
    ]
    terminal.table(["layer", "what", "unit", "a CPU second", "a second", "of the limit"], rows)
    forms = [
        (name, _rate(form["per_cpu_second"]), _rate(form["per_second"]), f"{form['ratio_to_classic']:.2f}")
        for name, form in found["forms"].items()
    ]
    columns = ["game", "decisions a CPU second", "decisions a second", "times classic"]
    terminal.table(columns, forms, "complete random hands of the other games, beside `playout`")
    if "missing" in found:
        terminal.say(found["missing"])
    if "training_loop" in found:
        loop = found["training_loop"]
        shares = [(name.removeprefix("share_of_").replace("_", " "), loop[name]) for name in loop if "share" in name]
        terminal.say(
            f"training loop: {loop['hands_per_second']:.0f} hands, {loop['choices_per_second']:,.0f} choices a second; "
            + ", ".join(f"{name} {share:.0%}" for name, share in shares)
        )
    for name, seconds in found["starts"].items():
        terminal.say(f"{name.removesuffix('_seconds').replace('_', ' ')}: {seconds:.2f} s")


def _rate(rate: float) -> str:
    return f"{rate / 1e6:.2f} M" if rate >= 1e6 else f"{rate:,.0f}"


def _share(layer: dict[str, Any]) -> str:
    if "limit" not in layer:
        return ""
    if layer["limit"] == "playout_dealt":
        return f"{layer['share_of_limit']:.2f} times one thread"
    return f"{layer['share_of_limit']:.0%} of {layer['limit']}"
