"""Train an agent by self-play, from a recipe.

RECIPE is a name in experiments/ or the path of a TOML file; flags override it. The run's folder gets checkpoints, the
pool of past selves, metrics.jsonl and TensorBoard files, and at the end the commands that use the result are printed.
SIGTERM or Ctrl-C writes a checkpoint and stops; --resume FOLDER goes on from there. Schedules follow the clock
(--minutes), or the number of the step (--steps), and then the same seed gives the same weights, stopped or not.

Examples:
  minchiate train demo
  minchiate train classic --minutes 10 --out runs/first
  minchiate train two --minutes 2 --out runs/two
  minchiate train classic-warm --minutes 30 --seed 3 --set hands=512 --set entropy=0.02
  minchiate train classic --steps 200 --out runs/exact
  minchiate train --resume runs/first
"""

import argparse
import shutil
import signal
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from minchiate_rl.app import terminal
from minchiate_rl.app.arguments import number, whole
from minchiate_rl.errors import RecipeError

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from minchiate_rl.experiments.folder import RunFolder
    from minchiate_rl.experiments.recipes import Recipe
    from minchiate_rl.experiments.runs import Run, Status
    from minchiate_rl.training.evaluate import Score

_FLAGS: Final = ("minutes", "steps", "seed", "rules", "imitation_minutes")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `minchiate train`."""
    parser.add_argument("recipe", nargs="?", metavar="RECIPE", help="a name in experiments/ or a TOML file")
    parser.add_argument("--minutes", type=number(0), metavar="M", help="length by the clock")
    parser.add_argument("--steps", type=whole(1), metavar="N", help="length in steps (batches of hands)")
    parser.add_argument("--seed", type=whole(0), metavar="S", help="seed of weights, deals and choices")
    parser.add_argument("--rules", metavar="NAME", help="the rule set")
    parser.add_argument("--imitation-minutes", type=number(0, True), metavar="M", help="imitation before self-play")
    parser.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE", help="any other field of the recipe"
    )
    parser.add_argument("--out", metavar="FOLDER", help="the run's folder (default: runs/RECIPE-DATE-TIME)")
    parser.add_argument("--resume", metavar="FOLDER", help="go on with a run that was stopped")
    parser.add_argument("--device", default="cpu", help="where the networks compute: cpu, cuda (default: cpu)")
    parser.add_argument("--threads", type=whole(1, 2), metavar="N", help="threads, 1 or 2; the result is the same")
    parser.add_argument("--json", action="store_true", help="print one JSON document at the end")


def run(args: argparse.Namespace) -> int:
    """Train, showing progress, and print what came out."""
    from minchiate_rl.experiments.runs import Run

    folder, recipe = _resumed(args) if args.resume else _new(args)
    try:
        training = Run(folder, recipe, device=args.device, threads=args.threads)
        if recipe != folder.recipe():  # not before: settings that do not fit the checkpoints are refused
            folder.write_recipe(recipe)
        _stop_on_signals(training)
        if not args.json:
            terminal.note(f"The run is in {folder.path}. Preparing: kernels are compiled on their first use.")
        with _Display(recipe, quiet=args.json) as display:
            scores = training.train(display.show)
        _report(args, folder.path, training, scores)
    finally:
        folder.close()
    return 0


def _overrides(args: argparse.Namespace) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for item in args.set:
        field, equals, text = item.partition("=")
        if not equals:
            raise RecipeError(f"--set {item}: must be FIELD=VALUE")
        changes[field] = _value(text)
    changes |= {field: getattr(args, field) for field in _FLAGS if getattr(args, field) is not None}
    if args.minutes is not None and args.steps is not None:
        raise RecipeError("--minutes and --steps exclude each other: a run goes by the clock or by steps")
    if args.minutes is not None:
        changes["steps"] = 0
    return changes


def _value(text: str) -> Any:
    """Return a value written as in TOML; anything else is a text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _new(args: argparse.Namespace) -> "tuple[RunFolder, Recipe]":
    from minchiate_rl.experiments import folder, recipes
    from minchiate_rl.experiments.runs import check

    if args.recipe is None:
        raise RecipeError(f"name a recipe ({', '.join(recipes.recipes())}, or a .toml file), or use --resume FOLDER")
    recipe = recipes.recipe(args.recipe).replace(**_overrides(args))
    check(recipe, args.device)  # what is refused leaves no folder behind
    path = Path(args.out) if args.out else folder.default_path(recipe)
    return folder.RunFolder.create(path, recipe), recipe


