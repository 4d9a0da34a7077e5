"""The stages of a run: one after another, each a way of learning with a length and settings of its own.

In a recipe's file they are `[[stages]]`: `kind` says how is learned, `minutes`, `steps` or `share` for how long; any
other field is a setting of the recipe that this stage has its own value of.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any, Final

from minchiate_rl.errors import RecipeError

KINDS: Final = ("imitation", "ppo", "magnet", "dmc", "expert", "belief")

#: Settings of a recipe that a stage may have its own value of.
OWN_SETTINGS: Final = (
    "hands",
    "minibatch",
    "epochs",
    "critic_epochs",
    "lr",
    "final_lr",
    "entropy",
    "final_entropy",
    "clip",
    "reward",
    "advantage",
    "gae_lambda",
    "teacher",
    "random_share",
    "magnet_weight",
    "final_magnet_weight",
    "magnet_every",
    "magnet_decay",
    "proximal",
    "epsilon",
    "final_epsilon",
    "search_worlds",
    "search_top",
    "search_tau",
    "search_prior",
    "search_steps",
    "replay",
    "past_share",
    "scripted_share",
    "partner_share",
    "scripted",
)

#: What a stage has instead of the recipe's settings, unless it says otherwise itself.
KIND_SETTINGS: Final[dict[str, dict[str, Any]]] = {
    "imitation": {"epochs": 1, "critic_epochs": 1},
    "expert": {"epochs": 1, "critic_epochs": 1, "entropy": 0.0},
}


@dataclasses.dataclass(frozen=True)
class Stage:
    """A part of a run. Without minutes, steps and share it takes its part of what the others leave."""

    kind: str
    """How is learned: one of KINDS."""
    name: str = ""
    """What the stage is called in progress and metrics; its kind unless given."""
    minutes: float = 0.0
    """Its length where the run goes by the clock."""
    steps: int = 0
    """Its length where the run goes by steps."""
    share: float = 0.0
    """Its length as a share of the run, 0 to 1, where none is given in the run's own unit."""
    settings: tuple[tuple[str, Any], ...] = ()
    """Settings of the recipe that it has its own value of."""

    @property
    def title(self) -> str:
        """What the stage is called."""
        return self.name or self.kind

    def as_table(self) -> dict[str, Any]:
        """Return the fields that `stage_of` reads back to an equal stage."""
        own = {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name != "settings"}
        return {name: value for name, value in own.items() if value} | dict(self.settings)


def stage_of(table: Any, where: str) -> Stage:
    """Return the stage that a table of a recipe's file describes; values of settings are checked by the recipe.

    Raises:
        RecipeError: there is no such kind or field, or a length makes no sense.
    """
    if isinstance(table, Stage):
        return table
    if not isinstance(table, dict):
        raise RecipeError(f"{where}: stages must be a list of tables, not of {table!r}")
    own, settings = dict[str, Any](), dict[str, Any]()
    kinds = {"kind": (str,), "name": (str,), "minutes": (float, int), "steps": (int,), "share": (float, int)}
    names = {str: "a text", float: "a number", int: "a whole number"}
    for field, value in table.items():
        if field not in kinds and field not in OWN_SETTINGS:
            raise RecipeError(f"{where}: unknown field {field!r}; allowed: {', '.join((*kinds, *OWN_SETTINGS))}")
        if field in kinds and (not isinstance(value, kinds[field]) or isinstance(value, bool)):
            raise RecipeError(f"{where}: {field} = {value!r} must be {names[kinds[field][0]]}")
        (own if field in kinds else settings)[field] = tuple(value) if isinstance(value, list) else value
    if own.get("kind") not in KINDS:
        raise RecipeError(f"{where}: kind = {own.get('kind')!r} is not allowed; allowed: {', '.join(KINDS)}")
    for field, most in (("minutes", 1e6), ("steps", 1e9), ("share", 1.0)):
        if field in own and not 0.0 < own[field] <= most:
            raise RecipeError(f"{where}: {field} = {own[field]!r} must be above 0 and at most {most:g}")
    own |= {field: float(own[field]) for field in ("minutes", "share") if field in own}
    return Stage(**own, settings=tuple(settings.items()))


def ends(stages: Sequence[Stage], total: float, by_steps: bool) -> list[float]:
    """Return where each stage ends, in seconds or steps from the run's start; the last ends with the run.

    Args:
        stages: the stages in order.
        total: the length of the run, in seconds or steps.
        by_steps: whether the run goes by steps.

    Raises:
        RecipeError: a stage says its length in the other unit alone.
    """
    lengths = []
    for number, stage in enumerate(stages, 1):
        own, other = (float(stage.steps), stage.minutes) if by_steps else (60.0 * stage.minutes, stage.steps)
        if not own and not stage.share and other:
            unit, wanted = ("minutes", "steps") if by_steps else ("steps", "minutes")
            raise RecipeError(
                f"stage {number} ({stage.title}) has its length in {unit} and the run goes by {wanted}; "
                f"give it {wanted} or a share"
            )
        lengths.append(own or stage.share * total)
    free = lengths.count(0.0)
    rest = max(0.0, total - sum(lengths))
    out, end = [], 0.0
    for length in lengths:
        end = min(total, end + (length or rest / free))
        out.append(float(round(end)) if by_steps else end)
    return [*out[:-1], total]
