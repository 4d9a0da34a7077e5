"""Versicole in kernels: what a set of cards is worth, what a card adds, what a hand can declare (docs/rules.md, 1.3).

Runs are read from tables: 13 bits of the upper range (trumps 28 to 40) and 5 bits of the papi index the points of all
maximal runs and their number, so that the value of a set is a few loads.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.game.actions import DEL_MATTO, DEMONIO, DIECINE, LAST_RUN, PAPI, REGI, TREDICI
from minchiate_rl.game.cards import FIRST_TRUMP, KINGS, VALUES, trump
from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount
from minchiate_rl.game.engine.jit import kernel


def _run_tables(first: int, size: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return points and number of the maximal runs of three or more for every subset of `size` trumps from `first`."""
    masks = np.arange(1 << size)
    points, runs = np.zeros(1 << size, np.int64), np.zeros(1 << size, np.int64)
    length, worth = np.zeros(1 << size, np.int64), np.zeros(1 << size, np.int64)
    for bit in range(size + 1):
        held = (masks >> bit) & 1 == 1
        ended = ~held & (length >= 3)
        points += np.where(ended, worth, 0)
        runs += ended
        if bit < size:
            card_points = 5 if first + bit == 29 else VALUES[trump(first + bit)]
            length = np.where(held, length + 1, 0)
            worth = np.where(held, worth + card_points, 0)
    return points, runs


#: Points and number of the runs in every subset of trumps 28 to 40, and of trumps 1 to 5.
UPPER_POINTS, UPPER_RUNS = _run_tables(28, 13)
PAPI_POINTS, PAPI_RUNS = _run_tables(1, 5)


def _trumps(*numbers: int) -> Any:
    return np.uint64(sum(1 << (n - 1) for n in numbers))


_UPPER_SHIFT: Final = np.uint64(27)
_UPPER_BITS: Final = np.uint64(0x1FFF)
_PAPI_BITS: Final = np.uint64(0x1F)
MATTO_AT: Final = np.uint64(40)
#: The trumps of each kind of versicola, as bits of word 1; the kings as bits of word 0.
RUN_BITS: Final = _trumps(*range(1, 6), *range(28, 41))
DEL_MATTO_BITS: Final = _trumps(1, 40)
TREDICI_BITS: Final = _trumps(1, 13, 28)
TWENTY_THIRTY_BITS: Final = _trumps(20, 30)
TEN_FORTY_BITS: Final = _trumps(10, 40)
_TEN: Final = np.uint64(9)
_FORTY: Final = np.uint64(39)
DEMONIO_BITS: Final = _trumps(14, 35, 39)
TENS_BITS: Final = _trumps(10, 20, 30, 40)
KING_BITS: Final = np.uint64(sum(1 << king for king in KINGS))
_FIRST_TRUMP: Final = np.uint64(FIRST_TRUMP)
_SHIFT: Final = np.uint64(63)
_VERSICOLE: Final = np.uint64((1 << 17) - 1)
_DEMONIO_BIT: Final = 1
_POINTS: Final = 0xFF


def _runs_with_an_aria() -> npt.NDArray[np.int64]:
    """Return how many of the runs in every subset of trumps 28 to 40 hold one of T36 to T40."""
    counts = np.zeros(1 << 13, np.int64)
    for subset in range(1 << 13):
        length = 0
        for bit in range(14):
            if subset >> bit & 1:
                length += 1
                continue
            counts[subset] += length >= 3 and bit > 8
            length = 0
    return counts


_ARIA_RUNS: Final = _runs_with_an_aria()


@kernel
def extra_value(w1, matto, extras):  # type: ignore[no-untyped-def]
    """Return what a rule set's extras (rules.R_EXTRAS) add to the versicole of a set, the Matto's part included."""
    points, count, arie = np.int64(0), np.int64(0), np.int64(0)
    if (extras & _DEMONIO_BIT) != 0 and (w1 & DEMONIO_BITS) == DEMONIO_BITS:
        points += 20
        count += 1
        arie += 1
    tens = (w1 & TWENTY_THIRTY_BITS) == TWENTY_THIRTY_BITS
    vergognose = (extras >> 8) & _POINTS
    if vergognose != 0 and tens and (w1 & TEN_FORTY_BITS) == ZERO:
        points += vergognose
        count += 1
    bonus = extras >> 16
    if bonus != 0:
        arie += _ARIA_RUNS[(w1 >> _UPPER_SHIFT) & _UPPER_BITS]
        if tens and ((w1 >> _FORTY) & ONE) != ZERO:
            arie += 1
        if (w1 & DEL_MATTO_BITS) == DEL_MATTO_BITS:
            arie += matto
        points += bonus * arie
    return points + 5 * count * matto


