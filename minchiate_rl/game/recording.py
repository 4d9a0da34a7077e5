"""Making records: of hands of a batch, of hands played at random, of hands without decisions (docs/records.md)."""

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from minchiate_rl.errors import RecordError
from minchiate_rl.game.actions import DECLARE, DECLARE_WITH_MATTO, DONE, DROP, USE_FOLA, WITHDRAW, action_name
from minchiate_rl.game.betting import BettingHand
from minchiate_rl.game.bidding import FolaSale
from minchiate_rl.game.cards import MATTO, Card, card_name
from minchiate_rl.game.dealing import deal
from minchiate_rl.game.lawbook import Extras, extras_of, trick_winner, versicole_of
from minchiate_rl.game.piedicavallo.lawbook import N_DISCARDS
from minchiate_rl.game.record_actions import Move, move_to_record
from minchiate_rl.game.record_format import FORMAT, Setup, named_rules
from minchiate_rl.game.record_results import result_of
from minchiate_rl.game.reference import ReferenceHand
from minchiate_rl.game.references import Hand, start
from minchiate_rl.game.rules import RuleSet, ruleset, rulesets
from minchiate_rl.game.seats import N_SEATS, Phase, cutter_of, eldest_of

if TYPE_CHECKING:
    from minchiate_rl.game.engine.batch import Hands

_CHUNK: Final = 256
_BARE: Final[dict[int, str]] = {DONE: "stay", DROP: "drop", WITHDRAW: "withdraw", USE_FOLA: "use_fola"}


@functools.lru_cache(maxsize=64)
def name_and_flags(rules: RuleSet) -> tuple[str, tuple[tuple[str, Any], ...]]:
    """Return a rule set as a record names it: one of envs/, or for one's own that of its game, with flags."""
    name = rules.name
    if name not in rulesets() or named_rules(name).game != rules.game:
        name = "classic" if rules.game == "minchiate" else rules.game
    own = named_rules(name).switches
    return name, tuple((flag, value) for flag, value in rules.switches.items() if value != own[flag])


def move_of(hand: Hand, action: int) -> Move | None:
    """Return what a record tells of a legal action of the seat to act; None for a `done` that leaves no action."""
    seat, phase = hand.seat, hand.phase
    if seat is None or (action == DONE and phase in {Phase.DECLARE, Phase.SPEAK}):
        return None
    if phase == Phase.DISCARD or (phase == Phase.PLAY and action != DROP):
        return Move(seat, phase.name.lower(), action, frozenset({Card(action)}))
    if phase == Phase.SPEAK:
        return Move(seat, "say", action)
    if phase == Phase.BID:
        return Move(seat, "bid", action, number=0 if action == DONE else next_bid(hand))
    if phase == Phase.PICK:
        return Move(seat, "pick", action, frozenset({Card(action)}), picked_from(hand))
    if phase == Phase.DECLARE:
        return Move(seat, "declare", action, shown_by(hand, action))
    return Move(seat, _BARE[action], action)


def next_bid(hand: Hand) -> int:
    """Return the points that the next bid for the fola would be."""
    sale = cast(FolaSale, cast(ReferenceHand, hand).bidding)
    return sale.highest + hand.rules.bid_step


def picked_from(hand: Hand) -> int:
    """Return the seat whose dropped hand is picked from."""
    return cast(int, cast(ReferenceHand, hand).picking)


def shown_by(hand: Hand, action: int) -> frozenset[Card]:
    """Return the cards that a declaration shows."""
    return frozenset(cast(ReferenceHand, hand).shown_by(action))


def _spell_out(setup: Setup, actions: Sequence[int]) -> list[list[Any]]:
    """Return legal action numbers as recorded actions: with seat, kind and argument, and without those left out."""
    if _runs_straight(setup.rules):
        return _spell_out_straight(setup, actions)
    if setup.rules.form.deal == "piedicavallo":
        return _spell_out_spoken(setup, actions)
    hand, told = start(setup), list[list[Any]]()
    for action in actions:
        move = move_of(hand, action)
        if move is not None:
            told.append(move_to_record(move))
        hand.step(action)
    return told


def _runs_straight(rules: RuleSet) -> bool:
    """Tell whether a hand runs like a classic one: the turns then follow without playing it by the reference."""
    usual = ("game", "rob_limit", "pigliare_to", "declare_when", "cascare")
    return all(getattr(rules, switch) == getattr(RuleSet(""), switch) for switch in usual)


