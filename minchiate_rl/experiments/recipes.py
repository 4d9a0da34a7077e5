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
from minchiate_rl.content import toml_value
from minchiate_rl.errors import RecipeError
from minchiate_rl.experiments.stages import KIND_SETTINGS, Stage, stage_of

REWARDS: Final = ("points", "potential", "resti")
ADVANTAGES: Final = ("seat", "joint")


@dataclasses.dataclass(frozen=True)
class Size:
    """How wide and how deep the networks are."""

    width: int
    """Width of the policy's layers."""
    critic_width: int
    """Width of the critic's layers."""
    blocks: int = 1
    """Residual blocks of each network."""
    belief: int = 0
    """Width of the belief network; 0 for none."""


SIZES: Final = {"tiny": Size(96, 96), "small": Size(192, 192), "base": Size(512, 512, 2)}
"""The sizes that have a name."""
BELIEF_WIDTH: Final = 256
"""Width of a belief network."""


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
    start: str = ""
    """A run, or a checkpoint of one, whose weights the run begins with; its networks must have the same sizes."""
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
    size: str = "small"
    """Size of the networks: tiny, small or base."""
    width: int = 0
    """Width of the policy's layers, where it is not the size's."""
    critic_width: int = 0
    """Width of the critic's layers, where it is not the size's."""
    blocks: int = 0
    """Residual blocks of each network, where they are not the size's."""
    belief_every: int = 0
    """Minibatches from one that a belief network learns from to the next; 0 for no such network."""
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
    magnet_weight: float = 0.05
    """Weight of the divergence from the magnet at the start, in stages of the kind magnet."""
    final_magnet_weight: float = 0.1
    """Share of the magnet's weight that is left at the end."""
    magnet_every: int = 1
    """Steps between two moves of the magnet."""
    magnet_decay: float = 0.98
    """What is left of the magnet when it moves to the policy: 0 makes snapshots, more a moving average."""
    search_worlds: int = 30
    """Worlds in which a choice is searched, in stages of the kind expert."""
    search_top: int = 5
    """Moves that the policy names for search, 2 to 8."""
    search_tau: float = 6.0
    """Points that a factor of e in the improved distribution stands for."""
    search_prior: float = 0.5
    """Power of the policy's probability in the improved distribution."""
    search_playout: str = "heuristic"
    """Who plays the searched hands out: heuristic, greedy, random, own (the policy itself), policy:PATH or zoo:NAME."""
    search_weigh: str = "none"
    """By whose likely moves worlds are weighed (agents.posterior): none, heuristic, own, policy:PATH or zoo:NAME."""
    search_steps: int = 10
    """Steps from one weighed world to the next."""
    replay: int = 6
    """Steps whose improved choices are learned from, the newest included."""
    proximal: float = 0.0
    """Weight of the divergence from the policy that acted, in place of the clip range; 0 keeps the clip range."""
    epsilon: float = 0.1
    """Share of random moves at the start, in stages of the kind dmc."""
    final_epsilon: float = 0.1
    """Share of epsilon that is left at the end."""
    imitation_minutes: float = 0.0
    """Minutes of imitating the teacher before self-play, where the run goes by the clock and names no stages."""
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
    partner_share: float = 0.0
    """Share of hands in which one seat is a past self: a partner from the pool. It needs partnerships."""
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
    stages: tuple[Stage, ...] = ()
    """The stages of the run; without any, imitation of the given length and then PPO."""

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
        for field in ("width", "critic_width"):
            if 0 < getattr(self, field) < 8:
                raise RecipeError(f"recipe {self.name!r}: {field} = {getattr(self, field)} must be 0 or from 8 to 4096")
        for field, allowed in (("reward", REWARDS), ("advantage", ADVANTAGES), ("size", tuple(SIZES))):
            if getattr(self, field) not in allowed:
                raise RecipeError(
                    f"recipe {self.name!r}: {field} = {getattr(self, field)!r} is not allowed; "
                    f"allowed: {', '.join(allowed)}"
                )
        if self.past_share + self.scripted_share + self.partner_share > 1.0:
            raise RecipeError(
                f"recipe {self.name!r}: past_share, scripted_share and partner_share add up to more than 1"
            )
        if self.scripted_share > 0.0 and not self.scripted:
            raise RecipeError(f"recipe {self.name!r}: scripted_share needs the names of scripted agents")
        if self.stages and (self.imitation_minutes or self.imitation_steps):
            raise RecipeError(f"recipe {self.name!r}: has stages; the imitation's length is said there")
        for stage in self.stages:
            self.of_stage(stage)

    @property
    def by_steps(self) -> bool:
        """Whether the run goes by steps, and not by the clock."""
        return self.steps > 0

    @property
    def course(self) -> tuple[Stage, ...]:
        """The stages of the run in order, also where the recipe names none."""
        if self.stages:
            return self.stages
        imitates = self.imitation_steps if self.by_steps else self.imitation_minutes
        first = Stage("imitation", minutes=self.imitation_minutes, steps=self.imitation_steps)
        return (*([first] if imitates else []), Stage("ppo", "self-play"))

    def of_stage(self, stage: Stage) -> "Recipe":
        """Return the recipe as it is during a stage.

        Raises:
            RecipeError: a setting of the stage is not allowed.
        """
        where = f"recipe {self.name!r}, stage {stage.title}"
        own = KIND_SETTINGS.get(stage.kind, {}) | {field: _checked(field, x, where) for field, x in stage.settings}
        if stage.kind == "imitation":
            own = {"lr": self.imitation_lr} | own
        return dataclasses.replace(self, stages=(), **own)

    @property
    def network(self) -> Size:
        """The sizes of the networks."""
        size, belief = SIZES[self.size], BELIEF_WIDTH if self.belief_every else 0
        return Size(
            self.width or size.width, self.critic_width or size.critic_width, self.blocks or size.blocks, belief
        )

    def replace(self, **changes: Any) -> "Recipe":
        """Return the recipe with some fields changed.

        Raises:
            RecipeError: an unknown field or a value that is not allowed.
        """
        return _build({**_as_dict(self), **changes}, f"recipe {self.name!r}")

    def to_toml(self) -> str:
        """Return the text of a TOML file that `from_toml` reads back to an equal recipe."""
        lines = [f"{field} = {toml_value(value)}" for field, value in _as_dict(self).items() if field != "stages"]
        for stage in self.stages:
            lines += [
                "",
                "[[stages]]",
                *(f"{field} = {toml_value(value)}" for field, value in stage.as_table().items()),
            ]
        return "\n".join([*lines, ""])

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
    ("width", 0, 4096),
    ("critic_width", 0, 4096),
    ("blocks", 0, 16),
    ("lr", 1e-8, 1.0),
    ("final_lr", 0.0, 1.0),
    ("entropy", 0.0, 10.0),
    ("final_entropy", 0.0, 1.0),
    ("clip", 0.01, 10.0),
    ("max_norm", 1e-3, 1e6),
    ("gae_lambda", 0.0, 1.0),
    ("belief_every", 0, 1e6),
    ("magnet_weight", 0.0, 1e3),
    ("final_magnet_weight", 0.0, 1.0),
    ("magnet_every", 1, 1e9),
    ("magnet_decay", 0.0, 1.0),
    ("search_worlds", 2, 1e6),
    ("search_top", 2, 8),
    ("search_tau", 0.01, 1e4),
    ("search_prior", 0.0, 10.0),
    ("search_steps", 1, 1e6),
    ("replay", 1, 1e4),
    ("proximal", 0.0, 1e3),
    ("epsilon", 0.0, 1.0),
    ("final_epsilon", 0.0, 1.0),
    ("imitation_minutes", 0.0, 1e6),
    ("imitation_steps", 0, 1e9),
    ("imitation_lr", 1e-8, 1.0),
    ("random_share", 0.0, 1.0),
    ("past_share", 0.0, 1.0),
    ("scripted_share", 0.0, 1.0),
    ("partner_share", 0.0, 1.0),
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
    if field == "stages":
        if not isinstance(value, (list, tuple)):
            raise RecipeError(f"{where}: stages = {value!r} must be a list of tables")
        return tuple(stage_of(table, f"{where}, stage {n}") for n, table in enumerate(value, 1))
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
