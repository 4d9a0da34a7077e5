"""Views that leak on purpose, to show that a leak would be noticed."""

import numpy as np

from minchiate_rl.game.engine.layout import HAND, V_HAND, V_KNOWN, V_RULES

_BIT_OF_THE_MATTO = np.uint64(40)


def differing(ours, theirs, viewers, look=None):
    """Return how many views differ between two batches; `look` adds a leak to the words of a view."""
    found = []
    for batch in (ours, theirs):
        words = batch.views(seat=viewers).words
        found.append(words if look is None else look(batch, words))
    return int((found[0] != found[1]).any(axis=1).sum())


def leak_next_hand(batch, words):
    """Tell the viewer the hand of the next seat."""
    seats = (words[:, V_RULES] >> np.uint64(56)).astype(int)
    rows, following = np.arange(len(words)), (seats + 1) % batch.rules.n_seats
    hands = np.stack([batch.rows[rows, HAND + 2 * following + word] for word in (0, 1)], axis=1)
    return words[:, V_HAND : V_HAND + 2] ^ hands


def leak_one_bit(batch, words):
    """Tell, in a spare bit, whether the fourth seat holds the Matto."""
    leaky = words.copy()
    holds = batch.rows[:, HAND + 7] >> _BIT_OF_THE_MATTO & np.uint64(1)
    leaky[:, V_KNOWN] ^= holds << np.uint64(39)
    return leaky


def column_leak(place, column):
    """Return a look that tells, at a place of the view, what a column of the row holds."""

    def look(batch, words):
        leaky = words.copy()
        leaky[:, place] |= batch.rows[:, column]
        return leaky

    return look
