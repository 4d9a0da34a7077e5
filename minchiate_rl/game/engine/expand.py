"""Sets of cards as arrays: eight bits of a word at a time through a table of 256 rows.

Unsigned indices and eight loads before eight stores let the compiler make one wide move of each table row. Measured for
12 planes of 97 floats in the cache: 0.15 microseconds, against 0.41 by a plain loop and 0.50 with signed indices.

A spread writes whole groups of eight entries and so up to seven behind its own: write slices in ascending order, and
let something else follow the last one. `row` is one row of an array, `at` an unsigned place in it.
"""

from typing import Final

import numpy as np

from minchiate_rl.game.actions import FIRST_SPEECH
from minchiate_rl.game.engine.bits import ONE, ZERO, U, trailing_zeros
from minchiate_rl.game.engine.jit import kernel

_BITS: Final = np.arange(256)[:, None] >> np.arange(8) & 1
_FLOATS: Final = _BITS.astype(np.float32)
_FLAGS: Final = _BITS.astype(np.int8)
#: Four bits that count 1 and four that count -1, as four numbers.
_SIGNED: Final = _FLOATS[:, :4] - _FLOATS[:, 4:]

#: The byte 0xFF at place i of the word for each bit i of the index.
BYTE_MASKS: Final = (_BITS.astype(np.uint64) * np.uint64(0xFF) << np.arange(0, 64, 8, dtype=np.uint64)).sum(
    axis=1, dtype=np.uint64
)

_BYTE: Final = np.uint64(0xFF)
_I2, _I3, _I4, _I5, _I6, _I7 = (np.uint64(i) for i in range(2, 8))
_NIBBLE: Final = np.uint64(0xF)
_EIGHT: Final = np.uint64(8)
_TRUMP_WORD: Final = np.uint64(41)
_OTHERS_BESIDE_TRUMPS: Final = np.uint64(23)
_FIRST_BEYOND: Final = 120
_FIRST_SPEECH: Final = int(FIRST_SPEECH)


@kernel
def copy_eight(table, x, row, at):  # type: ignore[no-untyped-def]
    """Copy row x (uint64) of a table with eight columns to row[at : at + 8]."""
    v0, v1, v2, v3 = table[x, ZERO], table[x, ONE], table[x, _I2], table[x, _I3]
    v4, v5, v6, v7 = table[x, _I4], table[x, _I5], table[x, _I6], table[x, _I7]
    row[at], row[at + ONE], row[at + _I2], row[at + _I3] = v0, v1, v2, v3
    row[at + _I4], row[at + _I5], row[at + _I6], row[at + _I7] = v4, v5, v6, v7


@kernel
def spread_bits(word, n_bytes, row, at):  # type: ignore[no-untyped-def]
    """Write the low bits of a word to row[at : at + 8 * n_bytes] as 0 and 1."""
    for _ in range(n_bytes):
        copy_eight(_FLOATS, word & _BYTE, row, at)
        word >>= _EIGHT
        at += _EIGHT


@kernel
def spread_cards(w0, w1, row, at):  # type: ignore[no-untyped-def]
    """Write a set of cards to row[at : at + 97] as 0 and 1; seven more entries are set to 0."""
    spread_bits(w0, 7, row, at)
    spread_bits(w1, 6, row, at + U(56))


@kernel
def spread_difference(a, b, n_nibbles, row, at):  # type: ignore[no-untyped-def]
    """Write word a as 1 and word b as -1, bit by bit, to row[at : at + 4 * n_nibbles]; the two are disjoint."""
    for _ in range(n_nibbles):
        x = (a & _NIBBLE) | ((b & _NIBBLE) << _I4)
        v0, v1, v2, v3 = _SIGNED[x, ZERO], _SIGNED[x, ONE], _SIGNED[x, _I2], _SIGNED[x, _I3]
        row[at], row[at + ONE], row[at + _I2], row[at + _I3] = v0, v1, v2, v3
        a >>= _I4
        b >>= _I4
        at += _I4


@kernel
def scatter(word, value, row, at):  # type: ignore[no-untyped-def]
    """Set row[at + i] to a value for every set bit i of a word."""
    while word != ZERO:
        row[at + trailing_zeros(word)] = value
        word &= word - ONE


@kernel
def encode_mask(w0, w1, w2, w3, out, k):  # type: ignore[no-untyped-def]
    """Write the legal actions to out[k] (bool or int8), one entry an action from 0.

    `w2` holds bit a - 97 for action a up to 143, `w3` bit a - 144. A row shorter than that is filled as far as it goes;
    it has at least 98 entries.
    """
    row = out[k]
    size = len(row)
    if size >= _FIRST_BEYOND:
        at = ZERO
        for _ in range(7):
            copy_eight(_FLAGS, w0 & _BYTE, row, at)
            w0 >>= _EIGHT
            at += _EIGHT
        word = w1 | (w2 << _TRUMP_WORD)
        for _ in range(8):
            copy_eight(_FLAGS, word & _BYTE, row, at)
            word >>= _EIGHT
            at += _EIGHT
    else:
        for a in range(56):
            row[a] = (w0 >> U(a)) & ONE
        for a in range(56, size):
            row[a] = ((w1 | (w2 << _TRUMP_WORD)) >> U(a - 56)) & ONE
    rest = w2 >> _OTHERS_BESIDE_TRUMPS
    for a in range(_FIRST_BEYOND, min(size, _FIRST_SPEECH)):
        row[a] = rest & ONE
        rest >>= ONE
    for a in range(_FIRST_SPEECH, size):
        row[a] = w3 & ONE
        w3 >>= ONE


@kernel
def encode_mask_slice(words, first, out, lo, hi):  # type: ignore[no-untyped-def]
    """Write the masks of rows lo to hi - 1, whose legal words begin at column `first`, to the same rows of out."""
    for j in range(lo, hi):
        encode_mask(words[j, first], words[j, first + 1], words[j, first + 2], words[j, first + 3], out, j)
