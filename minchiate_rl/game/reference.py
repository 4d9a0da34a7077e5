"""The classic game in plain Python, one hand at a time: the rules as they are read, without the kernels.

`ReferenceHand` follows docs/rules.md section by section: 2 (deal), 3 (declarations), 4 (play), 5 (scoring), and of 7
the switches demonio, take_29, rob_failure_resto and all_tricks. It logs each event with the seats that hear it, so
that a seat's view is the fold of what it heard (events.py).
"""

from collections.abc import Sequence
from typing import Any, Final

from minchiate_rl.errors import IllegalAction, InvalidNotation
from minchiate_rl.game.actions import DECLARE, DECLARE_WITH_MATTO, DEL_MATTO, DONE, action_name
from minchiate_rl.game.cards import MATTO, Card, Suit, card_name, suit_of
from minchiate_rl.game.dealing import Deal, deal
from minchiate_rl.game.events import EVERYBODY, Ear, Event, view_of
from minchiate_rl.game.lawbook import (
    HAND_SIZE,
    Versicola,
    card_points,
    led_suit,
    legal_cards,
    legal_discards,
    mark,
    matto_payment,
    points_above_half,
    settle,
    trick_winner,
    versicole_of,
    versicole_value,
)
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import N_SEATS, N_TRICKS, Phase, cutter_of, eldest_of, side_of

LAST_TRICK: Final = 10


