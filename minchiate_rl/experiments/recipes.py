"""Training recipes: every setting of a run as a frozen dataclass, read from a TOML file in experiments/.

A flag of the command line overrides the file. Unknown fields and values that are not allowed are refused with one line.
"""

import dataclasses
import math
import tomllib
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from minchiate_rl import content
from minchiate_rl.errors import RecipeError

REWARDS: Final = ("points", "potential", "resti")
ADVANTAGES: Final = ("seat", "joint")


@dataclasses.dataclass(frozen=True)
class Recipe:
    """The settings of a training run. A step is one batch of hands and the learning from it."""

    name: str
    """What the recipe is called."""
    title: str = ""
    """What it is for, in one line."""
    rules: str = "classic"
    """The rule set: a name in envs/ or the path of a TOML file."""
    seed: int = 0
    """Seeds weights, deals and every choice; deals use seeds from 2^40 on, which no evaluation uses."""
    minutes: float = 10.0
    """Length of the run by the clock, the imitation included; the schedules follow the clock."""
    steps: int = 0
    """Length of the run in steps; where it is above 0, everything goes by steps and the clock is not looked at."""
    hands: int = 256
    """Hands in a batch; a multiple of 8."""
    minibatch: int = 1024
    """Decisions in a minibatch."""
    epochs: int = 2
    """Passes of the policy over a batch."""
    critic_epochs: int = 2
    """Passes of the critic over a batch."""
    width: int = 192
    """Width of the policy's layers."""
    critic_width: int = 192
    """Width of the critic's layers."""
    lr: float = 1.5e-3
    """Learning rate at the start."""
    final_lr: float = 0.1
    """Share of the learning rate that is left at the end; it falls linearly."""
    entropy: float = 0.01
    """Weight of the entropy bonus at the start."""
    final_entropy: float = 0.1
    """Share of the entropy weight that is left at the end."""
    clip: float = 0.2
    """PPO's clip range."""
    max_norm: float = 0.5
    """Bound on the norm of each network's gradient."""
    reward: str = "points"
    """What a seat is rewarded for: marked points, potential (captured points and versicole too), or resti; everything
    in units of 60 points, as in the environments."""
    advantage: str = "joint"
    """Whose decisions an advantage runs over: those of the seat, or jointly those of all; jointly between two sides
    alone, and those of the seat where everybody plays for himself."""
    gae_lambda: float = 0.94
    """The decay of generalised advantage estimation."""
    imitation_minutes: float = 0.0
    """Minutes of imitating the teacher before self-play, where the run goes by the clock."""
    imitation_steps: int = 0
    """The same in steps, where the run goes by steps."""
    imitation_lr: float = 2e-3
    """Learning rate at the start of the imitation; it falls as that of self-play does."""
    teacher: str = "heuristic"
    """The agent that is imitated."""
    random_share: float = 0.08
    """Share of random moves in the imitated games, for other positions than the teacher's own."""
    past_share: float = 0.15
    """Share of hands in which one side (or every second player) is a past self."""
    scripted_share: float = 0.1
    """Share of hands in which one side (or every second player) is a scripted agent."""
    scripted: tuple[str, ...] = ("greedy", "heuristic")
    """The scripted agents, used in turn."""
    pool_every: int = 40
    """Steps between two snapshots for the pool of past selves."""
    pool_size: int = 20
    """The newest snapshots that are drawn from."""
    eval_minutes: float = 1.0
    """Minutes between two evaluations, where the run goes by the clock."""
    eval_steps: int = 50
    """Steps between two evaluations, where the run goes by steps."""
    eval_deals: int = 256
    """Duplicate deals of an evaluation against each opponent."""
    eval_opponents: tuple[str, ...] = ("random", "greedy", "heuristic")
    """Whom the policy is measured against from step 0 on."""
    final_deals: int = 1000
    """Duplicate deals of the evaluation at the end."""
    checkpoint_minutes: float = 1.0
    """Minutes between two checkpoints, where the run goes by the clock."""
    checkpoint_steps: int = 50
    """Steps between two checkpoints, where the run goes by steps."""
    keep_checkpoints: int = 3
    """The newest checkpoints that are kept."""

    def __post_init__(self) -> None:
        """Refuse values that make no run."""
        if not self.name or not self.name.isprintable() or "/" in self.name:
            raise RecipeError(f"recipe {self.name!r}: its name must be a text on one line without a slash")
        for field, low, high in _RANGES:
            value = getattr(self, field)
            if not (math.isfinite(value) and low <= value <= high):
                raise RecipeError(f"recipe {self.name!r}: {field} = {value!r} must be from {low:g} to {high:g}")
        if self.hands % 8:
            raise RecipeError(f"recipe {self.name!r}: hands = {self.hands} must be a multiple of 8")
        for field, allowed in (("reward", REWARDS), ("advantage", ADVANTAGES)):
            if getattr(self, field) not in allowed:
                raise RecipeError(
                    f"recipe {self.name!r}: {field} = {getattr(self, field)!r} is not allowed; "
                    f"allowed: {', '.join(allowed)}"
                )
        if self.past_share + self.scripted_share > 1.0:
            raise RecipeError(f"recipe {self.name!r}: past_share and scripted_share add up to more than 1")
        if self.scripted_share > 0.0 and not self.scripted:
            raise RecipeError(f"recipe {self.name!r}: scripted_share needs the names of scripted agents")

    @property
    def by_steps(self) -> bool:
        """Whether the run goes by steps, and not by the clock."""
        return self.steps > 0

    def replace(self, **changes: Any) -> "Recipe":
        """Return the recipe with some fields changed.

        Raises:
            RecipeError: an unknown field or a value that is not allowed.
        """
        return _build({**_as_dict(self), **changes}, f"recipe {self.name!r}")

    def to_toml(self) -> str:
        """Return the text of a TOML file that `from_toml` reads back to an equal recipe."""
        return "".join(f"{field} = {_toml(value)}\n" for field, value in _as_dict(self).items())

    @classmethod
    def from_toml(cls, text: str, where: str) -> "Recipe":
        """Return the recipe that a TOML text describes; its name is the file's unless given.

        Raises:
            RecipeError: the text is no TOML, names an unknown field, or gives a value that is not allowed.
        """
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise RecipeError(f"{where}: not a TOML file: {error}") from None
        return _build({"name": Path(where).stem, **table}, where)


