"""How likely the moves of a hand are in a world: each player is asked in the world's own hands.

The play is repeated from its first card (`retrace`), and before each move of the others its player's view is made in
the world and shown to whom the moves are taken for. Weighing worlds so is Rebstock, Solinas, Buro, Sturtevant: Policy
Based Inference in Trick-Taking Card Games, 2019 (arXiv 1905.10911).
"""

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.forward import CompiledPolicy, Layers, Scratch, new_scratch, view_log_probs
from minchiate_rl.agents.heuristic import choose_heuristic
from minchiate_rl.agents.retrace import Stage, can_retrace, new_stage, next_action, rewind
from minchiate_rl.agents.weights import check_fit
from minchiate_rl.errors import AgentError
from minchiate_rl.game.actions import DECLARE, DONE
from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import DECLARED, PHASE, SEAT, V_LEGAL
from minchiate_rl.game.engine.observe import observe
from minchiate_rl.game.engine.step import apply
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import N_SEATS, Phase

Weigher = str | CompiledPolicy
"""Whose moves they are taken for: HEURISTIC, or a policy's."""

HEURISTIC: Final = "heuristic"

_DECLARE: Final = np.uint64(int(Phase.DECLARE))
_FIRST_DECLARATION: Final = int(DECLARE)
_DONE: Final = int(DONE)
#: The least that the logarithm of a move's likelihood counts: worlds are weighed, not ruled out.
_LEAST: Final = -6.0
#: What it counts where the heuristic would have moved otherwise, and where it would not.
_OTHERWISE: Final = -4.0
_ALIKE: Final = float(np.log(1.0 - np.exp(_OTHERWISE)))


class Judge(NamedTuple):
    """Who is asked how likely a move is; of one thread."""

    by_policy: bool
    layers: Layers
    scratch: Scratch
    stage: Stage


def _no_layers() -> Layers:
    ranks = {"table": 2, "first": 3, "first_bias": 2, "second": 3, "second_bias": 2, "head": 2, "phase_bias": 2}
    return Layers(*(np.zeros((1,) * ranks.get(name, 1), np.float32) for name in Layers._fields))


def new_judge(weigher: Weigher, rules: RuleSet) -> Judge:
    """Return a judge for one thread.

    Raises:
        AgentError: the policy was trained for other actions or tokens.
    """
    if isinstance(weigher, CompiledPolicy):
        check_fit(weigher.shape, rules, "the policy that weighs worlds")
        return Judge(True, weigher.layers, weigher.scratch(rules), new_stage())
    return Judge(False, _no_layers(), new_scratch(1, 1), new_stage())


@kernel
def _chance(judge, action, declared):  # type: ignore[no-untyped-def]
    """Return the logarithm of a move's likelihood, NaN if an output of the policy is not finite.

    Where somebody declares, it is that of any of the versicole that he goes on to declare, `declared` (a bit each).
    """
    seen = judge.stage.seen
    if not judge.by_policy:
        found = choose_heuristic(seen, 0, ZERO)
        like = found == action
        if declared != ZERO and found != _DONE:
            like = (declared >> U(found - _FIRST_DECLARATION)) & ONE != ZERO
        return _ALIKE if like else _OTHERWISE
    legal = view_log_probs(judge.layers, judge.scratch, seen, 0, 1.0)
    if legal < 0:
        return np.nan
    chance = 0.0
    for place in range(legal):
        other = judge.scratch.actions[place]
        if declared == ZERO:
            like = other == action
        else:
            like = other != _DONE and (declared >> U(other - _FIRST_DECLARATION)) & ONE != ZERO
        if like:
            chance += np.exp(judge.scratch.log_probs[place])
    return max(np.log(chance), _LEAST) if chance > 0.0 else _LEAST


@kernel
def _ask(judge, row, seat, rule, action, declared):  # type: ignore[no-untyped-def]
    """Return the logarithm of the likelihood of what the seat to act did in row 0; 0 where it had no choice."""
    seen = judge.stage.seen
    observe(row, 0, seat, rule, seen, 0)
    choices = popcount(seen[0, V_LEGAL]) + popcount(seen[0, V_LEGAL + 1])
    if choices + popcount(seen[0, V_LEGAL + 2]) + popcount(seen[0, V_LEGAL + 3]) == ONE:
        return 0.0
    return _chance(judge, action, declared)


@kernel
def all_but(seat):  # type: ignore[no-untyped-def]
    """Return the seats but one (int64), a bit each."""
    return ((1 << N_SEATS) - 1) & ~(1 << seat)


@kernel
def judge_play(rows, i, rule, judge, seats, least, terms):  # type: ignore[no-untyped-def]
    """Add up the logarithms of the likelihoods of the moves of some seats (int64, a bit each) in row i, by seat.

    The stage's row is where play began, and ends where row i stands. `terms`, float64 (4,), gets the sums of these
    seats. Return False as soon as they come below `least` in all, or are not finite.
    """
    row, whole = judge.stage.row, 0.0
    for seat in range(N_SEATS):
        if (seats >> seat) & 1:
            terms[seat] = 0.0
    action = next_action(rows, i, row)
    while action >= 0:
        seat = np.int64(row[0, SEAT])
        if (seats >> seat) & 1:
            declared = ZERO
            if row[0, PHASE] == _DECLARE:
                declared = rows[i, DECLARED + seat] & ~row[0, DECLARED + seat]
            term = _ask(judge, row, seat, rule, action, declared)
            terms[seat] += term
            whole += term
            if not whole >= least:
                return False
        apply(row, judge.stage.log, judge.stage.ledger, 0, rule, action)
        action = next_action(rows, i, row)
    return True


@kernel
def _judge_rows(rows, viewers, rule, judge, terms, out):  # type: ignore[no-untyped-def]
    """Fill out (N,); return whether all outputs of the policy were finite."""
    for i in range(rows.shape[0]):
        out[i] = 0.0
        if not can_retrace(rows, i):
            continue
        rewind(rows, i, rule, judge.stage)
        if not judge_play(rows, i, rule, judge, all_but(viewers[i]), -np.inf, terms):
            return False
        for seat in range(N_SEATS):
            if seat != viewers[i]:
                out[i] += terms[seat]
    return True


def log_likelihoods(
    rows: npt.NDArray[np.uint64], viewers: npt.NDArray[np.integer[Any]], rules: RuleSet, weigher: Weigher
) -> npt.NDArray[np.float64]:
    """Return the logarithm of how likely the moves of the others are in each world, float64 (N,).

    All that was declared and played counts, forced moves aside; a move counts no less than e^-6. Where nothing has been
    played yet, or somebody has dropped out, it is 0.

    Args:
        rows: uint64 (N, W), rows of hands of four players, as `worlds.sample` makes them.
        viewers: integers (N,), the absolute seat whose own moves are not judged.
        rules: the rule set.
        weigher: whose moves they are taken for.

    Raises:
        AgentError: the policy was trained for other actions or tokens, or an output of it is not finite.
    """
    out, seats = np.zeros(len(rows)), np.ascontiguousarray(viewers, dtype=np.int64)
    if not _judge_rows(rows, seats, rules.row, new_judge(weigher, rules), np.zeros(N_SEATS), out):
        raise AgentError("worlds: the weighing policy's outputs are not finite")
    return out
