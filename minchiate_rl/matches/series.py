"""Matches in the formats of the table: girata, girone, and the game of Piedicavallo (docs/rules.md, 6 and 10.5).

A match of several hands is played in every seating, like a single deal: in a girata and in a game each agent has one
side and then the other; in a girone, where partners change, each has two of the four players in all six ways. What is
counted is resti per player, beside points, and who wins: the player with the most resti, ties shared, or the side with
the most points. The match is the unit of variance. Hand k of match m is hand m + 2^32 k of the seed.
"""

import dataclasses
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents import make
from minchiate_rl.agents.base import Agent
from minchiate_rl.errors import MinchiateError
from minchiate_rl.game.girone import Sitting, Standing, schedule
from minchiate_rl.game.piedicavallo import match as piedicavallo
from minchiate_rl.game.rules import RuleSet, ruleset
from minchiate_rl.game.seats import N_SEATS
from minchiate_rl.matches.intervals import Interval, mean_interval
from minchiate_rl.matches.match import Points, in_blocks
from minchiate_rl.matches.play import play
from minchiate_rl.matches.schedule import BLOCK, Block, Seating, blocks, seatings
from minchiate_rl.views.batch import Batch

GAME: Final = "game"
#: What `play_series` plays; a single hand is a matter of `match.play_match`.
FORMATS: Final = ("girata", "girone", GAME)

_HAND_BITS: Final = 32


