"""Judging moves by playing on: each candidate is tried in sampled worlds, and the rest of the hand played out.

All candidates of a decision are tried in the same worlds with the same random words, so that what a world is worth
cancels out of their differences (common random numbers). The rows of many decisions are laid out side by side and
played on by the same kernel that plays matches.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.choice import legal_list
from minchiate_rl.agents.likelihood import Weigher
from minchiate_rl.agents.playout import Player, play_out
from minchiate_rl.agents.posterior import Chains
from minchiate_rl.agents.worlds import Words, make_world, new_workshop, open_view, world_key
from minchiate_rl.errors import AgentError
from minchiate_rl.game.actions import N_ACTIONS
from minchiate_rl.game.engine.bits import U
from minchiate_rl.game.engine.jit import kernel, owning_kernel
from minchiate_rl.game.engine.layout import LEDGER, LOG, SCORE, V_LEGAL, V_RULES, W
from minchiate_rl.game.engine.lockstep import step_slice
from minchiate_rl.game.engine.rows import copy_row
from minchiate_rl.views.view import Views

#: The most legal actions that a decision of the game minchiate has.
MAX_CANDIDATES: Final = 48

#: Rows that are played out at a time: few enough to stay in the processor's cache.
_ROWS: Final = 1024

#: Columns of `Tally.sums`.
SUM: Final = 0
SQUARES: Final = 1
TRIED: Final = 2


@owning_kernel
def list_candidates(views, ids, n):  # type: ignore[no-untyped-def]
    """Fill ids (M, MAX_CANDIDATES) with the legal actions of each view, ascending, -1 behind them, and n (M,)."""
    legal, found = np.zeros((1, 4), np.uint64), np.zeros(N_ACTIONS, np.int64)
    for j in range(views.shape[0]):
        for word in range(4):
            legal[0, word] = views[j, V_LEGAL + word]
        n[j] = legal_list(legal, 0, found)
        for k in range(ids.shape[1]):
            ids[j, k] = found[k] if k < n[j] else -1


@owning_kernel
def _draw_worlds(views, words, alive, bounds, workshop, worlds):  # type: ignore[no-untyped-def]
    """Write the worlds of the views that have two living candidates or more, view by view.

    `bounds` are the first world, one past the last, the first view, and one past the last. Return -1, or the view that
    fits no deal.
    """
    first, last, lo, hi = bounds
    n = 0
    for j in range(lo, hi):
        if _living(alive, j) < 2:
            continue
        solved, table = open_view(views, j, workshop)
        if not solved:
            return j
        seat = np.int64(views[j, V_RULES] >> U(56))
        for w in range(first, last):
            make_world(workshop, table, world_key(words[j], w), seat, worlds, n)
            n += 1
    return -1


@kernel
def _living(alive, j):  # type: ignore[no-untyped-def]
    """Return how many candidates of view j are alive."""
    n = 0
    for k in range(alive.shape[1]):
        n += alive[j, k]
    return n


@kernel
def _lay_out(views, ids, alive, bounds, worlds, stage):  # type: ignore[no-untyped-def]
    """Write a row for each living candidate in each world, from row 0 on; return the number of rows.

    `stage` holds the rows, the action of each row, its view, side and world, its candidate, and how far our side is
    ahead in it.
    """
    rows, actions, owners, candidates, before = stage
    first, last, lo, hi = bounds
    n, group = 0, 0
    for j in range(lo, hi):
        if _living(alive, j) < 2:
            continue
        seat = np.int64(views[j, V_RULES] >> U(56))
        us, them = SCORE + (seat & 1), SCORE + 1 - (seat & 1)
        for w in range(first, last):
            for k in range(ids.shape[1]):
                if alive[j, k]:
                    copy_row(worlds, group, rows, n)
                    actions[n], candidates[n] = ids[j, k], k
                    owners[n, 0], owners[n, 1], owners[n, 2] = j, seat & 1, w
                    before[n] = np.int64(rows[n, us]) - np.int64(rows[n, them])
                    n += 1
            group += 1
    return n


@kernel
def _add_up(stage, n, sums, points):  # type: ignore[no-untyped-def]
    """Add what our side has gained by the end of each of n rows to the sums of its candidate.

    `points`, float64 (M, K, worlds), takes it world by world, for as many worlds as it has room for.
    """
    rows, _, owners, candidates, before = stage
    for i in range(n):
        side = owners[i, 1]
        gain = np.float64(np.int64(rows[i, SCORE + side]) - np.int64(rows[i, SCORE + 1 - side]) - before[i])
        j, k, w = owners[i, 0], candidates[i], owners[i, 2]
        sums[j, k, SUM] += gain
        sums[j, k, SQUARES] += gain * gain
        sums[j, k, TRIED] += 1.0
        if w < points.shape[2]:
            points[j, k, w] = gain


class Tally:
    """What has been found about the candidates of M decisions."""

    def __init__(self, views: Views, words: Words, weigher: Weigher | None = None, steps: int = 1) -> None:
        """List the legal actions of views, of which each has a random word, uint64 (M,).

        With a weigher worlds come as often as the moves make them likely, `steps` steps of a chain apart (`posterior`).
        """
        self.chains = None if weigher is None else Chains(views, words, weigher, steps)
        self.words = np.ascontiguousarray(words, dtype=np.uint64)
        self.views, self._rows = views, np.ascontiguousarray(views.words)
        size = len(self._rows)
        ids, self.n = np.empty((size, MAX_CANDIDATES), np.int64), np.empty(size, np.int64)
        list_candidates(self._rows, ids, self.n)
        self.ids = np.ascontiguousarray(ids[:, : max(int(self.n.max(initial=1)), 1)])
        """int64 (M, K): the legal actions, -1 behind them."""
        self.alive: npt.NDArray[np.bool_] = (self.ids >= 0) & (self.n > 1)[:, None]
        """bool (M, K): the candidates that are still tried; none where only one action is legal."""
        self.sums = np.zeros((*self.ids.shape, 3))
        self.points = np.empty((*self.ids.shape, 0))
        """float64 (M, K, worlds): the gain of our side in each world, NaN where not tried; empty unless `remember`."""

    def remember(self, worlds: int) -> None:
        """Keep the points of the first worlds one by one, so that candidates can be compared world by world.

        Candidates are tried in the same worlds, so the error of a difference of two means is that of the mean of the
        differences, which is smaller than `errors` tell. To be called before `judge`.
        """
        self.points = np.full((*self.ids.shape, worlds), np.nan)

    def judge(self, playout: Player, first: int, last: int, threads: int = 1) -> None:
        """Try the candidates that are alive in worlds first to last - 1.

        Args:
            playout: who plays on at all seats.
            first: the number of the first world.
            last: one past the number of the last world.
            threads: how many slices of the decisions are judged at a time; the result is the same.

        Raises:
            AgentError: a view that fits no deal.
        """
        per_view = (last - first) * max(int(self.alive.sum(axis=1).max(initial=0)), 1)
        chunk = max(1, _ROWS // per_view)
        edges = list(range(0, len(self._rows), chunk))
        run = partial(self._judge_chunk, playout, (first, last), chunk)
        if threads <= 1:
            for low in edges:
                run(low)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(run, edges))

    def _judge_chunk(self, playout: Player, worlds: tuple[int, int], chunk: int, low: int) -> None:
        """Try the living candidates of the views from `low` on."""
        high = min(low + chunk, len(self._rows))
        bounds = (*worlds, low, high)
        size = (worlds[1] - worlds[0]) * max(int(self.alive[low:high].sum()), 1)
        rows = np.empty((size, W), np.uint64)
        actions, candidates = np.empty(size, np.int16), np.empty(size, np.int64)
        stage = (rows, actions, np.empty((size, 3), np.int64), candidates, np.empty(size, np.int64))
        n = _lay_out(self._rows, self.ids, self.alive, bounds, self._worlds(bounds), stage)
        log, ledger = np.zeros((size, LOG), np.uint8), np.zeros((size, LEDGER), np.uint32)
        step_slice(rows, log, ledger, self.views.rules.row, actions, 0, n)
        play_out(playout, rows, log, ledger, self.views.rules, n)
        _add_up(stage, n, self.sums, self.points)

    def _worlds(self, bounds: tuple[int, int, int, int]) -> Words:
        """Return the worlds of some views, as `_draw_worlds` has its bounds, one after another."""
        first, last, low, high = bounds
        if self.chains is not None:
            part = low + np.flatnonzero(self.alive[low:high].sum(axis=1) > 1)
            return self.chains.draw(part, last - first)
        worlds = np.empty(((high - low) * (last - first), W), np.uint64)
        view = _draw_worlds(self._rows, self.words, self.alive, bounds, new_workshop(), worlds)
        if view >= 0:
            raise AgentError(f"search: view {view} fits no deal; it is none of a running hand of these rules")
        return worlds

    @property
    def means(self) -> npt.NDArray[np.float64]:
        """The mean gain of our side in points by each candidate, float64 (M, K); 0 where nothing was tried."""
        out: npt.NDArray[np.float64] = self.sums[..., SUM] / np.maximum(self.sums[..., TRIED], 1.0)
        return out

    @property
    def errors(self) -> npt.NDArray[np.float64]:
        """The standard error of each mean, float64 (M, K); infinite where fewer than two worlds were tried."""
        tried = self.sums[..., TRIED]
        spread = np.maximum(self.sums[..., SQUARES] / np.maximum(tried, 1.0) - self.means**2, 0.0)
        out = np.full(tried.shape, np.inf)
        np.sqrt(spread / np.maximum(tried - 1.0, 1.0), out=out, where=tried > 1.0)
        return out

    def keep(self, scores: npt.NDArray[np.float64], most: int) -> None:
        """Let no more than `most` candidates of each decision live: those with the highest scores, float64 (M, K)."""
        ranked = np.where(self.alive, scores, -np.inf)
        order = np.argsort(-ranked, axis=1, kind="stable")
        drop = np.ones_like(self.alive)
        np.put_along_axis(drop, order[:, :most], False, axis=1)
        self.alive &= ~drop

    def best(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int16]:
        """Return the living action with the highest score of each decision, int16 (M,), or its only legal one."""
        ranked = np.where(self.alive, scores, -np.inf)
        alone = self.n == 1
        ranked[alone, 0] = 0.0
        chosen: npt.NDArray[np.int16] = self.ids[np.arange(len(ranked)), ranked.argmax(axis=1)].astype(np.int16)
        return chosen
