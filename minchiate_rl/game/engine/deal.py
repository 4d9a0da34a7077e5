"""Cut, robbing, deal, the dealer's robbing and pigliare (docs/rules.md, sections 2, 7, 10.2 and 13)."""

from collections.abc import Iterable
from typing import Final

import numpy as np

from minchiate_rl.game.cards import FIRST_TRUMP, N_CARDS, ROBBABLE, UNDISCARDABLE, VALUES
from minchiate_rl.game.engine.bidding import open_bidding
from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount
from minchiate_rl.game.engine.jit import hot_kernel, kernel
from minchiate_rl.game.engine.layout import (
    BIDS,
    DEALER,
    EMPTY_TABLE,
    FOLA,
    FOLA_PUBLIC,
    FOLA_SUITS,
    HAND,
    HAND_NUMBER,
    KEY,
    LED,
    LEFT,
    MATTO_STATE,
    N_DISCARD,
    NO_CARD,
    NO_SUIT,
    NOBODY,
    PAID,
    PHASE,
    PILE,
    RESTI,
    ROBBED,
    SEAT,
    SEED,
    SHOWN,
    STOPPER,
    SUIT_BITS,
    TABLE,
    TAKEN,
    TO_DISCARD,
    TURNED,
    WINNER,
)
from minchiate_rl.game.engine.rows import clear_row
from minchiate_rl.game.engine.score import card_points, credit, defer
from minchiate_rl.game.engine.shuffle import DEAL_PLAIN, DEAL_ROBBED, shuffle_pack
from minchiate_rl.game.engine.streams import stream_key
from minchiate_rl.game.engine.versicole import with_card
from minchiate_rl.game.forms import SORTERS
from minchiate_rl.game.rules import (
    PIGLIARE_TO,
    R_DEAL,
    R_EXTRACTS,
    R_FIRST_PACKET,
    R_FOLA_SUITS,
    R_PACK,
    R_ROB_FAILURE,
    R_ROB_LIMIT,
    R_ROBBERY_MARKED,
    R_SEATS,
    R_SORTER,
    R_TAKE_29,
    R_TRICKS,
    R_TURNED_MARKED,
)
from minchiate_rl.game.seats import Phase

PIEDICAVALLO_DISCARDS: Final = 2
_VALUES: Final = np.array(VALUES, dtype=np.int64)
UNKNOWN_COUNTS: Final = np.uint64(0xFFFFFFFF)
_DISCARD_PHASE: Final = np.uint64(Phase.DISCARD)
_T29: Final = FIRST_TRUMP + 28
_TO_PILE: Final = 1 + PIGLIARE_TO.index("pile")
_NOBODY_SORTS: Final = SORTERS.index("nobody")


def _words(cards: Iterable[int]) -> tuple[np.uint64, np.uint64]:
    number = sum(1 << card for card in cards)
    return np.uint64(number & ((1 << FIRST_TRUMP) - 1)), np.uint64(number >> FIRST_TRUMP)


ROBBABLE_0, ROBBABLE_1 = _words(ROBBABLE)
UNDISCARDABLE_0, UNDISCARDABLE_1 = _words(UNDISCARDABLE)
COUNTING_1: Final = UNDISCARDABLE_1 & ~np.uint64(1 << 28)


@kernel
def clear(rows, i, dealer):  # type: ignore[no-untyped-def]
    """Make a row empty but for its seed, hand number and key."""
    seed, hand, key = rows[i, SEED], rows[i, HAND_NUMBER], rows[i, KEY]
    clear_row(rows, i)
    rows[i, SEED], rows[i, HAND_NUMBER], rows[i, KEY] = seed, hand, key
    rows[i, DEALER] = U(dealer)
    rows[i, LED] = NO_SUIT
    rows[i, WINNER] = NOBODY
    rows[i, TABLE] = EMPTY_TABLE
    rows[i, TURNED] = EMPTY_TABLE
    rows[i, STOPPER] = NO_CARD | (NO_CARD << U(8))
    rows[i, MATTO_STATE] = NOBODY | (NOBODY << U(8)) | (NOBODY << U(16))
    rows[i, PAID] = NO_CARD
    rows[i, LEFT] = NOBODY | (NOBODY << U(16))
    rows[i, BIDS] = (NOBODY << U(40)) | (NOBODY << U(48))
    rows[i, FOLA_SUITS] = UNKNOWN_COUNTS


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
def count(rows, i, column):  # type: ignore[no-untyped-def]
    """Return the number of cards (int64) of the set whose first word is at a column."""
    return np.int64(popcount(rows[i, column]) + popcount(rows[i, column + 1]))


