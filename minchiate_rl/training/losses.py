"""The policy's losses with their gradients, over legal actions alone, as kernels.

A softmax over all logits with masks, entropy and its backward pass is a score of passes over the whole matrix in torch;
here it is one pass over the few legal actions of each row. The gradients are the textbook ones; tests compare them with
autograd's.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.choice import legal_list, log_probabilities
from minchiate_rl.errors import RunError
from minchiate_rl.game.actions import N_ACTIONS
from minchiate_rl.game.engine.jit import kernel

#: Columns of the sums that the kernels return: surrogate loss or cross-entropy, entropy, KL, clipped rows (for
#: imitation: rows in agreement), rows that are not finite.
SUM_LOSS: Final = 0
SUM_ENTROPY: Final = 1
SUM_KL: Final = 2
SUM_CLIPPED: Final = 3
SUM_BAD: Final = 4
N_SUMS: Final = 5

Floats = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint64]
Sums = npt.NDArray[np.float64]


class Targets(NamedTuple):
    """What PPO compares a minibatch with: rows of the rollout."""

    legal: Words
    """uint64 (B, 4)."""
    actions: npt.NDArray[np.int16]
    """int16 (B,)."""
    log_probs: Floats
    """float32 (B,): under the policy that acted."""
    advantages: Floats
    """float32 (B,), normalised."""

    def rows(self, index: npt.NDArray[np.int64]) -> "Targets":
        """Return some of the rows."""
        return Targets(self.legal[index], self.actions[index], self.log_probs[index], self.advantages[index])


@kernel
def _entropy(log_p, n):  # type: ignore[no-untyped-def]
    """Return the entropy in nats of log-probabilities log_p[:n]."""
    entropy = 0.0
    for k in range(n):
        entropy -= np.exp(log_p[k]) * log_p[k]
    return entropy


@kernel
def _ppo(logits, legal, actions, log_probs, advantages, settings, out):  # type: ignore[no-untyped-def]
    """Fill out[0] (B, A) with the gradient and out[1] with the sums; settings: clip range, entropy weight."""
    gradient, sums = out
    ids = np.empty(N_ACTIONS, np.int64)
    log_p = np.empty(N_ACTIONS, np.float64)
    clip, weight, scale = settings[0], settings[1], 1.0 / logits.shape[0]
    for i in range(logits.shape[0]):
        n = legal_list(legal, i, ids)
        if not log_probabilities(logits, i, ids, n, 1.0, log_p):
            sums[SUM_BAD] += 1.0
            continue
        entropy = _entropy(log_p, n)
        chosen = 0
        while ids[chosen] != actions[i]:
            chosen += 1
        log_ratio = log_p[chosen] - np.float64(log_probs[i])
        ratio, advantage = np.exp(log_ratio), np.float64(advantages[i])
        free = ratio * advantage
        held = min(max(ratio, 1.0 - clip), 1.0 + clip) * advantage
        slope = -free if free <= held else 0.0
        for k in range(n):
            p = np.exp(log_p[k])
            g = -slope * p + weight * p * (log_p[k] + entropy)
            if k == chosen:
                g += slope
            gradient[i, ids[k]] = g * scale
        sums[SUM_LOSS] -= min(free, held)
        sums[SUM_ENTROPY] += entropy
        sums[SUM_KL] += ratio - 1.0 - log_ratio
        sums[SUM_CLIPPED] += abs(ratio - 1.0) > clip


@kernel
def _imitation(logits, legal, actions, gradient, sums):  # type: ignore[no-untyped-def]
    """Fill the gradient (B, A) and the sums of the cross-entropy of the teacher's actions."""
    ids = np.empty(N_ACTIONS, np.int64)
    log_p = np.empty(N_ACTIONS, np.float64)
    scale = 1.0 / logits.shape[0]
    for i in range(logits.shape[0]):
        n = legal_list(legal, i, ids)
        if not log_probabilities(logits, i, ids, n, 1.0, log_p):
            sums[SUM_BAD] += 1.0
            continue
        best = 0
        for k in range(n):
            if log_p[k] > log_p[best]:
                best = k
            gradient[i, ids[k]] = np.exp(log_p[k]) * scale
            if ids[k] == actions[i]:
                gradient[i, ids[k]] -= scale
                sums[SUM_LOSS] -= log_p[k]
        sums[SUM_ENTROPY] += _entropy(log_p, n)
        sums[SUM_CLIPPED] += ids[best] == actions[i]


def ppo_gradient(logits: Floats, targets: Targets, clip: float, entropy: float) -> tuple[Floats, Sums]:
    """Return the gradient of PPO's clipped loss less the entropy bonus, and sums for the metrics.

    The loss is the mean over rows of -min(r A, clip(r, 1 - c, 1 + c) A) - entropy * H (Schulman et al.: Proximal Policy
    Optimization Algorithms, 2017), H over the legal actions.

    Args:
        logits: float32 (B, A), not masked.
        targets: the rows' legal actions, choices, log-probabilities and advantages.
        clip: the clip range c.
        entropy: the weight of the entropy.

    Returns:
        The gradient by the logits, float32 (B, A), 0 at illegal actions; and float64 (N_SUMS,).

    Raises:
        RunError: a logit of a legal action is not finite.
    """
    gradient = np.zeros(logits.shape, dtype=np.float32)
    sums = np.zeros(N_SUMS, dtype=np.float64)
    settings = np.array([clip, entropy], dtype=np.float64)
    _ppo(logits, targets.legal, targets.actions, targets.log_probs, targets.advantages, settings, (gradient, sums))
    return gradient, _finite(sums)


def imitation_gradient(logits: Floats, legal: Words, actions: npt.NDArray[np.int16]) -> tuple[Floats, Sums]:
    """Return the gradient of the mean cross-entropy of a teacher's actions, and sums for the metrics.

    Args:
        logits: float32 (B, A), not masked.
        legal: uint64 (B, 4).
        actions: int16 (B,), legal ones.

    Raises:
        RunError: a logit of a legal action is not finite.
    """
    gradient = np.zeros(logits.shape, dtype=np.float32)
    sums = np.zeros(N_SUMS, dtype=np.float64)
    _imitation(logits, legal, actions, gradient, sums)
    return gradient, _finite(sums)


def _finite(sums: Sums) -> Sums:
    if sums[SUM_BAD] or not np.isfinite(sums).all():
        raise RunError("training diverged: the policy's outputs are not finite; a smaller learning rate may help")
    return sums
