"""The kernel agents over whole hands: legal, repeatable, the same in a fused loop, and of the strength meant."""

import hashlib

import numpy as np
import pytest

from minchiate_rl import Batch, agents, ruleset
from minchiate_rl.agents.fused import GREEDY, HEURISTIC, RANDOM, WAIT, advance
from minchiate_rl.errors import AgentError
from minchiate_rl.views.batch import Words
from tests.support.playing import play_by_steps, play_fused

NAMES = ["random", "greedy", "heuristic"]
DECISIONS = 128
"""More decisions than a hand has; the digest is of as many bytes of its log."""
FROZEN = "63037c4d663123c50d17544721fa246d6dbe9bec7b1e57c092dcf5a431a148c9"
"""The digest of 1,000 hands of the heuristic; it changes only if the player does, and then every rating against it."""


@pytest.mark.parametrize("name", NAMES)
def test_every_answer_is_legal(name: str) -> None:
    batch = Batch("classic", 300, seed=1)
    player = agents.make(name)
    while not batch.done.all():
        live = np.flatnonzero(~batch.done)
        answers = player.act(batch.views(), batch.rng())
        assert answers.dtype == np.int16
        assert batch.legal_mask()[live, answers].all()
        actions = np.full(batch.num_games, 97, dtype=np.int16)
        actions[live] = answers
        batch.step(actions)


@pytest.mark.parametrize("flags", [{"demonio": True}, {"memory": "table"}, {"memory": "own_tricks"}])
def test_heuristic_plays_under_other_rules(flags: dict[str, object]) -> None:
    rules = ruleset("classic").replace(**flags)
    assert play_by_steps(Batch(rules, 50, seed=2), *["heuristic"] * 4).done.all()


@pytest.mark.parametrize("name", NAMES)
def test_answers_do_not_depend_on_the_batch(name: str) -> None:
    player = agents.make(name)
    batch = Batch("classic", 64, seed=5)
    for _ in range(40):
        views, rng = batch.views(), batch.rng()
        whole = player.act(views, rng)
        backwards = batch.views()
        backwards.words[:] = views.words[::-1]
        assert np.array_equal(player.act(backwards, Words(rng.words[::-1]))[::-1], whole)
        for i in (0, 17, 63):
            alone = np.arange(64) == i
            assert player.act(batch.views(alone), batch.rng(alone))[0] == whole[i]
        batch.step(whole)


@pytest.mark.parametrize(("code", "name"), list(enumerate(NAMES)))
def test_fused_loop_plays_the_same_hands(code: int, name: str) -> None:
    stepped = play_by_steps(Batch("classic", 200, seed=9), *[name] * 4)
    looped = play_fused(Batch("classic", 200, seed=9), *[code] * 4)
    assert looped.done.all()
    assert np.array_equal(stepped.rows, looped.rows)
    assert np.array_equal(stepped.log, looped.log)
    assert np.array_equal(stepped.ledger, looped.ledger)


def test_fused_loop_takes_codes_by_hand_and_a_slice_of_the_batch() -> None:
    mixed = play_fused(Batch("classic", 100, seed=4), HEURISTIC, RANDOM, GREEDY, RANDOM)
    by_hand = Batch("classic", 100, seed=4)
    codes = np.tile(np.array([HEURISTIC, RANDOM, GREEDY, RANDOM], np.int8), (100, 1))
    parts = [(0, 37), (37, 37), (37, 100)]
    counts = [advance(by_hand.rows, by_hand.log, by_hand.ledger, by_hand.rules.row, codes, *part) for part in parts]
    assert np.array_equal(mixed.rows, by_hand.rows)
    assert sum(counts) == by_hand.decision.sum()
    assert counts[1] == 0


def test_fused_loop_waits_for_a_seat_of_another_agent() -> None:
    batch = Batch("classic", 100, seed=4)
    codes = np.array([HEURISTIC, WAIT, HEURISTIC, RANDOM], np.int8)
    turns = 0
    while not batch.done.all():
        advance(batch.rows, batch.log, batch.ledger, batch.rules.row, codes, 0, 100)
        assert np.isin(batch.seat, (1, -1)).all()
        where = batch.seat == 1
        actions = np.full(100, 97, dtype=np.int16)
        actions[where] = agents.make("greedy").act(batch.views(where), batch.rng(where))
        batch.step(actions)
        turns += 1
    assert np.array_equal(
        batch.rows, play_fused(Batch("classic", 100, seed=4), HEURISTIC, GREEDY, HEURISTIC, RANDOM).rows
    )
    assert turns >= 22


def test_random_agent_and_playout_are_one() -> None:
    played_out = Batch("classic", 200, seed=6)
    played_out.playout()
    assert np.array_equal(play_fused(Batch("classic", 200, seed=6), *[RANDOM] * 4).rows, played_out.rows)


def test_words_must_be_as_many_as_views() -> None:
    batch = Batch("classic", 4, seed=1)
    with pytest.raises(AgentError, match="4 views need as many random words"):
        agents.make("random").act(batch.views(), Words(np.zeros(3, np.uint64)))


def mean_difference(a: int, b: int, deals: int) -> float:
    """Return points a hand of A over B, each deal played with the sides swapped."""
    there = play_fused(Batch("classic", deals, seed=21), a, b, a, b).balance[:, 0, 1]
    back = play_fused(Batch("classic", deals, seed=21), b, a, b, a).balance[:, 0, 1]
    return float((there - back).mean() / 2)


def test_order_of_strength() -> None:
    assert mean_difference(GREEDY, RANDOM, 400) > 50
    assert 90 < mean_difference(HEURISTIC, RANDOM, 400) < 125
    assert mean_difference(HEURISTIC, GREEDY, 400) > 30
    assert abs(mean_difference(HEURISTIC, HEURISTIC, 50)) == 0


def test_heuristic_is_frozen() -> None:
    batch = play_fused(Batch("classic", 1000, seed=2026), *[HEURISTIC] * 4)
    assert not batch.log[:, DECISIONS:].any()
    assert hashlib.sha256(batch.log[:, :DECISIONS].tobytes()).hexdigest() == FROZEN
