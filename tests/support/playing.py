"""Hands played to their end by agents, in the two ways that there are."""

import numpy as np

from minchiate_rl import Batch, agents
from minchiate_rl.agents.fused import advance
from minchiate_rl.game.actions import DONE


def play_by_steps(batch: Batch, *names: str) -> Batch:
    """Play every hand to its end by act and step, which refuses what is not legal; one name for each seat."""
    players = [agents.make(name) for name in names]
    while not batch.done.all():
        act_once(batch, players)
    return batch


def act_once(batch: Batch, players: list) -> None:
    """Let the seat to act in each unfinished hand take one action."""
    actions = np.full(batch.num_games, DONE, dtype=np.int16)
    for seat, player in enumerate(players):
        where = batch.seat == seat
        if where.any():
            actions[where] = player.act(batch.views(where), batch.rng(where))
    batch.step(actions)


def play_fused(batch: Batch, *codes: int) -> Batch:
    """Play every hand to its end inside one kernel; one code for each seat."""
    advance(batch.rows, batch.log, batch.ledger, batch.rules.row, np.array(codes, np.int8), 0, batch.num_games)
    return batch
