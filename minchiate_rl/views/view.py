"""Views in batches and the critic's states, as packed words, dense vectors and tokens.

All of it is read out of the rows that `game.engine.observe` writes; nothing here looks at a hand.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from minchiate_rl.game.engine.batch import output
from minchiate_rl.game.engine.expand import encode_mask_slice
from minchiate_rl.game.engine.layout import V_LEGAL
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.views import encoding
from minchiate_rl.views.seen import View

__all__ = ["States", "View", "Views"]


class Views:
    """The views of many seats, one a row: what agents are given to decide on.

    `words` is uint64 (M, V); its columns are named in game/engine/layout.py.
    """

    def __init__(self, words: npt.NDArray[np.uint64], rules: RuleSet) -> None:
        self.words = words
        self.rules = rules

    def __len__(self) -> int:
        """Return M, the number of views."""
        return len(self.words)

    def __getitem__(self, i: int) -> View:
        """Return one view."""
        return View(self.words[i], self.rules)

    def __iter__(self) -> Iterator[View]:
        """Iterate over the views, one by one."""
        return (self[i] for i in range(len(self)))

    def encode(self, out: npt.NDArray[np.float32] | None = None) -> npt.NDArray[np.float32]:
        """Return the dense observations, float32 (M, D), about -1 to 1; `encoding.slices_of` names the parts."""
        out = output(out, (len(self), encoding.observation_size(self.rules)), np.float32)
        encoding.encode_dense_slice(self.words, out, 0, len(self))
        return out

    def tokens(self, out: npt.NDArray[np.int16] | None = None) -> npt.NDArray[np.int16]:
        """Return the active features as token numbers, int16 (M, T), packed left and padded with 0."""
        out = output(out, (len(self), encoding.max_tokens(self.rules)), np.int16)
        encoding.encode_tokens_slice(self.words, out, 0, len(self))
        return out

    def legal_mask(self, out: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool (M, num_actions); `done` alone for a seat that is not to act."""
        out = output(out, (len(self), self.rules.num_actions), np.bool_)
        encode_mask_slice(self.words, V_LEGAL, out.view(np.int8), 0, len(self))
        return out


class States:
    """Views with the truth about the hidden cards beside them: the input of critics, never of policies.

    It is not a `Views`, and no agent takes it. `words` is uint64 (M, S).
    """

    def __init__(self, words: npt.NDArray[np.uint64], rules: RuleSet) -> None:
        self.words = words
        self.rules = rules

    def __len__(self) -> int:
        """Return M, the number of states."""
        return len(self.words)

    def tokens(self, out: npt.NDArray[np.int16] | None = None) -> npt.NDArray[np.int16]:
        """Return the active features as token numbers, int16 (M, T), packed left and padded with 0."""
        out = output(out, (len(self), encoding.max_state_tokens(self.rules)), np.int16)
        encoding.encode_state_tokens_slice(self.words, out, 0, len(self))
        return out

    def encode(self) -> npt.NDArray[np.float32]:
        """Return the dense form, float32 (M, D): the observation, then the hidden cards.

        One plane of 97 each: the true hands of the next seat and of those after it, the fola, and the
        discards of the cutter and of the dealer.
        """
        dense = np.empty((len(self), encoding.state_size(self.rules)), dtype=np.float32)
        encoding.encode_state_slice(self.words, dense, 0, len(self))
        return dense
