"""Duplicate deals: the same cards twice, every agent in every role as often."""

import numpy as np
import pytest

from minchiate_rl import ruleset
from minchiate_rl.errors import MinchiateError
from minchiate_rl.matches.schedule import Block, blocks, seatings

CLASSIC = ruleset("classic")


def test_blocks_hold_every_deal_once():
    for deals in (1, 7, 8, 9, 24):
        found = [deal for block in blocks(deals, 8) for deal in range(block.first, block.first + block.size)]
        assert found == list(range(deals))


def test_no_deal_is_no_match():
    with pytest.raises(MinchiateError, match="1 deal or more"):
        list(blocks(0, 8))


def test_a_deal_does_not_depend_on_its_block():
    whole = Block(0, 12).deal(CLASSIC, 5)
    parts = [Block(first, 4).deal(CLASSIC, 5).rows for first in (0, 4, 8)]
    assert np.array_equal(whole.rows, np.concatenate(parts))
    assert not np.array_equal(whole.rows, Block(0, 12).deal(CLASSIC, 6).rows)


def test_dealers_take_turns():
    batch = Block(6, 8).deal(CLASSIC, 3)
    assert batch.dealer.tolist() == [2, 3, 0, 1, 2, 3, 0, 1]
    assert batch.hands.tolist() == list(range(6, 14))


def test_between_two_sides_each_agent_has_each_side_once():
    assert seatings(CLASSIC) == [(0, 1, 0, 1), (1, 0, 1, 0)]
    assert seatings(ruleset("piedicavallo")) == seatings(CLASSIC)
    assert seatings(ruleset("two")) == seatings(ruleset("mini")) == [(0, 1), (1, 0)]


@pytest.mark.parametrize(("name", "number"), [("solo", 14), ("solo_fola", 14), ("three", 6)])
def test_everybody_for_himself_is_seated_in_every_way(name, number):
    found = seatings(ruleset(name))
    assert len(found) == len(set(found)) == number
    assert all(set(seating) == {0, 1} for seating in found)
    # Each way is followed by the one with the agents changed.
    for own, other in zip(found[::2], found[1::2], strict=True):
        assert other == tuple(1 - agent for agent in own)


def test_dealers_take_turns_at_tables_of_two_and_three():
    assert Block(1, 4).dealers(ruleset("three")).tolist() == [1, 2, 0, 1]
    assert Block(1, 3).deal(ruleset("two"), 3).dealer.tolist() == [1, 0, 1]
