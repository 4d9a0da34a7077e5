import copy
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minchiate_rl.errors import RecordError
from minchiate_rl.game.actions import DONE, parse_action
from minchiate_rl.game.cards import CODES
from minchiate_rl.game.engine.batch import Hands
from minchiate_rl.game.record import (
    numbered_records,
    random_records,
    read_records,
    record_of,
    replay_all,
    replay_reference,
    replay_to,
    verify,
    write_record,
)
from minchiate_rl.game.reference import ReferenceHand
from minchiate_rl.game.rules import ruleset

CLASSIC = ruleset("classic")
CASES = Path(__file__).parents[2] / "cases"


def records(name):
    return [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


HANDS = records("hands")
DECLARED = next(r for r in HANDS if any(kind == "declare" for _, kind, _ in r["actions"]) and not r["flags"])
RANDOM = list(random_records(CLASSIC, 5, 11))


def changed(record, **fields):
    return copy.deepcopy({**record, **fields})


def with_action(record, k, action):
    return changed(record, actions=[*record["actions"][:k], *action, *record["actions"][k + 1 :]])


def index_of(record, kind):
    return next(k for k, action in enumerate(record["actions"]) if action[1] == kind)


@pytest.mark.parametrize("switches", [{}, {"demonio": True, "take_29": "never"}, {"memory": "table"}])
def test_random_records_verify_and_are_made_of_the_seed_alone(switches):
    rules = CLASSIC.replace(**switches)
    made = list(random_records(rules, 4, 3))
    assert [record["hand"] for record in made] == [0, 1, 2, 3]
    assert all(record["seed"] == 3 and record["flags"] == switches for record in made)
    assert [verify(record) for record in made] == [[]] * 4
    assert list(random_records(rules, 2, 3)) == made[:2]
    assert list(random_records(rules, 4, 4)) != made


def test_no_random_records_if_none_are_asked_for():
    assert list(random_records("classic", 0, 3)) == []


def test_a_record_says_what_the_engine_did():
    hands = Hands(CLASSIC, 3, seed=8, first_hand=20)
    hands.playout()
    for i in range(3):
        record = record_of(hands, i, ["a", "b", "c", "d"])
        assert (record["seed"], record["hand"], record["dealer"]) == (8, 20 + i, (8 + 20 + i) % 4)
        assert record["players"] == ["a", "b", "c", "d"]
        assert record["result"]["score"] == hands.score[i].tolist()
        assert replay_reference(record).actions == hands.actions(i)
        assert verify(record) == []


def test_a_hand_that_is_not_over_has_no_record():
    with pytest.raises(RecordError, match="is not over"):
        record_of(Hands(CLASSIC, 1), 0, ["random"] * 4)


@pytest.mark.parametrize("field", ["score", "resti", "tricks"])
@pytest.mark.parametrize("side", [0, 1])
def test_a_wrong_number_of_the_result_is_a_fault(field, side):
    record = copy.deepcopy(DECLARED)
    record["result"][field][side] += 1
    (fault,) = verify(record)
    assert fault.startswith(f"result.{field}: ")


def test_wrong_points_are_faults():
    points = DECLARED["result"]["points"]
    wrong = copy.deepcopy(points)
    wrong[2][2] += 1
    for told, start in [
        (wrong, "result.points[2]: "),
        (points[:-1], f"result.points: {len(points) - 1} entries, the replay has {len(points)}"),
        ([*points, [9, 0, 1]], "result.points: "),
        ([points[1], points[0], *points[2:]], "result.points[0]: "),
    ]:
        (fault,) = verify(changed(DECLARED, result={**DECLARED["result"], "points": told}))
        assert fault.startswith(start)


@pytest.mark.parametrize("keep", [0, 1, 40, -1])
def test_an_unfinished_record_is_a_fault(keep):
    actions = DECLARED["actions"][:keep]
    (fault,) = verify(changed(DECLARED, actions=actions))
    assert fault.startswith(f"action {len(actions)}: the record ends while seat ")


def test_an_action_after_the_end_is_a_fault():
    last = DECLARED["actions"][-1]
    (fault,) = verify(changed(DECLARED, actions=[*DECLARED["actions"], last]))
    assert fault == f"action {len(DECLARED['actions'])}: the hand is over"


def test_an_action_of_another_seat_is_a_fault():
    k = index_of(DECLARED, "play") + 30
    seat, kind, card = DECLARED["actions"][k]
    faults = verify(with_action(DECLARED, k, [[(seat + 1) % 4, kind, card]]))
    assert faults == [f"action {k}: seat {seat} is to play, not seat {(seat + 1) % 4}"]


def test_an_action_of_another_kind_is_a_fault():
    k = index_of(DECLARED, "play") + 30
    seat, _, card = DECLARED["actions"][k]
    faults = verify(with_action(DECLARED, k, [[seat, "discard", card]]))
    assert faults == [f"action {k}: seat {seat} is to play, not to discard"]


def test_a_card_that_is_not_held_is_a_fault():
    k = index_of(DECLARED, "play") + 40
    seat, _, _ = DECLARED["actions"][k]
    gone = DECLARED["actions"][k - 10][2]
    (fault,) = verify(with_action(DECLARED, k, [[seat, "play", gone]]))
    assert fault.startswith(f"action {k}: seat {seat} may not play {gone}; allowed: ")


def test_a_part_of_a_versicola_is_a_fault():
    record, k = next(
        (r, k) for r in HANDS for k, (_, kind, codes) in enumerate(r["actions"])
        if kind == "declare" and len(set(codes) - {"M"}) > 3 and codes[0] in {"T30", "T31", "T32", "T33", "T36", "CK"}
    )  # fmt: skip
    seat, _, codes = record["actions"][k]
    part = [*codes[:3], *(["M"] if "M" in codes else [])]
    (fault,) = verify(with_action(record, k, [[seat, "declare", part]]))
    assert fault == f"action {k}: a versicola is shown whole: {' '.join(codes)}"


def test_a_versicola_that_is_not_held_or_declared_twice_is_a_fault():
    k = index_of(DECLARED, "declare")
    (fault,) = verify(with_action(DECLARED, k, [DECLARED["actions"][k], DECLARED["actions"][k]]))
    assert fault.startswith(f"action {k + 1}: ")


def test_a_declaration_out_of_turn_is_a_fault():
    k = index_of(DECLARED, "declare")
    late = [*DECLARED["actions"][:k], *DECLARED["actions"][k + 1 :], DECLARED["actions"][k]]
    assert verify(changed(DECLARED, actions=late))[0].startswith("action ")


def test_the_order_of_the_cards_shown_does_not_matter():
    k = index_of(DECLARED, "declare")
    seat, kind, codes = DECLARED["actions"][k]
    assert verify(with_action(DECLARED, k, [[seat, kind, codes[::-1]]])) == []


def test_another_pack_cut_or_dealer_is_a_fault():
    pack = DECLARED["pack"]
    for fields in ({"cut": DECLARED["cut"] % 80 + 7}, {"dealer": (DECLARED["dealer"] + 1) % 4}, {"pack": pack[::-1]}):
        assert verify(changed(DECLARED, **fields)) != []


@given(st.sampled_from(RANDOM), st.integers(0, 200), st.integers(0, 96))
def test_any_other_card_in_any_action_is_found(record, k, card):
    k %= len(record["actions"])
    seat, kind, codes = record["actions"][k]
    code = CODES[card]
    if kind == "declare" or code == codes:
        return
    faults = verify(with_action(record, k, [[seat, kind, code]]))
    assert faults
    assert int(faults[0].split(":")[0].removeprefix("action ")) >= k


@given(st.sampled_from(RANDOM), st.integers(0, 200))
def test_a_left_out_action_is_found(record, k):
    k %= len(record["actions"])
    assert verify(changed(record, actions=record["actions"][:k] + record["actions"][k + 1 :])) != []


class Forgetful(Hands):
    """An engine with a fault: it allows one action less."""

    def legal_mask(self, out=None):
        mask = super().legal_mask(out)
        mask[0, np.flatnonzero(mask[0])[-1:]] = False
        return mask


class Generous(Hands):
    """An engine with a fault: its score is wrong."""

    @property
    def score(self):
        return super().score + 1


def test_an_engine_that_disagrees_is_a_fault():
    assert verify(DECLARED, Forgetful)[0].startswith("action 0: the engine allows actions ")
    last = len(DECLARED["actions"]) - 1
    assert verify(DECLARED, Generous)[0].startswith(f"action {last}: after it the engine finds score ")


def test_replay_reference_refuses_an_illegal_action():
    with pytest.raises(RecordError, match=r"^action 50: "):
        replay_reference(with_action(DECLARED, 50, [[1, "discard", "C2"]]))


def reference_before(record, k):
    """Return the reference before action k, with the declarations that it passes over refused."""
    hand = ReferenceHand(
        CLASSIC.replace(**record["flags"]),
        [CODES.index(code) for code in record["pack"]],
        record["cut"],
        record["dealer"],
    )
    for place, (seat, kind, argument) in enumerate(record["actions"][: k + 1]):
        while hand.phase == 1 and not (kind == "declare" and seat == hand.seat):
            hand.step(DONE)
        if place == k:
            break
        if kind == "declare":
            hand.step(next(a for a in hand.legal() if sorted(hand.shown_by(a)) == sorted(map(CODES.index, argument))))
        else:
            hand.step(parse_action(argument))
    return hand


@pytest.mark.parametrize("record", [DECLARED, HANDS[0], RANDOM[0]], ids=["declared", "first", "random"])
def test_positions_stand_before_each_action(record):
    for k in [*range(12), *range(12, len(record["actions"]), 9), len(record["actions"])]:
        hands, wanted = replay_to(record, k, Hands), reference_before(record, k)
        assert hands.actions(0) == wanted.actions
        assert int(hands.seat[0]) == (-1 if wanted.seat is None else wanted.seat)
        assert set(np.flatnonzero(hands.legal_mask()[0]).tolist()) == wanted.legal()
        if k < len(record["actions"]):
            assert int(hands.seat[0]) == record["actions"][k][0]
        assert hands.entries(0) == wanted.entries
        assert hands.num_games == 1
        assert (int(hands.seeds[0]), int(hands.hands[0])) == (record["seed"], record["hand"])


def test_a_position_looks_at_nothing_after_its_action():
    for k in range(0, len(DECLARED["actions"]), 7):
        short = changed(DECLARED, actions=DECLARED["actions"][: k + 1])
        del short["result"]
        del short["players"]
        spoilt = changed(DECLARED, actions=[*DECLARED["actions"][: k + 1], "nonsense"], result=None)
        rows = [replay_to(record, k, Hands).rows for record in (DECLARED, short, spoilt)]
        assert np.array_equal(rows[0], rows[1])
        assert np.array_equal(rows[0], rows[2])


def test_the_end_of_an_unfinished_record_is_a_position_too():
    hands = replay_to(changed(DECLARED, actions=DECLARED["actions"][:30]), 30, Hands)
    assert not hands.done[0]
    assert replay_to(DECLARED, len(DECLARED["actions"]), Hands).done[0]


@pytest.mark.parametrize("k", [-1, len(DECLARED["actions"]) + 1])
def test_there_are_no_other_positions(k):
    with pytest.raises(RecordError, match=r"^actions: there is no place before action"):
        replay_to(DECLARED, k, Hands)


def test_a_position_after_an_illegal_action_is_refused():
    record = with_action(DECLARED, 20, [[0, "discard", "C2"]])
    assert replay_to(record, 19, Hands).num_games == 1
    with pytest.raises(RecordError, match=r"^action 20: "):
        replay_to(record, 21, Hands)


@pytest.mark.parametrize("record", [DECLARED, RANDOM[0]], ids=["declared", "random"])
def test_all_positions_of_a_record_at_once(record):
    decisions, positions = replay_all(record, Hands)
    assert positions.num_games == len(decisions) + 1
    assert positions.actions(len(decisions)) == [decision.action for decision in decisions]
    for k, decision in enumerate(decisions):
        assert positions.seat[k] == decision.seat
        if decision.action != DONE:
            assert np.array_equal(positions.rows[k], replay_to(record, decision.place, Hands).rows[0])
    end = replay_to(record, len(record["actions"]), Hands)
    assert np.array_equal(positions.rows[-1], end.rows[0])
    assert positions.entries(len(decisions)) == end.entries(0)
    with pytest.raises(RecordError, match=r"^action 20: "):
        replay_all(with_action(record, 20, [[0, "discard", "C2"]]), Hands)


def test_files_are_read_line_by_line(tmp_path):
    path = tmp_path / "hands.jsonl"
    path.write_text("\n".join(map(write_record, RANDOM)) + "\n\n", encoding="utf-8")
    assert list(read_records(path)) == RANDOM
    path.write_text("\n\n".join(map(write_record, RANDOM)), encoding="utf-8")
    assert list(numbered_records(path)) == [(2 * k + 1, record) for k, record in enumerate(RANDOM)]
    path.write_text(write_record(RANDOM[0]) + "\nnonsense\n", encoding="utf-8")
    reader = read_records(path)
    assert next(reader) == RANDOM[0]
    with pytest.raises(RecordError, match=r"hands\.jsonl:2: record: not JSON"):
        next(reader)
    with pytest.raises(RecordError, match="cannot be read"):
        next(read_records(tmp_path / "gone.jsonl"))
