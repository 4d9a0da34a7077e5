"""What happens in a hand, who hears it, and what one seat gathers from it (docs/rules.md, section 2.1).

An `Ear` knows what it heard and nothing else; sight.py tells it as a view. It is slow and simple, and serves as the
yardstick for the views of the engine.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar

from minchiate_rl.game.actions import DONE
from minchiate_rl.game.cards import MATTO, Suit, suit_of
from minchiate_rl.game.lawbook import king_of, led_suit, trick_winner
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import N_SEATS, Phase, cutter_of, side_of

#: The audience of what all hear at a table of four.
EVERYBODY: Final = frozenset(range(N_SEATS))

#: The kinds of event, with what each one tells.
#:
#: | kind | data |
#: | --- | --- |
#: | deal | dealer; to each seat its own cards |
#: | rob | seat, cards, stopper |
#: | turned | seat, card |
#: | taken | cards (by the dealer) |
#: | counts | totals: how many cards the cutter (or the fola's user) and the dealer discard |
#: | fola | size, trumps (number or None), suits (counts or None), public (cards) |
#: | fola_sorted | cards; to the dealer, and to his partner if he has one |
#: | discard | seat, place (0 cutter or user, 1 dealer); to that seat also the card |
#: | passed | seat; to the cutter and the dealer also the card, one of the cutter's discards that the dealer takes |
#: | shown | cards: the discards of the cutter and of the dealer, as far as the seat is shown them |
#: | answer | seat, withdraws: whether somebody leaves (solo) |
#: | choice | seat, choice: what the eldest does with the fola (solo_fola) |
#: | bid | seat, points; 0 for a pass |
#: | user | seat that takes the fola; to that seat also the cards |
#: | declare | seat, action, cards shown; `done` shows none |
#: | play | seat, card |
#: | drop | seat, cards: a hand laid open |
#: | picking | seat whose dropped hand is picked from |
#: | pick | seat whose hand it was, card |
#: | trick | winner |
#: | points | item, seat, points, against; score, lead, resti, pairs after it |
#: | resti | score, lead, resti, pairs after a payment without points |
#: | paid | card, payer, receiver: what one side paid another for the Matto, or the Matto |
#: | turn | phase, seat |
#: | act | legal; to the seat to act |
KINDS: Final = (
    "deal", "rob", "turned", "taken", "counts", "fola", "fola_sorted", "discard", "passed", "shown", "answer",
    "choice", "bid", "user", "declare", "play", "drop", "picking", "pick", "trick", "points", "resti", "paid", "turn",
    "act",
)  # fmt: skip


@dataclass(frozen=True)
class Event:
    """One thing that happened, and the seats that hear of it."""

    kind: str
    audience: frozenset[int]
    data: dict[str, Any]


class Hearer(Protocol):
    """What takes in the events that a seat hears."""

    def hear(self, event: Event) -> None:
        """Take in one event."""
        ...


E = TypeVar("E", bound=Hearer)


class Listened(Generic[E]):
    """A hand that logs its events, and ears that catch up with those that their seats heard."""

    events: list[Event]
    """Everything that happened, with its audience."""

    def _listen(self, ears: Sequence[E]) -> None:
        """Begin an empty log, with an ear for each seat."""
        self.events = []
        self._ears = ears
        self._listened = [0] * len(ears)

    def heard(self, seat: int) -> list[Event]:
        """Return the events that a seat heard, in order."""
        return [event for event in self.events if seat in event.audience]

    def _ear(self, seat: int) -> E:
        """Return the ear of a seat, which has heard all that it may by now."""
        ear = self._ears[seat]
        for event in self.events[self._listened[seat] :]:
            if seat in event.audience:
                ear.hear(event)
        self._listened[seat] = len(self.events)
        return ear


class Ear:
    """One seat's knowledge, with a perfect memory; it grows with each event heard."""

    def __init__(self, seat: int, rules: RuleSet) -> None:
        self.seat, self.rules = seat, rules
        seats, sides = range(rules.n_seats), range(rules.n_sides)
        self.dealer = 0
        self.phase, self.to_act = Phase.DISCARD, -1
        self.legal: list[int] = [DONE]
        self.hand: set[int] = set()
        self.turned: list[int | None] = [None for _ in seats]
        self.robbed: list[list[int]] = [[], []]
        self.stoppers: list[int | None] = [None, None]
        self.taken: list[int] = []
        self.totals = [0, 0]
        self.fola_size = 0
        self.fola_trumps: int | None = None
        self.fola_suits: list[int] | None = None
        self.fola_public: set[int] = set()
        self.fola_known: set[int] = set()
        self.own_discards: list[set[int]] = [set(), set()]
        self.passed: set[int] = set()
        self.revealed: list[list[int]] | None = None
        self.withdrawn: int | None = None
        self.stayed = 0
        self.eldest_choice: str | None = None
        self.bids = [0 for _ in seats]
        self.bid_passes: set[int] = set()
        self.bidder: int | None = None
        self.fola_user: int | None = None
        self.shown: list[set[int]] = [set() for _ in seats]
        self.declared: list[set[int]] = [set() for _ in seats]
        self.table: list[tuple[int, int]] = []
        self.dropped: set[int] = set()
        self.picking: int | None = None
        self.tricks = [0 for _ in sides]
        self.past: list[list[tuple[int, int]]] = []
        self.opened: set[Suit] = set()
        self.played: list[set[int]] = [set() for _ in seats]
        self.piles: list[set[int]] = [set() for _ in sides]
        self.voids: list[set[Suit]] = [set() for _ in seats]
        self.no_king: list[set[Suit]] = [set() for _ in seats]
        self.matto_by: int | None = None
        self.matto_owed: int | None = None
        self.matto_paid: int | None = None
        self.score, self.lead, self.resti = [0 for _ in sides], 0, [0 for _ in sides]
        self.pairs: list[list[int]] = [[i, j, 0] for i in sides for j in sides if rules.form.for_himself and i < j]
        self.match: dict[str, Any] = {}

    @property
    def own_plays(self) -> list[tuple[int, int]]:
        """What lies on the table without the cards picked from dropped hands, which neither lead nor win."""
        return [(seat, card) for seat, card in self.table if seat not in self.dropped]

    @property
    def winner(self) -> int | None:
        """Who holds the trick so far; while dropped hands are picked from, who picks."""
        return self.to_act if self.phase == Phase.PICK else trick_winner(self.own_plays)

    def hear(self, event: Event) -> None:
        """Take in one event."""
        getattr(self, "_on_" + event.kind)(**event.data)

    def _side(self, seat: int) -> int:
        return side_of(seat, self.rules.n_sides)

    def _on_deal(self, dealer: int, cards: list[int], match: dict[str, Any]) -> None:
        self.dealer, self.hand, self.match = dealer, set(cards), match

    def _on_rob(self, seat: int, cards: list[int], stopper: int | None) -> None:
        place = 0 if seat == cutter_of(self.dealer, self.rules.n_seats) else 1
        self.robbed[place], self.stoppers[place] = cards, stopper
        self._see_in_hand(seat, cards)
        if seat == self.seat:
            self.hand.update(cards)

    def _see_in_hand(self, seat: int, cards: Iterable[int]) -> None:
        self.shown[seat].update(cards)

    def _on_turned(self, seat: int, card: int) -> None:
        self.turned[seat] = card
        self._see_in_hand(seat, [card])

    def _on_taken(self, cards: list[int]) -> None:
        self.taken = cards
        if self.rules.pigliare_to == "pile":
            self.piles[self._side(self.dealer)].update(cards)
            return
        self._see_in_hand(self.dealer, cards)
        if self.seat == self.dealer:
            self.hand.update(cards)

    def _on_counts(self, totals: list[int]) -> None:
        self.totals = totals

    def _on_fola(self, size: int, trumps: int | None, suits: list[int] | None, public: list[int]) -> None:
        self.fola_size, self.fola_trumps, self.fola_suits = size, trumps, suits
        self.fola_public.update(public)

    def _on_fola_sorted(self, cards: list[int]) -> None:
        self.fola_known.update(cards)

    def _on_discard(self, seat: int, place: int, card: int | None = None) -> None:
        if card is not None:
            self.hand.remove(card)
            self.own_discards[place].add(card)

    def _on_passed(self, seat: int, card: int | None = None) -> None:
        if card is None:
            return
        self.passed.add(card)
        self.shown[seat].discard(card)
        if self.seat == self.dealer:
            self.hand.add(card)
        else:
            self.hand.remove(card)
            self._see_in_hand(self.dealer, [card])

    def _on_shown(self, cards: list[list[int]]) -> None:
        self.revealed = cards

    def _on_answer(self, seat: int, withdraws: bool) -> None:
        self.stayed += 1
        if withdraws:
            self.withdrawn = seat

    def _on_choice(self, seat: int, choice: str) -> None:
        self.eldest_choice = choice
        if choice == "withdraw":
            self.withdrawn = seat

    def _on_bid(self, seat: int, points: int) -> None:
        if points == 0:
            self.bid_passes.add(seat)
        else:
            self.bids[seat], self.bidder = points, seat

    def _on_user(self, seat: int, cards: list[int] | None = None) -> None:
        self.fola_user, self.fola_size = seat, 0
        if cards is not None:
            self.hand.update(cards)

    def _on_declare(self, seat: int, action: int, cards: list[int]) -> None:
        if action != DONE:
            self.declared[seat].add(action)
            self._see_in_hand(seat, cards)

    def _on_play(self, seat: int, card: int) -> None:
        self._conclude(seat, card)
        self._lay(seat, card)

    def _lay(self, seat: int, card: int) -> None:
        self.table.append((seat, card))
        if seat == self.seat:
            self.hand.remove(card)
        if card == MATTO:
            self.matto_by = seat

    def _on_drop(self, seat: int, cards: list[int]) -> None:
        self.dropped.add(seat)
        self._see_in_hand(seat, cards)

    def _on_picking(self, seat: int) -> None:
        self.picking = seat

    def _on_pick(self, seat: int, card: int) -> None:
        self.picking = None
        self._lay(seat, card)

    def _conclude(self, seat: int, card: int) -> None:
        """Note what a card played says of the rest of the hand (docs/rules.md, section 4.1)."""
        led = led_suit(self.table)
        if led is None:
            return
        if card != MATTO and suit_of(card) != led:
            self.voids[seat].add(led)
            if suit_of(card) != Suit.TRUMPS:
                self.voids[seat].add(Suit.TRUMPS)
        trumped = any(suit_of(other) == Suit.TRUMPS for _, other in self.table)
        if led != Suit.TRUMPS and led not in self.opened and trumped and card != king_of(led):
            self.no_king[seat].add(led)

    def _on_trick(self, winner: int) -> None:
        side = self._side(winner)
        led = led_suit(self.own_plays)
        if led is not None and led != Suit.TRUMPS:
            self.opened.add(led)
        for seat, card in self.table:
            self.played[seat].add(card)
            if card == MATTO:
                self.piles[self._side(seat)].add(card)
                self.matto_owed = self._side(seat) if self._side(seat) != side else None
            else:
                self.piles[side].add(card)
        self.tricks[side] += 1
        self.past.append(self.table)
        self.table = []

    def _on_points(self, item: int, seat: int, points: int, against: list[int], **account: Any) -> None:
        self._on_resti(**account)

    def _on_resti(self, score: list[int], lead: int, resti: list[int], pairs: list[list[int]]) -> None:
        self.score, self.lead, self.resti, self.pairs = score, lead, resti, pairs

    def _on_paid(self, card: int, payer: int, receiver: int) -> None:
        self.matto_paid = card
        self.piles[payer].remove(card)
        self.piles[receiver].add(card)

    def _on_turn(self, phase: Phase, seat: int | None) -> None:
        self.phase, self.to_act = phase, -1 if seat is None else seat
        self.legal = [DONE]

    def _on_act(self, legal: list[int]) -> None:
        self.legal = legal
