"""What happens in a hand, who hears it, and what a seat can tell from what it heard (docs/rules.md, section 2.1).

`fold` builds a seat's view from the events which that seat heard and from nothing else. It is slow and simple, and
serves as the yardstick for the views of the engine.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final

from minchiate_rl.game.actions import DONE, action_name
from minchiate_rl.game.cards import MATTO, SUIT_LETTERS, Suit, card_name, suit_of
from minchiate_rl.game.lawbook import king_of, led_suit, trick_winner
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import N_SEATS, Phase, cutter_of, side_of

EVERYBODY: Final = frozenset(range(N_SEATS))

#: The kinds of event, with what each one tells.
#:
#: | kind | data |
#: | --- | --- |
#: | deal | dealer; to each seat its own cards |
#: | rob | seat, cards, stopper |
#: | turned | seat, card |
#: | taken | cards (by the dealer) |
#: | counts | totals: how many cards the cutter and the dealer discard |
#: | fola | size, trumps (number), suits (cards) |
#: | fola_trumps | cards; to the dealer and his partner |
#: | discard | seat; to that seat also the card |
#: | shown | cards: the discards of the cutter and of the dealer |
#: | declare | seat, action, cards shown; `done` shows none |
#: | play | seat, card |
#: | trick | winner |
#: | points | item, side, points, score, lead, resti |
#: | resti | lead, resti: a payment without points |
#: | paid | card, side: what the Matto's side paid for it, or the Matto, and to whom |
#: | turn | phase, seat |
#: | act | legal; to the seat to act |
KINDS: Final = (
    "deal", "rob", "turned", "taken", "counts", "fola", "fola_trumps", "discard", "shown", "declare", "play", "trick",
    "points", "resti", "paid", "turn", "act",
)  # fmt: skip


@dataclass(frozen=True)
class Event:
    """One thing that happened, and the seats that hear of it."""

    kind: str
    audience: frozenset[int]
    data: dict[str, Any]


class Ear:
    """One seat's knowledge, with a perfect memory; it grows with each event heard."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.dealer = 0
        self.phase, self.to_act = Phase.DISCARD, -1
        self.legal: list[int] = [DONE]
        self.hand: set[int] = set()
        self.turned: list[int | None] = [None] * N_SEATS
        self.robbed: list[list[int]] = [[], []]
        self.stoppers: list[int | None] = [None, None]
        self.taken: list[int] = []
        self.totals = [0, 0]
        self.fola_size = self.fola_trumps = 0
        self.fola_public: set[int] = set()
        self.fola_known: set[int] = set()
        self.own_discards: set[int] = set()
        self.revealed: list[list[int]] | None = None
        self.shown: list[set[int]] = [set() for _ in range(N_SEATS)]
        self.declared: list[set[int]] = [set() for _ in range(N_SEATS)]
        self.table: list[tuple[int, int]] = []
        self.tricks = [0, 0]
        self.opened: set[Suit] = set()
        self.played: list[set[int]] = [set() for _ in range(N_SEATS)]
        self.piles: list[set[int]] = [set(), set()]
        self.voids: list[set[Suit]] = [set() for _ in range(N_SEATS)]
        self.no_king: list[set[Suit]] = [set() for _ in range(N_SEATS)]
        self.matto_by: int | None = None
        self.matto_owed: int | None = None
        self.matto_paid: int | None = None
        self.score, self.lead, self.resti = [0, 0], 0, [0, 0]

    def hear(self, event: Event) -> None:
        """Take in one event."""
        getattr(self, "_on_" + event.kind)(**event.data)

    def _on_deal(self, dealer: int, cards: list[int]) -> None:
        self.dealer, self.hand = dealer, set(cards)

    def _on_rob(self, seat: int, cards: list[int], stopper: int | None) -> None:
        place = 0 if seat == cutter_of(self.dealer) else 1
        self.robbed[place], self.stoppers[place] = cards, stopper
        self._see_in_hand(seat, cards)
        if stopper is not None:
            self.fola_public.add(stopper)
        if seat == self.seat:
            self.hand.update(cards)

    def _see_in_hand(self, seat: int, cards: Iterable[int]) -> None:
        self.shown[seat].update(cards)

    def _on_turned(self, seat: int, card: int) -> None:
        self.turned[seat] = card
        self._see_in_hand(seat, [card])

    def _on_taken(self, cards: list[int]) -> None:
        self.taken = cards
        self._see_in_hand(self.dealer, cards)
        if self.seat == self.dealer:
            self.hand.update(cards)

    def _on_counts(self, totals: list[int]) -> None:
        self.totals = totals

    def _on_fola(self, size: int, trumps: int, suits: list[int]) -> None:
        self.fola_size, self.fola_trumps = size, trumps
        self.fola_public.update(suits)

    def _on_fola_trumps(self, cards: list[int]) -> None:
        self.fola_known.update(cards)

    def _on_discard(self, seat: int, card: int | None = None) -> None:
        if card is not None:
            self.hand.remove(card)
            self.own_discards.add(card)

    def _on_shown(self, cards: list[list[int]]) -> None:
        self.revealed = cards

    def _on_declare(self, seat: int, action: int, cards: list[int]) -> None:
        if action != DONE:
            self.declared[seat].add(action)
            self._see_in_hand(seat, cards)

    def _on_play(self, seat: int, card: int) -> None:
        self._conclude(seat, card)
        self.table.append((seat, card))
        if seat == self.seat:
            self.hand.remove(card)
        if card == MATTO:
            self.matto_by = seat

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
        side = side_of(winner)
        led = led_suit(self.table)
        if led is not None and led != Suit.TRUMPS:
            self.opened.add(led)
        for seat, card in self.table:
            self.played[seat].add(card)
            if card == MATTO:
                self.piles[side_of(seat)].add(card)
                self.matto_owed = side_of(seat) if side_of(seat) != side else None
            else:
                self.piles[side].add(card)
        self.tricks[side] += 1
        self.table = []

    def _on_points(self, item: int, side: int, points: int, score: list[int], lead: int, resti: list[int]) -> None:
        self.score, self.lead, self.resti = score, lead, resti

    def _on_resti(self, lead: int, resti: list[int]) -> None:
        self.lead, self.resti = lead, resti

    def _on_paid(self, card: int, side: int) -> None:
        self.matto_paid = card
        self.piles[1 - side].remove(card)
        self.piles[side].add(card)

    def _on_turn(self, phase: Phase, seat: int | None) -> None:
        self.phase, self.to_act = phase, -1 if seat is None else seat
        self.legal = [DONE]

    def _on_act(self, legal: list[int]) -> None:
        self.legal = legal


