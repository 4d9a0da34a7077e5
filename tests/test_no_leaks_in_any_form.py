"""In every form of the game, hidden cards are dealt anew in every phase, and no byte of a view may change.

The worlds come from tests/support/resample.py. That the check would notice a leak is shown with views that leak on
purpose; that the worlds are consistent with the public history is shown with the events that the reference tells.
"""

import dataclasses

import numpy as np
import pytest

from minchiate_rl import ruleset
from minchiate_rl.envs.render import render_view
from minchiate_rl.game.engine import layout as at
from minchiate_rl.game.references import reference_of
from minchiate_rl.game.seats import Phase
from minchiate_rl.testing import random_rules
from minchiate_rl.views.view import Views
from tests.support.leaks import column_leak, differing, leak_next_hand, leak_one_bit
from tests.support.resample import Resampler
from tests.support.stories import play_stories, rigged_packs

WANTED = 500
ROUNDS = 10
HANDS = 1000
PHASES = list(Phase)

FORMS = {
    **{
        name: ruleset(name)
        for name in ("english", "german", "accademia", "rob_all", "solo", "solo_fola", "three", "two", "mini")
    },
    "accademia, trumps hidden": ruleset("accademia").replace(discard_trumps_shown=False, memory="perfect"),
    "solo, own tricks": ruleset("solo").replace(memory="own_tricks"),
    "three, table": ruleset("three").replace(memory="table"),
    "mini of three cards": ruleset("mini").replace(hand_size=3),
    "mini_team": ruleset("mini_team"),
    **{
        f"piedicavallo, {speech}": ruleset("piedicavallo").replace(speech=speech) for speech in ("full", "facts", "off")
    },
}
#: Forms whose cutter robs from rigged packs, more than 13 cards in half of the hands.
RIGGED = {"rob_all", "accademia, trumps hidden"}

_CLASSIC = {Phase.DISCARD, Phase.DECLARE, Phase.PLAY}
_WORDS = {Phase.DISCARD, Phase.PLAY, Phase.SPEAK}
#: The phases in which something is hidden from somebody.
HIDDEN_IN = {
    **dict.fromkeys(FORMS, _CLASSIC),
    **dict.fromkeys(("english", "accademia", "accademia, trumps hidden"), _CLASSIC | {Phase.PICK}),
    **dict.fromkeys(("solo", "solo, own tricks"), _CLASSIC | {Phase.WITHDRAW}),
    "solo_fola": _CLASSIC | {Phase.FOLA, Phase.BID},
    **dict.fromkeys(("mini", "mini of three cards", "mini_team"), _CLASSIC - {Phase.DISCARD}),
    **dict.fromkeys(("piedicavallo, full", "piedicavallo, facts"), _WORDS),
    "piedicavallo, off": _WORDS - {Phase.SPEAK},
}
#: Where something is still hidden when the hand is over: a hand set aside, earlier tricks.
HIDDEN_AT_THE_END = {"accademia", "solo", "solo, own tricks", "three, table"}


@dataclasses.dataclass
class Pair:
    """Positions and other worlds of them; `phases` holds the phase of each."""

    resampler: Resampler
    worlds: object
    other: object
    turns: np.ndarray
    changed: np.ndarray
    phases: np.ndarray

    @property
    def views(self):
        """The views of both worlds."""
        viewers = self.resampler.viewers
        return self.resampler.batch.views(seat=viewers), self.other.views(seat=viewers)


def paired(rules, hands, seed, rigged=False):
    """Return positions of hands, one each and all phases alike, and other worlds of them."""
    chance = np.random.default_rng(seed)
    stories = play_stories(rules, hands, seed, rigged_packs(rules, hands, chance) if rigged else None)
    _, turns, legal = stories.told()
    assert legal.all()
    occurs = np.stack([(turns[:, :, 1] == phase).any(axis=1) for phase in PHASES], axis=1)
    phases = (occurs / np.maximum(occurs.sum(axis=0), 1) * chance.random(occurs.shape)).argmax(axis=1)
    fits = turns[:, :, 1] == phases[:, None]
    chosen = np.where(fits, chance.random(fits.shape), -1.0).argmax(axis=1)
    viewers = chance.integers(0, rules.n_seats, hands)
    resampler = Resampler(stories.take(np.arange(hands), chosen), viewers, seed)
    worlds, changed = resampler.worlds(ROUNDS)
    other, turns, legal = worlds.told(seed=1 << 33)
    assert legal.all()
    return Pair(resampler, worlds, other, turns, changed, phases)


@pytest.fixture(scope="module")
def pairs():
    """Return, for a form, positions and other worlds of them; made once."""
    made = {}

    def get(form):
        if form not in made:
            made[form] = paired(FORMS[form], HANDS, 11, form in RIGGED)
        return made[form]

    return get


