"""`minchiate rules`."""

import json

import pytest

from minchiate_rl import ruleset, rulesets
from minchiate_rl.app.cli.main import main


def test_every_rule_set_is_listed_with_all_its_facts(capsys):
    assert main(["rules", "--json"]) == 0
    listed = {facts["name"]: facts for facts in json.loads(capsys.readouterr().out)}
    assert list(listed) == rulesets()
    for name, facts in listed.items():
        rules = ruleset(name)
        assert facts["title"] == rules.title
        assert facts["game"] == rules.game
        assert facts["sources"] == list(rules.sources) != []
        assert (facts["seats"], facts["sides"]) == (rules.n_seats, rules.n_sides)
        assert facts["switches"] == rules.switches


@pytest.mark.parametrize("name", rulesets())
def test_one_rule_set_shows_every_switch(name, capsys):
    assert main(["rules", name]) == 0
    text = capsys.readouterr().out
    assert all(switch in text for switch in ruleset(name).switches)
    assert f"game: {ruleset(name).game}; {ruleset(name).n_seats} players" in text
    assert "source: " in text


def test_a_game_of_chance_says_that_nothing_is_decided(capsys):
    assert main(["rules", "palio"]) == 0
    assert "4 players, 3 cards each, no decisions" in capsys.readouterr().out


def test_a_file_of_ones_own_can_be_shown(tmp_path, capsys):
    own = tmp_path / "mine.toml"
    own.write_text(ruleset("classic").replace(demonio=True).to_toml(), encoding="utf-8")
    assert main(["rules", str(own), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["switches"]["demonio"] is True
    assert shown["num_actions"] == 132


def test_values_are_written_as_in_a_toml_file(capsys):
    assert main(["rules", "classic"]) == 0
    shown = capsys.readouterr().out
    assert "false, true" in shown
    assert "False" not in shown
    assert main(["rules", "rob_all"]) == 0
    shown = capsys.readouterr().out
    assert "13, none" in shown
    assert "None" not in shown