def _codes(cards: Iterable[int]) -> list[str]:
    return [card_name(card) for card in sorted(cards)]


def _code(card: int | None) -> str | None:
    return None if card is None else card_name(card)


def _letters(suits: Iterable[Suit]) -> list[str]:
    return [SUIT_LETTERS[suit] for suit in sorted(suits)]


def _remembered(ear: Ear, memory: str) -> set[int]:
    """Return the cards of earlier tricks that the rules let a seat remember (docs/rules.md, section 7.5)."""
    if memory == "perfect":
        return ear.piles[0] | ear.piles[1]
    return set(ear.piles[side_of(ear.seat)]) if memory == "own_tricks" else set()


def fold(heard: Iterable[Event], rules: RuleSet, seat: int) -> dict[str, Any]:
    """Return the view of a seat, made of what it heard alone.

    Args:
        heard: the events whose audience the seat belongs to, in order.
        rules: the rule set; its `memory` limits what earlier tricks add.
        seat: the absolute seat.
    """
    ear = Ear(seat)
    for event in heard:
        ear.hear(event)
    return view_of(ear, rules)


def view_of(ear: Ear, rules: RuleSet) -> dict[str, Any]:
    """Return the view of a seat from what it knows by now."""
    memory = _remembered(ear, rules.memory)
    return {
        "rules": rules.name,
        "flags": rules.flags,
        "seat": ear.seat,
        "dealer": ear.dealer,
        **_turn_part(ear),
        **_cards_part(ear, memory),
        **_deductions_part(ear, rules.memory == "perfect"),
        "matto": {"played_by": ear.matto_by, "owed_by": ear.matto_owed, "paid": _code(ear.matto_paid)},
        "score": list(ear.score),
        "lead": ear.lead,
        "resti": list(ear.resti),
        "tricks": list(ear.tricks),
        "legal": [action_name(action) for action in sorted(ear.legal)],
    }


def _turn_part(ear: Ear) -> dict[str, Any]:
    led = led_suit(ear.table)
    return {
        "phase": ear.phase.name.lower(),
        "to_act": None if ear.to_act < 0 else ear.to_act,
        "trick": sum(ear.tricks),
        "table": [[seat, card_name(card)] for seat, card in ear.table],
        "led": None if led is None else SUIT_LETTERS[led],
        "winner": trick_winner(ear.table),
        "opened": _letters(ear.opened),
    }


def _cards_part(ear: Ear, memory: Collection[int]) -> dict[str, Any]:
    revealed = ear.revealed or [[], []]
    gone = {*memory, *(card for _, card in ear.table), *revealed[0], *revealed[1]}
    own = (cutter_of(ear.dealer), ear.dealer)
    discards = [ear.own_discards if own[place] == ear.seat else revealed[place] for place in (0, 1)]
    return {
        "hand": _codes(ear.hand),
        "played": [_codes(cards & set(memory)) for cards in ear.played],
        "piles": [_codes(pile & set(memory)) for pile in ear.piles],
        "shown": [_codes(cards - gone) for cards in ear.shown],
        "turned": [_code(card) for card in ear.turned],
        "robbed": {"cutter": _codes(ear.robbed[0]), "dealer": _codes(ear.robbed[1])},
        "taken": _codes(ear.taken),
        "stoppers": [_code(card) for card in ear.stoppers],
        "fola": {
            "size": ear.fola_size,
            "trumps": ear.fola_trumps,
            "public": _codes(ear.fola_public),
            "known": _codes(ear.fola_public | ear.fola_known),
        },
        "discarded": list(ear.totals),
        "revealed": ear.revealed is not None,
        "discards": [_codes(cards) for cards in discards],
        "declared": [[action_name(action) for action in sorted(actions)] for actions in ear.declared],
    }


def _deductions_part(ear: Ear, perfect: bool) -> dict[str, Any]:
    none: list[set[Suit]] = [set() for _ in range(N_SEATS)]
    return {
        "voids": [_letters(suits) for suits in (ear.voids if perfect else none)],
        "no_king": [_letters(suits) for suits in (ear.no_king if perfect else none)],
    }
