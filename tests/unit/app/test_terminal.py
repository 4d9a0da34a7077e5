"""Tables for people, one JSON document for programs."""

import json

import numpy as np
import pytest

from minchiate_rl.app import terminal


def test_emit_prints_one_document_with_plain_numbers(capsys):
    terminal.emit({"a": np.int32(3), "b": np.array([1.5, 2.0]), "c": "Carità", "d": np.bool_(True)})
    text = capsys.readouterr().out
    assert json.loads(text) == {"a": 3, "b": [1.5, 2.0], "c": "Carità", "d": True}
    assert "Carità" in text


def test_emit_refuses_what_json_has_not():
    with pytest.raises(ValueError, match="JSON"):
        terminal.emit({"mean": float("nan")})


def test_a_table_shows_every_cell_in_full(capsys):
    terminal.table(["agent", "points"], [["policy:[run]/x", 12.345], ["b" * 60, -1]], title="Result")
    text = capsys.readouterr().out
    for shown in ("Result", "agent", "points", "policy:[run]/x", "12.35", "b" * 60, "-1"):
        assert shown in text
