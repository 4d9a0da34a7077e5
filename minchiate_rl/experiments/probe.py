"""What this machine can do at best: loops of the same shape as the product's, with everything else left out.

`raw_tricks` is a playout with nothing but a shuffle, following suit and the taking of tricks: no robbing, no discards,
no declarations, no points, no record of anything. `dense_layers` are the matrix products of the networks, without the
sum of tokens, the norms and the optimizer. Rates of the product are told as shares of these.
"""

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from minchiate_rl.game.cards import FIRST_TRUMP, N_CARDS
from minchiate_rl.game.engine.bits import ONE, ZERO, U
from minchiate_rl.game.engine.jit import owning_kernel
from minchiate_rl.game.engine.layout import SUIT_BITS, TRUMP_BITS
from minchiate_rl.game.engine.pick import pick_uniform
from minchiate_rl.game.engine.shuffle import shuffle
from minchiate_rl.game.engine.streams import DOMAIN_SEAT, stream_key, stream_word
from minchiate_rl.game.engine.versicole import with_card, without_card

if TYPE_CHECKING:
    from minchiate_rl.agents.shape import Shape

_HAND_SIZE: Final = 21
_SUIT_SIZE: Final = 14


@owning_kernel
def raw_tricks(hands, seed):  # type: ignore[no-untyped-def]
    """Play hands of 21 tricks at random, following suit; return the plays, and the tricks of seat 0 for use."""
    pack = np.empty(N_CARDS, np.uint8)
    held = np.zeros(8, np.uint64)
    plays, wins = 0, 0
    for hand in range(hands):
        key = stream_key(U(seed), U(hand))
        shuffle(key, pack)
        for seat in range(4):
            w0, w1 = ZERO, ZERO
            for n in range(_HAND_SIZE):
                w0, w1 = with_card(w0, w1, np.int64(pack[seat * _HAND_SIZE + n]))
            held[2 * seat], held[2 * seat + 1] = w0, w1
        leader, counter = 0, ZERO
        for _ in range(_HAND_SIZE):
            winner, best, led = leader, np.int64(-1), np.int64(-1)
            for turn in range(4):
                seat = (leader + turn) & 3
                c0, c1 = held[2 * seat], held[2 * seat + 1]
                if led >= 0:
                    follow = c0 & (SUIT_BITS << U(led * _SUIT_SIZE)) if led < 4 else ZERO
                    if follow != ZERO:
                        c0, c1 = follow, ZERO
                    elif (c1 & TRUMP_BITS) != ZERO:
                        c0 = ZERO
                card = pick_uniform(c0, c1, ZERO, ZERO, stream_word(key, DOMAIN_SEAT, counter))
                counter += ONE
                held[2 * seat], held[2 * seat + 1] = without_card(held[2 * seat], held[2 * seat + 1], card)
                suit = card // _SUIT_SIZE if card < FIRST_TRUMP else 4
                if led < 0:
                    led = suit
                if (suit == led or suit == 4) and card > best:
                    winner, best = seat, card
                plays += 1
            leader = winner
            wins += winner == 0
    return plays, wins


class DenseLayers:
    """The matrix products of a network of that shape, for a batch of rows."""

    def __init__(self, shape: "Shape", rows: int) -> None:
        """Draw inputs and weights."""
        import torch

        generator = torch.Generator().manual_seed(0)
        sizes = [(shape.width, shape.width), (shape.width, shape.width), (shape.width, shape.num_actions)]
        self.weights = [torch.randn(*size, generator=generator).requires_grad_() for size in sizes]
        self.inputs = torch.randn(rows, shape.width, generator=generator).requires_grad_()
        self.ends = torch.randn(rows, shape.num_actions, generator=generator)

    def forward(self) -> Any:
        """Return the outputs."""
        out = self.inputs
        for weight in self.weights:
            out = out @ weight
        return out

    def forward_and_back(self) -> None:
        """Compute the outputs and the gradients of weights and inputs."""
        import torch

        torch.autograd.grad(self.forward(), [self.inputs, *self.weights], self.ends)
