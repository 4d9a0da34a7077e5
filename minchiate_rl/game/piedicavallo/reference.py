"""A hand of Piedicavallo in plain Python, decision by decision (docs/piedicavallo.md).

`PiedicavalloHand` has the same face as the classic game's `ReferenceHand`, and is likewise written to be read: it logs
each event with the seats that hear it, so that a seat's view is the fold of what it heard (events.py).
"""

from collections.abc import Sequence
from typing import Any

from minchiate_rl.errors import IllegalAction, InvalidNotation
from minchiate_rl.game.actions import DONE, action_name
from minchiate_rl.game.cards import MATTO, Card, Suit, card_name, suit_of
from minchiate_rl.game.events import Event, Listened
from minchiate_rl.game.lawbook import led_suit, trick_winner
from minchiate_rl.game.piedicavallo.events import EVERYBODY, Ear, view_of
from minchiate_rl.game.piedicavallo.lawbook import (
    N_DISCARDS,
    N_TRICKS,
    deal,
    legal_cards,
    legal_discards,
    owners_at_the_end,
    score_of,
)
from minchiate_rl.game.piedicavallo.speech import Message
from minchiate_rl.game.piedicavallo.truth import Situation
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import N_SEATS, N_SIDES, Phase, cutter_of, eldest_of, side_of


