"""The warm start: the policy clones a teacher's choices, the critic learns how the hands ended.

A share of the moves is random, so that the policy meets positions that the teacher would not have come to; the
teacher's answer is what is learned there too.
"""

import time
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents import suits
from minchiate_rl.agents.base import Agent, Rng
from minchiate_rl.agents.uniform import act_uniform
from minchiate_rl.training import losses
from minchiate_rl.training.learner import Floats, Learner
from minchiate_rl.training.learner import Rows as Picked
from minchiate_rl.training.ppo import Settings, timed
from minchiate_rl.training.returns import advantages_and_returns
from minchiate_rl.training.rollout import HALVES, Clock, Deal, Recorder, Rows, Samples, joined, play_part, record
from minchiate_rl.training.table import Choices
from minchiate_rl.training.workers import Workers


class TeacherPlayer:
    """Plays as a teacher does but for a share of random moves, and records what the teacher would do."""

    def __init__(self, teacher: Agent, random_share: float) -> None:
        """Take the teacher, and the share of random moves, 0 to 1."""
        self.teacher, self.random_share = teacher, random_share

    def play(self, choices: Choices, rows: Rows, recorder: Recorder, clock: Clock) -> npt.NDArray[np.int16]:
        """Record the teacher's actions, and return them but for the random ones."""
        (place, orders), (_, mine) = record(choices, rows, recorder), rows
        clock.lap("encoding")
        views, rng = choices.views(mine), Rng(choices.words[mine])
        answers = self.teacher.act(views, rng)
        recorder.arrays["actions"][place] = suits.renamed_actions(answers, orders)
        played = answers.copy()
        act_uniform(views.words, rng.draw(1), played)
        return np.where(rng.uniform(2) < self.random_share, played, answers)


def lessons(teacher: Agent, deal: Deal, random_share: float, workers: Workers) -> Samples:
    """Play the hands of a deal as the teacher and return its choices."""
    player = TeacherPlayer(teacher, random_share)
    return joined(workers.run([partial(play_part, deal, part, player, []) for part in range(HALVES)]))


def imitate(learner: Learner, samples: Samples, step: int, settings: Settings, workers: Workers) -> dict[str, Any]:
    """Learn the teacher's choices, and the outcome of the hands, in one pass; return the step's metrics.

    Raises:
        RunError: something is not finite.
    """
    begin = time.perf_counter()
    moments = (samples.games, samples.seats, samples.potentials)
    zeros = np.zeros(len(samples), dtype=np.float32)
    _, returns = advantages_and_returns(moments, samples.finals, zeros, 1.0)
    middle = time.perf_counter()

    def gradient(logits: Floats, rows: Picked) -> tuple[Floats, npt.NDArray[np.float64]]:
        return losses.imitation_gradient(logits, samples.legal[rows], samples.actions[rows])

    policy_orders = learner.orders(step, len(samples), settings.minibatch, 1, 0)
    critic_orders = learner.orders(step, len(samples), settings.minibatch, 1, 1)
    jobs: list[Any] = [
        partial(timed, learner.fit_policy, (samples.tokens, samples.phases), policy_orders, settings.lr, gradient),
        partial(timed, learner.fit_critic, samples.states, critic_orders, settings.lr, returns),
    ]
    (sums, policy_seconds), (critic, critic_seconds) = workers.run(jobs)
    rows = max(sums[-1], 1.0)
    return {
        "imitation_loss": sums[losses.SUM_LOSS] / rows,
        "agreement": sums[losses.SUM_CLIPPED] / rows,
        "entropy": sums[losses.SUM_ENTROPY] / rows,
        **critic,
        "seconds_values": middle - begin,
        "seconds_policy": policy_seconds,
        "seconds_critic": critic_seconds,
    }
