"""The dense observation: a view as one float32 vector, written slice by slice in the order of slices.py.

With cards numbered by strength the four plain suits are interchangeable: permuting them permutes entries of the vector
and changes nothing else.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.game.actions import N_VERSICOLE
from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, N_CARDS, N_TRUMPS, SUIT_SIZE, VALUES
from minchiate_rl.game.engine.bits import ONE, ZERO, U
from minchiate_rl.game.engine.expand import copy_eight, scatter, spread_bits, spread_cards, spread_difference
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    NO_CARD,
    V_DECLARED,
    V_DISCARD,
    V_FACTS,
    V_FOLA,
    V_FOLA_PUBLIC,
    V_HAND,
    V_KNOWN,
    V_PILE,
    V_PLAYED,
    V_ROBBED,
    V_RULES,
    V_SCORE,
    V_SHOWN,
    V_TABLE,
    V_TURN,
)
from minchiate_rl.views.economics import N_SLOTS, SLOT_CARDS, WORD_STARTS, gains, slot_bits, slot_masks
from minchiate_rl.views.slices import OBSERVATION_SIZE, SLICES


def _at(name: str) -> np.uint64:
    return np.uint64(SLICES[name][0])


_OUT_OF_PLAY: Final = _at("out_of_play")
_UNSEEN: Final = _at("unseen")
_ROBBED: Final = _at("robbed")
_DECLARED: Final = _at("declared_me")
_VOIDS: Final = _at("voids")
_OPENED: Final = _at("opened")
_CAPTURE: Final = _at("capture_us")
_TABLE: Final = _at("table_me")
_LED: Final = _at("led")
_WINNER: Final = _at("winner")
_POSITION: Final = _at("position")
_PHASE: Final = _at("phase")
_TO_ACT: Final = _at("to_act")
_DEALER: Final = _at("dealer")
_MATTO_PLAYED: Final = _at("matto_played")
_MATTO_OWED: Final = _at("matto_owed")
_MATTO_PAID: Final = _at("matto_paid")
_TRICK: Final = _at("trick")
_TRICKS_WON: Final = _at("tricks_won")
_LEAD: Final = _at("lead")
_SCORE: Final = _at("score")
_RESTI: Final = _at("resti")
_N_DISCARDS: Final = _at("n_discards")
_TO_DISCARD: Final = _at("to_discard")
_REVEALED: Final = _at("revealed")
_FOLA: Final = _at("fola")
_STOPPERS: Final = _at("stoppers")
_RULES: Final = _at("rules")

_N_CARDS: Final = np.uint64(N_CARDS)
_N_VERSICOLE: Final = np.uint64(N_VERSICOLE)
_N_SLOTS: Final = np.uint64(N_SLOTS)
_ONE_HOTS: Final = SLICES["led"][0]
_SIZE: Final = OBSERVATION_SIZE
_TRUMPS_AT: Final = np.uint64(FIRST_TRUMP)
_UNSEEN_COLUMN: Final = -1
#: The columns of the planes, in the order of the layout.
_PLANE_COLUMNS: Final = np.array(
    [
        V_HAND,
        *range(V_PLAYED, V_PLAYED + 8, 2),
        V_PILE,
        *range(V_SHOWN, V_SHOWN + 8, 2),
        V_FOLA_PUBLIC,
        _UNSEEN_COLUMN,
    ]
)
#: The sets of cards whose place the viewer knows, besides the fola and the table.
_PLACE_COLUMNS: Final = np.array(
    [
        V_HAND,
        *range(V_PLAYED, V_PLAYED + 8, 2),
        V_PILE,
        V_PILE + 2,
        *range(V_SHOWN + 2, V_SHOWN + 8, 2),
        V_DISCARD,
        V_DISCARD + 2,
    ]
)
_BYTE: Final = np.uint64(0xFF)
_ALL_0: Final = np.uint64((1 << 56) - 1)
_ALL_1: Final = np.uint64((1 << 41) - 1)
_WITHOUT: Final = np.uint64((1 << N_VERSICOLE) - 1)
_PLAIN: Final = np.uint64(4)


def _card_blocks() -> npt.NDArray[np.float32]:
    """Return eight numbers for each card byte: six for the suit, strength, value."""
    blocks = np.zeros((256, 8), np.float32)
    for card in range(N_CARDS):
        if card < FIRST_TRUMP:
            suit, strength = card // SUIT_SIZE, (card % SUIT_SIZE + 1) / SUIT_SIZE
        elif card < MATTO:
            suit, strength = 4, (card - FIRST_TRUMP + 1) / N_TRUMPS
        else:
            suit, strength = 5, 0.0
        blocks[card, suit] = 1
        blocks[card, 6:] = strength, VALUES[card] / 10
    return blocks


_CARD_BLOCKS: Final = _card_blocks()
_CAPTURE_WORTH: Final = np.minimum(np.arange(256) / 50, 1).astype(np.float32)
#: The own values of the slots, as the four words of economics.gains.
_SLOT_VALUES: Final = tuple(
    np.uint64(sum(VALUES[card] << 8 * i for i, card in enumerate(SLOT_CARDS[start:stop])))
    for start, stop in zip(WORD_STARTS, (*WORD_STARTS[1:], N_SLOTS), strict=True)
)
_VALUES_A, _VALUES_B, _VALUES_C, _VALUES_D = _SLOT_VALUES


@kernel
def _known_places(views, j):  # type: ignore[no-untyped-def]
    """Return the two words of the cards whose place the viewer knows, the table's excepted."""
    known_0, known_1 = views[j, V_FOLA], views[j, V_FOLA + 1]
    for column in _PLACE_COLUMNS:
        known_0 |= views[j, column]
        known_1 |= views[j, column + 1]
    return known_0, known_1


