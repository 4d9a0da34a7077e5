"""Whole messages: those of the sources, those that the grammar forbids, and what a message tells the partner."""

import pytest

from minchiate_rl.errors import IllegalAction
from minchiate_rl.game.actions import DONE, action_name, parse_action
from minchiate_rl.game.cards import card_name, parse_card
from minchiate_rl.game.piedicavallo.speech import Message
from minchiate_rl.game.piedicavallo.truth import Situation


def cards(text):
    return frozenset(parse_card(code) for code in text.split())


def spoken(card, hand, said, gone="", slept=None, **others):
    """Return a message of which some items have been said."""
    sleeping = None if slept is None else cards(slept)
    situation = {"place": 0, **others}
    message = Message(Situation(parse_card(card), cards(hand), cards(gone) | cards(card), slept=sleeping, **situation))
    for item in said.split(", ") if said else []:
        message.say(parse_action(item))
    return message


def may_be_said(card, hand, said, **others):
    try:
        message = spoken(card, hand, said, **others)
    except IllegalAction:
        return False
    return DONE in message.legal()


@pytest.mark.parametrize(
    ("card", "hand", "said"),
    [
        ("T3", "T20 T18 T2 T5 T7 T9", "T20, T18, more 4"),
        ("C3", "C1 C2 CK C6 S5", "total 4"),
        ("D1", "SK", "altro, batto"),
        ("D1", "BK", "altro, batto"),
        ("S5", "D1", "altro, void"),
        ("C1", "SK BK", "altro, batto, altro, batto"),
        ("B5", "CK CN C1 C2 DQ D1", "altro, have K, have N, pips 2, altro, have Q, pips 1"),
        ("B5", "CK CN C1 C2 DQ D1", "altro, have Q, pips 1, altro, have K, have N, pips 2"),
    ],
)
def test_the_messages_of_the_source(card, hand, said):
    assert may_be_said(card, hand, said)


@pytest.mark.parametrize(
    ("card", "hand", "said"),
    [
        ("C1", "SK BQ", "altro, batto, altro, batto"),
        ("C1", "SK BQ", "altro, have K, have Q"),
        ("C1", "SK SQ", "altro, have K, altro, have Q"),
        ("C1", "SK DK", "altro, have K, altro, have K"),
        ("C1", "SK S5", "altro, have K, void"),
        ("C1", "SK S5", "altro, total 2, altro, total 2"),
        ("C1", "SK", "altro"),
        ("C1", "SK", "altro, have K, altro"),
        ("C1", "CK T21", "T21"),
        ("C1", "CK M", "M"),
        ("T1", "CK M", "have K"),
        ("C1", "CK", "altro, void, have K"),
        ("C1", "CK", "lead this, have K"),
        ("C1", "CK", "have K, have K"),
        ("T1", "T20 T21", "more 2, T20"),
        ("T1", "T20 T21", "more 2, more 2"),
        ("T1", "T20 T21", "T20, more 2"),
        ("C1", "", "play, low"),
        ("C1", "", "play, S5"),
        ("C1", "", "low, low"),
        ("C1", "", "lead this, high, valuable"),
        ("C1", "", "lead this, low, high"),
        ("C1", "", "lead this, lead altro"),
        ("C1", "", "high"),
    ],
)
def test_what_the_grammar_or_the_truth_forbids(card, hand, said):
    assert not may_be_said(card, hand, said)


@pytest.mark.parametrize(
    ("card", "hand", "said"),
    [
        ("C1", "SK S5 BQ", "altro, have K, altro, have Q"),
        ("C1", "CK SK", "have K, total 1, low, altro, have K, lead this, high, altro, void"),
        ("T1", "T20 T21", "lead trump, T20, low, more 1"),
        ("T1", "T20 T21", "batto, T21, more 1"),
        ("T1", "T20 T21", "batto batto, batto, more 0"),
        ("T2", "T1 T21", "bagatto, batto, more 0"),
        ("T1", "M C1", "more 0, M, no trumps, lead trump, valuable"),
        ("M", "T15", "play, T3, T15"),
        ("C1", "", "low, most points, fewest points, play, C2, cover, lead altro"),
    ],
)
def test_blocks_and_requests_mix(card, hand, said):
    assert may_be_said(card, hand, said)


def test_a_second_block_may_settle_the_first():
    """Three cups, three coins: the first block fits both, until the second takes one of them away."""
    hand = "C1 C2 CK D1 D2 DQ"
    message = spoken("S5", hand, "altro, total 3, altro, have K")
    assert {"have Q", "have K"} & set(map(action_name, message.legal())) == set()
    assert {"have K", "have Q"} <= set(map(action_name, spoken("S5", hand, "altro, total 3").legal()))


def test_the_discards_of_two_suits_are_not_told_in_one_altro_block():
    said = spoken("C1", "", "sleep altro, have Q", slept="SQ BN")
    assert set(map(action_name, said.legal())) & {"have N", "pips 0"} == {"pips 0"}
    assert may_be_said("C1", "", "sleep altro, have Q, pips 1", slept="SQ S5")
    assert may_be_said("C1", "SK", "altro, have K, sleep altro, have Q", slept="BQ D1")


def test_only_the_dealer_leaves_his_own_discards_out_of_what_is_outstanding():
    assert may_be_said("C1", "CQ", "batto", gone="CK")
    assert may_be_said("T21", "T19", "batto", slept="T20 T2")
    assert not may_be_said("T21", "T19", "batto")
    assert may_be_said("T21", "T19", "batto, more 0", slept="T20 T2")


@pytest.mark.parametrize(
    ("card", "hand", "said", "named", "high"),
    [
        ("T1", "T20 T21 M", "T20, M", "T20", True),
        ("T1", "T20 T21 M", "M, more 2", "", False),
        ("T2", "T1", "bagatto", "", False),
        ("T2", "T20 T21", "batto batto", "", True),
        ("C1", "CK CJ", "have K, have J, total 2", "CK CJ", True),
        ("C1", "SK", "altro, have K", "", True),
        ("C1", "SK", "altro, batto", "", True),
        ("C1", "SK", "total 0, altro, total 1", "", False),
        ("C1", "", "play, CK, lead this, high", "", False),
    ],
)
def test_what_a_message_tells_the_partner(card, hand, said, named, high):
    message = spoken(card, hand, said)
    assert {card_name(named) for named in message.named_cards} == set(named.split())
    assert message.announces_high is high


def test_requests_announce_nothing():
    message = spoken("T1", "", "lead trump, T20", partner_named=cards("T20"))
    assert (message.named_cards, message.announces_high) == (set(), False)
    message = spoken("C1", "", "lead altro, have K", partner_named=cards("BK"))
    assert (message.named_cards, message.announces_high) == (set(), False)
    message = spoken("C1", "", "sleep this, have Q", slept="CQ D1")
    assert (message.named_cards, message.announces_high) == (set(), False)


def test_a_refused_item_leaves_the_message_as_it_was():
    message = spoken("C1", "CK", "have K")
    before = message.legal()
    with pytest.raises(IllegalAction, match="have Q may not be said here"):
        message.say(parse_action("have Q"))
    assert (message.legal(), message.items) == (before, [parse_action("have K")])


def test_an_ended_message_is_ended():
    message = spoken("C1", "CK", "have K, done")
    assert message.ended
    assert message.legal() == set()
    assert message.items == [parse_action("have K")]
