"""The players as PettingZoo agents: one at a time (AEC), or all at once (parallel). Needs the extra `pettingzoo`.

An agent's observation is the dict of the other environments, from its seat. A seat that waits has `done` alone in its
mask. Both forms end for all agents at once, with the episode. Agents are named by their seats in the first hand; where
players are seated anew in a girone, the names stay with the players.
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

try:
    from pettingzoo import AECEnv, ParallelEnv
except ImportError:
    raise MinchiateError('these environments need PettingZoo: pip install "minchiate-rl[pettingzoo]"') from None

NAME: Final = "minchiate_v0"
"""What the environments call themselves."""


class _Round:
    """One table with a learner at every seat, and what the two forms share."""

    def __init__(
        self, rules: RuleSet | str, reward: str, illegal_action: str, render_mode: str | None, episode: str
    ) -> None:
        self.tables = Tables(rules, 1, opponents=None, reward=reward, episode=episode)
        self.strict = one_of(ILLEGAL_ACTION, illegal_action, "illegal_action") == "raise"
        self.render_mode = None if render_mode is None else one_of(MODES, render_mode, "render_mode")
        self.rules = self.tables.rules
        self.agents = [f"seat_{seat}" for seat in range(self.rules.n_seats)]
        self.observation_spaces = {agent: observation_space(self.rules) for agent in self.agents}
        self.action_spaces = {agent: action_space(self.rules) for agent in self.agents}
        self.opened = False
        self._where = np.ones(1, dtype=np.bool_)
        self._action = np.zeros(1, dtype=np.int64)
        n_seats, shown = self.rules.n_seats, self.tables.observations
        self._masks = np.zeros((n_seats, self.rules.num_actions), dtype=np.int8)
        self._observations = np.zeros((n_seats, shown.shape[1]), dtype=np.float32)

    def open(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """Deal hand 0 of a seed, or the next hand; options besides `hand` and `dealer` are ignored."""
        if seed is None and not self.opened:
            seed = int(np.random.default_rng().integers(1 << 62))
        self.tables.open(self._where, None if seed is None else table_seeds(seed, 1), options)
        self.opened = True
        self._look()

    def act(self, action: Any) -> None:
        """Take the action of the player to act.

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
    def player(self) -> int:
        """The player to act; -1 after the end."""
        return int(self.tables.seats[0])

    def check_opened(self) -> None:
        """Raise MinchiateError if no hand was dealt yet."""
        if not self.opened:
            raise MinchiateError("there is no hand to play: call reset() first")

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self.player < 0

    def gains(self) -> dict[str, float]:
        """Return what the last step brought each agent."""
        return dict(zip(self.agents, self.tables.gains[0].tolist(), strict=True))

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees."""
        if agent not in self.agents:
            raise MinchiateError(f"there is no agent {agent!r}; allowed: {', '.join(self.agents)}")
        player = self.agents.index(agent)
        return {"observation": self._observations[player].copy(), "action_mask": self._masks[player].copy()}

    def info(self, agent: str) -> dict[str, Any]:
        """Return the info of an agent."""
        return {"action_mask": self._masks[self.agents.index(agent)].copy()}

    def state(self) -> npt.NDArray[np.float32]:
        """Return the state for critics from the first player's seat, float32 (STATE_SIZE,)."""
        state: npt.NDArray[np.float32] = self.tables.states(player=0)[0]
        return state

    def render(self) -> Any:
        """Return the table as the seat to act sees it, as a text or a picture; write it out in "human"."""
        return None if self.render_mode is None else render_view(self.tables.view(0), self.render_mode)


class _Players:
    """What both forms of the environment answer out of their round."""

    metadata: dict[str, Any] = {"name": NAME, "render_modes": list(MODES), "render_fps": 1}  # noqa: RUF012

    def _sit_down(self, table: _Round) -> None:
        self._round = table
        self.render_mode = table.render_mode
        self.rules = table.rules
        self.possible_agents = list(table.agents)
        self.agents: list[str] = []
        self.observation_spaces = table.observation_spaces
        self.action_spaces = table.action_spaces

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations."""
        return self._round.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions."""
        return self._round.action_spaces[agent]

    def state(self) -> npt.NDArray[np.float32]:
        """Return the state for critics from the first player's seat, float32 (STATE_SIZE,); no policy may see it."""
        return self._round.state()

    def render(self) -> Any:
        """Return the table as the seat to act sees it: a text ("ansi"), a picture ("rgb_array"); "human" writes it."""
        return self._round.render()

    def close(self) -> None:
        """End what the environment holds."""
        self._round.tables.close()

    def _of_all(self, value: Any) -> dict[str, Any]:
        return dict.fromkeys(self.possible_agents, value)

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {agent: self._round.info(agent) for agent in self.possible_agents}


