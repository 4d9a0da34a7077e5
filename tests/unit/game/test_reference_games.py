"""The games of docs/rules.md, section 13, in the reference: each for himself, three, two, and the small decks."""

import random

import pytest

from minchiate_rl.errors import RecordError
from minchiate_rl.game.actions import BID, DONE, USE_FOLA, WITHDRAW, action_name
from minchiate_rl.game.cards import MATTO, VALUES, card_name, parse_card
from minchiate_rl.game.lawbook import card_points, extras_of, resti_for, versicole_value
from minchiate_rl.game.reference import ReferenceHand
from minchiate_rl.game.seats import Phase
from minchiate_rl.game.sight import fold
from tests.support.hands import at_table, dealt, play, play_on, rules_of, with_deal

SOLO, FOLA, THREE, TWO = map(rules_of, ("solo", "solo_fola", "three", "two"))
MINI, TEAM = map(rules_of, ("mini", "mini_team"))
ALL = [SOLO, FOLA, THREE, TWO, MINI, TEAM, MINI.replace(hand_size=3), TEAM.replace(hand_size=3)]


def names(actions):
    return {action_name(action) for action in actions}


def check_pairs(hand):
    """Check the accounts of a hand in which everybody plays for himself."""
    result, seats = hand.result(), range(hand.rules.n_seats)
    balance = [[0 for _ in seats] for _ in seats]
    for _, seat, points, against in result["points"]:
        assert points > 0
        assert seat not in against
        assert against == sorted(against)
        for other in against:
            balance[seat][other] += points
            balance[other][seat] -= points
    assert balance == hand.balance
    assert result["net"] == hand.net == [sum(row) for row in balance]
    assert sum(result["net"]) == sum(result["resti"]) == 0
    assert result["pairs"] == [[i, j, balance[i][j], resti_for(balance[i][j])] for i in seats for j in seats if i < j]
    assert result["resti"] == [sum(map(resti_for, row)) for row in balance]
    assert result["score"] == [sum(p for _, who, p, _ in result["points"] if who == seat) for seat in seats]


def check_end(hand):
    """Check what holds at the end of every hand."""
    rules = hand.rules
    assert (hand.phase, hand.seat) == (Phase.OVER, None)
    assert sum(hand.tricks) == rules.n_tricks
    aside = set() if hand.withdrawn is None else hand.hands[hand.withdrawn]
    assert sorted([*hand.fola, *hand.discards[0], *hand.discards[1], *aside, *set().union(*hand.piles)]) == sorted(
        rules.cards
    )
    block = {(entry[0], entry[1]): entry[2] for entry in hand.entries if entry[0] in (7, 8, 9)}
    for side, pile in enumerate(hand.piles):
        assert block.get((7, side), 0) == versicole_value(pile, **extras_of(rules))
        assert block.get((8, side), 0) == card_points(pile)
        assert block.get((9, side), 0) == max(0, len(pile) - rules.par)
    if rules.form.for_himself:
        check_pairs(hand)
    else:
        assert hand.result().keys() == {"points", "score", "resti", "tricks"}


@pytest.mark.parametrize("rules", ALL, ids=lambda rules: f"{rules.name}{rules.hand_size}")
@pytest.mark.parametrize("memory", ["perfect", "own_tricks", "table"])
def test_random_hands_end_and_views_are_made_of_what_was_heard(rules, memory):
    if not rules.form.name.startswith("mini"):
        rules = rules.replace(memory=memory)
    for seed in range(10):
        hand, rng = dealt(seed, rules)
        while hand.seat is not None:
            for seat in range(rules.n_seats):
                view = hand.view(seat)
                assert set(map(parse_card, view["hand"])) == hand.hands[seat]
                if rng.random() < 0.02:
                    assert view == fold(hand.heard(seat), rules, seat)
                    assert len(view["shown"]) == len(view["played"]) == len(view["bids"]) == rules.n_seats
                    assert len(view["piles"]) == len(view["score"]) == len(view["tricks"]) == rules.n_sides
            hand.step(rng.choice(sorted(hand.legal())))
        assert hand.view(0)["pairs"] == [pair[:3] for pair in hand.result().get("pairs", [])]
        check_end(hand)


# Each for himself.


def until(phase):
    return lambda hand: hand.phase == phase


