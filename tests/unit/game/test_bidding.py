import pytest

from minchiate_rl.game.actions import BID, DONE, USE_FOLA, WITHDRAW
from minchiate_rl.game.bidding import FolaSale, Withdrawal
from minchiate_rl.game.seats import Phase
from tests.support.hands import rules_of

SOLO, FOLA = rules_of("solo"), rules_of("solo_fola")
ORDER = [2, 3, 0, 1]


@pytest.mark.parametrize(("place", "fee"), [(0, 30), (1, 40), (2, 50), (3, 60)])
def test_who_withdraws_later_owes_more(place, fee):
    question = Withdrawal(SOLO, ORDER)
    for _ in range(place):
        question.answer(DONE)
    assert question.seat == ORDER[place]
    question.answer(WITHDRAW)
    assert (question.withdrawn, question.fee, question.seat) == (ORDER[place], fee, None)


def test_all_may_stay():
    question = Withdrawal(SOLO, ORDER)
    for _ in ORDER:
        question.answer(DONE)
    assert (question.withdrawn, question.fee, question.seat) == (None, 0, None)


@pytest.mark.parametrize(("action", "user", "choice"), [(USE_FOLA, 2, "use"), (DONE, None, "stay")])
def test_the_eldest_decides_alone(action, user, choice):
    sale = FolaSale(FOLA, ORDER)
    assert (sale.seat, sale.legal()) == (2, {DONE, USE_FOLA, WITHDRAW})
    sale.answer(action)
    assert (sale.seat, sale.user, sale.choice, sale.withdrawn) == (None, user, choice, None)


def test_if_the_eldest_withdraws_the_next_may_bid():
    sale = FolaSale(FOLA, ORDER)
    sale.answer(WITHDRAW)
    assert (sale.seat, sale.phase, sale.legal()) == (3, Phase.BID, {DONE, BID})
    assert (sale.withdrawn, sale.fee, sale.choice) == (2, 30, "withdraw")


@pytest.mark.parametrize(
    ("answers", "user", "bid"),
    [
        ("---", None, 0),
        ("b--", 3, 10),
        ("--b", 1, 10),
        ("bb-b-", 3, 30),
        ("bbbb--", 3, 40),
        ("-bbb-", 0, 30),
        ("b" * 20, 0, 200),
    ],
)
def test_bids_rise_by_a_step_until_one_is_left_or_the_limit_is_bid(answers, user, bid):
    sale = FolaSale(FOLA, ORDER)
    sale.answer(WITHDRAW)
    for answer in answers:
        assert sale.seat is not None
        sale.answer(BID if answer == "b" else DONE)
    assert (sale.seat, sale.user, sale.highest) == (None, user, bid)
    assert sale.bidder == user
