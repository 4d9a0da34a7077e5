"""The games of the toolkit as data: seats, sides, pack, and the course of a hand (docs/rules.md, 7, 10 and 13).

A game says what a hand is made of; the switches of a rule set (rules.py) vary it. Every pack is a subset of the same
97 cards with the same numbers, so that one engine serves all of them.
"""

from dataclasses import dataclass
from typing import Final

from minchiate_rl.game.cards import FIRST_TRUMP, N_CARDS, PACK_ORDER, Card, parse_card, suit_of

#: How a pack becomes hands.
DEALS: Final = ("robbed", "plain", "piedicavallo")
#: Who sorts the fola, and so knows its trumps beside the dealer.
SORTERS: Final = ("partner", "dealer", "nobody")
#: What is decided before the first declaration.
BIDDINGS: Final = ("none", "withdraw", "fola")
#: What a hand is counted in.
ACCOUNTS: Final = ("sides", "pairs", "tricks")


@dataclass(frozen=True)
class Game:
    """One game of the toolkit; the defaults are the classic game's."""

    name: str
    n_seats: int = 4
    n_sides: int = 2
    """Sides that keep accounts: two, or one for each seat where everybody plays for himself."""
    hand_size: int = 21
    """Cards of a hand after the discards, and so the number of tricks; a rule set may vary it where it is a switch."""
    cards: tuple[Card, ...] = PACK_ORDER
    """The pack, in the order of the new pack."""
    deal: str = "robbed"
    """One of DEALS: cut, robbed and searched; one packet each; or as in Piedicavallo."""
    first_packet: int = 10
    """Cards of the first of two packets, where the deal has two."""
    robs: bool = True
    """Whether cutter and dealer rob."""
    extracts: bool = True
    """Whether the dealer takes what counts out of the fola (pigliare)."""
    sorter: str = "partner"
    """One of SORTERS."""
    bidding: str = "none"
    """One of BIDDINGS."""
    declares: bool = True
    """Whether versicole are declared and counted."""
    king_rule: bool = True
    exchange: bool = True
    """Whether a card is owed for a Matto that falls into a trick of the others."""
    accounts: str = "sides"
    """One of ACCOUNTS: two sides, every pair of players, or the points of the tricks alone (Piedicavallo)."""
    counts_resti: bool = True
    """Whether the difference is settled in resti."""
    decisions: bool = True
    """False for the games of chance, which are dealt and settled without a decision."""

    @property
    def for_himself(self) -> bool:
        """Whether everybody plays for himself, with an account for every pair of players."""
        return self.accounts == "pairs"


def _cards(codes: str) -> tuple[Card, ...]:
    chosen = {parse_card(code) for code in codes.split()}
    return tuple(card for card in PACK_ORDER if card in chosen)


def _piedicavallo_cards() -> tuple[Card, ...]:
    """Return the 62 cards: positions 4 to 13 of every suit (pips that are left, and the courts), T1 to T21, Matto."""
    kept = {card for card in range(FIRST_TRUMP) if card % 14 >= 4}
    kept |= {*range(FIRST_TRUMP, FIRST_TRUMP + 21), N_CARDS - 1}
    return tuple(card for card in PACK_ORDER if card in kept)


_MINI: Final = "T1 T2 T3 T13 T28 T40 M CK C1 BK"

GAMES: Final[dict[str, Game]] = {
    game.name: game
    for game in (
        Game("minchiate"),
        Game("solo", n_sides=4, sorter="dealer", bidding="withdraw", accounts="pairs"),
        Game("solo_fola", n_sides=4, robs=False, extracts=False, sorter="nobody", bidding="fola", accounts="pairs"),
        Game("three", n_seats=3, n_sides=3, hand_size=25, sorter="dealer", accounts="pairs"),
        Game("two", n_seats=2, hand_size=25, extracts=False, sorter="nobody"),
        Game(
            "piedicavallo",
            hand_size=15,
            cards=_piedicavallo_cards(),
            deal="piedicavallo",
            robs=False,
            extracts=False,
            sorter="nobody",
            declares=False,
            king_rule=False,
            exchange=False,
            accounts="tricks",
            counts_resti=False,
        ),
        Game(
            "mini",
            n_seats=2,
            hand_size=4,
            cards=_cards(_MINI),
            deal="plain",
            robs=False,
            extracts=False,
            sorter="nobody",
            counts_resti=False,
        ),
        Game(
            "mini_team",
            hand_size=4,
            cards=_cards(_MINI + " T20 T30 CQ B10 BQ SK"),
            deal="plain",
            robs=False,
            extracts=False,
            sorter="nobody",
            counts_resti=False,
        ),
        Game("sei_tocchi", hand_size=6, deal="plain", accounts="pairs", decisions=False),
        Game("palio", hand_size=3, deal="plain", accounts="pairs", decisions=False),
    )
}
"""Every game, by name."""


def plain_cards(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return the suit cards of a pack."""
    return tuple(card for card in cards if suit_of(card) < 4)
