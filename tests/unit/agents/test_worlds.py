"""Worlds: each fits all that the viewer has seen, all are equally likely, and the exact chances are exact."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from minchiate_rl import Batch, ruleset
from minchiate_rl.agents import make, worlds
from minchiate_rl.errors import AgentError
from minchiate_rl.game.cards import CODES, N_CARDS, VALUES, card_name
from minchiate_rl.game.engine.layout import DISCARD, FOLA, HAND, PHASE, PLAYED, SEAT, TABLE, V_RULES, V_TURN, V, W
from minchiate_rl.game.engine.legal import is_legal
from minchiate_rl.game.engine.observe import observe
from minchiate_rl.game.seats import Phase
from minchiate_rl.testing import random_rules

SWITCHES = {"memory": "perfect", "rob_limit": 13}


def positions(rules, hands, seed, every=1):
    """Yield batch and views at decisions of hands that random and heuristic agents play in turn."""
    batch = Batch(rules, hands, seed=seed)
    agents = [make("random"), make("heuristic")]
    step = 0
    while (batch.seat >= 0).any():
        where = batch.seat >= 0
        views, rng = batch.views(where), batch.rng(where)
        if step % every == 0:
            yield batch, views, rng.words
        actions = np.zeros(hands, np.int16)
        actions[where] = agents[step % 2].act(views, rng)
        batch.step(actions)
        step += 1


def cards(word_0, word_1):
    number = int(word_0) | int(word_1) << 56
    return {card for card in range(N_CARDS) if number >> card & 1}


def assert_worlds_look_like(views, rows, seats, rules):
    seen = np.zeros((1, V), np.uint64)
    for j, seat in enumerate(seats):
        for w in range(rows.shape[1]):
            observe(rows[j], w, int(seat), rules.row, seen, 0)
            np.testing.assert_array_equal(seen[0], views.words[j])


def test_every_world_looks_to_the_viewer_like_the_real_deal():
    rules = ruleset("classic")
    for batch, views, words in positions(rules, 12, 31, every=3):
        assert_worlds_look_like(views, worlds.sample(views, words, 3), batch.seat[batch.seat >= 0], rules)


@pytest.mark.parametrize("seed", range(5))
def test_so_it_is_under_other_switches(seed):
    rules = random_rules(seed, "classic").replace(**SWITCHES)
    for batch, views, words in positions(rules, 3, 32, every=7):
        assert_worlds_look_like(views, worlds.sample(views, words, 2), batch.seat[batch.seat >= 0], rules)


def test_every_world_replays_the_public_history():
    rules, hands = ruleset("classic"), 6
    history = []
    for batch, views, words in positions(rules, hands, 33):
        if (batch.seat >= 0).all() and len(history) in {30, 50, 70}:
            for i, rows in enumerate(worlds.sample(views, words, 4)):
                for row in rows:
                    assert_it_replays(
                        row, [(past[i : i + 1], batch.log[i, k]) for k, past in enumerate(history)], rules
                    )
        history.append(batch.rows.copy())
        if len(history) > 70:
            break


def assert_it_replays(world, history, rules):
    """Assert that each card played was legal for a hand of the world's cards and those that were played since."""
    for past, action in history:
        seat = int(past[0, SEAT])
        if action >= N_CARDS or past[0, PHASE] != Phase.PLAY:
            continue
        row = past.copy()
        for word in range(2):
            later = world[PLAYED + 2 * seat + word] & ~past[0, PLAYED + 2 * seat + word]
            row[0, HAND + 2 * seat + word] = world[HAND + 2 * seat + word] | later
        table = int(world[TABLE]) >> 8 * seat & 0xFF
        if table < N_CARDS:
            row[0, HAND + 2 * seat + (table >= 56)] |= np.uint64(1 << (table if table < 56 else table - 56))
        assert is_legal(row, 0, rules.row, int(action))


