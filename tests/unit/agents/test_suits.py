"""The one order of the suits: permuted positions look the same to a network."""

import numpy as np
import numpy.typing as npt
import pytest

from minchiate_rl.agents import make, suits
from minchiate_rl.game.actions import N_ACTIONS
from minchiate_rl.game.cards import FIRST_TRUMP, SUIT_SIZE
from minchiate_rl.game.engine.layout import V_HAND, V_LEGAL, V_TURN
from minchiate_rl.game.rules import ruleset
from minchiate_rl.views import encoding
from minchiate_rl.views.batch import Batch

RULES = ruleset("classic")


def permuted(batch: Batch, places: npt.NDArray[np.int64]) -> Batch:
    """Deal the same hands with suit s in the place of suit places[s]; cards, cut and dealer stay."""
    packs, cuts = zip(*(batch.pack(i) for i in range(batch.num_games)), strict=True)
    cards = np.array(packs)
    plain = cards < FIRST_TRUMP
    moved = places[cards // SUIT_SIZE % 4] * SUIT_SIZE + cards % SUIT_SIZE
    return Batch.from_packs(RULES, np.where(plain, moved, cards), np.array(cuts), batch.dealer)


def renamed(words: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int16]) -> tuple[npt.NDArray[np.int16], ...]:
    legal, orders = words[:, V_LEGAL : V_LEGAL + 4].copy(), np.zeros(len(words), np.int8)
    suits.rename(np.ascontiguousarray(words), np.arange(len(words)), tokens, legal, orders)
    return tokens, legal, orders


def as_sets(tokens: npt.NDArray[np.int16]) -> list[list[int]]:
    return [sorted(row[row > 0].tolist()) for row in tokens]


def is_told_apart(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Return where no two suits have the same cards in the viewer's hand, so that their order is theirs alone."""
    fields = np.stack([words[:, V_HAND] >> np.uint64(14 * s) & np.uint64((1 << 14) - 1) for s in range(4)], axis=1)
    return np.array([len(set(row)) == 4 for row in fields.tolist()])


@pytest.mark.parametrize("places", [[1, 0, 2, 3], [3, 1, 0, 2], [2, 3, 0, 1]])
def test_a_position_with_its_suits_permuted_is_the_same_input_and_answer(places: list[int]) -> None:
    one = Batch(RULES, 48, seed=11)
    two = permuted(one, np.array(places))
    rename = np.arange(N_ACTIONS)
    plain = np.arange(FIRST_TRUMP)
    rename[:FIRST_TRUMP] = np.array(places)[plain // SUIT_SIZE] * SUIT_SIZE + plain % SUIT_SIZE
    compared = 0
    while not one.done.all():
        views, others = one.views(), two.views()
        states, other_states = one.states(), two.states()
        told = is_told_apart(views.words)
        first, second = renamed(views.words, views.tokens()), renamed(others.words, others.tokens())
        third, fourth = renamed(states.words, states.tokens()), renamed(other_states.words, other_states.tokens())
        for a, b in ((first, second), (third, fourth)):
            sets = zip(as_sets(a[0]), as_sets(b[0]), told, strict=True)
            assert all(x == y for x, y, apart in sets if apart)
            assert (a[1] == b[1])[told].all()
        actions = make("random").act(views, one.rng())
        names = suits.renamed_actions(actions, first[2])
        assert (suits.own_actions(names, first[2]) == actions).all()
        assert (suits.own_actions(names, second[2]) == rename[actions])[told].all()
        compared += int(told.sum())
        playing = ~one.done
        moves = np.zeros(48, np.int16)
        moves[playing] = actions
        one.step(moves)
        two.step(rename[moves].astype(np.int16))
    assert compared > 1000


def test_names_are_permutations_and_leave_trumps_and_counts_alone() -> None:
    for order in range(24):
        for table in (suits.TOKEN_NAMES[order], suits.ACTION_NAMES[order]):
            assert sorted(table.tolist()) == list(range(len(table)))
        assert (suits.ACTION_NAMES[order, FIRST_TRUMP:] == np.arange(FIRST_TRUMP, N_ACTIONS)).all()
        for name in ("phase", "trick", "dealer", "winner", "lead", "rules", "n_discards"):
            first, stop, _ = encoding.TOKENS[name]
            assert (suits.TOKEN_NAMES[order, first:stop] == np.arange(first, stop)).all()
    assert len(np.unique(suits.TOKEN_NAMES, axis=0)) == 24


def test_the_suit_led_comes_first_then_the_longest() -> None:
    batch = Batch(RULES, 64, seed=4)
    heuristic = make("heuristic")
    seen = 0
    for _ in range(60):
        views = batch.views()
        led = (views.words[:, V_TURN] >> np.uint64(40) & np.uint64(0xFF)).astype(int)
        orders = renamed(views.words, views.tokens())[2]
        for row in np.flatnonzero(led < 4):
            assert suits.ORDERS[orders[row], led[row]] == 0
            seen += 1
        for row in np.flatnonzero(led >= 4):
            word = int(views.words[row, V_HAND])
            lengths = [(word >> 14 * s & (1 << 14) - 1).bit_count() for s in range(4)]
            by_place = [lengths[s] for s in np.argsort(suits.ORDERS[orders[row]])]
            assert by_place == sorted(lengths, reverse=True)
        batch.step(heuristic.act(views, batch.rng()))
    assert seen > 100
