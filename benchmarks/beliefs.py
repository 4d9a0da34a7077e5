"""How well a run's belief network knows where the unseen cards lie, by trick, beside exact chances of two kinds.

    python benchmarks/beliefs.py RUN [--hands 400] [--temperature 0] [--share 1] [--steps 0] [--sharpness 1]

The run's policy plays all seats of deals that are never trained on, by its best actions or at another temperature. A
line is a trick: hidden cards judged, then the mean of -log p(true place) in nats a card of the uniform posterior, of
the network, and with --steps of the posterior given all moves (`agents.posterior.chances`, the run's policy being the
one whose moves they are taken for); by what share each of the latter two is lower, and their expected calibration
errors. Places are the hands of the next player, the partner and the previous player, and what is out of play.
"""

import argparse
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from minchiate_rl import ruleset
from minchiate_rl.agents import worlds
from minchiate_rl.agents.likelihood import Weigher
from minchiate_rl.agents.network import BeliefNetwork, PolicyNetwork, fill
from minchiate_rl.agents.posterior import chances
from minchiate_rl.training import checkpoint
from minchiate_rl.training.belief import BeliefScore, Source, belief_scores, overall
from minchiate_rl.views.view import Views


def uniform(views: Views, words: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Return the chances if all deals that fit are alike; the words are not needed."""
    return worlds.marginals(views)


def by_moves(
    weigher: Weigher, steps: int, sharpness: float, views: Views, words: npt.NDArray[np.uint64]
) -> npt.NDArray[np.float64]:
    """Return the chances given all moves."""
    return chances(views, words, weigher, steps, sharpness)


def line(even: BeliefScore, found: list[BeliefScore]) -> str:
    """Return a line of the table."""
    parts = [f"{even.trick:5d} {even.cards:8,d} {even.log_loss:9.4f}"]
    for score in found:
        gain = 1.0 - score.log_loss / even.log_loss if even.log_loss else 0.0
        parts.append(f"{score.log_loss:9.4f} {gain:7.1%} {score.calibration:12.2%}")
    return " ".join(parts)


def main() -> None:
    """Judge the beliefs and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("run", type=Path)
    parser.add_argument("--hands", type=int, default=400)
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--share", type=float, default=1.0, help="share of the decisions that are judged")
    parser.add_argument("--steps", type=int, default=0, help="steps of the posterior's chain; 0 leaves it out")
    parser.add_argument("--sharpness", type=float, default=1.0, help="the power that those chances are raised to")
    options = parser.parse_args()
    rules = ruleset("classic")
    point = checkpoint.newest(options.run, rules)
    if not point.shape.belief:
        parser.error(f"{options.run} has no belief network; train one with belief_every above 0")
    policy, network = PolicyNetwork(point.shape), BeliefNetwork(point.shape)
    fill(policy, point.tensors, "policy.", options.run)
    fill(network, point.tensors, "belief.", options.run)
    others: list[Source] = [uniform]
    if options.steps:
        others.append(partial(by_moves, policy.compiled(), options.steps, options.sharpness))
    own, even, *rest = belief_scores(policy, network, rules, options.hands, options.temperature, others, options.share)
    names = ["network", "posterior"][: 1 + len(rest)]
    print("trick    cards   uniform " + " ".join(f"{name:>9}    gain  calibration" for name in names))
    for k, exact in enumerate(even):
        print(line(exact, [own[k], *(scores[k] for scores in rest)]))
    for name, value in overall(own).items():
        told = ", ".join(f"{overall(scores)[name]:.4f}" for scores in (even, *rest))
        print(f"{name}: {value:.4f}; the others {told}")


if __name__ == "__main__":
    main()