def test_the_seats_are_asked_in_turn_and_one_at_most_withdraws():
    hand = play_on(*dealt(1, SOLO), until(Phase.WITHDRAW))
    eldest = hand.eldest
    assert hand.seat == eldest
    assert names(hand.legal()) == {"done", "withdraw"}
    hand.step(DONE)
    assert hand.seat == (eldest + 1) % 4
    hand.step(WITHDRAW)
    assert (hand.phase, hand.seat) == (Phase.DECLARE, eldest)
    view = hand.view((eldest + 1) % 4)
    assert (view["withdrawn"], view["stayed"]) == ((eldest + 1) % 4, 2)
    assert len(view["hand"]) == 21


def test_if_the_eldest_withdraws_the_next_leads():
    hand = play_on(*dealt(1, SOLO), until(Phase.WITHDRAW))
    hand.step(WITHDRAW)
    following = (hand.eldest + 1) % 4
    assert (hand.phase, hand.seat) == (Phase.DECLARE, following)
    hand.step(DONE)
    assert (hand.phase, hand.seat) == (Phase.PLAY, following)
    play_on(hand, random.Random(0))
    assert len(hand.hands[hand.eldest]) == 21
    assert sum(len(pile) for pile in hand.piles) == 63
    check_end(hand)


def test_all_stay():
    hand = play_on(*dealt(1, SOLO), until(Phase.WITHDRAW))
    for _ in range(4):
        hand.step(DONE)
    assert (hand.phase, hand.seat, hand.withdrawn) == (Phase.DECLARE, hand.eldest, None)
    assert hand.view(0)["stayed"] == 4


def test_x40_the_fee_of_the_second_and_the_last_trick():
    hand = at_table(["T40", "C3", "C4", "C5"], tricks=(20, 0, 0, 0), rules=SOLO)
    hand.bidding.order = [0, 1, 2, 3]
    hand.bidding.answer(DONE)
    hand.bidding.answer(WITHDRAW)
    play(hand, "T40 C4 C5")
    assert hand.entries[0] == (6, 0, 10, (2, 3))
    assert hand.entries[-1] == (10, 0, 40, (1,))
    taken = [hand.balance[0][other] - 10 for other in (1, 2, 3)]  # without the 10 of the T40, item 8
    assert hand.balance[0][1] == 40
    assert taken[1:] == [10, 10]
    assert 40 + 10 + 10 == 60


def test_robbery_and_turned_cards_are_marked_against_all_others():
    deal = {39: "T40", 38: "C2", 90: "T39", 4: "D3", 15: "D4", 26: "D5", 27: "S2"}
    hand = with_deal(SOLO, deal)
    assert hand.entries == [(1, 3, 10, (0, 1, 2)), (2, 1, 10, (0, 2, 3))]
    view = hand.view(0)
    assert (view["score"], view["lead"], view["resti"]) == ([0, 10, 0, 10], 0, [0] * 4)
    assert view["pairs"] == [[0, 1, -10], [0, 2, 0], [0, 3, -10], [1, 2, 10], [1, 3, 0], [2, 3, -10]]


def test_a_death_is_marked_against_the_owner_by_captor_and_withdrawn():
    hand = at_table(["T40 C2", "T38 C3", "C4", "T20 C5"], tricks=(3, 3, 0, 0), rules=SOLO)
    hand.bidding.order = [2, 3, 0, 1]
    hand.bidding.answer(WITHDRAW)
    play(hand, "T40 T38 T20")
    assert hand.entries == [(5, 0, 10, (1,)), (5, 2, 10, (1,)), (5, 0, 5, (3,)), (5, 2, 5, (3,))]
    assert (hand.balance[2][1], hand.balance[0][2]) == (10, 0)


def test_deaths_come_in_the_order_of_seats_from_the_winner_on():
    hand = at_table(["T10 C2", "T20 C3", "T40 C4", "T13 C5"], tricks=(3, 3, 0, 0), rules=SOLO)
    play(hand, "T10 T20 T40 T13")
    assert hand.entries == [(5, 2, 5, (3,)), (5, 2, 5, (0,)), (5, 2, 5, (1,))]


def test_a_card_for_the_matto_goes_to_who_won_its_trick():
    hand = at_table(["T40 C2", "M C3", "C4", "T20 C5"], tricks=(9, 10, 0, 0), piles=("", "T2 T3", "", ""), rules=SOLO)
    hand.bidding.order = [2, 3, 0, 1]
    hand.bidding.answer(WITHDRAW)
    play(hand, "T40 M T20 C2 C3 C5")
    # The 20 died in the trick; then a papa is paid, and dies for captor and withdrawn alike.
    assert hand.entries[:4] == [(5, 0, 5, (3,)), (5, 2, 5, (3,)), (5, 0, 3, (1,)), (5, 2, 3, (1,))]
    assert hand.piles[1] == {MATTO, parse_card("T3")}


