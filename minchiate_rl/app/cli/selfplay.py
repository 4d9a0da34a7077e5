"""Play hands between agents and write them as records, one JSON object a line (docs/records.md).

One agent plays all seats, two play the sides in turn (the first sits at 0 and 2, the second at 1 and 3), or four are
named, one a seat. The same seed gives the same hands and, from agents that run in kernels, the same records.

Examples:
  minchiate selfplay --agents heuristic --hands 100 --seed 7 --out hands.jsonl
  minchiate selfplay --agents heuristic random --hands 10000 --seed 1 --out hands.jsonl --json
  minchiate selfplay --agents policy:runs/demo heuristic greedy random --hands 10 --seed 1 --out hands.jsonl
"""

import argparse
import time
from typing import TYPE_CHECKING, Any, Final, TextIO

from minchiate_rl.app import terminal
from minchiate_rl.app.arguments import count, seed
from minchiate_rl.app.output import whole_file
from minchiate_rl.errors import AgentError

if TYPE_CHECKING:
    from minchiate_rl.game.rules import RuleSet

_BATCH: Final = 4096


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `minchiate selfplay`."""
    parser.add_argument("--agents", nargs="+", required=True, metavar="AGENT", help="one, two or four agents")
    parser.add_argument("--rules", default="classic", metavar="NAME", help="the rule set (default: classic)")
    parser.add_argument("--hands", type=count, required=True, metavar="N", help="how many hands")
    parser.add_argument("--seed", type=seed, default=0, metavar="S", help="which hands (default: 0)")
    parser.add_argument("--out", required=True, metavar="FILE", help="the file to write, usually ….jsonl")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def seats_of(specs: list[str]) -> list[str]:
    """Return the agent spec of each seat.

    Raises:
        AgentError: neither one, nor two, nor four agents.
    """
    if len(specs) not in {1, 2, 4}:
        raise AgentError(f"{len(specs)} agents are named; allowed: one for all seats, two for the sides, or four")
    return [specs[seat % len(specs)] for seat in range(4)]


def run(args: argparse.Namespace) -> int:
    """Play, write the records, and tell what came out."""
    from minchiate_rl.game.rules import ruleset

    players = seats_of(args.agents)
    rules = ruleset(args.rules)
    start = time.perf_counter()
    with whole_file(args.out) as file:
        totals = _play_all(rules, players, args.hands, args.seed, file)
    seconds = time.perf_counter() - start
    mean = [points / args.hands for points in totals["score"]]
    if args.json:
        summary = {"rules": rules.name, "players": players, "hands": args.hands, "seed": args.seed, "out": args.out}
        summary |= {"mean_score": mean, "resti": totals["resti"], "tricks": totals["tricks"], "seconds": seconds}
        terminal.emit(summary)
        return 0
    rows = [
        (f"{players[side]} + {players[side + 2]}", mean[side], totals["resti"][side], totals["tricks"][side])
        for side in range(2)
    ]
    terminal.table(["side", "points a hand", "resti", "tricks"], rows)
    terminal.say(f"{args.hands:,} hands in {seconds:.1f} s, written to {args.out}")
    return 0


def _play_all(rules: "RuleSet", players: list[str], hands: int, key: int, file: TextIO) -> dict[str, list[int]]:
    import numpy as np

    from minchiate_rl.agents import registry
    from minchiate_rl.game.record import record_of, write_record
    from minchiate_rl.matches.play import play
    from minchiate_rl.views.batch import Batch

    made: dict[str, Any] = {spec: registry.make(spec) for spec in dict.fromkeys(players)}
    totals = {"score": np.zeros(2, np.int64), "resti": np.zeros(2, np.int64), "tricks": np.zeros(2, np.int64)}
    for first in range(0, hands, _BATCH):
        batch = Batch(rules, min(_BATCH, hands - first), seed=key, first_hand=first)
        play(batch, [made[spec] for spec in players])
        for i in range(batch.num_games):
            file.write(write_record(record_of(batch, i, players)) + "\n")
        for name, total in totals.items():
            total += getattr(batch, name).sum(axis=0)
    return {name: total.tolist() for name, total in totals.items()}
