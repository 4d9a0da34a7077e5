"""Kernels over a slice [lo, hi) of a batch; they release the GIL, so that threads can take a slice each."""

import numpy as np

from minchiate_rl.game.cards import N_CARDS
from minchiate_rl.game.engine.bits import ZERO
from minchiate_rl.game.engine.deal import deal_pack, deal_row, own_dealer
from minchiate_rl.game.engine.expand import encode_mask
from minchiate_rl.game.engine.jit import kernel, owning_kernel
from minchiate_rl.game.engine.layout import DECISION, HAND_NUMBER, KEY, NOBODY, SEAT
from minchiate_rl.game.engine.legal import is_legal, legal_words
from minchiate_rl.game.engine.pick import pick_uniform
from minchiate_rl.game.engine.shuffle import shuffle_pack
from minchiate_rl.game.engine.step import apply
from minchiate_rl.game.engine.streams import DOMAIN_SEAT, mix, stream_key, stream_word


@owning_kernel
def deal_slice(rows, ledger, rule, dealers, where, further, lo, hi):  # type: ignore[no-untyped-def]
    """Deal the rows where `where` is True from their seeds and hand numbers, which move on by `further` (uint64).

    `dealers`, int64, has one for each row, or none: then the hands have their own.
    """
    pack = np.empty(N_CARDS, np.uint8)
    for i in range(lo, hi):
        if where[i]:
            rows[i, HAND_NUMBER] += further
            dealer = dealers[i] if dealers.shape[0] > 0 else own_dealer(rows, i, rule)
            deal_row(rows, ledger, i, rule, pack, dealer)


@kernel
def deal_packs_slice(rows, ledger, rule, packs, cuts, dealers, lo, hi):  # type: ignore[no-untyped-def]
    """Deal the rows from given packs (uint8, top first) and cuts."""
    for i in range(lo, hi):
        deal_pack(rows, ledger, i, rule, packs[i], np.int64(cuts[i]), np.int64(dealers[i]))


@kernel
def set_keys(rows, seed_column, lo, hi):  # type: ignore[no-untyped-def]
    """Set the stream keys of rows from their seeds and hand numbers (columns seed_column and seed_column + 1)."""
    for i in range(lo, hi):
        rows[i, KEY] = stream_key(rows[i, seed_column], rows[i, seed_column + 1])


@kernel
def first_illegal(rows, rule, actions, lo, hi):  # type: ignore[no-untyped-def]
    """Return the first row of the slice whose action is illegal, -1 if there is none."""
    for i in range(lo, hi):
        if rows[i, SEAT] != NOBODY and not is_legal(rows, i, rule, np.int64(actions[i])):
            return i
    return -1


@kernel
def step_slice(rows, log, ledger, rule, actions, lo, hi):  # type: ignore[no-untyped-def]
    """Take a legal action in each unfinished row."""
    for i in range(lo, hi):
        if rows[i, SEAT] != NOBODY:
            apply(rows, log, ledger, i, rule, np.int64(actions[i]))


@kernel
def playout_slice(rows, log, ledger, rule, lo, hi):  # type: ignore[no-untyped-def]
    """Play each unfinished row to its end, uniformly at random over legal actions; return the decisions taken."""
    taken = 0
    for i in range(lo, hi):
        before = rows[i, DECISION]
        while rows[i, SEAT] != NOBODY:
            w0, w1, w2, w3 = legal_words(rows, i, rule)
            word = stream_word(rows[i, KEY], DOMAIN_SEAT + rows[i, SEAT], rows[i, DECISION])
            apply(rows, log, ledger, i, rule, pick_uniform(w0, w1, w2, w3, word))
        taken += np.int64(rows[i, DECISION] - before)
    return taken


@kernel
def legal_words_slice(rows, rule, out, lo, hi):  # type: ignore[no-untyped-def]
    """Write the legal actions of each row as four words; zero where the hand is over."""
    for i in range(lo, hi):
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = legal_words(rows, i, rule)


@kernel
def legal_mask_slice(rows, rule, out, lo, hi):  # type: ignore[no-untyped-def]
    """Write the legal actions of each row as bytes 0 and 1; all zero where the hand is over."""
    for i in range(lo, hi):
        w0, w1, w2, w3 = legal_words(rows, i, rule)
        encode_mask(w0, w1, w2, w3, out, i)


@kernel
def words_slice(rows, salt, out, lo, hi):  # type: ignore[no-untyped-def]
    """Write the random word of each row keyed by (seed, hand, seat to act, decision, salt); salt 0 is the playout's."""
    for i in range(lo, hi):
        word = stream_word(rows[i, KEY], DOMAIN_SEAT + rows[i, SEAT], rows[i, DECISION])
        out[i] = word if salt == ZERO else mix(word ^ mix(salt))


@kernel
def pack_of(key, rule, pack):  # type: ignore[no-untyped-def]
    """Fill `pack` (uint8, 97) with the pack of a hand's key, in its first cards, and return the cut."""
    return shuffle_pack(key, rule, pack)
