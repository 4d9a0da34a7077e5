"""`minchiate match` and `minchiate tournament`: tables for people, JSON for programs, one line for a mistake."""

import json

import pytest

from minchiate_rl.app.cli.main import main


def test_match_prints_a_table(capsys):
    assert main(["match", "heuristic", "random", "--deals", "50", "--seed", "1"]) == 0
    told = capsys.readouterr()
    assert "heuristic over random" in told.out
    assert "heuristic is ahead of random." in told.out
    assert told.err == ""


def test_match_prints_one_json_document(capsys):
    arguments = ["match", "heuristic", "greedy", "--deals", "20", "--seed", "3", "--json"]
    found = []
    for threads in ("1", "2"):
        assert main([*arguments, "--threads", threads]) == 0
        found.append(json.loads(capsys.readouterr().out))
    one, two = ({key: value for key, value in f.items() if "second" not in key} for f in found)
    assert one == two
    assert {"a", "b", "deals", "mean_difference", "interval", "resti_difference"} <= set(one)
    assert (one["a"], one["b"], one["deals"]) == ("heuristic", "greedy", 20)


def test_a_match_of_one_deal_says_that_it_tells_nothing(capsys):
    assert main(["match", "greedy", "greedy", "--deals", "1"]) == 0
    told = capsys.readouterr().out
    assert "none from one deal" in told
    assert "not separated" in told


def test_for_himself_a_match_tells_how_many_seats_an_agent_had(capsys):
    argv = ["match", "greedy", "random", "--rules", "three", "--deals", "3", "--set", "demonio=true"]
    assert main(argv) == 0
    told = capsys.readouterr().out
    assert "points with 1 seat" in told
    assert "points with 2 seats" in told
    assert "three demonio=True rules" in told
    assert main([*argv, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["hands"], found["flags"]) == (18, {"demonio": True})


def test_a_girone_is_told_in_resti_a_player(capsys):
    argv = ["match", "greedy", "random", "--format", "girone", "--deals", "2", "--seed", "3"]
    assert main(argv) == 0
    told = capsys.readouterr().out
    assert "resti a player and girone" in told
    assert "144 hands in 2 duplicate matches (girone)" in told
    assert main([*argv, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"resti_per_player", "resti_interval", "mean_difference", "interval"} <= set(found)
    assert (found["format"], found["matches"], found["hands"]) == ("girone", 2, 144)


@pytest.mark.parametrize(
    ("argv", "named"),
    [
        (["match", "nobody", "random"], "'nobody'"),
        (["match", "random", "random:loud"], "'loud'"),
        (["match", "random"], "B"),
        (["match", "random", "greedy", "--deals", "0"], "'0'"),
        (["match", "random", "greedy", "--deals", "some"], "'some'"),
        (["match", "random", "greedy", "--threads", "0"], "'0'"),
        (["match", "random", "greedy", "--rules", "chess"], "'chess'"),
        (["match", "random", "greedy", "--rules", "palio"], "palio"),
        (["match", "random", "greedy", "--set", "demonio"], "'demonio'"),
        (["match", "random", "greedy", "--set", "speech=full"], "speech"),
        (["match", "random", "greedy", "--format", "set"], "'set'"),
        (["match", "random", "greedy", "--rules", "three", "--format", "girone"], "no format 'girone'; allowed: hand"),
        (["match", "random", "policy:no/such/folder"], "no/such/folder"),
        (["tournament", "random"], "two different agents"),
        (["tournament", "random", "random"], "two different agents"),
        (["tournament", "random", "nobody"], "'nobody'"),
        (["tournament", "random", "cheater"], "cheater sees the true deal: a tournament takes it with --allow-cheater"),
    ],
)
def test_bad_input_is_one_line_and_status_2(argv, named, capsys):
    assert main(argv) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert named in told.err
    assert told.err.count("\n") == 1


def test_tournament_writes_its_report(tmp_path, capsys):
    out = tmp_path / "new" / "folder"
    argv = ["tournament", "random", "greedy", "heuristic", "--deals", "30", "--seed", "1"]
    assert main([*argv, "--out", str(out)]) == 0
    told = capsys.readouterr().out
    assert "over heuristic" in told
    assert "report.html" in told
    assert sorted(path.name for path in out.iterdir()) == ["report.html", "results.json"]
    assert "minchiate tournament random greedy heuristic --deals 30 --seed 1" in (out / "report.html").read_text()
    results = json.loads((out / "results.json").read_text())
    assert main([*argv, "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["standings"] == results["standings"]
    assert [standing["agent"] for standing in again["standings"]] == ["heuristic", "greedy", "random"]


def test_a_report_that_cannot_be_written_is_told_before_the_work(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["tournament", "random", "greedy", "--out", str(tmp_path / "file" / "folder")]) == 2
    assert "cannot be made" in capsys.readouterr().err
