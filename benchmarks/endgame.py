"""Time the endgame solver on positions of the classic game, reached by heuristic and by random play.

    python benchmarks/endgame.py [--tricks 4 5 6 7] [--positions 200] [--seed 1] [--moves]

A row of the table is one kind of position: from the lead to a trick on, with so many tricks left. The times are
those of the processor, for one position alone; `nodes` is the mean number of positions looked at. With `--moves` the
value of every legal card is found, not that of the position alone.
"""

import argparse
import time

import numpy as np

from minchiate_rl import Batch
from minchiate_rl.agents.endgame.board import F_NODES, workspace
from minchiate_rl.agents.endgame.solve import value_moves, value_rows
from minchiate_rl.agents.fused import HEURISTIC, RANDOM, advance
from minchiate_rl.game.cards import N_CARDS
from minchiate_rl.game.engine.layout import DECISION, ON_TABLE, TRICK

_PLAYERS = {"heuristic": HEURISTIC, "random": RANDOM}


def endings(num_games: int, seed: int, code: int, tricks: int) -> Batch:
    """Return hands that a kernel agent has played up to the lead with so many tricks left."""
    played = Batch("classic", num_games, seed=seed)
    hands = played.copy()
    rule = played.rules.row
    advance(played.rows, played.log, played.ledger, rule, np.full(4, code, np.int8), 0, num_games)
    games = np.arange(num_games)
    kept = hands.copy()
    while not hands.done.all():
        rows = hands.rows
        there = (rows[:, TRICK] == hands.rules.n_tricks - tricks) & (rows[:, ON_TABLE] == 0)
        kept.rows[there] = rows[there]
        hands.step(played.log[games, np.minimum(rows[:, DECISION], played.log.shape[1] - 1)].astype(np.int64))
    return kept


def timed(batch: Batch, tricks: int, moves: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the seconds that each position takes, and how many positions are looked at."""
    work = workspace(batch.rules.row, tricks)
    kernel = value_moves if moves else value_rows
    out = np.empty((1, N_CARDS) if moves else 1, dtype=np.int16)
    kernel(work, batch.rows[:1], out)
    seconds, nodes = np.empty(batch.num_games), np.empty(batch.num_games)
    for i in range(batch.num_games):
        row = batch.rows[i : i + 1]
        started = time.process_time()
        kernel(work, row, out)
        seconds[i], nodes[i] = time.process_time() - started, work.fixed[F_NODES]
    return seconds, nodes


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tricks", type=int, nargs="+", default=[4, 5, 6, 7])
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--moves", action="store_true", help="the value of every legal card")
    options = parser.parse_args()
    print(f"{'tricks':>6} {'played by':>10} {'mean ms':>9} {'median ms':>9} {'90% ms':>9} {'longest':>9} {'nodes':>10}")
    for tricks in options.tricks:
        for name, code in _PLAYERS.items():
            batch = endings(options.positions, options.seed, code, tricks)
            seconds, nodes = timed(batch, tricks, options.moves)
            ms = seconds * 1000
            times = f"{ms.mean():9.3f} {np.median(ms):9.3f} {np.quantile(ms, 0.9):9.3f} {ms.max():9.3f}"
            print(f"{tricks:6} {name:>10} {times} {nodes.mean():10.0f}", flush=True)


if __name__ == "__main__":
    main()
