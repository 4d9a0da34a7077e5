"""The same (seed, hand) gives the same hand in every form: whatever the width of the batch, the threads, the way."""

import numpy as np
import pytest

from minchiate_rl import Batch, ruleset
from minchiate_rl.agents import make
from minchiate_rl.game.record import record_of, write_record
from minchiate_rl.matches.play import play

SEED = 78
FORMS = (
    "english", "german", "accademia", "rob_all", "solo", "solo_fola", "three", "two", "mini", "mini_team",
    "piedicavallo",
)  # fmt: skip


def played(form, num_games, first_hand=0, spec="random"):
    """Return hands played to the end by one agent in all seats."""
    batch = Batch(ruleset(form), num_games, seed=SEED, first_hand=first_hand)
    play(batch, [make(spec) for _ in range(batch.rules.n_seats)])
    return batch


def same(ours, theirs, part=slice(None)):
    """Tell whether hands agree in all that happened and in how they stand."""
    tables = ("rows", "log", "ledger")
    return all(np.array_equal(getattr(ours, name), getattr(theirs, name)[part]) for name in tables)


@pytest.mark.parametrize("spec", ["random", "heuristic"])
@pytest.mark.parametrize("form", FORMS)
def test_the_width_of_the_batch_changes_nothing(form, spec):
    wide = played(form, 84, spec=spec)
    players = [spec] * wide.rules.n_seats
    for i in (0, 6, 83):
        single, seven = played(form, 1, i, spec), played(form, 7, i - i % 7, spec)
        texts = [write_record(record_of(b, k, players)) for b, k in ((wide, i), (single, 0), (seven, i % 7))]
        assert texts[0] == texts[1] == texts[2]
        assert same(single, wide, slice(i, i + 1))
        assert same(seven, wide, slice(i - i % 7, i - i % 7 + 7))


@pytest.mark.parametrize("form", FORMS)
def test_later_hands_of_a_game_are_those_of_a_wider_batch(form):
    rules = ruleset(form)
    wide, narrow = Batch(rules, 21, seed=SEED), Batch(rules, 7, seed=SEED)
    wide.playout()
    for turn in range(3):
        narrow.playout()
        part = slice(7 * turn, 7 * turn + 7)
        assert np.array_equal(narrow.rows, wide.rows[part])
        assert [narrow.actions(i) for i in range(7)] == [wide.actions(i) for i in range(part.start, part.stop)]
        assert [narrow.entries(i) for i in range(7)] == [wide.entries(i) for i in range(part.start, part.stop)]
        narrow.reset()


@pytest.mark.parametrize("form", FORMS)
def test_threads_change_nothing(form):
    one = Batch(ruleset(form), 101, seed=SEED)
    decisions = one.playout()
    for threads in (2, 3):
        many = Batch(ruleset(form), 101, seed=SEED)
        assert many.playout(threads) == decisions
        assert same(many, one)


@pytest.mark.parametrize("form", FORMS)
def test_a_playout_is_the_random_agent(form):
    out = Batch(ruleset(form), 50, seed=SEED)
    out.playout()
    assert same(played(form, 50), out)
    other = Batch(ruleset(form), 50, seed=SEED + 1)
    other.playout()
    assert not np.array_equal(out.log, other.log)
