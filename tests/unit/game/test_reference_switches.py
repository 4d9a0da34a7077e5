"""The switches of docs/rules.md, section 7.5, in the reference: one hand made by hand for each, and random hands."""

import random

import pytest

from minchiate_rl.errors import IllegalAction, RulesError
from minchiate_rl.game.actions import DONE, DROP, action_name, parse_action
from minchiate_rl.game.cards import MATTO, PACK_ORDER, ROBBABLE, Suit, card_name, parse_card, suit_of
from minchiate_rl.game.lawbook import card_points, extras_of, versicole_value
from minchiate_rl.game.reference import ReferenceHand
from minchiate_rl.game.rules import CHOICES, SWITCHES
from minchiate_rl.game.seats import Phase, side_of
from minchiate_rl.game.sight import fold
from tests.support.hands import CLASSIC, at_table, dealt, play, play_on, with_deal

OTHERS = [
    (switch, value)
    for switch in SWITCHES["minchiate"]
    for value in (CHOICES[switch] if not isinstance(CHOICES[switch], range) else (10,))
    if value != getattr(CLASSIC, switch) and value != 22
]


def any_switches(seed):
    """Return a rule set with about half of the switches changed."""
    rng = random.Random(seed)
    while True:
        chosen = dict(choice for choice in OTHERS if rng.random() < 0.4)
        try:
            return CLASSIC.replace(**chosen)
        except RulesError:
            continue


def names(actions):
    return {action_name(action) for action in actions}


def check_end(hand):
    """Check what holds at the end of every hand between two sides."""
    rules = hand.rules
    assert (hand.phase, hand.seat, hand.legal()) == (Phase.OVER, None, set())
    assert sum(hand.tricks) == rules.n_tricks
    assert not any(hand.hands)
    everything = [*hand.fola, *hand.discards[0], *hand.discards[1], *hand.piles[0], *hand.piles[1]]
    assert sorted(everything) == sorted(rules.cards)
    assert len(hand.discards[0]) + len(hand.discards[1]) + len(hand.fola) + len(hand.piles[0] | hand.piles[1]) == 97
    block = {(item, side): points for item, side, points in hand.entries if item >= 6}
    assert sum(points for (item, _), points in block.items() if item == 6) == 10
    for side in (0, 1):
        assert block.get((7, side), 0) == versicole_value(hand.piles[side], **extras_of(rules))
        assert block.get((8, side), 0) == card_points(hand.piles[side])
        assert block.get((9, side), 0) == max(0, len(hand.piles[side]) - 42)
        assert hand.score[side] == sum(points for _, who, points in hand.entries if who == side)
    assert hand.net == [hand.score[0] - hand.score[1], hand.score[1] - hand.score[0]]


def check_views(hand):
    """Check that every seat's view is made of what it heard, and true."""
    for seat in range(hand.rules.n_seats):
        view = hand.view(seat)
        assert view == fold(hand.heard(seat), hand.rules, seat)
        assert set(map(parse_card, view["hand"])) == hand.hands[seat]
        legal = sorted(hand.legal()) if seat == hand.seat else [DONE]
        assert view["legal"] == [action_name(action) for action in legal]
        assert view["dropped"] == sorted(hand.dropped)
        assert (view["score"], view["lead"], view["resti"]) == (hand.score, hand.lead, hand.resti)
        if hand.rules.memory == "perfect":
            assert [set(map(parse_card, pile)) for pile in view["piles"]] == list(hand.piles)
        for other in range(hand.rules.n_seats):
            for letter in view["voids"][other]:
                assert all(suit_of(card) != "CDSBT".index(letter) for card in hand.hands[other])
            assert not {letter + "K" for letter in view["no_king"][other]} & set(map(card_name, hand.hands[other]))


@pytest.mark.parametrize(("switch", "value"), OTHERS)
def test_random_hands_with_one_switch(switch, value):
    for seed in range(4):
        check_end(play_on(*dealt(seed, CLASSIC.replace(**{switch: value}))))


