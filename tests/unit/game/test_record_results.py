"""Results of records: the fields of each game, what they may hold, and where two results differ."""

import copy

import pytest

from minchiate_rl.errors import RecordError
from minchiate_rl.game.forms import GAMES
from minchiate_rl.game.record import random_records
from minchiate_rl.game.record_results import check_result, differences, result_fields
from minchiate_rl.game.rules import ruleset, rulesets

SIDES = ("points", "score", "resti", "tricks")
FIELDS = {
    "minchiate": SIDES,
    "solo": (*SIDES, "net", "pairs"),
    "solo_fola": (*SIDES, "net", "pairs"),
    "three": (*SIDES, "net", "pairs"),
    "two": SIDES,
    "piedicavallo": ("score", "tricks"),
    "mini": SIDES,
    "mini_team": SIDES,
    "sei_tocchi": ("touches", "winners"),
    "palio": ("score", "winners"),
}
RESULTS = {name: next(random_records(name, 1, 5))["result"] for name in rulesets()}


@pytest.mark.parametrize("game", GAMES)
def test_each_game_has_its_fields(game):
    assert result_fields(GAMES[game]) == FIELDS[game]


@pytest.mark.parametrize("name", rulesets())
def test_results_of_every_rule_set_are_well_formed_and_lack_no_field(name):
    rules, result = ruleset(name), RESULTS[name]
    check_result(result, rules)
    assert tuple(result) == FIELDS[rules.game]
    for field in FIELDS[rules.game]:
        with pytest.raises(RecordError, match=rf"^result\.{field}: the field is missing"):
            check_result({key: value for key, value in result.items() if key != field}, rules)
    with pytest.raises(RecordError, match=r"^result\.luck: there is no such field"):
        check_result({**result, "luck": 3}, rules)


@pytest.mark.parametrize("name", ["solo", "solo_fola", "three"])
def test_accounts_of_each_for_himself_agree(name):
    for record in random_records(name, 4, 8):
        result, n = record["result"], len(record["players"])
        assert sum(result["net"]) == 0
        assert sum(result["resti"]) == 0
        net, resti = [0] * n, [0] * n
        for first, second, points, paid in result["pairs"]:
            net[first] += points
            net[second] -= points
            resti[first] += paid
            resti[second] -= paid
            assert abs(paid) == -(-abs(points) // 60)
            assert paid * points >= 0
        assert (net, resti) == (result["net"], result["resti"])
        marks = [0] * n
        for _, seat, points, against in result["points"]:
            marks[seat] += points
            assert seat not in against
        assert marks == result["score"]


def test_scores_of_piedicavallo_sum_to_what_the_pack_is_worth():
    for record in random_records("piedicavallo", 4, 8):
        assert sum(record["result"]["score"]) == 114
        assert sum(record["result"]["tricks"]) == 15


BROKEN = [
    ("solo", ["points", 0], [1, 0, 5], "result.points[0]: "),
    ("solo", ["points", 0], [11, 0, 5, [1]], "result.points[0]: "),
    ("solo", ["points", 0], [5, 0, 5, []], "result.points[0]: "),
    ("solo", ["points", 0], [5, 0, 5, 1], "result.points[0]: "),
    ("solo", ["points", 0], [5, 0, 5, [2, 1]], "result.points[0]: "),
    ("solo", ["points", 0], [5, 0, 5, [1, 1]], "result.points[0]: "),
    ("solo", ["points", 0], [5, 0, 5, [4]], "result.points[0]: "),
    ("solo", ["points", 0], [5, 1, 5, [0, 1]], "result.points[0]: seat 1 marks nothing against itself"),
    ("solo", ["net"], [0, 0], "result.net: "),
    ("solo", ["net", 2], 0.5, "result.net[2]: "),
    ("solo", ["pairs"], [], "result.pairs: "),
    ("solo", ["pairs", 1], [0, 1, 5, 1], "result.pairs[1]: "),
    ("solo", ["pairs", 1], [0, 2, 5], "result.pairs[1]: "),
    ("solo", ["pairs", 0], [False, True, 5, 1], "result.pairs[0]: "),
    ("solo", ["pairs", 0], [0, 1, None, 1], "result.pairs[0]: "),
    ("three", ["score"], [1, 2, 3, 4], "result.score: "),
    ("three", ["points", 0], [5, 3, 5, [0]], "result.points[0]: "),
    ("three", ["tricks", 0], -1, "result.tricks[0]: "),
    ("two", ["resti", 0], -1, "result.resti[0]: "),
    ("two", ["points", 0], [10, 0, 5], "result.points[0]: "),
    ("two", ["points", 0], [5, 0, 5, [1]], "result.points[0]: "),
    ("piedicavallo", ["score", 1], -1, "result.score[1]: "),
    ("palio", ["winners"], [], "result.winners: "),
    ("palio", ["winners"], [1, 0], "result.winners: "),
    ("palio", ["winners"], [4], "result.winners: "),
    ("palio", ["winners"], 0, "result.winners: "),
    ("sei_tocchi", ["touches", 3], None, "result.touches[3]: "),
]


@pytest.mark.parametrize(("name", "path", "value", "message"), BROKEN)
def test_a_malformed_result_is_refused_by_field(name, path, value, message):
    result = copy.deepcopy(RESULTS[name])
    part = result
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    with pytest.raises(RecordError) as caught:
        check_result(result, ruleset(name))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("name", rulesets())
def test_a_result_differs_from_itself_in_nothing_and_from_any_change_in_one_line(name):
    result = RESULTS[name]
    assert differences(result, copy.deepcopy(result)) == []
    for field, value in result.items():
        other = copy.deepcopy(result)
        other[field] = value[:-1] if field in {"points", "pairs", "winners"} else [number + 1 for number in value]
        (fault,) = differences(other, result)
        assert fault.startswith(f"result.{field}: ")


def test_a_wrong_entry_is_named_by_its_place():
    result = RESULTS["solo"]
    for field in ("points", "pairs"):
        other = copy.deepcopy(result)
        other[field][2][2] += 1
        (fault,) = differences(other, result)
        assert fault.startswith(f"result.{field}[2]: ")
