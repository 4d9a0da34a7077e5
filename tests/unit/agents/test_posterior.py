"""Worlds as likely as the moves have made them: the chain is at every deal as often as it should be."""

import numpy as np
import pytest

from minchiate_rl import Batch, ruleset
from minchiate_rl.agents import make, worlds
from minchiate_rl.agents.likelihood import HEURISTIC, log_likelihoods
from minchiate_rl.agents.pimc import PimcAgent
from minchiate_rl.agents.posterior import Chains, chances, sample
from minchiate_rl.errors import AgentError
from minchiate_rl.game.engine.layout import DISCARD, FOLA, HAND, PHASE, TRICK, V_SPEECH, V, W
from minchiate_rl.game.engine.observe import observe
from minchiate_rl.game.seats import Phase
from minchiate_rl.matches.play import play
from minchiate_rl.views.view import Views
from tests.unit.agents.test_likelihood import a_policy

RULES = ruleset("classic")
PLACES = [*range(HAND, HAND + 8), *range(FOLA, DISCARD + 4)]


def under_way(steps: int, hands: int = 40) -> Batch:
    batch, agent = Batch(RULES, hands, seed=83), make("heuristic")
    for _ in range(steps):
        batch.step(agent.act(batch.views(), batch.rng()))
    return batch


def late(trick: int, worlds_at_most: int, hands: int = 200):
    """Return a view of a hand of heuristic players in which few deals fit, its word, and its seat."""
    batch, agent = Batch(RULES, hands, seed=84), make("heuristic")
    while not batch.done.all():
        turn = batch.seat >= 0
        views, rng = batch.views(turn), batch.rng(turn)
        for k, i in enumerate(np.flatnonzero(turn)):
            one = Views(views.words[k : k + 1], RULES)
            there = batch.rows[i, TRICK] == trick and batch.rows[i, PHASE] == Phase.PLAY
            if there and 8 <= worlds.number(one)[0] <= worlds_at_most:
                yield one, rng.words[k : k + 1], int(batch.seat[i])
        actions = np.zeros(hands, np.int16)
        actions[turn] = agent.act(views, rng)
        batch.step(actions)


@pytest.mark.parametrize("weigher", ["heuristic", "policy"])
def test_every_deal_comes_as_often_as_the_moves_make_it_likely(weigher):
    judge = HEURISTIC if weigher == "heuristic" else a_policy(0.1).compiled
    uneven = 0
    for (view, word, seat), _ in zip(late(18, 60), range(6), strict=False):
        every = np.unique(worlds.sample(view, word, 4000)[0][:, PLACES], axis=0)
        assert len(every) == worlds.number(view)[0]
        rows = sample(view, word, 4000, judge, 10)[0]
        found, first, times = np.unique(rows[:, PLACES], axis=0, return_index=True, return_counts=True)
        likely = np.exp(log_likelihoods(rows[first], np.full(len(first), seat), RULES, judge))
        wanted = likely / likely.sum()
        assert {row.tobytes() for row in found} <= {row.tobytes() for row in every}
        assert np.abs(times / times.sum() - wanted).sum() / 2 < 0.08
        uneven += int(wanted.max() > 2.0 / len(every))
    assert uneven >= 3


def test_the_chain_leads_to_every_deal():
    """Two cards alone would not lead everywhere where voids cross."""
    batch, agent, judge, seen = Batch(RULES, 30, seed=2), make("random"), a_policy(0.0).compiled, 0
    while not batch.done.all():
        turn = batch.seat >= 0
        views, rng = batch.views(turn), batch.rng(turn)
        if batch.rows[np.flatnonzero(turn)[0], TRICK] >= 16:
            numbers = worlds.number(views)
            for k in np.flatnonzero((numbers >= 2) & (numbers <= 40)):
                one, reached = (Views(views.words[k : k + 1], RULES), rng.words[k : k + 1]), 0
                for n, steps in ((1500, 4), (4000, 60)):  # a few take long
                    if reached < numbers[k]:
                        reached = len(np.unique(sample(*one, n, judge, steps)[0][:, PLACES], axis=0))
                assert reached == numbers[k]
                seen += 1
        actions = np.zeros(30, np.int16)
        actions[turn] = agent.act(views, rng)
        batch.step(actions)
    assert seen > 100


@pytest.mark.parametrize("steps", [12, 46])
def test_what_the_chain_remembers_of_the_moves_is_what_they_are_worth_where_it_stands(steps):
    batch, judge = under_way(steps, 60), a_policy(0.5).compiled
    chains = Chains(batch.views(), batch.rng().words, judge, 25)
    chains.draw(np.arange(60), 3)
    # The dealer and his partner know the fola: what the others exchange with it changes their views.
    found = log_likelihoods(chains.walk.here, batch.seat, RULES, judge)
    others = np.arange(4) != batch.seat[:, None]
    np.testing.assert_allclose((chains.walk.terms * others).sum(axis=1), found, rtol=1e-6, atol=1e-6)


