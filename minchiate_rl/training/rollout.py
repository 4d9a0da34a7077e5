"""Self-play: hands in lock-step, every choice of the learner's seats recorded with what its losses need.

A batch is always played as `HALVES` fixed parts, in as many threads as there are: the numbers are the same whatever the
threads, since each part's arithmetic is its own and all chance comes from words keyed by (seed, hand, seat, decision).
"""

import dataclasses
import time
from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents import suits
from minchiate_rl.agents.base import Agent, Rng
from minchiate_rl.agents.choice import sample_actions
from minchiate_rl.agents.network import PolicyNetwork, policy_logits
from minchiate_rl.errors import RunError
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import V_LEGAL, V
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.training.table import LEARNER, Choices, Table
from minchiate_rl.training.tallies import Counts, tallies
from minchiate_rl.views import encoding
from minchiate_rl.views.batch import Batch
from minchiate_rl.views.view import Views

HALVES: Final = 2
FIRST_TRAINING_SEED: Final = 1 << 40
"""Deals of training have seeds from here on, deals of evaluations seeds below."""

_CHOICES: Final = 80
"""Choices of a hand for which there is room at first."""

Rows = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""The games that wait, and which rows of them are the learner's."""


@dataclasses.dataclass
class Samples:
    """K recorded choices, those of a game in order of play."""

    tokens: npt.NDArray[np.int16]
    """int16 (K, max_tokens): what the seat saw."""
    states: npt.NDArray[np.int16]
    """int16 (K, max_state_tokens): the same and the hidden cards."""
    legal: npt.NDArray[np.uint64]
    """uint64 (K, 4): the legal actions."""
    phases: npt.NDArray[np.int8]
    """int8 (K,)."""
    actions: npt.NDArray[np.int16]
    """int16 (K,): what was chosen, or what the teacher would choose; suits are renamed (agents.suits)."""
    log_probs: npt.NDArray[np.float32]
    """float32 (K,): of the choice, under the policy that made it."""
    games: npt.NDArray[np.int32]
    """int32 (K,): the game of the batch."""
    seats: npt.NDArray[np.int8]
    """int8 (K,): the absolute seat."""
    potentials: npt.NDArray[np.float64]
    """float64 (K,): how far the seat's side was ahead before the choice, in resti units."""
    finals: npt.NDArray[np.float64]
    """float64 (games, sides): how far each side was ahead at the end of each game."""
    tallies: Counts
    """int64 (N_TALLIES,): how the hands were played (training.tallies)."""
    views: Views | None = None
    """The K views themselves, where the deal asked for them."""
    orders: npt.NDArray[np.int8] = dataclasses.field(default_factory=lambda: np.zeros(0, np.int8))
    """int8 (K,): the order of the suits in tokens and actions (agents.suits), where there are views."""
    seconds: dict[str, float] = dataclasses.field(default_factory=dict)
    """Seconds spent in each stage: environment, encoding, network, bookkeeping."""

    def __len__(self) -> int:
        return len(self.actions)

    @property
    def moments(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int8], npt.NDArray[np.float64]]:
        """Game, seat and potential of every choice, as `returns` takes them."""
        return self.games, self.seats, self.potentials


def joined(parts: Sequence[Samples]) -> Samples:
    """Return the parts as one, the games numbered on; seconds are added up."""
    arrays: dict[str, Any] = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])
        for field in dataclasses.fields(Samples)
        if field.name not in {"games", "tallies", "seconds", "views"}
    }
    views = [part.views for part in parts if part.views is not None]
    if views:
        arrays["views"] = Views(np.concatenate([own.words for own in views]), views[0].rules)
    starts = np.cumsum([0, *(len(part.finals) for part in parts)])
    games = np.concatenate([part.games + np.int32(start) for part, start in zip(parts, starts, strict=False)])
    stages = sorted({stage for part in parts for stage in part.seconds})
    seconds = {stage: sum(part.seconds.get(stage, 0.0) for part in parts) for stage in stages}
    counts = np.sum([part.tallies for part in parts], axis=0)
    return Samples(games=games, tallies=counts, seconds=seconds, **arrays)


