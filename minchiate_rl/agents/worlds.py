"""Worlds: complete deals that fit what a seat has seen, drawn with equal chances, and the exact chances themselves.

A world is a row of the engine, so that search can play on from it. It is made from the view and from nothing else
(`replica`), with the unseen cards put where they may lie (`unseen`, `allot`): the voids, kings, counts and shown cards
of a world tell the viewer what those of the real deal do. There is no way back to the true deal, not even where a view
allows few worlds.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.allot import Drawer, count, draw, marginal, new_drawer
from minchiate_rl.agents.replica import rebuild
from minchiate_rl.agents.unseen import (
    DISCARDS,
    FOLA_SUIT,
    FOLA_TRUMPS,
    MERGE,
    N_KINDS,
    N_PLACES,
    PEEL,
    Puzzle,
    new_puzzle,
    read,
    simplify,
)
from minchiate_rl.errors import AgentError
from minchiate_rl.game.cards import FIRST_TRUMP, N_CARDS
from minchiate_rl.game.engine.jit import kernel, owning_kernel
from minchiate_rl.game.engine.layout import DECISION, DISCARD, FOLA, HAND, KEY, V_RULES, W
from minchiate_rl.game.engine.rows import copy_row
from minchiate_rl.game.engine.streams import DOMAIN_SEAT, stream_word
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.views.view import Views

#: What `marginals` tells of each card, in this order.
PLACES: Final = (
    "hand of next",
    "hand of partner",
    "hand of previous",
    "fola",
    "discards of the cutter",
    "discards of the dealer",
)

Words = npt.NDArray[np.uint64]


def new_workshop() -> tuple[Puzzle, Drawer, Words]:
    """Return scratch for one thread: puzzle, drawer, and the row of what the viewer knows, uint64 (1, W)."""
    return new_puzzle(), new_drawer(), np.zeros((1, W), np.uint64)


def _why_not(rules: RuleSet) -> str:
    """Return why a view does not tell enough under these rules to make worlds, or nothing."""
    if rules.game != "minchiate":
        return f"makes worlds of the game minchiate alone; the rules {rules.name} are of {rules.game}"
    if rules.memory != "perfect":
        return f"needs memory = 'perfect'; the rules {rules.name} have {rules.memory!r}"
    if rules.rob_limit is None:
        return f"needs a rob_limit; the rules {rules.name} have none"
    return ""


def makes_worlds(rules: RuleSet) -> bool:
    """Return whether a view tells enough under these rules to make worlds."""
    return not _why_not(rules)


def check_rules(rules: RuleSet, who: str) -> None:
    """Refuse rules under which a view does not tell enough to make worlds.

    Raises:
        AgentError: another game than minchiate, tricks that are forgotten, or robbing without a limit.
    """
    reason = _why_not(rules)
    if reason:
        raise AgentError(f"{who}: {reason}")


@owning_kernel
def open_view(views, j, workshop):  # type: ignore[no-untyped-def]
    """Read view row j; return whether it can be solved, and the table of its worlds."""
    puzzle, drawer, base = workshop
    if not read(views, j, puzzle) or not simplify(puzzle):
        return False, np.zeros((1, 1))
    rebuild(views, j, base, 0)
    return True, count(puzzle, drawer)


@kernel
def make_world(workshop, table, key, seat, rows, i):  # type: ignore[no-untyped-def]
    """Fill row i with a world of the view that was opened, drawn by a key (uint64); `seat` is the viewer (int64)."""
    puzzle, drawer, base = workshop
    draw(puzzle, drawer, table, key)
    copy_row(base, 0, rows, i)
    rows[i, KEY] = key
    for word in range(2):
        for r in range(1, 4):
            rows[i, HAND + 2 * ((seat + r) & 3) + word] = drawer.out[r - 1, word]
        for place in range(FOLA_SUIT, FOLA_TRUMPS + 1):
            rows[i, FOLA + word] |= drawer.out[place, word]
        for k in range(2):
            rows[i, DISCARD + 2 * k + word] |= drawer.out[DISCARDS + k, word]


@kernel
def world_key(word, w):  # type: ignore[no-untyped-def]
    """Return the key of world w (int64) of a decision that was given a random word."""
    return stream_word(word, DOMAIN_SEAT, np.uint64(w))


@owning_kernel
def _sample(views, words, workshop, n, rows):  # type: ignore[no-untyped-def]
    """Fill rows (M * n, W) with n worlds a view; return the first view that cannot be solved, or -1."""
    for j in range(views.shape[0]):
        solved, table = open_view(views, j, workshop)
        if not solved:
            return j
        seat = np.int64(views[j, V_RULES] >> np.uint64(56))
        for w in range(n):
            make_world(workshop, table, world_key(words[j], w), seat, rows, j * n + w)
            rows[j * n + w, DECISION] = np.uint64(0)
    return -1


@owning_kernel
def _number(views, workshop, out):  # type: ignore[no-untyped-def]
    """Fill out (M,) with the number of worlds of each view; return the first that cannot be solved, or -1."""
    for j in range(views.shape[0]):
        solved, table = open_view(views, j, workshop)
        if not solved:
            return j
        puzzle = workshop[0]
        ways = table[table.shape[0] - 1, table.shape[1] - 1]
        out[j] = ways * _orders(puzzle)
    return -1


@kernel
def _choose(n, k):  # type: ignore[no-untyped-def]
    """Return the binomial coefficient as float64."""
    out = 1.0
    for m in range(k):
        out = out * (n - m) / (m + 1)
    return out


@owning_kernel
def _orders(puzzle):  # type: ignore[no-untyped-def]
    """Return in how many ways the cards of a table can be chosen beside those that it counts itself."""
    out = 1.0
    sizes = np.zeros(N_KINDS, np.int64)
    for kind in range(N_KINDS):
        sizes[kind] = puzzle.size[kind]
    for n in range(puzzle.counts[0]):
        what, kind, where, cards = puzzle.steps[n, 0], puzzle.steps[n, 1], puzzle.steps[n, 2], puzzle.steps[n, 3]
        if what == PEEL:
            out *= _choose(sizes[kind], cards)
            sizes[kind] -= cards
        elif what == MERGE:
            sizes[kind] += sizes[where]
            sizes[where] = 0
        else:
            sizes[kind] = 0
    for k in range(puzzle.counts[2]):
        left = puzzle.room[k]
        for place in range(N_PLACES):
            if (puzzle.joint[k] >> place) & 1:
                out *= _choose(left, puzzle.capacity[place])
                left -= puzzle.capacity[place]
    return out


@owning_kernel
def _marginals(views, workshop, chances, sizes, out):  # type: ignore[no-untyped-def]
    """Fill out (M, N_CARDS, 6); return the first view that cannot be solved, or -1."""
    puzzle, drawer, _ = workshop
    for j in range(views.shape[0]):
        solved, table = open_view(views, j, workshop)
        if not solved:
            return j
        marginal(puzzle, drawer, table, chances, sizes)
        for place in range(N_PLACES):
            column = place if place < FOLA_SUIT else (3 if place <= FOLA_TRUMPS else 4 + place - DISCARDS)
            for kind in range(N_KINDS):
                for k in range(puzzle.size[kind]):
                    out[j, puzzle.cards[kind, k], column] += chances[kind, place]
            for card in range(N_CARDS):
                word, bit = (0, card) if card < FIRST_TRUMP else (1, card - FIRST_TRUMP)
                if (puzzle.fixed[place, word] >> np.uint64(bit)) & np.uint64(1) != np.uint64(0):
                    out[j, card, column] = 1.0
    return -1


def sample(views: Views, words: Words, n: int) -> Words:
    """Return n worlds of each view as rows of the engine, uint64 (M, n, W).

    Every deal that fits is as likely as any other. The rows stand where the views stand; their ledgers begin empty.

    Args:
        views: M views of the game minchiate.
        words: uint64 (M,), a random word each: the same word gives the same worlds, of which the first k are the
            same for every n.
        n: the number of worlds.

    Raises:
        AgentError: rules under which no worlds are made (`check_rules`), or views that are none of a running hand.
    """
    check_rules(views.rules, "worlds")
    rows = np.zeros((len(views) * n, W), np.uint64)
    seeds = np.ascontiguousarray(words, dtype=np.uint64)
    _refuse(_sample(np.ascontiguousarray(views.words), seeds, new_workshop(), n, rows))
    return rows.reshape(len(views), n, W)


def number(views: Views) -> npt.NDArray[np.float64]:
    """Return the number of worlds of each view, float64 (M,).

    Raises:
        AgentError: as `sample`.
    """
    check_rules(views.rules, "worlds")
    out = np.zeros(len(views))
    _refuse(_number(np.ascontiguousarray(views.words), new_workshop(), out))
    return out


def marginals(views: Views) -> npt.NDArray[np.float64]:
    """Return the exact chances of where each card lies if all worlds are equally likely.

    Returns:
        float64 (M, 97, 6), the last axis in the order of PLACES. Cards that the viewer can place are certain in the
        hand where they have been shown, and 0 everywhere if they are elsewhere.

    Raises:
        AgentError: as `sample`.
    """
    check_rules(views.rules, "worlds")
    out = np.zeros((len(views), N_CARDS, len(PLACES)))
    chances, sizes = np.zeros((N_KINDS, N_PLACES)), np.zeros(N_KINDS, np.int64)
    _refuse(_marginals(np.ascontiguousarray(views.words), new_workshop(), chances, sizes, out))
    return out


def _refuse(view: int) -> None:
    if view >= 0:
        raise AgentError(f"worlds: view {view} fits no deal; it is none of a running hand of these rules")
