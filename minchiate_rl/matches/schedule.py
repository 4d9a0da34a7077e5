"""Duplicate deals: who sits where, deal by deal, and in which order.

Each deal is played in every seating, from the same pack and by the same streams of chance, so that the luck of the
cards falls to both agents alike and the deal is the unit of variance. Between two sides there are two seatings; where
everybody plays for himself there is one for every way of giving two names to the seats, but for those with one name
alone. Deal d is hand d of the seed, and its dealer sits at d mod the number of seats: robbing is worth some fifty
points to the dealer's side, and in so many deals every seat has dealt.
"""

import dataclasses
from collections.abc import Iterator
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.errors import MinchiateError
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import N_SIDES
from minchiate_rl.views.batch import Batch

BLOCK: Final = 1024
"""Deals played side by side; it is fixed, so that the answers of networks do not depend on the number of threads."""

Seating = tuple[int, ...]
"""Which of two agents, 0 or 1, sits at each seat."""


def seatings(rules: RuleSet) -> list[Seating]:
    """Return the seatings in which each deal is played.

    Two sides: agent 0 has the even seats, then the odd ones. Everybody for himself: the 2^n - 2 ways of seating two
    agents at n seats. Each seating is followed by the one with the agents changed, so that what an agent gains on
    itself sums to zero exactly.
    """
    if rules.form.for_himself:
        first = [(0, *rest) for rest in product((0, 1), repeat=rules.n_seats - 1) if any(rest)]
    else:
        first = [tuple(seat % N_SIDES for seat in range(rules.n_seats))]
    return [seating for own in first for seating in (own, tuple(1 - agent for agent in own))]


@dataclasses.dataclass(frozen=True)
class Block:
    """Some consecutive deals of a match."""

    first: int
    """The number of the first deal, which is its hand number too."""
    size: int
    """How many deals."""

    def dealers(self, rules: RuleSet) -> npt.NDArray[np.int64]:
        """Return the dealer of each deal, int64 (D,)."""
        return np.arange(self.first, self.first + self.size) % rules.n_seats

    def deal(self, rules: RuleSet, seed: int) -> Batch:
        """Return the deals, ready to be played; the same every time."""
        return Batch(rules, self.size, seed=seed, first_hand=self.first, dealers=self.dealers(rules))


def blocks(deals: int, size: int) -> Iterator[Block]:
    """Yield the deals 0 to `deals` - 1 in blocks of a size, the last one smaller.

    Raises:
        MinchiateError: less than one deal.
    """
    if deals < 1:
        raise MinchiateError(f"a match has 1 deal or more, not {deals}")
    for first in range(0, deals, size):
        yield Block(first, min(size, deals - first))
