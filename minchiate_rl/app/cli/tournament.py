"""Play all pairs of some agents on the same duplicate deals, and rank them.

Every pair plays the same deals, each twice with the sides changed (where everybody plays for himself, in every seating
of the two names). An agent's figure is its mean against the others,
with an interval of 95% by deals. --out writes report.html and results.json into a folder.

Examples:
  minchiate tournament random greedy heuristic --deals 500 --seed 1
  minchiate tournament random greedy heuristic --rules three --deals 100
  minchiate tournament policy:runs/demo random greedy heuristic --deals 500 --seed 1 --out runs/demo/tournament
"""

import argparse
import json
import shlex
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from minchiate_rl.app import terminal
from minchiate_rl.app.cli.match import add_match_arguments, rules_of, span, told_rules
from minchiate_rl.app.output import whole_file
from minchiate_rl.errors import RunError

if TYPE_CHECKING:
    from minchiate_rl.experiments.tournament import Tournament


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `minchiate tournament`."""
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="two agents or more")
    add_match_arguments(parser)
    parser.add_argument("--allow-cheater", action="store_true", help="let an agent in that sees the true deal")
    parser.add_argument("--out", metavar="FOLDER", help="a folder for report.html and results.json")


def run(args: argparse.Namespace) -> int:
    """Play the tournament, print its tables, and write the report."""
    from minchiate_rl.experiments.tournament import play_tournament

    rules = rules_of(args)
    folder = _folder(args.out)
    pairs = len(args.agents) * (len(args.agents) - 1) // 2
    with terminal.counting(args.deals * pairs, f"{pairs} pairs", args.json) as progress:
        result = play_tournament(args.agents, args.deals, args.seed, rules, args.threads, progress, args.allow_cheater)
    if folder is not None:
        _write(folder, result, args)
    if args.json:
        terminal.emit(result.to_json())
    else:
        _show(result)
        if folder is not None:
            terminal.say(f"The report is {folder / 'report.html'}")
    return 0


def _folder(name: str | None) -> Path | None:
    """Return the folder of the report, made where it is missing.

    Raises:
        RunError: it cannot be made.
    """
    if name is None:
        return None
    try:
        Path(name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"{name}: cannot be made: {error.strerror}") from None
    return Path(name)


def _write(folder: Path, result: "Tournament", args: argparse.Namespace) -> None:
    from minchiate_rl.experiments.report import html_report

    words = ["minchiate", "tournament", *args.agents, "--deals", str(args.deals), "--seed", str(args.seed)]
    words += ["--rules", args.rules] if args.rules != "classic" else []
    words += ["--allow-cheater"] if args.allow_cheater else []
    for name, value in args.set:
        words += ["--set", f"{name}={'none' if value is None else str(value).lower()}"]
    with whole_file(folder / "report.html") as file:
        file.write(html_report(result, shlex.join(words)))
    with whole_file(folder / "results.json") as file:
        json.dump(result.to_json(), file, indent=2, ensure_ascii=False)


def _show(result: "Tournament") -> None:
    standings = result.standings()
    order = [result.agents.index(standing.agent) for standing in standings]
    rows = [
        [s.agent, f"{s.mean_difference:+.1f}", span(s.interval, 1)] + [result.cell(i, j) for j in order]
        for s, i in zip(standings, order, strict=True)
    ]
    match = next(iter(result.matches.values()))
    columns = ["agent", "points a hand", "95% interval", *(f"over {result.agents[j]}" for j in order)]
    terminal.table(columns, rows, f"{match.deals:,} duplicate deals a pair, {told_rules(match.form)} rules")
    for better, worse in pairwise(standings):
        if not result.separated(result.agents.index(better.agent), result.agents.index(worse.agent)):
            terminal.say(f"{better.agent} and {worse.agent} are not separated by these deals.")
