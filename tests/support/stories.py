"""Stories: hands of any form from the pack on, played by random or heuristic players, and told again."""

import dataclasses

import numpy as np

from minchiate_rl.agents.fused import advance
from minchiate_rl.game.actions import BID, DECLARE, DONE, DROP
from minchiate_rl.game.cards import N_CARDS, ROBBABLE
from minchiate_rl.game.engine.batch import cuts_of
from minchiate_rl.game.engine.jit import owning_kernel
from minchiate_rl.game.engine.layout import NOBODY, PHASE, SEAT, TRICK
from minchiate_rl.game.engine.legal import is_legal
from minchiate_rl.game.engine.step import apply
from minchiate_rl.game.seats import Phase
from minchiate_rl.views.batch import Batch


@owning_kernel
def replay(rows, log, ledger, rule, actions, counts, turns):  # type: ignore[no-untyped-def]
    """Take counts[i] of the actions in each row; write who is to act, phase and trick at each decision to `turns`.

    Returns whether all of a row's actions were legal, bool (N,).
    """
    legal = np.ones(len(rows), np.bool_)
    for i in range(len(rows)):
        for t in range(counts[i] + 1):
            turns[i, t, 0] = np.int8(rows[i, SEAT])
            turns[i, t, 1] = np.int8(rows[i, PHASE])
            turns[i, t, 2] = np.int8(rows[i, TRICK])
            if t == counts[i]:
                break
            action = np.int64(actions[i, t])
            if rows[i, SEAT] == NOBODY or not is_legal(rows, i, rule, action):
                legal[i] = False
                break
            apply(rows, log, ledger, i, rule, action)
    return legal


@dataclasses.dataclass
class Stories:
    """Hands from the pack on: packs (N, cards), cuts, dealers (N,), actions (N, longest), counts (N,)."""

    rules: object
    packs: np.ndarray
    cuts: np.ndarray
    dealers: np.ndarray
    actions: np.ndarray
    counts: np.ndarray

    def take(self, rows, counts):
        """Return some of the stories, each up to a number of actions."""
        parts = (self.packs[rows], self.cuts[rows], self.dealers[rows], self.actions[rows, : int(np.max(counts))])
        return Stories(self.rules, *(part.copy() for part in parts), np.asarray(counts))

    def told(self, seed=0):
        """Return the batch after the actions, the turns (N, longest + 1, 3), and which stories are legal."""
        size = len(self.packs)
        seeds = np.full(size, seed, dtype=np.uint64)
        hands = np.arange(size, dtype=np.uint64) + np.uint64(seed)
        batch = Batch.from_packs(self.rules, self.packs, self.cuts, self.dealers, seeds, hands)
        turns = np.full((size, self.actions.shape[1] + 1, 3), -1, dtype=np.int8)
        row = self.rules.row
        legal = replay(batch.rows, batch.log, batch.ledger, row, self.actions, self.counts, turns)
        return batch, turns, legal


def play_stories(rules, hands, seed, packs=None):
    """Return finished stories: random players in the even hands, heuristic ones in the odd.

    `packs` are (packs, cuts, dealers) to play from; they are dealt from the seed if None.
    """
    batch = Batch(rules, hands, seed=seed) if packs is None else Batch.from_packs(rules, *packs)
    drawn = [batch.pack(i) for i in range(hands)]
    codes = np.where(np.arange(hands) % 2 == 0, -1, 2).astype(np.int8)
    advance(batch.rows, batch.log, batch.ledger, rules.row, np.repeat(codes[:, None], 4, axis=1), 0, hands)
    _play_at_random(batch, np.random.default_rng(seed))
    packs, cuts = np.array([pack for pack, _ in drawn], dtype=np.uint8), np.array([cut for _, cut in drawn])
    counts = batch.decision.astype(np.int64)
    actions = batch.log[:, : counts.max()].astype(np.int16)
    return Stories(rules, packs, cuts, batch.dealer.astype(np.int64), actions, counts)


def _play_at_random(batch, chance):
    """Play on at random; seats that may drop often do, bids are made often, messages are short."""
    while not batch.done.all():
        mask = batch.legal_mask()
        weight = np.where(mask, chance.random(mask.shape), -1.0)
        if mask.shape[1] > BID:
            weight[:, [DROP, BID]] *= 1.3
        if mask.shape[1] > DECLARE:
            weight[:, DECLARE:] *= np.where(batch.phase == Phase.DECLARE, 1.5, 1.0)[:, None]
        quiet = (batch.phase == Phase.SPEAK) & mask[:, DONE] & (chance.random(batch.num_games) < 0.6)
        batch.step(np.where(quiet, DONE, weight.argmax(axis=1)))


def rigged_packs(rules, hands, chance, most=33):
    """Return packs, cuts and dealers where up to `most` robbable cards lie at the bottom of the lifted packet."""
    packs = np.empty((hands, N_CARDS), dtype=np.uint8)
    cuts, dealers = np.empty(hands, dtype=np.int64), chance.integers(0, rules.n_seats, hands)
    good = np.array(sorted(ROBBABLE))
    rest = np.array(sorted(set(range(N_CARDS)) - set(ROBBABLE)))
    for i in range(hands):
        n = int(chance.integers(0, most + 1))
        picked = chance.permutation(good)
        below = chance.permutation(np.concatenate([picked[n:], rest]))
        if rules.bottom_check:
            worthless = int(np.flatnonzero((below < 56) & ~np.isin(below, good))[0])
            below[-1], below[worthless] = below[worthless], below[-1]
        cuts[i] = chance.integers(max(n, cuts_of(rules)[0]), cuts_of(rules)[-1] + 1)
        above = cuts[i] - n
        packs[i] = np.concatenate([below[:above], picked[:n], below[above:]])
    return packs, cuts, dealers
