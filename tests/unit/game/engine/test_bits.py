"""Sets of cards as bits: every function equals its plain twin, up to bit 63."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minchiate_rl.game.engine import bits
from minchiate_rl.game.engine.bits import ALL, U

WORDS = st.integers(0, 2**64 - 1)
EDGES = [0, 1, 2**63, 2**63 + 1, 2**64 - 1, 2**56 - 1, 2**40, 2**41 - 1]
TWINS = [
    (bits.popcount, bits.popcount_plain, lambda x: x.bit_count()),
    (bits.trailing_zeros, bits.trailing_zeros_plain, lambda x: next((b for b in range(64) if x >> b & 1), 64)),
    (bits.leading_zeros, bits.leading_zeros_plain, lambda x: 64 - x.bit_length()),
]


@pytest.mark.parametrize(("fast", "plain", "meaning"), TWINS, ids=["popcount", "trailing_zeros", "leading_zeros"])
@given(word=WORDS)
def test_twins_agree_on_any_word(fast, plain, meaning, word):
    assert int(fast(U(word))) == int(plain(U(word))) == meaning(word)


@pytest.mark.parametrize("word", EDGES)
@pytest.mark.parametrize(("fast", "plain", "meaning"), TWINS, ids=["popcount", "trailing_zeros", "leading_zeros"])
def test_twins_agree_at_the_edges(fast, plain, meaning, word):
    assert int(fast(U(word))) == int(plain(U(word))) == meaning(word)


@given(word=st.integers(1, 2**64 - 1))
def test_the_nth_bit_is_the_nth_of_the_set(word):
    places = [b for b in range(64) if word >> b & 1]
    assert [int(bits.nth_bit(U(word), U(k))) for k in range(len(places))] == places
    assert [int(bits.nth_bit_plain(U(word), U(k))) for k in range(len(places))] == places
    assert int(bits.highest(U(word))) == places[-1]


def test_bit_63_is_a_bit_like_any_other():
    top = U(1 << 63)
    assert int(bits.nth_bit(top, U(0))) == int(bits.nth_bit(ALL, U(63))) == 63
    assert int(bits.highest(top)) == int(bits.trailing_zeros(top)) == 63
    assert int(bits.leading_zeros(top)) == 0


@pytest.mark.parametrize("function", [bits.popcount, bits.trailing_zeros, bits.leading_zeros, bits.highest])
def test_results_are_unsigned_words(function):
    assert isinstance(function(U(6)), (int, np.uint64))
    assert function(U(6)) == {"popcount": 2, "trailing_zeros": 1, "leading_zeros": 61, "highest": 2}[function.__name__]


@given(word=WORDS, mask=WORDS)
def test_gathering_packs_the_bits_of_a_mask(word, mask):
    places = [b for b in range(64) if mask >> b & 1]
    packed = sum((word >> b & 1) << k for k, b in enumerate(places))
    assert int(bits.gather(U(word), U(mask))) == int(bits.gather_plain(U(word), U(mask))) == packed
