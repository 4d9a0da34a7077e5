"""What a hand is counted in: the difference of two sides, or the difference of every pair of players.

Both accounts answer to the same calls, so that the course of a hand need not know which of them it keeps. A mark is
entered for a seat; who it is marked against matters only where everybody plays for himself.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from minchiate_rl.game.lawbook import mark, resti_for, settle
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import side_of

#: A mark as `(item, seat, points, against)`: the seats that it is marked against, ascending.
Mark = tuple[int, int, int, tuple[int, ...]]

_FOURTEEN = 14


class SideAccount:
    """The account of two sides: one lead, from which a resto is paid at every 60 (docs/rules.md, section 5.1)."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.entries: list[tuple[Any, ...]] = []
        self.score, self.lead, self.resti = [0, 0], 0, [0, 0]

    @property
    def balance(self) -> list[list[int]]:
        """What each side is ahead of each side in gross marks."""
        ahead = self.score[0] - self.score[1]
        return [[0, ahead], [-ahead, 0]]

    def mark(self, entry: Mark) -> None:
        """Mark points during the hand; whole resti are paid at once where the rules say so."""
        _, seat, points, _ = entry
        side = side_of(seat)
        if self.rules.midhand_resti:
            self.lead, paid = mark(self.lead, side, points)
            self.resti[side] += paid
        else:
            self.lead += points if side == 0 else -points
        self.enter(entry)

    def enter(self, entry: Mark) -> None:
        """Enter points of the final block, which move no lead by themselves."""
        item, seat, points, _ = entry
        self.entries.append((item, side_of(seat), points))
        self.score[side_of(seat)] += points

    def pay(self, side: int, resti: int) -> None:
        """Pay resti for something else than points."""
        self.resti[side] += resti

    def close(self, block: Sequence[Mark], all_tricks: int | None) -> None:
        """Settle the lead with the final block at once, and with it the hand (section 5.1; for all tricks, V-6).

        Args:
            block: the entries of the final block, entered already.
            all_tricks: the side that won every trick, if one did.
        """
        lead, self.lead = self.lead, 0
        if not self.rules.form.counts_resti:
            return
        if all_tricks is not None and self.rules.all_tricks == "fourteen":
            self.pay(all_tricks, _FOURTEEN)
            self.pay(0 if lead > 0 else 1, 2 * abs(resti_for(lead)))
            return
        finals = [sum(points for _, seat, points, _ in block if side_of(seat) == side) for side in (0, 1)]
        factor = 2 if all_tricks is not None and self.rules.all_tricks == "double_final" else 1
        for side, resti in enumerate(settle(lead, finals)):
            self.pay(side, factor * resti)

    def state(self) -> dict[str, Any]:
        """Return the account as everybody sees it."""
        return {"score": list(self.score), "lead": self.lead, "resti": list(self.resti), "pairs": []}

    def result(self) -> dict[str, Any]:
        """Return the account's part of a record's result."""
        return {
            "points": [list(entry) for entry in self.entries],
            "score": list(self.score),
            "resti": list(self.resti),
        }


class PairAccount:
    """An account for every pair of players, each settled by itself (docs/rules.md, section 13)."""

    def __init__(self, rules: RuleSet) -> None:
        self.entries: list[tuple[Any, ...]] = []
        self.lead = 0
        self.score, self.resti = [0] * rules.n_seats, [0] * rules.n_seats
        self.balance = [[0] * rules.n_seats for _ in range(rules.n_seats)]
        self._pairs = list(combinations(range(rules.n_seats), 2))

    def mark(self, entry: Mark) -> None:
        """Mark points for a seat against each of some others."""
        self.enter(entry)

    def enter(self, entry: Mark) -> None:
        """Enter points: once to the seat's gross marks, and in its account with each seat they are marked against."""
        _, seat, points, against = entry
        self.entries.append(entry)
        self.score[seat] += points
        for other in against:
            self.balance[seat][other] += points
            self.balance[other][seat] -= points

    def close(self, block: Sequence[Mark], all_tricks: int | None) -> None:
        """Pay a resto for each started 60 of every pair."""
        self.resti = [sum(map(resti_for, row)) for row in self.balance]

    def state(self) -> dict[str, Any]:
        """Return the account as everybody sees it."""
        pairs = [[i, j, self.balance[i][j]] for i, j in self._pairs]
        return {"score": list(self.score), "lead": 0, "resti": list(self.resti), "pairs": pairs}

    def result(self) -> dict[str, Any]:
        """Return the account's part of a record's result."""
        return {
            "points": [[item, seat, points, list(against)] for item, seat, points, against in self.entries],
            "score": list(self.score),
            "resti": list(self.resti),
            "net": [sum(row) for row in self.balance],
            "pairs": [[i, j, self.balance[i][j], resti_for(self.balance[i][j])] for i, j in self._pairs],
        }
