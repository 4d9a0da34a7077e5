"""The cheater: sees the true deal, and tries every legal move in it. A yardstick of clairvoyance, and no fair player.

What it is ahead of a search over sampled worlds by is what the hidden cards cost that search (Levy: The Million Pound
Bridge Program, 1989, on what such a player gets wrong: it also knows what nobody can know). Playouts are the
heuristic's, which uses no chance, so one playout a move tells all there is.

Agents get views and nothing else; this one has a door of its own, `act_seeing`, which `matches.play` alone opens.
"""

from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents import fused
from minchiate_rl.agents.base import HasWords
from minchiate_rl.errors import AgentError
from minchiate_rl.game.engine.batch import Hands
from minchiate_rl.game.engine.layout import SEAT
from minchiate_rl.game.rules import RuleSet

if TYPE_CHECKING:
    from minchiate_rl.views.view import Views

#: Rows that are played out at a time: few enough to stay in the processor's cache.
_ROWS: Final = 1024


def sees_the_deal(agent: Any) -> bool:
    """Return whether an agent wants the true deal instead of views."""
    return bool(getattr(agent, "clairvoyant", False))


def refuse(agent: Any, where: str) -> None:
    """Refuse an agent that sees the true deal.

    Args:
        agent: any agent.
        where: who refuses it, as the beginning of the message.

    Raises:
        AgentError: it does see it.
    """
    if sees_the_deal(agent):
        raise AgentError(f"{where}: {agent.name} sees the true deal; only matches and self-play let it")


class CheaterAgent:
    """Plays the move that does best in the true deal if the heuristic plays on at all seats."""

    name = "cheater"
    clairvoyant = True

    def act(self, views: "Views", rng: HasWords) -> NoReturn:
        """Refuse to play by views.

        Raises:
            AgentError: always.
        """
        raise AgentError(
            f"{self.name}: sees the true deal, and only matches and self-play let it; views are too little"
        )

    def act_seeing(self, rows: npt.NDArray[np.uint64], rules: RuleSet, rng: HasWords) -> npt.NDArray[np.int16]:
        """Return the best action for the seat to act in each hand, the lowest number among equals, int16 (M,).

        Args:
            rows: uint64 (M, columns), rows of unfinished hands of any game; not modified.
            rules: their rule set.
            rng: not used.
        """
        table = Hands(rules, len(rows))
        table.rows[:] = rows
        mask = table.legal_mask()
        open_choice = mask & (mask.sum(axis=1) > 1)[:, None]
        games, actions = np.nonzero(open_choice)
        gains = np.empty(len(games))
        for low in range(0, len(games), _ROWS):
            part = slice(low, low + _ROWS)
            gains[part] = _play_out(rows[games[part]], rules, actions[part])
        scores = np.where(mask, 0.0, -np.inf)
        scores[open_choice] = gains
        best: npt.NDArray[np.int16] = scores.argmax(axis=1).astype(np.int16)
        return best


def _play_out(rows: npt.NDArray[np.uint64], rules: RuleSet, actions: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """Return what the side to act is ahead by at the end of each hand after an action, int32 (M,)."""
    table = Hands(rules, len(rows))
    table.rows[:] = rows
    table.step(actions)
    codes = np.full((len(rows), 4), fused.HEURISTIC, np.int8)
    fused.advance(table.rows, table.log, table.ledger, rules.row, codes, 0, len(rows))
    sides = rows[:, SEAT].astype(np.int64) % rules.n_sides
    ahead: npt.NDArray[np.int32] = table.net[np.arange(len(rows)), sides]
    return ahead
