"""Time the making of worlds by the stage of the hand, in hands of the classic game that heuristic agents play.

    python benchmarks/worlds.py [--hands 200] [--worlds 30] [--seed 1]

A row is every ninth decision of a hand: microseconds of the processor to read a view and count its worlds, and to draw
one world; then worlds a second when each view is asked for as many as `--worlds` says.
"""

import argparse
import time

import numpy as np

from minchiate_rl import Batch
from minchiate_rl.agents import make, worlds
from minchiate_rl.agents.worlds import Words
from minchiate_rl.views.view import Views


def seconds(views: Views, words: Words, number: int) -> float:
    """Return the processor's seconds for so many worlds of each view."""
    start = time.process_time()
    worlds.sample(views, words, number)
    return time.process_time() - start


def main() -> None:
    """Play the hands and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--hands", type=int, default=200)
    parser.add_argument("--worlds", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    batch, agent = Batch("classic", options.hands, seed=options.seed), make("heuristic")
    worlds.sample(batch.views(), batch.rng().words, 2)
    print("decision   us a view   us a world   worlds/s")
    step = 0
    while (batch.seat >= 0).any():
        where = batch.seat >= 0
        views, rng = batch.views(where), batch.rng(where)
        if step % 9 == 0:
            one, many = seconds(views, rng.words, 1), seconds(views, rng.words, options.worlds)
            world = max(many - one, 0.0) / max(options.worlds - 1, 1)
            rate = options.worlds * len(views) / many
            print(f"{step:8d} {1e6 * (one - world) / len(views):11.1f} {1e6 * world / len(views):12.2f} {rate:10,.0f}")
        actions = np.zeros(options.hands, np.int16)
        actions[where] = agent.act(views, rng)
        batch.step(actions)
        step += 1


if __name__ == "__main__":
    main()