@kernel
def rob_the_pack(rows, i, rule, pack, cut, cutter):  # type: ignore[no-untyped-def]
    """Let the cutter rob from the bottom of the lifted packet; return how many cards he took."""
    robbed = 0
    while robbed < min(cut, rule[R_ROB_LIMIT]):
        card = np.int64(pack[cut - 1 - robbed])
        if not is_robbable(card):
            rows[i, STOPPER] = (rows[i, STOPPER] & ~NO_CARD) | U(card)
            # It is the last card of the pack: in the fola, if there is one.
            if robbed < N_CARDS - rule[R_SEATS] * rule[R_TRICKS]:
                add(rows, i, FOLA_PUBLIC, card)
            break
        add(rows, i, ROBBED, card)
        add(rows, i, HAND + 2 * cutter, card)
        add(rows, i, SHOWN + 2 * cutter, card)
        robbed += 1
    return robbed


@kernel
def deal_cards(rows, i, rule, pack, cut, left):  # type: ignore[no-untyped-def]
    """Deal two packets each from the other part of the pack, the last card of the second turned up.

    `left` is how many cards there are to deal; the last packets are cut short where it does not suffice. Return the
    place in the pack of the card after them.
    """
    place = cut
    n_seats, first, size = rule[R_SEATS], rule[R_FIRST_PACKET], rule[R_TRICKS]
    seat = np.int64(rows[i, DEALER])
    for packet in range(2 * n_seats):
        seat += 1
        if seat == n_seats:
            seat = 0
        w0, w1 = rows[i, HAND + 2 * seat], rows[i, HAND + 2 * seat + 1]
        card = np.int64(0)
        cards = min(first if packet < n_seats else size - first, left)
        for _ in range(cards):
            card = np.int64(pack[place])
            w0, w1 = with_card(w0, w1, card)
            place += 1
            if place == N_CARDS:
                place = 0
        left -= cards
        rows[i, HAND + 2 * seat], rows[i, HAND + 2 * seat + 1] = w0, w1
        if packet >= n_seats and cards > 0:
            rows[i, TURNED] ^= (NO_CARD ^ U(card)) << U(8 * seat)
            add(rows, i, SHOWN + 2 * seat, card)
    return place


@kernel
def takes_29(w1, choice):  # type: ignore[no-untyped-def]
    """Return whether the dealer takes the 29 out of the fola, given the trumps that he would hold without it."""
    if choice == 1:
        neighbours = (w1 >> U(27)) & U(0b1101)
        return (neighbours & U(0b0101)) == U(0b0101) or (neighbours & U(0b1100)) == U(0b1100)
    return choice == 0


@kernel
def extract(rows, i, rule, hand):  # type: ignore[no-untyped-def]
    """Let the dealer, whose hand is at a column, take out of the fola what may be taken, into TAKEN."""
    rows[i, TAKEN] = rows[i, FOLA] & UNDISCARDABLE_0
    rows[i, TAKEN + 1] = rows[i, FOLA + 1] & COUNTING_1
    held = rows[i, hand + 1] | rows[i, ROBBED + 3] | rows[i, TAKEN + 1]
    if ((rows[i, FOLA + 1] >> U(_T29 - FIRST_TRUMP)) & ONE) != ZERO and takes_29(held, rule[R_TAKE_29]):
        add(rows, i, TAKEN, _T29)


@kernel
def search_the_fola(rows, i, rule, pack, place, size):  # type: ignore[no-untyped-def]
    """Let the dealer rob the fola from the top, where there is robbing, then take what may be taken."""
    robbed = 0 if rule[R_ROB_LIMIT] != 0 else -1
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
    dealer = np.int64(rows[i, DEALER])
    hand = HAND + 2 * dealer
    if rule[R_EXTRACTS] != 0:
        extract(rows, i, rule, hand)
    for word in range(2):
        got = rows[i, ROBBED + 2 + word]
        if rule[R_EXTRACTS] == _TO_PILE:
            rows[i, PILE + 2 * (dealer & 1) + word] |= rows[i, TAKEN + word]
        else:
            got |= rows[i, TAKEN + word]
        rows[i, hand + word] |= got
        rows[i, SHOWN + 2 * dealer + word] |= got
        rows[i, FOLA + word] &= ~rows[i, TAKEN + word]
    if rule[R_SORTER] != _NOBODY_SORTS:
        counts = ZERO
        for suit in range(4):
            counts |= popcount((rows[i, FOLA] >> U(14 * suit)) & SUIT_BITS) << U(8 * suit)
        rows[i, FOLA_SUITS] = counts
        if rule[R_FOLA_SUITS] != 0:
            rows[i, FOLA_PUBLIC] |= rows[i, FOLA]


@kernel
def mark_turned(rows, ledger, i, rule):  # type: ignore[no-untyped-def]
    """Mark the cards turned up, from the eldest on."""
    n_seats = rule[R_SEATS]
    seat = np.int64(rows[i, DEALER])
    for _ in range(n_seats):
        seat += 1
        if seat == n_seats:
            seat = 0
        card = np.int64((rows[i, TURNED] >> U(8 * seat)) & NO_CARD)
        if card < N_CARDS and _VALUES[card] != 0:
            if rule[R_TURNED_MARKED] == 0:
                credit(rows, ledger, i, rule, 2, seat, _VALUES[card])
            else:
                defer(rows, i, 2, seat & 1, _VALUES[card])


