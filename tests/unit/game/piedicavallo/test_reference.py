import random

import pytest

from minchiate_rl.errors import IllegalAction, RecordError
from minchiate_rl.game.actions import ASK_FARLO, DONE, action_name, parse_action
from minchiate_rl.game.cards import card_name, parse_card
from minchiate_rl.game.piedicavallo.events import KINDS, fold
from minchiate_rl.game.piedicavallo.lawbook import PACK, points_of, sum_of_points
from minchiate_rl.game.piedicavallo.reference import PiedicavalloHand
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import Phase

RULES = RuleSet.from_toml('game = "piedicavallo"', "piedicavallo.toml")
FACTS, SILENT = RULES.replace(speech="facts"), RULES.replace(speech="off")
KEYS = {
    "rules", "flags", "seat", "dealer", "phase", "to_act", "trick", "hand", "table", "led", "winner", "opened",
    "past_tricks",
    "played", "piles", "shown", "turned", "robbed", "taken", "stoppers", "fola", "discarded", "revealed", "discards",
    "declared", "voids", "no_king", "matto", "score", "lead", "resti", "tricks", "legal", "passed", "withdrawn",
    "stayed", "dropped", "picking", "bids", "bid_passes", "bidder", "fola_user", "eldest_choice", "pairs", "match",
    "trumps_discarded", "said",
}  # fmt: skip


def dealt(seed, rules=RULES):
    rng = random.Random(seed)
    pack = list(PACK)
    rng.shuffle(pack)
    return PiedicavalloHand(rules, pack, rng.randrange(62), rng.randrange(4)), rng


def chosen(hand, rng):
    """Return a random decision; a message ends early as often as not, so that hands stay short."""
    legal = sorted(hand.legal())
    return DONE if DONE in legal and rng.random() < 0.5 else rng.choice(legal)


def play_on(hand, rng, until=lambda hand: False):
    while hand.seat is not None and not until(hand):
        hand.step(chosen(hand, rng))
    return hand


def stacked(hands, dealer=3, rules=RULES):
    """Return a hand in which the seats hold given cards; the rest goes round as it comes."""
    sizes = [17 if seat == dealer else 15 for seat in range(4)]
    wanted = [[parse_card(code) for code in text.split()] for text in hands]
    rest = [card for card in PACK if not any(card in own for own in wanted)]
    for own, size in zip(wanted, sizes, strict=True):
        while len(own) < size:
            own.append(rest.pop())
    order = [(dealer + 1 + place) % 4 for place in range(4)]
    return PiedicavalloHand(rules, [card for seat in order for card in wanted[seat]], 0, dealer)


def take(hand, *names):
    for name in names:
        hand.step(parse_action(name))
    return hand


def legal_names(hand):
    return {action_name(action) for action in hand.legal()}


@pytest.mark.parametrize("seed", range(104))
def test_every_hand_ends_and_gives_views_to_all_seats_at_all_decisions(seed):
    hand, rng = dealt(seed, (RULES, FACTS, SILENT)[seed % 3] if seed % 2 else RULES)
    while True:
        for seat in range(4):
            view = hand.view(seat)
            assert set(view) == KEYS
            assert view["hand"] == [card_name(card) for card in sorted(hand.hands[seat])]
            is_actor = seat == hand.seat
            assert view["legal"] == ([action_name(a) for a in sorted(hand.legal())] if is_actor else ["done"])
        if hand.seat is None:
            break
        hand.step(chosen(hand, rng))
    assert sum(hand.score) == 114
    assert sum(hand.tricks) == 15
    assert len([action for action in hand.actions if action != DONE]) >= 62
    assert hand.result() == {"score": hand.score, "tricks": hand.tricks}
    counted = sum_of_points(hand.piles[0] | hand.piles[1] | set(hand.discards[1]))
    assert counted == 114
    assert (hand.entries, hand.lead, hand.resti) == ([], 0, [0, 0])


