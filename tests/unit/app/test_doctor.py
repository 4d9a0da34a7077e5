"""`minchiate doctor` and `minchiate agents`."""

import json

from minchiate_rl import content
from minchiate_rl.agents import registry
from minchiate_rl.app.cli.main import main


def test_a_sound_installation(capsys):
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["sound"]
    assert found["problems"] == []
    assert found["hand"]["reference"] == "agrees"
    assert "classic" in found["content"]["rule sets"]


def test_missing_content_is_unsound(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(content, "tomls", lambda name: {})
    monkeypatch.setattr("minchiate_rl.app.cli.doctor._hand", lambda: {"problems": []})
    assert main(["doctor"]) == 1
    text = capsys.readouterr().out
    assert "unsound: the rule set 'classic' is missing" in text


def test_agents_are_listed(capsys):
    assert main(["agents", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [entry["name"] for entry in listed] == [entry.name for entry in registry.describe()]
    assert next(entry for entry in listed if entry["name"] == "pimc")["anchors"]["pimc:worlds=30"] == 2
    assert main(["agents"]) == 0
    assert "pimc:worlds=100 (2), cheater (1)" in capsys.readouterr().out
