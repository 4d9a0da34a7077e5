"""The four seats as PettingZoo agents: one at a time (AEC), or all at once (parallel). Needs the extra `pettingzoo`.

An agent's observation is the dict of the other environments, from its seat. A seat that waits has `done` alone in its
mask. Both forms end for all four agents at once, with the hand.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from minchiate_rl.envs.render import MODES, render_view
from minchiate_rl.envs.spaces import Observation, action_space, observation_space
from minchiate_rl.envs.tables import ILLEGAL_ACTION, Tables, one_of, table_seeds, whole_number
from minchiate_rl.errors import IllegalAction, MinchiateError
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import N_SEATS
from minchiate_rl.views.encoding import OBSERVATION_SIZE

try:
    from pettingzoo import AECEnv, ParallelEnv
except ImportError:
    raise MinchiateError('these environments need PettingZoo: pip install "minchiate-rl[pettingzoo]"') from None

AGENTS: Final = tuple(f"seat_{seat}" for seat in range(N_SEATS))
"""The names of the agents, by absolute seat."""

NAME: Final = "minchiate_v0"
"""What the environments call themselves."""


class _Round:
    """One table with a learner at every seat, and what the two forms share."""

    def __init__(self, rules: RuleSet | str, reward: str, illegal_action: str, render_mode: str | None) -> None:
        self.tables = Tables(rules, 1, opponents=None, reward=reward)
        self.strict = one_of(ILLEGAL_ACTION, illegal_action, "illegal_action") == "raise"
        self.render_mode = None if render_mode is None else one_of(MODES, render_mode, "render_mode")
        self.rules = self.tables.rules
        self.observation_spaces = {agent: observation_space(self.rules) for agent in AGENTS}
        self.action_spaces = {agent: action_space(self.rules) for agent in AGENTS}
        self.opened = False
        self._where = np.ones(1, dtype=np.bool_)
        self._action = np.zeros(1, dtype=np.int64)
        self._masks = np.zeros((N_SEATS, self.rules.num_actions), dtype=np.int8)
        self._observations = np.zeros((N_SEATS, OBSERVATION_SIZE), dtype=np.float32)

    def open(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """Deal hand 0 of a seed, or the next hand; options besides `hand` and `dealer` are ignored."""
        if seed is None and not self.opened:
            seed = int(np.random.default_rng().integers(1 << 62))
        self.tables.open(self._where, None if seed is None else table_seeds(seed, 1), options)
        self.opened = True
        self._look()

    def act(self, action: Any) -> None:
        """Take the action of the seat to act.

        Raises:
            IllegalAction: the action is no whole number, or illegal with `illegal_action="raise"`; nothing was moved.
        """
        self._action[0] = whole_number(action)
        if self.strict:
            self.tables.refuse_illegal(self._action)
        self.tables.step(self._action)
        self._look()

    def _look(self) -> None:
        self.tables.look_around(self._observations, self._masks)
        if self.render_mode == "human":
            self.render()

    @property
    def seat(self) -> int:
        """The seat to act; -1 after the end."""
        return int(self.tables.seats[0])

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self.seat < 0

    def gains(self) -> dict[str, float]:
        """Return what the last step brought each agent."""
        return dict(zip(AGENTS, self.tables.gains[0].tolist(), strict=True))

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees."""
        if agent not in AGENTS:
            raise MinchiateError(f"there is no agent {agent!r}; allowed: {', '.join(AGENTS)}")
        seat = AGENTS.index(agent)
        return {"observation": self._observations[seat].copy(), "action_mask": self._masks[seat].copy()}

    def info(self, agent: str) -> dict[str, Any]:
        """Return the info of an agent."""
        return {"action_mask": self._masks[AGENTS.index(agent)].copy()}

    def state(self) -> npt.NDArray[np.float32]:
        """Return the state for critics from seat 0, float32 (STATE_SIZE,)."""
        state: npt.NDArray[np.float32] = self.tables.states(np.zeros(1, dtype=np.int64))[0]
        return state

    def render(self) -> Any:
        """Return the table as the seat to act sees it, as a text or a picture; write it out in "human"."""
        return None if self.render_mode is None else render_view(self.tables.view(0), self.render_mode)


