"""Versicole in kernels against the lawbook, on sets that hold many of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minchiate_rl.game import lawbook
from minchiate_rl.game.actions import DECLARE, DECLARE_WITH_MATTO, DEL_MATTO, DONE
from minchiate_rl.game.cards import KINGS, MATTO, N_CARDS, trump
from minchiate_rl.game.engine import versicole
from minchiate_rl.game.engine.bits import U

GOOD = [trump(n) for n in (1, 2, 3, 4, 5, 10, 13, 14, 20, *range(28, 41))] + [*KINGS, MATTO]
SETS = st.tuples(st.sets(st.sampled_from(GOOD)), st.sets(st.integers(0, N_CARDS - 1), max_size=6)).map(
    lambda p: p[0] | p[1]
)
FEW = st.booleans()


def words(cards):
    number = sum(1 << card for card in cards)
    return U(number & (1 << 56) - 1), U(number >> 56)


def cards_of(w0, w1):
    number = int(w0) | int(w1) << 56
    return {card for card in range(N_CARDS) if number >> card & 1}


@settings(max_examples=400)
@given(cards=SETS, demonio=FEW)
def test_values_are_those_of_the_lawbook(cards, demonio):
    assert versicole.value(*words(cards), int(demonio)) == lawbook.versicole_value(cards, demonio)


@settings(max_examples=200)
@given(cards=SETS, demonio=FEW, card=st.sampled_from(GOOD))
def test_a_cards_gain_is_the_difference_of_values(cards, demonio, card):
    cards = cards - {card}
    expected = lawbook.versicole_value(cards | {card}, demonio) - lawbook.versicole_value(cards, demonio)
    assert versicole.gain(*words(cards), card, int(demonio)) == expected


@settings(max_examples=400)
@given(cards=SETS, demonio=FEW)
def test_what_is_held_and_shown_is_that_of_the_lawbook(cards, demonio):
    held = int(versicole.held_versicole(*words(cards), int(demonio)))
    found = {k: cards_of(*versicole.shown_cards(*words(cards), k)) for k in range(17) if held >> k & 1}
    assert found == {v.k: set(v.cards) for v in lawbook.versicole_of(cards, demonio)}


@settings(max_examples=200)
@given(cards=SETS, demonio=FEW, data=st.data())
def test_declarations_are_what_is_held_and_not_yet_declared(cards, demonio, data):
    held = [v.k for v in lawbook.versicole_of(cards, demonio)]
    before = data.draw(st.sets(st.sampled_from(held))) if held else set()
    with_matto = {k: data.draw(FEW) and k != DEL_MATTO for k in before}
    declared = sum(1 << (k + 17 * with_matto[k]) for k in before)
    word = int(versicole.declaration_word(*words(cards), U(declared), int(demonio)))
    legal = {97 + bit for bit in range(64) if word >> bit & 1}
    open_ones = set(held) - before
    expected = {DONE, *(DECLARE + k for k in open_ones)}
    if MATTO in cards:
        expected |= {DECLARE_WITH_MATTO + k for k in open_ones if k != DEL_MATTO}
    assert legal == expected


@given(cards=st.sets(st.integers(0, N_CARDS - 1)), card=st.integers(0, N_CARDS - 1))
def test_adding_and_taking_a_card_are_inverse(cards, card):
    assert cards_of(*versicole.with_card(*words(cards), card)) == cards | {card}
    assert cards_of(*versicole.without_card(*words(cards), card)) == cards - {card}


@pytest.mark.parametrize("demonio", [0, 1])
def test_all_runs_of_the_upper_range(demonio):
    """Every subset of the upper range and the papi, without and with the Matto: the tables against the lawbook."""
    chance = np.random.default_rng(demonio)
    for mask in chance.integers(0, 1 << 19, 1500).tolist():
        numbers = [*range(28, 41), *range(1, 6)]
        cards = {trump(n) for bit, n in enumerate(numbers) if mask >> bit & 1} | ({MATTO} if mask >> 18 & 1 else set())
        assert versicole.value(*words(cards), demonio) == lawbook.versicole_value(cards, bool(demonio))


def test_the_whole_pack_is_worth_what_the_rules_say():
    every = set(GOOD)
    assert versicole.value(*words(every), 0) == 90 + 17 + 20 + 15 + 25 + 20 + 5 * 5
    assert versicole.value(*words(every), 1) == 90 + 17 + 20 + 15 + 25 + 20 + 20 + 5 * 6
    assert versicole.value(*words(set()), 1) == 0
