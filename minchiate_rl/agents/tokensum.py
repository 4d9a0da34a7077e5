"""The sparse first layer of a network: the sum of the table rows of the active tokens.

A view has some 60 active tokens out of a few thousand, so a dense layer over 0/1 inputs would spend most of its work on
zeros. The sum over active rows is the first layer of NNUE networks (Yu Nasu: Efficiently Updatable Neural-Network-based
Evaluation Functions for Computer Shogi, 2018). On the CPU it is two kernels that release the GIL; elsewhere torch's own
embedding bag.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from minchiate_rl.agents.forward import sum_row
from minchiate_rl.game.engine.jit import kernel, owning_kernel


@kernel
def sum_rows(table, tokens, out):  # type: ignore[no-untyped-def]
    """Fill out[i] with the sum of table[t] over the tokens t of row i; tokens are left-packed, 0 ends the row."""
    for i in range(tokens.shape[0]):
        sum_row(table, tokens, i, out[i])


@owning_kernel
def _rows_by_token(tokens, n_tokens):  # type: ignore[no-untyped-def]
    """Return where the rows of each token begin, (n_tokens + 1,), and those rows in order: a counting sort."""
    starts = np.zeros(n_tokens + 1, np.int64)
    for i in range(tokens.shape[0]):
        for k in range(tokens.shape[1]):
            if tokens[i, k] == 0:
                break
            starts[tokens[i, k] + 1] += 1
    for t in range(n_tokens):
        starts[t + 1] += starts[t]
    places, rows = starts.copy(), np.empty(starts[n_tokens], np.int32)
    for i in range(tokens.shape[0]):
        for k in range(tokens.shape[1]):
            token = tokens[i, k]
            if token == 0:
                break
            rows[places[token]] = i
            places[token] += 1
    return starts, rows


@owning_kernel
def add_to_rows(gradient, tokens, table_gradient):  # type: ignore[no-untyped-def]
    """Add gradient[i] to table_gradient[t], modified in place, for each token t of row i.

    Token by token, so that each row of the table is written a quarter as often as it has gradients.
    """
    width = gradient.shape[1]
    starts, rows = _rows_by_token(tokens, table_gradient.shape[0])
    for token in range(table_gradient.shape[0]):
        k, end = starts[token], starts[token + 1]
        while k + 4 <= end:
            i0, i1, i2, i3 = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
            for c in range(width):
                high = gradient[i2, c] + gradient[i3, c]
                table_gradient[token, c] += (gradient[i0, c] + gradient[i1, c]) + high
            k += 4
        while k < end:
            i0 = rows[k]
            for c in range(width):
                table_gradient[token, c] += gradient[i0, c]
            k += 1


class _TokenSum(torch.autograd.Function):
    """The kernels as one differentiable function of the table."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, tokens: Tensor) -> Tensor:
        """Return the sums, float32 (B, H)."""
        ctx.tokens = tokens
        ctx.shape = table.shape
        out = torch.empty((tokens.shape[0], table.shape[1]), dtype=table.dtype)
        sum_rows(table.detach().numpy(), tokens.numpy(), out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, None]:
        """Return the gradient of the table, dense."""
        table_gradient = torch.zeros(ctx.shape, dtype=gradients[0].dtype)
        add_to_rows(gradients[0].contiguous().numpy(), ctx.tokens.numpy(), table_gradient.numpy())
        return table_gradient, None


def token_sum(table: Tensor, tokens: Tensor) -> Tensor:
    """Return for each row the sum of the table rows of its tokens.

    Args:
        table: float32 (N, H); row 0 is the padding and adds nothing.
        tokens: int16 (B, T), numbers below N, left-packed: a 0 ends the row.

    Returns:
        float32 (B, H), differentiable in the table.
    """
    if table.device.type == "cpu":
        result: Tensor = _TokenSum.apply(table, tokens)  # type: ignore[no-untyped-call]
        return result
    return functional.embedding_bag(tokens.int(), table, mode="sum", padding_idx=0)
