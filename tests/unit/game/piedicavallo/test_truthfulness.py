"""Nothing false can be said: a second, slow writing of the truth of whole messages, over codes and names."""

import itertools
import random

import pytest

from minchiate_rl.game.actions import DONE, SPEECH_NAMES, action_name, parse_action
from minchiate_rl.game.cards import card_name
from minchiate_rl.game.piedicavallo.lawbook import PACK
from minchiate_rl.game.piedicavallo.reference import PiedicavalloHand
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import Phase

RULES = RuleSet.from_toml('game = "piedicavallo"', "piedicavallo.toml")
ORDER = {
    "C": ["K", "Q", "N", "J", "1", "2", "3", "4", "5", "6"],
    "D": ["K", "Q", "N", "J", "1", "2", "3", "4", "5", "6"],
    "S": ["K", "Q", "N", "J", "10", "9", "8", "7", "6", "5"],
    "B": ["K", "Q", "N", "J", "10", "9", "8", "7", "6", "5"],
    "T": [str(n) for n in range(21, 0, -1)],
}
OTHER_COLOUR = {"C": "SB", "D": "SB", "S": "CD", "B": "CD"}
OPENERS = ("altro", "sleep this", "sleep altro")
LEADS = ("lead trump", "lead this", "lead altro")
FACTS = [name for number, name in SPEECH_NAMES.items() if number < parse_action("farlo") and name not in OPENERS]


def best_left(letter, gone):
    return [letter + rank for rank in ORDER[letter] if letter + rank not in gone]


def true_of_suit(fact, letter, hand, gone):
    own = {code for code in hand if code[0] == letter}
    if fact == "void":
        return own == set()
    if fact == "batto":
        return bool(best_left(letter, gone)) and best_left(letter, gone)[0] in own
    word, what = fact.split()
    if word == "have":
        return letter + what in own
    if word == "total":
        return len(own) == int(what)
    return len([code for code in own if code[1] not in "KQNJ"]) == int(what)


def true_of_trumps(facts, hand, gone):
    """Tell whether facts about trumps are true, one after another."""
    own, named = {code for code in hand if code[0] == "T"}, set()
    best = best_left("T", gone)
    for fact in facts:
        if fact in ("batto", "batto batto"):
            n = len(fact.split())
            named |= set(best[:n])
            if len(best) < n or not set(best[:n]) <= own:
                return False
        elif fact == "bagatto":
            named.add("T1")
            if "T1" not in own:
                return False
        elif fact == "no trumps":
            if own:
                return False
        elif fact.startswith("more "):
            if len(own - named) != int(fact[5:]):
                return False
        else:
            named.add(fact)
            if fact not in hand:
                return False
    return True


def blocks_of(card, items, hand):
    """Split a message into blocks of facts and the lead requests with the card that they name."""
    blocks, leads, last = [("this", [])], [], None
    for item in items:
        if item in OPENERS:
            blocks.append((item, []))
        elif last in LEADS and (card[0] in "CDSB" or (item[0] == "T" and item not in hand)):
            leads.append((last, item))
        elif last != "play" and (item in FACTS or item == "M" or item[1:].isdigit()):
            blocks[-1][1].append(item)
        last = item
    return blocks, leads