@kernel
def _out_of_play(views, j, row):  # type: ignore[no-untyped-def]
    """Grade the entries of the fola and the discards, beside those of the fola seen by all."""
    hidden = np.float32(0.75)
    scatter(views[j, V_FOLA] & ~views[j, V_FOLA_PUBLIC], hidden, row, _OUT_OF_PLAY)
    scatter(views[j, V_FOLA + 1] & ~views[j, V_FOLA_PUBLIC + 1], hidden, row, _OUT_OF_PLAY + _TRUMPS_AT)
    # The dealer sits on our side where he is the viewer or the partner; the cutter belongs to the other side.
    dealer_is_ours = ((views[j, V_TURN] >> U(16)) & ONE) == ZERO
    for who in range(2):
        weight = np.float32(0.5) if (who == 1) == dealer_is_ours else np.float32(0.25)
        scatter(views[j, V_DISCARD + 2 * who], weight, row, _OUT_OF_PLAY)
        scatter(views[j, V_DISCARD + 2 * who + 1], weight, row, _OUT_OF_PLAY + _TRUMPS_AT)


@kernel
def _planes(views, j, row):  # type: ignore[no-untyped-def]
    """Write the slices of one entry a card."""
    at = ZERO
    for column in _PLANE_COLUMNS:
        if column == V_PILE:
            spread_difference(views[j, V_PILE], views[j, V_PILE + 2], 14, row, at)
            spread_difference(views[j, V_PILE + 1], views[j, V_PILE + 3], 11, row, at + _TRUMPS_AT)
        else:
            w0, w1 = views[j, column], views[j, column + 1]
            if column == _UNSEEN_COLUMN:
                w0, w1 = _known_places(views, j)
                w0, w1 = ~w0 & _ALL_0, ~w1 & _ALL_1
            spread_cards(w0, w1, row, at)
        at += _N_CARDS
    _out_of_play(views, j, row)
    table = views[j, V_TABLE]
    for _ in range(4):
        card = table & _BYTE
        if card != NO_CARD:
            row[_UNSEEN + card] = np.float32(0)
        table >>= U(8)


