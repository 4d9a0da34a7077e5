"""Counting, drawing and averaging the deals that a puzzle allows (`unseen`): kernels.

The table of a puzzle has a layer for each class counted and an entry for each number of cards used up in the joint
places, the largest place apart, whose number follows; entry (l, s) is the number of ways to place the first l classes
so that s is used up. Going back through it, a split of each class is drawn with its own probability, so that every deal
that fits is as likely as any other.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np

from minchiate_rl.agents.unseen import FORCE, MAX_JOINT, MERGE, N_KINDS, N_PLACES
from minchiate_rl.game.cards import FIRST_TRUMP, N_CARDS
from minchiate_rl.game.engine.bits import ONE, U, trailing_zeros
from minchiate_rl.game.engine.jit import kernel, owning_kernel
from minchiate_rl.game.engine.streams import bounded, mix

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_UNIT: Final = 1.0 / 9007199254740992.0
_FACTORIAL: Final = np.array([float(math.factorial(n)) for n in range(N_CARDS + 1)])


class Drawer(NamedTuple):
    """Scratch of `draw`."""

    cards: Any
    """uint8 (N_KINDS, 2 * N_CARDS): the classes' cards, those not yet placed first."""
    left: Any
    """int64 (N_KINDS,): how many are not yet placed."""
    heap: Any
    """uint8 (MAX_JOINT, N_CARDS): the cards of each joint place."""
    heaped: Any
    """int64 (MAX_JOINT,)."""
    split: Any
    """int64 (MAX_JOINT,): a split of a class over the joint places."""
    used: Any
    """int64 (MAX_JOINT,): cards used up in each joint place."""
    word: Any
    """uint64 (1,): the counter of the random stream."""
    out: Any
    """uint64 (N_PLACES, 2): the cards of each place, those known to lie there included."""


def new_drawer() -> Drawer:
    """Return scratch for one thread."""
    return Drawer(
        cards=np.zeros((N_KINDS, 2 * N_CARDS), np.uint8),
        left=np.zeros(N_KINDS, np.int64),
        heap=np.zeros((MAX_JOINT, N_CARDS), np.uint8),
        heaped=np.zeros(MAX_JOINT, np.int64),
        split=np.zeros(MAX_JOINT, np.int64),
        used=np.zeros(MAX_JOINT, np.int64),
        word=np.zeros(1, np.uint64),
        out=np.zeros((N_PLACES, 2), np.uint64),
    )


@kernel
def _first_split(split, may, cards):  # type: ignore[no-untyped-def]
    """Put all cards of a class into the first joint place that it may lie in."""
    for k in range(MAX_JOINT):
        split[k] = 0
    split[np.int64(trailing_zeros(U(may)))] = cards


@kernel
def _next_split(split, may):  # type: ignore[no-untyped-def]
    """Go on to the next split over the places of the set `may`; return False after the last one.

    The order is that of Nijenhuis and Wilf: Combinatorial Algorithms, 1978 (NEXCOM).
    """
    first = np.int64(trailing_zeros(U(may)))
    k = first
    while split[k] == 0:
        k += 1
    cards = split[k]
    after = k + 1
    while after < MAX_JOINT and (may >> after) & 1 == 0:
        after += 1
    if after == MAX_JOINT:
        return False
    split[k] = 0
    split[first] = cards - 1
    split[after] += 1
    return True


@kernel
def _ways(split, cards):  # type: ignore[no-untyped-def]
    """Return in how many ways the cards of a class can be split so."""
    ways = 1.0
    for k in range(MAX_JOINT):
        ways *= _FACTORIAL[split[k]]
    return _FACTORIAL[cards] / ways


@kernel
def _strides(puzzle, strides):  # type: ignore[no-untyped-def]
    """Fill the strides of the joint places in a layer, 0 for the last one; return the size of a layer."""
    size, last = 1, puzzle.counts[2] - 1
    for k in range(MAX_JOINT):
        strides[k] = 0
        if k < last:
            strides[k] = size
            size *= puzzle.room[k] + 1
    return size


