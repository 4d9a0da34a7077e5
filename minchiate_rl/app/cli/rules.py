"""Show the rule sets, or every switch of one of them.

NAME is a rule set in envs/ or the path of a TOML file of your own. docs/rules.md, section 7.5, explains the switches.

Examples:
  minchiate rules
  minchiate rules classic
  minchiate rules solo_fola
  minchiate rules my_rules.toml --json
"""

import argparse
from typing import TYPE_CHECKING, Any

from minchiate_rl.app import terminal

if TYPE_CHECKING:
    from minchiate_rl.game.rules import RuleSet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `minchiate rules`."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="a rule set; all of them are listed without it")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """List the rule sets, or show one."""
    from minchiate_rl.game.rules import ruleset, rulesets

    if args.name is None:
        _list([ruleset(name) for name in rulesets()], args.json)
    else:
        _show(ruleset(args.name), args.json)
    return 0


def _list(rules: "list[RuleSet]", as_json: bool) -> None:
    if as_json:
        terminal.emit([_facts(each) for each in rules])
        return
    rows = [[each.name, each.game, each.n_seats, each.title] for each in rules]
    terminal.table(["rule set", "game", "players", "what it is"], rows)


def _facts(rules: "RuleSet") -> dict[str, Any]:
    """Return everything about a rule set, ready for JSON."""
    return {
        "name": rules.name,
        "title": rules.title,
        "game": rules.game,
        "sources": list(rules.sources),
        "seats": rules.n_seats,
        "sides": rules.n_sides,
        "cards": len(rules.cards),
        "tricks": rules.n_tricks if rules.form.decisions else 0,
        "decisions": rules.form.decisions,
        "num_actions": rules.num_actions if rules.form.decisions else 0,
        "switches": rules.switches,
    }


def _show(rules: "RuleSet", as_json: bool) -> None:
    from minchiate_rl.game.rules import allowed_values

    if as_json:
        terminal.emit(_facts(rules))
        return
    rows = [[name, _text(value), _allowed(allowed_values(rules.game, name))] for name, value in rules.switches.items()]
    terminal.table(["switch", "value", "allowed"], rows, title=f"{rules.name}: {rules.title}")
    terminal.say(_sentence(rules))
    for source in rules.sources:
        terminal.say(f"source: {source}")


def _sentence(rules: "RuleSet") -> str:
    """Return what a hand of the game is made of, in one line."""
    if not rules.form.decisions:
        return f"game: {rules.game}; {rules.n_seats} players, {rules.n_tricks} cards each, no decisions"
    sides = "each for himself" if rules.form.for_himself else "two sides"
    return f"game: {rules.game}; {rules.n_seats} players, {sides}, {len(rules.cards)} cards, {rules.n_tricks} tricks"


def _allowed(values: tuple[Any, ...] | range) -> str:
    if isinstance(values, range) and len(values) > 1:
        return f"{values[0]} to {values[-1]}"
    return ", ".join(map(_text, values))


def _text(value: object) -> str:
    """Return a value as a TOML file has it, texts without their quotes."""
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