def test_worlds_hold_every_card_once():
    for _, views, words in positions(ruleset("classic"), 4, 34, every=9):
        for row in worlds.sample(views, words, 2).reshape(-1, W):
            sets = [cards(row[c], row[c + 1]) for c in (*range(HAND, HAND + 8, 2), *range(PLAYED, PLAYED + 8, 2))]
            sets += [cards(row[FOLA], row[FOLA + 1]), cards(row[DISCARD], row[DISCARD + 1])]
            sets += [cards(row[DISCARD + 2], row[DISCARD + 3])]
            sets += [{byte for k in range(4) if (byte := int(row[TABLE]) >> 8 * k & 0xFF) < N_CARDS}]
            assert sum(map(len, sets)) == N_CARDS
            assert set.union(*sets) == set(range(N_CARDS))


def test_worlds_depend_on_nothing_but_view_and_word():
    rules = ruleset("classic")
    _, views, words = next(positions(rules, 8, 35))
    whole = worlds.sample(views, words, 5)
    for j in range(len(views)):
        alone = type(views)(views.words[j : j + 1], rules)
        np.testing.assert_array_equal(worlds.sample(alone, words[j : j + 1], 3)[0], whole[j, :3])


def late_views(tricks_left, hands, seed):
    """Return the views of each hand's first decision with so many tricks left, and their words."""
    found = {}
    for batch, views, words in positions(ruleset("classic"), hands, seed):
        tricks = views.words[:, V_TURN] >> np.uint64(24) & np.uint64(0xFF)
        for j, game in enumerate(np.flatnonzero(batch.seat >= 0)):
            if tricks[j] == 21 - tricks_left:
                found.setdefault(int(game), (views.words[j].copy(), words[j]))
    rows, words = zip(*found.values(), strict=True)
    return type(views)(np.array(rows), views.rules), np.array(words)


def may_hold(told, seat, card):
    """Return whether what play has shown lets a seat hold a card (the words of a view's JSON)."""
    name = card_name(card)
    suit = "T" if name[0] == "T" else name[0]
    shown = suit not in told["voids"][seat] and not (name[1:] == "K" and suit in told["no_king"][seat])
    return shown and name not in not_declared(told, seat)


def not_declared(told, seat):
    """Return the cards that a seat would have shown with what it declared, had it held them (the words of a view)."""
    held = {*told["shown"][seat], *told["played"][seat], *(card for who, card in told["table"] if who == seat)}
    out = set()
    for name in (action.removesuffix("+M") for action in told["declared"][seat]):
        if name.startswith("run") or name == "papi":
            low, high = (28, 40) if name != "papi" else (1, 5)
            first = last = int(name.removeprefix("run")) if name != "papi" else 3
            while first > low and f"T{first - 1}" in held and name == "papi":
                first -= 1
            while last < high and f"T{last + 1}" in held:
                last += 1
            out |= {f"T{n}" for n in (first - 1, last + 1) if low <= n <= high}
        elif name == "diecine":
            out |= {f"T{n}" for n in (10, 20, 30, 40)} - held
        elif name == "regi":
            out |= {"CK", "DK", "SK", "BK"} - held
    return out


def test_what_a_declaration_would_have_shown_is_in_other_hands():
    rules, found = ruleset("classic"), set()
    for batch, views, words in positions(rules, 80, 38, every=12):
        chances, rows = worlds.marginals(views), worlds.sample(views, words, 2)
        for j, seat in enumerate(batch.seat[batch.seat >= 0]):
            told = views[j].to_json()
            for r in range(1, 4):
                other = (int(seat) + r) % 4
                for name in not_declared(told, other):
                    card = CODES.index(name)
                    at = HAND + 2 * other
                    assert chances[j, card, r - 1] == 0.0
                    assert all(card not in cards(row[at], row[at + 1]) for row in rows[j])
                    if chances[j, card].sum() > 0:
                        found.add(name)
    assert len(found) >= 8


