"""The game record as text: which fields there are, what each may hold, and its actions as numbers (docs/records.md).

Everything here looks at one record and says what is wrong with it in one line that begins with the field. Whether a
well-formed record replays is the business of record.py.
"""

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from minchiate_rl.errors import InvalidNotation, RecordError, RulesError
from minchiate_rl.game.actions import DECLARE, DECLARE_WITH_MATTO, DEL_MATTO
from minchiate_rl.game.cards import MATTO, N_CARDS, Card, card_name, parse_card
from minchiate_rl.game.dealing import MAX_CUT, MIN_CUT
from minchiate_rl.game.lawbook import versicole_of
from minchiate_rl.game.rules import CHOICES, RuleSet, ruleset, rulesets
from minchiate_rl.game.seats import N_SEATS, N_SIDES

FORMAT: Final = "minchiate-record/1"
GAME: Final = "minchiate"
FIELDS: Final = (
    "format", "game", "rules", "flags", "players", "seed", "hand", "dealer", "pack", "cut", "actions", "result",
)  # fmt: skip
"""The fields of a record, in the order in which they are written."""

RESULT_FIELDS: Final = ("points", "score", "resti", "tricks")
KINDS: Final = ("discard", "declare", "play")
N_ITEMS: Final = 9
MAX_NUMBER: Final = (1 << 64) - 1


class Setup(NamedTuple):
    """What a hand starts from."""

    rules: RuleSet
    pack: list[Card]
    cut: int
    dealer: int
    seed: int
    hand: int


class Move(NamedTuple):
    """One recorded action."""

    seat: int
    kind: str
    action: int
    """Its action number."""
    cards: frozenset[Card]
    """The card, or the cards shown."""


