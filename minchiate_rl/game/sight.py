"""A seat's view as JSON: what it may know of a hand, told from what it heard (docs/rules.md, section 2.1)."""

from collections.abc import Collection, Iterable
from typing import Any

from minchiate_rl.game.actions import action_name
from minchiate_rl.game.cards import SUIT_LETTERS, Suit, card_name
from minchiate_rl.game.events import Ear, Event
from minchiate_rl.game.lawbook import led_suit
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import side_of


def _codes(cards: Iterable[int]) -> list[str]:
    return [card_name(card) for card in sorted(cards)]


def _code(card: int | None) -> str | None:
    return None if card is None else card_name(card)


def _letters(suits: Iterable[Suit]) -> list[str]:
    return [SUIT_LETTERS[suit] for suit in sorted(suits)]


def _remembered(ear: Ear, memory: str) -> set[int]:
    """Return the cards of earlier tricks that the rules let a seat remember (docs/rules.md, section 7.5)."""
    if memory == "perfect":
        return set().union(*ear.piles)
    return set(ear.piles[side_of(ear.seat, ear.rules.n_sides)]) if memory == "own_tricks" else set()


def fold(heard: Iterable[Event], rules: RuleSet, seat: int) -> dict[str, Any]:
    """Return the view of a seat, made of what it heard alone.

    Args:
        heard: the events whose audience the seat belongs to, in order.
        rules: the rule set; its `memory` limits what earlier tricks add.
        seat: the absolute seat.
    """
    ear = Ear(seat, rules)
    for event in heard:
        ear.hear(event)
    return view_of(ear)


def view_of(ear: Ear) -> dict[str, Any]:
    """Return the view of a seat from what it knows by now."""
    rules = ear.rules
    memory = _remembered(ear, rules.memory)
    return {
        "rules": rules.name,
        "flags": rules.flags,
        "seat": ear.seat,
        "dealer": ear.dealer,
        **_turn_part(ear),
        **_cards_part(ear, memory),
        **_bidding_part(ear),
        **_deductions_part(ear, rules.memory == "perfect"),
        "matto": {"played_by": ear.matto_by, "owed_by": ear.matto_owed, "paid": _code(ear.matto_paid)},
        "score": list(ear.score),
        "lead": ear.lead,
        "resti": list(ear.resti),
        "tricks": list(ear.tricks),
        "pairs": [list(pair) for pair in ear.pairs],
        "match": dict(ear.match),
        "trumps_discarded": None,
        "said": [],
        "legal": [action_name(action) for action in sorted(ear.legal)],
    }


def _turn_part(ear: Ear) -> dict[str, Any]:
    led = led_suit(ear.own_plays)
    return {
        "phase": ear.phase.name.lower(),
        "to_act": None if ear.to_act < 0 else ear.to_act,
        "trick": sum(ear.tricks),
        "table": [[seat, card_name(card)] for seat, card in ear.table],
        "led": None if led is None else SUIT_LETTERS[led],
        "winner": ear.winner,
        "dropped": sorted(ear.dropped),
        "picking": ear.picking,
        "opened": _letters(ear.opened),
        "past_tricks": [
            [[seat, card_name(card)] for seat, card in trick] for trick in ear.past if ear.rules.memory == "perfect"
        ],
    }


def _cards_part(ear: Ear, memory: Collection[int]) -> dict[str, Any]:
    revealed = ear.revealed or [[], []]
    discards = [ear.own_discards[place].union(revealed[place]) for place in (0, 1)]
    gone = {*memory, *(card for _, card in ear.table)}
    if ear.revealed is not None:
        gone |= discards[0] | discards[1]
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
            "suits": ear.fola_suits,
            "public": _codes(ear.fola_public),
            "known": _codes(ear.fola_public | ear.fola_known),
        },
        "discarded": list(ear.totals),
        "revealed": ear.revealed is not None,
        "discards": [_codes(cards) for cards in discards],
        "passed": _codes(ear.passed),
        "declared": [[action_name(action) for action in sorted(actions)] for actions in ear.declared],
    }


def _bidding_part(ear: Ear) -> dict[str, Any]:
    return {
        "withdrawn": ear.withdrawn,
        "stayed": ear.stayed,
        "bids": list(ear.bids),
        "bid_passes": sorted(ear.bid_passes),
        "bidder": ear.bidder,
        "fola_user": ear.fola_user,
        "eldest_choice": ear.eldest_choice,
    }


def _deductions_part(ear: Ear, perfect: bool) -> dict[str, Any]:
    none: list[set[Suit]] = [set() for _ in ear.voids]
    return {
        "voids": [_letters(suits) for suits in (ear.voids if perfect else none)],
        "no_king": [_letters(suits) for suits in (ear.no_king if perfect else none)],
    }
