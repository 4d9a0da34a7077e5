"""The solver's face: rows or a batch in, exact values out, with clear errors for what it does not solve."""

import dataclasses
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.endgame.board import MAX_TRICKS, Work, workspace
from minchiate_rl.agents.endgame.search import NOT_LEGAL, value_of_row, values_of_moves
from minchiate_rl.errors import AgentError
from minchiate_rl.game.cards import N_CARDS
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import PHASE, SEAT, TRICK, W
from minchiate_rl.game.rules import RuleSet, ruleset
from minchiate_rl.game.seats import Phase
from minchiate_rl.views.batch import Batch

_GAME: Final = "minchiate"


@dataclasses.dataclass(frozen=True)
class Solutions:
    """What positions are worth under perfect play of both sides, all cards seen; M positions."""

    value: npt.NDArray[np.int16]
    """int16 (M,): by how many points the rest of the hand raises side 0's marks over those of side 1."""
    values: npt.NDArray[np.int16]
    """int16 (M, 97): the same after each legal card; NOT_LEGAL (-32768) for all others."""
    best: npt.NDArray[np.bool_]
    """bool (M, 97): the cards that are best for the seat to act, one or more."""

    @property
    def loss(self) -> npt.NDArray[np.int16]:
        """How many points each card costs the side to act, int16 (M, 97); 0 for the best, -1 if not legal."""
        lost: npt.NDArray[np.int16] = np.abs(self.values.astype(np.int32) - self.value[:, None]).astype(np.int16)
        lost[self.values == NOT_LEGAL] = -1
        return lost


@kernel
def value_rows(work, rows, out):  # type: ignore[no-untyped-def]
    """Write the value of each row to `out`, int16 (M,)."""
    for i in range(len(rows)):
        out[i] = value_of_row(work, rows, i)


@kernel
def value_moves(work, rows, out):  # type: ignore[no-untyped-def]
    """Write the values after the legal cards of each row to `out`, int16 (M, 97)."""
    for i in range(len(rows)):
        values_of_moves(work, rows, i, out[i])


def solve(rows: npt.NDArray[np.uint64], rule: RuleSet | str, max_tricks: int = MAX_TRICKS) -> Solutions:
    """Return the exact values of positions of the classic game, all hands known.

    The value is the change of `Batch.score` that is still to come, side 0's less side 1's: deaths and the debt for the
    Matto, the last trick, versicole and cards in the piles, cards above 42, and what was deferred to the end. Resti do
    not matter. Five tricks take a millisecond or two; each trick more takes some ten times as long.

    Args:
        rows: uint64 (M, W), rows of hands as in `Batch.rows`, each at a card to be played; not modified.
        rule: the rule set that they are played by, or its name.
        max_tricks: how many tricks may be left at most, that on the table included, 1 to 8.

    Raises:
        AgentError: another game than the classic one, or one with dropping; rows of another shape; a row that does not
            stand at a card to be played, or has more tricks left.
    """
    rules = _solvable(rule)
    table = _endings(rows, rules, max_tricks)
    values = np.empty((len(table), N_CARDS), dtype=np.int16)
    value_moves(_workspace(table, rules), table, values)
    return _solutions(values, table)


def double_dummy(batch: Batch, where: npt.ArrayLike | None = None, max_tricks: int = MAX_TRICKS) -> Solutions:
    """Return the exact values of a batch's positions, all hands known: see `solve`.

    Args:
        batch: hands of the classic game; not modified.
        where: bool (B,), the games to solve; all if None. The answers are in their order.
        max_tricks: how many tricks may be left at most, that on the table included, 1 to 8.

    Raises:
        MinchiateError: `where` is no such array.
        AgentError: as `solve`.
    """
    return solve(batch.rows[batch.mask_of(where)], batch.rules, max_tricks)


def _solvable(rule: RuleSet | str) -> RuleSet:
    rules = ruleset(rule)
    if rules.game != _GAME:
        raise AgentError(f"endings of {rules.name} ({rules.game}) cannot be solved: only those of the game {_GAME}")
    if rules.cascare:
        raise AgentError(f"endings of {rules.name} cannot be solved: players may drop their hands (cascare)")
    return rules


def _endings(rows: Any, rules: RuleSet, max_tricks: int) -> npt.NDArray[np.uint64]:
    """Return the rows, checked and contiguous."""
    if not 1 <= max_tricks <= MAX_TRICKS:
        raise AgentError(f"max_tricks must be from 1 to {MAX_TRICKS}, not {max_tricks!r}")
    if not isinstance(rows, np.ndarray) or rows.ndim != 2 or rows.shape[1] != W or rows.dtype != np.uint64:
        raise AgentError(f"rows must be an array of uint64 with shape (M, {W}), as Batch.rows is")
    playing = rows[:, PHASE] == int(Phase.PLAY)
    if not playing.all():
        raise AgentError(f"row {int(np.argmin(playing))} does not stand at a card to be played")
    left = rules.n_tricks - rows[:, TRICK].astype(np.int64)
    if len(rows) and left.max() > max_tricks:
        i = int(np.argmax(left))
        raise AgentError(f"row {i} has {left[i]} tricks left; at most {max_tricks} are solved")
    return np.ascontiguousarray(rows)


def _workspace(rows: npt.NDArray[np.uint64], rules: RuleSet) -> Work:
    left = rules.n_tricks - rows[:, TRICK].astype(np.int64)
    return workspace(rules.row, int(left.max(initial=1)))


def _solutions(values: npt.NDArray[np.int16], rows: npt.NDArray[np.uint64]) -> Solutions:
    legal = values != NOT_LEGAL
    odd = rows[:, SEAT] % 2 == 1
    ahead = np.where(odd[:, None], -values.astype(np.int32), values.astype(np.int32))
    ahead[~legal] = NOT_LEGAL
    top = ahead.max(axis=1, initial=NOT_LEGAL)
    value = np.where(odd, -top, top).astype(np.int16)
    return Solutions(value, values, legal & (values == value[:, None]))
