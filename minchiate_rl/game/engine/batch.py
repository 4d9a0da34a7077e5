"""A batch of hands in lock-step: deal, legal actions, step, playout, results.

`Hands` is the engine's own face and knows nothing of views; `minchiate_rl.Batch` adds what seats may see.
"""

import functools
import operator
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from minchiate_rl.errors import IllegalAction, MinchiateError
from minchiate_rl.game.actions import action_name
from minchiate_rl.game.cards import N_CARDS
from minchiate_rl.game.engine import lockstep
from minchiate_rl.game.engine.layout import (
    DEALER,
    DECISION,
    ENTRIES,
    HAND_NUMBER,
    KEY,
    LEAD,
    LEDGER,
    LEDGER_PAIRS,
    LOG,
    LOG_BIDS,
    LOG_SPEECH,
    MATCH,
    MATCH_HAND,
    NOBODY,
    PAIRS,
    PHASE,
    RESTI,
    SCORE,
    SEAT,
    SEED,
    TRICK,
    TRICKS,
    W_SPEECH,
    W,
)
from minchiate_rl.game.engine.shuffle import MAX_CUT, MIN_CUT, is_worthless
from minchiate_rl.game.rules import RuleSet, ruleset

_FULL_WORD: Final = (1 << 64) - 1


#: Threads take the slices of a batch one after another: with one slice each, the slower thread is waited for.
_SLICES_A_THREAD: Final = 4


@functools.cache
def _threads(process: int, number: int) -> ThreadPoolExecutor:
    """Return the threads of a process that play slices; kept, since starting them costs more than a small batch."""
    return ThreadPoolExecutor(number, thread_name_prefix=f"minchiate-{process}")