@pytest.mark.parametrize("form", FORMS)
def test_what_a_seat_cannot_know_changes_no_byte(pairs, form):
    pair = pairs(form)
    assert pair.changed.sum() >= WANTED
    told = {phase: int(pair.changed[pair.phases == phase].sum()) for phase in Phase}
    expected = HIDDEN_IN[form] | ({Phase.OVER} if form in HIDDEN_AT_THE_END else set())
    assert {phase for phase, number in told.items() if number >= 20} == expected
    assert np.array_equal(pair.turns, pair.resampler.turns)
    for column in (at.KEY, at.SEED, at.HAND_NUMBER):
        assert (pair.other.rows[:, column] != pair.resampler.batch.rows[:, column]).all()
    ours, theirs = pair.views
    assert ours.words.tobytes() == theirs.words.tobytes()
    for name in ("tokens", "encode", "legal_mask"):
        found = [getattr(Views(views.words[:200], views.rules), name)().tobytes() for views in (ours, theirs)]
        assert found[0] == found[1], name
    for i in range(0, len(ours), 40):
        assert ours[i].to_json() == theirs[i].to_json()
        assert render_view(ours[i], "ansi") == render_view(theirs[i], "ansi")


def test_random_switches_change_no_byte_either():
    changed = 0
    for word in range(100, 140):
        pair = paired(random_rules(word), 60, word, rigged=word % 2 == 0)
        ours, theirs = pair.views
        assert ours.words.tobytes() == theirs.words.tobytes(), pair.resampler.rules.flags
        changed += pair.changed.sum()
    assert changed >= 3 * WANTED


@pytest.mark.parametrize("form", FORMS)
def test_views_depend_on_no_seed_no_stream_and_no_count(pairs, form):
    batch = pairs(form).resampler.batch
    altered = batch.copy()
    chance = np.random.default_rng(3)
    for column in (at.SEED, at.KEY, at.HAND_NUMBER, at.DECISION):
        altered.rows[:, column] ^= chance.integers(1, 1 << 62, len(batch.rows)).astype(np.uint64)
    for seat in range(batch.rules.n_seats):
        assert np.array_equal(batch.views(seat=seat).words, altered.views(seat=seat).words)


LEAKS = [
    *((form, "a hand", leak_next_hand) for form in FORMS),
    *((form, "one bit", leak_one_bit) for form in ("english", "german", "solo", "solo_fola", "piedicavallo, full")),
    *((form, "the fola's trumps", column_leak(at.V_FOLA + 1, at.FOLA + 1)) for form in ("english", "solo", "three")),
    *((form, "the fola", column_leak(at.V_FOLA + 1, at.FOLA + 1)) for form in ("solo_fola", "two", "mini")),
    ("accademia", "the fola's suits", column_leak(at.V_FOLA, at.FOLA)),
    *((form, "discards", column_leak(at.V_DISCARD, at.DISCARD)) for form in ("rob_all", "solo", "solo_fola", "two")),
    *((form, "discards", column_leak(at.V_DISCARD + 2, at.DISCARD + 2)) for form in ("german", "piedicavallo, off")),
    ("english", "trumps turned down", column_leak(at.V_DISCARD + 3, at.DISCARD + 3)),
    ("rob_all", "what is handed over", column_leak(at.V_PASSED, at.PASSED)),
    ("accademia, trumps hidden", "what is handed over", column_leak(at.V_PASSED + 1, at.PASSED + 1)),
    *((form, "a seed", column_leak(at.V_PLAYED, at.SEED)) for form in ("three", "piedicavallo, full")),
    ("solo, own tricks", "the tricks of others", column_leak(at.V_PLAYED, at.PLAYED + 2)),
    ("three, table", "earlier tricks", column_leak(at.V_PLAYED, at.PLAYED + 2)),
]


@pytest.mark.parametrize(("form", "what", "look"), LEAKS, ids=[f"{form}: {what}" for form, what, _ in LEAKS])
def test_a_view_that_leaks_on_purpose_is_caught(pairs, form, what, look):
    pair = pairs(form)
    ours, viewers = pair.resampler.batch, pair.resampler.viewers
    assert differing(ours, pair.other, viewers) == 0
    assert differing(ours, pair.other, viewers, look) >= 20


@pytest.mark.parametrize("form", FORMS)
def test_a_seat_hears_the_same_events_in_both_worlds(pairs, form):
    pair = pairs(form)
    play = reference_of(FORMS[form])
    differences = 0
    for i in np.flatnonzero(pair.changed)[:24]:
        seat, heard, hands = int(pair.resampler.viewers[i]), [], []
        for stories in (pair.resampler.stories, pair.worlds):
            hand = play(FORMS[form], stories.packs[i].tolist(), int(stories.cuts[i]), int(stories.dealers[i]))
            for action in stories.actions[i, : stories.counts[i]].tolist():
                hand.step(action)
            # With a limited memory a seat has forgotten some of what it heard: it is left to the views.
            heard.append(hand.view(seat) if FORMS[form].memory != "perfect" else list(map(_told, hand.heard(seat))))
            hands.append(hand.hands)
        assert heard[0] == heard[1]
        differences += hands[0] != hands[1]
    assert differences >= 5


def _told(event):
    """Return what an event tells; the cards of one event come in the order of the pack, which nobody is told."""
    lists = {"cards", "suits", "public"}
    return event.kind, {name: _sorted(value) if name in lists else value for name, value in event.data.items()}


def _sorted(cards):
    if cards and isinstance(cards[0], list):
        return [_sorted(part) for part in cards]
    return sorted(cards) if cards else cards
