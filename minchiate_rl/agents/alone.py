"""The rule player where everybody plays for himself, and at tables of two: no partner to feed or to wait for.

As in the classic game each card gets its expectation in points: the chance that it takes the trick, times what lies in
it; what the card itself stands to lose or to gain against keeping it (`worth.swing`); less the strength
that it gives up. The chances come from `odds`. The hand is judged by a plain count of trumps and kings where the rules
ask whether to stay, to leave, or to buy the fola.
"""

from typing import Final

import numpy as np

from minchiate_rl.agents.discards import discard
from minchiate_rl.agents.odds import beats_chance, survey, top_of
from minchiate_rl.agents.sight import BITS, CERTAIN, TRUMP_STRENGTH, TRUMPS
from minchiate_rl.agents.worth import POWER, Stakes, completing, completing_kings, swing
from minchiate_rl.game.actions import BID, DONE, USE_FOLA, WITHDRAW
from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, SUIT_SIZE
from minchiate_rl.game.engine.bits import ONE, ZERO, U, highest, popcount, trailing_zeros
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    MATTO_BIT,
    V_COUNTS,
    V_FOLA,
    V_HAND,
    V_LEGAL,
    V_PILE,
    V_RULES,
    V_SHOWN,
    V_TABLE,
    V_TURN,
)
from minchiate_rl.game.engine.versicole import KING_BITS
from minchiate_rl.game.seats import Phase

_DONE: Final = int(DONE)
_BID: Final = int(BID)
_USE_FOLA: Final = int(USE_FOLA)
_WITHDRAW: Final = int(WITHDRAW)
_MATTO: Final = int(MATTO)
_DISCARD: Final = int(Phase.DISCARD)
_DECLARE: Final = int(Phase.DECLARE)
_PLAY: Final = int(Phase.PLAY)
_IN_WITHDRAW: Final = int(Phase.WITHDRAW)
_IN_FOLA: Final = int(Phase.FOLA)
_NOTHING: Final = np.int64(-(1 << 60))

#: Points, in the measure of `worth.swing`: the cards of a trick and the last one, by the number of players.
_TRICK_POINTS: Final = np.array([0, 0, 2, 3, 5], dtype=np.int64)
_LAST_TRICK_POINTS: Final = np.array([0, 0, 20, 22, 24], dtype=np.int64)
#: Points: what may be expected to fall to a trick that is led now.
_LED_POINTS: Final = 5
#: Points: the Matto kept for later; one less for each trick near the end.
_MATTO_KEPT: Final = 6
#: Chances, out of CERTAIN, of saving a card by keeping it: one that no other seat can beat, and any other.
_SURE: Final = 1000
_SAVED: Final = 600
#: More trumps than any hand holds: none is discarded while a plain card may go.
_NEVER: Final = np.uint64(64)


@kernel
def _byte(word, n):  # type: ignore[no-untyped-def]
    """Return byte n of a word as int64."""
    return np.int64((word >> U(8 * n)) & U(0xFF))


@kernel
def _strength(card):  # type: ignore[no-untyped-def]
    """Return the strength of a card in the trick, -1 for the Matto."""
    if card >= _MATTO:
        return -1
    return card - FIRST_TRUMP + TRUMP_STRENGTH if card >= FIRST_TRUMP else card % SUIT_SIZE


@kernel
def _what_hangs(views, j):  # type: ignore[no-untyped-def]
    """Return the stakes of view row j; "theirs" are the versicole of any one opponent."""
    demonio = _byte(views[j, V_RULES], 2) != 0
    ours0, ours1 = views[j, V_PILE] | views[j, V_HAND], views[j, V_PILE + 1] | views[j, V_HAND + 1]
    theirs0, theirs1, gone0, gone1 = ZERO, ZERO, ZERO, views[j, V_FOLA + 1]
    for r in range(1, 4):
        pile = V_PILE + 2 * r
        theirs0 |= completing_kings(views[j, pile] | views[j, V_SHOWN + 2 * r])
        theirs1 |= completing(views[j, pile + 1] | views[j, V_SHOWN + 2 * r + 1], demonio)
        gone0 |= views[j, pile]
        gone1 |= views[j, pile + 1]
    return Stakes(
        completing_kings(ours0),
        completing(ours1, demonio),
        theirs0,
        theirs1,
        completing_kings(~gone0),
        completing(~gone1, demonio),
    )


@kernel
def _stands_chance(odds, led, strength):  # type: ignore[no-untyped-def]
    """Return the chance that no seat still to play beats a card of a strength in a trick of suit `led`."""
    chance = np.int64(CERTAIN)
    for r in range(1, 4):
        if odds.waiting[r] == 1:
            chance = (chance * (CERTAIN - beats_chance(odds, led, strength, r))) >> BITS
    return chance


