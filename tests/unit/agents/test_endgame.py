"""The endgame solver: equal to playing every line through the engine, and clear about what it does not solve."""

import numpy as np
import pytest

from minchiate_rl import Batch, ruleset
from minchiate_rl.agents import endgame
from minchiate_rl.agents.endgame.board import F_PLAIN, F_SOLVE, workspace
from minchiate_rl.agents.endgame.ends import set_up
from minchiate_rl.agents.endgame.memory import SOLVES
from minchiate_rl.agents.endgame.solve import value_moves, value_rows
from minchiate_rl.agents.fused import HEURISTIC, RANDOM
from minchiate_rl.errors import AgentError
from minchiate_rl.game.engine.layout import HAND, MATTO_BIT, OPENED, PILE, TRICKS
from tests.support.brute import brute_force
from tests.support.endings import endings, with_matto_and_kings

PLAYERS = [HEURISTIC, RANDOM]
KINGS = [13, 27, 41, 55]


def agree(batch, solutions, games=None):
    """Assert that the engine says the same of each position, and of each card that may be played there."""
    for i in range(batch.num_games) if games is None else games:
        value, after = brute_force(batch, i)
        found = {c: int(v) for c, v in enumerate(solutions.values[i]) if v != endgame.NOT_LEGAL}
        assert (int(solutions.value[i]), found) == (value, after), f"game {i}"
        better = max if batch.seat[i] % 2 == 0 else min
        assert set(np.flatnonzero(solutions.best[i])) == {c for c, v in after.items() if v == better(after.values())}


def has_matto(batch):
    return (batch.rows[:, HAND + 1 : HAND + 9 : 2] & MATTO_BIT).any(axis=1)


def has_unled_king(batch):
    hands = np.bitwise_or.reduce(batch.rows[:, HAND : HAND + 8 : 2], axis=1)
    return np.any(
        [(hands >> np.uint64(king)) & ~(batch.rows[:, OPENED] >> np.uint64(s)) & 1 for s, king in enumerate(KINGS)], 0
    )


@pytest.mark.parametrize("code", PLAYERS)
@pytest.mark.parametrize("on_table", range(4))
def test_equals_every_line_through_the_engine(code, on_table):
    batch = endings("classic", 13, 100 + on_table, code, 4, on_table)
    agree(batch, endgame.double_dummy(batch))


@pytest.mark.parametrize("tricks", [1, 2, 3])
def test_equals_every_line_of_short_endings(tricks):
    for code in PLAYERS:
        for on_table in range(4):
            batch = endings("classic", 20, 7 * on_table, code, tricks, on_table)
            agree(batch, endgame.double_dummy(batch))


@pytest.mark.slow
@pytest.mark.parametrize("code", PLAYERS)
def test_equals_every_line_of_a_thousand_endings(code):
    for on_table in range(4):
        batch = endings("classic", 250, 1000 + on_table, code, 4, on_table)
        agree(batch, endgame.double_dummy(batch))


def test_kings_of_suits_not_yet_led_and_the_matto_in_hand():
    matto = kings = both = 0
    for on_table in range(4):
        for code in PLAYERS:
            batch = with_matto_and_kings(endings("classic", 20, 5 + on_table, code, 4, on_table), on_table)
            matto, kings = matto + has_matto(batch).sum(), kings + has_unled_king(batch).sum()
            both += (has_matto(batch) & has_unled_king(batch)).sum()
            agree(batch, endgame.double_dummy(batch))
    assert min(matto, kings, both) > 80


@pytest.mark.parametrize(
    "switches",
    [
        {"demonio": True},
        {"diecine_vergognose": 10},
        {"pigliare_to": "pile", "take_29": "never"},
        {"declared_marked": "at_end", "turned_marked": "at_end"},
        {"midhand_resti": False, "all_tricks": "fourteen", "rob_limit": None},
    ],
)
def test_equals_every_line_under_other_switches(switches):
    for code in PLAYERS:
        batch = endings(ruleset("classic").replace(**switches), 12, 3, code, 4, 1)
        agree(batch, endgame.double_dummy(batch))


def with_nothing_won(batch, side):
    """Give a side's tricks to the other, the Matto apart."""
    ours, theirs = PILE + 2 * side, PILE + 2 - 2 * side
    for word, kept in ((0, np.uint64(0)), (1, MATTO_BIT)):
        batch.rows[:, theirs + word] |= batch.rows[:, ours + word] & ~kept
        batch.rows[:, ours + word] &= kept
    batch.rows[:, TRICKS + 1 - side] += batch.rows[:, TRICKS + side]
    batch.rows[:, TRICKS + side] = 0