@kernel
def _unpack(puzzle, state, strides, used):  # type: ignore[no-untyped-def]
    """Fill how much of each joint place is used up in a state."""
    for k in range(MAX_JOINT):
        used[k] = (state // strides[k]) % (puzzle.room[k] + 1) if strides[k] > 0 else 0


@kernel
def _shift(puzzle, split, strides, used, sign):  # type: ignore[no-untyped-def]
    """Return by how much a split moves a state (sign 1 or -1), or a number above any state if there is no room."""
    shift = 0
    for k in range(MAX_JOINT):
        if strides[k] > 0 and split[k] > 0:
            after = used[k] + sign * split[k]
            if after < 0 or after > puzzle.room[k]:
                return 1 << 40
            shift += sign * split[k] * strides[k]
    return shift


@owning_kernel
def count(puzzle, drawer):  # type: ignore[no-untyped-def]
    """Return the table of a puzzle, float64 (layers + 1, states): the full state is the last one of each layer."""
    strides = np.zeros(MAX_JOINT, np.int64)
    size = _strides(puzzle, strides)
    layers = puzzle.counts[1]
    table = np.zeros((layers + 1, size))
    table[0, 0] = 1.0
    split, used = drawer.split, drawer.used
    for layer in range(layers):
        kind = puzzle.order[layer]
        may, cards = puzzle.open[kind], puzzle.left[kind]
        if layer == layers - 1:
            # Only the full state matters: what is left over for the last class is forced.
            for k in range(MAX_JOINT):
                used[k] = puzzle.room[k]
            _first_split(split, may, cards)
            going = True
            while going:
                shift = _shift(puzzle, split, strides, used, -1)
                if shift <= 0:
                    table[layers, size - 1] += table[layer, size - 1 + shift] * _ways(split, cards)
                going = _next_split(split, may)
            break
        for state in range(size):
            ways = table[layer, state]
            if ways == 0.0:
                continue
            _unpack(puzzle, state, strides, used)
            _first_split(split, may, cards)
            going = True
            while going:
                shift = _shift(puzzle, split, strides, used, 1)
                if shift < size:
                    table[layer + 1, state + shift] += ways * _ways(split, cards)
                going = _next_split(split, may)
    return table


@kernel
def _random(drawer, n):  # type: ignore[no-untyped-def]
    """Return the next number from 0 to n - 1 (int64)."""
    drawer.word[0] += _GOLDEN
    return np.int64(bounded(mix(drawer.word[0]), U(n)))


@kernel
def _put(drawer, place, card):  # type: ignore[no-untyped-def]
    if card < FIRST_TRUMP:
        drawer.out[place, 0] |= ONE << U(card)
    else:
        drawer.out[place, 1] |= ONE << U(card - FIRST_TRUMP)


@kernel
def _pull(drawer, kind):  # type: ignore[no-untyped-def]
    """Take a card of a class by chance."""
    last = drawer.left[kind] - 1
    k = _random(drawer, last + 1)
    card = drawer.cards[kind, k]
    drawer.cards[kind, k] = drawer.cards[kind, last]
    drawer.left[kind] = last
    return np.int64(card)


@kernel
def _forced(puzzle, drawer):  # type: ignore[no-untyped-def]
    """Carry out the steps that were taken before counting."""
    for n in range(puzzle.counts[0]):
        what, kind, where = puzzle.steps[n, 0], puzzle.steps[n, 1], puzzle.steps[n, 2]
        if what == MERGE:
            # `where` is the class that joins.
            for k in range(drawer.left[where]):
                drawer.cards[kind, drawer.left[kind] + k] = drawer.cards[where, k]
            drawer.left[kind] += drawer.left[where]
        elif what == FORCE:
            for k in range(drawer.left[kind]):
                _put(drawer, where, np.int64(drawer.cards[kind, k]))
            drawer.left[kind] = 0
        else:
            for _ in range(puzzle.steps[n, 3]):
                _put(drawer, where, _pull(drawer, kind))


@kernel
def _choose_split(puzzle, drawer, table, layer, state, strides):  # type: ignore[no-untyped-def]
    """Draw a split of the class of a layer (from 0) that leads to a state of the next; return the state before it."""
    kind = puzzle.order[layer]
    may, cards = puzzle.open[kind], puzzle.left[kind]
    drawer.word[0] += _GOLDEN
    goal = np.float64(mix(drawer.word[0]) >> U(11)) * _UNIT * table[layer + 1, state]
    split, before, total = drawer.split, state, 0.0
    _unpack(puzzle, state, strides, drawer.used)
    _first_split(split, may, cards)
    while True:
        shift = _shift(puzzle, split, strides, drawer.used, -1)
        if shift <= 0 and table[layer, state + shift] > 0.0:
            total += table[layer, state + shift] * _ways(split, cards)
            before = state + shift
            if total > goal:
                return before
        if not _next_split(split, may):
            # Rounding alone leads here: the sum is the goal's own total, added in another order.
            return -1


@kernel
def _share(puzzle, drawer):  # type: ignore[no-untyped-def]
    """Give the cards of each joint place to the places that it is made of."""
    for k in range(puzzle.counts[2]):
        left = drawer.heaped[k]
        for place in range(N_PLACES):
            if (puzzle.joint[k] >> place) & 1 == 0:
                continue
            alone = puzzle.joint[k] == 1 << place
            for _ in range(puzzle.capacity[place]):
                at = left - 1 if alone else _random(drawer, left)
                _put(drawer, place, np.int64(drawer.heap[k, at]))
                left -= 1
                drawer.heap[k, at] = drawer.heap[k, left]


@owning_kernel
def draw(puzzle, drawer, table, key):  # type: ignore[no-untyped-def]
    """Draw one of the deals that fit, each with the same chance, by a key (uint64); it is left in `drawer.out`."""
    strides = np.zeros(MAX_JOINT, np.int64)
    size = _strides(puzzle, strides)
    drawer.word[0] = key
    while True:
        for place in range(N_PLACES):
            drawer.out[place, 0], drawer.out[place, 1] = puzzle.fixed[place, 0], puzzle.fixed[place, 1]
        for kind in range(N_KINDS):
            drawer.left[kind] = puzzle.size[kind]
            for k in range(puzzle.size[kind]):
                drawer.cards[kind, k] = puzzle.cards[kind, k]
        for k in range(MAX_JOINT):
            drawer.heaped[k] = 0
        _forced(puzzle, drawer)
        state = size - 1
        for back in range(puzzle.counts[1]):
            layer = puzzle.counts[1] - 1 - back
            state = _choose_split(puzzle, drawer, table, layer, state, strides)
            if state < 0:
                break
            kind = puzzle.order[layer]
            for k in range(MAX_JOINT):
                for _ in range(drawer.split[k]):
                    drawer.heap[k, drawer.heaped[k]] = _pull(drawer, kind)
                    drawer.heaped[k] += 1
        if state >= 0:
            break
    _share(puzzle, drawer)


@owning_kernel
def _backward(puzzle, drawer, size, strides):  # type: ignore[no-untyped-def]
    """Return the number of ways to place the later classes from each state of each layer on."""
    layers = puzzle.counts[1]
    back = np.zeros((layers + 1, size))
    back[layers, size - 1] = 1.0
    split, used = drawer.split, drawer.used
    for down in range(layers):
        layer = layers - 1 - down
        kind = puzzle.order[layer]
        for state in range(size):
            _unpack(puzzle, state, strides, used)
            _first_split(split, puzzle.open[kind], puzzle.left[kind])
            going = True
            while going:
                shift = _shift(puzzle, split, strides, used, 1)
                if shift < size and back[layer + 1, state + shift] > 0.0:
                    back[layer, state] += back[layer + 1, state + shift] * _ways(split, puzzle.left[kind])
                going = _next_split(split, puzzle.open[kind])
    return back


@owning_kernel
def _expect(puzzle, drawer, table, chances):  # type: ignore[no-untyped-def]
    """Fill chances (N_KINDS, N_PLACES) of the classes left: the share of each that lies in each place."""
    strides = np.zeros(MAX_JOINT, np.int64)
    size = _strides(puzzle, strides)
    back = _backward(puzzle, drawer, size, strides)
    layers, split, used = puzzle.counts[1], drawer.split, drawer.used
    for layer in range(layers):
        kind = puzzle.order[layer]
        cards = puzzle.left[kind]
        for state in range(size):
            if table[layer, state] == 0.0:
                continue
            _unpack(puzzle, state, strides, used)
            _first_split(split, puzzle.open[kind], cards)
            going = True
            while going:
                shift = _shift(puzzle, split, strides, used, 1)
                if shift < size and back[layer + 1, state + shift] > 0.0:
                    weight = table[layer, state] * _ways(split, cards) * back[layer + 1, state + shift]
                    weight /= table[layers, size - 1] * cards
                    for k in range(puzzle.counts[2]):
                        if split[k] > 0:
                            for place in range(N_PLACES):
                                if (puzzle.joint[k] >> place) & 1:
                                    part = puzzle.capacity[place] / puzzle.room[k]
                                    chances[kind, place] += weight * split[k] * part
                going = _next_split(split, puzzle.open[kind])


@kernel
def marginal(puzzle, drawer, table, chances, sizes):  # type: ignore[no-untyped-def]
    """Fill chances, float64 (N_KINDS, N_PLACES): the chance of a card of each kind to lie in each place.

    `sizes`, int64 (N_KINDS,), is scratch.
    """
    for kind in range(N_KINDS):
        sizes[kind] = puzzle.left[kind]
        for place in range(N_PLACES):
            chances[kind, place] = 0.0
    _expect(puzzle, drawer, table, chances)
    for back in range(puzzle.counts[0]):
        n = puzzle.counts[0] - 1 - back
        what, kind, where, cards = puzzle.steps[n, 0], puzzle.steps[n, 1], puzzle.steps[n, 2], puzzle.steps[n, 3]
        if what == MERGE:
            sizes[kind] -= cards
            sizes[where] = cards
            for place in range(N_PLACES):
                chances[where, place] = chances[kind, place]
        elif what == FORCE:
            sizes[kind] = cards
            chances[kind, where] = 1.0
        else:
            sizes[kind] += cards
            share = cards / sizes[kind]
            for place in range(N_PLACES):
                chances[kind, place] *= 1.0 - share
            chances[kind, where] += share
