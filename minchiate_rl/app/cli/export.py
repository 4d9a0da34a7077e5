"""Make an agent of a training run: the policy of its newest sound checkpoint, in a folder of its own.

The folder holds weights.safetensors, with the policy alone, and agent.json, which names the rule set, the sizes of the
network, and under `about` the recipe, its seed, and the minutes, steps and hands of training; --about adds to these.
The run may still be going on. The last line that is printed is the spec by which the agent plays.

Examples:
  minchiate export runs/first --out agents/first
  minchiate export runs/first --out agents/first --about author=Ginori --about "machine=AMD EPYC, 2 cores"
"""

import argparse
from pathlib import Path

from minchiate_rl.app import terminal
from minchiate_rl.app.arguments import note
from minchiate_rl.errors import AgentError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `minchiate export`."""
    parser.add_argument("run", metavar="RUN", help="the folder of a training run")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="the agent's folder; it must not be there yet")
    parser.add_argument(
        "--about", action="append", default=[], type=note, metavar="KEY=VALUE", help="a further field of agent.json"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Write the folder and print the spec that plays it."""
    from minchiate_rl.experiments.export import export, spec_of

    about: dict[str, str] = {}
    for key, value in args.about:
        if key in about:
            raise AgentError(f"--about {key}: is given twice")
        about[key] = value
    folder = Path(args.out)
    told, spec = export(Path(args.run), folder, about), spec_of(folder)
    if args.json:
        terminal.emit({"folder": str(folder), "spec": spec, "about": told})
        return 0
    terminal.say(
        f"{folder}: the policy of {args.run} after {told['steps']:,} steps, {told['hands']:,} hands and "
        f"{told['minutes']:.1f} minutes, recipe {told['recipe']}, seed {told['seed']}"
    )
    terminal.say(spec)
    return 0