class Recorder:
    """Growing arrays of choices, filled row by row."""

    def __init__(self, capacity: int, rules: RuleSet, with_views: bool = False) -> None:
        """Make room for a number of choices under a rule set, perhaps with views; it doubles when it is used up."""
        self.size, self.with_views = 0, with_views
        viewed = capacity if with_views else 0
        self.arrays: dict[str, npt.NDArray[np.generic]] = {
            "tokens": np.empty((capacity, encoding.max_tokens(rules)), np.int16),  # rows are written to their ends
            "states": np.empty((capacity, encoding.max_state_tokens(rules)), np.int16),
            "legal": np.zeros((capacity, 4), np.uint64),
            "phases": np.zeros(capacity, np.int8),
            "actions": np.zeros(capacity, np.int16),
            "log_probs": np.zeros(capacity, np.float32),
            "games": np.zeros(capacity, np.int32),
            "seats": np.zeros(capacity, np.int8),
            "potentials": np.zeros(capacity, np.float64),
            "views": np.zeros((viewed, V), np.uint64),
            "orders": np.zeros(viewed, np.int8),
        }

    def room(self, rows: int) -> slice:
        """Return where the next rows go, making room if there is none."""
        while self.size + rows > len(self.arrays["games"]):
            for name, array in self.arrays.items():
                self.arrays[name] = np.concatenate([array, np.zeros_like(array)])
        place = slice(self.size, self.size + rows)
        self.size += rows
        return place

    def samples(self, table: Table, seconds: dict[str, float]) -> Samples:
        """Return what was recorded of hands that have been played to their ends."""
        own: dict[str, Any] = {name: array[: self.size] for name, array in self.arrays.items()}
        words = own.pop("views")
        own["views"] = Views(words, table.rules) if self.with_views else None
        counts = tallies(table.batch.rows, table.rules, table.codes, [own[x] for x in ("tokens", "phases", "actions")])
        return Samples(finals=table.finals(), tallies=counts, seconds=seconds, **own)


class Clock:
    """Seconds by stage: `lap` adds the time since the last lap to a stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """Add the time since the last lap to a stage."""
        now = time.perf_counter()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now


@dataclasses.dataclass(frozen=True)
class Deal:
    """Which hands a rollout plays, and who sits where."""

    rules: RuleSet
    seed: int
    """The seed of the deals, 2^40 or above."""
    first_hand: int
    codes: npt.NDArray[np.int8]
    """int8 (N, seats): LEARNER, the code of a kernel agent, or -2 - k for outside agent k."""
    reward: str
    with_views: bool = False
    """Whether the views are recorded too."""

    def half(self, part: int) -> Table:
        """Return the table of a part, dealt: its hands are the part-th of `HALVES` equal runs of hand numbers."""
        size = len(self.codes) // HALVES
        low = part * size
        batch = Batch(self.rules, size, seed=self.seed, first_hand=self.first_hand + low)
        return Table(batch, self.codes[low : low + size], self.reward)


class Player(Protocol):
    """Who plays the learner's seats, and records their choices."""

    def play(self, choices: Choices, rows: Rows, recorder: Recorder, clock: Clock) -> npt.NDArray[np.int16]:
        """Record the learner's rows of the choices, and return their actions, int16."""
        ...


