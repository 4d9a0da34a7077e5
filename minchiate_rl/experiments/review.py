"""A hand looked at again: what each decision gave up, as far as its player could know, and what the result was made of.

A decision is judged by search: the moves are tried in worlds that fit the view of the seat, all in the same worlds, and
the hand is played out. The best of several noisy means is too high, so the worlds are split: the first half chooses the
move to compare with, the second half measures how far it is ahead of the move played. Nothing but the view goes into
it. What the result was made of is measured in the true deal, and apart (luck.py).
"""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents import make
from minchiate_rl.agents.base import Rng
from minchiate_rl.agents.fused import HEURISTIC, RANDOM
from minchiate_rl.agents.judge import Tally
from minchiate_rl.agents.playout import PLAYOUTS, Player
from minchiate_rl.agents.registry import playout_player
from minchiate_rl.agents.worlds import check_rules
from minchiate_rl.errors import AgentError, MinchiateError, RecordError
from minchiate_rl.experiments.luck import gains, values
from minchiate_rl.game.actions import DONE, action_name
from minchiate_rl.game.record import Decision, numbered_records, replay_all, verify
from minchiate_rl.game.record_format import rules_of
from minchiate_rl.game.seats import N_SEATS, N_SIDES, Phase
from minchiate_rl.matches.intervals import Interval, mean_interval
from minchiate_rl.views.batch import Batch

GUIDED: Final = 5
"""How many moves of its own a guide has tried; the move played is tried in any case."""
MIN_WORLDS: Final = 4
MAX_WORLDS: Final = 10_000

_AT_ONCE: Final = 32

Bools = npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True)
class Judgement:
    """A decision, and what it gave up."""

    action: int
    """The number of the recorded action taken here, or of the one before which no more was declared."""
    seat: int
    phase: str
    """`discard`, `declare`, `play` or `pick`."""
    trick: int
    """The number of the trick from 1; 0 before the play."""
    played: str
    better: str
    """The best move in the first half of the worlds; the move played where none was better."""
    given_up: float
    """Points that the better move is ahead of the move played in the second half of the worlds; 0 if it is the same."""
    interval: Interval
    """The 95% interval of that difference, by worlds."""
    candidates: int
    """How many moves were tried."""


@dataclasses.dataclass(frozen=True)
class HandReview:
    """One hand."""

    line: int
    """The line of the file that the record stands on; 0 if it is from no file."""
    hand: int
    players: list[str]
    par: float
    """Points that side 0 would be ahead if the judge had played all seats."""
    result: int
    """Points that side 0 was ahead."""
    gains: list[float]
    """What the decisions of each seat won its own side over par in this deal, in points."""
    decisions: list[Judgement]
    """Those with more than one legal action, in order."""

    def split(self, seat: int) -> dict[str, float]:
        """Return what a seat's result was made of, in points of its side: the four parts add up to `result`."""
        sign = 1 if seat % N_SIDES == 0 else -1
        others = sum(gain for s, gain in enumerate(self.gains) if (s - seat) % N_SIDES)
        return {
            "luck": sign * self.par + 0.0,
            "own": self.gains[seat],
            "partner": self.gains[(seat + 2) % N_SEATS],
            "opponents": 0.0 - others,
            "result": float(sign * self.result),
        }

    def to_json(self, seat: int) -> dict[str, Any]:
        """Return the hand as plain data, its split from a seat's point of view."""
        own = {"line": self.line, "hand": self.hand, "players": self.players}
        decisions = [dataclasses.asdict(judgement) for judgement in self.decisions]
        return own | self.split(seat) | {"gains": self.gains, "decisions": decisions}


@dataclasses.dataclass(frozen=True)
class SeatSum:
    """All decisions of a seat."""

    seat: int
    decisions: int
    clear_errors: int
    """Decisions whose interval lies above zero."""
    given_up: float
    """Points given up a hand; a decision that was measured below zero counts as zero."""
    net: float
    """The same with every decision as it was measured."""


