"""Environments for Gymnasium and PettingZoo (docs/environments.md); nothing is loaded before it is used.

The contents page:
    MinchiateEnv: one seat against agents, as `gymnasium.make("minchiate_rl:Minchiate-v0")`.
    MinchiateVectorEnv: many tables at once, as `gymnasium.make_vec("minchiate_rl:Minchiate-v0")`; self-play too.
    aec_env, parallel_env: the four seats as PettingZoo agents.
    describe: the observation, slice by slice.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from minchiate_rl.envs.registration import ID

if TYPE_CHECKING:
    from minchiate_rl.envs.pettingzoo import aec_env, parallel_env
    from minchiate_rl.envs.single import MinchiateEnv
    from minchiate_rl.envs.spaces import describe
    from minchiate_rl.envs.vector import MinchiateVectorEnv

__all__ = ["ID", "MinchiateEnv", "MinchiateVectorEnv", "aec_env", "describe", "parallel_env"]

_MODULES: Final = {
    "MinchiateEnv": "minchiate_rl.envs.single",
    "MinchiateVectorEnv": "minchiate_rl.envs.vector",
    "aec_env": "minchiate_rl.envs.pettingzoo",
    "parallel_env": "minchiate_rl.envs.pettingzoo",
    "describe": "minchiate_rl.envs.spaces",
}


def __getattr__(name: str) -> Any:
    """Load a name of the contents page when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module 'minchiate_rl.envs' has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the contents page."""
    return sorted([*globals(), *_MODULES])
