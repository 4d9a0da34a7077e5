"""Small facts of a view row that dense vector and tokens share: the game, its pack, whose discards are whose."""

from typing import Final

import numpy as np

from minchiate_rl.game.cards import FIRST_TRUMP, N_CARDS
from minchiate_rl.game.engine.bits import ONE, ZERO, U
from minchiate_rl.game.engine.jit import hot_kernel
from minchiate_rl.game.engine.layout import (
    NOBODY,
    SWITCH_BITS,
    V_BIDS,
    V_COUNTS,
    V_FORM,
    V_RULES,
    V_SEATS,
    V_SWITCHES,
    V_TURN,
)
from minchiate_rl.game.forms import GAMES

_BYTE: Final = np.uint64(0xFF)
_SPEECH_BITS: Final = np.uint64(sum(1 << bit for bit, name in enumerate(SWITCH_BITS) if name.startswith("speech")))

_LOW_HALF: Final = np.uint64(0xFFFFFFFF)
_EPISODE: Final = np.uint64(0xFFFF)
#: The low half of V_SEATS, and V_BIDS, while nobody has left or dropped out, and nobody has bid.
_NOBODY_LEFT: Final = NOBODY | NOBODY << np.uint64(16)
_NO_BIDS: Final = NOBODY << np.uint64(40) | NOBODY << np.uint64(48)

#: The cards of each game's pack as the two words of a set, in the order of GAMES.
PACKS: Final = np.array(
    [
        [
            sum(1 << card for card in game.cards if card < FIRST_TRUMP),
            sum(1 << card - FIRST_TRUMP for card in game.cards if card >= FIRST_TRUMP),
        ]
        for game in GAMES.values()
    ],
    dtype=np.uint64,
)
#: Whether a game is played with the whole pack of 97, and whether versicole count in it.
WHOLE_PACK: Final = np.array([len(game.cards) == N_CARDS for game in GAMES.values()])
COUNTS_VERSICOLE: Final = np.array([game.declares for game in GAMES.values()])


@hot_kernel
def game_of(views, j):  # type: ignore[no-untyped-def]
    """Return the place of the game in GAMES (uint64)."""
    return views[j, V_FORM] >> U(56)


@hot_kernel
def speaks(views, j):  # type: ignore[no-untyped-def]
    """Return whether players speak; only then has the row columns for what they say."""
    return views[j, V_SWITCHES] & _SPEECH_BITS != ZERO


@hot_kernel
def for_himself(views, j):  # type: ignore[no-untyped-def]
    """Return whether everybody plays for himself at a table of three or four."""
    return views[j, V_COUNTS] >> U(56) > U(2)


@hot_kernel
def extras_of(views, j):  # type: ignore[no-untyped-def]
    """Return what the versicole count beside the plain ones, as in rules.R_EXTRAS (int64)."""
    form = views[j, V_FORM]
    extras = ((views[j, V_RULES] >> U(16)) & ONE) | (((form >> U(16)) & _BYTE) << U(8))
    return np.int64(extras | (((form >> U(24)) & _BYTE) << U(16)))


@hot_kernel
def discards_are_ours(views, j, who):  # type: ignore[no-untyped-def]
    """Return whether the discards of the cutter, or fola's user (0), or of the dealer (1) are our side's."""
    dealer = (views[j, V_TURN] >> U(16)) & _BYTE
    if not for_himself(views, j):
        # The cutter belongs to the other side.
        return ((dealer & ONE) == ZERO) == (who == 1)
    if who == 1:
        return dealer == ZERO
    user = (views[j, V_BIDS] >> U(48)) & _BYTE
    return user == ZERO if user != NOBODY else dealer == ONE


@hot_kernel
def is_steady(views, j):  # type: ignore[no-untyped-def]
    """Return whether all seats play on, nobody has bid, and the hand stands alone: so it is in most games."""
    nobody_left = views[j, V_SEATS] & _LOW_HALF == _NOBODY_LEFT and views[j, V_BIDS] == _NO_BIDS
    return nobody_left and views[j, V_FORM] & _EPISODE == ZERO
