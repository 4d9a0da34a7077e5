"""What holds in every form of the game, whatever the switches and whoever plays: cards, points, accounts, room."""

import numpy as np
import pytest

from minchiate_rl import Batch, ruleset
from minchiate_rl.game.actions import DONE, WITHDRAW
from minchiate_rl.game.cards import N_CARDS, VALUES
from minchiate_rl.game.engine import layout as at
from minchiate_rl.game.piedicavallo.lawbook import points_of
from minchiate_rl.game.rules import SWITCHES
from minchiate_rl.game.seats import Phase
from minchiate_rl.testing import random_rules
from tests.support.stories import rigged_packs

HANDS = 2000
FORMS = ("english", "german", "accademia", "rob_all", "solo", "solo_fola", "three", "two", "mini", "mini_team")
BITS = np.arange(56, dtype=np.uint64)
POINTS = np.array(VALUES)


def members(batch, column):
    """Return the set at a column as bool (B, 97)."""
    low = batch.rows[:, column, None] >> BITS & np.uint64(1)
    high = batch.rows[:, column + 1, None] >> BITS[:41] & np.uint64(1)
    return np.concatenate([low, high], axis=1).astype(bool)


def table(batch):
    """Return the cards on the table as bool (B, 97)."""
    cards = np.zeros((batch.num_games, N_CARDS), dtype=bool)
    for seat in range(batch.rules.n_seats):
        card = batch.rows[:, at.TABLE] >> np.uint64(8 * seat) & np.uint64(0xFF)
        rows = np.flatnonzero(card != at.NO_CARD)
        cards[rows, card[rows].astype(int)] = True
    return cards


def out_of_play(batch):
    """Return the cards in the fola, among the discards, and in hands that are set aside."""
    hands = sum(members(batch, at.HAND + 2 * seat) for seat in range(batch.rules.n_seats))
    return sum(members(batch, column) for column in (at.FOLA, at.DISCARD, at.DISCARD + 2)) + hands


def piles(batch):
    """Return each side's trick pile, bool (B, sides, 97)."""
    return np.stack([members(batch, at.PILE + 2 * side) for side in range(batch.rules.n_sides)], axis=1)


def withdrawn(batch):
    """Return where somebody has withdrawn."""
    return batch.rows[:, at.LEFT] & np.uint64(0xFF) != at.NOBODY


def check_cards(batch):
    """Check where the cards lie when the hands are over, and what they are worth."""
    rules = batch.rules
    won, out = piles(batch), out_of_play(batch)
    pack = np.isin(np.arange(N_CARDS), rules.cards)
    assert (won.sum(axis=1) + out == pack).all()
    in_a_trick = rules.n_seats - withdrawn(batch)
    assert (batch.tricks.sum(axis=1) == rules.n_tricks).all()
    taken = members(batch, at.TAKEN).sum(axis=1) * (rules.pigliare_to == "pile")
    assert (won.sum(axis=(1, 2)) == in_a_trick * rules.n_tricks + taken).all()
    cards = won.sum(axis=2) - taken[:, None] * (np.arange(rules.n_sides) == batch.dealer[:, None] % rules.n_sides)
    assert (cards == in_a_trick[:, None] * batch.tricks).all()
    points = (won.sum(axis=1) * POINTS).sum(axis=1)
    assert (points == (pack * POINTS).sum() - (out * POINTS).sum(axis=1)).all()
    if rules.game == "minchiate" or rules.game == "three":
        assert (points == 142).all()
    return points


def ledger_of(batch):
    """Return the entries as arrays (B, LEDGER): items, sides, points, bits of those that they are marked against."""
    entries = np.where(np.arange(batch.ledger.shape[1]) < batch.rows[:, at.ENTRIES, None], batch.ledger, 0).astype(int)
    return entries >> 24, entries >> 20 & 0xF, entries & 0xFFFF, entries >> 16 & 0xF


