"""Expert iteration: the policy learns what search makes of its own choices.

Each choice of self-play is improved by policy-guided search in sampled worlds (agents.pimc), the improved distribution
is played from and learned by cross-entropy, and the critic learns the outcomes. What was found in the last steps stays
in a replay window. The scheme is Anthony, Tian, Barber: Thinking Fast and Slow with Deep Learning and Tree Search, 2017
(arXiv 1705.08439); the improved distribution, proportional to exp(mean / tau) times the prior to a power, is that of a
policy step regularised by the divergence from the prior (Grill et al.: Monte-Carlo Tree Search as Regularized Policy
Optimization, 2020, arXiv 2007.12509).
"""

import dataclasses
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents import suits
from minchiate_rl.agents.base import Agent, Rng
from minchiate_rl.agents.forward import CompiledPolicy
from minchiate_rl.agents.judge import TRIED
from minchiate_rl.agents.likelihood import Weigher
from minchiate_rl.agents.network import PolicyNetwork, policy_logits
from minchiate_rl.agents.pimc import PimcAgent
from minchiate_rl.training import losses, replay
from minchiate_rl.training.learner import Floats, Learner
from minchiate_rl.training.learner import Rows as Picked
from minchiate_rl.training.method import Lesson, Settings, explained
from minchiate_rl.training.replay import TOP, Memory
from minchiate_rl.training.returns import outcomes
from minchiate_rl.training.rollout import HALVES, Clock, Deal, Recorder, Rows, Samples, joined, play_part, record
from minchiate_rl.training.table import Choices
from minchiate_rl.training.tallies import N_TALLIES
from minchiate_rl.training.workers import Workers
from minchiate_rl.views.view import Views

_NAMES: Final = {
    "expert_loss": losses.SUM_LOSS,
    "entropy": losses.SUM_ENTROPY,
    "agreement": losses.SUM_CLIPPED,
}


OWN: Final = "own"
"""The policy that learns, as it is when a batch begins: who plays out, or whose moves weigh worlds."""


