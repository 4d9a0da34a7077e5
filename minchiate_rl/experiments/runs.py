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

import numpy as np
import numpy.typing as npt
import torch

from minchiate_rl.agents import make, weights
from minchiate_rl.agents.cheater import refuse
from minchiate_rl.agents.policy import PolicyAgent
from minchiate_rl.agents.spread import estimate
from minchiate_rl.agents.worlds import check_rules as check_worlds
from minchiate_rl.agents.worlds import makes_worlds
from minchiate_rl.errors import CheckpointError, RecipeError
from minchiate_rl.experiments.course import Part, course_of
from minchiate_rl.experiments.folder import RunFolder
from minchiate_rl.experiments.recipes import Recipe
from minchiate_rl.game.rules import RuleSet, ruleset
from minchiate_rl.training import checkpoint, ppo, tallies
from minchiate_rl.training.belief import belief_scores, overall
from minchiate_rl.training.evaluate import Score, evaluate
from minchiate_rl.training.journal import Journal
from minchiate_rl.training.league import League, Mix
from minchiate_rl.training.learner import Learner
from minchiate_rl.training.method import learn
from minchiate_rl.training.rollout import FIRST_TRAINING_SEED, Deal, Samples
from minchiate_rl.training.workers import Workers

#: Hands on which an evaluation judges a belief network.
BELIEF_HANDS = 64


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
    stage: int = 0
    """The number of the stage, from 0."""
    stage_from: float = 0.0
    """Seconds or step at which the stage began."""
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
    """The stage's name."""
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
    parts = [part.recipe for part in course_of(recipe)]
    named = [name for part in parts for name in (*part.scripted, part.teacher)]
    for name in dict.fromkeys((*recipe.eval_opponents, *named)):
        agent = make(name)
        refuse(agent, f"recipe {recipe.name!r}")
        if isinstance(agent, PolicyAgent):
            agent.check_rules(rules)
    if any(stage.kind == "expert" for stage in recipe.course):
        check_worlds(rules, f"recipe {recipe.name!r}")
    if any(part.partner_share for part in parts) and (rules.n_seats, rules.n_sides) != (4, 2):
        raise RecipeError(f"recipe {recipe.name!r}: partner_share needs partners; the rules {rules.name} have none")
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
        self.parts = course_of(recipe)
        self.shape = weights.shape_for(self.rules, *dataclasses.astuple(recipe.network))
        self.learner = Learner(self.shape, recipe.seed, recipe.max_norm, device)
        self.league = League(folder.path, self.rules, self.shape, recipe.seed)
        self.counters = Counters()
        self.scores: list[Score] = []
        self.stop = threading.Event()
        self._threads = threads
        self._began = 0.0
        self._last_step_seconds = 0.0
        if (folder.path / "checkpoints").is_dir() and any((folder.path / "checkpoints").iterdir()):
            self._take_up()
        elif recipe.start:
            self._begin_with(Path(recipe.start))

    def _take_up(self) -> None:
        """Go on from the newest sound checkpoint."""
        point = checkpoint.newest(self.folder.path, self.rules)
        where = self.folder.path / "checkpoints" / str(point.counters.get("step"))
        if point.shape != self.shape:
            raise CheckpointError(f"{where}: made for networks of another width than the run's settings")
        self.learner.load(point.tensors, where)
        self.learner.load_optimizers(point.optimizers)
        self.league.pool, self.learner.replay = point.pool, point.replay
        try:
            self.counters = Counters(**self._with_stage(point.counters))
        except (TypeError, KeyError):
            raise CheckpointError(f"{where}: its counters are not those of this version") from None

    def _begin_with(self, start: Path) -> None:
        """Take the weights of policy and critic of another run, and of its belief network if both have one."""
        own = start / weights.STATE
        point = checkpoint.load(start) if own.exists() else checkpoint.newest(start, self.rules)
        same = dataclasses.replace(point.shape, belief=self.shape.belief) == self.shape
        if point.rules.game != self.rules.game or not same:
            raise CheckpointError(f"{start}: cannot be the start: its game or the sizes of its networks are others")
        believing = point.shape.belief == self.shape.belief
        kept = ("policy.", "critic.", "belief.") if believing else ("policy.", "critic.")
        taken = {name: tensor for name, tensor in point.tensors.items() if name.startswith(kept)}
        self.learner.load(self.learner.tensors() | taken, start)

    def _with_stage(self, counters: dict[str, Any]) -> dict[str, Any]:
        """Return a checkpoint's counters; those written before runs had stages say when self-play began instead."""
        if "self_play_from" not in counters:
            return counters | {"stage": min(int(counters["stage"]), len(self.parts) - 1)}
        own = {name: value for name, value in counters.items() if name != "self_play_from"}
        began = float(counters["self_play_from"])
        if began < 0.0:
            return own
        return own | {"stage": len(self.parts) - 1, "stage_from": began * self.parts[-1].end}

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
    def part(self) -> Part:
        """The stage of the step before, or of the first one."""
        return self.parts[self.counters.stage]

    @property
    def _now(self) -> float:
        """Where the run stands, in what its stages are measured in: steps or seconds."""
        return float(self.counters.step) if self.recipe.by_steps else self._seconds()

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
        codes = self.league.seating(0, 8, Mix()).codes
        ppo.self_play(self.learner, self._deal(codes, self.recipe), [], workers)
        self._began = time.perf_counter()

    def _one_step(self, workers: Workers, journal: Journal, tell: Callable[[Status], None]) -> None:
        begin = time.perf_counter()
        counters = self.counters
        while counters.stage < len(self.parts) - 1 and self._now >= self.part.end:
            counters.stage, counters.stage_from = counters.stage + 1, self._now
            self.learner.magnet, self.learner.replay = None, []
        hands = self.part.recipe.hands
        metrics = self._learn(workers)
        counters.step, counters.closed = counters.step + 1, False
        counters.hands += hands
        counters.choices += metrics["choices"]
        seconds = time.perf_counter() - begin
        self._last_step_seconds = seconds
        metrics |= {
            "hands": counters.hands,
            "seconds": self._seconds(),
            "hands_per_second": hands / seconds,
            "choices_per_second": metrics["choices"] / seconds,
        }
        if self.part.method.plays_itself and counters.step % self.recipe.pool_every == 0:
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

    def _deal(self, codes: npt.NDArray[np.int8], recipe: Recipe) -> Deal:
        seed = FIRST_TRAINING_SEED + self.recipe.seed
        return Deal(self.rules, seed, self.counters.hands, codes, recipe.reward, bool(recipe.belief_every))

    def _learn(self, workers: Workers) -> dict[str, Any]:
        """Play the hands of a step and learn from them; return its metrics."""
        part, counters = self.part, self.counters
        done = (self._now - counters.stage_from) / max(part.end - counters.stage_from, 1e-9)
        settings = part.settings(min(max(done, 0.0), 1.0))
        mix = part.mix if part.method.plays_itself else Mix()
        seating = self.league.seating(counters.step, part.recipe.hands, mix)
        deal = self._deal(seating.codes, part.recipe)
        begin = time.perf_counter()
        samples = part.method.gather(self.learner, deal, seating.outside, settings, workers)
        rollout = time.perf_counter() - begin
        metrics = learn(part.method, self.learner, samples, counters.step, settings, workers)
        if part.method.plays_itself:
            metrics |= {f"mix/{kind}": hands for kind, hands in seating.hands.items()} | tallies.told(samples.tallies)
        told = {
            "stage": counters.stage,
            "stage_name": part.title,
            "lr": settings.lr,
            "entropy_weight": settings.entropy,
        }
        return told | metrics | _stages(samples, rollout)

    def _evaluate(self, workers: Workers, deals: int, group: str = "evaluation") -> dict[str, Any]:
        """Measure the policy; return the results as metrics."""
        self.counters.evaluated = self.counters.step if self.recipe.by_steps else self._seconds()
        begin = time.perf_counter()
        self.scores = evaluate(self.learner.policy, self.rules, self.recipe.eval_opponents, deals, workers)
        metrics: dict[str, Any] = {f"seconds_{group}": time.perf_counter() - begin}
        for score in self.scores:
            name = f"{group}/{score.opponent}"
            metrics |= {name: score.mean, f"{name}/low": score.low, f"{name}/high": score.high}
        if self.learner.belief is not None:
            judged = self.learner.policy, self.learner.belief, self.rules, BELIEF_HANDS
            others = [lambda views, _: estimate(views)] if makes_worlds(self.rules) else []
            scores, *uniform = belief_scores(*judged, self.part.mix.temperature, others)
            metrics |= overall(scores)
            for even in uniform:
                metrics |= {name.replace("belief/", "belief/uniform_"): value for name, value in overall(even).items()}
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
            self.learner.replay,
        )
        return checkpoint.save(self.folder.path, point, self.recipe.keep_checkpoints)

    def _tell(self, tell: Callable[[Status], None], metrics: dict[str, Any]) -> None:
        progress, seconds = self.progress, self._seconds()
        if self.recipe.by_steps:
            left = seconds * (1.0 - progress) / progress if progress > 0.0 else float("nan")
        else:
            left = max(0.0, 60.0 * self.recipe.minutes - seconds)
        tell(Status(self.counters, self.part.title, progress, seconds, left, metrics, self.scores))


def _stages(samples: Samples, rollout: float) -> dict[str, Any]:
    """Return the seconds of the rollout's stages as metrics; those are summed over both parts."""
    stages = {f"seconds_{stage}": seconds for stage, seconds in samples.seconds.items()}
    return {"choices": len(samples), "seconds_rollout": rollout, **stages}
