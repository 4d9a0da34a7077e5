"""The networks: a policy over view tokens and a critic over state tokens, of the same shape, sharing nothing.

Token sum, LayerNorm, ReLU, linear, ReLU, linear with a residual, output. A shared trunk would couple the learning rates
and deny the critic the hidden cards. One policy serves all seats, since tokens are relative to the acting seat.
"""

import dataclasses
import math
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from minchiate_rl.agents.tokensum import token_sum
from minchiate_rl.game.seats import Phase

N_PHASES: Final = len(Phase)
"""Kinds of decisions, which each have a bias of their own."""

NO_LOGIT: Final = -1e9
"""The logit of an action that is not legal: its probability is exactly 0 in float32."""


@dataclasses.dataclass(frozen=True)
class Shape:
    """The sizes that a network is built from; saved beside its weights."""

    n_tokens: int
    """Rows of the policy's token table."""
    n_state_tokens: int
    """Rows of the critic's token table."""
    num_actions: int
    """Outputs of the policy."""
    width: int = 192
    """Width of the policy's layers."""
    critic_width: int = 192
    """Width of the critic's layers."""


class Tower(nn.Module):
    """Token sum and body: int16 tokens (B, T) to float32 outputs (B, outputs)."""

    def __init__(self, n_tokens: int, width: int, outputs: int, gain: float, generator: torch.Generator) -> None:
        """Draw the weights from the generator: rows scaled for some 64 active tokens, orthogonal layers."""
        super().__init__()
        self.table = nn.Parameter(torch.randn(n_tokens, width, generator=generator) / 8.0)
        self.norm = nn.LayerNorm(width)
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)
        self.head = nn.Linear(width, outputs)
        scales = ((self.first, math.sqrt(2.0)), (self.second, 1.0), (self.head, gain))
        for layer, scale in scales:
            nn.init.orthogonal_(layer.weight, scale, generator=generator)
            nn.init.zeros_(layer.bias)
        with torch.no_grad():
            self.table[0] = 0.0

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the outputs of the head, float32 (B, outputs)."""
        hidden = functional.relu(self.norm(token_sum(self.table, tokens)))
        hidden = hidden + self.second(functional.relu(self.first(hidden)))
        out: Tensor = self.head(hidden)
        return out


class PolicyNetwork(Tower):
    """Logits of the actions, with a bias by phase and action: a card is discarded for other reasons than played."""

    def __init__(self, shape: Shape, generator: torch.Generator | None = None) -> None:
        """Build the network with weights from the generator (seed 0 if none is given)."""
        super().__init__(shape.n_tokens, shape.width, shape.num_actions, 0.01, generator or _seeded(0))
        self.shape = shape
        self.phase_bias = nn.Parameter(torch.zeros(N_PHASES, shape.num_actions))

    def logits(self, tokens: Tensor, phases: Tensor) -> Tensor:
        """Return the logits before masking.

        Args:
            tokens: int16 (B, T).
            phases: int8 (B,): seats.Phase of each row.

        Returns:
            float32 (B, num_actions).
        """
        one_hot = functional.one_hot(phases.long(), N_PHASES).to(self.phase_bias.dtype)
        return torch.addmm(self(tokens), one_hot, self.phase_bias)


class Critic(Tower):
    """The expected rest of the hand for the acting seat's side, in resti units, from the state tokens."""

    def __init__(self, shape: Shape, generator: torch.Generator | None = None) -> None:
        """Build the network with weights from the generator (seed 1 if none is given)."""
        super().__init__(shape.n_state_tokens, shape.critic_width, 1, 0.1, generator or _seeded(1))
        self.shape = shape

    def values(self, tokens: Tensor) -> Tensor:
        """Return the values, float32 (B,), of int16 state tokens (B, T)."""
        out: Tensor = self(tokens)
        return out.squeeze(1)


def _seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def masked(logits: Tensor, legal: Tensor) -> Tensor:
    """Return float32 logits (B, A) with NO_LOGIT wherever `legal`, bool (B, A), is False."""
    return torch.where(legal, logits.float(), torch.full((), NO_LOGIT, device=logits.device))
