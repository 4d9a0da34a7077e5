"""Tables: many hands with a learner at each, or with learners at every seat, and the agents that play the others.

What every environment is made of. Players are numbered by their seats in the first hand of an episode; only in a girone
do they ever sit elsewhere. A table plays the hands 0, 1, 2, ... of its own seed, so that table i of many with the seeds
s, s + 1, ... is the one table with seed s + i. The work is done in the kernels of `turns`; agents that do not run in
kernels are asked in batches.
"""

import operator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from minchiate_rl.agents import fused, registry
from minchiate_rl.agents.base import Agent
from minchiate_rl.agents.cheater import refuse
from minchiate_rl.envs import episodes, turns, worth
from minchiate_rl.errors import AgentError, IllegalAction, MinchiateError
from minchiate_rl.game.actions import action_name
from minchiate_rl.game.engine.layout import HAND_NUMBER, NOBODY, SEAT, SEED
from minchiate_rl.game.engine.lockstep import first_illegal
from minchiate_rl.game.rules import RuleSet, ruleset
from minchiate_rl.game.seats import N_SIDES
from minchiate_rl.views.batch import Batch
from minchiate_rl.views.encoding import observation_size
from minchiate_rl.views.view import View

#: The kinds of reward by name.
REWARDS: Final = {"points": worth.POINTS, "potential": worth.POTENTIAL, "resti": worth.RESTI_KIND}
#: The kinds of episode by name.
EPISODES: Final = {"hand": episodes.HAND, "girata": episodes.GIRATA, "girone": episodes.GIRONE}
#: What an illegal action may do.
ILLEGAL_ACTION: Final = ("terminate", "raise")

_MODES: Final = {
    AutoresetMode.NEXT_STEP: episodes.NEXT_STEP,
    AutoresetMode.SAME_STEP: episodes.SAME_STEP,
    AutoresetMode.DISABLED: episodes.DISABLED,
}
#: The number of seeds, and of hands of a seed.
ALL_SEEDS: Final = 1 << 64
#: Seats that the kernels have room for.
MAX_SEATS: Final = 4


