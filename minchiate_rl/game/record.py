"""Game records: read them, and replay them with the reference and with the engine (docs/records.md).

A record has no `done` for a declaration that is not made, and none for the end of a message. Replaying puts it in where
the next recorded action passes the declaration over, or follows the message. How records are made is in recording.py.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, cast

import numpy as np

from minchiate_rl.errors import IllegalAction, RecordError
from minchiate_rl.game.actions import DONE
from minchiate_rl.game.bidding import FolaSale
from minchiate_rl.game.cards import card_name
from minchiate_rl.game.record_actions import Move
from minchiate_rl.game.record_format import (
    Setup,
    check_record,
    moves_of,
    parse_record,
    setup_of,
    write_record,
)
from minchiate_rl.game.record_results import differences, result_of
from minchiate_rl.game.recording import betting_record, random_records, record_of
from minchiate_rl.game.reference import ReferenceHand
from minchiate_rl.game.references import Hand, settled, start
from minchiate_rl.game.seats import Phase

if TYPE_CHECKING:
    from minchiate_rl.game.engine.batch import Hands

__all__ = [
    "read_records",
    "numbered_records",
    "parse_record",
    "write_record",
    "check_record",
    "replay_reference",
    "replay_engine",
    "replay_to",
    "replay_all",
    "verify",
    "record_of",
    "betting_record",
    "random_records",
]

H = TypeVar("H", bound="Hands")

#: The kinds of recorded action that each phase waits for.
_KINDS: Final = {
    Phase.DISCARD: ("discard",),
    Phase.DECLARE: ("declare",),
    Phase.PLAY: ("play", "drop"),
    Phase.WITHDRAW: ("stay", "withdraw"),
    Phase.FOLA: ("use_fola", "stay", "withdraw"),
    Phase.BID: ("bid",),
    Phase.PICK: ("pick",),
    Phase.SPEAK: ("say",),
}


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
    return (record for _, record in numbered_records(path))


def numbered_records(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the records of a file with the number of the line that each stands on, from 1.

    Raises:
        RecordError: as `read_records`.
    """
    try:
        with open(path, "rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    try:
                        yield number, parse_record(line)
                    except RecordError as error:
                        raise RecordError(f"{path}:{number}: {error}") from None
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror or error}") from None


def _passes_over(hand: Hand, move: Move) -> bool:
    """Tell whether the seat to act declares no more, or has ended its message, given the next recorded action."""
    if hand.phase not in {Phase.DECLARE, Phase.SPEAK}:
        return False
    return move.kind not in _KINDS[hand.phase] or move.seat != hand.seat


def _falls_silent(hand: Hand) -> bool:
    """Tell whether nothing but the end of a message can follow: the last card of the hand has been played."""
    return hand.phase == Phase.SPEAK and not any(hand.hands)


def _decide(hand: Hand, action: int, index: int, decisions: list[Decision]) -> None:
    seat = -1 if hand.seat is None else hand.seat
    decision = Decision(index, seat, frozenset(hand.legal()), action)
    hand.step(action)
    decisions.append(decision)


def _task(hand: Hand) -> str:
    """Return what the seat to act is to do, such as `play`."""
    kinds = _KINDS[hand.phase]
    return " or ".join(kinds if hand.phase != Phase.PLAY or hand.rules.cascare else kinds[:1])


def _next_bid(hand: Hand) -> int:
    """Return the points that the next bid for the fola would be."""
    sale = cast(FolaSale, cast(ReferenceHand, hand).bidding)
    return sale.highest + hand.rules.bid_step


def _fault_of(hand: Hand, move: Move) -> str | None:
    """Return what is wrong with a recorded action at this point, if anything but that the rules forbid it."""
    if hand.seat is None:
        return "the hand is over"
    if move.seat != hand.seat:
        return f"seat {hand.seat} is to {_task(hand)}, not seat {move.seat}"
    if move.kind not in _KINDS[hand.phase]:
        return f"seat {hand.seat} is to {_task(hand)}, not to {move.kind}"
    if move.action not in hand.legal():
        return None
    if move.kind == "bid" and move.number not in {0, _next_bid(hand)}:
        return f"the next bid is {_next_bid(hand)}, not {move.number}"
    if isinstance(hand, ReferenceHand):
        whole = hand.shown_by(move.action) if move.kind == "declare" else ()
        if move.kind == "declare" and move.cards != set(whole):
            return f"a versicola is shown whole: {' '.join(map(card_name, sorted(whole)))}"
        if move.kind == "pick" and move.number != hand.picking:
            return f"seat {hand.seat} is to pick from the hand of seat {hand.picking}, not of seat {move.number}"
    return None


def _walk(hand: Hand, moves: Sequence[Move], to_the_end: bool = True) -> tuple[list[Decision], str | None]:
    """Play recorded actions; return the decisions taken, and the fault that ended it, if one did.

    Args:
        hand: the reference's hand; modified in place.
        moves: the actions.
        to_the_end: whether they are all that the record has, so that a last message ends with them.
    """
    decisions: list[Decision] = []
    index = 0
    try:
        for index, move in enumerate(moves):
            while _passes_over(hand, move):
                _decide(hand, DONE, index, decisions)
            fault = _fault_of(hand, move)
            if fault is not None:
                return decisions, f"action {index}: {fault}"
            _decide(hand, move.action, index, decisions)
        index = len(moves)
        while to_the_end and _falls_silent(hand):
            _decide(hand, DONE, index, decisions)
    except IllegalAction as error:
        return decisions, f"action {index}: {error}"
    return decisions, None


