"""Files that commands write: complete under their name, or not there at all."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO


@contextlib.contextmanager
def whole_file(path: str | Path) -> Iterator[TextIO]:
    """Open a text file that takes its name only when everything has been written.

    The temporary file lies beside its goal and is made before anything else happens, so that a path that cannot be
    written is noticed before the work is done. A device or a pipe is written directly.

    Raises:
        OSError: the path cannot be written.
    """
    goal = Path(path)
    if goal.is_dir():
        raise IsADirectoryError(f"{goal}: cannot be written: it is a folder")
    if goal.exists() and not goal.is_file():
        with _naming(goal), goal.open("w", encoding="utf-8") as file:
            yield file
        return
    part = goal.with_name(f".{goal.name}.{os.getpid()}.part")
    try:
        file = part.open("w", encoding="utf-8")
    except OSError as error:
        raise OSError(f"{goal}: cannot be written: {error.strerror}") from None
    try:
        with _naming(goal):
            with file:
                yield file
            part.replace(goal)
    finally:
        part.unlink(missing_ok=True)


@contextlib.contextmanager
def _naming(goal: Path) -> Iterator[None]:
    """Put the goal's name to an error of writing, such as a full disk; one that names its file passes."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None and error.strerror:
            raise OSError(f"{goal}: cannot be written: {error.strerror}") from None
        raise
