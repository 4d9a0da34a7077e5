"""The policy's forward pass in compiled code, beside torch's."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch

from minchiate_rl.agents import suits
from minchiate_rl.agents.choice import sample_actions, unpack_legal
from minchiate_rl.agents.forward import CompiledPolicy, choose_by_policy, choose_rows, view_log_probs
from minchiate_rl.agents.network import PolicyNetwork, arrays_of, policy_logits
from minchiate_rl.agents.policy import save_agent
from minchiate_rl.agents.shape import Shape
from minchiate_rl.agents.weights import shape_for
from minchiate_rl.errors import CheckpointError
from minchiate_rl.game.cards import FIRST_TRUMP
from minchiate_rl.game.engine.layout import V_LEGAL, V_TURN
from minchiate_rl.game.rules import RuleSet, ruleset
from minchiate_rl.views.batch import Batch
from minchiate_rl.views.view import Views

RULES = ruleset("classic")
TOLERANCE = 1e-4


def some_network(rules: RuleSet, width: int, blocks: int = 1) -> PolicyNetwork:
    """Return a network whose logits are as large as those of a trained one, with nothing at 0 or 1."""
    generator = torch.Generator().manual_seed(0)
    network = PolicyNetwork(shape_for(rules, width, 8, blocks), generator)
    with torch.no_grad():
        network.head.weight.normal_(0.0, 3.0 / width**0.5, generator=generator)
        for name, tensor in network.named_parameters():
            if "bias" in name or name == "norm.weight":
                tensor.add_(torch.randn(tensor.shape, generator=generator) / 4)
    return network


def some_views(rules: RuleSet, rows: int, seed: int = 1) -> tuple[Views, npt.NDArray[np.uint64]]:
    """Return views of choices, from the first discard to the last trick of hands played at random, and their words."""
    batch = Batch(rules, max(8, rows // 40), seed=seed)
    views, words, found = [], [], 0
    while found < rows:
        if batch.done.all():
            batch.reset()
        turn = batch.seat >= 0
        mask = batch.legal_mask()
        seen, drawn = batch.views(turn).words, batch.rng(turn).words
        chosen = mask[turn].sum(axis=1) > 1
        views.append(seen[chosen])
        words.append(drawn[chosen])
        found += int(chosen.sum())
        actions = np.zeros(batch.num_games, dtype=np.int16)
        chances = np.random.default_rng(found).random(mask.shape)
        actions[turn] = np.where(mask[turn], chances[turn], -1.0).argmax(axis=1)
        batch.step(actions)
    return Views(np.concatenate(views)[:rows], rules), np.concatenate(words)[:rows]


def inputs(views: Views) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int8], npt.NDArray[np.uint64]]:
    """Return tokens, phases and legal words as the network sees them."""
    tokens, legal = views.tokens(), views.words[:, V_LEGAL : V_LEGAL + 4].copy()
    suits.rename(views.words, np.arange(len(views)), tokens, legal, np.zeros(len(views), np.int8))
    return tokens, (views.words[:, V_TURN] & np.uint64(0xFF)).astype(np.int8), legal


def largest_difference(rules: RuleSet, width: int, rows: int, blocks: int = 1) -> float:
    """Return by how much a logit of a legal action differs from torch's, at most."""
    network = some_network(rules, width, blocks)
    tokens, phases, legal = inputs(some_views(rules, rows)[0])
    ours, theirs = network.compiled().logits(tokens, phases, legal), policy_logits(network, tokens, phases, legal)
    mask = unpack_legal(legal, rules.num_actions)
    assert len(np.unique(phases)) > 1
    assert (np.isfinite(ours) == mask).all()
    assert np.abs(theirs[mask]).max() > 3.0
    return float(np.abs(ours - theirs)[mask].max())


@pytest.mark.parametrize("width", [16, 21, 64])
def test_logits_are_those_of_torch_at_any_width(width: int) -> None:
    assert largest_difference(RULES, width, 600) < TOLERANCE


@pytest.mark.parametrize("blocks", [2, 3])
def test_logits_are_those_of_torch_with_more_blocks(blocks: int) -> None:
    assert largest_difference(RULES, 40, 600, blocks) < TOLERANCE


@pytest.mark.parametrize("name", ["solo_fola", "mini_team", "piedicavallo", "german"])
def test_logits_are_those_of_torch_in_other_games(name: str) -> None:
    assert largest_difference(ruleset(name), 24, 300) < TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize("width", [192, 256])
def test_logits_are_those_of_torch_on_ten_thousand_views(width: int) -> None:
    assert largest_difference(RULES, width, 10_000) < TOLERANCE


@pytest.mark.parametrize("temperature", [0.0, 0.7])
def test_a_row_is_answered_alike_in_any_batch(temperature: float) -> None:
    policy = some_network(RULES, 48).compiled()
    views, words = some_views(RULES, 200)
    tokens, phases, legal = inputs(views)
    whole = policy.logits(tokens, phases, legal)
    back = policy.logits(tokens[::-1].copy(), phases[::-1].copy(), legal[::-1].copy())[::-1]
    alone = np.concatenate([policy.logits(tokens[i : i + 1], phases[i : i + 1], legal[i : i + 1]) for i in range(200)])
    assert whole.tobytes() == back.tobytes() == alone.tobytes()
    actions, singly = np.zeros(200, np.int16), np.zeros(200, np.int16)
    scratch = policy.scratch(RULES)
    assert choose_rows(policy.layers, scratch, views.words, words, temperature, actions) == 0
    for i in reversed(range(200)):
        singly[i] = choose_by_policy(policy.layers, scratch, views.words, i, words[i], temperature)
    assert (actions == singly).all()


