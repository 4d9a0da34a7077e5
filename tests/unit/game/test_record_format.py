"""Malformed records of every kind: each is refused, and the message begins with the field."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minchiate_rl.errors import RecordError
from minchiate_rl.game.cards import CODES
from minchiate_rl.game.record_format import (
    FIELDS,
    OPTIONAL,
    check_record,
    cuts_of,
    moves_of,
    parse_record,
    rules_of,
    setup_of,
    write_record,
)
from minchiate_rl.game.recording import betting_record
from minchiate_rl.game.rules import ruleset, rulesets

LINES = (Path(__file__).parents[2] / "cases" / "hands.jsonl").read_text(encoding="utf-8").splitlines()
GOOD = json.loads(next(line for line in LINES if '"flags": {}' in line))


def place(record, path, value):
    for step in path[:-1]:
        record = record[step]
    record[path[-1]] = value


BROKEN = [
    (["format"], "minchiate-record/2", "format: "),
    (["format"], None, "format: "),
    (["game"], "piedicavallo", "game: 'piedicavallo' is not allowed; the rule set classic is of the game 'minchiate'"),
    (["game"], "tarocchi", "game: there is no game 'tarocchi'; known: minchiate, solo"),
    (["game"], None, "game: there is no game None"),
    (["game"], ["minchiate"], "game: there is no game ['minchiate']"),
    (["rules"], "two", "game: 'minchiate' is not allowed; the rule set two is of the game 'two'"),
    (["rules"], "tarocchi", "rules: there is no rule set 'tarocchi'; known: "),
    (["rules"], ["classic"], "rules: "),
    (["rules"], "../envs/classic.toml", "rules: "),
    (["flags"], [], "flags: "),
    (["flags"], None, "flags: "),
    (["flags"], {"sudden_death": True}, "flags: there is no flag 'sudden_death'"),
    (["flags"], {"demonio": 1}, "flags: "),
    (["flags"], {"take_29": ["never"]}, "flags: "),
    (["flags"], {"cascare": 1}, "flags: "),
    (["flags"], {"rob_limit": "none"}, "flags: "),
    (["flags"], {"rob_limit": 12}, "flags: "),
    (["flags"], {"withdraw_fee": 30}, "flags: "),
    (["flags"], {"withdraw_fee": 0}, "flags: withdraw_fee = 0 is the rule set's own value"),
    (["flags"], {"take_29": "if_usable", "pigliare_to": "pile"}, "flags: "),
    (["flags"], {"demonio": False}, "flags: demonio = False is the rule set's own value"),
    (["players"], "random", "players: "),
    (["players"], ["random"] * 3, "players: "),
    (["players", 2], "", "players[2]: "),
    (["players", 1], 7, "players[1]: "),
    (["players", 1], "a\nb", "players[1]: "),
    (["seed"], -1, "seed: "),
    (["seed"], 1 << 64, "seed: "),
    (["seed"], 1.0, "seed: "),
    (["seed"], True, "seed: "),
    (["seed"], "7", "seed: "),
    (["hand"], None, "hand: "),
    (["hand"], -3, "hand: "),
    (["dealer"], 4, "dealer: "),
    (["dealer"], "2", "dealer: "),
    (["pack"], GOOD["pack"][:96], "pack: "),
    (["pack"], {}, "pack: "),
    (["pack", 3], "T41", "pack[3]: "),
    (["pack", 3], 17, "pack[3]: "),
    (["pack", 3], GOOD["pack"][4], f"pack: {GOOD['pack'][4]} is there twice"),
    (["cut"], 2, "cut: 2 is not allowed; a whole number from 3 to 94"),
    (["cut"], 95, "cut: "),
    (["cut"], 40.0, "cut: "),
    (["actions"], {}, "actions: "),
    (["actions", 0], "play", "actions[0]: "),
    (["actions", 0], [1, "play"], "actions[0]: "),
    (["actions", 0], [4, "play", "C2"], "actions[0]: "),
    (["actions", 0], ["1", "play", "C2"], "actions[0]: "),
    (["actions", 0], [1, "fold", None], "actions[0]: there is no kind 'fold'"),
    (["actions", 0], [1, "drop"], "actions[0]: "),
    (["actions", 0], [1, "drop", "C2"], "actions[0]: 'C2' is not allowed; drop has no argument: null"),
    (["actions", 0], [1, "done", None], "actions[0]: "),
    (["actions", 0], [1, ["play"], "C2"], "actions[0]: "),
    (["actions", 5], [1, "play", "T0"], "actions[5]: "),
    (["actions", 5], [1, "play", ["C2"]], "actions[5]: "),
    (["actions", 5], [1, "declare", "C2"], "actions[5]: "),
    (["actions", 5], [1, "declare", []], "actions[5]: "),
    (["actions", 5], [1, "declare", ["T1", "T2"]], "actions[5]: "),
    (["actions", 5], [1, "declare", ["T1", "T2", "T3", "T3"]], "actions[5]: a card is shown twice"),
    (["actions", 5], [1, "declare", ["T1", "T2", "T4"]], "actions[5]: T1 T2 T4: these cards are no versicola"),
    (["actions", 5], [1, "declare", ["T1", "T2", "X"]], "actions[5]: "),
    (["result"], [], "result: "),
    (["result", "points"], {}, "result.points: "),
    (["result", "points", 0], [1, 0], "result.points[0]: "),
    (["result", "points", 0], [0, 0, 5], "result.points[0]: "),
    (["result", "points", 0], [10, 0, 5], "result.points[0]: "),
    (["result", "points", 0], [1, 2, 5], "result.points[0]: "),
    (["result", "points", 0], [1, 0, 0], "result.points[0]: "),
    (["result", "points", 0], [1, 0, 5.0], "result.points[0]: "),
    (["result", "score"], [1, 2, 3], "result.score: "),
    (["result", "score", 0], -1, "result.score[0]: "),
    (["result", "resti"], 3, "result.resti: "),
    (["result", "tricks", 1], None, "result.tricks[1]: "),
    (["match"], "", "match: "),
    (["match"], 7, "match: 7 is not the name of a match"),
    (["match"], None, "match: "),
]


@pytest.mark.parametrize(("path", "value", "message"), BROKEN)
def test_a_malformed_field_is_refused_by_name(path, value, message):
    record = copy.deepcopy(GOOD)
    place(record, path, value)
    for refuse in (check_record, write_record, lambda record: parse_record(json.dumps(record))):
        with pytest.raises(RecordError) as caught:
            refuse(record)
        assert str(caught.value).startswith(message)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("field", [field for field in FIELDS if field not in OPTIONAL])
def test_a_missing_field_is_refused_by_name(field):
    record = {name: value for name, value in GOOD.items() if name != field}
    with pytest.raises(RecordError, match=f"^{field}: the field is missing"):
        check_record(record)


@pytest.mark.parametrize("field", ["points", "score", "resti", "tricks"])
def test_a_missing_part_of_the_result_is_refused_by_name(field):
    record = copy.deepcopy(GOOD)
    del record["result"][field]
    with pytest.raises(RecordError, match=rf"^result\.{field}: the field is missing"):
        check_record(record)


def test_a_field_too_many_is_refused_by_name():
    with pytest.raises(RecordError, match=r"^comment: there is no such field"):
        check_record({**GOOD, "comment": "fine play"})
    with pytest.raises(RecordError, match=r"^result\.net: there is no such field"):
        check_record({**GOOD, "result": {**GOOD["result"], "net": [0, 0]}})


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", "null", '"record"', '{"format": NaN}', b"\xff\xfe", "[" * 100_000, '{"a": 1, "a": 2}']
)
def test_what_is_no_record_is_refused(text):
    with pytest.raises(RecordError):
        parse_record(text)


def test_a_field_that_is_there_twice_is_refused_by_name():
    text = write_record(GOOD)
    with pytest.raises(RecordError, match=r"^cut: the field is there twice"):
        parse_record(text[:-1] + ',"cut":40}')


def refusal(record):
    """Return why a record is refused; nothing if it is not."""
    try:
        check_record(record)
    except RecordError as error:
        return str(error)
    return ""


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


@given(st.sampled_from([field for field in FIELDS if field not in OPTIONAL]), json_values)
def test_any_other_value_of_a_field_is_refused_or_fits(field, value):
    record = {**GOOD, field: value}
    message = refusal(record)
    if message:
        assert message.startswith(field)
    else:
        assert parse_record(write_record(record)) == record


@given(st.dictionaries(st.sampled_from(FIELDS), json_values))
def test_any_object_is_refused_or_fits(table):
    with pytest.raises(RecordError):
        check_record(table)


@pytest.mark.parametrize("line", LINES[:6])
def test_writing_keeps_the_order_of_the_fields_whatever_the_order_of_the_dict(line):
    record = json.loads(line)
    turned = dict(reversed(record.items())) | {"result": dict(reversed(record["result"].items()))}
    assert write_record(turned) == write_record(record)
    assert list(json.loads(write_record(turned))) == [field for field in FIELDS if field in record]
    assert " " not in write_record(record)


def test_names_of_players_may_be_of_any_language():
    record = {**GOOD, "players": ["proc:./bot --x=1", "Bębel", "صلاح", "牌"]}
    assert parse_record(write_record(record).encode("utf-8")) == record


def test_only_what_is_asked_for_is_looked_at():
    record = copy.deepcopy(GOOD)
    record["actions"][4] = "nonsense"
    assert len(moves_of(record, ruleset("classic"), 4)) == 4
    with pytest.raises(RecordError, match=r"^actions\[4\]"):
        moves_of(record, ruleset("classic"), 5)
    for field in ("players", "result", "actions"):
        del record[field]
    assert setup_of(record).cut == GOOD["cut"]


def test_flags_change_the_named_rule_set():
    rules = rules_of({**GOOD, "flags": {"demonio": True, "take_29": "if_usable"}})
    assert (rules.demonio, rules.take_29) == (True, "if_usable")
    assert rules.flags == {"demonio": True, "take_29": "if_usable"}


@pytest.mark.parametrize("match", ["7-0", "Torneo di Biella, quarti"])
def test_a_record_may_name_the_match_that_it_is_part_of(match):
    record = {**GOOD, "match": match}
    assert parse_record(write_record(record)) == record
    assert '"hand":0,"match":"' in write_record(record) or f'"match":"{match}","dealer"' in write_record(record)


@pytest.mark.parametrize("name", rulesets())
def test_the_pack_the_seats_and_the_cut_are_those_of_the_game(name):
    rules = ruleset(name)
    low, high = cuts_of(rules)
    pack = [CODES[card] for card in sorted(rules.cards, reverse=True)]
    record = {**GOOD, "game": rules.game, "rules": name, "dealer": rules.n_seats - 1, "pack": pack, "cut": high}
    setup = setup_of(record)
    assert (setup.rules, setup.cut, len(setup.pack)) == (rules, high, len(rules.cards))
    for field, value, message in [
        ("cut", high + 1, f"cut: {high + 1} is not allowed; a whole number from {low} to {high}"),
        ("cut", low - 1, f"cut: {low - 1} is not allowed"),
        ("dealer", rules.n_seats, f"dealer: {rules.n_seats} is not allowed"),
        ("pack", pack[1:], "pack: "),
        ("pack", [*pack[:-1], pack[0]], f"pack: {pack[0]} is there twice"),
    ]:
        with pytest.raises(RecordError) as caught:
            setup_of({**record, field: value})
        assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("name", "code"), [("mini", "T20"), ("mini_team", "C2"), ("piedicavallo", "T22"), ("piedicavallo", "S4")]
)
def test_a_card_of_another_pack_is_refused(name, code):
    rules = ruleset(name)
    pack = [CODES[card] for card in rules.cards]
    record = {**GOOD, "game": rules.game, "rules": name, "dealer": 0, "cut": 0, "pack": [*pack[:3], code, *pack[4:]]}
    with pytest.raises(RecordError, match=rf"^pack\[3\]: {code} is no card of the game {rules.game}$"):
        setup_of(record)


@pytest.mark.parametrize("code", ["T7", "T40", "M", "SK"])
def test_the_bottom_card_must_be_worthless_where_it_is_checked(code):
    pack = [other for other in GOOD["pack"] if other != code]
    record = {**GOOD, "rules": "german", "pack": [*pack, code]}
    with pytest.raises(RecordError, match=rf"^pack: {code} is its last card; bottom_check wants a plain card"):
        setup_of(record)
    assert setup_of({**record, "rules": "classic"}).cut == GOOD["cut"]
    queen = [other for other in pack if other != "SQ"]
    assert setup_of({**record, "pack": [code, *queen, "SQ"]}).rules.name == "german"


def test_a_game_without_decisions_has_no_actions():
    record = betting_record(ruleset("palio"), 3, 0, ["a", "b", "c", "d"])
    assert record["actions"] == []
    check_record(record)
    with pytest.raises(RecordError, match=r"^actions: there are none in the game palio$"):
        check_record({**record, "actions": [[0, "play", "C2"]]})
    assert parse_record(write_record(record)) == record
    assert list(json.loads(write_record(record))["result"]) == ["score", "winners"]