@pytest.mark.parametrize("rules", [RULES, FACTS, SILENT], ids=["full", "facts", "off"])
def test_a_view_is_the_fold_of_what_the_seat_heard(rules):
    hand, rng = dealt(11, rules)
    for decisions in (1, 2, 30, 90, 10_000):
        play_on(hand, rng, lambda hand, upto=decisions: len(hand.actions) >= upto)
        for seat in range(4):
            assert hand.view(seat) == fold(hand.heard(seat), rules, seat)


@pytest.mark.parametrize("seed", range(12))
def test_cards_lie_in_one_place_each(seed):
    hand, rng = dealt(seed)
    while hand.seat is not None:
        places = [*hand.hands, *hand.piles, set(hand.discards[1]), {card for _, card in hand.trick}]
        assert sorted(card for cards in places for card in cards) == sorted(PACK)
        hand.step(chosen(hand, rng))


def test_the_kinds_of_event_and_who_hears_them():
    hands = [play_on(*dealt(seed)) for seed in range(4)]
    hands.append(vola())
    told = {event.kind for hand in hands for event in hand.events}
    assert told == set(KINDS)
    for hand in hands:
        for event in hand.events:
            assert (len(event.audience) == 1) == (event.kind in {"deal", "discard", "act"})
            if event.kind == "discard":
                assert event.audience == {hand.dealer}


def test_discards_are_known_to_the_dealer_alone_and_their_trumps_are_counted():
    trumps = " ".join(f"T{n}" for n in range(1, 13))
    hand = stacked(["", "", "", f"CK DK SK M {trumps} C1"])
    assert legal_names(hand) == {"C1", *(f"T{n}" for n in range(2, 13))}
    hand.step(parse_card("T2"))
    assert [hand.view(seat)["trumps_discarded"] for seat in range(4)] == [None] * 4
    assert legal_names(hand) == {"C1"}
    hand.step(parse_card("C1"))
    assert [hand.view(seat)["trumps_discarded"] for seat in range(4)] == [1] * 4
    play_on(hand, random.Random(0))
    for seat in range(4):
        view = hand.view(seat)
        assert view["discards"] == [[], ["C1", "T2"] if seat == 3 else []]
        assert (view["discarded"], view["revealed"]) == ([0, 2], False)


def test_the_speaker_speaks_before_the_next_card_and_before_the_trick_is_taken_in():
    hand, rng = dealt(3)
    play_on(hand, rng, lambda hand: hand.phase == Phase.PLAY)
    for place in range(4):
        seat = (hand.eldest + place) % 4
        assert (hand.phase, hand.seat) == (Phase.PLAY, seat)
        hand.step(min(hand.legal()))
        assert (hand.phase, hand.seat, len(hand.trick)) == (Phase.SPEAK, seat, place + 1)
        assert hand.trick_number == 0
        hand.step(DONE)
    assert (hand.trick_number, hand.trick) == (1, [])


def test_without_speech_nobody_speaks():
    hand, rng = dealt(5, SILENT)
    phases = set()
    while hand.seat is not None:
        phases.add(hand.phase)
        hand.step(chosen(hand, rng))
    assert phases == {Phase.DISCARD, Phase.PLAY}
    assert len(hand.actions) == 62
    assert hand.view(0)["said"] == []


def test_with_facts_alone_no_request_is_ever_legal():
    hand, rng = dealt(7, FACTS)
    while hand.seat is not None:
        assert max(hand.legal()) < ASK_FARLO
        hand.step(chosen(hand, rng))


def test_everybody_hears_what_is_said():
    hand = stacked(["CK C5 SK T20", "C1 T1", "CQ T19", "C2 C3 C6 T21"], dealer=3)
    take(hand, "C2", "C3", "C5", "have K", "altro", "batto", "low", "done", "C1")
    said = [[0, "C5", ["have K", "altro", "batto", "low"]], [1, "C1", []]]
    for seat in range(4):
        assert hand.view(seat)["said"] == said
    take(hand, "total 0")
    assert hand.view(2)["said"][-1] == [1, "C1", ["total 0"]]
    assert hand.view(2)["phase"] == "speak"


