"""What a person or a program sees: tables, notes, JSON documents. Results go to stdout, all else to stderr."""

import contextlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH_OF_FILES: Final = 120


def _plain(value: object) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return str(value)


def emit(document: object) -> None:
    """Print one JSON document to stdout; NumPy values become plain ones.

    Raises:
        ValueError: the document holds a number that JSON has not (infinite, or not a number).
    """
    print(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False, default=_plain))


def console(stderr: bool = False) -> "Console":
    """Return the rich console for results, or for progress and notes; files get lines wide enough for a table."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _WIDTH_OF_FILES
    return Console(stderr=stderr, width=width, highlight=False)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None) -> None:
    """Print a table to stdout; columns whose cells are all numbers stand to the right."""
    from rich.markup import escape
    from rich.table import Table

    cells = [list(row) for row in rows]
    drawn = Table(title=title, title_justify="left", title_style="bold")
    for k, name in enumerate(columns):
        numeric = bool(cells) and all(isinstance(row[k], (int, float, np.number)) for row in cells)
        drawn.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in cells:
        drawn.add_row(*(escape(_cell(value)) for value in row))
    wide = console()
    with wide.capture() as captured:  # rich would leave the program by itself when the reader of a pipe has gone
        wide.print(drawn)
    print(captured.get(), end="")


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return f"{value:,.2f}"
    if isinstance(value, (int, np.integer)):
        return f"{value:,}"
    return str(value)


def say(text: str) -> None:
    """Print one line of a result to stdout."""
    print(text)


def note(text: str) -> None:
    """Print one line about the work to stderr, so that stdout holds the result alone."""
    print(text, file=sys.stderr)


@contextlib.contextmanager
def counting(total: int, what: str, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Give a function that counts finished pieces of work: a bar with the time left on a terminal, silent elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.progress import Progress

    with Progress(console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count: bar.advance(task, count)
