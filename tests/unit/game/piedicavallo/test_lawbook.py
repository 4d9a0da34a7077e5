import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minchiate_rl.errors import RecordError
from minchiate_rl.game.cards import card_name, parse_card, suit_of
from minchiate_rl.game.lawbook import trick_winner
from minchiate_rl.game.piedicavallo.lawbook import (
    PACK,
    cards_of,
    court,
    deal,
    is_discardable_pair,
    is_pip,
    is_vola,
    legal_cards,
    legal_discards,
    opposite_suits,
    owners_at_the_end,
    points_of,
    rank_of,
    score_of,
    sum_of_points,
)


def cards(text):
    return [parse_card(code) for code in text.split()]


def codes(numbers):
    return {card_name(card) for card in numbers}


def table(text):
    return [(int(word[0]), parse_card(word[2:])) for word in text.split()]


def shuffled(seed):
    pack = list(PACK)
    random.Random(seed).shuffle(pack)
    return pack


def test_the_pack_has_62_cards_worth_114_points():
    assert len(set(PACK)) == 62
    assert sum_of_points(PACK) == 114
    values = sorted(map(points_of, PACK))
    assert [values.count(n) for n in (5, 4, 3, 2, 1)] == [7, 4, 4, 4, 43]


@pytest.mark.parametrize(
    ("suit", "order"),
    [
        (0, "CK CQ CN CJ C1 C2 C3 C4 C5 C6"),
        (1, "DK DQ DN DJ D1 D2 D3 D4 D5 D6"),
        (2, "SK SQ SN SJ S10 S9 S8 S7 S6 S5"),
        (3, "BK BQ BN BJ B10 B9 B8 B7 B6 B5"),
        (4, " ".join(f"T{n}" for n in range(21, 0, -1))),
        (5, "M"),
    ],
)
def test_the_order_of_a_suit(suit, order):
    assert list(cards_of(suit)) == cards(order)


def test_courts_and_pips():
    for suit, letter in enumerate("CDSB"):
        for rank in "KQNJ":
            assert card_name(court(suit, rank)) == letter + rank
            assert rank_of(court(suit, rank)) == rank
    assert sum(map(is_pip, PACK)) == 24
    assert [rank_of(card) for card in cards("C1 S10 T21 M")] == [None] * 4


def test_red_against_black():
    assert [set(opposite_suits(suit)) for suit in range(4)] == [{2, 3}, {2, 3}, {0, 1}, {0, 1}]


def test_the_deal_goes_round_from_the_dealers_right_after_the_cut():
    pack = shuffled(1)
    hands = deal(pack, 20, 2)
    turned = pack[20:] + pack[:20]
    assert hands[3] == turned[:15]
    assert hands[0] == turned[15:30]
    assert hands[1] == turned[30:45]
    assert hands[2] == turned[45:]
    assert deal(pack, 0, 2)[3] == pack[:15]


@pytest.mark.parametrize(
    ("pack", "cut", "dealer", "field"),
    [
        (shuffled(0)[:61], 0, 0, "pack"),
        ([*shuffled(0)[:61], 95], 0, 0, "pack"),
        (shuffled(0), 62, 0, "cut"),
        (shuffled(0), -1, 0, "cut"),
        (shuffled(0), 0, 4, "dealer"),
    ],
)
def test_a_faulty_deal_is_named(pack, cut, dealer, field):
    with pytest.raises(RecordError, match=f"^{field}: "):
        deal(pack, cut, dealer)


# 17 cards; the plain ones are C1 C2 C3 in the first, C1 alone in the second, none in the third.
MANY = "CK DK SK BK M T21 T1 T2 T3 T4 T5 T6 T7 T8 C1 C2 C3"
ONE = "CK DK SK BK M T21 T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 C1"
NONE = "CK DK SK BK M T21 T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 T11"
TWO = "CK DK SK BK M T21 T1 T2 T3 T4 T5 T6 T7 T8 T9 C1 C2"
TWO_TRUMPS = "T2 T3 CQ CN CJ C1 C2 C3 C4 C5 C6 DK DQ DN DJ D1 D2"
ONE_TRUMP = "T2 CK CQ CN CJ C1 C2 C3 C4 C5 C6 DK DQ DN DJ D1 D2"
BAGATTO_TOO = "T1 T2 CQ CN CJ C1 C2 C3 C4 C5 C6 DK DQ DN DJ D1 D2"


