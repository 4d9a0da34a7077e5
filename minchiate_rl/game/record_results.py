"""The result of a record: which fields each game has, what each may hold, and where two results differ."""

from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from minchiate_rl.game.forms import Game
from minchiate_rl.game.record_fields import MAX_NUMBER, check_names, list_of, refusal, seats_of, shown, whole
from minchiate_rl.game.rules import RuleSet

if TYPE_CHECKING:
    from minchiate_rl.game.engine.batch import Hands

N_ITEMS: Final = 9
FEE_ITEM: Final = 10
"""A fee or a bid, where everybody plays for himself."""
_BETTING: Final = {"sei_tocchi": ("touches", "winners"), "palio": ("score", "winners")}


def result_fields(form: Game) -> tuple[str, ...]:
    """Return the fields of a game's result, in the order in which they are written."""
    if not form.decisions:
        return _BETTING[form.name]
    if form.accounts == "tricks":
        return ("score", "tricks")
    fields = ("points", "score", "resti", "tricks")
    return (*fields, "net", "pairs") if form.for_himself else fields


def check_result(result: object, rules: RuleSet) -> None:
    """Refuse a result that is malformed; whether it is right is not looked at.

    Raises:
        RecordError: what is wrong, beginning with the field.
    """
    if not isinstance(result, dict):
        raise refusal("result", f"{shown(result)} is not an object")
    check_names(result, result_fields(rules.form), "result.")
    for name, value in result.items():
        field = f"result.{name}"
        if name == "points":
            _check_points(value, field, rules)
        elif name == "pairs":
            _check_pairs(value, field, rules.n_sides)
        elif name == "winners":
            seats_of(value, field, rules.n_seats)
        else:
            signed = rules.form.for_himself and name in {"resti", "net"}
            numbers = list_of(value, field, "a list of one number a side", rules.n_sides)
            for side, number in enumerate(numbers):
                whole(number, f"{field}[{side}]", -MAX_NUMBER if signed else 0, MAX_NUMBER)


def _check_points(points: object, field: str, rules: RuleSet) -> None:
    for_himself = rules.form.for_himself
    what, length = "a list of item, team and points", 3
    if for_himself:
        what, length = "a list of item, seat, points and whom they are marked against", 4
    for place, entry in enumerate(list_of(points, field, "a list")):
        name = f"{field}[{place}]"
        item, side, value, *against = list_of(entry, name, what, length)
        whole(item, name, 1, FEE_ITEM if for_himself else N_ITEMS)
        whole(side, name, 0, rules.n_sides - 1)
        whole(value, name, 1, MAX_NUMBER)
        if for_himself and side in seats_of(against[0], name, rules.n_seats):
            raise refusal(name, f"seat {side} marks nothing against itself")


def _check_pairs(pairs: object, field: str, n_seats: int) -> None:
    wanted = list(combinations(range(n_seats), 2))
    for place, pair in enumerate(list_of(pairs, field, f"a list of {len(wanted)} pairs", len(wanted))):
        name = f"{field}[{place}]"
        first, second, net, resti = list_of(pair, name, "a list of two seats, net points and resti", 4)
        if (first, second) != wanted[place] or type(first) is not int or type(second) is not int:
            raise refusal(name, f"{shown(pair)} is not allowed; here stands the pair {list(wanted[place])}")
        whole(net, name, -MAX_NUMBER, MAX_NUMBER)
        whole(resti, name, -MAX_NUMBER, MAX_NUMBER)


def result_of(hands: "Hands", i: int) -> dict[str, Any]:
    """Return the result of a game of a batch in the form of a record."""
    from minchiate_rl.game.engine.score import settle

    result: dict[str, Any] = {}
    for field in result_fields(hands.rules.form):
        if field == "points":
            result[field] = [[*entry[:3], *map(list, entry[3:])] for entry in hands.entries(i)]
        elif field == "pairs":
            ahead = hands.balance[i].tolist()
            seats = combinations(range(hands.rules.n_seats), 2)
            result[field] = [[a, b, ahead[a][b], int(settle(ahead[a][b], 0, 0))] for a, b in seats]
        else:
            result[field] = [int(number) for number in getattr(hands, field)[i]]
    return result


def differences(told: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Return where a record's result differs from that of the replay; each line begins with the field."""
    faults = []
    for name, value in found.items():
        if told[name] == value:
            continue
        if name in {"points", "pairs"}:
            both = enumerate(zip(told[name], value, strict=False))
            place = next((i for i, (said, is_so) in both if said != is_so), None)
            if place is None:
                faults.append(f"result.{name}: {len(told[name])} entries, the replay has {len(value)}")
            else:
                faults.append(f"result.{name}[{place}]: {told[name][place]}, the replay has {value[place]}")
        else:
            faults.append(f"result.{name}: {told[name]}, the replay has {value}")
    return faults
