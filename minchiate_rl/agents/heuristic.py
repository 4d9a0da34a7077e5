"""The rule player: the tactics of the sources, one decision at a time (docs/rules.md, section 9).

Each card that may be played is given its expectation in points: the chance that our side takes the trick, times what
lies in it; what the card itself stands to gain or lose against keeping it (`worth.swing`); less the
strength that it gives up. The chances come from counting (`sight`). The named tactics enter as terms: tenuta, rifitta
and feeding a void partner, hanging kings, fumata, and the Matto in place of a card that would die.

The player is fixed for good, as an anchor that others are measured against: equal views get equal answers, by whole
numbers alone.
"""

from typing import Any, Final

import numpy as np

from minchiate_rl.agents.alone import choose_alone
from minchiate_rl.agents.base import KernelAgent
from minchiate_rl.agents.discards import discard, pick_dropped
from minchiate_rl.agents.pairs import choose_pairs
from minchiate_rl.agents.sight import (
    BITS,
    CERTAIN,
    SHARE,
    TRUMP_STRENGTH,
    TRUMPS,
    above,
    beat_chance,
    byte_of,
    elsewhere,
    holders,
    is_top,
    is_void,
    look,
    plain_suit,
    strength_of,
    trump_chance,
    void_chance,
)
from minchiate_rl.agents.worth import JEALOUS, POWER, Stakes, stakes, swing
from minchiate_rl.game.actions import DONE, DROP
from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, N_CARDS, SUIT_SIZE, VALUES
from minchiate_rl.game.engine.bits import ONE, ZERO, U, highest, popcount, trailing_zeros
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    MATTO_BIT,
    TRUMP_BITS,
    V_COUNTS,
    V_FORM,
    V_HAND,
    V_LEGAL,
    V_SHOWN,
    V_TABLE,
    V_TURN,
)
from minchiate_rl.game.forms import GAMES
from minchiate_rl.game.seats import Phase

_DONE: Final = int(DONE)
_DROP_BIT: Final = np.uint64(1 << (DROP - DONE))
_MATTO: Final = int(MATTO)
_DISCARD: Final = int(Phase.DISCARD)
_PICK: Final = int(Phase.PICK)
_CLASSIC, _PIEDICAVALLO, _MINI_TEAM = (list(GAMES).index(name) for name in ("minchiate", "piedicavallo", "mini_team"))
_KING: Final = SUIT_SIZE - 1
_NOTHING: Final = np.int64(-(1 << 60))

#: Points: what a trick is worth by its four cards, and the last one besides.
_TRICK_POINTS: Final = 4
_LAST_TRICK_POINTS: Final = 10
#: Points: what may be expected to fall to a trick that is led now.
_LED_POINTS: Final = 7
#: Points: a noble that a trumping player brings home.
_BROUGHT_HOME: Final = 6
#: Points: opening a suit whose king one holds short, where an opponent would trump; a king that is hanged.
_FREE_KING: Final = 14
_HANGED: Final = 24
_SHORT: Final = np.uint64(4)
#: Points: leading a suit that nobody else holds.
_UNSAFE: Final = 4
#: Points: a trump led without the tops in the first tricks, and how many these are; the signal to partner.
_EARLY_TRUMP: Final = 5
_EARLY: Final = 12
_FUMATA: Final = 3
#: Points: the Matto kept for later; one less for each trick near the end.
_MATTO_KEPT: Final = 6
#: Chances, out of CERTAIN, of saving a card by keeping it: one that no other seat can beat, and any other.
_SURE: Final = 1000
_SAVED: Final = 600
#: Chances, out of CERTAIN, that a partner who trumps too is over the next player, the previous one, or both.
_OVER_ONE: Final = 600
_OVER_LAST: Final = 500
_OVER_BOTH: Final = 400
#: The chance that a partner who can beat an opponent's card does.
_PARTNER_BEATS: Final = 768

_THREES: Final = np.uint64(sum(1 << (c - FIRST_TRUMP) for c in range(FIRST_TRUMP, _MATTO) if VALUES[c] == 3))
_FIVES: Final = np.uint64(sum(1 << (c - FIRST_TRUMP) for c in range(FIRST_TRUMP, _MATTO) if VALUES[c] == 5))
_TENS: Final = np.uint64(sum(1 << (c - FIRST_TRUMP) for c in range(FIRST_TRUMP, _MATTO) if VALUES[c] == 10))

#: Cards of account: those with a swing.
_ACCOUNT_0: Final = np.uint64(sum(1 << c for c in range(FIRST_TRUMP) if JEALOUS[c]))
_ACCOUNT_1: Final = np.uint64(sum(1 << (c - FIRST_TRUMP) for c in range(FIRST_TRUMP, N_CARDS) if JEALOUS[c]))

