"""Endings solved exactly, all cards seen: for analysis, for annotating positions, and for search on sampled worlds.

    double_dummy: the values of the positions of a batch.
    solve: the same for rows of hands.
    workspace, value_of_row, values_of_moves: the kernels behind them, for search.

This is no agent: it reads all four hands. An agent may solve worlds that it has sampled, never the true one.
"""

from minchiate_rl.agents.endgame.board import MAX_TRICKS, Work, workspace
from minchiate_rl.agents.endgame.search import NOT_LEGAL, value_of_row, values_of_moves
from minchiate_rl.agents.endgame.solve import Solutions, double_dummy, solve

__all__ = [
    "MAX_TRICKS",
    "NOT_LEGAL",
    "Solutions",
    "Work",
    "double_dummy",
    "solve",
    "value_of_row",
    "values_of_moves",
    "workspace",
]
