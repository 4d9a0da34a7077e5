"""A tournament: all pairs of some agents on the same duplicate deals, and each one's mean against the field."""

import dataclasses
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents import make
from minchiate_rl.agents.cheater import sees_the_deal
from minchiate_rl.errors import AgentError
from minchiate_rl.game.rules import RuleSet, ruleset
from minchiate_rl.matches.intervals import Interval, mean_interval
from minchiate_rl.matches.match import MatchResult, play_match


@dataclasses.dataclass(frozen=True)
class Standing:
    """One agent against all the others."""

    agent: str
    mean_difference: float
    """Points a hand that its side is ahead by, every opponent counting the same."""
    interval: Interval | None
    """Its 95% interval by deals; None for a single deal."""
    resti_difference: float
    """Resti a hand likewise."""


@dataclasses.dataclass(frozen=True)
class Tournament:
    """The matches of all pairs; every one on the same deals, so that differences between rows are paired."""

    agents: list[str]
    rules: str
    seed: int
    matches: dict[tuple[int, int], MatchResult]
    """The match of agents i and j, i < j."""

    def by_deal(self, i: int, j: int) -> npt.NDArray[np.float64]:
        """Return the points a hand that agent i is ahead of agent j by in each deal, float64 (D,)."""
        return self.matches[i, j].by_deal if i < j else -self.matches[j, i].by_deal

    def pair(self, i: int, j: int) -> tuple[float, Interval | None]:
        """Return the points a hand that agent i is ahead of agent j by, with the 95% interval."""
        values = self.by_deal(i, j)
        return float(values.mean()), mean_interval(values)

    def cell(self, i: int, j: int) -> str:
        """Return `pair` as the text of a table, such as `+76.2 ±5.1`; empty for an agent against itself."""
        if i == j:
            return ""
        mean, interval = self.pair(i, j)
        return f"{mean:+.1f}" if interval is None else f"{mean:+.1f} ±{(interval[1] - interval[0]) / 2:.1f}"

    def separated(self, i: int, j: int) -> bool:
        """Return whether the interval of the match of two agents leaves zero out."""
        _, interval = self.pair(i, j)
        return interval is not None and not interval[0] <= 0.0 <= interval[1]

    def standings(self) -> list[Standing]:
        """Return every agent's standing, the strongest first."""
        table = []
        for i, agent in enumerate(self.agents):
            others = [j for j in range(len(self.agents)) if j != i]
            field = np.mean([self.by_deal(i, j) for j in others], axis=0)
            resti = [self._resti(i, j) for j in others]
            table.append(Standing(agent, float(field.mean()), mean_interval(field), float(np.mean(resti))))
        return sorted(table, key=lambda standing: -standing.mean_difference)

    def _resti(self, i: int, j: int) -> float:
        match, sign = (self.matches[i, j], 1) if i < j else (self.matches[j, i], -1)
        return sign * float(match.resti.mean())

    def to_json(self) -> dict[str, Any]:
        """Return standings and matches as plain data."""
        return {
            "agents": self.agents,
            "rules": self.rules,
            "seed": self.seed,
            "standings": [dataclasses.asdict(standing) for standing in self.standings()],
            "matches": [match.to_json() for match in self.matches.values()],
        }


def play_tournament(
    agents: Sequence[str],
    deals: int,
    seed: int = 0,
    rules: RuleSet | str = "classic",
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
    allow_cheater: bool = False,
) -> Tournament:
    """Play all pairs of some agents, each on the same deals.

    Args:
        agents: two different specs or more.
        deals: how many deals, each played twice by every pair.
        seed: which deals.
        rules: the rule set, or its name.
        threads: as for `play_match`.
        progress: called with the number of deals just finished, over all pairs.
        allow_cheater: whether an agent may see the true deal.

    Raises:
        AgentError: an unknown agent, less than two, the same one twice, or one that sees the true deal unasked.
        RulesError: an unknown rule set.
        MinchiateError: less than one deal.
    """
    names = [spec.strip() for spec in agents]
    if len(names) < 2 or len(set(names)) < len(names):
        raise AgentError("a tournament takes two different agents or more, each named once")
    players, form = [make(name) for name in names], ruleset(rules)
    for player in players:
        if sees_the_deal(player) and not allow_cheater:
            raise AgentError(f"{player.name} sees the true deal: a tournament takes it with --allow-cheater alone")
    matches = {
        (i, j): play_match(players[i], players[j], deals, seed, form, threads, progress)
        for i, j in combinations(range(len(names)), 2)
    }
    return Tournament(names, form.name, seed, matches)
