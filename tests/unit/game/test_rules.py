import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minchiate_rl.errors import RulesError
from minchiate_rl.game.rules import CHOICES, RuleSet, ruleset, rulesets

OPEN = {flag: values for flag, values in CHOICES.items() if len(values) > 1}
CHANGES = [(flag, value) for flag, values in OPEN.items() for value in values[1:]]
switches = st.fixed_dictionaries({}, optional={flag: st.sampled_from(values) for flag, values in OPEN.items()})


def test_the_classic_game_is_there_with_classic_values():
    assert "classic" in rulesets()
    assert rulesets() == sorted(rulesets())
    classic = ruleset("classic")
    assert classic.switches == {flag: values[0] for flag, values in CHOICES.items()}
    assert classic.flags == {}
    assert classic.title
    assert classic.sources


@given(switches)
def test_flags_tell_what_differs_and_rebuild_the_rule_set(changes):
    classic = ruleset("classic")
    rules = classic.replace(**changes)
    assert rules.flags == {flag: value for flag, value in changes.items() if value != CHOICES[flag][0]}
    assert classic.replace(**rules.flags) == rules
    assert rules.replace(**classic.switches) == classic


@given(switches, st.text(min_size=1).filter(lambda text: text.isprintable()))
def test_toml_is_read_back_to_an_equal_rule_set(changes, title):
    rules = dataclasses.replace(ruleset("classic"), name="own", title=title, **changes)
    read = RuleSet.from_toml(rules.to_toml(), "own.toml")
    assert read.switches == rules.switches
    assert (read.name, read.title, read.sources) == (rules.name, rules.title, rules.sources)
    assert read.flags == {}
    assert RuleSet.from_toml(read.to_toml(), "own.toml") == read


@pytest.mark.parametrize(("flag", "value"), CHANGES)
def test_each_switch_makes_another_rule_set_and_another_row(flag, value):
    classic = ruleset("classic")
    rules = classic.replace(**{flag: value})
    assert rules != classic
    assert not np.array_equal(rules.row, classic.row)
    assert getattr(rules, flag) == value


def test_rows_of_all_changes_differ():
    rows = [tuple(ruleset("classic").replace(**{flag: value}).row) for flag, value in CHANGES]
    assert len(set(rows)) == len(rows)


def test_a_row_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        ruleset("classic").row[0] = 1


def test_the_demonio_adds_the_last_actions():
    classic = ruleset("classic")
    assert classic.num_actions == 131
    assert classic.replace(demonio=True).num_actions == 132


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("demonio", 1),
        ("demonio", "true"),
        ("demonio", None),
        ("rob_limit", None),
        ("rob_limit", 13.0),
        ("take_29", "sometimes"),
        ("memory", "none"),
        ("all_tricks", "fourteen"),
        ("cascare", True),
        ("girata_bonus", 3),
        ("midhand_resti", 0),
        ("diecine_vergognose", False),
    ],
)
def test_values_that_cannot_be_played_are_refused(flag, value):
    with pytest.raises(RulesError, match=rf"{flag} = .* is not allowed; allowed: "):
        ruleset("classic").replace(**{flag: value})


def test_an_unknown_switch_is_refused_by_name():
    with pytest.raises(RulesError, match="unknown switch 'sudden_death'; allowed: rob_limit"):
        ruleset("classic").replace(sudden_death=True)


def test_an_unknown_rule_set_is_refused_with_the_known_ones():
    with pytest.raises(RulesError, match=r"there is no rule set 'tarocchi'; known: .*classic"):
        ruleset("tarocchi")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "not a TOML file"),
        ("nom = 'x'", "unknown field 'nom'"),
        ("name = ''", "name must be a text"),
        ("name = 3", "name must be a text"),
        ('name = "a\\nb"', "name must be a text on one line"),
        ("title = 3", "title must be a text"),
        ("sources = 'a'", "sources must be a list of texts"),
        ("switches = 3", "switches must be a table"),
        ("[switches]\nfoo = 1", "unknown switch 'foo'"),
        ("[switches]\ndemonio = 1", "demonio = 1 is not allowed"),
    ],
)
def test_a_faulty_file_is_refused(tmp_path, text, message):
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RulesError, match=message):
        ruleset(path)


def test_a_file_of_ones_own_is_read_by_path(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text("[switches]\ndemonio = true\n", encoding="utf-8")
    rules = ruleset(str(path))
    assert rules.name == "own"
    assert rules.demonio
    assert ruleset(rules) is rules


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(RulesError, match=r"cannot be read: No such file or directory$"):
        ruleset(tmp_path / "gone.toml")
