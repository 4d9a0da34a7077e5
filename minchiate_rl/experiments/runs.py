"""A training run from its first step to its last: schedules, evaluations, checkpoints, the pool, stop and resume.

By steps, everything hangs on the number of the step and on the seed: the same run always gives the same weights,
stopped and resumed or not. By the clock, the schedules follow the seconds that the run has used.
"""

import dataclasses
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from minchiate_rl.agents import make, weights
from minchiate_rl.agents.policy import PolicyAgent
from minchiate_rl.errors import CheckpointError, RecipeError
from minchiate_rl.experiments.folder import RunFolder
from minchiate_rl.experiments.recipes import Recipe
from minchiate_rl.game.rules import RuleSet, ruleset
from minchiate_rl.training import checkpoint, imitation, ppo
from minchiate_rl.training.evaluate import Score, evaluate
from minchiate_rl.training.journal import Journal
from minchiate_rl.training.league import League, Mix
from minchiate_rl.training.learner import Learner
from minchiate_rl.training.rollout import FIRST_TRAINING_SEED, Deal, Samples
from minchiate_rl.training.workers import Workers

IMITATION = "imitation"
SELF_PLAY = "self-play"


@dataclasses.dataclass
class Counters:
    """Where a run stands; saved with every checkpoint."""

    step: int = 0
    hands: int = 0
    """Hands played, and the number of the next one."""
    choices: int = 0
    """Choices learned from."""
    seconds: float = 0.0
    """Seconds that the run has used, stops left out."""
    self_play_from: float = -1.0
    """Progress, 0 to 1, at which self-play began; -1 before."""
    evaluated: float = -1.0
    """Seconds or step of the last evaluation."""
    saved: float = 0.0
    """Seconds or step of the last checkpoint."""
    closed: bool = False
    """Whether the evaluation at the end has been written."""


@dataclasses.dataclass(frozen=True)
class Status:
    """What a watcher is told after each step."""

    counters: Counters
    phase: str
    progress: float
    """0 to 1."""
    seconds: float
    """Seconds that the run has used."""
    seconds_left: float
    metrics: dict[str, Any]
    scores: list[Score]
    """The newest evaluation."""


def _nobody(status: Status) -> None:
    """Tell nobody."""


def check(recipe: Recipe, device: str = "cpu") -> RuleSet:
    """Return the rule set of a recipe after checking what it names; nothing has been written yet.

    Raises:
        MinchiateError: the recipe names unknown rules, agents or devices, rules without a decision, or a policy that
            was trained for another game.
    """
    rules = ruleset(recipe.rules)
    if not rules.form.decisions:
        raise RecipeError(f"recipe {recipe.name!r}: nothing is decided under the rules {rules.name}, nor learned")
    for name in (*recipe.eval_opponents, *recipe.scripted, recipe.teacher):
        agent = make(name)
        if isinstance(agent, PolicyAgent):
            agent.check_rules(rules)
    allowed = ["cpu", *(f"cuda:{k}" for k in range(torch.cuda.device_count()))]
    if device not in (*allowed, *(["cuda"] if len(allowed) > 1 else [])):
        raise RecipeError(f"device {device!r} is not available here; allowed: {', '.join(allowed)}")
    return rules


