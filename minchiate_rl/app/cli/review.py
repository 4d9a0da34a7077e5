"""Look at recorded hands again: which decisions gave up points, and what the result was made of.

Every decision with more than one legal action is judged by what its player could know: the moves are tried in worlds
that fit the view, and played out. The first half of the worlds chooses the better move, the second half measures how
many points it is ahead of the move played, with an interval of 95% of that difference.

Then each hand's result is split: the luck of the deal (the result if the judge played all seats), and what the
decisions of the seat, of its partner and of the opponents won or lost over that in the deal as it lay. The four add up
to the result. docs/review.md says how to read it.

--agent names the judge: heuristic (the default) or greedy try every legal move and play the hands out; with policy:PATH
or zoo:NAME the policy's leading moves and the move played are tried, and the heuristic plays out, or whoever --playout
names: a policy as strong as the judge judges better, and takes longer.

Exit status: 0 if the hands were reviewed, 2 if the file cannot be read, or a record is faulty or of another game.

Examples:
  minchiate review hands.jsonl
  minchiate review hands.jsonl --seat 0 --hand 3 --worlds 1000
  minchiate review hands.jsonl --agent policy:runs/demo --top 20 --json
  minchiate review hands.jsonl --agent zoo:champion --playout zoo:quick --worlds 100
"""

import argparse
import dataclasses
from typing import TYPE_CHECKING, Any

from minchiate_rl.app import terminal
from minchiate_rl.app.arguments import count, seed, threads, whole
from minchiate_rl.app.cli.match import span

if TYPE_CHECKING:
    from minchiate_rl.experiments.review import HandReview, Judgement


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `minchiate review`."""
    parser.add_argument("file", metavar="FILE.jsonl", help="records of the game minchiate, one JSON object a line")
    parser.add_argument("--agent", default="heuristic", metavar="A", help="the judge (default: heuristic)")
    parser.add_argument(
        "--playout", default="", metavar="A", help="who plays the worlds out: heuristic, greedy, random or a policy"
    )
    parser.add_argument("--hand", type=whole(0), metavar="K", help="the hands of this number alone")
    parser.add_argument("--seat", type=whole(0, 3), metavar="K", help="the decisions of this seat alone")
    parser.add_argument(
        "--worlds", type=whole(4, 10_000), default=200, metavar="N", help="worlds a decision (default: 200)"
    )
    parser.add_argument("--top", type=count, default=10, metavar="M", help="how many blunders to list (default: 10)")
    parser.add_argument("--seed", type=seed, default=0, metavar="S", help="which worlds (default: 0)")
    parser.add_argument("--threads", type=threads, default=1, metavar="N", help="threads (default: 1)")
    parser.add_argument("--json", action="store_true", help="print one JSON document, with every decision")


def run(args: argparse.Namespace) -> int:
    """Review the hands and print what was found."""
    from minchiate_rl.experiments.review import Reviewer, records_to_review, review_records

    reviewer = Reviewer(args.agent, args.worlds, args.seed, args.threads, args.playout)
    records = records_to_review(args.file, args.hand)
    with terminal.counting(len(records), args.file, args.json) as progress:
        hands = review_records(args.file, records, reviewer, args.seat, progress)
    if args.json:
        terminal.emit(_document(hands, args))
    else:
        _show(hands, args)
    return 0


def _document(hands: "list[HandReview]", args: argparse.Namespace) -> dict[str, Any]:
    from minchiate_rl.experiments.review import blunders, by_seat

    viewer = args.seat or 0
    worst = [
        {"line": hand.line, "hand": hand.hand, **dataclasses.asdict(judgement)}
        for hand, judgement in blunders(hands, args.top)
    ]
    return {
        "file": args.file,
        "agent": args.agent,
        "playout": args.playout,
        "worlds": args.worlds,
        "seed": args.seed,
        "seat": args.seat,
        "split_for_seat": viewer,
        "hands": [hand.to_json(viewer) for hand in hands],
        "seats": [dataclasses.asdict(each) for each in by_seat(hands)],
        "blunders": worst,
    }


def _show(hands: "list[HandReview]", args: argparse.Namespace) -> None:
    from minchiate_rl.experiments.review import blunders, by_seat

    judged = sum(len(hand.decisions) for hand in hands)
    rows = [_blunder(hand.hand, judgement) for hand, judgement in blunders(hands, args.top)]
    columns = ["hand", "action", "seat", "trick", "played", "better", "given up", "95% interval"]
    title = f"The worst of {judged:,} decisions, in points; {args.worlds} worlds each, judged by {args.agent}"
    if rows:
        terminal.table(columns, rows, title)
    else:
        terminal.say(f"No better move was found in {judged:,} decisions.")
    sums = [
        [str(s.seat), _player(hands, s.seat), s.decisions, s.clear_errors, f"{s.given_up:.1f}", f"{s.net:.1f}"]
        for s in by_seat(hands)
    ]
    names = ["seat", "player", "decisions", "clear errors", "given up a hand", "as measured"]
    terminal.table(names, sums, "Points given up by seat")
    viewer = args.seat or 0
    parts = ["luck", "own", "partner", "opponents", "result"]
    splits = [hand.split(viewer) for hand in hands]
    lines = [
        [str(hand.hand), *(f"{split[part]:+.1f}" for part in parts)] for hand, split in zip(hands, splits, strict=True)
    ]
    if len(hands) > 1:
        lines.append(["mean", *(f"{sum(split[part] for split in splits) / len(splits):+.1f}" for part in parts)])
    terminal.table(["hand", *parts], lines, f"Results of seat {viewer}'s side, split")


def _blunder(hand: int, judgement: "Judgement") -> list[str]:
    j = judgement
    places = [str(hand), str(j.action), str(j.seat), str(j.trick or "–")]
    return [*places, j.played, j.better, f"{j.given_up:.1f}", span(j.interval, 1)]


def _player(hands: "list[HandReview]", seat: int) -> str:
    names = {hand.players[seat] for hand in hands}
    return names.pop() if len(names) == 1 else f"{len(names)} players"
