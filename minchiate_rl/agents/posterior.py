"""Worlds as likely as the play has made them: deals that fit a view, weighed by how likely the moves are in each.

A Markov chain walks over the deals (Metropolis, Rosenbluth, Rosenbluth, Teller, Teller: Equation of State Calculations
by Fast Computing Machines, 1953). It begins at a deal drawn from all that fit; a step proposes that two hidden cards
change places, or three go round, where each may lie in its new place, and goes there with the ratio of the likelihoods
(`likelihood`), if that is below 1. In the long run it is at every deal as often as the moves make it likely. Only the
moves of those who see a difference are judged again, and no further than it takes to refuse.
"""

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.likelihood import Judge, Weigher, all_but, judge_play, new_judge
from minchiate_rl.agents.retrace import can_retrace, rewind
from minchiate_rl.agents.unseen import DISCARDS, FOLA_SUIT, N_KINDS, N_PLACES, new_puzzle, read
from minchiate_rl.agents.worlds import (
    PLACES,
    Words,
    check_rules,
    make_world,
    marginals,
    new_workshop,
    open_view,
    world_key,
)
from minchiate_rl.errors import AgentError
from minchiate_rl.game.cards import FIRST_TRUMP, N_CARDS, SUIT_SIZE
from minchiate_rl.game.engine.bits import ONE, ZERO, U
from minchiate_rl.game.engine.jit import kernel, owning_kernel
from minchiate_rl.game.engine.layout import DEALER, DECISION, DISCARD, FOLA, HAND, KEY, V_RULES, W
from minchiate_rl.game.engine.rows import copy_row
from minchiate_rl.game.engine.streams import stream_word
from minchiate_rl.game.seats import N_SEATS
from minchiate_rl.views.view import Views

#: Steps before the first world, for each step between two worlds.
BURN: Final = 8

#: What the exact chances of all deals alike count for in `chances`, in steps: a chain of finite length is at rare
#: places too seldom or too often.
_EVEN_STEPS: Final = 200
#: The domain of the words that the steps are drawn by.
_DOMAIN: Final = np.uint64(10)
_16_BITS: Final = np.uint64(0xFFFF)
#: The bits of a random word that are all 0 at an eighth of the steps.
_SOMETIMES: Final = np.uint64(7)
_FINE: Final = -1
_NO_DEAL: Final = 0
_NOT_FINITE: Final = 1


class Walk(NamedTuple):
    """Where the chains of M views stand."""

    here: Any
    """uint64 (M, W): the world."""
    start: Any
    """uint64 (M, W): the same when play began."""
    place: Any
    """int8 (M, N_CARDS): where each hidden card lies (`unseen`), -1 for the others."""
    kind: Any
    """int8 (M, N_CARDS): its class."""
    reach: Any
    """int64 (M, N_KINDS): the places where a class may lie, a bit each."""
    cards: Any
    """uint8 (M, N_CARDS): the hidden cards, in the first places."""
    facts: Any
    """int64 (M, 3): the number of hidden cards, the viewer, and the steps taken."""
    terms: Any
    """float64 (M, 4): the logarithm of the likelihood of the moves of each seat."""


def new_walk(size: int) -> Walk:
    """Return room for the chains of so many views."""
    return Walk(
        here=np.zeros((size, W), np.uint64),
        start=np.zeros((size, W), np.uint64),
        place=np.zeros((size, N_CARDS), np.int8),
        kind=np.zeros((size, N_CARDS), np.int8),
        reach=np.zeros((size, N_KINDS), np.int64),
        cards=np.zeros((size, N_CARDS), np.uint8),
        facts=np.zeros((size, 3), np.int64),
        terms=np.zeros((size, N_SEATS)),
    )


@kernel
def _column(place, seat):  # type: ignore[no-untyped-def]
    """Return the column of a row where the cards of a place lie, `seat` being the viewer."""
    if place < FOLA_SUIT:
        return HAND + 2 * ((seat + place + 1) & 3)
    return FOLA if place < DISCARDS else DISCARD + 2 * (place - DISCARDS)


@kernel
def _toggle(row, j, column, card):  # type: ignore[no-untyped-def]
    """Put a card (int64) into a set of row j, or take it out."""
    if card < FIRST_TRUMP:
        row[j, column] ^= ONE << U(card)
    else:
        row[j, column + 1] ^= ONE << U(card - FIRST_TRUMP)


