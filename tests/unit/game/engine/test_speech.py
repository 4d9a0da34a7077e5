"""Speech in kernels: the grammar and the truth of every item, on hand-made rows and against the plain reference."""

import random

import numpy as np
import pytest

from minchiate_rl.game.actions import action_name, parse_action
from minchiate_rl.game.cards import parse_card
from minchiate_rl.game.engine import layout as lay
from minchiate_rl.game.engine.speech import begin_message, say, speech_words
from minchiate_rl.game.piedicavallo.reference import PiedicavalloHand
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import Phase

FULL = RuleSet("piedicavallo", game="piedicavallo", midhand_resti=False, speech="full")
FACTS = FULL.replace(speech="facts")
NOW = {"low", "most points", "fewest points"}
LEADS = {"lead this", "lead altro"}


class Table:
    """A row of one hand in which only what speech looks at is filled in."""

    def __init__(self, hands=(), rules=FULL, dealer=3, slept="", played=""):
        self.rules = rules
        self.rows = np.zeros((1, lay.W_SPEECH), np.uint64)
        self.rows[0, lay.TABLE] = lay.EMPTY_TABLE
        self.rows[0, lay.DEALER] = dealer
        self.put(lay.DISCARD + 2, slept)
        self.put(lay.PLAYED, played)
        for seat, cards in enumerate(hands):
            self.put(lay.HAND + 2 * seat, cards)

    def put(self, column, codes):
        """Add cards to a set."""
        cards = map(parse_card, codes.split()) if isinstance(codes, str) else codes
        for card in cards:
            self.rows[0, column + (card >= 56)] |= np.uint64(1 << (card if card < 56 else card - 56))

    def play(self, seat, code):
        """Play a card, which need not be in the hand, and begin the message."""
        card = parse_card(code)
        column = lay.HAND + 2 * seat + (card >= 56)
        self.rows[0, column] &= ~np.uint64(1 << (card if card < 56 else card - 56))
        table = bytearray(int(self.rows[0, lay.TABLE]).to_bytes(8, "little"))
        table[seat] = card
        self.rows[0, lay.TABLE] = int.from_bytes(table, "little")
        self.rows[0, lay.ON_TABLE] += np.uint64(1)
        self.rows[0, lay.SEAT] = seat
        begin_message(self.rows, 0, card)
        return self

    def sweep(self):
        """End the trick."""
        for seat in range(4):
            card = int(self.rows[0, lay.TABLE]) >> 8 * seat & 0xFF
            if card != 0xFF:
                self.put(lay.PLAYED + 2 * seat, [card])
        self.rows[0, lay.TABLE] = lay.EMPTY_TABLE
        self.rows[0, lay.ON_TABLE] = 0

    def numbers(self):
        w0, w1, w2, w3 = (int(word) for word in speech_words(self.rows, 0, self.rules.row))
        number = w0 | w1 << 56 | w2 << 97 | w3 << 144
        return {action for action in range(201) if number >> action & 1}

    def legal(self):
        """Return the names of the items that may come next."""
        return {action_name(action) for action in self.numbers()}

    def say(self, *names):
        """Say items, each of which has to be legal."""
        for name in names:
            assert name in self.legal(), name
            assert say(self.rows, 0, self.rules.row, parse_action(name)) == (name == "done")
        return self

    def facts(self):
        """Return what may come next but for requests and openers of blocks."""
        return {name for name in self.legal() if parse_action(name) < 186} - {"done"}


def after(code, hand, seat=0, **kwargs):
    """Return the table after a seat with that hand played a card."""
    hands = [""] * 4
    hands[seat] = hand
    return Table(hands, **kwargs).play(seat, code)


def test_of_the_suit_played_everything_true_may_be_said():
    table = after("C3", "CK CJ C2 C1 S7 T4")
    assert table.facts() == {"have K", "have J", "pips 2", "total 4", "batto"}
    assert after("C3", "S7").facts() == {"pips 0", "total 0", "void"}


def test_each_fact_is_said_once_and_done_is_always_legal():
    table = after("C3", "CK C2")
    said = ["total 2", "have K", "batto", "pips 1"]
    for k, name in enumerate(said):
        table.say(name)
        assert table.facts() == set(said[k + 1 :])
        assert "done" in table.legal()
    table.say("done")


@pytest.mark.parametrize(
    ("hand", "played", "slept", "seat", "batto"),
    [
        ("CQ", "", "", 0, False),
        ("CQ", "CK", "", 0, True),
        ("CQ C2", "CK CN CJ", "", 0, True),
        ("CN", "CK", "CQ", 0, False),
        ("CN", "CK", "CQ", 3, True),
        ("C2", "CK CQ CN CJ C1", "", 0, True),
        ("C2", "CK CQ CN CJ", "", 0, False),
    ],
)
def test_batto_is_the_highest_card_not_seen_played_nor_slept_by_oneself(hand, played, slept, seat, batto):
    assert ("batto" in after("C3", hand, seat, played=played, slept=slept).facts()) == batto


