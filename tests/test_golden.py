"""Golden records: whole hands of every agent that runs in kernels, of switches, of every rule set, kept as they were.

They change only where the rules, the streams, or an agent change on purpose; `python tests/test_golden.py` then writes
them anew.
"""

from pathlib import Path

import pytest

from minchiate_rl import ruleset, rulesets
from minchiate_rl.experiments.selfplay import played_records, seats_of
from minchiate_rl.game.record import parse_record, verify, write_record
from minchiate_rl.game.record_actions import KINDS

GOLDEN = Path(__file__).parent / "golden"
CLASSIC = ruleset("classic")

#: For each file of the classic game: the agents by side, and the switches.
CLASSIC_FILES = {
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
#: More hands of a rule set, so that every kind of action occurs.
HANDS = {"solo_fola": 8}

#: For each file: the rule set, the agents by seat or by side, and the number of hands.
FILES = {
    **{name: (CLASSIC.replace(**switches), sides, 5) for name, (sides, switches) in CLASSIC_FILES.items()},
    **{f"rules-{name}": (ruleset(name), ("random",), HANDS.get(name, 2)) for name in rulesets() if name != "classic"},
}


def regenerate(name):
    """Return the lines of a golden file as this version plays them."""
    rules, agents, hands = FILES[name]
    return [write_record(record) for record in played_records(rules, seats_of(agents, rules), hands, 7)]


def kept(name):
    return (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", FILES)
def test_the_engine_plays_the_golden_hands_again(name):
    assert regenerate(name) == kept(name)


@pytest.mark.parametrize("name", FILES)
def test_golden_hands_are_faultless(name):
    assert [verify(parse_record(line)) for line in kept(name)] == [[]] * FILES[name][2]


def test_every_file_is_one_of_these():
    assert sorted(path.stem for path in GOLDEN.glob("*.jsonl")) == sorted(FILES)


def test_the_golden_hands_hold_every_kind_of_action_and_every_rule_set():
    records = [parse_record(line) for name in FILES for line in kept(name)]
    assert {action[1] for record in records for action in record["actions"]} == set(KINDS)
    assert {record["rules"] for record in records} == set(rulesets())
    assert {"demonio": True} in [record["flags"] for record in records]


if __name__ == "__main__":
    for file in FILES:
        (GOLDEN / f"{file}.jsonl").write_text("".join(line + "\n" for line in regenerate(file)), encoding="utf-8")
