"""Records of every rule set: made, written, read, verified, and replayed to every place."""

import copy

import numpy as np
import pytest

from minchiate_rl.errors import RecordError
from minchiate_rl.game.actions import DONE, DROP, USE_FOLA, WITHDRAW
from minchiate_rl.game.engine.batch import Hands
from minchiate_rl.game.record import (
    betting_record,
    parse_record,
    random_records,
    record_of,
    replay_reference,
    replay_to,
    verify,
    write_record,
)
from minchiate_rl.game.record_actions import KINDS, Move, move_to_record
from minchiate_rl.game.record_format import setup_of
from minchiate_rl.game.recording import name_and_flags
from minchiate_rl.game.references import reference_of, start
from minchiate_rl.game.rules import RuleSet, ruleset, rulesets
from minchiate_rl.game.seats import Phase

HANDS = 8
RECORDS = {name: list(random_records(name, HANDS, 3)) for name in rulesets()}
PLAYED = [name for name in rulesets() if ruleset(name).form.decisions]
SETTLED = [name for name in rulesets() if name not in PLAYED]


def changed(record, **fields):
    return copy.deepcopy({**record, **fields})


def places(kind, *names):
    """Return records that hold an action of a kind, and its place."""
    return [
        (record, k)
        for name in names
        for record in RECORDS[name]
        for k, action in enumerate(record["actions"])
        if action[1] == kind
    ]


def with_action(record, k, *actions):
    return changed(record, actions=[*record["actions"][:k], *actions, *record["actions"][k + 1 :]])


@pytest.mark.parametrize("name", rulesets())
def test_records_name_the_rule_set_and_verify(name):
    for hand, record in enumerate(RECORDS[name]):
        assert (record["game"], record["rules"], record["flags"]) == (ruleset(name).game, name, {})
        assert (record["seed"], record["hand"]) == (3, hand)
        assert record["dealer"] == (3 + hand) % ruleset(name).n_seats
        assert record["players"] == ["random"] * ruleset(name).n_seats
        assert parse_record(write_record(record)) == record
        assert verify(record) == []


def test_every_kind_of_action_occurs():
    assert {action[1] for records in RECORDS.values() for r in records for action in r["actions"]} == set(KINDS)


def move_of(hand, action):
    """Return what a record tells of a legal action of the reference's hand; None for a `done` that leaves no action."""
    seat, phase = hand.seat, hand.phase
    if action == DONE and phase in {Phase.DECLARE, Phase.SPEAK}:
        return None
    if phase == Phase.DECLARE:
        return Move(seat, "declare", action, frozenset(hand.shown_by(action)))
    if phase == Phase.SPEAK:
        return Move(seat, "say", action)
    if phase == Phase.BID:
        bid = 0 if action == DONE else hand.bidding.highest + hand.rules.bid_step
        return Move(seat, "bid", action, number=bid)
    if phase == Phase.PICK:
        return Move(seat, "pick", action, frozenset({action}), hand.picking)
    bare = {DONE: "stay", DROP: "drop", WITHDRAW: "withdraw", USE_FOLA: "use_fola"}
    if action in bare:
        return Move(seat, bare[action], action)
    return Move(seat, phase.name.lower(), action, frozenset({action}))


@pytest.mark.parametrize("name", PLAYED)
def test_the_engines_log_is_spelled_out_as_the_reference_tells_it(name):
    rules = ruleset(name)
    hands = Hands(rules, 3, seed=3)
    hands.playout()
    for i in range(3):
        record = record_of(hands, i, ["random"] * rules.n_seats)
        assert record == RECORDS[name][i]
        hand, told = start(setup_of(record)), []
        for action in hands.actions(i):
            move = move_of(hand, action)
            if move is not None:
                told.append(move_to_record(move))
            hand.step(action)
        assert told == record["actions"]