@kernel
def _played(top, at, card, chance, stake):  # type: ignore[no-untyped-def]
    """Return the points, times CERTAIN, of playing a card other than the Matto that takes `stake` with a chance."""
    points = chance * stake - POWER[card]
    own = swing(at, card)
    if own != 0:
        points += (chance - (_SURE if card - FIRST_TRUMP > top else _SAVED)) * own
    return points


@kernel
def _trick_points(views, j):  # type: ignore[no-untyped-def]
    """Return the points for taking the trick on the table whatever lies in it."""
    counts, last = views[j, V_COUNTS], _byte(views[j, V_COUNTS], 5) - 1
    points = _TRICK_POINTS[_byte(counts, 6)]
    if _byte(views[j, V_TURN], 3) == last:
        points += _LAST_TRICK_POINTS[_byte(counts, 6)]
    return points


@kernel
def _matto_kept(views, j):  # type: ignore[no-untyped-def]
    """Return the points, times CERTAIN, of keeping the Matto for a later trick."""
    return CERTAIN * min(_MATTO_KEPT, _byte(views[j, V_COUNTS], 5) - 1 - _byte(views[j, V_TURN], 3))


@kernel
def _follow(views, j, odds, at):  # type: ignore[no-untyped-def]
    """Return the card to play to a trick whose suit is fixed."""
    turn, table = views[j, V_TURN], views[j, V_TABLE]
    led, best = _byte(turn, 5), _strength(_byte(table, _byte(turn, 6)))
    stake, top = _trick_points(views, j), top_of(odds, TRUMPS)
    for r in range(1, 4):
        if _byte(table, r) < _MATTO:
            stake += swing(at, _byte(table, r))
    choice, most = np.int64(_MATTO), _NOTHING
    if (views[j, V_LEGAL + 1] & MATTO_BIT) != ZERO:
        most = -_matto_kept(views, j)
    for part in range(2):
        cards = views[j, V_LEGAL + part] & ~MATTO_BIT if part == 1 else views[j, V_LEGAL]
        while cards != ZERO:
            card = np.int64(trailing_zeros(cards)) + FIRST_TRUMP * part
            cards &= cards - ONE
            mine, chance = _strength(card), np.int64(0)
            if mine > best and (part == 1 or card // SUIT_SIZE == led):
                chance = _stands_chance(odds, led, mine)
            points = _played(top, at, card, chance, stake)
            if points > most:
                choice, most = card, points
    return choice


@kernel
def _lead(views, j, odds, at):  # type: ignore[no-untyped-def]
    """Return the card to lead, or to play to a led Matto."""
    stake, top = _trick_points(views, j) + _LED_POINTS, top_of(odds, TRUMPS)
    choice, most = np.int64(_MATTO), _NOTHING
    if (views[j, V_LEGAL + 1] & MATTO_BIT) != ZERO:
        most = -_matto_kept(views, j)
    for part in range(2):
        cards = views[j, V_LEGAL + part] & ~MATTO_BIT if part == 1 else views[j, V_LEGAL]
        while cards != ZERO:
            card = np.int64(trailing_zeros(cards)) + FIRST_TRUMP * part
            cards &= cards - ONE
            led = TRUMPS if part == 1 else card // SUIT_SIZE
            points = _played(top, at, card, _stands_chance(odds, led, _strength(card)), stake)
            if points > most:
                choice, most = card, points
    return choice


@kernel
def hand_strength(views, j):  # type: ignore[no-untyped-def]
    """Return what a hand promises, in points: what its cards count and the tricks that its trumps will take."""
    w0, w1 = views[j, V_HAND], views[j, V_HAND + 1]
    return np.int64(popcount(w0 & KING_BITS)) + np.int64(popcount(w1))


@kernel
def _stay_or_leave(views, j):  # type: ignore[no-untyped-def]
    """Return the answer to whether to stay in the hand, or to use the fola."""
    return _DONE


@kernel
def _bid(views, j):  # type: ignore[no-untyped-def]
    """Return a bid, or the pass."""
    return _DONE


@kernel
def choose_alone(views, j):  # type: ignore[no-untyped-def]
    """Return the action of the rule player for view row j of a game without partners, or of a table of two."""
    turn, w2 = views[j, V_TURN], views[j, V_LEGAL + 2]
    phase = _byte(turn, 0)
    if w2 != ZERO:
        if phase == _DECLARE:
            return _DONE + np.int64(highest(w2))
        if phase == _IN_FOLA:
            return np.int64(_USE_FOLA)
        return np.int64(_DONE)
    if phase == _DISCARD:
        return discard(views, j, _NEVER)
    odds, at = survey(views, j), _what_hangs(views, j)
    return _lead(views, j, odds, at) if _byte(turn, 6) > 3 else _follow(views, j, odds, at)
