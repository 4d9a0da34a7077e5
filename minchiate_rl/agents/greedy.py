"""The greedy agent: a one-ply rule that looks at the trick on the table and at nothing else.

It declares everything, discards its lowest cards, and leads its highest. To a trick with points in it, or as last hand,
it plays the cheapest card that wins; otherwise, or where it cannot win, the card of least value, and among those the
lowest.
"""

from typing import Any, Final

import numpy as np

from minchiate_rl.agents.base import KernelAgent
from minchiate_rl.game.actions import DONE
from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, N_CARDS, SUIT_SIZE, VALUES
from minchiate_rl.game.engine.bits import ONE, ZERO, U, highest, trailing_zeros
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import NO_CARD, V_LEGAL, V_TABLE, V_TURN
from minchiate_rl.game.seats import Phase

_DONE: Final = int(DONE)
_MATTO: Final = int(MATTO)
_DISCARD: Final = np.uint64(Phase.DISCARD)
_LAST: Final = np.uint64(3)
_VALUES: Final = np.array(VALUES, dtype=np.int64)
#: The order in which cards are thrown away: by value, then plain cards before trumps, then by strength; the Matto last.
_COST: Final = np.array(
    [
        VALUES[c] * 100 + (c - FIRST_TRUMP + SUIT_SIZE if c >= FIRST_TRUMP else c % SUIT_SIZE) + 1000 * (c == MATTO)
        for c in range(N_CARDS)
    ],
    dtype=np.int64,
)


@kernel
def _strength(card):  # type: ignore[no-untyped-def]
    """Return the strength of a card: its position in the suit, 64 + that among the trumps, or -1 for the Matto."""
    if card >= _MATTO:
        return -1
    return card - FIRST_TRUMP + 64 if card >= FIRST_TRUMP else card % SUIT_SIZE


@kernel
def _table_points(table):  # type: ignore[no-untyped-def]
    """Return the points of the cards on the table."""
    points = 0
    for r in range(1, 4):
        card = (table >> U(8 * r)) & NO_CARD
        if card != NO_CARD:
            points += _VALUES[card]
    return points


@kernel
def _cheapest(w0, w1, led, best):  # type: ignore[no-untyped-def]
    """Return the cheapest of the cards that beat a strength in the led suit or by trump; -1 if none does."""
    choice, least = np.int64(-1), np.int64(1 << 30)
    for part in range(2):
        cards = w0 if part == 0 else w1
        while cards != ZERO:
            card = np.int64(trailing_zeros(cards)) + FIRST_TRUMP * part
            cards &= cards - ONE
            fits = part == 1 or led < 0 or card // SUIT_SIZE == led
            if fits and _strength(card) > best and _COST[card] < least:
                choice, least = card, _COST[card]
    return choice


@kernel
def _lowest(w0, w1):  # type: ignore[no-untyped-def]
    """Return the card of a set, not empty, that costs least to throw away."""
    return _cheapest(w0, w1, -1, -2)


@kernel
def _lead(w0, w1):  # type: ignore[no-untyped-def]
    """Return the highest trump of a hand, or else the strongest plain card."""
    trumps = w1 & ~(ONE << U(_MATTO - FIRST_TRUMP))
    if trumps != ZERO:
        return np.int64(highest(trumps)) + FIRST_TRUMP
    if w0 == ZERO:
        return _MATTO
    choice, best = np.int64(0), np.int64(-1)
    while w0 != ZERO:
        card = np.int64(trailing_zeros(w0))
        w0 &= w0 - ONE
        if _strength(card) > best:
            choice, best = card, _strength(card)
    return choice


@kernel
def choose_greedy(views, j, word):  # type: ignore[no-untyped-def]
    """Return the action of the greedy rule for view row j; the random word is not used."""
    w0, w1, w2 = views[j, V_LEGAL], views[j, V_LEGAL + 1], views[j, V_LEGAL + 2]
    if w2 != ZERO:
        return _DONE + np.int64(highest(w2))
    turn, table = views[j, V_TURN], views[j, V_TABLE]
    if (turn & U(7)) == _DISCARD:
        return _lowest(w0, w1)
    winner = np.int64((turn >> U(48)) & U(7))
    if winner > 3:
        return _lead(w0, w1)
    last = ((turn >> U(32)) & U(0xFF)) == _LAST
    if winner != 2 and (last or _table_points(table) > 0):
        best = _strength(np.int64((table >> U(8 * winner)) & NO_CARD))
        choice = _cheapest(w0, w1, np.int64((turn >> U(40)) & U(0xFF)), best)
        if choice >= 0:
            return choice
    return _lowest(w0, w1)


@kernel
def act_greedy(views, words, out):  # type: ignore[no-untyped-def]
    """Fill `out` with an action for each view row."""
    for j in range(len(out)):
        out[j] = choose_greedy(views, j, words[j])


class GreedyAgent(KernelAgent):
    """Takes the trick in front of it as cheaply as it can, and thinks no further."""

    name = "greedy"
    code = 1

    def kernel(self) -> Any:
        """Return the kernel over a batch of views."""
        return act_greedy
