import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minchiate_rl.errors import RecordError
from minchiate_rl.game.cards import N_CARDS, ROBBABLE, UNDISCARDABLE, Suit, card_name, parse_card, suit_of
from minchiate_rl.game.dealing import deal
from tests.support.hands import CLASSIC, rules_of, shuffled

WORTHLESS = [card for card in range(N_CARDS) if card not in ROBBABLE]


def pack_with(places):
    """Return a pack with some cards at given places; the free ones of the fola and the dealer get worthless cards."""
    fixed = {place: parse_card(code) for place, code in places.items()}
    used = set(fixed.values())
    rest = [card for card in WORTHLESS if card not in used]
    rest += [card for card in sorted(ROBBABLE) if card not in used]
    for place in sorted(range(N_CARDS), key=lambda place: 10 <= place < 40 or 50 <= place < 83):
        if place not in fixed:
            fixed[place] = rest.pop(0)
    return [fixed[place] for place in range(N_CARDS)]


def names(cards):
    return [card_name(card) for card in cards]


packs = st.permutations(range(N_CARDS))


@given(packs, st.integers(3, 94), st.integers(0, 3), st.sampled_from(["always", "if_usable", "never"]))
def test_every_card_lies_in_one_place(pack, cut, dealer, take_29):
    table = deal(pack, cut, dealer, CLASSIC.replace(take_29=take_29))
    everywhere = [*sum(table.dealt, ()), *sum(table.robbed, ()), *table.taken, *table.fola]
    assert sorted(everywhere) == list(range(N_CARDS))
    assert [len(hand) for hand in table.dealt] == [21] * 4
    assert len(table.robbed[0]) + table.fola_dealt == 13
    assert {*table.robbed[0], *table.robbed[1]} <= ROBBABLE
    assert set(table.taken) <= UNDISCARDABLE
    assert {names([card])[0] for card in table.fola if card in UNDISCARDABLE} <= {"T29"}
    for stopper in table.stoppers:
        assert stopper is None or stopper in table.fola
    for seat, hand in enumerate(table.dealt):
        assert table.turned[seat] == hand[-1]


def test_cards_are_dealt_to_the_right_ten_and_eleven():
    pack = pack_with({place: f"T{6 + place}" for place in range(3)} | {3: "C2", 4: "C3"})
    table = deal(pack, 5, 2)
    rest = pack[5:] + pack[:5]
    assert table.dealt[3] == tuple(rest[0:10] + rest[40:51])
    assert table.dealt[0] == tuple(rest[10:20] + rest[51:62])
    assert table.dealt[1] == tuple(rest[20:30] + rest[62:73])
    assert table.dealt[2] == tuple(rest[30:40] + rest[73:84])
    assert table.stoppers[0] == pack[4]


def test_the_cutter_robs_from_the_bottom_of_the_lifted_packet():
    table = deal(pack_with({9: "T40", 8: "T29", 7: "C2", 6: "T39"}), 10, 0)
    assert names(table.robbed[0]) == ["T40", "T29"]
    assert card_name(table.stoppers[0]) == "C2"
    assert card_name(table.fola[-1]) == "C2"


def test_x35_thirteen_robbed_cards_leave_no_fola():
    table = deal(pack_with({19 - n: f"T{40 - n}" for n in range(14)}), 20, 1)
    assert names(table.robbed[0]) == [f"T{n}" for n in range(40, 27, -1)]
    assert table.stoppers == (None, None)
    assert (table.fola_dealt, table.fola, table.robbed[1], table.taken) == (0, (), (), ())


def test_u3_a_lifted_packet_that_is_used_up_has_no_stopper():
    table = deal(pack_with({0: "T40", 1: "T39", 2: "T38"}), 3, 1)
    assert names(table.robbed[0]) == ["T38", "T39", "T40"]
    assert table.stoppers[0] is None
    assert table.fola_dealt == 10


def test_x36_the_way_of_the_fola():
    # Two robbed leave eleven: places 94 to 96 and then 0 to 7 of the pack.
    table = deal(pack_with({9: "T40", 8: "T39", 7: "C2", 94: "T38", 95: "S2", 96: "T29", 0: "T1"}), 10, 0)
    assert table.fola_dealt == 11
    assert names(table.robbed[1]) == ["T38"]
    assert names(table.taken) == ["T29", "T1"]
    assert len(table.fola) == 8
    assert names(card for card in table.stoppers) == ["C2", "S2"]
    assert len(table.fola) + len(table.robbed[0]) + len(table.robbed[1]) + len(table.taken) == 13


def test_x37_the_suits_of_the_fola_tell_how_many_are_in_play():
    table = deal(pack_with({}), 40, 0)
    cups = sum(suit_of(card) == Suit.CUPS for card in table.fola)
    in_play = [card for hand in table.dealt for card in hand if suit_of(card) == Suit.CUPS]
    assert len(in_play) == 14 - cups


