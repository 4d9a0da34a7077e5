"""Chances by scaling a table: their sums, what is certain, and the exact chances beside them."""

import numpy as np
import numpy.typing as npt
import pytest

from minchiate_rl.agents import make, suits, worlds
from minchiate_rl.agents.spread import N_SPREAD, estimate, log_chances
from minchiate_rl.errors import AgentError
from minchiate_rl.game.engine.layout import HAND
from minchiate_rl.game.rules import ruleset
from minchiate_rl.views.batch import Batch
from minchiate_rl.views.view import Views


def views_after(decisions: int, hands: int = 20, rules: str = "classic") -> tuple[Views, Batch]:
    batch, agent = Batch(rules, hands, seed=9), make("heuristic")
    for _ in range(decisions):
        batch.step(agent.act(batch.views(), batch.rng()))
    return batch.views(), batch


def exact(views: Views) -> npt.NDArray[np.float64]:
    chances = worlds.marginals(views)
    return np.concatenate([chances[:, :, :3], chances[:, :, 3:].sum(axis=2, keepdims=True)], axis=2)


@pytest.mark.parametrize(("decisions", "most"), [(40, 0.02), (60, 0.05), (80, 0.15)])
def test_they_are_nearly_the_exact_chances(decisions: int, most: float) -> None:
    views, _ = views_after(decisions)
    near, true = estimate(views), exact(views)
    assert np.abs(near - true).max() < most
    assert np.abs(near - true).mean() < 0.002
    assert (near[true > 0.0] > 0.0).all()


def test_they_add_up_for_cards_and_hands() -> None:
    views, batch = views_after(50)
    chances = estimate(views)
    assert chances.shape == (len(views), 97, N_SPREAD)
    by_card = chances.sum(axis=2)
    assert np.isclose(by_card, 0.0).sum() + np.isclose(by_card, 1.0).sum() == by_card.size
    for i, own in enumerate(chances):
        hands = [(int(batch.seat[i]) + r) % 4 for r in (1, 2, 3)]
        sizes = [sum(int(batch.rows[i, HAND + 2 * seat + word]).bit_count() for word in range(2)) for seat in hands]
        assert own[:, :3].sum(axis=0) == pytest.approx(sizes, abs=2e-3)


def test_logarithms_go_by_the_names_of_the_cards() -> None:
    views, _ = views_after(45)
    chances = estimate(views)
    orders = np.arange(len(views), dtype=np.int8) % len(suits.ORDERS)
    logs = log_chances(views, orders).reshape(len(views), 97, N_SPREAD)
    for row, order in enumerate(orders):
        for card in range(97):
            name = suits.ACTION_NAMES[order, card]
            assert np.allclose(np.exp(logs[row, name]), np.maximum(chances[row, card], 1e-6), atol=1e-6)


def test_rules_without_worlds_are_refused_and_tell_nothing() -> None:
    batch = Batch("two", 3, seed=1)
    with pytest.raises(AgentError, match="chances: makes worlds of the game minchiate alone"):
        estimate(batch.views())
    assert not log_chances(batch.views(), np.zeros(3, np.int8)).any()


def test_views_of_no_hand_are_refused() -> None:
    views, _ = views_after(30, hands=2)
    words = views.words.copy()
    words[1, 0] = words[1, 1] = 0  # a hand without cards leaves more cards than places
    with pytest.raises(AgentError, match="view 1 fits no deal"):
        estimate(Views(words, ruleset("classic")))
