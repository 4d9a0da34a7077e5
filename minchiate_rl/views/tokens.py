"""A view as token numbers: the active features alone, for networks whose first layer sums one weight row a token.

A token is a small positive number; rows are packed to the left and padded with 0. There is one token for every card
whose place the viewer knows (card and place together), one for each fact about the hand, and one for each card that
would add to a side's versicole. vocabulary.py says what each number means. Critics get further tokens for the true
places of hidden cards.
"""

from typing import Final

import numpy as np

from minchiate_rl.game.engine.bits import ONE, ZERO, U, popcount, trailing_zeros
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    NO_CARD,
    S_DISCARD,
    S_FOLA,
    S_HAND,
    V_DISCARD,
    V_FACTS,
    V_FOLA,
    V_HAND,
    V_KNOWN,
    V_PILE,
    V_PLAYED,
    V_RULES,
    V_SCORE,
    V_SHOWN,
    V_TABLE,
    V_TURN,
)
from minchiate_rl.views.economics import WORD_STARTS, gains_of_side, slot_bits, slot_masks, slots_gone
from minchiate_rl.views.form_tokens import form_tokens
from minchiate_rl.views.put import at_most, put, put_bits, put_cards, put_named
from minchiate_rl.views.reading import discards_are_ours, extras_of, for_himself, speaks
from minchiate_rl.views.speech import speech_tokens
from minchiate_rl.views.spoken import N_SPEECH_TOKENS
from minchiate_rl.views.vocabulary import GAIN_BOUNDS, HIDDEN_PLACES, N_TOKENS, PLACES, TOKENS


def _at(name: str) -> int:
    return TOKENS[name][0]


_CARD: Final = _at("card")
_PHASE: Final = _at("phase")
_TO_ACT: Final = _at("to_act")
_POSITION: Final = _at("position")
_TRICK: Final = _at("trick")
_DEALER: Final = _at("dealer")
_LED: Final = _at("led")
_WINNER: Final = _at("winner")
_OPENED: Final = _at("opened")
_VOIDS: Final = _at("voids")
_NO_KING: Final = _at("no_king")
_LEAD: Final = _at("lead")
_TRICKS_WON: Final = _at("tricks_won")
_MATTO_PLAYED: Final = _at("matto_played")
_MATTO_OWED: Final = _at("matto_owed")
_FOLA_TRUMPS: Final = _at("fola_trumps")
_N_DISCARDS: Final = _at("n_discards")
_TO_DISCARD: Final = _at("to_discard")
_REVEALED: Final = _at("revealed")
_RESTI: Final = _at("resti")
_RULES: Final = _at("rules")
_GAIN: Final = _at("gain")

_N_PLACES: Final = len(PLACES)
_N_HIDDEN: Final = len(HIDDEN_PLACES)
_N_TOKENS: Final = N_TOKENS
_N_SPEECH: Final = N_SPEECH_TOKENS
_DEMONIO_ALONE: Final = 1
_BYTE: Final = np.uint64(0xFF)
_FOUR: Final = np.uint64(4)
_SMALL, _MIDDLE = (np.uint64(bound) for bound in GAIN_BOUNDS)
_GAIN_B, _GAIN_C, _GAIN_D = (_GAIN + 6 * start for start in WORD_STARTS[1:])
_MY_HAND, _MINE_SEEN, _THEIR_HANDS, _IN_FOLA, _OUR_DISCARDS, _ON_TABLE, _PLAYED = 0, 1, 2, 5, 6, 8, 12


