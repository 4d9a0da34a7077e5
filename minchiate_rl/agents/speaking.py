"""What the rule player tells at Piedicavallo, one item a decision, in kernels (docs/piedicavallo.md, Facts).

It tells what is new and exact: the courts of the suit that it plays and how many cards of it are left, or with a trump
its high trumps and how many others it has. What it has told before, and what its cards have shown, it does not repeat.
"""

from typing import Final

import numpy as np

from minchiate_rl.agents.hearing import hear
from minchiate_rl.agents.odds import UNTOLD
from minchiate_rl.agents.sight import TRUMPS, plain_suit
from minchiate_rl.game.actions import DONE, FIRST_SPEECH, SAY_HONOUR, SAY_MORE, SAY_TOTAL, SAY_VOID
from minchiate_rl.game.cards import FIRST_TRUMP, SUIT_SIZE
from minchiate_rl.game.engine.bits import ONE, ZERO, U, highest, popcount, trailing_zeros
from minchiate_rl.game.engine.jit import kernel, owning_kernel
from minchiate_rl.game.engine.layout import NO_CARD, TRUMP_BITS, V_HAND, V_LEGAL, V_TABLE

_DONE: Final = int(DONE)
_VOID: Final = int(SAY_VOID)
_KING: Final = SUIT_SIZE - 1


@kernel
def _of_trumps(views, j, told, count):  # type: ignore[no-untyped-def]
    """Return the next item after a trump or the Matto; `told` and `count` are what has been told of trumps."""
    nameable = views[j, V_LEGAL + 1] & TRUMP_BITS & ~told
    if nameable != ZERO:
        return np.int64(highest(nameable)) + FIRST_TRUMP
    if count != UNTOLD:
        return np.int64(_DONE)
    for k in range(15):
        if (views[j, V_LEGAL + 3] >> U(SAY_MORE - FIRST_SPEECH + k)) & ONE == ONE:
            return np.int64(SAY_MORE + k)
    return np.int64(_DONE)


@kernel
def _of_suit(views, j, told, count, suit):  # type: ignore[no-untyped-def]
    """Return the next item after a card of a plain suit; `told` and `count` are what has been told of it."""
    mine = views[j, V_HAND] & plain_suit(suit)
    for k in range(4):
        bit = ONE << U(SUIT_SIZE * suit + _KING - k)
        if (mine & ~told & bit) != ZERO:
            return np.int64(SAY_HONOUR + k)
    if count != UNTOLD:
        return np.int64(_DONE)
    return np.int64(SAY_TOTAL + np.int64(popcount(mine))) if mine != ZERO else np.int64(_VOID)


@kernel
def _may_say(views, j, item):  # type: ignore[no-untyped-def]
    """Return whether an item (int64) is among the legal actions of view row j."""
    word = 0 if item < FIRST_TRUMP else 1 if item < _DONE else 2 if item < FIRST_SPEECH else 3
    start = 0 if word == 0 else FIRST_TRUMP if word == 1 else _DONE if word == 2 else FIRST_SPEECH
    return (views[j, V_LEGAL + word] >> U(item - start)) & ONE == ONE


@kernel
def sayable(views, j, item):  # type: ignore[no-untyped-def]
    """Return an item of view row j if it may be said, or else the end of the message.

    In a message that others have begun, with a block opened or a card to be named, the lowest item that may follow.
    """
    if _may_say(views, j, item):
        return item
    if _may_say(views, j, np.int64(_DONE)):
        return np.int64(_DONE)
    if views[j, V_LEGAL] != ZERO:
        return np.int64(trailing_zeros(views[j, V_LEGAL]))
    if views[j, V_LEGAL + 1] != ZERO:
        return np.int64(trailing_zeros(views[j, V_LEGAL + 1])) + FIRST_TRUMP
    return np.int64(trailing_zeros(views[j, V_LEGAL + 3])) + FIRST_SPEECH


@owning_kernel
def next_item(views, j):  # type: ignore[no-untyped-def]
    """Return what the seat that has just played says next in view row j: an item, or the end of its message."""
    held, counts = np.zeros((4, 2), np.uint64), np.full((4, 5), UNTOLD, np.int64)
    hear(views, j, held, counts)
    card = np.int64(views[j, V_TABLE] & NO_CARD)
    if card >= FIRST_TRUMP:
        return _of_trumps(views, j, held[0, 1], counts[0, TRUMPS])
    suit = card // SUIT_SIZE
    return _of_suit(views, j, held[0, 0], counts[0, suit], suit)
