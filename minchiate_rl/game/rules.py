"""Rule sets: every switch of the game as data (docs/rules.md, section 7.5).

A rule set is a named TOML file in envs/, or a file of one's own. It becomes a frozen `RuleSet`, and for the kernels
one row of integers (`RuleSet.row`). A value that this version cannot play is refused when the rule set is made.
"""

import dataclasses
import tomllib
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from minchiate_rl import content
from minchiate_rl.errors import RulesError
from minchiate_rl.game.actions import DECLARE_WITH_MATTO, N_ACTIONS, REGI

#: Columns of `RuleSet.row`.
R_DEMONIO: Final = 0
R_TAKE_29: Final = 1
R_ROB_FAILURE: Final = 2
R_ALL_TRICKS: Final = 3
R_MEMORY: Final = 4
N_RULES: Final = 5

TAKE_29: Final = ("always", "if_usable", "never")
ALL_TRICKS: Final = ("none", "double_final")
MEMORY: Final = ("perfect", "own_tricks", "table")

#: The values that each switch may take, the classic one first.
CHOICES: Final[dict[str, tuple[Any, ...]]] = {
    "rob_limit": (13,),
    "bottom_check": (False,),
    "robbery_marked": ("at_once",),
    "turned_marked": ("at_once",),
    "pigliare_to": ("hand",),
    "take_29": TAKE_29,
    "fola_suits_shown": (True,),
    "discard_trumps_shown": (True,),
    "discards_shown": ("after_lead",),
    "declare_when": ("before_lead",),
    "declared_marked": ("at_once",),
    "diecine_vergognose": (0,),
    "cascare": (False,),
    "midhand_resti": (True,),
    "all_tricks": ALL_TRICKS,
    "rob_failure_resto": (False, True),
    "demonio": (False, True),
    "girata_bonus": (0,),
    "memory": MEMORY,
}


