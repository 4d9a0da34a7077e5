"""The spaces of every environment: what an observation and an action may be."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from minchiate_rl.game.rules import RuleSet, ruleset
from minchiate_rl.views import encoding
from minchiate_rl.views.encoding import OBSERVATION_SIZE, SLICES

#: Slices whose entries may exceed 1, and their greatest value: marks / 500 and resti / 8.
_HIGHER: Final = {"score": 8.0, "resti": 32.0}

Observation = dict[str, npt.NDArray[Any]]
"""`observation` float32 and `action_mask` int8, of one seat or of a batch."""


def _highest() -> npt.NDArray[np.float32]:
    high = np.ones(OBSERVATION_SIZE, dtype=np.float32)
    for name, limit in _HIGHER.items():
        start, stop, _ = SLICES[name]
        high[start:stop] = limit
    return high


def observation_space(rules: RuleSet) -> spaces.Dict:
    """Return the space of one seat's observation: `observation` float32 (D,), `action_mask` int8 (num_actions,)."""
    low = np.full(OBSERVATION_SIZE, -1.0, dtype=np.float32)
    return spaces.Dict(
        {
            "observation": spaces.Box(low, _highest(), dtype=np.float32),
            "action_mask": spaces.Box(0, 1, (rules.num_actions,), dtype=np.int8),
        }
    )


def action_space(rules: RuleSet) -> spaces.Discrete:
    """Return the space of actions: every action number of the rule set, legal now or not."""
    return spaces.Discrete(rules.num_actions)


def describe(rules: RuleSet | str = "classic") -> str:
    """Return the layout of the observation as a text: every slice with its place, its size and its meaning."""
    return encoding.describe(ruleset(rules))
