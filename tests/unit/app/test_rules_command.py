"""`minchiate rules`."""

import json

from minchiate_rl import ruleset
from minchiate_rl.app.cli.main import main


def test_all_rule_sets_are_listed(capsys):
    assert main(["rules", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {"name": "classic", "title": ruleset("classic").title} in listed


def test_one_rule_set_shows_every_switch(capsys):
    assert main(["rules", "classic"]) == 0
    text = capsys.readouterr().out
    assert all(switch in text for switch in ruleset("classic").switches)


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