@dataclasses.dataclass(frozen=True)
class RuleSet:
    """One form of the game: a name, what it is, and every switch (docs/rules.md, section 7.5).

    Make one with `ruleset`, change it with `replace`. Equal rule sets play the same game.
    """

    name: str
    title: str = ""
    sources: tuple[str, ...] = ()
    base: tuple[tuple[str, Any], ...] = ()
    """The switches of the named file, from which `flags` tells the difference."""
    rob_limit: int = 13
    bottom_check: bool = False
    robbery_marked: str = "at_once"
    turned_marked: str = "at_once"
    pigliare_to: str = "hand"
    take_29: str = "always"
    fola_suits_shown: bool = True
    discard_trumps_shown: bool = True
    discards_shown: str = "after_lead"
    declare_when: str = "before_lead"
    declared_marked: str = "at_once"
    diecine_vergognose: int = 0
    cascare: bool = False
    midhand_resti: bool = True
    all_tricks: str = "none"
    rob_failure_resto: bool = False
    demonio: bool = False
    girata_bonus: int = 0
    memory: str = "perfect"

    def __post_init__(self) -> None:
        """Refuse a value that this version cannot play."""
        for field, allowed in CHOICES.items():
            value = getattr(self, field)
            if not any(value == a and type(value) is type(a) for a in allowed):
                raise RulesError(
                    f"rule set {self.name!r}: {field} = {value!r} is not allowed; "
                    f"allowed: {', '.join(map(repr, allowed))}"
                )

    def replace(self, **switches: Any) -> "RuleSet":
        """Return the same rule set with some switches changed.

        Raises:
            RulesError: an unknown switch, or a value that is not allowed.
        """
        _check_names(switches, self.name)
        return dataclasses.replace(self, **switches)

    @property
    def switches(self) -> dict[str, Any]:
        """Every switch with its value."""
        return {field: getattr(self, field) for field in CHOICES}

    @cached_property
    def flags(self) -> dict[str, Any]:
        """The switches that differ from the named rule set's own values, as in a record's `flags`."""
        own = dict(self.base)
        return {field: value for field, value in self.switches.items() if own.get(field, CHOICES[field][0]) != value}

    @property
    def num_actions(self) -> int:
        """One more than the highest action number in use."""
        return N_ACTIONS if self.demonio else DECLARE_WITH_MATTO + REGI + 1

    @cached_property
    def row(self) -> npt.NDArray[np.int64]:
        """The rule set as int64 (N_RULES,), for the kernels; the columns are the R_ constants."""
        row = np.zeros(N_RULES, dtype=np.int64)
        row[R_DEMONIO] = self.demonio
        row[R_TAKE_29] = TAKE_29.index(self.take_29)
        row[R_ROB_FAILURE] = self.rob_failure_resto
        row[R_ALL_TRICKS] = ALL_TRICKS.index(self.all_tricks)
        row[R_MEMORY] = MEMORY.index(self.memory)
        row.flags.writeable = False
        return row

    def to_toml(self) -> str:
        """Return the rule set as the text of a TOML file that `ruleset` reads back to an equal rule set."""
        lines = [f"name = {_toml(self.name)}", f"title = {_toml(self.title)}"]
        lines.append(f"sources = [{', '.join(map(_toml, self.sources))}]")
        lines += ["", "[switches]", *(f"{field} = {_toml(value)}" for field, value in self.switches.items())]
        return "\n".join(lines) + "\n"

    @classmethod
    def from_toml(cls, text: str, where: str) -> "RuleSet":
        """Return the rule set that a TOML text describes.

        Args:
            text: `name`, `title`, `sources`, and a table `switches`; switches left out have their classic values.
            where: the file's name, for messages.

        Raises:
            RulesError: the text is no TOML, or names an unknown field, or gives a value that is not allowed.
        """
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise RulesError(f"{where}: not a TOML file: {error}") from None
        extra = sorted(set(table) - {"name", "title", "sources", "switches"})
        if extra:
            raise RulesError(f"{where}: unknown field {extra[0]!r}; allowed: name, title, sources, switches")
        name, switches = table.get("name", Path(where).stem), table.get("switches", {})
        title, sources = table.get("title", ""), table.get("sources", [])
        if not isinstance(name, str) or not name or not name.isprintable():
            raise RulesError(f"{where}: name must be a text on one line")
        if not isinstance(title, str) or not title.isprintable():
            raise RulesError(f"{where}: title must be a text on one line")
        if not isinstance(sources, list) or not all(isinstance(s, str) and s.isprintable() for s in sources):
            raise RulesError(f"{where}: sources must be a list of texts on one line each")
        if not isinstance(switches, dict):
            raise RulesError(f"{where}: switches must be a table")
        _check_names(switches, where)
        rules = cls(name=name, title=title, sources=tuple(sources), **switches)
        return dataclasses.replace(rules, base=tuple(rules.switches.items()))


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def _check_names(switches: dict[str, Any], where: str) -> None:
    for field in switches:
        if field not in CHOICES:
            raise RulesError(f"{where}: unknown switch {field!r}; allowed: {', '.join(CHOICES)}")


def rulesets() -> list[str]:
    """Return the names of the rule sets in envs/, sorted."""
    return list(content.tomls("envs"))


def ruleset(name: "str | Path | RuleSet") -> RuleSet:
    """Return a rule set by the name of a file in envs/, or by the path of a TOML file.

    Raises:
        RulesError: there is no such rule set, or its file is faulty.
    """
    if isinstance(name, RuleSet):
        return name
    known = content.tomls("envs")
    path = known.get(str(name))
    if path is None and str(name).endswith(".toml"):
        path = Path(name)
    if path is None:
        raise RulesError(f"there is no rule set {str(name)!r}; known: {', '.join(known)}, or the path of a .toml file")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RulesError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return RuleSet.from_toml(text, str(path))
