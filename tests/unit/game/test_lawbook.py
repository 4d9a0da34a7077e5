"""The worked examples of docs/rules.md, section 11, by number, as far as they need no hand to be dealt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minchiate_rl.game.cards import MATTO, N_CARDS, UNDISCARDABLE, VALUES, Suit, card_name, parse_card, trump
from minchiate_rl.game.lawbook import (
    card_points,
    extras_of,
    led_suit,
    legal_cards,
    legal_discards,
    legal_picks,
    mark,
    matto_payment,
    points_above_half,
    resti_for,
    settle,
    trick_winner,
    versicole_of,
    versicole_value,
)
from minchiate_rl.game.rules import RuleSet

EVERYTHING_OF_VALUE = set(UNDISCARDABLE)


def cards(text):
    """Read cards: codes, bare trump numbers, and ranges such as 32-38."""
    found = []
    for word in text.split():
        low, dash, high = word.partition("-")
        if dash:
            found += [trump(n) for n in range(int(low), int(high) + 1)]
        else:
            found.append(trump(int(word)) if word.isdigit() else parse_card(word))
    return set(found)


def trick(text):
    """Read a trick led by seat 0, or by the seat before the colon."""
    first, colon, rest = text.rpartition(":")
    seat = int(first) if colon else 0
    return [((seat + place) % 4, parse_card(code)) for place, code in enumerate(rest.split())]


VERSICOLE = [
    ("X-2", "36-38 32-34 M", 55),
    ("X-3", "32-38 M", 55),
    ("X-4a", "36-38 32-34", 45),
    ("X-4b", "32-38", 50),
    ("X-5a", "1 2 3", 11),
    ("X-5b", "1 2 3 M", 16),
    ("X-5c", "1-5", 17),
    ("X-5d", "2 3 4", 9),
    ("X-5e", "1 2 4 5", 0),
    ("X-6a", "1 40 M", 20),
    ("X-6b", "1 40", 0),
    ("X-7a", "1 13 28", 15),
    ("X-7b", "1 13 28 M", 20),
    ("X-7c", "1 13 28 40 M", 40),
    ("X-8a", "10 20 30", 15),
    ("X-8b", "20 30 40", 20),
    ("X-8c", "10 20 30 40", 25),
    ("X-8d", "10 20 40", 0),
    ("X-8e", "10 30 40", 0),
    ("X-8f", "20 30", 0),
    ("X-8g", "10 20 30 40 M", 30),
    ("X-9a", "CK DK", 0),
    ("X-9b", "CK DK BK", 15),
    ("X-9c", "CK DK SK BK", 20),
    ("X-9d", "CK SK BK M", 20),
    ("X-9e", "CK SK M", 0),
    ("X-10a", "28 29 30", 15),
    ("X-10b", "29 30 31", 15),
    ("X-10c", "28 29", 0),
    ("X-10d", "27 28 29", 0),
    ("X-11", "28-31 20 40", 40),
    ("X-12", "1 2 3 13 28 40 M", 56),
    ("X-13a", "28-40", 90),
    ("X-13b", "28-40 M", 95),
    ("X-13c", "36-40", 50),
    ("X-13d", "36 37 39 40", 0),
    ("X-14a", "30-33 35-37", 45),
    ("X-14b", "30-33 35-37 M", 55),
    ("X-14c", "30-37", 50),
    ("X-14d", "30-37 M", 55),
    ("X-16", "14 35 39", 0),
    ("X-17", "34-36 M", 25),
]


@pytest.mark.parametrize(("held", "points"), [pytest.param(h, p, id=name) for name, h, p in VERSICOLE])
def test_worked_examples_of_versicole(held, points):
    assert versicole_value(cards(held)) == points


def test_x15_the_slam():
    assert versicole_value(EVERYTHING_OF_VALUE) == 212
    assert versicole_value(EVERYTHING_OF_VALUE - {trump(29)}) == 202
    final = 212 + card_points(EVERYTHING_OF_VALUE) + 10 + points_above_half(84)
    assert final == 406
    assert settle(0, [final, 0]) == (7, 0)


def test_x16_the_demonio_where_it_is_played():
    assert versicole_value(cards("14 35 39"), demonio=True) == 20
    assert versicole_value(cards("14 35 39 M"), demonio=True) == 25


def test_a_matto_that_is_not_shown_adds_nothing():
    held = cards("1 2 3 40 CK DK SK M")
    hidden = {versicola.k: versicola.points for versicola in versicole_of(held, matto_shown=False)}
    shown = {versicola.k: versicola.points for versicola in versicole_of(held, matto_shown=True)}
    assert hidden == {0: 11, 12: 20, 15: 15}
    assert shown == {0: 16, 12: 20, 15: 20}


@given(st.sets(st.integers(0, N_CARDS - 1)), st.booleans())
def test_the_value_of_a_set_is_the_sum_of_versicole_made_of_its_cards(held, demonio):
    found = versicole_of(held, demonio)
    assert versicole_value(held, demonio) == sum(versicola.points for versicola in found)
    assert len({versicola.k for versicola in found}) == len(found)
    assert [versicola.k for versicola in found] == sorted(versicola.k for versicola in found)
    for versicola in found:
        assert set(versicola.cards) <= held
        assert len(versicola.cards) >= 3
    assert 0 <= versicole_value(held, demonio) <= 212 + 25 * demonio


@given(st.sets(st.integers(0, N_CARDS - 2)), st.integers(0, N_CARDS - 2))
def test_without_the_matto_more_cards_are_never_worth_less(held, card):
    assert versicole_value(held | {card}) >= versicole_value(held)


def test_x20_a_dead_35_swings_fifteen_points():
    pile = cards("35 C2")
    alive = settle_difference([pile, cards("C3")], deaths=0)
    dead = settle_difference([cards("C2"), cards("C3 35")], deaths=5)
    assert alive - dead == 15


def settle_difference(piles, deaths):
    return card_points(piles[0]) - card_points(piles[1]) - deaths


@pytest.mark.parametrize(("tricks", "points"), [(13, 10), (12, 6), (11, 2), (16, 22), (21, 42), (10, 0), (0, 0)])
def test_x21_points_for_cards(tricks, points):
    assert points_above_half(4 * tricks) == points


def marks(*events):
    lead, resti = 0, [0, 0]
    for side, points in events:
        lead, paid = mark(lead, side, points)
        resti[side] += paid
    return lead, tuple(resti)


def test_x22_a_resto_won_early_can_be_lost_again():
    lead, resti = marks((0, 65))
    assert (lead, resti) == (5, (1, 0))
    assert settle(lead, [0, 19]) == (0, 1)


def test_x23_without_a_crossing_the_resto_stays():
    assert settle(marks()[0], [46, 0]) == (1, 0)


@pytest.mark.parametrize(("lead", "resti"), [(0, 0), (1, 1), (60, 1), (61, 2), (120, 2), (121, 3), (180, 3), (181, 4)])
def test_x24_resti_at_the_end(lead, resti):
    assert settle(lead, [0, 0]) == (resti, 0)
    assert settle(-lead, [0, 0]) == (0, resti)
    assert settle(0, [0, lead]) == (0, resti)


def test_x25_the_richest_robbery():
    robbed = cards("36-40 28 30-35")
    assert len(robbed) == 12
    assert card_points(robbed) == 85
    assert marks((1, 85)) == (-25, (0, 1))


def test_x26_only_the_difference_is_kept():
    assert marks((0, 3), (1, 5))[0] == -2
    assert marks((0, 3), (1, 5), (1, 5))[0] == -7
    assert marks((0, 15), (1, 32))[0] == -17


def test_x27_the_final_block_is_applied_once():
    assert settle(20, [70, 60]) == (1, 0)
    lead, paid = mark(20, 0, 70)
    assert (lead, paid) == (30, 1)
    assert settle(lead, [0, 60]) == (0, 1)


def test_x28_a_swing_across_zero():
    assert marks((0, 59), (1, 119)) == (0, (0, 1))


@given(st.integers(-59, 59), st.integers(0, 1), st.integers(1, 300))
def test_a_mark_moves_the_lead_and_pays_whole_resti_to_the_scorer(lead, side, points):
    after, paid = mark(lead, side, points)
    sign = 1 if side == 0 else -1
    assert abs(after) < 60
    assert after + sign * 60 * paid == lead + sign * points
    assert paid >= 0


def test_x29_a_pip_of_value_three_is_paid_before_a_king_or_a_ten():
    payer = cards("2 3 CK 36 M")
    receiver = cards("C2 C3 C4 C5")
    paid = matto_payment(payer, receiver)
    assert card_name(paid) == "T2"
    assert card_points([paid]) == 3


def test_x30_who_has_won_no_trick_surrenders_the_matto():
    receiver = set(range(N_CARDS - 1))
    assert matto_payment({MATTO}, receiver) == MATTO
    assert versicole_value(receiver | {MATTO}) - versicole_value(receiver) == 20 + 5 * 5


def test_a_worthless_card_is_paid_first_and_the_first_of_the_new_pack():
    assert card_name(matto_payment(cards("S10 S1 CK 40 M"), cards("C1"))) == "S1"
    assert card_name(matto_payment(cards("D10 DJ BQ M"), cards("C1"))) == "DJ"


def test_the_29_is_kept_while_it_holds_a_run_together():
    assert card_name(matto_payment(cards("28-30 2 M"), cards("C1"))) == "T2"
    assert card_name(matto_payment(cards("29 2 M"), cards("C1"))) == "T29"


def test_a_card_that_completes_a_versicola_of_the_receiver_costs_that_too():
    # The 29 is worth nothing by itself but gives the other side 28-29-30: 15 points; a 3 costs 9.
    assert card_name(matto_payment(cards("29 2 M"), cards("28 30"))) == "T2"


def test_x31_to_x33_declared_versicole_at_the_end():
    shown = 20
    kept = cards("32-35")
    assert shown + versicole_value(kept) + card_points(kept) == 60
    without_33 = kept - cards("33")
    assert shown + versicole_value(without_33) + card_points(without_33) - 5 - 5 == 25
    without_32 = kept - cards("32")
    assert shown + versicole_value(without_32) + card_points(without_32) - 5 - 5 == 40
    assert 15 + versicole_value(cards("28-30")) + card_points(cards("28-30")) == 40


def test_x34_the_accounts_of_a_whole_hand():
    x, y = 0, 1
    before = [(x, 15), (y, 5), (y, 5), (y, 5), (y, 15), (x, 20), (y, 25)]
    assert marks(*before) == (-20, (0, 0))
    lead, resti = marks(*before, (x, 13), (y, 20))
    assert (lead, resti) == (-27, (0, 0))
    pile_x = cards("38-40 30 35 28 29 1 2 SK CK")
    pile_y = cards("31-34 36 37 20 10 13 M 3-5 DK BK")
    assert (card_points(pile_x), card_points(pile_y)) == (63, 79)
    assert (versicole_value(pile_x), versicole_value(pile_y)) == (45, 39)
    assert settle(lead, [10 + 45 + 63, 39 + 79 + points_above_half(44)]) == (0, 1)


LEGAL = [
    ("the leader plays any card", "CK C3 5 M", "", "", "CK C3 5 M"),
    ("the suit is followed", "C3 D4 5", "C7", "", "C3"),
    ("the Matto excuses", "C3 D4 5 M", "C7", "", "C3 M"),
    ("a trump if the suit is lacking", "D4 5 9", "C7", "", "5 9"),
    ("any card if trumps are lacking too", "D4 S4", "C7", "", "D4 S4"),
    ("trumps are a suit", "D4 5", "T9", "", "5"),
    ("no duty to beat", "5 40", "C7 T9", "", "5 40"),
    ("the king rule", "CK C3 5 M", "C7 T9", "", "CK"),
    ("the king rule needs a trump", "CK C3 M", "C7 D9", "", "CK C3 M"),
    ("the king rule needs the first lead", "CK C3 M", "C7 T9", "C", "CK C3 M"),
    ("the king rule is for the suit led", "DK C3 M", "C7 T9", "", "C3 M"),
    ("the Matto is no trump for the king rule", "CK C3", "C7 M", "", "CK C3"),
    ("the king rule binds over the Matto", "CK M", "C7 D3 T8", "", "CK"),
    ("after the Matto the second card is the lead", "CK C3 5", "M C7 T9", "", "CK"),
    ("the Matto alone binds nobody", "CK D4 5", "M", "", "CK D4 5"),
    ("the Matto alone is played", "M", "S2", "", "M"),
]


@pytest.mark.parametrize(
    ("hand", "table", "opened", "allowed"), [pytest.param(*case, id=name) for name, *case in LEGAL]
)
def test_legal_cards(hand, table, opened, allowed):
    suits = {Suit("CDSB".index(letter)) for letter in opened}
    assert legal_cards(cards(hand), trick(table), suits) == cards(allowed)


@given(st.sets(st.integers(0, N_CARDS - 1), min_size=1), st.lists(st.integers(0, N_CARDS - 1), max_size=3, unique=True))
def test_there_is_always_a_legal_card_of_the_hand(hand, played):
    table = list(enumerate(played))
    allowed = legal_cards(hand, table, set())
    assert allowed
    assert allowed <= hand


@pytest.mark.parametrize(
    ("table", "seat"),
    [
        ("C7 C3 C10 C1", 3),  # round pips rank downwards
        ("2:S7 S3 S10 S1", 0),  # long pips upwards
        ("1:CQ D10 CJ SK", 1),
        ("3:CQ T1 CK T2", 2),
        ("M C4 D9 CJ", 3),
        ("M T4 T9 T40", 3),
        ("2:C4 M C2 T21", 1),
        ("M", None),
        ("", None),
    ],
)
def test_the_trick_goes_to_the_highest_trump_or_card_led(table, seat):
    assert trick_winner(trick(table)) == seat


def test_the_suit_led_is_that_of_the_first_card_but_the_matto():
    assert led_suit(trick("M")) is None
    assert led_suit(trick("M D3")) == Suit.COINS
    assert led_suit(trick("T3 D3")) == Suit.TRUMPS


def test_counting_cards_and_the_29_are_discarded_only_when_nothing_else_is_left():
    assert legal_discards(cards("27 C3 40 29")) == cards("27 C3")
    assert legal_discards(cards("40 29 2 CK")) == cards("29")
    assert legal_discards(cards("40 2 3 CK M")) == cards("2 3")
    assert legal_discards(cards("40 CK M 28")) == cards("CK M 28")
    assert legal_discards(cards("40 36")) == cards("40 36")


@given(st.sets(st.integers(0, N_CARDS - 1), min_size=22))
def test_of_22_or_more_cards_one_may_be_discarded(hand):
    allowed = legal_discards(hand)
    assert allowed
    assert allowed <= hand
    if hand - EVERYTHING_OF_VALUE:
        assert allowed == hand - EVERYTHING_OF_VALUE
    else:
        assert {VALUES[card] for card in allowed} == {min(VALUES[card] for card in hand)}


@pytest.mark.parametrize(
    ("held", "points"),
    [("20 30", 10), ("20 30 M", 15), ("10 20 30", 15), ("20 30 40", 20), ("20", 0), ("10 20", 0)],
)
def test_the_shameful_tens_stand_where_the_10_and_the_40_lack(held, points):
    assert versicole_value(cards(held), vergognose=10) == points
    assert versicole_value(cards("20 30")) == 0


@pytest.mark.parametrize(
    ("held", "points"),
    [("33-35", 15), ("34-36", 30), ("36-40", 60), ("1 40 M", 30), ("20 30 40", 30), ("14 35 39", 30), ("1-3", 11)],
)
def test_a_versicola_with_an_aria_is_worth_more_where_the_rules_say_so(held, points):
    assert versicole_value(cards(held), demonio=True, aria_bonus=10) == points


def test_the_extras_of_a_rule_set():
    rules = RuleSet("own", demonio=True, diecine_vergognose=7)
    assert extras_of(rules) == {"demonio": True, "vergognose": 7, "aria_bonus": 0}
    assert card_name(matto_payment(cards("20 30 2 M"), cards("C1"), **extras_of(rules))) == "T2"


@pytest.mark.parametrize(
    ("hand", "led", "allowed"),
    [
        ("CK C3 D4 M", Suit.CUPS, "CK C3 M"),
        ("D4 S5", Suit.CUPS, "D4 S5"),
        ("D4 M", Suit.TRUMPS, "D4 M"),
        ("CK D4", None, "CK D4"),
    ],
)
def test_what_may_be_picked_from_a_dropped_hand(hand, led, allowed):
    assert legal_picks(cards(hand), led) == cards(allowed)


@pytest.mark.parametrize(("points", "resti"), [(0, 0), (1, 1), (60, 1), (61, 2), (-1, -1), (-60, -1), (-121, -3)])
def test_a_resto_for_each_started_sixty(points, resti):
    assert resti_for(points) == resti


def test_a_ten_whose_loss_makes_the_tens_worth_more_is_paid_before_a_worthless_card():
    assert card_name(matto_payment(cards("10 20 30 C2 M"), cards("C1"), vergognose=40)) == "T10"
    assert card_name(matto_payment(cards("10 20 30 C2 M"), cards("C1"), vergognose=10)) == "C2"
