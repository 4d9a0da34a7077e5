"""`position(record, k)` stands where stepping the engine stands before action k, and looks at nothing behind it."""

import numpy as np
import pytest

import minchiate_rl as mrl
from minchiate_rl.agents import make
from minchiate_rl.errors import RecordError
from minchiate_rl.game.actions import DONE
from minchiate_rl.game.engine import layout as at
from minchiate_rl.game.record import record_of
from minchiate_rl.game.seats import Phase
from minchiate_rl.matches.play import play


def told(batch, i):
    """Return the record of game i, and the numbers of its decisions that the record tells."""
    record = record_of(batch, i, ["heuristic"] * 4)
    return record, [n for n, action in enumerate(batch.actions(i)) if action != DONE]


@pytest.fixture(scope="module")
def finished():
    batch = mrl.Batch("classic", 6, seed=12)
    play(batch, [make("heuristic")] * 4)
    return batch


def stepped(finished, i, n):
    """Return game i after n decisions."""
    packs, cut = finished.pack(i)
    where = {"seeds": finished.seeds[[i]], "hands": finished.hands[[i]]}
    batch = mrl.Batch.from_packs("classic", [packs], [cut], [int(finished.dealer[i])], **where)
    for action in finished.actions(i)[:n]:
        batch.step(np.array([action]))
    return batch


@pytest.mark.parametrize("i", range(6))
def test_every_position_is_that_of_the_engine(finished, i):
    record, decisions = told(finished, i)
    for k, n in enumerate(decisions):
        position = mrl.position(record, k)
        expected = stepped(finished, i, n)
        assert np.array_equal(position.rows, expected.rows), k
        assert position.legal_mask()[0, finished.actions(i)[n]]
    end = mrl.position(record, len(record["actions"]))
    assert end.done[0]
    assert np.array_equal(end.rows, finished.rows[[i]])


def test_nothing_behind_it_is_looked_at(finished):
    record, _ = told(finished, 0)
    k = len(record["actions"]) // 2
    spoilt = {**record, "result": None, "actions": [*record["actions"][: k + 1], ["nonsense"]]}
    assert np.array_equal(mrl.position(spoilt, k).rows, mrl.position(record, k).rows)


def test_declarations_passed_over_have_been_refused(finished):
    record, _ = told(finished, 1)
    plays = [k for k, action in enumerate(record["actions"]) if action[1] == "play"]
    first, second = plays[:2]
    assert mrl.position(record, first).phase[0] == Phase.PLAY
    position = mrl.position(record, second)
    assert (position.phase[0], position.rows[0, at.REVEALED]) == (Phase.PLAY, 1)


@pytest.mark.parametrize("k", [-1, 200])
def test_there_is_no_position_beyond_the_record(finished, k):
    record, _ = told(finished, 2)
    with pytest.raises(RecordError, match=f"action {k}"):
        mrl.position(record, k)
