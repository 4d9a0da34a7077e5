import pytest
from hypothesis import given
from hypothesis import strategies as st

from minchiate_rl.errors import RecordError
from minchiate_rl.game.piedicavallo.match import dealer_of, is_over, lead_of, running_lead, winner_of


def scores(*points):
    return [(n, 114 - n) for n in points]


def test_the_worked_example():
    """North and south have 65, 59, 36 and 67: east and west win by 1 (docs/rules.md, section 11, X-38)."""
    game = scores(65, 59, 36, 67)
    assert running_lead(game) == [8, 10, -11, -1]
    assert [is_over(game[:n]) for n in range(5)] == [False] * 4 + [True]
    assert winner_of(game) == 1
    assert winner_of(game[:3]) is None


def test_a_vola_leads_by_57_and_only_more_than_that_ends_the_game_after_three_deals():
    """X-39 of docs/rules.md, section 11."""
    assert lead_of(scores(114)) == 57
    assert not is_over(scores(114, 57, 57))
    assert is_over(scores(114, 57, 58))
    assert winner_of(scores(114, 57, 58)) == 0
    assert winner_of(scores(0, 57, 56)) == 1
    assert not is_over(scores(114, 58))


def test_level_sides_play_two_more_deals_until_they_are_level_no_more():
    level = scores(60, 54, 57, 57)
    assert not is_over(level)
    assert not is_over([*level, *scores(100)])
    assert winner_of([*level, *scores(100, 60)]) == 0
    still_level = [*level, *scores(60, 54)]
    assert not is_over(still_level)
    assert winner_of([*still_level, *scores(57, 56)]) == 1


def test_the_deal_goes_round():
    assert [dealer_of(2, deal) for deal in range(6)] == [2, 3, 0, 1, 2, 3]


def test_points_that_do_not_sum_to_114_are_refused():
    with pytest.raises(RecordError, match="114"):
        running_lead([(60, 60)])


@given(st.lists(st.integers(0, 114), max_size=9))
def test_the_lead_is_half_of_the_difference_of_all_points(points):
    game = scores(*points)
    assert 2 * lead_of(game) == sum(a - b for a, b in game)
    swapped = [(b, a) for a, b in game]
    assert lead_of(swapped) == -lead_of(game)
    assert is_over(swapped) == is_over(game)
