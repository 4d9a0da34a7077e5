"""Legal actions of a row as four words (docs/rules.md, sections 2, 3, 4.1, 7, 10 and 13)."""

from typing import Final

import numpy as np

from minchiate_rl.game.actions import DONE, DROP, FIRST_SPEECH, N_ACTIONS
from minchiate_rl.game.cards import FIRST_TRUMP, N_CARDS
from minchiate_rl.game.engine.bidding import choices
from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount
from minchiate_rl.game.engine.deal import UNDISCARDABLE_0, UNDISCARDABLE_1
from minchiate_rl.game.engine.jit import hot_kernel, kernel
from minchiate_rl.game.engine.layout import (
    BEST,
    DECLARED,
    DISCARD,
    HAND,
    LED,
    LEFT,
    MATTO_BIT,
    NO_CARD,
    NOBODY,
    ON_TABLE,
    OPENED,
    PHASE,
    SEAT,
    SUIT_BITS,
    TO_DISCARD,
    TRUMP_BITS,
    TRUMP_STRENGTH,
)
from minchiate_rl.game.engine.score import TENS_1, THREES_1
from minchiate_rl.game.engine.shuffle import DEAL_ROBBED
from minchiate_rl.game.engine.speech import speech_words
from minchiate_rl.game.engine.versicole import KING_BITS, declaration_word
from minchiate_rl.game.rules import R_CASCARE, R_DEAL, R_EXTRAS, R_KING_RULE
from minchiate_rl.game.seats import Phase

_DECLARE: Final = np.uint64(Phase.DECLARE)
_PLAY: Final = np.uint64(Phase.PLAY)
_DISCARD: Final = np.uint64(Phase.DISCARD)
_PICK: Final = np.uint64(Phase.PICK)
_SPEAK: Final = np.uint64(Phase.SPEAK)
_DROP_BIT: Final = np.uint64(1 << (DROP - DONE))
_TRUMPS: Final = np.uint64(4)
_NO_SUIT: Final = np.uint64(5)
_T29_BIT: Final = np.uint64(1 << 28)
#: In Piedicavallo: trumps that may be discarded, T2 to T20, and all of them.
_PIEDICAVALLO_TRUMPS: Final = np.uint64(((1 << 20) - 1) & ~1)


@kernel
def suit_mask(suit):  # type: ignore[no-untyped-def]
    """Return the bits of a plain suit (uint64, 0 to 3) in word 0."""
    return SUIT_BITS << (suit * U(14))


@hot_kernel
def legal_cards(h0, h1, led, opened, king_rule):  # type: ignore[no-untyped-def]
    """Return the cards of a hand that may be played.

    `led` is the effective led suit (uint64), 5 if none; `opened` the plain suits led in earlier tricks, bits 0 to 3;
    `king_rule` whether a trump lies in this trick, in a game that has the king rule.
    """
    if led == _NO_SUIT:
        return h0, h1
    matto = h1 & MATTO_BIT
    trumps = h1 & TRUMP_BITS
    if led != _TRUMPS:
        follow = h0 & suit_mask(led)
        if follow != ZERO:
            king = ONE << (led * U(14) + U(13))
            if king_rule and (follow & king) != ZERO and ((opened >> led) & ONE) == ZERO:
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
def legal_piedicavallo_discards(h0, h1, left, first_0):  # type: ignore[no-untyped-def]
    """Return the cards that may be discarded in Piedicavallo (docs/rules.md, 10.2).

    Two cards go, never a king, T1, T21 or the Matto; trumps only if no plain card that may go stays in hand, or if no
    trump does. `left` is how many are still to go, `first_0` holds the first one if it was plain.
    """
    plain, trumps = h0 & ~KING_BITS, h1 & _PIEDICAVALLO_TRUMPS
    n_plain, n_trumps, n_all = popcount(plain), popcount(trumps), popcount(h1 & TRUMP_BITS)
    if left == U(2):
        plain_goes = n_plain >= U(2) or (n_trumps > ZERO and (n_plain == ONE or n_all == ONE))
        trump_goes = (n_trumps >= U(2) and (n_plain == ZERO or n_all == U(2))) or (
            n_plain > ZERO and (n_plain == ONE or n_all == ONE)
        )
    elif first_0 != ZERO:
        plain_goes = True
        trump_goes = n_plain == ZERO or n_all == ONE
    else:
        plain_goes = n_plain == ONE or n_all == ZERO
        trump_goes = n_plain == ZERO or n_all == ONE
    return plain if plain_goes else ZERO, trumps if trump_goes else ZERO