@kernel
def _holds(row, j, column, card):  # type: ignore[no-untyped-def]
    """Return whether a set of row j has a card (int64)."""
    word, bit = (row[j, column], card) if card < FIRST_TRUMP else (row[j, column + 1], card - FIRST_TRUMP)
    return (word >> U(bit)) & ONE != ZERO


@kernel
def _find(walk, j, card, reach):  # type: ignore[no-untyped-def]
    """Return the place of a hidden card (int64) in the world, one of those that its class reaches."""
    for place in range(N_PLACES):
        if not (reach >> place) & 1:
            continue
        # The fola is one set of cards: its places are told apart by suit.
        own = place < FOLA_SUIT or place >= DISCARDS or place - FOLA_SUIT == min(card // SUIT_SIZE, 4)
        if own and _holds(walk.here, j, _column(place, walk.facts[j, 1]), card):
            return place
    return -1


@owning_kernel
def _begin(views, words, part, walk, tools, judge, rule):  # type: ignore[no-untyped-def]
    """Let the chains of the views named in `part` begin; return one that fails (or -1), and what is wrong."""
    workshop, puzzle = tools
    for j in part:
        solved, table = open_view(views, j, workshop)
        if not solved or not read(views, j, puzzle):
            return j, _NO_DEAL
        seat = np.int64(views[j, V_RULES] >> U(56))
        make_world(workshop, table, world_key(words[j], 0), seat, walk.here, j)
        walk.facts[j, 0], walk.facts[j, 1], walk.facts[j, 2] = 0, seat, 0
        walk.place[j, :] = -1
        for kind in range(N_KINDS):
            walk.reach[j, kind] = puzzle.reach[kind]
            for k in range(puzzle.size[kind]):
                card = np.int64(puzzle.cards[kind, k])
                walk.cards[j, walk.facts[j, 0]] = card
                walk.facts[j, 0] += 1
                walk.kind[j, card] = kind
                walk.place[j, card] = _find(walk, j, card, puzzle.reach[kind])
        if can_retrace(walk.here, j):
            rewind(walk.here, j, rule, judge.stage)
            copy_row(judge.stage.row, 0, walk.start, j)
            if not judge_play(walk.here, j, rule, judge, all_but(seat), -np.inf, walk.terms[j]):
                return j, _NOT_FINITE
    return -1, _FINE


@kernel
def _move(walk, j, card, place):  # type: ignore[no-untyped-def]
    """Let a hidden card (int64) lie in another place, in the world and when play began."""
    seat, before = walk.facts[j, 1], _column(np.int64(walk.place[j, card]), walk.facts[j, 1])
    for rows in (walk.here, walk.start):
        _toggle(rows, j, before, card)
        _toggle(rows, j, _column(place, seat), card)
    walk.place[j, card] = place


@kernel
def _may_lie(walk, j, card, place):  # type: ignore[no-untyped-def]
    """Return whether a hidden card (int64) may lie in a place."""
    return (walk.reach[j, walk.kind[j, card]] >> place) & 1 != 0


@kernel
def _concerned(walk, j, place):  # type: ignore[no-untyped-def]
    """Return the seats whose views change with the cards of a place, the viewer aside, a bit each."""
    seat = walk.facts[j, 1]
    if place < FOLA_SUIT:
        return 1 << ((seat + place + 1) & 3)
    if place < DISCARDS:
        dealer = np.int64(walk.here[j, DEALER])
        return ((1 << dealer) | (1 << ((dealer + 2) & 3))) & ~(1 << seat)
    return all_but(seat)


@kernel
def _is_taken(walk, j, rule, judge, seats, word, fresh):  # type: ignore[no-untyped-def]
    """Judge the moves of some seats in a world that was proposed; return whether the chain goes there."""
    if seats == 0 or not can_retrace(walk.here, j):
        return True
    held = 0.0
    for other in range(N_SEATS):
        if (seats >> other) & 1:
            held += walk.terms[j, other]
    chance = (np.float64(word >> U(32)) + 0.5) / 4294967296.0
    copy_row(walk.start, j, judge.stage.row, 0)
    if not judge_play(walk.here, j, rule, judge, seats, held + np.log(chance), fresh):
        return False
    for other in range(N_SEATS):
        if (seats >> other) & 1:
            walk.terms[j, other] = fresh[other]
    return True


@kernel
def _drawn(walk, j, bits):  # type: ignore[no-untyped-def]
    """Return a hidden card (int64) by 16 random bits."""
    return np.int64(walk.cards[j, (bits * U(walk.facts[j, 0])) >> U(16)])


@kernel
def _step(walk, j, rule, judge, words, fresh):  # type: ignore[no-untyped-def]
    """Propose that two hidden cards, or now and then three, change places, and go there or not.

    `words` are two random words, `fresh`, float64 (4,), is scratch. Two cards alone would not lead everywhere: where
    each of three lies in a place that is closed to one of the others, they can only go round together.
    """
    word, more = words
    x, y = _drawn(walk, j, word & _16_BITS), _drawn(walk, j, (word >> U(16)) & _16_BITS)
    a, b = np.int64(walk.place[j, x]), np.int64(walk.place[j, y])
    z, c = x, a
    if more & _SOMETIMES == ZERO:
        z = _drawn(walk, j, (more >> U(16)) & _16_BITS)
        c = np.int64(walk.place[j, z])
        if c == a or c == b:
            return
    # x goes to y's place, y to z's, z to x's; of two cards z is x itself.
    if a == b or not (_may_lie(walk, j, x, b) and _may_lie(walk, j, y, c) and _may_lie(walk, j, z, a)):
        return
    _move(walk, j, y, c)
    _move(walk, j, x, b)
    if z != x:
        _move(walk, j, z, a)
    seats = _concerned(walk, j, a) | _concerned(walk, j, b) | _concerned(walk, j, c)
    if not _is_taken(walk, j, rule, judge, seats, word, fresh):
        _move(walk, j, x, a)
        _move(walk, j, y, b)
        if z != x:
            _move(walk, j, z, c)


@kernel
def _walk_on(walk, j, rule, judge, word, steps, fresh):  # type: ignore[no-untyped-def]
    """Take steps (int64) of the chain of view j, whose decision was given a random word."""
    for _ in range(steps):
        n = U(2 * walk.facts[j, 2])
        words = stream_word(word, _DOMAIN, n), stream_word(word, _DOMAIN, n + ONE)
        _step(walk, j, rule, judge, words, fresh)
        walk.facts[j, 2] += 1


@kernel
def _next_world(walk, j, rule, judge, word, steps, fresh, rows, i):  # type: ignore[no-untyped-def]
    """Walk `steps` steps to the next world of view j, BURN times as many to the first one; write it to row i."""
    began = walk.facts[j, 2] > 0
    _walk_on(walk, j, rule, judge, word, steps if began else steps * BURN, fresh)
    copy_row(walk.here, j, rows, i)
    rows[i, KEY] = world_key(word, walk.facts[j, 2])
    rows[i, DECISION] = ZERO


@kernel
def _draw(walk, words, part, rule, judge, how, fresh, rows):  # type: ignore[no-untyped-def]
    """Fill rows with the next worlds of the views named in `part`; how: steps, worlds a view."""
    steps, n = how
    i = 0
    for j in part:
        for _ in range(n):
            _next_world(walk, j, rule, judge, words[j], steps, fresh, rows, i)
            i += 1


@kernel
def _count(walk, words, rule, judge, steps, fresh, out):  # type: ignore[no-untyped-def]
    """Add to out (M, N_CARDS, 6) the share of the steps at which each hidden card lies in each place."""
    for j in range(len(words)):
        _walk_on(walk, j, rule, judge, words[j], steps // 4, fresh)
        for _ in range(steps):
            _walk_on(walk, j, rule, judge, words[j], 1, fresh)
            for k in range(walk.facts[j, 0]):
                card = np.int64(walk.cards[j, k])
                place = np.int64(walk.place[j, card])
                column = place if place < FOLA_SUIT else (FOLA_SUIT if place < DISCARDS else 4 + place - DISCARDS)
                out[j, card, column] += 1.0 / steps


class Chains:
    """The chains of M views: worlds as often as the moves make them likely, one after another."""

    def __init__(self, views: Views, words: Words, weigher: Weigher, steps: int) -> None:
        """Make room for chains.

        Args:
            views: M views of the game minchiate.
            words: uint64 (M,), a random word each.
            weigher: whose moves those of the others are taken for.
            steps: steps from one world to the next; the first comes after BURN times as many.

        Raises:
            AgentError: rules under which no worlds are made (`worlds.check_rules`).
        """
        check_rules(views.rules, "worlds")
        self.rules, self.weigher, self.steps = views.rules, weigher, steps
        self.rows = np.ascontiguousarray(views.words)
        self.words = np.ascontiguousarray(words, dtype=np.uint64)
        self.walk, self.begun = new_walk(len(views)), np.zeros(len(views), bool)

    def begin(self, part: npt.NDArray[np.int64]) -> Judge:
        """Put those chains named in `part` that have not begun at worlds drawn from all that fit.

        Returns:
            Who judges moves, for one thread.

        Raises:
            AgentError: a policy trained for others, views that are none of a running hand, or an output of the policy
                that is not finite.
        """
        judge, tools = new_judge(self.weigher, self.rules), (new_workshop(), new_puzzle())
        fresh = part[~self.begun[part]]
        view, fault = _begin(self.rows, self.words, fresh, self.walk, tools, judge, self.rules.row)
        if fault == _NO_DEAL:
            raise AgentError(f"worlds: view {view} fits no deal; it is none of a running hand of these rules")
        if fault == _NOT_FINITE:
            raise AgentError("worlds: the weighing policy's outputs are not finite")
        self.begun[fresh] = True
        return judge

    def draw(self, part: npt.NDArray[np.int64], n: int) -> Words:
        """Return the next n worlds of each of the chains named in `part`, uint64 (len(part) * n, W).

        Raises:
            AgentError: as `begin`.
        """
        rows, judge, how = np.zeros((len(part) * n, W), np.uint64), self.begin(part), (self.steps, n)
        _draw(self.walk, self.words, part, self.rules.row, judge, how, np.zeros(N_SEATS), rows)
        return rows


def sample(views: Views, words: Words, n: int, weigher: Weigher, steps: int) -> Words:
    """Return n worlds of each view as rows of the engine, uint64 (M, n, W), as often as the moves make them likely.

    Args:
        views: M views of the game minchiate.
        words: uint64 (M,), a random word each: the same word gives the same worlds, of which the first k are the same
            for every n.
        n: the number of worlds.
        weigher: whose moves those of the others are taken for.
        steps: steps from one world to the next; the first comes after BURN times as many.

    Raises:
        AgentError: as `Chains` and `Chains.begin`.
    """
    chains = Chains(views, words, weigher, steps)
    return chains.draw(np.arange(len(views)), n).reshape(len(views), n, W)


def chances(
    views: Views, words: Words, weigher: Weigher, steps: int, sharpness: float = 1.0
) -> npt.NDArray[np.float64]:
    """Return the chances of where each card lies, given what has been played.

    Args:
        views: M views of the game minchiate.
        words: uint64 (M,), a random word each.
        weigher: whose moves those of the others are taken for.
        steps: steps of the chain that are counted, after a quarter as many that are not.
        sharpness: the power that the chances are raised to at last (Guo et al.: On Calibration of Modern Neural
            Networks, 2017); above 1 where the others play likely moves more often than the weigher says, as those do
            that play their best action.

    Returns:
        float64 (M, 97, 6) as `worlds.marginals`, which are mixed in as if they were 200 steps more.

    Raises:
        AgentError: a sharpness that is no finite number above 0; as `Chains` and `Chains.begin`.
    """
    if not 0.0 < sharpness < np.inf:
        raise AgentError(f"chances: the sharpness is {sharpness}; a finite number above 0 is needed")
    chains = Chains(views, words, weigher, steps)
    judge, walk = chains.begin(np.arange(len(views))), chains.walk
    counted = np.zeros((len(views), N_CARDS, len(PLACES)))
    _count(walk, chains.words, views.rules.row, judge, steps, np.zeros(N_SEATS), counted)
    even: npt.NDArray[np.float64] = marginals(views)
    hidden, share = (walk.place >= 0)[:, :, None], _EVEN_STEPS / (_EVEN_STEPS + steps)
    told = ((1.0 - share) * counted + share * even) ** sharpness
    told /= np.maximum(told.sum(axis=2, keepdims=True), np.finfo(np.float64).tiny)
    return np.where(hidden, told * even.sum(axis=2, keepdims=True), even)
