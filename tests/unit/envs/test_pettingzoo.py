"""PettingZoo's own tests, and what the four seats are told."""

import builtins
import importlib
import sys
import warnings

import numpy as np
import pytest

import minchiate_rl
from minchiate_rl.errors import IllegalAction, MinchiateError
from minchiate_rl.game.actions import DONE
from minchiate_rl.views.encoding import OBSERVATION_SIZE, STATE_SIZE

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # importing PettingZoo's tests loads games of its own that it calls outdated
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

AGENTS = ["seat_0", "seat_1", "seat_2", "seat_3"]

# api_test has a list of PettingZoo's own games that may use the documented form of an observation with a mask.
FORM = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
]


class TestContracts:
    pytestmark = FORM

    def test_api(self, capsys):
        api_test(minchiate_rl.envs.aec_env(), num_cycles=300)
        assert "Passed" in capsys.readouterr().out

    def test_parallel_api(self, capsys):
        parallel_api_test(minchiate_rl.envs.parallel_env(), num_cycles=300)
        assert "Passed" in capsys.readouterr().out

    def test_seed(self):
        seed_test(minchiate_rl.envs.aec_env, num_cycles=200)
        parallel_seed_test(minchiate_rl.envs.parallel_env, num_cycles=200)

    def test_render(self, capsys):
        render_test(minchiate_rl.envs.aec_env)
        assert "to act" in capsys.readouterr().out


def masked(mask):
    return int(np.flatnonzero(mask)[-1])


@pytest.mark.parametrize("reward", ["points", "potential", "resti"])
def test_the_rewards_of_a_hand_sum_to_what_it_brought(reward):
    env = minchiate_rl.envs.aec_env(reward=reward)
    env.reset(seed=3)
    sums = dict.fromkeys(AGENTS, 0.0)
    for agent in env.agent_iter():
        observation, gain, terminated, truncated, info = env.last()
        assert not truncated
        sums[agent] += gain
        assert info["action_mask"].tobytes() == observation["action_mask"].tobytes()
        env.step(None if terminated else masked(observation["action_mask"]))
    batch = env._round.tables.batch
    truth = batch.resti[0, 0] - batch.resti[0, 1] if reward == "resti" else batch.net[0, 0] / 60
    assert truth != 0
    assert [sums[agent] for agent in AGENTS] == pytest.approx([truth, -truth, truth, -truth])


def test_every_seat_sees_its_own_view_and_only_the_seat_to_act_may_choose():
    env = minchiate_rl.envs.aec_env()
    env.reset(seed=1)
    batch = env._round.tables.batch
    for _ in range(50):
        for seat, agent in enumerate(AGENTS):
            observation = env.observe(agent)
            assert env.observation_space(agent).contains(observation)
            expected = batch.views(seat=seat)
            assert observation["observation"].tobytes() == expected.encode()[0].tobytes()
            mask = observation["action_mask"]
            assert mask.dtype == np.int8
            if agent == env.agent_selection:
                assert mask.tobytes() == batch.legal_mask()[0].tobytes()
            else:
                assert np.flatnonzero(mask).tolist() == [DONE]
        env.step(masked(env.observe(env.agent_selection)["action_mask"]))


def test_both_forms_play_the_same_hand():
    aec, parallel = minchiate_rl.envs.aec_env(), minchiate_rl.envs.parallel_env()
    aec.reset(seed=2)
    observations, infos = parallel.reset(seed=2)
    while parallel.agents:
        agent = aec.agent_selection
        for name in AGENTS:
            assert observations[name]["observation"].tobytes() == aec.observe(name)["observation"].tobytes()
            assert infos[name]["action_mask"].tobytes() == observations[name]["action_mask"].tobytes()
        action = masked(observations[agent]["action_mask"])
        aec.step(action)
        # What the waiting seats answer is ignored: nonsense does no harm.
        actions = dict.fromkeys(AGENTS, 10**6) | {agent: action}
        observations, rewards, terminations, truncations, infos = parallel.step(actions)
        assert rewards == aec.rewards
        assert terminations == aec.terminations
        assert truncations == aec.truncations
    assert all(terminations.values())
    for name in AGENTS:
        assert np.flatnonzero(observations[name]["action_mask"]).tolist() == [DONE]
    with pytest.raises(MinchiateError, match=r"call reset\(\) first"):
        parallel.step({})


def test_a_reset_without_a_seed_deals_the_next_hand():
    env = minchiate_rl.envs.parallel_env()
    env.reset(seed=4)
    env.reset()
    batch = env._round.tables.batch
    assert (batch.seeds[0], batch.hands[0]) == (4, 1)
    env.reset(options={"dealer": 3, "hand": 8, "something": "else"})
    assert (batch.dealer[0], batch.hands[0]) == (3, 8)


def test_an_illegal_action_ends_the_hand_for_all_or_raises():
    env = minchiate_rl.envs.aec_env()
    env.reset(seed=0)
    culprit = env.agent_selection
    env.step(131)
    assert env.rewards == {agent: -10.0 if agent == culprit else 0.0 for agent in AGENTS}
    assert all(env.terminations.values())
    strict = minchiate_rl.envs.aec_env(illegal_action="raise")
    strict.reset(seed=0)
    with pytest.raises(IllegalAction, match="not legal"):
        strict.step(131)
    with pytest.raises(IllegalAction, match="whole number"):
        strict.step(None)
    assert strict.agent_selection == culprit


def test_the_seat_to_act_must_answer():
    env = minchiate_rl.envs.parallel_env()
    env.reset(seed=0)
    agent = AGENTS[env._round.player]
    with pytest.raises(IllegalAction, match=f"{agent} is to act"):
        env.step({name: DONE for name in AGENTS if name != agent})


def test_the_state_holds_everything():
    for env in (minchiate_rl.envs.aec_env(), minchiate_rl.envs.parallel_env()):
        env.reset(seed=0)
        state = env.state()
        assert state.shape == (STATE_SIZE,)
        batch = env._round.tables.batch
        assert state[:OBSERVATION_SIZE].tobytes() == batch.views(seat=0).encode()[0].tobytes()
        env.close()


def test_parallel_renders_too():
    env = minchiate_rl.envs.parallel_env(render_mode="ansi")
    env.reset(seed=0)
    assert "to act: you" in env.render()
    assert minchiate_rl.envs.parallel_env().render() is None


def test_an_unknown_agent_is_named_with_those_there_are():
    env = minchiate_rl.envs.aec_env()
    env.reset(seed=1)
    with pytest.raises(MinchiateError, match="there is no agent 'seat_9'; allowed: seat_0"):
        env.observe("seat_9")


def test_without_the_extra_one_message_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def without(name, *arguments, **keywords):
        if name.split(".")[0] == "pettingzoo":
            raise ImportError(name)
        return real(name, *arguments, **keywords)

    monkeypatch.delitem(sys.modules, "minchiate_rl.envs.pettingzoo")
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MinchiateError, match=r'pip install "minchiate-rl\[pettingzoo\]"'):
        importlib.import_module("minchiate_rl.envs.pettingzoo")
