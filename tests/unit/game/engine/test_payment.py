"""The card paid for the Matto costs least of all, whatever a rule set counts beside the plain versicole."""

import numpy as np
import pytest

from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, PACK_ORDER, VALUES
from minchiate_rl.game.engine.layout import PILE, W
from minchiate_rl.game.engine.score import cheapest_payment
from minchiate_rl.game.engine.versicole import value


def words(cards):
    number = sum(1 << int(card) for card in cards)
    return np.uint64(number & ((1 << FIRST_TRUMP) - 1)), np.uint64(number >> FIRST_TRUMP)


def cheapest(ours, theirs, extras):
    def worth(cards):
        return value(*words(cards), extras)

    def cost(card):
        lost, won = worth(ours) - worth(ours - {card}), worth(theirs | {card}) - worth(theirs)
        return 3 * VALUES[card] + lost + won

    return min((card for card in PACK_ORDER if card in ours and card != MATTO), key=cost)


def paid(ours, theirs, extras):
    rows = np.zeros((1, W), np.uint64)
    rows[0, PILE : PILE + 4] = [*words(ours), *words(theirs)]
    return cheapest_payment(rows, 0, 0, 1, extras)


@pytest.mark.parametrize("extras", [0, 1, 10 << 8, 40 << 16, 1 | 10 << 8 | 20 << 16])
@pytest.mark.parametrize("first", [0, FIRST_TRUMP, FIRST_TRUMP + 27])
def test_no_other_card_costs_less(extras, first):
    rng = np.random.default_rng(extras + first)
    for _ in range(300):
        cards = rng.permutation(np.arange(first, MATTO))
        n = int(rng.integers(1, min(len(cards), 20)))
        ours = {int(card) for card in cards[:n]} | {int(MATTO)}
        theirs = {int(card) for card in cards[n : 2 * n]}
        assert paid(ours, theirs, extras) == cheapest(ours, theirs, extras)


def test_a_run_that_parts_into_two_arie_may_gain():
    ours = {FIRST_TRUMP + n - 1 for n in (20, 30, 34, 35, 36, 37, 38, 39, 40)} | {int(MATTO)}
    bonus = 50 << 16
    assert cheapest(ours, set(), bonus) == FIRST_TRUMP + 36
    assert paid(ours, set(), bonus) == FIRST_TRUMP + 36