def replay_reference(record: dict[str, Any]) -> Hand:
    """Return the hand after a record's last action, played by the plain reference.

    Raises:
        RecordError: the record is malformed, or of a game without decisions, or one of its actions is illegal.
    """
    check_record(record)
    setup = setup_of(record)
    hand = start(setup)
    _, fault = _walk(hand, moves_of(record, setup.rules))
    if fault is not None:
        raise RecordError(fault)
    return hand


def _engine(setup: Setup, hands_class: type[H], size: int = 1) -> H:
    seeds, hands = np.full(size, setup.seed, dtype=np.uint64), np.full(size, setup.hand, dtype=np.uint64)
    packs = np.tile(np.array(setup.pack, dtype=np.uint8), (size, 1))
    cuts, dealers = [setup.cut] * size, [setup.dealer] * size
    return hands_class.from_packs(setup.rules, packs, cuts, dealers, seeds=seeds, hands=hands)


def _hands_class() -> "type[Hands]":
    from minchiate_rl.game.engine.batch import Hands

    return Hands


def _one(action: int) -> Any:
    return np.array([action], dtype=np.int16)


def replay_engine(
    setup: Setup, decisions: Sequence[Decision], hand: Hand, hands_class: "type[Hands] | None" = None
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
    found = {"seat": int(hands.seat[0]), **result_of(hands, 0)}
    wanted = {"seat": -1 if hand.seat is None else hand.seat, **hand.result()}
    last = decisions[-1].place if decisions else 0
    return [
        f"action {last}: after it the engine finds {name} {found[name]}, the reference {wanted[name]}"
        for name in wanted
        if found[name] != wanted[name]
    ]


def verify(record: dict[str, Any], hands_class: "type[Hands] | None" = None) -> list[str]:
    """Replay a record with the reference and with the engine, and return every fault; none if all three agree.

    A game without decisions is settled by the reference alone.

    Args:
        record: a record of one hand.
        hands_class: the engine's batch; `Hands` if None.

    Raises:
        RecordError: the record is malformed; the message begins with the field.
    """
    check_record(record)
    setup = setup_of(record)
    if not setup.rules.form.decisions:
        return differences(record["result"], settled(setup).result())
    moves, hand = moves_of(record, setup.rules), start(setup)
    decisions, fault = _walk(hand, moves)
    faults = [] if fault is None else [fault]
    if fault is None and hand.seat is not None:
        faults.append(f"action {len(moves)}: the record ends while seat {hand.seat} is to {_task(hand)}")
    if not faults:
        faults += differences(record["result"], hand.result())
    return faults + replay_engine(setup, decisions, hand, hands_class)


def replay_to(record: dict[str, Any], k: int, hands_class: type[H]) -> H:
    """Return a batch of one hand that stands before the record's action k.

    Declarations that action k passes over have been refused, and a message that it follows has ended. Nothing after
    action k is looked at, nor the result.

    Args:
        record: a record; players and result may be missing.
        k: 0 to the number of actions; that number stands for the end.
        hands_class: the class of the batch.

    Raises:
        RecordError: there is no action k, a field needed is malformed, the game has no decisions, or an action before k
            is illegal.
    """
    setup = setup_of(record)
    hand = start(setup)
    actions = record.get("actions")
    count = len(actions) if isinstance(actions, list) else 0
    if not isinstance(k, (int, np.integer)) or not 0 <= k <= count:
        raise RecordError(f"actions: there is no place before action {k}; 0 to {count}")
    k = int(k)
    moves = moves_of(record, setup.rules, k + 1)
    decisions, fault = _walk(hand, moves[:k], to_the_end=k == count)
    if fault is not None:
        raise RecordError(fault)
    try:
        while k < len(moves) and _passes_over(hand, moves[k]):
            _decide(hand, DONE, k, decisions)
    except IllegalAction as error:
        raise RecordError(f"action {k}: {error}") from None
    hands = _engine(setup, hands_class)
    for decision in decisions:
        hands.step(_one(decision.action))
    return hands


def replay_all(record: dict[str, Any], hands_class: type[H]) -> tuple[list[Decision], H]:
    """Return the decisions of a record, those not recorded put in, and a batch of the positions before each of them.

    Args:
        record: a whole record.
        hands_class: the class of the batch. Its game k stands before decision k, the last one at the end.

    Raises:
        RecordError: the record is malformed, the game has no decisions, or an action is illegal.
    """
    setup = setup_of(record)
    decisions, fault = _walk(start(setup), moves_of(record, setup.rules))
    if fault is not None:
        raise RecordError(fault)
    one, all_of_them = _engine(setup, hands_class), _engine(setup, hands_class, len(decisions) + 1)
    for k, decision in enumerate(decisions, start=1):
        one.step(_one(decision.action))
        for name in ("rows", "log", "ledger"):
            getattr(all_of_them, name)[k] = getattr(one, name)[0]
    return decisions, all_of_them