class MinchiateAEC(_Players, AECEnv):  # type: ignore[misc]
    """The game one decision at a time: `agent_selection` is the player to act.

    `rewards` holds what the last action brought each agent; an episode's sum to the score difference in resti.
    """

    def __init__(self, table: _Round) -> None:
        super().__init__()
        self._sit_down(table)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal hand 0 of a seed; the next hand if it is None. Options: `hand`, `dealer`; others are ignored."""
        self._round.open(seed, options)
        self.agents = list(self.possible_agents)
        self.rewards = self._of_all(0.0)
        self._cumulative_rewards = self._of_all(0.0)
        self._end(False)

    def step(self, action: Any) -> None:
        """Take the action of `agent_selection`; None for an agent whose episode has ended.

        Raises:
            IllegalAction: the action is illegal with `illegal_action="raise"`; nothing was moved.
            MinchiateError: there was no reset yet.
        """
        self._round.check_opened()
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
        self.terminations = self._of_all(over)
        self.truncations = self._of_all(False)
        self.infos = self._infos()
        self.agent_selection = self.possible_agents[max(self._round.player, 0)]

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees: `observation` float32 (D,), `action_mask` int8 (num_actions,)."""
        return self._round.observe(agent)

    def __str__(self) -> str:
        return NAME


class MinchiateParallel(_Players, ParallelEnv):  # type: ignore[misc]
    """The game with all players asked at every step: the one to act moves, the actions of the others are ignored."""

    def __init__(self, table: _Round) -> None:
        self._sit_down(table)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Deal hand 0 of a seed; the next hand if it is None. Options: `hand`, `dealer`; others are ignored."""
        self._round.open(seed, options)
        self.agents = list(self.possible_agents)
        return self._observations(), self._infos()

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Take the action of the player to act; those of the players who wait are ignored and may be left out.

        Raises:
            IllegalAction: the action of the player to act is missing, or illegal with `illegal_action="raise"`.
            MinchiateError: there is no hand to play.
        """
        if not self.agents:
            raise MinchiateError("there is no hand to play: call reset() first")
        agent = self.possible_agents[self._round.player]
        if agent not in actions:
            raise IllegalAction(f"{agent} is to act, and no action was given for it")
        self._round.act(actions[agent])
        over = self._round.over
        if over:
            self.agents = []
        return self._observations(), self._round.gains(), self._of_all(over), self._of_all(False), self._infos()

    def _observations(self) -> dict[str, Observation]:
        return {agent: self._round.observe(agent) for agent in self.possible_agents}


def aec_env(
    rules: RuleSet | str = "classic",
    reward: str = "points",
    illegal_action: str = "terminate",
    render_mode: str | None = None,
    episode: str = "hand",
) -> MinchiateAEC:
    """Return the PettingZoo AEC environment with the agents seat_0, seat_1, ...

    Args:
        rules: a rule set, or its name or file.
        reward: "points", "potential" or "resti".
        illegal_action: "terminate" ends the episode for all, with a penalty of 10 for the culprit; "raise" raises.
        render_mode: "ansi", "human", "rgb_array" or None.
        episode: "hand"; "girata" for four hands, or a game of Piedicavallo; "girone" for twelve.

    Raises:
        MinchiateError: an argument with a value that is not allowed.
    """
    return MinchiateAEC(_Round(rules, reward, illegal_action, render_mode, episode))


def parallel_env(
    rules: RuleSet | str = "classic",
    reward: str = "points",
    illegal_action: str = "terminate",
    render_mode: str | None = None,
    episode: str = "hand",
) -> MinchiateParallel:
    """Return the PettingZoo parallel environment; arguments and errors are those of `aec_env`."""
    return MinchiateParallel(_Round(rules, reward, illegal_action, render_mode, episode))