@pytest.mark.parametrize("side", [0, 1])
def test_a_debt_for_the_matto_that_costs_something(side):
    batch = endings("classic", 800, 11, RANDOM, 3, 2)
    with_nothing_won(batch, side)
    work = workspace(batch.rules.row, 3)
    costly = []
    for i in range(batch.num_games):
        set_up(work, batch.rows, i)
        costly += [i] if work.fixed[F_PLAIN] == 0 else []
    assert len(costly) > 30
    agree(batch, endgame.double_dummy(batch), costly)


@pytest.mark.parametrize("code", PLAYERS)
def test_best_play_brings_what_was_promised(code):
    batch = endings("classic", 20, 2, code, 6)
    start = batch.score[:, 0] - batch.score[:, 1]
    promised = endgame.double_dummy(batch).value
    while not batch.done.all():
        now = endgame.double_dummy(batch)
        assert np.array_equal(start + promised, batch.score[:, 0] - batch.score[:, 1] + now.value)
        batch.step(now.best.argmax(axis=1))
    assert np.array_equal(start + promised, batch.score[:, 0] - batch.score[:, 1])


def test_the_value_is_that_of_the_best_card_and_the_loss_is_counted_from_it():
    batch = endings("classic", 30, 4, HEURISTIC, 5, 3)
    solutions = endgame.double_dummy(batch)
    out = np.empty(30, np.int16)
    value_rows(workspace(batch.rules.row, 5), batch.rows, out)
    assert np.array_equal(out, solutions.value)
    legal = batch.legal_mask()[:, :97]
    assert np.array_equal(solutions.values != endgame.NOT_LEGAL, legal)
    assert np.array_equal(solutions.loss == 0, solutions.best)
    assert (solutions.loss[legal] >= 0).all()
    assert (solutions.loss[~legal] == -1).all()


def test_an_answer_depends_on_its_own_row_alone():
    batch = endings("classic", 40, 6, RANDOM, 4)
    before = batch.rows.copy()
    whole = endgame.double_dummy(batch)
    assert np.array_equal(batch.rows, before)
    where = np.arange(40) % 3 == 1
    part = endgame.double_dummy(batch, where)
    assert np.array_equal(part.values, whole.values[where])
    work, out = workspace(batch.rules.row, 5), np.empty((40, 97), np.int16)
    work.fixed[F_SOLVE] = SOLVES - 20  # the numbers of solves begin anew on the way
    value_moves(work, batch.rows, out)
    assert np.array_equal(out, whole.values)
    assert work.fixed[F_SOLVE] == 20


def test_no_positions_have_no_values():
    batch = endings("classic", 2, 6, RANDOM, 4)
    nothing = endgame.double_dummy(batch, np.zeros(2, np.bool_))
    assert nothing.value.shape == (0,)
    assert nothing.best.shape == nothing.loss.shape == (0, 97)


@pytest.mark.parametrize("rules", ["piedicavallo", "solo", "mini_team", "two", "cascare"])
def test_other_games_are_refused(rules):
    batch = Batch(rules, 1)
    with pytest.raises(AgentError, match="cannot be solved"):
        endgame.double_dummy(batch)


def test_positions_too_early_or_not_at_a_card_are_refused():
    batch = endings("classic", 3, 1, RANDOM, 5)
    with pytest.raises(AgentError, match="row 0 has 5 tricks left; at most 4 are solved"):
        endgame.double_dummy(batch, max_tricks=4)
    with pytest.raises(AgentError, match="row 0 has 20 tricks left; at most 8 are solved"):
        endgame.double_dummy(endings("classic", 1, 1, RANDOM, 20))
    with pytest.raises(AgentError, match="does not stand at a card to be played"):
        endgame.double_dummy(Batch("classic", 1))
    batch.playout()
    with pytest.raises(AgentError, match="row 0 does not stand at a card"):
        endgame.double_dummy(batch)


def test_bad_arguments_are_refused():
    batch = endings("classic", 1, 1, RANDOM, 3)
    for rows in (batch.rows.astype(np.int64), batch.rows[0], batch.rows[:, :100], batch.rows.tolist()):
        with pytest.raises(AgentError, match="rows must be an array of uint64"):
            endgame.solve(rows, "classic")
    for tricks in (0, 9):
        with pytest.raises(AgentError, match="max_tricks must be from 1 to 8"):
            endgame.solve(batch.rows, "classic", max_tricks=tricks)