def test_farlo_needs_a_high_card_that_the_partner_announced():
    hand = stacked(["CK C5 T20", "C1", "CQ C6 T19", "C2 C3 C4 T21"], dealer=3)
    take(hand, "C2", "C3", "C5")
    assert "farlo" not in legal_names(hand)
    take(hand, "have K", "done", "C1", "done", "CQ")
    assert "farlo" not in legal_names(hand)  # he speaks third: his partner has played
    take(hand, "done", "C4", "done")
    assert hand.seat == 2
    take(hand, "C6")
    assert "farlo" in legal_names(hand)
    take(hand, "lead this")
    assert "CK" in legal_names(hand)
    take(hand, "CK")
    assert hand.view(0)["said"][-1] == [2, "C6", ["lead this", "CK"]]


def test_a_dealer_may_speak_of_what_sleeps():
    hand = stacked(["C5", "C6", "C1", "CQ S10 C2 CK"], dealer=3)
    take(hand, "CQ", "S10", "C5", "done", "C6", "done", "C1")
    assert not {"sleep this", "sleep altro"} & legal_names(hand)
    take(hand, "done", "C2", "batto", "sleep this", "have Q", "pips 0", "sleep altro", "pips 1")
    assert hand.view(1)["said"][-1] == [3, "C2", ["batto", "sleep this", "have Q", "pips 0", "sleep altro", "pips 1"]]


def vola():
    """Return a finished hand in which seat 0 has won every trick with trumps; seat 1 has played the Matto."""
    hand = stacked([" ".join(f"T{n}" for n in range(7, 22)), "M", "", ""], dealer=3)
    while hand.seat is not None:
        hand.step(DONE if hand.phase == Phase.SPEAK else max(hand.legal() - {parse_card("M")} or hand.legal()))
    return hand


def test_a_side_without_a_trick_has_no_point():
    """A vola is worth 114: the Matto and the dealer's discards are surrendered (docs/rules.md, section 10.5)."""
    hand = vola()
    assert hand.tricks == [15, 0]
    assert hand.score == [114, 0]
    assert parse_card("M") in hand.piles[0]
    assert all("M" in hand.view(seat)["piles"][0] for seat in range(4))
    assert hand.view(2)["matto"] == {"played_by": 1, "owed_by": None, "paid": None}


def test_the_matto_and_the_discards_stay_with_a_side_that_wins_a_trick():
    for seed in range(40):
        hand, rng = dealt(seed, SILENT)
        dealer_side = hand.dealer % 2
        by = next(s for s in range(4) if parse_card("M") in hand.hands[s]) % 2
        play_on(hand, rng)
        if 0 in hand.tricks:
            continue
        assert parse_card("M") in hand.piles[by]
        own = sum_of_points(hand.piles[dealer_side])
        assert hand.score[dealer_side] == own + sum(map(points_of, hand.discards[1]))


def test_an_illegal_action_changes_nothing():
    hand, rng = dealt(2)
    with pytest.raises(IllegalAction, match=rf"seat {hand.dealer} may not discard done; allowed: "):
        hand.step(DONE)
    play_on(hand, rng, lambda hand: hand.phase == Phase.SPEAK)
    before = hand.view(0), list(hand.actions)
    with pytest.raises(IllegalAction, match=r"may not say action 136; allowed: "):
        hand.step(136)
    assert (hand.view(0), hand.actions) == before
    assert "speak" in repr(hand)
    play_on(hand, rng)
    assert hand.legal() == set()
    with pytest.raises(IllegalAction, match="the hand is over"):
        hand.step(DONE)


def test_a_faulty_pack_is_refused():
    with pytest.raises(RecordError, match=r"^pack: "):
        PiedicavalloHand(RULES, range(62), 0, 0)
