"""A view as token numbers: the active features alone, for networks whose first layer sums one weight row a token.

A token is a small positive number; rows are packed to the left and padded with 0. There is one token for every card
whose place the viewer knows (card and place together), one for each fact about the hand, and one for each card that
would add to a side's versicole. `TOKENS` is the vocabulary. Critics get further tokens for the true places of hidden
cards.
"""

from typing import Final

import numpy as np

from minchiate_rl.game.cards import N_CARDS, card_name
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
from minchiate_rl.views.economics import N_SLOTS, SLOT_CARDS, WORD_STARTS, gains, slot_bits, slot_masks

PLACES: Final[tuple[str, ...]] = (
    "my hand",
    "my hand, seen by all",
    "hand of next",
    "hand of partner",
    "hand of previous",
    "fola",
    "our discards",
    "their discards",
    *(f"on the table by {who}" for who in ("me", "next", "partner", "previous")),
    *(f"played by {who}, {pile} pile" for who in ("me", "next", "partner", "previous") for pile in ("our", "their")),
)
"""The known places of a card; its token is 1 + place + len(PLACES) * card."""

HIDDEN_PLACES: Final[tuple[str, ...]] = (
    "hand of next",
    "hand of partner",
    "hand of previous",
    "fola",
    "our discards",
    "their discards",
)
"""The true places of a hidden card; its token follows those of a view: N_TOKENS + place + len(HIDDEN_PLACES) * card."""

#: Upper bounds of the first two classes of versicole gains; the third is beyond.
GAIN_BOUNDS: Final = (10, 25)

_VOCABULARY: Final[tuple[tuple[str, int, str], ...]] = (
    ("padding", 1, "no token"),
    ("card", N_CARDS * len(PLACES), "card and place"),
    ("phase", 4, "discard, declare, play, over"),
    ("to_act", 3, "seat to act, if not the viewer: next, partner, previous"),
    ("position", 4, "cards on the table"),
    ("trick", 26, "finished tricks"),
    ("dealer", 4, "dealer, from the viewer on"),
    ("led", 5, "suit led"),
    ("winner", 4, "seat that holds the trick so far, from the viewer on"),
    ("opened", 4, "a plain suit that a finished trick was led in"),
    ("voids", 15, "a suit that a seat is known not to hold, 5 a seat: next, partner, previous"),
    ("no_king", 12, "a king that a seat is known not to hold, 4 a seat: next, partner, previous"),
    ("lead", 14, "our lead since the last resto in steps of 10, from -70"),
    ("tricks_won", 26, "our tricks"),
    ("matto_played", 4, "seat that played the Matto, from the viewer on"),
    ("matto_owed", 2, "a card is owed for the Matto: by us, by them"),
    ("fola_trumps", 14, "trumps in the fola"),
    ("n_discards", 28, "discards in all, 14 a side: ours, theirs"),
    ("to_discard", 14, "cards that the seat to act has still to discard, while it discards"),
    ("revealed", 1, "the discards have been turned up"),
    ("resti", 12, "resti received, 0 to 5 and more: ours, theirs"),
    ("rules", 7, "demonio, take_29 if_usable, never, rob_failure_resto, all_tricks, memory own_tricks, table"),
    (
        "gain",
        N_SLOTS * 2 * 3,
        "versicole gain of capturing a card, by slot, side (us, them), class (to 10, to 25, more)",
    ),
)


def _vocabulary() -> dict[str, tuple[int, int, str]]:
    tokens, start = {}, 0
    for name, size, meaning in _VOCABULARY:
        tokens[name] = (start, start + size, meaning)
        start += size
    return tokens


TOKENS: Final[dict[str, tuple[int, int, str]]] = _vocabulary()
"""The vocabulary of views: name -> (first, one past the last, meaning)."""

N_TOKENS: Final[int] = sum(size for _, size, _ in _VOCABULARY)
"""Token numbers of a view, the padding included."""

N_STATE_TOKENS: Final[int] = N_TOKENS + N_CARDS * len(HIDDEN_PLACES)
"""Token numbers of a state: those of a view, then the hidden cards'."""

MAX_TOKENS: Final = 208
"""The width of a row: above 97 cards, 54 gains and 54 facts, more than any view holds at once."""

MAX_STATE_TOKENS: Final = 240
"""The width of a state's row: a view's, and the true place of a card shown in a hand and discarded since."""


def token_name(token: int) -> str:
    """Return what a token of a view or of a state says, such as `card: CK my hand` or `trick: 3`."""
    if token >= N_TOKENS:
        card, place = divmod(token - N_TOKENS, len(HIDDEN_PLACES))
        return f"hidden: {card_name(card)} {HIDDEN_PLACES[place]}"
    name, start = next((n, start) for n, (start, stop, _) in TOKENS.items() if start <= token < stop)
    if name == "card":
        card, place = divmod(token - start, len(PLACES))
        return f"card: {card_name(card)} {PLACES[place]}"
    if name == "gain":
        slot, rest = divmod(token - start, 6)
        return f"gain: {card_name(SLOT_CARDS[slot])} {('us', 'them')[rest // 3]} class {rest % 3}"
    return f"{name}: {token - start}"


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
_FIRST_TRUMP: Final = 56
_BYTE: Final = np.uint64(0xFF)
_FOUR: Final = np.uint64(4)
_SMALL, _MIDDLE = (np.uint64(bound) for bound in GAIN_BOUNDS)
_GAIN_B, _GAIN_C, _GAIN_D = (_GAIN + 6 * start for start in WORD_STARTS[1:])
_MY_HAND, _MINE_SEEN, _THEIR_HANDS, _IN_FOLA, _OUR_DISCARDS, _ON_TABLE, _PLAYED = 0, 1, 2, 5, 6, 8, 12


