"""The games in plain Python, one hand at a time: the rules as they are read, without the kernels.

`ReferenceHand` follows docs/rules.md section by section: 2 (deal), 3 (declarations), 4 (play), 5 (scoring), every
switch of 7.5, and of 13 the games that are played with tricks and versicole. It logs each event with the seats that
hear it, so that a seat's view is the fold of what it heard (events.py, sight.py). Piedicavallo and the games of chance
stand by themselves.
"""

from collections.abc import Sequence
from typing import Any, Final

from minchiate_rl.errors import IllegalAction, InvalidNotation
from minchiate_rl.game.accounts import Mark
from minchiate_rl.game.actions import BID, DECLARE, DECLARE_WITH_MATTO, DEL_MATTO, DONE, DROP, WITHDRAW, action_name
from minchiate_rl.game.bidding import FolaSale, Withdrawal
from minchiate_rl.game.cards import MATTO, VALUES, Card, Suit, suit_of
from minchiate_rl.game.hand_state import HandState
from minchiate_rl.game.lawbook import (
    Versicola,
    card_points,
    extras_of,
    led_suit,
    legal_cards,
    legal_discards,
    legal_picks,
    matto_payment,
    points_above_half,
    trick_winner,
    versicole_of,
    versicole_value,
)
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import Phase

LAST_TRICK: Final = 10
FOLA_SIZE: Final = 13


