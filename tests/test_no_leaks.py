"""Views hold what a seat may know and no more: hidden cards are dealt anew, and no byte of the view may change.

The worlds come from tests/support/resample.py. That the check would notice a leak is shown with views that leak on
purpose; that worlds are consistent with the public history is shown with the events that the reference tells a seat.
"""

import numpy as np
import pytest

from minchiate_rl import ruleset
from minchiate_rl.envs.render import render_view
from minchiate_rl.game.engine.layout import (
    DECISION,
    DISCARD,
    FOLA,
    KEY,
    NOBODY,
    ORDER,
    PLAYED,
    SEED,
    V_DISCARD,
    V_FOLA,
    V_ORDER,
    V_PLAYED,
    V,
)
from minchiate_rl.game.reference import ReferenceHand
from minchiate_rl.game.seats import Phase
from minchiate_rl.views.view import Views
from tests.support.leaks import column_leak, differing, leak_next_hand, leak_one_bit
from tests.support.resample import Resampler
from tests.support.stories import play_stories

WANTED = 2000
HANDS = 7500
CLASSIC = ruleset("classic")
FORMS = {memory: CLASSIC.replace(memory=memory) for memory in ("perfect", "own_tricks", "table")}

#: What a position must be: (phase, seat from the dealer or None, first trick, last trick).
SITUATIONS = {
    "discard by the cutter": (Phase.DISCARD, 3, 0, 0),
    "discard by the dealer": (Phase.DISCARD, 0, 0, 0),
    "declaration of the eldest": (Phase.DECLARE, 1, 0, 0),
    "declaration of the dealer's partner": (Phase.DECLARE, 2, 0, 0),
    "declaration of the cutter": (Phase.DECLARE, 3, 0, 0),
    "declaration of the dealer": (Phase.DECLARE, 0, 0, 0),
    "the first lead": (Phase.PLAY, 1, 0, 0),
    "the early tricks": (Phase.PLAY, None, 0, 6),
    "the middle tricks": (Phase.PLAY, None, 7, 13),
    "the late tricks": (Phase.PLAY, None, 14, 19),
    "the end": (Phase.OVER, None, 21, 21),
}
LIMITED = ("the middle tricks", "the late tricks", "the end")
CASES = [("perfect", name) for name in SITUATIONS] + [(m, name) for m in ("own_tricks", "table") for name in LIMITED]


@pytest.fixture(scope="module")
def stories():
    """Finished stories, with the turns of all their decisions, by memory."""
    told = {}
    for memory, rules in FORMS.items():
        hands = play_stories(rules, HANDS, seed=11)
        _, turns, legal = hands.told()
        assert legal.all()
        told[memory] = hands, turns
    return told


def positions(stories, situation, seed):
    """Return stories that stop in a situation, one a hand, and the seat that looks on in each."""
    hands, turns = stories
    phase, from_dealer, first, last = SITUATIONS[situation]
    fits = (turns[:, :, 1] == phase) & (turns[:, :, 2] >= first) & (turns[:, :, 2] <= last)
    if from_dealer is not None:
        fits &= turns[:, :, 0] == ((hands.dealers + from_dealer) % 4)[:, None]
    # The first lead is the only play of the eldest before any trick that happens before the others declare.
    if situation == "the first lead":
        fits &= np.cumsum(fits, axis=1) == 1
    chance = np.random.default_rng(seed)
    weight = np.where(fits, chance.random(fits.shape), -1.0)
    # Late in the hand there is not always another world.
    chosen = np.flatnonzero(fits.any(axis=1))[: WANTED + (700 if first > 7 else 250)]
    return hands.take(chosen, weight[chosen].argmax(axis=1)), chance.integers(0, 4, len(chosen))


@pytest.fixture(scope="module")
def pairs(stories):
    """Return, for a case, the resampler and other worlds of its positions; made once."""
    made = {}

    def get(memory, situation):
        if (memory, situation) not in made:
            cut_short, viewers = positions(stories[memory], situation, seed=len(made))
            # The later it is, the fewer cards can change places.
            rounds = 6 if SITUATIONS[situation][2] >= 7 else 3
            resampler = Resampler(cut_short, viewers, seed=5)
            made[memory, situation] = resampler, *resampler.worlds(rounds)
        return made[memory, situation]

    return get


