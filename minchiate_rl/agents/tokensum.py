"""The sparse first layer of a network: the sum of the table rows of the active tokens.

A view has some 80 active tokens out of a few thousand, so a dense layer over 0/1 inputs would spend most of its work on
zeros. The sum over active rows is the first layer of NNUE networks (Yu Nasu: Efficiently Updatable Neural-Network-based
Evaluation Functions for Computer Shogi, 2018). It is torch's embedding bag. On the CPU it is given the tokens end to
end, without the padding, which is its quick path; and its gradient is an embedding bag too: each token's row is the sum
of the gradients of the rows that have it.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from minchiate_rl.game.engine.bits import ONE, U
from minchiate_rl.game.engine.jit import owning_kernel


@owning_kernel
def _end_to_end(tokens):  # type: ignore[no-untyped-def]
    """Return the tokens of all rows, int32 (M,), and where each row begins and the last one ends, int32 (B + 1,)."""
    starts, ids = np.zeros(tokens.shape[0] + 1, np.int32), np.empty(tokens.size, np.int32)
    n = 0
    for i in range(tokens.shape[0]):
        for k in range(tokens.shape[1]):
            token = tokens[i, k]
            if token == 0:
                break
            ids[n] = token
            n += 1
        starts[i + 1] = n
    return ids[:n], starts


@owning_kernel
def _rows_by_token(ids, starts, n_tokens):  # type: ignore[no-untyped-def]
    """Return the rows of each token in order, int32 (M,), and where each token's begin: a counting sort."""
    begins = np.zeros(n_tokens + 1, np.int32)
    for k in range(ids.shape[0]):
        begins[U(ids[k]) + ONE] += 1  # an index without a sign is not looked at for places from the end
    for t in range(n_tokens):
        begins[t + 1] += begins[t]
    places, rows = begins.copy(), np.empty(ids.shape[0], np.int32)
    for i in range(starts.shape[0] - 1):
        for k in range(starts[i], starts[i + 1]):
            token = U(ids[k])
            place = places[token]
            rows[U(place)] = i
            places[token] = place + 1
    return rows, begins


def _sums(values: Tensor, ids: Any, starts: Any) -> Tensor:
    """Return the sums of the rows ids[starts[i] : starts[i + 1]] of values, (N, H), as (B, H)."""
    bags = torch.from_numpy(ids), torch.from_numpy(starts)
    out: Tensor = functional.embedding_bag(bags[0], values, bags[1], mode="sum", include_last_offset=True)
    return out


class _TokenSum(torch.autograd.Function):
    """The sums as a differentiable function of the table."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, tokens: Tensor) -> Tensor:
        """Return the sums, float32 (B, H)."""
        ctx.n_tokens = table.shape[0]
        ctx.ids, ctx.starts = _end_to_end(tokens.numpy())
        return _sums(table, ctx.ids, ctx.starts)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, None]:
        """Return the gradient of the table, dense."""
        rows, begins = _rows_by_token(ctx.ids, ctx.starts, ctx.n_tokens)
        return _sums(gradients[0].contiguous(), rows, begins), None


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