#: The trumps that signal two and three tops.
_HIGH_FUMATA: Final = (FIRST_TRUMP + 24, FIRST_TRUMP + 26)
_LOW_FUMATA: Final = (FIRST_TRUMP + 20, FIRST_TRUMP + 23)

#: Trumps are discarded before plain cards from this many in the hand on.
_OVER_SUPPLIED: Final = np.uint64(15)


@kernel
def _what_hangs(views, j):  # type: ignore[no-untyped-def]
    """Return the stakes of view row j; nothing where neither the table nor the legal cards hold a card of account."""
    w0, w1, table = views[j, V_LEGAL] & _ACCOUNT_0, views[j, V_LEGAL + 1] & _ACCOUNT_1, views[j, V_TABLE]
    account = (w0 | w1) != ZERO
    for r in range(1, 4):
        card = byte_of(table, r)
        account |= card < _MATTO and JEALOUS[card] != 0
    return stakes(views, j) if account else Stakes(ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)


@kernel
def _played(sight, at, card, chance, stake):  # type: ignore[no-untyped-def]
    """Return the points, times CERTAIN, of playing a card other than the Matto to a trick with `stake` in it.

    `chance` is that of our side to take the trick.
    """
    points = chance * stake - POWER[card]
    own = swing(at, card)
    if own != 0:
        saved = _SURE if card - FIRST_TRUMP > sight.top else _SAVED
        points += (chance - saved) * own
    return points


@kernel
def _matto_kept(views, j):  # type: ignore[no-untyped-def]
    """Return the points, times CERTAIN, of keeping the Matto for a later trick."""
    return CERTAIN * min(_MATTO_KEPT, byte_of(views[j, V_COUNTS], 5) - 1 - byte_of(views[j, V_TURN], 3))


@kernel
def _table_stake(views, j, at):  # type: ignore[no-untyped-def]
    """Return the points that hang on the trick on the table."""
    stake = np.int64(_TRICK_POINTS)
    if byte_of(views[j, V_TURN], 3) == byte_of(views[j, V_COUNTS], 5) - 1:
        stake += _LAST_TRICK_POINTS
    for r in range(1, 4):
        card = byte_of(views[j, V_TABLE], r)
        if card < _MATTO:
            stake += swing(at, card)
    return stake


@kernel
def _take_chance(views, j, sight, led, best, ours):  # type: ignore[no-untyped-def]
    """Return the chance that our side takes a trick of suit `led` once the viewer has played, seen with care.

    `best` is the strength that then holds it, `ours` whether for our side. What holds it for our side counts as sure or
    as lost: nothing of account is put on a trick that is not sure, unless forced.
    """
    position = byte_of(views[j, V_TURN], 4)
    beaten = beat_chance(views, j, sight, led, best, 1) if position < 3 else np.int64(0)
    if ours:
        return CERTAIN if beaten == 0 else 0
    if position > 1:
        return 0
    return ((CERTAIN - beaten) * beat_chance(views, j, sight, led, best, 2) * _PARTNER_BEATS) >> (2 * BITS)


@kernel
def _tenuta(views, j, sight, led, best, mine):  # type: ignore[no-untyped-def]
    """Return the points, times CERTAIN, of what a third hand's trump keeps the fourth from slipping in.

    Counted are the counting trumps between the strength that holds the trick and the viewer's: papi under 6 to 9, the
    10 under 11 and 12, the 13 under 14 to 19, the 20 under 21 to 29, a noble under any higher trump.
    """
    if byte_of(views[j, V_TURN], 4) != 2 or mine < TRUMP_STRENGTH or mine <= best:
        return 0
    opens = CERTAIN if led == TRUMPS else void_chance(views, j, sight, led, 1)
    if opens == 0 or is_void(sight.known, 1, TRUMPS) == 1:
        return 0
    slips = sight.trumps & ((ONE << U(mine - TRUMP_STRENGTH)) - ONE)
    if best >= TRUMP_STRENGTH:
        slips &= above(best - TRUMP_STRENGTH)
    points = U(9) * popcount(slips & _THREES) + U(15) * popcount(slips & _FIVES) + U(30) * popcount(slips & _TENS)
    return (opens * SHARE[holders(sight.known, TRUMPS)] * np.int64(points)) >> (BITS + 1)


