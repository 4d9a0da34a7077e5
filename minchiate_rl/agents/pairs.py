"""The rule player of Piedicavallo: points in every trick, a partner, and speech, in kernels (docs/piedicavallo.md).

Each card gets its expectation in points: the chance that our side takes the trick, times what lies in it; what the card
itself counts, against the chance to bring it home later; less the strength that it gives up. What was told (`hearing`)
makes the chances sharper, and with them come the partner's conventions: points on the trick that he will win, his
void fed with leads, opponents' tops kept in mind.
"""

from typing import Final

import numpy as np

from minchiate_rl.agents.hearing import read_speech
from minchiate_rl.agents.odds import beats_chance, outside, ruff_chance, survey, top_of
from minchiate_rl.agents.sight import BITS, CERTAIN, TRUMP_STRENGTH, TRUMPS, above, byte_of, plain_suit, strength_of
from minchiate_rl.agents.speaking import next_item, sayable
from minchiate_rl.agents.worth import PIEDICAVALLO
from minchiate_rl.game.actions import DONE
from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, SUIT_SIZE
from minchiate_rl.game.engine.bits import ONE, ZERO, U, highest, popcount, trailing_zeros
from minchiate_rl.game.engine.jit import kernel, owning_kernel
from minchiate_rl.game.engine.layout import (
    MATTO_BIT,
    TRUMP_BITS,
    V_COUNTS,
    V_HAND,
    V_LEGAL,
    V_SWITCHES,
    V_TABLE,
    V_TURN,
)
from minchiate_rl.game.engine.versicole import KING_BITS
from minchiate_rl.game.seats import Phase

_DONE: Final = int(DONE)
_MATTO: Final = int(MATTO)
_KING: Final = SUIT_SIZE - 1
_DISCARD: Final = int(Phase.DISCARD)
_SPEAK: Final = int(Phase.SPEAK)
_NOTHING: Final = np.int64(-(1 << 60))
_SPEECH_BITS: Final = np.uint64(3 << 13)
_POINTS: Final = np.array(PIEDICAVALLO, dtype=np.int64)

#: Points, times CERTAIN: what each card still to fall to a trick adds to what hangs on it.
_CARD_TO_COME: Final = 768
#: Points: the Matto kept for later; one less for each trick near the end.
_MATTO_KEPT: Final = 3
#: Chances, out of CERTAIN, of bringing a card home by keeping it: one that no other seat can beat, a king, the bagatto,
#: and any other.
_SURE: Final = 900
_KING_SAVED: Final = 512
_BAGATTO_SAVED: Final = 704
_SAVED: Final = 832
#: Points, times CERTAIN, that a trump may still win: any, and more by the part of the outstanding trumps that it beats.
_TRUMP: Final = 2048
_TRUMP_BEATS: Final = 3584
#: Chances, out of CERTAIN, that a partner who can beat an opponent's card does, and one that has just beaten ours.
_PARTNER_BEATS: Final = 900
_OVER_ONE: Final = 600
#: Points of a discard for each card of its suit, and for a suit whose king is held.
_LENGTH: Final = 1
_WITH_KING: Final = 3


@kernel
def _partners_best(odds, led, best):  # type: ignore[no-untyped-def]
    """Return the strength of the best card of the suit led that the partner is known to hold, if above `best`."""
    if led == TRUMPS:
        cards = odds.held[2, 1] & TRUMP_BITS
        return max(best, np.int64(highest(cards)) + TRUMP_STRENGTH) if cards != ZERO else best
    cards = odds.held[2, 0] & plain_suit(led)
    return max(best, np.int64(highest(cards)) - SUIT_SIZE * led) if cards != ZERO else best


@kernel
def _rescue_chance(odds, led, best):  # type: ignore[no-untyped-def]
    """Return the chance that the next player beats a card of strength `best`, and then the partner beats him."""
    theirs, partners = beats_chance(odds, led, best, 1), beats_chance(odds, led, best, 2)
    if led == TRUMPS or best >= TRUMP_STRENGTH:
        return (theirs * ((partners * _OVER_ONE) >> BITS)) >> BITS
    # A trump of the partner's is over whatever follows suit.
    ruffed, ruffs = ruff_chance(odds, led, 1, best), ruff_chance(odds, led, 2, best)
    over_suit = (ruffs * _PARTNER_BEATS + (partners - ruffs) * _OVER_ONE) >> BITS
    return ((theirs - ruffed) * over_suit + ruffed * ((ruffs * _OVER_ONE) >> BITS)) >> BITS


@kernel
def _takes_chance(odds, led, best, ours):  # type: ignore[no-untyped-def]
    """Return the chance that our side takes a trick of suit `led` once the viewer has played.

    `best` is the strength that then holds it, `ours` whether for our side.
    """
    mine, partners = np.int64(CERTAIN) if ours else np.int64(0), np.int64(0)
    if ours and odds.waiting[1] == 1:
        mine -= beats_chance(odds, led, best, 1)
        if odds.waiting[2] == 1:
            partners = _rescue_chance(odds, led, best)
    elif odds.waiting[2] == 1 and not ours:
        partners = (beats_chance(odds, led, best, 2) * _PARTNER_BEATS) >> BITS
    if odds.waiting[3] == 1:
        if odds.waiting[2] == 1:
            raised = (mine * ((beats_chance(odds, led, best, 2) * _PARTNER_BEATS) >> BITS)) >> BITS
            mine, partners = mine - raised, partners + raised
        mine = (mine * (CERTAIN - beats_chance(odds, led, best, 3))) >> BITS
        best_known = _partners_best(odds, led, best)
        beaten = beats_chance(odds, led, best_known, 3)
        if best_known == best:
            beaten >>= 1
        partners = (partners * (CERTAIN - beaten)) >> BITS
    return mine + partners