class PiedicavalloHand(Listened[Ear]):
    """One hand of Piedicavallo, from the deal to the count.

    Attributes:
        rules: the rule set; its `speech` says whether players speak.
        pack: the 62 card numbers after the shuffle, top first.
        cut: how many cards went from the top to the bottom.
        dealer: the dealer's seat.
        seat: who acts; None when the hand is over.
        phase: what kind of decision the hand waits for.
        hands: the cards held, by seat.
        discards: what the cutter (nothing) and the dealer laid away.
        trick: `(seat, card)` on the table, in order of play.
        opened: plain suits led in a finished trick.
        piles: each side's trick pile.
        tricks: the number of tricks that each side has won.
        messages: what has been said, one for each card played where players speak; the last may be on its way.
        entries: empty; nothing is marked before the end.
        score: the points of each side; 0 until the end.
        lead, resti: 0; this game has neither.
        actions: the decisions taken.
        events: everything that happened, with its audience.
    """

    def __init__(self, rules: RuleSet, pack: Sequence[int], cut: int, dealer: int) -> None:
        """Deal a hand; it then waits for the dealer's discards.

        Raises:
            RecordError: the pack does not hold every card once, or the cut or the dealer is out of range.
        """
        dealt = deal(pack, cut, dealer)
        self.rules = rules
        self.pack, self.cut, self.dealer = list(pack), cut, dealer
        self.cutter, self.eldest = cutter_of(dealer), eldest_of(dealer)
        self.seat: int | None = None
        self.phase = Phase.DISCARD
        self.hands: list[set[int]] = [set(cards) for cards in dealt]
        self.discards: tuple[list[int], list[int]] = ([], [])
        self.trick: list[tuple[int, int]] = []
        self.opened: set[Suit] = set()
        self.piles: tuple[set[int], set[int]] = (set(), set())
        self.tricks = [0] * N_SIDES
        self.messages: list[tuple[int, Message]] = []
        self.entries: list[tuple[int, int, int]] = []
        self.score, self.lead, self.resti = [0] * N_SIDES, 0, [0] * N_SIDES
        self.actions: list[int] = []
        self._listen([Ear(listener) for listener in range(N_SEATS)])
        self._seen: set[int] = set()
        self._legal: frozenset[int] = frozenset()
        for seat in range(N_SEATS):
            self._tell("deal", frozenset({seat}), dealer=dealer, cards=list(dealt[seat]))
        self._turn(Phase.DISCARD, dealer)

    @property
    def trick_number(self) -> int:
        """How many tricks are finished."""
        return sum(self.tricks)

    def legal(self) -> set[int]:
        """Return the numbers of the legal actions; the empty set when the hand is over."""
        return set(self._legal)

    def _legal_now(self, seat: int) -> set[int]:
        hand = self.hands[seat]
        if self.phase == Phase.DISCARD:
            laid = self.discards[1]
            return legal_discards(hand | set(laid), laid[0] if laid else None)
        if self.phase == Phase.PLAY:
            return legal_cards(hand, self.trick)
        return self.messages[-1][1].legal()

    def step(self, action: int) -> None:
        """Take one decision for the seat to act.

        Raises:
            IllegalAction: the rules do not allow it here; nothing has changed.
        """
        if self.seat is None:
            raise IllegalAction("the hand is over: no action is allowed")
        if action not in self._legal:
            raise IllegalAction(self._why_illegal(action))
        self.actions.append(int(action))
        if self.phase == Phase.DISCARD:
            self._discard(self.seat, Card(action))
        elif self.phase == Phase.PLAY:
            self._play(self.seat, Card(action))
        else:
            self._say(self.seat, action)

    def _why_illegal(self, action: int) -> str:
        try:
            name = action_name(action)
        except InvalidNotation:
            name = f"action {action}"
        allowed = ", ".join(map(action_name, sorted(self._legal)))
        kind = {Phase.DISCARD: "discard", Phase.PLAY: "play", Phase.SPEAK: "say"}[self.phase]
        return f"seat {self.seat} may not {kind} {name}; allowed: {allowed}"

    def view(self, seat: int) -> dict[str, Any]:
        """Return what a seat may know, made of the events that it heard; equal to `fold` over `heard`."""
        return view_of(self._ear(seat), self.rules)

    def result(self) -> dict[str, Any]:
        """Return the result in the form of a record: score, tricks."""
        return {"score": list(self.score), "tricks": list(self.tricks)}

    def situation(self, seat: int) -> Situation:
        """Return what decides on the truth of what a seat says, whose card has just fallen."""
        _, card = self.trick[-1]
        partners = [message for speaker, message in self.messages if speaker == (seat + 2) % N_SEATS]
        return Situation(
            card=card,
            hand=frozenset(self.hands[seat]),
            played=frozenset(self._seen),
            place=len(self.trick) - 1,
            slept=frozenset(self.discards[1]) if seat == self.dealer else None,
            partner_named=frozenset(named for message in partners for named in message.named_cards),
            partner_high=any(message.announces_high for message in partners),
            requests=self.rules.speech == "full",
        )

    def _tell(self, kind: str, audience: frozenset[int] = EVERYBODY, **data: Any) -> None:
        self.events.append(Event(kind, audience, data))

    def _turn(self, phase: Phase, seat: int | None) -> None:
        self.phase, self.seat = phase, seat
        self._legal = frozenset() if seat is None else frozenset(self._legal_now(seat))
        self._tell("turn", phase=phase, seat=seat)
        if seat is not None:
            self._tell("act", frozenset({seat}), legal=sorted(self._legal))

    def _discard(self, seat: int, card: Card) -> None:
        """Lay one of two cards away, face down; then tell how many trumps lie there (section 10.2)."""
        self.hands[seat].remove(card)
        laid = self.discards[1]
        laid.append(card)
        self._tell("discard", frozenset({seat}), card=card)
        if len(laid) < N_DISCARDS:
            self._turn(Phase.DISCARD, seat)
            return
        self._tell("announce", trumps=sum(suit_of(card) == Suit.TRUMPS for card in laid))
        self._turn(Phase.PLAY, self.eldest)

    def _play(self, seat: int, card: Card) -> None:
        """Play a card to the trick (section 10.3); its player then speaks, where players speak."""
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        self._seen.add(card)
        self._tell("play", seat=seat, card=card)
        if self.rules.speaks:
            self.messages.append((seat, Message(self.situation(seat))))
            self._turn(Phase.SPEAK, seat)
        else:
            self._pass_on(seat)

    def _say(self, seat: int, item: int) -> None:
        """Say one item, or end the message (section 10.4)."""
        self.messages[-1][1].say(item)
        if item == DONE:
            self._pass_on(seat)
            return
        self._tell("say", item=item)
        self._turn(Phase.SPEAK, seat)

    def _pass_on(self, seat: int) -> None:
        if len(self.trick) == N_SEATS:
            self._gather()
        else:
            self._turn(Phase.PLAY, (seat + 1) % N_SEATS)

    def _gather(self) -> None:
        """Give the trick to its winner; the Matto stays with the side that played it (section 10.3)."""
        trick, self.trick = self.trick, []
        winner, led = trick_winner(trick), led_suit(trick)
        if winner is None or led is None:
            raise IllegalAction("a trick of four cards has a winner")
        if led != Suit.TRUMPS:
            self.opened.add(led)
        for player, card in trick:
            self.piles[side_of(player if card == MATTO else winner)].add(card)
        self.tricks[side_of(winner)] += 1
        self._tell("trick", winner=winner)
        if self.trick_number == N_TRICKS:
            self._finish()
        else:
            self._turn(Phase.PLAY, winner)

    def _finish(self) -> None:
        """Count the points; who has won no trick loses the Matto and the discards (section 10.5)."""
        matto_side = 0 if MATTO in self.piles[0] else 1
        matto_owner, discards_owner = owners_at_the_end(self.tricks, matto_side, side_of(self.dealer))
        if matto_owner != matto_side:
            self.piles[matto_side].remove(MATTO)
            self.piles[matto_owner].add(MATTO)
            self._tell("matto", side=matto_owner)
        self.score = list(score_of(self.piles, self.discards[1], discards_owner))
        self._tell("score", score=list(self.score))
        self._turn(Phase.OVER, None)

    def __repr__(self) -> str:
        """Tell where the hand stands."""
        table = " ".join(f"{seat}:{card_name(card)}" for seat, card in self.trick)
        return (
            f"<PiedicavalloHand {self.phase.name.lower()} seat={self.seat} trick={self.trick_number} table=[{table}]>"
        )
