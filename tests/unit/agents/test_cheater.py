"""The cheater: the best move of the true deal, seen through a door that matches alone open."""

import numpy as np
import pytest

from minchiate_rl import Batch, ruleset
from minchiate_rl.agents import fused, make
from minchiate_rl.agents.cheater import CheaterAgent
from minchiate_rl.errors import AgentError
from minchiate_rl.experiments.tournament import play_tournament
from minchiate_rl.matches.match import play_match
from minchiate_rl.matches.play import play
from tests.support.playing import play_fused


def midway(rules, hands, seed, steps):
    batch = Batch(rules, hands, seed=seed)
    player = make("heuristic")
    for _ in range(steps):
        where = batch.seat >= 0
        actions = np.zeros(hands, np.int16)
        actions[where] = player.act(batch.views(where), batch.rng(where))
        batch.step(actions)
    return batch


@pytest.mark.parametrize(("rules", "steps"), [("classic", 3), ("classic", 40), ("solo", 20), ("two", 10)])
def test_it_plays_the_lowest_of_the_moves_that_end_best(rules, steps):
    batch = midway(rules, 4, 61, steps)
    before = batch.rows.copy()
    chosen = CheaterAgent().act_seeing(batch.rows, batch.rules, batch.rng())
    np.testing.assert_array_equal(batch.rows, before)
    for i, legal in enumerate(batch.legal_mask()):
        gains = {}
        for action in np.flatnonzero(legal):
            hand = batch.copy()
            actions = chosen.copy()
            actions[i] = action
            hand.step(actions)
            play_fused(hand, *[fused.HEURISTIC] * 4)
            gains[int(action)] = hand.net[i, batch.seat[i] % batch.rules.n_sides]
        best = max(gains.values())
        assert chosen[i] == min(action for action, gain in gains.items() if gain == best)


def test_it_beats_the_heuristic_and_its_answers_do_not_depend_on_the_batch():
    result = play_match("cheater", "heuristic", 12, seed=62)
    assert result.interval is not None
    assert result.interval[0] > 0
    np.testing.assert_array_equal(play_match("cheater", "heuristic", 5, seed=62).points, result.points[:5])


@pytest.mark.parametrize("rules", ["three", "mini", "piedicavallo"])
def test_it_plays_other_games(rules):
    form = ruleset(rules)
    batch = Batch(form, 2, seed=63)
    play(batch, [make("cheater"), make("heuristic")], np.arange(form.n_seats) % 2)
    assert batch.done.all()


def test_views_are_refused():
    batch = Batch("classic", 1, seed=1)
    with pytest.raises(AgentError, match="cheater: sees the true deal, and only matches and self-play let it"):
        make("cheater").act(batch.views(), batch.rng())


def test_a_tournament_takes_it_when_asked_to():
    with pytest.raises(AgentError, match="--allow-cheater"):
        play_tournament(["cheater", "random"], 1)
    found = play_tournament(["cheater", "random"], 4, seed=64, allow_cheater=True)
    assert found.standings()[0].agent == "cheater"