def blunders(hands: Sequence[HandReview], most: int) -> list[tuple[HandReview, Judgement]]:
    """Return the decisions that gave up most, the worst first; those measured at zero or below are left out."""
    found = [(hand, judgement) for hand in hands for judgement in hand.decisions if judgement.given_up > 0.0]
    return sorted(found, key=lambda pair: -pair[1].given_up)[:most]


def by_seat(hands: Sequence[HandReview]) -> list[SeatSum]:
    """Return the sums of each seat with a decision that was judged."""
    out = []
    for seat in range(N_SEATS):
        own = [judgement for hand in hands for judgement in hand.decisions if judgement.seat == seat]
        lost = np.array([judgement.given_up for judgement in own])
        wrong = sum(judgement.interval[0] > 0.0 for judgement in own)
        if own:
            given_up, net = float(np.maximum(lost, 0.0).sum()), float(lost.sum())
            out.append(SeatSum(seat, len(own), wrong, given_up / len(hands), net / len(hands)))
    return out


class Reviewer:
    """Judges the decisions of records.

    Args:
        agent: the judge. A rule player has every legal move tried, and plays the hands out; a trained policy names the
            moves worth trying, and the heuristic plays them out. Par is the judge's own play at all seats.
        worlds: worlds a decision, 4 to 10,000; half of them choose, half of them measure.
        seed: which worlds.
        threads: threads that judge; the result is the same.
        playout: who plays the worlds out instead: heuristic, greedy, random, or the spec of a trained policy.

    Raises:
        AgentError: an unknown agent, or one that can be no judge, or that cannot play worlds out.
        MinchiateError: too few worlds or too many.
    """

    def __init__(
        self, agent: str = "heuristic", worlds: int = 200, seed: int = 0, threads: int = 1, playout: str = ""
    ) -> None:
        self.agent = make(agent)
        code = getattr(self.agent, "code", RANDOM)
        self._guide: Any = self.agent if hasattr(self.agent, "log_probabilities") else None
        if self._guide is None and code <= RANDOM:
            raise AgentError(f"{agent} can be no judge; allowed: heuristic, greedy, policy:PATH or zoo:NAME")
        if not MIN_WORLDS <= worlds <= MAX_WORLDS:
            raise MinchiateError(f"a review takes {MIN_WORLDS} to {MAX_WORLDS} worlds a decision, not {worlds}")
        self._playout: Player = HEURISTIC if self._guide is not None else code
        if playout:
            player = playout_player("review", playout)
            self._playout = PLAYOUTS[player] if isinstance(player, str) else player
        self.worlds, self.seed, self.threads = worlds, seed, threads

    def review(self, record: dict[str, Any], seat: int | None = None, line: int = 0) -> HandReview:
        """Return what a record's decisions gave up, and what its result was made of.

        Args:
            record: a whole record of the game minchiate.
            seat: judge the decisions of this seat alone; all if None.
            line: the line that it stands on.

        Raises:
            RecordError: the record is malformed or does not replay.
            AgentError: rules under which no worlds are made (`agents.worlds.check_rules`).
        """
        check_rules(rules_of(record), "review")
        faults = verify(record, Batch)
        if faults:
            raise RecordError(faults[0])
        decisions, positions = replay_all(record, Batch)
        seats = np.array([decision.seat for decision in decisions], dtype=np.int64)
        where = positions.legal_mask().sum(axis=1) > 1
        if seat is not None:
            where &= positions.seat == seat
        found = values(positions, self.agent)
        return HandReview(
            line,
            record["hand"],
            list(record["players"]),
            float(found[0]),
            int(found[-1]),
            gains(found, seats).tolist(),
            self.judge(positions, where, decisions, record["hand"]) if where.any() else [],
        )

    def judge(self, positions: Batch, where: Bools, decisions: list[Decision], hand: int) -> list[Judgement]:
        """Return what the decisions of a hand gave up, judged by the views of the seats to act.

        Args:
            positions: the positions before each of N decisions, and more behind them.
            where: bool (B,), the decisions to judge; each has two legal actions or more.
            decisions: what was decided, N of them.
            hand: the number of the hand, which keys the worlds.

        Raises:
            AgentError: a view that fits no deal.
        """
        places = np.flatnonzero(where)
        tally = self._tried(positions, where, hand)
        each = np.arange(len(places))
        actions = np.array([decisions[k].action for k in places])
        played = (tally.ids == actions[:, None]).argmax(axis=1)
        tally.alive[each, played] = True
        for first in range(0, self.worlds, _AT_ONCE):
            tally.judge(self._playout, first, min(first + _AT_ONCE, self.worlds), self.threads)
        half = self.worlds // 2
        means = np.where(tally.alive, tally.points[..., :half].mean(axis=2), -np.inf)
        best = means.argmax(axis=1)
        best = np.where(means[each, best] > means[each, played], best, played)
        ahead = tally.points[each, best, half:] - tally.points[each, played, half:]
        phases, tricks = positions.phase, positions.trick
        out = []
        for j, k in enumerate(map(int, places)):
            phase = Phase(int(phases[k]))
            out.append(
                Judgement(
                    decisions[k].place,
                    decisions[k].seat,
                    phase.name.lower(),
                    int(tricks[k]) + 1 if phase in {Phase.PLAY, Phase.PICK} else 0,
                    told(phase, int(actions[j])),
                    told(phase, int(tally.ids[j, best[j]])),
                    float(ahead[j].mean()),
                    cast(Interval, mean_interval(ahead[j])),
                    int(tally.alive[j].sum()),
                )
            )
        return out

    def _tried(self, positions: Batch, where: Bools, hand: int) -> Tally:
        """Return a tally of the moves worth trying; its worlds depend on seed, hand number and decision alone."""
        views = positions.views(where)
        key = Rng(Rng(np.array([self.seed], dtype=np.uint64)).draw(hand))
        tally = Tally(views, np.concatenate([key.draw(int(k)) for k in np.flatnonzero(where)]))
        if self._guide is not None:
            tally.keep(self._guide.log_probabilities(views, tally.ids), GUIDED)
        tally.remember(self.worlds)
        return tally


