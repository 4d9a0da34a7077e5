"""Hands in play for learning: scripted seats and forced moves are played inside a kernel, choices are handed out.

A choice is a decision of a seat that no kernel plays, with two legal actions or more. Hands run on their own: after
each answer a hand is played on to its next choice, so that nobody waits for another hand's scripted seats.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.fused import choose
from minchiate_rl.envs.worth import unit_of, worth
from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount
from minchiate_rl.game.engine.jit import kernel, owning_kernel
from minchiate_rl.game.engine.layout import DECISION, KEY, NOBODY, PHASE, SEAT, V_SPEECH, S, V
from minchiate_rl.game.engine.legal import is_legal, legal_words
from minchiate_rl.game.engine.observe import observe, observe_state
from minchiate_rl.game.engine.pick import pick_uniform
from minchiate_rl.game.engine.step import apply
from minchiate_rl.game.engine.streams import DOMAIN_SEAT, stream_word
from minchiate_rl.game.rules import R_SIDES, RuleSet
from minchiate_rl.game.seats import N_SEATS
from minchiate_rl.views.batch import Batch
from minchiate_rl.views.view import Views

#: Codes of seats that no kernel plays: the learner, and further agents from -2 downwards.
LEARNER: Final = -1

#: Kinds of potential, in the order of `envs.worth` and `recipes.REWARDS`.
REWARDS: Final = ("points", "potential", "resti")


@kernel
def _to_choice(rows, log, ledger, i, rule, codes, scratch):  # type: ignore[no-untyped-def]
    """Play row i on to a choice of a seat with a negative code, or to its end."""
    while rows[i, SEAT] != NOBODY:
        seat = np.int64(rows[i, SEAT])
        code = np.int64(codes[i, seat])
        if code >= 0:
            apply(rows, log, ledger, i, rule, choose(rows, i, seat, rule, code, scratch))
            continue
        w0, w1, w2, w3 = legal_words(rows, i, rule)
        if popcount(w0) + popcount(w1) + popcount(w2) + popcount(w3) > ONE:
            return
        apply(rows, log, ledger, i, rule, pick_uniform(w0, w1, w2, w3, ZERO))


@owning_kernel
def start(rows, log, ledger, rule, codes):  # type: ignore[no-untyped-def]
    """Play every row on to its first choice, or to its end."""
    scratch = np.zeros((1, V_SPEECH), dtype=np.uint64)
    for i in range(rows.shape[0]):
        _to_choice(rows, log, ledger, i, rule, codes, scratch)


@owning_kernel
def answer(rows, log, ledger, rule, codes, games, actions):  # type: ignore[no-untyped-def]
    """Take the action of each named row and play on to its next choice; return how many actions were not legal."""
    scratch = np.zeros((1, V_SPEECH), dtype=np.uint64)
    bad = 0
    for k in range(games.shape[0]):
        i, action = games[k], np.int64(actions[k])
        if not is_legal(rows, i, rule, action):
            bad += 1
            continue
        apply(rows, log, ledger, i, rule, action)
        _to_choice(rows, log, ledger, i, rule, codes, scratch)
    return bad


@owning_kernel
def describe(rows, rule, games, with_state, states, words, out):  # type: ignore[no-untyped-def]
    """Write what the seat to act in each named row sees, and its random word; out: phases, seats, potentials, kind.

    A potential is how far the seat's side is ahead, in resti units; `with_state`: whether the hidden cards are written.
    """
    phases, seats, potentials, kind = out
    net, unit = np.zeros(N_SEATS, np.int64), unit_of(rule, kind)
    for k in range(games.shape[0]):
        i = games[k]
        seat = np.int64(rows[i, SEAT])
        if with_state:
            observe_state(rows, i, seat, rule, states, k)
        else:
            observe(rows, i, seat, rule, states, k)
        words[k] = stream_word(rows[i, KEY], DOMAIN_SEAT + U(seat), rows[i, DECISION])
        worth(rows, i, rule, kind, net)
        phases[k], seats[k] = rows[i, PHASE], seat
        potentials[k] = np.float64(net[seat % rule[R_SIDES]]) / unit


@owning_kernel
def final_potentials(rows, rule, kind, out):  # type: ignore[no-untyped-def]
    """Fill out (N, sides) with the potential of every side in each row, in resti units."""
    net, unit = np.zeros(N_SEATS, np.int64), unit_of(rule, kind)
    for i in range(rows.shape[0]):
        worth(rows, i, rule, kind, net)
        for side in range(out.shape[1]):
            out[i, side] = np.float64(net[side]) / unit


class Table:
    """Hands in play whose choices are asked for and answered in batches."""

    def __init__(self, batch: Batch, codes: npt.NDArray[np.int8], reward: str = "points") -> None:
        """Take a batch just dealt; codes int8 (N, seats): the agent of each seat, negative where it is asked."""
        self.batch = batch
        self.rules: RuleSet = batch.rules
        self.codes = np.ascontiguousarray(codes, dtype=np.int8)
        self.kind = REWARDS.index(reward)
        start(batch.rows, batch.log, batch.ledger, self.rules.row, self.codes)

    def waiting(self) -> npt.NDArray[np.int64]:
        """Return the numbers of the games that wait for an answer, ascending."""
        return np.flatnonzero(self.batch.rows[:, SEAT] != NOBODY)

    def answer(self, games: npt.NDArray[np.int64], actions: npt.NDArray[np.int16]) -> None:
        """Play the actions of the games and go on to their next choices."""
        batch = self.batch
        if answer(batch.rows, batch.log, batch.ledger, self.rules.row, self.codes, games, actions):
            raise AssertionError("an agent chose an action that is not legal")

    def finals(self) -> npt.NDArray[np.float64]:
        """Return the potential of every side in every game, float64 (N, sides), in resti units."""
        out = np.empty((self.batch.num_games, self.rules.n_sides), dtype=np.float64)
        final_potentials(self.batch.rows, self.rules.row, self.kind, out)
        return out


class Choices:
    """What the seats to act in some games see: buffers that are filled anew for each round of answers."""

    def __init__(self, capacity: int, with_state: bool, rules: RuleSet) -> None:
        """Make room for a number of games; with_state: whether the hidden cards are written too, for a critic."""
        self.rules, self.with_state = rules, with_state
        columns = V_SPEECH if rules.speaks else S if with_state else V
        self.states = np.zeros((capacity, columns), dtype=np.uint64)
        self.words = np.zeros(capacity, dtype=np.uint64)
        self.phases = np.zeros(capacity, dtype=np.int8)
        self.seats = np.zeros(capacity, dtype=np.int8)
        self.potentials = np.zeros(capacity, dtype=np.float64)

    def look(self, table: Table, games: npt.NDArray[np.int64]) -> int:
        """Fill the buffers for the games and return how many there are."""
        out: Any = (self.phases, self.seats, self.potentials, table.kind)
        describe(table.batch.rows, table.rules.row, games, self.with_state, self.states, self.words, out)
        return len(games)

    def views(self, rows: npt.NDArray[np.int64]) -> Views:
        """Return the views of some rows, without the hidden cards: what an agent may be given."""
        if not self.rules.speaks:
            return Views(np.ascontiguousarray(self.states[rows, :V]), self.rules)
        words = self.states[rows]
        words[:, V:S] = 0
        return Views(words, self.rules)
