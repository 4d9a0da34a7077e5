"""The sparse first layer of a network: the sum of the table rows of the active tokens.

A view has some 60 active tokens out of a few thousand, so a dense layer over 0/1 inputs would spend most of its work on
zeros. The sum over active rows is the first layer of NNUE networks (Yu Nasu: Efficiently Updatable Neural-Network-based
Evaluation Functions for Computer Shogi, 2018). On the CPU it is two kernels that release the GIL; elsewhere torch's own
embedding bag.
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from minchiate_rl.agents.forward import sum_row
from minchiate_rl.game.engine.jit import kernel


@kernel
def sum_rows(table, tokens, out):  # type: ignore[no-untyped-def]
    """Fill out[i] with the sum of table[t] over the tokens t of row i; tokens are left-packed, 0 ends the row."""
    for i in range(tokens.shape[0]):
        sum_row(table, tokens, i, out[i])


@kernel
def add_to_rows(gradient, tokens, table_gradient):  # type: ignore[no-untyped-def]
    """Add gradient[i] to table_gradient[t], modified in place, for each token t of row i, rows in order."""
    width = gradient.shape[1]
    for i in range(tokens.shape[0]):
        for k in range(tokens.shape[1]):
            token = tokens[i, k]
            if token == 0:
                break
            for c in range(width):
                table_gradient[token, c] += gradient[i, c]


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