class ReferenceHand(HandState):
    """One hand, from the cut to the settlement; its attributes are those of `HandState`."""

    def __init__(
        self, rules: RuleSet, pack: Sequence[int], cut: int, dealer: int, match: dict[str, Any] | None = None
    ) -> None:
        """Cut, rob and deal a hand; it then waits for its first decision. Arguments and errors: `HandState`."""
        super().__init__(rules, pack, cut, dealer, match)
        self._declared: set[int] = set()
        self._to_declare: list[int] = []
        self._revealed = False
        if isinstance(self.bidding, FolaSale):
            self._turn(self.bidding.phase, self.bidding.seat)
        else:
            self._await_discard()

    def legal(self) -> set[int]:
        """Return the numbers of the legal actions; the empty set when the hand is over."""
        if self.seat is None:
            return set()
        hand = self.hands[self.seat]
        if self.phase == Phase.DISCARD:
            return legal_discards(hand)
        if self.phase == Phase.PLAY:
            may_drop = self.rules.cascare and self.trick and all(suit_of(card) != Suit.TRUMPS for card in hand)
            return legal_cards(hand, self.trick, self.opened) | ({DROP} if may_drop else set())
        if self.phase == Phase.PICK and self.picking is not None:
            return legal_picks(self.hands[self.picking], led_suit(self.own_plays))
        if self.phase != Phase.DECLARE and self.bidding:
            return self.bidding.legal()
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
        takes = {
            Phase.DISCARD: self._discard,
            Phase.DECLARE: self._declare,
            Phase.PLAY: self._drop if action == DROP else self._play,
            Phase.PICK: self._pick,
            Phase.WITHDRAW: self._answer,
            Phase.FOLA: self._answer,
            Phase.BID: self._answer,
        }
        takes[self.phase](self.seat, action)

    def _why_illegal(self, action: int) -> str:
        try:
            name = action_name(action)
        except InvalidNotation:
            name = f"action {action}"
        allowed = ", ".join(map(action_name, sorted(self.legal())))
        verb = "answer" if self.phase in (Phase.WITHDRAW, Phase.FOLA, Phase.BID) else self.phase.name.lower()
        return f"seat {self.seat} may not {verb} {name}; allowed: {allowed}"

    def shown_by(self, action: int) -> tuple[Card, ...]:
        """Return the cards that a legal declaration of the seat to act shows, the Matto last."""
        if action == DONE:
            return ()
        with_matto = action >= DECLARE_WITH_MATTO
        k = action - (DECLARE_WITH_MATTO if with_matto else DECLARE)
        cards = next(versicola.cards for versicola in self._declarable() if versicola.k == k)
        return (*cards, MATTO) if with_matto else cards

    def _discarders(self) -> tuple[int | None, int]:
        """Return who discards first and second: cutter and dealer, or the fola's user and nobody."""
        return (self.bidding.user if isinstance(self.bidding, FolaSale) else self.cutter), self.dealer

    def _await_discard(self) -> None:
        """Ask for the next discard; after the last one, who withdraws, and then for the declarations."""
        for seat in self._discarders():
            if seat is not None and len(self.hands[seat]) > self.rules.n_tricks:
                self._turn(Phase.DISCARD, seat)
                return
        if isinstance(self.bidding, Withdrawal):
            self._turn(Phase.WITHDRAW, self.bidding.seat)
        else:
            self._begin()

    def _discard(self, seat: int, card: int) -> None:
        """Put one card away, face down (section 2, step 11); what goes beyond the fola is the dealer's (7, V-3)."""
        place = self._discarders().index(seat)
        self.hands[seat].remove(card)
        if place == 0 and self.rules.rob_limit is None and len(self.discards[0]) == FOLA_SIZE:
            self.passed.append(card)
            self.hands[self.dealer].add(card)
            self._tell_apart("passed", {seat, self.dealer}, {"card": card}, seat=seat)
        else:
            self.discards[place].append(card)
            self._tell_apart("discard", {seat}, {"card": card}, seat=seat, place=place)
        self._await_discard()

    def _answer(self, seat: int, action: int) -> None:
        """Answer whether to withdraw, to use the fola, or to bid for it (section 13)."""
        bidding = self.bidding
        if bidding is None:
            return
        bidding.answer(action)
        if isinstance(bidding, Withdrawal):
            self._tell("answer", seat=seat, withdraws=action == WITHDRAW)
        elif self.phase == Phase.FOLA:
            self._tell("choice", seat=seat, choice=bidding.choice)
        else:
            self._tell("bid", seat=seat, points=bidding.bids[seat] if action == BID else 0)
        if bidding.seat is not None:
            self._turn(bidding.phase, bidding.seat)
        elif isinstance(bidding, FolaSale) and bidding.user is not None:
            self._use_fola(bidding.user)
        else:
            self._begin()

    def _use_fola(self, seat: int) -> None:
        self.hands[seat].update(self.fola)
        self._tell_apart("user", {seat}, {"cards": list(self.fola)}, seat=seat)
        self._tell("counts", totals=[len(self.fola), 0])
        self.fola = []
        self._await_discard()

    def _begin(self) -> None:
        """Let the eldest of those who play declare, if it is time for that, and lead."""
        if self.rules.declare_when == "before_lead":
            self._to_declare = self.active()[:1]
        self._go_on()

    def _declarable(self) -> list[Versicola]:
        """Return the versicole that the seat to act holds and has not declared yet (section 3)."""
        if self.seat is None:
            return []
        held = versicole_of(self.hands[self.seat], matto_shown=False, **extras_of(self.rules))
        return [versicola for versicola in held if versicola.k not in self._declared]

    def _declare(self, seat: int, action: int) -> None:
        """Declare one versicola, or no more (section 3)."""
        self._tell("declare", seat=seat, action=action, cards=list(self.shown_by(action)))
        if action == DONE:
            self._declared = set()
            self._to_declare = self._to_declare[1:]
            self._go_on()
            return
        with_matto = action >= DECLARE_WITH_MATTO
        k = action - (DECLARE_WITH_MATTO if with_matto else DECLARE)
        held = versicole_of(self.hands[seat], matto_shown=with_matto, **extras_of(self.rules))
        self._declared.add(k)
        keep = self._mark if self.rules.declared_marked == "at_once" else self._defer
        keep(4, seat, next(versicola.points for versicola in held if versicola.k == k))
        self._turn(Phase.DECLARE, seat)

    def _go_on(self) -> None:
        """Give the turn to whoever has it now: to declare, to lead, to play, or to pick; else gather the trick."""
        if self._to_declare:
            self._turn(Phase.DECLARE, self._to_declare[0])
            return
        if not self.trick:
            self._turn(Phase.PLAY, self.active()[0])
            return
        if self.trick_number == 0 and self.rules.discards_shown == "after_lead":
            self._reveal()
        leader, done = self.trick[0][0], dict(self.trick)
        waiting = [seat for seat in self.active(leader) if seat not in self.dropped and seat not in done]
        if waiting:
            self._turn(Phase.PLAY, waiting[0])
        elif self.picking is not None:
            self._tell("picking", seat=self.picking)
            self._turn(Phase.PICK, self._winner())
        else:
            self._gather()

    def _winner(self) -> int:
        """Return who wins the trick: its leader, if he led the Matto and nobody else played a card himself."""
        winner = trick_winner(self.own_plays)
        return self.trick[0][0] if winner is None else winner

    def _reveal(self) -> None:
        """Turn the discards up (section 2, step 13); their trumps stay hidden from most where the rules say so."""
        if self._revealed:
            return
        self._revealed = True
        everything = [list(cards) for cards in self.discards]
        if self.rules.discard_trumps_shown:
            self._tell("shown", cards=everything)
            return
        plain = [[card for card in cards if suit_of(card) != Suit.TRUMPS] for cards in everything]
        knowers = frozenset(self._sorters())
        self._tell("shown", knowers, cards=everything)
        self._tell("shown", self.everybody - knowers, cards=plain)

    def _play(self, seat: int, card: int) -> None:
        """Play a card to the trick (section 4.1)."""
        leads = not self.trick
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        self._tell("play", seat=seat, card=card)
        self._call_to_declare(seat, leads)
        self._go_on()

    def _drop(self, seat: int, action: int) -> None:
        """Lay the hand open in place of playing on (section 7, V-1)."""
        self.dropped.add(seat)
        self._tell("drop", seat=seat, cards=sorted(self.hands[seat]))
        self._call_to_declare(seat, leads=False)
        self._go_on()

    def _call_to_declare(self, seat: int, leads: bool) -> None:
        """Note who declares after somebody's first card, or his dropping instead of it (section 3; 7.5)."""
        if self.trick_number > 0 or not self.form.declares:
            return
        if self.rules.declare_when == "after_own_card":
            self._to_declare = [seat]
        elif leads:
            self._to_declare = self.active(seat)[1 if self.rules.declare_when == "before_lead" else 0 :]

    def _pick(self, winner: int, card: int) -> None:
        """Pick the card of a dropped hand for the trick (section 7, V-1)."""
        seat = self.picking
        if seat is not None:
            self.hands[seat].remove(card)
            self.trick.append((seat, card))
            self._tell("pick", seat=seat, card=card)
        self._go_on()

    def _gather(self) -> None:
        """Give the trick to its winner and mark the deaths (sections 4.2 and 4.3)."""
        winner, led = self._winner(), led_suit(self.own_plays)
        trick, self.trick = self.trick, []
        side = self.side(winner)
        if led is not None and led != Suit.TRUMPS:
            self.opened.add(led)
        for seat, card in trick:
            owner = self.side(seat) if card == MATTO else side
            self.piles[owner].add(card)
            if card == MATTO and owner != side:
                self.debt = (owner, side)
        self.tricks[side] += 1
        self._tell("trick", winner=winner)
        self._mark_deaths(winner, trick)
        if self.trick_number == 1 and self.rules.discards_shown == "after_first_trick":
            self._reveal()
        if self.trick_number == self.rules.n_tricks:
            self._pay_for_matto()
            self._finish(winner)
        else:
            self._turn(Phase.PLAY, winner)

    def _mark_deaths(self, winner: int, trick: list[tuple[int, int]]) -> None:
        """Mark the cards that die in a trick: in one sum, or for himself against the owner of each."""
        fallen = [(seat, card) for seat, card in trick if self.side(seat) != self.side(winner) and card != MATTO]
        if not self.form.for_himself:
            self._mark(5, winner, card_points(card for _, card in fallen))
            return
        order = self.order(winner)
        for seat, card in sorted(fallen, key=lambda play: order.index(play[0])):
            self._mark_death(winner, seat, VALUES[card])

    def _mark_death(self, captor: int, owner: int, points: int) -> None:
        """Mark one death for its captor, and for who has withdrawn (sections 7.1 and 13)."""
        self._mark(5, captor, points, (owner,))
        if self.withdrawn is not None:
            self._mark(5, self.withdrawn, points, (owner,))

    def _pay_for_matto(self) -> None:
        """Hand over a card for the Matto, or the Matto, after the last trick (section 4.3, U-8)."""
        if self.debt is None:
            return
        payer, receiver = self.debt
        card: int = MATTO
        if self.tricks[payer]:
            card = matto_payment(self.piles[payer], self.piles[receiver], **extras_of(self.rules))
        self.piles[payer].remove(card)
        self.piles[receiver].add(card)
        self._tell("paid", card=card, payer=payer, receiver=receiver)
        if self.form.for_himself:
            self._mark_death(receiver, payer, VALUES[card])
        else:
            self._mark(5, receiver, VALUES[card])

    def _finish(self, winner: int) -> None:
        """Enter the final block and settle the hand with it at once (section 5.2)."""
        block = [*sorted(self.deferred, key=lambda entry: entry[0]), *self._final_block(winner)]
        for entry in block:
            self.account.enter(entry)
            self._tell_entry(entry)
        winners = [side for side, tricks in enumerate(self.tricks) if tricks == self.rules.n_tricks]
        self.account.close(block, winners[0] if winners else None)
        self._tell("resti", **self.account.state())
        self._turn(Phase.OVER, None)

    def _final_block(self, winner: int) -> list[Mark]:
        """Return items 6 to 9, and for himself the fee and the bid, which the winner of the last trick is owed."""
        sides = sorted({self.side(seat) for seat in self.active()})
        extras, par = extras_of(self.rules), self.rules.par
        block: list[Mark] = [(6, winner, LAST_TRICK, self.against(winner))]
        block += [(7, side, versicole_value(self.piles[side], **extras), self.against(side)) for side in sides]
        block += [(8, side, card_points(self.piles[side]), self.against(side)) for side in sides]
        block += [(9, side, points_above_half(len(self.piles[side]), par), self.against(side)) for side in sides]
        bidding = self.bidding
        if bidding and bidding.withdrawn is not None:
            block.append((10, winner, bidding.fee, (bidding.withdrawn,)))
        if isinstance(bidding, FolaSale) and bidding.bidder not in (None, winner):
            block.append((10, winner, bidding.highest, (bidding.bidder,)))
        return [entry for entry in block if entry[2]]