class Hands:
    """Hands played side by side under one rule set; each row is one hand, B of them.

    Game i plays the hands i, i + B, i + 2 B, ... from `first_hand` on; what is dealt depends on (seed, hand) alone.

    Args:
        rules: a rule set, or its name.
        num_games: B, one or more.
        seed: one seed for all games, or an array (B,) of seeds; 0 to 2^64 - 1.
        first_hand: the number of game 0's first hand.
        dealers: int (B,), the dealer of each game's hands; (seed + hand) mod the number of seats if None.

    Raises:
        MinchiateError: a size, seed or dealer out of range.
    """

    def __init__(
        self,
        rules: RuleSet | str,
        num_games: int,
        seed: int | npt.ArrayLike = 0,
        first_hand: int = 0,
        dealers: npt.ArrayLike | None = None,
    ) -> None:
        self.rules = _with_decisions(rules)
        self.num_games = _whole(num_games, 1, "num_games")
        self._rule = self.rules.row
        self._allocate()
        self.rows[:, SEED] = _seeds(seed, self.num_games)
        first = np.uint64(_whole(first_hand, 0, "first_hand", _FULL_WORD))
        self.rows[:, HAND_NUMBER] = first + np.arange(self.num_games, dtype=np.uint64)
        self._fixed_dealers = None if dealers is None else _dealers(dealers, self.num_games, self.rules)
        self._packs: npt.NDArray[np.uint8] | None = None
        self._cuts: npt.NDArray[np.int64] | None = None
        self._deal(np.ones(self.num_games, dtype=np.bool_))

    @classmethod
    def from_packs(
        cls,
        rules: RuleSet | str,
        packs: npt.ArrayLike,
        cuts: npt.ArrayLike,
        dealers: npt.ArrayLike,
        seeds: npt.ArrayLike | None = None,
        hands: npt.ArrayLike | None = None,
    ) -> Self:
        """Return a batch dealt from given packs instead of from seeds.

        Args:
            rules: a rule set, or its name.
            packs: int (B, size of the pack), card numbers, top card first.
            cuts: int (B,), how many cards the cutter lifts, 3 to 94; in Piedicavallo how many go from the top to the
                bottom, 0 to 61; 0 in the small games, which have no cut.
            dealers: int (B,).
            seeds: the seeds (B,) of the streams for choices; 0 if None.
            hands: the hand numbers (B,) of the streams; 0, 1, ... if None.

        Raises:
            MinchiateError: a pack that is no pack, a cut or dealer out of range.
        """
        form = _with_decisions(rules)
        table, cut = np.asarray(packs), np.asarray(cuts, dtype=np.int64)
        _check_packs(form, table, cut)
        batch = cls.__new__(cls)
        batch.rules = form
        batch._rule = batch.rules.row
        batch.num_games = _whole(len(table), 1, "the number of packs")
        batch._allocate()
        batch.rows[:, SEED] = _seeds(0 if seeds is None else seeds, batch.num_games)
        batch.rows[:, HAND_NUMBER] = _seeds(np.arange(len(table)) if hands is None else hands, batch.num_games)
        batch._fixed_dealers = _dealers(dealers, batch.num_games, form)
        batch._packs, batch._cuts = np.ascontiguousarray(table, dtype=np.uint8), cut
        lockstep.set_keys(batch.rows, SEED, 0, batch.num_games)
        lockstep.deal_packs_slice(
            batch.rows, batch.ledger, batch._rule, batch._packs, cut, batch._fixed_dealers, 0, batch.num_games
        )
        return batch

    def _allocate(self) -> None:
        speaks, form = self.rules.speaks, self.rules.form
        length = LOG_SPEECH if speaks else LOG_BIDS if form.bidding == "fola" else LOG
        self.rows = np.zeros((self.num_games, W_SPEECH if speaks else W), dtype=np.uint64)
        self.log = np.zeros((self.num_games, length), dtype=np.uint8)
        self.ledger = np.zeros((self.num_games, LEDGER_PAIRS if form.for_himself else LEDGER), dtype=np.uint32)

    def _deal(self, where: npt.NDArray[np.bool_], further: int = 0) -> None:
        """Deal the hands whose numbers are so much further than those of the rows."""
        dealers = np.zeros(0, np.int64) if self._fixed_dealers is None else self._fixed_dealers
        lockstep.deal_slice(self.rows, self.ledger, self._rule, dealers, where, np.uint64(further), 0, self.num_games)

    def __len__(self) -> int:
        """Return the number of games."""
        return self.num_games

    def _column(self, column: int, dtype: Any) -> Any:
        return self.rows[:, column].astype(dtype)

    @property
    def seat(self) -> npt.NDArray[np.int8]:
        """The seat to act, int8 (B,); -1 where the hand is over."""
        seats: npt.NDArray[np.int8] = self._column(SEAT, np.int8)
        seats[seats == int(NOBODY)] = -1
        return seats

    @property
    def done(self) -> npt.NDArray[np.bool_]:
        """Where the hand is over, bool (B,)."""
        over: npt.NDArray[np.bool_] = self.rows[:, SEAT] == NOBODY
        return over

    @property
    def phase(self) -> npt.NDArray[np.int8]:
        """The phase (seats.Phase) of each hand, int8 (B,)."""
        return self._column(PHASE, np.int8)  # type: ignore[no-any-return]

    @property
    def dealer(self) -> npt.NDArray[np.int8]:
        """The dealer's seat, int8 (B,)."""
        return self._column(DEALER, np.int8)  # type: ignore[no-any-return]

    @property
    def trick(self) -> npt.NDArray[np.int8]:
        """The number of finished tricks, int8 (B,)."""
        return self._column(TRICK, np.int8)  # type: ignore[no-any-return]

    @property
    def decision(self) -> npt.NDArray[np.int32]:
        """The number of decisions taken in the hand, int32 (B,)."""
        return self._column(DECISION, np.int32)  # type: ignore[no-any-return]

    @property
    def seeds(self) -> npt.NDArray[np.uint64]:
        """The seed of each game, uint64 (B,)."""
        return self.rows[:, SEED].copy()

    @property
    def hands(self) -> npt.NDArray[np.uint64]:
        """The number of the hand that each game plays, uint64 (B,)."""
        return self.rows[:, HAND_NUMBER].copy()

    def _by_side(self, column: int) -> npt.NDArray[np.int32]:
        return self.rows[:, column : column + self.rules.n_sides].astype(np.int64).astype(np.int32)

    @property
    def score(self) -> npt.NDArray[np.int32]:
        """Each side's gross marks so far in points, int32 (B, sides)."""
        return self._by_side(SCORE)

    @property
    def resti(self) -> npt.NDArray[np.int32]:
        """Resti that each side received so far, int32 (B, sides); less those paid where everybody plays for himself."""
        return self._by_side(RESTI)

    @property
    def tricks(self) -> npt.NDArray[np.int32]:
        """Tricks won by each side, int32 (B, sides)."""
        return self._by_side(TRICKS)

    @property
    def lead(self) -> npt.NDArray[np.int32]:
        """Side 0's lead in points since the last resto, negative if side 1 is ahead, int32 (B,)."""
        return self.rows[:, LEAD].astype(np.int64).astype(np.int32)

    @property
    def balance(self) -> npt.NDArray[np.int32]:
        """Points that side i is ahead of side j, int32 (B, sides, sides), antisymmetric."""
        if not self.rules.form.for_himself:
            score = self.score
            return score[:, :, None] - score[:, None, :]
        n = self.rules.n_sides
        table = np.zeros((self.num_games, n, n), dtype=np.int32)
        for column, (a, b) in enumerate(((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))):
            if b < n:
                table[:, a, b] = self.rows[:, PAIRS + column].astype(np.int64)
                table[:, b, a] = -table[:, a, b]
        return table

    @property
    def net(self) -> npt.NDArray[np.int32]:
        """Points that each side is ahead in all, int32 (B, sides): row sums of `balance`; they sum to zero."""
        ahead: npt.NDArray[np.int32] = self.balance.sum(axis=2, dtype=np.int32)
        return ahead

    def tell_match(
        self,
        resti: npt.ArrayLike,
        hand: npt.ArrayLike,
        hands: int,
        where: npt.ArrayLike | None = None,
    ) -> None:
        """Tell the seats how the episode stands that their hands are part of; dealing forgets it.

        Args:
            resti: int (B, seats), the resti of each seat from earlier hands of the episode.
            hand: int (B,), how many hands of it came before.
            hands: how many hands it has.
            where: bool (B,), the games to tell; all if None.
        """
        mask = self.mask_of(where)
        told = np.zeros(self.num_games, dtype=np.uint64)
        for seat, column in enumerate(np.asarray(resti, dtype=np.int64).T):
            told |= (column & 0xFFFF).astype(np.uint64) << np.uint64(16 * seat)
        self.rows[mask, MATCH] = told[mask]
        number = np.asarray(hand, dtype=np.uint64) | np.uint64(hands << 8)
        self.rows[mask, MATCH_HAND] = np.broadcast_to(number, self.num_games)[mask]

    def legal_words(self, out: npt.NDArray[np.uint64] | None = None) -> npt.NDArray[np.uint64]:
        """Return the legal actions packed, uint64 (B, 4): cards in two words, then bits a - 97 and a - 144.

        Raises:
            MinchiateError: `out` has another shape or dtype.
        """
        out = output(out, (self.num_games, 4), np.uint64)
        lockstep.legal_words_slice(self.rows, self._rule, out, 0, self.num_games)
        return out

    def legal_mask(self, out: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool (B, num_actions); all False where the hand is over.

        Raises:
            MinchiateError: `out` has another shape or dtype.
        """
        out = output(out, (self.num_games, self.rules.num_actions), np.bool_)
        lockstep.legal_mask_slice(self.rows, self._rule, out.view(np.uint8), 0, self.num_games)
        return out

    def step(self, actions: npt.ArrayLike) -> None:
        """Take one action in every unfinished game.

        Args:
            actions: int (B,), action numbers; entries of finished hands are ignored.

        Raises:
            IllegalAction: an action that the rules forbid; nothing was moved in any game.
        """
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_games,) or chosen.dtype.kind not in "iu":
            raise IllegalAction(f"actions must be whole numbers of shape ({self.num_games},)")
        bad = lockstep.first_illegal(self.rows, self._rule, chosen, 0, self.num_games)
        if bad >= 0:
            raise IllegalAction(self._why_illegal(bad, int(chosen[bad])))
        lockstep.step_slice(self.rows, self.log, self.ledger, self._rule, chosen, 0, self.num_games)

    def _why_illegal(self, i: int, action: int) -> str:
        allowed = [action_name(int(a)) for a in np.flatnonzero(self.legal_mask()[i])]
        try:
            name = action_name(action)
        except ValueError:
            name = "no action"
        return f"game {i}: action {action} ({name}) is not legal for seat {self.seat[i]}; legal: {', '.join(allowed)}"

    def reset(self, where: npt.ArrayLike | None = None) -> None:
        """Deal the next hand of each game where `where` (bool (B,)) is True; of all games if None.

        Raises:
            MinchiateError: `where` is no such array, or the batch was made from packs, which have no next hand.
        """
        if self._packs is not None:
            raise MinchiateError("a batch made from packs has no next hand")
        self._deal(self.mask_of(where), self.num_games)

    def mask_of(self, where: npt.ArrayLike | None) -> npt.NDArray[np.bool_]:
        """Return `where` as an array, bool (B,), all True if None.

        Raises:
            MinchiateError: it has another shape or dtype.
        """
        if where is None:
            return np.ones(self.num_games, dtype=np.bool_)
        mask = np.asarray(where)
        if mask.shape != (self.num_games,) or mask.dtype != np.bool_:
            raise MinchiateError(f"where must be bool of shape ({self.num_games},)")
        return mask

    def playout(self, threads: int = 1) -> int:
        """Play every unfinished hand to its end, uniformly at random over legal actions; return the decisions taken.

        Raises:
            MinchiateError: the number of threads is not 1 or more.
        """
        threads = min(_whole(threads, 1, "threads"), self.num_games)

        def part(lo: int, hi: int) -> int:
            return int(lockstep.playout_slice(self.rows, self.log, self.ledger, self._rule, lo, hi))

        if threads == 1:
            return part(0, self.num_games)
        slices = min(_SLICES_A_THREAD * threads, self.num_games)
        edges = np.linspace(0, self.num_games, slices + 1).astype(int).tolist()
        return sum(_threads(os.getpid(), threads).map(part, edges[:-1], edges[1:]))

    def decision_words(self, salt: int = 0, where: npt.ArrayLike | None = None) -> npt.NDArray[np.uint64]:
        """Return a word for each game in `where`, uint64 (M,), keyed by (seed, hand, seat, decision, salt)."""
        out = np.empty(self.num_games, dtype=np.uint64)
        lockstep.words_slice(self.rows, np.uint64(salt), out, 0, self.num_games)
        return out if where is None else out[self.mask_of(where)]

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.rows, twin.log, twin.ledger = self.rows.copy(), self.log.copy(), self.ledger.copy()
        return twin

    def game(self, i: int) -> int:
        """Return the number of a game.

        Raises:
            MinchiateError: there is no such game.
        """
        if not isinstance(i, (int, np.integer)) or not 0 <= i < self.num_games:
            raise MinchiateError(f"there is no game {i}: games go from 0 to {self.num_games - 1}")
        return int(i)

    def entries(self, i: int) -> list[tuple[Any, ...]]:
        """Return the score entries of game i in order, as (item, side, points).

        Where everybody plays for himself they are (item, seat, points, against), the last a tuple of seats.
        """
        i = self.game(i)
        packed = [int(e) for e in self.ledger[i, : int(self.rows[i, ENTRIES])]]
        entries = [(e >> 24, e >> 20 & 0xF, e & 0xFFFF) for e in packed]
        if not self.rules.form.for_himself:
            return list(entries)
        seats = [tuple(seat for seat in range(4) if e >> 16 >> seat & 1) for e in packed]
        return [(*entry, against) for entry, against in zip(entries, seats, strict=True)]

    def actions(self, i: int) -> list[int]:
        """Return the actions taken so far in game i, in order."""
        i = self.game(i)
        return [int(a) for a in self.log[i, : int(self.rows[i, DECISION])]]

    def pack(self, i: int) -> tuple[list[int], int]:
        """Return the pack of game i, top card first, and the cut."""
        i = self.game(i)
        if self._packs is not None and self._cuts is not None:
            return [int(c) for c in self._packs[i]], int(self._cuts[i])
        cards = np.empty(N_CARDS, dtype=np.uint8)
        cut = lockstep.pack_of(self.rows[i, KEY], self._rule, cards)
        return [int(c) for c in cards[: len(self.rules.cards)]], int(cut)


def _whole(number: Any, low: int, what: str, high: int | None = None) -> int:
    """Return a whole number from `low` to `high`, both included."""
    try:
        value = operator.index(number)
    except TypeError:
        value = low - 1
    if value < low or (high is not None and value > high):
        bounds = f"a whole number, {low} or more" if high is None else f"a whole number from {low} to {high}"
        raise MinchiateError(f"{what} must be {bounds}, not {number!r}")
    return int(value)


def output(out: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return the array that a kernel writes into: the one given, or a new one if None.

    Raises:
        MinchiateError: the one given has another shape or dtype; kernels check nothing themselves.
    """
    if out is None:
        return np.empty(shape, dtype=dtype)
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != dtype or not out.flags.writeable:
        raise MinchiateError(f"out must be a writable array of {np.dtype(dtype)} and shape {shape}")
    return out


def _seeds(seed: int | npt.ArrayLike | Sequence[int], size: int) -> npt.NDArray[np.uint64]:
    """Return seeds or hand numbers as uint64 (size,)."""
    try:
        table = np.asarray(seed)
        if table.dtype.kind not in "iu" or np.any(table < 0):
            raise OverflowError
        return np.broadcast_to(table.astype(np.uint64), (size,)).copy()
    except (OverflowError, ValueError):
        raise MinchiateError(f"seed must be a whole number from 0 to {_FULL_WORD}, or {size} of them") from None


def _dealers(dealers: npt.ArrayLike, size: int, rules: RuleSet) -> npt.NDArray[np.int64]:
    table, n_seats = np.asarray(dealers), rules.n_seats
    if table.shape != (size,) or table.dtype.kind not in "iu" or np.any((table < 0) | (table >= n_seats)):
        raise MinchiateError(f"dealers must be {size} seats from 0 to {n_seats - 1}")
    return table.astype(np.int64)


def _with_decisions(rules: RuleSet | str) -> RuleSet:
    """Return a rule set of a game in which somebody decides something."""
    form = ruleset(rules)
    if not form.form.decisions:
        raise MinchiateError(
            f"{form.name} is a game of chance without decisions, so there is no batch of it; "
            "minchiate_rl.game.betting deals and settles it"
        )
    return form


def cuts_of(rules: RuleSet) -> range:
    """Return the cuts that a rule set allows."""
    if rules.form.deal == "robbed":
        return range(MIN_CUT, MAX_CUT + 1)
    return range(len(rules.cards)) if rules.form.deal == "piedicavallo" else range(1)


def _check_packs(rules: RuleSet, packs: npt.NDArray[Any], cuts: npt.NDArray[np.int64]) -> None:
    cards, allowed = sorted(rules.cards), cuts_of(rules)
    if packs.ndim != 2 or not np.array_equal(np.sort(packs, axis=1), np.tile(cards, (len(packs), 1))):
        raise MinchiateError(f"packs must hold the {len(cards)} card numbers of {rules.name} once each, one pack a row")
    if cuts.shape != (len(packs),) or np.any((cuts < allowed[0]) | (cuts > allowed[-1])):
        raise MinchiateError(f"a cut of {rules.name} is from {allowed[0]} to {allowed[-1]}")
    if rules.bottom_check and not all(is_worthless(int(card)) for card in packs[:, -1]):
        raise MinchiateError(f"under {rules.name} the last card of a pack is one of a plain suit and no king")
