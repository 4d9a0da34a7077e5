"""Counter-based randomness: every word is a function of (seed, hand, domain, counter) and of nothing else.

The mixing function is the finaliser of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
OOPSLA 2014). A hand's key comes from (seed, hand); its n-th word in a domain is the mixed sum of the key and a multiple
of the golden ratio, so that results depend on neither batch size nor thread count nor order.
"""

from typing import Final

import numpy as np

from minchiate_rl.game.engine.bits import ONE, U
from minchiate_rl.game.engine.jit import kernel

#: Domains: the shuffle and the cut; then one for the choices of each seat.
DOMAIN_DEAL: Final = np.uint64(0)
DOMAIN_SEAT: Final = np.uint64(1)

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_MUL_1: Final = np.uint64(0xBF58476D1CE4E5B9)
_MUL_2: Final = np.uint64(0x94D049BB133111EB)
_SALT_SEED: Final = np.uint64(0x2545F4914F6CDD1D)
_SALT_HAND: Final = np.uint64(0xD1342543DE82EF95)


@kernel
def mix(x):  # type: ignore[no-untyped-def]
    """Return the SplitMix64 finaliser of a uint64."""
    x = (x ^ (x >> U(30))) * _MUL_1
    x = (x ^ (x >> U(27))) * _MUL_2
    return x ^ (x >> U(31))


@kernel
def stream_key(seed, hand):  # type: ignore[no-untyped-def]
    """Return the key of a hand from its seed and number (uint64 each)."""
    return mix(mix(seed + _SALT_SEED) + mix(hand * _GOLDEN + _SALT_HAND))


@kernel
def stream_word(key, domain, counter):  # type: ignore[no-untyped-def]
    """Return the word of a domain at a counter (below 2^40) from a hand's key."""
    return mix(key + ((domain << U(40)) + counter + ONE) * _GOLDEN)


@kernel
def bounded(word, n):  # type: ignore[no-untyped-def]
    """Return a number from 0 to n - 1 from a word, n below 2^16; the bias is below n / 2^32."""
    return ((word >> U(32)) * n) >> U(32)
