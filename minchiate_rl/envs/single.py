"""One seat against agents: the environment of `gymnasium.make`."""

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.base import Agent
from minchiate_rl.envs.render import MODES, render_view
from minchiate_rl.envs.spaces import Observation, action_space, observation_space
from minchiate_rl.envs.tables import ILLEGAL_ACTION, Tables, known_options, one_of, table_seeds, whole_number
from minchiate_rl.errors import MinchiateError
from minchiate_rl.game.actions import DONE
from minchiate_rl.game.rules import RuleSet


class MinchiateEnv(gymnasium.Env[Observation, np.int64]):
    """A hand, or a match, for one learner, the other seats played by agents (docs/environments.md).

    The observation is a dict: `observation` float32 (D,) and `action_mask` int8 (num_actions,). What happens until the
    learner's next turn, or the end, comes with one step's reward; the points of the deal come with the first. Over an
    episode the rewards sum to the score difference in resti.

    Args:
        rules: a rule set, or its name or file.
        seat: the learner's seat, or "random" for a new one each episode.
        opponents: the agent of all opponents, as a spec or an agent.
        partner: the partner's agent, where there is one; as the opponents' if None.
        reward: "points", "potential" or "resti".
        episode: "hand"; "girata" for four hands, or a game of Piedicavallo; "girone" for twelve, the others being
            seated anew for each girata.
        illegal_action: "terminate" ends the episode with a penalty of 10, "raise" raises IllegalAction.
        render_mode: "ansi", "human", "rgb_array" or None.

    Raises:
        MinchiateError: an argument with a value that is not allowed.
    """

    metadata: dict[str, Any] = {"render_modes": list(MODES), "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        rules: RuleSet | str = "classic",
        seat: int | str = 0,
        opponents: str | Agent = "heuristic",
        partner: str | Agent | None = None,
        reward: str = "points",
        episode: str = "hand",
        illegal_action: str = "terminate",
        render_mode: str | None = None,
    ) -> None:
        if opponents is None:
            raise MinchiateError("one seat needs opponents; self-play is in make_vec and in aec_env")
        self.render_mode = None if render_mode is None else one_of(MODES, render_mode, "render_mode")
        self._strict = one_of(ILLEGAL_ACTION, illegal_action, "illegal_action") == "raise"
        self._tables = Tables(rules, 1, seat, opponents, partner, reward, episode=episode)
        self._action = np.zeros(1, dtype=np.int64)
        self._where = np.ones(1, dtype=np.bool_)
        self._opened = False
        self.rules = self._tables.rules
        self.observation_space = observation_space(self.rules)  # type: ignore[assignment]
        self.action_space = action_space(self.rules)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a hand and play on to the learner's first turn.

        Args:
            seed: the seed whose hand 0 is dealt. None for the next hand, and the first time for a seed by chance.
            options: "hand" and "dealer": the number and the dealer of the hand to deal.

        Raises:
            MinchiateError: an option out of range.
        """
        chosen = known_options(options, ("hand", "dealer"))
        super().reset(seed=seed)
        if seed is None and not self._opened:
            seed = int(self.np_random.integers(1 << 62))
        self._tables.open(self._where, None if seed is None else table_seeds(seed, 1), chosen)
        self._opened, self._over = True, False
        return self._shown()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take the learner's action and play on to its next turn, or to the end of the hand.

        Args:
            action: an action number.

        Returns:
            Observation, reward, terminated, truncated (always False), info: `action_mask` and `seat`, the learner's
            seat or -1 after the end.

        Raises:
            IllegalAction: with `illegal_action="raise"`, and for what is no whole number; nothing was moved.
            MinchiateError: there was no reset since the start or since the end of an episode.
        """
        if not self._opened or self._over:
            raise MinchiateError("there is no hand to play: call reset() first")
        self._action[0] = whole_number(action)
        tables = self._tables
        if self._strict:
            tables.refuse_illegal(self._action)
        tables.step(self._action)
        self._over = bool(tables.ended[0])
        observation, info = self._shown()
        return observation, float(tables.rewards[0]), self._over, False, info

    def _shown(self) -> tuple[Observation, dict[str, Any]]:
        tables = self._tables
        mask = tables.masks[0].copy()
        if self.render_mode == "human":
            self.render()
        return {"observation": tables.observations[0].copy(), "action_mask": mask}, {
            "action_mask": mask,
            "seat": int(tables.seats[0]),
        }

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool (num_actions,); `done` alone after the end."""
        masks: npt.NDArray[np.bool_] = self._tables.masks[0].astype(np.bool_)
        if not self._opened:
            masks[DONE] = True
        return masks

    def state(self) -> npt.NDArray[np.float32]:
        """Return the state for critics, float32 (STATE_SIZE,): the observation, then where every hidden card is.

        No policy may see it.
        """
        state: npt.NDArray[np.float32] = self._tables.states()[0]
        return state

    def render(self) -> Any:
        """Return the learner's view as a text ("ansi") or a picture ("rgb_array"); write it out in "human"."""
        return None if self.render_mode is None else render_view(self._tables.view(0), self.render_mode)

    def close(self) -> None:
        """End what the environment holds."""
        self._tables.close()
