"""Show the agents that can play, with the options that each takes.

Anchors are the players that ratings are measured against.
An agent is named by a spec, NAME:ARGUMENT,OPTION=VALUE, everywhere: in matches, self-play, recipes and environments.

Examples:
  minchiate agents
  minchiate agents --json
"""

import argparse

from minchiate_rl.app import terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `minchiate agents`."""
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """List the agents of the registry."""
    from minchiate_rl.agents import registry
    from minchiate_rl.agents.anchors import ANCHORS, anchors_of

    listed = registry.describe()
    if args.json:
        told = [{"name": entry.name, "spec": entry.form, "about": entry.about} for entry in listed]
        terminal.emit([{**each, "anchors": anchors_of(each["name"])} for each in told])
    else:
        terminal.table(["agent", "what it does"], [[entry.form, entry.about] for entry in listed])
        anchors = ", ".join(f"{spec} ({version})" for spec, version in ANCHORS.items())
        terminal.say(f"Anchors, whose play never changes, with their versions: {anchors}")
    return 0
