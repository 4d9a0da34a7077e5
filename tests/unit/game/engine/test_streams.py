"""Counter-based randomness: fixed words, every argument matters, and nothing looks alike."""

import numpy as np
import pytest

from minchiate_rl.game.engine.bits import U
from minchiate_rl.game.engine.shuffle import MAX_CUT, MIN_CUT, shuffle
from minchiate_rl.game.engine.streams import DOMAIN_DEAL, DOMAIN_SEAT, bounded, mix, stream_key, stream_word

#: The first words of SplitMix64 with seed 0 (the generator's published reference values).
SPLITMIX = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]
GOLDEN = 0x9E3779B97F4A7C15
#: Words of our own streams; they are part of what a seed means, and never change.
KEYS = [0xCC3FCD327B9DF215, 0xADA0B98DDB243651, 0x6DAC1E08BDA707F4, 0xDAA3E4D3EC4840E2]
WORDS = [0x4DBB7AEE0C4867E3, 0x7EFEB560464855DE, 0x9E8FCF7AA7A46B9E]


def key_of(seed, hand):
    return U(stream_key(U(seed), U(hand)))


def word(seed=7, hand=3, domain=DOMAIN_SEAT, counter=0):
    return int(stream_word(key_of(seed, hand), U(domain), U(counter)))


def test_the_mixer_is_that_of_splitmix64():
    assert [int(mix(U(GOLDEN * n % 2**64))) for n in (1, 2, 3, 4)] == SPLITMIX


def test_words_are_those_of_the_version_before():
    keys = [int(key_of(seed, hand)) for seed, hand in ((0, 0), (0, 1), (1, 0), (2**64 - 1, 2**40))]
    assert keys == KEYS
    assert [word(counter=n) for n in range(3)] == WORDS


def test_every_argument_matters():
    changed = [{"seed": 8}, {"hand": 4}, {"domain": DOMAIN_SEAT + U(1)}, {"counter": 1}, {"domain": DOMAIN_DEAL}]
    assert len({word(), *(word(**change) for change in changed)}) == 6
    assert word(seed=3, hand=7) != word(seed=7, hand=3)


def test_words_of_neighbours_share_half_their_bits():
    draws = np.random.default_rng(0).integers(0, 1000, (400, 2))
    for change in ({"counter": 1}, {"hand": 1}, {"seed": 1}, {"domain": 1}):
        apart = []
        for seed, hand in draws.tolist():
            place = {"seed": seed, "hand": hand, "counter": 5, "domain": 1}
            moved = {name: value + change.get(name, 0) for name, value in place.items()}
            apart.append((word(**place) ^ word(**moved)).bit_count())
        assert np.mean(apart) == pytest.approx(32.0, abs=1.0)


@pytest.mark.parametrize("n", [1, 2, 3, 21, 97])
def test_bounded_numbers_are_even(n):
    counts = np.bincount([int(bounded(U(word(counter=k)), U(n))) for k in range(3000)], minlength=n)
    assert len(counts) == n
    expected = 3000 / n
    assert ((counts - expected) ** 2 / expected).sum() <= n + 4.5 * np.sqrt(2 * n)
    assert bounded(U(2**64 - 1), U(n)) == n - 1


def shuffled(seed, hand):
    pack = np.empty(97, dtype=np.uint8)
    cut = int(shuffle(key_of(seed, hand), pack))
    return pack.tolist(), cut


def test_a_shuffle_is_a_pack_and_an_allowed_cut():
    cuts = set()
    for hand in range(600):
        pack, cut = shuffled(1, hand)
        assert sorted(pack) == list(range(97))
        assert MIN_CUT <= cut <= MAX_CUT
        cuts.add(cut)
    assert {MIN_CUT, MAX_CUT} <= cuts
    assert shuffled(1, 0) == shuffled(1, 0)
    assert shuffled(1, 0) != shuffled(1, 1)


def test_every_card_comes_to_every_place_as_often():
    places = np.array([shuffled(2, hand)[0] for hand in range(4000)])
    for place in (0, 1, 48, 95, 96):
        counts = np.bincount(places[:, place], minlength=97)
        expected = 4000 / 97
        assert ((counts - expected) ** 2 / expected).sum() < 96 + 4.5 * np.sqrt(2 * 96)
