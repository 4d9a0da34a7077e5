"""The tree of an information-set search (`ismcts`): flat arrays, and the kernels that grow it world by world.

A node stands for what the observer has seen since the root: the actions of all seats, in order. Cards that others lay
away face down are no part of it; a line ends in the tree where they would, and is played out. A node keeps what its
action brought the side that took it.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from minchiate_rl.agents.choice import legal_list
from minchiate_rl.agents.fused import advance
from minchiate_rl.agents.worlds import make_world, open_view, world_key
from minchiate_rl.game.actions import N_ACTIONS
from minchiate_rl.game.engine.bits import U
from minchiate_rl.game.engine.jit import kernel, owning_kernel
from minchiate_rl.game.engine.layout import KEY, LEDGER, LOG, NOBODY, PHASE, SCORE, SEAT, V_RULES, W
from minchiate_rl.game.engine.legal import legal_words
from minchiate_rl.game.engine.lockstep import step_slice
from minchiate_rl.game.engine.rows import copy_row
from minchiate_rl.game.engine.streams import bounded, stream_word
from minchiate_rl.game.seats import N_SEATS, Phase

_DISCARD: Final = np.uint64(Phase.DISCARD)
#: The domain of the words that choose among untried moves; those of the playouts are below it.
_DOMAIN: Final = np.uint64(8)


class Tree(NamedTuple):
    """The nodes of one decision; node 0 is the root. N is the capacity."""

    first: Any
    """int64 (N,): the newest child, -1 if there is none."""
    sibling: Any
    """int64 (N,): the next child of the same node, -1 behind the last one."""
    action: Any
    """int64 (N,): the action that leads to the node."""
    visits: Any
    """int64 (N,): lines that went through the node."""
    available: Any
    """int64 (N,): lines that could have, since the node is there."""
    sums: Any
    """float64 (N,): what these lines brought the side that chose the node; at the root, the observer's side."""
    size: Any
    """int64 (1,): the number of nodes."""

    def reset(self) -> None:
        """Leave nothing but the root."""
        self.first[0], self.size[0] = -1, 1
        self.visits[0], self.sums[0] = 0, 0.0


def new_tree(capacity: int) -> Tree:
    """Return a tree with room for so many nodes, the root included."""
    first, sibling, action, visits, available = np.zeros((5, capacity), np.int64)
    tree = Tree(first, sibling, action, visits, available, np.zeros(capacity), np.zeros(1, np.int64))
    tree.reset()
    return tree


class Scratch(NamedTuple):
    """What a line needs on its way; of one thread."""

    rows: Any
    """uint64 (2, W): the line, and the same world played out from the root."""
    log: Any
    ledger: Any
    codes: Any
    """int8 (2, 4): who plays out."""
    legal: Any
    """uint64 (1, 4)."""
    ids: Any
    """int64 (N_ACTIONS,): the legal actions of a node."""
    children: Any
    """int64 (N_ACTIONS,): their nodes, -1 where untried."""
    path: Any
    """int64 (LOG, 2): the nodes of the line below the root, and the sides that chose them."""
    action: Any
    """int16 (1,)."""


def new_scratch(playout: int) -> Scratch:
    """Return scratch whose lines are played out by a kernel agent's code (agents.fused)."""
    return Scratch(
        rows=np.zeros((2, W), np.uint64),
        log=np.zeros((2, LOG), np.uint8),
        ledger=np.zeros((2, LEDGER), np.uint32),
        codes=np.full((2, N_SEATS), playout, np.int8),
        legal=np.zeros((1, 4), np.uint64),
        ids=np.zeros(N_ACTIONS, np.int64),
        children=np.zeros(N_ACTIONS, np.int64),
        path=np.zeros((LOG, 2), np.int64),
        action=np.zeros(1, np.int16),
    )


@kernel
def _find_children(tree, node, n, scratch):  # type: ignore[no-untyped-def]
    """Fill the children of a node by its n legal actions and count them as available; return how many are untried."""
    untried = 0
    for k in range(n):
        child = tree.first[node]
        while child >= 0 and tree.action[child] != scratch.ids[k]:
            child = tree.sibling[child]
        scratch.children[k] = child
        if child < 0:
            untried += 1
        else:
            tree.available[child] += 1
    return untried


