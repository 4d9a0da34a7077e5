"""Picking a legal action uniformly at random: shared by playouts inside the engine and by the random agent."""

from typing import Final

import numpy as np

from minchiate_rl.game.actions import FIRST_SPEECH
from minchiate_rl.game.cards import FIRST_TRUMP
from minchiate_rl.game.engine.bits import nth_bit, popcount
from minchiate_rl.game.engine.jit import hot_kernel
from minchiate_rl.game.engine.streams import bounded

_FIRST_OTHER: Final = 97
_FIRST_SPEECH: Final = int(FIRST_SPEECH)


@hot_kernel
def pick_uniform(w0, w1, w2, w3, word):  # type: ignore[no-untyped-def]
    """Return the action (int64) that a random word picks among the legal ones, at least one.

    The legal actions are counted through the cards of word 0, the cards of word 1, then word 2, whose bit a - 97 stands
    for action a, then word 3, bit a - 144. With n of them the k-th is picked, k = bounded(word, n).
    """
    n0, n1, n2 = popcount(w0), popcount(w1), popcount(w2)
    k = bounded(word, n0 + n1 + n2 + popcount(w3))
    if k < n0:
        return np.int64(nth_bit(w0, k))
    k -= n0
    if k < n1:
        return np.int64(nth_bit(w1, k)) + FIRST_TRUMP
    k -= n1
    if k < n2:
        return np.int64(nth_bit(w2, k)) + _FIRST_OTHER
    return np.int64(nth_bit(w3, k - n2)) + _FIRST_SPEECH
