"""Golden records: whole hands of every agent that runs in kernels, and of every switch, kept as they were.

They change only where the rules, the streams, or an agent change on purpose; `python tests/test_golden.py` then writes
them anew.
"""

from pathlib import Path

import pytest

from minchiate_rl import Batch, ruleset
from minchiate_rl.agents import make
from minchiate_rl.game.record import parse_record, record_of, verify, write_record
from minchiate_rl.matches.play import play

GOLDEN = Path(__file__).parent / "golden"
CLASSIC = ruleset("classic")

#: For each file: the agents by side, and the switches.
FILES = {
    "random": (("random", "random"), {}),
    "greedy": (("greedy", "greedy"), {}),
    "heuristic": (("heuristic", "heuristic"), {}),
    "heuristic-random": (("heuristic", "random"), {}),
    "demonio": (("heuristic", "heuristic"), {"demonio": True}),
    "take-29-if-usable": (("heuristic", "greedy"), {"take_29": "if_usable"}),
    "take-29-never": (("random", "random"), {"take_29": "never"}),
    "rob-failure": (("random", "random"), {"rob_failure_resto": True}),
    "all-tricks": (("heuristic", "random"), {"all_tricks": "double_final"}),
    "memory": (("heuristic", "heuristic"), {"memory": "own_tricks"}),
}
HANDS = 5


def regenerate(name):
    """Return the lines of a golden file as this version plays them."""
    sides, switches = FILES[name]
    batch = Batch(CLASSIC.replace(**switches), HANDS, seed=7)
    play(batch, [make(sides[seat % 2]) for seat in range(4)])
    players = [sides[seat % 2] for seat in range(4)]
    return [write_record(record_of(batch, i, players)) for i in range(HANDS)]


def kept(name):
    return (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", FILES)
def test_the_engine_plays_the_golden_hands_again(name):
    assert regenerate(name) == kept(name)


@pytest.mark.parametrize("name", FILES)
def test_golden_hands_are_faultless(name):
    assert [verify(parse_record(line)) for line in kept(name)] == [[]] * HANDS


def test_every_file_is_one_of_these():
    assert sorted(path.stem for path in GOLDEN.glob("*.jsonl")) == sorted(FILES)


def test_the_golden_hands_hold_the_rare_things():
    lines = [line for name in FILES for line in kept(name)]
    assert any('"discard"' in line for line in lines)
    assert any('"declare"' in line for line in lines)
    assert any('"flags":{"demonio":true}' in line.replace(" ", "") for line in lines)


if __name__ == "__main__":
    for file in FILES:
        (GOLDEN / f"{file}.jsonl").write_text("".join(line + "\n" for line in regenerate(file)), encoding="utf-8")
