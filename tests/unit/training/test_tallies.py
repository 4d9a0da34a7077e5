"""What is counted of the learner's play, against a slow second count over the engine's own log of each hand."""

from functools import partial

import numpy as np

from minchiate_rl.agents.network import PolicyNetwork
from minchiate_rl.agents.weights import shape_for
from minchiate_rl.game.cards import KINGS, trump
from minchiate_rl.game.rules import ruleset
from minchiate_rl.game.seats import Phase
from minchiate_rl.training import tallies
from minchiate_rl.training.rollout import FIRST_TRAINING_SEED, Deal, PolicyPlayer, joined, play_part
from minchiate_rl.training.table import LEARNER
from minchiate_rl.training.workers import Workers
from minchiate_rl.views.batch import Batch

RULES = ruleset("classic")
HANDS = 16


def cards_of(words: np.ndarray) -> set[int]:
    number = int(words[0]) | int(words[1]) << 56
    return {card for card in range(97) if number >> card & 1}


def test_tallies_are_those_of_a_slow_count() -> None:
    codes = np.tile(np.array([LEARNER, 2, LEARNER, LEARNER], np.int8), (HANDS, 1))
    deal = Deal(RULES, FIRST_TRAINING_SEED, 0, codes, "points")
    player = PolicyPlayer(PolicyNetwork(shape_for(RULES, 16, 16)))
    with Workers(1) as workers:
        samples = joined(workers.run([partial(play_part, deal, part, player, []) for part in range(2)]))
    counts = samples.tallies
    assert counts[tallies.SEATS] == 3 * HANDS

    # The same hands again, played from the record of the choices: only what the engine shows is used.
    from minchiate_rl.agents import make, suits
    from minchiate_rl.game.engine.layout import PILE, V_HAND

    batch, heuristic = Batch(RULES, HANDS, seed=FIRST_TRAINING_SEED, first_hand=0), make("heuristic")
    place = [iter(np.flatnonzero(samples.games == game)) for game in range(HANDS)]
    begun: dict[tuple[int, int], set[int]] = {}
    leads = fumate = true = 0
    while not batch.done.all():
        playing = np.flatnonzero(~batch.done)
        views, mask, actions = batch.views(), batch.legal_mask(), np.zeros(HANDS, np.int16)
        answers = heuristic.act(views, batch.rng())
        for row, game in enumerate(playing):
            seat, view = int(batch.seat[game]), views[row]
            hand = cards_of(views.words[row, V_HAND : V_HAND + 2])
            if view.to_json()["phase"] == "play":
                begun.setdefault((int(game), seat), hand)
            if seat == 1:
                actions[game] = answers[row]
            elif mask[game].sum() == 1:
                actions[game] = mask[game].argmax()
            else:
                k = next(place[game])
                order = np.zeros(1, np.int8)
                suits.rename(
                    views.words, np.array([row]), np.zeros((1, 300), np.int16), np.zeros((1, 4), np.uint64), order
                )
                actions[game] = suits.own_actions(samples.actions[k : k + 1], order)[0]
                if samples.phases[k] == Phase.PLAY and not any(c is not None for c in view.to_json()["table"]):
                    leads += 1
                    fumata = trump(21) <= actions[game] <= trump(27)
                    fumate += fumata
                    true += fumata and trump(40) in hand
        batch.step(actions)
    assert [counts[tallies.LEADS], counts[tallies.FUMATE], counts[tallies.TRUE_FUMATE]] == [leads, fumate, true]
    assert leads > 0
    assert fumate > 0
    kings = saved = held = kept = 0
    for (game, seat), hand in begun.items():
        if seat == 1:
            continue
        pile = cards_of(batch.rows[game, PILE + 2 * (seat % 2) : PILE + 2 * (seat % 2) + 2])
        kings += len(hand & set(KINGS))
        saved += len(hand & set(KINGS) & pile)
        numbers = {card - trump(1) + 1 for card in hand if trump(1) <= card <= trump(40)}
        sets = [hand & set(KINGS)] if len(hand & set(KINGS)) >= 3 else []
        runs: list[list[int]] = []
        for number in sorted(n for n in numbers if n <= 5 or n >= 28):
            if runs and runs[-1][-1] == number - 1:
                runs[-1].append(number)
            else:
                runs.append([number])
        sets += [{trump(n) for n in run} for run in runs if len(run) >= 3]
        sets += [{trump(1), trump(40), 96}] if {1, 40} <= numbers and 96 in hand else []
        sets += [{trump(1), trump(13), trump(28)}] if {1, 13, 28} <= numbers else []
        tens = numbers & {10, 20, 30, 40}
        sets += [{trump(n) for n in tens}] if {20, 30} <= tens and len(tens) >= 3 else []
        held += len(sets)
        kept += sum(cards <= pile for cards in sets)
    assert [counts[tallies.KINGS], counts[tallies.KINGS_SAVED]] == [kings, saved]
    assert [counts[tallies.VERSICOLE], counts[tallies.VERSICOLE_KEPT]] == [held, kept]
    assert 0 < kept < held


def test_shares_of_nothing_are_left_out() -> None:
    counts = np.zeros(tallies.N_TALLIES, np.int64)
    assert tallies.told(counts) == {}
    counts[: tallies.LEADS] = 8, 4, 3, 2, 1
    assert tallies.told(counts) == {
        "play/kings_saved": 0.75,
        "play/versicole_kept": 0.125,
        "play/versicole_broken": 0.125,
    }