@kernel
def _robbable_bits(w0, w1):  # type: ignore[no-untyped-def]
    """Return the robbable cards of a set as 33 bits: kings, T1 to T5, T10, T13, T20 to T40, the Matto."""
    kings = ((w0 >> U(13)) & U(1)) | ((w0 >> U(26)) & U(2)) | ((w0 >> U(39)) & U(4)) | ((w0 >> U(52)) & U(8))
    low = ((w1 & U(0x1F)) << U(4)) | (((w1 >> U(9)) & ONE) << U(9)) | (((w1 >> U(12)) & ONE) << U(10))
    return kings | low | (((w1 >> U(19)) & U(0x3FFFFF)) << U(11))


@kernel
def _robbed_and_declared(views, j, row):  # type: ignore[no-untyped-def]
    """Write what was robbed, taken and declared."""
    spread_bits(_robbable_bits(views[j, V_ROBBED], views[j, V_ROBBED + 1]), 5, row, _ROBBED)
    scatter(_robbable_bits(views[j, V_ROBBED + 2], views[j, V_ROBBED + 3]), np.float32(-1), row, _ROBBED)
    scatter(_robbable_bits(views[j, V_ROBBED + 4], views[j, V_ROBBED + 5]), np.float32(-0.5), row, _ROBBED)
    at = _DECLARED
    for r in range(4):
        word = views[j, V_DECLARED + r]
        spread_bits(word >> _N_VERSICOLE, 3, row, at)
        scatter(word & _WITHOUT, np.float32(0.5), row, at)
        at += _N_VERSICOLE


@kernel
def _worth(word, values, gone, row, at):  # type: ignore[no-untyped-def]
    """Write the worth of capturing eight slots: bytes of gains and of own values, those gone masked out."""
    word = (word + values) & ~gone
    for _ in range(8):
        row[at] = _CAPTURE_WORTH[word & _BYTE]
        word >>= U(8)
        at += ONE


@kernel
def _captures(views, j, row):  # type: ignore[no-untyped-def]
    """Write what capturing each card is worth to either side; a card in a pile or known to be out of play has 0."""
    demonio = ((views[j, V_RULES] >> U(16)) & _BYTE) != ZERO
    ours = slot_bits(views[j, V_PILE], views[j, V_PILE + 1])
    theirs = slot_bits(views[j, V_PILE + 2], views[j, V_PILE + 3])
    out_0 = views[j, V_FOLA] | views[j, V_DISCARD] | views[j, V_DISCARD + 2]
    out_1 = views[j, V_FOLA + 1] | views[j, V_DISCARD + 1] | views[j, V_DISCARD + 3]
    gone_a, gone_b, gone_c, gone_d = slot_masks(ours | theirs | slot_bits(out_0, out_1))
    for side in range(2):
        a, b, c, d = gains(ours if side == 0 else theirs, demonio)
        at = _CAPTURE if side == 0 else _CAPTURE + _N_SLOTS
        _worth(a, _VALUES_A, gone_a, row, at)
        _worth(b, _VALUES_B, gone_b, row, at + U(8))
        _worth(c, _VALUES_C, gone_c, row, at + U(13))
        _worth(d, _VALUES_D, gone_d, row, at + U(21))


@kernel
def _set_one(value, limit, row, at):  # type: ignore[no-untyped-def]
    """Set row[at + value] to 1 where a uint64 value is below the limit."""
    if value < limit:
        row[at + value] = np.float32(1)


