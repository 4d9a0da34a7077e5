"""How unseen cards spread over the places where they may lie: the exact chances (`worlds.marginals`), nearly, at once.

A table of classes of cards by places is scaled until its rows add up to the sizes of the classes and its columns to the
room in the places: iterative proportional fitting (Deming, Stephan: On a Least Squares Adjustment of a Sampled
Frequency Table When the Expected Marginal Totals are Known, 1940; Sinkhorn, 1964). The error is
small while hands are long and largest in the last tricks.
"""

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.suits import ACTION_NAMES
from minchiate_rl.agents.unseen import FOLA_SUIT, N_KINDS, N_PLACES, Puzzle, new_puzzle, read
from minchiate_rl.agents.worlds import check_rules, makes_worlds
from minchiate_rl.errors import AgentError
from minchiate_rl.game.cards import FIRST_TRUMP, N_CARDS
from minchiate_rl.game.engine.bits import ONE, ZERO, U, trailing_zeros
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.views.view import Views

N_SPREAD: Final = 4
"""Places told apart: the hands of next, partner and previous; all that is out of play counts as one."""

_ROUNDS: Final = 40
_CLOSE: Final = 1e-4
_LEAST: Final = float(np.log(1e-6))
"""The logarithm that stands for no chance."""


class _Scales(NamedTuple):
    """Scratch of one thread."""

    puzzle: Puzzle
    table: Any
    """float64 (N_KINDS, N_PLACES): cards of each class expected in each place."""
    weights: Any
    """float64 (N_PLACES,): what the columns are scaled by."""
    shares: Any
    """float64 (N_KINDS, N_SPREAD): the chance of a card of each class to lie in each place."""


def _new_scales() -> _Scales:
    return _Scales(new_puzzle(), np.zeros((N_KINDS, N_PLACES)), np.ones(N_PLACES), np.zeros((N_KINDS, N_SPREAD)))


@kernel
def _fill_rows(scales):  # type: ignore[no-untyped-def]
    """Split every class over its places in proportion to their weights."""
    puzzle, table, weights, _ = scales
    for kind in range(N_KINDS):
        total = 0.0
        for place in range(N_PLACES):
            if (puzzle.reach[kind] >> place) & 1:
                total += weights[place]
        for place in range(N_PLACES):
            reached = (puzzle.reach[kind] >> place) & 1 and total > 0.0
            table[kind, place] = puzzle.size[kind] * weights[place] / total if reached else 0.0


@kernel
def _scale(scales):  # type: ignore[no-untyped-def]
    """Scale the table of a puzzle that has been read until rows and columns fit."""
    puzzle, table, weights, _ = scales
    for place in range(N_PLACES):
        weights[place] = puzzle.capacity[place]
    for _ in range(_ROUNDS):
        _fill_rows(scales)
        furthest = 0.0
        for place in range(N_PLACES):
            total = 0.0
            for kind in range(N_KINDS):
                total += table[kind, place]
            if total > 0.0:
                furthest = max(furthest, abs(total - puzzle.capacity[place]))
                weights[place] *= puzzle.capacity[place] / total
        if furthest < _CLOSE:
            return
    _fill_rows(scales)


@kernel
def _share(views, j, scales):  # type: ignore[no-untyped-def]
    """Fill the shares of the classes of view row j; return whether a deal fits."""
    puzzle, table, _, shares = scales
    if not read(views, j, puzzle):
        return False
    _scale(scales)
    for kind in range(N_KINDS):
        for place in range(N_SPREAD):
            shares[kind, place] = 0.0
        for place in range(N_PLACES):
            if puzzle.size[kind] > 0:
                shares[kind, min(place, FOLA_SUIT)] += table[kind, place] / puzzle.size[kind]
    return True


@kernel
def _put_certain(puzzle, value, names, row):  # type: ignore[no-untyped-def]
    """Set the entry of every card that is known to be in a hand, cards by their names."""
    for place in range(FOLA_SUIT):
        w0, w1 = puzzle.fixed[place, 0], puzzle.fixed[place, 1]
        while w0 != ZERO:
            row[names[np.int64(trailing_zeros(w0))], place] = value
            w0 &= w0 - ONE
        while w1 != ZERO:
            row[names[np.int64(trailing_zeros(w1) + U(FIRST_TRUMP))], place] = value
            w1 &= w1 - ONE


@kernel
def _estimate(views, scales, out):  # type: ignore[no-untyped-def]
    """Fill out (M, 97, N_SPREAD), which holds zeros, with chances; return the first view that fits no deal, or -1."""
    puzzle, shares = scales.puzzle, scales.shares
    for j in range(views.shape[0]):
        if not _share(views, j, scales):
            return j
        for kind in range(N_KINDS):
            for n in range(puzzle.size[kind]):
                for place in range(N_SPREAD):
                    out[j, puzzle.cards[kind, n], place] = shares[kind, place]
        _put_certain(puzzle, 1.0, ACTION_NAMES[0], out[j])
    return -1


@kernel
def _log_estimate(views, orders, scales, out):  # type: ignore[no-untyped-def]
    """Fill out (M, 97, N_SPREAD) with logarithms, cards by their names; return the first view that fits no deal, or -1.

    Logarithms are taken by class, before they are handed to the cards.
    """
    puzzle, shares = scales.puzzle, scales.shares
    for j in range(views.shape[0]):
        row, names = out[j], ACTION_NAMES[orders[j]]
        if not _share(views, j, scales):
            return j
        for card in range(N_CARDS):
            for place in range(N_SPREAD):
                row[card, place] = _LEAST
        for kind in range(N_KINDS):
            if puzzle.size[kind] == 0:
                continue
            for place in range(N_SPREAD):
                value = max(np.log(shares[kind, place]), _LEAST) if shares[kind, place] > 0.0 else _LEAST
                for n in range(puzzle.size[kind]):
                    row[names[puzzle.cards[kind, n]], place] = value
        _put_certain(puzzle, 0.0, names, row)
    return -1


def _refuse(view: int) -> None:
    if view >= 0:
        raise AgentError(f"chances: view {view} fits no deal; it is none of a running hand of these rules")


def estimate(views: Views) -> npt.NDArray[np.float64]:
    """Return the chances of where each card lies if all deals that fit are equally likely, nearly.

    Returns:
        float64 (M, 97, 4): next, partner, previous, out of play. Cards that the viewer can place are certain in the
        hand where they have been shown, and 0 everywhere if they are elsewhere.

    Raises:
        AgentError: rules under which no worlds are made (`worlds.check_rules`), or views of no running hand.
    """
    check_rules(views.rules, "chances")
    out = np.zeros((len(views), N_CARDS, N_SPREAD))
    _refuse(_estimate(np.ascontiguousarray(views.words), _new_scales(), out))
    return out


def log_chances(views: Views, orders: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """Return the logarithms of `estimate`, of 10^-6 where a chance is less, cards by their names under suit orders.

    Args:
        views: M views.
        orders: int8 (M,): the suit order of each (`agents.suits`).

    Returns:
        float32 (M, 97 * 4); zeros, for chances that are all alike, under rules of which `estimate` knows none.

    Raises:
        AgentError: views of no running hand.
    """
    out = np.zeros((len(views), N_CARDS, N_SPREAD), np.float32)
    if makes_worlds(views.rules):
        _refuse(_log_estimate(np.ascontiguousarray(views.words), orders, _new_scales(), out))
    return out.reshape(len(views), -1)
