"""The periodic evaluation: duplicate deals against fixed opponents, drawing nothing from the streams of training.

Each deal is played twice with the sides changed, dealers in turn; the mean of the two is the unit of variance. The
policy plays its best action. Seeds lie below 2^40 and are the same every time: a run's curve is a paired comparison.
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
from minchiate_rl.game.engine.layout import V
from minchiate_rl.game.engine.score import RESTO
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import N_SEATS
from minchiate_rl.training.table import LEARNER, Choices, Table
from minchiate_rl.training.workers import Workers
from minchiate_rl.views.batch import Batch
from minchiate_rl.views.view import Views

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
        parts = [partial(_play_side, agent, make(name), (rules, deals), side) for side in range(2)]
        first, second = workers.run(parts)
        scores.append(_score(name, (first + second) / 2.0))
    return scores


def _score(name: str, ahead: npt.NDArray[np.float64]) -> Score:
    mean = float(ahead.mean())
    margin = _Z * float(ahead.std(ddof=1)) / math.sqrt(len(ahead))
    return Score(name, mean, mean - margin, mean + margin, len(ahead))


def _play_side(agent: Agent, opponent: Agent, what: tuple[RuleSet, int], side: int) -> npt.NDArray[np.float64]:
    """Return the points that the agent is ahead by in every deal, sitting on a side."""
    rules, deals = what
    codes = np.full((deals, N_SEATS), LEARNER, dtype=np.int8)
    codes[:, 1 - side :: 2] = int(getattr(opponent, "code", LEARNER - 1))
    table = Table(Batch(rules, deals, seed=EVALUATION_SEED), codes)
    choices = Choices(deals, False)
    waiting = table.waiting()
    while len(waiting):
        n = choices.look(table, waiting)
        actions = np.zeros(n, dtype=np.int16)
        own = choices.seats[:n] % 2 == side
        for who, rows in ((agent, np.flatnonzero(own)), (opponent, np.flatnonzero(~own))):
            if len(rows):
                views = Views(choices.states[rows, :V], rules)
                actions[rows] = who.act(views, Rng(choices.words[rows]))
        table.answer(waiting, actions)
        waiting = table.waiting()
    return table.finals() * (RESTO if side == 0 else -RESTO)
