"""Intervals cover what they should, and have an answer for every degenerate case."""

import numpy as np
import pytest

from minchiate_rl.errors import MinchiateError
from minchiate_rl.matches.intervals import METHODS, mean_interval, student_quantile

# Two-sided 95% and 99% points of Student's distribution, from the usual tables.
TABLE = {1: (12.7062, 63.6567), 2: (4.3027, 9.9248), 3: (3.1824, 5.8409), 4: (2.7764, 4.6041), 10: (2.2281, 3.1693)}
TABLE |= {30: (2.0423, 2.7500), 120: (1.9799, 2.6174), 1000: (1.9623, 2.5808)}


@pytest.mark.parametrize("dof", TABLE)
def test_quantiles_are_those_of_the_tables(dof):
    found = [student_quantile(p, dof) for p in (0.975, 0.995)]
    assert found == pytest.approx(TABLE[dof], abs=6e-5)
    assert student_quantile(0.025, dof) == -found[0]


def test_the_exact_and_the_expanded_quantile_meet():
    assert student_quantile(0.975, 400) == pytest.approx(student_quantile(0.975, 401), abs=2e-5)


def test_an_interval_by_hand():
    # Mean 3, standard deviation sqrt(2.5), four degrees of freedom: 3 -+ 2.7764 * sqrt(0.5).
    assert mean_interval([1, 2, 3, 4, 5]) == pytest.approx((1.03676, 4.96324), abs=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_intervals_cover_the_mean_as_often_as_they_say(method):
    draws = np.random.default_rng(0)
    trials, inside = (400, 40) if method == "student" else (150, 40), 0
    for trial in range(trials[0]):
        low, high = mean_interval(draws.normal(3.0, 2.0, trials[1]), method=method, seed=trial)
        inside += low <= 3.0 <= high
    assert 0.91 <= inside / trials[0] <= 0.985


def test_both_methods_agree_on_many_deals():
    values = np.random.default_rng(1).normal(10.0, 40.0, 2000)
    student, bootstrap = mean_interval(values), mean_interval(values, method="bootstrap", seed=4)
    assert bootstrap == pytest.approx(student, abs=0.25)


def test_the_bootstrap_leans_with_skewed_values():
    values = np.random.default_rng(2).exponential(1.0, 60)
    low, high = mean_interval(values, method="bootstrap")
    assert high - values.mean() > values.mean() - low


def test_the_bootstrap_repeats_itself():
    values = np.random.default_rng(3).normal(size=50)
    first, again, other = (mean_interval(values, method="bootstrap", seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.parametrize("method", METHODS)
def test_one_deal_tells_nothing_and_equal_deals_tell_all(method):
    assert mean_interval([7.0], method=method) is None
    assert mean_interval([7.0] * 5, method=method) == (7.0, 7.0)
    low, high = mean_interval([0.0, 1.0], method=method)
    assert low < 0.5 < high or (low, high) == (0.0, 1.0)


def test_more_confidence_is_a_wider_interval():
    values = np.arange(20.0)
    narrow, wide = mean_interval(values, 0.5), mean_interval(values, 0.99)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (([],), "one deal at least"),
        (([[1.0, 2.0]],), "one value a deal"),
        (([1.0, 2.0], 1.0), "above 0 and below 1"),
        (([1.0, 2.0], 0.95, "guess"), "'guess'"),
    ],
)
def test_what_cannot_be_is_refused(arguments, told):
    with pytest.raises(MinchiateError, match=told):
        mean_interval(*arguments)