class MinchiateAEC(AECEnv):  # type: ignore[misc]
    """The hand one decision at a time: `agent_selection` is the seat to act.

    `rewards` holds what the last action brought each agent; a hand's sum to the score difference in resti.
    """

    metadata: dict[str, Any] = {"name": NAME, "render_modes": list(MODES), "render_fps": 1}  # noqa: RUF012

    def __init__(self, table: _Round) -> None:
        super().__init__()
        self._round = table
        self.render_mode = table.render_mode
        self.rules = table.rules
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.observation_spaces = table.observation_spaces
        self.action_spaces = table.action_spaces

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations."""
        return self._round.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions."""
        return self._round.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal hand 0 of a seed; the next hand if it is None. Options: `hand`, `dealer`; others are ignored."""
        self._round.open(seed, options)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self._end(False)

    def step(self, action: Any) -> None:
        """Take the action of `agent_selection`; None for an agent whose episode has ended."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._round.act(action)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = self._round.gains()
        self._accumulate_rewards()
        self._end(self._round.over)

    def _end(self, over: bool) -> None:
        self.terminations = dict.fromkeys(AGENTS, over)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos = {agent: self._round.info(agent) for agent in AGENTS}
        self.agent_selection = AGENTS[max(self._round.seat, 0)]

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees: `observation` float32 (D,), `action_mask` int8 (num_actions,)."""
        return self._round.observe(agent)

    def state(self) -> npt.NDArray[np.float32]:
        """Return the state for critics from seat 0, float32 (STATE_SIZE,); no policy may see it."""
        return self._round.state()

    def render(self) -> Any:
        """Return the table as the seat to act sees it: a text ("ansi"), a picture ("rgb_array"); "human" writes it."""
        return self._round.render()

    def close(self) -> None:
        """End what the environment holds."""
        self._round.tables.close()

    def __str__(self) -> str:
        return NAME


class MinchiateParallel(ParallelEnv):  # type: ignore[misc]
    """The hand with all seats asked at every step: the seat to act moves, the actions of the others are ignored."""

    metadata: dict[str, Any] = {"name": NAME, "render_modes": list(MODES), "render_fps": 1}  # noqa: RUF012

    def __init__(self, table: _Round) -> None:
        self._round = table
        self.render_mode = table.render_mode
        self.rules = table.rules
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.observation_spaces = table.observation_spaces
        self.action_spaces = table.action_spaces

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations."""
        return self._round.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions."""
        return self._round.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Deal hand 0 of a seed; the next hand if it is None. Options: `hand`, `dealer`; others are ignored."""
        self._round.open(seed, options)
        self.agents = list(AGENTS)
        return self._observations(), self._infos()

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Take the action of the seat to act; those of the seats that wait are ignored and may be left out.

        Raises:
            IllegalAction: the action of the seat to act is missing, or illegal with `illegal_action="raise"`.
            MinchiateError: there is no hand to play.
        """
        if not self.agents:
            raise MinchiateError("there is no hand to play: call reset() first")
        agent = AGENTS[self._round.seat]
        if agent not in actions:
            raise IllegalAction(f"{agent} is to act, and no action was given for it")
        self._round.act(actions[agent])
        over = self._round.over
        if over:
            self.agents = []
        return (
            self._observations(),
            self._round.gains(),
            dict.fromkeys(AGENTS, over),
            dict.fromkeys(AGENTS, False),
            self._infos(),
        )

    def _observations(self) -> dict[str, Observation]:
        return {agent: self._round.observe(agent) for agent in AGENTS}

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {agent: self._round.info(agent) for agent in AGENTS}

    def state(self) -> npt.NDArray[np.float32]:
        """Return the state for critics from seat 0, float32 (STATE_SIZE,); no policy may see it."""
        return self._round.state()

    def render(self) -> Any:
        """Return the table as the seat to act sees it: a text ("ansi"), a picture ("rgb_array"); "human" writes it."""
        return self._round.render()

    def close(self) -> None:
        """End what the environment holds."""
        self._round.tables.close()


def aec_env(
    rules: RuleSet | str = "classic",
    reward: str = "points",
    illegal_action: str = "terminate",
    render_mode: str | None = None,
) -> MinchiateAEC:
    """Return the PettingZoo AEC environment of one hand with the agents seat_0 to seat_3.

    Args:
        rules: a rule set, or its name or file.
        reward: "points", "potential" or "resti".
        illegal_action: "terminate" ends the hand for all, with a penalty of 10 for the culprit; "raise" raises.
        render_mode: "ansi", "human", "rgb_array" or None.

    Raises:
        MinchiateError: an argument with a value that is not allowed.
    """
    return MinchiateAEC(_Round(rules, reward, illegal_action, render_mode))


def parallel_env(
    rules: RuleSet | str = "classic",
    reward: str = "points",
    illegal_action: str = "terminate",
    render_mode: str | None = None,
) -> MinchiateParallel:
    """Return the PettingZoo parallel environment of one hand; arguments and errors are those of `aec_env`."""
    return MinchiateParallel(_Round(rules, reward, illegal_action, render_mode))
