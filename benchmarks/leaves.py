"""What perfect-information Monte Carlo does with other leaves than playouts by the heuristic: a match against it.

    python benchmarks/leaves.py exact [--tricks 4] [--worlds 30] [--deals 100]
    python benchmarks/leaves.py critic --run runs/champion-2 [--worlds 30] [--deals 100]
    python benchmarks/leaves.py random [--worlds 30] [--deals 100]

`exact` plays a world on by the heuristic until few tricks are left and solves these with all hands seen; `critic` asks
a run's critic what the position after a move is worth, and plays nothing on; `random` plays on at random. The opponent
is the heuristic; the playouts of the anchors are the line `heuristic`. The intervals are of 95%.
"""

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from minchiate_rl import ruleset
from minchiate_rl.agents import suits
from minchiate_rl.agents.endgame.board import Work, workspace
from minchiate_rl.agents.endgame.search import value_of_row
from minchiate_rl.agents.fused import HEURISTIC, choose
from minchiate_rl.agents.heuristic import HeuristicAgent
from minchiate_rl.agents.network import Critic, fill
from minchiate_rl.agents.pimc import PimcAgent
from minchiate_rl.agents.playout import PLAYOUTS, Player
from minchiate_rl.game.engine.jit import kernel, owning_kernel
from minchiate_rl.game.engine.layout import NOBODY, SCORE, SEAT, TRICK, V_LEGAL, V_SPEECH, S
from minchiate_rl.game.engine.observe import observe_state
from minchiate_rl.game.engine.step import apply
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.matches.match import play_match
from minchiate_rl.training import checkpoint
from minchiate_rl.views import encoding

_RESTO = 60.0


@owning_kernel
def solved_ends(rows, log, ledger, rule, work, last, n):  # type: ignore[no-untyped-def]
    """Play n rows on by the heuristic up to trick `last`, and mark what perfect play brings from there."""
    view = np.zeros((1, V_SPEECH), np.uint64)
    for i in range(n):
        while rows[i, SEAT] != NOBODY and rows[i, TRICK] < last:
            apply(rows, log, ledger, i, rule, choose(rows, i, np.int64(rows[i, SEAT]), rule, HEURISTIC, view))
        if rows[i, SEAT] != NOBODY:
            value = value_of_row(work, rows, i)
            rows[i, SCORE if value > 0 else SCORE + 1] += np.uint64(abs(value))


class ExactEnd:
    """Solves the last tricks with all hands seen."""

    def __init__(self, rules: RuleSet, tricks: int) -> None:
        self.tricks = tricks
        self.work: Work = workspace(rules.row, tricks)

    def finish(
        self,
        rows: npt.NDArray[np.uint64],
        log: npt.NDArray[np.uint8],
        ledger: npt.NDArray[np.uint32],
        rules: RuleSet,
        n: int,
    ) -> None:
        """Write the marks at the end of the first n rows."""
        solved_ends(rows, log, ledger, rules.row, self.work, np.uint64(rules.n_tricks - self.tricks), n)


@kernel
def see_all(rows, seats, rule, out):  # type: ignore[no-untyped-def]
    """Write the state of each row as its seat to act has it."""
    for i in range(len(seats)):
        observe_state(rows, i, seats[i], rule, out, i)


class CriticLeaf:
    """Takes a critic's word for the rest of the hand."""

    def __init__(self, run: Path, rules: RuleSet) -> None:
        point = checkpoint.newest(run, rules)
        self.critic = Critic(point.shape)
        fill(self.critic, point.tensors, "critic.", run)

    def finish(
        self,
        rows: npt.NDArray[np.uint64],
        log: npt.NDArray[np.uint8],
        ledger: npt.NDArray[np.uint32],
        rules: RuleSet,
        n: int,
    ) -> None:
        """Write the marks at the end of the first n rows as the critic expects them."""
        going = np.flatnonzero(rows[:n, SEAT] != NOBODY)
        m, seats = len(going), rows[going, SEAT].astype(np.int64)
        states, tokens = np.zeros((m, S), np.uint64), np.zeros((m, encoding.max_tokens(rules)), np.int16)
        see_all(np.ascontiguousarray(rows[going]), seats, rules.row, states)
        own, orders = np.zeros((m, encoding.max_state_tokens(rules)), np.int16), np.zeros(m, np.int8)
        encoding.encode_state_tokens_slice(states, own, 0, m)
        suits.rename(states, np.arange(m), tokens, states[:, V_LEGAL : V_LEGAL + 4].copy(), orders)
        for row, order in enumerate(orders):
            suits.rename_tokens(np.int64(order), own, row)
        with torch.inference_mode():
            values = self.critic.values(torch.from_numpy(own)).numpy()
        gains = np.rint(_RESTO * values).astype(np.int64) * np.where(seats % 2 == 0, 1, -1)
        rows[going, SCORE] += np.maximum(gains, 0).astype(np.uint64)
        rows[going, SCORE + 1] += np.maximum(-gains, 0).astype(np.uint64)


def main() -> None:
    """Play the match and print its mean."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("leaf", choices=["exact", "critic", *PLAYOUTS])
    parser.add_argument("--run", type=Path, help="the run whose critic is asked")
    parser.add_argument("--tricks", type=int, default=4, help="tricks that are solved")
    parser.add_argument("--worlds", type=int, default=30)
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rules = ruleset("classic")
    leaf: str | Player = options.leaf
    if options.leaf == "exact":
        leaf = ExactEnd(rules, options.tricks)
    elif options.leaf == "critic":
        if options.run is None:
            parser.error("critic needs --run")
        leaf = CriticLeaf(options.run, rules)
    search = PimcAgent(options.worlds, playout=leaf)
    result = play_match(search, HeuristicAgent(), rules=rules, deals=options.deals, seed=options.seed)
    low, high = result.interval or (float("nan"), float("nan"))
    print(
        f"pimc of {options.worlds} worlds, leaf {options.leaf}, over heuristic: {result.mean_difference:+.1f} ", end=""
    )
    print(f"({low:+.1f} to {high:+.1f}), {options.deals} deals")


if __name__ == "__main__":
    main()
