"""Who plays: agents that answer a batch of views with a batch of actions.

    make: an agent from a spec such as "heuristic" or "policy:PATH,temperature=1".
    register: name an agent of your own.
    describe: every agent that there is, with its options.

Neither numba nor torch is loaded before an agent that needs it is made.
"""

from minchiate_rl.agents.base import Agent, Rng
from minchiate_rl.agents.registry import Entry, Option, describe, make, register

__all__ = ["Agent", "Entry", "Option", "Rng", "describe", "make", "register"]