@pytest.mark.parametrize("seed", range(30))
def test_random_hands_with_any_switches(seed):
    hand, rng = dealt(seed, any_switches(seed))
    while hand.seat is not None:
        for seat in range(4):
            hand.view(seat)
        if rng.random() < 0.1:
            check_views(hand)
        legal = sorted(hand.legal())
        hand.step(DROP if DROP in legal and rng.random() < 0.3 else rng.choice(legal))
    check_views(hand)
    check_end(hand)


# Robbing without a limit.


def robbing(k):
    """Return a hand whose cutter robs k cards before a stopper."""
    robbable = [card for card in PACK_ORDER if card in ROBBABLE]
    others = [card for card in PACK_ORDER if card not in ROBBABLE]
    lifted = others[:5] + robbable[:k][::-1]
    return ReferenceHand(CLASSIC.replace(rob_limit=None), lifted + robbable[k:] + others[5:], len(lifted), 0)


@pytest.mark.parametrize("k", [12, 13, 14, 20, 24, 25, 33])
def test_v3_who_robs_more_than_thirteen_hands_the_rest_to_the_dealer(k):
    hand = robbing(k)
    total = min(k, 24)
    view = hand.view(1)
    assert view["discarded"][0] == total
    assert view["stoppers"][0] == "C2"
    assert view["fola"]["public"] == (["C2"] if k < 13 else [])
    assert (view["turned"][0] is None) == (k >= 24)
    play_on(hand, random.Random(k), lambda hand: hand.phase != Phase.DISCARD)
    assert [len(cards) for cards in hand.hands] == [21] * 4
    assert (len(hand.discards[0]), len(hand.passed)) == (min(13, total), max(0, total - 13))
    assert set(hand.passed) <= hand.hands[0]
    passed = sorted(hand.passed)
    assert [list(map(parse_card, hand.view(seat)["passed"])) for seat in range(4)] == [passed, [], [], passed]
    assert set(passed) <= set(map(parse_card, hand.view(3)["shown"][0]))
    play_on(hand, random.Random(k), lambda hand: hand.trick_number == 1)
    assert list(map(parse_card, hand.view(1)["discards"][0])) == sorted(hand.discards[0])
    check_views(hand)
    check_end(play_on(hand, random.Random(k)))


def test_v3_a_discard_goes_to_the_dealer_at_once():
    hand = robbing(15)
    for _ in range(13):
        hand.step(min(hand.legal()))
    assert [len(cards) for cards in hand.hands] == [19, 21, 21, 23]
    card = min(hand.legal())
    hand.step(card)
    assert hand.passed == [card]
    assert card in hand.hands[0]
    assert card_name(card) in hand.view(0)["hand"]


# When things are marked.


def marked(rules):
    """Return the items of a hand whose cutter robs T40 and whose turned cards are T39, T38, T37 and T36."""
    deal = {39: "T40", 38: "C2", 90: "T39", 4: "T38", 15: "T37", 26: "T36", 27: "S2"}
    return with_deal(rules, deal)


def test_robbery_marked_after_the_turned_cards():
    assert marked(CLASSIC).entries == [(1, 1, 10), (2, 1, 10), (2, 0, 10), (2, 1, 10), (2, 0, 10)]
    later = marked(CLASSIC.replace(robbery_marked="after_turned"))
    assert later.entries == [(2, 1, 10), (2, 0, 10), (2, 1, 10), (2, 0, 10), (1, 1, 10)]


def test_turned_cards_marked_at_the_end():
    hand = marked(CLASSIC.replace(turned_marked="at_end"))
    assert hand.entries == [(1, 1, 10)]
    assert hand.lead == -10
    play_on(hand, random.Random(1))
    items = [entry[0] for entry in hand.entries]
    assert items == sorted(item for item in items if item in (1, 4, 5)) + sorted(
        item for item in items if item not in (1, 4, 5)
    )
    assert [entry for entry in hand.entries if entry[0] == 2] == [(2, 1, 10), (2, 0, 10), (2, 1, 10), (2, 0, 10)]


def test_declared_versicole_marked_at_the_end():
    rules = CLASSIC.replace(declared_marked="at_end", midhand_resti=False)
    hand = at_table(["T1 T2 T3 C2", "C3", "C4", "C5"], tricks=(10, 10), rules=rules)
    hand.phase, hand.seat = Phase.DECLARE, 0
    play(hand, "papi")
    assert (hand.entries, hand.lead) == ([], 0)
    hand.phase = Phase.PLAY
    play(hand, "C2 C3 C4 C5")
    assert hand.entries[:2] == [(4, 0, 11), (6, 0, 10)]
    assert hand.resti == [1, 0]