@pytest.mark.parametrize("name", PLAYED)
def test_positions_stand_before_each_action(name):
    record = RECORDS[name][0]
    count, log = len(record["actions"]), replay_reference(record).actions
    for k in {*range(0, count, max(1, count // 12)), count - 1, count}:
        hands = replay_to(record, k, Hands)
        taken = hands.actions(0)
        assert taken == log[: len(taken)]
        if k == count:
            assert hands.done[0]
            assert len(taken) == len(log)
        else:
            seat, kind, _ = record["actions"][k]
            assert int(hands.seat[0]) == seat
            assert log[len(taken)] != DONE or kind in {"stay", "bid"}


@pytest.mark.parametrize("name", PLAYED)
def test_a_position_looks_at_nothing_after_its_action(name):
    record = RECORDS[name][1]
    for k in range(0, len(record["actions"]), 17):
        spoilt = changed(record, actions=[*record["actions"][: k + 1], "nonsense"], result=None)
        del spoilt["players"]
        assert np.array_equal(replay_to(record, k, Hands).rows, replay_to(spoilt, k, Hands).rows)


@pytest.mark.parametrize("name", PLAYED)
def test_a_left_out_action_is_found(name):
    record = RECORDS[name][2]
    optional = {"declare", "say"}
    for k in range(0, len(record["actions"]), 5):
        if record["actions"][k][1] not in optional:
            assert verify(changed(record, actions=record["actions"][:k] + record["actions"][k + 1 :])) != []


@pytest.mark.parametrize("name", PLAYED)
def test_an_unfinished_record_and_a_foreign_end_are_faults(name):
    record = RECORDS[name][3]
    actions = [action for action in record["actions"] if action[1] != "say"]
    (fault,) = verify(changed(record, actions=actions[:-1]))
    assert fault.startswith(f"action {len(actions) - 1}: the record ends while seat ")
    (fault,) = verify(changed(record, actions=[*record["actions"], actions[-1]]))
    assert fault == f"action {len(record['actions'])}: the hand is over"


@pytest.mark.parametrize("name", rulesets())
def test_a_wrong_result_is_a_fault(name):
    record = RECORDS[name][4]
    for field in record["result"]:
        wrong = copy.deepcopy(record)
        if field in {"points", "pairs", "winners"}:
            del wrong["result"][field][-1]
            if field != "points":
                continue
        else:
            wrong["result"][field][0] += 1
        (fault,) = verify(wrong)
        assert fault.startswith(f"result.{field}: ")


def test_the_next_bid_is_one_step_more():
    for record, k in places("bid", "solo_fola")[:12]:
        seat, _, points = record["actions"][k]
        if points:
            (fault,) = verify(with_action(record, k, [seat, "bid", points + 10]))
            assert fault == f"action {k}: the next bid is {points}, not {points + 10}"


def test_a_pick_names_the_hand_that_is_due():
    for record, k in places("pick", "cascare", "english", "accademia")[:12]:
        seat, _, (owner, code) = record["actions"][k]
        other = (owner + 1) % 4
        (fault,) = verify(with_action(record, k, [seat, "pick", [other, code]]))
        assert fault == f"action {k}: seat {seat} is to pick from the hand of seat {owner}, not of seat {other}"


@pytest.mark.parametrize(
    ("kind", "name", "other", "task"),
    [
        ("stay", "solo", "bid", "stay or withdraw"),
        ("withdraw", "solo", "drop", "stay or withdraw"),
        ("use_fola", "solo_fola", "bid", "use_fola or stay or withdraw"),
        ("bid", "solo_fola", "stay", "bid"),
        ("drop", "cascare", "withdraw", "play or drop"),
        ("pick", "cascare", "play", "pick"),
    ],
)
def test_an_action_of_another_kind_is_a_fault(kind, name, other, task):
    arguments = {"bid": 10, "play": "C2"}
    record, k = places(kind, name)[0]
    seat = record["actions"][k][0]
    (fault,) = verify(with_action(record, k, [seat, other, arguments.get(other)]))
    assert fault == f"action {k}: seat {seat} is to {task}, not to {other}"


def test_a_drop_is_no_play_where_it_is_not_allowed():
    record, k = places("play", "classic")[20]
    seat = record["actions"][k][0]
    (fault,) = verify(with_action(record, k, [seat, "drop", None]))
    assert fault.startswith(f"action {k}: seat {seat} may not play drop; allowed: ")


def test_what_is_said_may_be_left_out_but_not_made_up():
    record, k = next((r, k) for r, k in places("say", "piedicavallo") if r["actions"][k - 1][1] == "play")
    silent = changed(record, actions=[action for action in record["actions"] if action[1] != "say"])
    assert verify(silent) == []
    seat, _, item = record["actions"][k]
    assert verify(with_action(record, k, [(seat + 1) % 4, "say", item]))[0].startswith(f"action {k}: seat ")
    last = len(silent["actions"]) - 1
    talks = [i for i in range(last) if silent["actions"][i][2].startswith("T")]
    false = next(
        [silent["actions"][i][0], "say", code]
        for i in talks[:1]
        for code in [f"T{n}" for n in range(15, 22)]
        if [silent["actions"][i][0], "play", code] not in silent["actions"][i:]
    )
    (fault,) = verify(changed(silent, actions=[*silent["actions"][: talks[0] + 1], false]))
    assert fault.startswith(f"action {talks[0] + 1}: seat {false[0]} may not say {false[2]}; allowed: ")


def test_an_item_that_needs_a_successor_ends_no_message():
    record, k = next(
        (r, k) for r, k in places("say", "piedicavallo") if r["actions"][k][2] in {"altro", "sleep this", "play"}
    )
    cut = changed(record, actions=record["actions"][: k + 1] + record["actions"][k + 2 :])
    following = next(i for i, action in enumerate(cut["actions"][k + 1 :], start=k + 1) if action[1] == "play")
    early = changed(cut, actions=[*cut["actions"][: k + 1], *cut["actions"][following:]])
    (fault,) = verify(early)
    assert fault.startswith(f"action {k + 1}: seat {record['actions'][k][0]} may not say done; allowed: ")
    with pytest.raises(RecordError, match=rf"^action {k + 1}: seat . may not say done"):
        replay_to(early, k + 1, Hands)


@pytest.mark.parametrize("name", SETTLED)
def test_games_without_decisions_are_settled_but_not_replayed(name):
    record = RECORDS[name][0]
    assert record["actions"] == []
    assert record["cut"] == 0
    assert record == betting_record(ruleset(name), 3, 0, ["random"] * 4)
    assert verify(changed(record, dealer=(record["dealer"] + 1) % 4)) != []
    with pytest.raises(RecordError, match=f"^game: nothing is decided in the game {name}"):
        replay_to(record, 0, Hands)
    with pytest.raises(RecordError, match=f"^game: nothing is decided in the game {name}"):
        reference_of(ruleset(name))


@pytest.mark.parametrize("name", rulesets())
def test_a_rule_set_of_ones_own_is_told_as_that_of_its_game_with_flags(name):
    named = ruleset(name)
    own = RuleSet.from_toml(named.to_toml().replace(f'name = "{name}"', 'name = "mine"'), "mine.toml")
    told, flags = name_and_flags(own)
    assert told == ("classic" if own.game == "minchiate" else own.game)
    assert ruleset(told).replace(**dict(flags)).switches == own.switches
    record = next(random_records(own, 1, 0))
    assert (record["rules"], record["flags"]) == (told, dict(flags))
    assert verify(record) == []


def test_records_share_no_flags():
    first, second = random_records(ruleset("classic").replace(demonio=True), 2, 0)
    first["flags"]["demonio"] = False
    assert second["flags"] == {"demonio": True}


def test_a_name_of_envs_for_another_game_is_not_believed():
    own = RuleSet.from_toml("name = 'classic'\ngame = 'two'\n[switches]\ndemonio = true\n", "mine.toml")
    assert name_and_flags(own) == ("two", (("demonio", True),))


@pytest.mark.parametrize(
    ("name", "switches"),
    [
        ("classic", {"cascare": True, "rob_limit": None, "declare_when": "after_own_card", "memory": "table"}),
        ("english", {"diecine_vergognose": 7, "turned_marked": "at_end", "all_tricks": "fourteen"}),
        ("solo", {"withdraw_fee": 50, "withdraw_step": 5, "demonio": True}),
        ("solo_fola", {"bid_step": 20, "bid_limit": 60, "aria_bonus": 0}),
        ("piedicavallo", {"speech": "facts"}),
        ("piedicavallo", {"speech": "off"}),
        ("mini", {"hand_size": 3}),
        ("palio", {"players": 6, "hand_size": 5}),
        ("sei_tocchi", {"players": 2, "touches": 12}),
    ],
)
def test_flags_are_recorded_and_verified(name, switches):
    rules = ruleset(name).replace(**switches)
    for record in random_records(rules, 3, 9):
        assert (record["rules"], record["flags"]) == (name, {k: switches[k] for k in record["flags"]})
        assert set(record["flags"]) == set(switches)
        assert verify(parse_record(write_record(record))) == []
