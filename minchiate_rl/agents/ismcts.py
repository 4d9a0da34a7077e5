"""Information-set Monte Carlo tree search, with a single observer.

After Cowling, Powley, Whitehouse: Information Set Monte Carlo Tree Search, IEEE TCIAIG 4, 2012 (SO-ISMCTS): one tree
over what the seat to act can tell apart, a new world for every iteration, and in the tree UCB by how often a move was
available. Every seat's moves are chosen for its own side. Two things are added. What an iteration counts is what its
line ends better than the playout of the same world from the root: a control variate, which takes the luck of the world
out of the noise (Veness, Lanctot, Bowling: Variance reduction in Monte-Carlo tree search, NIPS 2011). And a guide's
log-probabilities give untried moves of the root an urgency (Gelly, Wang: Exploration exploitation in Go, 2006), where
otherwise each is tried once first.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.base import HasWords
from minchiate_rl.agents.judge import MAX_CANDIDATES, list_candidates
from minchiate_rl.agents.playout import PLAYOUTS
from minchiate_rl.agents.tree import Tree, grow, new_scratch, new_tree
from minchiate_rl.agents.worlds import check_rules, new_workshop
from minchiate_rl.errors import AgentError

if TYPE_CHECKING:
    from minchiate_rl.agents.policy import PolicyAgent
    from minchiate_rl.views.view import Views

_FLOOR: Final = 50.0
_CHUNK: Final = 32
"""Iterations between two looks at the clock."""
_MOST_NODES: Final = 1 << 16
"""Nodes of a tree that grows by the clock; when it is full, lines are played out from its edge."""


class Found(NamedTuple):
    """What the trees of M decisions say of the legal actions."""

    ids: npt.NDArray[np.int64]
    """int64 (M, K): the legal actions, ascending, -1 behind them."""
    n: npt.NDArray[np.int64]
    """int64 (M,): how many there are."""
    visits: npt.NDArray[np.int64]
    """int64 (M, K): how often each was tried; 0 where only one is legal."""
    means: npt.NDArray[np.float64]
    """float64 (M, K): points that our side gains by each over the playout of the same world; 0 where never tried."""


class IsmctsAgent:
    """Plays the move that the search tried most often.

    Args:
        iterations: iterations a decision, of two playouts each.
        ms: instead, milliseconds a decision; then the answers depend on the machine.
        explore: the weight of UCB's bonus in points.
        guide: a policy whose log-probabilities say which moves are tried first; None to try each once.
        weight: points that a unit of log-probability counts for.
        playout: who plays the hands out, a key of playout.PLAYOUTS.
        threads: threads that share a batch of decisions; the result is the same.
    """

    name = "ismcts"

    def __init__(
        self,
        iterations: int = 500,
        ms: float = 0.0,
        explore: float = 30.0,
        guide: "PolicyAgent | None" = None,
        weight: float = 4.0,
        playout: str = "heuristic",
        threads: int = 1,
    ) -> None:
        self.iterations, self.ms, self.explore, self.threads = iterations, ms, explore, threads
        self.guide, self.weight, self.playout = guide, weight, PLAYOUTS[playout]

    def act(self, views: "Views", rng: HasWords) -> npt.NDArray[np.int16]:
        """Return a legal action for each view, int16 (M,): the most tried one, of equals the better, then the lower.

        Raises:
            AgentError: rules under which no worlds are made (`worlds.check_rules`), or another game than the guide's.
        """
        found = self.search(views, rng)
        most = found.visits == found.visits.max(axis=1, keepdims=True)
        best = np.where(most & (found.ids >= 0), found.means, -np.inf).argmax(axis=1)
        chosen: npt.NDArray[np.int16] = found.ids[np.arange(len(best)), best].astype(np.int16)
        return chosen

    def search(self, views: "Views", rng: HasWords) -> Found:
        """Grow a tree for each view, and return what it says.

        Raises:
            AgentError: as `act`.
        """
        check_rules(views.rules, self.name)
        rows, words = np.ascontiguousarray(views.words), np.ascontiguousarray(rng.words, dtype=np.uint64)
        ids, n = np.empty((len(rows), MAX_CANDIDATES), np.int64), np.empty(len(rows), np.int64)
        list_candidates(rows, ids, n)
        found = Found(ids, n, np.zeros(ids.shape, np.int64), np.zeros(ids.shape))
        prior = np.zeros((len(rows), 0))
        if self.guide is not None:
            prior = self.weight * np.maximum(self.guide.log_probabilities(views, ids), -_FLOOR)
        parts = [range(first, len(rows), self.threads) for first in range(self.threads)]
        run = partial(self._search_part, (rows, words, prior, views.rules.row), found)
        if self.threads == 1:
            run(parts[0])
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(run, parts))
        return found

    def _search_part(self, what: tuple[Any, Any, Any, Any], found: Found, part: range) -> None:
        """Grow the trees of some views, one after another, and write down what they say."""
        rows, words, prior, rule = what
        capacity = (_MOST_NODES if self.ms > 0.0 else self.iterations) + 1
        tree, scratch, workshop = new_tree(capacity), new_scratch(self.playout), new_workshop()
        for j in part:
            if found.n[j] < 2:
                continue
            tree.reset()
            first, last, end = 0, _CHUNK if self.ms > 0.0 else self.iterations, time.perf_counter() + self.ms / 1000.0
            while True:
                span = (float(self.explore), first, last)
                if not grow(rows, j, words[j], prior[j], tree, scratch, workshop, rule, *span):
                    raise AgentError(f"{self.name}: view {j} fits no deal; it is none of a running hand of these rules")
                if self.ms <= 0.0 or time.perf_counter() >= end:
                    break
                first, last = last, last + _CHUNK
            _read(tree, j, found)


def _read(tree: Tree, j: int, found: Found) -> None:
    """Write down what a tree says of the legal actions of view j."""
    child = int(tree.first[0])
    while child >= 0:
        k = int(np.searchsorted(found.ids[j, : found.n[j]], tree.action[child]))
        found.visits[j, k], found.means[j, k] = tree.visits[child], tree.sums[child] / tree.visits[child]
        child = int(tree.sibling[child])