def test_draws_are_those_of_sampling_from_torch() -> None:
    network, (views, words) = some_network(RULES, 32), some_views(RULES, 500)
    tokens, phases, legal = inputs(views)
    expected, log_probs = np.zeros(500, np.int16), np.zeros(500, np.float32)
    assert sample_actions(policy_logits(network, tokens, phases, legal), legal, words, 1.5, expected, log_probs) == 0
    orders = np.array([suits.suit_order(views.words, i) for i in range(500)], dtype=np.int8)
    expected = suits.own_actions(expected, orders)
    policy, actions = network.compiled(), np.zeros(500, np.int16)
    scratch = policy.scratch(RULES)
    assert choose_rows(policy.layers, scratch, views.words, words, 1.5, actions) == 0
    assert (actions == expected).mean() > 0.99  # a draw that falls on the bound between two actions may differ
    for i in range(0, 500, 7):
        n = view_log_probs(policy.layers, scratch, views.words, i, 1.5)
        listed = scratch.actions[:n].tolist()
        assert sorted(listed) == np.flatnonzero(Views(views.words[i : i + 1], RULES).legal_mask()[0]).tolist()
        assert np.exp(scratch.log_probs[:n]).sum() == pytest.approx(1.0)
        if actions[i] == expected[i]:
            assert scratch.log_probs[listed.index(actions[i])] == pytest.approx(log_probs[i], abs=TOLERANCE)


@pytest.mark.parametrize("name", ["table", "norm.weight", "first.weight", "second.bias", "head.weight", "phase_bias"])
def test_weights_that_are_not_finite_show_in_the_answer(name: str) -> None:
    network, (views, words) = some_network(RULES, 16), some_views(RULES, 20)
    arrays = arrays_of(network.state_dict())
    policy = CompiledPolicy(network.shape, {**arrays, name: np.full_like(arrays[name], np.nan)})
    scratch, actions = policy.scratch(RULES), np.zeros(20, np.int16)
    for temperature in (0.0, 1.0):
        assert choose_rows(policy.layers, scratch, views.words, words, temperature, actions) == 20
    assert view_log_probs(policy.layers, scratch, views.words, 0, 1.0) == -1


def test_the_only_legal_action_is_played_without_asking() -> None:
    (views, words), network = some_views(RULES, 8), some_network(RULES, 16)
    torch.nn.init.constant_(network.head.bias, float("nan"))
    policy = network.compiled()
    views.words[3, V_LEGAL : V_LEGAL + 4] = (0, 1 << 7, 0, 0)
    for temperature in (0.0, 1.0):
        answers = [
            choose_by_policy(policy.layers, policy.scratch(RULES), views.words, i, words[i], temperature)
            for i in range(8)
        ]
        assert answers == [-1, -1, -1, FIRST_TRUMP + 7, -1, -1, -1, -1]


def test_weights_come_back_as_they_were_given_and_are_copied() -> None:
    network = some_network(RULES, 24, blocks=3)
    given = {name: array.copy() for name, array in arrays_of(network.state_dict()).items()}
    policy = network.compiled()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
    found = policy.compiled().arrays()
    assert found.keys() == given.keys()
    assert all((found[name] == given[name]).all() for name in given)
    assert all(array.flags.c_contiguous and array.dtype == np.float32 for array in policy.layers)


def test_weights_of_another_network_are_refused() -> None:
    shape = Shape(n_tokens=9, n_state_tokens=12, num_actions=5, width=8, blocks=2)
    arrays = arrays_of(PolicyNetwork(shape).state_dict())
    CompiledPolicy(shape, arrays)
    for name in arrays:
        with pytest.raises(CheckpointError, match=f"here: the weights do not fit the network: {name} is missing"):
            CompiledPolicy(shape, {key: array for key, array in arrays.items() if key != name}, "here")
        with pytest.raises(CheckpointError, match=rf"{name} has the shape .*, not \("):
            CompiledPolicy(shape, {**arrays, name: arrays[name][1:]})
    with pytest.raises(CheckpointError, match="third is unknown"):
        CompiledPolicy(shape, {**arrays, "third": arrays["table"]})


PLAY = """
import sys
from pathlib import Path
import minchiate_rl as mrl
from minchiate_rl import content
folder = content.folder
content.folder = lambda name: Path({agents!r}) if name == "agents" else folder(name)
batch = mrl.Batch(mrl.ruleset("classic"), 8, seed=1)
for spec in ("zoo:mine", "policy:{agents}/mine,temperature=1"):
    agent = mrl.agents.make(spec)
    batch.step(agent.act(batch.views(), batch.rng()))
import minchiate_rl.matches.match
print(batch.decision.tolist() == [2] * 8, "torch" in sys.modules)
"""


def test_playing_needs_no_torch(tmp_path: Path) -> None:
    save_agent(tmp_path / "mine", some_network(RULES, 16), RULES, {})
    code = PLAY.format(agents=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]
