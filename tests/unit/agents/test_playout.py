"""Playing hands out by a kernel agent or by a compiled policy: as the same players do when they are asked."""

import numpy as np
import pytest
import torch

from minchiate_rl import Batch, ruleset
from minchiate_rl.agents import make
from minchiate_rl.agents.forward import CompiledPolicy
from minchiate_rl.agents.network import PolicyNetwork
from minchiate_rl.agents.pimc import PimcAgent
from minchiate_rl.agents.playout import PLAYOUTS, play_out
from minchiate_rl.agents.policy import PolicyAgent, save_agent
from minchiate_rl.agents.weights import shape_for
from minchiate_rl.errors import AgentError

RULES = ruleset("classic")


def a_policy(width: int = 16) -> PolicyNetwork:
    network = PolicyNetwork(shape_for(RULES, width, 8), torch.Generator().manual_seed(3))
    with torch.no_grad():
        network.head.weight.normal_(0.0, 0.5, generator=torch.Generator().manual_seed(4))
    return network


def under_way(hands: int = 12, steps: int = 30) -> Batch:
    batch = Batch(RULES, hands, seed=71)
    player = make("heuristic")
    for _ in range(steps):
        batch.step(player.act(batch.views(), batch.rng()))
    return batch


def asked(batch: Batch, agent) -> np.ndarray:
    """Return the rows at the end of hands in which an agent was asked for every action."""
    batch = batch.copy()
    while not batch.done.all():
        actions = np.zeros(batch.num_games, np.int16)
        turn = batch.seat >= 0
        actions[turn] = agent.act(batch.views(turn), batch.rng(turn))
        batch.step(actions)
    return batch.rows


@pytest.mark.parametrize("name", sorted(PLAYOUTS))
def test_a_kernel_agent_plays_out_as_it_does_when_asked(name):
    batch = under_way()
    expected, n = asked(batch, make(name)), batch.num_games
    play_out(PLAYOUTS[name], batch.rows, batch.log, batch.ledger, RULES, n)
    np.testing.assert_array_equal(batch.rows, expected)


def test_a_policy_plays_out_as_it_does_when_asked():
    network, batch = a_policy(), under_way()
    expected, before = asked(batch, PolicyAgent(network, RULES)), batch.rows.copy()
    play_out(network.compiled(), batch.rows, batch.log, batch.ledger, RULES, batch.num_games - 2)
    np.testing.assert_array_equal(batch.rows[:-2], expected[:-2])
    np.testing.assert_array_equal(batch.rows[-2:], before[-2:])


def test_outputs_that_are_not_finite_are_told():
    network, batch = a_policy(), under_way()
    with torch.no_grad():
        network.head.bias.fill_(float("nan"))
    with pytest.raises(AgentError, match="not finite"):
        play_out(network.compiled(), batch.rows, batch.log, batch.ledger, RULES, batch.num_games)


def test_search_answers_alike_in_any_batch_and_with_any_threads_when_a_policy_plays_out():
    batch, policy = under_way(16, 25), CompiledPolicy(shape_for(RULES, 16, 8), a_policy().compiled().arrays())
    views, rng = batch.views(), batch.rng()
    whole = PimcAgent(6, playout=policy).act(views, rng)
    np.testing.assert_array_equal(PimcAgent(6, playout=policy, threads=3).act(views, rng), whole)
    alone = np.arange(16) == 5
    assert PimcAgent(6, playout=policy).act(batch.views(alone), batch.rng(alone)) == whole[5]
    assert (whole != PimcAgent(6, playout="random").act(views, rng)).any()


def test_a_policy_of_other_actions_is_refused():
    batch, policy = Batch(RULES.replace(demonio=True), 2, seed=1), a_policy().compiled()
    with pytest.raises(AgentError, match=r"policy of the playouts: trained for 131 actions; the rules .* have 132"):
        PimcAgent(2, playout=policy).act(batch.views(), batch.rng())
    batch, other = under_way(8, 46), PolicyNetwork(shape_for(RULES.replace(demonio=True), 16, 8)).compiled()
    with pytest.raises(AgentError, match="weighs worlds: trained for 132 actions; the rules classic have 131"):
        PimcAgent(2, weigher=other).act(batch.views(), batch.rng())


def test_a_policy_of_another_game_is_refused(tmp_path):
    two = ruleset("two")
    save_agent(tmp_path / "two", PolicyNetwork(shape_for(two, 16, 8)), two, {})
    with pytest.raises(AgentError, match=r"playout = 'policy:.*' was trained for the game two; searches are of minch"):
        make(f"pimc:playout=policy:{tmp_path / 'two'}")
