"""The policy network in compiled code: float32, one row at a time, without torch.

The layers are those of `agents.network.PolicyNetwork`, and the outputs its own but for rounding. A row is a matter of
microseconds, and its outputs are the same to the bit in whatever batch it stands. Three things make it quick:

- a layer adds a row of weights to its outputs for each of its inputs, so that the inner loop runs over outputs and is
  vectorised although no sum is reordered; weights are kept transposed for it, and four inputs are taken at a time;
- inputs that ReLU has made 0, about half of them, are left out;
- the output layer is worked out for the legal actions alone.

Kernels of other modules may call those here. They take the weights as `Layers` and the memory that they write to as
`Scratch`, of which each thread needs one of its own; nothing else is allocated.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.choice import best_of, draw, legal_list, log_probabilities
from minchiate_rl.agents.shape import N_PHASES, Shape
from minchiate_rl.agents.suits import ACTIONS_BACK, rename_row
from minchiate_rl.errors import CheckpointError
from minchiate_rl.game.actions import N_ACTIONS
from minchiate_rl.game.engine.bits import ONE, ZERO, popcount
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import V_LEGAL, V_TURN
from minchiate_rl.game.engine.pick import pick_uniform
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.views.encoding import encode_tokens, max_tokens

Floats = npt.NDArray[np.float32]

#: What LayerNorm adds to the variance, as torch does.
_EPSILON: Final = np.float32(1e-5)
_NOTHING: Final = np.float32(0.0)
_UNIT: Final = np.float32(1.0)
_BYTE: Final = np.uint64(0xFF)


class Layers(NamedTuple):
    """The weights of a policy of width H with N tokens and A actions: float32, contiguous."""

    table: Floats
    """(N, H): what each token adds to the first layer."""
    scale: Floats
    """(H,): LayerNorm's weight."""
    shift: Floats
    """(H,): LayerNorm's bias."""
    first: Floats
    """(blocks, H, H): the first layer of each residual block, by input, then output."""
    first_bias: Floats
    """(blocks, H)."""
    second: Floats
    """(blocks, H, H): the second layer likewise."""
    second_bias: Floats
    """(blocks, H)."""
    head: Floats
    """(A, H): by action."""
    head_bias: Floats
    """(A,)."""
    phase_bias: Floats
    """(N_PHASES, A)."""


class Scratch(NamedTuple):
    """What the kernels write to; what is named as a result stays there until the next call."""

    tokens: npt.NDArray[np.int16]
    """(1, T): the tokens of a view, its suits renamed."""
    legal: npt.NDArray[np.uint64]
    """(1, 4): its legal actions, renamed."""
    hidden: Floats
    """(H,): the input of the output layer."""
    inner: Floats
    """(H,)."""
    active: npt.NDArray[np.int64]
    """(H,): inputs of a layer that are not 0."""
    names: npt.NDArray[np.int64]
    """(N_ACTIONS,): result; the legal actions as the network calls them, ascending, in the first n places."""
    logits: Floats
    """(1, N_ACTIONS): result; the logits of these actions, by action."""
    actions: npt.NDArray[np.int64]
    """(N_ACTIONS,): result; the real legal actions in the order of `names`."""
    log_probs: npt.NDArray[np.float64]
    """(N_ACTIONS,): result; their log-probabilities in the same order."""


@kernel
def sum_row(table, tokens, i, out):  # type: ignore[no-untyped-def]
    """Fill out (H,) with the sum of table[t] over the tokens t of row i; tokens are left-packed, 0 ends the row."""
    width, most = table.shape[1], tokens.shape[1]
    n = 0
    while n < most and tokens[i, n] != 0:
        n += 1
    for c in range(width):
        out[c] = 0.0
    k = 0
    while k + 4 <= n:
        # Four rows at a time: a quarter of the loads and stores of the sum, half as fast again.
        t0, t1, t2, t3 = tokens[i, k], tokens[i, k + 1], tokens[i, k + 2], tokens[i, k + 3]
        for c in range(width):
            out[c] += (table[t0, c] + table[t1, c]) + (table[t2, c] + table[t3, c])
        k += 4
    while k < n:
        t0 = tokens[i, k]
        for c in range(width):
            out[c] += table[t0, c]
        k += 1


