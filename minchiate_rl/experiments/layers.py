"""The layers that `minchiate bench` times, from the raw trick loop up to the environments and the networks.

A layer is prepared before each run, outside the clock, and then does its work inside it. Random actions are not part
of any layer: for `Batch.step` they are read from the log of a playout of the same hands, made before; for environments
they are picked by a kernel while the clock stands.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.fused import HEURISTIC, advance
from minchiate_rl.envs.single import MinchiateEnv
from minchiate_rl.envs.vector import MinchiateVectorEnv
from minchiate_rl.experiments.probe import raw_tricks
from minchiate_rl.game.engine.bits import U
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.streams import bounded, stream_word
from minchiate_rl.game.rules import ruleset
from minchiate_rl.game.seats import N_SEATS
from minchiate_rl.views import encoding
from minchiate_rl.views.batch import Batch

SEED = 1


@dataclass
class Clock:
    """Seconds of this process's processors, and by the wall, while it runs."""

    cpu: float = 0.0
    wall: float = 0.0
    _from: tuple[float, float] = field(default=(0.0, 0.0))

    def __enter__(self) -> "Clock":
        self._from = time.process_time(), time.perf_counter()
        return self

    def __exit__(self, *error: object) -> None:
        self.cpu += time.process_time() - self._from[0]
        self.wall += time.perf_counter() - self._from[1]


@dataclass(frozen=True)
class Layer:
    """Something to be timed."""

    name: str
    unit: str
    what: str
    work: Callable[[Clock], int]
    """Does the work once, inside the clock, and returns how many units it did."""
    limit: str = ""
    """The layer that is this one's limit, if there is one."""


@kernel
def random_actions(masks, counter, out):  # type: ignore[no-untyped-def]
    """Fill `out` with a legal action for each row of masks, int8 (B, A), by chance."""
    for i in range(len(out)):
        n = U(0)
        for a in range(masks.shape[1]):
            n += U(masks[i, a] != 0)
        k = bounded(stream_word(U(i), U(0), U(counter)), n)
        for a in range(masks.shape[1]):
            if masks[i, a] != 0:
                if k == U(0):
                    out[i] = a
                    break
                k -= U(1)


def game_layers(hands: int, games: int, steps: int) -> list[Layer]:
    """Return the layers of engine, views, agents and environments.

    Args:
        hands: hands of a playout.
        games: games of a batch that is stepped, and tables of an environment.
        steps: calls of an environment in one run.
    """
    return [*_playouts(hands), *_steps(games), *_environments(games, steps)]


def _playouts(hands: int) -> list[Layer]:
    batch = Batch("classic", hands, seed=SEED)

    def probe(clock: Clock) -> int:
        with clock:
            plays, _ = raw_tricks(8 * hands, SEED)
        return int(plays)

    def whole(clock: Clock) -> int:
        with clock:
            batch.reset()
            return batch.playout()

    def dealt(threads: int) -> Callable[[Clock], int]:
        def work(clock: Clock) -> int:
            batch.reset()
            with clock:
                return batch.playout(threads)

        return work

    def heuristic(clock: Clock) -> int:
        batch.reset()
        codes = np.full(N_SEATS, HEURISTIC, dtype=np.int8)
        with clock:
            advance(batch.rows, batch.log, batch.ledger, batch.rules.row, codes, 0, hands)
        return hands

    return [
        Layer("probe", "plays", "raw trick loop in numba: shuffle, follow suit, take tricks, nothing else", probe),
        Layer("playout", "decisions", "complete random hands, deal and all phases", whole, "probe"),
        Layer("playout_dealt", "decisions", "the same without the deal", dealt(1)),
        Layer("playout_2_threads", "decisions", "the same in two threads", dealt(2), "playout_dealt"),
        Layer("heuristic", "hands", "hands of four heuristic agents in the fused loop, the deal apart", heuristic),
    ]


def _steps(games: int) -> list[Layer]:
    rules = ruleset("classic")
    start = Batch(rules, games, seed=SEED)
    played = start.copy()
    decisions = played.playout()
    length = int(played.decision.max())
    actions = np.ascontiguousarray(played.log[:, :length].T.astype(np.int16))
    mask = np.zeros((games, rules.num_actions), dtype=np.bool_)
    dense = np.zeros((games, encoding.OBSERVATION_SIZE), dtype=np.float32)

    def with_mask(batch: Batch) -> None:
        batch.legal_mask(mask)

    def with_views(batch: Batch) -> None:
        batch.views()

    def with_observations(batch: Batch) -> None:
        views = batch.views()
        views.encode(dense[: len(views)])
        views.legal_mask(mask[: len(views)])

    def stepping(look: Callable[[Batch], None]) -> Callable[[Clock], int]:
        def work(clock: Clock) -> int:
            batch = start.copy()
            with clock:
                for taken in actions:
                    look(batch)
                    batch.step(taken)
            return decisions

        return work

    text = f"Batch.step of {games} games with"
    return [
        Layer("step", "decisions", f"{text} legal_mask; actions made before", stepping(with_mask), "playout"),
        Layer("step_view", "decisions", f"{text} packed views", stepping(with_views), "playout"),
        Layer("step_observation", "decisions", f"{text} float32 observation and mask", stepping(with_observations)),
    ]