@kernel
def _card_tokens(views, j, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens of the cards whose place the viewer knows; return the new length."""
    h0, h1 = views[j, V_HAND], views[j, V_HAND + 1]
    s0, s1 = views[j, V_SHOWN], views[j, V_SHOWN + 1]
    n = put_cards(h0 & ~s0, h1 & ~s1, _CARD + _MY_HAND, _N_PLACES, row, n)
    n = put_cards(h0 & s0, h1 & s1, _CARD + _MINE_SEEN, _N_PLACES, row, n)
    for r in range(3):
        w0, w1 = views[j, V_SHOWN + 2 * r + 2], views[j, V_SHOWN + 2 * r + 3]
        n = put_cards(w0, w1, _CARD + _THEIR_HANDS + r, _N_PLACES, row, n)
    n = put_cards(views[j, V_FOLA], views[j, V_FOLA + 1], _CARD + _IN_FOLA, _N_PLACES, row, n)
    for who in range(2):
        w0, w1 = views[j, V_DISCARD + 2 * who], views[j, V_DISCARD + 2 * who + 1]
        theirs = 0 if discards_are_ours(views, j, who) else 1
        n = put_cards(w0, w1, _CARD + _OUR_DISCARDS + theirs, _N_PLACES, row, n)
    table = views[j, V_TABLE]
    for r in range(4):
        card = np.int64(table & _BYTE)
        row[n] = _CARD + _ON_TABLE + r + _N_PLACES * card
        n += U(table & _BYTE != NO_CARD)
        table >>= U(8)
    t0, t1 = views[j, V_PILE + 2], views[j, V_PILE + 3]
    if for_himself(views, j):
        t0 |= views[j, V_PILE + 4] | views[j, V_PILE + 6]
        t1 |= views[j, V_PILE + 5] | views[j, V_PILE + 7]
    for r in range(4):
        w0, w1 = views[j, V_PLAYED + 2 * r], views[j, V_PLAYED + 2 * r + 1]
        o0, o1 = views[j, V_PILE], views[j, V_PILE + 1]
        n = put_cards(w0 & o0, w1 & o1, _CARD + _PLAYED + 2 * r, _N_PLACES, row, n)
        n = put_cards(w0 & t0, w1 & t1, _CARD + _PLAYED + 2 * r + 1, _N_PLACES, row, n)
    return n


@kernel
def _turn_tokens(views, j, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens of the turn and of what play has shown; return the new length."""
    turn, known = views[j, V_TURN], views[j, V_KNOWN]
    n = put(_PHASE, turn & _BYTE, _FOUR, row, n)
    n = put_named(_TO_ACT, (turn >> U(8)) & _BYTE, _FOUR, row, n)
    n = put(_DEALER, (turn >> U(16)) & _BYTE, _FOUR, row, n)
    n = put(_TRICK, (turn >> U(24)) & _BYTE, U(26), row, n)
    n = put(_POSITION, (turn >> U(32)) & _BYTE, _FOUR, row, n)
    n = put(_LED, (turn >> U(40)) & _BYTE, U(5), row, n)
    n = put(_WINNER, (turn >> U(48)) & _BYTE, _FOUR, row, n)
    n = put_bits(turn >> U(56), _OPENED, row, n)
    n = put_bits((known >> U(5)) & U(0x7FFF), _VOIDS, row, n)
    n = put_bits((known >> U(24)) & U(0xFFF), _NO_KING, row, n)
    n = put(_MATTO_PLAYED, (known >> U(40)) & _BYTE, _FOUR, row, n)
    return put(_MATTO_OWED, (known >> U(48)) & _BYTE, U(2), row, n)


@kernel
def _count_tokens(views, j, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens of marks, counts and rules; return the new length."""
    score, rules, facts = views[j, V_SCORE], views[j, V_RULES], views[j, V_FACTS]
    lead = min(max(np.int64(np.int16((score >> U(32)) & U(0xFFFF))), -70), 69)
    n = put(_LEAD, U((lead + 70) // 10), U(14), row, n)
    n = put(_TRICKS_WON, rules & _BYTE, U(26), row, n)
    ours, theirs = facts & _BYTE, (facts >> U(8)) & _BYTE
    if discards_are_ours(views, j, 1):
        ours, theirs = theirs, ours
    n = put(_N_DISCARDS, at_most(ours, U(13)), U(14), row, n)
    n = put(_N_DISCARDS + 14, at_most(theirs, U(13)), U(14), row, n)
    n = put_bits((facts >> U(16)) & ONE, _REVEALED, row, n)
    trumps = (facts >> U(48)) & _BYTE
    if trumps != NO_CARD:
        n = put(_FOLA_TRUMPS, at_most(trumps, U(13)), U(14), row, n)
    if views[j, V_TURN] & _BYTE == ZERO:
        n = put(_TO_DISCARD, at_most(facts >> U(56), U(13)), U(14), row, n)
    n = put(_RESTI, at_most((score >> U(48)) & _BYTE, U(5)), U(6), row, n)
    n = put(_RESTI + 6, at_most(score >> U(56), U(5)), U(6), row, n)
    if (rules >> U(16)) & U(0xFFFFFFFFFF) != ZERO:
        n = put_bits((rules >> U(16)) & ONE, _RULES, row, n)
        n = put_named(_RULES + 1, (rules >> U(24)) & _BYTE, U(3), row, n)
        n = put_bits((rules >> U(32)) & ONE, _RULES + 3, row, n)
        n = put_bits((rules >> U(40)) & ONE, _RULES + 4, row, n)
        n = put_named(_RULES + 5, (rules >> U(48)) & _BYTE, U(3), row, n)
    return n


@kernel
def _put_gains(word, first, row, n):  # type: ignore[no-untyped-def]
    """Append the token of every byte of a gain word that is not 0; return the new length."""
    while word != ZERO:
        place = trailing_zeros(word) >> U(3)
        points = (word >> (place << U(3))) & _BYTE
        row[n] = first + 6 * np.int64(place) + np.int64(points > _SMALL) + np.int64(points > _MIDDLE)
        word &= ~(_BYTE << (place << U(3)))
        n += ONE
    return n


@kernel
def _gain_tokens(views, j, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens of what each card still to be captured would add to the versicole; return the new length."""
    if not for_himself(views, j) and extras_of(views, j) <= _DEMONIO_ALONE:
        ours = slot_bits(views[j, V_PILE], views[j, V_PILE + 1])
        theirs = slot_bits(views[j, V_PILE + 2], views[j, V_PILE + 3])
        if popcount(ours) < U(2) and popcount(theirs) < U(2):
            return n
    gone_a, gone_b, gone_c, gone_d = slot_masks(slots_gone(views, j))
    for side in range(2):
        a, b, c, d = gains_of_side(views, j, side)
        n = _put_gains(a & ~gone_a, _GAIN + 3 * side, row, n)
        n = _put_gains(b & ~gone_b, _GAIN_B + 3 * side, row, n)
        n = _put_gains(c & ~gone_c, _GAIN_C + 3 * side, row, n)
        n = _put_gains(d & ~gone_d, _GAIN_D + 3 * side, row, n)
    return n


@kernel
def _view_tokens(views, j, row):  # type: ignore[no-untyped-def]
    """Write the tokens of view row j from row[0] on; return their number (uint64)."""
    n = _card_tokens(views, j, row, ZERO)
    n = _turn_tokens(views, j, row, n)
    n = _count_tokens(views, j, row, n)
    n = _gain_tokens(views, j, row, n)
    n = form_tokens(views, j, row, n)
    if speaks(views, j):
        n = speech_tokens(views, j, _N_TOKENS, row, n)
    return n


@kernel
def encode_tokens(views, j, out, k):  # type: ignore[no-untyped-def]
    """Write the tokens of view row j to out[k], int16 (T,), padded with 0; return their number."""
    row = out[k]
    n = np.int64(_view_tokens(views, j, row))
    for i in range(n, len(row)):
        row[i] = 0
    return n


@kernel
def encode_state_tokens(states, j, out, k):  # type: ignore[no-untyped-def]
    """Write the tokens of state row j, hidden cards and all, to out[k], int16; return their number."""
    row = out[k]
    n = _view_tokens(states, j, row)
    first = _N_TOKENS + _N_SPEECH if speaks(states, j) else _N_TOKENS
    for r in range(3):
        column, shown = S_HAND + 2 * r, V_SHOWN + 2 * r + 2
        w0, w1 = states[j, column] & ~states[j, shown], states[j, column + 1] & ~states[j, shown + 1]
        n = put_cards(w0, w1, first + r, _N_HIDDEN, row, n)
    w0, w1 = states[j, S_FOLA] & ~states[j, V_FOLA], states[j, S_FOLA + 1] & ~states[j, V_FOLA + 1]
    n = put_cards(w0, w1, first + 3, _N_HIDDEN, row, n)
    for who in range(2):
        column, known = S_DISCARD + 2 * who, V_DISCARD + 2 * who
        w0, w1 = states[j, column] & ~states[j, known], states[j, column + 1] & ~states[j, known + 1]
        theirs = 0 if discards_are_ours(states, j, who) else 1
        n = put_cards(w0, w1, first + 4 + theirs, _N_HIDDEN, row, n)
    length = np.int64(n)
    for i in range(length, len(row)):
        row[i] = 0
    return length


@kernel
def encode_tokens_slice(views, out, lo, hi):  # type: ignore[no-untyped-def]
    """Write the tokens of view rows lo to hi - 1 to the same rows of out."""
    for j in range(lo, hi):
        encode_tokens(views, j, out, j)


@kernel
def encode_state_tokens_slice(states, out, lo, hi):  # type: ignore[no-untyped-def]
    """Write the tokens of state rows lo to hi - 1 to the same rows of out."""
    for j in range(lo, hi):
        encode_state_tokens(states, j, out, j)