@kernel
def _add_products(weights, x, active, n, out):  # type: ignore[no-untyped-def]
    """Add x[i] * weights[i] to out, modified in place, for the inputs i in active[:n]."""
    width = out.shape[0]
    k = 0
    while k + 4 <= n:
        i0, i1, i2, i3 = active[k], active[k + 1], active[k + 2], active[k + 3]
        x0, x1, x2, x3 = x[i0], x[i1], x[i2], x[i3]
        for c in range(width):
            out[c] += (x0 * weights[i0, c] + x1 * weights[i1, c]) + (x2 * weights[i2, c] + x3 * weights[i3, c])
        k += 4
    while k < n:
        i0 = active[k]
        x0 = x[i0]
        for c in range(width):
            out[c] += x0 * weights[i0, c]
        k += 1


@kernel
def _dot(a, b):  # type: ignore[no-untyped-def]
    """Return the product of two vectors: in eight sums, which fit a register, added up in pairs."""
    s0, s1, s2, s3 = _NOTHING, _NOTHING, _NOTHING, _NOTHING
    s4, s5, s6, s7 = _NOTHING, _NOTHING, _NOTHING, _NOTHING
    width = a.shape[0]
    c = 0
    while c + 8 <= width:
        s0 += a[c] * b[c]
        s1 += a[c + 1] * b[c + 1]
        s2 += a[c + 2] * b[c + 2]
        s3 += a[c + 3] * b[c + 3]
        s4 += a[c + 4] * b[c + 4]
        s5 += a[c + 5] * b[c + 5]
        s6 += a[c + 6] * b[c + 6]
        s7 += a[c + 7] * b[c + 7]
        c += 8
    while c < width:
        s0 += a[c] * b[c]
        c += 1
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))


@kernel
def _rectify(x, active):  # type: ignore[no-untyped-def]
    """Make what is below 0 in x 0, modified in place; list what is not 0 in active; return how much that is."""
    for c in range(x.shape[0]):
        # What is not a number is above nothing and below nothing: it stays, and is found in the outputs.
        if x[c] <= _NOTHING:
            x[c] = _NOTHING
    return _not_zero(x, active)


@kernel
def _not_zero(x, active):  # type: ignore[no-untyped-def]
    """List what is not 0 in x in active; return how much that is."""
    n = 0
    for c in range(x.shape[0]):
        active[n] = c
        n += x[c] != _NOTHING
    return n


@kernel
def _normalise(x, scale, shift):  # type: ignore[no-untyped-def]
    """Bring x to mean 0 and variance 1, then scale and shift it, modified in place (LayerNorm)."""
    width = x.shape[0]
    s0, s1, s2, s3 = _NOTHING, _NOTHING, _NOTHING, _NOTHING
    for c in range(0, width - 3, 4):
        s0, s1, s2, s3 = s0 + x[c], s1 + x[c + 1], s2 + x[c + 2], s3 + x[c + 3]
    for c in range(width - width % 4, width):
        s0 += x[c]
    mean = ((s0 + s1) + (s2 + s3)) / np.float32(width)
    for c in range(width):
        x[c] -= mean
    variance = _dot(x, x) / np.float32(width)
    factor = _UNIT / np.sqrt(variance + _EPSILON)
    for c in range(width):
        x[c] = x[c] * factor * scale[c] + shift[c]


@kernel
def token_logits(layers, scratch, tokens, phase, legal, k):  # type: ignore[no-untyped-def]
    """Fill scratch.names and scratch.logits for row k of tokens (B, T) and legal words (B, 4); return the number n.

    The tokens and the legal actions are as the network calls them (agents.suits); phase is a seats.Phase.
    """
    hidden, inner, active = scratch.hidden, scratch.inner, scratch.active
    sum_row(layers.table, tokens, k, hidden)
    _normalise(hidden, layers.scale, layers.shift)
    n = _rectify(hidden, active)
    for block in range(layers.first.shape[0]):
        if block > 0:
            n = _not_zero(hidden, active)
        for c in range(inner.shape[0]):
            inner[c] = layers.first_bias[block, c]
        _add_products(layers.first[block], hidden, active, n, inner)
        n = _rectify(inner, active)
        for c in range(hidden.shape[0]):
            hidden[c] += layers.second_bias[block, c]
        _add_products(layers.second[block], inner, active, n, hidden)
    n_legal = legal_list(legal, k, scratch.names)
    for place in range(n_legal):
        name = scratch.names[place]
        bias = layers.head_bias[name] + layers.phase_bias[phase, name]
        scratch.logits[0, name] = _dot(layers.head[name], hidden) + bias
    return n_legal


