"""Every form of the game in every form of environment, and episodes of several hands."""

import gymnasium
import numpy as np
import pytest

import minchiate_rl as mrl
from minchiate_rl.envs import episodes
from minchiate_rl.envs.pettingzoo import aec_env, parallel_env
from minchiate_rl.envs.vector import MinchiateVectorEnv
from minchiate_rl.errors import MinchiateError
from minchiate_rl.game.girone import schedule
from minchiate_rl.game.piedicavallo.match import is_over
from minchiate_rl.game.rules import ruleset

FORMS = ("classic", "cascare", "accademia", "solo", "solo_fola", "three", "two", "mini", "mini_team", "piedicavallo")
ID = "minchiate_rl:Minchiate-v0"


def chosen(mask, rng):
    """Return a random legal action of each row."""
    return (rng.random(mask.shape) * mask).argmax(axis=-1)


def play(env, rng):
    """Play all tables of a batch without autoreset to their ends; return the sums of the rewards."""
    observation, info = env.reset(seed=11)
    total = np.zeros((env.num_envs, env.rules.n_seats))
    while True:
        observation, _, ended, _, info = env.step(chosen(observation["action_mask"], rng))
        total += info["rewards"]
        assert env.single_observation_space["observation"].contains(observation["observation"][0])
        if ended.all():
            return total


@pytest.mark.parametrize("reward", ["points", "potential", "resti"])
@pytest.mark.parametrize("name", FORMS)
def test_rewards_sum_to_the_net_balance_of_each_seat(name, reward):
    env = MinchiateVectorEnv(3, rules=name, opponents=None, reward=reward, autoreset_mode="DISABLED")
    total, rules, batch = play(env, np.random.default_rng(3)), env.rules, env._tables.batch
    sides = np.arange(rules.n_seats) % rules.n_sides
    if reward == "resti" and rules.form.counts_resti:
        resti = batch.resti - (0 if rules.form.for_himself else batch.resti[:, ::-1])
        truth = resti[:, sides] / (rules.n_sides - 1)
    else:
        truth = batch.net[:, sides] / (rules.n_sides - 1) / 60
    np.testing.assert_allclose(total, truth, atol=1e-9)
    if rules.n_seats % rules.n_sides == 0:
        np.testing.assert_allclose(total.sum(axis=1), 0, atol=1e-9)


@pytest.mark.parametrize("name", FORMS)
def test_one_seat_against_agents(name):
    env = gymnasium.make(ID, rules=name, seat="random", opponents="random", render_mode="ansi")
    env.action_space.seed(4)
    for seed in range(2):
        observation, info = env.reset(seed=seed)
        assert 0 <= info["seat"] < ruleset(name).n_seats
        over = False
        while not over:
            assert name in env.render()
            observation, _, over, _, info = env.step(env.action_space.sample(mask=observation["action_mask"]))
    assert "the hand is over" in env.render()


@pytest.mark.parametrize("name", FORMS)
def test_pettingzoo_has_an_agent_for_every_seat(name):
    rng, rules = np.random.default_rng(5), ruleset(name)
    one, all_at_once = aec_env(name), parallel_env(name)
    one.reset(seed=6)
    observations, _ = all_at_once.reset(seed=6)
    assert one.possible_agents == [f"seat_{seat}" for seat in range(rules.n_seats)] == list(observations)
    while all_at_once.agents:
        agent = one.agent_selection
        seen = one.observe(agent)
        assert seen["observation"].tobytes() == observations[agent]["observation"].tobytes()
        action = int(chosen(seen["action_mask"], rng))
        one.step(action)
        observations, rewards, _, _, _ = all_at_once.step({agent: action})
        assert one.rewards == rewards
    assert all(one.terminations.values())


def test_a_step_before_the_first_reset_says_so():
    for env in (aec_env(), parallel_env()):
        with pytest.raises(MinchiateError, match=r"call reset\(\) first"):
            env.step({})