@kernel
def _put_cards(w0, w1, first, step, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens first + step * card of a set of cards; return the new length."""
    while w0 != ZERO:
        row[n] = first + step * np.int64(trailing_zeros(w0))
        w0 &= w0 - ONE
        n += ONE
    first += step * _FIRST_TRUMP
    while w1 != ZERO:
        row[n] = first + step * np.int64(trailing_zeros(w1))
        w1 &= w1 - ONE
        n += ONE
    return n


@kernel
def _put_bits(word, first, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens first + i of the set bits i of a word; return the new length."""
    while word != ZERO:
        row[n] = first + np.int64(trailing_zeros(word))
        word &= word - ONE
        n += ONE
    return n


@kernel
def _put(first, value, limit, row, n):  # type: ignore[no-untyped-def]
    """Append the token first + value (uint64) where the value is below the limit; return the new length."""
    row[n] = first + np.int64(value)
    return n + U(value < limit)


@kernel
def _put_named(first, value, limit, row, n):  # type: ignore[no-untyped-def]
    """Append the token first + value - 1 where the value is neither 0 nor at the limit; return the new length."""
    row[n] = first + np.int64(value) - 1
    return n + U(value != ZERO and value < limit)


@kernel
def _at_most(value, limit):  # type: ignore[no-untyped-def]
    """Return the smaller of two uint64."""
    return value if value < limit else limit


@kernel
def _card_tokens(views, j, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens of the cards whose place the viewer knows; return the new length."""
    h0, h1 = views[j, V_HAND], views[j, V_HAND + 1]
    s0, s1 = views[j, V_SHOWN], views[j, V_SHOWN + 1]
    n = _put_cards(h0 & ~s0, h1 & ~s1, _CARD + _MY_HAND, _N_PLACES, row, n)
    n = _put_cards(h0 & s0, h1 & s1, _CARD + _MINE_SEEN, _N_PLACES, row, n)
    for r in range(3):
        w0, w1 = views[j, V_SHOWN + 2 * r + 2], views[j, V_SHOWN + 2 * r + 3]
        n = _put_cards(w0, w1, _CARD + _THEIR_HANDS + r, _N_PLACES, row, n)
    n = _put_cards(views[j, V_FOLA], views[j, V_FOLA + 1], _CARD + _IN_FOLA, _N_PLACES, row, n)
    # The cutter's discards come first; they are ours where the dealer is an opponent.
    cutter = 1 - np.int64((views[j, V_TURN] >> U(16)) & ONE)
    for who in range(2):
        w0, w1 = views[j, V_DISCARD + 2 * who], views[j, V_DISCARD + 2 * who + 1]
        n = _put_cards(w0, w1, _CARD + _OUR_DISCARDS + (cutter ^ who), _N_PLACES, row, n)
    table = views[j, V_TABLE]
    for r in range(4):
        card = np.int64(table & _BYTE)
        row[n] = _CARD + _ON_TABLE + r + _N_PLACES * card
        n += U(table & _BYTE != NO_CARD)
        table >>= U(8)
    for r in range(4):
        w0, w1 = views[j, V_PLAYED + 2 * r], views[j, V_PLAYED + 2 * r + 1]
        for pile in range(2):
            p0, p1 = w0 & views[j, V_PILE + 2 * pile], w1 & views[j, V_PILE + 2 * pile + 1]
            n = _put_cards(p0, p1, _CARD + _PLAYED + 2 * r + pile, _N_PLACES, row, n)
    return n


@kernel
def _turn_tokens(views, j, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens of the turn and of what play has shown; return the new length."""
    turn, known = views[j, V_TURN], views[j, V_KNOWN]
    n = _put(_PHASE, turn & _BYTE, _FOUR, row, n)
    n = _put_named(_TO_ACT, (turn >> U(8)) & _BYTE, _FOUR, row, n)
    n = _put(_DEALER, (turn >> U(16)) & _BYTE, _FOUR, row, n)
    n = _put(_TRICK, (turn >> U(24)) & _BYTE, U(26), row, n)
    n = _put(_POSITION, (turn >> U(32)) & _BYTE, _FOUR, row, n)
    n = _put(_LED, (turn >> U(40)) & _BYTE, U(5), row, n)
    n = _put(_WINNER, (turn >> U(48)) & _BYTE, _FOUR, row, n)
    n = _put_bits(turn >> U(56), _OPENED, row, n)
    n = _put_bits((known >> U(5)) & U(0x7FFF), _VOIDS, row, n)
    n = _put_bits((known >> U(24)) & U(0xFFF), _NO_KING, row, n)
    n = _put(_MATTO_PLAYED, (known >> U(40)) & _BYTE, _FOUR, row, n)
    return _put(_MATTO_OWED, (known >> U(48)) & _BYTE, U(2), row, n)


@kernel
def _count_tokens(views, j, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens of marks, counts and rules; return the new length."""
    score, rules, facts = views[j, V_SCORE], views[j, V_RULES], views[j, V_FACTS]
    lead = min(max(np.int64(np.int16((score >> U(32)) & U(0xFFFF))), -70), 69)
    n = _put(_LEAD, U((lead + 70) // 10), U(14), row, n)
    n = _put(_TRICKS_WON, rules & _BYTE, U(26), row, n)
    cutter_is_ours = ((views[j, V_TURN] >> U(16)) & ONE) != ZERO
    ours, theirs = facts & _BYTE, (facts >> U(8)) & _BYTE
    if not cutter_is_ours:
        ours, theirs = theirs, ours
    n = _put(_N_DISCARDS, _at_most(ours, U(13)), U(14), row, n)
    n = _put(_N_DISCARDS + 14, _at_most(theirs, U(13)), U(14), row, n)
    n = _put_bits((facts >> U(16)) & ONE, _REVEALED, row, n)
    n = _put(_FOLA_TRUMPS, _at_most((facts >> U(48)) & _BYTE, U(13)), U(14), row, n)
    if views[j, V_TURN] & _BYTE == ZERO:
        n = _put(_TO_DISCARD, _at_most(facts >> U(56), U(13)), U(14), row, n)
    n = _put(_RESTI, _at_most((score >> U(48)) & _BYTE, U(5)), U(6), row, n)
    n = _put(_RESTI + 6, _at_most(score >> U(56), U(5)), U(6), row, n)
    if (rules >> U(16)) & U(0xFFFFFFFFFF) != ZERO:
        n = _put_bits((rules >> U(16)) & ONE, _RULES, row, n)
        n = _put_named(_RULES + 1, (rules >> U(24)) & _BYTE, U(3), row, n)
        n = _put_bits((rules >> U(32)) & ONE, _RULES + 3, row, n)
        n = _put_bits((rules >> U(40)) & ONE, _RULES + 4, row, n)
        n = _put_named(_RULES + 5, (rules >> U(48)) & _BYTE, U(3), row, n)
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
    ours = slot_bits(views[j, V_PILE], views[j, V_PILE + 1])
    theirs = slot_bits(views[j, V_PILE + 2], views[j, V_PILE + 3])
    if popcount(ours) < U(2) and popcount(theirs) < U(2):
        return n
    demonio = ((views[j, V_RULES] >> U(16)) & _BYTE) != ZERO
    out_0 = views[j, V_FOLA] | views[j, V_DISCARD] | views[j, V_DISCARD + 2]
    out_1 = views[j, V_FOLA + 1] | views[j, V_DISCARD + 1] | views[j, V_DISCARD + 3]
    gone_a, gone_b, gone_c, gone_d = slot_masks(ours | theirs | slot_bits(out_0, out_1))
    for side in range(2):
        a, b, c, d = gains(ours if side == 0 else theirs, demonio)
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
    return _gain_tokens(views, j, row, n)


@kernel
def encode_tokens(views, j, out, k):  # type: ignore[no-untyped-def]
    """Write the tokens of view row j to out[k, :MAX_TOKENS], int16, padded with 0; return their number."""
    row = out[k]
    n = np.int64(_view_tokens(views, j, row))
    for i in range(n, len(row)):
        row[i] = 0
    return n


@kernel
def encode_state_tokens(states, j, out, k):  # type: ignore[no-untyped-def]
    """Write the tokens of state row j, hidden cards and all, to out[k, :MAX_STATE_TOKENS]; return their number."""
    row = out[k]
    n = _view_tokens(states, j, row)
    for r in range(3):
        column, shown = S_HAND + 2 * r, V_SHOWN + 2 * r + 2
        w0, w1 = states[j, column] & ~states[j, shown], states[j, column + 1] & ~states[j, shown + 1]
        n = _put_cards(w0, w1, _N_TOKENS + r, _N_HIDDEN, row, n)
    w0, w1 = states[j, S_FOLA] & ~states[j, V_FOLA], states[j, S_FOLA + 1] & ~states[j, V_FOLA + 1]
    n = _put_cards(w0, w1, _N_TOKENS + 3, _N_HIDDEN, row, n)
    cutter = 1 - np.int64((states[j, V_TURN] >> U(16)) & ONE)
    for who in range(2):
        column, known = S_DISCARD + 2 * who, V_DISCARD + 2 * who
        w0, w1 = states[j, column] & ~states[j, known], states[j, column + 1] & ~states[j, known + 1]
        n = _put_cards(w0, w1, _N_TOKENS + 4 + (cutter ^ who), _N_HIDDEN, row, n)
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
