"""The kernel agents in every game: legal in every phase, the same in a fused loop, and repeatable."""

import hashlib
import random

import numpy as np
import pytest

from minchiate_rl import Batch, agents, ruleset
from minchiate_rl.agents.fused import DEAF, GREEDY, HEURISTIC, MUTE, RANDOM
from minchiate_rl.errors import RulesError
from minchiate_rl.game.actions import WITHDRAW
from minchiate_rl.game.forms import GAMES
from minchiate_rl.game.rules import SWITCHES, RuleSet, rulesets
from minchiate_rl.game.seats import Phase
from tests.support.playing import play_by_steps, play_fused

NAMES = ["random", "greedy", "heuristic", "deaf", "mute"]
CODES = [RANDOM, GREEDY, HEURISTIC, DEAF, MUTE]
FORMS = [name for name in rulesets() if ruleset(name).form.decisions]
OTHER_GAMES = [name for name, game in GAMES.items() if game.decisions and name != "minchiate"]
DIGESTS = {
    "solo": "7544620eeef2e898",
    "solo_fola": "d1b65890f37bdf92",
    "three": "adf36fb90c96e3f1",
    "two": "26e82aa0f162e7d6",
    "piedicavallo": "97eeac2486f2cb21",
    "mini": "51713f95f090ff96",
    "mini_team": "fc24861ace800e32",
}
"""The digest of the decisions of 200 hands of the heuristic by game; it changes only if the player does."""


def check(rules: RuleSet, players: list[int], hands: int, seed: int) -> None:
    by_step = play_by_steps(Batch(rules, hands, seed=seed), *[NAMES[k] for k in players])
    looped = play_fused(Batch(rules, hands, seed=seed), *[CODES[k] for k in players])
    assert looped.done.all()
    assert np.array_equal(by_step.rows, looped.rows)
    assert np.array_equal(by_step.log, looped.log)
    assert np.array_equal(by_step.ledger, looped.ledger)


@pytest.mark.parametrize("form", FORMS)
def test_every_agent_plays_every_form(form: str) -> None:
    for k in range(len(NAMES)):
        check(ruleset(form), [k] * 4, 50, seed=k)
    check(ruleset(form), [0, 1, 2, 3], 50, seed=9)
    check(ruleset(form), [2, 0, 4, 0], 50, seed=10)


def switched(game: str, chance: random.Random) -> RuleSet:
    """Return a rule set of a game with random values of some of its switches."""
    form = ruleset("classic" if game == "minchiate" else game)
    while True:
        switches = {name: chance.choice(list(v)) for name, v in SWITCHES[game].items() if chance.random() < 0.6}
        try:
            return form.replace(**switches)
        except RulesError:
            continue


@pytest.mark.parametrize("game", ["minchiate", *OTHER_GAMES])
def test_every_agent_plays_any_switches(game: str) -> None:
    chance = random.Random(f"switches of {game}")
    for k in range(30 if game == "minchiate" else 8):
        players = [k % 5, (k + 1) % 5, 0, chance.randrange(5)]
        check(switched(game, chance), players, 10, seed=k)


@pytest.mark.parametrize("game", OTHER_GAMES)
def test_heuristic_is_frozen(game: str) -> None:
    batch = play_fused(Batch(game, 200, seed=2026), *[HEURISTIC] * 4)
    told = hashlib.sha256(b"|".join(bytes(batch.actions(i)) for i in range(200))).hexdigest()[:16]
    assert told == DIGESTS[game]


@pytest.mark.parametrize("game", OTHER_GAMES)
def test_heuristic_beats_random(game: str) -> None:
    rules, total = ruleset(game), 0.0
    partners = 2 if rules.n_sides == 2 else rules.n_seats
    for seat in range(partners):
        codes = [HEURISTIC if s % partners == seat else RANDOM for s in range(4)]
        total += float(play_fused(Batch(rules, 300, seed=5), *codes).net[:, seat].mean())
    assert total / partners > 5


def test_nobody_drops_or_withdraws_greedily() -> None:
    dropping = play_fused(Batch(ruleset("cascare"), 50, seed=1), *[GREEDY, HEURISTIC] * 2)
    assert not any(132 in dropping.actions(i) for i in range(50))
    solo = play_fused(Batch("solo", 50, seed=1), *[GREEDY] * 4)
    assert not any(133 in solo.actions(i) for i in range(50))


def test_heuristic_leaves_weak_hands_only() -> None:
    batch, player = Batch("solo", 400, seed=1), agents.make("heuristic")
    answers: dict[int, tuple[bool, int]] = {}
    while len(answers) < 400:
        views = batch.views()
        actions = player.act(views, batch.rng())
        for i in set(np.flatnonzero(batch.phase == Phase.WITHDRAW).tolist()) - set(answers):
            trumps = sum(card[0] == "T" for card in views[i].to_json()["hand"])
            answers[i] = bool(actions[i] == WITHDRAW), trumps
        batch.step(actions)
    left, trumps = np.array(list(answers.values())).T
    assert 0.2 < left.mean() < 0.8
    assert trumps[left == 1].mean() < trumps[left == 0].mean() - 2


def test_heuristic_buys_the_fola() -> None:
    batch = Batch("solo_fola", 50, seed=1)
    batch.step(np.full(50, 133))
    assert np.all(agents.make("greedy").act(batch.views(), batch.rng()) == 97)
    assert np.all(agents.make("heuristic").act(batch.views(), batch.rng()) == 135)


@pytest.mark.parametrize("form", ["piedicavallo", "solo_fola", "rob_all", "mini"])
def test_every_agent_goes_on_with_what_chance_has_begun(form: str) -> None:
    batch, players = Batch(ruleset(form), 20, seed=11), [agents.make(name) for name in NAMES]
    while not batch.done.all():
        playing = ~batch.done
        mask, answers = batch.legal_mask(), np.full(batch.num_games, 97, dtype=np.int16)
        for player in reversed(players):
            answers[playing] = player.act(batch.views(), batch.rng())
            assert mask[playing, answers[playing]].all(), player.name
        batch.step(answers)  # the random player's: also a block of speech just opened, or a card still to be named
