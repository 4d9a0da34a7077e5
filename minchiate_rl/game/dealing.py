"""How a pack becomes four hands: cutting, robbing, dealing, searching the fola (docs/rules.md, section 2).

Plain Python, for the reference; the kernels have their own writing of it in game/engine.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from minchiate_rl.errors import RecordError
from minchiate_rl.game.cards import N_CARDS, ROBBABLE, UNDISCARDABLE, Card, trump
from minchiate_rl.game.seats import N_SEATS, eldest_of

MIN_CUT: Final = 3
MAX_CUT: Final = 94
MAX_ROBBED: Final = 13
FIRST_PACKET: Final = 10
SECOND_PACKET: Final = 11


@dataclass(frozen=True)
class Deal:
    """What lies where after the dealer has searched the fola, before anybody discards."""

    dealt: tuple[tuple[Card, ...], ...]
    """The 21 cards dealt to each seat, in the order dealt."""
    turned: tuple[Card, ...]
    """The last card of each seat's second packet, which all see."""
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


def deal(pack: Sequence[int], cut: int, dealer: int, take_29: str = "always") -> Deal:
    """Cut, rob, deal, rob again and search the fola.

    Args:
        pack: the 97 card numbers after the shuffle, top first.
        cut: how many cards the cutter lifts off the top, 3 to 94.
        dealer: the dealer's seat.
        take_29: which 29 is taken out of the fola: "always", "if_usable" or "never".

    Raises:
        RecordError: the pack does not hold every card once, or the cut or the dealer is out of range.
    """
    if sorted(pack) != list(range(N_CARDS)):
        raise RecordError(f"pack: it must hold each of the {N_CARDS} cards once")
    if not MIN_CUT <= cut <= MAX_CUT:
        raise RecordError(f"cut: {cut} is not allowed; {MIN_CUT} to {MAX_CUT} cards are lifted")
    if not 0 <= dealer < N_SEATS:
        raise RecordError(f"dealer: {dealer} is no seat; seats are 0 to {N_SEATS - 1}")
    cards = [Card(int(card)) for card in pack]
    cutter_robbed, cutter_stopper = _rob(cards[:cut][::-1], MAX_ROBBED)
    rest = cards[cut:] + cards[: cut - len(cutter_robbed)]

    order = [(eldest_of(dealer) + place) % N_SEATS for place in range(N_SEATS)]
    dealt: list[list[Card]] = [[] for _ in range(N_SEATS)]
    for size in (FIRST_PACKET, SECOND_PACKET):
        for seat in order:
            dealt[seat] += rest[:size]
            rest = rest[size:]
    fola_dealt = len(rest)

    dealer_robbed, dealer_stopper = _rob(rest, len(rest))
    rest = rest[len(dealer_robbed) :]
    with_cards = {*dealt[dealer], *dealer_robbed, *(card for card in rest if card in UNDISCARDABLE)}
    taken = tuple(card for card in rest if _takes(card, with_cards, take_29))
    return Deal(
        dealt=tuple(map(tuple, dealt)),
        turned=tuple(hand[-1] for hand in dealt),
        robbed=(cutter_robbed, dealer_robbed),
        stoppers=(cutter_stopper, dealer_stopper),
        taken=taken,
        fola=tuple(card for card in rest if card not in taken),
        fola_dealt=fola_dealt,
    )
