import pytest
from hypothesis import given
from hypothesis import strategies as st

from minchiate_rl.errors import IllegalAction, RecordError
from minchiate_rl.game.actions import DONE, action_name, parse_action
from minchiate_rl.game.cards import MATTO, UNDISCARDABLE, Suit, card_name, parse_card
from minchiate_rl.game.lawbook import card_points, versicole_value
from minchiate_rl.game.reference import ReferenceHand
from minchiate_rl.game.seats import Phase, side_of
from tests.support.hands import CLASSIC, at_table, dealt, play, play_on

SWITCHES = st.fixed_dictionaries(
    {},
    optional={
        "demonio": st.just(True),
        "take_29": st.sampled_from(["if_usable", "never"]),
        "rob_failure_resto": st.just(True),
        "all_tricks": st.just("double_final"),
        "memory": st.sampled_from(["own_tricks", "table"]),
    },
)


def test_the_order_of_turns_in_the_first_trick():
    hand, _ = dealt(3)
    order = []
    while hand.trick_number == 0:
        if not order or order[-1] != (hand.phase, hand.seat):
            order.append((hand.phase, hand.seat))
        hand.step(DONE if hand.phase == Phase.DECLARE else min(hand.legal()))
    e, p, c, d = ((hand.dealer + place) % 4 for place in (1, 2, 3, 4))
    discards = [turn for turn in [(Phase.DISCARD, c), (Phase.DISCARD, d)] if turn in order]
    rest = [(Phase.DECLARE, e), (Phase.PLAY, e), (Phase.DECLARE, p), (Phase.DECLARE, c), (Phase.DECLARE, d)]
    assert order == [*discards, *rest, (Phase.PLAY, p), (Phase.PLAY, c), (Phase.PLAY, d)]


@given(st.integers(0, 10**6), SWITCHES)
def test_a_random_hand_keeps_the_invariants(seed, switches):
    hand, rng = dealt(seed, CLASSIC.replace(**switches))
    discards = sum(len(cards) - 21 for cards in hand.hands)
    play_on(hand, rng, lambda hand: hand.phase != Phase.DISCARD)
    assert [len(cards) for cards in hand.hands] == [21] * 4
    assert len(hand.discards[0]) + len(hand.discards[1]) == discards
    play_on(hand, rng)
    assert hand.phase == Phase.OVER
    assert hand.legal() == set()
    assert sum(hand.tricks) == 21
    assert [len(pile) for pile in hand.piles] == [4 * tricks for tricks in hand.tricks]
    missing = card_points(card for cards in hand.discards for card in cards)
    assert card_points(hand.piles[0] | hand.piles[1]) == 142 - missing
    assert all(points > 0 for _, _, points in hand.entries)
    for side in (0, 1):
        assert hand.score[side] == sum(points for _, who, points in hand.entries if who == side)
    items = [item for item, _, _ in hand.entries]
    assert items == sorted(items)
    assert [points for item, _, points in hand.entries if item == 6] == [10]


@given(st.integers(0, 10**6))
def test_the_final_block_is_that_of_the_piles(seed):
    hand = play_on(*dealt(seed))
    block = {(item, side): points for item, side, points in hand.entries if item >= 7}
    for side in (0, 1):
        assert block.get((7, side), 0) == versicole_value(hand.piles[side])
        assert block.get((8, side), 0) == card_points(hand.piles[side])
        assert block.get((9, side), 0) == max(0, 4 * hand.tricks[side] - 42)


@given(st.integers(0, 10**6))
def test_the_lead_and_the_resti_hold_every_point_before_the_settlement(seed):
    hand, rng = dealt(seed)
    while hand.seat is not None:
        assert abs(hand.lead) < 60
        assert hand.score[0] - hand.score[1] == hand.lead + 60 * (hand.resti[0] - hand.resti[1])
        hand.step(rng.choice(sorted(hand.legal())))
    assert hand.lead == 0


