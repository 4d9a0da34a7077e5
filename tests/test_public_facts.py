"""Whatever the rules make public does change the view: positions that differ in one fact alone look different.

The facts are those of docs/rules.md, section 2.1, each changed by hand in the row of a hand in play, and shown to every
seat that the rules tell it to. What follows from decisions is shown by taking two different ones.
"""

import numpy as np
import pytest

from minchiate_rl import Batch, ruleset
from minchiate_rl.game.actions import DECLARE, DECLARE_WITH_MATTO
from minchiate_rl.game.engine import layout as at
from minchiate_rl.game.seats import Phase

CLASSIC = ruleset("classic")
ALL = (0, 1, 2, 3)
U = np.uint64


def in_play():
    """Return a hand of the classic game in its fifth trick: two cards on the table, the discards turned up."""
    batch = Batch(CLASSIC, 400, seed=8, dealers=np.zeros(400, dtype=int))
    for _ in range(200):
        going = (batch.rows[:, at.TRICK] < 4) | (batch.rows[:, at.ON_TABLE] < 2)
        if not going.any():
            break
        actions = batch.legal_mask().argmax(axis=1)
        held = batch.copy()
        batch.step(actions)
        batch.rows[~going] = held.rows[~going]
    good = (batch.rows[:, at.N_DISCARD] & U(0xFF) > U(0)) & (batch.rows[:, at.N_DISCARD] >> U(8) > U(0))
    good &= (batch.rows[:, at.LED] < U(5)) & (batch.rows[:, at.TAKEN + 1] > U(0)) & (batch.rows[:, at.RESTI] < U(200))
    one = Batch(CLASSIC, 1, seed=8)
    one.rows[0] = batch.rows[np.flatnonzero(good)[0]]
    return one


def flip(column, bit):
    def change(row):
        row[column] ^= U(1) << U(bit)

    return change


def put(column, shift, value, width=8):
    def change(row):
        mask = U(((1 << width) - 1) << shift)
        before = int(row[column] & mask) >> shift
        row[column] = (row[column] & ~mask) | U((value if before != value else value ^ 1) << shift)

    return change


def move(source, goal):
    """Move one card from a set to another."""

    def change(row):
        for word in (0, 1):
            card = row[source + word] & (~row[source + word] + U(1))
            if card:
                row[source + word] ^= card
                row[goal + word] |= card
                return
        raise AssertionError("nothing to move")

    return change


def exchange_on_the_table(row):
    """Let two seats have played each other's card."""
    cards = [int(row[at.TABLE]) >> 8 * seat & 0xFF for seat in range(4)]
    a, b = [seat for seat in range(4) if cards[seat] != 0xFF]
    cards[a], cards[b] = cards[b], cards[a]
    row[at.TABLE] = U(sum(card << 8 * seat for seat, card in enumerate(cards)))


def declare(bit):
    def change(row):
        row[at.DECLARED + 1] ^= U(1) << U(bit)

    return change


