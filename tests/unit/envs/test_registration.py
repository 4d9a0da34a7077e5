"""The Gymnasium ids are there as soon as the package is imported."""

import gymnasium

import minchiate_rl
from minchiate_rl.envs import registration


def test_the_id_is_registered_once_with_both_entry_points():
    spec = gymnasium.registry[registration.ID]
    registration.register_all()
    assert gymnasium.registry[registration.ID] is spec
    assert spec.entry_point == "minchiate_rl.envs.single:MinchiateEnv"
    assert spec.vector_entry_point == "minchiate_rl.envs.vector:MinchiateVectorEnv"
    assert minchiate_rl.__version__
