"""A run's folder: made once, used by one process at a time, with the recipe that it follows."""

import os
import time
from pathlib import Path
from typing import IO, Final

from minchiate_rl.agents.policy import checkpoints
from minchiate_rl.errors import RecipeError, RunError
from minchiate_rl.experiments.recipes import Recipe
from minchiate_rl.training.checkpoint import tidy, write_bytes

try:
    import fcntl
except ImportError:  # no such locks on this platform: folders are then not guarded
    fcntl = None  # type: ignore[assignment]

CONFIG: Final = "config.toml"
_LOCK: Final = "lock"
_HEAD: Final = "# The settings of this run. `minchiate train --resume FOLDER` goes on by them.\n"


class RunFolder:
    """A run's folder, locked for this process until `close`; the lock goes with the process, however it ends."""

    def __init__(self, path: Path) -> None:
        """Lock an existing folder.

        Raises:
            RunError: another process uses it, or it cannot be written.
        """
        self.path = path
        self._lock: IO[bytes] | None = None
        try:
            self._lock = (path / _LOCK).open("ab")
        except OSError as error:
            raise RunError(f"{path}: cannot be written: {error.strerror}") from None
        if fcntl is not None:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self._lock.close()
                raise RunError(f"{path}: this run folder is in use by another process") from None

    @classmethod
    def create(cls, path: Path, recipe: Recipe) -> "RunFolder":
        """Make the folder of a new run and write its settings.

        Raises:
            RunError: it holds a run already, is in use, or cannot be written.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{path}: cannot be made: {error.strerror}") from None
        folder = cls(path)
        if checkpoints(path):
            folder.close()
            raise RunError(f"{path}: holds a run already; go on with it by --resume, or name another folder")
        tidy(path)
        folder.write_recipe(recipe)
        return folder

    @classmethod
    def resume(cls, path: Path) -> "RunFolder":
        """Take up the folder of a run that was stopped.

        Raises:
            RunError: there is no run, or it is in use, or it cannot be written.
        """
        if not (path / CONFIG).is_file():
            raise RunError(f"{path}: holds no run to go on with ({CONFIG} is missing)")
        folder = cls(path)
        tidy(path)
        return folder

    def recipe(self) -> Recipe:
        """Return the settings of the run.

        Raises:
            RecipeError: config.toml is damaged.
        """
        return recipe_of(self.path)

    def write_recipe(self, recipe: Recipe) -> None:
        """Write the settings of the run.

        Raises:
            RunError: the file cannot be written.
        """
        write_bytes(self.path / CONFIG, (_HEAD + recipe.to_toml()).encode())

    def close(self) -> None:
        """Release the lock."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def recipe_of(run: Path) -> Recipe:
    """Return the settings of the run in a folder, which may be in use.

    Raises:
        RecipeError: config.toml is missing or damaged.
    """
    path = run / CONFIG
    try:
        return Recipe.from_toml(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(f"{path}: cannot be read: {error}") from None


def default_path(recipe: Recipe) -> Path:
    """Return a folder for a new run in the working folder: runs/NAME-DATE-TIME, numbered on where it is taken."""
    stem = f"{recipe.name}-{time.strftime('%Y%m%d-%H%M%S')}"
    path, n = Path("runs") / stem, 1
    while os.path.lexists(path):
        n += 1
        path = Path("runs") / f"{stem}-{n}"
    return path
