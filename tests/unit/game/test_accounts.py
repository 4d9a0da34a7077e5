import pytest

from minchiate_rl.game.accounts import PairAccount, SideAccount
from tests.support.hands import CLASSIC, rules_of

THREE = rules_of("three")


def test_two_sides_keep_one_lead():
    account = SideAccount(CLASSIC)
    account.mark((1, 3, 50, ()))
    account.mark((2, 1, 15, ()))
    assert account.state() == {"score": [0, 65], "lead": -5, "resti": [0, 1], "pairs": []}
    account.enter((6, 0, 10, ()))
    assert account.lead == -5
    account.close([(6, 0, 10, ())], None)
    assert account.result() == {"points": [[1, 1, 50], [2, 1, 15], [6, 0, 10]], "score": [10, 65], "resti": [1, 1]}
    assert account.balance == [[0, -55], [55, 0]]


@pytest.mark.parametrize(
    ("all_tricks", "side", "resti"),
    [
        ("none", 0, [2, 0]),
        ("double_final", 0, [4, 0]),
        ("double_final", None, [2, 0]),
        ("fourteen", 0, [14, 2]),
        ("fourteen", None, [2, 0]),
    ],
)
def test_what_all_tricks_are_paid(all_tricks, side, resti):
    account = SideAccount(CLASSIC.replace(all_tricks=all_tricks))
    account.mark((5, 1, 20, ()))
    account.close([(6, 0, 10, ()), (8, 2, 100, ())], side)
    assert account.resti == resti


def test_a_game_without_resti_is_settled_in_points():
    account = SideAccount(rules_of("mini"))
    account.mark((5, 1, 20, ()))
    account.close([(6, 0, 10, ())], None)
    assert (account.lead, account.resti) == (0, [0, 0])


def test_every_pair_settles_by_itself():
    account = PairAccount(THREE)
    account.mark((1, 0, 50, (1, 2)))
    account.mark((5, 1, 51, (2,)))
    account.mark((5, 2, 61, (1,)))
    assert account.state()["pairs"] == [[0, 1, 50], [0, 2, 50], [1, 2, -10]]
    assert account.resti == [0, 0, 0]
    account.enter((6, 1, 10, (0, 2)))
    account.close([], None)
    assert account.result() == {
        "points": [[1, 0, 50, [1, 2]], [5, 1, 51, [2]], [5, 2, 61, [1]], [6, 1, 10, [0, 2]]],
        "score": [50, 61, 61],
        "resti": [2, -1, -1],
        "net": [90, -40, -50],
        "pairs": [[0, 1, 40, 1], [0, 2, 50, 1], [1, 2, 0, 0]],
    }