@kernel
def legal_picks(h0, h1, led):  # type: ignore[no-untyped-def]
    """Return the cards of a dropped hand, which holds no trump, that may be picked for a trick of suit `led`."""
    if led < _TRUMPS:
        follow = h0 & suit_mask(led)
        if follow != ZERO:
            return follow, h1
    return h0, h1


@kernel
def _words_beside_play(rows, i, rule, phase):  # type: ignore[no-untyped-def]
    """Return the legal actions in every phase but the play of cards."""
    seat = np.int64(rows[i, SEAT])
    h0, h1 = rows[i, HAND + 2 * seat], rows[i, HAND + 2 * seat + 1]
    if phase == _DECLARE:
        return ZERO, ZERO, declaration_word(h0, h1, rows[i, DECLARED + seat], rule[R_EXTRAS]), ZERO
    if phase == _SPEAK:
        return speech_words(rows, i, rule)
    if phase == _PICK:
        hand = HAND + 2 * np.int64((rows[i, LEFT] >> U(16)) & NO_CARD)
        c0, c1 = legal_picks(rows[i, hand], rows[i, hand + 1], rows[i, LED])
        return c0, c1, ZERO, ZERO
    if phase != _DISCARD:
        return ZERO, ZERO, choices(phase), ZERO
    if rule[R_DEAL] == DEAL_ROBBED:
        c0, c1 = legal_discards(h0, h1)
    else:
        c0, c1 = legal_piedicavallo_discards(h0, h1, rows[i, TO_DISCARD], rows[i, DISCARD + 2])
    return c0, c1, ZERO, ZERO


@hot_kernel
def legal_words(rows, i, rule):  # type: ignore[no-untyped-def]
    """Return the legal actions of the seat to act as four words.

    Cards in two words, then bit a - 97 for actions 97 to 143, then bit a - 144 for those of speech.
    """
    seat, phase = rows[i, SEAT], rows[i, PHASE]
    if seat == NOBODY:
        return ZERO, ZERO, ZERO, ZERO
    if phase != _PLAY:
        return _words_beside_play(rows, i, rule, phase)
    hand = HAND + 2 * np.int64(seat)
    h0, h1 = rows[i, hand], rows[i, hand + 1]
    king_rule = (rows[i, BEST] >= TRUMP_STRENGTH) & (rule[R_KING_RULE] != 0)
    c0, c1 = legal_cards(h0, h1, rows[i, LED], rows[i, OPENED], king_rule)
    if rule[R_CASCARE] != 0 and rows[i, ON_TABLE] != ZERO and (h1 & TRUMP_BITS) == ZERO:
        return c0, c1, _DROP_BIT, ZERO
    return c0, c1, ZERO, ZERO


@hot_kernel
def is_legal(rows, i, rule, action):  # type: ignore[no-untyped-def]
    """Return whether an action (int64, any value) is legal for the seat to act."""
    w0, w1, w2, w3 = legal_words(rows, i, rule)
    if action < 0 or action >= N_ACTIONS:
        return False
    if action < FIRST_TRUMP:
        return ((w0 >> U(action)) & ONE) != ZERO
    if action < N_CARDS:
        return ((w1 >> U(action - FIRST_TRUMP)) & ONE) != ZERO
    if action < FIRST_SPEECH:
        return ((w2 >> U(action - N_CARDS)) & ONE) != ZERO
    return ((w3 >> U(action - FIRST_SPEECH)) & ONE) != ZERO
