"""One seat against agents: the contract of Gymnasium, rewards to the own next turn, illegal actions, options."""

import multiprocessing
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import minchiate_rl
from minchiate_rl.agents import make
from minchiate_rl.envs.single import MinchiateEnv
from minchiate_rl.errors import AgentError, IllegalAction, MinchiateError
from minchiate_rl.game.actions import DONE
from minchiate_rl.views.encoding import OBSERVATION_SIZE, STATE_SIZE

ID = "minchiate_rl:Minchiate-v0"


class Asked:
    """An agent that does not run in kernels, answering as one that does."""

    def __init__(self, spec):
        self.inner = make(spec)
        self.name = f"asked {spec}"

    def act(self, views, rng):
        return self.inner.act(views, rng)


def first_legal(observation):
    return int(observation["action_mask"].argmax())


def play(env, observation):
    """Play the first legal action to the end; return all rewards and the last step."""
    rewards = []
    while True:
        step = env.step(first_legal(observation))
        observation = step[0]
        rewards.append(step[1])
        if step[2]:
            return rewards, step


def test_the_checker_of_gymnasium_is_content_in_every_render_mode():
    check_env(gymnasium.make(ID).unwrapped)


def test_make_gives_the_environment_and_a_spec_that_travels():
    env = gymnasium.make(ID, seat=2, opponents="greedy", reward="resti")
    assert isinstance(env.unwrapped, MinchiateEnv)
    again = gymnasium.make(pickle.loads(pickle.dumps(env.spec)))
    one, two = env.reset(seed=5), again.reset(seed=5)
    assert one[0]["observation"].tobytes() == two[0]["observation"].tobytes()
    assert one[1]["seat"] == two[1]["seat"] == 2


def test_the_mask_is_in_all_its_places():
    env = MinchiateEnv(seat=1)
    observation, info = env.reset(seed=1)
    for _ in range(5):
        mask = observation["action_mask"]
        assert mask.dtype == np.int8
        assert mask.shape == (env.rules.num_actions,)
        assert info["action_mask"].tobytes() == mask.tobytes()
        legal = env.action_masks()
        assert legal.dtype == np.bool_
        assert legal.tobytes() == mask.tobytes()
        assert mask.tobytes() == env._tables.batch.legal_mask()[0].tobytes()
        assert env.action_space.sample(mask=mask) in np.flatnonzero(mask)
        observation, _, _, _, info = env.step(first_legal(observation))


def test_observations_lie_in_the_space_and_are_never_overwritten():
    env = MinchiateEnv(opponents="random")
    kept = []
    for seed in range(3):
        observation, _ = env.reset(seed=seed)
        over = False
        while not over:
            assert env.observation_space.contains(observation)
            assert observation["observation"].shape == (OBSERVATION_SIZE,)
            kept.append((observation, observation["observation"].tobytes()))
            observation, _, over, truncated, _ = env.step(env.action_space.sample(mask=observation["action_mask"]))
            assert truncated is False
    assert all(observation["observation"].tobytes() == data for observation, data in kept)


@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("opponents", ["random", "heuristic"])
def test_the_rewards_sum_to_the_score_difference_in_resti(seat, opponents):
    env = MinchiateEnv(seat=seat, opponents=opponents)
    observation, info = env.reset(seed=seat)
    assert info["seat"] == seat
    rewards, (_, _, _, _, info) = play(env, observation)
    assert info["seat"] == -1
    assert sum(rewards) == pytest.approx(env._tables.batch.net[0, seat % 2] / 60)


def test_after_the_end_only_done_is_legal_and_a_reset_is_due():
    env = MinchiateEnv(opponents="random")
    observation, _ = env.reset(seed=3)
    _, (observation, _, over, _, info) = play(env, observation)
    assert over
    assert np.flatnonzero(observation["action_mask"]).tolist() == [DONE]
    assert np.flatnonzero(info["action_mask"]).tolist() == [DONE]
    assert np.flatnonzero(env.action_masks()).tolist() == [DONE]
    with pytest.raises(MinchiateError, match=r"call reset\(\) first"):
        env.step(DONE)
    env.reset()
    assert env._tables.batch.hands[0] == 1


def test_an_illegal_action_ends_the_episode_outside_the_sum():
    env = MinchiateEnv(opponents="random")
    observation, _ = env.reset(seed=4)
    before = env._tables.batch.rows.copy()
    illegal = int(np.flatnonzero(observation["action_mask"] == 0)[0])
    observation, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated) == (-10.0, True, False)
    assert info["seat"] == -1
    assert np.flatnonzero(observation["action_mask"]).tolist() == [DONE]
    assert (env._tables.batch.rows == before).all()
    env.reset()
    assert env._tables.batch.hands[0] == 1


@pytest.mark.parametrize("action", [-1, 131, 10**6])
def test_an_illegal_action_raises_where_that_is_wanted(action):
    env = MinchiateEnv(opponents="random", illegal_action="raise")
    observation, _ = env.reset(seed=4)
    before = env._tables.batch.rows.copy()
    with pytest.raises(IllegalAction, match="not legal for seat 0"):
        env.step(action)
    assert (env._tables.batch.rows == before).all()
    env.step(first_legal(observation))


