"""The command line: `minchiate COMMAND …`.

One file a command. The module `minchiate_rl.app.cli.NAME` is loaded only when its command is called, and offers

- a module docstring: what `minchiate NAME --help` says, the last paragraph being `Examples:` and indented lines;
- `add_arguments(parser)`: adds the arguments to an `argparse.ArgumentParser`; app/arguments.py has types that check;
- `run(args) -> int`: does the work and returns the exit status; heavy imports (numba, torch, engine) stand inside it.

To add a command, write the module and add its line to `COMMANDS`.

Output goes through `app/terminal.py`: a table or a progress bar for people, one JSON document with `--json`. What is
wrong with the input is raised as a `MinchiateError` and printed here, as one line on stderr.

Exit status: 0 done; 1 a check failed; 2 bad input, or output that cannot be written; 130 interrupted from the keyboard.
"""

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, NoReturn

from minchiate_rl.errors import MinchiateError

COMMANDS: Final = {
    "train": "train an agent by self-play, from a recipe",
    "export": "make an agent of a training run: its policy alone, in a folder",
    "match": "duplicate match of two agents, with an interval",
    "tournament": "all pairs of some agents on the same deals",
    "selfplay": "play hands between agents and write them as records",
    "verify": "replay records and name every fault",
    "review": "blunders of recorded hands, and luck apart from play",
    "bench": "speed of every layer here and now",
    "rules": "the rule sets and their switches",
    "agents": "the agents that can play",
    "doctor": "is this installation sound?",
}
"""Every command with what it does, in the order of the help text."""


class UsageError(MinchiateError):
    """A command line that cannot be read."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose mistakes are one line, and whose help keeps the layout of a docstring."""

    def __init__(self, **options: Any) -> None:
        """Take the options of `argparse.ArgumentParser`; flags are never guessed from their beginnings."""
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Raise the mistake instead of printing the usage."""
        raise UsageError(f"{message} (see {self.prog} --help)")


def _overview() -> str:
    width = max(map(len, COMMANDS))
    lines = "\n".join(f"  {name.ljust(width)}  {text}" for name, text in COMMANDS.items())
    return (
        "Minchiate, the 97-card trick-taking game of Florence: play, learn, compare.\n\n"
        f"commands:\n{lines}\n\n`minchiate COMMAND --help` explains each with examples."
    )


def _command_parser(name: str) -> tuple[Parser, Any]:
    module = import_module(f"minchiate_rl.app.cli.{name}")
    parser = Parser(prog=f"minchiate {name}", description=(module.__doc__ or "").strip())
    module.add_arguments(parser)
    return parser, module


def dispatch(argv: Sequence[str]) -> int:
    """Run one command and return its exit status.

    Raises:
        MinchiateError: bad input of any kind.
    """
    top = Parser(prog="minchiate", usage="minchiate COMMAND …", description=_overview(), add_help=True)
    top.add_argument("--version", action="store_true", help="print the version")
    if argv and argv[0] in COMMANDS:
        parser, module = _command_parser(argv[0])
        status: int = module.run(parser.parse_args(list(argv[1:])))
        return status
    if argv and not argv[0].startswith("-"):
        raise UsageError(f"there is no command {argv[0]!r}; commands: {', '.join(COMMANDS)}")
    if top.parse_args(list(argv)).version:
        from minchiate_rl import __version__

        print(f"minchiate_rl {__version__}")
        return 0
    top.print_help()
    return 0 if argv else 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status; every error becomes one line on stderr."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115  closed by the caller
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            status = dispatch(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except SystemExit as leaving:  # argparse leaves by itself after --help
        return int(leaving.code or 0)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output has gone: nobody is left to be told
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (MinchiateError, OSError) as error:
        print(f"minchiate: {_one_line(error)}", file=sys.stderr)
        return 2
    return status


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    """Tell a warning as one line on stderr, without the place in the code that it comes from."""
    print(f"minchiate: warning: {' '.join(str(message).split())}", file=sys.stderr)


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{'the output cannot be written' if error.filename is None else error.filename}: {error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__


if __name__ == "__main__":
    sys.exit(main())
