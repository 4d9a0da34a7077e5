"""Deep Monte Carlo: the outputs are values of the actions, fitted to how the hands ended; the best one is played.

Zha et al.: DouZero: Mastering DouDizhu with Self-Play Deep Reinforcement Learning, 2021. The policy's outputs serve as
the values in resti units, so that the agent that plays a policy's best action plays this one's too. No critic learns.
"""

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents import suits
from minchiate_rl.agents.base import Agent, Rng
from minchiate_rl.agents.choice import best_actions, legal_list
from minchiate_rl.agents.network import PolicyNetwork, policy_logits
from minchiate_rl.errors import RunError
from minchiate_rl.game.actions import N_ACTIONS
from minchiate_rl.game.engine.jit import owning_kernel
from minchiate_rl.training import losses
from minchiate_rl.training.learner import Floats, Learner
from minchiate_rl.training.learner import Rows as Picked
from minchiate_rl.training.method import Lesson, Settings, played
from minchiate_rl.training.returns import outcomes
from minchiate_rl.training.rollout import Clock, Deal, Recorder, Rows, Samples, record
from minchiate_rl.training.table import Choices
from minchiate_rl.training.workers import Workers


@owning_kernel
def _explore(legal, draws, share, epsilon, actions):  # type: ignore[no-untyped-def]
    """Put a random legal action in the place of actions[i], modified in place, where share[i] is below epsilon."""
    ids = np.empty(N_ACTIONS, np.int64)
    for i in range(len(actions)):
        if share[i] < epsilon:
            n = legal_list(legal, i, ids)
            actions[i] = ids[min(np.int64(draws[i] * n), n - 1)]


class GreedyPlayer:
    """Plays the learner's seats by the best output but for a share of random moves."""

    def __init__(self, network: PolicyNetwork, epsilon: float) -> None:
        self.network, self.epsilon = network, epsilon

    def play(self, choices: Choices, rows: Rows, recorder: Recorder, clock: Clock) -> npt.NDArray[np.int16]:
        """Record what the learner's seats see and what is chosen, and return the actions.

        Raises:
            RunError: an output is not finite.
        """
        (place, orders), (_, mine) = record(choices, rows, recorder), rows
        arrays = recorder.arrays
        actions: npt.NDArray[np.int16] = arrays["actions"][place]  # type: ignore[assignment]
        legal: npt.NDArray[np.uint64] = arrays["legal"][place]  # type: ignore[assignment]
        clock.lap("encoding")
        values = policy_logits(self.network, arrays["tokens"][place], arrays["phases"][place], legal)  # type: ignore[arg-type]
        clock.lap("network")
        if best_actions(values, legal, actions):
            raise RunError("training diverged: the network's outputs are not finite; a smaller lr may help")
        rng = Rng(choices.words[mine])
        _explore(legal, rng.uniform(0), rng.uniform(1), self.epsilon, actions)
        return suits.own_actions(actions, orders)


class DeepMonteCarlo:
    """Self-play by the best output, each chosen output fitted to the outcome."""

    plays_itself = True

    def gather(
        self, learner: Learner, deal: Deal, outside: list[Agent], settings: Settings, workers: Workers
    ) -> Samples:
        """Play the hands of a deal by the best outputs."""
        return played(GreedyPlayer(learner.policy, settings.epsilon), deal, outside, workers)

    def lesson(self, learner: Learner, samples: Samples, step: int, settings: Settings, workers: Workers) -> Lesson:
        """Return the squared error of the chosen outputs."""
        goals = outcomes(samples.moments, samples.finals)

        def gradient(logits: Floats, rows: Picked) -> tuple[Floats, npt.NDArray[np.float64]]:
            return losses.value_gradient(logits, samples.actions[rows], goals[rows])

        return Lesson(samples, gradient, None, {"value_loss": losses.SUM_LOSS}, {"epsilon": settings.epsilon})
