"""Speech at Piedicavallo: which items may come next, and what saying one does (docs/rules.md, section 10.4).

A message is about the hand after the card was played, and everything said is true. What is true is worked out once,
when the message begins (claims.py); from then on the items that may come next are one word, bit a - 144 for item a,
from which each item said takes away, or to which a block that it opens adds.

A message takes at most 40 bytes of the transcript: the card, 7 facts of its suit, twice `altro` and 7 facts, 6 of
sleep, `play` with its card, 5 other requests, a lead with its quality, and the end. 60 messages of 40 bytes fit.
"""

from typing import Final

import numpy as np

from minchiate_rl.game.actions import (
    ASK_FARLO,
    ASK_HIGH,
    ASK_LEAD_ALTRO,
    ASK_LEAD_TRUMP,
    ASK_PLAY,
    DONE,
    FIRST_SPEECH,
    SAY_ALTRO,
    SAY_PIPS,
)
from minchiate_rl.game.cards import FIRST_TRUMP
from minchiate_rl.game.engine.bits import ONE, ZERO, U, highest, popcount
from minchiate_rl.game.engine.claims import (
    ABOVE,
    ALL_TRUMPS,
    ALTRO,
    ALTRO_SAID,
    ANNOUNCED,
    ASLEEP,
    BLOCKS,
    BOTH_SUITS,
    BY_CARD,
    CARD_DUE,
    CARDS,
    DOUBLE_AT,
    FACT_DUE,
    FITS,
    FLAGS,
    FOUR_BITS,
    HIGH,
    HONOURS,
    IN_ALTRO,
    IN_SLEEP_ALTRO,
    IN_THIS,
    KNOWN,
    LEADS,
    LED_BEFORE,
    MORE_AT,
    MORES,
    NAMEABLE_TRUMPS,
    NAMINGS,
    QUALITIES,
    REVERSED,
    SAYABLE,
    SLEEP_FITS,
    SLEEP_THIS,
    STATEMENTS,
    SUIT,
    SUIT_FACTS,
    TEN_CARDS,
    TRUE_OF,
    TRUMP_MODE,
    UNNAMED,
    append_byte,
    begin_message,
    known_of,
    seen_cards,
)
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    HAND,
    MATTO_BIT,
    SEAT,
)
from minchiate_rl.game.rules import R_SPEECH, SPEECH

__all__ = ["begin_message", "say", "speech_words"]

_FULL: Final = SPEECH.index("full")
_DONE: Final = int(DONE)
_FIRST: Final = FIRST_SPEECH
_FIRST_TRUMP: Final = FIRST_TRUMP


@kernel
def _askable(rows, i, flags):  # type: ignore[no-untyped-def]
    """Return the cards that the partner may be asked to play: of the suit, unseen and not in his own hand."""
    hand = HAND + 2 * np.int64(rows[i, SEAT])
    s0, s1 = seen_cards(rows, i)
    if (flags & TRUMP_MODE) != ZERO:
        return ZERO, ALL_TRUMPS & ~(s1 | rows[i, hand + 1])
    suit = (flags >> U(SUIT)) & BOTH_SUITS
    return (TEN_CARDS << (suit * U(14) + ABOVE)) & ~(s0 | rows[i, hand]), ZERO


@kernel
def _leadable(rows, i, flags):  # type: ignore[no-untyped-def]
    """Return the cards that a lead may be asked by: those of the suit played that the partner said he holds."""
    known = known_of(rows, i, np.int64(rows[i, SEAT]) ^ 2)
    if (flags & TRUMP_MODE) != ZERO:
        return ZERO, ((known >> U(16)) << U(14)) & NAMEABLE_TRUMPS
    suit = (flags >> U(SUIT)) & BOTH_SUITS
    return ((known >> (U(4) * suit)) & FOUR_BITS) << (suit * U(14) + U(10)), ZERO