@pytest.mark.parametrize(
    ("hand", "pair", "legal"),
    [
        (MANY, "C1 C2", True),
        (MANY, "C1 T2", False),
        (MANY, "CK C1", False),
        (MANY, "T2 T3", False),
        (ONE, "C1 T2", True),
        (ONE, "T2 T3", False),
        (ONE, "C1 T21", False),
        (ONE, "C1 M", False),
        (NONE, "T2 T3", True),
        (NONE, "T2 T1", False),
        (TWO, "C1 C2", True),
        (TWO, "C1 T2", False),
        (TWO_TRUMPS, "T2 T3", True),
        (TWO_TRUMPS, "T2 CQ", False),
        (TWO_TRUMPS, "CQ CN", True),
        (ONE_TRUMP, "T2 C1", True),
        (ONE_TRUMP, "T2 CK", False),
        (BAGATTO_TOO, "T1 T2", False),
        (BAGATTO_TOO, "T2 CQ", False),
    ],
)
def test_which_pairs_may_be_laid_away(hand, pair, legal):
    assert is_discardable_pair(cards(pair), cards(hand)) is legal


def test_single_discards_lead_to_a_legal_pair():
    assert codes(legal_discards(cards(MANY))) == {"C1", "C2", "C3"}
    assert codes(legal_discards(cards(ONE))) == {"C1", *(f"T{n}" for n in range(2, 11))}
    assert codes(legal_discards(cards(ONE), parse_card("T2"))) == {"C1"}
    assert codes(legal_discards(cards(TWO_TRUMPS), parse_card("T2"))) == {"T3"}
    assert codes(legal_discards(cards(ONE_TRUMP), parse_card("CQ"))) == codes(cards(ONE_TRUMP)) - {"CQ", "CK", "DK"}


@given(st.permutations(PACK).map(lambda pack: pack[:17]))
def test_every_order_of_a_legal_pair_and_no_other_can_be_laid_away(hand):
    ways = {(a, b) for a in legal_discards(hand) for b in legal_discards(hand, a)}
    assert ways
    assert ways == {(a, b) for a in hand for b in hand if a != b and is_discardable_pair((a, b), hand)}


@pytest.mark.parametrize(
    ("hand", "trick", "legal"),
    [
        ("C1 T2 M", "", "C1 T2 M"),
        ("C1 T2 M", "1:C5", "C1 M"),
        ("C1 T2 M", "1:D5", "T2 M"),
        ("C1 SK M", "1:D5", "C1 SK M"),
        ("C1 T2 T9", "1:T5", "T2 T9"),
        ("C1 T2 T9", "1:M", "C1 T2 T9"),
        ("C1 T2 T9", "1:M 2:C5", "C1"),
        ("CK C1", "1:C5 2:T5", "CK C1"),
        ("M", "1:C5", "M"),
    ],
)
def test_which_cards_may_be_played(hand, trick, legal):
    assert codes(legal_cards(cards(hand), table(trick))) == set(legal.split())


@pytest.mark.parametrize(
    ("trick", "winner"),
    [
        ("", None),
        ("1:M", None),
        ("1:C6 2:C5 3:C1 0:C2", 3),
        ("1:S5 2:S6 3:S10 0:S9", 3),
        ("1:C6 2:CK 3:T1 0:CQ", 3),
        ("1:T20 2:T21 3:T2 0:M", 2),
        ("1:M 2:C6 3:DK 0:CQ", 0),
        ("1:C6 2:DK", 1),
    ],
)
def test_who_holds_a_trick(trick, winner):
    assert trick_winner(table(trick)) == winner


@pytest.mark.parametrize(
    ("tricks", "matto_side", "dealer_side", "owners"),
    [([8, 7], 0, 1, (0, 1)), ([15, 0], 1, 1, (0, 0)), ([15, 0], 0, 1, (0, 0)), ([0, 15], 0, 1, (1, 1))],
)
def test_a_side_without_a_trick_loses_the_matto_and_the_discards(tricks, matto_side, dealer_side, owners):
    assert owners_at_the_end(tricks, matto_side, dealer_side) == owners


def test_the_points_of_both_sides_sum_to_114():
    rest = [card for card in PACK if card_name(card) not in {"C6", "SQ"}]
    score = score_of([set(rest[:30]), set(rest[30:])], cards("C6 SQ"), 1)
    assert sum(score) == 114
    assert score[1] == sum_of_points(rest[30:]) + 5


def test_vola():
    assert is_vola([15, 0])
    assert is_vola([0, 15])
    assert not is_vola([14, 1])


def test_suits_of_the_pack():
    assert [sum(suit_of(card) == suit for card in PACK) for suit in range(6)] == [10, 10, 10, 10, 21, 1]