def check_accounts(batch, points):
    """Check the entries against marks, balances and resti."""
    rules, sides = batch.rules, range(batch.rules.n_sides)
    items, owners, marks, against = ledger_of(batch)
    assert (batch.rows[:, at.ENTRIES] < batch.ledger.shape[1]).all()
    score = np.stack([(marks * (owners == side)).sum(axis=1) for side in sides], axis=1)
    assert np.array_equal(score, batch.score)
    assert ((marks > 0) == (items > 0)).all()
    assert (marks * (items == 6)).sum(axis=1).tolist() == [10] * batch.num_games
    assert np.array_equal((marks * (items == 8)).sum(axis=1), points)
    assert np.array_equal(batch.net.sum(axis=1), np.zeros(batch.num_games))
    assert np.array_equal(batch.balance, -batch.balance.transpose(0, 2, 1))
    if not rules.form.for_himself:
        assert (batch.resti >= 0).all()
        assert rules.form.counts_resti or not batch.resti.any()
        return
    got = np.stack([[(marks * ((owners == a) & (against >> b & 1 == 1))).sum(axis=1) for b in sides] for a in sides])
    ahead = (got - got.transpose(1, 0, 2)).transpose(2, 0, 1)
    assert np.array_equal(batch.balance, ahead)
    assert np.array_equal(batch.resti, (np.sign(ahead) * -(-np.abs(ahead) // 60)).sum(axis=2))
    assert not batch.resti.sum(axis=1).any()
    assert not batch.lead.any()


def check_finished(batch):
    """Check hands that are over."""
    assert (batch.phase == Phase.OVER).all()
    assert (batch.decision < batch.log.shape[1]).all()
    check_accounts(batch, check_cards(batch))


@pytest.mark.parametrize("form", FORMS)
def test_finished_hands_add_up(form):
    batch = Batch(ruleset(form), HANDS, seed=31)
    batch.playout()
    check_finished(batch)


@pytest.mark.parametrize("game", [game for game in SWITCHES if game not in {"piedicavallo", "sei_tocchi", "palio"}])
def test_finished_hands_add_up_under_random_switches(game):
    name = "classic" if game == "minchiate" else game
    for word in range(40 if game == "minchiate" else 6):
        batch = Batch(random_rules(word, name), 80, seed=word)
        batch.playout()
        check_finished(batch)


@pytest.mark.parametrize("form", ["rob_all", "accademia", "cascare", "solo", "three", "two"])
def test_packs_with_many_cards_to_rob_add_up(form):
    rules = ruleset(form)
    batch = Batch.from_packs(rules, *rigged_packs(rules, 600, np.random.default_rng(32)))
    # More counting cards in a hand than it keeps: the least of them are out of play, and the 142 are less.
    batch.playout()
    assert (batch.decision < batch.log.shape[1]).all()
    points = (piles(batch).sum(axis=1) * POINTS).sum(axis=1)
    assert (points == 142 - (out_of_play(batch) * POINTS).sum(axis=1)).all()
    check_accounts(batch, points)


def random_steps(batch, seed, talkative=False):
    """Play at random, declaring all; yield the batch before the first decision and after each one."""
    chance = np.random.default_rng(seed)
    yield batch
    while not batch.done.all():
        mask = batch.legal_mask()
        weight = np.where(mask, chance.random(mask.shape), -1.0)
        speaking = (batch.phase == Phase.SPEAK) & talkative
        weight[:, DONE] -= 0.9 * ((batch.phase == Phase.DECLARE) | speaking)
        batch.step(weight.argmax(axis=1))
        yield batch


@pytest.mark.parametrize("form", ["english", "accademia", "rob_all", "solo", "solo_fola", "three", "two", "mini_team"])
def test_every_card_is_in_one_place_at_every_decision(form):
    rules = ruleset(form)
    pack = np.isin(np.arange(N_CARDS), rules.cards)
    for batch in random_steps(Batch(rules, 60, seed=33), 33):
        assert (table(batch) + piles(batch).sum(axis=1) + out_of_play(batch) == pack).all()
        assert np.array_equal(batch.legal_mask().any(axis=1), ~batch.done)
        assert np.array_equal(batch.tricks.sum(axis=1), batch.trick)
        assert np.array_equal(batch.net.sum(axis=1), np.zeros(60))
        assert (np.abs(batch.lead) < 60).all() or not rules.midhand_resti
    check_finished(batch)


@pytest.mark.parametrize("speech", ["off", "facts", "full"])
def test_piedicavallo_adds_up(speech):
    batch = Batch(ruleset("piedicavallo").replace(speech=speech), 300 if speech != "off" else HANDS, seed=34)
    batch.playout()
    worth = np.array([points_of(card) for card in range(N_CARDS)])
    won, out = piles(batch), out_of_play(batch)
    pack = np.isin(np.arange(N_CARDS), batch.rules.cards)
    assert (won.sum(axis=1) + out == pack).all()
    assert (out == members(batch, at.DISCARD + 2)).all()
    assert (out.sum(axis=1) == 2).all()
    assert (won.sum(axis=(1, 2)) == 60).all()
    assert (batch.score.sum(axis=1) == 114).all()
    # The discards count for the dealer's side, or where it has no trick for the other.
    rows, side = np.arange(batch.num_games), batch.dealer % 2
    gets = np.where(batch.tricks[rows, side] > 0, side, 1 - side)
    score = (won * worth).sum(axis=2)
    score[rows, gets] += (out * worth).sum(axis=1)
    assert np.array_equal(score, batch.score)
    assert not batch.resti.any()
    assert not batch.rows[:, at.ENTRIES].any()
    assert (batch.decision < batch.log.shape[1]).all()


def test_the_longest_messages_have_room():
    *_, batch = random_steps(Batch(ruleset("piedicavallo"), 12, seed=35), 35, talkative=True)
    said = batch.rows[:, at.SAID]
    assert (batch.decision > 600).all()
    assert (batch.decision < batch.log.shape[1]).all()
    assert (said < 8 * at.TRANSCRIPT_WORDS).all()
    # Cards, items and `done`, in the order of the log behind the two discards.
    for i in range(batch.num_games):
        transcript = batch.rows[i, at.TRANSCRIPT : at.TRANSCRIPT + at.TRANSCRIPT_WORDS].view(np.uint8)
        assert transcript[: int(said[i])].tolist() == batch.actions(i)[2:]


def test_the_longest_auction_has_room():
    rules = ruleset("solo_fola").replace(bid_step=5, bid_limit=500)
    batch = Batch(rules, 50, seed=36)
    while not batch.done.all():
        mask = batch.legal_mask()
        # The eldest withdraws, all bid on, and declare what they can; discards and cards as they come.
        last = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
        cards = (batch.phase == Phase.DISCARD) | (batch.phase == Phase.PLAY)
        batch.step(np.where(batch.phase == Phase.FOLA, WITHDRAW, np.where(cards, mask.argmax(axis=1), last)))
    bids = batch.rows[:, at.BIDS, None] >> np.arange(0, 32, 8, dtype=np.uint64) & np.uint64(0xFF)
    assert (bids.max(axis=1) == 100).all()
    assert ((batch.decision >= 180) & (batch.decision < batch.log.shape[1])).all()
    check_finished(batch)