def _resumed(args: argparse.Namespace) -> "tuple[RunFolder, Recipe]":
    from minchiate_rl.experiments.folder import RunFolder

    if args.out and Path(args.out) != Path(args.resume):
        raise RecipeError("--out and --resume name different folders; a resumed run stays in its own")
    folder = RunFolder.resume(Path(args.resume))
    own = folder.recipe()
    if args.recipe not in (None, own.name, str(Path(args.resume) / "config.toml")):
        folder.close()
        raise RecipeError(f"{args.resume}: is a run of the recipe {own.name!r}, not of {args.recipe!r}")
    return folder, own.replace(**_overrides(args))


def _stop_on_signals(training: "Run") -> None:
    """Let SIGTERM and Ctrl-C end the run after the step in hand; a second Ctrl-C ends it at once."""

    def stop(number: int, frame: object) -> None:
        if training.stop.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        training.stop.set()
        terminal.note("stopping after this step; a checkpoint will be written")

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


class _Display:
    """The progress of a run: a live bar on a terminal, a line for each evaluation elsewhere, nothing with --json."""

    def __init__(self, recipe: "Recipe", quiet: bool) -> None:
        self.recipe, self.quiet = recipe, quiet
        self.live = sys.stderr.isatty() and not quiet
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._told: list[Score] = []

    def __enter__(self) -> "_Display":
        if self.live:
            from rich import progress

            columns = (
                progress.TextColumn("[bold]{task.description}"),
                progress.BarColumn(),
                progress.TaskProgressColumn(),
                progress.TextColumn("{task.fields[text]}"),
            )
            self._progress = progress.Progress(*columns, console=terminal.console(stderr=True))
            self._task = self._progress.add_task(self.recipe.name, total=1.0, text="")
            self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def show(self, status: "Status") -> None:
        """Show where the run stands."""
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=status.progress, text=_line(status))
        if status.scores is not self._told and not self.quiet:
            self._told = status.scores
            self._print(f"{_clock(status.seconds)}  {_line(status)}  {_against(status.scores)}")

    def _print(self, text: str) -> None:
        if self._progress is not None:
            self._progress.console.print(text, highlight=False)
        else:
            terminal.note(text)


def _line(status: "Status") -> str:
    counters, metrics = status.counters, status.metrics
    parts = [f"{status.phase}, step {counters.step}, {counters.hands:,} hands"]
    if "hands_per_second" in metrics:
        parts.append(f"{metrics['hands_per_second']:.0f} hands/s")
    if "agreement" in metrics:
        parts.append(f"agreement {metrics['agreement']:.1%}")
    elif "entropy" in metrics:
        parts.append(f"entropy {metrics['entropy']:.2f}")
    if status.seconds_left == status.seconds_left:
        parts.append(f"{_clock(status.seconds_left)} left")
    return ", ".join(parts)


def _clock(seconds: float) -> str:
    whole_seconds = round(seconds)
    hours, rest = divmod(whole_seconds, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"


def _against(scores: "list[Score]") -> str:
    return "  ".join(f"{score.opponent} {score.mean:+.1f} ±{score.high - score.mean:.1f}" for score in scores)


def _report(args: argparse.Namespace, path: Path, training: "Run", scores: "list[Score]") -> None:
    counters = training.counters
    if args.json:
        results = {score.opponent: {"mean": score.mean, "interval": [score.low, score.high]} for score in scores}
        document = {"run": str(path), "finished": training.finished, "step": counters.step, "hands": counters.hands}
        terminal.emit(document | {"seconds": counters.seconds, "evaluation": results})
        return
    rows = [(score.opponent, score.mean, f"{score.low:+.1f} to {score.high:+.1f}", score.deals) for score in scores]
    terminal.table(["against", "points a hand", "95% interval", "duplicate deals"], rows)
    if not training.finished:
        terminal.say(f"Stopped at step {counters.step}. To go on:\n  {_command()} train --resume {path}")
        return
    for text, command in _uses(path, training.recipe.rules):
        terminal.say(f"{text}\n  {command}")


def _uses(path: Path, rules: str) -> list[tuple[str, str]]:
    """Return the commands that use the result of a run under its rules, each with what it does."""
    from minchiate_rl.game.rules import ruleset

    name, form = _command(), ruleset(rules)
    under = "" if rules == "classic" else f" --rules {rules}"
    agents = f"policy:{path}" if form.form.for_himself else f"policy:{path} heuristic"
    return [
        ("The agent is saved. Measure it:", f"{name} match policy:{path} heuristic --deals 2000 --seed 1{under}"),
        (
            "Let it play hands and keep the records:",
            f"{name} selfplay --agents {agents} --hands 100 --seed 1{under} --out hands.jsonl",
        ),
        ("See its curves:", f"tensorboard --logdir {path}"),
        ("Use it in Python:", f"python -c \"import minchiate_rl as mrl; mrl.agents.make('policy:{path}')\""),
    ]


def _command() -> str:
    return "minchiate" if shutil.which("minchiate") else "python -m minchiate_rl"
