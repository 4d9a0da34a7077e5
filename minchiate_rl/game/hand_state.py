"""What a hand of the reference consists of, how it is dealt, and how its events and marks are told.

`HandState` holds cards, account and events and knows no decisions; reference.py builds the course of a hand on it.
"""

from collections.abc import Sequence
from typing import Any

from minchiate_rl.game.accounts import Mark, PairAccount, SideAccount
from minchiate_rl.game.bidding import FolaSale, Withdrawal
from minchiate_rl.game.cards import Card, Suit, card_name, suit_of
from minchiate_rl.game.dealing import Deal, deal
from minchiate_rl.game.events import Ear, Event, Listened
from minchiate_rl.game.lawbook import card_points
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import Phase, cutter_of, eldest_of, side_of
from minchiate_rl.game.sight import view_of


class HandState(Listened[Ear]):
    """One hand, dealt, before its first decision.

    Attributes:
        rules: the rule set.
        pack: the card numbers after the shuffle, top first.
        cut: how many cards the cutter lifted.
        dealer: the dealer's seat.
        match: what the hand is part of.
        seat: who acts; None when the hand is over.
        phase: what kind of decision the hand waits for.
        hands: the cards held, by seat; those of who has withdrawn stay there, set aside.
        fola: what is left of the fola; nothing once somebody uses it.
        discards: what the cutter (or the fola's user) and the dealer discarded.
        passed: what the cutter handed to the dealer out of his discards, where robbing has no limit.
        trick: `(seat, card)` on the table, in order of play, then what was picked from dropped hands.
        opened: plain suits led in a finished trick.
        piles: each side's trick pile.
        tricks: the number of tricks that each side has won.
        dropped: the seats that have laid their hands open.
        bidding: the question of who withdraws or uses the fola; None in games without it.
        account: what the hand is counted in.
        deferred: marks that wait for the final block.
        debt: the side that owes a card for the Matto and the side that it is owed to.
        actions: the decisions taken.
        events: everything that happened, with its audience.
    """

    def __init__(
        self, rules: RuleSet, pack: Sequence[int], cut: int, dealer: int, match: dict[str, Any] | None = None
    ) -> None:
        """Cut, rob and deal a hand.

        Args:
            rules: the rule set, of any game but Piedicavallo and the games of chance.
            pack: the card numbers after the shuffle, top first.
            cut: how many cards the cutter lifts; 0 where the pack is not cut.
            dealer: the dealer's seat.
            match: `hand`, the hands before this one, of `hands`, and the `resti` of each seat from them.

        Raises:
            RecordError: the pack does not hold every card once, or the cut or the dealer is out of range.
        """
        table = deal(pack, cut, dealer, rules)
        self.rules, self.form = rules, rules.form
        self.pack, self.cut, self.dealer = list(pack), cut, dealer
        self.cutter, self.eldest = cutter_of(dealer, rules.n_seats), eldest_of(dealer, rules.n_seats)
        self.match = match or {"hand": 0, "hands": 0, "resti": [0] * rules.n_seats}
        self.seat: int | None = None
        self.phase = Phase.DISCARD
        self.hands: list[set[int]] = [set(cards) for cards in table.dealt]
        self.fola: list[int] = list(table.fola)
        self.discards: tuple[list[int], list[int]] = ([], [])
        self.passed: list[int] = []
        self.trick: list[tuple[int, int]] = []
        self.opened: set[Suit] = set()
        self.piles: tuple[set[int], ...] = tuple(set() for _ in range(rules.n_sides))
        self.tricks = [0] * rules.n_sides
        self.dropped: set[int] = set()
        self.bidding: Withdrawal | FolaSale | None = None
        if self.form.bidding != "none":
            self.bidding = (Withdrawal if self.form.bidding == "withdraw" else FolaSale)(rules, self.order())
        self.account: SideAccount | PairAccount = PairAccount(rules) if self.form.for_himself else SideAccount(rules)
        self.deferred: list[Mark] = []
        self.debt: tuple[int, int] | None = None
        self.actions: list[int] = []
        self.everybody = frozenset(range(rules.n_seats))
        self._listen([Ear(listener, rules) for listener in range(rules.n_seats)])
        self._open(table)

    @property
    def trick_number(self) -> int:
        """How many tricks are finished."""
        return sum(self.tricks)

    @property
    def entries(self) -> list[tuple[Any, ...]]:
        """`(item, side, points)` in the order scored; for himself `(item, seat, points, against)`."""
        return self.account.entries

    @property
    def score(self) -> list[int]:
        """Gross marks of each side."""
        return self.account.score

    @property
    def lead(self) -> int:
        """Side 0's lead since the last resto; 0 once the hand is settled, and where everybody plays for himself."""
        return self.account.lead

    @property
    def resti(self) -> list[int]:
        """Resti that each side was paid; for himself those received less those paid."""
        return self.account.resti

    @property
    def balance(self) -> list[list[int]]:
        """What side i is ahead of side j in points."""
        return self.account.balance

    @property
    def net(self) -> list[int]:
        """What each side is ahead of all others together."""
        return [sum(row) for row in self.account.balance]

    @property
    def withdrawn(self) -> int | None:
        """The seat that has left the hand."""
        return self.bidding.withdrawn if self.bidding else None

    @property
    def own_plays(self) -> list[tuple[int, int]]:
        """What lies on the table without the cards picked from dropped hands, which neither lead nor win."""
        return [(seat, card) for seat, card in self.trick if seat not in self.dropped]

    @property
    def picking(self) -> int | None:
        """The dropped hand from which a card is due next to the trick on the table."""
        return next((seat for seat in sorted(self.dropped) if seat not in dict(self.trick)), None)

    def side(self, seat: int) -> int:
        """Return the side of a seat."""
        return side_of(seat, self.rules.n_sides)

    def order(self, first: int | None = None) -> list[int]:
        """Return all seats in order of play from one on, the eldest if none is named."""
        first = self.eldest if first is None else first
        return [(first + place) % self.rules.n_seats for place in range(self.rules.n_seats)]

    def active(self, first: int | None = None) -> list[int]:
        """Return the seats that have not withdrawn, in order of play from one on."""
        return [seat for seat in self.order(first) if seat != self.withdrawn]

    def against(self, seat: int) -> tuple[int, ...]:
        """Return the other seats that are still in the hand, ascending."""
        return tuple(sorted(other for other in self.active() if other != seat))

    def legal(self) -> set[int]:
        """Return the numbers of the legal actions."""
        return set()

    def view(self, seat: int) -> dict[str, Any]:
        """Return what a seat may know, made of the events that it heard; equal to `fold` over `heard`."""
        return view_of(self._ear(seat))

    def result(self) -> dict[str, Any]:
        """Return the result in the form of a record: points, score, resti, tricks; for himself also net and pairs."""
        return {**self.account.result(), "tricks": list(self.tricks)}

    def _tell(self, kind: str, audience: frozenset[int] | None = None, **data: Any) -> None:
        self.events.append(Event(kind, self.everybody if audience is None else audience, data))

    def _tell_apart(self, kind: str, knowers: set[int], secret: dict[str, Any], **data: Any) -> None:
        """Tell all the same, and some seats more of it."""
        self._tell(kind, frozenset(knowers), **data, **secret)
        self._tell(kind, self.everybody - knowers, **data)

    def _turn(self, phase: Phase, seat: int | None) -> None:
        self.phase, self.seat = phase, seat
        self._tell("turn", phase=phase, seat=seat)
        if seat is not None:
            self._tell("act", frozenset({seat}), legal=sorted(self.legal()))

    def _mark(self, item: int, seat: int, points: int, against: tuple[int, ...] | None = None) -> None:
        """Mark points during the hand (section 5.2); no points, no mark."""
        if points:
            entry = (item, seat, points, self.against(seat) if against is None else against)
            self.account.mark(entry)
            self._tell_entry(entry)

    def _defer(self, item: int, seat: int, points: int) -> None:
        """Keep points for the final block."""
        if points:
            self.deferred.append((item, seat, points, self.against(seat)))

    def _tell_entry(self, entry: Mark) -> None:
        item, seat, points, against = entry
        self._tell("points", item=item, seat=seat, points=points, against=list(against), **self.account.state())

    def _open(self, table: Deal) -> None:
        """Carry out section 2, steps 2 to 10."""
        for seat in self.order():
            self._tell("deal", frozenset({seat}), dealer=self.dealer, cards=list(table.dealt[seat]), match=self.match)
        robbed, robbed_later = table.robbed
        self._rob(self.cutter, robbed, table.stoppers[0])
        if self.rules.robbery_marked == "at_once":
            self._mark(1, self.cutter, card_points(robbed))
        for seat in self.order():
            self._turn_up(seat, table.turned[seat])
        if self.rules.robbery_marked == "after_turned":
            self._mark(1, self.cutter, card_points(robbed))
        self._rob(self.dealer, robbed_later, table.stoppers[1])
        self._mark(3, self.dealer, card_points(robbed_later))
        self._take(table.taken)
        if self.rules.rob_failure_resto and table.fola_dealt and not robbed_later and not table.taken:
            self._pay_for_failure()
        self._sort_fola(table)
        size = self.rules.n_tricks
        self._tell("counts", totals=[max(0, len(self.hands[seat]) - size) for seat in (self.cutter, self.dealer)])

    def _rob(self, seat: int, cards: tuple[Card, ...], stopper: Card | None) -> None:
        if self.form.robs:
            self._tell("rob", seat=seat, cards=list(cards), stopper=stopper)
            self.hands[seat].update(cards)

    def _turn_up(self, seat: int, card: Card | None) -> None:
        if card is None:
            return
        self._tell("turned", seat=seat, card=card)
        keep = self._mark if self.rules.turned_marked == "at_once" else self._defer
        keep(2, seat, card_points([card]))

    def _take(self, taken: tuple[Card, ...]) -> None:
        """Let the dealer take what counts out of the fola (section 2, step 8; 7.3)."""
        if self.form.extracts:
            in_pile = self.rules.pigliare_to == "pile"
            (self.piles[self.side(self.dealer)] if in_pile else self.hands[self.dealer]).update(taken)
            self._tell("taken", cards=list(taken))

    def _pay_for_failure(self) -> None:
        if isinstance(self.account, SideAccount):
            self.account.pay(1 - self.side(self.dealer), 1)
            self._tell("resti", **self.account.state())

    def _sort_fola(self, table: Deal) -> None:
        """Sort the fola, and show and announce of it what the rules say (section 2, step 9; 2.1, rows 11 to 14)."""
        fola = table.fola
        public = [card for card in table.stoppers if card in fola]
        if self.form.sorter == "nobody":
            self._tell("fola", size=len(fola), trumps=None, suits=None, public=public)
            return
        suits = [sum(suit_of(card) == suit for card in fola) for suit in range(4)]
        if self.rules.fola_suits_shown:
            public += [card for card in fola if suit_of(card) != Suit.TRUMPS]
        self._tell("fola", size=len(fola), trumps=len(fola) - sum(suits), suits=suits, public=public)
        self._tell("fola_sorted", frozenset(self._sorters()), cards=list(fola))

    def _sorters(self) -> set[int]:
        """Return who knows the whole fola: the dealer, and his partner if he sorts it."""
        return {self.dealer, (self.dealer + 2) % 4} if self.form.sorter == "partner" else {self.dealer}

    def __repr__(self) -> str:
        """Tell where the hand stands."""
        table = " ".join(f"{seat}:{card_name(card)}" for seat, card in self.trick)
        phase = self.phase.name.lower()
        return f"<{type(self).__name__} {phase} seat={self.seat} trick={self.trick_number} table=[{table}]>"
