"""Endings played out in every way through the engine: what the endgame solver must agree with."""

import numpy as np

from minchiate_rl.game.cards import N_CARDS
from minchiate_rl.game.engine.batch import Hands
from minchiate_rl.game.engine.bits import ONE, ZERO
from minchiate_rl.game.engine.jit import owning_kernel
from minchiate_rl.game.engine.layout import ENTRIES, LEDGER, LOG, NOBODY, SCORE, SEAT, W
from minchiate_rl.game.engine.legal import legal_words
from minchiate_rl.game.engine.step import apply
from minchiate_rl.game.engine.versicole import card_words

PLIES = 17


@owning_kernel
def _look(rows, log, ledger, rule, out):
    """Fill `out` (97,) with the final score difference after each card legal in row 0; rows are modified."""
    best = np.zeros(PLIES, np.int64)
    untried = np.zeros((PLIES, 2), np.uint64)
    card = np.zeros(PLIES, np.int64)
    d = 0
    untried[0, 0], untried[0, 1], _, _ = legal_words(rows, 0, rule)
    best[0] = -9999 if rows[0, SEAT] & ONE == ZERO else 9999
    while True:
        found, over = np.int64(0), rows[d, SEAT] == NOBODY
        if over:
            found = np.int64(rows[d, SCORE]) - np.int64(rows[d, SCORE + 1])
        elif untried[d, 0] == ZERO and untried[d, 1] == ZERO:
            found, over = best[d], True
        if over:
            if d == 0:
                return best[0]
            d -= 1
            if d == 0:
                out[card[0]] = found
            best[d] = max(best[d], found) if rows[d, SEAT] & ONE == ZERO else min(best[d], found)
            continue
        for c in range(N_CARDS):
            c0, c1 = card_words(c)
            if (untried[d, 0] & c0) != ZERO or (untried[d, 1] & c1) != ZERO:
                break
        untried[d, 0] &= ~c0
        untried[d, 1] &= ~c1
        card[d] = c
        rows[d + 1] = rows[d]
        log[d + 1, 0] = 0
        # The ledger holds what was marked, which the score column has too; its entries are not read again.
        rows[d + 1, ENTRIES] = ZERO
        apply(rows, log, ledger, d + 1, rule, c)
        d += 1
        if rows[d, SEAT] != NOBODY:
            untried[d, 0], untried[d, 1], _, _ = legal_words(rows, d, rule)
            best[d] = -9999 if rows[d, SEAT] & ONE == ZERO else 9999


def brute_force(batch: Hands, i: int) -> tuple[int, dict[int, int]]:
    """Return what the rest of hand i adds to side 0's lead under perfect play, and the same after each legal card."""
    rows = np.zeros((PLIES + 1, W), np.uint64)
    rows[0] = batch.rows[i]
    log, ledger = np.zeros((PLIES + 1, LOG), np.uint8), np.zeros((PLIES + 1, LEDGER), np.uint32)
    out = np.full(N_CARDS, 9999, np.int64)
    before = int(batch.score[i, 0]) - int(batch.score[i, 1])
    value = int(_look(rows, log, ledger, batch.rules.row, out)) - before
    return value, {card: int(found) - before for card, found in enumerate(out) if found != 9999}
