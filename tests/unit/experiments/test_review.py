"""Reviews: judgements are made of views alone, losses are measured apart from the choice, and the split adds up."""

import numpy as np
import pytest

import minchiate_rl as mrl
from minchiate_rl.agents import make, worlds
from minchiate_rl.errors import AgentError, MinchiateError, RecordError
from minchiate_rl.experiments import review
from minchiate_rl.experiments.luck import SAMPLES, gains, values
from minchiate_rl.experiments.review import GUIDED, Reviewer, blunders, by_seat
from minchiate_rl.experiments.selfplay import played_records
from minchiate_rl.game.record import replay_all
from minchiate_rl.game.seats import Phase
from minchiate_rl.matches.intervals import mean_interval
from minchiate_rl.views.batch import Batch

WORLDS = 8


@pytest.fixture(scope="module")
def records():
    players = ["heuristic", "random", "heuristic", "random"]
    return list(played_records(mrl.ruleset("classic"), players, 2, 61))


@pytest.fixture(scope="module")
def reviews(records):
    reviewer = Reviewer(worlds=WORLDS, seed=3)
    return [reviewer.review(record) for record in records]


def test_every_decision_with_a_choice_is_judged(records, reviews):
    for record, found in zip(records, reviews, strict=True):
        decisions, positions = replay_all(record, Batch)
        open_ones = [k for k in range(len(decisions)) if len(decisions[k].legal) > 1]
        assert [(j.action, j.seat) for j in found.decisions] == [
            (decisions[k].place, decisions[k].seat) for k in open_ones
        ]
        assert [j.candidates for j in found.decisions] == [len(decisions[k].legal) for k in open_ones]
        tricks = [int(positions.trick[k]) + 1 if positions.phase[k] == Phase.PLAY else 0 for k in open_ones]
        assert [j.trick for j in found.decisions] == tricks


def test_par_and_the_decisions_of_the_seats_add_up_to_the_result(records, reviews):
    for record, found in zip(records, reviews, strict=True):
        lead = record["result"]["score"][0] - record["result"]["score"][1]
        assert found.result == lead
        for seat in range(4):
            split = found.split(seat)
            assert split["result"] == (lead if seat % 2 == 0 else -lead)
            assert split["luck"] + split["own"] + split["partner"] + split["opponents"] == pytest.approx(
                split["result"]
            )
        assert found.gains[0] == found.gains[2] == 0  # they play as the judge does
    assert any(found.gains[1] or found.gains[3] for found in reviews)


def test_a_hand_that_the_judge_played_is_all_luck():
    (record,) = played_records(mrl.ruleset("classic"), ["greedy"] * 4, 1, 62)
    found = Reviewer("greedy", WORLDS).review(record, seat=1)
    assert found.par == found.result
    assert found.gains == [0.0] * 4


def test_the_better_move_is_chosen_by_one_half_and_measured_by_the_other(records, reviews, monkeypatch):
    tallies = []
    tried = Reviewer._tried
    monkeypatch.setattr(Reviewer, "_tried", lambda *args: tallies.append(tried(*args)) or tallies[-1])
    assert Reviewer(worlds=WORLDS, seed=3).review(records[0]) == reviews[0]
    (tally,) = tallies
    decisions, _ = replay_all(records[0], Batch)
    open_ones = [decision for decision in decisions if len(decision.legal) > 1]
    half = WORLDS // 2
    different = 0
    for j, (decision, judgement) in enumerate(zip(open_ones, reviews[0].decisions, strict=True)):
        played = tally.ids[j].tolist().index(decision.action)
        means = tally.points[j, : tally.n[j], :half].mean(axis=1)
        best = played if means[played] == means.max() else int(means.argmax())
        ahead = tally.points[j, best, half:] - tally.points[j, played, half:]
        assert judgement.given_up == pytest.approx(ahead.mean())
        assert judgement.interval == pytest.approx(mean_interval(ahead))
        assert (judgement.better == judgement.played) == (best == played)
        different += best != played
    assert different > 10
    assert any(judgement.given_up < 0 for judgement in reviews[0].decisions)


def test_a_judgement_looks_at_nothing_that_its_player_could_not_see(records, reviews):
    decisions, positions = replay_all(records[0], Batch)
    where = positions.legal_mask().sum(axis=1) > 1
    views = positions.views(where)
    other = worlds.sample(views, np.arange(len(views), dtype=np.uint64), 1)[:, 0]
    hidden = positions.rows.copy()
    assert (hidden[where][:, : other.shape[1]] != other).any(axis=1).mean() > 0.9
    positions.rows[where] = other
    found = Reviewer(worlds=WORLDS, seed=3).judge(positions, where, decisions, records[0]["hand"])
    assert found == reviews[0].decisions


