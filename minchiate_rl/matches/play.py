"""Playing a batch of hands to its end between agents; matches, self-play and evaluation all play through here.

Agents that run in kernels play inside them, all their turns at once; the others are asked in batches, each for the
views of the seats that are his. One that sees the true deal (`agents.cheater`) gets a copy of the rows instead, here
and nowhere else. Who sits where over a match is the business of a schedule, not of this module.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents import fused
from minchiate_rl.agents.base import Agent
from minchiate_rl.agents.cheater import sees_the_deal
from minchiate_rl.views.batch import Batch


def play(batch: Batch, agents: Sequence[Agent], seating: npt.ArrayLike | None = None) -> None:
    """Play every unfinished hand of a batch to its end.

    Args:
        batch: the hands; modified in place.
        agents: the players, each once or as often as wished.
        seating: int (S,) or (B, S): which of `agents` sits at each absolute seat, for all hands or hand by hand; by
            default agent i sits at seat i.

    Raises:
        ValueError: the seating does not fit the batch and the agents.
        IllegalAction: an agent broke the rules.
    """
    places = _places(batch, len(agents), seating)
    agent_codes = np.array([getattr(agent, "code", fused.WAIT) for agent in agents], dtype=np.int8)
    codes = agent_codes[places]
    rows = np.arange(batch.num_games)
    actions = np.zeros(batch.num_games, dtype=np.int16)
    while True:
        fused.advance(batch.rows, batch.log, batch.ledger, batch.rules.row, codes, 0, batch.num_games)
        seat = batch.seat
        if not (seat >= 0).any():
            return
        turn = np.where(seat >= 0, places[rows, seat], -1)
        for k in map(int, np.flatnonzero(agent_codes == fused.WAIT)):
            where = turn == k
            if where.any():
                actions[where] = answers(agents[k], batch, where)
        batch.step(actions)


def answers(agent: Agent, batch: Batch, where: npt.NDArray[np.bool_]) -> npt.NDArray[np.int16]:
    """Return the agent's action for each hand of `where`, bool (B,)."""
    if sees_the_deal(agent):
        actions: npt.NDArray[np.int16] = agent.act_seeing(batch.rows[where], batch.rules, batch.rng(where))  # type: ignore[attr-defined]
        return actions
    return agent.act(batch.views(where), batch.rng(where))


def _places(batch: Batch, n_agents: int, seating: npt.ArrayLike | None) -> npt.NDArray[np.intp]:
    num_games, n_seats = batch.num_games, batch.rules.n_seats
    chosen = np.arange(n_seats) if seating is None else np.asarray(seating)
    if chosen.shape not in {(n_seats,), (num_games, n_seats)}:
        raise ValueError(f"seating has shape {chosen.shape}; allowed: ({n_seats},) or ({num_games}, {n_seats})")
    if chosen.min(initial=0) < 0 or chosen.max(initial=0) >= n_agents:
        raise ValueError(f"seating names agent {int(chosen.max())}; there are {n_agents}")
    return np.ascontiguousarray(np.broadcast_to(chosen, (num_games, n_seats)), dtype=np.intp)