_RANGES: Final[tuple[tuple[str, float, float], ...]] = (
    ("seed", 0, 2**31),
    ("minutes", 0.01, 1e6),
    ("steps", 0, 1e9),
    ("hands", 8, 65536),
    ("minibatch", 16, 1e6),
    ("epochs", 1, 100),
    ("critic_epochs", 1, 100),
    ("width", 8, 4096),
    ("critic_width", 8, 4096),
    ("lr", 1e-8, 1.0),
    ("final_lr", 0.0, 1.0),
    ("entropy", 0.0, 10.0),
    ("final_entropy", 0.0, 1.0),
    ("clip", 0.01, 10.0),
    ("max_norm", 1e-3, 1e6),
    ("gae_lambda", 0.0, 1.0),
    ("imitation_minutes", 0.0, 1e6),
    ("imitation_steps", 0, 1e9),
    ("imitation_lr", 1e-8, 1.0),
    ("random_share", 0.0, 1.0),
    ("past_share", 0.0, 1.0),
    ("scripted_share", 0.0, 1.0),
    ("pool_every", 1, 1e9),
    ("pool_size", 1, 1e4),
    ("eval_minutes", 0.01, 1e6),
    ("eval_steps", 1, 1e9),
    ("eval_deals", 2, 1e6),
    ("final_deals", 2, 1e6),
    ("checkpoint_minutes", 0.01, 1e6),
    ("checkpoint_steps", 1, 1e9),
    ("keep_checkpoints", 2, 1e6),
)

_TYPES: Final[dict[str, Any]] = typing.get_type_hints(Recipe)


def _as_dict(recipe: Recipe) -> dict[str, Any]:
    return {field.name: getattr(recipe, field.name) for field in dataclasses.fields(recipe)}


def _build(table: Mapping[str, Any], where: str) -> Recipe:
    values: dict[str, Any] = {}
    for field, value in table.items():
        if field not in _TYPES:
            raise RecipeError(f"{where}: unknown field {field!r}; allowed: {', '.join(_TYPES)}")
        values[field] = _checked(field, value, where)
    return Recipe(**values)


def _checked(field: str, value: Any, where: str) -> Any:
    """Return a value in the type of its field; whole numbers serve as floats."""
    kind = _TYPES[field]
    if isinstance(kind, types.GenericAlias):
        if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise RecipeError(f"{where}: {field} = {value!r} must be a list of names")
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not kind:
        names = {int: "a whole number", float: "a number", str: "a text"}
        raise RecipeError(f"{where}: {field} = {value!r} must be {names[kind]}")
    return value


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str):
        text = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{text}"'
    return repr(value)


def recipes() -> list[str]:
    """Return the names of the training recipes in experiments/, sorted; files of tournaments lie there too."""
    return [name for name, path in content.tomls("experiments").items() if _is_recipe(path)]


def _is_recipe(path: Path) -> bool:
    """Tell whether a TOML file has the fields of a recipe alone; one that cannot be read shows its fault when used."""
    try:
        return set(tomllib.loads(path.read_text(encoding="utf-8"))) <= set(_TYPES)
    except (OSError, ValueError):
        return True


def recipe(name: str | Path) -> Recipe:
    """Return a recipe by the name of a file in experiments/, or by the path of a TOML file.

    Raises:
        RecipeError: there is no such recipe, or its file is faulty.
    """
    path = content.tomls("experiments").get(str(name))
    if path is None and str(name).endswith(".toml"):
        path = Path(name)
    if path is None:
        raise RecipeError(
            f"there is no recipe {str(name)!r}; known: {', '.join(recipes())}, or the path of a .toml file"
        )
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return Recipe.from_toml(text, str(path))
