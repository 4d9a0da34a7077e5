"""What an agent is, and the randomness that it gets.

An agent sees views and nothing else. It answers a whole batch at once, and its answers depend on neither the size nor
the order of the batch: all its chance comes from the words that come with the views, one a decision, which are a
function of (seed, hand, seat, decision).
"""

import abc
import dataclasses
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from minchiate_rl.errors import AgentError

if TYPE_CHECKING:
    from minchiate_rl.views.view import Views

Words = npt.NDArray[np.uint64]

_GOLDEN: Final = 0x9E3779B97F4A7C15
_MUL_1: Final = np.uint64(0xBF58476D1CE4E5B9)
_MUL_2: Final = np.uint64(0x94D049BB133111EB)


class HasWords(Protocol):
    """Anything that carries random words, such as what `Batch.rng` returns."""

    @property
    def words(self) -> Words:
        """Random words, uint64 (M,), one for each view of the batch."""
        ...


@dataclasses.dataclass(frozen=True)
class Rng:
    """Random words, one a decision, and further draws made from them."""

    words: Words
    """uint64 (M,)."""

    def draw(self, index: int) -> Words:
        """Return draw `index` (from 0) of each word, uint64 (M,): the finaliser of SplitMix64 over word and index."""
        x = self.words + np.uint64((index + 1) * _GOLDEN % 2**64)
        x = (x ^ (x >> np.uint64(30))) * _MUL_1
        x = (x ^ (x >> np.uint64(27))) * _MUL_2
        return np.asarray(x ^ (x >> np.uint64(31)), dtype=np.uint64)

    def uniform(self, index: int = 0) -> npt.NDArray[np.float64]:
        """Return the draw of that number as float64 (M,), at least 0 and below 1."""
        return np.asarray((self.draw(index) >> np.uint64(11)).astype(np.float64) * 2.0**-53)


@runtime_checkable
class Agent(Protocol):
    """Who plays. `name` is the spec that the agent was made from."""

    name: str

    def act(self, views: "Views", rng: HasWords) -> npt.NDArray[np.int16]:
        """Return a legal action for each view.

        Args:
            views: M views of seats that are to act; where nobody is, the answer is `done` and has no effect.
            rng: words uint64 (M,), aligned with the views.

        Returns:
            int16 (M,), action numbers of `minchiate_rl.game.actions`.
        """
        ...


class KernelAgent(abc.ABC):
    """An agent that is one kernel over views, and that a fused loop can call by its code (`agents.fused`)."""

    name: str = ""
    code: int = -1

    def act(self, views: "Views", rng: HasWords) -> npt.NDArray[np.int16]:
        """Return a legal action for each view, int16 (M,)."""
        words = np.ascontiguousarray(rng.words, dtype=np.uint64)
        if words.shape != (len(views.words),):
            raise AgentError(f"{len(views.words)} views need as many random words, not an array of shape {words.shape}")
        out = np.empty(len(words), dtype=np.int16)
        self.kernel()(np.ascontiguousarray(views.words), words, out)
        return out

    @abc.abstractmethod
    def kernel(self) -> Any:
        """Return the kernel `(views (M, V), words (M,), out (M,))` that fills `out`, modified in place."""
