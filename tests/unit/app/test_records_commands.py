"""`minchiate selfplay` and `minchiate verify`."""

import json

import pytest

from minchiate_rl.app.cli.main import main
from minchiate_rl.app.cli.selfplay import seats_of
from minchiate_rl.errors import AgentError


def play(path, *more, agents=("random",), hands=3, seed=7):
    argv = ["selfplay", "--agents", *agents, "--hands", str(hands), "--seed", str(seed), "--out", str(path), *more]
    return main(argv)


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_agents_take_their_seats():
    assert seats_of(["a"]) == ["a", "a", "a", "a"]
    assert seats_of(["a", "b"]) == ["a", "b", "a", "b"]
    assert seats_of(["a", "b", "c", "d"]) == ["a", "b", "c", "d"]
    with pytest.raises(AgentError, match="3 agents are named"):
        seats_of(["a", "b", "c"])


def test_records_are_written_and_sound(tmp_path, capsys):
    out = tmp_path / "hands.jsonl"
    assert play(out, "--json", agents=("greedy", "random")) == 0
    told = json.loads(capsys.readouterr().out)
    records = lines(out)
    assert [record["hand"] for record in records] == [0, 1, 2]
    assert {tuple(record["players"]) for record in records} == {("greedy", "random", "greedy", "random")}
    for side in range(2):
        assert told["mean_score"][side] == pytest.approx(sum(r["result"]["score"][side] for r in records) / 3)
        assert told["resti"][side] == sum(record["result"]["resti"][side] for record in records)
    assert sum(told["tricks"]) == 3 * 21
    assert main(["verify", str(out)]) == 0
    assert "3 records, all sound" in capsys.readouterr().out


def test_the_same_seed_gives_the_same_file(tmp_path):
    paths = [tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    for path, seed in zip(paths, (5, 5, 6), strict=True):
        assert play(path, agents=("random", "greedy"), seed=seed) == 0
    assert paths[0].read_bytes() == paths[1].read_bytes() != paths[2].read_bytes()


def test_an_own_rule_set_is_recorded_by_its_flags(tmp_path):
    from minchiate_rl import ruleset

    own = tmp_path / "mine.toml"
    own.write_text(ruleset("classic").replace(demonio=True).to_toml().replace('"classic"', '"mine"'), encoding="utf-8")
    out = tmp_path / "hands.jsonl"
    assert play(out, "--rules", str(own)) == 0
    assert {(record["rules"], *record["flags"].items()) for record in lines(out)} == {("classic", ("demonio", True))}
    assert main(["verify", str(out)]) == 0


def test_nothing_is_left_behind_when_an_agent_is_unknown(tmp_path, capsys):
    assert play(tmp_path / "hands.jsonl", agents=("nobody",)) == 2
    assert "nobody" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_cannot_be_written_is_refused(tmp_path, capsys):
    assert play(tmp_path / "missing" / "hands.jsonl") == 2
    assert "cannot be written" in capsys.readouterr().err


def test_verify_names_line_and_action_of_an_illegal_action(tmp_path, capsys):
    out = tmp_path / "hands.jsonl"
    play(out)
    first, second, third = lines(out)
    k = next(i for i, action in enumerate(second["actions"]) if action[1] == "play")
    second["actions"][k + 3][2] = second["actions"][k][2]
    out.write_text("".join(json.dumps(record) + "\n" for record in (first, second, third)), encoding="utf-8")
    capsys.readouterr()
    assert main(["verify", str(out)]) == 1
    text = capsys.readouterr().out
    assert f"hands.jsonl:2: action {k + 3}: " in text
    assert "3 records, 1 faulty" in text


def test_verify_names_a_wrong_result(tmp_path, capsys):
    out = tmp_path / "hands.jsonl"
    play(out, hands=1)
    (record,) = lines(out)
    record["result"]["score"][0] += 1
    out.write_text(json.dumps(record) + "\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["verify", str(out), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert not told["sound"]
    assert told["records"] == 1
    assert any("result.score" in fault["fault"] for fault in told["faults"])


@pytest.mark.parametrize("text", ["{", "[]", "\xff\xfe", '{"format": "minchiate-record/2"}', "null", "[" * 100_000])
def test_a_malformed_line_is_a_failed_check(text, tmp_path, capsys):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(text.encode("latin-1"))
    assert main(["verify", str(path)]) == 1
    assert f"{path}:1: malformed: " in capsys.readouterr().out


def test_an_empty_file_is_a_failed_check(tmp_path, capsys):
    path = tmp_path / "none.jsonl"
    path.write_text("\n\n", encoding="utf-8")
    assert main(["verify", str(path)]) == 1
    assert "no records" in capsys.readouterr().out


def test_an_unreadable_file_is_bad_input(tmp_path, capsys):
    assert main(["verify", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err
