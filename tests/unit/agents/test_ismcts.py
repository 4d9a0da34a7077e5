"""Tree search over information sets: the same answers in any batch and with any threads, and a sound tree."""

import numpy as np
import pytest

from minchiate_rl import Batch, ruleset
from minchiate_rl.agents import make
from minchiate_rl.agents.base import Rng
from minchiate_rl.agents.fused import HEURISTIC
from minchiate_rl.agents.ismcts import IsmctsAgent
from minchiate_rl.agents.tree import grow, new_scratch, new_tree
from minchiate_rl.agents.worlds import new_workshop
from minchiate_rl.errors import AgentError
from minchiate_rl.matches.match import play_match
from minchiate_rl.views.view import Views


class Guide:
    """A policy that is all but sure of the highest action."""

    def log_probabilities(self, views, ids):
        scores = np.where(ids >= 0, -30.0, -np.inf)
        scores[np.arange(len(ids)), (ids >= 0).sum(axis=1) - 1] = 0.0
        return scores


def decisions(hands, seed, steps):
    batch = Batch("classic", hands, seed=seed)
    player = make("heuristic")
    for _ in range(steps):
        batch.step(player.act(batch.views(), batch.rng()))
    return batch.views(), batch.rng()


@pytest.mark.parametrize("guide", [None, Guide()])
@pytest.mark.parametrize("steps", [0, 2, 35])
def test_answers_are_legal_and_do_not_depend_on_batch_or_threads(guide, steps):
    views, rng = decisions(12, 71, steps)
    whole = IsmctsAgent(30, guide=guide).act(views, rng)
    assert views.legal_mask()[np.arange(12), whole].all()
    np.testing.assert_array_equal(IsmctsAgent(30, guide=guide, threads=3).act(views, rng), whole)
    for j in (0, 7, 11):
        alone = Views(views.words[j : j + 1], views.rules)
        assert IsmctsAgent(30, guide=guide).act(alone, Rng(rng.words[j : j + 1])) == whole[j]


def test_every_iteration_tries_one_legal_action():
    views, rng = decisions(12, 72, 30)
    found = IsmctsAgent(60).search(views, rng)
    open_choice = found.n > 1
    assert open_choice.any()
    assert (found.visits[open_choice].sum(axis=1) == 60).all()
    assert (found.visits[~open_choice] == 0).all()
    assert (found.visits[open_choice] > 0).sum() == found.n[open_choice].sum()


def test_a_guide_says_what_is_tried_first():
    views, rng = decisions(12, 73, 30)
    found = IsmctsAgent(1, guide=Guide()).search(views, rng)
    for j in np.flatnonzero(found.n > 1):
        assert found.visits[j, found.n[j] - 1] == 1


def test_the_tree_adds_up():
    views, rng = decisions(6, 74, 26)
    for j in range(6):
        tree, empty = new_tree(301), np.zeros(0)
        scratch, workshop = new_scratch(HEURISTIC), new_workshop()
        assert grow(views.words, j, rng.words[j], empty, tree, scratch, workshop, views.rules.row, 30.0, 0, 300)
        size, deep = int(tree.size[0]), 0
        assert tree.visits[0] == 300
        assert (tree.visits[1:size] >= 1).all()
        assert (tree.available[1:size] >= tree.visits[1:size]).all()
        for node in range(size):
            children, child = [], int(tree.first[node])
            while child >= 0:
                children.append(child)
                child = int(tree.sibling[child])
            assert len({int(tree.action[child]) for child in children}) == len(children)
            below = int(tree.visits[children].sum())
            assert below == tree.visits[node] if node == 0 else below <= tree.visits[node]
            deep += node > 0 and bool(children)
        assert deep > 0


def test_a_full_tree_is_played_out_from_its_edge():
    views, rng = decisions(1, 75, 30)
    tree, rule = new_tree(8), views.rules.row
    assert grow(
        views.words, 0, rng.words[0], np.zeros(0), tree, new_scratch(HEURISTIC), new_workshop(), rule, 30.0, 0, 90
    )
    assert tree.size[0] == 8
    assert tree.visits[0] == 90


def test_search_by_the_clock_tries_some_worlds():
    views, rng = decisions(2, 76, 25)
    found = IsmctsAgent(ms=0.01).search(views, rng)
    assert found.visits[found.n > 1].sum(axis=1).min(initial=32) >= 32


def test_it_beats_the_player_of_its_playouts():
    result = play_match("ismcts:iterations=120", "heuristic", 24, seed=77)
    assert result.interval is not None
    assert result.interval[0] > 0


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ("ismcts:iterations=0", "iterations = '0' is not allowed"),
        ("ismcts:explore=-1", "explore = '-1' is not allowed"),
        ("ismcts:guide=heuristic", "ismcts: guide = 'heuristic' is no trained policy"),
    ],
)
def test_options_out_of_range_are_refused(spec, what):
    with pytest.raises(AgentError, match=what):
        make(spec)


def test_what_fits_no_deal_is_refused():
    batch = Batch(ruleset("two"), 1, seed=1)
    with pytest.raises(AgentError, match="makes worlds of the game minchiate alone"):
        make("ismcts").act(batch.views(), batch.rng())
    views, rng = decisions(2, 78, 30)
    views.words[1, 0] = 0
    with pytest.raises(AgentError, match="view 1 fits no deal"):
        make("ismcts:iterations=2").act(views, rng)
