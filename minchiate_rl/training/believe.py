"""Learning beliefs alone: the policy plays as it plays in matches, and only the belief network learns.

It learns from hands that are never seen twice, so that it cannot learn them by heart.
"""

from minchiate_rl.agents.base import Agent
from minchiate_rl.training.dmc import GreedyPlayer
from minchiate_rl.training.learner import Learner
from minchiate_rl.training.method import Lesson, Settings, played
from minchiate_rl.training.rollout import Deal, Samples
from minchiate_rl.training.workers import Workers


class Believe:
    """Hands played by the policy's best actions, for the belief network."""

    plays_itself = True

    def gather(
        self, learner: Learner, deal: Deal, outside: list[Agent], settings: Settings, workers: Workers
    ) -> Samples:
        """Play the hands of a deal by the policy's best actions."""
        return played(GreedyPlayer(learner.policy, 0.0), deal, outside, workers)

    def lesson(self, learner: Learner, samples: Samples, step: int, settings: Settings, workers: Workers) -> Lesson:
        """Return that policy and critic learn nothing."""
        return Lesson(samples, None, None, {}, {})
