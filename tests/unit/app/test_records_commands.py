"""`minchiate selfplay` and `minchiate verify`."""

import json

import pytest

from minchiate_rl import ruleset, rulesets
from minchiate_rl.app.cli.main import main
from minchiate_rl.matches.chances import seat_chances


def play(path, *more, agents=("random",), hands=3, seed=7):
    argv = ["selfplay", "--agents", *agents, "--hands", str(hands), "--seed", str(seed), "--out", str(path), *more]
    return main(argv)


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


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
    own = tmp_path / "mine.toml"
    own.write_text(ruleset("classic").replace(demonio=True).to_toml().replace('"classic"', '"mine"'), encoding="utf-8")
    out = tmp_path / "hands.jsonl"
    assert play(out, "--rules", str(own)) == 0
    assert {(record["rules"], *record["flags"].items()) for record in lines(out)} == {("classic", ("demonio", True))}
    assert main(["verify", str(out)]) == 0


@pytest.mark.parametrize("name", rulesets())
def test_hands_of_every_rule_set_are_played_and_sound(name, tmp_path, capsys):
    out = tmp_path / "hands.jsonl"
    assert play(out, "--rules", name, hands=20, seed=3) == 0
    assert "20 hands in " in capsys.readouterr().out
    records = lines(out)
    assert [record["hand"] for record in records] == list(range(20))
    assert {(record["rules"], len(record["players"])) for record in records} == {(name, ruleset(name).n_seats)}
    assert main(["verify", str(out)]) == 0
    assert "20 records, all sound" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "numbers"), [("classic", (1, 2, 4)), ("two", (1, 2)), ("three", (1, 3)), ("solo", (1, 4))]
)
def test_one_agent_one_a_side_or_one_a_seat(name, numbers, tmp_path, capsys):
    for number in range(1, 6):
        out = tmp_path / f"{number}.jsonl"
        agents = [("random", "greedy", "random", "random", "random")[k] for k in range(number)]
        status = play(out, "--rules", name, agents=agents, hands=1)
        if number not in numbers:
            assert status == 2
            assert f"{number} agents are named; allowed with the rule set {name}: " in capsys.readouterr().err
            continue
        assert status == 0
        n_seats = ruleset(name).n_seats
        assert lines(out)[0]["players"] == [agents[seat % number] for seat in range(n_seats)]


def test_sums_are_told_by_side_or_by_seat(tmp_path, capsys):
    out = tmp_path / "hands.jsonl"
    assert play(out, "--rules", "three", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    results = [record["result"] for record in lines(out)]
    assert [len(told[field]) for field in ("mean_score", "mean_net", "resti", "tricks")] == [3] * 4
    for seat in range(3):
        assert told["mean_net"][seat] == pytest.approx(sum(result["net"][seat] for result in results) / 3)
        assert told["resti"][seat] == sum(result["resti"][seat] for result in results)
    assert sum(told["tricks"]) == 3 * 25


def test_switches_can_be_set_one_by_one(tmp_path, capsys):
    out = tmp_path / "hands.jsonl"
    more = ["--set", "cascare=true", "--set", "rob_limit=none", "--set", "girata_bonus=5", "--set", "memory=table"]
    assert play(out, *more, "--json") == 0
    flags = {"cascare": True, "rob_limit": None, "girata_bonus": 5, "memory": "table"}
    assert json.loads(capsys.readouterr().out)["flags"] == flags
    assert all(record["flags"] == flags for record in lines(out))
    assert main(["verify", str(out)]) == 0


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("cascare", "is not SWITCH=VALUE"),
        ("cascare=", "is not SWITCH=VALUE"),
        ("cascare=1", "cascare = 1 is not allowed in the game minchiate"),
        ("players=3", "players = 3 is not allowed in the game minchiate"),
        ("luck=true", "unknown switch 'luck'"),
    ],
)
def test_a_switch_that_cannot_be_set_is_refused(setting, message, tmp_path, capsys):
    assert play(tmp_path / "hands.jsonl", "--set", setting) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_deals_of_piedicavallo_make_games(tmp_path, capsys):
    out = tmp_path / "deals.jsonl"
    assert play(out, "--rules", "piedicavallo", "--json", hands=30) == 0
    told = json.loads(capsys.readouterr().out)
    games = {}
    for record in lines(out):
        games.setdefault(record["match"], []).append(record)
    finished = list(games.values())[:-1]
    assert {len(deals) for deals in finished} <= {3, 4, 6, 8}
    assert all(len({deal["dealer"] for deal in deals}) == min(len(deals), 4) for deals in finished)
    won = [0, 0]
    for deals in games.values():
        lead = sum(deal["result"]["score"][0] - 57 for deal in deals)
        if len(deals) in {4, 6, 8} or abs(lead) > 57:
            won[lead < 0] += 1
    assert told["games"] == {"won": won, "level": 0}
    assert next(iter(games)) == "7-0"


def test_a_girata_is_four_hands_and_has_its_bonus(tmp_path, capsys):
    out = tmp_path / "hands.jsonl"
    assert play(out, "--rules", "girata_bonus", "--json", hands=10) == 0
    told = json.loads(capsys.readouterr().out)
    records = lines(out)
    assert [record["match"] for record in records] == ["7-0"] * 4 + ["7-4"] * 4 + ["7-8"] * 2
    won = [0, 0, 0]
    for first in (0, 4):
        paid = [sum(r["result"]["resti"][side] for r in records[first : first + 4]) for side in (0, 1)]
        won[0 if paid[0] > paid[1] else 1 if paid[0] < paid[1] else 2] += 1
    assert told["games"] == {"won": won[:2], "level": won[2]}
    assert told["bonus"] == [3 * won[0], 3 * won[1]]
    assert play(tmp_path / "classic.jsonl", hands=2) == 0
    assert all("match" not in record for record in lines(tmp_path / "classic.jsonl"))


def test_a_game_of_chance_ends_with_what_each_seat_can_expect(tmp_path, capsys):
    out = tmp_path / "hands.jsonl"
    more = ["--rules", "palio", "--set", "players=3"]
    assert play(out, *more, "--json", agents=("Anna", "Bruno", "Carla"), hands=40) == 0
    told = json.loads(capsys.readouterr().out)["chances"]
    wanted = seat_chances(ruleset("palio").replace(players=3), 40, 7)
    assert [(each["seat"], each["share"]) for each in told] == [(each.seat, each.share) for each in wanted]
    shares = [0.0] * 3
    for record in lines(out):
        for seat in record["result"]["winners"]:
            shares[seat] += 1 / len(record["result"]["winners"]) / 40
    assert [each["share"] for each in told] == pytest.approx(shares)
    assert play(out, *more, agents=("Anna", "Bruno", "Carla"), hands=40) == 0
    text = capsys.readouterr().out
    assert "share of the pool" in text
    assert "Carla" in text
    assert "95% interval" in text


def test_hands_of_a_match_must_follow_each_other(tmp_path, capsys):
    out = tmp_path / "deals.jsonl"
    assert play(out, "--rules", "girata_bonus", hands=4) == 0
    first, second, third, fourth = out.read_text(encoding="utf-8").splitlines()
    out.write_text("\n".join([first, third, second, fourth]), encoding="utf-8")
    capsys.readouterr()
    assert main(["verify", str(out)]) == 1
    text = capsys.readouterr().out
    assert "deals.jsonl:3: match: hand 1 of '7-0' stands after hand 2" in text
    assert "4 records, 1 faulty" in text


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