def test_who_wins_no_trick_surrenders_the_matto():
    hand = at_table(["T40 C2", "M C3", "C4 D4", "T20 C5"], tricks=(19, 0, 0, 0), rules=SOLO)
    play(hand, "T40 M C4 T20 C2 C3 D4 C5")
    assert (5, 0, VALUES[MATTO], (1,)) in hand.entries
    assert hand.piles[1] == set()
    assert hand.view(0)["matto"] == {"played_by": 1, "owed_by": 1, "paid": "M"}


def test_the_dealer_alone_knows_the_trumps_of_the_fola():
    for rules in (SOLO, THREE):
        for seed in range(10):
            hand = dealt(seed, rules)[0]
            for seat in range(rules.n_seats):
                fola = hand.view(seat)["fola"]
                assert len(fola["known"]) == (fola["size"] if seat == hand.dealer else len(fola["public"]))
                assert sum(fola["suits"]) + fola["trumps"] == fola["size"]


# The fola for sale.


def test_nobody_robs_and_thirteen_cards_lie_unseen():
    hand = dealt(2, FOLA)[0]
    view = hand.view(hand.dealer)
    assert (hand.phase, hand.seat) == (Phase.FOLA, hand.eldest)
    assert names(hand.legal()) == {"done", "withdraw", "use_fola"}
    assert view["robbed"] == {"cutter": [], "dealer": []}
    assert view["fola"] == {"size": 13, "trumps": None, "suits": None, "public": [], "known": []}
    assert view["discarded"] == [0, 0]
    assert None not in view["turned"]


def test_the_eldest_uses_the_fola():
    hand, rng = dealt(2, FOLA)
    hand.step(USE_FOLA)
    eldest = hand.eldest
    assert (hand.phase, hand.seat, len(hand.hands[eldest])) == (Phase.DISCARD, eldest, 34)
    view = hand.view((eldest + 1) % 4)
    assert (view["fola_user"], view["eldest_choice"], view["bidder"]) == (eldest, "use", None)
    assert (view["discarded"], view["fola"]["size"]) == ([13, 0], 0)
    play_on(hand, rng, until(Phase.DECLARE))
    discarded = [card_name(card) for card in sorted(hand.discards[0])]
    assert hand.view(eldest)["discards"] == [discarded, []]
    assert hand.view((eldest + 1) % 4)["discards"] == [[], []]
    play_on(hand, rng, lambda hand: hand.trick_number == 1)
    assert hand.view((eldest + 1) % 4)["discards"] == [discarded, []]
    play_on(hand, rng)
    assert all(entry[0] != 10 for entry in hand.entries)
    check_end(hand)


def test_the_user_discards_in_the_first_place_even_if_he_deals():
    hand, rng = dealt(2, FOLA)
    hand.step(WITHDRAW)
    for action in (DONE, DONE, BID):
        hand.step(action)
    assert hand.bidding.user == hand.dealer == hand.seat
    play_on(hand, rng, until(Phase.DECLARE))
    assert (len(hand.discards[0]), len(hand.discards[1])) == (13, 0)
    assert len(hand.view(hand.dealer)["discards"][0]) == 13


def test_the_eldest_stays():
    hand, rng = dealt(2, FOLA)
    hand.step(DONE)
    assert (hand.phase, hand.seat) == (Phase.DECLARE, hand.eldest)
    assert hand.view(0)["eldest_choice"] == "stay"
    play_on(hand, rng)
    assert len(hand.fola) == 13
    check_end(hand)


def test_the_others_bid_and_the_bid_goes_to_the_winner_of_the_last_trick():
    hand, rng = dealt(2, FOLA)
    a, b, c = ((hand.eldest + place) % 4 for place in (1, 2, 3))
    hand.step(WITHDRAW)
    for seat, action in ((a, BID), (b, DONE), (c, BID), (a, BID)):
        assert (hand.phase, hand.seat) == (Phase.BID, seat)
        hand.step(action)
    view = hand.view(b)
    assert (view["bids"][a], view["bids"][b], view["bids"][c]) == (30, 0, 20)
    assert (view["bidder"], view["bid_passes"], view["fola_user"]) == (a, [b], None)
    hand.step(DONE)
    assert (hand.phase, hand.seat, hand.bidding.user) == (Phase.DISCARD, a, a)
    play_on(hand, rng)
    last = next(entry[1] for entry in hand.entries if entry[0] == 6)
    bid = [] if last == a else [(10, last, 30, (a,))]
    assert [entry for entry in hand.entries if entry[0] == 10] == [(10, last, 30, (hand.eldest,)), *bid]
    check_end(hand)


