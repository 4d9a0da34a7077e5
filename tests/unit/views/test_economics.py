import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minchiate_rl.game.cards import COUNTING, trump
from minchiate_rl.game.lawbook import versicole_value
from minchiate_rl.views.economics import N_SLOTS, SLOT_CARDS, WORD_STARTS, all_gains, gains, slot_bits, slot_masks


def words_of(cards):
    number = sum(1 << card for card in cards)
    return np.uint64(number & (1 << 56) - 1), np.uint64(number >> 56)


def by_slot(four_words):
    """Return the bytes of the slots, and check that all other bytes are 0."""
    stops = (*WORD_STARTS[1:], N_SLOTS)
    taken = []
    for word, start, stop in zip(four_words, WORD_STARTS, stops, strict=True):
        data = int(word).to_bytes(8, "little")
        assert not any(data[stop - start :])
        taken += data[: stop - start]
    return taken


def test_the_slots_are_the_counting_cards_the_29_and_the_14():
    assert set(SLOT_CARDS) == COUNTING | {trump(29), trump(14)}
    assert len(SLOT_CARDS) == N_SLOTS == 27


@given(st.sets(st.integers(0, 96)))
def test_slot_bits_name_the_slots_held(cards):
    bits = int(slot_bits(*words_of(cards)))
    assert {SLOT_CARDS[i] for i in range(N_SLOTS) if bits >> i & 1} == cards & set(SLOT_CARDS)
    assert bits < 1 << N_SLOTS


@given(st.sets(st.sampled_from(SLOT_CARDS)), st.booleans())
def test_gains_are_differences_of_the_worth_of_the_set(held, demonio):
    now = versicole_value(held, demonio)
    expected = [0 if card in held else versicole_value(held | {card}, demonio) - now for card in SLOT_CARDS]
    assert by_slot(gains(slot_bits(*words_of(held)), demonio)) == expected


@pytest.mark.parametrize("missing", SLOT_CARDS)
def test_gains_of_the_last_card(missing):
    held = set(SLOT_CARDS) - {missing}
    expected = versicole_value(SLOT_CARDS, True) - versicole_value(held, True)
    assert sum(by_slot(gains(slot_bits(*words_of(held)), True))) == expected


@given(st.sets(st.integers(0, N_SLOTS - 1)))
def test_slot_masks_cover_the_bytes_of_the_slots(slots):
    masks = slot_masks(np.uint64(sum(1 << slot for slot in slots)))
    assert by_slot(masks) == [0xFF if slot in slots else 0 for slot in range(N_SLOTS)]


@given(st.sets(st.sampled_from(SLOT_CARDS)), st.booleans(), st.sampled_from([0, 10, 50]), st.sampled_from([0, 10, 50]))
def test_gains_with_extras_are_differences_of_the_worth_and_never_below_zero(held, demonio, vergognose, aria_bonus):
    extras = (demonio, vergognose, aria_bonus)
    now = versicole_value(held, *extras)
    worth = [0 if card in held else versicole_value(held | {card}, *extras) - now for card in SLOT_CARDS]
    found = by_slot(all_gains(*words_of(held), demonio | vergognose << 8 | aria_bonus << 16))
    assert found == [min(max(points, 0), 255) for points in worth]