@kernel
def view_logits(layers, scratch, views, j):  # type: ignore[no-untyped-def]
    """Fill scratch.actions with the legal actions of view row j, scratch.names and logits besides; return their number.

    The logit of scratch.actions[k] is scratch.logits[0, scratch.names[k]].
    """
    encode_tokens(views, j, scratch.tokens, 0)
    for w in range(4):
        scratch.legal[0, w] = views[j, V_LEGAL + w]
    order = rename_row(views, j, scratch.tokens, scratch.legal, 0)
    phase = np.int64(views[j, V_TURN] & _BYTE)
    n = token_logits(layers, scratch, scratch.tokens, phase, scratch.legal, 0)
    for k in range(n):
        scratch.actions[k] = ACTIONS_BACK[order, scratch.names[k]]
    return n


@kernel
def view_log_probs(layers, scratch, views, j, temperature):  # type: ignore[no-untyped-def]
    """Fill scratch.actions and scratch.log_probs for view row j, temperature above 0; return their number.

    Returns -1 if an output of the network is not finite.
    """
    n = view_logits(layers, scratch, views, j)
    if not log_probabilities(scratch.logits, 0, scratch.names, n, 1.0 / temperature, scratch.log_probs):
        return -1
    return n


@kernel
def choose_by_policy(layers, scratch, views, j, word, temperature):  # type: ignore[no-untyped-def]
    """Return the policy's action (int64) for view row j: its best at temperature 0, else drawn by a random word.

    Returns -1 if an output of the network is not finite. Where only one action is legal no network is asked.
    """
    w0, w1, w2, w3 = views[j, V_LEGAL], views[j, V_LEGAL + 1], views[j, V_LEGAL + 2], views[j, V_LEGAL + 3]
    if popcount(w0) + popcount(w1) + popcount(w2) + popcount(w3) == ONE:
        return pick_uniform(w0, w1, w2, w3, ZERO)
    if temperature == 0.0:
        n = view_logits(layers, scratch, views, j)
        k = best_of(scratch.logits, 0, scratch.names, n)
    else:
        n = view_log_probs(layers, scratch, views, j, temperature)
        k = draw(scratch.log_probs, n, word) if n > 0 else -1
    return scratch.actions[k] if k >= 0 else np.int64(-1)


@kernel
def choose_rows(layers, scratch, views, words, temperature, actions):  # type: ignore[no-untyped-def]
    """Fill actions (M,) with the policy's action for each view row; return how many rows had outputs not finite."""
    bad = 0
    for j in range(views.shape[0]):
        action = choose_by_policy(layers, scratch, views, j, words[j], temperature)
        bad += action < 0
        actions[j] = action
    return bad


@kernel
def log_probs_of_rows(layers, scratch, views, ids, out):  # type: ignore[no-untyped-def]
    """Fill out (M, K) with the log-probabilities of actions ids (M, K) of each view row; return how many rows failed.

    An id that is no legal action of its row, such as -1, gets -inf.
    """
    bad = 0
    for j in range(views.shape[0]):
        n = view_log_probs(layers, scratch, views, j, 1.0)
        bad += n < 0
        for k in range(ids.shape[1]):
            out[j, k] = -np.inf
            for place in range(n):
                if scratch.actions[place] == ids[j, k]:
                    out[j, k] = scratch.log_probs[place]
    return bad


@kernel
def _logits_of_rows(layers, scratch, tokens, phases, legal, out):  # type: ignore[no-untyped-def]
    """Fill out (B, A) at the legal actions of each row of tokens; nothing else of it is touched."""
    for i in range(tokens.shape[0]):
        n = token_logits(layers, scratch, tokens, np.int64(phases[i]), legal, i)
        for k in range(n):
            out[i, scratch.names[k]] = scratch.logits[0, scratch.names[k]]


