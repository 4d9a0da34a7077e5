"""Self-play: what is recorded, and that it is the same however it is computed."""

from functools import partial

import numpy as np
import pytest
import torch

from minchiate_rl.agents import make, suits
from minchiate_rl.agents.choice import unpack_legal
from minchiate_rl.agents.network import PolicyNetwork
from minchiate_rl.agents.weights import shape_for
from minchiate_rl.game.engine.layout import V_LEGAL
from minchiate_rl.game.rules import ruleset
from minchiate_rl.training.imitation import TeacherPlayer
from minchiate_rl.training.returns import advantages_and_returns
from minchiate_rl.training.rollout import FIRST_TRAINING_SEED, Deal, PolicyPlayer, Samples, joined, play_part
from minchiate_rl.training.table import LEARNER, REWARDS
from minchiate_rl.training.workers import Workers
from minchiate_rl.views.batch import Batch

RULES = ruleset("classic")
SHAPE = shape_for(RULES, 16, 16)
HANDS = 16


def some_policy() -> PolicyNetwork:
    network = PolicyNetwork(SHAPE, torch.Generator().manual_seed(0))
    torch.nn.init.normal_(network.head.weight, std=0.3, generator=torch.Generator().manual_seed(1))
    return network


def deal(reward: str = "points", codes: list[int] | None = None) -> Deal:
    seats = np.tile(np.array(codes or [LEARNER] * 4, np.int8), (HANDS, 1))
    return Deal(RULES, FIRST_TRAINING_SEED + 3, 40, seats, reward)


def rollout(what: Deal, threads: int = 1) -> Samples:
    player = PolicyPlayer(some_policy())
    with Workers(threads) as workers:
        return joined(workers.run([partial(play_part, what, part, player, []) for part in range(2)]))


def replayed(samples: Samples) -> Batch:
    """Play the recorded choices again, step by step, and compare everything that was recorded on the way."""
    batch = Batch(RULES, HANDS, seed=FIRST_TRAINING_SEED + 3, first_hand=40)
    place = [iter(np.flatnonzero(samples.games == game)) for game in range(HANDS)]
    while not batch.done.all():
        mask, actions = batch.legal_mask(), np.zeros(HANDS, np.int16)
        views = batch.views()
        tokens, states = views.tokens(), batch.states().tokens()
        legal, orders = views.words[:, V_LEGAL : V_LEGAL + 4].copy(), np.zeros(len(views), np.int8)
        suits.rename(views.words, np.arange(len(views)), tokens, legal, orders)
        for row, order in enumerate(orders):
            suits.rename_tokens(np.int64(order), states, row)
        playing = np.flatnonzero(~batch.done)
        for row, game in enumerate(playing):
            if mask[game].sum() == 1:
                actions[game] = mask[game].argmax()
                continue
            k = next(place[game])
            actions[game] = suits.own_actions(samples.actions[k], orders[row])
            assert samples.seats[k] == batch.seat[game]
            assert samples.phases[k] == batch.phase[game]
            assert samples.potentials[k] * 60 == pytest.approx(batch.net[game, batch.seat[game] % 2])
            assert (samples.tokens[k] == tokens[row]).all()
            assert (samples.states[k] == states[row]).all()
            assert (samples.legal[k] == legal[row]).all()
            assert unpack_legal(samples.legal[k : k + 1], RULES.num_actions).sum() == mask[game].sum()
        batch.step(actions)
    assert all(next(rest, None) is None for rest in place)
    return batch


def test_every_choice_is_recorded_and_forced_moves_are_not() -> None:
    samples = rollout(deal())
    batch = replayed(samples)
    np.testing.assert_allclose(samples.finals * 60, batch.net)


@pytest.mark.parametrize("reward", REWARDS)
def test_rewards_sum_to_what_the_hand_was_worth(reward: str) -> None:
    samples = rollout(deal(reward))
    zeros = np.zeros(len(samples), np.float32)
    moments = (samples.games, samples.seats, samples.potentials)
    _, returns = advantages_and_returns(moments, samples.finals, zeros, 1.0)
    batch = replayed(rollout(deal()))
    worth = batch.net / 60 if reward != "resti" else batch.resti - batch.resti[:, ::-1]
    for game in range(HANDS):
        for seat in range(4):
            first = np.flatnonzero((samples.games == game) & (samples.seats == seat))[0]
            assert returns[first] + samples.potentials[first] == pytest.approx(worth[game, seat % 2], abs=1e-4)


def test_the_potential_reward_counts_what_was_captured_before_the_end() -> None:
    points, potential = rollout(deal("points")), rollout(deal("potential"))
    np.testing.assert_allclose(points.finals, potential.finals)
    assert (points.actions == potential.actions).all()
    assert (points.potentials != potential.potentials).mean() > 0.3


def test_threads_change_nothing() -> None:
    one, two = rollout(deal(), threads=1), rollout(deal(), threads=2)
    for name in ("tokens", "states", "legal", "actions", "log_probs", "games", "seats", "potentials", "finals"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name


def test_only_the_learners_seats_are_recorded() -> None:
    heuristic = int(make("heuristic").code)  # type: ignore[attr-defined]
    samples = rollout(deal(codes=[LEARNER, heuristic, LEARNER, heuristic]))
    assert set(samples.seats.tolist()) == {0, 2}
    assert len(np.unique(samples.games)) == HANDS


def test_outside_agents_play_the_seats_of_their_code() -> None:
    class Spy:
        name, calls = "spy", 0

        def act(self, views, rng):  # type: ignore[no-untyped-def]
            Spy.calls += len(views)
            assert len(rng.words) == len(views)
            return make("greedy").act(views, rng)

    what = deal(codes=[LEARNER, -2, LEARNER, -2])
    samples = joined([play_part(what, part, PolicyPlayer(some_policy()), [Spy()]) for part in range(2)])
    greedy = int(make("greedy").code)  # type: ignore[attr-defined]
    inside = rollout(deal(codes=[LEARNER, greedy, LEARNER, greedy]))
    assert Spy.calls > HANDS * 20
    assert np.array_equal(samples.finals, inside.finals)


def test_log_probabilities_are_those_of_the_masked_policy() -> None:
    samples = rollout(deal())
    with torch.no_grad():
        logits = some_policy().logits(torch.from_numpy(samples.tokens), torch.from_numpy(samples.phases))
    mask = torch.from_numpy(unpack_legal(samples.legal, RULES.num_actions))
    log_p = torch.log_softmax(logits.masked_fill(~mask, -1e9), 1)
    own = log_p.gather(1, torch.from_numpy(samples.actions).long()[:, None])[:, 0]
    np.testing.assert_allclose(samples.log_probs, own.numpy(), atol=1e-4)


def test_the_teacher_is_recorded_where_a_random_move_was_played() -> None:
    teacher = make("heuristic")
    some = {}
    for share in (0.0, 0.5):
        player = TeacherPlayer(teacher, share)
        some[share] = joined([play_part(deal(), part, player, []) for part in range(2)])
    assert not np.array_equal(some[0.0].finals, some[0.5].finals)
    batch = Batch(RULES, HANDS, seed=FIRST_TRAINING_SEED + 3, first_hand=40)
    orders = [suits.suit_order(batch.views().words, game) for game in range(HANDS)]
    answers = suits.renamed_actions(teacher.act(batch.views(), batch.rng()), np.array(orders, np.int8))
    for share in (0.0, 0.5):
        first = [np.flatnonzero(some[share].games == game)[0] for game in range(HANDS)]
        choice = batch.legal_mask().sum(axis=1) > 1
        assert (some[share].actions[first][choice] == answers[choice]).all()
