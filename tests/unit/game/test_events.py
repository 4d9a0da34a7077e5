import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minchiate_rl.game.actions import DONE, action_name
from minchiate_rl.game.cards import Suit, card_name, parse_card
from minchiate_rl.game.events import EVERYBODY, KINDS, Event
from minchiate_rl.game.reference import ReferenceHand
from minchiate_rl.game.seats import cutter_of
from minchiate_rl.game.sight import fold
from tests.support.hands import CLASSIC, dealt, play_on, rules_of

SWITCHES = st.fixed_dictionaries({}, optional={"memory": st.sampled_from(["own_tricks", "table"])})


def heard_table(plays, opened=()):
    """Return the events of some plays `seat:code`, after tricks in which the suits of `opened` were led."""
    own = [suit + "2" for suit in opened] + [word[2:] for word in plays.split() if word[0] == "0"]
    events = [Event("deal", frozenset({0}), {"dealer": 3, "cards": [parse_card(code) for code in own], "match": {}})]
    for suit in opened:
        for seat, rank in enumerate(("2", "3", "4", "5")):
            events.append(Event("play", EVERYBODY, {"seat": seat, "card": parse_card(suit + rank)}))
        events.append(Event("trick", EVERYBODY, {"winner": 0}))
    for word in plays.split():
        seat, code = word.split(":")
        events.append(Event("play", EVERYBODY, {"seat": int(seat), "card": parse_card(code)}))
    return events


@pytest.mark.parametrize(
    ("plays", "opened", "seat", "voids", "no_king"),
    [
        ("1:C7 2:C9", "", 2, "", ""),
        ("1:C7 2:T9", "", 2, "C", ""),
        ("1:C7 2:D9", "", 2, "CT", ""),
        ("1:T7 2:D9", "", 2, "T", ""),
        ("1:C7 2:M", "", 2, "", ""),
        ("1:M 2:C9", "", 2, "", ""),
        ("1:M 2:C9 3:D9", "", 3, "CT", ""),
        ("1:C7 2:T9 3:C8", "", 3, "", "C"),
        ("1:C7 2:T9 3:CK", "", 3, "", ""),
        ("1:C7 2:T9 3:M", "", 3, "", "C"),
        ("1:C7 2:T9 3:T8", "", 3, "C", "C"),
        ("1:C7 2:T9 3:C8", "C", 3, "", ""),
        ("1:C7 2:T9 3:DK", "", 3, "CT", "C"),
        ("1:T7 2:T9 3:C8", "", 3, "T", ""),
    ],
)
def test_what_a_card_says_of_the_rest_of_the_hand(plays, opened, seat, voids, no_king):
    view = fold(heard_table(plays, opened), CLASSIC, 0)
    assert view["voids"][seat] == list(voids)
    assert view["no_king"][seat] == list(no_king)
    assert view["opened"] == list(opened)


def test_the_table_of_a_view():
    view = fold(heard_table("1:M 2:C9 3:T8"), CLASSIC, 0)
    assert view["table"] == [[1, "M"], [2, "C9"], [3, "T8"]]
    assert (view["led"], view["winner"]) == ("C", 3)
    assert view["matto"] == {"played_by": 1, "owed_by": None, "paid": None}


def test_the_side_of_the_matto_owes_for_a_trick_of_the_others():
    events = [*heard_table("1:M 2:C9 3:C8 0:C7"), Event("trick", EVERYBODY, {"winner": 0})]
    view = fold(events, CLASSIC, 0)
    assert view["matto"] == {"played_by": 1, "owed_by": 1, "paid": None}
    assert view["piles"] == [["C9", "C8", "C7"], ["M"]]


def test_discards_are_known_to_the_discarder_until_they_are_turned_up():
    hand = next(h for h, _ in map(dealt, range(100)) if min(len(h.hands[h.cutter]), len(h.hands[h.dealer])) > 22)
    cutter = cutter_of(hand.dealer)
    first = min(hand.legal())
    hand.step(first)
    for seat in range(4):
        known = [card_name(first)] if seat == cutter else []
        assert hand.view(seat)["discards"] == [known, []]
        assert not hand.view(seat)["revealed"]
    play_on(hand, random.Random(0), lambda hand: hand.trick_number == 1)
    turned_up = [[card_name(card) for card in sorted(cards)] for cards in hand.discards]
    for seat in range(4):
        assert hand.view(seat)["discards"] == turned_up
        assert hand.view(seat)["revealed"]