def test_the_dealer_robs_down_to_the_stopper_of_the_cutter():
    places = {9: "C2"} | {94 + n: f"T{40 - n}" for n in range(3)} | {n: f"T{37 - n}" for n in range(9)}
    table = deal(pack_with(places), 10, 0)
    assert names(table.robbed[1]) == [f"T{n}" for n in range(40, 28, -1)]
    assert names(table.stoppers) == ["C2", "C2"]
    assert names(table.fola) == ["C2"]


# The dealer's cards are those at 30 to 39 and 73 to 83 after the cut, so 10 places further down before it.
@pytest.mark.parametrize(
    ("take_29", "held", "taken"),
    [
        ("always", [], ["T29"]),
        ("if_usable", [], []),
        ("if_usable", ["T28", "T30"], ["T29"]),
        ("if_usable", ["T30", "T31"], ["T29"]),
        ("if_usable", ["T28", "T31"], []),
        ("if_usable", ["T28", "T27"], []),
        ("never", ["T28", "T30"], []),
        ("never", ["T28", "T30", "T31"], []),
    ],
)
def test_v7_the_29_is_taken_as_the_rules_say(take_29, held, taken):
    places = {9: "C2", 94: "S2", 95: "T29"} | {40 + n: code for n, code in enumerate(held)}
    table = deal(pack_with(places), 10, 0, CLASSIC.replace(take_29=take_29))
    assert names(table.taken) == taken
    assert ("T29" in names(table.fola)) == (taken == [])


def test_v7_a_card_taken_with_it_makes_the_29_usable():
    table = deal(
        pack_with({9: "C2", 94: "S2", 95: "T29", 96: "T28", 40: "T30"}), 10, 0, CLASSIC.replace(take_29="if_usable")
    )
    assert names(table.taken) == ["T29", "T28"]


@pytest.mark.parametrize("cut", [2, 95, 0, -1])
def test_other_cuts_are_refused(cut):
    with pytest.raises(RecordError, match=r"cut: .* 3 to 94"):
        deal(range(N_CARDS), cut, 0)


@pytest.mark.parametrize("pack", [range(96), [0] * 97, range(1, 98)])
def test_other_packs_are_refused(pack):
    with pytest.raises(RecordError, match="pack: "):
        deal(pack, 40, 0)


@pytest.mark.parametrize("dealer", [-1, 4])
def test_other_dealers_are_refused(dealer):
    with pytest.raises(RecordError, match="dealer: "):
        deal(range(N_CARDS), 40, dealer)


@given(st.integers(0, 10**6), st.integers(3, 94), st.sampled_from(["solo", "solo_fola", "three", "two"]))
def test_other_games_deal_every_card_to_one_place(seed, cut, game):
    rules = rules_of(game)
    pack = shuffled(rules, random.Random(seed))
    table = deal(pack, cut, seed % rules.n_seats, rules)
    everywhere = [*sum(table.dealt, ()), *sum(table.robbed, ()), *table.taken, *table.fola]
    assert sorted(everywhere) == list(range(N_CARDS))
    assert [len(hand) for hand in table.dealt] == [rules.n_tricks] * rules.n_seats
    assert [hand[-1] for hand in table.dealt] == list(table.turned)
    if game == "solo_fola":
        assert (table.robbed, table.stoppers, table.taken, len(table.fola)) == (((), ()), (None, None), (), 13)
    if game == "two":
        assert table.taken == ()


def test_without_a_limit_robbing_goes_on_and_the_second_packets_are_cut_short():
    rules = CLASSIC.replace(rob_limit=None)
    robbable = sorted(ROBBABLE)
    pack = WORTHLESS[:1] + robbable[:26] + robbable[26:] + WORTHLESS[1:]
    table = deal(pack, 27, 0, rules)
    assert (len(table.robbed[0]), card_name(table.stoppers[0])) == (26, card_name(WORTHLESS[0]))
    assert [len(hand) for hand in table.dealt] == [10, 21, 21, 19]
    assert table.turned[0] is None
    assert table.turned[3] == WORTHLESS[0]
    assert (table.fola_dealt, table.fola) == (0, ())


@pytest.mark.parametrize(
    ("bottom", "allowed"), [("C2", True), ("CQ", True), ("CK", False), ("T6", False), ("M", False)]
)
def test_the_bottom_card_must_be_a_worthless_suit_card_where_it_is_looked_at(bottom, allowed):
    pack = pack_with({96: bottom})
    deal(pack, 40, 0)
    rules = CLASSIC.replace(bottom_check=True)
    if allowed:
        deal(pack, 40, 0, rules)
    else:
        with pytest.raises(RecordError, match="pack: its bottom card"):
            deal(pack, 40, 0, rules)
