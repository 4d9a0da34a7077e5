"""A match of two agents over duplicate deals: how far one is ahead of the other, and how sure that is."""

import dataclasses
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents import make
from minchiate_rl.agents.base import Agent
from minchiate_rl.game.rules import RuleSet, ruleset
from minchiate_rl.matches.intervals import Interval, mean_interval
from minchiate_rl.matches.play import play
from minchiate_rl.matches.schedule import BLOCK, SEATINGS, Block, blocks

Points = npt.NDArray[np.int32]


@dataclasses.dataclass(frozen=True)
class MatchResult:
    """How two agents did against each other; every mean is a hand's, of A over B."""

    a: str
    b: str
    rules: str
    seed: int
    points: Points
    """Points that A's side was ahead by, int32 (D, 2): in each deal on the dealer's side, and on the eldest's."""
    resti: Points
    """Resti that A's side was ahead by, likewise."""
    decisions: int
    """Decisions taken by both agents."""
    seconds: float
    """How long the match took, compiling apart."""

    @property
    def deals(self) -> int:
        """The number of deals."""
        return len(self.points)

    @property
    def hands(self) -> int:
        """The number of hands: two a deal."""
        return self.points.size

    @cached_property
    def by_deal(self) -> npt.NDArray[np.float64]:
        """Points a hand that A is ahead by in each deal, float64 (D,): the unit of variance."""
        ahead: npt.NDArray[np.float64] = self.points.mean(axis=1)
        return ahead

    @property
    def mean_difference(self) -> float:
        """Points a hand that A is ahead by."""
        return float(self.by_deal.mean())

    @cached_property
    def interval(self) -> Interval | None:
        """The 95% interval of `mean_difference`; None for a single deal."""
        return mean_interval(self.by_deal)

    @property
    def decisions_per_second(self) -> float:
        """Decisions a second, of both agents together."""
        return self.decisions / self.seconds if self.seconds > 0.0 else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return what was found as plain data."""
        resti = self.resti.mean(axis=1)
        roles = {
            name: {"mean_difference": float(points.mean()), "interval": mean_interval(points)}
            for name, points in zip(("dealer_side", "eldest_side"), self.points.T, strict=True)
        }
        return {
            "a": self.a,
            "b": self.b,
            "rules": self.rules,
            "seed": self.seed,
            "deals": self.deals,
            "hands": self.hands,
            "mean_difference": self.mean_difference,
            "interval": self.interval,
            "resti_difference": float(resti.mean()),
            "resti_interval": mean_interval(resti),
            "win_share": {"deals": win_share(self.by_deal), "hands": win_share(self.points)},
            **roles,
            "decisions": self.decisions,
            "seconds": self.seconds,
            "decisions_per_second": self.decisions_per_second,
        }


def win_share(ahead: npt.ArrayLike) -> float:
    """Return the share of the entries above zero, those at zero counting half."""
    return float((np.sign(ahead).mean() + 1.0) / 2.0)


def play_match(
    a: str | Agent,
    b: str | Agent,
    deals: int,
    seed: int = 0,
    rules: RuleSet | str = "classic",
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> MatchResult:
    """Play a duplicate match of two agents.

    Args:
        a: an agent, or its spec.
        b: likewise.
        deals: how many deals, each played twice.
        seed: which deals.
        rules: the rule set, or its name.
        threads: how many blocks of deals are played at a time; the result is the same.
        progress: called with the number of deals just finished.

    Raises:
        AgentError: an unknown agent.
        RulesError: an unknown rule set.
        MinchiateError: less than one deal.
    """
    pair = [make(agent) if isinstance(agent, str) else agent for agent in (a, b)]
    form = ruleset(rules)
    todo = list(blocks(deals, BLOCK))
    _play_block(pair, form, seed, Block(0, 1))  # compiles what is not compiled yet, before the clock starts
    start = time.perf_counter()
    finished = []
    with ThreadPoolExecutor(max(1, threads)) as pool:
        for block, outcome in zip(todo, pool.map(partial(_play_block, pair, form, seed), todo), strict=True):
            finished.append(outcome)
            if progress is not None:
                progress(block.size)
    seconds = time.perf_counter() - start
    points, resti, decisions = zip(*finished, strict=True)
    names = [agent.name for agent in pair]
    return MatchResult(
        names[0], names[1], form.name, seed, np.concatenate(points), np.concatenate(resti), sum(decisions), seconds
    )


def _play_block(pair: list[Agent], rules: RuleSet, seed: int, block: Block) -> tuple[Points, Points, int]:
    """Play some deals both ways; return points and resti of A over B (D, 2), by A's role, and the decisions taken."""
    points, resti = np.empty((block.size, 2), dtype=np.int32), np.empty((block.size, 2), dtype=np.int32)
    decisions = 0
    deals = np.arange(block.size)
    for playing, seating in enumerate(SEATINGS):
        batch = block.deal(rules, seed)
        play(batch, pair, seating)
        role = (block.dealer_side() != playing).astype(np.intp)  # A sits on side `playing`
        points[deals, role] = batch.score[:, playing] - batch.score[:, 1 - playing]
        resti[deals, role] = batch.resti[:, playing] - batch.resti[:, 1 - playing]
        decisions += int(batch.decision.sum())
    return points, resti, decisions
