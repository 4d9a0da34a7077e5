"""Checks of single fields of a record: each refuses a value in one line that begins with the field's name."""

from collections.abc import Sequence
from typing import Any, Final

from minchiate_rl.errors import InvalidNotation, RecordError
from minchiate_rl.game.cards import Card, parse_card

MAX_NUMBER: Final = (1 << 64) - 1
"""The largest seed and hand number."""


def refusal(field: str, message: str) -> RecordError:
    """Return the error that refuses a field."""
    return RecordError(f"{field}: {message}")


def shown(value: object) -> str:
    """Return a value as a message shows it, cut short if it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def whole(value: object, field: str, low: int, high: int) -> int:
    """Return a value that must be a whole number from `low` to `high`."""
    if type(value) is not int or not low <= value <= high:
        raise refusal(field, f"{shown(value)} is not allowed; a whole number from {low} to {high}")
    return value


def list_of(value: object, field: str, what: str, length: int | None = None) -> list[Any]:
    """Return a value that must be a list, of a certain length if one is given."""
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise refusal(field, f"{shown(value)} is not {what}")
    return value


def seats_of(value: object, field: str, n_seats: int) -> list[int]:
    """Return a value that must be a list of one seat or more, each once, ascending."""
    seats = list_of(value, field, "a list of seats")
    for seat in seats:
        whole(seat, field, 0, n_seats - 1)
    if not seats or seats != sorted(set(seats)):
        raise refusal(field, f"{shown(value)} is not allowed; one seat or more, each once, ascending")
    return seats


def card_of(value: object, field: str) -> Card:
    """Return a value that must be a card's code, as the card."""
    try:
        return parse_card(value)
    except InvalidNotation as error:
        raise refusal(field, str(error)) from None


def line_of(value: object, field: str, what: str) -> str:
    """Return a value that must be a text of one line, not empty."""
    if not isinstance(value, str) or not value or not value.isprintable():
        raise refusal(field, f"{shown(value)} is not {what}")
    return value


def member(record: object, field: str) -> Any:
    """Return a field of a record that must be there."""
    if not isinstance(record, dict):
        raise RecordError(f"record: {shown(record)} is not a JSON object")
    if field not in record:
        raise refusal(field, "the field is missing")
    return record[field]


def check_names(table: dict[Any, Any], fields: Sequence[str], prefix: str = "", optional: Sequence[str] = ()) -> None:
    """Refuse an object that lacks a field, or has one that is not known."""
    for field in fields:
        if field not in table and field not in optional:
            raise refusal(prefix + field, "the field is missing")
    for field in table:
        if field not in fields:
            raise refusal(f"{prefix}{field}", f"there is no such field; known: {', '.join(fields)}")
