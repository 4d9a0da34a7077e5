"""Shuffle, cut, robbing, deal, the dealer's robbing and pigliare (docs/rules.md, section 2)."""

from collections.abc import Iterable
from typing import Final

import numpy as np

from minchiate_rl.game.cards import FIRST_TRUMP, N_CARDS, ROBBABLE, UNDISCARDABLE, VALUES
from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    DEALER,
    EMPTY_TABLE,
    FOLA,
    FOLA_PUBLIC,
    HAND,
    HAND_NUMBER,
    KEY,
    LED,
    MATTO_STATE,
    N_DISCARD,
    NO_CARD,
    NO_SUIT,
    NOBODY,
    PAID,
    PHASE,
    RESTI,
    ROBBED,
    SEAT,
    SEED,
    SHOWN,
    STOPPER,
    TABLE,
    TAKEN,
    TO_DISCARD,
    TURNED,
    WINNER,
    W,
)
from minchiate_rl.game.engine.score import card_points, mark
from minchiate_rl.game.engine.streams import DOMAIN_DEAL, bounded, stream_key, stream_word
from minchiate_rl.game.engine.versicole import with_card
from minchiate_rl.game.rules import R_ROB_FAILURE, R_TAKE_29
from minchiate_rl.game.seats import Phase

MIN_CUT: Final = 3
MAX_CUT: Final = 94
ROB_LIMIT: Final = 13
_LOW_HALF: Final = np.uint64(0xFFFFFFFF)
_VALUES: Final = np.array(VALUES, dtype=np.int64)
_DISCARD_PHASE: Final = np.uint64(Phase.DISCARD)
_DECLARE_PHASE: Final = np.uint64(Phase.DECLARE)
_T29: Final = FIRST_TRUMP + 28


def _words(cards: Iterable[int]) -> tuple[np.uint64, np.uint64]:
    number = sum(1 << card for card in cards)
    return np.uint64(number & ((1 << FIRST_TRUMP) - 1)), np.uint64(number >> FIRST_TRUMP)


ROBBABLE_0, ROBBABLE_1 = _words(ROBBABLE)
UNDISCARDABLE_0, UNDISCARDABLE_1 = _words(UNDISCARDABLE)
COUNTING_1: Final = UNDISCARDABLE_1 & ~np.uint64(1 << 28)


@kernel
def shuffle(key, pack):  # type: ignore[no-untyped-def]
    """Fill `pack` (uint8, 97) with a shuffled pack and return the cut, both from the hand's stream.

    Fisher and Yates, two 32-bit draws from each word of the stream.
    """
    for card in range(N_CARDS):
        pack[card] = np.uint8(card)
    word = ZERO
    for step in range(N_CARDS - 1):
        if step % 2 == 0:
            word = stream_word(key, DOMAIN_DEAL, U(step))
        else:
            word = word << U(32)
        last = N_CARDS - 1 - step
        pick = np.int64(bounded(word, U(last + 1)))
        pack[last], pack[pick] = pack[pick], pack[last]
    return np.int64(bounded(stream_word(key, DOMAIN_DEAL, U(N_CARDS)), U(MAX_CUT - MIN_CUT + 1))) + MIN_CUT


@kernel
def clear(rows, i, dealer):  # type: ignore[no-untyped-def]
    """Make a row empty but for its seed, hand number and key."""
    seed, hand, key = rows[i, SEED], rows[i, HAND_NUMBER], rows[i, KEY]
    for column in range(W):
        rows[i, column] = ZERO
    rows[i, SEED], rows[i, HAND_NUMBER], rows[i, KEY] = seed, hand, key
    rows[i, DEALER] = U(dealer)
    rows[i, LED] = NO_SUIT
    rows[i, WINNER] = NOBODY
    rows[i, TABLE] = EMPTY_TABLE
    rows[i, STOPPER] = NO_CARD | (NO_CARD << U(8))
    rows[i, MATTO_STATE] = NOBODY | (NOBODY << U(8))
    rows[i, PAID] = NO_CARD


@kernel
def is_robbable(card):  # type: ignore[no-untyped-def]
    """Return whether a card is robbed: a counting card or a trump above 20."""
    if card < FIRST_TRUMP:
        return ((ROBBABLE_0 >> U(card)) & ONE) != ZERO
    return ((ROBBABLE_1 >> U(card - FIRST_TRUMP)) & ONE) != ZERO


@kernel
def add(rows, i, column, card):  # type: ignore[no-untyped-def]
    """Add a card to the set whose first word is at a column."""
    rows[i, column], rows[i, column + 1] = with_card(rows[i, column], rows[i, column + 1], card)


@kernel
def rob_the_pack(rows, i, pack, cut, cutter):  # type: ignore[no-untyped-def]
    """Let the cutter rob from the bottom of the lifted packet; return how many cards he took."""
    robbed = 0
    while robbed < min(cut, ROB_LIMIT):
        card = np.int64(pack[cut - 1 - robbed])
        if not is_robbable(card):
            rows[i, STOPPER] = (rows[i, STOPPER] & ~NO_CARD) | U(card)
            add(rows, i, FOLA_PUBLIC, card)
            break
        add(rows, i, ROBBED, card)
        add(rows, i, HAND + 2 * cutter, card)
        add(rows, i, SHOWN + 2 * cutter, card)
        robbed += 1
    return robbed


