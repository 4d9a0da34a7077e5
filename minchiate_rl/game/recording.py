"""Making records: of hands of a batch, of hands played at random, of hands without decisions (docs/records.md)."""

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from minchiate_rl.errors import RecordError
from minchiate_rl.game.actions import DONE, DROP, USE_FOLA, WITHDRAW
from minchiate_rl.game.betting import BettingHand
from minchiate_rl.game.cards import FIRST_TRUMP, N_CARDS, Card, card_name
from minchiate_rl.game.record_actions import Move, move_to_record
from minchiate_rl.game.record_format import FORMAT, Setup, named_rules
from minchiate_rl.game.record_results import result_of
from minchiate_rl.game.rules import RuleSet, ruleset, rulesets
from minchiate_rl.game.seats import Phase

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


def _moves(hands: "Hands", i: int, setup: Setup) -> Iterator[Move]:
    """Yield what a record tells of the decisions of game i: all but a `done` that leaves no action."""
    from minchiate_rl.game.engine.retrace import TRACED, retrace

    again = type(hands).from_packs(setup.rules, [setup.pack], [setup.cut], [setup.dealer])
    actions = np.array(hands.actions(i), dtype=np.int64)
    told = np.empty((len(actions), TRACED), dtype=np.uint64)
    retrace(again.rows, again.log, again.ledger, setup.rules.row, actions, told)
    for action, (seat, phase, picked_from, bid, w0, w1) in zip(actions.tolist(), told.tolist(), strict=True):
        if phase == Phase.DECLARE:
            if action != DONE:
                cards = w0 | w1 << FIRST_TRUMP
                yield Move(seat, "declare", action, frozenset(Card(c) for c in range(N_CARDS) if cards >> c & 1))
        elif phase == Phase.SPEAK:
            if action != DONE:
                yield Move(seat, "say", action)
        elif phase == Phase.BID:
            yield Move(seat, "bid", action, number=0 if action == DONE else bid)
        elif phase == Phase.PICK:
            yield Move(seat, "pick", action, frozenset({Card(action)}), picked_from)
        elif action in _BARE:
            yield Move(seat, _BARE[action], action)
        else:
            yield Move(seat, "discard" if phase == Phase.DISCARD else "play", action, frozenset({Card(action)}))


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
    return _record(setup, players, [move_to_record(move) for move in _moves(hands, i, setup)], result_of(hands, i))


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
