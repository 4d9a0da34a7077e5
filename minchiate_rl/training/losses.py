"""The policy's losses with their gradients, over legal actions alone, as kernels.

A softmax over all logits with masks, entropy and its backward pass is a score of passes over the whole matrix in torch;
here it is one pass over the few legal actions of each row. The gradients are the textbook ones; tests compare them with
autograd's.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.choice import legal_list, log_probabilities
from minchiate_rl.agents.network import N_BELIEFS
from minchiate_rl.errors import RunError
from minchiate_rl.game.actions import N_ACTIONS
from minchiate_rl.game.engine.jit import kernel, owning_kernel
from minchiate_rl.views.vocabulary import HIDDEN_PLACES

#: Columns of the sums that the kernels return: surrogate loss, cross-entropy or squared error, entropy, KL from the
#: policy that acted, clipped rows (for imitation: rows in agreement), rows that are not finite, KL from the magnet.
SUM_LOSS: Final = 0
SUM_ENTROPY: Final = 1
SUM_KL: Final = 2
SUM_CLIPPED: Final = 3
SUM_BAD: Final = 4
SUM_MAGNET: Final = 5
N_SUMS: Final = 6

_N_HIDDEN: Final = len(HIDDEN_PLACES)

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


@owning_kernel
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
def _divergence(log_p, log_q, n):  # type: ignore[no-untyped-def]
    """Return the divergence KL(p || q) in nats of log-probabilities log_p[:n] and log_q[:n]."""
    divergence = 0.0
    for k in range(n):
        divergence += np.exp(log_p[k]) * (log_p[k] - log_q[k])
    return divergence


@owning_kernel
def _magnet(logits, legal, actions, log_probs, advantages, anchors, settings, out):  # type: ignore[no-untyped-def]
    """Fill gradient and sums as `_ppo` does; anchors: logits of the magnet and of the policy that acted."""
    gradient, sums = out
    magnet, acted = anchors
    ids = np.empty(N_ACTIONS, np.int64)
    log_p, log_m, log_o = np.empty(N_ACTIONS), np.empty(N_ACTIONS), np.empty(N_ACTIONS)
    clip, weight, pull, hold, scale = settings[0], settings[1], settings[2], settings[3], 1.0 / logits.shape[0]
    for i in range(logits.shape[0]):
        n = legal_list(legal, i, ids)
        sound = log_probabilities(logits, i, ids, n, 1.0, log_p)
        sound = sound and log_probabilities(magnet, i, ids, n, 1.0, log_m)
        if not (sound and log_probabilities(acted, i, ids, n, 1.0, log_o)):
            sums[SUM_BAD] += 1.0
            continue
        entropy = _entropy(log_p, n)
        from_magnet, from_acted = _divergence(log_p, log_m, n), _divergence(log_p, log_o, n)
        chosen = 0
        while ids[chosen] != actions[i]:
            chosen += 1
        ratio, advantage = np.exp(log_p[chosen] - np.float64(log_probs[i])), np.float64(advantages[i])
        free = ratio * advantage
        held = min(max(ratio, 1.0 - clip), 1.0 + clip) * advantage
        if hold > 0.0:
            held = free
        slope = -free if free <= held else 0.0
        for k in range(n):
            p = np.exp(log_p[k])
            g = -slope * p + weight * p * (log_p[k] + entropy)
            g += pull * p * (log_p[k] - log_m[k] - from_magnet) + hold * p * (log_p[k] - log_o[k] - from_acted)
            if k == chosen:
                g += slope
            gradient[i, ids[k]] = g * scale
        sums[SUM_LOSS] -= min(free, held)
        sums[SUM_ENTROPY] += entropy
        sums[SUM_KL] += from_acted
        sums[SUM_MAGNET] += from_magnet
        sums[SUM_CLIPPED] += abs(ratio - 1.0) > clip


@kernel
def _value(logits, actions, goals, gradient, sums):  # type: ignore[no-untyped-def]
    """Fill the gradient (B, A) and the sums of the squared error of each chosen action's output."""
    scale = 1.0 / logits.shape[0]
    for i in range(logits.shape[0]):
        error = np.float64(logits[i, actions[i]]) - np.float64(goals[i])
        if not np.isfinite(error):
            sums[SUM_BAD] += 1.0
            continue
        gradient[i, actions[i]] = 2.0 * error * scale
        sums[SUM_LOSS] += error * error


@owning_kernel
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


@kernel
def _belief(logits, state_tokens, first, gradient):  # type: ignore[no-untyped-def]
    """Fill the gradient (B, 97 * 4) of the cross-entropy summed over hidden cards; return the sum and their number."""
    loss, cards = 0.0, 0
    for k in range(logits.shape[0]):
        for token in state_tokens[k]:
            if token == 0:
                break
            if token < first:
                continue
            card = (token - first) // _N_HIDDEN
            place = min((token - first) - card * _N_HIDDEN, N_BELIEFS - 1)
            at = N_BELIEFS * card
            top = np.float64(logits[k, at])
            for c in range(1, N_BELIEFS):
                top = max(top, np.float64(logits[k, at + c]))
            total = 0.0
            for c in range(N_BELIEFS):
                total += np.exp(logits[k, at + c] - top)
            for c in range(N_BELIEFS):
                gradient[k, at + c] = np.exp(logits[k, at + c] - top) / total
            gradient[k, at + place] -= 1.0
            loss -= logits[k, at + place] - top - np.log(total)
            cards += 1
    return loss, cards