#: The dealer is seat 0, so that 0 and 2 know the fola.
FACTS = {
    "a card turned up": (put(at.TURNED, 0, 17), ALL),
    "a card turned up for another seat": (put(at.TURNED, 24, 17), ALL),
    "what the cutter robbed": (flip(at.ROBBED + 1, 39), ALL),
    "what the dealer robbed": (flip(at.ROBBED + 3, 38), ALL),
    "a king robbed": (flip(at.ROBBED, 13), ALL),
    "the cutter's stopper": (put(at.STOPPER, 0, 3), ALL),
    "the dealer's stopper": (put(at.STOPPER, 8, 3), ALL),
    "that there was no stopper": (put(at.STOPPER, 8, 0xFF), ALL),
    "what the dealer took": (flip(at.TAKEN + 1, 9), ALL),
    "a suit card of the fola": (flip(at.FOLA_PUBLIC, 30), ALL),
    "a trump of the fola": (flip(at.FOLA + 1, 6), ALL),
    "how many the cutter discards": (put(at.N_DISCARD, 0, 9), ALL),
    "how many the dealer discards": (put(at.N_DISCARD, 8, 9), ALL),
    "how many are still to be discarded": (put(at.TO_DISCARD, 0, 2), ALL),
    "that the discards have been turned up": (put(at.REVEALED, 0, 0), ALL),
    "a discard turned up": (flip(at.DISCARD, 50), ALL),
    "who discarded it": (move(at.DISCARD, at.DISCARD + 2), ALL),
    "a declaration": (declare(5), ALL),
    "a declaration with the Matto": (declare(DECLARE_WITH_MATTO - DECLARE + 5), ALL),
    "a card shown": (flip(at.SHOWN + 3, 33), ALL),
    "who showed it": (lambda row: (flip(at.SHOWN + 3, 33)(row), flip(at.SHOWN + 5, 33)(row)), ALL),
    "a card on the table": (put(at.TABLE, 8, 44), ALL),
    "who played which card on the table": (exchange_on_the_table, ALL),
    "the number of cards on the table": (put(at.ON_TABLE, 0, 3), ALL),
    "the suit led": (put(at.LED, 0, 4), ALL),
    "who holds the trick": (put(at.WINNER, 0, 3), ALL),
    "the suits led before": (flip(at.OPENED, 2), ALL),
    "who played a card": (move(at.PLAYED, at.PLAYED + 2), ALL),
    "who played a card, between partners": (move(at.PLAYED + 2, at.PLAYED + 6), ALL),
    "which side captured a card": (move(at.PILE, at.PILE + 2), ALL),
    "which side captured a card, the other way": (move(at.PILE + 2, at.PILE), ALL),
    "a void": (flip(at.VOID, 5 * 2 + 1), ALL),
    "a seat without trumps": (flip(at.VOID, 5 * 3 + 4), ALL),
    "a king not held": (flip(at.NO_KING, 4 * 1 + 2), ALL),
    "who played the Matto": (put(at.MATTO_STATE, 0, 2), ALL),
    "who owes for the Matto": (put(at.MATTO_STATE, 8, 1), ALL),
    "what was paid for it": (put(at.PAID, 0, 5), ALL),
    "the marks of a side": (flip(at.SCORE, 2), ALL),
    "the marks of the other": (flip(at.SCORE + 1, 2), ALL),
    "the lead": (put(at.LEAD, 0, 7), ALL),
    "who is ahead": (lambda row: row.__setitem__(at.LEAD, ~row[at.LEAD] + U(1) if row[at.LEAD] else U(1)), ALL),
    "the resti of a side": (flip(at.RESTI, 1), ALL),
    "the resti of the other": (flip(at.RESTI + 1, 1), ALL),
    "the tricks of a side": (flip(at.TRICKS, 1), ALL),
    "the tricks of the other": (flip(at.TRICKS + 1, 1), ALL),
    "the number of the trick": (put(at.TRICK, 0, 11), ALL),
    "the dealer": (put(at.DEALER, 0, 1), ALL),
    "the phase": (put(at.PHASE, 0, int(Phase.OVER)), ALL),
    "who is to act": (lambda row: row.__setitem__(at.SEAT, (row[at.SEAT] + U(1)) & U(3)), ALL),
    "a hidden trump of the fola, to the dealer's side": (
        lambda row: (flip(at.FOLA + 1, 7)(row), flip(at.FOLA + 1, 8)(row)),
        (0, 2),
    ),
    "an own card": (flip(at.HAND + 5, 20), (2,)),
}


@pytest.fixture(scope="module")
def before():
    return in_play()


@pytest.mark.parametrize("fact", FACTS)
def test_a_public_fact_changes_the_view_of_all_who_are_told(before, fact):
    change, seats = FACTS[fact]
    after = before.copy()
    change(after.rows[0])
    assert (before.rows != after.rows).any()
    blind = [seat for seat in seats if before.view(0, seat).words.tobytes() == after.view(0, seat).words.tobytes()]
    assert blind == []