@kernel
def deal_cards(rows, i, pack, cut, dealer):  # type: ignore[no-untyped-def]
    """Deal packets of 10 and 11 from the other part of the pack, the last card of each 11 turned up."""
    place = cut
    turned = ZERO
    for packet in range(8):
        seat = (dealer + 1 + packet) & 3
        w0, w1 = rows[i, HAND + 2 * seat], rows[i, HAND + 2 * seat + 1]
        card = np.int64(0)
        for _ in range(10 if packet < 4 else 11):
            card = np.int64(pack[place])
            w0, w1 = with_card(w0, w1, card)
            place += 1
            if place == N_CARDS:
                place = 0
        rows[i, HAND + 2 * seat], rows[i, HAND + 2 * seat + 1] = w0, w1
        if packet >= 4:
            turned |= U(card) << U(8 * seat)
            add(rows, i, SHOWN + 2 * seat, card)
    rows[i, TURNED] = turned
    return place


@kernel
def takes_29(w1, choice):  # type: ignore[no-untyped-def]
    """Return whether the dealer takes the 29 out of the fola, given the trumps that he would hold without it."""
    if choice == 1:
        neighbours = (w1 >> U(27)) & U(0b1101)
        return (neighbours & U(0b0101)) == U(0b0101) or (neighbours & U(0b1100)) == U(0b1100)
    return choice == 0


@kernel
def search_the_fola(rows, i, rule, pack, place, size, dealer):  # type: ignore[no-untyped-def]
    """Let the dealer rob the fola from the top, then take what may be taken; return how many cards he robbed."""
    robbed = 0
    for n in range(size):
        card = np.int64(pack[(place + n) % N_CARDS])
        if robbed == n and is_robbable(card):
            add(rows, i, ROBBED + 2, card)
            robbed += 1
            continue
        if robbed == n:
            rows[i, STOPPER] = (rows[i, STOPPER] & NO_CARD) | (U(card) << U(8))
            add(rows, i, FOLA_PUBLIC, card)
        add(rows, i, FOLA, card)
    hand = HAND + 2 * dealer
    rows[i, TAKEN] = rows[i, FOLA] & UNDISCARDABLE_0
    rows[i, TAKEN + 1] = rows[i, FOLA + 1] & COUNTING_1
    held = rows[i, hand + 1] | rows[i, ROBBED + 3] | rows[i, TAKEN + 1]
    if ((rows[i, FOLA + 1] >> U(_T29 - FIRST_TRUMP)) & ONE) != ZERO and takes_29(held, rule[R_TAKE_29]):
        add(rows, i, TAKEN, _T29)
    for word in range(2):
        got = rows[i, ROBBED + 2 + word] | rows[i, TAKEN + word]
        rows[i, hand + word] |= got
        rows[i, SHOWN + 2 * dealer + word] |= got
        rows[i, FOLA + word] &= ~rows[i, TAKEN + word]
    rows[i, FOLA_PUBLIC] |= rows[i, FOLA]
    return robbed


@kernel
def deal_pack(rows, ledger, i, rule, pack, cut, dealer):  # type: ignore[no-untyped-def]
    """Deal a hand into row i from a pack (top first) and a cut, up to the first decision."""
    clear(rows, i, dealer)
    cutter = (dealer + 3) & 3
    side = dealer & 1
    n_cutter = rob_the_pack(rows, i, pack, cut, cutter)
    mark(rows, ledger, i, 1, 1 - side, card_points(rows[i, ROBBED], rows[i, ROBBED + 1]))
    # Robbed cards leave the pack from just above the cut: the deal runs from the cut to the end, then from the top.
    place = deal_cards(rows, i, pack, cut, dealer)
    for step in range(1, 5):
        seat = (dealer + step) & 3
        card = np.int64((rows[i, TURNED] >> U(8 * seat)) & NO_CARD)
        mark(rows, ledger, i, 2, seat & 1, _VALUES[card])
    size = ROB_LIMIT - n_cutter
    search_the_fola(rows, i, rule, pack, place, size, dealer)
    mark(rows, ledger, i, 3, side, card_points(rows[i, ROBBED + 2], rows[i, ROBBED + 3]))
    n_dealer = U(0)
    for word in range(4):
        n_dealer += popcount(rows[i, ROBBED + 2 + word])
    if rule[R_ROB_FAILURE] != 0 and size > 0 and n_dealer == ZERO:
        rows[i, RESTI + 1 - side] += ONE
    rows[i, N_DISCARD] = U(n_cutter) | (n_dealer << U(8))
    if n_cutter > 0:
        rows[i, PHASE], rows[i, SEAT], rows[i, TO_DISCARD] = _DISCARD_PHASE, U(cutter), U(n_cutter)
    elif n_dealer > ZERO:
        rows[i, PHASE], rows[i, SEAT], rows[i, TO_DISCARD] = _DISCARD_PHASE, U(dealer), n_dealer
    else:
        rows[i, PHASE], rows[i, SEAT] = _DECLARE_PHASE, U((dealer + 1) & 3)


@kernel
def deal_row(rows, ledger, i, rule, pack, dealer):  # type: ignore[no-untyped-def]
    """Deal the hand of row i from its seed and hand number; `pack` (uint8, 97) is scratch."""
    rows[i, KEY] = stream_key(rows[i, SEED], rows[i, HAND_NUMBER])
    cut = shuffle(rows[i, KEY], pack)
    deal_pack(rows, ledger, i, rule, pack, cut, dealer)