@owning_kernel
def _distribution(logits, legal, ids, chances, weight, out):  # type: ignore[no-untyped-def]
    """Fill out[0] (B, A) with the gradient and out[1] with the sums of the cross-entropy of distributions."""
    gradient, sums = out
    own = np.empty(N_ACTIONS, np.int64)
    log_p = np.empty(N_ACTIONS, np.float64)
    scale = 1.0 / logits.shape[0]
    for i in range(logits.shape[0]):
        n = legal_list(legal, i, own)
        if not log_probabilities(logits, i, own, n, 1.0, log_p):
            sums[SUM_BAD] += 1.0
            continue
        entropy, best, wanted = _entropy(log_p, n), 0, 0
        for k in range(n):
            p = np.exp(log_p[k])
            gradient[i, own[k]] = (p + weight * p * (log_p[k] + entropy)) * scale
            if log_p[k] > log_p[best]:
                best = k
        for m in range(ids.shape[1]):
            if ids[i, m] < 0:
                break
            if chances[i, m] > chances[i, wanted]:
                wanted = m
            for k in range(n):
                if own[k] == ids[i, m]:
                    gradient[i, own[k]] -= np.float64(chances[i, m]) * scale
                    sums[SUM_LOSS] -= np.float64(chances[i, m]) * log_p[k]
        sums[SUM_ENTROPY] += entropy
        sums[SUM_CLIPPED] += own[best] == ids[i, wanted]


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


def magnet_gradient(
    logits: Floats, targets: Targets, anchors: tuple[Floats, Floats], weights: tuple[float, float, float, float]
) -> tuple[Floats, Sums]:
    """Return the gradient of a policy loss with a magnet, and sums for the metrics.

    The loss is the mean over rows of surrogate - entropy * H(pi) + magnet * KL(pi || magnet) + proximal * KL(pi || old)
    over the legal actions: magnetic mirror descent (Sokota et al.: A Unified Approach to Reinforcement Learning,
    Quantal Response Equilibria, and Two-Player Zero-Sum Games, 2023, arXiv 2206.05825). The surrogate is that of
    `ppo_gradient` where proximal is 0, and -r A unclipped where the proximal divergence takes the clip's place.

    Args:
        logits: float32 (B, A), not masked.
        targets: the rows' legal actions, choices, log-probabilities and advantages.
        anchors: logits float32 (B, A) of the magnet and of the policy that acted.
        weights: clip range, entropy, magnet, proximal.

    Raises:
        RunError: a logit of a legal action is not finite.
    """
    gradient = np.zeros(logits.shape, dtype=np.float32)
    sums = np.zeros(N_SUMS, dtype=np.float64)
    settings, out = np.array(weights, dtype=np.float64), (gradient, sums)
    _magnet(logits, targets.legal, targets.actions, targets.log_probs, targets.advantages, anchors, settings, out)
    return gradient, _finite(sums)


def value_gradient(logits: Floats, actions: npt.NDArray[np.int16], goals: Floats) -> tuple[Floats, Sums]:
    """Return the gradient of the mean squared error of the chosen actions' outputs, and sums for the metrics.

    Args:
        logits: float32 (B, A): the outputs, as values of the actions.
        actions: int16 (B,).
        goals: float32 (B,): what each choice came to.

    Raises:
        RunError: an output is not finite.
    """
    gradient = np.zeros(logits.shape, dtype=np.float32)
    sums = np.zeros(N_SUMS, dtype=np.float64)
    _value(logits, actions, goals, gradient, sums)
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


def distribution_gradient(
    logits: Floats, legal: Words, ids: npt.NDArray[np.int16], chances: Floats, entropy: float = 0.0
) -> tuple[Floats, Sums]:
    """Return the gradient of the mean cross-entropy of distributions less the entropy bonus, and sums for the metrics.

    Args:
        logits: float32 (B, A), not masked.
        legal: uint64 (B, 4).
        ids: int16 (B, K): legal actions, -1 behind the last one.
        chances: float32 (B, K): their chances, 1 in all.
        entropy: the weight of the entropy.

    Raises:
        RunError: a logit of a legal action is not finite.
    """
    gradient = np.zeros(logits.shape, dtype=np.float32)
    sums = np.zeros(N_SUMS, dtype=np.float64)
    _distribution(logits, legal, ids, chances, entropy, (gradient, sums))
    return gradient, _finite(sums)


def belief_gradient(logits: Floats, states: npt.NDArray[np.int16], first_hidden: int) -> tuple[Floats, float, int]:
    """Return the gradient of the mean cross-entropy of the hidden cards' places, its sum, and their number.

    Args:
        logits: float32 (B, 97 * 4), the belief network's outputs.
        states: int16 (B, T): the state tokens of the same rows.
        first_hidden: the number of the first token of a hidden card.

    Raises:
        RunError: an output is not finite.
    """
    gradient = np.zeros(logits.shape, dtype=np.float32)
    loss, cards = _belief(logits, states, first_hidden, gradient)
    if not np.isfinite(loss):
        raise RunError("training diverged: the belief network's outputs are not finite; a smaller lr may help")
    return gradient / np.float32(max(cards, 1)), float(loss), int(cards)


def _finite(sums: Sums) -> Sums:
    if sums[SUM_BAD] or not np.isfinite(sums).all():
        raise RunError("training diverged: the policy's outputs are not finite; a smaller learning rate may help")
    return sums