def test_cards_on_the_table_have_been_played():
    table = Table(["DK", "DQ D2", "", ""])
    table.play(0, "DK").say("done")
    assert "batto" in table.play(1, "D2").facts()


def test_altro_is_of_one_suit_of_the_other_colour():
    table = after("C3", "C2 D6 DK SK S5 B5 B6")
    table.say("altro")
    assert table.legal() == {"have K", "batto", "pips 1", "total 2", "pips 2", "void", "total 0"} - {"void", "total 0"}
    table.say("total 2")
    assert table.facts() == {"have K", "batto", "pips 1", "pips 2"}
    table.say("pips 2")
    assert table.facts() == set()
    assert "altro" in table.legal()


def test_two_altro_blocks_are_of_two_suits():
    table = after("C3", "SK S5 B5")
    table.say("altro", "total 1", "altro")
    assert table.legal() == {"have K", "batto", "pips 1", "total 2"}
    table.say("batto")
    assert "altro" not in table.legal()
    assert table.facts() == {"have K", "pips 1", "total 2"}


def test_an_open_first_altro_leaves_both_readings_to_the_second():
    table = after("S10", "CK C1 D1")
    table.say("altro", "pips 1", "altro")
    assert table.legal() == {"have K", "batto", "pips 1", "total 2", "total 1"}
    table.say("total 1")
    assert table.facts() == {"pips 1"}


def test_the_other_suit_of_the_same_colour_is_never_spoken_of():
    table = after("S10", "BK BQ BN BJ")
    assert table.facts() == {"pips 0", "total 0", "void"}
    table.say("altro")
    assert table.legal() == {"pips 0", "total 0", "void"}


def test_facts_follow_a_request_only_in_a_new_block():
    table = after("C3", "CK SK")
    table.say("low")
    assert table.facts() == set()
    table.say("altro", "have K", "lead this", "altro")
    assert table.legal() == {"pips 0", "total 0", "void"}


def test_sleep_is_the_dealers_alone_and_each_kind_once():
    assert not {"sleep this", "sleep altro"} & after("C3", "C2", 0, slept="CQ SQ").legal()
    table = after("C3", "C2", 3, slept="CQ SQ")
    table.say("sleep this")
    assert table.legal() == {"have Q", "pips 0"}
    table.say("have Q")
    assert table.facts() == {"pips 0"}
    assert "sleep this" not in table.legal()
    table.say("sleep altro")
    assert table.legal() == {"have Q", "pips 0"}
    table.say("pips 0")
    assert table.facts() == {"have Q"}
    table.say("have Q")
    assert not {"sleep this", "sleep altro"} & table.legal()


def test_one_suit_of_the_other_colour_fits_all_that_sleeps():
    table = after("C3", "C2", 3, slept="S5 BJ")
    table.say("sleep altro")
    assert table.legal() == {"pips 1", "pips 0", "have J"}
    table.say("pips 1")
    assert table.facts() == set()


def test_sleep_and_altro_may_mean_different_suits():
    table = after("C3", "C2 SK", 3, slept="B5 B6")
    table.say("altro", "have K", "sleep altro", "pips 2", "altro", "void")


def test_trumps_are_named_from_the_fifteenth_on():
    table = after("T9", "T21 T15 T14 T1 M CK")
    assert table.facts() == {"T21", "T15", "M", "more 4", "batto", "bagatto"}
    assert after("M", "CK").facts() == {"more 0", "no trumps"}


def test_more_counts_the_trumps_not_named_and_ends_the_naming():
    table = after("T9", "T21 T20 T18 T5 T1 M")
    table.say("T20")
    assert "more 4" in table.facts()
    table.say("batto")
    assert "more 3" in table.facts()
    table.say("batto batto")
    assert "more 3" in table.facts()
    table.say("T21", "bagatto")
    assert table.facts() == {"T18", "M", "more 2"}
    table.say("more 2")
    assert table.facts() == {"M"}
    table.say("M")
    assert table.facts() == set()


def test_more_none_leaves_only_that_there_are_none():
    assert after("T9", "CK").say("more 0").facts() == {"no trumps"}
    assert after("T9", "T4").say("more 1").facts() == set()


