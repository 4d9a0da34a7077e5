"""The names that the package shows: records in and out, and positions in the middle of them."""

import numpy as np
import pytest

import minchiate_rl as mrl


@pytest.fixture(scope="module")
def record():
    return next(iter(mrl.random_records("classic", 1, 11)))


def test_random_records_are_sound_and_repeatable(record):
    assert mrl.verify(record) == []
    assert list(mrl.random_records(mrl.ruleset("classic"), 1, 11)) == [record]
    assert next(iter(mrl.random_records("classic", 1, 12)))["pack"] != record["pack"]


def test_a_position_has_the_recorded_seat_to_act(record):
    for k in range(0, len(record["actions"]), 5):
        batch = mrl.position(record, k)
        assert isinstance(batch, mrl.Batch)
        assert batch.num_games == 1
        assert int(batch.seat[0]) == record["actions"][k][0]


def test_the_end_of_a_record_is_a_finished_hand_with_its_result(record):
    batch = mrl.position(record, len(record["actions"]))
    assert batch.done.all()
    assert batch.score[0].tolist() == record["result"]["score"]
    assert batch.resti[0].tolist() == record["result"]["resti"]


def test_a_position_looks_at_nothing_that_comes_later(record):
    k = 20
    cut_short = record | {"actions": record["actions"][: k + 1]}
    del cut_short["result"]
    assert np.array_equal(mrl.position(cut_short, k).rows, mrl.position(record, k).rows)


@pytest.mark.parametrize("k", [-1, 10_000])
def test_there_is_no_position_outside_the_record(record, k):
    with pytest.raises(mrl.errors.RecordError, match=f"before action {k}"):
        mrl.position(record, k)