def test_x18_two_cards_die_in_one_trick():
    hand = at_table(["T40 C2", "T38 C3", "T6 C4", "DK C5"])
    play(hand, "T40 T38 T6 DK")
    assert hand.entries == [(5, 0, 15)]
    assert hand.seat == 0


def test_x19_a_card_taken_by_the_partner_dies_at_home():
    hand = at_table(["T20 C2", "T7 C3", "T40 C4", "T9 C5"])
    play(hand, "T20 T7 T40 T9")
    assert hand.entries == []
    assert hand.seat == 2


def test_the_29_dies_for_nothing():
    hand = at_table(["T40 C2", "T29 C3", "T6 C4", "T7 C5"])
    play(hand, "T40 T29 T6 T7")
    assert hand.entries == []


def test_the_matto_stays_with_its_side_and_is_paid_for_at_the_end():
    hand = at_table(["T40 C2", "M C3", "T6 C4", "T7 C5"], tricks=(9, 10), piles=("", "S4 CK"))
    play(hand, "T40 M T6 T7")
    assert MATTO in hand.piles[1]
    assert hand.entries == []
    play(hand, "C2 C3 C4 C5")
    assert card_name(next(event for event in hand.events if event.kind == "paid").data["card"]) == "S4"
    assert [entry for entry in hand.entries if entry[0] == 5] == []
    assert parse_card("S4") in hand.piles[0]


def test_a_counting_card_paid_for_the_matto_is_a_death():
    hand = at_table(["T40 C2", "M C3", "T6 C4", "T7 C5"], tricks=(9, 10), piles=("", "T2 CK"))
    play(hand, "T40 M T6 T7 C2 C3 C4 C5")
    assert hand.entries[0] == (5, 0, 3)


def test_x30_the_matto_of_a_side_without_a_trick_is_surrendered():
    hand = at_table(["T40 C2", "M C3", "T6 C4", "T7 C5"], tricks=(19, 0))
    play(hand, "T40 M T6 T7 C2 C3 C4 C5")
    assert hand.tricks == [21, 0]
    assert hand.entries[0] == (5, 0, 5)
    assert hand.piles[1] == set()
    assert MATTO in hand.piles[0]


def test_nothing_is_owed_for_a_matto_on_a_trick_of_the_partner():
    hand = at_table(["T6 C2", "M C3", "T7 C4", "T40 C5"], tricks=(19, 0))
    play(hand, "T6 M T7 T40")
    assert hand.tricks == [19, 1]
    play(hand, "C5 C2 C3 C4")
    assert [event for event in hand.events if event.kind == "paid"] == []


def test_u15_a_matto_led_lets_the_second_card_open_the_suit():
    hand = at_table(["M C6", "C2 C7", "T6 D8", "CK C3"])
    play(hand, "M C2 T6")
    assert hand.legal() == {parse_card("CK")}
    play(hand, "CK")
    assert hand.opened == {Suit.CUPS}


def test_all_tricks_double_the_final_resti_alone():
    cards = ["T40 C2", "T6 C3", "T7 C4", "T8 C5"]
    results = []
    for rules in (CLASSIC, CLASSIC.replace(all_tricks="double_final")):
        hand = at_table(cards, tricks=(19, 0), rules=rules)
        hand.account.resti = [1, 0]
        play(hand, "T40 T6 T7 T8 C2 C3 C4 C5")
        results.append(hand.resti)
    assert results[0][0] > 1
    assert results[1] == [2 * results[0][0] - 1, 0]


def test_nineteen_tricks_are_not_doubled():
    results = []
    for rules in (CLASSIC, CLASSIC.replace(all_tricks="double_final")):
        hand = at_table(["T6 C2", "T40 C3", "T7 C4", "T8 C5"], tricks=(19, 0), rules=rules)
        play(hand, "T6 T40 T7 T8 C3 C4 C5 C2")
        results.append(hand.resti)
    assert results[0] == results[1]


def find(condition, rules=CLASSIC, limit=4000):
    return next(hand for hand in (dealt(seed, rules)[0] for seed in range(limit)) if condition(hand))


def heard(hand, kind):
    return [event for event in hand.events if event.kind == kind]


