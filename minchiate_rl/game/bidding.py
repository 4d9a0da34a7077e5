"""What is decided before the first declaration where everybody plays for himself (docs/rules.md, section 13).

`Withdrawal` is the question of `solo`: who leaves the hand. `FolaSale` is that of `solo_fola`: who uses the fola. Each
waits for the answer of `seat` in `phase`, and is over when `seat` is None.
"""

from minchiate_rl.game.actions import BID, DONE, USE_FOLA, WITHDRAW
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import Phase


class Withdrawal:
    """The players are asked in turn whether they withdraw, until one does or all have stayed."""

    phase = Phase.WITHDRAW

    def __init__(self, rules: RuleSet, order: list[int]) -> None:
        self.rules, self.order = rules, order
        self.answers = 0
        self.withdrawn: int | None = None
        self.fee = 0

    @property
    def seat(self) -> int | None:
        """Who is asked."""
        over = self.withdrawn is not None or self.answers == len(self.order)
        return None if over else self.order[self.answers]

    def legal(self) -> set[int]:
        """Return the answers."""
        return {DONE, WITHDRAW}

    def answer(self, action: int) -> None:
        """Take the answer of the seat that is asked; a later place pays more."""
        if action == WITHDRAW:
            self.withdrawn = self.seat
            self.fee = self.rules.withdraw_fee + self.rules.withdraw_step * self.answers
        self.answers += 1


class FolaSale:
    """The eldest uses the fola, stays, or withdraws; only if he withdraws do the others bid for it."""

    def __init__(self, rules: RuleSet, order: list[int]) -> None:
        self.rules, self.order = rules, order
        self.phase = Phase.FOLA
        self.choice: str | None = None
        self.withdrawn: int | None = None
        self.fee = 0
        self.bids = [0] * len(order)
        self.passed: set[int] = set()
        self.bidder: int | None = None
        self.user: int | None = None
        self.seat: int | None = order[0]

    @property
    def highest(self) -> int:
        """The highest bid so far, in points."""
        return max(self.bids)

    def legal(self) -> set[int]:
        """Return the answers."""
        return {DONE, BID} if self.phase == Phase.BID else {DONE, USE_FOLA, WITHDRAW}

    def answer(self, action: int) -> None:
        """Take the answer of the seat that is asked."""
        seat = self.seat
        if seat is None:
            return
        if self.phase == Phase.FOLA:
            self._choose(seat, action)
        elif action == DONE:
            self.passed.add(seat)
            self._ask_after(seat)
        else:
            self.bids[seat] = self.highest + self.rules.bid_step
            self.bidder = seat
            self._ask_after(seat)

    def _choose(self, eldest: int, action: int) -> None:
        self.choice = {USE_FOLA: "use", DONE: "stay", WITHDRAW: "withdraw"}[action]  # type: ignore[index]
        self.seat = None
        if action == USE_FOLA:
            self.user = eldest
        elif action == WITHDRAW:
            self.withdrawn, self.fee = eldest, self.rules.withdraw_fee
            self.phase, self.seat = Phase.BID, self.order[1]

    def _ask_after(self, seat: int) -> None:
        """Ask the next that has not passed; it is over when nobody is left beside the highest bidder."""
        place = self.order.index(seat)
        following = [other for other in self.order[place + 1 :] + self.order[1 : place + 1] if other not in self.passed]
        if self.highest >= self.rules.bid_limit or following in ([], [self.bidder]):
            self.seat, self.user = None, self.bidder
        else:
            self.seat = following[0]
