"""Cards that leave a hand without a trick of its own: discards, and what is picked from a dropped hand, in kernels."""

from typing import Final

import numpy as np

from minchiate_rl.agents.sight import plain_suit
from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, SUIT_SIZE
from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount, trailing_zeros
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import MATTO_BIT, V_HAND, V_LEGAL, V_SEATS
from minchiate_rl.game.engine.versicole import KING_BITS

_MATTO: Final = int(MATTO)
_KING: Final = SUIT_SIZE - 1
_NOTHING: Final = np.int64(-(1 << 60))


@kernel
def discard(views, j, supplied):  # type: ignore[no-untyped-def]
    """Return the card to discard: from the shortest suit without its king, last from a short suit with it.

    Trumps are kept but for an over-supply, from `supplied` (uint64) trumps in the hand on, 21 to 27 longest.
    """
    hand = views[j, V_HAND]
    choice, most = np.int64(-1), _NOTHING
    for suit in range(4):
        mine = hand & plain_suit(suit)
        away = views[j, V_LEGAL] & plain_suit(suit)
        if away == ZERO:
            continue
        length = np.int64(popcount(mine))
        has_king = ((mine >> U(SUIT_SIZE * suit + _KING)) & ONE) == ONE
        points = length - 100 if has_king else -length
        if points > most:
            choice, most = np.int64(trailing_zeros(away)), points
    trumps = views[j, V_LEGAL + 1]
    if trumps != ZERO and (choice < 0 or popcount(views[j, V_HAND + 1]) >= supplied):
        choice = np.int64(trailing_zeros(trumps)) + FIRST_TRUMP
    return choice


@kernel
def pick_dropped(views, j):  # type: ignore[no-untyped-def]
    """Return the card to pick from a dropped hand for a trick that is ours.

    A king comes home or dies, whosever it is; then the partner's Matto, for which nothing is owed here; then the lowest
    plain card. The Matto of an opponent is picked last.
    """
    w0, w1 = views[j, V_LEGAL], views[j, V_LEGAL + 1]
    if (w0 & KING_BITS) != ZERO:
        return np.int64(trailing_zeros(w0 & KING_BITS))
    of_partner = ((views[j, V_SEATS] >> U(16)) & U(7)) == U(2)
    if (w1 & MATTO_BIT) != ZERO and (of_partner or w0 == ZERO):
        return np.int64(_MATTO)
    choice, least = np.int64(-1), np.int64(SUIT_SIZE)
    while w0 != ZERO:
        card = np.int64(trailing_zeros(w0))
        w0 &= w0 - ONE
        if card % SUIT_SIZE < least:
            choice, least = card, card % SUIT_SIZE
    return choice
