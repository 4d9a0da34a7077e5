"""The output layer of a policy for the legal actions alone, differentiable.

A decision has some 7 legal actions of 131, and no loss and no choice looks at other logits. So the layer works out the
rows of its matrix that are asked for and no others, forward and back, on the CPU; elsewhere the matrix is multiplied as
a whole.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from minchiate_rl.agents.choice import legal_list
from minchiate_rl.game.actions import N_ACTIONS
from minchiate_rl.game.engine.jit import owning_kernel, summing_kernel


class Asked(NamedTuple):
    """The rows that logits are worked out for."""

    phases: npt.NDArray[np.int8]
    """int8 (B,): seats.Phase of each row."""
    legal: npt.NDArray[np.uint64]
    """uint64 (B, 4): the legal actions, renamed (agents.suits)."""


@summing_kernel
def _dot(a, b):  # type: ignore[no-untyped-def]
    """Return the product of two vectors of one length, float32."""
    total = np.float32(0.0)
    for c in range(a.shape[0]):
        total += a[c] * b[c]
    return total


@owning_kernel
def _forward(weights, hidden, asked, out):  # type: ignore[no-untyped-def]
    """Fill out (B, A) with the logits of the legal actions of each row of hidden (B, H), and 0 elsewhere."""
    (head, bias, phase_bias), (phases, legal) = weights, asked
    names = np.empty(N_ACTIONS, np.int64)
    for i in range(hidden.shape[0]):
        out[i] = 0.0
        n = legal_list(legal, i, names)
        for k in range(n):
            name = names[k]
            out[i, name] = _dot(head[name], hidden[i]) + (bias[name] + phase_bias[phases[i], name])


@owning_kernel
def _backward(gradient, head, hidden, asked, out):  # type: ignore[no-untyped-def]
    """Add to `out`, zeros, the gradients by hidden, head, bias and phase bias of the gradient by the logits (B, A)."""
    phases, legal = asked
    by_hidden, by_head, by_bias, by_phase_bias = out
    names = np.empty(N_ACTIONS, np.int64)
    for i in range(hidden.shape[0]):
        n = legal_list(legal, i, names)
        for k in range(n):
            name = names[k]
            g = gradient[i, name]
            by_bias[name] += g
            by_phase_bias[phases[i], name] += g
            for c in range(hidden.shape[1]):
                by_hidden[i, c] += g * head[name, c]
                by_head[name, c] += g * hidden[i, c]


class _LegalLogits(torch.autograd.Function):
    """The kernels as one differentiable function of the weights and what they are given."""

    @staticmethod
    def forward(ctx: Any, hidden: Tensor, head: Tensor, bias: Tensor, phase_bias: Tensor, asked: Asked) -> Tensor:
        """Return the logits, float32 (B, A)."""
        ctx.save_for_backward(hidden, head)
        ctx.asked, ctx.phases = asked, phase_bias.shape[0]
        out = hidden.new_empty(hidden.shape[0], head.shape[0])
        weights = tuple(tensor.detach().numpy() for tensor in (head, bias, phase_bias))
        _forward(weights, hidden.detach().numpy(), tuple(asked), out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor | None, ...]:
        """Return the gradients by all but what was asked."""
        hidden, head = (tensor.detach() for tensor in ctx.saved_tensors)
        shapes = hidden.shape, head.shape, head.shape[:1], (ctx.phases, head.shape[0])
        out = tuple(hidden.new_zeros(shape) for shape in shapes)
        arrays = tuple(tensor.numpy() for tensor in out)
        _backward(gradients[0].contiguous().numpy(), head.numpy(), hidden.numpy(), tuple(ctx.asked), arrays)
        return *out, None


def legal_logits(hidden: Tensor, head: nn.Linear, phase_bias: Tensor, asked: Asked) -> Tensor:
    """Return the logits of the legal actions, and 0 at all others: float32 (B, A), on the CPU.

    Args:
        hidden: float32 (B, H), what the output layer is given.
        head: the output layer, H to A.
        phase_bias: float32 (phases, A), added by the phase of a row.
        asked: phases and legal actions of the rows.
    """
    out: Tensor = _LegalLogits.apply(hidden, head.weight, head.bias, phase_bias, asked)  # type: ignore[no-untyped-call]
    return out