@pytest.mark.parametrize("action", [1.0, "C1", None, 2**70])
def test_what_is_no_whole_number_is_no_action(action):
    env = MinchiateEnv(opponents="random")
    env.reset(seed=4)
    with pytest.raises(IllegalAction, match="whole number"):
        env.step(action)


def test_hand_and_dealer_can_be_chosen():
    env = MinchiateEnv(opponents="random")
    env.reset(seed=6, options={"hand": 5, "dealer": 3})
    batch = env._tables.batch
    assert (batch.seeds[0], batch.hands[0], batch.dealer[0]) == (6, 5, 3)
    env.reset()
    assert (batch.seeds[0], batch.hands[0], batch.dealer[0]) == (6, 6, (6 + 6) % 4)
    with pytest.raises(MinchiateError, match="dealer must be a whole number from 0 to 3"):
        env.reset(options={"dealer": 4})
    with pytest.raises(MinchiateError, match="reset has no option 'dealr'; allowed: hand, dealer"):
        env.reset(options={"dealr": 1})


def test_without_a_seed_every_environment_has_hands_of_its_own():
    seeds = set()
    for _ in range(3):
        env = MinchiateEnv(opponents="random")
        env.reset()
        seeds.add(int(env._tables.batch.seeds[0]))
    assert len(seeds) == 3


def test_a_random_seat_changes_from_hand_to_hand_and_comes_from_the_seed():
    def seats():
        env = MinchiateEnv(seat="random", opponents="random")
        return [env.reset(seed=1)[1]["seat"], *(env.reset()[1]["seat"] for _ in range(20))]

    assert seats() == seats()
    assert set(seats()) == {0, 1, 2, 3}


@pytest.mark.parametrize("spec", ["random", "heuristic"])
def test_agents_that_are_asked_play_the_same_hands_as_in_kernels(spec):
    environments = [MinchiateEnv(opponents=agent, seat=3) for agent in (spec, Asked(spec))]
    (one, _), (two, _) = (env.reset(seed=9) for env in environments)
    rewards = [play(env, observation)[0] for env, observation in zip(environments, (one, two), strict=True)]
    assert rewards[0] == rewards[1]
    logs = [env._tables.batch.actions(0) for env in environments]
    assert logs[0] == logs[1]


def test_the_partner_may_be_another_agent():
    mixed = MinchiateEnv(opponents="random", partner=Asked("heuristic"))
    fused = MinchiateEnv(opponents="random", partner="heuristic")
    for env in (mixed, fused):
        observation, _ = env.reset(seed=2)
        play(env, observation)
    assert mixed._tables.batch.actions(0) == fused._tables.batch.actions(0)


def test_an_agent_that_breaks_the_rules_is_named():
    class Wrong:
        name = "wrong"

        def act(self, views, rng):
            return np.full(len(views), -1, dtype=np.int16)

    env = MinchiateEnv(opponents=Wrong())
    with pytest.raises(IllegalAction, match="an agent played action -1, which is not legal"):
        env.reset(seed=3)  # seat 2 is to discard first


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"seat": 4}, MinchiateError, "seat must be a whole number from 0 to 3"),
        ({"seat": "left"}, MinchiateError, "seat = 'left' is not allowed"),
        ({"reward": "tricks"}, MinchiateError, "reward = 'tricks' is not allowed; allowed: 'points', 'potential', 'r"),
        ({"illegal_action": "ignore"}, MinchiateError, "illegal_action = 'ignore' is not allowed"),
        ({"render_mode": "svg"}, MinchiateError, "render_mode = 'svg' is not allowed"),
        ({"opponents": None}, MinchiateError, "self-play is in make_vec"),
        ({"opponents": "nobody"}, AgentError, "no agent 'nobody'"),
        ({"opponents": "cheater"}, AgentError, "environments: cheater sees the true deal"),
        ({"rules": "nothing"}, MinchiateError, "no rule set 'nothing'"),
    ],
)
def test_a_wrong_argument_is_named_with_what_is_allowed(arguments, error, message):
    with pytest.raises(error, match=message):
        MinchiateEnv(**arguments)


def test_the_state_holds_the_observation_and_every_hidden_card():
    env = MinchiateEnv()
    observation, _ = env.reset(seed=8)
    state = env.state()
    assert state.shape == (STATE_SIZE,)
    assert state.dtype == np.float32
    assert state[:OBSERVATION_SIZE].tobytes() == observation["observation"].tobytes()
    hands = state[OBSERVATION_SIZE : OBSERVATION_SIZE + 3 * 97].reshape(3, 97)
    truth = [env._tables.batch.view(0, seat).to_json()["hand"] for seat in (1, 2, 3)]
    assert hands.sum(axis=1).tolist() == [len(hand) for hand in truth]


def _first_observation(spec, answers):
    answers.put(gymnasium.make(spec).reset(seed=11)[0]["observation"].tobytes())


def test_a_spawned_worker_makes_the_environment_from_its_spec():
    spec = gymnasium.make(ID, opponents="random").spec
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    worker = context.Process(target=_first_observation, args=(spec, answers))
    worker.start()
    there = answers.get(timeout=300)
    worker.join()
    assert there == gymnasium.make(spec).reset(seed=11)[0]["observation"].tobytes()


def test_the_contents_page_names_what_there_is():
    envs = minchiate_rl.envs
    assert [name for name in envs.__all__ if not hasattr(envs, name)] == []
    assert set(envs.__all__) <= set(dir(envs))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = envs.nothing
