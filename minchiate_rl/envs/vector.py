"""The batched environment: N tables in one call, without a Python step for each of them."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from minchiate_rl.agents.base import Agent
from minchiate_rl.envs.render import MODES, render_view
from minchiate_rl.envs.spaces import Observation, action_space, observation_space
from minchiate_rl.envs.tables import ALL_SEEDS, ILLEGAL_ACTION, Tables, known_options, numbers, one_of, table_seeds
from minchiate_rl.errors import IllegalAction, MinchiateError
from minchiate_rl.game.rules import RuleSet

_VECTOR_MODES: Final = tuple(mode for mode in MODES if mode != "human")

Step = tuple[Observation, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]


class MinchiateVectorEnv(VectorEnv[Observation, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """N hands at once for one learner a table, or for a learner at every seat (docs/environments.md).

    An episode is one hand unless `episode` says otherwise. Reset with the seed s, sub-environment i plays what
    `MinchiateEnv` plays with the seed s + i: the hands 0, 1, 2, ... of that seed.

    Args:
        num_envs: N.
        rules: a rule set, or its name or file.
        seat: the learner's seat, one for all or one each, or "random" for a new one each episode.
        opponents: the agent of all opponents, as a spec or an agent. None for self-play: every step shows the seat to
            act, and takes its action.
        partner: the partner's agent, where there is one; as the opponents' if None.
        reward: "points", "potential" or "resti".
        episode: "hand"; "girata" for four hands, or a game of Piedicavallo; "girone" for twelve, the others being
            seated anew for each girata.
        illegal_action: "terminate" ends the episode with a penalty of 10, "raise" raises IllegalAction.
        autoreset_mode: an `AutoresetMode`, or its name or value.
        copy: whether `observation` and `action_mask` are new arrays at every call; by default they are used again.
        render_mode: "ansi", "rgb_array" or None.
        threads: how many threads share a step.

    Raises:
        MinchiateError: an argument with a value that is not allowed.
    """

    metadata: dict[str, Any] = {"render_modes": list(_VECTOR_MODES), "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        *,
        rules: RuleSet | str = "classic",
        seat: int | str | npt.ArrayLike = 0,
        opponents: str | Agent | None = "heuristic",
        partner: str | Agent | None = None,
        reward: str = "points",
        episode: str = "hand",
        illegal_action: str = "terminate",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = False,
        render_mode: str | None = None,
        threads: int = 1,
    ) -> None:
        super().__init__()
        self.num_envs = num_envs
        self.autoreset_mode = _mode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = None if render_mode is None else one_of(_VECTOR_MODES, render_mode, "render_mode")
        self.copy = copy
        self._strict = one_of(ILLEGAL_ACTION, illegal_action, "illegal_action") == "raise"
        self._tables = Tables(rules, num_envs, seat, opponents, partner, reward, self.autoreset_mode, threads, episode)
        self._opened = False
        self._all = np.ones(num_envs, dtype=np.bool_)
        self._all.flags.writeable = False
        self.rules = self._tables.rules
        self.single_observation_space = observation_space(self.rules)
        self.single_action_space: spaces.Discrete = action_space(self.rules)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | list[int] | npt.NDArray[Any] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal at every table, or at some.

        Args:
            seed: s for the seeds s, s + 1, ..., or one seed each; then hand 0 of the seed is dealt. None for the next
                hand of each table, and the first time for seeds drawn by chance.
            options: "reset_mask", bool (N,): the tables to deal at; "hand" and "dealer": the number and the dealer of
                the hands to deal, one for all or one each.

        Raises:
            MinchiateError: a seed or an option out of range.
        """
        chosen = known_options(options, ("reset_mask", "hand", "dealer"))
        super().reset(seed=int(seed) if isinstance(seed, int | np.integer) else None)
        where = self._where(chosen.get("reset_mask"))
        self._tables.open(where, self._seeds(seed), chosen)
        self._opened = True
        observation = self._observation()
        return observation, self._info(observation)

    def _seeds(self, seed: int | list[int] | npt.NDArray[Any] | None) -> npt.NDArray[np.uint64] | None:
        if seed is None:
            return None if self._opened else table_seeds(int(self.np_random.integers(1 << 62)), self.num_envs)
        if isinstance(seed, int | np.integer):
            return table_seeds(int(seed), self.num_envs)
        return numbers(seed, self.num_envs, ALL_SEEDS, "seed")

    def _where(self, mask: Any) -> npt.NDArray[np.bool_]:
        if mask is None:
            return self._all
        where = np.asarray(mask)
        if where.shape != (self.num_envs,) or where.dtype != np.bool_ or not where.any():
            raise MinchiateError(f"reset_mask must be bool of shape ({self.num_envs},), True somewhere")
        if not self._opened:
            raise MinchiateError("reset_mask needs tables that have been dealt at: call reset() without it first")
        return where

    def step(self, actions: npt.ArrayLike) -> Step:
        """Take an action at every table.

        Args:
            actions: int (N,). In NEXT_STEP the action of a table whose episode has ended is ignored and the next hand
                is dealt; in DISABLED such a table stands still, terminated, with reward 0.

        Returns:
            Observation, reward float64 (N,), terminated bool (N,), truncated bool (N,), info: `action_mask`; `seat`
            int8 (N,), who is to act, -1 where the episode has ended; `rewards` float64 (N, seats), what the step
            brought each player; after the end of an episode in SAME_STEP `final_obs` and `final_info` too.

        Raises:
            IllegalAction: with `illegal_action="raise"`; nothing was moved.
            MinchiateError: there was no reset yet.
        """
        if not self._opened:
            raise MinchiateError("there is no hand to play: call reset() first")
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or chosen.dtype.kind not in "iu":
            raise IllegalAction(f"actions must be whole numbers of shape ({self.num_envs},)")
        chosen = np.ascontiguousarray(chosen, dtype=np.int64)
        tables = self._tables
        if self._strict:
            tables.refuse_illegal(chosen)
        tables.step(chosen)
        observation, ended = self._observation(), tables.ended.copy()
        info = self._info(observation)
        info["rewards"], info["_rewards"] = tables.gains.copy(), self._all
        if self.autoreset_mode is AutoresetMode.SAME_STEP and ended.any():
            self._add_last(info, ended)
        return observation, tables.rewards.copy(), ended, np.zeros(self.num_envs, dtype=np.bool_), info

    def _observation(self) -> Observation:
        observations, masks = self._tables.observations, self._tables.masks
        if self.copy:
            observations, masks = observations.copy(), masks.copy()
        return {"observation": observations, "action_mask": masks}

    def _info(self, observation: Observation) -> dict[str, Any]:
        """Return what every call tells; a key with an underscore says which tables the key holds for."""
        mask, seats = observation["action_mask"], self._tables.seats.copy()
        return {"action_mask": mask, "_action_mask": self._all, "seat": seats, "_seat": self._all}

    def _add_last(self, info: dict[str, Any], ended: npt.NDArray[np.bool_]) -> None:
        """Add the last observation and info of the episodes that have ended, as Gymnasium's vector environments do."""
        where = np.flatnonzero(ended)
        observations, masks = self._tables.last_observations[where], self._tables.last_masks[where]
        last = np.full(self.num_envs, None, dtype=object)
        for k, i in enumerate(where):
            last[i] = {"observation": observations[k], "action_mask": masks[k]}
        all_masks = np.zeros_like(self._tables.last_masks)
        all_masks[where] = masks
        info["final_obs"], info["_final_obs"] = last, ended
        info["_final_info"] = ended
        info["final_info"] = {
            "action_mask": all_masks,
            "_action_mask": ended,
            "seat": np.full(self.num_envs, -1, dtype=np.int8),
            "_seat": ended,
        }

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool (N, num_actions); `done` alone where the episode has ended."""
        return self._tables.masks.astype(np.bool_)

    def state(self) -> npt.NDArray[np.float32]:
        """Return the states for critics, float32 (N, STATE_SIZE): the observation, then where every hidden card is.

        No policy may see it.
        """
        return self._tables.states()

    def render(self) -> tuple[Any, ...] | None:
        """Return a text or a picture of each table as its shown seat sees it; None without a render_mode."""
        if self.render_mode is None:
            return None
        return tuple(render_view(self._tables.view(i), self.render_mode) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        if hasattr(self, "_tables"):  # Gymnasium also closes what could not be made
            self._tables.close()


def _mode(mode: AutoresetMode | str) -> AutoresetMode:
    for member in AutoresetMode:
        if mode is member or mode in (member.value, member.name):
            return member
    names = ", ".join(repr(member.name) for member in AutoresetMode)
    raise MinchiateError(f"autoreset_mode = {mode!r} is not allowed; allowed: {names}")
