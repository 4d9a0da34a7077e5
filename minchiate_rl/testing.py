"""Shipped checks: the engine against the reference, for users who change or port either."""

import random
from typing import Any, Final

import numpy as np

from minchiate_rl.errors import RulesError
from minchiate_rl.game.actions import action_name
from minchiate_rl.game.reference import ReferenceHand
from minchiate_rl.game.references import Hand, reference_of
from minchiate_rl.game.rules import SWITCHES, RuleSet, ruleset
from minchiate_rl.views.batch import Batch
from minchiate_rl.views.view import View

_HANDS_TOLD: Final = 12


class Difference(AssertionError):
    """The engine and the reference do not agree; the message says where and how."""


def random_rules(word: int, rules: RuleSet | str = "classic") -> RuleSet:
    """Return a rule set with all switches of its game drawn from a number."""
    draw, form = random.Random(word), ruleset(rules)
    while True:
        switches = {switch: draw.choice(allowed) for switch, allowed in SWITCHES[form.game].items()}
        try:
            return form.replace(**switches)
        except RulesError:
            # These switches contradict each other: others are drawn.
            continue


def _same(where: str, engine: Any, reference: Any) -> None:
    if engine != reference:
        raise Difference(f"{where}: the engine says {engine}, the reference {reference}")


def _compare_view(where: str, view: View, hand: Hand) -> None:
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
        all_seats: the share of hands in which the views of all seats are compared at every decision; in the others
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
        form = random_rules(start ^ seed, rules) if random_switches else ruleset(rules)
        batch = Batch(form, size, seed, start)
        decisions += compare_batch(batch, f"{form.name} {form.flags} seed {seed}", round(size * all_seats))
    return decisions


def _start(batch: Batch) -> list[Hand]:
    """Return the hands of a batch as the reference deals them; both are told of an episode that never was."""
    draw, seats, references = random.Random(int(batch.hands[0])), range(batch.rules.n_seats), list[Hand]()
    told = [(int(hand) % _HANDS_TOLD, [draw.randint(-99, 99) for _ in seats]) for hand in batch.hands]
    play = reference_of(batch.rules)
    for i, (hand, resti) in enumerate(told):
        deal = (batch.rules, *batch.pack(i), int(batch.dealer[i]))
        if play is ReferenceHand:
            references.append(ReferenceHand(*deal, {"hand": hand, "hands": _HANDS_TOLD, "resti": resti}))
        else:
            references.append(play(*deal))
    if play is ReferenceHand:
        batch.tell_match([resti for _, resti in told], [hand for hand, _ in told], _HANDS_TOLD)
    return references


def compare_batch(batch: Batch, name: str, watched: int = 0) -> int:
    """Play the hands of a batch that nobody has played yet to the end, with the engine and the reference side by side.

    Args:
        batch: hands just dealt, also from packs of one's own; they are over afterwards.
        name: what a message calls them.
        watched: in how many of them, from the first on, the views of all seats are compared.

    Returns:
        The number of decisions compared.

    Raises:
        Difference: at the first difference.
    """
    references, n_seats = _start(batch), batch.rules.n_seats
    decisions = 0
    while True:
        seats, masks, words = batch.seat, batch.legal_mask(), batch.decision_words()
        views = [batch.views(seat=seat) for seat in range(n_seats)]
        actions = np.full(batch.num_games, -1, dtype=np.int16)
        for i, hand in enumerate(references):
            where = f"{name} hand {batch.hands[i]} decision {len(hand.actions)}"
            for seat in range(n_seats) if i < watched or hand.seat is None else (hand.seat,):
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
        for field in ("entries", "score", "resti", "tricks"):
            engine = batch.entries(i) if field == "entries" else getattr(batch, field)[i].tolist()
            _same(f"{where}, {field}", engine, list(getattr(hand, field)))
        if isinstance(hand, ReferenceHand):
            _same(f"{where}, balance", batch.balance[i].tolist(), hand.balance)
    return decisions


def _names(actions: Any) -> list[str]:
    return [action_name(int(action)) for action in actions]
