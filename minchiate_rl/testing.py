"""Shipped checks: the engine against the reference, for users who change or port either."""

import random
from typing import Any

import numpy as np

from minchiate_rl.game.actions import action_name
from minchiate_rl.game.reference import ReferenceHand
from minchiate_rl.game.rules import ALL_TRICKS, MEMORY, TAKE_29, RuleSet, ruleset
from minchiate_rl.game.seats import N_SEATS
from minchiate_rl.views.batch import Batch
from minchiate_rl.views.view import View


class Difference(AssertionError):
    """The engine and the reference do not agree; the message says where and how."""


def random_rules(word: int) -> RuleSet:
    """Return the classic game with its switches drawn from a number."""
    draw = random.Random(word)
    return ruleset("classic").replace(
        demonio=draw.random() < 0.5,
        rob_failure_resto=draw.random() < 0.5,
        take_29=draw.choice(TAKE_29),
        all_tricks=draw.choice(ALL_TRICKS),
        memory=draw.choice(MEMORY),
    )


def _same(where: str, engine: Any, reference: Any) -> None:
    if engine != reference:
        raise Difference(f"{where}: the engine says {engine}, the reference {reference}")


def _compare_view(where: str, view: View, hand: ReferenceHand) -> None:
    ours, theirs = view.to_json(), hand.view(view.seat)
    if ours != theirs:
        for field in sorted(set(ours) | set(theirs)):
            _same(f"{where}, view of seat {view.seat}, {field}", ours.get(field), theirs.get(field))


def compare_with_reference(
    hands: int,
    seed: int,
    first_hand: int = 0,
    rules: RuleSet | str = "classic",
    all_seats: float = 0.1,
    random_switches: bool = False,
    block: int = 200,
) -> int:
    """Play random hands with the engine and the reference side by side, and compare them at every decision.

    Args:
        hands: how many hands.
        seed: the seed of the deals and of the random moves.
        first_hand: the number of the first hand.
        rules: the rule set, or its name.
        all_seats: the share of hands in which the views of all four seats are compared at every decision; in the others
            that of the seat to act is.
        random_switches: draw the switches anew for every block.
        block: how many hands are dealt at a time.

    Returns:
        The number of decisions compared.

    Raises:
        Difference: at the first difference.
    """
    decisions = 0
    for start in range(first_hand, first_hand + hands, block):
        size = min(block, first_hand + hands - start)
        form = random_rules(start ^ seed) if random_switches else ruleset(rules)
        batch = Batch(form, size, seed, start)
        watched = round(size * all_seats)
        decisions += _compare_block(batch, f"{form.flags} seed {seed}", watched)
    return decisions


def _compare_block(batch: Batch, name: str, watched: int) -> int:
    references = []
    for i in range(batch.num_games):
        pack, cut = batch.pack(i)
        references.append(ReferenceHand(batch.rules, pack, cut, int(batch.dealer[i])))
    decisions = 0
    while True:
        seats, masks, words = batch.seat, batch.legal_mask(), batch.decision_words()
        views = [batch.views(seat=seat) for seat in range(N_SEATS)]
        actions = np.full(batch.num_games, -1, dtype=np.int16)
        for i, hand in enumerate(references):
            where = f"{name} hand {batch.hands[i]} decision {len(hand.actions)}"
            for seat in range(N_SEATS) if i < watched or hand.seat is None else (hand.seat,):
                _compare_view(where, views[seat][i], hand)
            legal = np.flatnonzero(masks[i])
            _same(f"{where}, seat to act", int(seats[i]), -1 if hand.seat is None else hand.seat)
            _same(f"{where}, legal actions", _names(legal), _names(sorted(hand.legal())))
            if hand.seat is not None:
                actions[i] = legal[int(words[i]) % len(legal)]
                hand.step(int(actions[i]))
                decisions += 1
        if np.all(seats < 0):
            break
        batch.step(actions)
    for i, hand in enumerate(references):
        where = f"{name} hand {batch.hands[i]}"
        _same(f"{where}, entries", batch.entries(i), hand.entries)
        for field in ("score", "resti", "tricks"):
            _same(f"{where}, {field}", getattr(batch, field)[i].tolist(), list(getattr(hand, field)))
    return decisions


def _names(actions: Any) -> list[str]:
    return [action_name(int(action)) for action in actions]