@pytest.mark.parametrize(("memory", "situation"), CASES)
def test_what_a_seat_cannot_know_changes_no_byte_of_its_view(pairs, memory, situation):
    resampler, worlds, changed = pairs(memory, situation)
    other, turns, legal = worlds.told(seed=1 << 33)
    assert legal.all()
    # With a perfect memory nothing is hidden at the end but the order of the pack, the seed and the hand number.
    if (memory, situation) != ("perfect", "the end"):
        assert changed.sum() >= WANTED
    assert len(changed) >= WANTED
    assert (other.rows[:, KEY] != resampler.batch.rows[:, KEY]).all()
    # The order of turns: who acts, in which phase, at every decision so far.
    assert np.array_equal(turns, resampler.turns)
    viewers = resampler.viewers
    ours, theirs = resampler.batch.views(seat=viewers), other.views(seat=viewers)
    assert ours.words.tobytes() == theirs.words.tobytes()
    some = slice(0, 300)
    for name in ("tokens", "encode", "legal_mask"):
        found = [getattr(Views(views.words[some], views.rules), name)().tobytes() for views in (ours, theirs)]
        assert found[0] == found[1], name
    for i in range(0, len(ours), 50):
        assert ours[i].to_json() == theirs[i].to_json()
        assert render_view(ours[i], "ansi") == render_view(theirs[i], "ansi")


LEAKS = [
    ("the early tricks", leak_next_hand),
    ("the late tricks", leak_next_hand),
    ("the early tricks", leak_one_bit),
    ("declaration of the cutter", leak_one_bit),
    ("the early tricks", column_leak(V_FOLA + 1, FOLA + 1)),
    ("the late tricks", column_leak(V_FOLA + 1, FOLA + 1)),
    ("discard by the dealer", column_leak(V_DISCARD, DISCARD)),
    ("declaration of the eldest", column_leak(V_DISCARD, DISCARD)),
    ("declaration of the dealer", column_leak(V_DISCARD + 2, DISCARD + 2)),
    ("the first lead", column_leak(V_DISCARD + 3, DISCARD + 3)),
    ("the end", column_leak(V_PLAYED, KEY)),
    ("the end", column_leak(V_PLAYED, SEED)),
]


@pytest.mark.parametrize(("situation", "look"), LEAKS)
def test_a_view_that_leaks_on_purpose_is_caught(pairs, situation, look):
    resampler, worlds, _ = pairs("perfect", situation)
    other, _, _ = worlds.told(seed=1 << 33)
    assert differing(resampler.batch, other, resampler.viewers) == 0
    assert differing(resampler.batch, other, resampler.viewers, look) >= 20


@pytest.mark.parametrize("memory", ["own_tricks", "table"])
def test_a_memory_that_is_too_good_is_caught(pairs, memory):
    resampler, worlds, _ = pairs(memory, "the late tricks")
    other, _, _ = worlds.told(seed=1 << 33)
    for place, column in ((V_PLAYED, PLAYED), (V_ORDER, ORDER)):
        assert differing(resampler.batch, other, resampler.viewers, column_leak(place, column)) >= 100


@pytest.mark.parametrize("situation", [name for name in SITUATIONS if name != "the end"])
def test_a_seat_hears_the_same_events_in_both_worlds(pairs, situation):
    resampler, worlds, changed = pairs("perfect", situation)
    for i in np.flatnonzero(changed)[:12]:
        seat = int(resampler.viewers[i])
        heard, truth = [], []
        for stories in (resampler.stories, worlds):
            hand = ReferenceHand(CLASSIC, stories.packs[i].tolist(), int(stories.cuts[i]), int(stories.dealers[i]))
            for action in stories.actions[i, : stories.counts[i]].tolist():
                hand.step(action)
            # The cards of one event come in the order of the pack, which nobody is told.
            heard.append([_unordered(event) for event in hand.heard(seat)])
            truth.append(hand.hands)
        assert heard[0] == heard[1]
        assert truth[0] != truth[1] or len(hand.discards[0]) + len(hand.discards[1]) > 0


def _unordered(event):
    return event.kind, {
        name: _sorted(value) if name in {"cards", "suits", "public"} else value for name, value in event.data.items()
    }


def _sorted(cards):
    return sorted(map(_sorted, cards)) if cards and isinstance(cards[0], list) else sorted(cards)


def test_no_view_counts_decisions(stories):
    """A hand in which every seat declares all it has and one in which nobody does differ in decisions, not in turns."""
    hands, turns = stories["perfect"]
    batch, _, _ = hands.take(np.arange(200), hands.counts[:200]).told()
    before = batch.views(seat=0).words
    batch.rows[:, DECISION] += np.uint64(1)
    batch.rows[:, KEY] ^= np.uint64(1)
    assert np.array_equal(before, batch.views(seat=0).words)
    assert (turns[:200, :, 0] == int(NOBODY)).any(axis=1).all()
    assert before.shape == (200, V)
