"""The periodic evaluation: duplicate deals against fixed opponents, drawing nothing from the streams of training.

Each deal is played in every seating of the two (matches.schedule), dealers in turn; the mean of these, as in a match,
is the unit of variance. The policy plays its best action. Seeds lie below 2^40 and are the same every time: a run's
curve is a paired comparison.
"""

import dataclasses
import math
from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents import make
from minchiate_rl.agents.base import Agent, Rng
from minchiate_rl.agents.network import PolicyNetwork
from minchiate_rl.agents.policy import PolicyAgent
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.matches.match import ahead
from minchiate_rl.matches.schedule import Seating, seatings
from minchiate_rl.training.table import LEARNER, Choices, Table
from minchiate_rl.training.workers import Workers
from minchiate_rl.views.batch import Batch

EVALUATION_SEED: Final = 1 << 39
"""The seed of the evaluations' deals: below those of training, above those that people type."""

_Z: Final = 1.959963984540054


@dataclasses.dataclass(frozen=True)
class Score:
    """How the policy stands against an opponent."""

    opponent: str
    mean: float
    """Points a hand that the policy's side is ahead by."""
    low: float
    high: float
    """The 95% interval of the mean."""
    deals: int


def evaluate(
    policy: PolicyNetwork, rules: RuleSet, opponents: Sequence[str], deals: int, workers: Workers
) -> list[Score]:
    """Return how the policy stands against each opponent on the same duplicate deals."""
    agent = PolicyAgent(policy, rules)
    scores = []
    for name in opponents:
        parts = [partial(_play, agent, make(name), (rules, deals), seating) for seating in seatings(rules)]
        scores.append(_score(name, np.mean(workers.run(parts), axis=0)))
    return scores


def _score(name: str, values: npt.NDArray[np.float64]) -> Score:
    mean = float(values.mean())
    margin = _Z * float(values.std(ddof=1)) / math.sqrt(len(values))
    return Score(name, mean, mean - margin, mean + margin, len(values))


def _play(agent: Agent, opponent: Agent, what: tuple[RuleSet, int], seating: Seating) -> npt.NDArray[np.float64]:
    """Return the points that the agent is ahead by in every deal, float64 (D,), in a seating; it is number 0 there."""
    rules, deals = what
    theirs = np.array(seating) == 1
    codes = np.full((deals, rules.n_seats), LEARNER, dtype=np.int8)
    codes[:, theirs] = int(getattr(opponent, "code", LEARNER - 1))
    table = Table(Batch(rules, deals, seed=EVALUATION_SEED), codes)
    choices = Choices(deals, False, rules)
    waiting = table.waiting()
    while len(waiting):
        n = choices.look(table, waiting)
        actions = np.zeros(n, dtype=np.int16)
        other = theirs[choices.seats[:n]]
        for who, rows in ((agent, np.flatnonzero(~other)), (opponent, np.flatnonzero(other))):
            if len(rows):
                actions[rows] = who.act(choices.views(rows), Rng(choices.words[rows]))
        table.answer(waiting, actions)
        waiting = table.waiting()
    return ahead(table.batch.net if rules.form.for_himself else table.batch.score, seating)