def _spell_out_straight(setup: Setup, actions: Sequence[int]) -> list[list[Any]]:
    """Spell out a hand that runs like a classic one; the same as by the reference, and many times faster."""
    table, extras = deal(setup.pack, setup.cut, setup.dealer, setup.rules), extras_of(setup.rules)
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
        told.append([seat, "discard", card_name(card)])
    seat, declaring, trick, first = eldest, True, list[tuple[int, int]](), True
    for action in actions[n_discards:]:
        if action == DONE:
            declaring = seat != eldest and seat != setup.dealer
            if seat != eldest:
                seat = (seat + 1) % N_SEATS if declaring else (eldest + 1) % N_SEATS
            continue
        if declaring:
            told.append([seat, "declare", [card_name(card) for card in _shown(held[seat], action, extras)]])
            continue
        told.append([seat, "play", card_name(action)])
        trick.append((seat, action))
        seat = (seat + 1) % N_SEATS
        if len(trick) == 1 and first:
            declaring, first = True, False
        elif len(trick) == N_SEATS:
            winner = trick_winner(trick)
            seat, trick = seat if winner is None else winner, []
    return told


def _spell_out_spoken(setup: Setup, actions: Sequence[int]) -> list[list[Any]]:
    """Spell out a hand of Piedicavallo: after each card everything is said until `done`, where players speak."""
    told: list[list[Any]] = [[setup.dealer, "discard", card_name(card)] for card in actions[:N_DISCARDS]]
    seat, speaking, trick = eldest_of(setup.dealer), False, list[tuple[int, int]]()
    for action in actions[N_DISCARDS:]:
        if speaking and action != DONE:
            told.append([seat, "say", action_name(action)])
            continue
        if not speaking:
            told.append([seat, "play", card_name(action)])
            trick.append((seat, action))
            speaking = setup.rules.speaks
            if speaking:
                continue
        speaking = False
        seat = (seat + 1) % N_SEATS
        if len(trick) == N_SEATS:
            winner = trick_winner(trick)
            seat, trick = seat if winner is None else winner, []
    return told


def _shown(hand: set[Card], action: int, extras: Extras) -> list[Card]:
    """Return the cards that a declaration shows, the Matto last."""
    with_matto = action >= DECLARE_WITH_MATTO
    k = action - (DECLARE_WITH_MATTO if with_matto else DECLARE)
    cards = next(versicola.cards for versicola in versicole_of(hand, **extras) if versicola.k == k)
    return [*cards, MATTO] if with_matto else list(cards)


def _record(setup: Setup, players: Sequence[str], actions: list[list[Any]], result: dict[str, Any]) -> dict[str, Any]:
    name, flags = name_and_flags(setup.rules)
    return {
        "format": FORMAT,
        "game": setup.rules.game,
        "rules": name,
        "flags": dict(flags),
        "players": list(players),
        "seed": setup.seed,
        "hand": setup.hand,
        "dealer": setup.dealer,
        "pack": [card_name(card) for card in setup.pack],
        "cut": setup.cut,
        "actions": actions,
        "result": result,
    }


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
    return _record(setup, players, _spell_out(setup, hands.actions(i)), result_of(hands, i))


def betting_record(rules: RuleSet, seed: int, hand: int, players: Sequence[str]) -> dict[str, Any]:
    """Return the record of a hand of a game without decisions.

    Args:
        rules: a rule set of such a game.
        seed: of the packs.
        hand: which hand of the seed.
        players: the name of each seat.
    """
    settled = BettingHand.from_seed(rules, seed, hand)
    setup = Setup(rules, [Card(card) for card in settled.pack], 0, settled.dealer, seed, hand)
    return _record(setup, players, [], settled.result())


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
    chosen = ruleset(rules)
    players = ["random"] * chosen.n_seats
    if not chosen.form.decisions:
        yield from (betting_record(chosen, seed, hand, players) for hand in range(hands))
        return
    from minchiate_rl.game.engine.batch import Hands

    for first in range(0, hands, _CHUNK):
        batch = Hands(chosen, min(_CHUNK, hands - first), seed=seed, first_hand=first)
        batch.playout()
        for i in range(batch.num_games):
            yield record_of(batch, i, players)
