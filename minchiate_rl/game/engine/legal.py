"""Legal actions of a row as three words (docs/rules.md, sections 2, 3 and 4.1)."""

from typing import Final

import numpy as np

from minchiate_rl.game.actions import N_ACTIONS
from minchiate_rl.game.cards import FIRST_TRUMP, N_CARDS
from minchiate_rl.game.engine.bits import ONE, ZERO, U
from minchiate_rl.game.engine.deal import UNDISCARDABLE_0, UNDISCARDABLE_1
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    BEST,
    DECLARED,
    HAND,
    LED,
    MATTO_BIT,
    NOBODY,
    OPENED,
    PHASE,
    SEAT,
    SUIT_BITS,
    TRUMP_BITS,
    TRUMP_STRENGTH,
)
from minchiate_rl.game.engine.score import TENS_1, THREES_1
from minchiate_rl.game.engine.versicole import declaration_word
from minchiate_rl.game.rules import R_DEMONIO
from minchiate_rl.game.seats import Phase

_DECLARE: Final = np.uint64(Phase.DECLARE)
_PLAY: Final = np.uint64(Phase.PLAY)
_TRUMPS: Final = np.uint64(4)
_NO_SUIT: Final = np.uint64(5)
_T29_BIT: Final = np.uint64(1 << 28)


@kernel
def suit_mask(suit):  # type: ignore[no-untyped-def]
    """Return the bits of a plain suit (uint64, 0 to 3) in word 0."""
    return SUIT_BITS << (suit * U(14))


@kernel
def legal_cards(h0, h1, led, opened, trump_played):  # type: ignore[no-untyped-def]
    """Return the cards of a hand that may be played.

    `led` is the effective led suit (uint64), 5 if none; `opened` the plain suits led in earlier tricks, bits 0 to 3;
    `trump_played` whether a trump lies in this trick.
    """
    if led == _NO_SUIT:
        return h0, h1
    matto = h1 & MATTO_BIT
    trumps = h1 & TRUMP_BITS
    if led != _TRUMPS:
        follow = h0 & suit_mask(led)
        if follow != ZERO:
            king = ONE << (led * U(14) + U(13))
            if trump_played and (follow & king) != ZERO and ((opened >> led) & ONE) == ZERO:
                return king, ZERO
            return follow, matto
    if trumps != ZERO:
        return ZERO, trumps | matto
    return h0, matto


@kernel
def legal_discards(h0, h1):  # type: ignore[no-untyped-def]
    """Return the cards that may be discarded: if none but counting cards are left, the lowest of them (U-5)."""
    d0, d1 = h0 & ~UNDISCARDABLE_0, h1 & ~UNDISCARDABLE_1
    if (d0 | d1) != ZERO:
        return d0, d1
    if (h1 & _T29_BIT) != ZERO:
        return ZERO, _T29_BIT
    if (h1 & THREES_1) != ZERO:
        return ZERO, h1 & THREES_1
    if (h0 | (h1 & ~TENS_1)) != ZERO:
        return h0, h1 & ~TENS_1
    return h0, h1


@kernel
def legal_words(rows, i, rule):  # type: ignore[no-untyped-def]
    """Return the legal actions of the seat to act: cards in two words, then bit a - 97 for the other actions."""
    seat = rows[i, SEAT]
    if seat == NOBODY:
        return ZERO, ZERO, ZERO
    hand = HAND + 2 * np.int64(seat)
    h0, h1 = rows[i, hand], rows[i, hand + 1]
    phase = rows[i, PHASE]
    if phase == _PLAY:
        c0, c1 = legal_cards(h0, h1, rows[i, LED], rows[i, OPENED], rows[i, BEST] >= TRUMP_STRENGTH)
        return c0, c1, ZERO
    if phase == _DECLARE:
        return ZERO, ZERO, declaration_word(h0, h1, rows[i, DECLARED + np.int64(seat)], rule[R_DEMONIO])
    c0, c1 = legal_discards(h0, h1)
    return c0, c1, ZERO


@kernel
def is_legal(rows, i, rule, action):  # type: ignore[no-untyped-def]
    """Return whether an action (int64, any value) is legal for the seat to act."""
    w0, w1, w2 = legal_words(rows, i, rule)
    if action < 0 or action >= N_ACTIONS:
        return False
    if action < FIRST_TRUMP:
        return ((w0 >> U(action)) & ONE) != ZERO
    if action < N_CARDS:
        return ((w1 >> U(action - FIRST_TRUMP)) & ONE) != ZERO
    return ((w2 >> U(action - N_CARDS)) & ONE) != ZERO