class ReferenceHand:
    """One hand of the classic game, from the cut to the settlement.

    Attributes:
        rules: the rule set.
        pack: the 97 card numbers after the shuffle, top first.
        cut: how many cards the cutter lifted.
        dealer: the dealer's seat.
        seat: who acts; None when the hand is over.
        phase: what kind of decision the hand waits for.
        hands: the cards held, by seat.
        discards: what the cutter and the dealer discarded.
        trick: `(seat, card)` on the table, in order of play.
        opened: plain suits led in a finished trick.
        piles: each side's trick pile.
        tricks: the number of tricks that each side has won.
        entries: `(item, side, points)` in the order scored.
        score: gross marks of each side.
        lead: side 0's lead since the last resto; 0 once the hand is settled.
        resti: resti that each side was paid.
        actions: the decisions taken.
        events: everything that happened, with its audience.
    """

    def __init__(self, rules: RuleSet, pack: Sequence[int], cut: int, dealer: int) -> None:
        """Cut, rob and deal a hand; it then waits for its first decision.

        Raises:
            RecordError: the pack does not hold every card once, or the cut or the dealer is out of range.
        """
        self.rules = rules
        self.pack, self.cut, self.dealer = list(pack), cut, dealer
        self.cutter, self.eldest = cutter_of(dealer), eldest_of(dealer)
        self.seat: int | None = None
        self.phase = Phase.DISCARD
        self.discards: tuple[list[int], list[int]] = ([], [])
        self.trick: list[tuple[int, int]] = []
        self.opened: set[Suit] = set()
        self.piles: tuple[set[int], set[int]] = (set(), set())
        self.tricks = [0, 0]
        self.entries: list[tuple[int, int, int]] = []
        self.score, self.lead, self.resti = [0, 0], 0, [0, 0]
        self.actions: list[int] = []
        self.events: list[Event] = []
        self._ears = [Ear(listener) for listener in range(N_SEATS)]
        self._listened = [0] * N_SEATS
        self._declared: set[int] = set()
        self._debtor: int | None = None
        table = deal(pack, cut, dealer, rules.take_29)
        self.hands: list[set[int]] = [set(cards) for cards in table.dealt]
        self._open(table)
        self._await_discard()

    @property
    def trick_number(self) -> int:
        """How many tricks are finished."""
        return sum(self.tricks)

    def legal(self) -> set[int]:
        """Return the numbers of the legal actions; the empty set when the hand is over."""
        if self.seat is None:
            return set()
        hand = self.hands[self.seat]
        if self.phase == Phase.DISCARD:
            return legal_discards(hand)
        if self.phase == Phase.PLAY:
            return legal_cards(hand, self.trick, self.opened)
        legal: set[int] = {DONE}
        for versicola in self._declarable():
            legal.add(DECLARE + versicola.k)
            if MATTO in hand and versicola.k != DEL_MATTO:
                legal.add(DECLARE_WITH_MATTO + versicola.k)
        return legal

    def step(self, action: int) -> None:
        """Take one decision for the seat to act.

        Raises:
            IllegalAction: the rules do not allow it here; nothing has changed.
        """
        if self.seat is None:
            raise IllegalAction("the hand is over: no action is allowed")
        if action not in self.legal():
            raise IllegalAction(self._why_illegal(action))
        self.actions.append(int(action))
        if self.phase == Phase.DISCARD:
            self._discard(Card(action))
        elif self.phase == Phase.DECLARE:
            self._declare(action)
        else:
            self._play(Card(action))

    def _why_illegal(self, action: int) -> str:
        try:
            name = action_name(action)
        except InvalidNotation:
            name = f"action {action}"
        allowed = ", ".join(map(action_name, sorted(self.legal())))
        return f"seat {self.seat} may not {self.phase.name.lower()} {name}; allowed: {allowed}"

    def shown_by(self, action: int) -> tuple[Card, ...]:
        """Return the cards that a legal declaration of the seat to act shows, the Matto last."""
        if action == DONE:
            return ()
        with_matto = action >= DECLARE_WITH_MATTO
        k = action - (DECLARE_WITH_MATTO if with_matto else DECLARE)
        cards = next(versicola.cards for versicola in self._declarable() if versicola.k == k)
        return (*cards, MATTO) if with_matto else cards

    def heard(self, seat: int) -> list[Event]:
        """Return the events that a seat heard, in order."""
        return [event for event in self.events if seat in event.audience]

    def view(self, seat: int) -> dict[str, Any]:
        """Return what a seat may know, made of the events that it heard; equal to `fold` over `heard`."""
        ear = self._ears[seat]
        for event in self.events[self._listened[seat] :]:
            if seat in event.audience:
                ear.hear(event)
        self._listened[seat] = len(self.events)
        return view_of(ear, self.rules)

    def result(self) -> dict[str, Any]:
        """Return the result in the form of a record: points, score, resti, tricks."""
        return {
            "points": [list(entry) for entry in self.entries],
            "score": list(self.score),
            "resti": list(self.resti),
            "tricks": list(self.tricks),
        }

    def _tell(self, kind: str, audience: frozenset[int] = EVERYBODY, **data: Any) -> None:
        self.events.append(Event(kind, audience, data))

    def _turn(self, phase: Phase, seat: int | None) -> None:
        self.phase, self.seat = phase, seat
        self._tell("turn", phase=phase, seat=seat)
        if seat is not None:
            self._tell("act", frozenset({seat}), legal=sorted(self.legal()))

    def _mark(self, item: int, side: int, points: int) -> None:
        """Mark points of items 1 to 5 at once (section 5.2); no points, no mark."""
        if points == 0:
            return
        self.lead, paid = mark(self.lead, side, points)
        self.resti[side] += paid
        self._enter(item, side, points)

    def _enter(self, item: int, side: int, points: int) -> None:
        self.entries.append((item, side, points))
        self.score[side] += points
        account: dict[str, Any] = {"score": list(self.score), "lead": self.lead, "resti": list(self.resti)}
        self._tell("points", item=item, side=side, points=points, **account)

    def _open(self, table: Deal) -> None:
        """Carry out section 2, steps 2 to 10."""
        for seat in range(N_SEATS):
            self._tell("deal", frozenset({seat}), dealer=self.dealer, cards=list(table.dealt[seat]))
        self._rob(1, self.cutter, table.robbed[0], table.stoppers[0])
        for place in range(N_SEATS):
            seat = (self.eldest + place) % N_SEATS
            self._tell("turned", seat=seat, card=table.turned[seat])
            self._mark(2, side_of(seat), card_points([table.turned[seat]]))
        self._rob(3, self.dealer, table.robbed[1], table.stoppers[1])
        self.hands[self.dealer].update(table.taken)
        self._tell("taken", cards=list(table.taken))
        if self.rules.rob_failure_resto and table.fola_dealt and not table.robbed[1] and not table.taken:
            self.resti[1 - side_of(self.dealer)] += 1
            self._tell("resti", lead=self.lead, resti=list(self.resti))
        self._sort_fola(table.fola)
        self._tell("counts", totals=[len(table.robbed[0]), len(table.robbed[1]) + len(table.taken)])

    def _rob(self, item: int, seat: int, cards: tuple[Card, ...], stopper: Card | None) -> None:
        self._tell("rob", seat=seat, cards=list(cards), stopper=stopper)
        self.hands[seat].update(cards)
        self._mark(item, side_of(seat), card_points(cards))

    def _sort_fola(self, fola: tuple[Card, ...]) -> None:
        """Let the dealer's partner sort the fola (section 2, step 9; 2.1, rows 11 to 14)."""
        trumps = [card for card in fola if suit_of(card) == Suit.TRUMPS]
        suits = [card for card in fola if suit_of(card) != Suit.TRUMPS]
        self._tell("fola", size=len(fola), trumps=len(trumps), suits=suits)
        partners = frozenset({self.dealer, (self.dealer + 2) % N_SEATS})
        self._tell("fola_trumps", partners, cards=trumps)

    def _await_discard(self) -> None:
        for seat in (self.cutter, self.dealer):
            if len(self.hands[seat]) > HAND_SIZE:
                self._turn(Phase.DISCARD, seat)
                return
        self._turn(Phase.DECLARE, self.eldest)

    def _discard(self, card: Card) -> None:
        """Put one card away, face down (section 2, step 11)."""
        seat = self._actor()
        self.hands[seat].remove(card)
        self.discards[0 if seat == self.cutter else 1].append(card)
        self._tell("discard", frozenset({seat}), seat=seat, card=card)
        self._tell("discard", EVERYBODY - {seat}, seat=seat)
        self._await_discard()

    def _actor(self) -> int:
        if self.seat is None:
            raise IllegalAction("the hand is over: no action is allowed")
        return self.seat

    def _declarable(self) -> list[Versicola]:
        """Return the versicole that the seat to act holds and has not declared yet (section 3)."""
        held = versicole_of(self.hands[self._actor()], self.rules.demonio, matto_shown=False)
        return [versicola for versicola in held if versicola.k not in self._declared]

    def _declare(self, action: int) -> None:
        """Declare one versicola, or no more (section 3)."""
        seat = self._actor()
        shown = self.shown_by(action)
        self._tell("declare", seat=seat, action=action, cards=list(shown))
        if action == DONE:
            self._end_declarations(seat)
            return
        k = action - (DECLARE_WITH_MATTO if action >= DECLARE_WITH_MATTO else DECLARE)
        held = versicole_of(self.hands[seat], self.rules.demonio, matto_shown=action >= DECLARE_WITH_MATTO)
        self._declared.add(k)
        self._mark(4, side_of(seat), next(versicola.points for versicola in held if versicola.k == k))
        self._turn(Phase.DECLARE, seat)

    def _end_declarations(self, seat: int) -> None:
        """Pass the turn on: the eldest leads; after the dealer the discards are turned up (section 2, step 13)."""
        self._declared = set()
        following = (seat + 1) % N_SEATS
        if seat == self.eldest:
            self._turn(Phase.PLAY, seat)
        elif seat == self.dealer:
            self._tell("shown", cards=[list(cards) for cards in self.discards])
            self._turn(Phase.PLAY, (self.eldest + 1) % N_SEATS)
        else:
            self._turn(Phase.DECLARE, following)

    def _play(self, card: Card) -> None:
        """Play a card to the trick (section 4.1)."""
        seat = self._actor()
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        self._tell("play", seat=seat, card=card)
        following = (seat + 1) % N_SEATS
        if len(self.trick) == N_SEATS:
            self._gather()
        elif self.trick_number == 0 and len(self.trick) == 1:
            self._turn(Phase.DECLARE, following)
        else:
            self._turn(Phase.PLAY, following)

    def _gather(self) -> None:
        """Give the trick to its winner and mark the deaths (sections 4.2 and 4.3)."""
        trick, self.trick = self.trick, []
        winner, led = trick_winner(trick), led_suit(trick)
        if winner is None or led is None:
            raise IllegalAction("a trick of four cards has a winner")
        side = side_of(winner)
        if led != Suit.TRUMPS:
            self.opened.add(led)
        for seat, card in trick:
            owner = side_of(seat) if card == MATTO else side
            self.piles[owner].add(card)
            if card == MATTO and owner != side:
                self._debtor = owner
        self.tricks[side] += 1
        self._tell("trick", winner=winner)
        self._mark(5, side, card_points(c for seat, c in trick if side_of(seat) != side and c != MATTO))
        if self.trick_number == N_TRICKS:
            self._pay_for_matto()
            self._finish(side)
        else:
            self._turn(Phase.PLAY, winner)

    def _pay_for_matto(self) -> None:
        """Hand over a card for the Matto, or the Matto, after the last trick (section 4.3, U-8)."""
        if self._debtor is None:
            return
        payer, receiver = self._debtor, 1 - self._debtor
        card = matto_payment(self.piles[payer], self.piles[receiver], self.rules.demonio)
        self.piles[payer].remove(card)
        self.piles[receiver].add(card)
        self._tell("paid", card=card, side=receiver)
        self._mark(5, receiver, card_points([card]))

    def _finish(self, last_side: int) -> None:
        """Enter items 6 to 9 and settle the lead with them at once (section 5.2)."""
        block = [(6, last_side, LAST_TRICK)]
        block += [(7, side, versicole_value(self.piles[side], self.rules.demonio)) for side in (0, 1)]
        block += [(8, side, card_points(self.piles[side])) for side in (0, 1)]
        block += [(9, side, points_above_half(len(self.piles[side]))) for side in (0, 1)]
        finals = [0, 0]
        for item, side, points in block:
            finals[side] += points
            if points:
                self._enter(item, side, points)
        paid = settle(self.lead, finals)
        factor = 2 if self.rules.all_tricks == "double_final" and N_TRICKS in self.tricks else 1
        self.lead = 0
        self.resti = [had + factor * more for had, more in zip(self.resti, paid, strict=True)]
        self._tell("resti", lead=self.lead, resti=list(self.resti))
        self._turn(Phase.OVER, None)

    def __repr__(self) -> str:
        """Tell where the hand stands."""
        table = " ".join(f"{seat}:{card_name(card)}" for seat, card in self.trick)
        return f"<ReferenceHand {self.phase.name.lower()} seat={self.seat} trick={self.trick_number} table=[{table}]>"
