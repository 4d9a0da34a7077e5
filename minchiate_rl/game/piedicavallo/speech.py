"""What may be said after a card: the grammar of one message, and the truth of every item (docs/piedicavallo.md).

A message is a list of items, said one by one and ended by `done`. The card just played sets its mode: a trump or the
Matto lets its player speak of trumps and the Matto; a plain card lets him speak of its suit and, unnamed, of the suits
of the other colour. `Message` is the state machine: it holds what has been said and answers which items may come next.
Everything it needs to know stands in a `Situation`; nothing is said that is not true in it.

A message in the mode of a plain suit is a row of blocks. The block about the suit played is open from the start;
`altro`, `sleep this` and `sleep altro` open a block each, and a request closes the one that is open:

    this facts … | altro facts … | sleep this facts … | sleep altro facts … | requests

In the mode of trumps there are no blocks: facts and requests mix freely.
"""

from dataclasses import dataclass, field
from enum import Enum
from itertools import permutations
from typing import Final

from minchiate_rl.errors import IllegalAction
from minchiate_rl.game.actions import (
    ASK_COVER,
    ASK_FARLO,
    ASK_FEWEST,
    ASK_HIGH,
    ASK_LEAD_ALTRO,
    ASK_LEAD_THIS,
    ASK_LEAD_TRUMP,
    ASK_LOW,
    ASK_MOST,
    ASK_PLAY,
    ASK_QUALITY_LOW,
    ASK_VALUABLE,
    DONE,
    SAY_ALTRO,
    SAY_BATTO,
    SAY_BATTO_BATTO,
    SAY_HONOUR,
    SAY_MORE,
    SAY_NO_TRUMPS,
    SAY_SLEEP_ALTRO,
    SAY_SLEEP_THIS,
    action_name,
)
from minchiate_rl.game.cards import MATTO, Suit
from minchiate_rl.game.piedicavallo.lawbook import COURTS, cards_of, court, opposite_suits, rank_of
from minchiate_rl.game.piedicavallo.truth import (
    HONOURS,
    MORES,
    NAMED_TRUMPS,
    Situation,
    facts_of_slept,
    facts_of_suit,
    facts_of_trumps,
    trumps_named_by,
)

TRICK_REQUESTS: Final = (ASK_FARLO, ASK_LOW, ASK_MOST, ASK_FEWEST, ASK_PLAY, ASK_COVER)
"""How the partner should play to this trick."""
LEAD_REQUESTS: Final = (ASK_LEAD_TRUMP, ASK_LEAD_THIS, ASK_LEAD_ALTRO)
"""What the partner should lead when he next leads."""
QUALITIES: Final = (ASK_HIGH, ASK_QUALITY_LOW, ASK_VALUABLE)

MAX_ALTRO: Final = 2
PARTNERS_TURN: Final = 2
"""Places that a partner plays after the speaker; who plays third or fourth speaks to a partner who has played."""
_TRICK_SIZE: Final = 4


class Block(Enum):
    """The block of a message that is open for facts."""

    THIS = "this"
    ALTRO = "altro"
    SLEEP_THIS = "sleep this"
    SLEEP_ALTRO = "sleep altro"
    CLOSED = "closed"


_OPENERS: Final[dict[int, Block]] = {
    SAY_ALTRO: Block.ALTRO,
    SAY_SLEEP_THIS: Block.SLEEP_THIS,
    SAY_SLEEP_ALTRO: Block.SLEEP_ALTRO,
}


