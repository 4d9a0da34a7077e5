"""What each seat can expect in a game of chance, estimated by playing hands (docs/rules.md, section 13)."""

from dataclasses import dataclass

from minchiate_rl.errors import MinchiateError
from minchiate_rl.game.betting import BettingHand
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.matches.intervals import Interval, mean_interval


@dataclass(frozen=True)
class SeatChance:
    """One seat's part of the pool."""

    seat: int
    share: float
    """Its mean part of the pool, from 0 to 1."""
    interval: Interval | None
    """Where that lies with 95% confidence; None if one hand alone tells nothing."""


def seat_chances(rules: RuleSet, hands: int, seed: int = 0) -> list[SeatChance]:
    """Return the mean share of the pool of every seat over hands 0, 1, … of a seed.

    Args:
        rules: a rule set of the game `sei_tocchi` or `palio`.
        hands: how many hands are played, each on its own pack.
        seed: of the packs; equal arguments give equal chances.

    Raises:
        MinchiateError: no hands.
        RulesError: the rule set is of another game.
    """
    if hands < 1:
        raise MinchiateError(f"chances need one hand at least, not {hands}")
    shares = [BettingHand.from_seed(rules, seed, hand).shares for hand in range(hands)]
    columns = list(zip(*shares, strict=True))
    return [SeatChance(seat, sum(values) / hands, mean_interval(values)) for seat, values in enumerate(columns)]