class Run:
    """A run in its folder. `train` goes on until the end, or until `stop` is set, and always leaves a checkpoint."""

    def __init__(self, folder: RunFolder, recipe: Recipe, *, device: str = "cpu", threads: int | None = None) -> None:
        """Build the networks, or take them up from the newest sound checkpoint of the folder.

        Raises:
            MinchiateError: the recipe names unknown rules, agents or devices, or the checkpoint does not fit.
        """
        self.folder, self.recipe = folder, recipe
        self.rules = check(recipe, device)
        self.shape = weights.shape_for(self.rules, recipe.width, recipe.critic_width)
        self.learner = Learner(self.shape, recipe.seed, recipe.max_norm, device)
        mix = Mix(recipe.past_share, recipe.scripted_share, recipe.scripted, recipe.pool_size)
        self.league = League(folder.path, self.rules, self.shape, mix, recipe.seed)
        self.counters = Counters()
        self.scores: list[Score] = []
        self.stop = threading.Event()
        self._threads = threads
        self._began = 0.0
        self._last_step_seconds = 0.0
        if (folder.path / "checkpoints").is_dir() and any((folder.path / "checkpoints").iterdir()):
            self._take_up()

    def _take_up(self) -> None:
        """Go on from the newest sound checkpoint."""
        point = checkpoint.newest(self.folder.path, self.rules)
        where = self.folder.path / "checkpoints" / str(point.counters.get("step"))
        if point.shape != self.shape:
            raise CheckpointError(f"{where}: made for networks of another width than the run's settings")
        for name, module in self.learner.modules().items():
            weights.fill(module, point.tensors, f"{name}.", where)
        self.learner.load_optimizers(point.optimizers)
        self.league.pool = point.pool
        try:
            self.counters = Counters(**point.counters)
        except TypeError:
            raise CheckpointError(f"{where}: its counters are not those of this version") from None

    @property
    def progress(self) -> float:
        """How much of the run is done, 0 to 1."""
        if self.recipe.by_steps:
            return min(1.0, self.counters.step / self.recipe.steps)
        return min(1.0, self._seconds() / (60.0 * self.recipe.minutes))

    @property
    def finished(self) -> bool:
        """Whether the run is at its end: no step more fits into its time."""
        if self.recipe.by_steps:
            return self.counters.step >= self.recipe.steps
        return self._seconds() + self._last_step_seconds / 2 >= 60.0 * self.recipe.minutes

    @property
    def phase(self) -> str:
        """Whether the next step imitates or plays itself."""
        recipe = self.recipe
        if self.counters.self_play_from >= 0.0:
            return SELF_PLAY
        if recipe.by_steps:
            return IMITATION if self.counters.step < recipe.imitation_steps else SELF_PLAY
        return IMITATION if self._seconds() < 60.0 * recipe.imitation_minutes else SELF_PLAY

    def _seconds(self) -> float:
        return self.counters.seconds + (time.perf_counter() - self._began if self._began else 0.0)

    def train(self, tell: Callable[[Status], None] = _nobody) -> list[Score]:
        """Train until the end or until `stop` is set; return the last evaluation.

        Args:
            tell: called after the first evaluation and after each step.

        Raises:
            MinchiateError: training diverged, or the folder cannot be written.
        """
        journal = Journal(self.folder.path, self.counters.step)
        with Workers(self._threads) as workers:
            try:
                self._prepare(workers)
                if self.counters.evaluated < 0.0:
                    journal.write(0, self._evaluate(workers, self.recipe.eval_deals))
                    self._save()
                self._tell(tell, {})
                while not self.finished and not self.stop.is_set():
                    self._one_step(workers, journal, tell)
                if self.finished and not self.stop.is_set():
                    metrics = self._evaluate(workers, self.recipe.final_deals, "final")
                    if not self.counters.closed:
                        journal.write(self.counters.step, metrics)
                self.counters.closed = self.finished and not self.stop.is_set()
                self._save()
                self._tell(tell, {})
            finally:
                journal.close()
                self.counters.seconds, self._began = self._seconds(), 0.0
        return self.scores

    def _prepare(self, workers: Workers) -> None:
        """Have the kernels compiled, by playing a few hands of which nothing is kept; then start the clock."""
        evaluate(self.learner.policy, self.rules, self.recipe.eval_opponents, 2, workers)
        codes, _ = League(self.folder.path, self.rules, self.shape, Mix(), 0).seating(0, 8)
        ppo.self_play(self.learner, self._deal(codes), [], workers)
        self._began = time.perf_counter()

    def _one_step(self, workers: Workers, journal: Journal, tell: Callable[[Status], None]) -> None:
        begin = time.perf_counter()
        metrics = self._imitation_step(workers) if self.phase == IMITATION else self._self_play_step(workers)
        counters = self.counters
        counters.step, counters.closed = counters.step + 1, False
        counters.hands += self.recipe.hands
        counters.choices += metrics["choices"]
        seconds = time.perf_counter() - begin
        self._last_step_seconds = seconds
        metrics |= {
            "hands": counters.hands,
            "seconds": self._seconds(),
            "hands_per_second": self.recipe.hands / seconds,
            "choices_per_second": metrics["choices"] / seconds,
        }
        if counters.self_play_from >= 0.0 and counters.step % self.recipe.pool_every == 0:
            self.league.snapshot(counters.step, self.learner.policy)
        if not self.finished and self._due(counters.evaluated, self.recipe.eval_minutes, self.recipe.eval_steps):
            metrics |= self._evaluate(workers, self.recipe.eval_deals)
        journal.write(counters.step, metrics)
        if self._due(counters.saved, self.recipe.checkpoint_minutes, self.recipe.checkpoint_steps):
            self._save()
        self._tell(tell, metrics)

    def _due(self, last: float, minutes: float, steps: int) -> bool:
        if self.recipe.by_steps:
            return self.counters.step % steps == 0
        return self._seconds() >= last + 60.0 * minutes

    def _deal(self, codes: Any) -> Deal:
        seed = FIRST_TRAINING_SEED + self.recipe.seed
        return Deal(self.rules, seed, self.counters.hands, codes, self.recipe.reward)

    def _imitation_step(self, workers: Workers) -> dict[str, Any]:
        recipe, counters = self.recipe, self.counters
        codes, _ = League(self.folder.path, self.rules, self.shape, Mix(), 0).seating(0, recipe.hands)
        begin = time.perf_counter()
        samples = imitation.lessons(make(recipe.teacher), self._deal(codes), recipe.random_share, workers)
        rollout = time.perf_counter() - begin
        if recipe.by_steps:
            done = counters.step / recipe.imitation_steps
        else:
            done = self._seconds() / (60.0 * recipe.imitation_minutes)
        settings = self._settings(recipe.imitation_lr * (1.0 - (1.0 - recipe.final_lr) * min(done, 1.0)), 0.0)
        metrics = imitation.imitate(self.learner, samples, counters.step, settings, workers)
        return {"lr": settings.lr, **metrics, **_stages(samples, rollout)}

    def _self_play_step(self, workers: Workers) -> dict[str, Any]:
        recipe, counters = self.recipe, self.counters
        if counters.self_play_from < 0.0:
            counters.self_play_from = self.progress
        done = (self.progress - counters.self_play_from) / max(1.0 - counters.self_play_from, 1e-9)
        settings = self._settings(
            recipe.lr * (1.0 - (1.0 - recipe.final_lr) * done),
            recipe.entropy * (1.0 - (1.0 - recipe.final_entropy) * done),
        )
        codes, outside = self.league.seating(counters.step, recipe.hands)
        begin = time.perf_counter()
        samples = ppo.self_play(self.learner, self._deal(codes), outside, workers)
        rollout = time.perf_counter() - begin
        metrics = ppo.learn(self.learner, samples, counters.step, settings, workers)
        return {"lr": settings.lr, "entropy_weight": settings.entropy, **metrics, **_stages(samples, rollout)}

    def _settings(self, lr: float, entropy: float) -> ppo.Settings:
        recipe = self.recipe
        return ppo.Settings(
            minibatch=recipe.minibatch,
            epochs=recipe.epochs,
            critic_epochs=recipe.critic_epochs,
            clip=recipe.clip,
            lr=lr,
            entropy=entropy,
            gae_lambda=recipe.gae_lambda,
            joint=recipe.advantage == "joint",
        )

    def _evaluate(self, workers: Workers, deals: int, group: str = "evaluation") -> dict[str, Any]:
        """Measure the policy; return the results as metrics."""
        self.counters.evaluated = self.counters.step if self.recipe.by_steps else self._seconds()
        begin = time.perf_counter()
        self.scores = evaluate(self.learner.policy, self.rules, self.recipe.eval_opponents, deals, workers)
        metrics: dict[str, Any] = {f"seconds_{group}": time.perf_counter() - begin}
        for score in self.scores:
            name = f"{group}/{score.opponent}"
            metrics |= {name: score.mean, f"{name}/low": score.low, f"{name}/high": score.high}
        return metrics

    def _save(self) -> Path:
        """Write a checkpoint."""
        self.counters.saved = self.counters.step if self.recipe.by_steps else self._seconds()
        counters = dataclasses.asdict(self.counters) | {"seconds": self._seconds()}
        point = checkpoint.Checkpoint(
            self.rules,
            self.shape,
            self.learner.tensors(),
            self.learner.optimizer_state(),
            counters,
            dict(self.league.pool),
        )
        return checkpoint.save(self.folder.path, point, self.recipe.keep_checkpoints)

    def _tell(self, tell: Callable[[Status], None], metrics: dict[str, Any]) -> None:
        progress, seconds = self.progress, self._seconds()
        if self.recipe.by_steps:
            left = seconds * (1.0 - progress) / progress if progress > 0.0 else float("nan")
        else:
            left = max(0.0, 60.0 * self.recipe.minutes - seconds)
        tell(Status(self.counters, self.phase, progress, seconds, left, metrics, self.scores))


def _stages(samples: Samples, rollout: float) -> dict[str, Any]:
    """Return the seconds of the rollout's stages as metrics; those are summed over both parts."""
    stages = {f"seconds_{stage}": seconds for stage, seconds in samples.seconds.items()}
    return {"choices": len(samples), "seconds_rollout": rollout, **stages}
