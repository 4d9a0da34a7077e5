"""Duplicate deals: who sits where, deal by deal, and in which order.

Each deal is played twice with the sides changed, from the same pack and by the same streams of chance, so that the
luck of the cards falls to both sides alike and the deal is the unit of variance. Deal d is hand d of the seed, and its
dealer sits at d mod 4: robbing is worth some fifty points to the dealer's side, and in four deals every seat has dealt.
"""

import dataclasses
from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.errors import MinchiateError
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import N_SEATS, N_SIDES
from minchiate_rl.views.batch import Batch

BLOCK: Final = 1024
"""Deals played side by side; it is fixed, so that the answers of networks do not depend on the number of threads."""

SEATINGS: Final = ((0, 1, 0, 1), (1, 0, 1, 0))
"""Which of two agents sits at each seat, in the first and in the second playing of a deal."""


@dataclasses.dataclass(frozen=True)
class Block:
    """Some consecutive deals of a match."""

    first: int
    """The number of the first deal, which is its hand number too."""
    size: int
    """How many deals."""

    @property
    def dealers(self) -> npt.NDArray[np.int64]:
        """The dealer of each deal, int64 (D,)."""
        return np.arange(self.first, self.first + self.size) % N_SEATS

    def deal(self, rules: RuleSet, seed: int) -> Batch:
        """Return the deals, ready to be played; the same every time."""
        return Batch(rules, self.size, seed=seed, first_hand=self.first, dealers=self.dealers)

    def dealer_side(self) -> npt.NDArray[np.int64]:
        """Return the dealer's side in each deal, int64 (D,): in playing p, agent 0 has it where it equals p."""
        return self.dealers % N_SIDES


def blocks(deals: int, size: int) -> Iterator[Block]:
    """Yield the deals 0 to `deals` - 1 in blocks of a size, the last one smaller.

    Raises:
        MinchiateError: less than one deal.
    """
    if deals < 1:
        raise MinchiateError(f"a match has 1 deal or more, not {deals}")
    for first in range(0, deals, size):
        yield Block(first, min(size, deals - first))
