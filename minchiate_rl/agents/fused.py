"""Playing on inside one kernel: the seats of kernel agents act until a seat of another agent, or the end, is reached.

The answers are those of `Agent.act` on the same views with the words of `Batch.rng`: `advance` and act-and-step give
the same hands. Where only one action is legal no view is built.
"""

from typing import Final

import numpy as np

from minchiate_rl.agents.greedy import choose_greedy
from minchiate_rl.agents.heuristic import choose_heuristic
from minchiate_rl.agents.speakers import choose_unheeding
from minchiate_rl.game.engine.bits import ONE, U, popcount
from minchiate_rl.game.engine.jit import kernel, owning_kernel
from minchiate_rl.game.engine.layout import DECISION, KEY, NOBODY, SEAT, V_SPEECH, V
from minchiate_rl.game.engine.legal import legal_words
from minchiate_rl.game.engine.observe import observe
from minchiate_rl.game.engine.pick import pick_uniform
from minchiate_rl.game.engine.step import apply
from minchiate_rl.game.engine.streams import DOMAIN_SEAT, stream_word
from minchiate_rl.game.rules import R_SPEECH, SPEECH_OFF

WAIT: Final = -1
"""The code of a seat that `advance` does not play."""
RANDOM: Final = 0
GREEDY: Final = 1
HEURISTIC: Final = 2
DEAF: Final = 3
MUTE: Final = 4


@kernel
def choose(rows, i, seat, rule, code, scratch):  # type: ignore[no-untyped-def]
    """Return the action of a code's agent for the seat to act in row i; `scratch`, a view row, is modified in place."""
    w0, w1, w2, w3 = legal_words(rows, i, rule)
    word = stream_word(rows[i, KEY], DOMAIN_SEAT + U(seat), rows[i, DECISION])
    if code == RANDOM or popcount(w0) + popcount(w1) + popcount(w2) + popcount(w3) == ONE:
        return pick_uniform(w0, w1, w2, w3, word)
    observe(rows, i, seat, rule, scratch, 0)
    if code == GREEDY:
        return choose_greedy(scratch, 0, word)
    if code == DEAF or code == MUTE:
        return choose_unheeding(scratch, 0, word, code == DEAF)
    return choose_heuristic(scratch, 0, word)


@owning_kernel
def advance(rows, log, ledger, rule, codes, lo, hi):  # type: ignore[no-untyped-def]
    """Play rows lo to hi - 1 on to a seat with code WAIT or to the end of the hand; return the number of decisions.

    `codes` holds the agent of each seat, int8 (4,) for all hands or (N, 4). Rows, log and ledger are modified in place.
    """
    # A table of an environment is one call: the view is no longer than its game needs, and is not cleared.
    scratch = np.empty((1, V if rule[R_SPEECH] == SPEECH_OFF else V_SPEECH), dtype=np.uint64)
    decisions = 0
    for i in range(lo, hi):
        while rows[i, SEAT] != NOBODY:
            seat = np.int64(rows[i, SEAT])
            if codes.ndim == 1:
                code = np.int64(codes[seat])
            else:
                code = np.int64(codes[i, seat])
            if code < 0:
                break
            apply(rows, log, ledger, i, rule, choose(rows, i, seat, rule, code, scratch))
            decisions += 1
    return decisions
