"""Show the rule sets, or every switch of one of them.

NAME is a rule set in envs/ or the path of a TOML file of your own. docs/rules.md, section 7.5, explains the switches.

Examples:
  minchiate rules
  minchiate rules classic
  minchiate rules my_rules.toml --json
"""

import argparse

from minchiate_rl.app import terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `minchiate rules`."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="a rule set; all of them are listed without it")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """List the rule sets, or show one."""
    from minchiate_rl.game.rules import CHOICES, ruleset, rulesets

    if args.name is None:
        listed = [ruleset(name) for name in rulesets()]
        if args.json:
            terminal.emit([{"name": rules.name, "title": rules.title} for rules in listed])
        else:
            terminal.table(["rule set", "what it is"], [[rules.name, rules.title] for rules in listed])
        return 0
    rules = ruleset(args.name)
    if args.json:
        terminal.emit(
            {
                "name": rules.name,
                "title": rules.title,
                "sources": list(rules.sources),
                "num_actions": rules.num_actions,
                "switches": rules.switches,
            }
        )
        return 0
    rows = [[name, _text(value), ", ".join(map(_text, CHOICES[name]))] for name, value in rules.switches.items()]
    terminal.table(["switch", "value", "allowed in this version"], rows, title=f"{rules.name}: {rules.title}")
    for source in rules.sources:
        terminal.say(f"source: {source}")
    return 0


def _text(value: object) -> str:
    """Return a value as a TOML file has it, texts without their quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)
