"""What a belief network learns, and how good its beliefs are: where the cards lie that a seat has not seen.

The loss is the cross-entropy over the cards whose place is truly hidden, all others masked. What it is measured by are
the log-loss and the calibration error by trick, beside any other source of probabilities for the same views, such as
the exact uniform posterior over all deals that agree with a view.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import torch

from minchiate_rl.agents import suits
from minchiate_rl.agents.base import Rng
from minchiate_rl.agents.network import N_BELIEFS, BeliefNetwork, PolicyNetwork
from minchiate_rl.agents.policy import PolicyAgent
from minchiate_rl.agents.spread import log_chances
from minchiate_rl.game.cards import N_CARDS
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import V_LEGAL, V_TURN
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.training.evaluate import EVALUATION_SEED
from minchiate_rl.training.table import LEARNER, Choices, Table
from minchiate_rl.views import encoding
from minchiate_rl.views.batch import Batch
from minchiate_rl.views.view import Views
from minchiate_rl.views.vocabulary import HIDDEN_PLACES

Source = Callable[[Views, npt.NDArray[np.uint64]], npt.NDArray[np.floating]]
"""Returns the probability of each place of each card, (M, 97, P), for M views with a random word each: the hands of the
next player, the partner and the previous player, and from the fourth on what counts as fola, such as discards."""

_N_HIDDEN: Final = len(HIDDEN_PLACES)
_BINS: Final = 20
_CHANCE_SEED: Final = 11


@kernel
def hidden_places(state_tokens, first, out):  # type: ignore[no-untyped-def]
    """Fill out, int8 (M, 97), with the class of each hidden card's true place, -1 for cards that are not hidden."""
    for k in range(state_tokens.shape[0]):
        for card in range(N_CARDS):
            out[k, card] = -1
        for token in state_tokens[k]:
            if token == 0:
                break
            if token >= first:
                card = (token - first) // _N_HIDDEN
                out[k, card] = min((token - first) - card * _N_HIDDEN, N_BELIEFS - 1)


@dataclasses.dataclass(frozen=True)
class BeliefScore:
    """How good beliefs were during one trick."""

    trick: int
    """From 1."""
    cards: int
    """Hidden cards that were judged."""
    log_loss: float
    """Mean of -log p(true place), in nats a card."""
    calibration: float
    """Expected calibration error over all places of all hidden cards, 20 equal bins of probability."""


def belief_scores(
    policy: PolicyNetwork,
    network: BeliefNetwork,
    rules: RuleSet,
    hands: int,
    temperature: float = 0.0,
    others: Sequence[Source] = (),
    share: float = 1.0,
) -> list[list[BeliefScore]]:
    """Return how good a network's beliefs are trick by trick, then those of other sources on the same views.

    The policy plays all seats of deals that are never trained on.

    Args:
        policy: the policy.
        network: the belief network.
        rules: the rule set.
        hands: how many hands.
        temperature: of the policy; 0 for its best actions, as in matches, 1 for its own probabilities.
        others: the other sources, such as the exact uniform posterior.
        share: of the decisions at which beliefs are judged, drawn by chance.
    """
    agent = PolicyAgent(policy, rules, temperature)
    judges, chance = [_Judge() for _ in (network, *others)], np.random.default_rng(_CHANCE_SEED)
    table = Table(Batch(rules, hands, seed=EVALUATION_SEED), np.full((hands, rules.n_seats), LEARNER, np.int8))
    choices = Choices(hands, True, rules)
    waiting = table.waiting()
    while len(waiting):
        n = choices.look(table, waiting)
        rows = np.flatnonzero(chance.random(n) < share)
        if len(rows):
            tricks = (choices.states[rows, V_TURN] >> np.uint64(24) & np.uint64(0xFF)).astype(np.int64)
            probabilities, places, hidden = _beliefs(network, choices, rows)
            judges[0].judge(tricks, probabilities, places)
            for judge, source in zip(judges[1:], others, strict=True):
                told = np.asarray(source(choices.views(rows), choices.words[rows]), dtype=np.float64)
                last = told[:, :, N_BELIEFS - 1 :].sum(axis=2, keepdims=True)
                judge.judge(tricks, np.concatenate([told[:, :, : N_BELIEFS - 1], last], axis=2), hidden)
        table.answer(waiting, agent.act(choices.views(np.arange(n)), Rng(choices.words[:n])))
        waiting = table.waiting()
    return [judge.scores() for judge in judges]


