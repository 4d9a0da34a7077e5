"""Play a duplicate match of two agents, and say how far the first is ahead of the second.

Each deal is played twice with the sides changed, dealers in turn; the interval of 95% takes the deal as its unit. The
same seed gives the same deals, and from agents that run in kernels the same result to the last digit. Policies play
their best action.

Examples:
  minchiate match heuristic random --deals 2000 --seed 1
  minchiate match policy:runs/demo heuristic --deals 500 --seed 1 --threads 2
  minchiate match heuristic greedy --deals 100 --seed 7 --json
"""

import argparse
from typing import TYPE_CHECKING

from minchiate_rl.app import terminal
from minchiate_rl.app.arguments import count, seed, threads

if TYPE_CHECKING:
    from minchiate_rl.matches.intervals import Interval
    from minchiate_rl.matches.match import MatchResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `minchiate match`."""
    parser.add_argument("a", metavar="A", help="an agent (`minchiate agents` lists them)")
    parser.add_argument("b", metavar="B", help="the other agent")
    add_match_arguments(parser)


def add_match_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that matches and tournaments share."""
    parser.add_argument("--deals", type=count, default=1000, metavar="N", help="how many deals (default: 1000)")
    parser.add_argument("--seed", type=seed, default=0, metavar="S", help="which deals (default: 0)")
    parser.add_argument("--rules", default="classic", metavar="NAME", help="the rule set (default: classic)")
    parser.add_argument("--threads", type=threads, default=1, metavar="T", help="threads (default: 1)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def span(interval: "Interval | None", digits: int = 2) -> str:
    """Return an interval as text."""
    return "none from one deal" if interval is None else f"{interval[0]:+.{digits}f} to {interval[1]:+.{digits}f}"


def run(args: argparse.Namespace) -> int:
    """Play the match and print its result."""
    from minchiate_rl.matches.match import play_match

    with terminal.counting(args.deals, f"{args.a} against {args.b}", args.json) as progress:
        result = play_match(args.a, args.b, args.deals, args.seed, args.rules, args.threads, progress)
    if args.json:
        terminal.emit(result.to_json())
    else:
        _show(result)
    return 0


def _show(result: "MatchResult") -> None:
    found = result.to_json()
    rows = [
        ("points a hand", f"{found['mean_difference']:+.2f}", span(found["interval"])),
        ("resti a hand", f"{found['resti_difference']:+.3f}", span(found["resti_interval"], 3)),
    ]
    for role, name in (("dealer_side", "the dealer's side"), ("eldest_side", "the eldest's side")):
        rows.append((f"points on {name}", f"{found[role]['mean_difference']:+.2f}", span(found[role]["interval"])))
    rows += [(f"{unit} won", f"{found['win_share'][unit]:.1%}", "") for unit in ("deals", "hands")]
    title = f"{result.a} over {result.b}"
    terminal.table(["", title, "95% interval"], rows, f"{result.deals:,} duplicate deals, {result.rules} rules")
    terminal.say(_verdict(result))
    terminal.say(
        f"{result.hands:,} hands in {result.seconds:.1f} s, {result.decisions_per_second:,.0f} decisions a second"
    )


def _verdict(result: "MatchResult") -> str:
    interval = result.interval
    if interval is None or interval[0] <= 0.0 <= interval[1]:
        return f"{result.a} and {result.b} are not separated by these deals."
    winner, loser = (result.a, result.b) if interval[0] > 0.0 else (result.b, result.a)
    return f"{winner} is ahead of {loser}."