@kernel
def _power(odds, card):  # type: ignore[no-untyped-def]
    """Return the points, times CERTAIN, that a trump may still win if it is kept."""
    others = outside(odds, TRUMPS)
    beaten = popcount(others & ~above(card - FIRST_TRUMP))
    part = np.int64(CERTAIN) if others == ZERO else np.int64(beaten << U(BITS)) // np.int64(popcount(others))
    return _TRUMP + ((_TRUMP_BEATS * part) >> BITS)


@kernel
def _saved_chance(odds, card):  # type: ignore[no-untyped-def]
    """Return the chance of bringing a card home by keeping it."""
    if card >= FIRST_TRUMP:
        if card - FIRST_TRUMP > top_of(odds, TRUMPS):
            return _SURE
        return _BAGATTO_SAVED if card == FIRST_TRUMP else _SAVED
    if card > top_of(odds, card // SUIT_SIZE):
        return _SURE
    return _KING_SAVED if card % SUIT_SIZE == _KING else _SAVED


@kernel
def _played(odds, card, chance, stake):  # type: ignore[no-untyped-def]
    """Return the points, times CERTAIN, of playing a card other than the Matto; `stake` is times CERTAIN as well."""
    points = ((chance * stake) >> BITS) + (chance - _saved_chance(odds, card)) * _POINTS[card]
    return points - _power(odds, card) if card >= FIRST_TRUMP else points


@kernel
def _matto_kept(views, j):  # type: ignore[no-untyped-def]
    """Return the points, times CERTAIN, of keeping the Matto for a later trick."""
    return CERTAIN * min(_MATTO_KEPT, byte_of(views[j, V_COUNTS], 5) - 1 - byte_of(views[j, V_TURN], 3))


@kernel
def _stake(views, j, odds):  # type: ignore[no-untyped-def]
    """Return the points, times CERTAIN, of the cards on the table and of those that are still to come."""
    points = _CARD_TO_COME * (odds.waiting[1] + odds.waiting[2] + odds.waiting[3])
    for r in range(1, 4):
        if byte_of(views[j, V_TABLE], r) < _MATTO:
            points += CERTAIN * _POINTS[byte_of(views[j, V_TABLE], r)]
    return points


@kernel
def _play(views, j, odds):  # type: ignore[no-untyped-def]
    """Return the card to play, or to lead."""
    turn = views[j, V_TURN]
    led, winner, stake = byte_of(turn, 5), byte_of(turn, 6), _stake(views, j, odds)
    leads = winner > 3
    best = -1 if leads else strength_of(byte_of(views[j, V_TABLE], winner))
    passing = np.int64(0) if leads else _takes_chance(odds, led, best, winner == 2)
    choice, most = np.int64(_MATTO), _NOTHING
    if (views[j, V_LEGAL + 1] & MATTO_BIT) != ZERO:
        most = ((passing * stake) >> BITS) - _matto_kept(views, j)
    for part in range(2):
        cards = views[j, V_LEGAL + part] & ~MATTO_BIT if part == 1 else views[j, V_LEGAL]
        while cards != ZERO:
            card = np.int64(trailing_zeros(cards)) + FIRST_TRUMP * part
            cards &= cards - ONE
            suit = TRUMPS if part == 1 else card // SUIT_SIZE
            mine, chance = strength_of(card), passing
            if leads or (mine > best and (part == 1 or suit == led)):
                chance = _takes_chance(odds, suit if leads else led, mine, True)
            points = _played(odds, card, chance, stake)
            if points > most:
                choice, most = card, points
    return choice


@kernel
def _discard(views, j):  # type: ignore[no-untyped-def]
    """Return the card to lay away: one that counts much, from a short suit, rather without its king."""
    choice, most = np.int64(-1), _NOTHING
    cards, hand = views[j, V_LEGAL], views[j, V_HAND]
    while cards != ZERO:
        card = np.int64(trailing_zeros(cards))
        cards &= cards - ONE
        mine = hand & plain_suit(card // SUIT_SIZE)
        points = _POINTS[card] - _LENGTH * np.int64(popcount(mine))
        if (mine & KING_BITS) != ZERO:
            points -= _WITH_KING
        if points > most:
            choice, most = card, points
    if choice < 0:
        choice = np.int64(trailing_zeros(views[j, V_LEGAL + 1])) + FIRST_TRUMP
    return choice


@owning_kernel
def choose_pairs(views, j, reads, speaks):  # type: ignore[no-untyped-def]
    """Return the action of the rule player for view row j of Piedicavallo.

    `reads` says whether it heeds what was said, `speaks` whether it says anything.
    """
    phase = byte_of(views[j, V_TURN], 0)
    if phase == _SPEAK:
        return sayable(views, j, next_item(views, j) if speaks else np.int64(_DONE))
    if phase == _DISCARD:
        return _discard(views, j)
    if views[j, V_LEGAL + 2] != ZERO:
        return np.int64(_DONE)
    odds = survey(views, j)
    if reads and (views[j, V_SWITCHES] & _SPEECH_BITS) != ZERO:
        read_speech(views, j, odds)
    return _play(views, j, odds)
