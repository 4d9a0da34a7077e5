"""The belief network: its gradient, what counts as hidden, and the judgement of beliefs."""

import numpy as np
import numpy.typing as npt
import pytest
import torch

from minchiate_rl.agents.network import N_BELIEFS, BeliefNetwork, PolicyNetwork
from minchiate_rl.agents.spread import estimate
from minchiate_rl.agents.weights import shape_for
from minchiate_rl.errors import RunError
from minchiate_rl.game.rules import ruleset
from minchiate_rl.training import losses
from minchiate_rl.training.belief import belief_scores, hidden_places, overall
from minchiate_rl.views import encoding
from minchiate_rl.views.batch import Batch
from minchiate_rl.views.view import Views
from minchiate_rl.views.vocabulary import PLACES

RULES = ruleset("classic")
SHAPE = shape_for(RULES, 16, 16, belief=8)
FIRST = encoding.n_tokens(RULES)


def some_states(plies: int = 60) -> tuple[npt.NDArray[np.int16], Batch]:
    batch = Batch(RULES, 40, seed=11)
    for _ in range(plies):
        mask = batch.legal_mask()
        batch.step(np.array([np.flatnonzero(row)[-1] if row.any() else 0 for row in mask], np.int16))
    return batch.states().tokens(), batch


def test_hidden_cards_are_all_that_the_view_does_not_tell() -> None:
    tokens, batch = some_states()
    places = np.empty((len(tokens), 97), np.int8)
    hidden_places(tokens, FIRST, places)
    first, last, _ = encoding.TOKENS["card"]
    rows = batch.views().tokens().tolist()
    known = [len({(t - first) // len(PLACES) for t in row if first <= t < last}) for row in rows]
    assert ((places >= 0).sum(axis=1) + known >= 97).all()
    for row, view in zip(places, batch.views(), strict=True):
        unseen = 21 - view.to_json()["trick"]
        assert all((row == who).sum() <= unseen for who in range(3))


def test_belief_gradient_is_that_of_the_masked_cross_entropy() -> None:
    tokens, _ = some_states()
    logits = np.random.default_rng(2).normal(size=(len(tokens), 97 * N_BELIEFS)).astype(np.float32)
    gradient, loss, cards = losses.belief_gradient(logits, tokens, FIRST)
    places = np.empty((len(tokens), 97), np.int8)
    hidden_places(tokens, FIRST, places)
    variable = torch.from_numpy(logits).requires_grad_()
    wanted = torch.from_numpy(places).long().ravel()
    expected = torch.nn.functional.cross_entropy(variable.reshape(-1, N_BELIEFS), wanted, ignore_index=-1)
    assert cards == int((places >= 0).sum())
    assert loss / cards == pytest.approx(expected.item(), rel=1e-5)
    np.testing.assert_allclose(gradient, torch.autograd.grad(expected, variable)[0].numpy(), atol=1e-7)
    logits[:] = np.nan
    with pytest.raises(RunError, match="not finite"):
        losses.belief_gradient(logits, tokens, FIRST)


def test_before_it_has_learned_a_network_believes_in_equal_deals() -> None:
    network = BeliefNetwork(SHAPE)
    with torch.no_grad():
        network.head.weight.zero_()
    own, uniform = belief_scores(PolicyNetwork(SHAPE), network, RULES, 16, others=[lambda views, _: estimate(views)])
    for beliefs, chances in zip(own, uniform, strict=True):
        assert beliefs.log_loss == pytest.approx(chances.log_loss, abs=1e-4)


def test_another_source_is_judged_on_the_same_views() -> None:
    policy, network = PolicyNetwork(SHAPE), BeliefNetwork(SHAPE)
    sizes = []

    def uniform(views: Views, words: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
        assert len(words) == len(views)
        sizes.append(len(views))
        chances = np.full((len(views), 97, 6), 1.0 / N_BELIEFS)
        chances[:, :, 3:] /= 3.0  # fola and discards are one place
        return chances

    own, other = belief_scores(policy, network, RULES, 16, others=[uniform])
    assert [(s.trick, s.cards) for s in own] == [(s.trick, s.cards) for s in other]
    assert all(s.log_loss == pytest.approx(np.log(4.0)) for s in other)
    assert own[0].trick == 1
    assert own[0].cards > own[-1].cards
    assert all(0.0 <= s.calibration <= 1.0 for s in own)
    assert max(sizes) == 16
    assert belief_scores(policy, network, RULES, 16) == [own]
    some, same = belief_scores(policy, network, RULES, 16, others=[uniform], share=0.3)
    assert [s.cards for s in some] == [s.cards for s in same]
    assert 0.2 < sum(s.cards for s in some) / sum(s.cards for s in own) < 0.4
    cards = sum(s.cards for s in own)
    assert overall(own)["belief/log_loss"] == pytest.approx(sum(s.log_loss * s.cards for s in own) / cards)
    assert overall([]) == {}