def told(phase: Phase, action: int) -> str:
    """Return a move as text: a card that is played by its code alone."""
    name = action_name(action)
    if phase == Phase.DECLARE:
        return "declare no more" if action == DONE else f"declare {name}"
    return f"{phase.name.lower()} {name}" if phase in {Phase.DISCARD, Phase.PICK} else name


def records_to_review(path: str | Path, hand: int | None = None) -> list[tuple[int, dict[str, Any]]]:
    """Return the records of a file that can be reviewed, with their lines.

    Args:
        path: the file.
        hand: the records with this hand number alone; all if None.

    Raises:
        RecordError: the file cannot be read, holds none, or holds one that is malformed or of another game; what is
            wrong with a record is told with its line.
    """
    chosen = []
    for line, record in numbered_records(path):
        try:
            check_rules(rules_of(record), "review")
        except AgentError as error:
            raise RecordError(f"{path}:{line}: {error}") from None
        if hand is None or record["hand"] == hand:
            chosen.append((line, record))
    if not chosen:
        raise RecordError(f"{path}: {'no records' if hand is None else f'there is no hand {hand}'}")
    return chosen


def review_records(
    path: str | Path,
    records: Sequence[tuple[int, dict[str, Any]]],
    reviewer: Reviewer,
    seat: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[HandReview]:
    """Return the reviews of records of a file, in their order.

    Args:
        path: what the file is called in messages.
        records: lines and records, as from `records_to_review`.
        reviewer: the judge.
        seat: judge the decisions of this seat alone.
        progress: called with 1 after each hand.

    Raises:
        RecordError: a record does not replay, or its positions cannot be judged; the message begins with file and line.
    """
    out = []
    for line, record in records:
        try:
            out.append(reviewer.review(record, seat, line))
        except MinchiateError as error:
            raise RecordError(f"{path}:{line}: {error}") from None
        if progress is not None:
            progress(1)
    return out
