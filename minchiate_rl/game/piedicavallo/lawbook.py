"""The rules of Piedicavallo as plain functions over cards (docs/rules.md, section 10; docs/piedicavallo.md).

Cards have the numbers of the 97-card pack, 62 of which are in play; inside a suit the number is the strength in the
trick. What may be said is in speech.py, how a hand runs in reference.py.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from minchiate_rl.errors import RecordError
from minchiate_rl.game import lawbook
from minchiate_rl.game.cards import FIRST_TRUMP, KINGS, MATTO, SUIT_SIZE, Card, Suit, suit_of, trump
from minchiate_rl.game.forms import GAMES
from minchiate_rl.game.seats import N_SEATS, eldest_of

PACK: Final[tuple[Card, ...]] = GAMES["piedicavallo"].cards
"""The 62 cards, in the order of the new pack."""

HAND_SIZE: Final = 15
N_DISCARDS: Final = 2
N_TRICKS: Final = HAND_SIZE
TOTAL: Final = 114
HALF: Final = 57

HIGHEST_TRUMP: Final = trump(21)
BAGATTO: Final = trump(1)
COURTS: Final = "KQNJ"
"""King, queen, knight (cavallo), page (fante): the ranks that may be named, from the highest."""

_CARDS_OF: Final = {
    suit: tuple(sorted((card for card in PACK if suit_of(card) == suit), reverse=True)) for suit in Suit
}
_PLAIN_SUITS: Final = (Suit.CUPS, Suit.COINS, Suit.SWORDS, Suit.BATONS)
_COURT_POINTS: Final = {"K": 5, "Q": 4, "N": 3, "J": 2}


def court(suit: int, rank: str) -> Card:
    """Return the court card of a plain suit by its rank: K, Q, N or J."""
    return Card(SUIT_SIZE * suit + SUIT_SIZE - 1 - COURTS.index(rank))


def rank_of(card: int) -> str | None:
    """Return the rank of a court card; None for every other card."""
    place = SUIT_SIZE - 1 - card % SUIT_SIZE
    return COURTS[place] if card < FIRST_TRUMP and place < len(COURTS) else None


def is_pip(card: int) -> bool:
    """Tell whether a card is a numbered card of a plain suit."""
    return card < FIRST_TRUMP and rank_of(card) is None


def cards_of(suit: Suit) -> tuple[Card, ...]:
    """Return the cards of a suit, or the trumps, that are in the pack, the highest first."""
    return _CARDS_OF[suit]


def opposite_suits(suit: int) -> tuple[Suit, Suit]:
    """Return the two suits of the other colour: cups and coins are red, swords and batons black."""
    return (Suit.SWORDS, Suit.BATONS) if suit in (Suit.CUPS, Suit.COINS) else (Suit.CUPS, Suit.COINS)


def points_of(card: int) -> int:
    """Return what a card is worth: 5, 4, 3, 2 for the high ones, 1 for every other (section 10.1)."""
    if card in (HIGHEST_TRUMP, BAGATTO, MATTO):
        return 5
    return _COURT_POINTS.get(rank_of(card) or "", 1)


def sum_of_points(cards: Iterable[int]) -> int:
    """Return the sum of the points of cards."""
    return sum(points_of(card) for card in cards)


def deal(pack: Sequence[int], cut: int, dealer: int) -> list[list[Card]]:
    """Return the hands by seat: 15 cards each from the dealer's right on, 17 for the dealer (section 10.2).

    Args:
        pack: the 62 card numbers after the shuffle, top first.
        cut: how many cards go from the top to the bottom; 0 if the cut is declined.
        dealer: the dealer's seat.

    Raises:
        RecordError: the pack does not hold every card once, or the cut or the dealer is out of range.
    """
    if sorted(pack) != sorted(PACK):
        raise RecordError(f"pack: it must hold each of the {len(PACK)} cards once")
    if not 0 <= cut < len(PACK):
        raise RecordError(f"cut: {cut} is not allowed; 0 to {len(PACK) - 1} cards go to the bottom")
    if not 0 <= dealer < N_SEATS:
        raise RecordError(f"dealer: {dealer} is no seat; seats are 0 to {N_SEATS - 1}")
    cards = [Card(int(card)) for card in (*pack[cut:], *pack[:cut])]
    hands: list[list[Card]] = [[] for _ in range(N_SEATS)]
    for place in range(N_SEATS):
        seat = (eldest_of(dealer) + place) % N_SEATS
        size = HAND_SIZE + N_DISCARDS if seat == dealer else HAND_SIZE
        hands[seat], cards = cards[:size], cards[size:]
    return hands


def is_discardable_pair(pair: Collection[int], hand: Collection[int]) -> bool:
    """Tell whether the dealer may lay two cards away (section 10.2).

    Never a king, trump 21, trump 1 or the Matto. A trump only if, after the discard, no plain card but kings is left,
    or no trump is left.

    Args:
        pair: the two cards.
        hand: the 17 cards dealt, the pair among them.
    """
    plain = {card for card in hand if card < FIRST_TRUMP and card not in KINGS}
    trumps = {card for card in hand if suit_of(card) == Suit.TRUMPS}
    discardable = plain | (trumps - {HIGHEST_TRUMP, BAGATTO})
    if not set(pair) <= discardable:
        return False
    return not trumps & set(pair) or plain <= set(pair) or trumps <= set(pair)


def legal_discards(hand: Collection[int], first: int | None = None) -> set[int]:
    """Return what the dealer may lay away next, one card at a time.

    Args:
        hand: the 17 cards dealt, those already laid away among them.
        first: the first of the two, once it lies.

    Returns:
        The cards that make a legal pair with `first`; before it those that make one with some other card.
    """
    firsts = hand if first is None else [first]
    return {
        card
        for card in hand
        if card != first and any(other != card and is_discardable_pair((card, other), hand) for other in firsts)
    }


def legal_cards(hand: Collection[int], trick: Sequence[tuple[int, int]]) -> set[int]:
    """Return the cards that may be played: as at Minchiate, but without the king rule (section 10.3).

    Args:
        hand: card numbers of the player to act.
        trick: `(seat, card)` on the table, in order of play.
    """
    # The king rule holds for the first lead of a suit alone; here every suit counts as led before.
    return lawbook.legal_cards(hand, trick, _PLAIN_SUITS)


def owners_at_the_end(tricks: Sequence[int], matto_side: int, dealer_side: int) -> tuple[int, int]:
    """Return the sides that count the Matto and the discards (sections 10.2, 10.3 and 10.5).

    Each stays with its own side, if that side won a trick; else the other side counts it.

    Args:
        tricks: tricks won by each side.
        matto_side: the side that played the Matto.
        dealer_side: the side that discarded.
    """
    matto, discards = (side if tricks[side] else 1 - side for side in (matto_side, dealer_side))
    return matto, discards


def score_of(piles: Sequence[Collection[int]], discards: Collection[int], discards_side: int) -> tuple[int, int]:
    """Return the points of both sides; they sum to 114.

    Args:
        piles: each side's cards after the last trick, the Matto with the side that counts it.
        discards: the two cards laid away.
        discards_side: the side that counts them.
    """
    first, second = (
        sum_of_points(pile) + (sum_of_points(discards) if side == discards_side else 0)
        for side, pile in enumerate(piles)
    )
    return first, second


def is_vola(tricks: Sequence[int]) -> bool:
    """Tell whether one side has won all tricks: it then has all 114 points (section 10.5)."""
    return N_TRICKS in tricks