def is_true(card, items, hand, seen, slept, partner):
    """Tell whether a message is true of the speaker's hand, and its requests of the partner's."""
    gone = seen | slept
    blocks, leads = blocks_of(card, items, hand)
    for request, what in leads:
        suits = OTHER_COLOUR[card[0]] if request == "lead altro" else card[0]
        if what.startswith("have ") and not any(letter + what[5:] in partner for letter in suits):
            return False
        if (what[1:].isdigit() or what[1:] in "KQNJ") and len(what) < 4 and what not in partner:
            return False
    if card[0] in "TM":
        return len(blocks) == 1 and true_of_trumps(blocks[0][1], hand, gone)
    suit, altro = card[0], [facts for kind, facts in blocks if kind == "altro"]
    for kind, facts in blocks:
        if kind == "this" and not all(true_of_suit(fact, suit, hand, gone) for fact in facts):
            return False
        readings = suit if kind == "sleep this" else OTHER_COLOUR[suit]
        if kind.startswith("sleep") and not any(
            all(true_of_suit(fact, letter, slept, gone) for fact in facts) for letter in readings
        ):
            return False

    def fits(facts, letter):
        return all(true_of_suit(fact, letter, hand, gone) for fact in facts)

    readings = itertools.permutations(OTHER_COLOUR[suit], len(altro))
    return len(altro) <= 2 and any(all(map(fits, altro, letters)) for letters in readings)


def dealt(seed, rules=RULES):
    rng = random.Random(seed)
    pack = list(PACK)
    rng.shuffle(pack)
    return PiedicavalloHand(rules, pack, rng.randrange(62), rng.randrange(4)), rng


def names(numbers):
    return {card_name(card) for card in numbers}


def truth_test(hand):
    """Return a function of items that tells whether they are true where the hand stands."""
    seat = hand.seat
    card = card_name(hand.trick[-1][1])
    own, partner = names(hand.hands[seat]), names(hand.hands[(seat + 2) % 4])
    slept = names(hand.discards[1]) if seat == hand.dealer else set()
    seen = names(card for pile in hand.piles for card in pile) | names(card for _, card in hand.trick)
    return lambda items: is_true(card, items, own, seen, slept, partner)


@pytest.mark.parametrize("seed", range(30))
def test_no_false_statement_is_ever_legal(seed):
    hand, rng = dealt(seed)
    while hand.seat is not None:
        legal = sorted(hand.legal())
        if hand.phase == Phase.SPEAK:
            holds = truth_test(hand)
            said = [action_name(item) for item in hand.messages[-1][1].items]
            assert holds(said)
            for item in legal:
                assert item == DONE or holds([*said, action_name(item)]), (said, action_name(item))
        hand.step(rng.choice(legal))


@pytest.mark.parametrize("seed", range(30, 50))
def test_whatever_is_true_may_be_said_at_once(seed):
    hand, rng = dealt(seed)
    while hand.seat is not None:
        legal = sorted(hand.legal())
        if hand.phase == Phase.SPEAK:
            holds = truth_test(hand)
            trumps = card_name(hand.trick[-1][1])[0] in "TM"
            about_trumps = ("more", "batto batto", "bagatto", "no trumps")
            facts = [f for f in FACTS if f == "batto" or f.startswith(about_trumps) == trumps]
            facts += ["M", *(f"T{n}" for n in range(15, 22))] if trumps else []
            said = {action_name(item) for item in legal}
            assert {fact for fact in facts if holds([fact])} == said & set(facts)
            hand.step(DONE)
        else:
            hand.step(rng.choice(legal))


def test_the_truth_test_knows_a_lie():
    own, seen, nothing = {"CQ", "SK", "S5", "T20", "T2"}, {"C1", "T3"}, set()
    assert is_true("C1", ["have Q", "total 1", "altro", "batto"], own, seen, nothing, nothing)
    for lie in (["have K"], ["batto"], ["total 2"], ["altro", "void", "pips 1"], ["altro", "batto", "altro", "batto"]):
        assert not is_true("C1", lie, own, seen, nothing, nothing)
    assert is_true("T3", ["T20", "more 1"], own, seen, nothing, nothing)
    for lie in (["T21"], ["batto"], ["T20", "more 2"], ["no trumps"], ["bagatto"], ["M"]):
        assert not is_true("T3", lie, own, seen, nothing, nothing)
    assert not is_true("C1", ["lead altro", "have K"], own, seen, nothing, {"DK"})
    assert not is_true("T3", ["lead trump", "T21"], own, seen, nothing, {"T19"})
