"""Matches of several hands: every seating, the standings of the players, and the games of Piedicavallo."""

from itertools import combinations

import numpy as np
import pytest

from minchiate_rl import Batch, ruleset
from minchiate_rl.agents import make
from minchiate_rl.errors import MinchiateError
from minchiate_rl.game.girone import Standing, schedule
from minchiate_rl.game.piedicavallo import match as piedicavallo
from minchiate_rl.matches import series
from minchiate_rl.matches.play import play
from minchiate_rl.matches.series import formats_of, play_series

BONUS = ruleset("girata_bonus")
SILENT = ruleset("piedicavallo").replace(speech="off")
AGENTS = ("greedy", "random")


def by_hand(format, match, agents):
    """Play match `match` of a seed with the named agent of each player; return resti and points by player."""
    standing, points = Standing(BONUS.girata_bonus), np.zeros(4)
    made = {name: make(name) for name in AGENTS}
    for sitting in schedule(format, match % 4):
        batch = Batch(BONUS, 1, seed=6, first_hand=match + (sitting.hand << 32), dealers=[sitting.dealer])
        play(batch, [made[agents[player]] for player in sitting.players])
        standing.add(sitting, batch.resti[0].tolist())
        for player in range(4):
            points[player] += batch.net[0, sitting.seat_of(player) % 2]
    return np.array(standing.resti), points


@pytest.mark.parametrize(("format", "hands"), [("girata", 4), ("girone", 12)])
def test_a_match_is_that_of_its_hands_in_every_seating(format, hands):
    found = play_series(AGENTS, format, 2, seed=6, rules=BONUS)
    pairs = [(0, 2), (1, 3)] if format == "girata" else list(combinations(range(4), 2))
    for match in range(2):
        values = []
        for pair in pairs:
            names = [AGENTS[0] if player in pair else AGENTS[1] for player in range(4)]
            resti, points = by_hand(format, match, names)
            best = resti == resti.max()
            own = list(pair)
            values.append((points[own].mean() / hands, resti[own].mean(), best[own].sum() / best.sum()))
        means = np.mean(values, axis=0)
        assert (found.points[match], found.resti[match], found.won[match]) == pytest.approx(tuple(means))
    assert found.hands == 2 * hands * len(pairs)
    assert found.matches == 2


def test_who_is_named_first_changes_the_sign_alone():
    there, back = (play_series(pair, "girone", 3, seed=1) for pair in (AGENTS, AGENTS[::-1]))
    assert there.points == pytest.approx(-back.points)
    assert there.resti == pytest.approx(-back.resti)
    assert there.won == pytest.approx(1.0 - back.won)


def test_threads_and_blocks_change_nothing(monkeypatch):
    monkeypatch.setattr(series, "BLOCK", 4)
    counted = []
    one = play_series(AGENTS, "girata", 10, seed=1)
    two = play_series(AGENTS, "girata", 10, seed=1, threads=2, progress=counted.append)
    assert np.array_equal(one.points, two.points)
    assert np.array_equal(one.resti, two.resti)
    assert counted == [4, 4, 2]


def test_the_seats_are_told_how_the_match_stands():
    told = []

    class Listener:
        name = "listener"

        def act(self, views, rng):
            told.append(views[0].to_json()["match"])
            return make("random").act(views, rng)

    play_series((Listener(), "random"), "girata", 1)
    assert {match["hand"] for match in told} == {0, 1, 2, 3}
    assert {match["hands"] for match in told} == {4}
    assert all(sum(match["resti"]) == 0 for match in told)
    assert any(any(match["resti"]) for match in told)


def test_a_game_of_piedicavallo_ends_when_its_rules_say():
    found = play_series(AGENTS, "game", 6, seed=2, rules=SILENT)
    made, points, won, hands = [make(name) for name in AGENTS], np.zeros(6), np.zeros(6), 0
    for match in range(6):
        for side in range(2):
            scores = []
            while not piedicavallo.is_over(scores):
                deal = len(scores)
                batch = Batch(SILENT, 1, seed=2, first_hand=match + (deal << 32), dealers=[(match + deal) % 4])
                play(batch, made, [(seat + side) % 2 for seat in range(4)])
                scores.append(batch.score[0].tolist())
            points[match] += np.mean([score[side] - score[1 - side] for score in scores]) / 2
            won[match] += (piedicavallo.winner_of(scores) == side) / 2
            hands += len(scores)
    assert found.points == pytest.approx(points)
    assert found.won.tolist() == won.tolist()
    assert found.hands == hands
    document = found.to_json()
    assert "resti_per_player" not in document
    assert document["format"] == "game"


def test_level_games_go_on(monkeypatch):
    # From four deals on every second one may end a game: with level scores made up, two more are played.
    scores = iter([[57, 57]] * 4 + [[60, 54]] * 2)
    real = Batch.score.fget
    monkeypatch.setattr(Batch, "score", property(lambda batch: np.array([next(scores, real(batch)[0].tolist())])))
    monkeypatch.setattr(series, "seatings", lambda rules: [(0, 1, 0, 1)])
    monkeypatch.setattr(series, "in_blocks", lambda play_block, todo, *rest: ([play_block(todo[0])], 1.0))
    assert play_series(AGENTS, "game", 1, rules=SILENT).hands == 6


@pytest.mark.parametrize(
    ("rules", "formats"),
    [
        ("classic", ("girata", "girone")),
        ("cascare", ("girata", "girone")),
        ("piedicavallo", ("game",)),
        ("solo", ()),
        ("two", ()),
        ("mini_team", ()),
    ],
)
def test_each_game_has_its_formats(rules, formats):
    assert formats_of(ruleset(rules)) == formats
    missing = "girone" if "girone" not in formats else "game"
    with pytest.raises(MinchiateError, match=f"no format '{missing}'; allowed: hand"):
        play_series(AGENTS, missing, 1, rules=rules)