def play_part(deal: Deal, part: int, player: Player, outside: Sequence[Agent]) -> Samples:
    """Play a part of the hands to the end and return the learner's choices.

    Args:
        deal: the hands.
        part: 0 to HALVES - 1.
        player: plays and records the learner's seats.
        outside: the agents of codes -2, -3, ...

    Raises:
        RunError: an output of the policy is not finite.
    """
    clock = Clock()
    table = deal.half(part)
    size = table.batch.num_games
    choices, recorder = Choices(size, True, deal.rules), Recorder(_CHOICES * size, deal.rules, deal.with_views)
    waiting = table.waiting()
    clock.lap("environment")
    while len(waiting):
        n = choices.look(table, waiting)
        actions = np.zeros(n, dtype=np.int16)
        codes = table.codes[waiting, choices.seats[:n]]
        mine = np.flatnonzero(codes == LEARNER)
        clock.lap("environment")
        if len(mine):
            actions[mine] = player.play(choices, (waiting, mine), recorder, clock)
            clock.lap("bookkeeping")
        for k, agent in enumerate(outside):
            others = np.flatnonzero(codes == -2 - k)
            if len(others):
                actions[others] = agent.act(choices.views(others), Rng(choices.words[others]))
                clock.lap("opponents")
        table.answer(waiting, actions)
        waiting = table.waiting()
        clock.lap("environment")
    return recorder.samples(table, clock.seconds)


class PolicyPlayer:
    """Plays the learner's seats by drawing from the policy's probabilities."""

    def __init__(self, policy: PolicyNetwork) -> None:
        self.policy = policy

    def play(self, choices: Choices, rows: Rows, recorder: Recorder, clock: Clock) -> npt.NDArray[np.int16]:
        """Record what the learner's seats see and what is drawn, and return the actions.

        Raises:
            RunError: an output of the policy is not finite.
        """
        (place, orders), (_, mine) = record(choices, rows, recorder), rows
        own: dict[str, Any] = {name: array[place] for name, array in recorder.arrays.items()}
        clock.lap("encoding")
        logits = policy_logits(self.policy, own["tokens"], own["phases"], own["legal"])
        clock.lap("network")
        if sample_actions(logits, own["legal"], choices.words[mine], 1.0, own["actions"], own["log_probs"]):
            raise RunError("training diverged: the policy's outputs are not finite; a smaller lr may help")
        return suits.own_actions(own["actions"], orders)


@kernel
def _encode(states, rows, first_hidden, tokens, state_tokens, legal, orders):  # type: ignore[no-untyped-def]
    """Write the tokens of view and state of each named row; rename the suits in them and in the legal words.

    The tokens of a state are those of its view, below first_hidden, and then the hidden cards', all from there on.
    """
    for k in range(rows.shape[0]):
        encoding.encode_state_tokens(states, rows[k], state_tokens, k)
        orders[k] = suits.rename_row(states, rows[k], state_tokens, legal, k)
        seen = True
        for i in range(tokens.shape[1]):
            seen = seen and state_tokens[k, i] < first_hidden
            tokens[k, i] = state_tokens[k, i] if seen else 0


def record(choices: Choices, rows: Rows, recorder: Recorder) -> tuple[slice, npt.NDArray[np.int8]]:
    """Write what the learner's rows of `choices` see into the recorder, all but actions and log-probabilities.

    Returns:
        Where it was written, and the order of the suits in each row (`agents.suits`), int8.
    """
    waiting, mine = rows
    place = recorder.room(len(mine))
    arrays = recorder.arrays
    orders = np.zeros(len(mine), dtype=np.int8)
    arrays["legal"][place] = choices.states[mine, V_LEGAL : V_LEGAL + 4]
    tokens, states, legal = arrays["tokens"][place], arrays["states"][place], arrays["legal"][place]
    _encode(choices.states, mine, encoding.n_tokens(choices.rules), tokens, states, legal, orders)
    arrays["phases"][place] = choices.phases[mine]
    arrays["games"][place] = waiting[mine]
    arrays["seats"][place] = choices.seats[mine]
    arrays["potentials"][place] = choices.potentials[mine]
    if recorder.with_views:
        arrays["views"][place], arrays["orders"][place] = choices.states[mine, :V], orders
    return place, orders
