"""Recorded actions of every kind: read, written, and refused by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minchiate_rl.errors import RecordError
from minchiate_rl.game.actions import (
    BID,
    DECLARE,
    DECLARE_WITH_MATTO,
    DEL_MATTO,
    DONE,
    DROP,
    SPEECH_NAMES,
    USE_FOLA,
    VERSICOLA_NAMES,
    WITHDRAW,
    action_name,
)
from minchiate_rl.game.cards import CODES, MATTO, N_CARDS, card_name, parse_card
from minchiate_rl.game.lawbook import versicole_of
from minchiate_rl.game.record_actions import KINDS, Move, move_to_record, parse_declaration, parse_move


def all_declarations():
    """Yield every versicola that can be shown, with and without the Matto."""
    trumps = list(range(56, 96))
    upper = [set(trumps[low:high]) for low in range(27, 38) for high in range(low + 3, 41)]
    lower = [set(trumps[low:high]) for low in range(3) for high in range(low + 3, 6)]
    named = "T1 T13 T28,T20 T30,T10 T20 T30,T20 T30 T40,T10 T20 T30 T40,T14 T35 T39,CK DK SK,CK DK SK BK,DK SK BK"
    others = [set(map(parse_card, codes.split())) for codes in named.split(",")]
    yield from upper + lower + others


@pytest.mark.parametrize("cards", [pytest.param(c, id=" ".join(map(card_name, sorted(c)))) for c in all_declarations()])
def test_declarations_are_read_back_from_the_cards_in_any_order(cards):
    (versicola,) = versicole_of(cards, demonio=True, vergognose=10)
    assert parse_declaration(sorted(cards, reverse=True)) == DECLARE + versicola.k
    assert parse_declaration([MATTO, *cards]) == DECLARE_WITH_MATTO + versicola.k
    told = [2, "declare", [card_name(card) for card in (*versicola.cards, MATTO)]]
    move = parse_move(told, "actions[0]")
    assert (move.seat, move.kind, move.action) == (2, "declare", DECLARE_WITH_MATTO + versicola.k)
    assert move.cards == cards | {MATTO}
    assert move_to_record(move) == told


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
    move = parse_move([seat, kind, CODES[card]], "actions[0]")
    assert move == Move(seat, kind, card, frozenset({card}))
    assert move_to_record(move) == [seat, kind, CODES[card]]


@pytest.mark.parametrize(
    ("kind", "action"), [("drop", DROP), ("withdraw", WITHDRAW), ("use_fola", USE_FOLA), ("stay", DONE)]
)
def test_kinds_without_an_argument_have_null_and_nothing_else(kind, action):
    move = parse_move([2, kind, None], "actions[0]")
    assert move == Move(2, kind, action)
    assert move_to_record(move) == [2, kind, None]
    for argument in ("", [], 0, False, "C2"):
        with pytest.raises(RecordError, match=rf"^actions\[0\]: .* is not allowed; {kind} has no argument: null$"):
            parse_move([2, kind, argument], "actions[0]")


@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, N_CARDS - 1))
def test_picks_are_read_back(seat, owner, card):
    move = parse_move([seat, "pick", [owner, CODES[card]]], "actions[0]")
    assert move == Move(seat, "pick", card, frozenset({card}), owner)
    assert move_to_record(move) == [seat, "pick", [owner, CODES[card]]]


@pytest.mark.parametrize("points", [0, 10, 200, 500])
def test_bids_are_read_back(points):
    move = parse_move([1, "bid", points], "actions[0]")
    assert move == Move(1, "bid", BID if points else DONE, number=points)
    assert move_to_record(move) == [1, "bid", points]


@pytest.mark.parametrize("item", [*SPEECH_NAMES, *range(N_CARDS)])
def test_items_of_speech_are_read_back(item):
    move = parse_move([3, "say", action_name(item)], "actions[0]")
    assert move == Move(3, "say", item)
    assert move_to_record(move) == [3, "say", action_name(item)]


@pytest.mark.parametrize(
    "action",
    [
        [0, "pick", "C2"],
        [0, "pick", ["C2", 1]],
        [0, "pick", [1, "C2", 3]],
        [0, "pick", [4, "C2"]],
        [0, "pick", [True, "C2"]],
        [0, "pick", None],
        [0, "bid", -10],
        [0, "bid", 501],
        [0, "bid", 10.0],
        [0, "bid", True],
        [0, "bid", None],
        [0, "bid", "10"],
        [0, "say", "done"],
        [0, "say", "hello"],
        [0, "say", 181],
        [0, "say", None],
        [0, "say", ["batto"]],
        [0, "say", "drop"],
        [0, "say", "papi"],
        [0, None, None],
        [0, {}, None],
        [3, "play", "C2"],
    ],
)
def test_other_arguments_are_refused_by_name(action):
    with pytest.raises(RecordError, match=r"^actions\[7\]: "):
        parse_move(action, "actions[7]", n_seats=3)


def test_every_kind_has_its_name():
    assert KINDS == (
        "discard", "declare", "play", "drop", "pick", "withdraw", "use_fola", "stay", "bid", "say",
    )  # fmt: skip
