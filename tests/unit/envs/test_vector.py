"""Many tables at once: shapes, masks, self-play, seeds, copies, options."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import minchiate_rl
from minchiate_rl.envs import turns
from minchiate_rl.envs.vector import MinchiateVectorEnv
from minchiate_rl.errors import IllegalAction, MinchiateError
from minchiate_rl.game.actions import DONE
from minchiate_rl.game.engine.layout import HAND, SHOWN
from minchiate_rl.views.encoding import OBSERVATION_SIZE, STATE_SIZE

ID = "minchiate_rl:Minchiate-v0"


def choose(observation, rng):
    """Return a legal action for each table, by chance."""
    mask = observation["action_mask"]
    return (rng.random(mask.shape) * mask).argmax(axis=1)


def test_make_vec_gives_the_native_environment_without_warnings():
    env = gymnasium.make_vec(ID, num_envs=3, opponents="random")
    assert isinstance(env.unwrapped, MinchiateVectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert env.action_space.shape == (3,)
    assert info["seat"].tolist() == [0, 0, 0]
    env.close()


def test_the_other_vectorizers_take_the_single_environment():
    native = gymnasium.make_vec(ID, num_envs=2, opponents="random")
    sync = gymnasium.make_vec(ID, num_envs=2, opponents="random", vectorization_mode="sync")
    one, two = native.reset(seed=3), sync.reset(seed=3)
    assert one[0]["observation"].tobytes() == two[0]["observation"].tobytes()
    for _ in range(3):
        actions = one[0]["action_mask"].argmax(axis=1)
        one, two = native.step(actions), sync.step(actions)
        assert one[0]["observation"].tobytes() == two[0]["observation"].tobytes()
        assert one[1].tobytes() == two[1].tobytes()


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_gymnasiums_statistics_count_whole_episodes(mode):
    env = MinchiateVectorEnv(4, opponents="random", autoreset_mode=mode)
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    rng = np.random.default_rng(0)
    observation, _ = wrapped.reset(seed=2)
    total, lengths = np.zeros(4), np.zeros(4, dtype=int)
    seen = set()
    for _ in range(40):
        observation, reward, terminated, _, info = wrapped.step(choose(observation, rng))
        for i in set(range(4)) - seen:
            total[i] += reward[i]
            lengths[i] += 1
            if terminated[i]:
                assert info["_episode"][i]
                assert info["episode"]["r"][i] == pytest.approx(total[i])
                assert info["episode"]["l"][i] == lengths[i]
                seen.add(i)
        if mode is AutoresetMode.DISABLED and terminated.any():
            observation, _ = wrapped.reset(options={"reset_mask": terminated})
    assert seen == {0, 1, 2, 3}


def test_infos_can_be_turned_into_lists():
    env = MinchiateVectorEnv(4, opponents="random", autoreset_mode="SAME_STEP")
    wrapped = gymnasium.wrappers.vector.DictInfoToList(env)
    rng = np.random.default_rng(0)
    observation, infos = wrapped.reset(seed=2)
    finished = 0
    for _ in range(40):
        assert [info["seat"] for info in infos] == env._tables.seats.tolist()
        observation, _, terminated, _, infos = wrapped.step(choose(observation, rng))
        assert [("final_obs" in info) for info in infos] == terminated.tolist()
        finished += terminated.sum()
    assert finished >= 4


def test_metadata_belongs_to_the_instance():
    one = MinchiateVectorEnv(1, autoreset_mode="SameStep")
    two = MinchiateVectorEnv(1, autoreset_mode="DISABLED")
    assert one.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert two.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    assert "autoreset_mode" not in MinchiateVectorEnv.metadata


def test_the_mask_is_in_all_its_places_and_finished_tables_have_done_alone():
    env = MinchiateVectorEnv(16, opponents=None, autoreset_mode=AutoresetMode.NEXT_STEP)
    rng = np.random.default_rng(0)
    observation, info = env.reset(seed=1)
    finished = 0
    for _ in range(200):
        mask = observation["action_mask"]
        assert mask.dtype == np.int8
        assert info["action_mask"].tobytes() == mask.tobytes()
        assert env.action_masks().dtype == np.bool_
        assert env.action_masks().tobytes() == mask.tobytes()
        over = info["seat"] < 0
        finished += over.sum()
        assert (mask[over].sum(axis=1) == 1).all()
        assert (mask[over, DONE] == 1).all()
        assert mask[~over].tobytes() == env._tables.batch.legal_mask()[~over].tobytes()
        observation, _, terminated, truncated, info = env.step(choose(observation, rng))
        assert (terminated == (info["seat"] < 0)).all()
        assert not truncated.any()
    assert finished >= 16


def test_self_play_shows_the_seat_to_act_and_rewards_the_one_that_acted():
    env = MinchiateVectorEnv(8, opponents=None)
    rng = np.random.default_rng(0)
    observation, info = env.reset(seed=1)
    sums = np.zeros((8, 4))
    over = np.zeros(8, dtype=bool)
    while not over.all():
        seat = info["seat"].copy()
        batch = env._tables.batch
        expected = batch.views(seat=np.where(seat < 0, 0, seat)).encode()
        assert observation["observation"][seat >= 0].tobytes() == expected[seat >= 0].tobytes()
        observation, reward, terminated, _, info = env.step(choose(observation, rng))
        assert reward.dtype == np.float64
        assert info["rewards"].shape == (8, 4)
        live = (seat >= 0) & ~over
        assert (reward[live] == info["rewards"][live, seat[live]]).all()
        assert not info["rewards"][live].sum(axis=1).any()
        sums[live] += info["rewards"][live]
        ended = live & terminated
        assert sums[ended, 0] == pytest.approx(batch.net[ended, 0] / 60)
        assert (sums[:, 0] == sums[:, 2]).all()
        over |= terminated


def test_seeds_may_be_given_one_by_one_and_a_reset_without_goes_on():
    env = MinchiateVectorEnv(3, opponents=None)
    env.reset(seed=[7, 2**64 - 1, 0])
    batch = env._tables.batch
    assert batch.seeds.tolist() == [7, 2**64 - 1, 0]
    assert batch.hands.tolist() == [0, 0, 0]
    env.reset()
    assert batch.hands.tolist() == [1, 1, 1]
    env.reset(seed=4)
    assert batch.seeds.tolist() == [4, 5, 6]
    assert batch.hands.tolist() == [0, 0, 0]
    with pytest.raises(MinchiateError, match="seed must be a whole number"):
        env.reset(seed=[1, 2])


def test_some_tables_can_be_reset_and_hands_and_dealers_chosen():
    env = MinchiateVectorEnv(3, opponents=None, autoreset_mode="DISABLED")
    with pytest.raises(MinchiateError, match="call reset"):
        env.reset(options={"reset_mask": np.array([True, False, False])})
    env.reset(seed=0)
    env.reset(options={"reset_mask": np.array([True, False, True]), "hand": 9, "dealer": [3, 3, 2]})
    batch = env._tables.batch
    assert batch.hands.tolist() == [9, 0, 9]
    assert batch.dealer.tolist() == [3, 1, 2]
    with pytest.raises(MinchiateError, match="True somewhere"):
        env.reset(options={"reset_mask": np.zeros(3, dtype=bool)})
    with pytest.raises(MinchiateError, match="no option 'hands'"):
        env.reset(options={"hands": 1})


def test_the_learners_seat_may_differ_from_table_to_table():
    env = MinchiateVectorEnv(4, seat=[3, 2, 1, 0], opponents="random")
    _, info = env.reset(seed=0)
    assert info["seat"].tolist() == [3, 2, 1, 0]
    env = MinchiateVectorEnv(64, seat="random", opponents="random")
    _, info = env.reset(seed=0)
    assert set(info["seat"].tolist()) == {0, 1, 2, 3}


@pytest.mark.parametrize("copy", [False, True])
def test_buffers_are_used_again_unless_copies_are_wanted(copy):
    env = MinchiateVectorEnv(2, opponents=None, copy=copy)
    first, _ = env.reset(seed=0)
    before = first["observation"].tobytes()
    second, reward, *_ = env.step(first["action_mask"].argmax(axis=1))
    kept = reward.copy()
    assert (second["observation"] is first["observation"]) is not copy
    assert (first["observation"].tobytes() == before) is copy
    env.step(second["action_mask"].argmax(axis=1))
    assert (reward == kept).all()


def test_threads_change_nothing():
    rng = [np.random.default_rng(0), np.random.default_rng(0)]
    environments = [MinchiateVectorEnv(7, opponents="random", threads=threads) for threads in (1, 3)]
    observations = [env.reset(seed=1)[0] for env in environments]
    for _ in range(60):
        steps = [env.step(choose(o, r)) for env, o, r in zip(environments, observations, rng, strict=True)]
        observations = [step[0] for step in steps]
        assert observations[0]["observation"].tobytes() == observations[1]["observation"].tobytes()
        assert steps[0][1].tobytes() == steps[1][1].tobytes()
    for env in environments:
        env.close()


def test_an_illegal_action_breaks_off_its_own_table_alone():
    env = MinchiateVectorEnv(3, opponents=None, autoreset_mode="NEXT_STEP")
    observation, info = env.reset(seed=1)
    actions = observation["action_mask"].argmax(axis=1)
    actions[1] = int(np.flatnonzero(observation["action_mask"][1] == 0)[0])
    actor = info["seat"][1]
    observation, reward, terminated, _, info = env.step(actions)
    assert terminated.tolist() == [False, True, False]
    assert reward[1] == -10
    assert info["rewards"][1, actor] == -10
    assert info["rewards"][1].sum() == -10
    assert np.flatnonzero(observation["action_mask"][1]).tolist() == [DONE]
    env.step(observation["action_mask"].argmax(axis=1))
    assert env._tables.batch.hands.tolist() == [0, 1, 0]


def test_an_illegal_action_raises_where_that_is_wanted_and_nothing_moves():
    env = MinchiateVectorEnv(3, opponents=None, illegal_action="raise")
    observation, _ = env.reset(seed=1)
    before = env._tables.batch.rows.copy()
    actions = observation["action_mask"].argmax(axis=1)
    actions[2] = 131
    with pytest.raises(IllegalAction, match="game 2: action 131"):
        env.step(actions)
    assert (env._tables.batch.rows == before).all()
    with pytest.raises(IllegalAction, match=r"whole numbers of shape \(3,\)"):
        env.step(np.zeros(2, dtype=int))
    with pytest.raises(IllegalAction, match="whole numbers"):
        env.step(np.zeros(3))


def test_disabled_tables_stand_still_once_they_have_ended():
    env = MinchiateVectorEnv(2, opponents="random", autoreset_mode=AutoresetMode.DISABLED)
    rng = np.random.default_rng(0)
    observation, info = env.reset(seed=1)
    terminated = np.zeros(2, dtype=bool)
    while not terminated.all():
        observation, _, terminated, _, info = env.step(choose(observation, rng))
    before = observation["observation"].tobytes()
    observation, reward, terminated, _, info = env.step(np.array([5, 130]))
    assert terminated.all()
    assert not reward.any()
    assert observation["observation"].tobytes() == before
    assert info["seat"].tolist() == [-1, -1]


def test_states_and_views_are_of_the_seat_shown():
    env = MinchiateVectorEnv(3, opponents=None, render_mode="ansi")
    observation, info = env.reset(seed=1)
    state = env.state()
    assert state.shape == (3, STATE_SIZE)
    assert state[:, :OBSERVATION_SIZE].tobytes() == observation["observation"].tobytes()
    frames = env.render()
    assert [f"seat {seat} (you" in frame for seat, frame in zip(info["seat"], frames, strict=True)] == [True] * 3
    assert MinchiateVectorEnv(1).render() is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"autoreset_mode": "later"}, "allowed: 'NEXT_STEP', 'SAME_STEP', 'DISABLED'"),
        ({"render_mode": "human"}, "render_mode = 'human' is not allowed"),
        ({"partner": "random", "opponents": None}, "a partner needs opponents"),
        ({"threads": 1.5}, "threads must be a whole number, 1 or more"),
        ({"opponents": 3}, "3 is no agent"),
        ({"num_envs": 0}, "num_games must be a whole number, 1 or more"),
        ({"threads": 0}, "threads must be a whole number, 1 or more"),
        ({"num_envs": 2, "seat": [0, 1, 2]}, "seat must be a whole number from 0 to 3, or 2 of them"),
    ],
)
def test_a_wrong_argument_is_named_with_what_is_allowed(arguments, message):
    with pytest.raises(MinchiateError, match=message):
        MinchiateVectorEnv(**arguments)


def test_a_step_needs_a_reset_first():
    with pytest.raises(MinchiateError, match=r"call reset\(\) first"):
        MinchiateVectorEnv(2).step(np.zeros(2, dtype=int))


def test_observations_of_a_seat_do_not_depend_on_hidden_cards():
    env = MinchiateVectorEnv(6, seat=2, opponents="random")
    rng = np.random.default_rng(3)
    observation, _ = env.reset(seed=1)
    for _ in range(8):
        observation, *_ = env.step(choose(observation, rng))
    before, state = (observation["observation"].copy(), observation["action_mask"].copy()), env.state()
    batch, tables = env._tables.batch, env._tables
    for i in range(6):
        # The unseen cards of seats 1 and 3 change hands, one for one; no public fact tells them apart.
        one, two = (_hidden(batch.rows[i], seat) for seat in (1, 3))
        for a, b in zip(one, two, strict=False):
            for seat, gives, gets in ((1, a, b), (3, b, a)):
                batch.rows[i, HAND + 2 * seat + gives // 64] ^= np.uint64(1) << np.uint64(gives % 64)
                batch.rows[i, HAND + 2 * seat + gets // 64] ^= np.uint64(1) << np.uint64(gets % 64)
    turns.show_slice(batch.rows, env.rules.row, tables._books, *tables._shown, tables.seats, 0, 6)
    assert tables.observations.tobytes() == before[0].tobytes()
    assert tables.masks.tobytes() == before[1].tobytes()
    changed = env.state() != state
    assert not changed[:, :OBSERVATION_SIZE].any()
    assert changed.any(axis=1).all()


def _hidden(row, seat):
    """Return the places (64 a word) of the cards of a seat that not all have seen."""
    words = [int(row[HAND + 2 * seat + w]) & ~int(row[SHOWN + 2 * seat + w]) for w in range(2)]
    return [64 * w + bit for w in range(2) for bit in range(64) if words[w] >> bit & 1]


def test_the_observation_is_described_slice_by_slice():
    text = minchiate_rl.envs.describe("classic")
    assert f"{OBSERVATION_SIZE} entries" in text
    assert minchiate_rl.envs.describe(minchiate_rl.ruleset("classic")) == text
