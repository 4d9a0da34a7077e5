"""The sizes of a network: what playing and training must agree on, apart from either."""

import dataclasses
from typing import Final

from minchiate_rl.game.seats import Phase

N_PHASES: Final = len(Phase)
"""Kinds of decisions, which each have a bias of their own."""


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
    blocks: int = 1
    """Residual blocks of each network."""
    belief: int = 0
    """Width of the belief network; 0 where there is none."""