@kernel
def _turn(views, j, row):  # type: ignore[no-untyped-def]
    """Write the one-hot slices and the Matto's state."""
    for i in range(_ONE_HOTS, _SIZE):
        row[i] = np.float32(0)
    turn, known = views[j, V_TURN], views[j, V_KNOWN]
    _set_one((turn >> U(40)) & _BYTE, U(5), row, _LED)
    _set_one((turn >> U(48)) & _BYTE, _PLAIN, row, _WINNER)
    _set_one((turn >> U(32)) & _BYTE, _PLAIN, row, _POSITION)
    _set_one(turn & _BYTE, _PLAIN, row, _PHASE)
    _set_one((turn >> U(8)) & _BYTE, _PLAIN, row, _TO_ACT)
    _set_one((turn >> U(16)) & _BYTE, _PLAIN, row, _DEALER)
    _set_one((known >> U(40)) & _BYTE, _PLAIN, row, _MATTO_PLAYED)
    _set_one((known >> U(48)) & _BYTE, U(2), row, _MATTO_OWED)
    paid = known >> U(56)
    if paid != NO_CARD:
        row[_MATTO_PAID] = np.float32(1)
        row[_MATTO_PAID + U(1)] = _CARD_BLOCKS[paid, 7]
    row[_TRICK] = np.float32((turn >> U(24)) & _BYTE) / np.float32(25)


@kernel
def _numbers(views, j, row):  # type: ignore[no-untyped-def]
    """Write marks and counts."""
    score, rules, facts = views[j, V_SCORE], views[j, V_RULES], views[j, V_FACTS]
    for side in range(2):
        i, shift = U(side), U(8 * side)
        row[_TRICKS_WON + i] = np.float32((rules >> shift) & _BYTE) / np.float32(25)
        row[_SCORE + i] = np.float32((score >> U(16 * side)) & U(0xFFFF)) / np.float32(500)
        row[_RESTI + i] = np.float32((score >> (U(48) + shift)) & _BYTE) / np.float32(8)
        row[_N_DISCARDS + i] = np.float32((facts >> shift) & _BYTE) / np.float32(13)
        row[_FOLA + i] = np.float32((facts >> (U(40) + shift)) & _BYTE) / np.float32(13)
        row[_STOPPERS + i] = _CARD_BLOCKS[(facts >> (U(24) + shift)) & _BYTE, 6]
    row[_LEAD] = np.float32(np.int16((score >> U(32)) & U(0xFFFF))) / np.float32(60)
    row[_TO_DISCARD] = np.float32(facts >> U(56)) / np.float32(13)
    row[_REVEALED] = np.float32((facts >> U(16)) & _BYTE)


@kernel
def _rule_flags(views, j, row):  # type: ignore[no-untyped-def]
    """Write the switches of the rule set, where they differ from the classic ones."""
    rules = views[j, V_RULES]
    row[_RULES] = np.float32((rules >> U(16)) & _BYTE)
    take_29, memory = (rules >> U(24)) & _BYTE, (rules >> U(48)) & _BYTE
    if take_29 != ZERO:
        row[_RULES + take_29] = np.float32(1)
    row[_RULES + U(3)] = np.float32((rules >> U(32)) & _BYTE)
    row[_RULES + U(4)] = np.float32((rules >> U(40)) & _BYTE)
    if memory != ZERO:
        row[_RULES + U(4) + memory] = np.float32(1)


@kernel
def encode_dense(views, j, out, k):  # type: ignore[no-untyped-def]
    """Write view row j as the vector out[k, :OBSERVATION_SIZE], float32."""
    row = out[k]
    _planes(views, j, row)
    _robbed_and_declared(views, j, row)
    known = views[j, V_KNOWN]
    spread_bits(known & U(0xFFFFFFFFF), 5, row, _VOIDS)
    spread_bits(views[j, V_TURN] >> U(56), 1, row, _OPENED)
    _captures(views, j, row)
    cards = views[j, V_TABLE]
    at = _TABLE
    for _ in range(8):
        copy_eight(_CARD_BLOCKS, cards & _BYTE, row, at)
        cards >>= U(8)
        at += U(8)
    _turn(views, j, row)
    _numbers(views, j, row)
    _rule_flags(views, j, row)


@kernel
def encode_dense_slice(views, out, lo, hi):  # type: ignore[no-untyped-def]
    """Write view rows lo to hi - 1 as the same rows of out."""
    for j in range(lo, hi):
        encode_dense(views, j, out, j)