def test_without_payments_in_the_hand_the_lead_grows_beyond_a_resto():
    rules = CLASSIC.replace(midhand_resti=False)
    hand = at_table(["T40 C2", "T39 C3", "T6 C4", "T38 C5"], tricks=(9, 10), piles=("T37", "C9"), rules=rules)
    hand.account.mark((5, 0, 45, ()))
    play(hand, "T40 T39 T6 T38")
    assert (hand.lead, hand.resti) == (65, [0, 0])
    play(hand, "C2 C3 C4 C5")
    # 65, the last trick, and on the side's own pile the run from 37 to 40 with its four cards.
    assert (hand.lead, hand.resti) == (0, [3, 0])
    assert hand.score == [65 + 10 + 40 + 40, 0]


# The dealer's part of the fola.

SEARCHED = {39: "C2", 84 + 40 - 97: "C3", 28: "T40", 29: "T29"}


def test_what_the_dealer_takes_goes_to_his_pile():
    hand = with_deal(CLASSIC.replace(pigliare_to="pile"), SEARCHED)
    taken = set(map(parse_card, hand.view(1)["taken"]))
    assert {parse_card("T40"), parse_card("T29")} <= taken
    assert hand.piles[0] == taken
    assert not taken & hand.hands[0]
    assert hand.view(1)["shown"][0] == [hand.view(1)["turned"][0]]
    assert hand.view(1)["discarded"] == [0, 0]
    assert hand.view(1)["piles"] == [hand.view(1)["taken"], []]
    play_on(hand, random.Random(2))
    assert len(hand.piles[0]) == 4 * hand.tricks[0] + len(taken)
    check_end(hand)


def test_taken_cards_in_the_pile_do_not_save_the_matto_of_a_side_without_a_trick():
    rules = CLASSIC.replace(pigliare_to="pile")
    hand = at_table(["T40 C2", "M C3", "T6 C4", "T7 C5"], tricks=(19, 0), piles=("", "CK"), rules=rules)
    play(hand, "T40 M T6 T7 C2 C3 C4 C5")
    assert hand.piles[1] == {parse_card("CK")}
    assert hand.entries[0] == (5, 0, 5)


def test_the_suits_of_the_fola_are_told_by_number_alone():
    for seed in range(20):
        shown, hidden = (dealt(seed, CLASSIC.replace(fola_suits_shown=told))[0] for told in (True, False))
        for seat in range(4):
            view, before = hidden.view(seat)["fola"], shown.view(seat)["fola"]
            knows = (seat - hidden.dealer) % 2 == 0
            assert view["suits"] == before["suits"]
            assert view["trumps"] == before["trumps"] == view["size"] - sum(view["suits"])
            assert set(view["public"]) == {card for card in hidden.view(seat)["stoppers"] if card in before["public"]}
            assert view["known"] == (before["known"] if knows else view["public"])


def test_trumps_among_the_discards_stay_face_down():
    hand = dealt(0, CLASSIC.replace(discard_trumps_shown=False))[0]
    hand.hands[hand.cutter] |= {parse_card("T22"), parse_card("C2")}
    for ear in hand._ears:
        ear.shown[hand.cutter].add(parse_card("T22"))
    hand.view(hand.cutter)
    hand._ears[hand.cutter].hand |= {parse_card("T22"), parse_card("C2")}
    size = len(hand.hands[hand.cutter])
    hand.phase, hand.seat = Phase.DISCARD, hand.cutter
    play(hand, "T22 C2")
    while len(hand.hands[hand.cutter]) > 21:
        hand.step(min(hand.legal()))
    assert size >= 23
    play_on(hand, random.Random(0), lambda hand: hand.trick_number == 1)
    for seat in range(4):
        view = hand.view(seat)
        knows = seat != hand.eldest
        assert view["revealed"]
        assert "C2" in view["discards"][0]
        assert ("T22" in view["discards"][0]) == knows
        assert ("T22" in view["shown"][hand.cutter]) == (not knows)


