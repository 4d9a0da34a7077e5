"""The opponent mix: latest self, past selves from a pool, scripted agents; and who sits where in a batch.

Latest against latest overfits to itself, so in a share of the hands every second seat, which is one side where there
are two, is somebody else. Only the learner's seats are learned from. Which seats the learner has alternates from hand
to hand, and so do the dealers.
"""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents import make, weights
from minchiate_rl.agents.base import Agent
from minchiate_rl.agents.network import PolicyNetwork, Shape
from minchiate_rl.agents.policy import PolicyAgent
from minchiate_rl.errors import RecipeError
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.training.checkpoint import POOL, write_bytes
from minchiate_rl.training.table import LEARNER

_SALT_PAST: Final = 0x706F6F6C


@dataclasses.dataclass(frozen=True)
class Mix:
    """Shares of the hands in which every second seat is not the latest self."""

    past: float = 0.0
    scripted: float = 0.0
    names: tuple[str, ...] = ()
    """The scripted agents, used in turn from step to step."""
    pool_size: int = 20
    """How many of the newest past selves are drawn from."""


class League:
    """The pool of past selves in a run's folder, and the seating of each batch."""

    def __init__(self, run: Path, rules: RuleSet, shape: Shape, mix: Mix, seed: int) -> None:
        """Take a run's folder, to which snapshots are written; nothing is drawn but by (seed, step)."""
        self.folder = run / POOL
        self.rules, self.shape, self.mix, self.seed = rules, shape, mix, seed
        self.pool: dict[str, str] = {}
        self._agents: dict[str, PolicyAgent] = {}
        self._scripted = [make(name) for name in mix.names] if mix.scripted > 0 else []

    def snapshot(self, step: int, policy: PolicyNetwork) -> None:
        """Add the policy as it is to the pool.

        Raises:
            RunError: the folder cannot be written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        data = weights.pack({f"policy.{name}": tensor for name, tensor in policy.state_dict().items()})
        name = f"{step}.safetensors"
        write_bytes(self.folder / name, data)
        self.pool[name] = weights.digest(data)

    def seating(self, step: int, hands: int) -> tuple[npt.NDArray[np.int8], list[Agent]]:
        """Return who sits where in the hands of a step.

        Returns:
            Codes int8 (hands, seats): LEARNER, a kernel agent's code, or -2 - k for outside agent k; then those agents.
        """
        codes = np.full((hands, self.rules.n_seats), LEARNER, dtype=np.int8)
        outside: list[Agent] = []
        mix = self.mix
        # Runs of eight hands, at a table of four, keep dealers and sides balanced; spread over the batch, both halves
        # carry as much.
        run = 2 * self.rules.n_seats
        n_past = round(mix.past * hands / run) * run if self.pool else 0
        n_scripted = round(mix.scripted * hands / run) * run
        order = np.argsort(np.arange(hands) // run * 0x9E3779B1 % (1 << 32), kind="stable")
        if n_past:
            agent = self._past(step)
            outside.append(agent)
            self._give(codes, order[:n_past], -2)
        if n_scripted:
            scripted = self._scripted[step % len(self._scripted)]
            code = int(getattr(scripted, "code", -1))
            if code < 0:
                outside.append(scripted)
                code = -1 - len(outside)
            self._give(codes, order[n_past : n_past + n_scripted], code)
        return codes, outside

    @staticmethod
    def _give(codes: npt.NDArray[np.int8], games: npt.NDArray[np.int64], code: int) -> None:
        """Give an agent the even seats in as many games as there are seats, the odd ones in the next as many."""
        n_seats = codes.shape[1]
        first = games // n_seats % 2
        codes[games] = np.where(np.arange(n_seats) % 2 == first[:, None], code, codes[games])

    def _past(self, step: int) -> PolicyAgent:
        names = list(self.pool)[-self.mix.pool_size :]
        bits = np.random.Philox(key=[self.seed, _SALT_PAST], counter=[step, 0, 0, 0])
        name = names[int(np.random.Generator(bits).integers(len(names)))]
        if name not in self._agents:
            path = self.folder / name
            network = PolicyNetwork(self.shape)
            data = weights.read_file(self.folder, name, {"files": self.pool})
            weights.fill(network, weights.unpack(data, path), "policy.", path)
            self._agents[name] = PolicyAgent(network.eval(), self.rules, temperature=1.0, name=f"past self {name}")
        return self._agents[name]


def check_scripted(names: Sequence[str]) -> None:
    """Refuse names of agents that cannot be made.

    Raises:
        AgentError: there is no such agent.
        RecipeError: no name is given.
    """
    if not names:
        raise RecipeError("a list of agents is empty; name one at least")
    for name in names:
        make(name)
