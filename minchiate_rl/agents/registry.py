"""Agents by name: what `make("name:arg,key=value")` understands, and agents of one's own.

A spec is a name; then, for the agents that take one, a colon and an argument; then options as key=value, each after a
comma (after the colon where there is no argument). Agents are imported when they are made.
"""

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from minchiate_rl import content
from minchiate_rl.agents.base import Agent
from minchiate_rl.errors import AgentError


@dataclasses.dataclass(frozen=True)
class Option:
    """An option of an agent: how its text is read, and what may stand there."""

    read: Callable[[str], Any]
    """Returns the value of a text; raises ValueError where the text is not allowed."""
    allowed: str
    """What may stand there, in words."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """An agent by name."""

    name: str
    factory: Callable[..., Agent]
    """Called with the argument, if the agent takes one, and the given options by name."""
    argument: str = ""
    """What the argument is, such as PATH; empty if the agent takes none."""
    options: Mapping[str, Option] = dataclasses.field(default_factory=dict)
    about: str = ""

    @property
    def form(self) -> str:
        """The spec in general form, such as `policy:PATH[,temperature=...]`."""
        separator = "," if self.argument else ":"
        options = "".join(f"[{separator}{key}={option.allowed}]" for key, option in self.options.items())
        return self.name + (f":{self.argument}" if self.argument else "") + options


def _temperature(text: str) -> float:
    value = float(text)
    if not 0.0 <= value <= 100.0:
        raise ValueError(text)
    return value


def _between(low: float, high: float, kind: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a reader of numbers from low to high."""

    def read(text: str) -> Any:
        value = kind(text)
        if not low <= value <= high:
            raise ValueError(text)
        return value

    return read


def _one_of(*allowed: str) -> Callable[[str], str]:
    """Return a reader of a few words."""

    def read(text: str) -> str:
        if text not in allowed:
            raise ValueError(text)
        return text

    return read


def _random() -> Agent:
    from minchiate_rl.agents.uniform import RandomAgent

    return RandomAgent()


def _greedy() -> Agent:
    from minchiate_rl.agents.greedy import GreedyAgent

    return GreedyAgent()


def _heuristic() -> Agent:
    from minchiate_rl.agents.heuristic import HeuristicAgent

    return HeuristicAgent()


def _deaf() -> Agent:
    from minchiate_rl.agents.speakers import DeafAgent

    return DeafAgent()


def _mute() -> Agent:
    from minchiate_rl.agents.speakers import MuteAgent

    return MuteAgent()


def _policy(path: str, temperature: float = 0.0) -> Agent:
    from minchiate_rl.agents.policy import PolicyAgent

    agent: Agent = PolicyAgent.load(Path(path), temperature=temperature)
    return agent


def _trained(who: str, option: str, spec: str, allowed: str = "") -> Any:
    """Return the policy that an option of a search names."""
    from minchiate_rl.agents.policy import PolicyAgent

    policy = make(spec) if spec.partition(":")[0] in _entries else None
    if not isinstance(policy, PolicyAgent):
        raise AgentError(f"{who}: {option} = {spec!r} is no trained policy; allowed: {allowed}policy:PATH or zoo:NAME")
    if policy.rules.game != _SEARCHED:
        game = policy.rules.game
        raise AgentError(f"{who}: {option} = {spec!r} was trained for the game {game}; searches are of {_SEARCHED}")
    return policy


def playout_player(who: str, spec: str) -> Any:
    """Return who plays hands out: the name of a kernel agent (agents.playout.PLAYOUTS), or a policy's compiled form.

    Args:
        who: what an error begins with.
        spec: one of these names, or the spec of a trained policy.

    Raises:
        AgentError: the spec is none of them.
    """
    return spec if spec in _PLAYOUTS else _trained(who, "playout", spec, f"{', '.join(_PLAYOUTS)}, ").compiled


def weigher_of(who: str, spec: str) -> Any:
    """Return by whose likely moves worlds are weighed: "heuristic", a compiled policy, or None for "none".

    Args:
        who: what an error begins with.
        spec: one of these names, or the spec of a trained policy.

    Raises:
        AgentError: the spec is none of them.
    """
    if spec == "none":
        return None
    return spec if spec == "heuristic" else _trained(who, "weigh", spec, "none, heuristic, ").compiled


def _pimc(guide: str = "", playout: str = "heuristic", weigh: str = "none", **options: Any) -> Agent:
    from minchiate_rl.agents.pimc import PimcAgent

    options["playout"], options["weigher"] = playout_player("pimc", playout), weigher_of("pimc", weigh)
    if guide:
        options["guide"] = _trained("pimc", "guide", guide)
    agent: Agent = PimcAgent(**options)
    return agent


def _ismcts(guide: str = "", **options: Any) -> Agent:
    from minchiate_rl.agents.ismcts import IsmctsAgent

    agent: Agent = IsmctsAgent(guide=_trained("ismcts", "guide", guide) if guide else None, **options)
    return agent


def _cheater() -> Agent:
    from minchiate_rl.agents.cheater import CheaterAgent

    return CheaterAgent()


def zoo() -> list[str]:
    """Return the names of the trained agents in agents/, sorted."""
    return sorted(path.parent.name for path in content.folder("agents").glob("*/agent.json"))


def _zoo(name: str, temperature: float = 0.0) -> Agent:
    known = zoo()
    if name not in known:
        raise AgentError(
            f"there is no trained agent {name!r}; known: {', '.join(known) or 'none in this installation'}"
        )
    return _policy(str(content.folder("agents") / name), temperature)


_TEMPERATURE: Final = {"temperature": Option(_temperature, "a number from 0 (plays its best action) to 100")}

