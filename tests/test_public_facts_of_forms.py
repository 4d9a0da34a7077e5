"""What a form of the game makes public changes the view of those who may know it, and of nobody else.

The facts of docs/rules.md, sections 7, 10 and 13, each changed by hand in a row; what follows from decisions is shown
by taking two different ones at every decision of random hands.
"""

import numpy as np
import pytest

from minchiate_rl import Batch, ruleset
from minchiate_rl.game.actions import ASK_FARLO, BID, DONE, DROP, SAY_HONOUR
from minchiate_rl.game.engine import layout as at
from minchiate_rl.game.rules import SWITCHES, allowed_values
from minchiate_rl.game.seats import Phase
from tests.support.stories import rigged_packs

U = np.uint64
ALL = (0, 1, 2, 3)


def flip(column, bit):
    def change(rows):
        rows[:, column] ^= U(1) << U(bit)

    return change


def put(column, byte, value):
    """Write a byte, or another where it is there already."""

    def change(rows):
        before = rows[:, column] >> U(8 * byte) & U(0xFF)
        after = np.where(before == U(value), U(value ^ 1), U(value))
        rows[:, column] ^= (before ^ after) << U(8 * byte)

    return change


def _other_trump(rows):
    """Let trump 8 lie in the fola in place of trump 7, or the other way: the number stays."""
    rows[:, at.FOLA + 1] ^= U(3) << U(6)


def _move_hidden(rows):
    """Let the next card of a suit lie in the fola in place of another, both unseen: the counts stay."""
    for row in rows:
        fola, public = int(row[at.FOLA]), int(row[at.FOLA_PUBLIC])
        for bit in range(55):
            differ = fola >> bit & 1 != fola >> (bit + 1) & 1
            if bit // 14 == (bit + 1) // 14 and differ and not public >> bit & 3:
                row[at.FOLA] ^= U(3 << bit)
                break


#: Facts by game: what is changed, and who is told. The dealer is seat 0.
FACTS = {
    ("solo", "who has withdrawn"): (put(at.LEFT, 0, 2), ALL),
    ("solo", "how many have answered"): (put(at.LEFT, 3, 3), ALL),
    ("solo", "a trump of the fola"): (flip(at.FOLA + 1, 6), ALL),
    ("solo", "which trump of the fola"): (_other_trump, (0,)),
    ("solo", "the marks of the third"): (flip(at.SCORE + 2, 2), ALL),
    ("solo", "the tricks of the fourth"): (flip(at.TRICKS + 3, 1), ALL),
    ("solo", "the pile of the fourth"): (flip(at.PILE + 7, 9), ALL),
    ("solo", "how far one is ahead of another"): (flip(at.PAIRS + 4, 5), ALL),
    ("solo", "who owes for the Matto"): (put(at.MATTO_STATE, 1, 3), ALL),
    ("solo_fola", "a bid"): (put(at.BIDS, 2, 4), ALL),
    ("solo_fola", "a pass"): (flip(at.BIDS, 33), ALL),
    ("solo_fola", "who bids highest"): (put(at.BIDS, 5, 2), ALL),
    ("solo_fola", "who uses the fola"): (put(at.BIDS, 6, 1), ALL),
    ("solo_fola", "what the eldest chose"): (put(at.BIDS, 7, 2), ALL),
    ("solo_fola", "who has withdrawn"): (put(at.LEFT, 0, 1), ALL),
    ("solo_fola", "a card of the fola that lies"): (_move_hidden, ()),
    ("cascare", "a dropped hand"): (put(at.LEFT, 1, 4), ALL),
    ("cascare", "whose dropped hand is picked from"): (put(at.LEFT, 2, 2), ALL),
    ("cascare", "a card of a dropped hand"): (flip(at.SHOWN + 4, 3), ALL),
    ("rob_all", "a card handed to the dealer"): (flip(at.PASSED, 6), (0, 3)),
    ("rob_all", "a trump handed to the dealer"): (flip(at.PASSED + 1, 6), (0, 3)),
    ("accademia", "a card of the fola, of the same suit"): (_move_hidden, (0, 2)),
    ("two", "a card of the fola"): (_move_hidden, ()),
    ("two", "how many cards lie in the fola"): (flip(at.FOLA, 30), (0, 1)),
    ("three", "the marks of the third"): (flip(at.SCORE + 2, 2), (0, 1, 2)),
    ("mini", "the score"): (flip(at.SCORE, 2), (0, 1)),
    ("piedicavallo", "a plain discard"): (flip(at.DISCARD + 2, 7), (0,)),
    ("piedicavallo", "how many trumps were discarded"): (flip(at.DISCARD + 3, 7), ALL),
    ("piedicavallo", "who played a card"): (flip(at.PLAYED + 2, 7), ALL),
}