@kernel
def speech_words(rows, i, rule):  # type: ignore[no-untyped-def]
    """Return the legal items of the seat speaking: cards in two words, bit 0 for the end, bit a - 144 for item a."""
    flags, items = rows[i, FLAGS], rows[i, SAYABLE]
    if (flags & (CARD_DUE | FACT_DUE)) != ZERO:
        if (flags & FACT_DUE) != ZERO:
            return ZERO, ZERO, ZERO, items & SUIT_FACTS
        c0, c1 = _askable(rows, i, flags)
        return c0, c1, ZERO, ZERO
    if rule[R_SPEECH] != _FULL:
        items &= STATEMENTS
    c0, c1 = ZERO, ZERO
    if (flags & BY_CARD) != ZERO:
        c0, c1 = _leadable(rows, i, flags)
    if (flags & TRUMP_MODE) != ZERO:
        c1 |= rows[i, CARDS]
    return c0, c1, ONE, items


@kernel
def _tell(rows, i, bits):  # type: ignore[no-untyped-def]
    """Note bits of KNOWN for the seat to act."""
    seat = np.int64(rows[i, SEAT])
    rows[i, KNOWN + (seat >> 1)] |= bits << U(32 * (seat & 1))


@kernel
def _name_trumps(rows, i, trumps, items):  # type: ignore[no-untyped-def]
    """Take trumps out of the unnamed ones; return the items with the number of the others brought up to date."""
    left = rows[i, UNNAMED] & ~trumps
    rows[i, UNNAMED] = left
    return (items & ~MORES) | (ONE << (MORE_AT + popcount(left)))


@kernel
def _say_card(rows, i, flags, card):  # type: ignore[no-untyped-def]
    """Name a card: one of one's own trumps, the Matto, or after a request the partner's card, which changes nothing."""
    if (flags & TRUMP_MODE) == ZERO:
        return
    bit = ONE << U(card - _FIRST_TRUMP)
    if (rows[i, CARDS] & bit) == ZERO:
        return
    rows[i, CARDS] &= ~bit
    if bit != MATTO_BIT:
        rows[i, SAYABLE] = _name_trumps(rows, i, bit, rows[i, SAYABLE])
        _tell(rows, i, ANNOUNCED | (bit << U(2)))


@kernel
def _say_of_trumps(rows, i, bit, items):  # type: ignore[no-untyped-def]
    """Say a fact with a trump or the Matto; return the items that may come next."""
    items &= ~bit
    if (bit & MORES) != ZERO:
        rows[i, CARDS] &= MATTO_BIT
        return items & ~NAMINGS
    if (bit & NAMINGS) == ZERO:
        return items
    if (bit & HIGH) == ZERO:
        return _name_trumps(rows, i, ONE, items)
    _tell(rows, i, ANNOUNCED)
    trumps = rows[i, HAND + 2 * np.int64(rows[i, SEAT]) + 1] & ALL_TRUMPS
    named = ONE << highest(trumps)
    if (bit >> DOUBLE_AT) == ONE:
        named |= ONE << highest(trumps & ~named)
    return _name_trumps(rows, i, named, items)


@kernel
def _fitting(first, second, fits):  # type: ignore[no-untyped-def]
    """Return the facts that are true of one of two suits, as far as the two bits of `fits` leave them open."""
    return (first & (ZERO - (fits & ONE))) | (second & (ZERO - (fits >> ONE)))


@kernel
def _sleeping(flags):  # type: ignore[no-untyped-def]
    """Return the facts, as item bits, of the dealer's discards in the first and the second suit of the other colour."""
    asleep = flags >> U(ASLEEP)
    return ((asleep >> U(10)) & TEN_CARDS) << ONE, ((asleep >> U(20)) & TEN_CARDS) << ONE


@kernel
def _say_of_suit(rows, i, flags, bit, items):  # type: ignore[no-untyped-def]
    """Say a fact in the open block; return the items that may come next."""
    rows[i, FLAGS] = flags & ~FACT_DUE
    items &= ~bit
    if (flags & (IN_ALTRO | IN_SLEEP_ALTRO)) != ZERO:
        if (flags & IN_ALTRO) != ZERO:
            first, second, at = rows[i, TRUE_OF], rows[i, TRUE_OF + 1], U(FITS)
        else:
            first, second = _sleeping(flags)
            at = U(SLEEP_FITS)
        fits = (flags >> at) & (U((first & bit) != ZERO) | (U((second & bit) != ZERO) << ONE))
        rows[i, FLAGS] = (flags & ~(FACT_DUE | (BOTH_SUITS << at))) | (fits << at)
        items &= ~SUIT_FACTS | _fitting(first, second, fits)
    if (bit & HIGH) != ZERO and (flags & (IN_THIS | IN_ALTRO)) != ZERO:
        told = ANNOUNCED
        if (flags & IN_THIS) != ZERO:
            courts = (REVERSED >> (U(4) * (bit & HONOURS))) & FOUR_BITS
            told |= courts << (U(4) * ((flags >> U(SUIT)) & BOTH_SUITS))
        _tell(rows, i, told)
    return items


