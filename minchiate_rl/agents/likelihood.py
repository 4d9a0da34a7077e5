"""How likely the moves on the table are in a sampled world: a weight for the world.

The cards of the trick are taken back and played again one by one, and each player is asked in the world's own hands how
likely it would have played what it played. A view tells no order of earlier tricks, so these are all the moves that a
view alone lets one judge. Weighting worlds so is Rebstock, Solinas, Buro, Sturtevant: Policy Based Inference in
Trick-Taking Card Games, 2019 (arXiv 1905.10911).
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.forward import CompiledPolicy, view_log_probs
from minchiate_rl.agents.heuristic import choose_heuristic
from minchiate_rl.agents.weights import check_fit
from minchiate_rl.errors import AgentError
from minchiate_rl.game.cards import MATTO
from minchiate_rl.game.engine.bits import ZERO, U
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    BEST,
    EMPTY_TABLE,
    HAND,
    LEADER,
    LED,
    LEDGER,
    LOG,
    MATTO_STATE,
    NO_CARD,
    NO_SUIT,
    NOBODY,
    ON_TABLE,
    PHASE,
    SEAT,
    TABLE,
    TRICK,
    V_SPEECH,
    WINNER,
    W,
)
from minchiate_rl.game.engine.observe import observe
from minchiate_rl.game.engine.rows import copy_row
from minchiate_rl.game.engine.step import apply
from minchiate_rl.game.engine.versicole import with_card
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import N_SEATS, Phase

Weigher = str | CompiledPolicy
"""Whose moves they are taken for: HEURISTIC, or a policy's."""

HEURISTIC: Final = "heuristic"

_PLAY: Final = np.uint64(int(Phase.PLAY))
_MATTO: Final = int(MATTO)
#: What a move counts that the player would never have made: worlds are weighed, not ruled out.
_FLOOR: Final = 0.02


class _Stage(NamedTuple):
    """Memory for one hand that is played again, and the view of who is asked."""

    row: npt.NDArray[np.uint64]
    log: npt.NDArray[np.uint8]
    ledger: npt.NDArray[np.uint32]
    seen: npt.NDArray[np.uint64]


def _new_stage() -> _Stage:
    return _Stage(
        np.zeros((1, W), np.uint64),
        np.zeros((1, LOG), np.uint8),
        np.zeros((1, LEDGER), np.uint32),
        np.zeros((1, V_SPEECH), np.uint64),
    )


@kernel
def _take_back(worlds, k, row):  # type: ignore[no-untyped-def]
    """Copy world k to row 0 with the cards on the table back in their hands; return how many they were.

    Nothing is taken back in the first trick, where declarations come between the cards, and outside play.
    """
    copy_row(worlds, k, row, 0)
    if worlds[k, PHASE] != _PLAY or worlds[k, TRICK] == ZERO or worlds[k, ON_TABLE] == ZERO:
        return 0
    for seat in range(N_SEATS):
        card = (worlds[k, TABLE] >> U(8 * seat)) & NO_CARD
        if card != NO_CARD:
            at = HAND + 2 * seat
            row[0, at], row[0, at + 1] = with_card(row[0, at], row[0, at + 1], np.int64(card))
            if card == U(_MATTO):
                row[0, MATTO_STATE] = (row[0, MATTO_STATE] & ~NO_CARD) | NOBODY
    row[0, TABLE], row[0, ON_TABLE], row[0, LED] = EMPTY_TABLE, ZERO, NO_SUIT
    row[0, WINNER], row[0, BEST], row[0, SEAT] = NOBODY, ZERO, row[0, LEADER]
    return np.int64(worlds[k, ON_TABLE])


@kernel
def _ask_next(worlds, k, rule, stage):  # type: ignore[no-untyped-def]
    """Write the view of the seat to act, and return what it played."""
    seat = np.int64(stage.row[0, SEAT])
    observe(stage.row, 0, seat, rule, stage.seen, 0)
    return np.int64((worlds[k, TABLE] >> U(8 * seat)) & NO_CARD)


@kernel
def _weigh_by_heuristic(worlds, n, rule, stage, out):  # type: ignore[no-untyped-def]
    """Fill out (n,) with the likelihood of the moves on the table of each world, the heuristic playing."""
    for k in range(n):
        out[k] = 1.0
        for _ in range(_take_back(worlds, k, stage.row)):
            card = _ask_next(worlds, k, rule, stage)
            if choose_heuristic(stage.seen, 0, ZERO) != card:
                out[k] *= _FLOOR
            apply(stage.row, stage.log, stage.ledger, 0, rule, card)


@kernel
def _weigh_by_policy(worlds, n, rule, stage, layers, scratch, out):  # type: ignore[no-untyped-def]
    """Fill out (n,) with the likelihood of the moves on the table of each world; return whether all was finite."""
    for k in range(n):
        out[k] = 1.0
        for _ in range(_take_back(worlds, k, stage.row)):
            card = _ask_next(worlds, k, rule, stage)
            legal = view_log_probs(layers, scratch, stage.seen, 0, 1.0)
            if legal < 0:
                return False
            for place in range(legal):
                if scratch.actions[place] == card:
                    out[k] *= max(np.exp(scratch.log_probs[place]), _FLOOR)
            apply(stage.row, stage.log, stage.ledger, 0, rule, card)
    return True


def likelihoods(worlds: npt.NDArray[np.uint64], n: int, rules: RuleSet, weigher: Weigher) -> npt.NDArray[np.float64]:
    """Return how likely the moves on the table are in each of the first n worlds, float64 (n,).

    A move counts no less than 0.02. Where no moves can be judged the likelihood is 1.

    Args:
        worlds: uint64 (N, W), rows of hands of four players; not modified.
        n: how many of them, from the first on.
        rules: the rule set.
        weigher: whose moves they are taken for.

    Raises:
        AgentError: the policy was trained for other actions or tokens, or an output of it is not finite.
    """
    out, stage = np.ones(n), _new_stage()
    if isinstance(weigher, CompiledPolicy):
        check_fit(weigher.shape, rules, "the policy that weighs worlds")
        if not _weigh_by_policy(worlds, n, rules.row, stage, weigher.layers, weigher.scratch(rules), out):
            raise AgentError("worlds: the weighing policy's outputs are not finite")
    else:
        _weigh_by_heuristic(worlds, n, rules.row, stage, out)
    return out
