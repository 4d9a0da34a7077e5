"""From logits to actions: over the legal actions alone, given as the four words of a view (layout.V_LEGAL).

A decision has some 8 legal actions of 131, so these kernels look at those and at no other logit: what is illegal has
probability 0 and adds nothing to any sum. All arithmetic is float64 on float32 logits.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.game.actions import DONE, FIRST_SPEECH, N_ACTIONS
from minchiate_rl.game.engine.bits import ONE, ZERO, U, trailing_zeros
from minchiate_rl.game.engine.jit import kernel, owning_kernel

#: Number of the lowest action of each of the four words: suit cards, trumps and Matto, up to 143, items of speech.
WORD_STARTS: Final = (0, 56, int(DONE), int(FIRST_SPEECH))

_UNIT: Final = 1.0 / 9007199254740992.0


@kernel
def legal_list(legal, i, out):  # type: ignore[no-untyped-def]
    """Fill out with the legal actions of row i in ascending order; return how many there are."""
    n = 0
    for w in range(4):
        word = legal[i, w]
        start = WORD_STARTS[w]
        while word != ZERO:
            out[n] = start + np.int64(trailing_zeros(word))
            n += 1
            word &= word - ONE
    return n


@kernel
def log_probabilities(logits, i, ids, n, scale, out):  # type: ignore[no-untyped-def]
    """Fill out with the log-probabilities of actions ids[:n] from logits[i] times scale; False if one is not finite."""
    top = -np.inf
    for k in range(n):
        z = np.float64(logits[i, ids[k]])
        if not np.isfinite(z):
            return False
        out[k] = z * scale
        top = max(top, out[k])
    total = 0.0
    for k in range(n):
        total += np.exp(out[k] - top)
    shift = top + np.log(total)
    for k in range(n):
        out[k] -= shift
    return True


@kernel
def best_of(logits, i, ids, n):  # type: ignore[no-untyped-def]
    """Return the place in ids[:n] of the highest logit of row i, the first among equals; -1 if one is not finite."""
    best = 0
    for k in range(n):
        if not np.isfinite(logits[i, ids[k]]):
            return -1
        if logits[i, ids[k]] > logits[i, ids[best]]:
            best = k
    return best


@kernel
def draw(log_p, n, word):  # type: ignore[no-untyped-def]
    """Return the place in log_p[:n], log-probabilities, that a random word draws."""
    threshold = np.float64(word >> U(11)) * _UNIT
    k, below = 0, np.exp(log_p[0])
    while k < n - 1 and threshold >= below:
        k += 1
        below += np.exp(log_p[k])
    return k


@owning_kernel
def best_actions(logits, legal, actions):  # type: ignore[no-untyped-def]
    """Fill actions with the legal action of the highest logit, the lowest among equals; return how many rows failed."""
    ids = np.empty(N_ACTIONS, np.int64)
    bad = 0
    for i in range(logits.shape[0]):
        n = legal_list(legal, i, ids)
        best = best_of(logits, i, ids, n)
        bad += best < 0
        actions[i] = ids[max(best, 0)]
    return bad


@owning_kernel
def sample_actions(logits, legal, words, temperature, actions, log_probs):  # type: ignore[no-untyped-def]
    """Draw each row's action by its random word; fill actions and log-probabilities; return how many rows failed."""
    ids = np.empty(N_ACTIONS, np.int64)
    log_p = np.empty(N_ACTIONS, np.float64)
    bad = 0
    for i in range(logits.shape[0]):
        n = legal_list(legal, i, ids)
        if n == 0 or not log_probabilities(logits, i, ids, n, 1.0 / temperature, log_p):
            bad += 1
            continue
        k = draw(log_p, n, words[i])
        actions[i] = ids[k]
        log_probs[i] = log_p[k]
    return bad


def unpack_legal(legal: npt.NDArray[np.uint64], num_actions: int) -> npt.NDArray[np.bool_]:
    """Return the legal actions as bool (B, num_actions) from their words, uint64 (B, 4)."""
    out = np.zeros((len(legal), N_ACTIONS), dtype=np.bool_)
    ends = (*WORD_STARTS[1:], N_ACTIONS)
    for word, (start, end) in enumerate(zip(WORD_STARTS, ends, strict=True)):
        shifts = np.arange(end - start, dtype=np.uint64)
        out[:, start:end] = (legal[:, word, None] >> shifts) & np.uint64(1)
    return out[:, :num_actions]
