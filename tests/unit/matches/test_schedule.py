"""Duplicate deals: the same cards twice, every agent in every role as often."""

import numpy as np
import pytest

from minchiate_rl import ruleset
from minchiate_rl.errors import MinchiateError
from minchiate_rl.matches.schedule import SEATINGS, Block, blocks

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


def test_each_agent_sits_on_each_side_once():
    assert sorted(SEATINGS) == [(0, 1, 0, 1), (1, 0, 1, 0)]
    block = Block(0, 4)
    for playing, seating in enumerate(SEATINGS):
        sides = [seating[dealer] == 0 for dealer in block.dealers]
        assert sides == (block.dealer_side() == playing).tolist()