@kernel
def _pick(tree, node, n, scratch, prior, explore, word):  # type: ignore[no-untyped-def]
    """Return which of the n legal actions of a node is tried next (its place among them)."""
    untried = _find_children(tree, node, n, scratch)
    guided = node == 0 and prior.shape[0] > 0
    if untried > 0 and not guided:
        skip = np.int64(bounded(word, U(untried)))
        for k in range(n):
            if scratch.children[k] < 0:
                if skip == 0:
                    return k
                skip -= 1
    best, top = 0, -np.inf
    for k in range(n):
        child = scratch.children[k]
        if child < 0:
            # The urgency of an untried move: as if one line had brought what the lines of this node bring.
            lines = tree.visits[node]
            mean = tree.sums[node] / lines if lines > 0 else 0.0
            score = mean + prior[k] + explore * np.sqrt(np.log(lines + 1.0))
        else:
            lines = tree.visits[child]
            score = tree.sums[child] / lines + explore * np.sqrt(np.log(np.float64(tree.available[child])) / lines)
        if score > top:
            best, top = k, score
    return best


@kernel
def _add(tree, node, action):  # type: ignore[no-untyped-def]
    """Add a child; return it, or -1 if the tree is full."""
    child = tree.size[0]
    if child == tree.first.shape[0]:
        return np.int64(-1)
    tree.size[0] = child + 1
    tree.first[child], tree.sibling[child], tree.action[child] = -1, tree.first[node], action
    tree.visits[child], tree.available[child], tree.sums[child] = 0, 1, 0.0
    tree.first[node] = child
    return child


@kernel
def _descend(tree, scratch, prior, rule, explore, seat):  # type: ignore[no-untyped-def]
    """Take the line in row 0 down the tree and one action beyond it; return how many nodes it went through."""
    rows = scratch.rows
    key = rows[0, KEY]
    node, depth = np.int64(0), 0
    while rows[0, SEAT] != NOBODY:
        mover = np.int64(rows[0, SEAT])
        if mover != seat and rows[0, PHASE] == _DISCARD:
            return depth
        w0, w1, w2, w3 = legal_words(rows, 0, rule)
        scratch.legal[0, 0], scratch.legal[0, 1], scratch.legal[0, 2], scratch.legal[0, 3] = w0, w1, w2, w3
        n = legal_list(scratch.legal, 0, scratch.ids)
        k = _pick(tree, node, n, scratch, prior, explore, stream_word(key, _DOMAIN, U(depth)))
        action, child = scratch.ids[k], scratch.children[k]
        scratch.action[0] = np.int16(action)
        step_slice(rows, scratch.log, scratch.ledger, rule, scratch.action, 0, 1)
        fresh = child < 0
        if fresh:
            child = _add(tree, node, action)
            if child < 0:
                return depth
        scratch.path[depth, 0], scratch.path[depth, 1] = child, mover & 1
        depth += 1
        if fresh:
            return depth
        node = child
    return depth


@kernel
def _lead(rows, i, side):  # type: ignore[no-untyped-def]
    """Return the points that a side is ahead by in row i."""
    return np.int64(rows[i, SCORE + side]) - np.int64(rows[i, SCORE + 1 - side])


@owning_kernel
def grow(views, j, word, prior, tree, scratch, workshop, rule, explore, first, last):  # type: ignore[no-untyped-def]
    """Grow the tree of view row j by a line in each of the worlds first to last - 1.

    `prior`, float64 (K,), is what the guide says of each legal action in points; empty without a guide. `explore` is
    the weight of UCB's bonus in points. Tree, scratch and workshop are modified in place. Return whether the view fits
    any deal; if it does not, nothing has grown.
    """
    solved, table = open_view(views, j, workshop)
    if not solved:
        return False
    seat = np.int64(views[j, V_RULES] >> U(56))
    side = seat & 1
    rows = scratch.rows
    for w in range(first, last):
        make_world(workshop, table, world_key(word, w), seat, rows, 0)
        copy_row(rows, 0, rows, 1)
        depth = _descend(tree, scratch, prior, rule, explore, seat)
        advance(rows, scratch.log, scratch.ledger, rule, scratch.codes, 0, 2)
        gain = np.float64(_lead(rows, 0, side) - _lead(rows, 1, side))
        tree.visits[0] += 1
        tree.sums[0] += gain
        for d in range(depth):
            node = scratch.path[d, 0]
            tree.visits[node] += 1
            tree.sums[node] += gain if scratch.path[d, 1] == side else -gain
    return True
