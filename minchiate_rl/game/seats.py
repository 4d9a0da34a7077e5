"""Seats, sides and phases of a hand.

Seats are numbered 0 to 3 in the order of play (anticlockwise at the table). `seat` is always absolute; `rel_seat`
counts from the viewer: 0 is the viewer, 1 plays after him, 2 is his partner, 3 plays before him.
"""

from enum import IntEnum
from typing import Final

N_SEATS: Final = 4
N_SIDES: Final = 2
N_TRICKS: Final = 21


class Phase(IntEnum):
    """What kind of decision a hand waits for."""

    DISCARD = 0
    """The cutter, then the dealer, discards one card until 21 are left."""
    DECLARE = 1
    """The seat to act declares one versicola, or says that it declares no more."""
    PLAY = 2
    """The seat to act plays a card to the trick."""
    OVER = 3
    """The hand is settled."""


def side_of(seat: int) -> int:
    """Return the side (0 or 1) of a seat: partners sit opposite each other."""
    return seat % N_SIDES


def cutter_of(dealer: int) -> int:
    """Return the seat that cuts: the dealer's left-hand neighbour, who plays just before the dealer."""
    return (dealer + 3) % N_SEATS


def eldest_of(dealer: int) -> int:
    """Return the seat that declares and leads first: the dealer's right-hand neighbour."""
    return (dealer + 1) % N_SEATS
