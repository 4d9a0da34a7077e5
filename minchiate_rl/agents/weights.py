"""Networks on disk: weights in safetensors, and beside them JSON that says what they were made for.

An agent's folder holds weights.safetensors and agent.json; a checkpoint holds weights.safetensors and state.json, which
has the same fields and more. Both name the rule set in full, the observation layout and the network's shape, and the
SHA-256 of every other file of the folder, so that an altered or truncated file is noticed. Nothing is ever unpickled.
"""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from minchiate_rl.agents import suits
from minchiate_rl.agents.shape import Shape
from minchiate_rl.errors import AgentError, CheckpointError, RulesError
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.views import encoding

WEIGHTS: Final = "weights.safetensors"
AGENT: Final = "agent.json"
STATE: Final = "state.json"
SCHEMA: Final = 1
#: What the networks are given: the versions of the tokens and of the suits' order.
LAYOUT: Final = f"tokens {encoding.VERSION}, suits {suits.VERSION}"

Arrays = dict[str, npt.NDArray[np.float32]]


def digest(data: bytes) -> str:
    """Return the SHA-256 of some bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def signed(document: dict[str, Any]) -> bytes:
    """Return a JSON text of the document with a checksum of its own fields."""
    document = {**document, "checksum": _checksum(document)}
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode()


def _checksum(document: dict[str, Any]) -> str:
    return digest(json.dumps(document, sort_keys=True, allow_nan=False).encode())


def description(rules: RuleSet, shape: Shape) -> dict[str, Any]:
    """Return what is written beside every set of weights: schema, rule set, observation layout, shape."""
    return {
        "schema": SCHEMA,
        "rules": {"name": rules.name, "game": rules.game, "switches": rules.switches},
        "layout": LAYOUT,
        "shape": dataclasses.asdict(shape),
    }


def read_document(path: Path) -> dict[str, Any]:
    """Return the JSON document of a checkpoint or an agent, its checksum proved.

    Raises:
        CheckpointError: the file cannot be read, is altered or truncated, or has another schema.
    """
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: cannot be read: {_one_line(error)}") from None
    if not isinstance(document, dict):
        raise CheckpointError(f"{path}: altered or truncated: not a JSON object")
    checksum = document.pop("checksum", None)
    if checksum != _checksum(document):
        raise CheckpointError(f"{path}: altered or truncated: its checksum does not fit")
    if document.get("schema") != SCHEMA:
        raise CheckpointError(f"{path}: schema {document.get('schema')!r} is not supported; allowed: {SCHEMA}")
    return document


def read_file(folder: Path, name: str, document: dict[str, Any]) -> bytes:
    """Return a file of a folder, its checksum proved against the folder's document.

    Raises:
        CheckpointError: the file cannot be read, is altered or truncated.
    """
    path = folder / name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read: {_one_line(error)}") from None
    if digest(data) != document.get("files", {}).get(name):
        raise CheckpointError(f"{path}: altered or truncated: its checksum does not fit")
    return data


def rules_of(document: dict[str, Any], where: Path) -> RuleSet:
    """Return the rule set that a document names in full.

    Raises:
        CheckpointError: this version cannot play it.
    """
    try:
        told = document["rules"]
        return RuleSet(name=told["name"], game=told.get("game", "minchiate"), **told["switches"])
    except (AttributeError, KeyError, TypeError, RulesError) as error:
        raise CheckpointError(f"{where}: made for a rule set that this version cannot play: {error}") from None


def shape_of(document: dict[str, Any], rules: RuleSet, where: Path) -> Shape:
    """Return the network's shape, after checking that the observation layout is this version's for the rule set.

    Raises:
        CheckpointError: the weights were made for another observation layout.
    """
    if document.get("layout") != LAYOUT:
        raise CheckpointError(
            f"{where}: made for observation layout {document.get('layout')!r}; this version has {LAYOUT!r}"
        )
    try:
        shape = Shape(**document["shape"])
    except (KeyError, TypeError):
        raise CheckpointError(f"{where}: the shape of the network is missing or unknown") from None
    own = shape_for(rules, shape.width, shape.critic_width, shape.blocks, shape.belief)
    if shape != own:
        raise CheckpointError(
            f"{where}: made for another observation layout: {shape.n_tokens} tokens and {shape.num_actions} actions; "
            f"the rule set {rules.name} has {own.n_tokens} and {own.num_actions}"
        )
    return shape


def check_fit(shape: Shape, rules: RuleSet, who: str) -> None:
    """Refuse networks whose actions or tokens are not those of a rule set.

    Args:
        shape: the network's.
        rules: the rule set it is to be asked under.
        who: what an error begins with.

    Raises:
        AgentError: the number of actions, or of tokens, is another.
    """
    theirs = shape_for(rules)
    for what, mine, other in (
        ("actions", shape.num_actions, theirs.num_actions),
        ("tokens", shape.n_tokens, theirs.n_tokens),
    ):
        if mine != other:
            raise AgentError(f"{who}: trained for {mine} {what}; the rules {rules.name} have {other}")


def shape_for(rules: RuleSet, width: int = 192, critic_width: int = 192, blocks: int = 1, belief: int = 0) -> Shape:
    """Return the shape of the networks for a rule set: its tokens and actions, and the sizes of the layers."""
    tokens = encoding.n_tokens(rules), encoding.n_state_tokens(rules)
    return Shape(*tokens, rules.num_actions, width, critic_width, blocks, belief)


def pack(tensors: Mapping[str, npt.ArrayLike]) -> bytes:
    """Return weights, float32 by name, as the bytes of a safetensors file."""
    return bytes(save_arrays({name: np.ascontiguousarray(t, dtype=np.float32) for name, t in tensors.items()}))


def unpack(data: bytes, where: Path) -> Arrays:
    """Return the weights of a safetensors file, float32 by name.

    Raises:
        CheckpointError: the bytes are no safetensors file, or hold other numbers than float32.
    """
    try:
        arrays = load_arrays(data)
    except (SafetensorError, KeyError) as error:  # KeyError: a type that NumPy has not
        raise CheckpointError(f"{where}: not a safetensors file: {_one_line(error)}") from None
    for name, array in arrays.items():
        if array.dtype != np.float32:
            raise CheckpointError(f"{where}: {name} holds numbers of type {array.dtype}; allowed: float32")
    return arrays


def _one_line(error: Exception) -> str:
    return " ".join(str(getattr(error, "strerror", None) or error).split())
