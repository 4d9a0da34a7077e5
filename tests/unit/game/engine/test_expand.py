import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minchiate_rl.game.engine.expand import (
    encode_mask,
    encode_mask_slice,
    scatter,
    spread_bits,
    spread_cards,
    spread_difference,
)
from minchiate_rl.game.engine.layout import V_LEGAL

WORD = st.integers(0, (1 << 64) - 1)
CARDS = st.sets(st.integers(0, 96))


def words_of(cards):
    number = sum(1 << card for card in cards)
    return np.uint64(number & (1 << 56) - 1), np.uint64(number >> 56)


def row_of(n):
    return np.full(n, 9, np.float32)


@given(CARDS)
def test_spread_cards_writes_one_entry_a_card(cards):
    row = row_of(110)
    spread_cards(*words_of(cards), row, np.uint64(3))
    assert [i for i in range(97) if row[3 + i] == 1] == sorted(cards)
    assert set(row[3:100]) <= {0, 1}
    assert not row[100:107].any()
    assert (row[:3] == 9).all()
    assert (row[107:] == 9).all()


@given(WORD, st.integers(0, 8))
def test_spread_bits_writes_whole_bytes(word, n_bytes):
    row = row_of(70)
    spread_bits(np.uint64(word), n_bytes, row, np.uint64(2))
    assert list(row[2 : 2 + 8 * n_bytes]) == [word >> i & 1 for i in range(8 * n_bytes)]
    assert (row[2 + 8 * n_bytes :] == 9).all()


@given(WORD, WORD)
def test_spread_difference_takes_one_word_from_the_other(a, b):
    b &= ~a
    row = row_of(70)
    spread_difference(np.uint64(a), np.uint64(b), 16, row, np.uint64(1))
    assert list(row[1:65]) == [(a >> i & 1) - (b >> i & 1) for i in range(64)]
    assert (row[65:] == 9).all()


@given(WORD)
def test_scatter_touches_the_set_bits_alone(word):
    row = row_of(65)
    scatter(np.uint64(word), np.float32(0.5), row, np.uint64(1))
    assert list(row[1:]) == [0.5 if word >> i & 1 else 9 for i in range(64)]


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8])
@pytest.mark.parametrize("num_actions", [131, 132, 201])
@given(actions=st.sets(st.integers(0, 200)))
def test_masks_have_one_entry_an_action(dtype, num_actions, actions):
    w0, w1 = words_of({a for a in actions if a < 97})
    w2 = np.uint64(sum(1 << a - 97 for a in actions if 97 <= a < 144))
    w3 = np.uint64(sum(1 << a - 144 for a in actions if a >= 144))
    out = np.ones((2, num_actions), dtype)
    encode_mask(w0, w1, w2, w3, out, 1)
    assert set(np.flatnonzero(out[1])) == {a for a in actions if a < num_actions}
    assert out[0].all()
    assert out[1].max(initial=0) <= 1


def test_mask_slices_leave_other_rows_alone():
    rows = np.zeros((8, V_LEGAL + 4), np.uint64)
    rows[:, V_LEGAL:] = np.random.default_rng(0).integers(0, 1 << 34, (8, 4), np.uint64)
    out = np.full((8, 131), 7, np.int8)
    encode_mask_slice(rows, V_LEGAL, out, 2, 5)
    legal = [set(np.flatnonzero(out[j])) for j in range(2, 5)]
    words = [int(row[V_LEGAL]) | int(row[V_LEGAL + 1]) << 56 | int(row[V_LEGAL + 2]) << 97 for row in rows[2:5]]
    assert legal == [{a for a in range(131) if word >> a & 1} for word in words]
    assert (np.delete(out, [2, 3, 4], axis=0) == 7).all()