#: The only game of which worlds are made (agents.worlds.check_rules).
_SEARCHED: Final = "minchiate"
_PLAYOUTS: Final = ("heuristic", "greedy", "random")
_SEARCH: Final = {
    "worlds": Option(_between(1, 1_000_000, int), "a whole number from 1 to 1000000 (30)"),
    "ms": Option(_between(0.01, 1e6, float), "milliseconds a decision, from 0.01 to 1000000, instead of worlds"),
    "guide": Option(str, "policy:PATH or zoo:NAME"),
    "top": Option(_between(2, 48, int), "how many moves the guide names, from 2 to 48 (4)"),
    "weight": Option(
        _between(0.0, 1000.0, float), "points a unit of the guide's log-probability counts, 0 to 1000 (4)"
    ),
    "playout": Option(str, "heuristic, greedy, random, policy:PATH or zoo:NAME"),
    "weigh": Option(str, "by whose likely moves worlds are weighed: none, heuristic, policy:PATH or zoo:NAME"),
    "steps": Option(_between(1, 100_000, int), "steps from one weighed world to the next, from 1 to 100000 (20)"),
    "threads": Option(_between(1, 256, int), "a whole number from 1 to 256 (1)"),
}
_TREE: Final = {
    "iterations": Option(_between(1, 1_000_000, int), "a whole number from 1 to 1000000 (500)"),
    "ms": Option(_between(0.01, 1e6, float), "milliseconds a decision, from 0.01 to 1000000, instead of iterations"),
    "explore": Option(_between(0.0, 1000.0, float), "points that UCB's bonus weighs, 0 to 1000 (30)"),
    "playout": Option(_one_of(*_PLAYOUTS), "heuristic, greedy or random"),
    **{key: _SEARCH[key] for key in ("guide", "weight", "threads")},
}

_BUILT_IN: Final = (
    Entry("random", _random, about="plays every legal action with the same chance"),
    Entry("greedy", _greedy, about="takes the trick in front of it as cheaply as it can"),
    Entry("heuristic", _heuristic, about="plays by the tactics of the sources, by rule"),
    Entry("policy", _policy, "PATH", _TEMPERATURE, "a trained policy: a run, a checkpoint, or an agent's folder"),
    Entry("zoo", _zoo, "NAME", _TEMPERATURE, "a trained agent that comes with the toolkit"),
    Entry("pimc", _pimc, "", _SEARCH, "tries moves in sampled worlds, alone or guided by a policy"),
    Entry("ismcts", _ismcts, "", _TREE, "grows a tree over sampled worlds, in which every seat plays for its side"),
    Entry("cheater", _cheater, about="sees the true deal; a yardstick that matches and self-play alone let play"),
    Entry("deaf", _deaf, about="the heuristic that speaks at Piedicavallo and heeds nothing that is said"),
    Entry("mute", _mute, about="the heuristic that at Piedicavallo neither speaks nor heeds what is said"),
)

_entries: Final[dict[str, Entry]] = {entry.name: entry for entry in _BUILT_IN}


def register(
    name: str,
    factory: Callable[..., Agent],
    *,
    argument: str = "",
    options: Mapping[str, Option] | None = None,
    about: str = "",
) -> None:
    """Give an agent of your own a name, for `make` and for every command that takes agents.

    Args:
        name: letters, digits, `-` and `_`.
        factory: returns the agent; called with the argument, if there is one, and the options by name.
        argument: what the argument after the colon is, in capitals; empty if there is none.
        options: the options, by key.
        about: one line of description.

    Raises:
        AgentError: the name is taken or has other characters.
    """
    if not name or not name.replace("-", "").replace("_", "").isalnum():
        raise AgentError(f"{name!r} is no name for an agent; allowed: letters, digits, '-' and '_'")
    if name in _entries:
        raise AgentError(f"there is an agent {name!r} already; taken: {', '.join(_entries)}")
    _entries[name] = Entry(name, factory, argument, dict(options or {}), about)


def describe() -> list[Entry]:
    """Return every agent that `make` knows, in the order of registration."""
    return list(_entries.values())


def make(spec: str) -> Agent:
    """Return the agent of a spec such as "heuristic" or "policy:PATH,temperature=1"; its `name` is the spec.

    Raises:
        AgentError: no such agent, or an argument or an option that it does not take.
    """
    if not isinstance(spec, str):
        raise AgentError(f"{spec!r} is no agent spec; allowed: a text such as 'heuristic'")
    name, colon, rest = spec.strip().partition(":")
    entry = _entries.get(name)
    if entry is None:
        raise AgentError(f"there is no agent {name!r}; known: {', '.join(e.form for e in _entries.values())}")
    parts = rest.split(",") if colon else []
    arguments = []
    if entry.argument:
        if not parts or not parts[0]:
            raise AgentError(f"{name} needs {entry.argument}: {entry.form}")
        arguments.append(parts.pop(0))
    options: dict[str, Any] = {}
    for part in parts:
        key, value = _read_option(entry, part)
        if key in options:
            raise AgentError(f"{name}: option {key!r} is given twice; allowed: {entry.form}")
        options[key] = value
    agent = entry.factory(*arguments, **options)
    agent.name = spec.strip()
    return agent


def _read_option(entry: Entry, part: str) -> tuple[str, Any]:
    """Return key and value of an option written as key=value."""
    key, equals, text = part.partition("=")
    option = entry.options.get(key)
    if not equals or option is None:
        raise AgentError(f"{entry.name}: {part!r} is no option; allowed: {entry.form}")
    try:
        return key, option.read(text)
    except ValueError:
        raise AgentError(f"{entry.name}: {key} = {text!r} is not allowed; allowed: {option.allowed}") from None
