"""Measure an agent with another one as partner: points a hand over two heuristic agents, beside the two pure pairs.

    python benchmarks/partners.py A B [--deals 1000] [--seed 1]

Each deal is played with the sides changed, and the mixed pair in both orders; the intervals are of 95%.
"""

import argparse
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from minchiate_rl import Batch
from minchiate_rl.agents import make
from minchiate_rl.agents.base import Agent
from minchiate_rl.matches.play import play

_HEURISTIC = 2


def ahead(start: Batch, agents: Sequence[Agent], pair: tuple[int, int]) -> npt.NDArray[np.float64]:
    """Return the points a hand of a pair over the heuristic ones in every deal, the mean of both sides."""
    one, other = pair
    values = []
    for seating in ((one, _HEURISTIC, other, _HEURISTIC), (_HEURISTIC, one, _HEURISTIC, other)):
        batch = start.copy()
        play(batch, agents, seating)
        score = batch.score.astype(np.float64)
        values.append((score[:, 0] - score[:, 1]) * (1 if seating[0] != _HEURISTIC else -1))
    out: npt.NDArray[np.float64] = np.mean(values, axis=0)
    return out


def told(name: str, values: npt.NDArray[np.float64]) -> str:
    """Return a line with a mean and its interval."""
    return f"{name:24s} {values.mean():+7.1f} ±{1.96 * values.std(ddof=1) / math.sqrt(len(values)):.1f}"


def main() -> None:
    """Play the deals and print the three pairs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    agents = [make(options.a), make(options.b), make("heuristic")]
    start = Batch("classic", options.deals, seed=options.seed)
    own, theirs = ahead(start, agents, (0, 0)), ahead(start, agents, (1, 1))
    mixed = (ahead(start, agents, (0, 1)) + ahead(start, agents, (1, 0))) / 2
    for name, values in (
        ("A with A", own),
        ("A with B", mixed),
        ("B with B", theirs),
        ("A with A less A with B", own - mixed),
    ):
        print(told(name, values))


if __name__ == "__main__":
    main()
