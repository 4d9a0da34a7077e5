"""Malformed records of every kind: each is refused, and the message begins with the field."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minchiate_rl.errors import RecordError
from minchiate_rl.game.actions import DECLARE, DECLARE_WITH_MATTO, DEL_MATTO, VERSICOLA_NAMES, action_name
from minchiate_rl.game.cards import MATTO, N_CARDS, card_name, parse_card
from minchiate_rl.game.lawbook import versicole_of
from minchiate_rl.game.record_format import (
    FIELDS,
    action_to_record,
    check_record,
    moves_of,
    parse_declaration,
    parse_move,
    parse_record,
    rules_of,
    setup_of,
    write_record,
)

LINES = (Path(__file__).parents[2] / "cases" / "hands.jsonl").read_text(encoding="utf-8").splitlines()
GOOD = json.loads(next(line for line in LINES if '"flags": {}' in line))


def place(record, path, value):
    for step in path[:-1]:
        record = record[step]
    record[path[-1]] = value


BROKEN = [
    (["format"], "minchiate-record/2", "format: "),
    (["format"], None, "format: "),
    (["game"], "piedicavallo", "game: "),
    (["rules"], "tarocchi", "rules: there is no rule set 'tarocchi'; known: "),
    (["rules"], ["classic"], "rules: "),
    (["rules"], "../envs/classic.toml", "rules: "),
    (["flags"], [], "flags: "),
    (["flags"], None, "flags: "),
    (["flags"], {"sudden_death": True}, "flags: there is no flag 'sudden_death'"),
    (["flags"], {"demonio": 1}, "flags: "),
    (["flags"], {"take_29": ["never"]}, "flags: "),
    (["flags"], {"cascare": True}, "flags: "),
    (["flags"], {"rob_limit": None}, "flags: "),
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
    (["actions", 0], [1, "drop", None], "actions[0]: there is no kind 'drop'"),
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


@pytest.mark.parametrize("field", FIELDS)
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


@given(st.sampled_from(FIELDS), json_values)
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
    assert list(json.loads(write_record(turned))) == list(FIELDS)
    assert " " not in write_record(record)


def test_names_of_players_may_be_of_any_language():
    record = {**GOOD, "players": ["proc:./bot --x=1", "Bębel", "صلاح", "牌"]}
    assert parse_record(write_record(record).encode("utf-8")) == record


def all_declarations():
    """Yield every versicola that can be shown, with and without the Matto."""
    trumps = list(range(56, 96))
    upper = [set(trumps[low:high]) for low in range(27, 38) for high in range(low + 3, 41)]
    lower = [set(trumps[low:high]) for low in range(3) for high in range(low + 3, 6)]
    named = "T1 T13 T28,T10 T20 T30,T20 T30 T40,T10 T20 T30 T40,T14 T35 T39,CK DK SK,CK DK SK BK,DK SK BK"
    others = [set(map(parse_card, codes.split())) for codes in named.split(",")]
    yield from upper + lower + others


@pytest.mark.parametrize("cards", [pytest.param(c, id=" ".join(map(card_name, sorted(c)))) for c in all_declarations()])
def test_declarations_are_read_back_from_the_cards_in_any_order(cards):
    (versicola,) = versicole_of(cards, demonio=True)
    assert parse_declaration(sorted(cards, reverse=True)) == DECLARE + versicola.k
    assert parse_declaration([MATTO, *cards]) == DECLARE_WITH_MATTO + versicola.k
    move = parse_move(action_to_record(2, "declare", [*versicola.cards, MATTO]), "actions[0]")
    assert (move.seat, move.kind, move.action) == (2, "declare", DECLARE_WITH_MATTO + versicola.k)
    assert move.cards == cards | {MATTO}


def test_the_versicola_del_matto_is_declared_by_its_own_matto():
    cards = [parse_card(code) for code in ("M", "T1", "T40")]
    assert parse_declaration(cards) == DECLARE + DEL_MATTO
    assert action_name(parse_declaration(cards)) == VERSICOLA_NAMES[DEL_MATTO]


@pytest.mark.parametrize(
    "codes",
    ["M", "T1 T40", "CK DK M", "T27 T28 T29", "T1 T2 T3 T13", "T1 T2 T3 T28 T29 T30", "T1 T40 M T13", "C1 C2 C3"],
)
def test_other_cards_are_no_versicola(codes):
    with pytest.raises(RecordError, match="these cards are no versicola"):
        parse_declaration([parse_card(code) for code in codes.split()])


@given(st.integers(0, 3), st.sampled_from(["discard", "play"]), st.integers(0, N_CARDS - 1))
def test_single_cards_are_read_back(seat, kind, card):
    move = parse_move(action_to_record(seat, kind, [card]), "actions[0]")
    assert move == (seat, kind, card, frozenset({card}))


def test_only_what_is_asked_for_is_looked_at():
    record = copy.deepcopy(GOOD)
    record["actions"][4] = "nonsense"
    assert len(moves_of(record, 4)) == 4
    with pytest.raises(RecordError, match=r"^actions\[4\]"):
        moves_of(record, 5)
    for field in ("players", "result", "actions"):
        del record[field]
    assert setup_of(record).cut == GOOD["cut"]


def test_flags_change_the_named_rule_set():
    rules = rules_of({**GOOD, "flags": {"demonio": True, "take_29": "if_usable"}})
    assert (rules.demonio, rules.take_29) == (True, "if_usable")
    assert rules.flags == {"demonio": True, "take_29": "if_usable"}
