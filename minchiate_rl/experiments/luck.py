"""What a finished hand's result was made of: the luck of the deal, and what each decision won or lost in that deal.

The par of a deal is what comes out if one player plays all four seats. From every position on the way of the hand as it
was really played the same player plays on in the same way; the value of the position is the result that he reaches.
Values begin at par and end at the result, so the steps between them add up to exactly what was played better or worse
than par: each step is credited to the seat that decided there (a baseline over a fixed policy, as in Burch, Schmid,
Moravcik, Morrill, Bowling: AIVAT, AAAI 2018, here without chance nodes).

All this looks at the true deal. It says what happened, not what could have been known: a sound play into a bad lie of
the cards counts against its player here. Whether a move was good is for review.py to say, which sees views alone.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.base import Agent, Rng
from minchiate_rl.game.engine.layout import KEY
from minchiate_rl.game.seats import N_SEATS, N_SIDES
from minchiate_rl.matches.play import play
from minchiate_rl.views.batch import Batch

SAMPLES: Final = 16
"""How often a position is played out by an agent that draws its moves."""

Floats = npt.NDArray[np.float64]


def values(positions: Batch, agent: Agent) -> Floats:
    """Return how far side 0 is ahead at the end if an agent plays on at all seats, in points, float64 (B,).

    Args:
        positions: hands of a game with two sides, at any stage.
        agent: who plays on; an agent with a temperature above 0 does so SAMPLES times, and the mean counts. All
            positions of a hand are played out with the same random words.
    """
    samples = SAMPLES if getattr(agent, "temperature", 0.0) > 0.0 else 1
    total = np.zeros(positions.num_games)
    for k in range(samples):
        batch = positions.copy()
        if k > 0:
            batch.rows[:, KEY] = Rng(positions.rows[:, KEY]).draw(k)
        play(batch, [agent], np.zeros(N_SEATS, np.int64))
        total += batch.score[:, 0] - batch.score[:, 1]
    return total / samples


def gains(found: Floats, seats: npt.NDArray[np.int64]) -> Floats:
    """Return what the decisions of each seat have won its own side over par, in points, float64 (4,).

    Args:
        found: the values of the positions before each of N decisions and at the end, float64 (N + 1,).
        seats: who decided, int (N,).
    """
    steps = np.diff(found) * np.where(seats % N_SIDES == 0, 1.0, -1.0)
    return np.bincount(seats, weights=steps, minlength=N_SEATS).astype(np.float64)