def test_discards_turned_up_after_the_first_trick():
    for when in ("after_lead", "after_first_trick"):
        hand, rng = dealt(3, CLASSIC.replace(discards_shown=when))
        play_on(hand, rng, lambda hand: len(hand.trick) == 1 and hand.phase == Phase.PLAY)
        assert hand.view(0)["revealed"] == (when == "after_lead")
        play_on(hand, rng, lambda hand: hand.trick_number == 1)
        assert hand.view(0)["revealed"]


@pytest.mark.parametrize(
    ("when", "turns", "revealed"),
    [
        ("before_lead", "E1 L1 E2 E3 E4 L2 L3 L4", 5),
        ("after_lead", "L1 E1 E2 E3 E4 L2 L3 L4", 5),
        ("after_own_card", "L1 E1 L2 E2 L3 E3 L4 E4", 2),
    ],
)
def test_the_time_of_declarations(when, turns, revealed):
    hand, _ = dealt(3, CLASSIC.replace(declare_when=when))
    seen, shown = [], []
    while hand.trick_number == 0:
        if hand.phase != Phase.DISCARD:
            place = (hand.seat - hand.dealer - 1) % 4 + 1
            seen.append(("E" if hand.phase == Phase.DECLARE else "L") + str(place))
            shown.append(hand.view(0)["revealed"])
        hand.step(DONE if hand.phase == Phase.DECLARE else min(hand.legal()))
    assert seen == turns.split()
    assert shown == [False] * revealed + [True] * (8 - revealed)


# What versicole are worth, and all tricks.


def test_the_shameful_tens_are_declared_with_and_without_the_matto():
    for points, entries in ((0, []), (10, [(4, 0, 15)])):
        hand = at_table(["T20 T30 M", "C3", "C4", "C5"], rules=CLASSIC.replace(diecine_vergognose=points))
        hand.phase, hand.seat = Phase.DECLARE, 0
        assert ("diecine" in names(hand.legal())) == bool(points)
        if points:
            assert [card_name(card) for card in hand.shown_by(parse_action("diecine+M"))] == ["T20", "T30", "M"]
            play(hand, "diecine+M")
        assert hand.entries == entries


@pytest.mark.parametrize(("lead", "resti"), [(0, [14, 0]), (1, [16, 0]), (-59, [14, 2]), (59, [16, 0])])
def test_all_tricks_fourteen(lead, resti):
    hand = at_table(["T40 C2", "T6 C3", "T7 C4", "T8 C5"], tricks=(19, 0), rules=CLASSIC.replace(all_tricks="fourteen"))
    hand.account.lead = lead
    play(hand, "T40 T6 T7 T8 C2 C3 C4 C5")
    assert hand.resti == resti
    assert hand.score[0] == 10 + 10


def test_nineteen_tricks_of_twenty_are_no_fourteen():
    rules = CLASSIC.replace(all_tricks="fourteen")
    hand = at_table(["T40 C2", "T6 C3", "T7 C4", "T8 C5"], tricks=(18, 1), rules=rules)
    play(hand, "T40 T6 T7 T8 C2 C3 C4 C5")
    assert hand.resti == [1, 0]


# Cascare.

CASCARE = CLASSIC.replace(cascare=True)


def test_who_holds_trumps_or_leads_may_not_drop():
    hand = at_table(["C2 M", "T7 D3", "C4 D4 M", "S5 C5"], rules=CASCARE)
    assert DROP not in hand.legal()
    play(hand, "C2")
    assert DROP not in hand.legal()
    play(hand, "T7")
    assert names(hand.legal()) == {"C4", "M", "drop"}
    with pytest.raises(IllegalAction):
        at_table(["C2", "D3", "C4", "C5"]).step(DROP)


