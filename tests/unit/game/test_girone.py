"""The seats of a match: every pairing once, every player deals once a girata, and what the players win."""

import itertools

import pytest

from minchiate_rl.errors import MinchiateError
from minchiate_rl.game.girone import Standing, schedule, sitting


@pytest.mark.parametrize(("first_dealer", "stays"), list(itertools.product(range(4), (None, 0, 1, 2, 3))))
def test_a_girone_has_every_pairing_and_everybody_deals_once_a_girata(first_dealer, stays):
    hands = schedule("girone", first_dealer, stays)
    pairings = [frozenset(map(frozenset, hand.sides)) for hand in hands]
    assert [len(set(pairings[g : g + 4])) for g in (0, 4, 8)] == [1, 1, 1]
    assert len(set(pairings)) == 3
    assert hands[0].players == (0, 1, 2, 3)
    for g in (0, 4, 8):
        dealers = [hand.players[hand.dealer] for hand in hands[g : g + 4]]
        assert sorted(dealers) == [0, 1, 2, 3]
        assert dealers[0] == first_dealer
        seats = [hand.dealer for hand in hands[g : g + 4]]
        assert all((b - a) % 4 == 1 for a, b in itertools.pairwise(seats))
    fixed = first_dealer if stays is None else stays
    assert all(hand.seat_of(fixed) == fixed for hand in hands)


def test_what_stands_in_seats_and_what_stands_with_players():
    hand = sitting(4, 1, 2)
    assert hand.by_player(hand.by_seat([10, 11, 12, 13])) == [10, 11, 12, 13]
    assert [hand.players[hand.seat_of(player)] for player in range(4)] == [0, 1, 2, 3]


def test_the_winners_of_a_girata_get_the_bonus_and_nobody_does_after_a_tie():
    standing = Standing(girata_bonus=3)
    hands = schedule("girone")
    for hand, resti in zip(hands[:4], [(1, 0), (0, 3), (2, 0), (1, 0)], strict=True):
        won = standing.add(hand, resti)
    assert won == [4, -4, 4, -4]
    assert standing.resti == [1 + 3, -1 - 3, 1 + 3, -1 - 3]
    for hand in hands[4:8]:
        standing.add(hand, (1, 1))
    assert standing.resti == [4, -4, 4, -4]
    for hand in hands[8:]:
        standing.add(hand, (0, 1))
    assert sum(standing.resti) == 0
    assert sorted(standing.resti) == [-11, -3, 3, 11]


@pytest.mark.parametrize("hands", ["match", 0, 3, 13])
def test_no_other_formats(hands):
    with pytest.raises(MinchiateError, match="a match is"):
        schedule(hands)
    with pytest.raises(MinchiateError, match="a player is"):
        schedule("girata", 4)