def _fail(field: str, message: str) -> RecordError:
    return RecordError(f"{field}: {message}")


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _whole(value: object, field: str, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise _fail(field, f"{_show(value)} is not allowed; a whole number from {low} to {high}")
    return value


def _list(value: object, field: str, what: str, length: int | None = None) -> list[Any]:
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise _fail(field, f"{_show(value)} is not {what}")
    return value


def _card(value: object, field: str) -> Card:
    try:
        return parse_card(value)
    except InvalidNotation as error:
        raise _fail(field, str(error)) from None


def _get(record: object, field: str) -> Any:
    if not isinstance(record, dict):
        raise RecordError(f"record: {_show(record)} is not a JSON object")
    if field not in record:
        raise _fail(field, "the field is missing")
    return record[field]


def rules_of(record: object) -> RuleSet:
    """Return the rule set that a record was played under: the named one with the flags changed.

    Raises:
        RecordError: an unknown name, an unknown flag, a value that is not allowed or does not differ.
    """
    name, flags = _get(record, "rules"), _get(record, "flags")
    if not isinstance(name, str) or name not in rulesets():
        raise _fail("rules", f"there is no rule set {_show(name)}; known: {', '.join(rulesets())}")
    if not isinstance(flags, dict):
        raise _fail("flags", f"{_show(flags)} is not an object")
    rules = ruleset(name)
    for flag, value in flags.items():
        if flag not in CHOICES:
            raise _fail("flags", f"there is no flag {_show(flag)}; known: {', '.join(CHOICES)}")
        own = rules.switches[flag]
        if value == own and type(value) is type(own):
            raise _fail("flags", f"{flag} = {_show(value)} is the rule set's own value; only what differs is told")
    try:
        return rules.replace(**flags)
    except RulesError as error:
        raise _fail("flags", str(error)) from None


def setup_of(record: object) -> Setup:
    """Return what a record's hand starts from; players, actions and result are not looked at.

    Raises:
        RecordError: a field that is missing or malformed.
    """
    for field, value in (("format", FORMAT), ("game", GAME)):
        if _get(record, field) != value:
            raise _fail(field, f"{_show(_get(record, field))} is not allowed; {value!r}")
    rules = rules_of(record)
    seed = _whole(_get(record, "seed"), "seed", 0, MAX_NUMBER)
    hand = _whole(_get(record, "hand"), "hand", 0, MAX_NUMBER)
    dealer = _whole(_get(record, "dealer"), "dealer", 0, N_SEATS - 1)
    codes = _list(_get(record, "pack"), "pack", f"a list of {N_CARDS} cards", N_CARDS)
    pack = [_card(code, f"pack[{place}]") for place, code in enumerate(codes)]
    if len(set(pack)) != N_CARDS:
        twice = next(card for place, card in enumerate(pack) if card in pack[:place])
        raise _fail("pack", f"{card_name(twice)} is there twice")
    cut = _whole(_get(record, "cut"), "cut", MIN_CUT, MAX_CUT)
    return Setup(rules, pack, cut, dealer, seed, hand)


def parse_declaration(cards: Sequence[int]) -> int:
    """Return the action that declares a versicola by showing these cards, in any order.

    Raises:
        RecordError: the cards are not one whole versicola, with or without the Matto.
    """
    shown = set(cards)
    for with_matto in (False, True):
        if with_matto and MATTO not in shown:
            continue
        rest = shown - {MATTO} if with_matto else shown
        for versicola in versicole_of(rest, demonio=True):
            if set(versicola.cards) == rest and (versicola.k == DEL_MATTO) == (MATTO in rest):
                return (DECLARE_WITH_MATTO if with_matto else DECLARE) + versicola.k
    raise RecordError(f"{' '.join(map(card_name, cards))}: these cards are no versicola")


def parse_move(action: object, field: str) -> Move:
    """Return a recorded action as numbers.

    Args:
        action: `[seat, kind, argument]`.
        field: its name in messages.

    Raises:
        RecordError: no such seat, kind, card or versicola.
    """
    seat, kind, argument = _list(action, field, "a list of seat, kind and argument", 3)
    _whole(seat, field, 0, N_SEATS - 1)
    if kind not in KINDS:
        raise _fail(field, f"there is no kind {_show(kind)}; allowed: {', '.join(KINDS)}")
    if kind != "declare":
        card = _card(argument, field)
        return Move(seat, kind, card, frozenset({card}))
    cards = [_card(code, field) for code in _list(argument, field, "a list of cards")]
    if len(set(cards)) != len(cards):
        raise _fail(field, "a card is shown twice")
    try:
        return Move(seat, kind, parse_declaration(cards), frozenset(cards))
    except RecordError as error:
        raise _fail(field, str(error)) from None


def moves_of(record: object, stop: int | None = None) -> list[Move]:
    """Return the recorded actions before `stop` as numbers; what comes after is not looked at.

    Raises:
        RecordError: the field is missing, or one of the actions is malformed.
    """
    actions = _list(_get(record, "actions"), "actions", "a list")
    return [parse_move(action, f"actions[{i}]") for i, action in enumerate(actions[:stop])]


def action_to_record(seat: int, kind: str, cards: Sequence[int]) -> list[Any]:
    """Return an action in the form of a record.

    Args:
        seat: who acts.
        kind: "discard", "declare" or "play".
        cards: the card, or the cards shown.
    """
    codes = [card_name(card) for card in cards]
    return [seat, kind, codes if kind == "declare" else codes[0]]


def _check_players(players: object) -> None:
    names = _list(players, "players", f"a list of {N_SEATS} agents", N_SEATS)
    for seat, name in enumerate(names):
        if not isinstance(name, str) or not name or not name.isprintable():
            raise _fail(f"players[{seat}]", f"{_show(name)} is not the name of an agent")


def _check_points(points: object) -> None:
    for place, entry in enumerate(_list(points, "result.points", "a list")):
        field = f"result.points[{place}]"
        item, team, value = _list(entry, field, "a list of item, team and points", 3)
        _whole(item, field, 1, N_ITEMS)
        _whole(team, field, 0, N_SIDES - 1)
        _whole(value, field, 1, MAX_NUMBER)


def _check_result(result: object) -> None:
    if not isinstance(result, dict):
        raise _fail("result", f"{_show(result)} is not an object")
    _check_names(result, RESULT_FIELDS, "result.")
    _check_points(result["points"])
    for name in RESULT_FIELDS[1:]:
        for side, value in enumerate(_list(result[name], f"result.{name}", "a list of one number a side", N_SIDES)):
            _whole(value, f"result.{name}[{side}]", 0, MAX_NUMBER)


def _check_names(table: dict[Any, Any], fields: Sequence[str], prefix: str = "") -> None:
    for field in fields:
        if field not in table:
            raise _fail(prefix + field, "the field is missing")
    for field in table:
        if field not in fields:
            raise _fail(f"{prefix}{field}", f"there is no such field; known: {', '.join(fields)}")


def check_record(record: object) -> None:
    """Refuse a record that is malformed; whether it replays is not looked at.

    Raises:
        RecordError: what is wrong, beginning with the field.
    """
    if not isinstance(record, dict):
        raise RecordError(f"record: {_show(record)} is not a JSON object")
    _check_names(record, FIELDS)
    setup_of(record)
    _check_players(record["players"])
    moves_of(record)
    _check_result(record["result"])


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        twice = next(name for place, (name, _) in enumerate(pairs) if name in dict(pairs[:place]))
        raise _fail(twice, "the field is there twice")
    return table


def _no_constant(name: str) -> Any:
    raise RecordError(f"record: {name} is not JSON")


def parse_record(text: str | bytes) -> dict[str, Any]:
    """Return the record on one line of text.

    Raises:
        RecordError: the text is no JSON, or the record is malformed.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        record = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecordError:
        raise
    except (ValueError, RecursionError) as error:
        raise RecordError(f"record: not JSON: {error}") from None
    check_record(record)
    return dict(record)


def write_record(record: dict[str, Any]) -> str:
    """Return a record as one line of JSON without a line break, its fields in the order of the format.

    Raises:
        RecordError: the record is malformed.
    """
    check_record(record)
    ordered = {field: record[field] for field in FIELDS}
    ordered["result"] = {field: record["result"][field] for field in RESULT_FIELDS}
    return json.dumps(ordered, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
