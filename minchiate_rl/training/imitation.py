"""The warm start: the policy clones a teacher's choices, the critic learns how the hands ended.

A share of the moves is random, so that the policy meets positions that the teacher would not have come to; the
teacher's answer is what is learned there too. Cloning before self-play is the course of Silver et al.: Mastering the
Game of Go with Deep Neural Networks and Tree Search, 2016.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents import suits
from minchiate_rl.agents.base import Agent, Rng
from minchiate_rl.agents.uniform import act_uniform
from minchiate_rl.training import losses
from minchiate_rl.training.learner import Floats, Learner
from minchiate_rl.training.learner import Rows as Picked
from minchiate_rl.training.method import Lesson, Settings, played
from minchiate_rl.training.returns import outcomes
from minchiate_rl.training.rollout import Clock, Deal, Recorder, Rows, Samples, record
from minchiate_rl.training.table import Choices
from minchiate_rl.training.workers import Workers

_NAMES: Final = {
    "imitation_loss": losses.SUM_LOSS,
    "agreement": losses.SUM_CLIPPED,
    "entropy": losses.SUM_ENTROPY,
}


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


class Imitation:
    """Cross-entropy of a teacher's choices, and the outcome of his hands for the critic."""

    plays_itself = False

    def __init__(self, teacher: Agent, random_share: float) -> None:
        """Take the teacher, and the share of random moves, 0 to 1."""
        self.player = TeacherPlayer(teacher, random_share)

    def gather(
        self, learner: Learner, deal: Deal, outside: list[Agent], settings: Settings, workers: Workers
    ) -> Samples:
        """Play the hands of a deal as the teacher."""
        return played(self.player, deal, outside, workers)

    def lesson(self, learner: Learner, samples: Samples, step: int, settings: Settings, workers: Workers) -> Lesson:
        """Return the cross-entropy of the teacher's choices."""

        def gradient(logits: Floats, rows: Picked) -> tuple[Floats, npt.NDArray[np.float64]]:
            return losses.imitation_gradient(logits, samples.legal[rows], samples.actions[rows])

        return Lesson(samples, gradient, outcomes(samples.moments, samples.finals), _NAMES, {})
