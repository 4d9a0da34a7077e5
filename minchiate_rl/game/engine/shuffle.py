"""The pack of a hand and its cut, from the hand's stream of chance."""

from typing import Final

import numpy as np

from minchiate_rl.game.cards import FIRST_TRUMP, KINGS, N_CARDS
from minchiate_rl.game.engine.bits import ZERO, U
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.streams import DOMAIN_DEAL, bounded, stream_word
from minchiate_rl.game.forms import DEALS, GAMES
from minchiate_rl.game.rules import R_BOTTOM_CHECK, R_DEAL, R_PACK

MIN_CUT: Final = 3
MAX_CUT: Final = 94
DEAL_ROBBED: Final = DEALS.index("robbed")
DEAL_PLAIN: Final = DEALS.index("plain")
#: Words of the stream from one shuffle to the next, where the bottom card makes the dealer shuffle again.
_SHUFFLES_APART: Final = 128
_KINGS: Final = tuple(int(king) for king in KINGS)

#: The packs with fewer cards, each in the order of card numbers, by their size.
_SMALL: Final = {len(game.cards): sorted(game.cards) for game in GAMES.values() if len(game.cards) < N_CARDS}
_SIZES: Final = np.array(sorted(_SMALL), dtype=np.int64)
_PACKS: Final = np.array(
    [_SMALL[size] + [0] * (N_CARDS - size) for size in sorted(_SMALL)],
    dtype=np.uint8,
)


@kernel
def shuffle_once(key, pack, size, offset):  # type: ignore[no-untyped-def]
    """Shuffle the first cards of a pack in place; the words begin at an offset (uint64) of the stream.

    Fisher and Yates, two 32-bit draws from each word of the stream.
    """
    word = ZERO
    for step in range(size - 1):
        if step % 2 == 0:
            word = stream_word(key, DOMAIN_DEAL, offset + U(step))
        else:
            word = word << U(32)
        last = size - 1 - step
        pick = np.int64(bounded(word, U(last + 1)))
        pack[last], pack[pick] = pack[pick], pack[last]


@kernel
def shuffle(key, pack):  # type: ignore[no-untyped-def]
    """Fill `pack` (uint8, 97) with all 97 cards, shuffled, and return the cut, both from the hand's stream."""
    for card in range(N_CARDS):
        pack[card] = np.uint8(card)
    shuffle_once(key, pack, N_CARDS, ZERO)
    return np.int64(bounded(stream_word(key, DOMAIN_DEAL, U(N_CARDS)), U(MAX_CUT - MIN_CUT + 1))) + MIN_CUT


@kernel
def is_worthless(card):  # type: ignore[no-untyped-def]
    """Return whether a card is one of the suits and no king."""
    return card < FIRST_TRUMP and card not in _KINGS


@kernel
def shuffle_pack(key, rule, pack):  # type: ignore[no-untyped-def]
    """Fill `pack` (uint8, 97 or the size of the pack) with the shuffled pack of a rule set, and return the cut."""
    size = rule[R_PACK]
    if size == N_CARDS and rule[R_BOTTOM_CHECK] == 0:
        return shuffle(key, pack)
    if size == N_CARDS:
        cut = shuffle(key, pack)
        offset = ZERO
        while not is_worthless(np.int64(pack[N_CARDS - 1])):
            offset += U(_SHUFFLES_APART)
            shuffle_once(key, pack, size, offset)
        return cut
    which = 0
    while _SIZES[which] != size:
        which += 1
    for place in range(size):
        pack[place] = _PACKS[which, place]
    shuffle_once(key, pack, size, ZERO)
    if rule[R_DEAL] == DEAL_PLAIN:
        return np.int64(0)
    return np.int64(bounded(stream_word(key, DOMAIN_DEAL, U(N_CARDS)), U(size)))
