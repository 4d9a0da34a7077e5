"""How likely the moves of a hand are: each counts as likely as its player held it when it was made."""

import numpy as np
import pytest
import torch

from minchiate_rl import Batch, ruleset
from minchiate_rl.agents import make, worlds
from minchiate_rl.agents.likelihood import HEURISTIC, log_likelihoods
from minchiate_rl.agents.network import PolicyNetwork
from minchiate_rl.agents.policy import PolicyAgent
from minchiate_rl.agents.weights import shape_for
from minchiate_rl.errors import AgentError
from minchiate_rl.game.engine.layout import PHASE, W
from minchiate_rl.game.seats import Phase

RULES = ruleset("classic")


def a_policy(scale: float = 0.5) -> PolicyAgent:
    network = PolicyNetwork(shape_for(RULES, 16, 8), torch.Generator().manual_seed(3))
    with torch.no_grad():
        network.head.weight.normal_(0.0, scale, generator=torch.Generator().manual_seed(4))
    return PolicyAgent(network, RULES, temperature=1.0)


def test_moves_count_as_likely_as_the_player_held_them_when_it_made_them():
    agent, batch = a_policy(), Batch(RULES, 24, seed=81)
    expected, declared, seen = np.zeros((24, 4)), np.zeros((24, 4), int), 0
    while not batch.done.all():
        turn = batch.seat >= 0
        views, seats = batch.views(turn), batch.seat[turn]
        # Of several versicole it counts that any of them was declared, whatever the order was.
        plain = (declared < 2).all(axis=1) & turn
        viewers = np.arange(24) % 4
        found = log_likelihoods(batch.rows, viewers, RULES, agent.compiled)
        others = np.arange(4) != viewers[:, None]
        np.testing.assert_allclose(found[plain], (expected * others).sum(axis=1)[plain], rtol=1e-5, atol=1e-6)
        seen += int((found[plain] < 0.0).sum())
        actions = np.zeros(24, np.int16)
        actions[turn] = agent.act(views, batch.rng(turn))
        chances = agent.log_probabilities(views, actions[turn].astype(np.int64)[:, None])[:, 0]
        judged = batch.rows[turn, PHASE] != Phase.DISCARD
        expected[turn, seats] += np.where(judged, np.maximum(chances, -6.0), 0.0)
        declared[turn, seats] += (batch.rows[turn, PHASE] == Phase.DECLARE) & (actions[turn] != 97)
        batch.step(actions)
    assert seen > 1000


def test_the_heuristic_finds_its_own_moves_likely_and_random_ones_not():
    found = {}
    for name in ("heuristic", "random"):
        batch, agent, values = Batch(RULES, 16, seed=82), make(name), []
        while not batch.done.all():
            turn = batch.seat >= 0
            values += list(log_likelihoods(batch.rows[turn], np.zeros(int(turn.sum())), RULES, HEURISTIC))
            actions = np.zeros(16, np.int16)
            actions[turn] = agent.act(batch.views(turn), batch.rng(turn))
            batch.step(actions)
        found[name] = np.array(values)
    # 63 moves at most, each as it would have been.
    assert found["heuristic"].min() > -63 * 0.0186 * 1.001
    assert found["random"].min() < -60.0


def test_rows_stay_as_they_are():
    batch, agent = Batch(RULES, 40, seed=83), make("heuristic")
    for _ in range(46):
        batch.step(agent.act(batch.views(), batch.rng()))
    rows = worlds.sample(batch.views(), batch.rng().words, 2).reshape(-1, W)
    before = rows.copy()
    assert (log_likelihoods(rows, np.repeat(batch.seat, 2), RULES, HEURISTIC) < 0.0).all()
    np.testing.assert_array_equal(rows, before)


def test_a_policy_of_other_rules_or_without_numbers_is_refused():
    batch = Batch(RULES, 2, seed=1)
    other = PolicyNetwork(shape_for(ruleset("piedicavallo"), 16, 8))
    with pytest.raises(AgentError, match="the policy that weighs worlds"):
        log_likelihoods(batch.rows, np.zeros(2), RULES, other.compiled())
    agent = make("heuristic")
    for _ in range(40):
        batch.step(agent.act(batch.views(), batch.rng()))
    with pytest.raises(AgentError, match="not finite"):
        log_likelihoods(batch.rows, np.zeros(2), RULES, a_policy(np.inf).compiled)