def test_a_review_depends_on_neither_the_other_hands_nor_threads_nor_seats(records, reviews):
    found = Reviewer(worlds=WORLDS, seed=3, threads=2).review(records[1], seat=2)
    assert found.decisions == [judgement for judgement in reviews[1].decisions if judgement.seat == 2]
    assert found.gains == reviews[1].gains
    assert Reviewer(worlds=WORLDS, seed=4).review(records[1], seat=2).decisions != found.decisions


def test_sums_and_the_worst_first(reviews):
    worst = [judgement.given_up for _, judgement in blunders(reviews, 5)]
    everything = [judgement for found in reviews for judgement in found.decisions]
    assert worst == sorted((judgement.given_up for judgement in everything), reverse=True)[:5]
    assert all(judgement.given_up > 0 for _, judgement in blunders(reviews, 1000))
    sums = by_seat(reviews)
    assert sum(each.decisions for each in sums) == len(everything)
    for each in sums:
        own = [judgement.given_up for judgement in everything if judgement.seat == each.seat]
        assert each.given_up == pytest.approx(sum(max(lost, 0.0) for lost in own) / len(reviews))
        assert each.net == pytest.approx(sum(own) / len(reviews))
        assert each.net <= each.given_up


class Guide:
    """A policy that prefers low action numbers, and plays as the heuristic."""

    name = "guide"

    def log_probabilities(self, views, ids):
        return np.where(ids >= 0, -0.5 * np.arange(ids.shape[1]), -np.inf)

    def act(self, views, rng):
        return make("heuristic").act(views, rng)


def test_a_guide_names_the_candidates_beside_the_move_played(records, reviews, monkeypatch):
    monkeypatch.setattr(review, "make", lambda spec: Guide())
    found = Reviewer("guide", WORLDS, seed=3).review(records[0])
    assert (found.par, found.gains) == (reviews[0].par, reviews[0].gains)
    most = [judgement.candidates for judgement in found.decisions]
    assert max(most) == GUIDED + 1
    for judgement, free in zip(found.decisions, reviews[0].decisions, strict=True):
        assert judgement.played == free.played
        assert judgement.candidates in {min(free.candidates, GUIDED), GUIDED + 1}


@pytest.mark.parametrize("playout", ["greedy", "zoo:quick"])
def test_another_player_may_play_the_worlds_out(records, reviews, playout):
    found = Reviewer(worlds=4, seed=3, playout=playout).review(records[0], seat=1)
    own = Reviewer(worlds=4, seed=3).review(records[0], seat=1)
    assert [judgement.action for judgement in found.decisions] == [judgement.action for judgement in own.decisions]
    assert [j.given_up for j in found.decisions] != [j.given_up for j in own.decisions]
    assert (found.par, found.gains) == (own.par, own.gains)


class Sampler:
    """A player that draws its moves."""

    temperature = 1.0
    name = "sampler"

    def act(self, views, rng):
        return make("random").act(views, rng)


def test_a_player_that_draws_its_moves_is_averaged(records):
    decisions, positions = replay_all(records[0], Batch)
    found = values(positions, Sampler())
    score = records[0]["result"]["score"]
    assert found[-1] == score[0] - score[1]
    assert ((found * SAMPLES) % 1 == 0).all()
    assert (found % 1 != 0).any()
    assert positions.done.sum() == 1
    seats = np.array([decision.seat for decision in decisions])
    by = gains(found, seats)
    assert by[0] + by[2] - by[1] - by[3] == pytest.approx(found[-1] - found[0])


def test_what_cannot_be_judged_is_refused(records):
    for agent in ("random", "pimc:worlds=3"):
        with pytest.raises(AgentError, match=f"{agent} can be no judge; allowed: heuristic"):
            Reviewer(agent)
    with pytest.raises(
        AgentError, match="review: playout = 'cheater' is no trained policy; allowed: heuristic, greedy"
    ):
        Reviewer(playout="cheater")
    with pytest.raises(MinchiateError, match="4 to 10000 worlds a decision, not 3"):
        Reviewer(worlds=3)
    (other,) = mrl.random_records("two", 1, 1)
    with pytest.raises(AgentError, match="of the game minchiate alone"):
        Reviewer().review(other)
    wrong = records[0] | {"result": records[0]["result"] | {"score": [1, 2]}}
    with pytest.raises(RecordError, match=r"result\.score"):
        Reviewer().review(wrong)
