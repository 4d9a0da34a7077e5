"""Game records: read them, replay them with the reference and with the engine, make them (docs/records.md).

A record has no `done`: a declaration that is not made leaves no action. Replaying puts the `done` in where the next
recorded action passes a declaration over.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import numpy as np

from minchiate_rl.errors import IllegalAction, RecordError
from minchiate_rl.game.actions import DECLARE, DECLARE_WITH_MATTO, DONE
from minchiate_rl.game.cards import MATTO, Card, card_name
from minchiate_rl.game.dealing import deal
from minchiate_rl.game.lawbook import trick_winner, versicole_of
from minchiate_rl.game.record_format import (
    FORMAT,
    GAME,
    RESULT_FIELDS,
    Move,
    Setup,
    action_to_record,
    check_record,
    moves_of,
    parse_record,
    setup_of,
    write_record,
)
from minchiate_rl.game.reference import ReferenceHand
from minchiate_rl.game.rules import CHOICES, RuleSet, ruleset, rulesets
from minchiate_rl.game.seats import N_SEATS, Phase, cutter_of, eldest_of

if TYPE_CHECKING:
    from minchiate_rl.game.engine.batch import Hands

__all__ = [
    "read_records",
    "parse_record",
    "write_record",
    "check_record",
    "replay_reference",
    "replay_engine",
    "replay_to",
    "verify",
    "record_of",
    "random_records",
]

H = TypeVar("H", bound="Hands")

_CHUNK: Final = 256
_KIND: Final = {Phase.DISCARD: "discard", Phase.DECLARE: "declare", Phase.PLAY: "play"}


class Decision(NamedTuple):
    """One decision of a replayed hand, as the reference sees it."""

    place: int
    """The number of the recorded action taken here, or of the one before which `done` was put in."""
    seat: int
    legal: frozenset[int]
    action: int


def read_records(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a file, one JSON object a line; empty lines are passed over.

    Raises:
        RecordError: the file cannot be read, or a line is malformed: the message begins with path and line.
    """
    try:
        with open(path, "rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    try:
                        yield parse_record(line)
                    except RecordError as error:
                        raise RecordError(f"{path}:{number}: {error}") from None
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror or error}") from None


def _passes_over(hand: ReferenceHand, move: Move) -> bool:
    """Tell whether the seat to act refused its declaration, given the next recorded action."""
    return hand.phase == Phase.DECLARE and not (move.kind == "declare" and move.seat == hand.seat)


def _decide(hand: ReferenceHand, action: int, index: int, decisions: list[Decision]) -> None:
    seat = -1 if hand.seat is None else hand.seat
    decision = Decision(index, seat, frozenset(hand.legal()), action)
    hand.step(action)
    decisions.append(decision)


def _fault_of(hand: ReferenceHand, move: Move) -> str | None:
    """Return what is wrong with a recorded action at this point, if anything."""
    if hand.seat is None:
        return "the hand is over"
    if move.seat != hand.seat:
        return f"seat {hand.seat} is to {_KIND[hand.phase]}, not seat {move.seat}"
    if move.kind != _KIND[hand.phase]:
        return f"seat {hand.seat} is to {_KIND[hand.phase]}, not to {move.kind}"
    if move.action in hand.legal() and move.kind == "declare":
        whole = hand.shown_by(move.action)
        if move.cards != set(whole):
            return f"a versicola is shown whole: {' '.join(map(card_name, whole))}"
    return None


def _walk(hand: ReferenceHand, moves: Sequence[Move]) -> tuple[list[Decision], str | None]:
    """Play recorded actions; return the decisions taken, and the fault that ended it, if one did."""
    decisions: list[Decision] = []
    for index, move in enumerate(moves):
        while _passes_over(hand, move):
            _decide(hand, DONE, index, decisions)
        fault = _fault_of(hand, move)
        if fault is None:
            try:
                _decide(hand, move.action, index, decisions)
            except IllegalAction as error:
                fault = str(error)
        if fault is not None:
            return decisions, f"action {index}: {fault}"
    return decisions, None


def _start(setup: Setup) -> ReferenceHand:
    return ReferenceHand(setup.rules, setup.pack, setup.cut, setup.dealer)


def replay_reference(record: dict[str, Any]) -> ReferenceHand:
    """Return the hand after a record's last action, played by the plain reference.

    Raises:
        RecordError: the record is malformed, or one of its actions is illegal.
    """
    check_record(record)
    hand = _start(setup_of(record))
    _, fault = _walk(hand, moves_of(record))
    if fault is not None:
        raise RecordError(fault)
    return hand


