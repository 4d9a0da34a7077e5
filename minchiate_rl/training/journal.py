"""What a run tells: metrics.jsonl, one JSON object a line, and the same numbers for TensorBoard."""

import json
import os
from pathlib import Path
from typing import Any, Final

from minchiate_rl.errors import RunError

METRICS: Final = "metrics.jsonl"


class Journal:
    """The metrics of a run, appended as they come."""

    def __init__(self, run: Path, step: int) -> None:
        """Go on from a step: what a stopped process wrote of later steps is removed.

        Raises:
            RunError: the folder cannot be written.
        """
        from torch.utils.tensorboard import SummaryWriter

        try:
            _cut(run / METRICS, step)
            self._file = (run / METRICS).open("a", encoding="utf-8")
            self._board = SummaryWriter(str(run), purge_step=step + 1 if step else None)
        except OSError as error:
            raise RunError(f"{run}: cannot be written: {error.strerror}") from None

    def write(self, step: int, metrics: dict[str, Any]) -> None:
        """Write the metrics of a step; numbers go to TensorBoard too, under `group/name` or their own name."""
        self._file.write(json.dumps({"step": step, **metrics}, allow_nan=False) + "\n")
        self._file.flush()
        for name, value in metrics.items():
            if isinstance(value, (int, float)):
                self._board.add_scalar(name, value, step)
        if "evaluation/heuristic" in metrics:
            self._board.flush()

    def close(self) -> None:
        """Flush and close both."""
        self._file.close()
        self._board.close()


def _cut(path: Path, step: int) -> None:
    """Keep the lines up to a step; a last line that was cut short goes too."""
    if not path.exists():
        return
    kept = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            if int(json.loads(line)["step"]) <= step:
                kept.append(line)
        except (ValueError, KeyError, TypeError):
            continue
    part = path.with_name(path.name + ".part")
    part.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
    os.replace(part, path)


def read_metrics(run: Path) -> list[dict[str, Any]]:
    """Return the metrics of a run, line by line.

    Raises:
        RunError: the run has none, or the file is damaged.
    """
    path = run / METRICS
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise RunError(f"{path}: cannot be read: {' '.join(str(error).split())}") from None
