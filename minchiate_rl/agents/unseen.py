"""The cards that a viewer cannot place, where each of them may lie, and in how many ways.

Places are the three other hands, the hidden part of the fola (a place for each suit and one for the trumps, since their
numbers are told) and the hidden discards of cutter and dealer. Cards that may lie in the same places are one class:
play tells suits apart by the voids that it has shown, kings by the king rule, the fola and the discards by what may be
in them. How many cards of each class lie in each place is a contingency table with fixed margins, and each table stands
for as many deals as there are ways to choose the cards: the classes are worked through one by one, and for each number
of cards used up in each place the deals are counted (dynamic programming). What is forced is taken out first: a place
that one class alone may fill, a class that may lie in one place alone; places that take the same classes are filled as
one. In mid-hand three classes remain, those that one of the three hands lacks, beside that which any may hold.

The counts are exact for the classic rules but for two corners: a discarder without other cards who must lay away
counting ones (docs/rules.md, U-5), and `take_29 = "if_usable"`, where a 29 in the fola says that the dealer lacked its
neighbours.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from minchiate_rl.agents.sight import byte_of
from minchiate_rl.game.actions import DIECINE, FIRST_RUN, LAST_RUN, N_VERSICOLE, PAPI, REGI
from minchiate_rl.game.cards import FIRST_TRUMP, N_CARDS, SUIT_SIZE
from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount, trailing_zeros
from minchiate_rl.game.engine.deal import UNDISCARDABLE_0, UNDISCARDABLE_1
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    MATTO_BIT,
    NO_CARD,
    SUIT_BITS,
    TRUMP_BITS,
    V_COUNTS,
    V_DECLARED,
    V_DISCARD,
    V_FACTS,
    V_FOLA,
    V_HAND,
    V_KNOWN,
    V_PILE,
    V_PLAYED,
    V_RULES,
    V_SHOWN,
    V_TABLE,
    V_TURN,
)
from minchiate_rl.game.engine.versicole import KING_BITS, TENS_BITS
from minchiate_rl.game.rules import TAKE_29
from minchiate_rl.game.seats import Phase

#: Places: hands of r = 1 to 3, the fola's cards of each suit, its trumps, discards of the cutter and of the dealer.
N_PLACES: Final = 10
FOLA_SUIT: Final = 3
FOLA_TRUMPS: Final = 7
DISCARDS: Final = 8

#: Kinds of cards: plain ones of each suit, each king, trumps without points, the 29, counting trumps, the Matto; then
#: those that cutter and dealer have shown and may have discarded since, then single cards that a declaration excludes.
N_KINDS: Final = 22
_KINGS: Final = 4
_TRUMPS: Final = 8
_T29: Final = 9
_COUNTING: Final = 10
_MATTO: Final = 11
_SHOWN: Final = 12
_EXCLUDED: Final = 14

#: What is done to the classes before counting, in order: (what, class, place or class, cards).
PEEL: Final = 0
MERGE: Final = 1
FORCE: Final = 2
_MAX_STEPS: Final = 64
#: Places that are filled as one, at most.
MAX_JOINT: Final = 6

_ALL_0: Final = np.uint64((1 << FIRST_TRUMP) - 1)
_ALL_1: Final = np.uint64((1 << (N_CARDS - FIRST_TRUMP)) - 1)
_KING: Final = np.uint64(1 << (SUIT_SIZE - 1))
_T29_BIT: Final = np.uint64(1 << 28)
_HAND_SIZE: Final = 21
_FIRST_RUN_BIT: Final = 27
_LAST_BIT: Final = 39
_PAPI_3: Final = np.uint64(1 << 2)
_PAPI_BITS: Final = np.uint64(0x1F)
_ALWAYS: Final = TAKE_29.index("always")
_DISCARD: Final = int(Phase.DISCARD)
_HANDS: Final = 0b111
_TRUMP_SUIT: Final = 4


class Puzzle(NamedTuple):
    """What is known of the unseen cards of one view; arrays that `read` fills anew."""

    capacity: Any
    """int64 (N_PLACES,): cards that each place still takes."""
    fixed: Any
    """uint64 (N_PLACES, 2): cards that a place is known to hold besides: those shown in a hand."""
    cards: Any
    """uint8 (N_KINDS, N_CARDS): the cards of each class, which take the place of the kinds one by one."""
    size: Any
    """int64 (N_KINDS,): cards of each class."""
    reach: Any
    """int64 (N_KINDS,): the places where a class may lie, a bit each."""
    steps: Any
    """int64 (_MAX_STEPS, 4): what `simplify` has done."""
    counts: Any
    """int64 (4,): the number of steps, of classes left, of joint places, and of layers of the table."""
    order: Any
    """int64 (N_KINDS,): the classes left, in the order of counting."""
    left: Any
    """int64 (N_KINDS,): cards of each class after the steps."""
    joint: Any
    """int64 (MAX_JOINT,): the places that are filled as one, a bit each; the last one is the largest."""
    room: Any
    """int64 (MAX_JOINT,): cards that a joint place takes."""
    open: Any
    """int64 (N_KINDS,): the joint places where each class left may lie, a bit each."""


def new_puzzle() -> Puzzle:
    """Return arrays for one view."""
    return Puzzle(
        capacity=np.zeros(N_PLACES, np.int64),
        fixed=np.zeros((N_PLACES, 2), np.uint64),
        cards=np.zeros((N_KINDS, N_CARDS), np.uint8),
        size=np.zeros(N_KINDS, np.int64),
        reach=np.zeros(N_KINDS, np.int64),
        steps=np.zeros((_MAX_STEPS, 4), np.int64),
        counts=np.zeros(4, np.int64),
        order=np.zeros(N_KINDS, np.int64),
        left=np.zeros(N_KINDS, np.int64),
        joint=np.zeros(MAX_JOINT, np.int64),
        room=np.zeros(MAX_JOINT, np.int64),
        open=np.zeros(N_KINDS, np.int64),
    )


@kernel
def _unseen(views, j):  # type: ignore[no-untyped-def]
    """Return the cards whose place the viewer does not know, as two words."""
    known_0, known_1 = views[j, V_HAND] | views[j, V_FOLA], views[j, V_HAND + 1] | views[j, V_FOLA + 1]
    known_0 |= views[j, V_DISCARD] | views[j, V_DISCARD + 2] | views[j, V_PILE] | views[j, V_PILE + 2]
    known_1 |= views[j, V_DISCARD + 1] | views[j, V_DISCARD + 3] | views[j, V_PILE + 1] | views[j, V_PILE + 3]
    for r in range(4):
        known_0 |= views[j, V_PLAYED + 2 * r] | views[j, V_SHOWN + 2 * r]
        known_1 |= views[j, V_PLAYED + 2 * r + 1] | views[j, V_SHOWN + 2 * r + 1]
        card = byte_of(views[j, V_TABLE], r)
        if card < FIRST_TRUMP:
            known_0 |= ONE << U(card)
        elif card < N_CARDS:
            known_1 |= ONE << U(card - FIRST_TRUMP)
    return ~known_0 & _ALL_0, ~known_1 & _ALL_1


@kernel
def _add(puzzle, kind, w0, w1, reach):  # type: ignore[no-untyped-def]
    """Fill a class with cards and the places where they may lie."""
    n = 0
    while w0 != ZERO:
        puzzle.cards[kind, n] = np.uint8(trailing_zeros(w0))
        w0 &= w0 - ONE
        n += 1
    while w1 != ZERO:
        puzzle.cards[kind, n] = np.uint8(trailing_zeros(w1) + U(FIRST_TRUMP))
        w1 &= w1 - ONE
        n += 1
    puzzle.size[kind] = n
    for place in range(N_PLACES):
        if puzzle.capacity[place] == 0:
            reach &= ~(1 << place)
    puzzle.reach[kind] = reach


@kernel
def _measure(views, j, puzzle):  # type: ignore[no-untyped-def]
    """Fill the capacities of all places: how many cards of each are not known."""
    facts, turn, table, counts = views[j, V_FACTS], views[j, V_TURN], views[j, V_TABLE], views[j, V_COUNTS]
    dealer = byte_of(turn, 2)
    cutter = (dealer + 3) & 3
    for place in range(N_PLACES):
        puzzle.capacity[place], puzzle.fixed[place, 0], puzzle.fixed[place, 1] = 0, ZERO, ZERO
    to_act, waiting = byte_of(turn, 1), byte_of(facts, 7)
    discarding = byte_of(turn, 0) == _DISCARD
    for k in range(2):
        pending = 0
        who = cutter if k == 0 else dealer
        if discarding:
            pending = waiting if to_act == who else (byte_of(facts, k) if k == 1 else 0)
        seen = np.int64(popcount(views[j, V_DISCARD + 2 * k]) + popcount(views[j, V_DISCARD + 2 * k + 1]))
        puzzle.capacity[DISCARDS + k] = byte_of(facts, k) - pending - seen
        if who > 0:
            puzzle.capacity[who - 1] += pending
    for r in range(1, 4):
        gone = np.int64(popcount(views[j, V_PLAYED + 2 * r]) + popcount(views[j, V_PLAYED + 2 * r + 1]))
        gone += byte_of(table, r) < N_CARDS
        puzzle.capacity[r - 1] += _HAND_SIZE - gone
    for suit in range(4):
        told = byte_of(counts, suit)
        if told != np.int64(NO_CARD):
            seen = np.int64(popcount((views[j, V_FOLA] >> U(SUIT_SIZE * suit)) & SUIT_BITS))
            puzzle.capacity[FOLA_SUIT + suit] = told - seen
    puzzle.capacity[FOLA_TRUMPS] = byte_of(facts, 6) - np.int64(popcount(views[j, V_FOLA + 1]))


@kernel
def _shown(views, j, puzzle):  # type: ignore[no-untyped-def]
    """Take what has been shown in the hands out of the capacities, but for what may have been discarded since."""
    dealer = byte_of(views[j, V_TURN], 2)
    hidden_suits = byte_of(views[j, V_FACTS], 2) == 0
    for r in range(1, 4):
        w0, w1 = views[j, V_SHOWN + 2 * r], views[j, V_SHOWN + 2 * r + 1]
        doubt_0, doubt_1 = ZERO, ZERO
        k = 1 if r == dealer else 0
        if (r == dealer or r == (dealer + 3) & 3) and puzzle.capacity[DISCARDS + k] > 0:
            doubt_0 = w0 & ~UNDISCARDABLE_0 if hidden_suits else ZERO
            doubt_1 = w1 & ~UNDISCARDABLE_1
            _add(puzzle, _SHOWN + k, doubt_0, doubt_1, (1 << (r - 1)) | (1 << (DISCARDS + k)))
        w0, w1 = w0 & ~doubt_0, w1 & ~doubt_1
        puzzle.fixed[r - 1, 0], puzzle.fixed[r - 1, 1] = w0, w1
        puzzle.capacity[r - 1] -= np.int64(popcount(w0) + popcount(w1))


@kernel
def _ends_of_run(held, run, lowest, highest):  # type: ignore[no-untyped-def]
    """Return the trumps next to a run of those held, which begins as `run`, between two bits (uint64)."""
    while (run << ONE) & held & ~run != ZERO or (run >> ONE) & held & ~run != ZERO:
        run |= ((run << ONE) | (run >> ONE)) & held
    below, above = run >> ONE, run << ONE
    return (below | above) & ~run & ((highest << ONE) - ONE) & ~(lowest - ONE)


@kernel
def _excluded(views, j, r):  # type: ignore[no-untyped-def]
    """Return the cards, as two words, that seat r cannot have held when it declared, since versicole are shown whole.

    These are the neighbours of a run, and the ten or the king that was not among those shown.
    """
    declared = views[j, V_DECLARED + r]
    out_0, out_1 = ZERO, ZERO
    if declared == ZERO:
        return out_0, out_1
    held_0 = views[j, V_SHOWN + 2 * r] | views[j, V_PLAYED + 2 * r]
    held_1 = views[j, V_SHOWN + 2 * r + 1] | views[j, V_PLAYED + 2 * r + 1]
    card = byte_of(views[j, V_TABLE], r)
    if card < FIRST_TRUMP:
        held_0 |= ONE << U(card)
    elif card < N_CARDS:
        held_1 |= ONE << U(card - FIRST_TRUMP)
    declared |= declared >> U(N_VERSICOLE)
    for k in range(FIRST_RUN, LAST_RUN + 1):
        if (declared >> U(k)) & ONE != ZERO:
            first = ONE << U(_FIRST_RUN_BIT + k - FIRST_RUN)
            out_1 |= _ends_of_run(held_1, first, ONE << U(_FIRST_RUN_BIT), ONE << U(_LAST_BIT))
    if (declared >> U(PAPI)) & ONE != ZERO:
        out_1 |= _ends_of_run(held_1 & _PAPI_BITS, _PAPI_3, ONE, ONE << U(4))
    if (declared >> U(DIECINE)) & ONE != ZERO:
        out_1 |= TENS_BITS & ~held_1
    if (declared >> U(REGI)) & ONE != ZERO:
        out_0 |= KING_BITS & ~held_0
    return out_0, out_1


@kernel
def _exclude(views, j, puzzle):  # type: ignore[no-untyped-def]
    """Make classes of their own of the cards that declarations exclude from a hand."""
    kind = _EXCLUDED
    for r in range(1, 4):
        w0, w1 = _excluded(views, j, r)
        if w0 | w1 == ZERO:
            continue
        for own in range(_KINGS, kind):
            n = 0
            while n < puzzle.size[own]:
                card = np.int64(puzzle.cards[own, n])
                word, bit = (w0, card) if card < FIRST_TRUMP else (w1, card - FIRST_TRUMP)
                n += 1
                if (word >> U(bit)) & ONE == ZERO:
                    continue
                reach = puzzle.reach[own] & ~(1 << (r - 1))
                if own >= _EXCLUDED:
                    puzzle.reach[own] = reach
                    continue
                n -= 1
                last = puzzle.size[own] - 1
                puzzle.cards[own, n], puzzle.size[own] = puzzle.cards[own, last], last
                puzzle.cards[kind, 0], puzzle.size[kind], puzzle.reach[kind] = card, 1, reach
                kind += 1


@kernel
def _hands_with(known, suit):  # type: ignore[no-untyped-def]
    """Return the hands that may hold a suit, a bit each."""
    hands = 0
    for r in range(1, 4):
        if (known >> U(5 * r + suit)) & ONE == ZERO:
            hands |= 1 << (r - 1)
    return hands


@kernel
def read(views, j, puzzle):  # type: ignore[no-untyped-def]
    """Fill the puzzle with the classes and places of view row j; return whether all unseen cards have a place."""
    for kind in range(N_KINDS):
        puzzle.size[kind], puzzle.reach[kind] = 0, 0
    w0, w1 = _unseen(views, j)
    known = views[j, V_KNOWN]
    _measure(views, j, puzzle)
    _shown(views, j, puzzle)
    hidden = 0 if byte_of(views[j, V_FACTS], 2) != 0 else 0b11 << DISCARDS
    for suit in range(4):
        plain = SUIT_BITS << U(SUIT_SIZE * suit)
        king = _KING << U(SUIT_SIZE * suit)
        hands = _hands_with(known, suit)
        _add(puzzle, suit, w0 & plain & ~king, ZERO, hands | hidden | (1 << (FOLA_SUIT + suit)))
        for r in range(1, 4):
            if (known >> U(20 + 4 * r + suit)) & ONE != ZERO:
                hands &= ~(1 << (r - 1))
        _add(puzzle, _KINGS + suit, w0 & king, ZERO, hands)
    hands, out = _hands_with(known, _TRUMP_SUIT), 1 << FOLA_TRUMPS
    _add(puzzle, _TRUMPS, ZERO, w1 & TRUMP_BITS & ~UNDISCARDABLE_1, hands | out | (0b11 << DISCARDS))
    with_29 = hands if byte_of(views[j, V_RULES], 3) == _ALWAYS else hands | out
    _add(puzzle, _T29, ZERO, w1 & _T29_BIT, with_29)
    _add(puzzle, _COUNTING, ZERO, w1 & UNDISCARDABLE_1 & TRUMP_BITS & ~_T29_BIT, hands)
    _add(puzzle, _MATTO, ZERO, w1 & MATTO_BIT, _HANDS)
    _exclude(views, j, puzzle)
    return _is_sound(puzzle)


@kernel
def _is_sound(puzzle):  # type: ignore[no-untyped-def]
    """Return whether there is a place for every card, and a card for every place."""
    cards, room = 0, 0
    for place in range(N_PLACES):
        if puzzle.capacity[place] < 0:
            return False
        room += puzzle.capacity[place]
    for kind in range(N_KINDS):
        if puzzle.size[kind] > 0 and puzzle.reach[kind] == 0:
            return False
        cards += puzzle.size[kind]
    return cards == room


@kernel
def _step(puzzle, what, kind, where, cards):  # type: ignore[no-untyped-def]
    n = puzzle.counts[0]
    puzzle.steps[n, 0], puzzle.steps[n, 1], puzzle.steps[n, 2], puzzle.steps[n, 3] = what, kind, where, cards
    puzzle.counts[0] = n + 1


@kernel
def _only_bit(bits):  # type: ignore[no-untyped-def]
    """Return the position of the bit of a set (int64) that has one member alone, else -1."""
    return np.int64(trailing_zeros(U(bits))) if bits != 0 and bits & (bits - 1) == 0 else -1


@kernel
def _close(puzzle, place):  # type: ignore[no-untyped-def]
    """Let no class lie in a place that is full."""
    puzzle.capacity[place] = 0
    for kind in range(N_KINDS):
        puzzle.reach[kind] &= ~(1 << place)


@kernel
def _simplify_once(puzzle):  # type: ignore[no-untyped-def]
    """Take a forced step, or merge two classes; return 1 if there was one, 0 if there is none, -1 if nothing fits."""
    for kind in range(N_KINDS):
        size = puzzle.left[kind]
        if size == 0:
            continue
        place = _only_bit(puzzle.reach[kind])
        if place >= 0:
            if puzzle.capacity[place] < size:
                return -1
            _step(puzzle, FORCE, kind, place, size)
            puzzle.left[kind] = 0
            puzzle.capacity[place] -= size
            if puzzle.capacity[place] == 0:
                _close(puzzle, place)
            return 1
        if puzzle.reach[kind] == 0:
            return -1
        for other in range(kind):
            if puzzle.left[other] > 0 and puzzle.reach[other] == puzzle.reach[kind]:
                _step(puzzle, MERGE, other, kind, size)
                puzzle.left[other] += size
                puzzle.left[kind] = 0
                return 1
    for place in range(N_PLACES):
        if puzzle.capacity[place] == 0:
            continue
        takers = 0
        for kind in range(N_KINDS):
            if puzzle.left[kind] > 0 and (puzzle.reach[kind] >> place) & 1:
                takers |= 1 << kind
        kind = _only_bit(takers)
        if kind >= 0:
            cards = puzzle.capacity[place]
            if puzzle.left[kind] < cards:
                return -1
            _step(puzzle, PEEL, kind, place, cards)
            puzzle.left[kind] -= cards
            _close(puzzle, place)
            return 1
        if takers == 0:
            return -1
    return 0


@kernel
def _join(puzzle):  # type: ignore[no-untyped-def]
    """Join the places that take the same classes; return False if more remain than there is room for."""
    n = 0
    for place in range(N_PLACES):
        if puzzle.capacity[place] == 0:
            continue
        like = -1
        for k in range(n):
            first = np.int64(trailing_zeros(U(puzzle.joint[k])))
            same = True
            for kind in range(N_KINDS):
                reach = puzzle.reach[kind]
                if puzzle.left[kind] > 0 and ((reach >> place) ^ (reach >> first)) & 1:
                    same = False
            if same:
                like = k
        if like < 0:
            if n == MAX_JOINT:
                return False
            like = n
            puzzle.joint[n], puzzle.room[n] = 0, 0
            n += 1
        puzzle.joint[like] |= 1 << place
        puzzle.room[like] += puzzle.capacity[place]
    puzzle.counts[2] = n
    if n > 0:
        largest = 0
        for k in range(n):
            if puzzle.room[k] > puzzle.room[largest]:
                largest = k
        last = n - 1
        puzzle.joint[largest], puzzle.joint[last] = puzzle.joint[last], puzzle.joint[largest]
        puzzle.room[largest], puzzle.room[last] = puzzle.room[last], puzzle.room[largest]
    return True


@kernel
def _put_in_order(puzzle):  # type: ignore[no-untyped-def]
    """List the classes left, those with the fewest ways to split first, and where each may lie."""
    n = 0
    for kind in range(N_KINDS):
        if puzzle.left[kind] == 0:
            continue
        may = 0
        for k in range(puzzle.counts[2]):
            if (puzzle.reach[kind] >> np.int64(trailing_zeros(U(puzzle.joint[k])))) & 1:
                may |= 1 << k
        puzzle.open[kind] = may
        at = n
        while at > 0:
            before = puzzle.order[at - 1]
            more = np.int64(popcount(U(puzzle.open[before]))) - np.int64(popcount(U(may)))
            if more < 0 or (more == 0 and puzzle.left[before] <= puzzle.left[kind]):
                break
            puzzle.order[at] = before
            at -= 1
        puzzle.order[at] = kind
        n += 1
    puzzle.counts[1] = n


@kernel
def simplify(puzzle):  # type: ignore[no-untyped-def]
    """Take every forced step, join places, put the classes that are left in order; return whether a deal fits."""
    puzzle.counts[0] = 0
    for kind in range(N_KINDS):
        puzzle.left[kind] = puzzle.size[kind]
    taken = 1
    while taken == 1:
        taken = _simplify_once(puzzle)
    if taken < 0 or not _join(puzzle):
        return False
    _put_in_order(puzzle)
    return True