def _engine(setup: Setup, hands_class: type[H]) -> H:
    seeds, hands = np.array([setup.seed], dtype=np.uint64), np.array([setup.hand], dtype=np.uint64)
    packs = np.array([setup.pack], dtype=np.uint8)
    return hands_class.from_packs(setup.rules, packs, [setup.cut], [setup.dealer], seeds=seeds, hands=hands)


def _hands_class() -> "type[Hands]":
    from minchiate_rl.game.engine.batch import Hands

    return Hands


def _one(action: int) -> Any:
    return np.array([action], dtype=np.int16)


def replay_engine(
    setup: Setup, decisions: Sequence[Decision], hand: ReferenceHand, hands_class: "type[Hands] | None" = None
) -> list[str]:
    """Take the same decisions in the engine, and return where it disagrees with the reference.

    Args:
        setup: what the hand starts from.
        decisions: what the reference saw and did.
        hand: the reference's hand after them.
        hands_class: the engine's batch; `Hands` if None.
    """
    hands = _engine(setup, hands_class or _hands_class())
    for decision in decisions:
        where = f"action {decision.place}: the engine"
        seat = int(hands.seat[0])
        if seat != decision.seat:
            return [f"{where} has seat {seat} to act, the reference seat {decision.seat}"]
        legal = frozenset(map(int, np.flatnonzero(hands.legal_mask()[0])))
        if legal != decision.legal:
            return [f"{where} allows actions {sorted(legal)}, the reference {sorted(decision.legal)}"]
        hands.step(_one(decision.action))
    found = {
        "seat": int(hands.seat[0]),
        "points": [list(entry) for entry in hands.entries(0)],
        **{name: [int(x) for x in getattr(hands, name)[0]] for name in RESULT_FIELDS[1:]},
    }
    wanted = {"seat": -1 if hand.seat is None else hand.seat, **hand.result()}
    last = decisions[-1].place if decisions else 0
    return [
        f"action {last}: after it the engine finds {name} {found[name]}, the reference {wanted[name]}"
        for name in wanted
        if found[name] != wanted[name]
    ]


def verify(record: dict[str, Any], hands_class: "type[Hands] | None" = None) -> list[str]:
    """Replay a record with the reference and with the engine, and return every fault; none if all three agree.

    Args:
        record: a record of one hand.
        hands_class: the engine's batch; `Hands` if None.

    Raises:
        RecordError: the record is malformed; the message begins with the field.
    """
    check_record(record)
    setup, moves = setup_of(record), moves_of(record)
    hand = _start(setup)
    decisions, fault = _walk(hand, moves)
    faults = [] if fault is None else [fault]
    if fault is None and hand.seat is not None:
        faults.append(f"action {len(moves)}: the record ends while seat {hand.seat} is to {_KIND[hand.phase]}")
    if not faults:
        faults += _compare_result(record["result"], hand.result())
    return faults + replay_engine(setup, decisions, hand, hands_class)


def _compare_result(told: dict[str, Any], found: dict[str, Any]) -> list[str]:
    faults = []
    for name in RESULT_FIELDS:
        if told[name] == found[name]:
            continue
        if name == "points":
            pairs = enumerate(zip(told[name], found[name], strict=False))
            place = next((i for i, (said, is_so) in pairs if said != is_so), None)
            if place is None:
                faults.append(f"result.points: {len(told[name])} entries, the replay has {len(found[name])}")
            else:
                faults.append(f"result.points[{place}]: {told[name][place]}, the replay has {found[name][place]}")
        else:
            faults.append(f"result.{name}: {told[name]}, the replay has {found[name]}")
    return faults


def replay_to(record: dict[str, Any], k: int, hands_class: type[H]) -> H:
    """Return a batch of one hand that stands before the record's action k.

    Declarations that action k passes over have been refused. Nothing after action k is looked at, nor the result.

    Args:
        record: a record; players and result may be missing.
        k: 0 to the number of actions; that number stands for the end.
        hands_class: the class of the batch.

    Raises:
        RecordError: there is no action k, a field needed is malformed, or an action before k is illegal.
    """
    setup = setup_of(record)
    actions = record.get("actions")
    count = len(actions) if isinstance(actions, list) else 0
    if not isinstance(k, (int, np.integer)) or not 0 <= k <= count:
        raise RecordError(f"actions: there is no place before action {k}; 0 to {count}")
    k = int(k)
    moves = moves_of(record, k + 1)
    hand = _start(setup)
    decisions, fault = _walk(hand, moves[:k])
    if fault is not None:
        raise RecordError(fault)
    while k < len(moves) and _passes_over(hand, moves[k]):
        _decide(hand, DONE, k, decisions)
    hands = _engine(setup, hands_class)
    for decision in decisions:
        hands.step(_one(decision.action))
    return hands