def dealt(form, hands=40):
    """Return hands dealt by seat 0 in which nothing is left to be discarded."""
    rules = ruleset(form)
    batch = Batch(rules, hands, seed=9, dealers=np.zeros(hands, dtype=int))
    if form == "solo":
        batch.rows[:, at.FOLA + 1] &= ~U(0xC0)
        batch.rows[:, at.FOLA + 1] |= U(0x40)
    batch.rows[:, at.TO_DISCARD] = U(0)
    return batch


@pytest.mark.parametrize(("form", "fact"), FACTS)
def test_a_fact_changes_the_view_of_those_who_are_told(form, fact):
    change, told = FACTS[form, fact]
    before = dealt(form)
    after = before.copy()
    change(after.rows)
    altered = (before.rows != after.rows).any(axis=1)
    assert altered.mean() > 0.8
    for seat in range(before.rules.n_seats):
        differ = (before.views(seat=seat).words != after.views(seat=seat).words).any(axis=1)
        assert np.array_equal(differ, altered & (seat in told)), seat


@pytest.mark.parametrize("form", ["english", "solo", "two", "mini", "piedicavallo"])
def test_how_the_episode_stands_is_seen_by_all(form):
    before = dealt(form)
    seats = before.rules.n_seats
    resti = np.tile(np.arange(seats), (before.num_games, 1))
    before.tell_match(resti, 2, 12)
    for told in ((resti[:, ::-1], 2, 12), (-resti, 2, 12), (resti, 3, 12), (resti, 2, 4)):
        after = before.copy()
        after.tell_match(*told)
        for seat in range(seats):
            assert (before.views(seat=seat).words != after.views(seat=seat).words).any(axis=1).all()
            assert before.view(0, seat).to_json()["match"] != after.view(0, seat).to_json()["match"]


def _switches():
    """Return every switch of every game that can be varied, with another value than the game's own."""
    for game in SWITCHES:
        if game in {"sei_tocchi", "palio"}:
            continue
        rules = ruleset("classic" if game == "minchiate" else game)
        for switch in SWITCHES[game]:
            values = [value for value in allowed_values(game, switch) if value != getattr(rules, switch)]
            if values:
                yield rules.name, switch, values[-1]


@pytest.mark.parametrize(("form", "switch", "value"), list(_switches()))
def test_every_switch_is_seen(form, switch, value):
    rules = ruleset(form)
    plain, other = Batch(rules, 1, seed=3), Batch(rules.replace(**{switch: value}), 1, seed=3)
    for seat in range(rules.n_seats):
        ours, theirs = plain.view(0, seat), other.view(0, seat)
        assert ours.to_json()["flags"] != theirs.to_json()["flags"]
        assert ours.words[: at.V].tobytes() != theirs.words[: at.V].tobytes()


@pytest.mark.parametrize(("switch", "value"), [("withdraw_fee", 31), ("withdraw_step", 11), ("bid_limit", 190)])
def test_a_small_change_of_an_amount_is_seen(switch, value):
    rules = ruleset("solo" if switch == "withdraw_step" else "solo_fola")
    plain, other = Batch(rules, 1, seed=3), Batch(rules.replace(**{switch: value}), 1, seed=3)
    assert plain.view(0, 0).words.tobytes() != other.view(0, 0).words.tobytes()