@kernel
def _open_block(rows, i, flags, bit, items):  # type: ignore[no-untyped-def]
    """Open a block of the other colour or of sleep; return the items that may come next."""
    flags = (flags & ~BLOCKS) | FACT_DUE
    items &= ~SUIT_FACTS
    if (bit & ALTRO) != ZERO:
        fits = BOTH_SUITS
        if (flags & ALTRO_SAID) != ZERO:
            # What the first block may be true of leaves the other suit to the second.
            fits = (flags >> U(FITS)) & BOTH_SUITS
            fits = (fits >> ONE) | ((fits & ONE) << ONE)
            items &= ~ALTRO
        flags = (flags & ~(BOTH_SUITS << U(FITS))) | (fits << U(FITS)) | IN_ALTRO | ALTRO_SAID
        facts = _fitting(rows[i, TRUE_OF], rows[i, TRUE_OF + 1], fits)
    elif bit == SLEEP_THIS:
        items &= ~bit
        facts = ((flags >> U(ASLEEP)) & TEN_CARDS) << ONE
    else:
        items &= ~bit
        flags |= IN_SLEEP_ALTRO | (BOTH_SUITS << U(SLEEP_FITS))
        first, second = _sleeping(flags)
        facts = first | second
    rows[i, FLAGS] = flags
    return items | facts


@kernel
def _ask(rows, i, flags, action, items):  # type: ignore[no-untyped-def]
    """Make a request; return the items that may come next."""
    if (flags & TRUMP_MODE) == ZERO:
        items &= ~SUIT_FACTS
        flags &= ~BLOCKS
    if action < ASK_LEAD_TRUMP:
        items &= ~(ONE << U(action - _FIRST))
        if action == ASK_PLAY:
            flags |= CARD_DUE
    else:
        items = (items & ~LEADS) | QUALITIES
        flags |= LED_BEFORE
        if action == ASK_LEAD_ALTRO:
            known = known_of(rows, i, np.int64(rows[i, SEAT]) ^ 2)
            known >>= U(8) - U(4) * ((flags >> U(SUIT)) & U(2))
            courts = (known | (known >> U(4))) & FOUR_BITS
            items |= (REVERSED >> (U(4) * courts)) & FOUR_BITS
        else:
            flags |= BY_CARD
    rows[i, FLAGS] = flags
    return items


@kernel
def say(rows, i, rule, action):  # type: ignore[no-untyped-def]
    """Say a legal item (int64), or end the message with 97; return whether the message has ended."""
    append_byte(rows, i, action)
    if action == _DONE:
        return True
    flags, items = rows[i, FLAGS], rows[i, SAYABLE]
    if (flags & CARD_DUE) != ZERO:
        rows[i, FLAGS] = flags & ~CARD_DUE
        return False
    of_trumps = (flags & TRUMP_MODE) != ZERO
    if (flags & LED_BEFORE) != ZERO:
        # No block is open after a request, so a court or a card that follows it in a plain suit tells how to lead.
        flags &= ~(LED_BEFORE | BY_CARD)
        items &= ~(QUALITIES if of_trumps else QUALITIES | HONOURS)
        rows[i, FLAGS], rows[i, SAYABLE] = flags, items
        if action >= ASK_HIGH or (action < SAY_PIPS and not of_trumps):
            return False
    if action < _DONE:
        _say_card(rows, i, flags, action)
        return False
    bit = ONE << U(action - _FIRST)
    if action >= ASK_FARLO:
        items = _ask(rows, i, flags, action, items)
    elif of_trumps:
        items = _say_of_trumps(rows, i, bit, items)
    elif action >= SAY_ALTRO:
        items = _open_block(rows, i, flags, bit, items)
    else:
        items = _say_of_suit(rows, i, flags, bit, items)
    rows[i, SAYABLE] = items
    return False