@pytest.mark.parametrize(
    ("hand", "played", "slept", "seat", "facts"),
    [
        ("T21", "", "", 0, {"batto"}),
        ("T21 T20", "", "", 0, {"batto", "batto batto"}),
        ("T20 T19", "", "", 0, set()),
        ("T20 T18", "T21", "", 0, {"batto"}),
        ("T20 T18", "T21 T19", "", 0, {"batto", "batto batto"}),
        ("T20 T18", "T21", "T19 C6", 0, {"batto"}),
        ("T20 T18", "T21", "T19 C6", 3, {"batto", "batto batto"}),
        ("", "", "", 0, set()),
    ],
)
def test_batto_once_and_twice(hand, played, slept, seat, facts):
    table = after("T2", hand, seat, played=played, slept=slept)
    assert {"batto", "batto batto"} & table.facts() == facts


def test_requests_for_this_trick_end_with_the_partners_card():
    table = Table(["C2", "C1", "C4", "C5"])
    assert NOW | {"cover", "play"} | LEADS <= table.play(0, "C2").legal()
    second = table.say("done").play(1, "C1").legal()
    assert NOW | {"play"} | LEADS <= second
    assert "cover" not in second
    third = table.say("done").play(2, "C4").legal()
    assert not third & (NOW | {"cover", "play", "farlo"})
    assert third >= LEADS


def test_each_request_is_made_once():
    table = after("T3", "T2")
    for name in ("low", "cover", "most points"):
        table.say(name)
        assert name not in table.legal()
    assert table.say("lead trump").facts() == {"more 1"}
    assert {"high", "low card", "valuable"} <= table.legal()
    table.say("valuable")
    assert not {"high", "low card", "valuable", "lead trump"} & table.legal()


def test_play_asks_for_a_card_of_the_suit_that_is_neither_seen_nor_ones_own():
    table = after("C3", "CK C1 S5", played="C2 CJ", dealer=0, slept="C6")
    assert table.say("play").legal() == {"C4", "C5", "C6", "CN", "CQ"}
    table.say("CQ")
    assert "play" not in table.legal()
    assert "done" in table.legal()
    trumps = after("M", "T5 T21", played="T1").say("play").legal()
    assert trumps == {f"T{n}" for n in range(2, 21)} - {"T5"}


def test_play_is_not_offered_where_no_card_is_left():
    assert "play" not in after("C3", "CK", played="CQ CN CJ C1 C2 C4 C5 C6").legal()
    assert "play" in after("C3", "CK", played="CQ CN CJ C1 C2 C4 C5").legal()


@pytest.mark.parametrize(
    ("code", "items", "farlo"),
    [
        ("C3", ["have J"], True),
        ("C3", ["batto"], True),
        ("C3", ["altro", "have K"], True),
        ("C3", ["total 2", "altro", "pips 0"], False),
        ("T2", ["T15"], True),
        ("T2", ["batto"], True),
        ("T2", ["bagatto", "M", "more 2"], False),
        ("T2", ["play", "T20"], False),
        ("C3", ["lead altro", "high"], False),
    ],
)
def test_farlo_asks_for_a_high_card_that_the_partner_announced(code, items, farlo):
    table = Table(["CK CJ SK T21 T15 T1 M", "", "", ""])
    table.play(0, code).say(*items, "done")
    table.sweep()
    assert "farlo" not in table.play(1, "D2").legal()
    table.sweep()
    assert ("farlo" in table.play(2, "B5").legal()) == farlo


def test_a_slept_court_is_no_announcement():
    table = Table(["", "", "", "C2"], slept="CQ D1").play(3, "C2").say("sleep this", "have Q", "done")
    table.sweep()
    assert "farlo" not in table.play(1, "D2").legal()


def test_a_lead_may_be_asked_by_a_card_that_the_partner_named_and_still_holds():
    table = Table(["CK CJ C1 T21", "", "", ""])
    table.play(0, "C1").say("have K", "have J", "altro", "pips 0", "done")
    table.sweep()
    table.play(2, "C5").say("lead this")
    assert {"CK", "CJ", "high", "low card", "valuable"} <= table.legal()
    assert "have K" not in table.legal()
    table.say("CJ")
    assert not {"CK", "CJ", "high", "lead altro"} & table.legal()
    table.sweep()
    table.play(0, "CJ").say("done")
    table.sweep()
    assert {"CK", "CJ"} & table.play(2, "C6").say("lead this").legal() == {"CK"}
    table.sweep()
    assert {"have K", "have J"} & table.play(2, "S5").say("lead altro").legal() == {"have K"}
    table.say("have K", "altro", "total 0", "done")
    table.sweep()
    assert not {"have K", "have J"} & table.play(2, "D5").say("lead altro").legal()


