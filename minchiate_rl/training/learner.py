"""What is being trained: policy and critic, each with an optimizer of its own, and steps of gradient over minibatches.

The two networks share nothing, so they learn side by side, one thread each, without waiting for each other between
minibatches; each one's arithmetic is the same whatever the threads. The order of the samples is drawn by a
counter-based generator keyed by (seed, step).
"""

import copy
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from minchiate_rl.agents.network import BeliefNetwork, Critic, PolicyNetwork, fill
from minchiate_rl.agents.shape import Shape
from minchiate_rl.agents.spread import log_chances
from minchiate_rl.errors import RunError
from minchiate_rl.training.descent import Descent
from minchiate_rl.training.losses import belief_gradient
from minchiate_rl.training.replay import Memory
from minchiate_rl.training.rollout import Samples
from minchiate_rl.training.workers import Workers
from minchiate_rl.views.view import Views

MAGNET: Final = "magnet"
"""The name of the weights that a policy is held near to (training.magnet)."""

_SALT_ORDER: Final = 0x6F72646572

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]
Gradient = Callable[[Floats, Rows], tuple[Floats, npt.NDArray[np.float64]]]
"""Returns the gradient of a loss by the logits, float32 (B, A), of some rows, and sums for the metrics."""


class Learner:
    """Policy, critic, perhaps a belief network, and their optimizers."""

    def __init__(self, shape: Shape, seed: int, max_norm: float, device: str = "cpu") -> None:
        """Build both networks with weights drawn from the seed."""
        self.shape, self.seed = shape, seed
        self.device = torch.device(device)
        self.policy = PolicyNetwork(shape, torch.Generator().manual_seed(2 * seed)).to(self.device)
        self.critic = Critic(shape, torch.Generator().manual_seed(2 * seed + 1)).to(self.device)
        self.belief: BeliefNetwork | None = None
        if shape.belief:
            self.belief = BeliefNetwork(shape, torch.Generator().manual_seed(2 * seed + 2)).to(self.device)
        self.magnet: PolicyNetwork | None = None
        self.replay: list[Memory] = []
        self.optimizers = {name: Descent(module.parameters(), max_norm) for name, module in self.modules().items()}

    def modules(self) -> dict[str, nn.Module]:
        """Return the networks by name."""
        own: dict[str, nn.Module] = {"policy": self.policy, "critic": self.critic}
        return own if self.belief is None else own | {"belief": self.belief}

    def tensors(self) -> dict[str, Tensor]:
        """Return every weight: `policy.*`, `critic.*`, and where there are such `belief.*` and `magnet.*`."""
        modules = self.modules() | ({} if self.magnet is None else {MAGNET: self.magnet})
        return {f"{name}.{key}": tensor for name, own in modules.items() for key, tensor in own.state_dict().items()}

    def load(self, tensors: Mapping[str, Tensor], where: Path) -> None:
        """Take every weight up again.

        Raises:
            CheckpointError: names or shapes do not fit.
        """
        for name, module in self.modules().items():
            fill(module, tensors, f"{name}.", where)
        if any(name.startswith(f"{MAGNET}.") for name in tensors):
            self.magnet = copy.deepcopy(self.policy)
            fill(self.magnet, tensors, f"{MAGNET}.", where)

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
        self, samples: Samples, orders: Iterator[Rows], lr: float, gradient: Gradient
    ) -> npt.NDArray[np.float64]:
        """Take one step of gradient a minibatch and return the sums that the losses gave.

        Args:
            samples: all samples.
            orders: the rows of each minibatch.
            lr: the learning rate.
            gradient: returns the gradient by the logits of some rows, and sums for the metrics.

        Returns:
            The sums over all minibatches, then the number of rows: float64.

        Raises:
            RunError: something is not finite.
        """
        parameters = list(self.policy.parameters())
        total: npt.NDArray[np.float64] = np.zeros(0)
        for rows in orders:
            seen = self._tensor(samples.tokens[rows]), self._tensor(samples.phases[rows])
            logits = self.policy.logits(*seen, samples.legal[rows])
            by_logits, sums = gradient(logits.detach().cpu().numpy(), rows)
            gradients = torch.autograd.grad(logits, parameters, self._tensor(by_logits))
            self._descend("policy", gradients, lr)
            sums = np.append(sums, float(len(rows)))
            total = sums if not len(total) else total + sums
        return total

    def fit_beliefs(self, samples: Samples, orders: Iterator[Rows], lr: float) -> dict[str, float]:
        """Take one step of gradient on the places of the hidden cards a minibatch; return the mean loss of a card.

        Raises:
            RunError: something is not finite.
        """
        assert self.belief is not None
        assert samples.views is not None
        words, rules = samples.views.words, samples.views.rules
        parameters = list(self.belief.parameters())
        losses, cards = 0.0, 0
        for rows in orders:
            chances = log_chances(Views(words[rows], rules), samples.orders[rows])
            outputs = self.belief.beliefs(self._tensor(samples.tokens[rows]), self._tensor(chances))
            answers = outputs.detach().cpu().numpy()
            by_outputs, loss, hidden = belief_gradient(answers, samples.states[rows], self.shape.n_tokens)
            gradients = torch.autograd.grad(outputs, parameters, self._tensor(by_outputs))
            self._descend("belief", gradients, lr)
            losses, cards = losses + loss, cards + hidden
        return {"belief_loss": losses / max(cards, 1)}

    def fit_critic(
        self, states: npt.NDArray[np.int16], orders: Iterator[Rows], lr: float, returns: Floats
    ) -> dict[str, float]:
        """Take one step of gradient on the Huber loss a minibatch; return the mean loss and the mean absolute error.

        Raises:
            RunError: something is not finite.
        """
        parameters = list(self.critic.parameters())
        losses, errors, count = 0.0, 0.0, 0
        for rows in orders:
            values, wanted = self.critic.values(self._tensor(states[rows])), self._tensor(returns[rows])
            loss = functional.huber_loss(values, wanted)
            self._descend("critic", torch.autograd.grad(loss, parameters), lr)
            losses += float(loss.detach()) * len(rows)
            errors += float((values.detach() - wanted).abs().sum())
            count += len(rows)
        return {"value_loss": losses / max(count, 1), "value_error": errors / max(count, 1)}

    def _descend(self, name: str, gradients: tuple[Tensor, ...], lr: float) -> None:
        if not self.optimizers[name].descend(gradients, lr):
            raise RunError(f"training diverged: the gradient of the {name} is not finite; a smaller lr may help")

    def values(self, states: npt.NDArray[np.int16], workers: Workers) -> Floats:
        """Return the critic's value of every state, float32 (K,)."""
        middle = len(states) // 2
        parts = workers.run([partial(self._values, states[:middle]), partial(self._values, states[middle:])])
        return np.concatenate(parts)

    def _values(self, states: npt.NDArray[np.int16], chunk: int = 2048) -> Floats:
        out = []
        with torch.inference_mode():
            for low in range(0, len(states), chunk):
                out.append(self.critic.values(self._tensor(states[low : low + chunk])).cpu().numpy())
        return np.concatenate(out) if out else np.zeros(0, np.float32)

    def _tensor(self, array: npt.NDArray[Any]) -> Tensor:
        return torch.from_numpy(array).to(self.device)
