"""Advantages, against a hand computed by hand."""

import numpy as np
import pytest

from minchiate_rl.training.returns import advantages_and_returns, normalised

# One hand of two sides, six recorded choices. How far side 0 is ahead before each; 3.0 at the end.
#   k  seat    ahead    value
#   0   1      0.5        0.2
#   1   2      0.5        0.1
#   2   3      1.0       -0.3
#   3   1      0.0        0.4
#   4   0      0.0        0.6
#   5   2      2.0        0.5
GAMES = np.zeros(6, np.int32)
SEATS = np.array([1, 2, 3, 1, 0, 2], np.int8)
SIGNS = np.where(SEATS % 2 == 0, 1.0, -1.0)
AHEAD = np.array([0.5, 0.5, 1.0, 0.0, 0.0, 2.0])
POTENTIALS = SIGNS * AHEAD
FINALS = np.array([[3.0, -3.0]])
VALUES = np.array([0.2, 0.1, -0.3, 0.4, 0.6, 0.5], np.float32)
MOMENTS = (GAMES, SEATS, POTENTIALS)


def test_a_seat_is_rewarded_for_all_that_happens_until_it_decides_again() -> None:
    advantages, returns = advantages_and_returns(MOMENTS, FINALS, VALUES, 0.5)
    # Last choices: side 1's seats 1 and 3 lose what side 0 gains from then on.
    seat_2_last = (3.0 - 2.0) - 0.5
    seat_0 = (3.0 - 0.0) - 0.6
    seat_1_last = -(3.0 - 0.0) - 0.4
    seat_3 = -(3.0 - 1.0) + 0.3
    seat_2_first = (2.0 - 0.5) + 0.5 - 0.1 + 0.5 * seat_2_last
    seat_1_first = -(0.0 - 0.5) + 0.4 - 0.2 + 0.5 * seat_1_last
    expected = [seat_1_first, seat_2_first, seat_3, seat_1_last, seat_0, seat_2_last]
    np.testing.assert_allclose(advantages, expected, rtol=1e-6)
    np.testing.assert_allclose(returns, np.array(expected) + VALUES, rtol=1e-6)


def test_with_lambda_one_a_return_is_the_rest_of_the_hand() -> None:
    _, returns = advantages_and_returns(MOMENTS, FINALS, VALUES, 1.0)
    np.testing.assert_allclose(returns, SIGNS * (3.0 - AHEAD), rtol=1e-6)


def test_joint_advantages_run_over_all_seats_and_change_sign_between_the_sides() -> None:
    advantages, _ = advantages_and_returns(MOMENTS, FINALS, VALUES, 0.5, joint=True)
    of_side_0 = SIGNS * VALUES
    later, expected = 0.0, np.zeros(6)
    potentials, values = np.append(AHEAD, 3.0), np.append(of_side_0, 0.0)
    for k in range(5, -1, -1):
        later = potentials[k + 1] - potentials[k] + values[k + 1] - values[k] + 0.5 * later
        expected[k] = SIGNS[k] * later
    np.testing.assert_allclose(advantages, expected, rtol=1e-5)


def test_joint_returns_with_lambda_one_are_the_rest_of_the_hand_too() -> None:
    one, two = (advantages_and_returns(MOMENTS, FINALS, VALUES, 1.0, joint)[1] for joint in (False, True))
    np.testing.assert_allclose(one, two, rtol=1e-5)


@pytest.mark.parametrize("joint", [False, True])
def test_games_do_not_mix(joint: bool) -> None:
    alone = advantages_and_returns(MOMENTS, FINALS, VALUES, 0.7, joint)[0]
    order = np.array([0, 6, 1, 7, 2, 3, 8, 9, 4, 10, 11, 5])
    games = np.concatenate([GAMES, GAMES + 1])[order]
    seats, potentials = np.tile(SEATS, 2)[order], np.concatenate([POTENTIALS, POTENTIALS * 2])[order]
    values = np.tile(VALUES, 2)[order]
    both = advantages_and_returns((games, seats, potentials), np.array([[3.0, -3.0], [9.0, -9.0]]), values, 0.7, joint)[
        0
    ]
    np.testing.assert_allclose(both[games == 0], alone, rtol=1e-6)


def test_for_himself_a_seat_has_its_own_account_and_joint_makes_no_difference() -> None:
    games, seats = np.zeros(4, np.int32), np.array([0, 1, 2, 0], np.int8)
    moments = (games, seats, np.array([0.0, 0.5, -1.0, 2.0]))
    finals, values = np.array([[3.0, -1.0, -2.0]]), np.array([0.1, 0.2, 0.3, 0.4], np.float32)
    advantages, returns = advantages_and_returns(moments, finals, values, 0.5)
    last = (3.0 - 2.0) - 0.4
    expected = [(2.0 - 0.0) + 0.4 - 0.1 + 0.5 * last, (-1.0 - 0.5) - 0.2, (-2.0 + 1.0) - 0.3, last]
    np.testing.assert_allclose(advantages, expected, rtol=1e-6)
    np.testing.assert_allclose(returns, np.array(expected) + values, rtol=1e-6)
    joint = advantages_and_returns(moments, finals, values, 0.5, joint=True)
    assert (joint[0] == advantages).all()


def test_normalised_advantages_have_mean_zero_and_deviation_one() -> None:
    out = normalised(np.array([1.0, 5.0, 9.0], np.float32))
    assert out.mean() == pytest.approx(0.0, abs=1e-6)
    assert out.std() == pytest.approx(1.0, abs=1e-5)
