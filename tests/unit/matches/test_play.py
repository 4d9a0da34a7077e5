"""The playing loop gives every agent its own views, in every seating, and the same hands whoever plays them."""

import numpy as np
import pytest

from minchiate_rl import Batch, ruleset
from minchiate_rl.agents import make
from minchiate_rl.matches.play import play

CLASSIC = ruleset("classic")


class ByAct:
    """An agent of the registry, asked for each decision instead of running in its kernel."""

    def __init__(self, spec):
        self.agent = make(spec)
        self.name = self.agent.name
        self.seats = set()

    def act(self, views, rng):
        self.seats |= {view.to_json()["seat"] for view in (views[i] for i in range(min(len(views), 4)))}
        return self.agent.act(views, rng)


def log_of(batch):
    assert batch.done.all()
    return [batch.actions(i) for i in range(batch.num_games)]


def played(agents, seating=None, num_games=12):
    batch = Batch(CLASSIC, num_games, seed=3)
    play(batch, agents, seating)
    return batch


def test_asked_or_fused_an_agent_plays_the_same_hands():
    specs = ["greedy", "random", "random", "greedy"]
    fused = played([make(spec) for spec in specs])
    asked = played([ByAct(spec) for spec in specs])
    mixed = played([ByAct(spec) if k % 2 else make(spec) for k, spec in enumerate(specs)])
    assert log_of(fused) == log_of(asked) == log_of(mixed)


def test_each_agent_is_asked_for_its_own_seats_alone():
    agents = [ByAct("random") for _ in range(4)]
    played(agents)
    assert [agent.seats for agent in agents] == [{0}, {1}, {2}, {3}]


def test_a_seating_game_by_game_equals_the_games_one_by_one():
    pair = [make("greedy"), ByAct("random")]
    sides = np.array([[0, 1, 0, 1], [1, 0, 1, 0]])
    seating = sides[np.arange(12) % 2]
    together = log_of(played(pair, seating))
    first, second = log_of(played(pair, sides[0])), log_of(played(pair, sides[1]))
    assert together == [(first, second)[i % 2][i] for i in range(12)]


def test_hands_already_over_are_left_alone():
    batch = played([make("random")] * 4)
    before = batch.rows.copy()
    play(batch, [ByAct("random")] * 4)
    assert np.array_equal(batch.rows, before)


@pytest.mark.parametrize("seating", [[0, 1, 2], [[0, 1, 0, 1]], [0, 1, 0, 2], [0, 1, 0, -1]])
def test_a_seating_that_does_not_fit_is_refused(seating):
    with pytest.raises(ValueError, match="seating"):
        played([make("random"), make("random")], seating)
