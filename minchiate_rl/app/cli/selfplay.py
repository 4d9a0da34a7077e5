"""Play hands between agents and write them as records, one JSON object a line (docs/records.md).

One agent plays all seats, or one is named for each side, in turn, or one for each seat. The same seed gives the same
hands and, from agents that run in kernels, the same records. `--rules` takes any rule set, or a TOML file of your own,
and `--set` changes a switch of it. In Piedicavallo `--hands` counts deals; those of one game share a match name. In
a game without decisions agents are names; what each seat can expect is printed at the end.

Examples:
  minchiate selfplay --agents heuristic --hands 100 --seed 7 --out hands.jsonl
  minchiate selfplay --agents heuristic random --hands 10000 --seed 1 --out hands.jsonl --json
  minchiate selfplay --agents policy:runs/demo heuristic greedy random --hands 10 --seed 1 --out hands.jsonl
  minchiate selfplay --agents random --rules three --set demonio=true --hands 20 --seed 3 --out three.jsonl
  minchiate selfplay --agents random --rules palio --set players=6 --hands 1000 --seed 3 --out palio.jsonl
"""

import argparse
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from minchiate_rl.app import terminal
from minchiate_rl.app.arguments import count, seed, switch
from minchiate_rl.app.output import whole_file

if TYPE_CHECKING:
    from minchiate_rl.game.rules import RuleSet
    from minchiate_rl.matches.chances import SeatChance

_SUMS: Final = ("score", "net", "resti", "tricks")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `minchiate selfplay`."""
    parser.add_argument("--agents", nargs="+", required=True, metavar="AGENT", help="one, one a side, or one a seat")
    parser.add_argument("--rules", default="classic", metavar="NAME", help="the rule set (default: classic)")
    parser.add_argument(
        "--set", type=switch, action="append", default=[], metavar="SWITCH=VALUE", help="change a switch of it"
    )
    parser.add_argument("--hands", type=count, required=True, metavar="N", help="how many hands")
    parser.add_argument("--seed", type=seed, default=0, metavar="S", help="which hands (default: 0)")
    parser.add_argument("--out", required=True, metavar="FILE", help="the file to write, usually ….jsonl")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Play, write the records, and tell what came out."""
    from minchiate_rl.experiments.selfplay import played_records, seats_of
    from minchiate_rl.game.record import write_record
    from minchiate_rl.game.rules import ruleset

    rules = ruleset(args.rules).replace(**dict(args.set))
    players = seats_of(args.agents, rules)
    start = time.perf_counter()
    tally = _Tally(rules)
    with whole_file(args.out) as file:
        for record in played_records(rules, players, args.hands, args.seed):
            file.write(write_record(record) + "\n")
            tally.add(record["result"])
    summary = {"rules": rules.name, "flags": rules.flags, "players": players, "hands": args.hands, "seed": args.seed}
    summary |= {"out": args.out, **tally.summary(), "seconds": time.perf_counter() - start}
    chances = _chances(rules, args.hands, args.seed)
    if args.json:
        terminal.emit(summary if chances is None else {**summary, "chances": _told(chances)})
        return 0
    if chances is None:
        _show(rules, players, summary)
    else:
        _show_chances(players, chances)
    terminal.say(f"{args.hands:,} hands in {summary['seconds']:.1f} s, written to {args.out}")
    return 0


class _Tally:
    """The sums over all hands, by side, and the games that they made."""

    def __init__(self, rules: "RuleSet") -> None:
        self.rules = rules
        self.hands = 0
        self.sums: dict[str, list[int]] = defaultdict(lambda: [0] * rules.n_sides)
        self.game: list[dict[str, Any]] = []
        self.won = [0, 0, 0]

    def add(self, result: dict[str, Any]) -> None:
        """Add the result of one hand."""
        from minchiate_rl.experiments.selfplay import is_over, lead_of, makes_games

        self.hands += 1
        for name in _SUMS:
            if name in result:
                self.sums[name] = [had + more for had, more in zip(self.sums[name], result[name], strict=True)]
        if makes_games(self.rules):
            self.game.append(result)
            if is_over(self.rules, self.game):
                lead = lead_of(self.rules, self.game)
                self.won[0 if lead > 0 else 1 if lead < 0 else 2] += 1
                self.game = []

    def summary(self) -> dict[str, Any]:
        """Return the sums, and the means of the points."""
        from minchiate_rl.experiments.selfplay import makes_games

        told: dict[str, Any] = {}
        for name, total in self.sums.items():
            if name in {"score", "net"}:
                told[f"mean_{name}"] = [points / self.hands for points in total]
            else:
                told[name] = total
        if makes_games(self.rules):
            told["games"] = {"won": self.won[:2], "level": self.won[2]}
        if self.rules.girata_bonus:
            told["bonus"] = [self.rules.girata_bonus * won for won in self.won[:2]]
        return told


def _show(rules: "RuleSet", players: list[str], summary: dict[str, Any]) -> None:
    n = rules.n_sides
    columns = {"points a hand": "mean_score", "net a hand": "mean_net", "resti": "resti", "tricks": "tricks"}
    present = {title: field for title, field in columns.items() if field in summary}
    names = [" + ".join(players[side::n]) for side in range(n)]
    rows = [[side, names[side], *(summary[field][side] for field in present.values())] for side in range(n)]
    terminal.table(["side" if n < rules.n_seats else "seat", "agents", *present], rows)
    if "games" in summary:
        first, second = summary["games"]["won"]
        told = f"games won: {first} and {second}, level: {summary['games']['level']}"
        if "bonus" in summary:
            told += f"; {summary['bonus'][0]} and {summary['bonus'][1]} resti of bonus for girate besides"
        terminal.say(told)


def _chances(rules: "RuleSet", hands: int, key: int) -> "list[SeatChance] | None":
    """Return what each seat can expect of the pool; None in a game with decisions."""
    if rules.form.decisions:
        return None
    from minchiate_rl.matches.chances import seat_chances

    return seat_chances(rules, hands, key)


def _told(chances: "list[SeatChance]") -> list[dict[str, Any]]:
    return [{"seat": each.seat, "share": each.share, "interval": each.interval} for each in chances]


def _show_chances(players: list[str], chances: "list[SeatChance]") -> None:
    rows = []
    for each in chances:
        span = "none from one hand" if each.interval is None else "{:.2%} to {:.2%}".format(*each.interval)
        rows.append([each.seat, players[each.seat], f"{each.share:.2%}", span])
    terminal.table(["seat", "player", "share of the pool", "95% interval"], rows)