class Tables:
    """B tables side by side and what is shown at them; `step` and `open` write into the arrays below in place.

    Args:
        rules: a rule set, or its name.
        num_tables: B.
        seat: the learner's seat, one or one a table (int (B,)), or "random" for a new one each episode.
        opponents: the agent of all opponents, as a spec or an agent; None for a learner at every seat.
        partner: the partner's agent; as the opponents' if None. Only where there is a partner.
        reward: "points", "potential" or "resti".
        episode: "hand", "girata" or "girone".
        autoreset_mode: what a step does at a table whose episode has ended.
        threads: into how many slices a step is divided.

    Raises:
        MinchiateError: an argument with a value that is not allowed.
    """

    def __init__(
        self,
        rules: RuleSet | str,
        num_tables: int,
        seat: int | str | npt.ArrayLike = 0,
        opponents: str | Agent | None = "heuristic",
        partner: str | Agent | None = None,
        reward: str = "points",
        autoreset_mode: AutoresetMode = AutoresetMode.DISABLED,
        threads: int = 1,
        episode: str = "hand",
    ) -> None:
        self.rules = ruleset(rules)
        self.batch = Batch(self.rules, num_tables)
        self.size, self.n_seats = num_tables, self.rules.n_seats
        kinds = (one_of(REWARDS, reward, "reward"), _MODES[autoreset_mode], _episode(self.rules, episode))
        self._setup = np.array(kinds, dtype=np.int64)
        self._seat_players(opponents, partner)
        self._books = np.zeros((num_tables, episodes.BOOKS), dtype=np.int64)
        asked = episodes.SELF_PLAY if opponents is None else _seats(seat, num_tables, self.n_seats)
        self._books[:, episodes.SEAT_ASKED] = asked
        self._books[:, episodes.DEALER_ASKED] = -1
        self._codes = np.full((num_tables, MAX_SEATS), fused.WAIT, dtype=np.int8)
        self._allocate()
        if not isinstance(threads, (int, np.integer)) or threads < 1:
            raise MinchiateError(f"threads must be a whole number, 1 or more, not {threads!r}")
        threads = min(int(threads), num_tables)
        self._edges = np.linspace(0, num_tables, threads + 1).astype(int).tolist()
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def _allocate(self) -> None:
        """Make the arrays that the kernels write."""
        b, same_step = self.size, self._setup[episodes.AUTORESET] == episodes.SAME_STEP
        width = observation_size(self.rules)
        self.observations = np.zeros((b, width), dtype=np.float32)
        self.masks = np.zeros((b, self.rules.num_actions), dtype=np.int8)
        self.gains = np.zeros((b, self.n_seats), dtype=np.float64)
        self.rewards = np.zeros(b, dtype=np.float64)
        self.ended = np.zeros(b, dtype=np.bool_)
        self.seats = np.full(b, -1, dtype=np.int8)
        # Where no episode is followed by the next in the same step, these are never written.
        self.last_observations = np.zeros((b if same_step else 1, width), dtype=np.float32)
        self.last_masks = np.zeros((b if same_step else 1, self.rules.num_actions), dtype=np.int8)
        rows = (self.batch.rows, self.batch.log, self.batch.ledger, self.rules.row)
        self._hands = (*rows, self._books, self._codes)
        self._game = (*rows, self._setup, self._books, self._codes, self._plan)
        self._outcome = (self.gains, self.rewards, self.ended, self.seats, self.last_observations, self.last_masks)
        self._shown = (self.observations, self.masks)

    def _seat_players(self, opponents: str | Agent | None, partner: str | Agent | None) -> None:
        """Plan who plays the seats after the learner, and list the agents that have to be asked."""
        self._plan = np.full(MAX_SEATS, fused.WAIT, dtype=np.int8)
        self._asked: list[tuple[Agent, tuple[int, ...]]] = []
        if partner is not None and (opponents is None or not has_partners(self.rules)):
            why = "without them every seat is the learner's" if opponents is None else f"{self.rules.name} has none"
            raise MinchiateError(f"a partner needs opponents and a game with partners; {why}")
        if opponents is None:
            return
        theirs = _agent(opponents)
        ours = theirs if partner is None else _agent(partner)
        places = [(theirs, (1, 3)), (ours, (2,))] if ours is not theirs else [(theirs, tuple(range(1, self.n_seats)))]
        for agent, after in places:
            code = int(getattr(agent, "code", fused.WAIT))
            self._plan[list(after)] = code
            if code == fused.WAIT:
                self._asked.append((agent, after))

    def _each(self, kernel: Any, *arguments: Any) -> None:
        """Run a kernel over all tables, in slices if there are threads."""
        if self._pool is None:
            kernel(*arguments, 0, self.size)
        else:
            list(self._pool.map(lambda lo, hi: kernel(*arguments, lo, hi), self._edges[:-1], self._edges[1:]))

    def open(
        self,
        where: npt.NDArray[np.bool_],
        seeds: npt.NDArray[np.uint64] | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        """Deal at the tables in `where`, and show all tables.

        Args:
            where: bool (B,).
            seeds: the tables' seeds from now on, uint64 (B,); then hand 0 is dealt, else the next hand of the old seed.
            options: "hand", the number of the hand to deal instead, and "dealer", its dealer instead of (seed + hand)
                modulo the number of seats; each one for all tables or one a table. Others are ignored.

        Raises:
            MinchiateError: a hand or a dealer out of range.
        """
        chosen = options or {}
        hands, dealers = chosen.get("hand"), chosen.get("dealer")
        if hands is not None:
            hands = numbers(hands, self.size, ALL_SEEDS, "hand")
        if dealers is not None:
            dealers = numbers(dealers, self.size, self.n_seats, "dealer").astype(np.int64)
        rows = self.batch.rows
        if seeds is None:
            rows[where, HAND_NUMBER] += np.uint64(1)
        else:
            rows[where, SEED], rows[where, HAND_NUMBER] = seeds[where], 0
        if hands is not None:
            rows[where, HAND_NUMBER] = hands[where]
        if dealers is not None:
            self._books[where, episodes.DEALER_ASKED] = dealers[where]
        self._each(turns.open_slice, *self._game, where)
        self._ask()
        self._each(turns.show_slice, rows, self.rules.row, self._books, *self._shown, self.seats)

    def step(self, actions: npt.NDArray[np.int64]) -> None:
        """Take the learners' actions, int64 (B,), play on to their next turns, and show all tables.

        An illegal action ends the episode with a penalty. A table whose episode had ended is dealt anew in NEXT_STEP
        and stands still in DISABLED; its action is ignored.

        Raises:
            IllegalAction: an agent that was asked broke the rules; the tables are then in no defined state.
        """
        if not self._asked:
            self._each(turns.step_slice, *self._game, actions, *self._shown, *self._outcome)
            return
        self._each(turns.act_slice, *self._game, actions)
        self._ask()
        self._each(turns.settle_slice, *self._game, *self._outcome)
        self._ask()
        self._each(turns.show_slice, self.batch.rows, self.rules.row, self._books, *self._shown, self.seats)

    def _ask(self) -> None:
        """Ask the agents that do not run in kernels until the learner, or nobody, is to act at every table."""
        if not self._asked:
            return
        actions, tables = np.zeros(self.size, dtype=np.int64), np.arange(self.size)
        while True:
            to_act, learner = self.batch.rows[:, SEAT].astype(np.int64), self._books[:, episodes.LEARNER]
            playing = self._books[:, episodes.STATUS] == episodes.PLAYING
            waiting = (to_act != int(NOBODY)) & (to_act != learner) & playing
            if not waiting.any():
                return
            player = self._books[tables, episodes.PLAYER + np.minimum(to_act, MAX_SEATS - 1)]
            after = (player - learner) % self.n_seats
            for agent, places in self._asked:
                where = waiting & np.isin(after, places)
                if where.any():
                    actions[where] = agent.act(self.batch.views(where), self.batch.rng(where))
            bad = turns.follow_slice(*self._hands, actions, waiting, 0, self.size)
            if bad >= 0:
                raise IllegalAction(f"table {bad}: an agent played {_name(int(actions[bad]))}, which is not legal")

    def refuse_illegal(self, actions: npt.NDArray[np.int64]) -> None:
        """Raise IllegalAction if an action is illegal where the hand is not over; nothing is moved."""
        if first_illegal(self.batch.rows, self.rules.row, actions, 0, self.size) >= 0:
            self.batch.step(actions)

    def look_around(self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> None:
        """Write what each player at the first table sees to two arrays, float32 (seats, D) and int8 (seats, A)."""
        turns.look_around(self.batch.rows, 0, self.rules.row, self._books, observations, masks)

    def states(self, player: int | None = None) -> npt.NDArray[np.float32]:
        """Return the critic's states, float32 (B, STATE_SIZE), from the seats shown or from a player's."""
        seats = self._books[:, episodes.LOOKER]
        if player is not None:
            players = self._books[:, episodes.PLAYER : episodes.PLAYER + self.n_seats]
            seats = (players == player).argmax(axis=1)
        return self.batch.states(seat=seats).encode()

    def view(self, i: int, seat: int | None = None) -> View:
        """Return the view of table i from the seat shown, or from a given one."""
        return self.batch.view(i, int(self._books[i, episodes.LOOKER]) if seat is None else seat)

    def learner(self, i: int) -> int:
        """Return the learner's seat at table i; -1 if every seat is one."""
        return int(self._books[i, episodes.LEARNER])

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def one_of(allowed: Any, value: Any, what: str) -> Any:
    """Return the entry of a dict, or the value itself if it is in a tuple.

    Raises:
        MinchiateError: the value is not among those allowed.
    """
    if not isinstance(value, str) or value not in allowed:
        raise MinchiateError(f"{what} = {value!r} is not allowed; allowed: {', '.join(map(repr, allowed))}")
    return allowed[value] if isinstance(allowed, dict) else value


def numbers(value: Any, size: int, below: int, what: str) -> npt.NDArray[np.uint64]:
    """Return one whole number, or `size` of them, as uint64 (size,).

    Raises:
        MinchiateError: not whole numbers from 0 to below - 1, or not so many.
    """
    array = np.asarray(value)
    if array.dtype.kind not in "iu":  # also numbers that fit no common type, such as 2^64 - 1 beside others
        array = np.array(value, dtype=object)
    fits = array.shape in {(), (size,)} and (array.dtype != object or all(type(x) is int for x in array.flat))
    if not fits or bool(np.any(array < 0)) or int(array.max()) >= below:
        raise MinchiateError(f"{what} must be a whole number from 0 to {below - 1}, or {size} of them")
    return np.broadcast_to(array.astype(np.uint64), (size,)).copy()


def whole_number(action: Any) -> int:
    """Return an action as an int.

    Raises:
        IllegalAction: it is no whole number.
    """
    try:
        return int(np.int64(operator.index(action)))
    except (TypeError, OverflowError):
        raise IllegalAction(f"an action is a whole number, not {action!r}") from None


def known_options(options: dict[str, Any] | None, allowed: tuple[str, ...]) -> dict[str, Any]:
    """Return the options of a reset.

    Raises:
        MinchiateError: there is no such option.
    """
    chosen = options or {}
    for name in chosen:
        if name not in allowed:
            raise MinchiateError(f"reset has no option {name!r}; allowed: {', '.join(allowed)}")
    return chosen


def table_seeds(seed: int, size: int) -> npt.NDArray[np.uint64]:
    """Return the seeds seed, seed + 1, ... of `size` tables, uint64 (size,), modulo 2^64."""
    return np.uint64(seed % ALL_SEEDS) + np.arange(size, dtype=np.uint64)


def has_partners(rules: RuleSet) -> bool:
    """Return whether two sides of two partners play."""
    return rules.n_seats == MAX_SEATS and rules.n_sides == N_SIDES


def _episode(rules: RuleSet, episode: str) -> int:
    """Return the kind of an episode.

    Raises:
        MinchiateError: there is no such kind, or the game does not know it.
    """
    kind = int(one_of(EPISODES, episode, "episode"))
    if kind != episodes.HAND and not has_partners(rules):
        raise MinchiateError(f"episode = {episode!r} needs partners, and {rules.name} has none; allowed: 'hand'")
    if rules.form.accounts == "tricks" and kind != episodes.HAND:
        if kind == episodes.GIRONE:
            raise MinchiateError(f"{rules.name} has no girone; allowed: 'hand', and 'girata' for a game of four deals")
        return episodes.GAME
    return kind


def _seats(seat: Any, size: int, n_seats: int) -> npt.NDArray[np.int64]:
    """Return the learner's seats as asked for, int64 (size,)."""
    if isinstance(seat, str):
        if seat != "random":
            raise MinchiateError(f"seat = {seat!r} is not allowed; allowed: 0 to {n_seats - 1}, or 'random'")
        return np.full(size, episodes.ANY_SEAT, dtype=np.int64)
    return numbers(seat, size, n_seats, "seat").astype(np.int64)


def _agent(agent: str | Agent) -> Agent:
    if isinstance(agent, str):
        agent = registry.make(agent)
    if not callable(getattr(agent, "act", None)):
        raise AgentError(f"{agent!r} is no agent; allowed: a spec such as 'heuristic', or an object with `act`")
    refuse(agent, "environments")
    return agent


def _name(action: int) -> str:
    try:
        return action_name(action)
    except ValueError:
        return f"action {action}"
