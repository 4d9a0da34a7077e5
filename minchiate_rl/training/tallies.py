"""How the learner plays, in a few numbers for the dashboard: kings saved, versicole kept and broken, the fumata led.

They are counted on the hands that are played to learn from, over the learner's seats alone.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.game.cards import trump
from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount, trailing_zeros
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import PILE, PLAYED
from minchiate_rl.game.engine.score import ACCOUNT_TRICKS
from minchiate_rl.game.engine.versicole import KING_BITS, held_versicole, shown_cards
from minchiate_rl.game.rules import R_ACCOUNTS, R_EXTRAS, R_SEATS, R_SIDES, RuleSet
from minchiate_rl.game.seats import Phase
from minchiate_rl.views.encoding import TOKENS
from minchiate_rl.views.vocabulary import PLACES

#: Columns of a tally: seats of the learner, kings that they played and that ended in their own pile, versicole that
#: they held when play began and that ended whole in their own pile, leads, leads of T21 to T27, and such with T40.
SEATS: Final = 0
KINGS: Final = 1
KINGS_SAVED: Final = 2
VERSICOLE: Final = 3
VERSICOLE_KEPT: Final = 4
LEADS: Final = 5
FUMATE: Final = 6
TRUE_FUMATE: Final = 7
N_TALLIES: Final = 8

_PLAY: Final = int(Phase.PLAY)
_LEADING: Final = TOKENS["position"][0]
_FIRST: Final = int(trump(21))
_LAST: Final = int(trump(27))
_FORTY: Final = TOKENS["card"][0] + len(PLACES) * int(trump(40))
_LAST_HELD: Final = _FORTY + PLACES.index("my hand, seen by all")

Counts = npt.NDArray[np.int64]


@kernel
def _count_hands(rows, rule, codes, out):  # type: ignore[no-untyped-def]
    """Add what finished rows tell of the seats with code -1; what a seat played is the hand that it began with."""
    for i in range(rows.shape[0]):
        for seat in range(rule[R_SEATS]):
            if codes[i, seat] != -1:
                continue
            pile = PILE + 2 * (seat % rule[R_SIDES])
            w0, w1 = rows[i, PLAYED + 2 * seat], rows[i, PLAYED + 2 * seat + 1]
            out[SEATS] += 1
            out[KINGS] += np.int64(popcount(w0 & KING_BITS))
            out[KINGS_SAVED] += np.int64(popcount(w0 & KING_BITS & rows[i, pile]))
            if rule[R_ACCOUNTS] == ACCOUNT_TRICKS:
                continue
            held = held_versicole(w0, w1, rule[R_EXTRAS])
            while held != ZERO:
                c0, c1 = shown_cards(w0, w1, np.int64(trailing_zeros(held)))
                held &= held - ONE
                out[VERSICOLE] += 1
                out[VERSICOLE_KEPT] += ((c0 & ~rows[i, pile]) | (c1 & ~rows[i, pile + 1])) == U(0)


@kernel
def _count_leads(tokens, phases, actions, out):  # type: ignore[no-untyped-def]
    """Add what the choices tell of the cards led."""
    for k in range(tokens.shape[0]):
        if phases[k] != _PLAY:
            continue
        leads, forty = False, False
        for token in tokens[k]:
            if token == 0:
                break
            leads = leads or token == _LEADING
            forty = forty or _FORTY <= token <= _LAST_HELD
        if leads:
            out[LEADS] += 1
            if _FIRST <= actions[k] <= _LAST:
                out[FUMATE] += 1
                out[TRUE_FUMATE] += forty


def tallies(rows: npt.NDArray[np.uint64], rules: RuleSet, codes: npt.NDArray[np.int8], choices: Any) -> Counts:
    """Count how the learner played some hands.

    Args:
        rows: uint64 (N, W): the hands, played to their ends.
        rules: their rule set.
        codes: int8 (N, seats): -1 for the seats of the learner.
        choices: tokens int16 (K, T), phases int8 (K,) and actions int16 (K,) of what they chose.

    Returns:
        int64 (N_TALLIES,).
    """
    out = np.zeros(N_TALLIES, dtype=np.int64)
    _count_hands(rows, rules.row, codes, out)
    tokens, phases, actions = choices
    _count_leads(tokens, phases, actions, out)
    return out


def told(counts: Counts) -> dict[str, float]:
    """Return tallies as metrics; a share of nothing is left out."""
    shares = {
        "play/kings_saved": (KINGS_SAVED, KINGS),
        "play/versicole_kept": (VERSICOLE_KEPT, SEATS),
        "play/versicole_held": (VERSICOLE, SEATS),
        "play/fumata_led": (FUMATE, LEADS),
        "play/fumata_true": (TRUE_FUMATE, FUMATE),
    }
    found = {name: float(counts[part] / counts[whole]) for name, (part, whole) in shares.items() if counts[whole]}
    if "play/versicole_held" in found:
        found["play/versicole_broken"] = found.pop("play/versicole_held") - found["play/versicole_kept"]
    return found
