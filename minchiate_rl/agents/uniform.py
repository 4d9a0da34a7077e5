"""The random agent: every legal action with the same chance, as in the playouts of the engine."""

from typing import Any

from minchiate_rl.agents.base import KernelAgent
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import V_LEGAL
from minchiate_rl.game.engine.pick import pick_uniform


@kernel
def choose_uniform(views, j, word):  # type: ignore[no-untyped-def]
    """Return the action that a random word picks among the legal ones of view row j."""
    return pick_uniform(views[j, V_LEGAL], views[j, V_LEGAL + 1], views[j, V_LEGAL + 2], views[j, V_LEGAL + 3], word)


@kernel
def act_uniform(views, words, out):  # type: ignore[no-untyped-def]
    """Fill `out` with an action for each view row."""
    for j in range(len(out)):
        out[j] = choose_uniform(views, j, words[j])


class RandomAgent(KernelAgent):
    """Plays every legal action with the same chance: the zero of every scale of strength."""

    name = "random"
    code = 0

    def kernel(self) -> Any:
        """Return the kernel over a batch of views."""
        return act_uniform