def test_the_trumps_of_the_fola_are_known_to_the_dealer_and_his_partner_alone():
    hand = next(h for h, _ in map(dealt, range(100)) if h.view(0)["fola"]["trumps"] > 2)
    for seat in range(4):
        fola = hand.view(seat)["fola"]
        knows = (seat - hand.dealer) % 2 == 0
        assert len(fola["known"]) == (fola["size"] if knows else len(fola["public"]))
        assert len(fola["public"]) < fola["size"]


GAMES = [
    CLASSIC,
    CLASSIC.replace(rob_limit=None, cascare=True, discard_trumps_shown=False),
    *map(rules_of, ("solo", "solo_fola", "three", "two", "mini", "mini_team")),
]
PRIVATE = {"deal": 1, "act": 1, "discard": 1, "passed": 2, "user": 1}


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: f"{rules.name} {len(rules.flags)}")
def test_private_events_stay_private(rules):
    for seed in range(8):
        hand = play_on(*dealt(seed, rules))
        for event in hand.events:
            assert event.kind in KINDS
            secret = event.kind in PRIVATE and (event.kind in {"deal", "act"} or {"card", "cards"} & set(event.data))
            if secret:
                assert len(event.audience) == PRIVATE[event.kind]
            elif event.kind in PRIVATE:
                assert len(event.audience) == rules.n_seats - PRIVATE[event.kind]
            elif event.kind == "fola_sorted":
                partners = {hand.dealer, (hand.dealer + 2) % 4} if rules.form.sorter == "partner" else {hand.dealer}
                assert event.audience == partners
            elif event.kind != "shown":
                assert event.audience == set(range(rules.n_seats))


def test_every_kind_of_event_is_told():
    told = {event.kind for rules in GAMES for seed in range(30) for event in play_on(*dealt(seed, rules)).events}
    assert told | {"passed"} == set(KINDS)


@given(st.integers(0, 10**6), st.integers(0, 90), SWITCHES)
def test_a_view_holds_nothing_that_its_seat_has_not_heard(seed, steps, switches):
    hand, rng = dealt(seed, CLASSIC.replace(**switches))
    play_on(hand, rng, lambda hand: len(hand.actions) >= steps)
    for seat in range(4):
        view = hand.view(seat)
        assert view == fold(hand.heard(seat), hand.rules, seat)
        assert set(map(parse_card, view["hand"])) == hand.hands[seat]
        legal = sorted(hand.legal()) if seat == hand.seat else [DONE]
        assert view["legal"] == [action_name(action) for action in legal]
        assert view["to_act"] == hand.seat
        assert (view["score"], view["lead"], view["resti"]) == (hand.score, hand.lead, hand.resti)
        for other in range(4):
            shown = set(map(parse_card, view["shown"][other]))
            if hand.rules.memory == "perfect" and view["revealed"]:
                assert shown <= hand.hands[other]
            for letter in view["voids"][other]:
                suit = Suit("CDSBT".index(letter))
                assert not any(parse_card(code) // 14 == suit for code in codes_held(hand, other) if suit < 4)
            for letter in view["no_king"][other]:
                assert letter + "K" not in codes_held(hand, other)


def codes_held(hand, seat):
    return [card_name(card) for card in hand.hands[seat]]


@given(st.integers(0, 10**6), st.integers(0, 60))
def test_the_memory_of_the_rules_limits_what_earlier_tricks_add(seed, tricks):
    pack_of, _ = dealt(seed)
    views = {}
    for memory in ("perfect", "own_tricks", "table"):
        hand = ReferenceHand(CLASSIC.replace(memory=memory), pack_of.pack, pack_of.cut, pack_of.dealer)
        play_on(hand, random.Random(seed), lambda hand: hand.trick_number >= tricks)
        views[memory] = hand.view(0)
    assert views["perfect"]["piles"][0] == views["own_tricks"]["piles"][0]
    assert views["own_tricks"]["piles"][1] == []
    assert views["table"]["piles"] == [[], []]
    assert views["table"]["played"] == [[]] * 4
    assert views["own_tricks"]["voids"] == views["table"]["voids"] == [[]] * 4
    assert views["own_tricks"]["no_king"] == views["table"]["no_king"] == [[]] * 4
    own = {code for codes in views["own_tricks"]["played"] for code in codes}
    assert own == set(views["perfect"]["piles"][0])
    for kind in ("hand", "table", "opened", "score", "lead", "resti", "tricks", "matto", "discards", "turned", "fola"):
        assert views["perfect"][kind] == views["own_tricks"][kind] == views["table"][kind]
