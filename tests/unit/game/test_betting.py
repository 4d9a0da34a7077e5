import json
from pathlib import Path

import pytest

from minchiate_rl.errors import RecordError, RulesError
from minchiate_rl.game.betting import BettingHand, line_of, nearest_seat, shuffled
from minchiate_rl.game.cards import N_CARDS, VALUES, card_name, parse_card
from minchiate_rl.game.rules import RuleSet, ruleset

SEI_TOCCHI = RuleSet.from_toml('game = "sei_tocchi"', "sei_tocchi.toml")
PALIO = RuleSet.from_toml('game = "palio"', "palio.toml")
GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "random.jsonl"


def cards(text):
    return [parse_card(code) for code in text.split()]


def pack_of(first):
    """Return a pack that starts with some cards, the rest in order."""
    start = cards(first)
    return start + [card for card in range(N_CARDS) if card not in start]


@pytest.mark.parametrize(
    ("code", "line", "place"),
    [("M", 4, 0), ("T1", 4, 1), ("T40", 4, 40), ("C10", 0, 0), ("CK", 0, 13), ("S1", 2, 0), ("B10", 3, 9)],
)
def test_where_a_card_stands_on_its_line(code, line, place):
    assert line_of(parse_card(code)) == (line, place)


@pytest.mark.parametrize(
    ("card", "hands", "seat"),
    [
        ("T10", ["T8", "T11"], 1),
        ("T10", ["T9", "T11"], None),
        ("T10", ["T9 T11", "T12"], 0),
        ("T10", ["T9", "T11 T12", "T11"], None),
        ("T10", ["CK", "DK"], None),
        ("T10", ["CK", "T40"], 1),
        ("T1", ["M", "T3"], 0),
        ("T1", ["M", "T2"], None),
        ("M", ["T1", "T40"], 0),
        ("T40", ["T1", "M"], 0),
        ("C1", ["CJ", "C3"], 0),
        ("S10", ["SJ", "S8"], 0),
        ("T10", ["T12 T7", "T8", "T9"], 2),
        ("T10", ["T9", "T11", "T10"], 2),
    ],
)
def test_who_takes_a_turned_card(card, hands, seat):
    assert nearest_seat(parse_card(card), [cards(hand) for hand in hands]) == seat


def test_the_pack_is_the_one_that_the_engine_shuffles():
    records = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()[:20]]
    assert records
    for record in records:
        assert [card_name(card) for card in shuffled(record["seed"], record["hand"])] == record["pack"]


def test_packets_go_round_from_the_dealers_right():
    pack = shuffled(5, 0)
    hand = BettingHand(SEI_TOCCHI, pack, 2)
    assert [hand.hands[seat] for seat in (3, 0, 1, 2)] == [pack[6 * n : 6 * n + 6] for n in range(4)]
    assert [turn.card for turn in hand.turns] == pack[24 : 24 + len(hand.turns)]


def test_sei_tocchi_ends_with_the_sixth_touch():
    rules = SEI_TOCCHI.replace(players=2, hand_size=1)
    hand = BettingHand(rules, pack_of("T40 CK T39 D1 T38 C1 T37 T36 T35 T34 B1"), 1)
    assert hand.hands == [cards("T40"), cards("CK")]
    assert [turn.seat for turn in hand.turns] == [0, None, 0, 1, 0, 0, 0, 0]
    assert hand.result() == {"touches": [6, 1], "winners": [0]}
    assert hand.shares == [1.0, 0.0]
    assert hand.winnings == [1.0, -1.0]


def test_a_touched_card_does_not_join_the_hand():
    rules = SEI_TOCCHI.replace(players=2, hand_size=1, touches=2)
    hand = BettingHand(rules, pack_of("T40 T10 T24 T23"), 1)
    assert [turn.seat for turn in hand.turns[:2]] == [1, 1]
    assert hand.result() == {"touches": [0, 2], "winners": [1]}


def test_where_the_pack_runs_out_the_most_touches_share_the_pool():
    rules = SEI_TOCCHI.replace(players=2, hand_size=1, touches=32)
    hand = BettingHand(rules, pack_of("CK DK"), 1)
    assert len(hand.turns) == 95
    assert hand.result() == {"touches": [13, 13], "winners": [0, 1]}
    assert hand.shares == [0.5, 0.5]


def test_palio_turns_all_cards_and_goes_by_card_points():
    rules = PALIO.replace(players=3, hand_size=1)
    hand = BettingHand(rules, pack_of("CK T20 SK"), 2)
    assert len(hand.turns) == 94
    assert hand.result() == {"score": [0, 142 - 4 * 5 - 5, 0], "winners": [1]}
    assert hand.pool == 3


@pytest.mark.parametrize("rules", [SEI_TOCCHI, PALIO], ids=["sei_tocchi", "palio"])
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_the_pool_is_shared_out(rules, players):
    rules = rules.replace(players=players)
    for number in range(20):
        hand = BettingHand.from_seed(rules, 9, number)
        assert hand.dealer == (9 + number) % players
        assert sum(hand.shares) == pytest.approx(1.0)
        assert sum(hand.winnings) == pytest.approx(0.0)
        assert [seat for seat in range(players) if hand.shares[seat] > 0] == hand.winners
        taken = [[turn.card for turn in hand.turns if turn.seat == seat] for seat in range(players)]
        assert hand.touches == list(map(len, taken))
        assert hand.score == [sum(VALUES[card] for card in own) for own in taken]


def test_equal_seeds_give_equal_hands():
    hands = [BettingHand.from_seed(PALIO, 3, 4) for _ in range(2)]
    assert hands[0].turns == hands[1].turns
    assert hands[0].pack != BettingHand.from_seed(PALIO, 3, 5).pack
    assert hands[0].pack != BettingHand.from_seed(PALIO, 4, 4).pack


def test_what_cannot_be_dealt_is_refused():
    with pytest.raises(RulesError, match="no game of chance"):
        BettingHand(ruleset("classic"), shuffled(0, 0), 0)
    with pytest.raises(RecordError, match=r"^pack: "):
        BettingHand(PALIO, shuffled(0, 0)[:96], 0)
    with pytest.raises(RecordError, match=r"^dealer: "):
        BettingHand(PALIO.replace(players=2), shuffled(0, 0), 2)
