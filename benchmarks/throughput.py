"""The whole loop of learning, beside the same loop with a dense one-hot first layer: samples a second and the profile.

    python benchmarks/throughput.py --recipe small --rounds 5

Both kinds of network take turns in one process, so that a busy moment falls on both alike. A sample is a choice of the
learner that went through every stage once: played, encoded, valued, and learned from by policy and critic. Rates are
told by the wall, and by the processor seconds of two cores that would do nothing else. The profile is taken with one
thread, in processor seconds, so that it says what the code costs whatever else the machine does.
"""

import argparse
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import numpy as np
import torch
from torch import Tensor

from minchiate_rl.agents import network, weights
from minchiate_rl.agents.tokensum import token_sum
from minchiate_rl.experiments.course import Part, course_of
from minchiate_rl.experiments.recipes import Recipe, recipe
from minchiate_rl.game.rules import ruleset
from minchiate_rl.training.learner import Learner
from minchiate_rl.training.method import learn
from minchiate_rl.training.rollout import FIRST_TRAINING_SEED, Deal
from minchiate_rl.training.table import LEARNER
from minchiate_rl.training.workers import Workers

STAGES = ("environment", "encoding", "network", "bookkeeping", "values", "policy", "critic")


def dense_sum(table: Tensor, tokens: Tensor) -> Tensor:
    """Return what `token_sum` returns, as a dense layer over 0 and 1."""
    inputs = torch.zeros(tokens.shape[0], table.shape[0])
    inputs.scatter_(1, tokens.long(), 1.0)
    inputs[:, 0] = 0.0
    return inputs @ table


@contextmanager
def first_layer(dense: bool) -> Iterator[None]:
    """Have the networks use the dense first layer, or their own."""
    with mock.patch.object(network, "token_sum", dense_sum if dense else token_sum):
        yield


class Loop:
    """The learning loop of a recipe's last stage, without opponents, checkpoints and evaluations."""

    def __init__(self, own: Recipe) -> None:
        self.rules = ruleset(own.rules)
        self.part: Part = course_of(own)[-1]
        shape = weights.shape_for(self.rules, *vars(own.network).values())
        self.learner, self.step = Learner(shape, own.seed, own.max_norm), 0

    def once(self, workers: Workers) -> tuple[int, dict[str, float]]:
        """Play and learn from one batch; return the samples and the seconds of each stage."""
        hands, settings = self.part.recipe.hands, self.part.settings(0.5)
        codes = np.full((hands, self.rules.n_seats), LEARNER, np.int8)
        deal = Deal(self.rules, FIRST_TRAINING_SEED, self.step * hands, codes, self.part.recipe.reward)
        samples = self.part.method.gather(self.learner, deal, [], settings, workers)
        metrics = learn(self.part.method, self.learner, samples, self.step, settings, workers)
        self.step += 1
        own = {f"seconds_{name}": seconds for name, seconds in samples.seconds.items()} | metrics
        return len(samples), {stage: float(own.get(f"seconds_{stage}", 0.0)) for stage in STAGES}


def measured(loops: dict[str, Loop], rounds: int) -> dict[str, tuple[float, float]]:
    """Return samples a second by the wall and by two cores' processor seconds, medians over interleaved rounds."""
    rates: dict[str, list[tuple[float, float]]] = {name: [] for name in loops}
    with Workers(2) as workers:
        for k in range(rounds + 1):
            for name, loop in loops.items():
                with first_layer(name == "dense"):
                    wall, cpu = time.perf_counter(), time.process_time()
                    n, _ = loop.once(workers)
                    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
                if k:  # the first round compiles and warms up
                    rates[name].append((n / wall, 2.0 * n / cpu))
    return {
        name: (statistics.median(w for w, _ in own), statistics.median(c for _, c in own))
        for name, own in rates.items()
    }


def profile(loops: dict[str, Loop], rounds: int) -> dict[str, dict[str, float]]:
    """Return microseconds of the processor a sample for each stage."""
    out: dict[str, dict[str, float]] = {}
    with Workers(1) as workers, mock.patch.object(time, "perf_counter", time.process_time):
        for name, loop in loops.items():
            total, seconds = 0, dict.fromkeys(STAGES, 0.0)
            for _ in range(rounds):
                with first_layer(name == "dense"):
                    n, own = loop.once(workers)
                total += n
                seconds = {stage: seconds[stage] + own[stage] for stage in STAGES}
            out[name] = {stage: 1e6 * seconds[stage] / total for stage in STAGES}
    return out


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", default="small")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--set-width", type=int, default=0, help="width of both networks")
    args = parser.parse_args()
    own = recipe(args.recipe)
    if args.set_width:
        own = own.replace(width=args.set_width, critic_width=args.set_width)
    loops = {"tokens": Loop(own), "dense": Loop(own)}
    rates = measured(loops, args.rounds)
    stages = profile(loops, max(1, args.rounds // 2))
    print(f"recipe {own.name}, widths {own.network.width} and {own.network.critic_width}, {own.hands} hands a batch")
    print(f"{'first layer':<12} {'samples/s, wall':>16} {'2 cores of cpu':>16}   microseconds of cpu a sample")
    for name, (wall, cpu) in rates.items():
        parts = "  ".join(f"{stage} {us:.1f}" for stage, us in stages[name].items())
        print(f"{name:<12} {wall:>16,.0f} {cpu:>16,.0f}   {parts}")
    ratios = [rates["tokens"][k] / rates["dense"][k] for k in range(2)]
    print(f"tokens over dense: {ratios[0]:.2f} by the wall, {ratios[1]:.2f} by the processor")


if __name__ == "__main__":
    main()