def _beliefs(
    network: BeliefNetwork, choices: Choices, rows: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Return the network's probabilities (M, 97, 4), and true places, int8 (M, 97), under its names and real ones."""
    rules, states, n = choices.rules, np.ascontiguousarray(choices.states[rows]), len(rows)
    tokens = np.zeros((n, encoding.max_tokens(rules)), np.int16)
    state_tokens = np.zeros((n, encoding.max_state_tokens(rules)), np.int16)
    encoding.encode_tokens_slice(states, tokens, 0, n)
    encoding.encode_state_tokens_slice(states, state_tokens, 0, n)
    first, hidden, places = encoding.n_tokens(rules), np.empty((n, N_CARDS), np.int8), np.empty((n, N_CARDS), np.int8)
    hidden_places(state_tokens, first, hidden)
    orders, legal = np.zeros(n, np.int8), states[:, V_LEGAL : V_LEGAL + 4].copy()
    suits.rename(states, np.arange(n), tokens, legal, orders)
    for row, order in enumerate(orders):
        suits.rename_tokens(np.int64(order), state_tokens, row)
    hidden_places(state_tokens, first, places)
    with torch.inference_mode():
        device = network.table.device
        chances = torch.from_numpy(log_chances(choices.views(rows), orders)).to(device)
        logits = network.beliefs(torch.from_numpy(tokens).to(device), chances)
        probabilities = torch.softmax(logits.reshape(n, N_CARDS, N_BELIEFS), dim=2).cpu().numpy()
    return probabilities.astype(np.float64), places, hidden


class _Judge:
    """Sums of probabilities by trick."""

    def __init__(self) -> None:
        self.sums: dict[int, npt.NDArray[np.float64]] = {}
        self.losses: dict[int, list[float]] = {}

    def judge(
        self, tricks: npt.NDArray[np.int64], probabilities: npt.NDArray[np.float64], places: npt.NDArray[np.int8]
    ) -> None:
        """Add probabilities (M, 97, 4) against true places (M, 97) of views in the given tricks, int64 (M,)."""
        for trick in map(int, np.unique(tricks)):
            at = tricks == trick
            hidden = places[at] >= 0
            p, true = probabilities[at][hidden], places[at][hidden].astype(np.int64)
            chosen = p[np.arange(len(true)), true]
            loss = self.losses.setdefault(trick, [0.0, 0.0])
            loss[0] -= float(np.log(np.maximum(chosen, 1e-12)).sum())
            loss[1] += len(true)
            bins = np.minimum((p * _BINS).astype(np.int64), _BINS - 1).ravel()
            hits = (np.arange(N_BELIEFS) == true[:, None]).astype(np.float64).ravel()
            sums = self.sums.setdefault(trick, np.zeros((2, _BINS)))
            sums += [np.bincount(bins, values, _BINS) for values in (p.ravel(), hits)]

    def scores(self) -> list[BeliefScore]:
        """Return the scores by trick, of tricks with hidden cards."""
        out = []
        for trick in sorted(self.sums):
            (loss, cards), (said, came) = self.losses[trick], self.sums[trick]
            if cards:
                error = float(np.abs(said - came).sum()) / (cards * N_BELIEFS)
                out.append(BeliefScore(trick + 1, int(cards), loss / cards, error))
        return out


def overall(scores: list[BeliefScore]) -> dict[str, float]:
    """Return the means over all tricks as metrics, weighted by hidden cards."""
    cards = sum(score.cards for score in scores)
    if not cards:
        return {}
    return {
        f"belief/{name}": sum(getattr(score, name) * score.cards for score in scores) / cards
        for name in ("log_loss", "calibration")
    }
