"""The games of chance: a sei tocchi and al palio (docs/rules.md, section 13).

They are dealt and settled without a decision. Two to six players stake 1 each; the cards left over are turned one by
one, and whoever holds the nearest card of the same line takes the card turned. A hand is made from its seed and number
by the pack that the engine shuffles from them, here in a writing of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from minchiate_rl.errors import RecordError, RulesError
from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, N_CARDS, SUIT_SIZE, VALUES, Card
from minchiate_rl.game.rules import RuleSet

BETTING_GAMES: Final = ("sei_tocchi", "palio")
STAKE: Final = 1
"""What every player puts into the pool."""

_MASK: Final = (1 << 64) - 1
_GOLDEN: Final = 0x9E3779B97F4A7C15
_SALT_SEED: Final = 0x2545F4914F6CDD1D
_SALT_HAND: Final = 0xD1342543DE82EF95
_TRUMP_LINE: Final = 4


def line_of(card: int) -> tuple[int, int]:
    """Return the line of a card and its place there.

    The trumps are one line from 1 to 40 with the Matto beside trump 1, at place 0; each suit is one in trick order.
    """
    if card == MATTO:
        return _TRUMP_LINE, 0
    if card >= FIRST_TRUMP:
        return _TRUMP_LINE, card - FIRST_TRUMP + 1
    return card // SUIT_SIZE, card % SUIT_SIZE


_LINES: Final = tuple(map(line_of, range(N_CARDS)))


def nearest_seat(card: int, hands: Sequence[Sequence[int]]) -> int | None:
    """Return who takes a turned card: the holder of the nearest card of its line.

    Args:
        card: the card turned.
        hands: the cards dealt, by seat.

    Returns:
        The seat; None if nobody holds a card of the line, or if two players are equally near. Two cards of one player
        at the same distance are no tie.
    """
    line, place = _LINES[card]
    nearest: tuple[int, int | None] = (N_CARDS, None)
    for seat, hand in enumerate(hands):
        for held in hand:
            its_line, its_place = _LINES[held]
            if its_line != line:
                continue
            distance = abs(its_place - place)
            if distance < nearest[0]:
                nearest = distance, seat
            elif distance == nearest[0] and seat != nearest[1]:
                nearest = distance, None
    return nearest[1]


@dataclass(frozen=True)
class Turn:
    """One card turned, and who took it."""

    card: int
    seat: int | None
    """None if nobody took it."""


class BettingHand:
    """One hand of a game of chance, dealt, turned and settled.

    Attributes:
        rules: the rule set, of the game `sei_tocchi` or `palio`.
        pack: the 97 card numbers after the shuffle, top first.
        dealer: the dealer's seat; the first packet goes to the next seat.
        hands: the cards dealt, by seat.
        turns: the cards turned, in order, with who took each.
        touches: how many cards each seat has taken.
        score: the card points that each seat has taken.
        winners: the seats that share the pool.
        shares: what each seat gets of the pool, from 0 to 1.
    """

    def __init__(self, rules: RuleSet, pack: Sequence[int], dealer: int) -> None:
        """Deal and play out a hand.

        Raises:
            RulesError: the rule set is of another game.
            RecordError: the pack does not hold every card once, or the dealer is out of range.
        """
        if rules.game not in BETTING_GAMES:
            raise RulesError(f"rule set {rules.name!r}: {rules.game} is no game of chance; allowed: sei_tocchi, palio")
        if sorted(pack) != list(range(N_CARDS)):
            raise RecordError(f"pack: it must hold each of the {N_CARDS} cards once")
        if not 0 <= dealer < rules.n_seats:
            raise RecordError(f"dealer: {dealer} is no seat; seats are 0 to {rules.n_seats - 1}")
        self.rules, self.pack, self.dealer = rules, list(pack), dealer
        n, size = rules.n_seats, rules.n_tricks
        packets = [self.pack[size * place : size * (place + 1)] for place in range(n)]
        self.hands = [packets[(seat - dealer - 1) % n] for seat in range(n)]
        self.turns: list[Turn] = []
        self.touches, self.score = [0] * n, [0] * n
        self._turn_cards(self.pack[size * n :])
        achieved = self.touches if rules.game == "sei_tocchi" else self.score
        self.winners = [seat for seat in range(n) if achieved[seat] == max(achieved)]
        self.shares = [1.0 / len(self.winners) if seat in self.winners else 0.0 for seat in range(n)]

    @classmethod
    def from_seed(cls, rules: RuleSet, seed: int, hand: int = 0) -> "BettingHand":
        """Return the hand of a seed and a hand number; the dealer is (seed + hand) modulo the number of players."""
        return cls(rules, shuffled(seed, hand), (seed + hand) % rules.n_seats)

    def _turn_cards(self, cards: Sequence[int]) -> None:
        """Turn the cards one by one; a sei tocchi ends with the touch that is enough."""
        for card in cards:
            seat = nearest_seat(card, self.hands)
            self.turns.append(Turn(card, seat))
            if seat is None:
                continue
            self.touches[seat] += 1
            self.score[seat] += VALUES[card]
            if self.rules.game == "sei_tocchi" and self.touches[seat] == self.rules.touches:
                return

    @property
    def pool(self) -> int:
        """The stakes of all players together."""
        return STAKE * self.rules.n_seats

    @property
    def winnings(self) -> list[float]:
        """What each seat wins or loses: its part of the pool less its stake; the sum is 0."""
        return [share * self.pool - STAKE for share in self.shares]

    def result(self) -> dict[str, Any]:
        """Return the result in the form of a record: touches or score by seat, and the winners."""
        if self.rules.game == "sei_tocchi":
            return {"touches": list(self.touches), "winners": list(self.winners)}
        return {"score": list(self.score), "winners": list(self.winners)}


def _mix(x: int) -> int:
    """Return the SplitMix64 finaliser of a 64-bit number."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & _MASK
    return x ^ (x >> 31)


def shuffled(seed: int, hand: int) -> list[Card]:
    """Return the pack of a seed and a hand number, top first: the 97 cards as the classic game's engine shuffles them.

    Fisher and Yates, two 32-bit draws from each word of the hand's stream.
    """
    key = _mix((_mix((seed + _SALT_SEED) & _MASK) + _mix((hand * _GOLDEN + _SALT_HAND) & _MASK)) & _MASK)
    pack = [Card(card) for card in range(N_CARDS)]
    word = 0
    for step in range(N_CARDS - 1):
        word = word << 32 & _MASK if step % 2 else _mix((key + (step + 1) * _GOLDEN) & _MASK)
        last = N_CARDS - 1 - step
        pick = (word >> 32) * (last + 1) >> 32
        pack[last], pack[pick] = pack[pick], pack[last]
    return pack
