"""A view as numbers: one page for the dense vector, the tokens, the masks and the critic's dense state.

`SLICES` and `TOKENS` are the two layouts; `describe` makes the first readable. All kernels take view rows (layout.py,
the V_ columns) or state rows (the S columns besides) and write one row of an array given to them; those named
`..._slice` write rows lo to hi - 1, so that threads can share a batch.
"""

from typing import Final

import numpy as np

from minchiate_rl.game.cards import N_CARDS
from minchiate_rl.game.engine.bits import ONE, U
from minchiate_rl.game.engine.expand import encode_mask, encode_mask_slice, spread_bits
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import S_HAND
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.views.dense import encode_dense, encode_dense_slice
from minchiate_rl.views.reading import speaks
from minchiate_rl.views.slices import OBSERVATION_SIZE, OBSERVATION_VERSION, SLICES, observation_size, slices_of
from minchiate_rl.views.spoken import SPEECH_SIZE
from minchiate_rl.views.tokens import (
    encode_state_tokens,
    encode_state_tokens_slice,
    encode_tokens,
    encode_tokens_slice,
)
from minchiate_rl.views.vocabulary import (
    MAX_STATE_TOKENS,
    MAX_TOKENS,
    N_STATE_TOKENS,
    N_TOKENS,
    TOKENS,
    max_state_tokens,
    max_tokens,
    n_state_tokens,
    n_tokens,
    token_name,
)

__all__ = [
    "VERSION",
    "OBSERVATION_VERSION",
    "OBSERVATION_SIZE",
    "SLICES",
    "observation_size",
    "slices_of",
    "describe",
    "encode_dense",
    "encode_dense_slice",
    "encode_mask",
    "encode_mask_slice",
    "STATE_SIZE",
    "STATE_PLANES",
    "state_size",
    "encode_state",
    "encode_state_slice",
    "N_TOKENS",
    "MAX_TOKENS",
    "TOKENS",
    "n_tokens",
    "max_tokens",
    "n_state_tokens",
    "max_state_tokens",
    "token_name",
    "encode_tokens",
    "encode_tokens_slice",
    "N_STATE_TOKENS",
    "MAX_STATE_TOKENS",
    "encode_state_tokens",
    "encode_state_tokens_slice",
]

#: Grows whenever an entry of the vector or a token changes its number or its meaning.
VERSION: Final = OBSERVATION_VERSION

#: What follows the observation in a critic's dense state, one entry a card each.
STATE_PLANES: Final = (
    "hand_next",
    "hand_partner",
    "hand_previous",
    "fola_all",
    "discards_cutter",
    "discards_dealer",
)

STATE_SIZE: Final[int] = OBSERVATION_SIZE + N_CARDS * len(STATE_PLANES)
"""The number of entries of a critic's dense state where nobody speaks."""

_N_PLANES: Final = len(STATE_PLANES)
_N_CARDS: Final = np.uint64(N_CARDS)
_TRUMPS_AT: Final = np.uint64(56)
_MATTO_AT: Final = np.uint64(96)
_SIZE: Final = np.uint64(OBSERVATION_SIZE)
_SPEECH_SIZE: Final = np.uint64(SPEECH_SIZE)


def state_size(rules: RuleSet) -> int:
    """Return the number of entries of a rule set's dense state."""
    return observation_size(rules) + N_CARDS * len(STATE_PLANES)


@kernel
def encode_state(states, j, out, k):  # type: ignore[no-untyped-def]
    """Write state row j to out[k], float32: the observation, then where every hidden card truly is."""
    encode_dense(states, j, out, k)
    row = out[k]
    at = _SIZE + _SPEECH_SIZE if speaks(states, j) else _SIZE
    for plane in range(_N_PLANES):
        w0, w1 = states[j, S_HAND + 2 * plane], states[j, S_HAND + 2 * plane + 1]
        spread_bits(w0, 7, row, at)
        spread_bits(w1, 5, row, at + _TRUMPS_AT)
        row[at + _MATTO_AT] = np.float32((w1 >> U(40)) & ONE)
        at += _N_CARDS


@kernel
def encode_state_slice(states, out, lo, hi):  # type: ignore[no-untyped-def]
    """Write state rows lo to hi - 1 to the same rows of out."""
    for j in range(lo, hi):
        encode_state(states, j, out, j)


def describe(rules: RuleSet) -> str:
    """Return the layout of the observation as a text: each slice with its place, its size and its meaning.

    Args:
        rules: the rule set; the layout is the same for all forms of the game, and speech follows where there is any.
    """
    lines = [
        f"Observation of {rules.name}: float32, {observation_size(rules)} entries, version {OBSERVATION_VERSION}; "
        f"{rules.num_actions} actions.",
        "Seats count from the viewer: me, next, partner, previous; tables of two and three seats use the first places. "
        "A suit goes from its weakest card to the king.",
        "",
        f"{'start':>5} {'stop':>5} {'size':>4}  {'slice':<18} meaning",
    ]
    for name, (start, stop, meaning) in slices_of(rules).items():
        lines.append(f"{start:>5} {stop:>5} {stop - start:>4}  {name:<18} {meaning}")
    return "\n".join(lines)
