"""What a batch refuses: sizes, seeds, masks and arrays to write into that do not fit."""

import numpy as np
import pytest

import minchiate_rl as mrl
from minchiate_rl.errors import MinchiateError


@pytest.fixture(scope="module")
def batch():
    return mrl.Batch("classic", 3, seed=4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_games": 0}, "num_games must be a whole number, 1 or more, not 0"),
        ({"num_games": 1.5}, "num_games must be a whole number, 1 or more, not 1.5"),
        ({"num_games": "3"}, "num_games must be a whole number, 1 or more, not '3'"),
        ({"first_hand": -1}, "first_hand must be a whole number from 0 to 18446744073709551615, not -1"),
        ({"first_hand": 0.5}, "first_hand must be a whole number from 0 to 18446744073709551615, not 0.5"),
        ({"first_hand": 2**64}, "first_hand must be a whole number"),
        ({"seed": [1, 2]}, "seed must be a whole number"),
        ({"dealers": [0, 1, 4]}, "dealers must be 3 seats from 0 to 3"),
    ],
)
def test_a_wrong_argument_is_named_with_what_is_allowed(arguments, message):
    with pytest.raises(MinchiateError, match=message):
        mrl.Batch("classic", **{"num_games": 3, **arguments})


@pytest.mark.parametrize("where", [np.ones(2, bool), np.ones(3, int), np.ones((3, 1), bool), True, "x", [0, 1, 2]])
def test_a_mask_of_games_has_one_truth_value_a_game(batch, where):
    for use in (batch.copy().reset, batch.views, batch.rng, lambda where: batch.decision_words(0, where)):
        with pytest.raises(MinchiateError, match=r"where must be bool of shape \(3,\)"):
            use(where)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "x", None])
def test_the_number_of_threads_is_whole(batch, threads):
    with pytest.raises(MinchiateError, match="threads must be a whole number, 1 or more"):
        batch.copy().playout(threads=threads)


def test_more_threads_than_games_change_nothing(batch):
    one, many = batch.copy(), batch.copy()
    assert one.playout(threads=1) == many.playout(threads=64)
    assert np.array_equal(one.rows, many.rows)


def test_arrays_to_write_into_must_fit(batch):
    """The kernels do not check where they write: an array that is too small would be written past its end."""
    views, states = batch.views(), batch.states()
    writers = [
        (batch.legal_words, (3, 4), np.uint64),
        (batch.legal_mask, (3, batch.rules.num_actions), np.bool_),
        (views.encode, views.encode().shape, np.float32),
        (views.tokens, views.tokens().shape, np.int16),
        (views.legal_mask, (3, batch.rules.num_actions), np.bool_),
        (states.tokens, states.tokens().shape, np.int16),
    ]
    for write, (rows, columns), dtype in writers:
        out = np.zeros((rows, columns), dtype=dtype)
        assert write(out) is out
        assert np.array_equal(out, write())
        frozen = np.zeros((rows, columns), dtype=dtype)
        frozen.flags.writeable = False
        unfit = [(rows - 1, columns), (rows + 1, columns), (rows, columns - 1), (rows * columns,)]
        arrays = [np.zeros(shape, dtype=dtype) for shape in unfit] + [out.astype(np.float64), out.tolist(), frozen]
        for array in arrays:
            with pytest.raises(MinchiateError, match="out must be a writable array of"):
                write(array)


@pytest.mark.parametrize("game", [-1, 3, 1.5, "x"])
def test_there_is_no_view_of_another_game(batch, game):
    with pytest.raises(MinchiateError, match="there is no game"):
        batch.view(game)


@pytest.mark.parametrize("i", [-1, 3, 1.0, "0", None])
def test_a_game_that_is_not_there_is_named(batch, i):
    for use in (batch.entries, batch.actions, batch.pack, batch.view):
        with pytest.raises(MinchiateError, match=f"there is no game {i}: games go from 0 to 2"):
            use(i)


@pytest.mark.parametrize("hands", [-1, 2.0, "2", None])
def test_records_are_made_by_whole_numbers(hands):
    with pytest.raises(MinchiateError, match="hands must be a whole number, 0 or more"):
        next(mrl.random_records("classic", hands, seed=1))


@pytest.mark.parametrize("k", [-1, 1.0, "1", None, 10**6])
def test_a_position_is_before_an_action_that_is_there(k):
    record = next(mrl.random_records("classic", 1, seed=1))
    with pytest.raises(MinchiateError, match=f"there is no place before action {k}"):
        mrl.position(record, k)
