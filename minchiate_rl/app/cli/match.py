"""Play a duplicate match of two agents, and say how far the first is ahead of the second.

Each deal is played twice with the sides changed, dealers in turn; where everybody plays for himself it is played in
every seating of the two names, and an agent's points are the mean of its seats' net points. The interval of 95% takes
the deal as its unit. The same seed gives the same deals, and from agents that run in kernels the same result to the
last digit. Policies play their best action.

--format plays whole matches instead of single hands, each in every seating: a girata (four hands with the same
partners), a girone (three girate, one for each pairing; each agent has two of the four players), or a game of
Piedicavallo. Then --deals counts matches, and resti are those of a player in a match.

Examples:
  minchiate match heuristic random --deals 2000 --seed 1
  minchiate match policy:runs/demo heuristic --deals 500 --seed 1 --threads 2
  minchiate match heuristic greedy --deals 100 --seed 7 --json
  minchiate match heuristic random --rules solo --set withdraw_fee=40 --deals 200
  minchiate match heuristic greedy --format girone --deals 200
  minchiate match heuristic mute --rules piedicavallo --format game --deals 100
"""

import argparse
from typing import TYPE_CHECKING, Any

from minchiate_rl.app import terminal
from minchiate_rl.app.arguments import count, seed, switch, threads

if TYPE_CHECKING:
    from minchiate_rl.game.rules import RuleSet
    from minchiate_rl.matches.intervals import Interval
    from minchiate_rl.matches.match import MatchResult
    from minchiate_rl.matches.series import SeriesResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `minchiate match`."""
    parser.add_argument("a", metavar="A", help="an agent (`minchiate agents` lists them)")
    parser.add_argument("b", metavar="B", help="the other agent")
    parser.add_argument(
        "--format",
        choices=("hand", "girata", "girone", "game"),
        default="hand",
        metavar="FORMAT",
        help="what is played: hand, girata, girone, or game (Piedicavallo) (default: hand)",
    )
    add_match_arguments(parser)


def add_match_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that matches and tournaments share."""
    parser.add_argument("--deals", type=count, default=1000, metavar="N", help="how many deals (default: 1000)")
    parser.add_argument("--seed", type=seed, default=0, metavar="S", help="which deals (default: 0)")
    parser.add_argument("--rules", default="classic", metavar="NAME", help="the rule set, or a file (default: classic)")
    parser.add_argument(
        "--set", type=switch, action="append", default=[], metavar="SWITCH=VALUE", help="change a switch of it"
    )
    parser.add_argument("--threads", type=threads, default=1, metavar="T", help="threads (default: 1)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def rules_of(args: argparse.Namespace) -> "RuleSet":
    """Return the rule set that the arguments name.

    Raises:
        RulesError: there is none, or a switch is not allowed.
    """
    from minchiate_rl.game.rules import ruleset

    return ruleset(args.rules).replace(**dict(args.set))


def told_rules(rules: "RuleSet") -> str:
    """Return the name of a rule set with the switches that differ from it, as text."""
    return " ".join([rules.name, *(f"{switch}={value}" for switch, value in rules.flags.items())])


def span(interval: "Interval | None", digits: int = 2) -> str:
    """Return an interval as text."""
    return "none from one deal" if interval is None else f"{interval[0]:+.{digits}f} to {interval[1]:+.{digits}f}"


def run(args: argparse.Namespace) -> int:
    """Play the match and print its result."""
    from minchiate_rl.matches.match import play_match
    from minchiate_rl.matches.series import play_series

    rules = rules_of(args)
    with terminal.counting(args.deals, f"{args.a} against {args.b}", args.json) as progress:
        settings = (args.deals, args.seed, rules, args.threads, progress)
        if args.format == "hand":
            result: MatchResult | SeriesResult = play_match(args.a, args.b, *settings)
        else:
            result = play_series((args.a, args.b), args.format, *settings)
    if args.json:
        terminal.emit(result.to_json())
    else:
        _show(result)
    return 0


def _show(result: "MatchResult | SeriesResult") -> None:
    found = result.to_json()
    title = f"{result.a} over {result.b}"
    if "format" in found:
        rows = _series_rows(found)
        what = f"{result.hands:,} hands in {found['matches']:,} duplicate matches ({found['format']})"
    else:
        rows = _match_rows(found)
        what = f"{found['deals']:,} duplicate deals"
    terminal.table(["", title, "95% interval"], rows, f"{what}, {told_rules(result.form)} rules")
    terminal.say(_verdict(result))
    terminal.say(
        f"{result.hands:,} hands in {result.seconds:.1f} s, {result.decisions_per_second:,.0f} decisions a second"
    )


Row = tuple[str, str, str]


def _points(name: str, found: dict[str, Any]) -> Row:
    return name, f"{found['mean_difference']:+.2f}", span(found["interval"])


def _match_rows(found: dict[str, Any]) -> list[Row]:
    rows = [
        _points("points a hand", found),
        ("resti a hand", f"{found['resti_difference']:+.3f}", span(found["resti_interval"], 3)),
    ]
    for role, name in (("dealer_side", "the dealer's side"), ("eldest_side", "the eldest's side")):
        if role in found:
            rows.append(_points(f"points on {name}", found[role]))
    for seats, part in found.get("by_seats", {}).items():
        rows.append(_points(f"points with {seats} seat{'s' if seats != '1' else ''}", part))
    return rows + [(f"{unit} won", f"{found['win_share'][unit]:.1%}", "") for unit in ("deals", "hands")]


def _series_rows(found: dict[str, Any]) -> list[Row]:
    rows = [_points("points a hand", found)]
    if "resti_per_player" in found:
        name = f"resti a player and {found['format']}"
        rows.append((name, f"{found['resti_per_player']:+.3f}", span(found["resti_interval"], 3)))
    won = found["matches_won_interval"]
    shares = "none from one match" if won is None else f"{won[0]:.1%} to {won[1]:.1%}"
    return [*rows, ("matches won", f"{found['matches_won']:.1%}", shares)]


def _verdict(result: "MatchResult | SeriesResult") -> str:
    interval = result.interval
    if interval is None or interval[0] <= 0.0 <= interval[1]:
        return f"{result.a} and {result.b} are not separated by these deals."
    winner, loser = (result.a, result.b) if interval[0] > 0.0 else (result.b, result.a)
    return f"{winner} is ahead of {loser}."
