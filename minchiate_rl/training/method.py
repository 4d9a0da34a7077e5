"""What all ways of learning share: a method says which hands are played and what is learned from them, `learn` learns.

A step of any method is: play the hands of a deal (`gather`), make a lesson of what was recorded (`lesson`), and take
steps of gradient over minibatches of it, policy and critic side by side (`learn`). A method keeps nothing between
steps that a checkpoint would not: what lasts is in the learner.
"""

import dataclasses
import itertools
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy.typing as npt

from minchiate_rl.agents.base import Agent
from minchiate_rl.training.learner import Floats, Gradient, Learner
from minchiate_rl.training.rollout import HALVES, Deal, Player, Samples, joined, play_part
from minchiate_rl.training.workers import Workers


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings of a step, schedules already applied; each method reads those that it has."""

    minibatch: int
    epochs: int
    critic_epochs: int
    clip: float
    lr: float
    entropy: float
    gae_lambda: float
    joint: bool
    magnet: float = 0.0
    """Weight of the divergence from the magnet."""
    proximal: float = 0.0
    """Weight of the divergence from the policy that acted, in place of the clip range where it is above 0."""
    epsilon: float = 0.0
    """Share of random moves where the best move is played."""
    belief_every: int = 0
    """Minibatches from one that the belief network learns from to the next; 0 for never."""


@dataclasses.dataclass(frozen=True)
class Lesson:
    """What is to be learned in a step."""

    samples: Samples
    """The choices: those just played, or more."""
    gradient: Gradient | None
    """The policy's loss: its gradient by the logits of some rows, and sums for the metrics. None: it stays."""
    goals: Floats | None
    """What the critic is to expect of each choice, float32 (K,); None if it is not trained."""
    names: dict[str, int]
    """The metrics that are means of a sum of the losses: name -> its column."""
    metrics: dict[str, Any]
    """Metrics known already."""


class Method(Protocol):
    """A way of learning."""

    plays_itself: bool
    """Whether the learner plays its own hands: then others of the pool sit at the table, and past selves are kept."""

    def gather(
        self, learner: Learner, deal: Deal, outside: list[Agent], settings: Settings, workers: Workers
    ) -> Samples:
        """Play the hands of a deal and return the choices that are learned from."""
        ...

    def lesson(self, learner: Learner, samples: Samples, step: int, settings: Settings, workers: Workers) -> Lesson:
        """Return what is learned from the choices of a step."""
        ...


def played(player: Player, deal: Deal, outside: list[Agent], workers: Workers) -> Samples:
    """Play the hands of a deal, in its parts, and return the learner's choices."""
    return joined(workers.run([partial(play_part, deal, part, player, outside) for part in range(HALVES)]))


def learn(
    method: Method, learner: Learner, samples: Samples, step: int, settings: Settings, workers: Workers
) -> dict[str, Any]:
    """Learn from the choices of a step; return its metrics.

    Raises:
        RunError: something is not finite.
    """
    begin = time.perf_counter()
    lesson = method.lesson(learner, samples, step, settings, workers)
    seconds = {"seconds_values": time.perf_counter() - begin}
    jobs: dict[str, Callable[[], tuple[Any, float]]] = {}
    size, rows = len(lesson.samples), lesson.samples
    if lesson.gradient is not None:
        orders = learner.orders(step, size, settings.minibatch, settings.epochs, 0)
        jobs["policy"] = partial(_timed, learner.fit_policy, rows, orders, settings.lr, lesson.gradient)
    if lesson.goals is not None:
        orders = learner.orders(step, size, settings.minibatch, settings.critic_epochs, 1)
        jobs["critic"] = partial(_timed, learner.fit_critic, rows.states, orders, settings.lr, lesson.goals)
    if settings.belief_every:
        every = learner.orders(step, len(samples), settings.minibatch, 1, 2)
        some = itertools.islice(every, 0, None, settings.belief_every)
        jobs["belief"] = partial(_timed, learner.fit_beliefs, samples, some, settings.lr)
    done = dict(zip(jobs, workers.run(list(jobs.values())), strict=True))
    metrics: dict[str, Any] = {}
    for job, (values, spent) in done.items():
        seconds[f"seconds_{job}"] = spent
        if job == "policy":
            values = {name: values[column] / max(values[-1], 1.0) for name, column in lesson.names.items()}
        metrics |= values
    return metrics | lesson.metrics | seconds


def _timed(function: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """Return a function's result and the seconds that it took."""
    begin = time.perf_counter()
    return function(*arguments), time.perf_counter() - begin


def explained(goals: Floats, values: npt.NDArray[Any]) -> float:
    """Return the share of the goals' variance that the critic's values, float32 (K,), explain."""
    spread = float(goals.var(dtype=float))
    return 1.0 - float((goals - values).var(dtype=float)) / spread if spread > 0 else 0.0