@dataclasses.dataclass(frozen=True)
class SeriesResult:
    """How two agents did against each other in matches of several hands, A over B."""

    a: str
    b: str
    form: RuleSet
    format: str
    """One of FORMATS."""
    seed: int
    points: Points
    """Points a hand that A's players were ahead by, float64 (M,), a match each, the mean over its seatings."""
    resti: Points
    """Resti that a player of A has won in the match less those that he has lost, float64 (M,), likewise."""
    won: Points
    """A's share of the match, 0 to 1, float64 (M,), likewise."""
    hands: int
    """Hands played, all seatings counted."""
    decisions: int
    seconds: float
    """How long it took, compiling apart."""

    @property
    def matches(self) -> int:
        """The number of matches."""
        return len(self.points)

    @property
    def interval(self) -> Interval | None:
        """The 95% interval of the mean of `points`; None for a single match."""
        return mean_interval(self.points)

    @property
    def decisions_per_second(self) -> float:
        """Decisions a second, of both agents together."""
        return self.decisions / self.seconds if self.seconds > 0.0 else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return what was found as plain data."""
        found: dict[str, Any] = {
            "a": self.a,
            "b": self.b,
            "rules": self.form.name,
            "flags": self.form.flags,
            "format": self.format,
            "seed": self.seed,
            "matches": self.matches,
            "hands": self.hands,
            "mean_difference": float(self.points.mean()),
            "interval": self.interval,
        }
        if self.form.form.counts_resti:
            found |= {"resti_per_player": float(self.resti.mean()), "resti_interval": mean_interval(self.resti)}
        return found | {
            "matches_won": float(self.won.mean()),
            "matches_won_interval": mean_interval(self.won),
            "decisions": self.decisions,
            "seconds": self.seconds,
            "decisions_per_second": self.decisions_per_second,
        }


def play_series(
    agents: tuple[str | Agent, str | Agent],
    format: str,
    matches: int,
    seed: int = 0,
    rules: RuleSet | str = "classic",
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> SeriesResult:
    """Play matches of several hands between two agents, each match in every seating.

    Args:
        agents: the two agents, or their specs.
        format: "girata": four hands with the same partners; "girone": three girate, one for each pairing; "game": the
            four deals and more of Piedicavallo.
        matches: how many matches.
        seed: which deals.
        rules: the rule set, or its name; a girata's bonus is a switch of it.
        threads: how many blocks of matches are played at a time; the result is the same.
        progress: called with the number of matches just finished.

    Raises:
        AgentError: an unknown agent.
        RulesError: an unknown rule set.
        MinchiateError: less than one match, or a format that the game does not have.
    """
    pair = [make(agent) if isinstance(agent, str) else agent for agent in agents]
    form = ruleset(rules)
    allowed = formats_of(form)
    if format not in allowed:
        raise MinchiateError(
            f"the rule set {form.name} has no format {format!r}; allowed: {', '.join(('hand', *allowed))}"
        )
    play_block = _play_games if format == GAME else partial(_play_girate, format)
    finished, seconds = in_blocks(
        partial(play_block, pair, form, seed), list(blocks(matches, BLOCK)), threads, progress
    )
    values, hands, decisions = zip(*finished, strict=True)
    points, resti, won = np.concatenate(values, axis=1)
    names = [agent.name for agent in pair]
    return SeriesResult(names[0], names[1], form, format, seed, points, resti, won, sum(hands), sum(decisions), seconds)


def formats_of(rules: RuleSet) -> tuple[str, ...]:
    """Return the formats, beside the single hand, that a rule set has."""
    if rules.game == "piedicavallo":
        return (GAME,)
    form = rules.form
    return FORMATS[:2] if form.n_seats == N_SEATS and form.accounts == "sides" and form.counts_resti else ()


Outcome = tuple[npt.NDArray[np.float64], int, int]
"""Points, resti and share won (3, M), then the hands played and the decisions taken."""


def _assignments(format: str) -> list[Seating]:
    """Return which agent each player is, in every seating: partners in a girata, any two players in a girone."""
    if format == "girata":
        return [(0, 1, 0, 1), (1, 0, 1, 0)]
    pairs = combinations(range(N_SEATS), 2)
    return [tuple(int(player not in pair) for player in range(N_SEATS)) for pair in pairs]


def _play_girate(format: str, pair: list[Agent], rules: RuleSet, seed: int, block: Block) -> Outcome:
    """Play some girate or gironi in every seating; player p of a match sits at seat p in its first girata."""
    firsts = block.dealers(rules)
    plans = [schedule(format, first) for first in range(N_SEATS)]
    totals, decisions = np.zeros((3, block.size)), 0
    assignments = _assignments(format)
    for assignment in assignments:
        standings = [Standing(rules.girata_bonus) for _ in firsts]
        points = np.zeros((block.size, N_SEATS))
        for hand in range(len(plans[0])):
            sittings = [plans[first][hand] for first in firsts]
            batch = _deal(rules, seed, block, hand, [sitting.dealer for sitting in sittings])
            batch.tell_match(
                [sitting.by_seat(standing.resti) for sitting, standing in zip(sittings, standings, strict=True)],
                np.full(block.size, hand),
                len(plans[0]),
            )
            play(batch, pair, np.array(assignment)[np.array([sitting.players for sitting in sittings])])
            _enter(batch, sittings, standings, points)
            decisions += int(batch.decision.sum())
        own = np.array(assignment) == 0
        resti = np.array([standing.resti for standing in standings])
        best = resti == resti.max(axis=1, keepdims=True)
        totals[0] += points[:, own].mean(axis=1) / len(plans[0])
        totals[1] += resti[:, own].mean(axis=1)
        totals[2] += best[:, own].sum(axis=1) / best.sum(axis=1)
    return totals / len(assignments), block.size * len(plans[0]) * len(assignments), decisions


def _deal(rules: RuleSet, seed: int, block: Block, hand: int, dealers: npt.ArrayLike) -> Batch:
    """Return one hand of every match of a block, ready to be played."""
    return Batch(rules, block.size, seed=seed, first_hand=(hand << _HAND_BITS) + block.first, dealers=dealers)


def _enter(batch: Batch, sittings: list[Sitting], standings: list[Standing], points: Points) -> None:
    """Enter a finished hand into the standings and into the points of each player (M, 4), modified in place."""
    resti, net = batch.resti.tolist(), batch.net
    for i, (sitting, standing) in enumerate(zip(sittings, standings, strict=True)):
        standing.add(sitting, resti[i])
        for seat, player in enumerate(sitting.players):
            points[i, player] += net[i, seat % 2]


def _play_games(pair: list[Agent], rules: RuleSet, seed: int, block: Block) -> Outcome:
    """Play some games of Piedicavallo both ways; deals that a game does not need are played and not counted."""
    firsts = block.dealers(rules).tolist()
    totals, hands, decisions = np.zeros((3, block.size)), 0, 0
    for seating in seatings(rules):
        scores: list[list[list[int]]] = [[] for _ in firsts]
        for deal in range(piedicavallo.N_DEALS):
            dealers = [piedicavallo.dealer_of(first, deal) for first in firsts]
            batch = _deal(rules, seed, block, deal, dealers)
            going = [not piedicavallo.is_over(game) for game in scores]
            decisions += _add_deal(batch, pair, seating, scores, going)
        for i, game in enumerate(scores):
            while not piedicavallo.is_over(game):
                dealer = piedicavallo.dealer_of(firsts[i], len(game))
                batch = _deal(rules, seed, Block(block.first + i, 1), len(game), [dealer])
                decisions += _add_deal(batch, pair, seating, [game], [True])
        side = seating[0]
        for i, game in enumerate(scores):
            points = np.array(game)
            totals[0, i] += float((points[:, side] - points[:, 1 - side]).mean())
            totals[2, i] += piedicavallo.winner_of(game) == side
            hands += len(game)
    return totals / 2, hands, decisions


def _add_deal(
    batch: Batch, pair: list[Agent], seating: Seating, scores: list[list[list[int]]], going: list[bool]
) -> int:
    """Play a deal of some games and enter its score where the game goes on; return the decisions taken."""
    play(batch, pair, seating)
    for game, score, counts in zip(scores, batch.score.tolist(), going, strict=True):
        if counts:
            game.append(score)
    return int(batch.decision[np.array(going)].sum())
