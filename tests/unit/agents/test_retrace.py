"""The play of a hand once more: at every card the players see what they saw, and in worlds all of it is legal."""

import numpy as np
import pytest

from minchiate_rl import Batch, ruleset
from minchiate_rl.agents import make, worlds
from minchiate_rl.agents.retrace import can_retrace, new_stage, next_action, rewind
from minchiate_rl.errors import RulesError
from minchiate_rl.game.engine.bits import U
from minchiate_rl.game.engine.layout import OUT, PHASE, SEAT, V_LEGAL, V_SPEECH, V
from minchiate_rl.game.engine.observe import observe
from minchiate_rl.game.engine.step import apply
from minchiate_rl.game.seats import Phase
from minchiate_rl.testing import random_rules
from minchiate_rl.views.view import Views


def seen_by(rows, seat, rules):
    words = np.zeros((1, V_SPEECH), np.uint64)
    observe(rows, 0, seat, rules.row, words, 0)
    return words[0, :V]


def repeated(rows, rules):
    """Yield the seat, its view, the phase and the action at each decision of the play of row 0; then the row itself."""
    stage = new_stage()
    rewind(rows, 0, rules.row, stage)
    while (action := int(next_action(rows, 0, stage.row))) >= 0:
        seat = int(stage.row[0, SEAT])
        yield seat, seen_by(stage.row, seat, rules), int(stage.row[0, PHASE]), action
        apply(stage.row, stage.log, stage.ledger, 0, rules.row, action)
    yield stage.row


# Hand 27 begins with a resto for a failure to rob, so that resti and marks do not tell the same lead.
@pytest.mark.parametrize(("name", "hands", "seed", "first"), [("classic", 10, 41, 0), ("rob_failure", 8, 5, 20)])
def test_the_play_of_a_hand_is_repeated_as_everybody_saw_it(name, hands, seed, first):
    rules = ruleset(name)
    batch, agent = Batch(rules, hands, seed=seed, first_hand=first), make("random")
    played, compared = [[] for _ in range(hands)], 0
    while not batch.done.all():
        turn = batch.seat >= 0
        views, actions = batch.views(turn), np.zeros(hands, np.int16)
        actions[turn] = agent.act(views, batch.rng(turn))
        for k, i in enumerate(np.flatnonzero(turn)):
            if len(played[i]) % 13 == 12:
                *again, _ = repeated(batch.rows[i : i + 1], rules)
                cards = [step for step in again if step[2] == Phase.PLAY]
                assert len(cards) == len(played[i])
                for (seat, seen, _, action), (who, saw, did) in zip(cards, played[i], strict=True):
                    assert (seat, action) == (who, did)
                    np.testing.assert_array_equal(seen, saw)
                    compared += 1
            if batch.rows[i, PHASE] == Phase.PLAY:
                played[i].append((int(batch.seat[i]), views.words[k].copy(), int(actions[i])))
        batch.step(actions)
    assert compared > 1000


def switched(seed):
    """Return random switches under which worlds are made."""
    try:
        rules = random_rules(seed, "classic").replace(memory="perfect", rob_limit=13)
    except RulesError:
        return ruleset("classic")
    return rules


@pytest.mark.parametrize("seed", range(12))
def test_in_a_world_every_move_is_legal_and_ends_where_the_world_stands(seed):
    rules = ruleset("classic") if seed < 2 else switched(seed)
    batch, agent, step, found = Batch(rules, 6, seed=seed), make("random"), 0, 0
    while not batch.done.all():
        turn = batch.seat >= 0
        views, rng = batch.views(turn), batch.rng(turn)
        if step % 6 == 0:
            for k in range(len(views)):
                one = Views(views.words[k : k + 1], rules)
                rows = worlds.sample(one, rng.words[k : k + 1], 1)[0]
                if not can_retrace(rows, 0):
                    continue
                *steps, end = repeated(rows, rules)
                for _, seen, _, action in steps:
                    word, bit = (0, action) if action < 56 else (1, action - 56) if action < 97 else (2, action - 97)
                    assert seen[V_LEGAL + word] >> U(bit) & U(1)
                for seat in range(4):
                    np.testing.assert_array_equal(seen_by(rows, seat, rules), seen_by(end, seat, rules))
                found += 1
        actions = np.zeros(6, np.int16)
        actions[turn] = agent.act(views, rng)
        batch.step(actions)
        step += 1
    assert found > 40


def test_play_that_has_not_begun_or_lost_a_player_is_not_repeated():
    batch = Batch("classic", 40, seed=3)
    discarding = batch.rows[:, PHASE] == Phase.DISCARD
    assert 0 < discarding.sum() < 40
    for i in range(40):
        assert can_retrace(batch.rows, i) == (not discarding[i])
    batch.rows[:, OUT] = 1
    assert not any(can_retrace(batch.rows, i) for i in range(40))