def _environments(tables: int, steps: int) -> list[Layer]:
    picked = np.zeros(tables, dtype=np.int64)

    def vector(opponents: str | None) -> Callable[[Clock], int]:
        env = MinchiateVectorEnv(tables, opponents=opponents, autoreset_mode="SAME_STEP")
        observation, _ = env.reset(seed=SEED)
        state: dict[str, Any] = {"mask": observation["action_mask"], "counter": 0}

        def work(clock: Clock) -> int:
            for _ in range(steps):
                random_actions(state["mask"], state["counter"], picked)
                state["counter"] += 1
                with clock:
                    observation, *_ = env.step(picked)
                state["mask"] = observation["action_mask"]
            return steps * tables

        return work

    return [
        Layer("vector_env", "steps", f"{tables} tables of self-play, observation, mask, reward, reset", vector(None)),
        Layer("vector_env_heuristic", "steps", f"{tables} tables against heuristic agents", vector("heuristic")),
        Layer("single_env", "steps", "one table against heuristic agents, reset included", _single(20 * steps)),
    ]


def _single(steps: int) -> Callable[[Clock], int]:
    env = MinchiateEnv(opponents="heuristic")
    first, _ = env.reset(seed=SEED)
    state: dict[str, Any] = {"mask": first["action_mask"], "counter": 0}
    picked: npt.NDArray[np.int64] = np.zeros(1, dtype=np.int64)

    def work(clock: Clock) -> int:
        for _ in range(steps):
            random_actions(state["mask"][None], state["counter"], picked)
            state["counter"] += 1
            action = int(picked[0])
            with clock:
                observation, _, terminated, _, _ = env.step(action)
                if terminated:
                    observation, _ = env.reset()
            state["mask"] = observation["action_mask"]
        return steps

    return work


def network_layers(hands: int) -> list[Layer]:
    """Return the layers of the networks, on choices of real hands; none of them needs more than one thread."""
    from minchiate_rl.agents.network import policy_logits
    from minchiate_rl.agents.weights import shape_for
    from minchiate_rl.experiments.probe import DenseLayers
    from minchiate_rl.training.learner import Learner

    rules = ruleset("classic")
    shape = shape_for(rules)
    learner = Learner(shape, SEED, 0.5)
    samples = _choices(learner, max(8, hands // 64 * 8))
    rows = min(2048, len(samples))
    compiled = learner.policy.compiled()
    dense, small = DenseLayers(shape, rows), DenseLayers(shape, 1024)

    def forward(clock: Clock) -> int:
        with clock:
            policy_logits(learner.policy, samples.tokens[:rows], samples.phases[:rows], samples.legal[:rows])
        return rows

    def fast_forward(clock: Clock) -> int:
        with clock:
            compiled.logits(samples.tokens[:rows], samples.phases[:rows], samples.legal[:rows])
        return rows

    def forward_limit(clock: Clock) -> int:
        import torch

        with clock, torch.inference_mode():
            dense.forward()
        return rows

    def training_limit(clock: Clock) -> int:
        with clock:
            small.forward_and_back()
        return 1024

    return [
        Layer("dense_forward", "rows", f"matrix products of the policy's layers, {rows} rows", forward_limit),
        Layer("network", "decisions", f"the policy's forward pass, {rows} rows at a time", forward, "dense_forward"),
        Layer(
            "fast_forward", "decisions", "the same rows in compiled code, legal actions alone", fast_forward, "network"
        ),
        Layer("dense_training", "rows", "matrix products forward and backward, 1,024 rows", training_limit),
        Layer("training", "choices", "an epoch of policy updates by PPO", _update(learner, samples), "dense_training"),
    ]


def _choices(learner: Any, hands: int) -> Any:
    from minchiate_rl.training import ppo
    from minchiate_rl.training.rollout import FIRST_TRAINING_SEED, Deal
    from minchiate_rl.training.table import LEARNER
    from minchiate_rl.training.workers import Workers

    codes = np.full((hands, N_SEATS), LEARNER, dtype=np.int8)
    with Workers(1) as workers:
        return ppo.self_play(learner, Deal(ruleset("classic"), FIRST_TRAINING_SEED, 0, codes, "potential"), [], workers)


def _update(learner: Any, samples: Any) -> Callable[[Clock], int]:
    from minchiate_rl.training import losses
    from minchiate_rl.training.returns import normalised

    advantages = normalised(np.sin(np.arange(len(samples), dtype=np.float32)))
    targets = losses.Targets(samples.legal, samples.actions, samples.log_probs, advantages)

    def gradient(logits: Any, rows: Any) -> Any:
        return losses.ppo_gradient(logits, targets.rows(rows), 0.2, 0.01)

    def work(clock: Clock) -> int:
        with clock:
            orders = learner.orders(0, len(samples), 1024, 1, 0)
            learner.fit_policy(samples, orders, 1e-6, gradient)
        return len(samples)

    return work
