"""Replay records with the plain reference and with the engine, and name every fault by line and action.

Records with the same match name are hands of one game: their hand numbers must rise.

Exit status: 0 if every record is sound, 1 if one is faulty or malformed, 2 if the file cannot be read.

Examples:
  minchiate verify hands.jsonl
  minchiate verify hands.jsonl --json
"""

import argparse
from collections.abc import Iterator
from typing import Any

from minchiate_rl.app import terminal
from minchiate_rl.errors import RecordError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `minchiate verify`."""
    parser.add_argument("file", metavar="FILE.jsonl", help="records, one JSON object a line")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def _faults(file: str) -> Iterator[tuple[int, list[str]]]:
    last: dict[str, int] = {}
    with open(file, "rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield number, _faults_of_line(line, last)


def _faults_of_line(line: bytes, last: dict[str, int]) -> list[str]:
    """Return the faults of one record; `last`, the latest hand of each match, is modified in place."""
    from minchiate_rl.game.record import parse_record, verify

    try:
        record = parse_record(line)
        return _faults_of_order(record, last) + verify(record)
    except RecordError as error:
        return [f"malformed: {error}"]


def _faults_of_order(record: dict[str, Any], last: dict[str, int]) -> list[str]:
    name, hand = record.get("match"), record["hand"]
    if name is None:
        return []
    before = last.get(name, -1)
    last[name] = max(before, hand)
    return [] if hand > before else [f"match: hand {hand} of {name!r} stands after hand {before}"]


def run(args: argparse.Namespace) -> int:
    """Verify every line of the file."""
    checked, found = 0, []
    for number, faults in _faults(args.file):
        checked += 1
        found += [{"line": number, "fault": fault} for fault in faults]
        if not args.json:
            for fault in faults:
                terminal.say(f"{args.file}:{number}: {fault}")
    sound = checked > 0 and not found
    if args.json:
        terminal.emit({"file": args.file, "records": checked, "sound": sound, "faults": found})
    elif not checked:
        terminal.say(f"{args.file}: no records")
    else:
        bad = len({entry["line"] for entry in found})
        terminal.say(f"{checked:,} records, {bad:,} faulty" if bad else f"{checked:,} records, all sound")
    return 0 if sound else 1