@kernel
def _follow(views, j, sight, at):  # type: ignore[no-untyped-def]
    """Return the card to play to a trick whose suit is fixed."""
    turn = views[j, V_TURN]
    led, winner = byte_of(turn, 5), byte_of(turn, 6)
    best = strength_of(byte_of(views[j, V_TABLE], winner))
    stake = _table_stake(views, j, at)
    passing = _take_chance(views, j, sight, led, best, winner == 2)
    choice, most = np.int64(_MATTO), _NOTHING
    if (views[j, V_LEGAL + 1] & MATTO_BIT) != ZERO:
        most = passing * stake - _matto_kept(views, j)
    for part in range(2):
        cards = views[j, V_LEGAL + part] & ~MATTO_BIT if part == 1 else views[j, V_LEGAL]
        while cards != ZERO:
            card = np.int64(trailing_zeros(cards)) + FIRST_TRUMP * part
            cards &= cards - ONE
            mine = strength_of(card)
            chance, kept_out = passing, np.int64(0)
            if mine > best and (part == 1 or card // SUIT_SIZE == led):
                chance = _take_chance(views, j, sight, led, mine, True)
                kept_out = _tenuta(views, j, sight, led, best, mine)
            points = _played(sight, at, card, chance, stake) + kept_out
            if points > most:
                choice, most = card, points
    return choice


@kernel
def _hangings(views, j, sight, suit, ruffs):  # type: ignore[no-untyped-def]
    """Return the points, times CERTAIN, of the king rule when a plain suit is led for the first time.

    `ruffs` holds the chances that the other seats trump: the king of the previous player falls behind a partner who
    does, the partner's behind a next player who does. The owner of a short king leads low if an opponent would trump:
    the suit is then opened, and the king is bound no more.
    """
    king = ONE << U(SUIT_SIZE * suit + _KING)
    if (views[j, V_HAND] & king) != ZERO:
        short = popcount(views[j, V_HAND] & plain_suit(suit)) <= _SHORT
        return _FREE_KING * max(ruffs[0], ruffs[2]) if short else 0
    points = np.int64(0)
    for r in range(2, 4):
        has = np.int64(0)
        if (views[j, V_SHOWN + 2 * r] & king) != ZERO:
            has = np.int64(CERTAIN)
        elif (sight.plain & king) != ZERO and is_void(sight.known, r, suit) == 0:
            barred = (sight.known >> U(20 + 4 * r + suit)) & ONE
            has = SHARE[holders(sight.known, suit)] * np.int64(ONE - barred)
        points += (_HANGED * has * ruffs[1]) >> BITS if r == 3 else -((_HANGED * has * ruffs[0]) >> BITS)
    return points


@kernel
def _ruffs(views, j, sight, suit):  # type: ignore[no-untyped-def]
    """Return the chances that seats 1, 2 and 3 trump a plain suit that is led now."""
    t1 = (void_chance(views, j, sight, suit, 1) * trump_chance(views, j, sight, -1, 1)) >> BITS
    t2 = (void_chance(views, j, sight, suit, 2) * trump_chance(views, j, sight, -1, 2)) >> BITS
    if byte_of(views[j, V_TABLE], 3) != 0xFF:
        return t1, t2, 0
    return t1, t2, (void_chance(views, j, sight, suit, 3) * trump_chance(views, j, sight, -1, 3)) >> BITS


@kernel
def _led_suit(views, j, sight, suit, ruffs):  # type: ignore[no-untyped-def]
    """Return what leading a plain suit does whatever the card: points times CERTAIN, and two chances for our side.

    The chances: to win by a trump of the partner's, and that nobody trumps. Best are a suit that the previous player,
    the fourth to play, must follow (rifitta) and one that the partner will trump.
    """
    t1, t2, t3 = ruffs
    n1, n2, n3 = CERTAIN - t1, CERTAIN - t2, CERTAIN - t3
    alone = (((n1 * t2) >> BITS) * n3) >> BITS
    brought = alone + ((((((t1 * t2) >> BITS) * n3) >> BITS) * _OVER_ONE) >> BITS)
    over = (((((n1 * t2) >> BITS) * t3) >> BITS) * _OVER_LAST) + (((((t1 * t2) >> BITS) * t3) >> BITS) * _OVER_BOTH)
    nobody = (((n1 * n2) >> BITS) * n3) >> BITS
    slipped = ((t1 * n2) >> BITS) + ((((n1 * n2) >> BITS) * t3) >> BITS)
    points = _BROUGHT_HOME * (brought - slipped)
    if (elsewhere(views, j, sight) & plain_suit(suit)) == ZERO and t1 + t3 > 0:
        points -= CERTAIN * _UNSAFE
    return points, brought + (over >> BITS), nobody


@kernel
def _lead_plain(views, j, sight, at, suit):  # type: ignore[no-untyped-def]
    """Return the better of the lowest card of a plain suit and its highest that nobody can beat, and its points."""
    mine = views[j, V_LEGAL] & plain_suit(suit)
    low, high = np.int64(trailing_zeros(mine)), np.int64(highest(mine))
    ruffs = _ruffs(views, j, sight, suit)
    points, by_trump, nobody = _led_suit(views, j, sight, suit, ruffs)
    if (byte_of(views[j, V_TURN], 7) >> suit) & 1 == 0:
        hangings = _hangings(views, j, sight, suit, ruffs)
    else:
        hangings = np.int64(0)
    top = is_top(views, j, sight, high)
    if low != high or not top:
        partner = np.int64(0) if is_void(sight.known, 2, suit) == 1 else SHARE[holders(sight.known, suit)]
        low_points = _played(sight, at, low, by_trump + ((nobody * partner) >> BITS), _LED_POINTS) + hangings
    else:
        low_points = _NOTHING
    if top:
        high_points = _played(sight, at, high, by_trump + nobody, _LED_POINTS)
        if high_points > low_points:
            return high, points + high_points
    return low, points + low_points


@kernel
def _lead_trump(views, j, sight, at, card, tops):  # type: ignore[no-untyped-def]
    """Return the points, times CERTAIN, of leading a trump; `tops` is how many of the viewer's nobody can beat."""
    chance = np.int64(CERTAIN)
    if card - FIRST_TRUMP <= sight.top:
        partner = is_void(sight.known, 2, TRUMPS) == 0
        chance = SHARE[holders(sight.known, TRUMPS)] if partner else np.int64(0)
    points = _played(sight, at, card, chance, _LED_POINTS)
    if tops < 3 and byte_of(views[j, V_TURN], 3) < _EARLY:
        points -= CERTAIN * _EARLY_TRUMP
    if tops == 2 and _HIGH_FUMATA[0] <= card <= _HIGH_FUMATA[1]:
        points += CERTAIN * _FUMATA
    if tops >= 3 and _LOW_FUMATA[0] <= card <= _LOW_FUMATA[1]:
        points += CERTAIN * _FUMATA
    return points


@kernel
def _lead(views, j, sight, at):  # type: ignore[no-untyped-def]
    """Return the card to lead, or to play to a led Matto."""
    choice, most = np.int64(_MATTO), _NOTHING
    if (views[j, V_LEGAL + 1] & MATTO_BIT) != ZERO:
        most = -_matto_kept(views, j)
    for suit in range(4):
        if (views[j, V_LEGAL] & plain_suit(suit)) != ZERO:
            card, points = _lead_plain(views, j, sight, at, suit)
            if points > most:
                choice, most = card, points
    trumps = views[j, V_LEGAL + 1] & TRUMP_BITS
    tops = np.int64(popcount(trumps & above(sight.top)))
    while trumps != ZERO:
        card = np.int64(trailing_zeros(trumps)) + FIRST_TRUMP
        trumps &= trumps - ONE
        points = _lead_trump(views, j, sight, at, card, tops)
        if points > most:
            choice, most = card, points
    return choice


@kernel
def choose_heuristic(views, j, word):  # type: ignore[no-untyped-def]
    """Return the action of the rule player for view row j; the random word is not used."""
    game = byte_of(views[j, V_FORM], 7)
    if game == _PIEDICAVALLO:
        return choose_pairs(views, j, True, True)
    if game != _CLASSIC and game != _MINI_TEAM:
        return choose_alone(views, j)
    w0, w1, w2 = views[j, V_LEGAL], views[j, V_LEGAL + 1], views[j, V_LEGAL + 2] & ~_DROP_BIT
    if w2 != ZERO:
        # The highest bit is a versicola with the Matto, then one without, then `done`.
        return _DONE + np.int64(highest(w2))
    if w0 == ZERO and (w1 & (w1 - ONE)) == ZERO:
        return np.int64(trailing_zeros(w1)) + FIRST_TRUMP
    if w1 == ZERO and (w0 & (w0 - ONE)) == ZERO:
        return np.int64(trailing_zeros(w0))
    turn = views[j, V_TURN]
    if byte_of(turn, 0) == _DISCARD:
        return discard(views, j, _OVER_SUPPLIED)
    if byte_of(turn, 0) == _PICK:
        return pick_dropped(views, j)
    sight, at = look(views, j), _what_hangs(views, j)
    return _lead(views, j, sight, at) if byte_of(turn, 6) > 3 else _follow(views, j, sight, at)


@kernel
def act_heuristic(views, words, out):  # type: ignore[no-untyped-def]
    """Fill `out` with an action for each view row."""
    for j in range(len(out)):
        out[j] = choose_heuristic(views, j, words[j])


class HeuristicAgent(KernelAgent):
    """Plays by the tactics of the sources: counts, guards its versicole, hangs kings, feeds its partner."""

    name = "heuristic"
    code = 2

    def kernel(self) -> Any:
        """Return the kernel over a batch of views."""
        return act_heuristic
