"""The game record as text: which fields there are and what each may hold (docs/records.md).

Everything here looks at one record and says what is wrong with it in one line that begins with the field. Whether a
well-formed record replays is the business of record.py.
"""

import functools
import json
from typing import Any, Final, NamedTuple

from minchiate_rl.errors import RecordError, RulesError
from minchiate_rl.game.cards import KINGS, Card, Suit, card_name, suit_of
from minchiate_rl.game.dealing import MAX_CUT, MIN_CUT
from minchiate_rl.game.forms import GAMES
from minchiate_rl.game.record_actions import Move, parse_move
from minchiate_rl.game.record_fields import (
    MAX_NUMBER,
    card_of,
    check_names,
    line_of,
    list_of,
    member,
    refusal,
    shown,
    whole,
)
from minchiate_rl.game.record_results import check_result, result_fields
from minchiate_rl.game.rules import CHOICES, RuleSet, ruleset, rulesets

FORMAT: Final = "minchiate-record/1"
OPTIONAL: Final = ("match",)
FIELDS: Final = (
    "format", "game", "rules", "flags", "players", "seed", "hand", "match", "dealer", "pack", "cut", "actions",
    "result",
)  # fmt: skip
"""The fields of a record, in the order in which they are written."""


class Setup(NamedTuple):
    """What a hand starts from."""

    rules: RuleSet
    pack: list[Card]
    cut: int
    dealer: int
    seed: int
    hand: int


def rules_of(record: object) -> RuleSet:
    """Return the rule set that a record was played under: the named one with the flags changed.

    Raises:
        RecordError: an unknown name, a name of another game, an unknown flag, a value that is not allowed or does not
            differ.
    """
    game, name, flags = member(record, "game"), member(record, "rules"), member(record, "flags")
    if not isinstance(game, str) or game not in GAMES:
        raise refusal("game", f"there is no game {shown(game)}; known: {', '.join(GAMES)}")
    if not isinstance(name, str):
        raise refusal("rules", f"{shown(name)} is not the name of a rule set")
    rules = named_rules(name)
    if not isinstance(flags, dict):
        raise refusal("flags", f"{shown(flags)} is not an object")
    if rules.game != game:
        raise refusal("game", f"{shown(game)} is not allowed; the rule set {name} is of the game {rules.game!r}")
    for flag, value in flags.items():
        if flag not in CHOICES:
            raise refusal("flags", f"there is no flag {shown(flag)}; known: {', '.join(CHOICES)}")
        own = getattr(rules, flag)
        if value == own and type(value) is type(own):
            raise refusal("flags", f"{flag} = {shown(value)} is the rule set's own value; only what differs is told")
    try:
        return rules.replace(**flags)
    except RulesError as error:
        raise refusal("flags", str(error)) from None


@functools.lru_cache(maxsize=64)
def named_rules(name: str) -> RuleSet:
    """Return a rule set of envs/ by its name; its file is read once.

    Raises:
        RecordError: there is none.
    """
    known = rulesets()
    if name not in known:
        raise refusal("rules", f"there is no rule set {shown(name)}; known: {', '.join(known)}")
    return ruleset(name)


def setup_of(record: object) -> Setup:
    """Return what a record's hand starts from; players, actions and result are not looked at.

    Raises:
        RecordError: a field that is missing or malformed.
    """
    if member(record, "format") != FORMAT:
        raise refusal("format", f"{shown(member(record, 'format'))} is not allowed; {FORMAT!r}")
    rules = rules_of(record)
    seed = whole(member(record, "seed"), "seed", 0, MAX_NUMBER)
    hand = whole(member(record, "hand"), "hand", 0, MAX_NUMBER)
    dealer = whole(member(record, "dealer"), "dealer", 0, rules.n_seats - 1)
    pack = _pack(member(record, "pack"), rules)
    cut = whole(member(record, "cut"), "cut", *cuts_of(rules))
    return Setup(rules, pack, cut, dealer, seed, hand)


def cuts_of(rules: RuleSet) -> tuple[int, int]:
    """Return the smallest and the largest cut: 0 in both where the pack is not cut."""
    if rules.form.deal == "plain":
        return 0, 0
    return (MIN_CUT, MAX_CUT) if rules.form.deal == "robbed" else (0, len(rules.cards) - 1)


def _pack(codes: object, rules: RuleSet) -> list[Card]:
    wanted = set(rules.cards)
    listed = list_of(codes, "pack", f"a list of {len(wanted)} cards", len(wanted))
    pack = [card_of(code, f"pack[{place}]") for place, code in enumerate(listed)]
    for place, card in enumerate(pack):
        if card not in wanted:
            raise refusal(f"pack[{place}]", f"{card_name(card)} is no card of the game {rules.game}")
    if len(set(pack)) != len(wanted):
        twice = next(card for place, card in enumerate(pack) if card in pack[:place])
        raise refusal("pack", f"{card_name(twice)} is there twice")
    if rules.bottom_check and (suit_of(pack[-1]) >= Suit.TRUMPS or pack[-1] in KINGS):
        raise refusal(
            "pack", f"{card_name(pack[-1])} is its last card; bottom_check wants a plain card that is no king"
        )
    return pack


def moves_of(record: object, rules: RuleSet, stop: int | None = None) -> list[Move]:
    """Return the recorded actions before `stop` as numbers; what comes after is not looked at.

    Raises:
        RecordError: the field is missing, or one of the actions is malformed.
    """
    actions = list_of(member(record, "actions"), "actions", "a list")
    if actions and not rules.form.decisions:
        raise refusal("actions", f"there are none in the game {rules.game}")
    return [parse_move(action, f"actions[{i}]", rules.n_seats) for i, action in enumerate(actions[:stop])]


def check_record(record: object) -> None:
    """Refuse a record that is malformed; whether it replays is not looked at.

    Raises:
        RecordError: what is wrong, beginning with the field.
    """
    if not isinstance(record, dict):
        raise RecordError(f"record: {shown(record)} is not a JSON object")
    check_names(record, FIELDS, optional=OPTIONAL)
    rules = setup_of(record).rules
    names = list_of(record["players"], "players", f"a list of {rules.n_seats} agents", rules.n_seats)
    for seat, name in enumerate(names):
        line_of(name, f"players[{seat}]", "the name of an agent")
    if "match" in record:
        line_of(record["match"], "match", "the name of a match")
    moves_of(record, rules)
    check_result(record["result"], rules)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        twice = next(name for place, (name, _) in enumerate(pairs) if name in dict(pairs[:place]))
        raise refusal(twice, "the field is there twice")
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
    ordered = {field: record[field] for field in FIELDS if field in record}
    fields = result_fields(GAMES[record["game"]])
    ordered["result"] = {field: record["result"][field] for field in fields}
    return json.dumps(ordered, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
