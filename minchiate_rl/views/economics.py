"""What capturing each card would add to the versicole of a side: all cards at once (docs/rules.md, section 1.3).

Twenty-seven cards can change the worth of a trick pile: the 25 counting cards, the 29, and the 14 where the demonio
counts. They are numbered here as *slots*: the four kings, T1 to T5, T10, T13, T14, T20, T28 to T40, the Matto. The
gains come as four words, a byte a slot: slots 0 to 7, 8 to 12, 13 to 20, 21 to 26.

The worth of a set is a sum over groups that share no rule: the upper run, papi, kings, the mixed ones and the demonio,
each with 5 more a versicola for the Matto. So are the gains, and each group reads its own from a small table. Where a
rule set counts more than that (20 and 30 alone, a bonus for arie), the gains are taken one by one.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.game.cards import KINGS, MATTO, Card, trump
from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount
from minchiate_rl.game.engine.expand import BYTE_MASKS
from minchiate_rl.game.engine.jit import hot_kernel, kernel
from minchiate_rl.game.engine.layout import V_COUNTS, V_DISCARD, V_FOLA, V_PILE
from minchiate_rl.game.engine.versicole import PAPI_POINTS, PAPI_RUNS, UPPER_POINTS, UPPER_RUNS, gain
from minchiate_rl.views.reading import COUNTS_VERSICOLE, PACKS, extras_of, for_himself, game_of

#: The cards of the slots.
SLOT_CARDS: Final[tuple[Card, ...]] = (
    *KINGS,
    *(trump(n) for n in (1, 2, 3, 4, 5, 10, 13, 14, 20, *range(28, 41))),
    MATTO,
)
N_SLOTS: Final = len(SLOT_CARDS)
#: The first slot of each of the four words.
WORD_STARTS: Final = (0, 8, 13, 21)

_MATTO_SLOT: Final = U(26)
_UPPER_SLOT: Final = U(13)
_UPPER_BITS: Final = U(0x1FFF)
_MATTO_BYTE: Final = U(40)
_BYTE: Final = U(0xFF)

Worth = Callable[[set[int]], int]
"""The points of one group for a set of trump numbers, 0 standing for the Matto, or of slots."""


def _slot_of(n: int) -> int:
    return SLOT_CARDS.index(MATTO if n == 0 else trump(n))


def _papi(held: set[int]) -> int:
    subset = sum(1 << n - 1 for n in held if n)
    return int(PAPI_POINTS[subset] + (5 * PAPI_RUNS[subset] if 0 in held else 0))


def _mixed(held: set[int]) -> int:
    extra = 5 if 0 in held else 0
    total = 20 if {0, 1, 40} <= held else 0
    if {1, 13, 28} <= held:
        total += 15 + extra
    if {20, 30} <= held and held & {10, 40}:
        total += 10 + 5 * (10 in held) + 10 * (40 in held) + extra
    return total


def _demonio(held: set[int]) -> int:
    return 20 + (5 if 0 in held else 0) if {14, 35, 39} <= held else 0


def _table(slots: list[int], worth: Worth) -> npt.NDArray[np.uint64]:
    """Return the four gain words for every subset of some slots, bit i of the row number standing for slots[i]."""
    table = np.zeros((1 << len(slots), 4), dtype=np.uint64)
    for subset in range(len(table)):
        held = {slot for i, slot in enumerate(slots) if subset >> i & 1}
        for slot in set(slots) - held:
            word = sum(slot >= start for start in WORD_STARTS) - 1
            points = worth(held | {slot}) - worth(held)
            table[subset, word] |= np.uint64(points << 8 * (slot - WORD_STARTS[word]))
    return table


def _on_trumps(worth: Worth) -> Worth:
    """Turn a worth over trump numbers (0 for the Matto) into one over slots."""
    numbers = {_slot_of(n): n for n in (0, 1, 2, 3, 4, 5, 10, 13, 14, 20, *range(28, 41))}
    return lambda slots: worth({numbers[slot] for slot in slots})


def _kings(slots: set[int]) -> int:
    n = len([slot for slot in slots if slot < 4])
    return 5 * n + (5 if int(_MATTO_SLOT) in slots else 0) if n >= 3 else 0


_KINGS: Final = _table([0, 1, 2, 3, 26], _kings)
_PAPI: Final = _table([4, 5, 6, 7, 8, 26], _on_trumps(_papi))
_MIXED: Final = _table([_slot_of(n) for n in (1, 10, 13, 20, 28, 30, 40, 0)], _on_trumps(_mixed))
_DEMONIO: Final = _table([_slot_of(n) for n in (14, 35, 39, 0)], _on_trumps(_demonio))
#: Points of the upper runs by 13 bits of trumps and, as bit 13, the Matto.
_UPPER: Final = np.concatenate([UPPER_POINTS, UPPER_POINTS + 5 * UPPER_RUNS]).astype(np.uint8)
_UPPER_MATTO: Final = 1 << 13

_T1, _T10, _T13, _T14, _T20, _T28, _T30, _T35, _T39, _T40 = (
    U(_slot_of(n)) for n in (1, 10, 13, 14, 20, 28, 30, 35, 39, 40)
)


@kernel
def slot_bits(w0, w1):  # type: ignore[no-untyped-def]
    """Return which slots a set of cards holds, bit i for slot i."""
    kings = ((w0 >> U(13)) & U(1)) | ((w0 >> U(26)) & U(2)) | ((w0 >> U(39)) & U(4)) | ((w0 >> U(52)) & U(8))
    low = ((w1 & U(0x1F)) << U(4)) | (((w1 >> U(9)) & ONE) << U(9)) | (((w1 >> U(12)) & U(3)) << U(10))
    return kings | low | (((w1 >> U(19)) & ONE) << U(12)) | (((w1 >> U(27)) & U(0x3FFF)) << U(13))


@kernel
def _upper_gains(slots):  # type: ignore[no-untyped-def]
    """Return the gains from the upper run as the words of T28 to T35 and of T36 to the Matto."""
    held = np.int64((slots >> _UPPER_SLOT) & U(0x3FFF))
    if popcount(U(held & 0x1FFF)) < U(2):
        return ZERO, ZERO
    now = _UPPER[held]
    low, high = ZERO, ZERO
    for i in range(8):
        low |= U(_UPPER[held | (1 << i)] - now) << U(8 * i)
    for i in range(6):
        high |= U(_UPPER[held | (1 << (8 + i))] - now) << U(8 * i)
    return low, high


@kernel
def gains(slots, demonio):  # type: ignore[no-untyped-def]
    """Return by how much each slot that a set lacks would raise its versicole, as four words; 0 for those it holds."""
    matto = slots >> _MATTO_SLOT
    c, d = _upper_gains(slots)
    x = (slots & U(15)) | (matto << U(4))
    y = ((slots >> U(4)) & U(31)) | (matto << U(5))
    z = ((slots >> _T1) & ONE) | (((slots >> _T10) & U(3)) << ONE) | (((slots >> _T20) & U(3)) << U(3))
    z |= (((slots >> _T30) & ONE) << U(5)) | (((slots >> _T40) & U(3)) << U(6))
    a = _KINGS[x, 0] + _PAPI[y, 0] + _MIXED[z, 0]
    b = _PAPI[y, 1] + _MIXED[z, 1]
    c += _MIXED[z, 2]
    d += _KINGS[x, 3] + _PAPI[y, 3] + _MIXED[z, 3]
    if demonio:
        t = ((slots >> _T14) & ONE) | (((slots >> _T35) & ONE) << ONE)
        t |= (((slots >> _T39) & ONE) << U(2)) | (matto << U(3))
        b += _DEMONIO[t, 1]
        c += _DEMONIO[t, 2]
        d += _DEMONIO[t, 3]
    return a, b, c, d


@kernel
def slot_masks(slots):  # type: ignore[no-untyped-def]
    """Return four words with the byte 0xFF for every slot of a set of slots."""
    return (
        BYTE_MASKS[slots & _BYTE],
        BYTE_MASKS[(slots >> U(8)) & U(0x1F)],
        BYTE_MASKS[(slots >> _UPPER_SLOT) & _BYTE],
        BYTE_MASKS[(slots >> U(21)) & U(0x3F)],
    )


_DEMONIO_BIT: Final = 1
_TOP_GAIN: Final = 0xFF
_SLOT_CARDS: Final = np.array(SLOT_CARDS, dtype=np.int64)
#: The word of each slot, and its place there in bits.
_SLOT_WORDS: Final = np.array([sum(slot >= start for start in WORD_STARTS) - 1 for slot in range(N_SLOTS)])
_SLOT_SHIFTS: Final = np.array([8 * (slot - WORD_STARTS[_SLOT_WORDS[slot]]) for slot in range(N_SLOTS)])
#: The slots that each game's pack lacks, a bit each.
_ABSENT: Final = np.array(
    [
        sum(1 << slot for slot, card in enumerate(SLOT_CARDS) if not int(words[card // 56]) >> card % 56 & 1)
        for words in PACKS
    ],
    dtype=np.uint64,
)


@kernel
def _one_by_one(w0, w1, slots, extras):  # type: ignore[no-untyped-def]
    """Return the gains of a set of cards where more counts than the plain versicole and the demonio."""
    a, b, c, d = ZERO, ZERO, ZERO, ZERO
    for slot in range(N_SLOTS):
        if (slots >> U(slot)) & ONE == ZERO:
            points = U(min(max(gain(w0, w1, _SLOT_CARDS[slot], extras), 0), _TOP_GAIN)) << U(_SLOT_SHIFTS[slot])
            if _SLOT_WORDS[slot] == 0:
                a |= points
            elif _SLOT_WORDS[slot] == 1:
                b |= points
            elif _SLOT_WORDS[slot] == 2:
                c |= points
            else:
                d |= points
    return a, b, c, d


@hot_kernel
def all_gains(w0, w1, extras):  # type: ignore[no-untyped-def]
    """Return the gains of a set of cards as `gains` does, whatever counts beside the plain versicole (R_EXTRAS).

    A card that lowers the worth of the set gains 0.
    """
    slots = slot_bits(w0, w1)
    if extras <= _DEMONIO_BIT:
        return gains(slots, extras != 0)
    return _one_by_one(w0, w1, slots, extras)


@kernel
def _higher(x, y):  # type: ignore[no-untyped-def]
    """Return the higher of each two bytes of two words."""
    out = ZERO
    for k in range(8):
        shift = U(8 * k)
        a, b = (x >> shift) & _BYTE, (y >> shift) & _BYTE
        out |= (a if a > b else b) << shift
    return out


@kernel
def _gains_of_others(views, j, extras):  # type: ignore[no-untyped-def]
    """Return the gains of the other players where everybody plays for himself: each the highest of any of them."""
    a, b, c, d = ZERO, ZERO, ZERO, ZERO
    for other in range(1, np.int64(views[j, V_COUNTS] >> U(56))):
        at = V_PILE + 2 * other
        e, f, g, h = all_gains(views[j, at], views[j, at + 1], extras)
        a, b, c, d = _higher(a, e), _higher(b, f), _higher(c, g), _higher(d, h)
    return a, b, c, d


@hot_kernel
def gains_of_side(views, j, side):  # type: ignore[no-untyped-def]
    """Return the gains of our side (0), or of the others (1), in view row j."""
    if not COUNTS_VERSICOLE[game_of(views, j)]:
        return ZERO, ZERO, ZERO, ZERO
    extras = extras_of(views, j)
    if side == 1 and for_himself(views, j):
        return _gains_of_others(views, j, extras)
    at = V_PILE + 2 * side
    return all_gains(views[j, at], views[j, at + 1], extras)


@hot_kernel
def slots_gone(views, j):  # type: ignore[no-untyped-def]
    """Return the slots that nobody can capture any more: in a pile, known to be out of play, or not in the pack."""
    out_0 = views[j, V_FOLA] | views[j, V_DISCARD] | views[j, V_DISCARD + 2] | views[j, V_PILE] | views[j, V_PILE + 2]
    out_1 = views[j, V_FOLA + 1] | views[j, V_DISCARD + 1] | views[j, V_DISCARD + 3]
    out_1 |= views[j, V_PILE + 1] | views[j, V_PILE + 3]
    out_0 |= views[j, V_PILE + 4] | views[j, V_PILE + 6]
    out_1 |= views[j, V_PILE + 5] | views[j, V_PILE + 7]
    return slot_bits(out_0, out_1) | _ABSENT[game_of(views, j)]
