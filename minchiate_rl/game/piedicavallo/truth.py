"""What is true of the cards that a speaker holds, item by item (docs/piedicavallo.md).

The grammar, that is which item may stand where, is in speech.py.
"""

from dataclasses import dataclass
from typing import Final

from minchiate_rl.game.actions import (
    SAY_BAGATTO,
    SAY_BATTO,
    SAY_BATTO_BATTO,
    SAY_HONOUR,
    SAY_MORE,
    SAY_NO_TRUMPS,
    SAY_PIPS,
    SAY_TOTAL,
    SAY_VOID,
)
from minchiate_rl.game.cards import MATTO, Suit, suit_of, trump
from minchiate_rl.game.piedicavallo.lawbook import BAGATTO, COURTS, cards_of, court, is_pip

HONOURS: Final = range(SAY_HONOUR, SAY_HONOUR + len(COURTS))
"""The items "have K", "have Q", "have N", "have J"."""
MORES: Final = range(SAY_MORE, SAY_MORE + 15)
"""The items "more 0" to "more 14"."""
NAMED_TRUMPS: Final = tuple(trump(n) for n in range(15, 22))
"""The trumps that may be named when held."""


@dataclass(frozen=True)
class Situation:
    """What decides on the truth of what a player says, at the moment when his card lies on the table."""

    card: int
    """The card that he has just played."""
    hand: frozenset[int]
    """The cards that he holds now."""
    played: frozenset[int]
    """Every card that all have seen played, those on the table among them."""
    place: int
    """His place in the trick: 0 leads."""
    slept: frozenset[int] | None = None
    """The two cards that he has laid away; None if he is not the dealer."""
    partner_named: frozenset[int] = frozenset()
    """The cards that his partner has named as his own so far (`Message.named_cards` of his messages)."""
    partner_high: bool = False
    """Whether his partner has announced a high card so far (`Message.announces_high`)."""
    requests: bool = True
    """Whether requests may be made at all: not where only facts are spoken."""

    @property
    def speaks_of_trumps(self) -> bool:
        """Whether the card played lets him speak of trumps and the Matto; else of plain suits."""
        return suit_of(self.card) in (Suit.TRUMPS, Suit.MATTO)

    @property
    def suit(self) -> Suit:
        """The suit that he speaks of: that of the card played, or trumps where that is the Matto."""
        return Suit.TRUMPS if self.speaks_of_trumps else suit_of(self.card)

    def held(self, suit: Suit) -> set[int]:
        """Return the cards of a suit, or the trumps, in his hand."""
        return {card for card in self.hand if suit_of(card) == suit}

    def outstanding(self, suit: Suit) -> list[int]:
        """Return the cards of a suit that he has not seen gone, the highest first.

        Gone is what has been played, and for the dealer what he has laid away himself.
        """
        gone = self.played | (self.slept or frozenset())
        return [card for card in cards_of(suit) if card not in gone]

    def holds_highest(self, suit: Suit, n: int) -> bool:
        """Tell whether he holds the n highest outstanding cards of a suit."""
        highest = self.outstanding(suit)[:n]
        return len(highest) == n and set(highest) <= self.hand

    def partner_holds(self, suit: Suit) -> set[int]:
        """Return the cards of a suit that the partner has named and not played."""
        return {card for card in self.partner_named - self.played if suit_of(card) == suit}


def facts_of_suit(suit: Suit, situation: Situation) -> frozenset[int]:
    """Return every fact that is true of what the speaker holds in a plain suit."""
    held = situation.held(suit)
    facts = {SAY_HONOUR + COURTS.index(rank) for rank in COURTS if court(suit, rank) in held}
    facts |= {SAY_PIPS + sum(map(is_pip, held)), SAY_TOTAL + len(held)}
    if situation.holds_highest(suit, 1):
        facts.add(SAY_BATTO)
    if not held:
        facts.add(SAY_VOID)
    return frozenset(facts)


def facts_of_slept(suit: Suit, situation: Situation) -> frozenset[int]:
    """Return every fact that is true of the dealer's discards in a plain suit; none for other speakers."""
    if situation.slept is None:
        return frozenset()
    slept = {card for card in situation.slept if suit_of(card) == suit}
    courts = {SAY_HONOUR + COURTS.index(rank) for rank in COURTS if court(suit, rank) in slept}
    return frozenset(courts | {SAY_PIPS + sum(map(is_pip, slept))})


def facts_of_trumps(situation: Situation) -> frozenset[int]:
    """Return every fact, but for `more`, that is true of the trumps held and the Matto."""
    trumps = situation.held(Suit.TRUMPS)
    facts = {*situation.hand} & {*NAMED_TRUMPS, MATTO}
    if situation.holds_highest(Suit.TRUMPS, 1):
        facts.add(SAY_BATTO)
    if situation.holds_highest(Suit.TRUMPS, 2):
        facts.add(SAY_BATTO_BATTO)
    if BAGATTO in trumps:
        facts.add(SAY_BAGATTO)
    if not trumps:
        facts.add(SAY_NO_TRUMPS)
    return frozenset(facts)


def trumps_named_by(item: int, situation: Situation) -> set[int]:
    """Return the trumps that a fact names, so that `more` does not count them again."""
    if item in NAMED_TRUMPS:
        return {item}
    if item == SAY_BAGATTO:
        return {BAGATTO}
    n = {SAY_BATTO: 1, SAY_BATTO_BATTO: 2}.get(item, 0)
    return set(situation.outstanding(Suit.TRUMPS)[:n])
