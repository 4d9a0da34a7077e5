"""Girata and girone: who sits where over the hands of a match between four players (docs/rules.md, section 6).

A girata is four hands with the same partners, each player dealing once, the deal passing to the right; a girone is
three girate, one for each pairing. Players are numbered by the seats that they take in the first girata. Every girata
begins with the same dealer; the others are seated anew so that partners face each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from minchiate_rl.errors import MinchiateError
from minchiate_rl.game.seats import N_SEATS, N_SIDES, side_of

#: The formats of a match, and how many hands each has.
HANDS: Final = {"hand": 1, "girata": 4, "girone": 12}

#: ARRANGEMENTS[g][r]: who sits r seats after the first dealer in girata g; players are counted from him on.
ARRANGEMENTS: Final = ((0, 1, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2))


@dataclass(frozen=True)
class Sitting:
    """One hand of a match: its number, its girata, who deals, and who sits where."""

    hand: int
    girata: int
    dealer: int
    """The dealer's seat."""
    players: tuple[int, ...]
    """The player in each seat."""

    @property
    def sides(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The players of side 0 and of side 1."""
        a, b, c, d = self.players
        return (a, c), (b, d)

    @property
    def ends_girata(self) -> bool:
        """Whether it is the last hand of its girata."""
        return self.hand % N_SEATS == N_SEATS - 1

    def seat_of(self, player: int) -> int:
        """Return the seat of a player."""
        return self.players.index(player)

    def by_player(self, by_seat: Sequence[int]) -> list[int]:
        """Return a list by seat as a list by player."""
        return [by_seat[self.seat_of(player)] for player in range(N_SEATS)]

    def by_seat(self, by_player: Sequence[int]) -> list[int]:
        """Return a list by player as a list by seat."""
        return [by_player[player] for player in self.players]


def sitting(hand: int, first_dealer: int, stays: int | None = None) -> Sitting:
    """Return how the players sit in a hand.

    Args:
        hand: 0 to 11.
        first_dealer: the player, and the seat, that deals the first hand.
        stays: the player whose seat never changes; the first dealer if None.
    """
    girata, place = divmod(hand, N_SEATS)
    arrangement = ARRANGEMENTS[girata]
    fixed = first_dealer if stays is None else stays
    # How far the whole table is turned, so that the one who stays sits in his seat.
    turn = fixed - first_dealer - arrangement.index((fixed - first_dealer) % N_SEATS)
    players = [0] * N_SEATS
    for after, player in enumerate(arrangement):
        players[(first_dealer + turn + after) % N_SEATS] = (first_dealer + player) % N_SEATS
    return Sitting(hand, girata, (first_dealer + turn + place) % N_SEATS, tuple(players))


def schedule(hands: int | str, first_dealer: int = 0, stays: int | None = None) -> list[Sitting]:
    """Return the sittings of a match.

    Args:
        hands: their number, up to 12, or the name of a format.
        first_dealer: the player, and the seat, that deals the first hand.
        stays: the player whose seat never changes; the first dealer if None.

    Raises:
        MinchiateError: no such format or player, or a number of hands that is not a number of girate.
    """
    number = HANDS.get(hands, 0) if isinstance(hands, str) else hands
    if number not in range(1, HANDS["girone"] + 1) or (number > 1 and number % N_SEATS):
        raise MinchiateError(f"a match is {', '.join(map(repr, HANDS))}, or 1, 4, 8 or 12 hands, not {hands!r}")
    for player in (first_dealer, first_dealer if stays is None else stays):
        if player not in range(N_SEATS):
            raise MinchiateError(f"a player is from 0 to {N_SEATS - 1}, not {player!r}")
    return [sitting(hand, first_dealer, stays) for hand in range(number)]


class Standing:
    """Resti of each player over a match, those won less those lost."""

    def __init__(self, girata_bonus: int = 0) -> None:
        """Begin with nothing; `girata_bonus` is what the overall winners of a girata get besides (V-5)."""
        self.resti = [0] * N_SEATS
        self._bonus = girata_bonus
        self._girata = [0] * N_SIDES

    def add(self, hand: Sitting, resti: Sequence[int]) -> list[int]:
        """Enter the resti that each side received in a hand; return what each player won by it, bonus included."""
        won = [resti[0] - resti[1], resti[1] - resti[0]]
        for side in range(N_SIDES):
            self._girata[side] += won[side]
        if hand.ends_girata:
            ahead = self._girata[0]
            if ahead:
                bonus = self._bonus if ahead > 0 else -self._bonus
                won = [won[0] + bonus, won[1] - bonus]
            self._girata = [0] * N_SIDES
        by_player = hand.by_player([won[side_of(seat)] for seat in range(N_SEATS)])
        self.resti = [before + now for before, now in zip(self.resti, by_player, strict=True)]
        return by_player
