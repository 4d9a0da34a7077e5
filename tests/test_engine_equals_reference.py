"""The engine and the plain reference agree at every decision of random hands.

Seat to act, legal actions and views are compared at each decision, and score entries, resti and tricks at the end. The
chunks are for running side by side; benchmarks/differential.py does the same for as many hands as wished.
"""

import numpy as np
import pytest

from minchiate_rl import testing
from minchiate_rl.game.engine import layout as at
from minchiate_rl.testing import Difference, compare_with_reference

CHUNK = 200


@pytest.mark.parametrize("first", range(0, 2000, CHUNK))
def test_classic_hands(first):
    assert compare_with_reference(CHUNK, seed=20, first_hand=first, all_seats=0.05) > 90 * CHUNK


@pytest.mark.parametrize("first", range(0, 300, 100))
def test_hands_with_random_switches(first):
    assert compare_with_reference(100, seed=21, first_hand=first, all_seats=0.2, random_switches=True, block=10) > 9000


class Wrong(testing.Batch):
    """A batch whose rules are broken in one place."""

    def step(self, actions):
        super().step(actions)
        self.rows[:, at.SCORE] += (self.rows[:, at.TRICK] == 21).astype(np.uint64)


def test_a_difference_is_found_and_named(monkeypatch):
    monkeypatch.setattr(testing, "Batch", Wrong)
    with pytest.raises(Difference, match=r"seed 20 hand \d+.*score.*the engine says .* the reference"):
        compare_with_reference(2, seed=20)