def test_the_winner_picks_for_dropped_hands_in_the_order_of_seats():
    hand = at_table(["C2 T9", "D3 DK S3", "T7 D7", "CK C5 M"], rules=CASCARE)
    play(hand, "C2 drop T7")
    assert names(hand.legal()) == {"CK", "drop"}
    play(hand, "drop")
    assert (hand.phase, hand.seat, hand.picking) == (Phase.PICK, 2, 1)
    view = hand.view(0)
    assert (view["phase"], view["to_act"], view["picking"], view["dropped"]) == ("pick", 2, 1, [1, 3])
    assert (view["led"], view["winner"]) == ("C", 2)
    assert view["shown"][1] == ["D3", "DK", "S3"]
    assert names(hand.legal()) == {"D3", "DK", "S3"}
    play(hand, "DK")
    assert hand.picking == 3
    assert names(hand.legal()) == {"CK", "C5", "M"}
    assert hand.view(0)["table"] == [[0, "C2"], [2, "T7"], [1, "DK"]]
    play(hand, "C5")
    assert hand.entries == [(5, 0, 5)]
    assert (hand.phase, hand.seat, hand.trick) == (Phase.PLAY, 2, [])
    assert hand.opened == {Suit.CUPS}
    view = hand.view(0)
    assert view["voids"][1] == view["voids"][3] == view["no_king"][3] == []
    assert view["played"][1] == ["DK"]
    play(hand, "D7")
    assert (hand.phase, hand.seat) == (Phase.PLAY, 0)


def test_a_dropped_card_never_wins():
    hand = at_table(["C2 T9", "CQ S3", "C7 D7", "C5 T5"], rules=CASCARE)
    play(hand, "C2 drop C7 C5 CQ")
    assert (hand.seat, hand.tricks) == (0, [4, 3])


def test_a_matto_picked_from_a_dropped_hand_stays_with_its_side():
    hand = at_table(["C2 T9", "M S3", "C7 D7", "C5 T5"], tricks=(9, 10), piles=("", "S4"), rules=CASCARE)
    play(hand, "C2 drop C7 C5 M")
    assert hand.view(2)["matto"] == {"played_by": 1, "owed_by": 1, "paid": None}
    play(hand, "T9 D7 T5 S3")
    assert hand.view(2)["matto"]["paid"] == "S4"
    assert MATTO in hand.piles[1]


def test_a_matto_led_to_dropped_hands_alone_wins():
    hand = at_table(["M T9", "C2 S3", "C7 D7", "C5 D5"], rules=CASCARE)
    play(hand, "M drop drop drop")
    assert (hand.phase, hand.seat) == (Phase.PICK, 0)
    assert (hand.view(1)["led"], hand.view(1)["winner"]) == (None, 0)
    assert names(hand.legal()) == {"C2", "S3"}
    play(hand, "C2 C7 C5")
    assert (hand.seat, hand.opened, hand.debt) == (0, set(), None)
    assert hand.piles[0] == set(map(parse_card, ("M", "C2", "C7", "C5")))


def test_a_drop_in_the_first_trick_brings_the_declaration():
    rules = CASCARE.replace(declare_when="after_own_card")
    hand = at_table(["C2 T9", "CK DK SK", "C7 D7", "C5 T5"], tricks=(0, 0), rules=rules)
    play(hand, "C2 done drop")
    assert (hand.phase, hand.seat) == (Phase.DECLARE, 1)
    play(hand, "regi done")
    assert (hand.phase, hand.seat) == (Phase.PLAY, 2)
    assert hand.entries == [(4, 1, 15)]


def test_hands_are_dropped_and_picked_from_at_random():
    picks = 0
    for seed in range(25):
        hand = play_on(*dealt(seed, CASCARE))
        for event in hand.events:
            picks += event.kind == "pick"
            if event.kind == "drop":
                assert all(suit_of(card) != Suit.TRUMPS for card in event.data["cards"])
        for side in (0, 1):
            assert len(hand.piles[side]) == 4 * hand.tricks[side]
        check_end(hand)
    assert picks > 20


def test_the_bottom_card_is_looked_at():
    hand = dealt(5, CLASSIC.replace(bottom_check=True))[0]
    assert suit_of(hand.pack[-1]) < Suit.TRUMPS


def test_v4_a_penalty_without_a_fola_is_none():
    hand = ReferenceHand(CLASSIC.replace(rob_failure_resto=True, rob_limit=None), robbing(14).pack, 19, 0)
    assert hand.resti == ReferenceHand(CLASSIC.replace(rob_limit=None), hand.pack, 19, 0).resti
    assert side_of(hand.dealer) == 0
