"""Hands between agents as records, put together to games where several hands make one (docs/records.md)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from minchiate_rl.agents import registry
from minchiate_rl.errors import AgentError
from minchiate_rl.game.piedicavallo import match as piedicavallo
from minchiate_rl.game.record import betting_record, record_of
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.matches.play import play
from minchiate_rl.views.batch import Batch

GIRATA: Final = 4
"""The hands of a girata."""
_BATCH: Final = 4096


def seats_of(specs: Sequence[str], rules: RuleSet) -> list[str]:
    """Return the agent spec of each seat: one for all, one a side in turn, or one a seat.

    Raises:
        AgentError: another number of agents.
    """
    allowed = sorted({1, rules.n_sides, rules.n_seats})
    if len(specs) not in allowed:
        numbers = ", ".join(map(str, allowed[:-1]))
        raise AgentError(
            f"{len(specs)} agents are named; allowed with the rule set {rules.name}: {numbers} or {allowed[-1]}"
        )
    return [specs[seat % len(specs)] for seat in range(rules.n_seats)]


def played_records(rules: RuleSet, players: Sequence[str], hands: int, seed: int) -> Iterator[dict[str, Any]]:
    """Play hands 0, 1, ... of a seed and yield their records; those that make a game together have its name.

    Args:
        rules: the rule set.
        players: the agent spec of each seat; where nothing is decided they are names and no more.
        hands: how many hands.
        seed: which ones.
    """
    if not rules.form.decisions:
        return (betting_record(rules, seed, hand, players) for hand in range(hands))
    records = _played(rules, players, hands, seed)
    return _in_games(records, rules) if makes_games(rules) else records


def _played(rules: RuleSet, players: Sequence[str], hands: int, seed: int) -> Iterator[dict[str, Any]]:
    made = {spec: registry.make(spec) for spec in dict.fromkeys(players)}
    for first in range(0, hands, _BATCH):
        batch = Batch(rules, min(_BATCH, hands - first), seed=seed, first_hand=first)
        play(batch, [made[spec] for spec in players])
        for i in range(batch.num_games):
            yield record_of(batch, i, players)


def makes_games(rules: RuleSet) -> bool:
    """Tell whether several hands make a game: the deals of Piedicavallo, and the girata where it has a bonus."""
    return rules.game == "piedicavallo" or rules.girata_bonus > 0


def is_over(rules: RuleSet, results: Sequence[dict[str, Any]]) -> bool:
    """Tell whether a game has ended with the last of its hands' results."""
    if rules.game == "piedicavallo":
        return piedicavallo.is_over([result["score"] for result in results])
    return len(results) == GIRATA


def lead_of(rules: RuleSet, results: Sequence[dict[str, Any]]) -> int:
    """Return how far side 0 is ahead in a game: in points, or in a girata in resti."""
    if rules.game == "piedicavallo":
        return piedicavallo.lead_of([result["score"] for result in results])
    return sum(result["resti"][0] - result["resti"][1] for result in results)


def _in_games(records: Iterable[dict[str, Any]], rules: RuleSet) -> Iterator[dict[str, Any]]:
    """Give the hands of a game, one after another, the same name."""
    name, results = "", list[dict[str, Any]]()
    for record in records:
        if not results:
            name = f"{record['seed']}-{record['hand']}"
        results.append(record["result"])
        yield {**record, "match": name}
        if is_over(rules, results):
            results = []
