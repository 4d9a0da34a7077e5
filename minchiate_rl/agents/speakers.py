"""The rule player with a part of its speech taken away: what is told, and what is heeded, can be measured apart.

Where nobody speaks both are the rule player. At Piedicavallo `deaf` tells the same facts and heeds none, `mute` neither
tells nor heeds any; the cards that they play are chosen by the same rules.
"""

from typing import Any, Final

from minchiate_rl.agents.base import KernelAgent
from minchiate_rl.agents.heuristic import choose_heuristic
from minchiate_rl.agents.pairs import choose_pairs
from minchiate_rl.game.engine.bits import U
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import V_FORM
from minchiate_rl.game.forms import GAMES

_PIEDICAVALLO: Final = list(GAMES).index("piedicavallo")


@kernel
def choose_unheeding(views, j, word, speaks):  # type: ignore[no-untyped-def]
    """Return the action of the rule player that heeds no speech, for view row j; `speaks`: whether it tells facts."""
    if (views[j, V_FORM] >> U(56)) == U(_PIEDICAVALLO):
        return choose_pairs(views, j, False, speaks)
    return choose_heuristic(views, j, word)


@kernel
def act_deaf(views, words, out):  # type: ignore[no-untyped-def]
    """Fill `out` with an action for each view row."""
    for j in range(len(out)):
        out[j] = choose_unheeding(views, j, words[j], True)


@kernel
def act_mute(views, words, out):  # type: ignore[no-untyped-def]
    """Fill `out` with an action for each view row."""
    for j in range(len(out)):
        out[j] = choose_unheeding(views, j, words[j], False)


class DeafAgent(KernelAgent):
    """The rule player that tells its facts and heeds nobody's."""

    name = "deaf"
    code = 3

    def kernel(self) -> Any:
        """Return the kernel over a batch of views."""
        return act_deaf


class MuteAgent(KernelAgent):
    """The rule player that tells nothing and heeds nobody."""

    name = "mute"
    code = 4

    def kernel(self) -> Any:
        """Return the kernel over a batch of views."""
        return act_mute
