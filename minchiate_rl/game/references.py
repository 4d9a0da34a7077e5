"""The plain reference of each game: the class that plays or settles a hand by the rules alone, one at a time."""

from typing import TypeAlias

from minchiate_rl.errors import RecordError
from minchiate_rl.game.betting import BettingHand
from minchiate_rl.game.piedicavallo.reference import PiedicavalloHand
from minchiate_rl.game.record_format import Setup
from minchiate_rl.game.reference import ReferenceHand
from minchiate_rl.game.rules import RuleSet

Hand: TypeAlias = ReferenceHand | PiedicavalloHand
"""A hand with decisions, as the reference plays it."""


def reference_of(rules: RuleSet) -> type[Hand]:
    """Return the class that plays the hands of a rule set.

    Raises:
        RecordError: its game has no decisions.
    """
    if not rules.form.decisions:
        raise RecordError(f"game: nothing is decided in the game {rules.game}, so there is nothing to replay")
    return PiedicavalloHand if rules.form.deal == "piedicavallo" else ReferenceHand


def start(setup: Setup) -> Hand:
    """Return the hand before its first decision.

    Raises:
        RecordError: its game has no decisions.
    """
    return reference_of(setup.rules)(setup.rules, setup.pack, setup.cut, setup.dealer)


def settled(setup: Setup) -> BettingHand:
    """Return the settled hand of a game without decisions."""
    return BettingHand(setup.rules, setup.pack, setup.dealer)
