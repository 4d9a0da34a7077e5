"""Policies at the table."""

from pathlib import Path

import numpy as np
import pytest
import torch

from minchiate_rl.agents import make, suits
from minchiate_rl.agents.choice import unpack_legal
from minchiate_rl.agents.network import PolicyNetwork, masked
from minchiate_rl.agents.policy import PolicyAgent, save_agent
from minchiate_rl.agents.weights import shape_for
from minchiate_rl.errors import AgentError, CheckpointError
from minchiate_rl.game.engine.layout import V_LEGAL
from minchiate_rl.game.rules import RuleSet, ruleset
from minchiate_rl.matches.play import play
from minchiate_rl.views.batch import Batch

RULES = ruleset("classic")
SHAPE = shape_for(RULES, 16, 16)


def some_network(seed: int = 0) -> PolicyNetwork:
    network = PolicyNetwork(SHAPE, torch.Generator().manual_seed(seed))
    torch.nn.init.normal_(network.head.weight, generator=torch.Generator().manual_seed(seed))
    return network


def test_a_policy_plays_legal_hands_to_the_end() -> None:
    batch = Batch(RULES, 16, seed=3)
    play(batch, [PolicyAgent(some_network(), RULES), make("random")], seating=[0, 1, 0, 1])
    assert batch.done.all()
    assert (batch.tricks.sum(axis=1) == 21).all()


def test_the_best_action_is_the_highest_legal_logit() -> None:
    batch, network = Batch(RULES, 64, seed=5), some_network()
    for _ in range(30):
        views = batch.views()
        tokens, legal, orders = views.tokens(), views.words[:, V_LEGAL : V_LEGAL + 4].copy(), np.zeros(64, np.int8)
        suits.rename(views.words, np.arange(64), tokens, legal, orders)
        with torch.no_grad():
            logits = network.logits(torch.from_numpy(tokens), torch.from_numpy(batch.phase)).numpy()
        best = np.where(unpack_legal(legal, RULES.num_actions), logits, -np.inf).argmax(axis=1)
        expected = suits.own_actions(best.astype(np.int16), orders)
        actions = PolicyAgent(network, RULES).act(views, batch.rng())
        assert actions.dtype == np.int16
        assert (actions == expected).all()
        batch.step(actions)


def test_a_sampling_policy_hangs_on_its_words_alone() -> None:
    batch = Batch(RULES, 64, seed=5)
    agent = PolicyAgent(some_network(), RULES, temperature=1.0)
    first, again = (agent.act(batch.views(), batch.rng()) for _ in range(2))
    other = agent.act(batch.views(), batch.rng(salt=1))
    assert (first == again).all()
    assert (first != other).any()


def test_log_probabilities_are_those_of_the_masked_network_in_the_order_asked_for() -> None:
    batch, network = Batch(RULES, 32, seed=5), some_network()
    views = batch.views()
    tokens, legal, orders = views.tokens(), views.words[:, V_LEGAL : V_LEGAL + 4].copy(), np.zeros(32, np.int8)
    suits.rename(views.words, np.arange(32), tokens, legal, orders)
    with torch.no_grad():
        logits = network.logits(torch.from_numpy(tokens), torch.from_numpy(batch.phase))
    log_probs = torch.log_softmax(masked(logits, torch.from_numpy(unpack_legal(legal, RULES.num_actions))), 1).numpy()
    mask = views.legal_mask()
    ids = np.full((32, int(mask.sum(axis=1).max()) + 1), -1)
    for row, own in zip(ids, mask, strict=True):
        actions = np.flatnonzero(own)[::-1]
        row[1 : len(actions) + 1] = actions
    found = PolicyAgent(network, RULES).log_probabilities(views, ids)
    renamed = np.take_along_axis(suits.ACTION_NAMES[orders], np.maximum(ids, 0), axis=1).astype(np.int64)
    expected = np.where(ids < 0, -np.inf, np.take_along_axis(log_probs, renamed, axis=1))
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_a_saved_agent_plays_as_before_and_its_name_is_its_spec(tmp_path: Path) -> None:
    network = some_network(4)
    save_agent(tmp_path / "mine", network, RULES, {"from": "a test"})
    agent = make(f"policy:{tmp_path / 'mine'},temperature=0")
    assert agent.name == f"policy:{tmp_path / 'mine'},temperature=0"
    batch = Batch(RULES, 64, seed=6)
    expected = PolicyAgent(network, RULES).act(batch.views(), batch.rng())
    assert (agent.act(batch.views(), batch.rng()) == expected).all()


def test_an_altered_agent_is_refused(tmp_path: Path) -> None:
    save_agent(tmp_path, some_network(), RULES, {})
    path = tmp_path / "weights.safetensors"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(CheckpointError, match="altered or truncated"):
        PolicyAgent.load(tmp_path)


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (RULES.replace(demonio=True), "trained for 131 actions; .* have 132"),
        (ruleset("two"), "trained for the game minchiate .* of the game two"),
        (ruleset("piedicavallo"), "of the game piedicavallo"),
    ],
)
def test_views_of_another_game_are_refused(rules: RuleSet, told: str) -> None:
    agent = PolicyAgent(some_network(), RULES)
    other = Batch(rules, 2)
    with pytest.raises(AgentError, match=told):
        agent.act(other.views(), other.rng())


def test_other_switches_of_the_same_game_are_played() -> None:
    batch = Batch(ruleset("german"), 4, seed=1)
    play(batch, [PolicyAgent(some_network(), RULES)], seating=[0, 0, 0, 0])
    assert batch.done.all()


@pytest.mark.parametrize("name", ["solo", "solo_fola", "three", "two", "mini", "mini_team", "piedicavallo", "cascare"])
def test_a_policy_of_every_form_plays_and_is_saved_with_its_game(name: str, tmp_path: Path) -> None:
    rules = ruleset(name)
    network = PolicyNetwork(shape_for(rules, 8, 8), torch.Generator().manual_seed(1))
    save_agent(tmp_path, network, rules, {})
    agent = PolicyAgent.load(tmp_path, temperature=1.0)
    assert agent.rules.game == rules.game
    assert agent.rules.switches == rules.switches
    batch = Batch(rules, 4, seed=2)
    play(batch, [agent, make("random")], seating=[seat % 2 for seat in range(rules.n_seats)])
    assert batch.done.all()
    with pytest.raises(AgentError, match=r"trained for (the game|13\d actions|201 actions)"):
        agent.check_rules(RULES)


def test_outputs_that_are_not_finite_are_refused() -> None:
    network = some_network()
    torch.nn.init.constant_(network.head.bias, float("nan"))
    batch = Batch(RULES, 2)
    with pytest.raises(CheckpointError, match="not finite"):
        PolicyAgent(network, RULES).act(batch.views(), batch.rng())
    with pytest.raises(CheckpointError, match="not finite"):
        PolicyAgent(network, RULES).log_probabilities(batch.views(), np.array([[1, 2], [3, 4]]))