def all_deals(view):
    """Return every deal of the unseen cards over the other hands and the fola, found by trying, as a set of keys."""
    told = view.to_json()
    number = {card_name(card): card for card in range(N_CARDS)}
    known = {number[c] for c in told["hand"] + told["fola"]["known"] + [card for _, card in told["table"]]}
    known |= {number[c] for pile in (*told["played"], *told["discards"]) for c in pile}
    others = [(told["seat"] + r) % 4 for r in range(1, 4)]
    shown = {seat: {number[c] for c in told["shown"][seat]} for seat in others}
    unseen = sorted(set(range(N_CARDS)) - known - set.union(*shown.values()))
    sizes = [21 - len(told["played"][s]) - any(p == s for p, _ in told["table"]) - len(shown[s]) for s in others]
    out = len(unseen) - sum(sizes)
    idle = [c for c in unseen if card_name(c)[0] == "T" and VALUES[c] == 0 and card_name(c) != "T29"]
    found = set()
    for fola in itertools.combinations(idle, out):
        first = [c for c in unseen if c not in fola]
        for one in itertools.combinations([c for c in first if may_hold(told, others[0], c)], sizes[0]):
            second = [c for c in first if c not in one]
            for two in itertools.combinations([c for c in second if may_hold(told, others[1], c)], sizes[1]):
                three = [c for c in second if c not in two]
                if all(may_hold(told, others[2], c) for c in three):
                    hands = (one, two, three)
                    found.add(tuple(frozenset(h) | shown[s] for h, s in zip(hands, others, strict=True)))
    return found


@pytest.mark.parametrize("tricks_left", [2, 3])
def test_draws_and_chances_agree_with_all_deals_near_the_end(tricks_left):
    views, words = late_views(tricks_left, 20, 36)
    numbers, chances = worlds.number(views), worlds.marginals(views)
    tried = 0
    assert [len(all_deals(views[j])) for j in range(8)] == numbers[:8].tolist()
    for j in np.flatnonzero((numbers > 1) & (numbers <= 400)):
        one = type(views)(views.words[j : j + 1], views.rules)
        drawn = worlds.sample(one, words[j : j + 1], 4000)[0]
        others = [(int(views.words[j, V_RULES] >> np.uint64(56)) + r) % 4 for r in range(1, 4)]
        keys = Counter(tuple(frozenset(cards(*row[HAND + 2 * s : HAND + 2 * s + 2])) for s in others) for row in drawn)
        assert set(keys) <= all_deals(views[j])
        counts, expected = np.array(list(keys.values())), 4000 / numbers[j]
        if expected >= 8:
            assert len(counts) == numbers[j]
            statistic = float(((counts - expected) ** 2 / expected).sum())
            spread = numbers[j] - 1
            assert statistic < spread + 5 * math.sqrt(2 * spread) + 5
            tried += 1
        share = np.zeros((N_CARDS, 4))
        seat = int(views.words[j, V_RULES] >> np.uint64(56))
        for row in drawn:
            for r in range(1, 4):
                at = HAND + 2 * ((seat + r) % 4)
                share[list(cards(row[at], row[at + 1])), r - 1] += 1 / len(drawn)
        np.testing.assert_allclose(share[:, :3], chances[j, :, :3], atol=5 * 0.5 / math.sqrt(4000))
    assert tried >= 3


@pytest.mark.parametrize("step", [0, 6, 20, 40, 60])
def test_chances_add_up_and_agree_with_draws(step):
    batch, views, words = next(itertools.islice(positions(ruleset("classic"), 4, 37), step, None))
    chances = worlds.marginals(views)
    totals = chances.sum(axis=2)
    np.testing.assert_allclose(totals[totals > 0], 1.0)
    rows = worlds.sample(views, words, 1500)
    for j, seat in enumerate(batch.seat[batch.seat >= 0]):
        for r in range(1, 4):
            at = HAND + 2 * ((int(seat) + r) % 4)
            share = np.zeros(N_CARDS)
            for row in rows[j]:
                share[list(cards(row[at], row[at + 1]))] += 1 / 1500
            np.testing.assert_allclose(share, chances[j, :, r - 1], atol=0.07)


@pytest.mark.parametrize(
    ("rules", "what"),
    [
        (ruleset("two"), "of the game minchiate alone"),
        (ruleset("classic").replace(memory="table"), "memory = 'perfect'"),
        (ruleset("rob_all"), "rob_limit"),
    ],
)
def test_rules_without_worlds_are_refused(rules, what):
    batch = Batch(rules, 1, seed=1)
    with pytest.raises(AgentError, match=what):
        worlds.sample(batch.views(), batch.rng().words, 1)


def test_a_view_of_no_hand_is_refused():
    batch = Batch("classic", 2, seed=1)
    views = batch.views()
    views.words[1, 0] = 0
    with pytest.raises(AgentError, match="view 1 fits no deal"):
        worlds.number(views)
