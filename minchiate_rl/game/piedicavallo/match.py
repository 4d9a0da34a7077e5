"""A game of Piedicavallo: four deals, two more while level (docs/rules.md, section 10.5).

Pure functions over the scores of deals, each a pair of points of sides 0 and 1. Books are kept as the difference from
half of the points: whoever has 65 of the 114 is 8 ahead.
"""

from collections.abc import Sequence
from typing import Final

from minchiate_rl.errors import RecordError
from minchiate_rl.game.piedicavallo.lawbook import HALF, TOTAL
from minchiate_rl.game.seats import N_SEATS

N_DEALS: Final = 4
EXTRA_DEALS: Final = 2
EARLY_END: Final = 3
"""After so many deals a lead that a vola could not level ends the game."""

Scores = Sequence[Sequence[int]]


def running_lead(scores: Scores) -> list[int]:
    """Return how far side 0 is ahead after each deal, negative if side 1 is ahead.

    Raises:
        RecordError: the points of a deal do not sum to 114.
    """
    leads: list[int] = []
    for first, second in scores:
        if first + second != TOTAL:
            raise RecordError(f"score: the points of a deal sum to {TOTAL}, not to {first + second}")
        leads.append((leads[-1] if leads else 0) + first - HALF)
    return leads


def lead_of(scores: Scores) -> int:
    """Return how far side 0 is ahead after the deals played, negative if side 1 is ahead."""
    return running_lead(scores)[-1] if scores else 0


def is_over(scores: Scores) -> bool:
    """Tell whether the game has ended with the last deal of `scores`.

    After three deals a lead of more than 57 ends it: even a vola would not level it. Four deals end it unless the sides
    are level; then two more are played, both of them, until they are no longer level.
    """
    lead = lead_of(scores)
    if len(scores) == EARLY_END:
        return abs(lead) > HALF
    return len(scores) >= N_DEALS and (len(scores) - N_DEALS) % EXTRA_DEALS == 0 and lead != 0


def winner_of(scores: Scores) -> int | None:
    """Return the side that has won the game; None while it goes on."""
    if not is_over(scores):
        return None
    return 0 if lead_of(scores) > 0 else 1


def dealer_of(first_dealer: int, deal: int) -> int:
    """Return who deals a deal, numbered from 0: the deal passes to the right."""
    return (first_dealer + deal) % N_SEATS