def test_without_a_bid_the_fola_lies():
    hand, rng = dealt(2, FOLA)
    for action in (WITHDRAW, DONE, DONE, DONE):
        hand.step(action)
    assert (hand.phase, hand.seat) == (Phase.DECLARE, (hand.eldest + 1) % 4)
    play_on(hand, rng)
    assert [entry[2] for entry in hand.entries if entry[0] == 10] == [30]
    check_end(hand)


def test_a_versicola_with_an_aria_is_worth_ten_more():
    hand = at_table(["T35 T36 T37 T14 T39", "C3", "C4", "C5"], tricks=(0, 0, 0, 0), rules=FOLA)
    hand.phase, hand.seat = Phase.DECLARE, 0
    play(hand, "run35 demonio")
    assert hand.entries == [(4, 0, 35, (1, 2, 3)), (4, 0, 30, (1, 2, 3))]


# Three and two players.


def test_three_have_25_cards_and_the_cutter_robs_twenty_two():
    hand = dealt(0, THREE)[0]
    assert (hand.cutter, hand.eldest) == ((hand.dealer + 2) % 3, (hand.dealer + 1) % 3)
    assert {len(cards) for cards in hand.hands} <= set(range(25, 48))
    assert hand.rules.par == 25
    play_on(hand, random.Random(0), until(Phase.DECLARE))
    assert [len(cards) for cards in hand.hands] == [25] * 3
    assert len(hand.fola) + len(hand.discards[0]) + len(hand.discards[1]) == 22


def test_two_know_nothing_of_the_fola_but_the_stoppers():
    for seed in range(10):
        hand = dealt(seed, TWO)[0]
        for seat in (0, 1):
            view = hand.view(seat)
            stoppers = {code for code in view["stoppers"] if code}
            assert (view["fola"]["trumps"], view["fola"]["suits"]) == (None, None)
            assert set(view["fola"]["public"]) == set(view["fola"]["known"]) == stoppers
            assert view["fola"]["size"] == 47 - len(view["robbed"]["cutter"]) - len(view["robbed"]["dealer"])
            assert view["taken"] == []
        assert hand.cutter == hand.eldest == 1 - hand.dealer


def test_two_are_paid_in_the_hand():
    hand = at_table(["T40 C2", "T39 C3"], tricks=(3, 3), rules=TWO)
    hand.account.mark((5, 0, 55, ()))
    play(hand, "T40 T39")
    assert (hand.lead, hand.resti) == (5, [1, 0])


# Small decks.


def test_a_small_deck_is_dealt_in_packets_from_the_top():
    hand = ReferenceHand(MINI, MINI.cards, 0, 1)
    assert hand.hands == [set(MINI.cards[:4]), set(MINI.cards[4:8])]
    assert (hand.phase, hand.seat) == (Phase.DECLARE, 0)
    view = hand.view(0)
    assert view["turned"] == [None, None]
    assert view["fola"] == {"size": 2, "trumps": None, "suits": None, "public": [], "known": []}
    assert not view["revealed"]
    play_on(hand, random.Random(0), lambda hand: len(hand.trick) == 1 and hand.phase == Phase.PLAY)
    assert hand.view(0)["revealed"]
    assert hand.view(0)["discards"] == [[], []]
    with pytest.raises(RecordError, match="cut: 3 is not allowed"):
        ReferenceHand(MINI, MINI.cards, 3, 1)


@pytest.mark.parametrize("rules", [MINI, TEAM, MINI.replace(hand_size=3)])
def test_small_decks_are_settled_in_points(rules):
    for seed in range(10):
        hand = play_on(*dealt(seed, rules))
        assert (hand.resti, hand.lead) == ([0, 0], 0)
        assert hand.score[0] > 0 or hand.score[1] > 0


def test_a_hand_tells_what_it_is_part_of():
    match = {"hand": 2, "hands": 12, "resti": [1, -1, 3, -3]}
    hand = ReferenceHand(TEAM, TEAM.cards, 0, 0, match)
    assert hand.view(3)["match"] == match
    assert ReferenceHand(TEAM, TEAM.cards, 0, 0).view(3)["match"] == {"hand": 0, "hands": 0, "resti": [0] * 4}
