"""The Gymnasium ids, registered when `minchiate_rl` is imported; entry points are texts, so nothing else is loaded."""

from typing import Final

import gymnasium

ID: Final = "Minchiate-v0"


def register_all() -> None:
    """Register `Minchiate-v0`: one seat for `gymnasium.make`, the native batch for `gymnasium.make_vec`."""
    if ID in gymnasium.registry:
        return
    gymnasium.register(
        id=ID,
        entry_point="minchiate_rl.envs.single:MinchiateEnv",
        vector_entry_point="minchiate_rl.envs.vector:MinchiateVectorEnv",
        disable_env_checker=True,
        order_enforce=True,
    )
