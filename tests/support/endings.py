"""Batches of hands that stand shortly before their end, as agents or chance have brought them there."""

import numpy as np

from minchiate_rl import Batch, RuleSet
from minchiate_rl.agents.fused import advance
from minchiate_rl.game.cards import KINGS, MATTO, N_CARDS
from minchiate_rl.game.engine.layout import (
    DECISION,
    HAND,
    MATTO_STATE,
    NOBODY,
    ON_TABLE,
    OPENED,
    PHASE,
    PILE,
    TRICK,
)
from minchiate_rl.game.seats import Phase
from tests.support.positions import words


def endings(rules: RuleSet | str, num_games: int, seed: int, code: int, tricks: int, on_table: int = 0) -> Batch:
    """Return hands played by a kernel agent up to a card to be played with some tricks left and cards on the table."""
    played = Batch(rules, num_games, seed=seed)
    dealt = played.copy()
    advance(played.rows, played.log, played.ledger, played.rules.row, np.full(4, code, np.int8), 0, num_games)
    hands = dealt.copy()
    while True:
        rows = hands.rows
        there = (rows[:, TRICK] == hands.rules.n_tricks - tricks) & (rows[:, ON_TABLE] == on_table)
        there &= rows[:, PHASE] == int(Phase.PLAY)
        for name in ("rows", "log", "ledger"):
            getattr(dealt, name)[there] = getattr(hands, name)[there]
        if hands.done.all():
            return dealt
        hands.step(played.log[np.arange(num_games), np.minimum(rows[:, DECISION], played.log.shape[1] - 1)].astype(int))


def with_matto_and_kings(batch: Batch, seed: int) -> Batch:
    """Exchange the Matto and three kings that lie in piles for cards of hands, and forget which suits were led.

    Play brings such positions about too seldom for a test.
    """
    rng = np.random.default_rng(seed)
    for row in batch.rows:
        for card in (int(MATTO), *rng.permutation(KINGS)[:3]):
            bits = words([card])
            piles = [p for p in (PILE, PILE + 2) if any(row[p + w] & bits[w] for w in range(2))]
            held = [(seat, c) for seat in range(4) for c in range(N_CARDS - 1) if _holds(row, HAND + 2 * seat, c)]
            held = [(seat, c) for seat, c in held if c not in KINGS]
            if piles and held:
                seat, other = held[rng.integers(len(held))]
                for w, bit in enumerate(words([other])):
                    row[piles[0] + w] ^= bit ^ bits[w]
                    row[HAND + 2 * seat + w] ^= bit ^ bits[w]
                if card == MATTO:
                    _pay_debt(row)
        row[OPENED] = rng.integers(16)
    return batch


def _pay_debt(row: np.ndarray) -> None:
    """Move the lowest plain card of the side that owes for the Matto to the other, if one does."""
    debtor = int(row[MATTO_STATE] >> np.uint64(8)) & 0xFF
    if debtor != NOBODY:
        lowest = row[PILE + 2 * debtor] & (~row[PILE + 2 * debtor] + np.uint64(1))
        row[PILE] ^= lowest
        row[PILE + 2] ^= lowest
    row[MATTO_STATE] = NOBODY * np.uint64(0x010101)


def _holds(row: np.ndarray, column: int, card: int) -> bool:
    return any(row[column + w] & bit for w, bit in enumerate(words([card])))
