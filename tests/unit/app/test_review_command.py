"""`minchiate review`."""

import json

import pytest

import minchiate_rl as mrl
from minchiate_rl.app.cli.main import main
from minchiate_rl.game.record import write_record


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "hands.jsonl"
    lines = [write_record(record) for record in mrl.random_records("classic", 2, 71)]
    path.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    return path


def told(capsys, *argv):
    assert main(["review", *map(str, argv), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_one_document_holds_every_decision_and_the_split(file, capsys):
    whole = told(capsys, file, "--worlds", 6, "--top", 3)
    assert [(hand["line"], hand["hand"]) for hand in whole["hands"]] == [(1, 0), (3, 1)]
    assert (whole["agent"], whole["worlds"], whole["seat"], whole["split_for_seat"]) == ("heuristic", 6, None, 0)
    for hand in whole["hands"]:
        assert hand["luck"] + hand["own"] + hand["partner"] + hand["opponents"] == pytest.approx(hand["result"])
        assert {decision["seat"] for decision in hand["decisions"]} == {0, 1, 2, 3}
    lost = [blunder["given_up"] for blunder in whole["blunders"]]
    everything = [decision["given_up"] for hand in whole["hands"] for decision in hand["decisions"]]
    assert lost == sorted(everything, reverse=True)[:3]
    part = told(capsys, file, "--worlds", 6, "--hand", 1, "--seat", 3)
    assert [hand["line"] for hand in part["hands"]] == [3]
    assert [seat["seat"] for seat in part["seats"]] == [3]
    own = [decision for decision in whole["hands"][1]["decisions"] if decision["seat"] == 3]
    assert part["hands"][0]["decisions"] == own
    assert part["hands"][0]["result"] == -whole["hands"][1]["result"]


def test_tables_for_people(file, capsys):
    assert main(["review", str(file), "--worlds", "6", "--top", "4"]) == 0
    text = capsys.readouterr().out
    for heading in ("better", "95% interval", "clear errors", "luck", "opponents", "mean"):
        assert heading in text
    assert "Results of seat 0's side, split" in text
    assert text.index("The worst of") < text.index("Points given up by seat") < text.index("Results of seat 0's side")


def lines_of(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]


@pytest.mark.parametrize(
    ("fault", "where"),
    [
        (lambda record: record.update(cut=1000), ":2: cut: "),
        (lambda record: record["actions"].append([0, "play", "T1"]), ":2: action "),
        (lambda record: record.update(next(iter(mrl.random_records("two", 1, 1)))), ":2: review: makes worlds of the"),
        (lambda record: record["flags"].update(memory="table"), ":2: review: needs memory = 'perfect'"),
    ],
)
def test_what_is_wrong_with_a_record_is_told_with_its_line(fault, where, file, tmp_path, capsys):
    first, second = lines_of(file)
    fault(second)
    bad = tmp_path / "bad.jsonl"
    bad.write_text("".join(json.dumps(record) + "\n" for record in (first, second)), encoding="utf-8")
    assert main(["review", str(bad), "--worlds", "4", "--seat", "0"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert f"bad.jsonl{where}" in printed.err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--hand", "9"], "there is no hand 9"),
        (["--seat", "4"], "'4' is not a whole number from 0 to 3"),
        (["--worlds", "3"], "'3' is not a whole number from 4 to 10000"),
        (["--agent", "random"], "random can be no judge"),
        (["--agent", "nobody"], "there is no agent 'nobody'"),
    ],
)
def test_bad_input_is_one_line_and_status_2(more, message, file, capsys):
    assert main(["review", str(file), *more]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert message in printed.err


def test_files_without_records_are_refused(tmp_path, capsys):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n", encoding="utf-8")
    assert main(["review", str(empty)]) == 2
    assert f"{empty}: no records" in capsys.readouterr().err
    assert main(["review", str(tmp_path / "gone.jsonl")]) == 2
    assert "gone.jsonl: cannot be read" in capsys.readouterr().err
