"""What is being trained: policy and critic with an optimizer each, and steps of gradient over minibatches.

The two networks share nothing, so they learn side by side, one thread each, without waiting for each other between
minibatches; each one's arithmetic is the same whatever the threads. The order of the samples is drawn by a
counter-based generator keyed by (seed, step).
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from minchiate_rl.agents.network import Critic, PolicyNetwork, Shape
from minchiate_rl.errors import RunError
from minchiate_rl.training.workers import Workers

_SALT_ORDER: Final = 0x6F72646572

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]


class Learner:
    """Policy, critic and their optimizers."""

    def __init__(self, shape: Shape, seed: int, max_norm: float, device: str = "cpu") -> None:
        """Build both networks with weights drawn from the seed."""
        self.shape, self.seed, self.max_norm = shape, seed, max_norm
        self.device = torch.device(device)
        self.policy = PolicyNetwork(shape, torch.Generator().manual_seed(2 * seed)).to(self.device)
        self.critic = Critic(shape, torch.Generator().manual_seed(2 * seed + 1)).to(self.device)
        self.optimizers = {
            name: torch.optim.Adam(module.parameters(), lr=1e-3, eps=1e-5, fused=True)
            for name, module in self.modules().items()
        }

    def modules(self) -> dict[str, nn.Module]:
        """Return the networks by name."""
        return {"policy": self.policy, "critic": self.critic}

    def tensors(self) -> dict[str, Tensor]:
        """Return every weight, `policy.*` and `critic.*`."""
        return {
            f"{name}.{key}": tensor
            for name, module in self.modules().items()
            for key, tensor in module.state_dict().items()
        }

    def optimizer_state(self) -> dict[str, Any]:
        """Return the state of both optimizers."""
        return {name: optimizer.state_dict() for name, optimizer in self.optimizers.items()}

    def load_optimizers(self, state: dict[str, Any]) -> None:
        """Take the state of both optimizers up again."""
        for name, optimizer in self.optimizers.items():
            optimizer.load_state_dict(state[name])

    def orders(self, step: int, size: int, minibatch: int, epochs: int, salt: int) -> Iterator[Rows]:
        """Return the rows of each minibatch of a step: every row once an epoch, minibatches of about equal size."""
        bits = np.random.Philox(key=[self.seed, _SALT_ORDER + salt], counter=[step, 0, 0, 0])
        generator = np.random.Generator(bits)
        parts = max(1, round(size / minibatch))
        for _ in range(epochs):
            yield from np.array_split(generator.permutation(size), parts)

    def fit_policy(
        self,
        inputs: tuple[npt.NDArray[np.int16], npt.NDArray[np.int8]],
        orders: Iterator[Rows],
        lr: float,
        gradient: Callable[[Floats, Rows], tuple[Floats, npt.NDArray[np.float64]]],
    ) -> npt.NDArray[np.float64]:
        """Take one step of gradient a minibatch and return the sums that the losses gave.

        Args:
            inputs: tokens int16 (K, T) and phases int8 (K,) of all samples.
            orders: the rows of each minibatch.
            lr: the learning rate.
            gradient: returns the gradient by the logits of some rows, and sums for the metrics.

        Returns:
            The sums over all minibatches, then the number of rows: float64.

        Raises:
            RunError: something is not finite.
        """
        tokens, phases = (torch.from_numpy(array) for array in inputs)
        parameters = list(self.policy.parameters())
        total: npt.NDArray[np.float64] = np.zeros(0)
        for rows in orders:
            index = torch.from_numpy(rows)
            logits = self.policy.logits(tokens[index].to(self.device), phases[index].to(self.device))
            by_logits, sums = gradient(logits.detach().cpu().numpy(), rows)
            gradients = torch.autograd.grad(logits, parameters, torch.from_numpy(by_logits).to(self.device))
            self._descend("policy", parameters, gradients, lr)
            sums = np.append(sums, float(len(rows)))
            total = sums if not len(total) else total + sums
        return total

    def fit_critic(
        self, states: npt.NDArray[np.int16], orders: Iterator[Rows], lr: float, returns: Floats
    ) -> dict[str, float]:
        """Take one step of gradient on the Huber loss a minibatch; return the mean loss and the mean absolute error.

        Raises:
            RunError: something is not finite.
        """
        tokens, goals = torch.from_numpy(states), torch.from_numpy(returns)
        parameters = list(self.critic.parameters())
        losses, errors, count = 0.0, 0.0, 0
        for rows in orders:
            index = torch.from_numpy(rows)
            values, wanted = self.critic.values(tokens[index].to(self.device)), goals[index].to(self.device)
            loss = functional.huber_loss(values, wanted)
            self._descend("critic", parameters, torch.autograd.grad(loss, parameters), lr)
            losses += float(loss.detach()) * len(rows)
            errors += float((values.detach() - wanted).abs().sum())
            count += len(rows)
        return {"value_loss": losses / max(count, 1), "value_error": errors / max(count, 1)}

    def _descend(self, name: str, parameters: list[nn.Parameter], gradients: tuple[Tensor, ...], lr: float) -> None:
        optimizer = self.optimizers[name]
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient
        norm = nn.utils.clip_grad_norm_(parameters, self.max_norm)
        if not torch.isfinite(norm):
            raise RunError(f"training diverged: the gradient of the {name} is not finite; a smaller lr may help")
        for group in optimizer.param_groups:
            group["lr"] = lr
        optimizer.step()

    def values(self, states: npt.NDArray[np.int16], workers: Workers) -> Floats:
        """Return the critic's value of every state, float32 (K,)."""
        middle = len(states) // 2
        parts = workers.run([partial(self._values, states[:middle]), partial(self._values, states[middle:])])
        return np.concatenate(parts)

    def _values(self, states: npt.NDArray[np.int16], chunk: int = 2048) -> Floats:
        out = []
        with torch.inference_mode():
            for low in range(0, len(states), chunk):
                out.append(
                    self.critic.values(torch.from_numpy(states[low : low + chunk]).to(self.device)).cpu().numpy()
                )
        return np.concatenate(out) if out else np.zeros(0, np.float32)
