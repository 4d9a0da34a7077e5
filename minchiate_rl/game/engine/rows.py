"""Rows as wholes."""

from minchiate_rl.game.engine.bits import ZERO
from minchiate_rl.game.engine.jit import kernel


@kernel
def clear_row(rows, i):  # type: ignore[no-untyped-def]
    """Fill row i with zeros."""
    for column in range(rows.shape[1]):
        rows[i, column] = ZERO


@kernel
def copy_row(rows, i, target, k):  # type: ignore[no-untyped-def]
    """Copy row i to row k of an array that is as wide."""
    for column in range(rows.shape[1]):
        target[k, column] = rows[i, column]
