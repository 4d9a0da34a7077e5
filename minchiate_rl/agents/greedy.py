"""The greedy agent: a one-ply rule that looks at the trick on the table and at nothing else.

It declares everything, discards its lowest cards, and leads its highest. To a trick with points in it, or as last hand,
it plays the cheapest card that wins; otherwise, or where it cannot win, the card of least value, and among those the
lowest. It never drops its hand, stays in every hand, uses the fola where it is free and never pays for it, and does not
speak.
"""

from typing import Any, Final

import numpy as np

from minchiate_rl.agents.base import KernelAgent
from minchiate_rl.agents.discards import pick_dropped
from minchiate_rl.agents.sight import strength_of
from minchiate_rl.agents.speaking import sayable
from minchiate_rl.agents.worth import PIEDICAVALLO
from minchiate_rl.game.actions import DONE, USE_FOLA
from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, N_CARDS, SUIT_SIZE, VALUES
from minchiate_rl.game.engine.bits import ONE, ZERO, U, highest, trailing_zeros
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import NO_CARD, V_COUNTS, V_FORM, V_LEGAL, V_SEATS, V_TABLE, V_TURN
from minchiate_rl.game.forms import GAMES
from minchiate_rl.game.seats import Phase

_DONE: Final = int(DONE)
_USE_FOLA: Final = int(USE_FOLA)
_MATTO: Final = int(MATTO)
_DISCARD: Final = np.uint64(Phase.DISCARD)
#: The points of each card, by card number: in Minchiate, and in Piedicavallo.
_VALUES: Final = np.array([VALUES, PIEDICAVALLO], dtype=np.int64)
#: The order in which cards are thrown away: by value, then plain cards before trumps, then by strength; the Matto last.
_COST: Final = np.array(
    [
        [
            values[c] * 100 + (c - FIRST_TRUMP + SUIT_SIZE if c >= FIRST_TRUMP else c % SUIT_SIZE) + 1000 * (c == MATTO)
            for c in range(N_CARDS)
        ]
        for values in (VALUES, PIEDICAVALLO)
    ],
    dtype=np.int64,
)
_PIEDICAVALLO: Final = list(GAMES).index("piedicavallo")
_FOLA: Final = np.uint64(Phase.FOLA)
_PICK: Final = np.uint64(Phase.PICK)
_SPEAK: Final = np.uint64(Phase.SPEAK)
_PLAY: Final = np.uint64(Phase.PLAY)
_DECLARE: Final = np.uint64(Phase.DECLARE)


@kernel
def _table_points(table, game):  # type: ignore[no-untyped-def]
    """Return the points of the cards on the table; `game` is the row of the tables of points."""
    points = 0
    for r in range(1, 4):
        card = (table >> U(8 * r)) & NO_CARD
        if card != NO_CARD:
            points += _VALUES[game, card]
    return points


@kernel
def _cheapest(w0, w1, led, best, game):  # type: ignore[no-untyped-def]
    """Return the cheapest of the cards that beat a strength in the led suit or by trump; -1 if none does."""
    choice, least = np.int64(-1), np.int64(1 << 30)
    for part in range(2):
        cards = w0 if part == 0 else w1
        while cards != ZERO:
            card = np.int64(trailing_zeros(cards)) + FIRST_TRUMP * part
            cards &= cards - ONE
            fits = part == 1 or led < 0 or card // SUIT_SIZE == led
            if fits and strength_of(card) > best and _COST[game, card] < least:
                choice, least = card, _COST[game, card]
    return choice


@kernel
def _lowest(w0, w1, game):  # type: ignore[no-untyped-def]
    """Return the card of a set, not empty, that costs least to throw away."""
    return _cheapest(w0, w1, -1, -2, game)


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
        if strength_of(card) > best:
            choice, best = card, strength_of(card)
    return choice


@kernel
def _without_cards(phase, w2):  # type: ignore[no-untyped-def]
    """Return the action where no card is to be played: a declaration, the fola, or `done`."""
    if phase == _DECLARE:
        return _DONE + np.int64(highest(w2))
    return _USE_FOLA if phase == _FOLA else _DONE


@kernel
def _still_to_play(views, j):  # type: ignore[no-untyped-def]
    """Return how many seats play to the trick after the viewer, unless they have dropped their hands."""
    n_seats, table = (views[j, V_COUNTS] >> U(48)) & U(0xFF), (views[j, V_TURN] >> U(32)) & U(0xFF)
    withdrawn = U((views[j, V_SEATS] & U(0xFF)) < n_seats)
    return n_seats - ONE - table - withdrawn


@kernel
def choose_greedy(views, j, word):  # type: ignore[no-untyped-def]
    """Return the action of the greedy rule for view row j; the random word is not used."""
    w0, w1, w2 = views[j, V_LEGAL], views[j, V_LEGAL + 1], views[j, V_LEGAL + 2]
    turn, table = views[j, V_TURN], views[j, V_TABLE]
    phase = turn & U(15)
    if w2 != ZERO and phase != _PLAY:
        return _without_cards(phase, w2)
    if phase == _SPEAK:
        return sayable(views, j, np.int64(_DONE))
    if phase == _PICK:
        return pick_dropped(views, j)
    game = 1 if (views[j, V_FORM] >> U(56)) == U(_PIEDICAVALLO) else 0
    if phase == _DISCARD:
        return _lowest(w0, w1, game)
    winner = np.int64((turn >> U(48)) & U(7))
    if winner > 3:
        return _lead(w0, w1)
    ours = winner == 2 and (views[j, V_COUNTS] >> U(56)) == U(2)
    if not ours and (_table_points(table, game) > 0 or _still_to_play(views, j) == ZERO):
        best = strength_of(np.int64((table >> U(8 * winner)) & NO_CARD))
        choice = _cheapest(w0, w1, np.int64((turn >> U(40)) & U(0xFF)), best, game)
        if choice >= 0:
            return choice
    return _lowest(w0, w1, game)


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