@kernel
def value(w0, w1, extras):  # type: ignore[no-untyped-def]
    """Return the points of all versicole in a set of cards, with 5 more for each where the set holds the Matto.

    `extras` (int64) is what a rule set counts beside the plain ones (rules.R_EXTRAS).
    """
    upper = (w1 >> _UPPER_SHIFT) & _UPPER_BITS
    papi = w1 & _PAPI_BITS
    matto = np.int64((w1 >> MATTO_AT) & ONE)
    points = UPPER_POINTS[upper] + PAPI_POINTS[papi]
    count = UPPER_RUNS[upper] + PAPI_RUNS[papi]
    if (w1 & TREDICI_BITS) == TREDICI_BITS:
        points += 15
        count += 1
    if (w1 & TWENTY_THIRTY_BITS) == TWENTY_THIRTY_BITS and (w1 & TEN_FORTY_BITS) != ZERO:
        points += 10 + 5 * np.int64((w1 >> _TEN) & ONE) + 10 * np.int64((w1 >> _FORTY) & ONE)
        count += 1
    kings = np.int64(popcount(w0 & KING_BITS))
    if kings >= 3:
        points += 5 * kings
        count += 1
    points += 5 * count * matto
    if extras != 0:
        points += extra_value(w1, matto, extras)
    if matto != 0 and (w1 & DEL_MATTO_BITS) == DEL_MATTO_BITS:
        points += 20
    return points


@kernel
def card_words(card):  # type: ignore[no-untyped-def]
    """Return the set of one card (int64) as two words; no branch, since the word a card lies in is hard to predict."""
    c = U(card)
    high = U(c >= _FIRST_TRUMP)
    return (ONE - high) << (c & _SHIFT), high << ((c - _FIRST_TRUMP) & _SHIFT)


@kernel
def with_card(w0, w1, card):  # type: ignore[no-untyped-def]
    """Return the two words of a set with one card (a number) added."""
    c0, c1 = card_words(card)
    return w0 | c0, w1 | c1


@kernel
def without_card(w0, w1, card):  # type: ignore[no-untyped-def]
    """Return the two words of a set with one card (a number) taken away."""
    c0, c1 = card_words(card)
    return w0 & ~c0, w1 & ~c1


@kernel
def gain(w0, w1, card, extras):  # type: ignore[no-untyped-def]
    """Return by how much one card more raises the versicole of a set that does not hold it."""
    a0, a1 = with_card(w0, w1, card)
    return value(a0, a1, extras) - value(w0, w1, extras)


@kernel
def held_versicole(w0, w1, extras):  # type: ignore[no-untyped-def]
    """Return the versicole that a hand can declare: bit k for versicola k of the action table."""
    upper = (w1 >> _UPPER_SHIFT) & _UPPER_BITS
    papi = w1 & _PAPI_BITS
    # The start of a maximal run of three: three in a row, and none below.
    found = ((upper & (upper >> ONE) & (upper >> U(2))) & ~(upper << ONE)) << ONE
    if (papi & (papi >> ONE) & (papi >> U(2))) != ZERO:
        found |= ONE << U(PAPI)
    if ((w1 >> MATTO_AT) & ONE) != ZERO and (w1 & DEL_MATTO_BITS) == DEL_MATTO_BITS:
        found |= ONE << U(DEL_MATTO)
    if (w1 & TREDICI_BITS) == TREDICI_BITS:
        found |= ONE << U(TREDICI)
    if (w1 & TWENTY_THIRTY_BITS) == TWENTY_THIRTY_BITS and (
        (w1 & TEN_FORTY_BITS) != ZERO or ((extras >> 8) & _POINTS) != 0
    ):
        found |= ONE << U(DIECINE)
    if popcount(w0 & KING_BITS) >= U(3):
        found |= ONE << U(REGI)
    if (extras & _DEMONIO_BIT) != 0 and (w1 & DEMONIO_BITS) == DEMONIO_BITS:
        found |= ONE << U(DEMONIO)
    return found


@kernel
def declaration_word(w0, w1, declared, extras):  # type: ignore[no-untyped-def]
    """Return the legal declarations of a hand as word 2 of the legal actions (bit a - 97); `done` is always among them.

    `declared` holds what the seat declared before, bit a - 98.
    """
    open_ones = held_versicole(w0, w1, extras) & ~(declared | (declared >> U(17))) & _VERSICOLE
    word = ONE | (open_ones << ONE)
    if ((w1 >> MATTO_AT) & ONE) != ZERO:
        word |= (open_ones & ~(ONE << U(DEL_MATTO))) << U(18)
    return word


@kernel
def shown_cards(w0, w1, k):  # type: ignore[no-untyped-def]
    """Return the cards of versicola k in a hand that holds it, as it is shown: the maximal run, all kings, all tens."""
    if k == PAPI:
        # A run of three or more in 1 to 5 holds the 3; walk down and up from it.
        run = ONE << U(2)
        run |= (run << ONE) & w1
        run |= (run << ONE) & w1
        run |= (run >> ONE) & w1
        run |= (run >> ONE) & w1
        return ZERO, run & _PAPI_BITS
    if k <= LAST_RUN:
        bit = ONE << U(27 + k - 1)
        run = ZERO
        while (w1 & bit & ~(ONE << MATTO_AT)) != ZERO:
            run |= bit
            bit <<= ONE
        return ZERO, run
    if k == DEL_MATTO:
        return ZERO, DEL_MATTO_BITS | (ONE << MATTO_AT)
    if k == TREDICI:
        return ZERO, TREDICI_BITS
    if k == DIECINE:
        return ZERO, w1 & TENS_BITS
    if k == REGI:
        return w0 & KING_BITS, ZERO
    return ZERO, DEMONIO_BITS
