"""The case files: inputs and right answers, put to the plain reference and to the engine alike."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minchiate_rl.game import lawbook
from minchiate_rl.game.cards import SUIT_LETTERS, Suit, card_name, parse_card, suit_of
from minchiate_rl.game.engine import legal as engine_legal
from minchiate_rl.game.engine import score as engine_score
from minchiate_rl.game.engine import versicole as engine_versicole
from minchiate_rl.game.engine.layout import LEAD, LEDGER, RESTI, W
from minchiate_rl.game.record import parse_record, replay_reference, verify, write_record
from minchiate_rl.game.rules import ruleset

CASES = Path(__file__).parent / "cases"
CLASSIC_ROW = ruleset("classic").row
HANDS = [
    pytest.param(line, id=f"{name}:{number}")
    for name in ("hands", "hands_rare", "hands_switches")
    for number, line in enumerate((CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines(), start=1)
]
KINDS = {"regular": range(12), "matto": [12], "tredici": [13], "diecine": [14], "regi": [15], "demonio": [16]}


def cases(name: str) -> list[dict[str, Any]]:
    lines = (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def words(cards: list[int]) -> tuple[np.uint64, np.uint64]:
    number = sum(1 << card for card in cards)
    return np.uint64(number & ((1 << 56) - 1)), np.uint64(number >> 56)


def cards_of(w0: int, w1: int) -> set[int]:
    number = int(w0) | int(w1) << 56
    return {card for card in range(97) if number >> card & 1}


class Reference:
    """The rules in plain Python."""

    def value(self, cards, demonio):
        return lawbook.versicole_value(set(cards), demonio)

    def versicole(self, cards, demonio):
        found = lawbook.versicole_of(set(cards), demonio)
        return sorted((versicola.k, sorted(map(card_name, versicola.cards))) for versicola in found)

    def legal(self, hand, trick, opened):
        return lawbook.legal_cards(set(hand), trick, opened)

    def settlement(self, marks, final):
        lead, resti = 0, [0, 0]
        for side, points in marks:
            lead, paid = lawbook.mark(lead, side, points)
            resti[side] += paid
        return lead, resti, [a + b for a, b in zip(resti, lawbook.settle(lead, final), strict=True)]


class Engine:
    """The rules as kernels."""

    def value(self, cards, demonio):
        return engine_versicole.value(*words(cards), np.int64(demonio))

    def versicole(self, cards, demonio):
        w0, w1 = words(cards)
        held = int(engine_versicole.held_versicole(w0, w1, np.int64(demonio)))
        shown = [(k, cards_of(*engine_versicole.shown_cards(w0, w1, k))) for k in range(17) if held >> k & 1]
        return sorted((k, sorted(map(card_name, cards))) for k, cards in shown)

    def legal(self, hand, trick, opened):
        led = lawbook.led_suit(trick)
        trumped = any(suit_of(card) == Suit.TRUMPS for _, card in trick)
        suits = np.uint64(sum(1 << suit for suit in opened))
        suit = np.uint64(5 if led is None else led)
        return cards_of(*engine_legal.legal_cards(*words(hand), suit, suits, trumped))

    def settlement(self, marks, final):
        rows, ledger = np.zeros((1, W), np.uint64), np.zeros((1, LEDGER), np.uint16)
        for side, points in marks:
            engine_score.mark(rows, ledger, 0, CLASSIC_ROW, 5, side, points)
        lead = int(rows[0, LEAD].astype(np.int64))
        resti = rows[0, RESTI : RESTI + 2].astype(int).tolist()
        paid = int(engine_score.settle(lead, *final))
        return lead, resti, [resti[0] + max(0, paid), resti[1] + max(0, -paid)]


both = pytest.mark.parametrize("game", [Reference(), Engine()], ids=["reference", "engine"])


@both
def test_versicole_are_worth_what_the_cases_say(game):
    wrong = []
    for case in cases("versicole"):
        cards = [parse_card(code) for code in case["cards"]]
        if game.value(cards, case["demonio"]) != case["total"]:
            wrong.append(case)
    assert wrong == []


@both
def test_the_versicole_of_a_set_are_those_of_the_cases(game):
    wrong = []
    for case in cases("versicole"):
        cards = [parse_card(code) for code in case["cards"]]
        found = game.versicole(cards, case["demonio"])
        told = sorted((kind, sorted(codes)) for kind, codes, _ in case["versicole"])
        named = sorted((next(kind for kind in KINDS if k in KINDS[kind]), codes) for k, codes in found)
        if named != told:
            wrong.append((case, named))
    assert wrong == []


def test_each_versicola_has_the_points_of_the_cases():
    wrong = []
    for case in cases("versicole"):
        found = lawbook.versicole_of({parse_card(code) for code in case["cards"]}, case["demonio"])
        points = sorted((sorted(map(card_name, v.cards)), v.points) for v in found)
        if points != sorted((sorted(codes), points) for _, codes, points in case["versicole"]):
            wrong.append((case, points))
    assert wrong == []


@both
def test_legal_cards_are_those_of_the_cases(game):
    wrong = []
    for case in cases("legal"):
        hand = [parse_card(code) for code in case["hand"]]
        trick = [(seat, parse_card(code)) for seat, code in case["trick"]]
        opened = {Suit(SUIT_LETTERS.index(letter)) for letter in case["suits_led"]}
        found = {card_name(card) for card in game.legal(hand, trick, opened)}
        if found != set(case["legal"]):
            wrong.append((case, sorted(found)))
    assert wrong == []


@both
def test_settlements_are_those_of_the_cases(game):
    wrong = []
    for case in cases("settlement"):
        lead, before, resti = game.settlement(case["marks"], case["final"])
        if (lead, before, resti) != (case["lead_before_final"], case["resti_before_final"], case["resti"]):
            wrong.append((case, lead, before, resti))
    assert wrong == []


@pytest.mark.parametrize("line", HANDS)
def test_the_reference_finds_the_result_of_a_recorded_hand(line):
    record = parse_record(line)
    hand = replay_reference(record)
    assert hand.seat is None
    assert hand.result() == record["result"]


@pytest.mark.parametrize("line", HANDS)
def test_engine_and_reference_agree_with_a_recorded_hand(line):
    assert verify(parse_record(line)) == []


@pytest.mark.parametrize("line", HANDS)
def test_a_record_survives_writing_and_reading(line):
    record = json.loads(line)
    text = write_record(record)
    assert parse_record(text) == record
    assert json.loads(text) == record
    assert list(json.loads(text)) == list(record)
    assert "\n" not in text
