"""Agent specs: what is understood, and what each mistake is told."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from minchiate_rl import content
from minchiate_rl.agents import Option, describe, make, register, registry
from minchiate_rl.agents.base import Agent, Rng
from minchiate_rl.errors import AgentError


class Constant:
    """An agent that keeps what it was made with."""

    name = "constant"

    def __init__(self, action: str = "", times: int = 1) -> None:
        self.action, self.times = action, times

    def act(self, views, rng):
        return np.full(len(rng.words), 97, dtype=np.int16)


@pytest.fixture
def own_agents() -> Iterator[None]:
    before = dict(registry._entries)
    yield
    registry._entries.clear()
    registry._entries.update(before)


@pytest.mark.parametrize("name", ["random", "greedy", "heuristic"])
def test_kernel_agents_are_agents_named_by_their_spec(name: str) -> None:
    agent = make(f" {name} ")
    assert isinstance(agent, Agent)
    assert agent.name == name


def test_codes_follow_the_fused_loop() -> None:
    assert [make(name).code for name in ("random", "greedy", "heuristic")] == [0, 1, 2]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("", "there is no agent ''; known: random, greedy, heuristic, policy:PATH"),
        ("oracle", "there is no agent 'oracle'; known: random"),
        ("Random", "there is no agent 'Random'"),
        ("random:7", "random: '7' is no option; allowed: random"),
        ("random:", "random: '' is no option; allowed: random"),
        ("heuristic:worlds=3", "heuristic: 'worlds=3' is no option; allowed: heuristic"),
        ("policy", "policy needs PATH: policy:PATH[,temperature="),
        ("policy:", "policy needs PATH"),
        ("policy:,temperature=1", "policy needs PATH"),
        ("policy:x,heat=1", "policy: 'heat=1' is no option; allowed: policy:PATH"),
        ("policy:x,temperature", "policy: 'temperature' is no option"),
        ("policy:x,temperature=hot", "policy: temperature = 'hot' is not allowed; allowed: a number from 0"),
        ("policy:x,temperature=-1", "policy: temperature = '-1' is not allowed"),
        ("policy:x,temperature=nan", "policy: temperature = 'nan' is not allowed"),
        ("policy:x,temperature=1,temperature=2", "policy: option 'temperature' is given twice"),
        ("zoo", "zoo needs NAME"),
        ("zoo:nobody", "there is no trained agent 'nobody'; known: "),
    ],
)
def test_each_mistake_is_told_in_one_line(spec: str, told: str) -> None:
    with pytest.raises(AgentError) as caught:
        make(spec)
    assert str(caught.value).startswith(told)
    assert "\n" not in str(caught.value)


def test_own_agent_gets_argument_and_options(own_agents: None) -> None:
    register(
        "constant", Constant, argument="ACTION", options={"times": Option(int, "a whole number")}, about="one card"
    )
    agent = make("constant:T1,times=3")
    assert isinstance(agent, Constant)
    assert (agent.action, agent.times, agent.name) == ("T1", 3, "constant:T1,times=3")
    assert make("constant:T1").times == 1
    assert describe()[-1].form == "constant:ACTION[,times=a whole number]"


def test_own_agent_without_argument(own_agents: None) -> None:
    register("mine", Constant)
    assert make("mine").name == "mine"


@pytest.mark.parametrize("name", ["", "a b", "a:b", "random"])
def test_names_that_cannot_be_registered(own_agents: None, name: str) -> None:
    with pytest.raises(AgentError):
        register(name, Constant)


def test_every_description_has_a_line_of_its_own() -> None:
    entries = describe()
    assert [e.name for e in entries][:5] == ["random", "greedy", "heuristic", "policy", "zoo"]
    assert all(e.about and "\n" not in e.about for e in entries)


def test_zoo_lists_folders_with_an_agent_in_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "agent.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(content, "folder", lambda name: tmp_path)
    assert registry.zoo() == ["a"]
    with pytest.raises(AgentError, match="known: a"):
        make("zoo:b")


def test_a_spec_is_a_text() -> None:
    with pytest.raises(AgentError, match="3 is no agent spec"):
        make(3)  # type: ignore[arg-type]


def test_draws_differ_and_stay_in_the_unit_interval() -> None:
    rng = Rng(np.arange(1000, dtype=np.uint64))
    first, second = rng.uniform(0), rng.uniform(1)
    assert np.array_equal(first, rng.uniform(0))
    assert not np.any(first == second)
    assert first.min() >= 0.0
    assert first.max() < 1.0
    assert abs(first.mean() - 0.5) < 0.05
