"""How well a run's belief head knows where the unseen cards lie, trick by trick, beside the exact uniform posterior.

    python benchmarks/beliefs.py RUN [--hands 400]

The run's policy plays all seats by its own probabilities, deals that are never trained on. A line is a trick: hidden
cards judged, the mean of -log p(true place) in nats a card of the posterior and of the head, by what share of it the
head's is lower, and the head's expected calibration error. Places are the hands of the next player, the partner and the
previous player, and what is out of play.
"""

import argparse
from pathlib import Path

from minchiate_rl import ruleset
from minchiate_rl.agents import worlds
from minchiate_rl.agents.network import BeliefHead, PolicyNetwork, fill
from minchiate_rl.training import checkpoint
from minchiate_rl.training.belief import belief_scores, overall


def main() -> None:
    """Judge the head and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("run", type=Path)
    parser.add_argument("--hands", type=int, default=400)
    options = parser.parse_args()
    rules = ruleset("classic")
    point = checkpoint.newest(options.run, rules)
    if not point.shape.belief:
        parser.error(f"{options.run} has no belief head; train one with belief_every above 0")
    policy, head = PolicyNetwork(point.shape), BeliefHead(point.shape)
    fill(policy, point.tensors, "policy.", options.run)
    fill(head, point.tensors, "belief.", options.run)
    own, uniform = belief_scores(policy, head, rules, options.hands, worlds.marginals)
    print("trick    cards   uniform      head    gain   calibration")
    for by_head, exact in zip(own, uniform, strict=True):
        gain = 1.0 - by_head.log_loss / exact.log_loss if exact.log_loss else 0.0
        row = f"{by_head.trick:5d} {by_head.cards:8,d} {exact.log_loss:9.4f} {by_head.log_loss:9.4f} {gain:7.1%}"
        print(f"{row} {by_head.calibration:13.2%}")
    for name, value in overall(own).items():
        print(f"{name}: {value:.4f}, uniform {overall(uniform)[name]:.4f}")


if __name__ == "__main__":
    main()
