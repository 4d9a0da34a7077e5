"""The opponent mix: latest self, past selves from a pool, scripted agents, partners from the pool; and who sits where.

Latest against latest overfits to itself, so in a share of the hands every second seat, which is one side where there
are two, is somebody else; and in a share of them one seat alone is a past self, as a partner whose habits are not one's
own. Only the learner's seats are learned from. Which seats the learner has alternates from hand to hand, and so do the
dealers.
"""

import dataclasses
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents import make, weights
from minchiate_rl.agents.base import Agent
from minchiate_rl.agents.network import PolicyNetwork, arrays_of, fill, tensors_of
from minchiate_rl.agents.policy import PolicyAgent
from minchiate_rl.agents.shape import Shape
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.training.checkpoint import POOL, write_bytes
from minchiate_rl.training.table import LEARNER

_SALT_PAST: Final = 0x706F6F6C
_SALT_PARTNER: Final = 0x70617274


@dataclasses.dataclass(frozen=True)
class Mix:
    """Shares of the hands in which somebody sits at the table who is not the latest self."""

    past: float = 0.0
    """Every second seat is a past self."""
    scripted: float = 0.0
    """Every second seat is a scripted agent."""
    names: tuple[str, ...] = ()
    """The scripted agents, used in turn from step to step."""
    pool_size: int = 20
    """How many of the newest past selves are drawn from."""
    partner: float = 0.0
    """One seat is a past self: the partner of one seat of the learner, the opponent of two."""
    temperature: float = 1.0
    """How past selves play: 1 draws by their own probabilities, 0 plays their best action."""


@dataclasses.dataclass(frozen=True)
class Seating:
    """Who sits where in the hands of a step."""

    codes: npt.NDArray[np.int8]
    """int8 (hands, seats): LEARNER, a kernel agent's code, or -2 - k for outside agent k."""
    outside: list[Agent]
    """The agents that no kernel plays."""
    hands: dict[str, int]
    """Hands by kind: latest, past, scripted, partner."""


class League:
    """The pool of past selves in a run's folder, and the seating of each batch."""

    def __init__(self, run: Path, rules: RuleSet, shape: Shape, seed: int) -> None:
        """Take a run's folder, to which snapshots are written; nothing is drawn but by (seed, step)."""
        self.folder = run / POOL
        self.rules, self.shape, self.seed = rules, shape, seed
        self.pool: dict[str, str] = {}
        self._agents: dict[str, PolicyAgent] = {}
        self._scripted: dict[str, Agent] = {}

    def snapshot(self, step: int, policy: PolicyNetwork) -> None:
        """Add the policy as it is to the pool.

        Raises:
            RunError: the folder cannot be written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        data = weights.pack({f"policy.{name}": array for name, array in arrays_of(policy.state_dict()).items()})
        name = f"{step}.safetensors"
        write_bytes(self.folder / name, data)
        self.pool[name] = weights.digest(data)

    def seating(self, step: int, hands: int, mix: Mix) -> Seating:
        """Return who sits where in the hands of a step.

        Args:
            step: the step, by which past selves are drawn and scripted agents take turns.
            hands: the number of hands.
            mix: the shares. Without a pool there are no past selves.
        """
        codes = np.full((hands, self.rules.n_seats), LEARNER, dtype=np.int8)
        outside: list[Agent] = []
        # Runs of eight hands, at a table of four, keep dealers and sides balanced; spread over the batch, both halves
        # carry as much.
        run = 2 * self.rules.n_seats
        order = np.argsort(np.arange(hands) // run * 0x9E3779B1 % (1 << 32), kind="stable")
        counts = {
            "past": round(mix.past * hands / run) * run if self.pool else 0,
            "scripted": round(mix.scripted * hands / run) * run,
            "partner": round(mix.partner * hands / run) * run if self.pool else 0,
        }
        first = 0
        for kind, count in counts.items():
            games = order[first : first + count]
            counts[kind], first = len(games), first + len(games)
            if len(games):
                give = self._give_one if kind == "partner" else self._give
                give(codes, games, self._code(self._who(kind, step, mix), outside))
        return Seating(codes, outside, {"latest": hands - first, **counts})

    def _who(self, kind: str, step: int, mix: Mix) -> Agent:
        if kind == "scripted":
            name = mix.names[step % len(mix.names)]
            if name not in self._scripted:
                self._scripted[name] = make(name)
            return self._scripted[name]
        return self._past(step, mix, _SALT_PARTNER if kind == "partner" else _SALT_PAST)

    @staticmethod
    def _code(agent: Agent, outside: list[Agent]) -> int:
        """Return the code that seats an agent; one that runs in no kernel is added to those outside."""
        code = int(getattr(agent, "code", -1))
        if code >= 0:
            return code
        outside.append(agent)
        return -1 - len(outside)

    @staticmethod
    def _give(codes: npt.NDArray[np.int8], games: npt.NDArray[np.int64], code: int) -> None:
        """Give an agent the even seats in as many games as there are seats, the odd ones in the next as many."""
        n_seats = codes.shape[1]
        first = games // n_seats % 2
        codes[games] = np.where(np.arange(n_seats) % 2 == first[:, None], code, codes[games])

    @staticmethod
    def _give_one(codes: npt.NDArray[np.int8], games: npt.NDArray[np.int64], code: int) -> None:
        """Give an agent one seat of each game, every seat in turn, and every place from the dealer on in turn."""
        n_seats = codes.shape[1]
        codes[games, (games + games // n_seats) % n_seats] = code

    def _past(self, step: int, mix: Mix, salt: int) -> PolicyAgent:
        names = list(self.pool)[-mix.pool_size :]
        bits = np.random.Philox(key=[self.seed, salt], counter=[step, 0, 0, 0])
        name = names[int(np.random.Generator(bits).integers(len(names)))]
        if name not in self._agents:
            path = self.folder / name
            network = PolicyNetwork(self.shape)
            data = weights.read_file(self.folder, name, {"files": self.pool})
            fill(network, tensors_of(weights.unpack(data, path)), "policy.", path)
            self._agents[name] = PolicyAgent(network.eval(), self.rules, name=f"past self {name}")
        self._agents[name].temperature = mix.temperature
        return self._agents[name]
