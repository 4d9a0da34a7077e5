"""What happens in a hand of Piedicavallo, who hears it, and the view that a seat can make of it.

As in game/events.py a view is made from the events which a seat heard and from nothing else. The views of all games
have the same keys; those of things that this game does not have are empty.
"""

from collections.abc import Iterable
from typing import Any, Final

from minchiate_rl.game.actions import DONE, action_name
from minchiate_rl.game.cards import MATTO, SUIT_LETTERS, Suit, card_name, suit_of
from minchiate_rl.game.events import Event
from minchiate_rl.game.lawbook import led_suit, trick_winner
from minchiate_rl.game.piedicavallo.lawbook import N_DISCARDS
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import N_SEATS, N_SIDES, Phase, side_of

EVERYBODY: Final = frozenset(range(N_SEATS))

#: The kinds of event, with what each one tells.
#:
#: | kind | data |
#: | --- | --- |
#: | deal | dealer; to each seat its own cards |
#: | discard | to the dealer the card |
#: | announce | trumps: how many trumps the dealer has laid away, once both cards lie |
#: | play | seat, card |
#: | say | item: of the player whose card fell last |
#: | trick | winner |
#: | matto | side: who counts the Matto in the end, where its own side has won no trick |
#: | score | score |
#: | turn | phase, seat |
#: | act | legal; to the seat to act |
KINDS: Final = ("deal", "discard", "announce", "play", "say", "trick", "matto", "score", "turn", "act")


class Ear:
    """One seat's knowledge, with a perfect memory; it grows with each event heard."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.dealer = 0
        self.phase, self.to_act = Phase.DISCARD, -1
        self.legal: list[int] = [DONE]
        self.hand: set[int] = set()
        self.own_discards: set[int] = set()
        self.trumps_discarded: int | None = None
        self.table: list[tuple[int, int]] = []
        self.tricks = [0] * N_SIDES
        self.past: list[list[tuple[int, int]]] = []
        self.opened: set[Suit] = set()
        self.played: list[set[int]] = [set() for _ in range(N_SEATS)]
        self.piles: list[set[int]] = [set() for _ in range(N_SIDES)]
        self.voids: list[set[Suit]] = [set() for _ in range(N_SEATS)]
        self.matto_by: int | None = None
        self.said: list[tuple[int, int, list[int]]] = []
        self.score = [0] * N_SIDES

    def hear(self, event: Event) -> None:
        """Take in one event."""
        getattr(self, "_on_" + event.kind)(**event.data)

    def _on_deal(self, dealer: int, cards: list[int]) -> None:
        self.dealer, self.hand = dealer, set(cards)

    def _on_discard(self, card: int) -> None:
        self.hand.remove(card)
        self.own_discards.add(card)

    def _on_announce(self, trumps: int) -> None:
        self.trumps_discarded = trumps

    def _on_play(self, seat: int, card: int) -> None:
        led = led_suit(self.table)
        if led is not None and card != MATTO and suit_of(card) != led:
            self.voids[seat].add(led)
            if suit_of(card) != Suit.TRUMPS:
                self.voids[seat].add(Suit.TRUMPS)
        self.table.append((seat, card))
        self.said.append((seat, card, []))
        if seat == self.seat:
            self.hand.remove(card)
        if card == MATTO:
            self.matto_by = seat

    def _on_say(self, item: int) -> None:
        self.said[-1][2].append(item)

    def _on_trick(self, winner: int) -> None:
        led = led_suit(self.table)
        if led is not None and led != Suit.TRUMPS:
            self.opened.add(led)
        for seat, card in self.table:
            self.played[seat].add(card)
            self.piles[side_of(seat if card == MATTO else winner)].add(card)
        self.tricks[side_of(winner)] += 1
        self.past.append(self.table)
        self.table = []

    def _on_matto(self, side: int) -> None:
        self.piles[1 - side].remove(MATTO)
        self.piles[side].add(MATTO)

    def _on_score(self, score: list[int]) -> None:
        self.score = score

    def _on_turn(self, phase: Phase, seat: int | None) -> None:
        self.phase, self.to_act = phase, -1 if seat is None else seat
        self.legal = [DONE]

    def _on_act(self, legal: list[int]) -> None:
        self.legal = legal


def fold(heard: Iterable[Event], rules: RuleSet, seat: int) -> dict[str, Any]:
    """Return the view of a seat, made of what it heard alone.

    Args:
        heard: the events whose audience the seat belongs to, in order.
        rules: the rule set.
        seat: the absolute seat.
    """
    ear = Ear(seat)
    for event in heard:
        ear.hear(event)
    return view_of(ear, rules)


def view_of(ear: Ear, rules: RuleSet) -> dict[str, Any]:
    """Return the view of a seat from what it knows by now."""
    led = led_suit(ear.table)
    return {
        "rules": rules.name,
        "flags": dict(rules.flags),
        "seat": ear.seat,
        "dealer": ear.dealer,
        "phase": ear.phase.name.lower(),
        "to_act": None if ear.to_act < 0 else ear.to_act,
        "trick": sum(ear.tricks),
        "hand": _codes(ear.hand),
        "table": [[seat, card_name(card)] for seat, card in ear.table],
        "led": None if led is None else SUIT_LETTERS[led],
        "winner": trick_winner(ear.table),
        "opened": _letters(ear.opened),
        "past_tricks": [[[seat, card_name(card)] for seat, card in trick] for trick in ear.past],
        "played": [_codes(cards) for cards in ear.played],
        "piles": [_codes(pile) for pile in ear.piles],
        "discarded": [0, N_DISCARDS],
        "discards": [[], _codes(ear.own_discards)],
        "trumps_discarded": ear.trumps_discarded,
        "voids": [_letters(suits) for suits in ear.voids],
        "matto": {"played_by": ear.matto_by, "owed_by": None, "paid": None},
        "said": _said(ear) if rules.speaks else [],
        "score": list(ear.score),
        "tricks": list(ear.tricks),
        "legal": [action_name(action) for action in sorted(ear.legal)],
        **_what_this_game_has_not(),
    }


def _what_this_game_has_not() -> dict[str, Any]:
    """Return the keys of the other games' views, empty."""
    return {
        "shown": [[] for _ in range(N_SEATS)],
        "turned": [None] * N_SEATS,
        "robbed": {"cutter": [], "dealer": []},
        "taken": [],
        "stoppers": [None, None],
        "fola": {"size": 0, "trumps": None, "suits": None, "public": [], "known": []},
        "passed": [],
        "revealed": False,
        "declared": [[] for _ in range(N_SEATS)],
        "no_king": [[] for _ in range(N_SEATS)],
        "lead": 0,
        "resti": [0] * N_SIDES,
        "withdrawn": None,
        "stayed": 0,
        "dropped": [],
        "picking": None,
        "bids": [0] * N_SEATS,
        "bid_passes": [],
        "bidder": None,
        "fola_user": None,
        "eldest_choice": None,
        "pairs": [],
        "match": {"hand": 0, "hands": 0, "resti": [0] * N_SEATS},
    }


def _said(ear: Ear) -> list[list[Any]]:
    return [[seat, card_name(card), [action_name(item) for item in items]] for seat, card, items in ear.said]


def _codes(cards: Iterable[int]) -> list[str]:
    return [card_name(card) for card in sorted(cards)]


def _letters(suits: Iterable[Suit]) -> list[str]:
    return [SUIT_LETTERS[suit] for suit in sorted(suits)]
