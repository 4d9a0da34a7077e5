"""The networks: a policy over view tokens and a critic over state tokens, of the same shape, sharing nothing.

Token sum, LayerNorm, ReLU, linear, ReLU, linear with a residual, perhaps more such blocks, output. A shared trunk would
couple the learning rates and deny the critic the hidden cards. One policy serves all seats, since tokens are relative
to the acting seat.

This is what is trained, and what needs torch; agents play by `agents.forward`.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from minchiate_rl.agents import weights
from minchiate_rl.agents.forward import CompiledPolicy
from minchiate_rl.agents.legalhead import Asked, legal_logits
from minchiate_rl.agents.shape import N_PHASES, Shape
from minchiate_rl.agents.tokensum import token_sum
from minchiate_rl.errors import CheckpointError
from minchiate_rl.game.cards import N_CARDS

BELIEFS: Final = ("next", "partner", "previous", "fola")
"""Where a card may lie that a seat has not seen; the discards count as fola. At tables of two and three the first."""
N_BELIEFS: Final = len(BELIEFS)

NO_LOGIT: Final = -1e9
"""The logit of an action that is not legal: its probability is exactly 0 in float32."""


class Block(nn.Module):
    """Two layers with a residual."""

    def __init__(self, width: int, generator: torch.Generator) -> None:
        """Draw orthogonal layers from the generator."""
        super().__init__()
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)
        for layer, scale in ((self.first, math.sqrt(2.0)), (self.second, 1.0)):
            nn.init.orthogonal_(layer.weight, scale, generator=generator)
            nn.init.zeros_(layer.bias)

    def forward(self, hidden: Tensor) -> Tensor:
        """Return float32 (B, H): what comes in, and what the layers add to it."""
        out: Tensor = hidden + self.second(functional.relu_(self.first(hidden)))
        return out


class Tower(nn.Module):
    """Token sum and body: int16 tokens (B, T) to float32 outputs (B, outputs)."""

    def __init__(self, sizes: tuple[int, int, int], outputs: int, gain: float, generator: torch.Generator) -> None:
        """Draw the weights from the generator: rows scaled for some 64 active tokens, orthogonal layers.

        Args:
            sizes: rows of the token table, width, residual blocks.
            outputs: outputs of the head.
            gain: scale of the head's weights.
            generator: what all weights are drawn from.
        """
        super().__init__()
        n_tokens, width, blocks = sizes
        self.table = nn.Parameter(torch.randn(n_tokens, width, generator=generator) / 8.0)
        self.norm = nn.LayerNorm(width)
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)
        self.head = nn.Linear(width, outputs)
        scales = ((self.first, math.sqrt(2.0)), (self.second, 1.0), (self.head, gain))
        for layer, scale in scales:
            nn.init.orthogonal_(layer.weight, scale, generator=generator)
            nn.init.zeros_(layer.bias)
        self.more = nn.ModuleList([Block(width, generator) for _ in range(blocks - 1)])
        with torch.no_grad():
            self.table[0] = 0.0

    def hidden(self, tokens: Tensor) -> Tensor:
        """Return what the head is given, float32 (B, width)."""
        hidden: Tensor = functional.relu_(self.norm(token_sum(self.table, tokens)))
        hidden = hidden + self.second(functional.relu_(self.first(hidden)))
        for block in self.more:
            hidden = block(hidden)
        return hidden

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the outputs of the head, float32 (B, outputs)."""
        out: Tensor = self.head(self.hidden(tokens))
        return out


class PolicyNetwork(Tower):
    """Logits of the actions, with a bias by phase and action: a card is discarded for other reasons than played."""

    def __init__(self, shape: Shape, generator: torch.Generator | None = None) -> None:
        """Build the network with weights from the generator (seed 0 if none is given)."""
        sizes = shape.n_tokens, shape.width, shape.blocks
        super().__init__(sizes, shape.num_actions, 0.01, generator or _seeded(0))
        self.shape = shape
        self.phase_bias = nn.Parameter(torch.zeros(N_PHASES, shape.num_actions))

    def logits(self, tokens: Tensor, phases: Tensor, legal: npt.NDArray[np.uint64] | None = None) -> Tensor:
        """Return the logits before masking.

        Args:
            tokens: int16 (B, T).
            phases: int8 (B,): seats.Phase of each row.
            legal: uint64 (B, 4): the legal actions, where no others are asked for; on the CPU other logits are then 0,
                and no gradient comes from them.

        Returns:
            float32 (B, num_actions).
        """
        if legal is not None and self.table.device.type == "cpu":
            return legal_logits(self.hidden(tokens), self.head, self.phase_bias, Asked(phases.numpy(), legal))
        one_hot = functional.one_hot(phases.long(), N_PHASES).to(self.phase_bias.dtype)
        return torch.addmm(self(tokens), one_hot, self.phase_bias)

    def compiled(self) -> CompiledPolicy:
        """Return the policy as it is now for playing in kernels; later changes of the weights do not reach it."""
        return CompiledPolicy(self.shape, arrays_of(self.state_dict()))