@kernel
def deal_robbed(rows, ledger, i, rule, pack, cut):  # type: ignore[no-untyped-def]
    """Deal a hand with a cut and robbing, up to the first decision."""
    dealer, n_seats, size = np.int64(rows[i, DEALER]), rule[R_SEATS], rule[R_TRICKS]
    cutter = dealer - 1 if dealer > 0 else n_seats - 1
    n_cutter = rob_the_pack(rows, i, rule, pack, cut, cutter)
    robbed_points = card_points(rows[i, ROBBED], rows[i, ROBBED + 1])
    if rule[R_ROBBERY_MARKED] == 0:
        credit(rows, ledger, i, rule, 1, cutter, robbed_points)
    # Robbed cards leave the pack from just above the cut: the deal runs from the cut to the end, then from the top.
    left = N_CARDS - n_cutter
    place = deal_cards(rows, i, rule, pack, cut, left)
    mark_turned(rows, ledger, i, rule)
    if rule[R_ROBBERY_MARKED] != 0:
        credit(rows, ledger, i, rule, 1, cutter, robbed_points)
    fola = max(left - n_seats * size, 0)
    search_the_fola(rows, i, rule, pack, place, fola)
    credit(rows, ledger, i, rule, 3, dealer, card_points(rows[i, ROBBED + 2], rows[i, ROBBED + 3]))
    if rule[R_ROB_FAILURE] != 0 and fola > 0 and count(rows, i, ROBBED + 2) + count(rows, i, TAKEN) == 0:
        rows[i, RESTI + 1 - (dealer & 1)] += ONE
    to_cutter = count(rows, i, HAND + 2 * cutter) - size
    to_dealer = max(count(rows, i, HAND + 2 * dealer) - size, 0)
    rows[i, N_DISCARD] = U(to_cutter) | (U(to_dealer) << U(8))
    if to_cutter > 0:
        rows[i, PHASE], rows[i, SEAT], rows[i, TO_DISCARD] = _DISCARD_PHASE, U(cutter), U(to_cutter)
    elif to_dealer > 0:
        rows[i, PHASE], rows[i, SEAT], rows[i, TO_DISCARD] = _DISCARD_PHASE, U(dealer), U(to_dealer)
    else:
        open_bidding(rows, i, rule)


@hot_kernel
def _packet(pack, place, cards, n_cards):  # type: ignore[no-untyped-def]
    """Return so many cards of a pack from a place on as two words; after the last card of the pack comes its first."""
    w0, w1 = ZERO, ZERO
    for n in range(place, place + cards):
        w0, w1 = with_card(w0, w1, np.int64(pack[n if n < n_cards else n - n_cards]))
    return w0, w1


@kernel
def deal_plain(rows, i, rule, pack, cut):  # type: ignore[no-untyped-def]
    """Deal one packet each from the pack after the cut; in Piedicavallo the dealer gets two cards more, to discard."""
    n_seats, size, n_cards = rule[R_SEATS], rule[R_TRICKS], rule[R_PACK]
    seat = dealer = np.int64(rows[i, DEALER])
    more = 0 if rule[R_DEAL] == DEAL_PLAIN else PIEDICAVALLO_DISCARDS
    place = cut
    for n in range(n_seats):
        seat += 1
        if seat == n_seats:
            seat = 0
        cards = size + more if n == n_seats - 1 else size
        rows[i, HAND + 2 * seat], rows[i, HAND + 2 * seat + 1] = _packet(pack, place, cards, n_cards)
        place += cards
    rows[i, FOLA], rows[i, FOLA + 1] = _packet(pack, place, n_cards - n_seats * size - more, n_cards)
    if more > 0:
        rows[i, N_DISCARD] = U(more) << U(8)
        rows[i, PHASE], rows[i, SEAT], rows[i, TO_DISCARD] = _DISCARD_PHASE, U(dealer), U(more)
    else:
        open_bidding(rows, i, rule)


@kernel
def deal_pack(rows, ledger, i, rule, pack, cut, dealer):  # type: ignore[no-untyped-def]
    """Deal a hand into row i from a pack (top first) and a cut, up to the first decision."""
    clear(rows, i, dealer)
    if rule[R_DEAL] == DEAL_ROBBED:
        deal_robbed(rows, ledger, i, rule, pack, cut)
    else:
        deal_plain(rows, i, rule, pack, cut)


@hot_kernel
def own_dealer(rows, i, rule):  # type: ignore[no-untyped-def]
    """Return the dealer (int64) of the hand that row i's seed and hand number name, if no other is asked for."""
    return np.int64((rows[i, SEED] + rows[i, HAND_NUMBER]) % U(rule[R_SEATS]))


@kernel
def deal_row(rows, ledger, i, rule, pack, dealer):  # type: ignore[no-untyped-def]
    """Deal the hand of row i from its seed and hand number; `pack` (uint8, 97) is scratch."""
    rows[i, KEY] = stream_key(rows[i, SEED], rows[i, HAND_NUMBER])
    cut = shuffle_pack(rows[i, KEY], rule, pack)
    deal_pack(rows, ledger, i, rule, pack, cut, dealer)
