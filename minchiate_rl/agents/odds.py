"""What a seat can count in any game: like `sight`, for other packs and tables, in kernels.

Here cards may lie out of play for good, hands are of different sizes, and a seat may have told what it holds. A card
whose place is unknown lies in the hand of a seat with the chance that the unknown cards of that hand are of all
unknown cards. The chances are whole numbers out of CERTAIN. Seats `r` count from the viewer.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import numpy as np

from minchiate_rl.agents.sight import BITS, CERTAIN, TRUMP_STRENGTH, TRUMPS, above, plain_suit
from minchiate_rl.game.cards import FIRST_TRUMP, SUIT_SIZE
from minchiate_rl.game.engine.bits import ONE, ZERO, U, highest, popcount
from minchiate_rl.game.engine.jit import kernel, owning_kernel
from minchiate_rl.game.engine.layout import (
    NO_CARD,
    TRUMP_BITS,
    V_COUNTS,
    V_DISCARD,
    V_FOLA,
    V_FORM,
    V_HAND,
    V_KNOWN,
    V_PLAYED,
    V_SEATS,
    V_SHOWN,
    V_TABLE,
    V_TURN,
)
from minchiate_rl.game.forms import GAMES


def _words(cards: Iterable[int]) -> tuple[int, int]:
    """Return a set of cards as two words."""
    bits = sum(1 << card for card in cards)
    return bits & ((1 << FIRST_TRUMP) - 1), bits >> FIRST_TRUMP


#: The pack of each game as two words, by the game's place in GAMES.
PACKS: Final = np.array([_words(game.cards) for game in GAMES.values()], dtype=np.uint64)

#: The count of a suit in a hand of which nobody has told it.
UNTOLD: Final = -1


class Odds(NamedTuple):
    """What the viewer has counted; the arrays are by seat from the viewer on and may be written to (`hearing`)."""

    pool: Any
    """uint64 (2,): plain cards, then trumps and the Matto, whose place is unknown."""
    held: Any
    """uint64 (4, 2): cards that each other seat is known to hold."""
    voids: Any
    """uint64 (4,): bit s for a suit, 4 being the trumps, that the seat is known not to hold."""
    counts: Any
    """int64 (4, 5): how many cards of each suit the seat is known to hold, UNTOLD if not."""
    hidden: Any
    """int64 (4,): cards in the hand of each other seat, without those that it is known to hold."""
    waiting: Any
    """int64 (4,): 1 for a seat that is still to play to the trick after the viewer, else 0."""


@kernel
def add_card(words, row, card):  # type: ignore[no-untyped-def]
    """Add a card (int64) to the set in a row of uint64 (M, 2)."""
    if card < FIRST_TRUMP:
        words[row, 0] |= ONE << U(card)
    else:
        words[row, 1] |= ONE << U(card - FIRST_TRUMP)


@owning_kernel
def survey(views, j):  # type: ignore[no-untyped-def]
    """Return the odds of view row j, from what has been seen."""
    counts, table, left = views[j, V_COUNTS], views[j, V_TABLE], np.int64(views[j, V_SEATS] & NO_CARD)
    size, n_seats = np.int64((counts >> U(40)) & NO_CARD), np.int64((counts >> U(48)) & NO_CARD)
    in_hand = size - np.int64((views[j, V_TURN] >> U(24)) & NO_CARD)
    game = np.int64(views[j, V_FORM] >> U(56))
    seen, held = np.zeros((1, 2), np.uint64), np.zeros((4, 2), np.uint64)
    voids, hidden, waiting = np.zeros(4, np.uint64), np.zeros(4, np.int64), np.zeros(4, np.int64)
    for r in range(n_seats):
        card = np.int64((table >> U(8 * r)) & NO_CARD)
        if card != 0xFF:
            add_card(seen, 0, card)
        for word in range(2):
            seen[0, word] |= views[j, V_PLAYED + 2 * r + word]
            if r > 0:
                seen[0, word] |= views[j, V_SHOWN + 2 * r + word]
                if r != left:
                    held[r, word] = views[j, V_SHOWN + 2 * r + word]
        if r > 0 and r != left:
            waiting[r] = card == 0xFF
            known = np.int64(popcount(held[r, 0]) + popcount(held[r, 1]))
            hidden[r] = max(0, in_hand - (1 - waiting[r]) - known)
            voids[r] = (views[j, V_KNOWN] >> U(5 * r)) & U(0x1F)
    pool = np.zeros(2, np.uint64)
    for word in range(2):
        seen[0, word] |= views[j, V_HAND + word] | views[j, V_FOLA + word]
        seen[0, word] |= views[j, V_DISCARD + word] | views[j, V_DISCARD + 2 + word]
        pool[word] = PACKS[game, word] & ~seen[0, word]
    return Odds(pool, held, voids, np.full((4, 5), UNTOLD, np.int64), hidden, waiting)


@kernel
def _part(odds, suit):  # type: ignore[no-untyped-def]
    """Return the word and the mask of a suit, 4 being the trumps."""
    if suit == TRUMPS:
        return 1, TRUMP_BITS
    return 0, plain_suit(suit)


@kernel
def outside(odds, suit):  # type: ignore[no-untyped-def]
    """Return the cards of a suit that the other seats may hold, in the word of the suit."""
    word, mask = _part(odds, suit)
    return mask & (odds.pool[word] | odds.held[1, word] | odds.held[2, word] | odds.held[3, word])


@kernel
def _share(odds, suit, r, of_suit):  # type: ignore[no-untyped-def]
    """Return the chance that seat r holds a certain card of a suit whose place is unknown.

    `of_suit` is how many such cards there are.
    """
    word, mask = _part(odds, suit)
    if odds.counts[r, suit] != UNTOLD:
        rest = odds.counts[r, suit] - np.int64(popcount(odds.held[r, word] & mask))
        return min(CERTAIN, (max(0, rest) << BITS) // of_suit)
    unknown = np.int64(popcount(odds.pool[0]) + popcount(odds.pool[1]))
    for q in range(1, 4):
        if q != r and (odds.voids[q] >> U(suit)) & ONE == ONE:
            unknown -= odds.hidden[q]
    return CERTAIN if unknown <= odds.hidden[r] else (odds.hidden[r] << BITS) // unknown


@kernel
def has_chance(odds, suit, r, cards):  # type: ignore[no-untyped-def]
    """Return the chance that seat r holds one of some cards of a suit, given in the word of the suit."""
    word, mask = _part(odds, suit)
    if (odds.held[r, word] & cards) != ZERO:
        return CERTAIN
    if (odds.voids[r] >> U(suit)) & ONE == ONE:
        return 0
    of_suit = np.int64(popcount(odds.pool[word] & mask))
    n = np.int64(popcount(odds.pool[word] & cards))
    if n == 0:
        return 0
    without, other = np.int64(CERTAIN), CERTAIN - _share(odds, suit, r, of_suit)
    for _ in range(n):
        without = (without * other) >> BITS
    return CERTAIN - without


@kernel
def lacks_chance(odds, suit, r):  # type: ignore[no-untyped-def]
    """Return the chance that seat r holds no card of a plain suit."""
    return CERTAIN - has_chance(odds, suit, r, plain_suit(suit))


@kernel
def ruff_chance(odds, suit, r, best):  # type: ignore[no-untyped-def]
    """Return the chance that seat r trumps a plain suit over a card of strength `best`."""
    trumps = TRUMP_BITS
    if best >= TRUMP_STRENGTH:
        trumps &= above(best - TRUMP_STRENGTH)
    lacks = lacks_chance(odds, suit, r)
    return 0 if lacks == 0 else (lacks * has_chance(odds, TRUMPS, r, trumps)) >> BITS


@kernel
def beats_chance(odds, led, best, r):  # type: ignore[no-untyped-def]
    """Return the chance that seat r, still to play to a trick of suit `led`, can beat a card of strength `best`."""
    if led == TRUMPS:
        return has_chance(odds, TRUMPS, r, TRUMP_BITS & above(best - TRUMP_STRENGTH))
    ruff = ruff_chance(odds, led, r, best)
    if best >= TRUMP_STRENGTH or ruff >= CERTAIN:
        return ruff
    return min(CERTAIN, ruff + has_chance(odds, led, r, above(SUIT_SIZE * led + best) & plain_suit(led)))


@kernel
def top_of(odds, suit):  # type: ignore[no-untyped-def]
    """Return the position, in its word, of the highest card of a suit that another seat may hold; -1 if none."""
    cards = outside(odds, suit)
    return np.int64(highest(cards)) if cards != ZERO else np.int64(-1)