class Critic(Tower):
    """The expected rest of the hand for the acting seat's side, in resti units, from the state tokens."""

    def __init__(self, shape: Shape, generator: torch.Generator | None = None) -> None:
        """Build the network with weights from the generator (seed 1 if none is given)."""
        sizes = shape.n_state_tokens, shape.critic_width, shape.blocks
        super().__init__(sizes, 1, 0.1, generator or _seeded(1))
        self.shape = shape

    def values(self, tokens: Tensor) -> Tensor:
        """Return the values, float32 (B,), of int16 state tokens (B, T)."""
        out: Tensor = self(tokens)
        return out.squeeze(1)


class BeliefNetwork(Tower):
    """Where each card lies that the seat has not seen, from the view's tokens.

    The outputs are added to the logarithms of the chances that all deals alike would have (`agents.spread`), so that
    what is learned is what the play has told beside voids and counts.
    """

    def __init__(self, shape: Shape, generator: torch.Generator | None = None) -> None:
        """Build the network with weights from the generator (seed 2 if none is given)."""
        super().__init__((shape.n_tokens, shape.belief, 1), N_CARDS * N_BELIEFS, 0.01, generator or _seeded(2))
        self.shape = shape

    def beliefs(self, tokens: Tensor, chances: Tensor) -> Tensor:
        """Return logits, float32 (B, 97 * 4): for each card, by its name to the network, those of BELIEFS.

        Args:
            tokens: int16 (B, T).
            chances: float32 (B, 97 * 4): `agents.spread.log_chances` of the same views.
        """
        out: Tensor = self(tokens) + chances
        return out


def _seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def arrays_of(tensors: Mapping[str, Tensor]) -> weights.Arrays:
    """Return weights by name for NumPy, as they are kept on disk and as they are played."""
    return {name: tensor.detach().cpu().numpy() for name, tensor in tensors.items()}


def tensors_of(arrays: weights.Arrays) -> dict[str, Tensor]:
    """Return weights by name for torch, copied."""
    return {name: torch.tensor(array) for name, array in arrays.items()}


def fill(module: nn.Module, tensors: Mapping[str, Tensor], prefix: str, where: Path) -> None:
    """Copy the tensors whose names begin with a prefix into a module, all of them and no others.

    Raises:
        CheckpointError: names or shapes do not fit.
    """
    own = {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
    try:
        module.load_state_dict(own)
    except RuntimeError as error:
        raise CheckpointError(f"{where}: the weights do not fit the network: {' '.join(str(error).split())}") from None


def policy_logits(
    network: PolicyNetwork,
    tokens: npt.NDArray[np.int16],
    phases: npt.NDArray[np.int8],
    legal: npt.NDArray[np.uint64],
) -> npt.NDArray[np.float32]:
    """Return the network's logits of legal actions, float32 (B, A); what stands at others is not to be read.

    Args:
        network: the policy.
        tokens: int16 (B, T).
        phases: int8 (B,).
        legal: uint64 (B, 4).
    """
    device = network.table.device
    with torch.inference_mode():
        rows = torch.from_numpy(np.ascontiguousarray(tokens)).to(device)
        kinds = torch.from_numpy(phases).to(device)
        logits: npt.NDArray[np.float32] = network.logits(rows, kinds, legal).cpu().numpy()
    return logits


def masked(logits: Tensor, legal: Tensor) -> Tensor:
    """Return float32 logits (B, A) with NO_LOGIT wherever `legal`, bool (B, A), is False."""
    return torch.where(legal, logits.float(), torch.full((), NO_LOGIT, device=logits.device))