def test_what_is_not_public_changes_the_view_of_nobody_else(before):
    """The same kind of change, to what is hidden: only its owner sees it."""
    for seat in ALL:
        after = before.copy()
        # One hidden card of the seat gives way to another.
        trumps = [b for b in range(40) if before.rows[0, at.HAND + 2 * seat + 1] >> U(b) & U(1)]
        flip(at.HAND + 2 * seat + 1, trumps[0] if trumps else 40)(after.rows[0])
        flip(at.HAND + 2 * seat + 1, 41)(after.rows[0])
        same = [s for s in ALL if before.view(0, s).words.tobytes() == after.view(0, s).words.tobytes()]
        assert same == [s for s in ALL if s != seat]


@pytest.mark.parametrize("switch", [{"demonio": True}, {"take_29": "never"}, {"rob_failure_resto": True}])
def test_the_rules_in_force_are_seen(switch):
    plain, other = Batch(CLASSIC, 1, seed=3), Batch(CLASSIC.replace(**switch), 1, seed=3)
    assert plain.view(0, 1).words.tobytes() != other.view(0, 1).words.tobytes()
    assert plain.view(0, 1).to_json() != other.view(0, 1).to_json()


def test_different_decisions_look_different_to_those_who_see_them():
    """A card played and a declaration to everybody; a discard to the one who made it, until it is turned up."""
    batch = Batch(CLASSIC, 300, seed=21)
    words = np.random.default_rng(4)
    seen = dict.fromkeys(Phase, 0)
    while not batch.done.all():
        mask = batch.legal_mask()
        order = np.where(mask, words.random(mask.shape), -1.0).argsort(axis=1)
        first, second = order[:, -1], order[:, -2]
        choice = (mask.sum(axis=1) > 1) & ~batch.done
        this, that = batch.copy(), batch.copy()
        this.step(first)
        that.step(np.where(choice, second, first))
        for seat in ALL:
            differ = (this.views(seat=seat).words != that.views(seat=seat).words).any(axis=1)
            hidden = (batch.phase == Phase.DISCARD) & (batch.seat != seat)
            assert np.array_equal(differ, choice & ~hidden)
        for phase in Phase:
            seen[phase] += int((choice & (batch.phase == phase)).sum())
        batch = this
    assert seen[Phase.DISCARD] > 200
    assert seen[Phase.DECLARE] > 50
    assert seen[Phase.PLAY] > 10_000


def test_discards_look_different_to_everybody_once_turned_up():
    batch = Batch(CLASSIC, 200, seed=30)
    other = batch.copy()
    discarding = batch.phase == Phase.DISCARD
    tail = np.zeros(200, dtype=bool)
    while (batch.rows[:, at.REVEALED] == U(0)).any():
        mask = batch.legal_mask()
        low, high = mask.argmax(axis=1), mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
        declares = batch.phase == Phase.DECLARE
        first_turn = ~tail & discarding
        done = np.full(200, 97)
        # The lead is a card that both hands still hold.
        both = (mask & other.legal_mask()).argmax(axis=1)
        open_ = batch.rows[:, at.REVEALED] == U(0)
        held = batch.copy(), other.copy()
        batch.step(np.where(declares, done, np.where(first_turn, low, both)))
        other.step(np.where(declares, done, np.where(first_turn, high, both)))
        for b, h in zip((batch, other), held, strict=True):
            b.rows[~open_] = h.rows[~open_]
        tail |= first_turn
    changed = (batch.rows[:, at.DISCARD : at.DISCARD + 4] != other.rows[:, at.DISCARD : at.DISCARD + 4]).any(axis=1)
    assert changed.sum() > 60
    for seat in ALL:
        differ = (batch.views(seat=seat).words != other.views(seat=seat).words).any(axis=1)
        assert differ[changed].all()
