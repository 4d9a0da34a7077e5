"""Adam with a bound on the norm of the gradient (Kingma, Ba: Adam: A Method for Stochastic Optimization, 2015).

Most weights are rows of token tables, which no cache holds, so that a step costs what it reads and writes. On the CPU
the bound's factor is multiplied in on the way, and all is done in one pass; elsewhere by torch.
"""

import math
from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor, nn

from minchiate_rl.game.engine.jit import kernel


@kernel
def _step(weights, gradient, mean, square, rates):  # type: ignore[no-untyped-def]
    """Take a step with weights (N,) and the moving averages of gradient and square, modified in place, all float32.

    rates: the gradient's factor; of both averages what is left and what is new; the step's length, the root of the
    correction, epsilon.
    """
    factor, length, root, epsilon = rates[0], rates[5], rates[6], rates[7]
    left1, new1, left2, new2 = rates[1], rates[2], rates[3], rates[4]
    for i in range(weights.shape[0]):
        g = gradient[i] * factor
        m, s = mean[i] * left1 + g * new1, square[i] * left2 + g * g * new2
        mean[i], square[i] = m, s
        weights[i] -= length * m / (np.sqrt(s) / root + epsilon)


class Descent(torch.optim.Adam):
    """Torch's optimizer with its state, and a step of its own."""

    def __init__(self, parameters: Iterable[nn.Parameter], max_norm: float) -> None:
        """Take the weights, all on one device, and the bound on the norm of their gradient."""
        super().__init__(parameters, lr=1e-3, eps=1e-5, fused=True)
        self.max_norm = max_norm

    def descend(self, gradients: Iterable[Tensor], lr: float) -> bool:
        """Take a step against the gradients, one for each weight; tell whether they are finite: if not, none is taken.

        Args:
            gradients: of the weights, in their order; float32, and used up.
            lr: the learning rate.
        """
        group, flat = self.param_groups[0], [gradient.flatten() for gradient in gradients]
        norm = float(torch.stack([torch.dot(own, own) for own in flat]).sum().sqrt())
        if not math.isfinite(norm):
            return False
        factor, group["lr"] = min(self.max_norm / (norm + 1e-6), 1.0), lr
        on_cpu = group["params"][0].device.type == "cpu"
        for weights, gradient in zip(group["params"], flat, strict=True):
            if on_cpu:
                self._on_cpu(weights, gradient, factor)
            else:
                weights.grad = gradient.mul_(factor).view_as(weights)
        if not on_cpu:
            self.step()
        return True

    def _on_cpu(self, weights: nn.Parameter, gradient: Tensor, factor: float) -> None:
        state, group = self.state[weights], self.param_groups[0]
        if not state:
            state["step"] = torch.zeros(())
            state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(weights), torch.zeros_like(weights)
        state["step"] += 1
        steps, (beta1, beta2) = float(state["step"]), group["betas"]
        length, root = group["lr"] / (1.0 - beta1**steps), math.sqrt(1.0 - beta2**steps)
        shares = beta1, 1.0 - beta1, beta2, 1.0 - beta2
        rates = np.array([factor, *shares, length, root, group["eps"]], dtype=np.float32)
        mean, square = (state[name].view(-1).numpy() for name in ("exp_avg", "exp_avg_sq"))
        _step(weights.detach().view(-1).numpy(), gradient.numpy(), mean, square, rates)
