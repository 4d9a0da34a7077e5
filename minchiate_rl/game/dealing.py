"""How a pack becomes hands: cutting, robbing, dealing, searching the fola (docs/rules.md, sections 2, 7 and 13).

Plain Python, for the reference; the kernels have their own writing of it in game/engine.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from minchiate_rl.errors import RecordError
from minchiate_rl.game.cards import FIRST_TRUMP, KINGS, ROBBABLE, UNDISCARDABLE, Card, trump
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import eldest_of

MIN_CUT: Final = 3
MAX_CUT: Final = 94

_CLASSIC: Final = RuleSet("classic")


@dataclass(frozen=True)
class Deal:
    """What lies where after the dealer has searched the fola, before anybody discards."""

    dealt: tuple[tuple[Card, ...], ...]
    """The cards dealt to each seat, in the order dealt: a whole hand, or less where the pack ended before."""
    turned: tuple[Card | None, ...]
    """The last card of each seat's second packet, which all see; None without such a packet."""
    robbed: tuple[tuple[Card, ...], tuple[Card, ...]]
    """What the cutter and the dealer robbed, in order."""
    stoppers: tuple[Card | None, Card | None]
    """The worthless card that ended the robbing of the cutter and of the dealer, if one was seen."""
    taken: tuple[Card, ...]
    """What the dealer took out of the fola."""
    fola: tuple[Card, ...]
    """What is left of the fola."""
    fola_dealt: int
    """The size of the fola before the dealer robbed."""


def _rob(cards: Sequence[Card], limit: int) -> tuple[tuple[Card, ...], Card | None]:
    """Take robbable cards one after another; return them, and the card that stopped it."""
    robbed: list[Card] = []
    for card in cards[: limit + 1]:
        if len(robbed) == limit:
            break
        if card not in ROBBABLE:
            return tuple(robbed), card
        robbed.append(card)
    return tuple(robbed), None


def _takes(card: Card, with_cards: Collection[Card], take_29: str) -> bool:
    """Tell whether the dealer takes a card out of the fola (step 8; for the 29, section 7, V-7)."""
    if card != trump(29) or take_29 == "always":
        return card in UNDISCARDABLE
    joins = (trump(28) in with_cards, trump(30) in with_cards, trump(31) in with_cards)
    return take_29 == "if_usable" and joins[1] and (joins[0] or joins[2])


def _check(pack: Sequence[int], cut: int, dealer: int, rules: RuleSet) -> list[Card]:
    """Return the pack as cards, after refusing what cannot be dealt."""
    if sorted(pack) != sorted(rules.cards):
        raise RecordError(f"pack: it must hold each of the {len(rules.cards)} cards once")
    bottom = pack[-1]
    if rules.bottom_check and (bottom >= FIRST_TRUMP or bottom in KINGS):
        raise RecordError("pack: its bottom card must be a worthless suit card, as bottom_check asks")
    if rules.form.deal == "plain":
        if cut != 0:
            raise RecordError(f"cut: {cut} is not allowed; this pack is not cut, so it must be 0")
    elif not MIN_CUT <= cut <= MAX_CUT:
        raise RecordError(f"cut: {cut} is not allowed; {MIN_CUT} to {MAX_CUT} cards are lifted")
    if not 0 <= dealer < rules.n_seats:
        raise RecordError(f"dealer: {dealer} is no seat; seats are 0 to {rules.n_seats - 1}")
    return [Card(int(card)) for card in pack]


def deal(pack: Sequence[int], cut: int, dealer: int, rules: RuleSet = _CLASSIC) -> Deal:
    """Cut, rob, deal, rob again and search the fola.

    Args:
        pack: the card numbers after the shuffle, top first.
        cut: how many cards the cutter lifts off the top, 3 to 94; 0 in the games that do not cut.
        dealer: the dealer's seat.
        rules: what the hand is made of, who robs and how far, and which cards the dealer takes.

    Raises:
        RecordError: the pack does not hold every card once, or its bottom card is not what the rules want, or the cut
            or the dealer is out of range.
    """
    cards, form = _check(pack, cut, dealer, rules), rules.form
    order = [(eldest_of(dealer, rules.n_seats) + place) % rules.n_seats for place in range(rules.n_seats)]
    if form.deal == "plain":
        return _deal_plainly(cards, order, rules.n_tricks)
    limit = len(cards) if rules.rob_limit is None else rules.rob_limit
    robbed: tuple[Card, ...] = ()
    stopper: Card | None = None
    if form.robs:
        robbed, stopper = _rob(cards[:cut][::-1], limit)
    rest = cards[cut:] + cards[: cut - len(robbed)]

    dealt: list[list[Card]] = [[] for _ in order]
    turned: list[Card | None] = [None for _ in order]
    for size in (form.first_packet, rules.n_tricks - form.first_packet):
        for seat in order:
            packet, rest = rest[:size], rest[size:]
            dealt[seat] += packet
            turned[seat] = packet[-1] if packet else None
    fola_dealt = len(rest)

    dealer_robbed, dealer_stopper = _rob(rest, len(rest)) if form.robs else ((), None)
    rest = rest[len(dealer_robbed) :]
    with_cards = {*dealt[dealer], *dealer_robbed, *(card for card in rest if card in UNDISCARDABLE)}
    taken = tuple(card for card in rest if form.extracts and _takes(card, with_cards, rules.take_29))
    return Deal(
        dealt=tuple(map(tuple, dealt)),
        turned=tuple(turned),
        robbed=(robbed, dealer_robbed),
        stoppers=(stopper, dealer_stopper),
        taken=taken,
        fola=tuple(card for card in rest if card not in taken),
        fola_dealt=fola_dealt,
    )


def _deal_plainly(cards: list[Card], order: list[int], size: int) -> Deal:
    """Deal one packet each from the top; the rest lies unseen (section 13, small decks)."""
    packets = {seat: tuple(cards[place * size : (place + 1) * size]) for place, seat in enumerate(order)}
    rest = tuple(cards[len(order) * size :])
    return Deal(
        dealt=tuple(packets[seat] for seat in sorted(order)),
        turned=(None,) * len(order),
        robbed=((), ()),
        stoppers=(None, None),
        taken=(),
        fola=rest,
        fola_dealt=len(rest),
    )