@dataclass
class Message:
    """One message on the way: what has been said of it, and what may be said next.

    Attributes:
        situation: what the speaker knows.
        items: what he has said, in order.
        ended: whether he has said `done`.
        named_cards: the cards that he has named as his own: `have` of trumps, and of the suit played.
        announces_high: whether he has announced a high card: `batto` in any block, or any `have`.
    """

    situation: Situation
    items: list[int] = field(default_factory=list)
    ended: bool = False
    named_cards: set[int] = field(default_factory=set)
    announces_high: bool = False
    _open: Block = Block.THIS
    _this: set[int] = field(default_factory=set)
    _altro: list[set[int]] = field(default_factory=list)
    _sleep: dict[Block, set[int]] = field(default_factory=dict)
    _requests: set[int] = field(default_factory=set)
    _counted: set[int] = field(default_factory=set)
    """Trumps named in any way, which `more` does not count again."""

    def legal(self) -> set[int]:
        """Return the items that may come next, `done` among them unless something has to follow."""
        last = self.items[-1] if self.items else None
        if self.ended:
            return set()
        if last == ASK_PLAY:
            return self._askable_cards()
        facts = self._trump_facts() if self.situation.speaks_of_trumps else self._suit_facts()
        if last in _OPENERS:
            return facts
        return facts | self._openers() | self._legal_requests() | self._qualities() | {DONE}

    def say(self, item: int) -> None:
        """Say one item, or end the message.

        Raises:
            IllegalAction: the item is not true, or the grammar does not allow it here; nothing has changed.
        """
        if item not in self.legal():
            raise IllegalAction(f"{action_name(item)} may not be said here")
        last = self.items[-1] if self.items else None
        if item == DONE:
            self.ended = True
            return
        is_argument = last == ASK_PLAY or item in self._qualities()
        self.items.append(item)
        if item in _OPENERS:
            self._open_block(_OPENERS[item])
        elif item in TRICK_REQUESTS or item in LEAD_REQUESTS:
            self._requests.add(item)
            self._open = Block.CLOSED
        elif not is_argument:
            self._state(item)

    def _trump_facts(self) -> set[int]:
        """Return the facts about trumps and the Matto that may come next, each once a message.

        `more` tells how many there are besides those named; after it no trump is named any more.
        """
        facts = set(facts_of_trumps(self.situation))
        if self._this & set(MORES):
            facts &= {MATTO, SAY_NO_TRUMPS}
        else:
            facts.add(SAY_MORE + len(self.situation.held(Suit.TRUMPS) - self._counted))
        return facts - self._this

    def _suit_facts(self) -> set[int]:
        """Return the facts that may come next in the open block, each once a block."""
        situation = self.situation
        if self._open == Block.THIS:
            return set(facts_of_suit(situation.suit, situation)) - self._this
        if self._open == Block.ALTRO:
            return self._altro_facts(self._altro)
        if self._open in self._sleep:
            return self._sleep_facts(self._open, self._sleep[self._open])
        return set()

    def _altro_facts(self, blocks: list[set[int]]) -> set[int]:
        """Return what may be added to the last of some altro blocks.

        The blocks have to be true of as many different suits of the other colour; which suit is whose stays open, and
        so every reading that makes all of them true lets its own facts follow.
        """
        legal: set[int] = set()
        for suits in permutations(opposite_suits(self.situation.suit), len(blocks)):
            facts = [facts_of_suit(suit, self.situation) for suit in suits]
            if all(map(set.issubset, blocks, facts)):
                legal |= facts[-1]
        return legal - blocks[-1]

    def _sleep_facts(self, block: Block, said: set[int]) -> set[int]:
        """Return what may be added to a block about the discards: in the other colour one suit has to fit it all."""
        suit = self.situation.suit
        suits = (suit,) if block == Block.SLEEP_THIS else opposite_suits(suit)
        readings = [facts_of_slept(suit, self.situation) for suit in suits]
        return {item for facts in readings if said <= facts for item in facts} - said

    def _openers(self) -> set[int]:
        """Return the items that may open a block: one in which some fact could follow."""
        legal: set[int] = set()
        if self.situation.speaks_of_trumps:
            return legal
        if len(self._altro) < MAX_ALTRO and self._altro_facts([*self._altro, set()]):
            legal.add(SAY_ALTRO)
        for opener, block in ((SAY_SLEEP_THIS, Block.SLEEP_THIS), (SAY_SLEEP_ALTRO, Block.SLEEP_ALTRO)):
            if block not in self._sleep and self._sleep_facts(block, set()):
                legal.add(opener)
        return legal

    def _open_block(self, block: Block) -> None:
        self._open = block
        if block == Block.ALTRO:
            self._altro.append(set())
        else:
            self._sleep[block] = set()

    def _state(self, item: int) -> None:
        """Enter a fact into the open block, and what it tells the partner."""
        situation = self.situation
        if self._open in (Block.SLEEP_THIS, Block.SLEEP_ALTRO):
            self._sleep[self._open].add(item)
            return
        is_high = item in HONOURS or item in NAMED_TRUMPS or item in (SAY_BATTO, SAY_BATTO_BATTO)
        self.announces_high = self.announces_high or is_high
        if self._open == Block.ALTRO:
            self._altro[-1].add(item)
            return
        self._this.add(item)
        if situation.speaks_of_trumps:
            self._counted.update(trumps_named_by(item, situation))
            self.named_cards.update({item} & set(NAMED_TRUMPS))
        elif item in HONOURS:
            self.named_cards.add(court(situation.suit, COURTS[item - SAY_HONOUR]))

    def _askable_cards(self) -> set[int]:
        """Return what the partner may be asked to play: cards of the suit spoken of that he could hold, as all can see.

        The speaker's own cards are out: he would hint that he lacks them.
        """
        situation = self.situation
        cards: set[int] = set(cards_of(situation.suit))
        return cards - situation.played - situation.hand

    def _legal_requests(self) -> set[int]:
        """Return the requests that may be made now, each of them once a message."""
        situation = self.situation
        if not situation.requests:
            return set()
        legal: set[int] = set()
        if situation.place + PARTNERS_TURN < _TRICK_SIZE:
            legal |= {ASK_LOW, ASK_MOST, ASK_FEWEST}
            legal |= {ASK_FARLO} if situation.partner_high else set()
            legal |= {ASK_COVER} if situation.place == 0 else set()
            legal |= {ASK_PLAY} if self._askable_cards() else set()
        if not self._requests & set(LEAD_REQUESTS):
            legal |= {ASK_LEAD_TRUMP} if situation.speaks_of_trumps else {ASK_LEAD_THIS, ASK_LEAD_ALTRO}
        return legal - self._requests

    def _qualities(self) -> set[int]:
        """Return what may be added to a request for a lead that has just been made.

        High, low, valuable, or a card that the partner has named as his own and not played yet: by its code, but in the
        other colour by its rank alone.
        """
        situation = self.situation
        last = self.items[-1] if self.items else None
        if last not in LEAD_REQUESTS:
            return set()
        if last == ASK_LEAD_ALTRO:
            held = {card for suit in opposite_suits(situation.suit) for card in situation.partner_holds(suit)}
            return {*QUALITIES, *(SAY_HONOUR + COURTS.index(rank_of(card) or "") for card in held)}
        return {*QUALITIES, *situation.partner_holds(situation.suit)}
