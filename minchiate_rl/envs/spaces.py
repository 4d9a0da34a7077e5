"""The spaces of every environment: what an observation and an action may be."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from minchiate_rl.game.rules import RuleSet, ruleset
from minchiate_rl.views import encoding
from minchiate_rl.views.encoding import SLICES, observation_size

#: Slices whose entries may exceed 1, and their greatest value.
_HIGHER: Final = {
    "score": 8.0,
    "resti": 32.0,
    "ahead": 64.0,
    "match_resti": 64.0,
    "n_discards": 8.0,
    "to_discard": 8.0,
    "fola": 8.0,
    "bids": 8.0,
}
#: Those of them that may be as far below 0.
_SIGNED: Final = ("resti", "ahead", "match_resti")

Observation = dict[str, npt.NDArray[Any]]
"""`observation` float32 and `action_mask` int8, of one seat or of a batch."""


def _bounds(rules: RuleSet) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return the lowest and the highest value of every entry."""
    high = np.ones(observation_size(rules), dtype=np.float32)
    low = -high
    for name, limit in _HIGHER.items():
        start, stop, _ = SLICES[name]
        high[start:stop] = limit
        if name in _SIGNED:
            low[start:stop] = -limit
    return low, high


def observation_space(rules: RuleSet) -> spaces.Dict:
    """Return the space of one seat's observation: `observation` float32 (D,), `action_mask` int8 (num_actions,)."""
    return spaces.Dict(
        {
            "observation": spaces.Box(*_bounds(rules), dtype=np.float32),
            "action_mask": spaces.Box(0, 1, (rules.num_actions,), dtype=np.int8),
        }
    )


def action_space(rules: RuleSet) -> spaces.Discrete:
    """Return the space of actions: every action number of the rule set, legal now or not."""
    return spaces.Discrete(rules.num_actions)


def describe(rules: RuleSet | str = "classic") -> str:
    """Return the layout of the observation as a text: every slice with its place, its size and its meaning."""
    return encoding.describe(ruleset(rules))
