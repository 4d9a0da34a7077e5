"""Seats, sides and phases of a hand.

Seats are numbered from 0 in the order of play (anticlockwise at the table). `seat` is always absolute; `rel_seat`
counts from the viewer: 0 is the viewer, 1 plays after him; at a table of four 2 is his partner, 3 plays before him.
A side is a seat modulo the number of sides: partners sit opposite each other, and where everybody plays for himself a
side is a seat.
"""

from enum import IntEnum
from typing import Final

#: The most seats, sides, and tricks of any game with decisions, and those of the classic game.
N_SEATS: Final = 4
N_SIDES: Final = 2
N_TRICKS: Final = 21
MAX_TRICKS: Final = 25


class Phase(IntEnum):
    """What kind of decision a hand waits for."""

    DISCARD = 0
    """The seat to act discards one card, until his hand has its size."""
    DECLARE = 1
    """The seat to act declares one versicola, or says that it declares no more."""
    PLAY = 2
    """The seat to act plays a card to the trick, or drops its hand where that is allowed (cascare)."""
    OVER = 3
    """The hand is settled."""
    WITHDRAW = 4
    """The seat to act stays in the hand, or withdraws (solo)."""
    FOLA = 5
    """The eldest uses the fola, stays without it, or withdraws (solo_fola)."""
    BID = 6
    """The seat to act bids the next ten for the fola, or passes for good (solo_fola)."""
    PICK = 7
    """The winner of the trick picks the card of a dropped hand (cascare)."""
    SPEAK = 8
    """The seat that has just played says one item, or ends its message (Piedicavallo)."""


def side_of(seat: int, n_sides: int = N_SIDES) -> int:
    """Return the side of a seat."""
    return seat % n_sides


def cutter_of(dealer: int, n_seats: int = N_SEATS) -> int:
    """Return the seat that cuts: the dealer's left-hand neighbour, who plays just before the dealer."""
    return (dealer + n_seats - 1) % n_seats


def eldest_of(dealer: int, n_seats: int = N_SEATS) -> int:
    """Return the seat that declares and leads first: the dealer's right-hand neighbour."""
    return (dealer + 1) % n_seats