def test_every_world_looks_to_the_viewer_like_the_real_deal():
    for steps in (3, 20, 46, 70):
        batch = under_way(steps, 12)
        rows = sample(batch.views(), batch.rng().words, 3, HEURISTIC, 10)
        seen = np.zeros((1, V_SPEECH), np.uint64)
        for i in range(12):
            for row in rows[i]:
                observe(row[None], 0, int(batch.seat[i]), RULES.row, seen, 0)
                np.testing.assert_array_equal(seen[0, :V], batch.views().words[i])
        assert not (rows[:, 0, PLACES] == rows[:, 2, PLACES]).all()


def test_worlds_depend_on_nothing_but_view_and_word():
    batch = under_way(46)
    views, words = batch.views(), batch.rng().words
    whole = sample(views, words, 5, HEURISTIC, 7)
    np.testing.assert_array_equal(sample(views, words, 3, HEURISTIC, 7), whole[:, :3])
    alone = sample(Views(views.words[11:12], RULES), words[11:12], 5, HEURISTIC, 7)
    np.testing.assert_array_equal(alone[0], whole[11])
    chains = Chains(views, words, HEURISTIC, 7)
    some = np.array([4, 11])
    parts = [chains.draw(some, 2).reshape(2, 2, W), chains.draw(some, 3).reshape(2, 3, W)]
    np.testing.assert_array_equal(np.concatenate(parts, axis=1), whole[some])


def test_what_was_played_tells_more_than_counts_and_voids():
    batch = under_way(50, 60)
    views, words = batch.views(), batch.rng().words
    even, told = worlds.marginals(views), chances(views, words, HEURISTIC, 1500)
    np.testing.assert_allclose(told.sum(axis=2), even.sum(axis=2), atol=1e-9)
    loss = np.zeros(2)
    for i in range(60):
        for r in range(1, 4):
            hand = batch.rows[i, HAND + 2 * ((int(batch.seat[i]) + r) % 4) :][:2]
            held = [card for card in range(97) if int(hand[int(card >= 56)]) >> (card if card < 56 else card - 56) & 1]
            loss -= [np.log(even[i, held, r - 1]).sum(), np.log(told[i, held, r - 1]).sum()]
    assert loss[1] < 0.9 * loss[0]


def test_sharper_chances_are_a_power_of_the_others():
    batch = under_way(50, 20)
    views, words = batch.views(), batch.rng().words
    even, told = worlds.marginals(views), chances(views, words, HEURISTIC, 300)
    sharp = chances(views, words, HEURISTIC, 300, sharpness=2.0)
    np.testing.assert_allclose(sharp.sum(axis=2), even.sum(axis=2), atol=1e-9)
    np.testing.assert_array_equal(sharp == 0.0, even == 0.0)
    open_ = (even > 0.0).sum(axis=2) > 1
    squares = told[open_] ** 2 / (told[open_] ** 2).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(sharp[open_], squares, atol=1e-9)
    assert sharp[open_].max(axis=1).mean() > told[open_].max(axis=1).mean() + 0.05


@pytest.mark.parametrize("sharpness", [0.0, -1.0, np.inf, np.nan])
def test_a_sharpness_that_makes_no_chances_is_refused(sharpness):
    batch = under_way(50, 2)
    with pytest.raises(AgentError, match=r"the sharpness is .*; a finite number above 0 is needed"):
        chances(batch.views(), batch.rng().words, HEURISTIC, 10, sharpness)


def test_before_the_first_card_all_deals_are_alike():
    batch = Batch(RULES, 30, seed=5)
    views, words = batch.views(), batch.rng().words
    even, told = worlds.marginals(views), chances(views, words, HEURISTIC, 4000)
    assert np.abs(told - even).mean() < 0.02


def test_answers_do_not_depend_on_batch_or_threads():
    batch = under_way(46)
    views, rng = batch.views(), batch.rng()
    agent = PimcAgent(5, weigher=HEURISTIC, steps=3)
    whole = agent.act(views, rng)
    np.testing.assert_array_equal(PimcAgent(5, weigher=HEURISTIC, steps=3, threads=3).act(views, rng), whole)
    alone = np.arange(40) == 11
    assert agent.act(batch.views(alone), batch.rng(alone)) == whole[11]
    assert (whole != PimcAgent(5).act(views, rng)).any()


def test_a_weigher_is_the_heuristic_or_a_policy():
    with pytest.raises(AgentError, match="weigh = 'random' is no trained policy; allowed: none, heuristic, policy"):
        make("pimc:weigh=random")
    with pytest.raises(AgentError, match="steps = '0' is not allowed"):
        make("pimc:steps=0")
    batch = Batch(RULES, 1, seed=1)
    play(batch, [make("pimc:worlds=2,weigh=heuristic,steps=2")], (0, 0, 0, 0))
    assert batch.done.all()


def test_faults_are_told():
    batch = under_way(46)
    views, words = batch.views(), batch.rng().words
    with pytest.raises(AgentError, match="not finite"):
        sample(views, words, 1, a_policy(np.inf).compiled, 1)
    broken = views.words.copy()
    broken[3, :2] = 0
    chains = Chains(Views(broken, RULES), words, HEURISTIC, 1)
    for _ in range(2):
        with pytest.raises(AgentError, match="view 3 fits no deal"):
            chains.draw(np.arange(40), 1)
    forgetful = RULES.replace(memory="table")
    with pytest.raises(AgentError, match="needs memory = 'perfect'"):
        sample(Views(views.words, forgetful), words, 1, HEURISTIC, 1)
