"""Playing hands out: the rest of every hand by one player at all seats, kernel agent or compiled policy."""

from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents import fused
from minchiate_rl.agents.forward import CompiledPolicy, choose_by_policy
from minchiate_rl.agents.weights import check_fit
from minchiate_rl.errors import AgentError
from minchiate_rl.game.engine.bits import U
from minchiate_rl.game.engine.jit import owning_kernel
from minchiate_rl.game.engine.layout import DECISION, KEY, NOBODY, SEAT, V_SPEECH
from minchiate_rl.game.engine.observe import observe
from minchiate_rl.game.engine.step import apply
from minchiate_rl.game.engine.streams import DOMAIN_SEAT, stream_word
from minchiate_rl.game.rules import RuleSet

PLAYOUTS: Final = {"heuristic": fused.HEURISTIC, "greedy": fused.GREEDY, "random": fused.RANDOM}
"""The kernel agents that may play the hands out, by name."""


class Finisher(Protocol):
    """What brings hands to an end in a way of its own, such as an estimate of what the rest is worth."""

    def finish(
        self,
        rows: npt.NDArray[np.uint64],
        log: npt.NDArray[np.uint8],
        ledger: npt.NDArray[np.uint32],
        rules: RuleSet,
        n: int,
    ) -> None:
        """Write what each side has marked by the end to the marks (layout.SCORE) of the first n rows."""
        ...


Player = int | CompiledPolicy | Finisher
"""Who plays on: the code of a kernel agent (agents.fused), a policy, which plays its best action, or something else."""


@owning_kernel
def _policy_plays_on(rows, log, ledger, rule, layers, scratch, lo, hi):  # type: ignore[no-untyped-def]
    """Play rows lo to hi - 1 to the end by a policy; return whether all its outputs were finite."""
    view = np.zeros((1, V_SPEECH), dtype=np.uint64)
    for i in range(lo, hi):
        while rows[i, SEAT] != NOBODY:
            seat = np.int64(rows[i, SEAT])
            word = stream_word(rows[i, KEY], DOMAIN_SEAT + U(seat), rows[i, DECISION])
            observe(rows, i, seat, rule, view, 0)
            action = choose_by_policy(layers, scratch, view, 0, word, 0.0)
            if action < 0:
                return False
            apply(rows, log, ledger, i, rule, action)
    return True


def play_out(
    player: Player,
    rows: npt.NDArray[np.uint64],
    log: npt.NDArray[np.uint8],
    ledger: npt.NDArray[np.uint32],
    rules: RuleSet,
    n: int,
) -> None:
    """Play the first n rows to the end; rows, log and ledger are modified in place.

    Args:
        player: who plays at all seats.
        rows: uint64 (N, W).
        log: uint8 (N, LOG).
        ledger: uint32 (N, LEDGER).
        rules: the rule set of the hands.
        n: how many rows, from the first on.

    Raises:
        AgentError: the policy was trained for other actions or tokens, or an output of it is not finite.
    """
    if isinstance(player, CompiledPolicy):
        check_fit(player.shape, rules, "the policy of the playouts")
        if not _policy_plays_on(rows, log, ledger, rules.row, player.layers, player.scratch(rules), 0, n):
            raise AgentError("playout: the policy's outputs are not finite")
    elif isinstance(player, int):
        fused.advance(rows, log, ledger, rules.row, np.full((n, rules.n_seats), player, np.int8), 0, n)
    else:
        player.finish(rows, log, ledger, rules, n)
