import pytest

from minchiate_rl.errors import MinchiateError, RulesError
from minchiate_rl.game.betting import BettingHand
from minchiate_rl.game.rules import RuleSet, ruleset
from minchiate_rl.matches.chances import seat_chances

PALIO = RuleSet.from_toml('game = "palio"', "palio.toml")


def test_every_seat_has_the_same_chance():
    chances = seat_chances(PALIO.replace(players=3), 400, seed=2)
    assert sum(chance.share for chance in chances) == pytest.approx(1.0)
    for chance in chances:
        low, high = chance.interval
        assert low < chance.share < high
        assert low - 0.05 < 1 / 3 < high + 0.05


def test_the_share_is_the_mean_over_the_hands_of_the_seed():
    hands = [BettingHand.from_seed(PALIO, 5, hand) for hand in range(7)]
    for seat, chance in enumerate(seat_chances(PALIO, 7, seed=5)):
        assert chance.seat == seat
        assert chance.share == pytest.approx(sum(hand.shares[seat] for hand in hands) / 7)


def test_one_hand_has_no_interval_and_none_is_refused():
    assert [chance.interval for chance in seat_chances(PALIO, 1)] == [None] * 4
    with pytest.raises(MinchiateError, match="one hand at least"):
        seat_chances(PALIO, 0)
    with pytest.raises(RulesError, match="no game of chance"):
        seat_chances(ruleset("classic"), 1)
