"""The 97 cards: numbering, names, codes and values (docs/rules.md, section 1).

Cards are numbered in *bit order*: cups, coins, swords, batons with 14 cards each from the weakest to the king
(0 to 55), then the trumps T1 to T40 (56 to 95), then the Matto (96). Inside a suit the number is the strength in
the trick, so the direction in which pips rank in the round and the long suits is hidden by the numbering.
"""

from enum import IntEnum
from typing import Final, NewType

from minchiate_rl.errors import InvalidNotation

Card = NewType("Card", int)
"""A card number, 0 to 96, in bit order."""


class Suit(IntEnum):
    """The four plain suits, the trumps, and the Matto, which belongs to no suit."""

    CUPS = 0
    COINS = 1
    SWORDS = 2
    BATONS = 3
    TRUMPS = 4
    MATTO = 5


N_CARDS: Final = 97
SUIT_SIZE: Final = 14
N_TRUMPS: Final = 40
FIRST_TRUMP: Final = 56
MATTO: Final = Card(96)
KINGS: Final = (Card(13), Card(27), Card(41), Card(55))
SUIT_LETTERS: Final = "CDSBTM"

# Weakest to strongest: the pips of the round suits (cups, coins) rank downwards.
_ROUND_RANKS: Final = ("10", "9", "8", "7", "6", "5", "4", "3", "2", "1", "J", "N", "Q", "K")
_LONG_RANKS: Final = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "N", "Q", "K")
_PACK_RANKS: Final = ("K", "Q", "N", "J", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10")

CODES: Final[tuple[str, ...]] = (
    *(letter + rank for letter in "CD" for rank in _ROUND_RANKS),
    *(letter + rank for letter in "SB" for rank in _LONG_RANKS),
    *(f"T{n}" for n in range(1, N_TRUMPS + 1)),
    "M",
)
"""The code of each card as used in records, by card number."""

_NUMBERS: Final = {code: Card(number) for number, code in enumerate(CODES)}

PACK_ORDER: Final[tuple[Card, ...]] = tuple(
    _NUMBERS[code] for code in (*(letter + rank for letter in "CDSB" for rank in _PACK_RANKS), *CODES[FIRST_TRUMP:])
)
"""The order of the new pack: each suit K Q N J 1 ... 10, then T1 to T40, then the Matto."""


def trump(n: int) -> Card:
    """Return the card number of trump `n`, 1 to 40."""
    if not 1 <= n <= N_TRUMPS:
        raise InvalidNotation(f"there is no trump {n}: trumps go from 1 to {N_TRUMPS}")
    return Card(FIRST_TRUMP + n - 1)


_SUITS: Final[tuple[Suit, ...]] = (
    *(Suit(card // SUIT_SIZE) for card in range(FIRST_TRUMP)),
    *[Suit.TRUMPS] * N_TRUMPS,
    Suit.MATTO,
)


def suit_of(card: int) -> Suit:
    """Return the suit of a card; trumps and the Matto have suits of their own."""
    return _SUITS[card]


def card_name(card: int) -> str:
    """Return the code of a card, such as `CK` or `T31`."""
    return CODES[card]


def parse_card(code: object) -> Card:
    """Return the card number of a code.

    Raises:
        InvalidNotation: the code names no card of the 97.
    """
    number = _NUMBERS.get(code) if isinstance(code, str) else None
    if number is None:
        raise InvalidNotation(f"{code!r} is no card: T1 to T40, M, or one of C D S B followed by K Q N J or 1 to 10")
    return number


def _value(card: int) -> int:
    n = card - FIRST_TRUMP + 1
    if card in KINGS or card == MATTO or n in (1, 10, 13, 20, 28) or 30 <= n <= 35:
        return 5
    if 36 <= n <= 40:
        return 10
    return 3 if 2 <= n <= 5 else 0


VALUES: Final[tuple[int, ...]] = tuple(_value(card) for card in range(N_CARDS))
"""The points of each card, by card number; the 25 counting cards sum to 142."""

COUNTING: Final[frozenset[Card]] = frozenset(Card(c) for c in range(N_CARDS) if VALUES[c])
"""Carte di conto: the 25 cards with a value."""

ROBBABLE: Final[frozenset[Card]] = COUNTING | {trump(n) for n in (*range(21, 28), 29)}
"""What the cutter and the dealer rob: counting cards and every trump above 20."""

UNDISCARDABLE: Final[frozenset[Card]] = COUNTING | {trump(29)}
"""What may not be discarded, and what the dealer extracts from the fola: counting cards and the 29."""

CARD_TITLES: Final[dict[int, str]] = dict(
    enumerate(
        (
            "Papa uno", "Papa due", "Papa tre", "Papa quattro", "Amore", "Temperanza", "Forza", "Giustizia",
            "Ruota", "Carro", "Gobbo", "Impiccato", "Morte", "Diavolo", "Casa del Diavolo", "Speranza", "Prudenza",
            "Fede", "Carità", "Fuoco", "Acqua", "Terra", "Aria", "Bilancia", "Vergine", "Scorpione", "Ariete",
            "Capricorno", "Sagittario", "Cancro", "Pesci", "Acquario", "Leone", "Toro", "Gemini", "Stella", "Luna",
            "Sole", "Mondo", "Trombe", "Matto",
        ),
        start=FIRST_TRUMP,
    )
)  # fmt: skip
"""The Italian names of the trumps and the Matto, by card number."""
