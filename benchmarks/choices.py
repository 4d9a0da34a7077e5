"""Processor time a choice of agents, on the same choices of hands that heuristic agents play.

    python benchmarks/choices.py SPEC [SPEC ...] [--hands 64] [--every 9]

A choice is a decision with two legal actions or more; forced moves are in the time of none.
"""

import argparse
import time

import numpy as np

from minchiate_rl import Batch
from minchiate_rl.agents import make


def main() -> None:
    """Play the hands, ask every agent at every so-manyth decision, and print the milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("specs", nargs="+")
    parser.add_argument("--hands", type=int, default=64)
    parser.add_argument("--every", type=int, default=9)
    options = parser.parse_args()
    batch, player = Batch("classic", options.hands, seed=9), make("heuristic")
    agents = [make(spec) for spec in options.specs]
    for agent in agents:  # compiles what it needs
        agent.act(batch.views(), batch.rng())
    seconds, choices, step = np.zeros(len(agents)), 0, 0
    while not batch.done.all():
        turn = batch.seat >= 0
        views, rng = batch.views(turn), batch.rng(turn)
        found = int((views.legal_mask().sum(axis=1) > 1).sum())
        if step % options.every == 0 and found:
            for k, agent in enumerate(agents):
                start = time.process_time()
                agent.act(views, rng)
                seconds[k] += time.process_time() - start
            choices += found
        actions = np.zeros(options.hands, np.int16)
        actions[turn] = player.act(views, rng)
        batch.step(actions)
        step += 1
    for spec, spent in zip(options.specs, seconds, strict=True):
        print(f"{1000.0 * spent / choices:9.3f} ms a choice  {spec}")
    print(f"{choices} choices")


if __name__ == "__main__":
    main()
