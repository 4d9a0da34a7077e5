"""What holds in every hand at every decision, whoever plays."""

import numpy as np
import pytest

from minchiate_rl import Batch, ruleset
from minchiate_rl.agents.fused import choose
from minchiate_rl.game.cards import N_CARDS, UNDISCARDABLE, VALUES
from minchiate_rl.game.engine import layout as at
from minchiate_rl.game.seats import Phase

CLASSIC = ruleset("classic")
HANDS = 300
SETS = [at.HAND, at.HAND + 2, at.HAND + 4, at.HAND + 6, at.PILE, at.PILE + 2, at.FOLA, at.DISCARD, at.DISCARD + 2]
BITS = np.arange(64, dtype=np.uint64)


def members(batch, column):
    """Return the set at a column as bool (B, 97)."""
    low = (batch.rows[:, column, None] >> BITS[:56]) & np.uint64(1)
    high = (batch.rows[:, column + 1, None] >> BITS[:41]) & np.uint64(1)
    return np.concatenate([low, high], axis=1).astype(bool)


def table(batch):
    cards = np.zeros((batch.num_games, N_CARDS), dtype=bool)
    for seat in range(4):
        card = (batch.rows[:, at.TABLE] >> np.uint64(8 * seat)) & np.uint64(0xFF)
        rows = np.flatnonzero(card != at.NO_CARD)
        cards[rows, card[rows].astype(int)] = True
    return cards


def steps(rules, code, hands=HANDS, seed=5):
    """Yield a batch before its first decision, after each one, and at the end."""
    batch = Batch(rules, hands, seed=seed)
    scratch = np.zeros((1, at.V), dtype=np.uint64)
    yield batch
    while not batch.done.all():
        seats = batch.seat
        actions = np.full(hands, -1, dtype=np.int16)
        for i in np.flatnonzero(seats >= 0):
            actions[i] = choose(batch.rows, i, int(seats[i]), rules.row, code, scratch)
        batch.step(actions)
        yield batch


PLAYERS = pytest.mark.parametrize("code", [0, 1, 2], ids=["random", "greedy", "heuristic"])


@PLAYERS
def test_every_card_is_in_one_place(code):
    for batch in steps(CLASSIC, code):
        count = table(batch).astype(int)
        for column in SETS:
            count += members(batch, column)
        assert (count == 1).all()


@PLAYERS
def test_the_game_is_sound_at_every_decision(code):
    worthless = np.array([card not in UNDISCARDABLE for card in range(N_CARDS)])
    before = None
    for batch in steps(CLASSIC, code):
        mask = batch.legal_mask()
        assert np.array_equal(mask.any(axis=1), ~batch.done)
        # Nothing that counts is laid away, as long as something else is held; with 13 robbed cards there always is.
        gone = members(batch, at.DISCARD) | members(batch, at.DISCARD + 2) | members(batch, at.FOLA)
        assert not (gone & ~worthless).any()
        held = members(batch, at.HAND)
        assert (batch.score >= 0).all()
        assert (np.abs(batch.lead) < 60).all()
        assert np.array_equal(batch.net.sum(axis=1), np.zeros(HANDS))
        assert np.array_equal(batch.balance, -batch.balance.transpose(0, 2, 1))
        assert np.array_equal(batch.tricks.sum(axis=1), batch.trick)
        if before is not None:
            assert (batch.score >= before).all()
        before = batch.score
        assert held.shape == (HANDS, N_CARDS)


@PLAYERS
def test_a_seat_follows_suit_where_it_can(code):
    for batch in steps(CLASSIC, code):
        mask = batch.legal_mask()
        for i in np.flatnonzero((batch.phase == Phase.PLAY) & (batch.rows[:, at.LED] < np.uint64(4))):
            led, seat = int(batch.rows[i, at.LED]), int(batch.seat[i])
            hand = int(batch.rows[i, at.HAND + 2 * seat])
            follow = {card for card in range(14 * led, 14 * led + 14) if hand >> card & 1}
            legal = set(map(int, np.flatnonzero(mask[i]))) - {96}
            if follow:
                assert legal <= follow
                assert legal == follow or legal == {14 * led + 13}


@PLAYERS
def test_a_finished_hand_adds_up(code):
    *_, batch = steps(CLASSIC, code)
    assert (batch.phase == Phase.OVER).all()
    assert np.array_equal(batch.tricks.sum(axis=1), np.full(HANDS, 21))
    values = np.array(VALUES)
    piles = np.stack([members(batch, at.PILE), members(batch, at.PILE + 2)], axis=1)
    assert np.array_equal(piles.sum(axis=2), 4 * batch.tricks)
    assert ((piles * values).sum(axis=(1, 2)) == 142).all()
    out = sum(members(batch, column) for column in (at.FOLA, at.DISCARD, at.DISCARD + 2))
    assert (out.sum(axis=1) == 13).all()
    for i in range(HANDS):
        entries = batch.entries(i)
        assert [sum(points for _, s, points in entries if s == side) for side in (0, 1)] == batch.score[i].tolist()
        assert sum(points for item, _, points in entries if item == 8) == 142
        assert [points for item, _, points in entries if item == 6] == [10]
        assert all(points > 0 for _, _, points in entries)
        items = [item for item, _, _ in entries]
        assert items == sorted(items)


@pytest.mark.parametrize("memory", ["perfect", "own_tricks", "table"])
def test_memory_changes_what_is_seen_and_not_what_happens(memory):
    plain, other = Batch(CLASSIC, 64, seed=2), Batch(CLASSIC.replace(memory=memory), 64, seed=2)
    plain.playout()
    other.playout()
    assert np.array_equal(plain.rows, other.rows)
    assert np.array_equal(plain.log, other.log)