class CompiledPolicy:
    """A policy network for the kernels of this module: its weights in their layout."""

    def __init__(self, shape: Shape, tensors: Mapping[str, npt.ArrayLike], where: object = "policy") -> None:
        """Copy the weights of a `PolicyNetwork`, named as in its state.

        Args:
            shape: the sizes of the network.
            tensors: float32, by name.
            where: what an error names.

        Raises:
            CheckpointError: names or shapes do not fit.
        """
        own = {name: np.array(tensor, dtype=np.float32, order="C") for name, tensor in tensors.items()}
        _check(shape, own, where)
        self.shape = shape
        self.layers = Layers(
            table=own["table"],
            scale=own["norm.weight"],
            shift=own["norm.bias"],
            first=_by_block(own, shape, "first.weight"),
            first_bias=_by_block(own, shape, "first.bias"),
            second=_by_block(own, shape, "second.weight"),
            second_bias=_by_block(own, shape, "second.bias"),
            head=own["head.weight"],
            head_bias=own["head.bias"],
            phase_bias=own["phase_bias"],
        )

    def compiled(self) -> "CompiledPolicy":
        """Return this policy itself."""
        return self

    def arrays(self) -> dict[str, Floats]:
        """Return the weights as they were given, float32, named as in the state of a `PolicyNetwork`."""
        layers = self.layers
        arrays = {
            "table": layers.table,
            "norm.weight": layers.scale,
            "norm.bias": layers.shift,
            "head.weight": layers.head,
            "head.bias": layers.head_bias,
            "phase_bias": layers.phase_bias,
        }
        for block in range(self.shape.blocks):
            place = _place(block)
            arrays[f"{place}first.weight"] = np.ascontiguousarray(layers.first[block].T)
            arrays[f"{place}first.bias"] = layers.first_bias[block]
            arrays[f"{place}second.weight"] = np.ascontiguousarray(layers.second[block].T)
            arrays[f"{place}second.bias"] = layers.second_bias[block]
        return arrays

    def scratch(self, rules: RuleSet) -> Scratch:
        """Return memory for the kernels, for views under a rule set; each thread needs its own."""
        return new_scratch(self.shape.width, max_tokens(rules))

    def logits(
        self, tokens: npt.NDArray[np.int16], phases: npt.NDArray[np.int8], legal: npt.NDArray[np.uint64]
    ) -> Floats:
        """Return the logits of the legal actions, -inf elsewhere.

        Args:
            tokens: int16 (B, T), suits renamed (agents.suits).
            phases: int8 (B,): seats.Phase of each row.
            legal: uint64 (B, 4): the legal actions, renamed.

        Returns:
            float32 (B, num_actions).
        """
        out = np.full((len(tokens), self.shape.num_actions), -np.inf, dtype=np.float32)
        _logits_of_rows(self.layers, new_scratch(self.shape.width, 0), tokens, phases, legal, out)
        return out


def new_scratch(width: int, n_tokens: int) -> Scratch:
    """Return memory for a network of a width and views of so many tokens."""
    return Scratch(
        tokens=np.zeros((1, n_tokens), dtype=np.int16),
        legal=np.zeros((1, 4), dtype=np.uint64),
        hidden=np.zeros(width, dtype=np.float32),
        inner=np.zeros(width, dtype=np.float32),
        active=np.zeros(width, dtype=np.int64),
        names=np.zeros(N_ACTIONS, dtype=np.int64),
        logits=np.zeros((1, N_ACTIONS), dtype=np.float32),
        actions=np.zeros(N_ACTIONS, dtype=np.int64),
        log_probs=np.zeros(N_ACTIONS, dtype=np.float64),
    )


def _place(block: int) -> str:
    """Return what the names of a block's weights begin with."""
    return f"more.{block - 1}." if block else ""


def _by_block(own: Mapping[str, Floats], shape: Shape, name: str) -> Floats:
    """Return the weights of that name of all blocks, matrices transposed, as one contiguous array."""
    return np.array([own[_place(block) + name].T for block in range(shape.blocks)], dtype=np.float32, order="C")


def _check(shape: Shape, own: Mapping[str, npt.NDArray[Any]], where: object) -> None:
    """Refuse weights that are not those of a network of the shape."""
    width, outputs = shape.width, shape.num_actions
    wanted: dict[str, tuple[int, ...]] = {
        "table": (shape.n_tokens, width),
        "norm.weight": (width,),
        "norm.bias": (width,),
        "head.weight": (outputs, width),
        "head.bias": (outputs,),
        "phase_bias": (N_PHASES, outputs),
    }
    for layer in (_place(block) + name for block in range(shape.blocks) for name in ("first", "second")):
        wanted |= {f"{layer}.weight": (width, width), f"{layer}.bias": (width,)}
    found = {name: array.shape for name, array in own.items()}
    faults = [f"{name} is missing" for name in sorted(wanted.keys() - found.keys())]
    faults += [f"{name} is unknown" for name in sorted(found.keys() - wanted.keys())]
    faults += [
        f"{name} has the shape {found[name]}, not {size}"
        for name, size in wanted.items()
        if name in found and found[name] != size
    ]
    if faults:
        raise CheckpointError(f"{where}: the weights do not fit the network: {'; '.join(faults)}")
