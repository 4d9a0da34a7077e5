"""Sub-environment i of many is the single environment with seed + i: the same bytes in every autoreset mode."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from minchiate_rl.agents import make
from minchiate_rl.envs.single import MinchiateEnv
from minchiate_rl.envs.vector import MinchiateVectorEnv

N = 4
SEED = 2**40 + 17
EPISODES = 3


class Asked:
    """The random agent, asked from Python."""

    name = "asked random"

    def __init__(self):
        self.act = make("random").act


def next_action(mask, n):
    """Return the n-th legal action, counted round; now and then an illegal one."""
    legal = np.flatnonzero(mask)
    return int(legal[(7 * n) % len(legal)]) if n % 61 else int(np.flatnonzero(mask == 0)[0])


def episodes(arguments):
    """Return what the single environments show: by table, one list of steps an episode."""
    told = []
    for i in range(N):
        env = MinchiateEnv(**arguments)
        n = 10 * i
        told.append([])
        for episode in range(EPISODES):
            observation, info = env.reset(seed=SEED + i) if episode == 0 else env.reset()
            steps = [(data(observation), info["seat"], None, False, observation["action_mask"].copy())]
            over = False
            while not over:
                n += 1
                observation, reward, over, _, info = env.step(next_action(observation["action_mask"], n))
                steps.append((data(observation), info["seat"], reward, over, observation["action_mask"].copy()))
            told[-1].append(steps)
    return told


def data(observation):
    return observation["observation"].tobytes() + observation["action_mask"].tobytes()


def row(observation, i):
    return data({key: value[i] for key, value in observation.items()})


@pytest.mark.parametrize("opponents", ["heuristic", "asked"])
@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize(("seat", "reward"), [(1, "points"), ("random", "potential")])
def test_the_batch_is_made_of_single_environments(mode, opponents, seat, reward):
    arguments = {"opponents": Asked() if opponents == "asked" else opponents, "seat": seat, "reward": reward}
    told = episodes(arguments)
    env = MinchiateVectorEnv(N, autoreset_mode=mode, **arguments)
    observation, info = env.reset(seed=SEED)
    assert info["seat"].tolist() == [steps[0][0][1] for steps in told]
    place = [(0, 0)] * N
    count = [10 * i for i in range(N)]
    while min(episode for episode, _ in place) < EPISODES:
        actions = np.zeros(N, dtype=np.int64)
        for i, (episode, k) in enumerate(place):
            if episode < EPISODES:
                assert row(observation, i) == told[i][episode][k][0]
                if k + 1 < len(told[i][episode]):
                    count[i] += 1
                    actions[i] = next_action(told[i][episode][k][4], count[i])
        observation, rewards, terminated, truncated, info = env.step(actions)
        assert not truncated.any()
        place = [
            follow(told[i], place[i], (observation, rewards[i], terminated[i], info), mode, i)
            if place[i][0] < EPISODES
            else place[i]
            for i in range(N)
        ]
        if mode is AutoresetMode.DISABLED and terminated.all():
            observation, _ = env.reset()
            place = [(episode + 1, 0) for episode, _ in place]


def follow(told, place, shown, mode, i):
    """Compare one table's step with its single environment's; return the place reached."""
    observation, reward, terminated, info = shown
    episode, k = place
    if k + 1 == len(told[episode]):
        # The episode had ended: NEXT_STEP deals now, DISABLED stands still.
        assert reward == 0
        assert terminated == (mode is AutoresetMode.DISABLED)
        return place if mode is AutoresetMode.DISABLED else (episode + 1, 0)
    expected, seat, gain, over, mask = told[episode][k + 1]
    assert (np.float64(reward).tobytes(), terminated) == (np.float64(gain).tobytes(), over)
    if over and mode is AutoresetMode.SAME_STEP:
        assert info["_final_obs"][i]
        assert info["_final_info"][i]
        assert data(info["final_obs"][i]) == expected
        assert info["final_info"]["action_mask"][i].tobytes() == mask.tobytes()
        assert info["final_info"]["seat"][i] == seat == -1
        return episode + 1, 0
    assert row(observation, i) == expected
    assert info["seat"][i] == seat
    assert info["action_mask"][i].tobytes() == mask.tobytes()
    return episode, k + 1


def test_the_batch_is_wider_than_one_and_depends_on_no_neighbour():
    observations = []
    for size in (1, 5, 33):
        env = MinchiateVectorEnv(size, opponents=None)
        observation, _ = env.reset(seed=5)
        for _ in range(120):
            observation, *_ = env.step(observation["action_mask"].argmax(axis=1))
        observations.append(row(observation, 0))
    assert len(set(observations)) == 1
