"""Types for command-line arguments: each reads one text, and tells in a few words what is allowed."""

import argparse
from collections.abc import Callable
from typing import Any, Final

MAX_SEED: Final = 2**63 - 1


def whole(low: int, high: int | None = None) -> Callable[[str], int]:
    """Return a reader of whole numbers from `low` to `high`, both included."""
    bounds = f"a whole number of at least {low}" if high is None else f"a whole number from {low} to {high}"

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not {bounds}") from None
        if value < low or (high is not None and value > high):
            raise argparse.ArgumentTypeError(f"{text!r} is not {bounds}")
        return value

    return read


def number(low: float, included: bool = False) -> Callable[[str], float]:
    """Return a reader of finite numbers above `low`, or of at least `low` if it is included."""
    bounds = f"a number of at least {low:g}" if included else f"a number above {low:g}"

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not (low < value < float("inf") or (included and value == low)):
            raise argparse.ArgumentTypeError(f"{text!r} is not {bounds}")
        return value

    return read


def switch(text: str) -> tuple[str, Any]:
    """Read `SWITCH=VALUE` of a rule set; the value is written as in a TOML file, texts without their quotes."""
    name, sign, value = text.partition("=")
    if not name or not sign or not value:
        raise argparse.ArgumentTypeError(f"{text!r} is not SWITCH=VALUE")
    words: dict[str, Any] = {"true": True, "false": False}
    if name == "rob_limit" and value == "none":
        return name, None
    if value in words:
        return name, words[value]
    try:
        return name, int(value)
    except ValueError:
        return name, value


def note(text: str) -> tuple[str, str]:
    """Read `KEY=VALUE`, a word and a text."""
    key, sign, value = text.partition("=")
    if not sign or not value.strip() or not key.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE with a key of letters, digits and _")
    return key, value.strip()


seed: Final = whole(0, MAX_SEED)
"""Read a seed, 0 to 2^63 - 1."""

threads: Final = whole(1, 1024)
"""Read a number of threads."""
count: Final = whole(1, 10**8)
"""Read how many deals or hands are played."""
