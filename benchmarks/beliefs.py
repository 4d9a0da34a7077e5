"""How well a run's belief network knows where the unseen cards lie, by trick, beside the exact uniform posterior.

    python benchmarks/beliefs.py RUN [--hands 400] [--temperature 0]

The run's policy plays all seats of deals that are never trained on, by its best actions or at another temperature. A
line is a trick: hidden cards judged, the mean of -log p(true place) in nats a card of the posterior and of the network,
by what share of it the network's is lower, and the network's expected calibration error. Places are the hands of the
next player, the partner and the previous player, and what is out of play.
"""

import argparse
from pathlib import Path

from minchiate_rl import ruleset
from minchiate_rl.agents import worlds
from minchiate_rl.agents.network import BeliefNetwork, PolicyNetwork, fill
from minchiate_rl.training import checkpoint
from minchiate_rl.training.belief import belief_scores, overall


def main() -> None:
    """Judge the network and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("run", type=Path)
    parser.add_argument("--hands", type=int, default=400)
    parser.add_argument("--temperature", type=float, default=0.0)
    options = parser.parse_args()
    rules = ruleset("classic")
    point = checkpoint.newest(options.run, rules)
    if not point.shape.belief:
        parser.error(f"{options.run} has no belief network; train one with belief_every above 0")
    policy, network = PolicyNetwork(point.shape), BeliefNetwork(point.shape)
    fill(policy, point.tensors, "policy.", options.run)
    fill(network, point.tensors, "belief.", options.run)
    own, uniform = belief_scores(policy, network, rules, options.hands, options.temperature, worlds.marginals)
    print("trick    cards   uniform   network    gain   calibration")
    for beliefs, exact in zip(own, uniform, strict=True):
        gain = 1.0 - beliefs.log_loss / exact.log_loss if exact.log_loss else 0.0
        row = f"{beliefs.trick:5d} {beliefs.cards:8,d} {exact.log_loss:9.4f} {beliefs.log_loss:9.4f} {gain:7.1%}"
        print(f"{row} {beliefs.calibration:13.2%}")
    for name, value in overall(own).items():
        print(f"{name}: {value:.4f}, uniform {overall(uniform)[name]:.4f}")


if __name__ == "__main__":
    main()
