"""Appending tokens to a row: `n` is the row's length so far (uint64), and each kernel returns the new one."""

from typing import Final

import numpy as np

from minchiate_rl.game.cards import FIRST_TRUMP
from minchiate_rl.game.engine.bits import ONE, ZERO, U, trailing_zeros
from minchiate_rl.game.engine.jit import kernel

_FIRST_TRUMP: Final = FIRST_TRUMP


@kernel
def put_cards(w0, w1, first, step, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens first + step * card of a set of cards; return the new length."""
    while w0 != ZERO:
        row[n] = first + step * np.int64(trailing_zeros(w0))
        w0 &= w0 - ONE
        n += ONE
    first += step * _FIRST_TRUMP
    while w1 != ZERO:
        row[n] = first + step * np.int64(trailing_zeros(w1))
        w1 &= w1 - ONE
        n += ONE
    return n


@kernel
def put_bits(word, first, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens first + i of the set bits i of a word; return the new length."""
    while word != ZERO:
        row[n] = first + np.int64(trailing_zeros(word))
        word &= word - ONE
        n += ONE
    return n


@kernel
def put(first, value, limit, row, n):  # type: ignore[no-untyped-def]
    """Append the token first + value (uint64) where the value is below the limit; return the new length."""
    row[n] = first + np.int64(value)
    return n + U(value < limit)


@kernel
def put_named(first, value, limit, row, n):  # type: ignore[no-untyped-def]
    """Append the token first + value - 1 where the value is neither 0 nor at the limit; return the new length."""
    row[n] = first + np.int64(value) - 1
    return n + U(value != ZERO and value < limit)


@kernel
def at_most(value, limit):  # type: ignore[no-untyped-def]
    """Return the smaller of two uint64."""
    return value if value < limit else limit


@kernel
def class_of(value, lowest, step, n):  # type: ignore[no-untyped-def]
    """Return the class 0 to n - 1 of a number (int64) by steps from the lowest on; the outer classes are open."""
    return min(max((value - lowest) // step, 0), n - 1)
