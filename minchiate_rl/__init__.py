"""Minchiate, the 97-card trick-taking game of Florence: engine, environments, agents, self-play training, matches.

The contents page. Names are loaded when they are first used, so importing the package costs what Gymnasium costs, and
neither numba nor torch is loaded by it. The Gymnasium ids are registered here.

The game:
    rulesets, ruleset: the rule sets in envs/, and one of them.
    Batch: many hands at once, in compiled kernels, with the views of the seats.
    random_records, verify, position: hands as records (docs/records.md).

Sub-packages:
    agents: who plays; `agents.make("heuristic")`.
    envs: Gymnasium and PettingZoo environments.
    errors: what is raised, each one clear sentence.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from minchiate_rl import errors
from minchiate_rl.envs import registration

if TYPE_CHECKING:
    from minchiate_rl import agents, envs
    from minchiate_rl.game.record import random_records, verify
    from minchiate_rl.game.rules import RuleSet, ruleset, rulesets
    from minchiate_rl.views.batch import Batch

__version__ = "0.1.0"

__all__ = [
    "rulesets",
    "ruleset",
    "RuleSet",
    "Batch",
    "random_records",
    "verify",
    "position",
    "agents",
    "envs",
    "errors",
]

_MODULES: Final = {
    "rulesets": "minchiate_rl.game.rules",
    "ruleset": "minchiate_rl.game.rules",
    "RuleSet": "minchiate_rl.game.rules",
    "Batch": "minchiate_rl.views.batch",
    "random_records": "minchiate_rl.game.record",
    "verify": "minchiate_rl.game.record",
}


def position(record: dict[str, Any], k: int) -> "Batch":
    """Return a batch of one hand that stands before the record's action k (docs/records.md).

    Args:
        record: a record; nothing after action k is looked at, nor the result.
        k: 0 to the number of actions; that number stands for the end.

    Raises:
        RecordError: there is no action k, a field needed is malformed, or an action before k is illegal.
    """
    from minchiate_rl.game.record import replay_to
    from minchiate_rl.views.batch import Batch

    return replay_to(record, k, Batch)


def __getattr__(name: str) -> Any:
    """Load a name of the contents page when it is first used."""
    if name in {"agents", "envs"}:
        return import_module(f"minchiate_rl.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'minchiate_rl' has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the contents page."""
    return sorted([*globals(), *_MODULES, "agents"])


registration.register_all()
