"""Search by sampled worlds: the same answers in any batch and with any threads, better ones than the playouts give."""

import numpy as np
import pytest

from minchiate_rl import Batch, ruleset
from minchiate_rl.agents import make
from minchiate_rl.agents.base import Rng
from minchiate_rl.agents.judge import SQUARES, SUM, TRIED, Tally
from minchiate_rl.agents.pimc import PimcAgent
from minchiate_rl.errors import AgentError
from minchiate_rl.matches.match import play_match
from minchiate_rl.views.view import Views


class Guide:
    """A policy that prefers low action numbers."""

    def log_probabilities(self, views, ids):
        scores = np.where(ids >= 0, -0.5 * np.arange(ids.shape[1]), -np.inf)
        return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def decisions(hands, seed, steps):
    batch = Batch("classic", hands, seed=seed)
    player = make("heuristic")
    for _ in range(steps):
        batch.step(player.act(batch.views(), batch.rng()))
    return batch.views(), batch.rng()


@pytest.mark.parametrize(("guide", "top"), [(None, 4), (Guide(), 4), (Guide(), 8)])
@pytest.mark.parametrize("steps", [0, 25, 50])
def test_answers_do_not_depend_on_batch_order_or_threads(guide, top, steps):
    views, rng = decisions(24, 51, steps)
    whole, _ = PimcAgent(9, guide=guide, top=top).search(views, rng)
    threaded, _ = PimcAgent(9, guide=guide, top=top, threads=3).search(views, rng)
    np.testing.assert_array_equal(threaded.sums, whole.sums)
    for j in range(24):
        alone, _ = PimcAgent(9, guide=guide, top=top).search(
            Views(views.words[j : j + 1], views.rules), Rng(rng.words[j : j + 1])
        )
        np.testing.assert_array_equal(alone.sums[0], whole.sums[j, : alone.sums.shape[1]])


def test_a_tally_tries_every_living_candidate_in_the_same_worlds():
    views, rng = decisions(6, 52, 30)
    tally = Tally(views, rng.words)
    np.testing.assert_array_equal((tally.ids >= 0).sum(axis=1), views.legal_mask().sum(axis=1))
    tally.judge(2, 0, 5)
    tally.judge(2, 5, 8)
    assert (tally.sums[..., TRIED][tally.alive] == 8).all()
    assert (tally.sums[~tally.alive] == 0).all()
    whole = Tally(views, rng.words)
    whole.judge(2, 0, 8)
    np.testing.assert_array_equal(whole.sums, tally.sums)
    assert (whole.errors[whole.alive] >= 0).all()


def test_a_tally_that_remembers_keeps_the_points_world_by_world():
    views, rng = decisions(6, 57, 30)
    tally = Tally(views, rng.words)
    tally.alive[:, 1] = False
    tally.remember(7)
    tally.judge(2, 0, 4)
    assert np.isnan(tally.points[:, :, 4:]).all()
    tally.judge(2, 4, 9)
    tried = tally.alive & (tally.alive.sum(axis=1) > 1)[:, None]
    assert tried.any()
    assert np.isfinite(tally.points[tried]).all()
    assert np.isnan(tally.points[~tried]).all()
    seven = Tally(views, rng.words)
    seven.alive[:, 1] = False
    seven.judge(2, 0, 7)
    assert seven.points.shape[2] == 0
    np.testing.assert_allclose(tally.points[tried].sum(axis=1), seven.sums[..., SUM][tried])
    np.testing.assert_allclose((tally.points[tried] ** 2).sum(axis=1), seven.sums[..., SQUARES][tried])


def test_halving_leaves_two_candidates_that_saw_all_worlds():
    views, rng = decisions(10, 53, 20)
    tally, prior = PimcAgent(20, guide=Guide(), top=4).search(views, rng)
    many = (tally.ids >= 0).sum(axis=1) >= 4
    assert many.any()
    assert (tally.alive[many].sum(axis=1) == 2).all()
    assert (tally.sums[..., TRIED][many].max(axis=1) == 20).all()
    assert (np.sort(tally.sums[..., TRIED][many], axis=1)[:, -3] == 10).all()
    chosen = tally.best(tally.means + prior)
    assert all(
        action in ids[alive] for action, ids, alive in zip(chosen, tally.ids, tally.alive, strict=True) if alive.any()
    )


def test_a_lone_legal_action_is_played_without_search():
    views, rng = decisions(16, 54, 80)
    tally, _ = PimcAgent(3).search(views, rng)
    alone = tally.n == 1
    assert alone.any()
    assert (tally.sums[alone] == 0).all()
    legal = views.legal_mask()
    assert legal[np.arange(16), PimcAgent(3).act(views, rng)].all()


def test_search_by_the_clock_tries_some_worlds():
    views, rng = decisions(2, 55, 25)
    tally, _ = PimcAgent(ms=0.01).search(views, rng)
    assert tally.sums[..., TRIED].max() >= 8


def test_search_beats_the_player_of_its_playouts():
    result = play_match("pimc:worlds=8", "heuristic", 40, seed=56)
    assert result.interval is not None
    assert result.interval[0] > 0


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ("pimc:worlds=0", "worlds = '0' is not allowed"),
        ("pimc:top=1", "top = '1' is not allowed"),
        ("pimc:playout=nobody", "playout = 'nobody' is no trained policy; allowed: heuristic, greedy, random, policy:"),
        ("pimc:playout=deaf", "playout = 'deaf' is no trained policy; allowed: heuristic, greedy, random, policy:"),
        ("pimc:guide=heuristic", "guide = 'heuristic' is no trained policy"),
        ("pimc:ms=-1", "ms = '-1' is not allowed"),
        ("pimc:weight=x", "weight = 'x' is not allowed"),
    ],
)
def test_options_out_of_range_are_refused(spec, what):
    with pytest.raises(AgentError, match=what):
        make(spec)


def test_other_games_are_refused():
    batch = Batch(ruleset("two"), 1, seed=1)
    with pytest.raises(AgentError, match="pimc:worlds=2: makes worlds of the game minchiate alone"):
        make("pimc:worlds=2").act(batch.views(), batch.rng())
