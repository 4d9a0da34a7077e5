"""What has been told at Piedicavallo, read into what a seat can count, in kernels (docs/piedicavallo.md, Facts).

Everything said is true, so a fact about the suit played, or about trumps, becomes knowledge at once: cards that a seat
holds, and how many of a suit. Later cards of the speaker bring it up to date. What was said of a suit without telling
which (`altro`), of sleeping cards, and requests are passed over.
"""

from typing import Final

import numpy as np

from minchiate_rl.agents.odds import add_card
from minchiate_rl.agents.sight import TRUMPS, plain_suit
from minchiate_rl.game.actions import (
    ASK_PLAY,
    DONE,
    SAY_ALTRO,
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
from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, SUIT_SIZE
from minchiate_rl.game.engine.bits import ONE, ZERO, U, highest, popcount
from minchiate_rl.game.engine.jit import kernel, owning_kernel
from minchiate_rl.game.engine.layout import (
    MATTO_BIT,
    NO_CARD,
    V_COUNTS,
    V_TURN,
)
from minchiate_rl.views.speech import byte_at, speaker_of

_DONE: Final = int(DONE)
_MATTO: Final = int(MATTO)
_KING: Final = SUIT_SIZE - 1
_ALL_TRUMPS: Final = np.uint64((1 << 21) - 1)


@kernel
def _hear_of_trumps(views, j, n, r, outstanding, held, counts):  # type: ignore[no-untyped-def]
    """Read a message said with a trump or the Matto from byte n on; return the byte behind it.

    `outstanding` holds the trumps not played; it is 0 where the highest of them may sleep, and then `batto` names a
    trump without telling which. A trump that the partner has told to hold is asked of him, and no fact.
    """
    named, all_known = ZERO, True
    while True:
        item = byte_at(views, j, n)
        n += 1
        if item == _DONE or item == 0:
            return n
        told = ZERO
        if item < _DONE:
            told = (ONE << U(item - FIRST_TRUMP)) & ~held[r ^ 2, 1]
        elif item == SAY_BATTO or item == SAY_BATTO_BATTO:
            all_known = outstanding != ZERO
            if all_known:
                told = ONE << highest(outstanding)
                if item == SAY_BATTO_BATTO:
                    told |= ONE << highest(outstanding & ~told)
        elif item == SAY_BAGATTO:
            told = ONE
        elif SAY_MORE <= item < SAY_BATTO:
            if all_known:
                counts[r, TRUMPS] = item - SAY_MORE + np.int64(popcount(named))
        elif item == SAY_NO_TRUMPS:
            counts[r, TRUMPS] = 0
        elif item == ASK_PLAY:
            n += 1
        held[r, 1] |= told
        named |= told & ~MATTO_BIT


@kernel
def _hear_of_suit(views, j, n, r, outstanding, held, counts, suit):  # type: ignore[no-untyped-def]
    """Read a message said with a card of a plain suit from byte n on; return the byte behind it."""
    this = True
    while True:
        item = byte_at(views, j, n)
        n += 1
        if item == _DONE or item == 0:
            return n
        this = this and item < SAY_ALTRO
        if not this:
            continue
        if item < SAY_PIPS:
            held[r, 0] |= ONE << U(SUIT_SIZE * suit + _KING - (item - SAY_HONOUR))
        elif item == SAY_BATTO and outstanding != ZERO:
            held[r, 0] |= ONE << highest(outstanding)
        elif SAY_TOTAL <= item < SAY_MORE:
            counts[r, suit] = item - SAY_TOTAL
        elif item == SAY_VOID:
            counts[r, suit] = 0


@owning_kernel
def hear(views, j, held, counts):  # type: ignore[no-untyped-def]
    """Read the transcript of view row j into what each seat holds; both arrays are modified in place.

    Args:
        views: the view rows, with their transcripts.
        j: the row.
        held: uint64 (4, 2), cards that each seat, from the viewer on, has told to hold.
        counts: int64 (4, 5), cards that it holds of each suit, -1 if it has not told.
    """
    dealer = np.int64((views[j, V_TURN] >> U(16)) & NO_CARD)
    sleeping = ((views[j, V_COUNTS] >> U(32)) & NO_CARD) != ZERO
    out = np.zeros((1, 2), np.uint64)
    n = 0
    while True:
        card = byte_at(views, j, n)
        if card == 0:
            return
        r = speaker_of(views, j, card)
        suit = np.int64(min(card // SUIT_SIZE, TRUMPS))
        add_card(out, 0, card)
        held[r, 0] &= ~out[0, 0]
        held[r, 1] &= ~out[0, 1]
        if card != _MATTO and counts[r, suit] > 0:
            counts[r, suit] -= 1
        if suit == TRUMPS:
            outstanding = ZERO if r == dealer and sleeping else _ALL_TRUMPS & ~out[0, 1]
            n = _hear_of_trumps(views, j, n + 1, r, outstanding, held, counts)
        else:
            outstanding = plain_suit(suit) & ~out[0, 0]
            if r == dealer:
                # A king never sleeps, but what is highest after it may.
                outstanding &= ONE << U(SUIT_SIZE * suit + _KING)
            n = _hear_of_suit(views, j, n + 1, r, outstanding, held, counts, suit)


@kernel
def read_speech(views, j, odds):  # type: ignore[no-untyped-def]
    """Bring the odds of view row j, which are modified in place, up to date with what was said."""
    hear(views, j, odds.held, odds.counts)
    for r in range(1, 4):
        for word in range(2):
            odds.pool[word] &= ~odds.held[r, word]
            odds.hidden[r] -= np.int64(popcount(odds.held[r, word]))
        for suit in range(5):
            if odds.counts[r, suit] == 0:
                odds.voids[r] |= ONE << U(suit)
