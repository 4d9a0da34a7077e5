"""The three kinds of reward: worked by hand on one hand, and their sums on many."""

import numpy as np
import pytest

from minchiate_rl.envs.single import MinchiateEnv
from minchiate_rl.envs.vector import MinchiateVectorEnv
from minchiate_rl.game.actions import action_name

KINDS = ("points", "potential", "resti")


def first_legal_hand(kind):
    """Play the hand (seed 5, hand 0) by the first legal action; return who did what and the rewards of all seats."""
    env = MinchiateVectorEnv(1, opponents=None, reward=kind, autoreset_mode="DISABLED")
    observation, info = env.reset(seed=5)
    steps = []
    over = False
    while not over:
        seat, action = int(info["seat"][0]), int(observation["action_mask"][0].argmax())
        observation, reward, terminated, _, info = env.step(np.array([action]))
        assert reward[0] == info["rewards"][0, seat]
        steps.append((seat, action_name(action), info["rewards"][0].copy()))
        over = terminated[0]
    return steps


def by_step(steps):
    """Return the steps that brought seat 0 anything, as {number: reward}."""
    return {n: float(gains[0]) for n, (_, _, gains) in enumerate(steps) if gains[0]}


def test_points_worked_by_hand():
    """The hand: seat 0 cuts and robs T40, 10 points, which come with his first action.

    In the first trick seat 1 takes the king of cups (5) with T6: step 12. The eighth trick, T2 (3) of seat 0 under
    T10, ends with step 32. In the marks of the whole hand side 0 is 202 points ahead.
    """
    steps = first_legal_hand("points")
    gains = by_step(steps)
    assert steps[12][:2] == (1, "T6")
    assert steps[32][:2] == (1, "T10")
    assert dict(list(gains.items())[:3]) == {0: 10 / 60, 12: -5 / 60, 32: -3 / 60}
    assert sum(gains.values()) == pytest.approx(202 / 60)
    for _, _, seats in steps:
        assert seats.tolist() == [seats[0], -seats[0], seats[0], -seats[0]]


def test_potential_worked_by_hand():
    """As above, and the captured king counts 5 more for side 1 at once, as do the 3 points of T2 and T10 itself (5).

    The king of coins, which seat 1 leads in the third trick and brings home (5), counts when that trick is full.
    """
    steps = first_legal_hand("potential")
    gains = by_step(steps)
    assert gains[0] == pytest.approx(10 / 60)
    assert gains[12] == pytest.approx(-(5 + 5) / 60)
    assert steps[17][:2] == (1, "DK")
    assert gains[20] == pytest.approx(-5 / 60)
    assert gains[32] == pytest.approx(-(3 + 3 + 5) / 60)
    assert sum(gains.values()) == pytest.approx(202 / 60)


def test_resti_worked_by_hand():
    """The lead never reaches 60 during the play; at the settlement it is 202 points, four started sixties: 4 resti."""
    gains = by_step(first_legal_hand("resti"))
    assert gains == {92: 4.0}


@pytest.mark.parametrize("kind", KINDS)
def test_sums_over_episodes(kind):
    env = MinchiateVectorEnv(64, opponents="random", seat="random", reward=kind, autoreset_mode="DISABLED")
    rng = np.random.default_rng(1)
    observation, info = env.reset(seed=100)
    seat = info["seat"].astype(int)
    total, seats_total = np.zeros(64), np.zeros((64, 4))
    terminated = np.zeros(64, dtype=bool)
    while not terminated.all():
        mask = observation["action_mask"]
        observation, reward, terminated, _, info = env.step((rng.random(mask.shape) * mask).argmax(axis=1))
        total += reward
        seats_total += info["rewards"]
    batch = env._tables.batch
    resti = batch.resti[:, 0] - batch.resti[:, 1]
    truth = resti if kind == "resti" else batch.net[:, 0] / 60
    assert total == pytest.approx(np.where(seat % 2 == 0, truth, -truth))
    assert seats_total[:, 0] == pytest.approx(truth)
    assert seats_total[:, 3] == pytest.approx(-truth)
    assert len(set(truth.tolist())) > 5


def test_the_points_of_the_deal_come_with_the_first_reward():
    env = MinchiateEnv(seat=2, opponents="random")
    for seed in range(30):
        observation, _ = env.reset(seed=seed)
        dealt = env._tables.batch.net[0, 0]
        _, reward, _, _, _ = env.step(int(observation["action_mask"].argmax()))
        assert reward == env._tables.batch.net[0, 0] / 60
        if dealt and reward:
            break
    else:
        pytest.fail("no deal with points among 30")