def test_partners_only_where_there_are_some():
    for name in ("solo", "three", "two", "mini"):
        with pytest.raises(MinchiateError, match=f"{name} has none"):
            gymnasium.make(ID, rules=name, partner="greedy")
    gymnasium.make(ID, rules="piedicavallo", partner="random")


@pytest.mark.parametrize("name", ["solo", "three", "two", "mini"])
def test_matches_only_where_there_are_partners(name):
    with pytest.raises(MinchiateError, match="needs partners"):
        gymnasium.make(ID, rules=name, episode="girata")


def test_what_an_episode_may_be():
    with pytest.raises(MinchiateError, match="'hand', 'girata', 'girone'"):
        mrl.envs.aec_env(episode="match")
    with pytest.raises(MinchiateError, match="has no girone"):
        mrl.envs.aec_env(rules="piedicavallo", episode="girone")


def follow(env, rng):
    """Play one table's episode; return its sums of rewards, and for each hand dealer, players and what views tell."""
    observation, _ = env.reset(seed=7)
    tables, hands, total = env._tables, [], np.zeros(4)
    while True:
        done = int(tables._books[0, episodes.HANDS_DONE])
        if done == len(hands):
            players = tuple(tables._books[0, episodes.PLAYER : episodes.PLAYER + 4].tolist())
            hands.append((int(tables.batch.dealer[0]), players, tables.view(0).to_json()["match"]))
        observation, _, ended, _, info = env.step(chosen(observation["action_mask"], rng))
        total += info["rewards"][0]
        if ended[0]:
            return total, hands


@pytest.mark.parametrize("opponents", ["random", None])
def test_a_girone_seats_everybody_with_everybody(opponents):
    rules = ruleset("classic").replace(girata_bonus=3)
    env = MinchiateVectorEnv(
        1, rules=rules, seat=2, opponents=opponents, reward="resti", episode="girone", autoreset_mode="DISABLED"
    )
    total, hands = follow(env, np.random.default_rng(8))
    sittings = schedule("girone", hands[0][0], None if opponents is None else 2)
    assert [(dealer, players) for dealer, players, _ in hands] == [(s.dealer, s.players) for s in sittings]
    assert total.tolist() == env._tables._books[0, episodes.WON : episodes.WON + 4].tolist()
    assert [(told["hand"], told["hands"]) for _, _, told in hands] == [(k, 12) for k in range(12)]
    assert hands[0][2]["resti"] == [0, 0, 0, 0]
    assert total.sum() == 0
    assert env._tables.batch.hands[0] == 11


def test_a_learner_keeps_his_seat_in_a_girone_and_agents_of_all_kinds_move():
    class Lowest:
        name = "lowest"

        def act(self, views, rng):
            return views.legal_mask().argmax(axis=1).astype(np.int16)

    env = gymnasium.make(ID, seat=1, opponents=Lowest(), partner="random", episode="girone")
    rng = np.random.default_rng(9)
    observation, info = env.reset(seed=3)
    over, steps = False, 0
    while not over:
        assert info["seat"] == 1
        observation, _, over, _, info = env.step(int(chosen(observation["action_mask"], rng)))
        steps += 1
    assert steps > 12 * 21


def test_a_game_of_piedicavallo_has_four_deals_or_as_many_as_it_takes():
    rules = ruleset("piedicavallo").replace(speech="off")
    env = MinchiateVectorEnv(1, rules=rules, opponents=None, episode="girata", autoreset_mode="DISABLED")
    rng = np.random.default_rng(10)
    for seed in range(4):
        observation, _ = env.reset(seed=seed)
        scores, total, ended = [], np.zeros(4), [False]
        while not ended[0]:
            observation, _, ended, _, info = env.step(chosen(observation["action_mask"], rng))
            total += info["rewards"][0]
            hand = int(env._tables._books[0, episodes.HANDS_DONE])
            if ended[0] or hand > len(scores):
                lead = round(60 * total[0] / 2) - sum(first - 57 for first, _ in scores)
                scores.append((57 + lead, 57 - lead))
        assert is_over(scores)
        assert not any(is_over(scores[:k]) for k in range(1, len(scores)))
