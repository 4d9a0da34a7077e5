"""Speech at Piedicavallo: what the rule player tells, what it makes of what was told, and what that is worth."""

import numpy as np
import pytest

from minchiate_rl import Batch, agents, ruleset
from minchiate_rl.agents.fused import DEAF, HEURISTIC, MUTE, RANDOM
from minchiate_rl.agents.hearing import hear
from minchiate_rl.game.engine.layout import HAND
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import Phase
from tests.support.playing import act_once, play_fused

FULL = ruleset("piedicavallo")
FACTS = FULL.replace(speech="facts")


def margin(rules: RuleSet, a: int, b: int, deals: int) -> float:
    """Return the points a hand of A's side over B's, each deal played with the sides swapped."""
    there = play_fused(Batch(rules, deals, seed=31), a, b, a, b).net[:, 0]
    back = play_fused(Batch(rules, deals, seed=31), b, a, b, a).net[:, 1]
    return float((there + back).mean() / 2)


def suit_counts(hand: tuple[int, int]) -> list[int]:
    return [*((hand[0] >> 14 * suit & 0x3FFF).bit_count() for suit in range(4)), (hand[1] & (1 << 40) - 1).bit_count()]


@pytest.mark.parametrize("players", [[RANDOM] * 4, [HEURISTIC] * 4, [HEURISTIC, RANDOM, DEAF, RANDOM]])
def test_what_is_heard_is_true(players: list[int]) -> None:
    batch = Batch(FULL, 60, seed=3)
    names = [{RANDOM: "random", HEURISTIC: "heuristic", DEAF: "deaf"}[code] for code in players]
    seats, told = [agents.make(name) for name in names], 0
    while not batch.done.all():
        for i in np.flatnonzero(batch.phase == Phase.PLAY)[:8]:
            viewer = int(batch.seat[i])
            held, counts = np.zeros((4, 2), np.uint64), np.full((4, 5), -1, np.int64)
            hear(batch.view(int(i)).words[None, :], 0, held, counts)
            for r in range(4):
                at = HAND + 2 * ((viewer + r) % 4)
                hand = int(batch.rows[i, at]), int(batch.rows[i, at + 1])
                assert int(held[r, 0]) & ~hand[0] == 0
                assert int(held[r, 1]) & ~hand[1] == 0
                known = [c if c >= 0 else n for c, n in zip(counts[r].tolist(), suit_counts(hand), strict=True)]
                assert known == suit_counts(hand)
                told += int(held[r].any()) + int((counts[r] >= 0).any())
        act_once(batch, seats)
    assert told > 1000


def test_messages_are_short_and_new() -> None:
    batch = play_fused(Batch(FACTS, 50, seed=2), *[HEURISTIC] * 4)
    for i in range(50):
        said = batch.view(i, 0).to_json()["said"]
        assert max(len(items) for _, _, items in said) <= 8
        assert sum(len(items) for _, _, items in said) < 60
        for seat in range(4):
            courts = [(card[0], item) for s, card, items in said if s == seat for item in items if item[:4] == "have"]
            assert len(courts) == len(set(courts))


def test_mute_says_nothing_and_plays_as_deaf_does() -> None:
    deaf, mute = play_fused(Batch(FACTS, 50, seed=2), *[DEAF] * 4), play_fused(Batch(FACTS, 50, seed=2), *[MUTE] * 4)
    assert np.array_equal(deaf.score, mute.score)
    for i in range(50):
        assert not any(items for _, _, items in mute.view(i, 0).to_json()["said"])
        assert sum(a < 97 for a in mute.actions(i)) == 62
    assert deaf.decision.sum() > mute.decision.sum()


def test_without_speech_all_three_are_one() -> None:
    off = FULL.replace(speech="off")
    for rules in (off, ruleset("two"), ruleset("classic")):
        logs = [play_fused(Batch(rules, 20, seed=4), *[code] * 4).log for code in (HEURISTIC, DEAF, MUTE)]
        assert np.array_equal(logs[0], logs[1])
        assert np.array_equal(logs[0], logs[2])


def test_heeding_what_is_said_pays() -> None:
    assert margin(FACTS, HEURISTIC, DEAF, 600) > 1.5
    assert margin(FACTS, HEURISTIC, MUTE, 600) > 0
    assert margin(FACTS, DEAF, MUTE, 50) == 0