def took_nothing(hand):
    return not heard(hand, "rob")[1].data["cards"] and not heard(hand, "taken")[0].data["cards"]


def test_v4_a_dealer_who_gets_nothing_from_the_fola_pays_a_resto():
    hand = find(took_nothing, CLASSIC.replace(rob_failure_resto=True))
    without = ReferenceHand(CLASSIC, hand.pack, hand.cut, hand.dealer)
    other = 1 - side_of(hand.dealer)
    assert hand.resti[other] == without.resti[other] + 1
    assert hand.entries == without.entries
    robbed = find(lambda hand: not took_nothing(hand), CLASSIC.replace(rob_failure_resto=True))
    assert robbed.resti == ReferenceHand(CLASSIC, robbed.pack, robbed.cut, robbed.dealer).resti


def test_each_versicola_is_declared_once_with_or_without_the_matto():
    hand = at_table(["T1 T2 T3 T40 M", "C3", "C4", "C5"])
    hand.phase, hand.seat = Phase.DECLARE, 0
    names = {action_name(action) for action in hand.legal()}
    assert names == {"done", "papi", "papi+M", "matto"}
    play(hand, "papi+M")
    assert hand.entries == [(4, 0, 16)]
    assert {action_name(action) for action in hand.legal()} == {"done", "matto"}
    play(hand, "matto")
    assert hand.entries == [(4, 0, 16), (4, 0, 20)]
    assert hand.legal() == {DONE}


def test_a_versicola_is_shown_whole():
    hand = at_table(["T28 T29 T30 T31 T10 T20 T40 CK DK SK BK", "C3", "C4", "C5"])
    hand.phase, hand.seat = Phase.DECLARE, 0
    shown = {action_name(a): [card_name(c) for c in hand.shown_by(a)] for a in sorted(hand.legal())}
    assert shown == {
        "done": [],
        "run28": ["T28", "T29", "T30", "T31"],
        "diecine": ["T10", "T20", "T30", "T40"],
        "regi": ["CK", "DK", "SK", "BK"],
    }


def test_the_demonio_is_declared_where_it_is_played():
    cards = ["T14 T35 T39", "C3", "C4", "C5"]
    for demonio in (False, True):
        hand = at_table(cards, rules=CLASSIC.replace(demonio=demonio))
        hand.phase, hand.seat = Phase.DECLARE, 0
        assert (parse_action("demonio") in hand.legal()) == demonio


def test_an_illegal_action_changes_nothing_and_says_what_is_allowed():
    hand = at_table(["C2 D3", "C3 T7", "C4", "C5"])
    play(hand, "C2")
    before = (hand.hands[1].copy(), list(hand.trick), len(hand.events))
    with pytest.raises(IllegalAction, match="seat 1 may not play T7; allowed: C3"):
        hand.step(parse_card("T7"))
    for action in (DONE, 98, 127, 500, -1, parse_card("C2")):
        with pytest.raises(IllegalAction):
            hand.step(action)
    assert (hand.hands[1], hand.trick, len(hand.events)) == before


def test_after_the_end_nothing_is_allowed():
    hand = play_on(*dealt(1))
    with pytest.raises(IllegalAction, match="the hand is over"):
        hand.step(DONE)


def test_u5_counting_cards_go_when_nothing_else_is_left():
    hand, _ = dealt(0)
    hand.hands[hand.cutter] = set(UNDISCARDABLE)
    hand.phase, hand.seat = Phase.DISCARD, hand.cutter
    play(hand, "T29")
    assert {card_name(card) for card in hand.legal()} == {"T2", "T3", "T4", "T5"}


def test_a_faulty_pack_is_refused():
    with pytest.raises(RecordError, match="pack"):
        ReferenceHand(CLASSIC, [0] * 97, 40, 0)


def test_the_repr_tells_where_the_hand_stands():
    hand = at_table(["C2 D3", "C3", "C4", "C5"])
    play(hand, "C2")
    assert repr(hand) == "<ReferenceHand play seat=1 trick=6 table=[0:C2]>"
