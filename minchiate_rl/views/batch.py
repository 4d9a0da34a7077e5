"""`Batch`: the engine's hands with what the seats may see of them."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minchiate_rl.errors import MinchiateError
from minchiate_rl.game.engine.batch import Hands
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import NOBODY, SEAT, V_SPEECH, S, V
from minchiate_rl.game.engine.observe import observe, observe_state
from minchiate_rl.views.view import States, View, Views


@kernel
def observe_games(rows, rule, games, seats, out, lo, hi):  # type: ignore[no-untyped-def]
    """Write the view of `seats[j]` of row `games[j]` into `out[j]`, for j in the slice."""
    for j in range(lo, hi):
        observe(rows, games[j], np.int64(seats[j]), rule, out, j)


@kernel
def observe_states(rows, rule, games, seats, out, lo, hi):  # type: ignore[no-untyped-def]
    """Write the critic's state for `seats[j]` of row `games[j]` into `out[j]`, for j in the slice."""
    for j in range(lo, hi):
        observe_state(rows, games[j], np.int64(seats[j]), rule, out, j)


class Words(NamedTuple):
    """Random words for agents, one a view: keyed by (seed, hand, seat, decision, salt)."""

    words: npt.NDArray[np.uint64]


class Batch(Hands):
    """Hands in lock-step, with views: see `Hands` for dealing, legal actions, stepping and results.

    A seat is told what `game.engine.observe` lets it know, and nothing else: no view holds a seed, a stream or a
    decision count.
    """

    def _games(
        self, where: npt.ArrayLike | None, seat: npt.ArrayLike | None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the games in `where` and the seat to look from in each."""
        mask = self.mask_of(where)
        if seat is None:
            mask = mask & (self.rows[:, SEAT] != NOBODY)
            games = np.flatnonzero(mask)
            return games, self.rows[games, SEAT].astype(np.int64)
        games = np.flatnonzero(mask)
        seats = np.asarray(seat)
        if seats.dtype.kind not in "iu" or np.any((seats < 0) | (seats >= self.rules.n_seats)):
            raise MinchiateError(f"seat must be from 0 to {self.rules.n_seats - 1}")
        if seats.ndim == 0:
            return games, np.full(len(games), int(seats), dtype=np.int64)
        if seats.shape != (self.num_games,):
            raise MinchiateError(f"seat must be one seat or {self.num_games} of them")
        return games, seats[games].astype(np.int64)

    def views(self, where: npt.ArrayLike | None = None, seat: npt.ArrayLike | None = None) -> Views:
        """Return the views of the games where `where` (bool (B,)) is True, in order of the games.

        Args:
            where: the games to look at; all if None.
            seat: the seat to look from, one or one a game (int (B,)); the seat to act if None, and then finished
                hands are left out.

        Raises:
            MinchiateError: an array of the wrong shape, or a seat out of range.
        """
        games, seats = self._games(where, seat)
        out = np.empty((len(games), V_SPEECH if self.rules.speaks else V), dtype=np.uint64)
        observe_games(self.rows, self._rule, games, seats, out, 0, len(games))
        return Views(out, self.rules)

    def states(self, where: npt.ArrayLike | None = None, seat: npt.ArrayLike | None = None) -> States:
        """Return the critic's states of the games where `where` is True: the view and every hidden card.

        Arguments and errors are those of `views`.
        """
        games, seats = self._games(where, seat)
        out = np.empty((len(games), V_SPEECH if self.rules.speaks else S), dtype=np.uint64)
        observe_states(self.rows, self._rule, games, seats, out, 0, len(games))
        return States(out, self.rules)

    def view(self, i: int, seat: int | None = None) -> View:
        """Return the view of game i from the seat to act, or from a given seat, also of a finished hand.

        Raises:
            MinchiateError: there is no such game or seat, or nobody is to act and no seat was given.
        """
        i = self.game(i)
        if seat is None and self.rows[i, SEAT] == NOBODY:
            raise MinchiateError(f"the hand of game {i} is over: name the seat to look from")
        where = np.zeros(self.num_games, dtype=np.bool_)
        where[i] = True
        return self.views(where, seat)[0]

    def rng(self, where: npt.ArrayLike | None = None, salt: int = 0) -> Words:
        """Return the random words for the agents that act on `views(where)`, aligned with them."""
        games, _ = self._games(where, None)
        return Words(self.decision_words(salt)[games])
