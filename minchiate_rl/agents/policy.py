"""Trained policies as agents: the network's best action, or a draw by its probabilities.

`policy:PATH` takes a run folder (its newest sound checkpoint), a checkpoint's folder, or an agent's folder. They play
in compiled code (agents.forward); torch is not needed for it.
"""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents import weights
from minchiate_rl.agents.base import HasWords
from minchiate_rl.agents.forward import CompiledPolicy, choose_rows, log_probs_of_rows
from minchiate_rl.agents.shape import Shape
from minchiate_rl.errors import AgentError, CheckpointError
from minchiate_rl.game.rules import RuleSet

if TYPE_CHECKING:
    from minchiate_rl.views.view import Views


_PREFIX: Final = "policy."
"""What the names of a policy's weights begin with, beside those of a critic."""


class Policy(Protocol):
    """A policy network: one that is trained (`agents.network.PolicyNetwork`), or compiled already."""

    shape: Shape

    def compiled(self) -> CompiledPolicy:
        """Return the policy as it is now for playing in kernels."""
        ...


class PolicyAgent:
    """A policy network at the table. At temperature 0 it plays its best action and needs no chance."""

    def __init__(self, network: Policy, rules: RuleSet, temperature: float = 0.0, name: str = "policy") -> None:
        """Take a network as it is now and the rule set that it was trained for.

        Temperature 1 draws by the network's own probabilities.
        """
        self.name = name
        self.network = network
        self.compiled = network.compiled()
        self.rules = rules
        self.temperature = temperature
        self._fitting: RuleSet | None = None

    @classmethod
    def load(cls, path: Path, temperature: float = 0.0) -> "PolicyAgent":
        """Return the policy of a run folder, a checkpoint's folder or an agent's folder.

        Raises:
            AgentError: the path is none of these.
            CheckpointError: the files are damaged, or made for another observation layout.
        """
        network, rules, _ = read_policy(path)
        return cls(network, rules, temperature, f"policy:{path}")

    def act(self, views: "Views", rng: HasWords) -> npt.NDArray[np.int16]:
        """Return an action for each view, int16 (M,).

        Raises:
            AgentError: the views are of another game.
            CheckpointError: an output is not finite.
        """
        self.check_rules(views.rules)
        actions = np.zeros(len(views), dtype=np.int16)
        seen, words = np.ascontiguousarray(views.words), np.ascontiguousarray(rng.words, dtype=np.uint64)
        scratch = self.compiled.scratch(views.rules)
        if choose_rows(self.compiled.layers, scratch, seen, words, float(self.temperature), actions):
            raise self._not_finite()
        return actions

    def log_probabilities(self, views: "Views", ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the log-probability of actions of each view, float64 (M, K); -inf where the id is negative.

        Args:
            views: M views of seats that are to act.
            ids: int64 (M, K): legal actions, all of them.

        Raises:
            AgentError: the views are of another game.
            CheckpointError: an output is not finite.
        """
        self.check_rules(views.rules)
        out = np.zeros(ids.shape, dtype=np.float64)
        seen, scratch = np.ascontiguousarray(views.words), self.compiled.scratch(views.rules)
        if log_probs_of_rows(self.compiled.layers, scratch, seen, np.ascontiguousarray(ids), out):
            raise self._not_finite()
        return out

    def _not_finite(self) -> CheckpointError:
        return CheckpointError(f"{self.name}: the network's outputs are not finite")

    def check_rules(self, rules: RuleSet) -> None:
        """Refuse another game than the policy was trained for; other switches of the same game are its own risk.

        Raises:
            AgentError: the game, or the number of its actions or tokens, is another.
        """
        if rules is self._fitting:
            return
        own = self.rules
        if rules.game != own.game:
            raise AgentError(
                f"{self.name}: trained for the game {own.game} (rule set {own.name}); "
                f"the rules {rules.name} are of the game {rules.game}"
            )
        weights.check_fit(self.network.shape, rules, f"{self.name} (rule set {own.name})")
        self._fitting = rules


def checkpoints(run: Path) -> list[Path]:
    """Return the folders of a run's checkpoints, the newest first."""
    found = [path for path in (run / "checkpoints").glob("*") if path.name.isdigit() and path.is_dir()]
    return sorted(found, key=lambda path: int(path.name), reverse=True)


def read_policy(path: Path) -> tuple[CompiledPolicy, RuleSet, dict[str, Any]]:
    """Return the policy of a run folder, a checkpoint's folder or an agent's folder.

    Returns:
        The policy, the rule set that it was trained for, and the document that lies beside its weights.

    Raises:
        AgentError: the path is none of these.
        CheckpointError: the files are damaged, or made for another observation layout.
    """
    if not path.is_dir():
        raise AgentError(f"policy:{path}: there is no such folder; allowed: a run, a checkpoint, or an agent's folder")
    for name in (weights.AGENT, weights.STATE):
        if (path / name).exists():
            return _read(path, name)
    faults = []
    for folder in checkpoints(path):
        try:
            return _read(folder, weights.STATE)
        except CheckpointError as error:
            faults.append(error)
            warnings.warn(f"{error}; the checkpoint before it is used", stacklevel=3)
    if faults:
        raise faults[0]
    raise AgentError(f"policy:{path}: holds no agent and no checkpoint")


def _read(folder: Path, name: str) -> tuple[CompiledPolicy, RuleSet, dict[str, Any]]:
    document = weights.read_document(folder / name)
    rules = weights.rules_of(document, folder / name)
    shape = weights.shape_of(document, rules, folder / name)
    where = folder / weights.WEIGHTS
    arrays = weights.unpack(weights.read_file(folder, weights.WEIGHTS, document), where)
    own = {key.removeprefix(_PREFIX): array for key, array in arrays.items() if key.startswith(_PREFIX)}
    return CompiledPolicy(shape, own, where), rules, document


def save_agent(folder: Path, network: Policy, rules: RuleSet, about: dict[str, Any]) -> None:
    """Write a policy as an agent's folder: weights.safetensors and agent.json.

    Args:
        folder: made where it is missing.
        network: the policy.
        rules: the rule set that it was trained for.
        about: further fields of agent.json, such as where it comes from.
    """
    folder.mkdir(parents=True, exist_ok=True)
    data = weights.pack({_PREFIX + name: array for name, array in network.compiled().arrays().items()})
    document = weights.description(rules, network.shape) | {"about": about}
    (folder / weights.WEIGHTS).write_bytes(data)
    (folder / weights.AGENT).write_bytes(weights.signed(document | {"files": {weights.WEIGHTS: weights.digest(data)}}))
