"""Perfect-information Monte Carlo, alone and guided by a policy.

PIMC (Levy: The Million Pound Bridge Program, 1989; Ginsberg: GIB, JAIR 14, 2001) tries every legal move in sampled
worlds and plays the one with the highest mean. Guided, only the policy's leading moves are tried, and a move's score is
its mean plus `weight` points times its log-probability: as a prior, the policy settles what the worlds leave open
(after Rosin: Multi-armed bandits with episode context, 2011). The worlds are spent by successive halving (Karnin,
Koren, Somekh: Almost optimal exploration in multi-armed bandits, 2013): after each round the better half of the
candidates goes on.
"""

import time
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.base import HasWords
from minchiate_rl.agents.judge import Tally
from minchiate_rl.agents.likelihood import Weigher
from minchiate_rl.agents.playout import PLAYOUTS, Player
from minchiate_rl.agents.worlds import check_rules

if TYPE_CHECKING:
    from minchiate_rl.views.view import Views

_LEAST: Final = -6.0
"""Log-probability below which a move is no candidate."""
_FLOOR: Final = 50.0
_CHUNK: Final = 8
"""Worlds between two looks at the clock."""


class Guide(Protocol):
    """Who names the candidates: a trained policy."""

    def log_probabilities(self, views: "Views", ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the log-probability of the legal actions of each view, float64 (M, K); -inf where the id is -1."""
        ...


class PimcAgent:
    """Plays the move that does best in sampled worlds.

    Args:
        worlds: worlds a decision.
        ms: instead, milliseconds a decision; then the answers depend on the machine.
        guide: a policy that names the candidates and settles close calls; None to try every legal move.
        top: how many candidates the guide names.
        weight: points that a unit of log-probability counts for.
        playout: who plays the hands out, a key of PLAYOUTS, a policy, or a finisher.
        weigher: by whose likely moves worlds are weighed, HEURISTIC or a policy (agents.likelihood); None weighs all
            alike.
        steps: steps of a chain from one world to the next then (agents.posterior).
        threads: threads that share a batch of decisions; the result is the same.
    """

    name = "pimc"

    def __init__(
        self,
        worlds: int = 30,
        ms: float = 0.0,
        guide: Guide | None = None,
        top: int = 4,
        weight: float = 4.0,
        playout: str | Player = "heuristic",
        weigher: Weigher | None = None,
        steps: int = 20,
        threads: int = 1,
    ) -> None:
        self.worlds, self.ms, self.guide, self.top, self.weight = worlds, ms, guide, top, weight
        self.playout: Player = PLAYOUTS[playout] if isinstance(playout, str) else playout
        self.weigher, self.steps, self.threads = weigher, steps, threads

    def act(self, views: "Views", rng: HasWords) -> npt.NDArray[np.int16]:
        """Return a legal action for each view, int16 (M,).

        Raises:
            AgentError: rules under which no worlds are made (`worlds.check_rules`), or another game than the guide's.
        """
        tally, prior = self.search(views, rng)
        return tally.best(tally.means + prior)

    def search(self, views: "Views", rng: HasWords) -> tuple[Tally, npt.NDArray[np.float64]]:
        """Return what the worlds say of the candidates, and what the guide adds to it in points, float64 (M, K).

        Raises:
            AgentError: as `act`.
        """
        check_rules(views.rules, self.name)
        tally = Tally(views, rng.words, self.weigher, self.steps)
        prior = np.zeros(tally.ids.shape)
        if self.guide is not None:
            log_probs = self.guide.log_probabilities(views, tally.ids)
            prior = self.weight * np.maximum(log_probs, -_FLOOR)
            tally.alive &= log_probs > np.minimum(_LEAST, log_probs.max(axis=1, keepdims=True) - 1e-9)
            tally.keep(log_probs, self.top)
        if self.ms > 0.0:
            self._by_clock(tally)
        elif self.guide is None:
            tally.judge(self.playout, 0, self.worlds, self.threads)
        else:
            self._halving(tally, prior)
        return tally, prior

    def _by_clock(self, tally: Tally) -> None:
        """Go on to further worlds until the time of all decisions is up."""
        end = time.perf_counter() + self.ms / 1000.0 * max(int((tally.n > 1).sum()), 1)
        first = 0
        while first == 0 or time.perf_counter() < end:
            tally.judge(self.playout, first, first + _CHUNK, self.threads)
            first += _CHUNK

    def _halving(self, tally: Tally, prior: npt.NDArray[np.float64]) -> None:
        """Spend the worlds in rounds, the better half of the candidates going on after each."""
        most = self.top
        rounds = max(1, (most - 1).bit_length())
        first = 0
        for k in range(rounds):
            last = self.worlds * (k + 1) // rounds
            tally.judge(self.playout, first, last, self.threads)
            first = last
            if k < rounds - 1:
                most = (most + 1) // 2
                tally.keep(tally.means + prior, max(most, 2))