def _name_and_flags(rules: RuleSet) -> tuple[str, dict[str, Any]]:
    """Return a rule set as a record names it: one of envs/ with flags; one of somebody's own as classic with flags."""
    name = rules.name if rules.name in rulesets() else "classic"
    own = ruleset(name).switches
    return name, {flag: rules.switches[flag] for flag in CHOICES if rules.switches[flag] != own[flag]}


def _spell_out(setup: Setup, actions: Sequence[int]) -> list[list[Any]]:
    """Return legal action numbers as recorded actions: with seat, kind and cards, and without `done`."""
    table = deal(setup.pack, setup.cut, setup.dealer, setup.rules)
    cutter, eldest = cutter_of(setup.dealer), eldest_of(setup.dealer)
    held = [set(cards) for cards in table.dealt]
    held[cutter].update(table.robbed[0])
    held[setup.dealer].update(table.robbed[1] + table.taken)
    n_cutter = len(table.robbed[0])
    n_discards = n_cutter + len(table.robbed[1]) + len(table.taken)
    told: list[list[Any]] = []
    for place, card in enumerate(actions[:n_discards]):
        seat = cutter if place < n_cutter else setup.dealer
        held[seat].remove(Card(card))
        told.append(action_to_record(seat, "discard", [card]))
    seat, declaring, trick, first = eldest, True, list[tuple[int, int]](), True
    for action in actions[n_discards:]:
        if action == DONE:
            declaring = seat != eldest and seat != setup.dealer
            if seat != eldest:
                seat = (seat + 1) % N_SEATS if declaring else (eldest + 1) % N_SEATS
            continue
        if declaring:
            told.append(action_to_record(seat, "declare", _shown(held[seat], action, setup.rules.demonio)))
            continue
        told.append(action_to_record(seat, "play", [action]))
        trick.append((seat, action))
        seat = (seat + 1) % N_SEATS
        if len(trick) == 1 and first:
            declaring, first = True, False
        elif len(trick) == N_SEATS:
            winner = trick_winner(trick)
            seat, trick = seat if winner is None else winner, []
    return told


def _shown(hand: set[Card], action: int, demonio: bool) -> list[Card]:
    """Return the cards that a declaration shows, the Matto last."""
    with_matto = action >= DECLARE_WITH_MATTO
    k = action - (DECLARE_WITH_MATTO if with_matto else DECLARE)
    cards = next(versicola.cards for versicola in versicole_of(hand, demonio) if versicola.k == k)
    return [*cards, MATTO] if with_matto else list(cards)


def record_of(hands: "Hands", i: int, players: Sequence[str]) -> dict[str, Any]:
    """Return the record of a finished hand of a batch.

    Args:
        hands: the batch.
        i: which game of it.
        players: the agent spec of each seat.

    Raises:
        RecordError: the hand is not over.
    """
    if not hands.done[i]:
        raise RecordError(f"result: hand {i} of the batch is not over, so there is nothing to record")
    pack, cut = hands.pack(i)
    dealer, seed, hand = int(hands.dealer[i]), int(hands.seeds[i]), int(hands.hands[i])
    setup = Setup(hands.rules, [Card(card) for card in pack], cut, dealer, seed, hand)
    name, flags = _name_and_flags(hands.rules)
    return {
        "format": FORMAT,
        "game": GAME,
        "rules": name,
        "flags": flags,
        "players": list(players),
        "seed": seed,
        "hand": hand,
        "dealer": dealer,
        "pack": [card_name(card) for card in pack],
        "cut": cut,
        "actions": _spell_out(setup, hands.actions(i)),
        "result": {
            "points": [list(entry) for entry in hands.entries(i)],
            **{field: [int(x) for x in getattr(hands, field)[i]] for field in RESULT_FIELDS[1:]},
        },
    }


def random_records(rules: RuleSet | str, hands: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield records of hands 0, 1, ... of a seed, played uniformly at random.

    Args:
        rules: a rule set, or its name.
        hands: how many.
        seed: which ones, 0 to 2^64 - 1.

    Raises:
        RecordError: the number of hands is no whole number of 0 or more.
    """
    if not isinstance(hands, (int, np.integer)) or hands < 0:
        raise RecordError(f"hands must be a whole number, 0 or more, not {hands!r}")
    chosen, batch_class = ruleset(rules), _hands_class()
    for first in range(0, hands, _CHUNK):
        batch = batch_class(chosen, min(_CHUNK, hands - first), seed=seed, first_hand=first)
        batch.playout()
        for i in range(batch.num_games):
            yield record_of(batch, i, ["random"] * N_SEATS)
