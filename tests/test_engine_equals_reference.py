"""The engine and the plain reference agree at every decision of random hands, in every form of the game.

Seat to act, legal actions and views are compared at each decision; score entries, balances, resti and tricks at the
end. benchmarks/differential.py does the same for as many hands as wished.
"""

import numpy as np
import pytest

from minchiate_rl import ruleset, testing
from minchiate_rl.game.engine import layout as at
from minchiate_rl.testing import Difference, compare_batch, compare_with_reference
from tests.support.stories import rigged_packs

#: Hands of each form, and how many decisions they have at least.
FORMS = {
    **dict.fromkeys(("english", "german", "accademia", "rob_all", "solo_fola", "three"), (60, 80)),
    "solo": (60, 60),
    "two": (60, 50),
    "mini": (100, 8),
    "mini_team": (100, 16),
}
SPEECH = {"full": (10, 180), "facts": (10, 150), "off": (60, 62)}


@pytest.mark.parametrize("first", range(0, 200, 100))
def test_classic_hands(first):
    assert compare_with_reference(100, seed=20, first_hand=first, all_seats=0.05) > 9000


@pytest.mark.parametrize("form", FORMS)
def test_hands_of_every_form(form):
    hands, decisions = FORMS[form]
    assert compare_with_reference(hands, seed=22, rules=form) > hands * decisions


@pytest.mark.parametrize("speech", SPEECH)
def test_hands_with_speech(speech):
    hands, decisions = SPEECH[speech]
    rules = ruleset("piedicavallo").replace(speech=speech)
    assert compare_with_reference(hands, seed=23, rules=rules) >= hands * decisions


def test_a_side_without_a_trick_loses_its_matto():
    batch = testing.Batch("piedicavallo", 1, seed=1, first_hand=1415)
    compare_batch(batch, "vola", watched=1)
    assert sorted(batch.tricks[0].tolist()) == [0, 15]
    assert [len(pile) for pile in batch.view(0, 0).to_json()["piles"]] == [60, 0]


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_hands_with_random_switches(first):
    assert compare_with_reference(50, seed=21, first_hand=first, all_seats=0.2, random_switches=True, block=5) > 4500


@pytest.mark.parametrize("game", ["solo", "solo_fola", "three", "two", "mini", "mini_team"])
def test_random_switches_of_the_other_games(game):
    decisions = compare_with_reference(20, seed=24, rules=game, all_seats=0.2, random_switches=True, block=4)
    assert decisions > 20 * 6


@pytest.mark.parametrize("switches", [{"rob_limit": None}, {"rob_limit": 13}], ids=["no limit", "13 cards"])
def test_packs_with_many_cards_to_rob(switches):
    rules = ruleset("accademia").replace(**switches)
    packs = rigged_packs(rules, 60, np.random.default_rng(25))
    batch = testing.Batch.from_packs(rules, *packs)
    robbed = np.array([len(cards) for cards in _robbed(batch)])
    assert robbed.min() <= 1
    assert robbed.max() == (33 if rules.rob_limit is None else 13)
    assert (robbed >= 13).sum() > 15
    compare_batch(batch, f"rigged packs {switches}", watched=10)


def _robbed(batch):
    return [batch.view(i, 0).to_json()["robbed"]["cutter"] for i in range(batch.num_games)]


def test_several_seats_drop_their_hands():
    batch = testing.Batch(ruleset("cascare"), 70, seed=26)
    compare_batch(batch, "cascare", watched=7)
    dropped = [f"{int(left) >> 8 & 0xF:b}".count("1") for left in batch.rows[:, at.LEFT]]
    assert dropped.count(2) + dropped.count(3) >= 5


class Wrong(testing.Batch):
    """A batch whose rules are broken in one place."""

    def step(self, actions):
        super().step(actions)
        self.rows[:, at.SCORE] += (self.rows[:, at.TRICK] == 21).astype(np.uint64)


def test_a_difference_is_found_and_named(monkeypatch):
    monkeypatch.setattr(testing, "Batch", Wrong)
    with pytest.raises(Difference, match=r"seed 20 hand \d+.*score.*the engine says .* the reference"):
        compare_with_reference(2, seed=20)