def test_a_trump_lead_may_be_asked_by_the_partners_trump_beside_ones_own():
    table = Table(["T16 T17", "", "T18 T19", ""])
    table.play(0, "T2").say("T16", "T17", "done")
    table.sweep()
    table.play(0, "T16").say("done")
    table.sweep()
    table.play(2, "T3").say("lead trump")
    assert table.facts() == {"T17", "T18", "T19", "more 2"}
    table.say("T17")
    assert table.facts() == {"T18", "T19", "more 2"}


def test_own_trumps_follow_a_lead_as_facts():
    table = after("T3", "T18 T19").say("lead trump", "T18")
    assert table.facts() == {"T19", "more 1"}


def test_where_only_facts_are_spoken_there_are_no_requests():
    for code, hand in (("C3", "CK SK"), ("T3", "T21")):
        legal = after(code, hand, 3, rules=FACTS, slept="C2 S5").numbers()
        assert max(legal) < 189
        assert 97 in legal
    assert after("C3", "CK", rules=FACTS).say("altro").legal() == {"pips 0", "total 0", "void"}


def test_the_transcript_holds_every_card_item_and_end():
    table = Table(["C2 CK", "S5", "", ""])
    table.play(0, "C2").say("have K", "altro", "void", "done").play(1, "S5").say("low", "done")
    said = int(table.rows[0, lay.SAID])
    bytes_ = table.rows[0, lay.TRANSCRIPT :].tobytes()
    names = [action_name(byte) for byte in bytes_[:said]]
    assert names == ["C2", "have K", "altro", "void", "done", "S5", "low", "done"]
    assert not any(bytes_[said:])


def longest(table):
    """Say as much as can be said, openers last; return the number of bytes of the message."""
    before = int(table.rows[0, lay.SAID])
    while legal := table.numbers() - {97}:
        # Facts before openers, openers before requests, and a quality where one may follow.
        say(table.rows, 0, table.rules.row, min(legal, key=lambda a: (a >= 189 and a < 198, a in (186, 187, 188), a)))
    say(table.rows, 0, table.rules.row, 97)
    return int(table.rows[0, lay.SAID]) - before


def test_the_longest_message_fits_its_share_of_the_transcript():
    hand = "CK CQ CN CJ C1 SK SQ SN SJ BK BQ BN BJ T15"
    table = Table(["", "CK DK", "", hand], slept="S5 S6")
    table.play(1, "D5").say("have K", "done")
    table.sweep()
    table.play(3, "C2")
    size = longest(table)
    assert 30 < size <= 39
    trumps = after("T2", "T21 T20 T19 T18 T17 T16 T15 T1 M T14")
    assert longest(trumps) <= 25
    assert 8 * lay.TRANSCRIPT_WORDS >= 60 * 40


def mirror(table, hand):
    """Copy what speech looks at from a hand of the reference."""
    rows = table.rows
    rows[0, lay.HAND : lay.PLAYED + 8] = 0
    rows[0, lay.DISCARD + 2 : lay.DISCARD + 4] = 0
    table.put(lay.DISCARD + 2, hand.discards[1])
    for seat in range(4):
        table.put(lay.HAND + 2 * seat, hand.hands[seat])
    on_table = dict(hand.trick)
    for speaker, message in hand.messages:
        if message.situation.card not in on_table.values():
            table.put(lay.PLAYED + 2 * speaker, [message.situation.card])
    rows[0, lay.TABLE] = int.from_bytes(bytes(on_table.get(seat, 255) for seat in range(4)) + bytes(4), "little")
    rows[0, lay.ON_TABLE] = len(hand.trick)
    rows[0, lay.SEAT] = hand.seat


@pytest.mark.parametrize("seed", range(6))
def test_random_hands_agree_with_the_reference_at_every_item(seed):
    rng = random.Random(seed)
    rules = FACTS if seed == 5 else FULL
    pack = list(rules.cards)
    rng.shuffle(pack)
    dealer = rng.randrange(4)
    hand = PiedicavalloHand(rules, pack, 0, dealer)
    table = Table(rules=rules, dealer=dealer)
    silence = (0.3, 0.05)[seed % 2]
    while hand.seat is not None:
        legal = sorted(hand.legal())
        if hand.phase != Phase.SPEAK:
            hand.step(rng.choice(legal))
            if hand.phase == Phase.SPEAK:
                mirror(table, hand)
                begin_message(table.rows, 0, hand.messages[-1][1].situation.card)
            continue
        assert table.numbers() == set(legal)
        item = 97 if 97 in legal and rng.random() < silence else rng.choice(legal)
        hand.step(item)
        assert say(table.rows, 0, rules.row, item) == (item == 97)