class _Prior:
    """The policy's log-probabilities of the choices at hand, as a guide of search."""

    def __init__(self, logits: Floats, orders: npt.NDArray[np.int8]) -> None:
        self.logits, self.orders = logits, orders

    def log_probabilities(self, views: Views, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the log-probability of the legal actions of each view, float64 (M, K); -inf behind them."""
        named = suits.ACTION_NAMES[self.orders[:, None], np.maximum(ids, 0)].astype(np.int64)
        chosen = np.take_along_axis(self.logits, named, axis=1).astype(np.float64)
        chosen[ids < 0] = -np.inf
        chosen -= chosen.max(axis=1, keepdims=True)
        out: npt.NDArray[np.float64] = chosen - np.log(np.exp(chosen).sum(axis=1, keepdims=True))
        return out


class ExpertPlayer:
    """Plays a part of the hands from improved distributions, and keeps these."""

    def __init__(self, policy: PolicyNetwork, search: "Search") -> None:
        self.policy, self.search = policy, search
        self.ids: list[npt.NDArray[np.int16]] = []
        self.chances: list[Floats] = []

    def play(self, choices: Choices, rows: Rows, recorder: Recorder, clock: Clock) -> npt.NDArray[np.int16]:
        """Search the learner's choices, keep the improved distributions, and return what is drawn from them."""
        (place, orders), (_, mine) = record(choices, rows, recorder), rows
        own: dict[str, Any] = {name: array[place] for name, array in recorder.arrays.items()}
        clock.lap("encoding")
        prior = _Prior(policy_logits(self.policy, own["tokens"], own["phases"], own["legal"]), orders)
        clock.lap("network")
        views, rng = choices.views(mine), Rng(choices.words[mine])
        ids, chances, tried = self.search.improve(views, rng, prior)
        clock.lap("search")
        drawn = _draw(chances, rng.uniform(3))
        best = np.argsort(np.where(tried, -chances, 1.0), axis=1, kind="stable")[:, :TOP]
        kept = np.take_along_axis(tried, best, axis=1) & (tried.sum(axis=1) > 1)[:, None]
        names = suits.ACTION_NAMES[orders[:, None], np.maximum(np.take_along_axis(ids, best, axis=1), 0)]
        self.ids.append(_wide(np.where(kept, names, -1).astype(np.int16), -1))
        self.chances.append(_wide(np.where(kept, np.take_along_axis(chances, best, axis=1), 0.0), 0.0))
        actions = ids[np.arange(len(ids)), drawn].astype(np.int16)
        recorder.arrays["actions"][place] = suits.renamed_actions(actions, orders)
        return actions


def _wide(array: npt.NDArray[Any], fill: float) -> npt.NDArray[Any]:
    """Return an array (M, k) with TOP columns."""
    out = np.full((len(array), TOP), fill, dtype=np.int16 if array.dtype == np.int16 else np.float32)
    out[:, : array.shape[1]] = array
    return out


def _draw(chances: npt.NDArray[np.float64], uniform: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return a column of each row drawn by its chances, float64 (M, K), int64 (M,)."""
    above = np.cumsum(chances, axis=1) > uniform[:, None] * chances.sum(axis=1, keepdims=True)
    out: npt.NDArray[np.int64] = above.argmax(axis=1)
    return out


@dataclasses.dataclass(frozen=True)
class Search:
    """How choices are improved."""

    worlds: int
    top: int
    """Moves that the policy names, at most TOP."""
    tau: float
    """Points that a factor of e in the improved distribution stands for."""
    power: float
    """The power of the prior in it."""
    playout: str | CompiledPolicy = "heuristic"
    """Who plays the hands out: a key of agents.playout.PLAYOUTS, a policy, or OWN, the policy that learns."""
    weigher: Weigher | None = None
    """By whose likely moves worlds are weighed: HEURISTIC, a policy, or OWN; None weighs all alike."""
    steps: int = 1
    """Steps from one weighed world to the next."""

    def improve(
        self, views: Views, rng: Rng, prior: Any
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """Return the legal actions int64 (M, K), the improved distribution float64 (M, K), and what was tried (M, K).

        Where fewer than two moves were tried the distribution is the prior's own.
        """
        agent = PimcAgent(
            self.worlds,
            guide=prior,
            top=self.top,
            weight=self.power * self.tau,
            playout=self.playout,
            weigher=self.weigher,
            steps=self.steps,
        )
        tally, _ = agent.search(views, rng)
        log_probs = prior.log_probabilities(views, tally.ids)
        tried = tally.sums[..., TRIED] > 0.0
        scores = np.where(tried, tally.means / self.tau + self.power * log_probs, -np.inf)
        lone = tried.sum(axis=1) < 2
        scores[lone] = log_probs[lone]
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        return tally.ids, chances / chances.sum(axis=1, keepdims=True), tried


class ExpertIteration:
    """Self-play improved by search, with a replay window."""

    plays_itself = True

    def __init__(self, search: Search, window: int) -> None:
        """Take how choices are improved, and the number of steps in the replay window, this one included."""
        self.search, self.window = search, window

    def gather(
        self, learner: Learner, deal: Deal, outside: list[Agent], settings: Settings, workers: Workers
    ) -> Samples:
        """Play the hands of a deal from improved distributions, and remember these in the learner."""
        search, own = self.search, learner.policy.compiled()
        if search.playout == OWN:
            search = dataclasses.replace(search, playout=own)
        if search.weigher == OWN:
            search = dataclasses.replace(search, weigher=own)
        players = [ExpertPlayer(learner.policy, search) for _ in range(HALVES)]
        parts = [partial(play_part, deal, part, player, outside) for part, player in enumerate(players)]
        samples = joined(workers.run(parts))
        ids = np.concatenate([array for player in players for array in player.ids])
        chances = np.concatenate([array for player in players for array in player.chances])
        kept = np.flatnonzero(ids[:, 0] >= 0)
        learner.replay.append(_memory(samples, ids, chances, kept))
        del learner.replay[: -self.window]
        return samples

    def lesson(self, learner: Learner, samples: Samples, step: int, settings: Settings, workers: Workers) -> Lesson:
        """Return the cross-entropy of the improved distributions in the replay window."""
        window = replay.joined(learner.replay)
        values = learner.values(samples.states, workers)
        goals = outcomes(samples.moments, samples.finals)

        def gradient(logits: Floats, rows: Picked) -> tuple[Floats, npt.NDArray[np.float64]]:
            targets = window.ids[rows], window.chances[rows]
            return losses.distribution_gradient(logits, window.legal[rows], *targets, settings.entropy)

        metrics: dict[str, Any] = {"replay": len(window), "searched": len(learner.replay[-1])}
        metrics["explained_variance"] = explained(goals, values)
        return Lesson(_as_samples(window), gradient, window.goals, _NAMES, metrics)


def _memory(samples: Samples, ids: npt.NDArray[np.int16], chances: Floats, kept: npt.NDArray[np.int64]) -> Memory:
    """Return what is to be remembered of some rows."""
    goals = outcomes(samples.moments, samples.finals)
    tokens, states = samples.tokens[kept], samples.states[kept]
    return Memory(
        tokens=np.ascontiguousarray(tokens[:, : max(int((tokens != 0).sum(axis=1).max(initial=1)), 1)]),
        states=np.ascontiguousarray(states[:, : max(int((states != 0).sum(axis=1).max(initial=1)), 1)]),
        legal=samples.legal[kept],
        phases=samples.phases[kept],
        ids=ids[kept],
        chances=chances[kept],
        goals=goals[kept],
    )


def _as_samples(memory: Memory) -> Samples:
    """Return memories in the form of samples, of which learning reads tokens, states, legal actions and phases."""
    size = len(memory)
    return Samples(
        tokens=memory.tokens,
        states=memory.states,
        legal=memory.legal,
        phases=memory.phases,
        actions=np.zeros(size, np.int16),
        log_probs=np.zeros(size, np.float32),
        games=np.zeros(size, np.int32),
        seats=np.zeros(size, np.int8),
        potentials=np.zeros(size),
        finals=np.zeros((1, 2)),
        tallies=np.zeros(N_TALLIES, np.int64),
    )
