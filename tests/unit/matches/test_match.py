"""Matches: duplicate, antisymmetric, repeatable, and the same whatever the number of threads."""

import numpy as np
import pytest

from minchiate_rl import Batch, ruleset
from minchiate_rl.agents import make
from minchiate_rl.errors import AgentError, MinchiateError, RulesError
from minchiate_rl.matches import match
from minchiate_rl.matches.match import play_match, win_share
from minchiate_rl.matches.play import play


def test_the_result_is_that_of_the_hands_played_one_by_one():
    result = play_match("greedy", "random", 4, seed=9)
    a, b = make("greedy"), make("random")
    decisions = 0
    for deal in range(4):
        for side, agents in enumerate(([a, b, a, b], [b, a, b, a])):
            batch = Batch("classic", 1, seed=9, first_hand=deal, dealers=[deal % 4])
            play(batch, agents)
            role = 0 if deal % 2 == side else 1
            assert result.points[deal, role] == batch.net[0, side]
            assert result.resti[deal, role] == batch.resti[0, side] - batch.resti[0, 1 - side]
            decisions += int(batch.decision[0])
    assert result.decisions == decisions
    assert (result.deals, result.hands) == (4, 8)


def test_who_is_named_first_changes_the_sign_alone():
    there, back = play_match("greedy", "random", 20, seed=2), play_match("random", "greedy", 20, seed=2)
    assert np.array_equal(there.by_deal, -back.by_deal)
    # A deal's two hands change places: where one had the dealer's side the other had the eldest's.
    assert np.array_equal(there.points, -back.points[:, ::-1])
    assert there.interval == pytest.approx([-end for end in reversed(back.interval)])


def test_an_agent_against_itself_is_level_on_every_deal():
    result = play_match("greedy", "greedy", 30, seed=5)
    assert result.mean_difference == 0.0
    assert result.interval == (0.0, 0.0)
    assert win_share(result.by_deal) == 0.5


def test_threads_and_blocks_change_nothing(monkeypatch):
    monkeypatch.setattr(match, "BLOCK", 8)
    counted = []
    one = play_match("heuristic", "random", 30, seed=1)
    two = play_match("heuristic", "random", 30, seed=1, threads=2, progress=counted.append)
    assert np.array_equal(one.points, two.points)
    assert np.array_equal(one.resti, two.resti)
    assert counted == [8, 8, 8, 6]


def test_the_seed_and_the_rules_matter():
    plain, other = (play_match("greedy", "random", 10, seed).points.tolist() for seed in (1, 2))
    assert plain != other
    doubled = play_match("heuristic", "random", 60, 1, ruleset("classic").replace(demonio=True)).points
    assert not np.array_equal(doubled, play_match("heuristic", "random", 60, 1).points)


def test_the_document_holds_every_figure():
    found = play_match("heuristic", "random", 40, seed=1).to_json()
    assert found["a"] == "heuristic"
    assert found["b"] == "random"
    assert (found["deals"], found["hands"], found["seed"], found["rules"]) == (40, 80, 1, "classic")
    low, high = found["interval"]
    assert low < found["mean_difference"] < high
    assert found["resti_interval"][0] < found["resti_difference"] < found["resti_interval"][1]
    roles = [found[role]["mean_difference"] for role in ("dealer_side", "eldest_side")]
    assert sum(roles) / 2 == pytest.approx(found["mean_difference"])
    assert 0.5 < found["win_share"]["hands"] <= found["win_share"]["deals"] <= 1.0
    assert found["decisions_per_second"] > 0


def test_the_heuristic_is_far_ahead_of_random_play():
    result = play_match("heuristic", "random", 300, seed=1)
    assert result.interval is not None
    assert result.interval[0] > 80.0


@pytest.mark.parametrize("name", ["three", "solo"])
def test_for_himself_a_deal_is_worth_the_mean_over_every_seating(name):
    rules = ruleset(name)
    result = play_match("greedy", "random", 3, seed=4, rules=rules)
    agents = [make("greedy"), make("random")]
    n = rules.n_seats
    for deal in range(3):
        values = []
        for number in range(1, 2**n - 1):
            seating = [number >> seat & 1 for seat in range(n)]
            batch = Batch(rules, 1, seed=4, first_hand=deal, dealers=[deal % n])
            play(batch, agents, seating)
            net = batch.net[0]
            mine = [net[seat] for seat in range(n) if seating[seat] == 0]
            theirs = [net[seat] for seat in range(n) if seating[seat] == 1]
            values.append(sum(mine) / len(mine) - sum(theirs) / len(theirs))
        assert result.by_deal[deal] == pytest.approx(sum(values) / len(values))
    assert result.hands == 3 * (2**n - 2)
    found = result.to_json()
    assert list(found["by_seats"]) == [str(number) for number in range(1, n)]
    assert play_match("random", "greedy", 3, seed=4, rules=rules).by_deal == pytest.approx(-result.by_deal)


@pytest.mark.parametrize("name", ["two", "three", "solo_fola", "mini", "mini_team", "cascare"])
def test_an_agent_against_itself_is_level_in_every_game(name):
    result = play_match("greedy", "greedy", 6, seed=5, rules=name)
    assert result.by_deal.tolist() == [0.0] * 6
    assert result.resti.mean(axis=1).tolist() == [0.0] * 6


def test_the_value_of_a_hand_is_the_difference_of_the_two_sides_or_of_the_mean_seats():
    assert match.ahead(np.array([[30, 10]]), (0, 1, 0, 1)).tolist() == [20.0]
    assert match.ahead(np.array([[30, 10]]), (1, 0)).tolist() == [-20.0]
    assert match.ahead(np.array([[30, -10, -20]]), (0, 1, 1)).tolist() == [45.0]
    assert match.ahead(np.array([[30, -10, 0, -20]]), (0, 1, 0, 1)).tolist() == [30.0]


def test_a_game_of_chance_has_no_match():
    with pytest.raises(MinchiateError, match="palio"):
        play_match("random", "greedy", 1, rules="palio")


def test_win_share_counts_ties_as_half():
    assert win_share([1, -1, 0, 5]) == 0.625


def test_one_deal_has_no_interval():
    result = play_match("greedy", "random", 1)
    assert result.interval is None
    assert result.to_json()["interval"] is None


def test_what_there_is_not_is_refused():
    with pytest.raises(AgentError, match="'nobody'"):
        play_match("nobody", "random", 1)
    with pytest.raises(RulesError, match="'nothing'"):
        play_match("greedy", "random", 1, rules="nothing")