#: Hands of each form.
DECISIONS = {
    "english": 60,
    "german": 60,
    "rob_all": 60,
    "solo": 60,
    "solo_fola": 80,
    "three": 40,
    "two": 40,
    "mini": 200,
    "mini_team": 100,
    "piedicavallo": 30,
}
PHASES = {
    "english": {Phase.DISCARD, Phase.DECLARE, Phase.PLAY, Phase.PICK},
    "solo": {Phase.DISCARD, Phase.DECLARE, Phase.PLAY, Phase.WITHDRAW},
    "solo_fola": {Phase.DISCARD, Phase.DECLARE, Phase.PLAY, Phase.FOLA, Phase.BID},
    "mini": {Phase.DECLARE, Phase.PLAY},
    "mini_team": {Phase.DECLARE, Phase.PLAY},
    "piedicavallo": {Phase.DISCARD, Phase.PLAY, Phase.SPEAK},
}


def _told_of_discards(batch, this, that):
    """Return who is told which of two cards was discarded, bool (B, seats)."""
    rules = batch.rules
    seats = np.arange(rules.n_seats)
    told = batch.seat[:, None] == seats
    dealer = batch.dealer[:, None] == seats
    # What goes beyond the fola is handed to the dealer.
    told |= (
        dealer
        & (this.rows[:, at.PASSED : at.PASSED + 2] != that.rows[:, at.PASSED : at.PASSED + 2]).any(axis=1)[:, None]
    )
    if rules.form.deal == "piedicavallo":
        counted = this.rows[:, at.TO_DISCARD] == U(0)
        trumps = [[int(cards).bit_count() for cards in b.rows[:, at.DISCARD + 3]] for b in (this, that)]
        told |= (counted & (np.array(trumps[0]) != trumps[1]))[:, None]
    return told


@pytest.mark.parametrize("form", DECISIONS)
def test_different_decisions_look_different_to_those_who_see_them(form):
    rules, chance = ruleset(form), np.random.default_rng(5)
    hands = DECISIONS[form]
    batch = Batch(rules, hands, seed=21)
    if form == "rob_all":
        batch = Batch.from_packs(rules, *rigged_packs(rules, hands, chance))
    seen, items = dict.fromkeys(Phase, 0), set()
    while not batch.done.all():
        mask = batch.legal_mask()
        weight = np.where(mask, chance.random(mask.shape), -1.0)
        weight[:, [a for a in (DROP, BID) if a < mask.shape[1]]] *= 2
        order = weight.argsort(axis=1)
        first, second = order[:, -1], order[:, -2]
        choice = (mask.sum(axis=1) > 1) & ~batch.done
        this, that = batch.copy(), batch.copy()
        this.step(first)
        that.step(np.where(choice, second, first))
        discards = batch.phase == Phase.DISCARD
        told = np.where(discards[:, None], _told_of_discards(batch, this, that), True)
        for seat in range(rules.n_seats):
            differ = (this.views(seat=seat).words != that.views(seat=seat).words).any(axis=1)
            assert np.array_equal(differ, choice & told[:, seat])
        for phase in Phase:
            seen[phase] += int((choice & (batch.phase == phase)).sum())
        items |= set(first[batch.phase == Phase.SPEAK].tolist())
        batch = this
    expected = PHASES.get(form, {Phase.DISCARD, Phase.DECLARE, Phase.PLAY})
    assert {phase for phase, number in seen.items() if number >= 5} == expected
    if Phase.SPEAK in expected:
        # Whatever may be said is heard by all: nearly every item has come up.
        assert len(items & {*range(SAY_HONOUR, ASK_FARLO)}) > 30
        assert {*range(ASK_FARLO, rules.num_actions)} <= items
        assert DONE in items
