"""The rule player where everybody plays for himself, and at tables of two: no partner to feed or to wait for.

As in the classic game each card gets its expectation in points: the chance that it takes the trick, times what lies in
it; what the card itself stands to lose or to gain against keeping it (`worth.swing`); less the strength
that it gives up. The chances come from `odds`. The hand is judged by a plain count of trumps and kings where the rules
ask whether to stay, to leave, or to buy the fola.
"""

from typing import Final

import numpy as np

from minchiate_rl.agents.discards import discard
from minchiate_rl.agents.odds import beats_chance, outside, survey, top_of
from minchiate_rl.agents.sight import BITS, CERTAIN, TRUMPS, above, byte_of, plain_suit, strength_of
from minchiate_rl.agents.worth import Stakes, completing, completing_kings, swing
from minchiate_rl.game.actions import BID, DONE, USE_FOLA, WITHDRAW
from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, SUIT_SIZE, VALUES
from minchiate_rl.game.engine.bits import ONE, ZERO, U, highest, popcount, trailing_zeros
from minchiate_rl.game.engine.jit import kernel, owning_kernel
from minchiate_rl.game.engine.layout import (
    MATTO_BIT,
    TRUMP_BITS,
    V_BIDS,
    V_COUNTS,
    V_FOLA,
    V_FORM,
    V_HAND,
    V_LEGAL,
    V_PILE,
    V_RULES,
    V_SEATS,
    V_SHOWN,
    V_SWITCHES,
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
_IN_WITHDRAW: Final = int(Phase.WITHDRAW)
_IN_FOLA: Final = int(Phase.FOLA)
_IN_BID: Final = int(Phase.BID)
_NOTHING: Final = np.int64(-(1 << 60))

#: Points, in the measure of `worth.swing`: the cards of a trick and the last one, by the number of players.
_TRICK_POINTS: Final = np.array([0, 0, 2, 3, 5], dtype=np.int64)
_LAST_TRICK_POINTS: Final = np.array([0, 0, 20, 22, 24], dtype=np.int64)
#: Points: the Matto kept for later; one less for each trick near the end.
_MATTO_KEPT: Final = 6
#: Chances, out of CERTAIN, of saving a card by keeping it: one that no other seat can beat, and any other.
_SURE: Final = 1000
_SAVED: Final = 864
#: Points, times CERTAIN, that a card may still win: each rank of a plain card; any trump, and more by the part of the
#: outstanding trumps that it beats.
_RANK: Final = 60
_TRUMP: Final = 4096
_TRUMP_BEATS: Final = 12288

#: Points that a hand of 21 cards may be expected to win from three others: a linear fit over hands that it played.
_BASE: Final = -550
_A_TRUMP: Final = 18
_HIGH_TRUMP: Final = 19
_A_FIVE: Final = 38
_A_TEN: Final = 75
_A_KING: Final = 39
_THE_MATTO: Final = 52
_A_VOID: Final = 45
_HIGH: Final = np.uint64(((1 << 40) - 1) & ~((1 << 20) - 1))
_FIVES: Final = np.uint64(sum(1 << (c - FIRST_TRUMP) for c in range(FIRST_TRUMP, MATTO) if VALUES[c] == 5))
_TENS: Final = np.uint64(sum(1 << (c - FIRST_TRUMP) for c in range(FIRST_TRUMP, MATTO) if VALUES[c] == 10))
#: Points that a player who withdraws still marks, for cards of the others that die.
_LEFT_BEHIND: Final = 40
#: Points that the fola is worth: almost the same to every hand.
_FOLA_WORTH: Final = 200

#: More trumps than any hand holds: none is discarded while a plain card may go.
_NEVER: Final = np.uint64(64)


@kernel
def _what_hangs(views, j):  # type: ignore[no-untyped-def]
    """Return the stakes of view row j; "theirs" are the versicole of any one opponent."""
    demonio = byte_of(views[j, V_RULES], 2) != 0
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
def _power(odds, card):  # type: ignore[no-untyped-def]
    """Return the points, times CERTAIN, that a card may still win by its strength if it is kept."""
    if card < FIRST_TRUMP:
        return np.int64(_RANK * (card % SUIT_SIZE))
    others = outside(odds, TRUMPS)
    beaten = popcount(others & ~above(card - FIRST_TRUMP))
    part = np.int64(CERTAIN) if others == ZERO else np.int64(beaten << U(BITS)) // np.int64(popcount(others))
    return _TRUMP + ((_TRUMP_BEATS * part) >> BITS)


@kernel
def _played(odds, at, card, chance, stake):  # type: ignore[no-untyped-def]
    """Return the points, times CERTAIN, of playing a card other than the Matto that takes `stake` with a chance."""
    points = chance * stake - _power(odds, card)
    own = swing(at, card)
    if own != 0:
        points += (chance - (_SURE if card - FIRST_TRUMP > top_of(odds, TRUMPS) else _SAVED)) * own
    return points


@kernel
def _trick_points(views, j):  # type: ignore[no-untyped-def]
    """Return the points for taking the trick on the table whatever lies in it."""
    counts, last = views[j, V_COUNTS], byte_of(views[j, V_COUNTS], 5) - 1
    points = _TRICK_POINTS[byte_of(counts, 6)]
    if byte_of(views[j, V_TURN], 3) == last:
        points += _LAST_TRICK_POINTS[byte_of(counts, 6)]
    return points


@kernel
def _matto_kept(views, j):  # type: ignore[no-untyped-def]
    """Return the points, times CERTAIN, of keeping the Matto for a later trick."""
    return CERTAIN * min(_MATTO_KEPT, byte_of(views[j, V_COUNTS], 5) - 1 - byte_of(views[j, V_TURN], 3))


@kernel
def _follow(views, j, odds, at):  # type: ignore[no-untyped-def]
    """Return the card to play to a trick whose suit is fixed."""
    turn, table = views[j, V_TURN], views[j, V_TABLE]
    led, best = byte_of(turn, 5), strength_of(byte_of(table, byte_of(turn, 6)))
    stake = _trick_points(views, j)
    for r in range(1, 4):
        if byte_of(table, r) < _MATTO:
            stake += swing(at, byte_of(table, r))
    choice, most = np.int64(_MATTO), _NOTHING
    if (views[j, V_LEGAL + 1] & MATTO_BIT) != ZERO:
        most = -_matto_kept(views, j)
    for part in range(2):
        cards = views[j, V_LEGAL + part] & ~MATTO_BIT if part == 1 else views[j, V_LEGAL]
        while cards != ZERO:
            card = np.int64(trailing_zeros(cards)) + FIRST_TRUMP * part
            cards &= cards - ONE
            mine, chance = strength_of(card), np.int64(0)
            if mine > best and (part == 1 or card // SUIT_SIZE == led):
                chance = _stands_chance(odds, led, mine)
            points = _played(odds, at, card, chance, stake)
            if points > most:
                choice, most = card, points
    return choice


@kernel
def _lead(views, j, odds, at):  # type: ignore[no-untyped-def]
    """Return the card to lead, or to play to a led Matto."""
    stake = _trick_points(views, j)
    choice, most = np.int64(_MATTO), _NOTHING
    if (views[j, V_LEGAL + 1] & MATTO_BIT) != ZERO:
        most = -_matto_kept(views, j)
    for part in range(2):
        cards = views[j, V_LEGAL + part] & ~MATTO_BIT if part == 1 else views[j, V_LEGAL]
        while cards != ZERO:
            card = np.int64(trailing_zeros(cards)) + FIRST_TRUMP * part
            cards &= cards - ONE
            led = TRUMPS if part == 1 else card // SUIT_SIZE
            points = _played(odds, at, card, _stands_chance(odds, led, strength_of(card)), stake)
            if points > most:
                choice, most = card, points
    return choice


@kernel
def hand_worth(w0, w1):  # type: ignore[no-untyped-def]
    """Return the points that a hand of 21 cards may be expected to win or to lose against three others."""
    points = _BASE + _A_TRUMP * np.int64(popcount(w1 & TRUMP_BITS)) + _HIGH_TRUMP * np.int64(popcount(w1 & _HIGH))
    points += _A_FIVE * np.int64(popcount(w1 & _FIVES)) + _A_TEN * np.int64(popcount(w1 & _TENS))
    points += _A_KING * np.int64(popcount(w0 & KING_BITS))
    if (w1 & MATTO_BIT) != ZERO:
        points += _THE_MATTO
    for suit in range(4):
        if (w0 & plain_suit(suit)) == ZERO:
            points += _A_VOID
    return points


@kernel
def _stay_or_withdraw(views, j):  # type: ignore[no-untyped-def]
    """Return `done` if the hand is worth more than leaving it, or else the withdrawal."""
    form = views[j, V_FORM]
    fee = byte_of(form, 4) + byte_of(form, 5) * byte_of(views[j, V_SEATS], 3)
    leaves = hand_worth(views[j, V_HAND], views[j, V_HAND + 1]) < _LEFT_BEHIND - fee
    return np.int64(_WITHDRAW) if leaves else np.int64(_DONE)


@kernel
def _bid_or_pass(views, j):  # type: ignore[no-untyped-def]
    """Return the next bid for the fola as long as it is worth it, or else `done`."""
    bids, steps = views[j, V_BIDS], np.int64(0)
    if byte_of(bids, 5) < 4:
        steps = byte_of(bids, byte_of(bids, 5))
    points = steps * byte_of(views[j, V_SWITCHES], 3)
    return np.int64(_BID) if points < _FOLA_WORTH else np.int64(_DONE)


@owning_kernel
def choose_alone(views, j):  # type: ignore[no-untyped-def]
    """Return the action of the rule player for view row j of a game without partners, or of a table of two."""
    turn, w2 = views[j, V_TURN], views[j, V_LEGAL + 2]
    phase = byte_of(turn, 0)
    if w2 != ZERO:
        if phase == _DECLARE:
            return _DONE + np.int64(highest(w2))
        if phase == _IN_FOLA:
            return np.int64(_USE_FOLA)
        if phase == _IN_WITHDRAW:
            return _stay_or_withdraw(views, j)
        return _bid_or_pass(views, j) if phase == _IN_BID else np.int64(_DONE)
    if phase == _DISCARD:
        return discard(views, j, _NEVER)
    odds, at = survey(views, j), _what_hangs(views, j)
    return _lead(views, j, odds, at) if byte_of(turn, 6) > 3 else _follow(views, j, odds, at)
