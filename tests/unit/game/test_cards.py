import pytest
from hypothesis import given
from hypothesis import strategies as st

from minchiate_rl.errors import InvalidNotation
from minchiate_rl.game.cards import (
    CARD_TITLES,
    CODES,
    COUNTING,
    KINGS,
    MATTO,
    N_CARDS,
    PACK_ORDER,
    ROBBABLE,
    UNDISCARDABLE,
    VALUES,
    Suit,
    card_name,
    parse_card,
    suit_of,
    trump,
)


def codes(cards):
    return {card_name(card) for card in cards}


def test_there_are_97_cards_of_four_suits_trumps_and_matto():
    sizes = [sum(suit_of(card) == suit for card in range(N_CARDS)) for suit in Suit]
    assert sizes == [14, 14, 14, 14, 40, 1]
    assert len(set(CODES)) == N_CARDS == 97


@pytest.mark.parametrize("card", range(N_CARDS))
def test_names_are_read_back(card):
    assert parse_card(card_name(card)) == card


@given(st.text(max_size=4) | st.integers() | st.none() | st.lists(st.text()))
def test_what_is_no_code_is_refused(code):
    if isinstance(code, str) and code in CODES:
        return
    with pytest.raises(InvalidNotation, match="is no card"):
        parse_card(code)


@pytest.mark.parametrize(
    "code", ["", "T0", "T41", "T01", "C0", "C11", "m", "ck", "CK ", "KC", "X1", "C", "T", "M1", "1C"]
)
def test_near_misses_are_refused(code):
    with pytest.raises(InvalidNotation):
        parse_card(code)


def test_the_values_sum_to_142():
    """X-1: 50 + 30 + 25 + 12 + 5 + 20."""
    assert sum(VALUES) == 142
    assert sum(VALUES[trump(n)] for n in range(36, 41)) == 50
    assert sum(VALUES[trump(n)] for n in range(30, 36)) == 30
    assert sum(VALUES[trump(n)] for n in (28, 20, 13, 10, 1)) == 25
    assert sum(VALUES[trump(n)] for n in range(2, 6)) == 12
    assert VALUES[MATTO] == 5
    assert sum(VALUES[king] for king in KINGS) == 20
    assert VALUES[trump(29)] == 0


def test_the_sets_have_the_sizes_of_the_rule_book():
    assert len(COUNTING) == 25
    assert len(ROBBABLE) == 33
    assert len(UNDISCARDABLE) == 26
    assert N_CARDS - len(UNDISCARDABLE) == 71
    assert codes(ROBBABLE - COUNTING) == {f"T{n}" for n in (21, 22, 23, 24, 25, 26, 27, 29)}
    assert codes(UNDISCARDABLE - COUNTING) == {"T29"}


def test_numbers_rise_with_the_strength_in_the_trick():
    cups = [card_name(card) for card in range(14)]
    swords = [card_name(card) for card in range(28, 42)]
    assert cups == ["C10", "C9", "C8", "C7", "C6", "C5", "C4", "C3", "C2", "C1", "CJ", "CN", "CQ", "CK"]
    assert swords == ["S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "S10", "SJ", "SN", "SQ", "SK"]
    assert [card_name(trump(n)) for n in range(1, 41)] == [f"T{n}" for n in range(1, 41)]
    assert codes(KINGS) == {"CK", "DK", "SK", "BK"}


def test_the_new_pack_holds_each_card_once_in_its_order():
    assert sorted(PACK_ORDER) == list(range(N_CARDS))
    names = [card_name(card) for card in PACK_ORDER]
    assert names[:6] == ["CK", "CQ", "CN", "CJ", "C1", "C2"]
    assert names[13:15] == ["C10", "DK"]
    assert names[55:58] == ["B10", "T1", "T2"]
    assert names[-2:] == ["T40", "M"]


@pytest.mark.parametrize("n", [0, 41, -1])
def test_there_is_no_other_trump(n):
    with pytest.raises(InvalidNotation, match="there is no trump"):
        trump(n)


def test_every_trump_and_the_matto_have_a_title():
    assert set(CARD_TITLES) == set(range(trump(1), N_CARDS))
    assert CARD_TITLES[trump(40)] == "Trombe"
    assert CARD_TITLES[trump(14)] == "Diavolo"
    assert CARD_TITLES[MATTO] == "Matto"
    assert len(set(CARD_TITLES.values())) == 41
