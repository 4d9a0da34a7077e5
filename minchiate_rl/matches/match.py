"""A match of two agents over duplicate deals: how far one is ahead of the other, and how sure that is.

What one agent is ahead by in a hand is the mean over its seats less the mean over the other's seats: of the score
between two sides, which is the difference of the sides' scores, and of the net points where everybody plays for
himself. The value of a deal is the mean of that over all seatings.
"""

import dataclasses
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents import make
from minchiate_rl.agents.base import Agent
from minchiate_rl.game.rules import RuleSet, ruleset
from minchiate_rl.game.seats import N_SIDES
from minchiate_rl.matches.intervals import Interval, mean_interval
from minchiate_rl.matches.play import play
from minchiate_rl.matches.schedule import BLOCK, Block, Seating, blocks, seatings

Points = npt.NDArray[np.float64]

ROLES = ("dealer_side", "eldest_side")


@dataclasses.dataclass(frozen=True)
class MatchResult:
    """How two agents did against each other; every mean is a hand's, of A over B."""

    a: str
    b: str
    form: RuleSet
    seed: int
    points: Points
    """Points that A was ahead by, float64 (D, P), P playings of each deal: between two sides A on the dealer's side,
    then on the other; where everybody plays for himself in the order of `schedule.seatings`."""
    resti: Points
    """Resti that A was ahead by, likewise."""
    decisions: int
    """Decisions taken by both agents."""
    seconds: float
    """How long the match took, compiling apart."""

    @property
    def rules(self) -> str:
        """The name of the rule set."""
        return self.form.name

    @property
    def deals(self) -> int:
        """The number of deals."""
        return len(self.points)

    @property
    def hands(self) -> int:
        """The number of hands: one for each seating of each deal."""
        return self.points.size

    @cached_property
    def by_deal(self) -> npt.NDArray[np.float64]:
        """Points a hand that A is ahead by in each deal, float64 (D,): the unit of variance."""
        values: Points = self.points.mean(axis=1)
        return values

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
        return {
            "a": self.a,
            "b": self.b,
            "rules": self.rules,
            "flags": self.form.flags,
            "seed": self.seed,
            "deals": self.deals,
            "hands": self.hands,
            "mean_difference": self.mean_difference,
            "interval": self.interval,
            "resti_difference": float(resti.mean()),
            "resti_interval": mean_interval(resti),
            "win_share": {"deals": win_share(self.by_deal), "hands": win_share(self.points)},
            **self._parts(),
            "decisions": self.decisions,
            "seconds": self.seconds,
            "decisions_per_second": self.decisions_per_second,
        }

    def _parts(self) -> dict[str, Any]:
        """Return the difference by A's role between two sides, or else by the number of A's seats."""
        if not self.form.form.for_himself:
            return {role: _told(points) for role, points in zip(ROLES, self.points.T, strict=True)}
        numbers = np.array([seating.count(0) for seating in seatings(self.form)])
        by_number = {n: self.points[:, numbers == n].mean(axis=1) for n in range(1, self.form.n_seats)}
        return {"by_seats": {str(n): _told(values) for n, values in by_number.items()}}


def _told(values: Points) -> dict[str, Any]:
    return {"mean_difference": float(values.mean()), "interval": mean_interval(values)}


def win_share(values: npt.ArrayLike) -> float:
    """Return the share of the entries above zero, those at zero counting half."""
    return float((np.sign(values).mean() + 1.0) / 2.0)


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
        deals: how many deals, each played in every seating.
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
    finished, seconds = in_blocks(partial(_play_block, pair, form, seed), todo, threads, progress)
    points, resti, decisions = zip(*finished, strict=True)
    names = [agent.name for agent in pair]
    return MatchResult(
        names[0], names[1], form, seed, np.concatenate(points), np.concatenate(resti), sum(decisions), seconds
    )


def in_blocks(
    play_block: Callable[[Block], Any],
    todo: Sequence[Block],
    threads: int,
    progress: Callable[[int], None] | None,
) -> tuple[list[Any], float]:
    """Play blocks of deals, some at a time; return what came of each, and the seconds that it took."""
    play_block(Block(0, 1))  # compiles what is not compiled yet, before the clock starts
    start = time.perf_counter()
    finished = []
    with ThreadPoolExecutor(max(1, threads)) as pool:
        for block, outcome in zip(todo, pool.map(play_block, todo), strict=True):
            finished.append(outcome)
            if progress is not None:
                progress(block.size)
    return finished, time.perf_counter() - start


def _play_block(pair: list[Agent], rules: RuleSet, seed: int, block: Block) -> tuple[Points, Points, int]:
    """Play some deals in every seating; return points and resti of A over B (D, P), and the decisions taken."""
    points, resti, decisions = [], [], 0
    start = block.deal(rules, seed)
    for seating in seatings(rules):
        batch = start.copy()
        play(batch, pair, seating)
        points.append(ahead(batch.net if rules.form.for_himself else batch.score, seating))
        resti.append(ahead(batch.resti, seating))
        decisions += int(batch.decision.sum())
    found = np.array([points, resti])
    if not rules.form.for_himself:
        # By A's role: in playing p it sits on side p.
        dealer_side = block.dealers(rules) % N_SIDES
        order = np.array([dealer_side, 1 - dealer_side])
        found = np.take_along_axis(found, order[None], axis=1)
    return found[0].T, found[1].T, decisions


def ahead(by_side: npt.NDArray[np.int32], seating: Seating) -> Points:
    """Return how far agent 0 is ahead: the mean over its seats less the mean over the others', float64 (D,).

    Args:
        by_side: int (D, sides), what each side has.
        seating: which agent sits at each seat.
    """
    by_seat = by_side[:, np.arange(len(seating)) % by_side.shape[1]]
    own = np.array(seating) == 0
    difference: Points = by_seat[:, own].mean(axis=1) - by_seat[:, ~own].mean(axis=1)
    return difference
