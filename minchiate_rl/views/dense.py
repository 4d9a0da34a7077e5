"""The dense observation: a view as one float32 vector, written slice by slice in the order of slices.py.

With cards numbered by strength the four plain suits are interchangeable: permuting them permutes entries of the vector
and changes nothing else.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.game.actions import N_VERSICOLE
from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, N_CARDS, N_TRUMPS, SUIT_SIZE, VALUES
from minchiate_rl.game.engine.bits import ONE, ZERO, U
from minchiate_rl.game.engine.expand import copy_eight, scatter, spread_bits, spread_cards, spread_difference
from minchiate_rl.game.engine.jit import hot_kernel, kernel
from minchiate_rl.game.engine.layout import (
    NO_CARD,
    NOBODY,
    V_BIDS,
    V_COUNTS,
    V_DECLARED,
    V_DISCARD,
    V_FACTS,
    V_FOLA,
    V_FOLA_PUBLIC,
    V_FORM,
    V_HAND,
    V_KNOWN,
    V_MARKS,
    V_MATCH,
    V_PAIRS,
    V_PILE,
    V_PLAYED,
    V_ROBBED,
    V_RULES,
    V_SCORE,
    V_SEATS,
    V_SHOWN,
    V_SWITCHES,
    V_TABLE,
    V_TURN,
    V,
)
from minchiate_rl.game.forms import GAMES
from minchiate_rl.game.piedicavallo.lawbook import points_of
from minchiate_rl.views.economics import N_SLOTS, SLOT_CARDS, WORD_STARTS, gains_of_side, slot_masks, slots_gone
from minchiate_rl.views.reading import PACKS, discards_are_ours, for_himself, game_of, is_steady, speaks
from minchiate_rl.views.slices import N_SWITCHES, OBSERVATION_SIZE, SLICES
from minchiate_rl.views.speech import encode_speech


def _at(name: str) -> np.uint64:
    return np.uint64(SLICES[name][0])


_OUT_OF_PLAY: Final = _at("out_of_play")
_CAPTURED: Final = _at("captured")
_UNSEEN: Final = _at("unseen")
_ROBBED: Final = _at("robbed")
_DECLARED: Final = _at("declared_me")
_VOIDS: Final = _at("voids")
_OPENED: Final = _at("opened")
_CAPTURE: Final = _at("capture_us")
_TABLE: Final = _at("table_me")
_TURNED: Final = _at("turned")
_LED: Final = _at("led")
_WINNER: Final = _at("winner")
_PHASE: Final = _at("phase")
_TO_ACT: Final = _at("to_act")
_DEALER: Final = _at("dealer")
_MATTO_PLAYED: Final = _at("matto_played")
_MATTO_OWED: Final = _at("matto_owed")
_MATTO_PAID: Final = _at("matto_paid")
_TRICK: Final = _at("trick")
_TRICKS_WON: Final = _at("tricks_won")
_AHEAD: Final = _at("ahead")
_SCORE: Final = _at("score")
_RESTI: Final = _at("resti")
_N_DISCARDS: Final = _at("n_discards")
_TO_DISCARD: Final = _at("to_discard")
_REVEALED: Final = _at("revealed")
_FOLA: Final = _at("fola")
_FOLA_SUITS: Final = _at("fola_suits")
_TRUMPS_DISCARDED: Final = _at("trumps_discarded")
_STOPPERS: Final = _at("stoppers")
_OUT: Final = _at("out")
_ANSWERED: Final = _at("answered")
_BIDS: Final = _at("bids")
_ELDEST_CHOICE: Final = _at("eldest_choice")
_MATCH_RESTI: Final = _at("match_resti")
_MATCH_HAND: Final = _at("match_hand")
_RULES: Final = _at("rules")
_SWITCHES: Final = _at("switches")
_AMOUNTS: Final = _at("amounts")
_FORM: Final = _at("form")

_N_CARDS: Final = np.uint64(N_CARDS)
_N_VERSICOLE: Final = np.uint64(N_VERSICOLE)
_N_SLOTS: Final = np.uint64(N_SLOTS)
_ONE_HOTS: Final = SLICES["turned"][0]
_SIZE: Final = OBSERVATION_SIZE
_SPEECH: Final = np.uint64(OBSERVATION_SIZE)
_TRUMPS_AT: Final = np.uint64(FIRST_TRUMP)
_UNSEEN_COLUMN: Final = V
#: The columns of the planes, in the order of the layout.
_PLANE_COLUMNS: Final = np.array(
    [
        V_HAND,
        *range(V_PLAYED, V_PLAYED + 8, 2),
        V_PILE,
        *range(V_SHOWN, V_SHOWN + 8, 2),
        V_FOLA_PUBLIC,
        _UNSEEN_COLUMN,
    ],
    dtype=np.uint64,
)
_BYTE: Final = np.uint64(0xFF)
_WITHOUT: Final = np.uint64((1 << N_VERSICOLE) - 1)
_FOUR: Final = np.uint64(4)


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


def _ranks() -> npt.NDArray[np.float32]:
    """Return the entry of a card turned up for each card byte."""
    ranks = np.zeros(256, np.float32)
    for card in range(FIRST_TRUMP):
        ranks[card] = (card % SUIT_SIZE + 1) / SUIT_SIZE / 2
    for card in range(FIRST_TRUMP, MATTO):
        ranks[card] = 0.5 + (card - FIRST_TRUMP + 1) / N_TRUMPS / 2
    ranks[MATTO] = -1
    return ranks


_CARD_BLOCKS: Final = _card_blocks()
_RANKS: Final = _ranks()


def _parts(unit: int) -> npt.NDArray[np.float32]:
    """Return each byte as a part of a unit; a look-up is cheaper than a conversion and a division."""
    return np.arange(256, dtype=np.float32) / np.float32(unit)


def _told(unit: int) -> npt.NDArray[np.float32]:
    """Return each byte as a part of a unit, and -1 for NO_CARD: a count that nobody tells."""
    parts = _parts(unit)
    parts[NO_CARD] = -1
    return parts


_OF_4, _OF_8, _OF_12, _OF_13, _OF_25 = (_parts(unit) for unit in (4, 8, 12, 13, 25))
_TOLD_OF_13: Final = _told(13)
_FLAG: Final = np.array([0, 1], np.float32)
_STRENGTH: Final = np.uint64(6)
#: The entry of the card paid for the Matto for each card byte; 0 for none.
_PAID: Final = np.where(np.arange(256) == NO_CARD, 0, (np.float32(10) * _CARD_BLOCKS[:, 7] + 1) / 11).astype(np.float32)
#: The entry of the trumps that the dealer announced to have discarded.
_ANNOUNCED: Final = np.where(np.arange(256) == NO_CARD, 0, (_parts(1) + 1) / np.float32(3)).astype(np.float32)
_CAPTURE_WORTH: Final = np.minimum(np.arange(256) / 50, 1).astype(np.float32)


def _slot_words(values: Sequence[int]) -> list[int]:
    """Return the values of the slots as the four words of economics.gains."""
    return [
        sum(values[i] << 8 * (i - start) for i in range(start, stop))
        for start, stop in zip(WORD_STARTS, (*WORD_STARTS[1:], N_SLOTS), strict=True)
    ]


#: The own values of the slots by the place of the game in GAMES; Piedicavallo has values of its own.
_SLOT_VALUES: Final = np.array(
    [
        _slot_words([points_of(card) if game.accounts == "tricks" else VALUES[card] for card in SLOT_CARDS])
        for game in GAMES.values()
    ],
    dtype=np.uint64,
)
#: The bytes of V_RULES that are switches.
_RULES_MASK: Final = np.uint64(0xFFFFFFFFFF << 16)
_SWITCH_MASK: Final = np.uint64((1 << N_SWITCHES) - 1)
#: The bytes of V_FORM that are amounts, and what each is a part of.
_AMOUNTS_MASK: Final = np.uint64(0xFFFFFFFFFF << 16)
_AMOUNT_UNITS: Final = np.array([50, 50, 200, 60, 60], np.float32)
_SOLO_FOLA: Final = np.uint64(list(GAMES).index("solo_fola"))


@hot_kernel
def _known_places(views, j):  # type: ignore[no-untyped-def]
    """Return the two words of the cards whose place the viewer knows, the table's excepted."""
    known_0 = views[j, V_HAND] | views[j, V_FOLA] | views[j, V_DISCARD] | views[j, V_DISCARD + 2]
    known_1 = views[j, V_HAND + 1] | views[j, V_FOLA + 1] | views[j, V_DISCARD + 1] | views[j, V_DISCARD + 3]
    for r in range(4):
        known_0 |= views[j, V_PLAYED + 2 * r] | views[j, V_PILE + 2 * r]
        known_1 |= views[j, V_PLAYED + 2 * r + 1] | views[j, V_PILE + 2 * r + 1]
    for r in range(1, 4):
        known_0 |= views[j, V_SHOWN + 2 * r]
        known_1 |= views[j, V_SHOWN + 2 * r + 1]
    return known_0, known_1


@hot_kernel
def _out_of_play(views, j, row):  # type: ignore[no-untyped-def]
    """Grade the entries of the fola and the discards, beside those of the fola seen by all."""
    hidden = np.float32(0.75)
    scatter(views[j, V_FOLA] & ~views[j, V_FOLA_PUBLIC], hidden, row, _OUT_OF_PLAY)
    scatter(views[j, V_FOLA + 1] & ~views[j, V_FOLA_PUBLIC + 1], hidden, row, _OUT_OF_PLAY + _TRUMPS_AT)
    for who in range(2):
        weight = np.float32(0.5) if discards_are_ours(views, j, who) else np.float32(0.25)
        scatter(views[j, V_DISCARD + 2 * who], weight, row, _OUT_OF_PLAY)
        scatter(views[j, V_DISCARD + 2 * who + 1], weight, row, _OUT_OF_PLAY + _TRUMPS_AT)


@kernel
def _captured_by_others(views, j, row):  # type: ignore[no-untyped-def]
    """Grade the cards in the piles of the seats after the next one, where everybody plays for himself."""
    for r in range(2, 4):
        weight = np.float32(-0.5) if r == 2 else np.float32(-0.25)
        scatter(views[j, V_PILE + 2 * r], weight, row, _CAPTURED)
        scatter(views[j, V_PILE + 2 * r + 1], weight, row, _CAPTURED + _TRUMPS_AT)


@hot_kernel
def _planes(views, j, row):  # type: ignore[no-untyped-def]
    """Write the slices of one entry a card."""
    at, game = ZERO, game_of(views, j)
    for column in _PLANE_COLUMNS:
        if column == V_PILE:
            spread_difference(views[j, V_PILE], views[j, V_PILE + 2], 14, row, at)
            spread_difference(views[j, V_PILE + 1], views[j, V_PILE + 3], 11, row, at + _TRUMPS_AT)
        else:
            if column == _UNSEEN_COLUMN:
                w0, w1 = _known_places(views, j)
                w0, w1 = ~w0 & PACKS[game, 0], ~w1 & PACKS[game, 1]
            else:
                w0, w1 = views[j, column], views[j, column + ONE]
            spread_cards(w0, w1, row, at)
        at += _N_CARDS
    _out_of_play(views, j, row)
    if for_himself(views, j):
        _captured_by_others(views, j, row)
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


@hot_kernel
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


@hot_kernel
def _worth(word, values, gone, row, at):  # type: ignore[no-untyped-def]
    """Write the worth of capturing eight slots: bytes of gains and of own values, those gone masked out."""
    word = (word + values) & ~gone
    for _ in range(8):
        row[at] = _CAPTURE_WORTH[word & _BYTE]
        word >>= U(8)
        at += ONE


@hot_kernel
def _captures(views, j, row):  # type: ignore[no-untyped-def]
    """Write what capturing each card is worth to either side; a card in a pile or known to be out of play has 0."""
    gone_a, gone_b, gone_c, gone_d = slot_masks(slots_gone(views, j))
    game = game_of(views, j)
    for side in range(2):
        a, b, c, d = gains_of_side(views, j, side)
        at = _CAPTURE if side == 0 else _CAPTURE + _N_SLOTS
        _worth(a, _SLOT_VALUES[game, U(0)], gone_a, row, at)
        _worth(b, _SLOT_VALUES[game, U(1)], gone_b, row, at + U(8))
        _worth(c, _SLOT_VALUES[game, U(2)], gone_c, row, at + U(13))
        _worth(d, _SLOT_VALUES[game, U(3)], gone_d, row, at + U(21))


@hot_kernel
def _set_one(value, limit, row, at):  # type: ignore[no-untyped-def]
    """Set row[at + value] to 1 where a uint64 value is below the limit."""
    if value < limit:
        row[at + value] = np.float32(1)


@hot_kernel
def _turn(views, j, row):  # type: ignore[no-untyped-def]
    """Write the cards turned up, the one-hot slices and the Matto's state."""
    for i in range(_ONE_HOTS, _SIZE):
        row[i] = np.float32(0)
    turn, known, turned = views[j, V_TURN], views[j, V_KNOWN], views[j, V_TABLE] >> U(32)
    for r in range(4):
        row[_TURNED + U(r)] = _RANKS[(turned >> U(8 * r)) & _BYTE]
    _set_one((turn >> U(40)) & _BYTE, U(5), row, _LED)
    _set_one((turn >> U(48)) & _BYTE, _FOUR, row, _WINNER)
    _set_one(turn & _BYTE, U(9), row, _PHASE)
    _set_one((turn >> U(8)) & _BYTE, _FOUR, row, _TO_ACT)
    _set_one((turn >> U(16)) & _BYTE, _FOUR, row, _DEALER)
    _set_one((known >> U(40)) & _BYTE, _FOUR, row, _MATTO_PLAYED)
    _set_one((known >> U(48)) & _BYTE, _FOUR, row, _MATTO_OWED)
    row[_MATTO_PAID] = _PAID[known >> U(56)]
    row[_TRICK] = _OF_25[(turn >> U(24)) & _BYTE]


@hot_kernel
def _numbers(views, j, row):  # type: ignore[no-untyped-def]
    """Write marks and counts."""
    score, seats, facts, counts = views[j, V_SCORE], views[j, V_SEATS], views[j, V_FACTS], views[j, V_COUNTS]
    for side in range(2):
        i, shift = U(side), U(8 * side)
        row[_SCORE + i] = np.float32(np.int32((score >> U(16 * side)) & U(0xFFFF))) / np.float32(500)
        row[_RESTI + i] = _OF_8[(score >> (U(48) + shift)) & _BYTE]
        row[_N_DISCARDS + i] = _OF_13[(facts >> shift) & _BYTE]
        row[_STOPPERS + i] = _CARD_BLOCKS[(facts >> (U(24) + shift)) & _BYTE, _STRENGTH]
    for r in range(4):
        i, shift = U(r), U(8 * r)
        row[_TRICKS_WON + i] = _OF_25[(seats >> (U(32) + shift)) & _BYTE]
        row[_FOLA_SUITS + i] = _TOLD_OF_13[(counts >> shift) & _BYTE]
    row[_AHEAD] = np.float32(np.int16((score >> U(32)) & U(0xFFFF))) / np.float32(60)
    row[_FOLA] = _OF_13[(facts >> U(40)) & _BYTE]
    row[_FOLA + ONE] = _TOLD_OF_13[(facts >> U(48)) & _BYTE]
    row[_TRUMPS_DISCARDED] = _ANNOUNCED[(counts >> U(32)) & _BYTE]
    row[_TO_DISCARD] = _OF_13[facts >> U(56)]
    row[_REVEALED] = _FLAG[(facts >> U(16)) & ONE]


@kernel
def _accounts_of_all(views, j, row):  # type: ignore[no-untyped-def]
    """Write the marks of every seat, the balance of every pair and the settlement, where everybody is for himself."""
    score, marks = views[j, V_SCORE], views[j, V_MARKS]
    for r in range(4):
        row[_SCORE + U(r)] = np.float32((marks >> U(16 * r)) & U(0xFFFF)) / np.float32(500)
    for k in range(6):
        word = views[j, V_PAIRS] if k < 3 else views[j, V_PAIRS + 1]
        row[_AHEAD + U(k)] = np.float32(np.int16((word >> U(16 * (k % 3))) & U(0xFFFF))) / np.float32(60)
    for r in range(2):
        row[_RESTI + U(r)] = np.float32(np.int8((score >> U(48 + 8 * r)) & _BYTE)) / np.float32(8)


@kernel
def _left_and_bid(views, j, row):  # type: ignore[no-untyped-def]
    """Write who plays no more, the bids, and how the episode stands."""
    seats, bids, match, form = views[j, V_SEATS], views[j, V_BIDS], views[j, V_MATCH], views[j, V_FORM]
    withdrawn, dropped = seats & _BYTE, (seats >> U(8)) & _BYTE
    step = np.float32((views[j, V_SWITCHES] >> U(24)) & _BYTE)
    for r in range(4):
        i, shift = U(r), U(8 * r)
        if (dropped >> i) & ONE != ZERO:
            row[_OUT + i] = np.float32(0.5)
        passed = (bids >> (U(32) + i)) & ONE != ZERO
        row[_BIDS + i] = np.float32(-1) if passed else step * np.float32((bids >> shift) & _BYTE) / np.float32(200)
        row[_MATCH_RESTI + i] = np.float32(np.int16((match >> U(16 * r)) & U(0xFFFF))) / np.float32(24)
    if withdrawn != NOBODY:
        row[_OUT + withdrawn] = np.float32(1)
    row[_ANSWERED] = _OF_4[(seats >> U(24)) & _BYTE]
    choice = bids >> U(56)
    if choice == ONE or choice == U(2):
        row[_ELDEST_CHOICE] = np.float32(1) / np.float32(choice)
    row[_MATCH_HAND] = _OF_12[form & _BYTE]
    row[_MATCH_HAND + ONE] = _OF_12[(form >> U(8)) & _BYTE]


@kernel
def _unclassic_flags(views, j, row):  # type: ignore[no-untyped-def]
    """Write the switches of the rule set that differ from the classic ones."""
    rules, form = views[j, V_RULES], views[j, V_FORM]
    row[_RULES] = _FLAG[(rules >> U(16)) & ONE]
    take_29, memory, all_tricks = (rules >> U(24)) & _BYTE, (rules >> U(48)) & _BYTE, (rules >> U(40)) & _BYTE
    if take_29 != ZERO:
        row[_RULES + take_29] = np.float32(1)
    row[_RULES + U(3)] = _FLAG[(rules >> U(32)) & ONE]
    if all_tricks != ZERO:
        row[_RULES + _FOUR] = np.float32(1) / np.float32(all_tricks)
    if memory != ZERO:
        row[_RULES + _FOUR + memory] = np.float32(1)
    scatter(views[j, V_SWITCHES] & _SWITCH_MASK, np.float32(1), row, _SWITCHES)
    for k in range(5):
        row[_AMOUNTS + U(k)] = np.float32((form >> U(16 + 8 * k)) & _BYTE) / _AMOUNT_UNITS[k]


@hot_kernel
def _rule_flags(views, j, row):  # type: ignore[no-untyped-def]
    """Write the switches of the rule set, where they differ from the classic ones, and the form of the game."""
    counts = views[j, V_COUNTS]
    told = (views[j, V_RULES] & _RULES_MASK) | (views[j, V_SWITCHES] & _SWITCH_MASK)
    if told | (views[j, V_FORM] & _AMOUNTS_MASK) != ZERO:
        _unclassic_flags(views, j, row)
    row[_FORM] = _OF_25[(counts >> U(40)) & _BYTE]
    row[_FORM + ONE] = _OF_4[(counts >> U(48)) & _BYTE]
    if for_himself(views, j):
        row[_FORM + U(2)] = np.float32(0.5) if game_of(views, j) == _SOLO_FOLA else np.float32(1)


@kernel
def encode_dense(views, j, out, k):  # type: ignore[no-untyped-def]
    """Write view row j as the vector out[k], float32: OBSERVATION_SIZE entries, and SPEECH_SIZE where players speak."""
    row = out[k]
    _planes(views, j, row)
    _robbed_and_declared(views, j, row)
    known = views[j, V_KNOWN]
    spread_bits(known & U(0xFFFFFFFFF), 5, row, _VOIDS)
    spread_bits(views[j, V_TURN] >> U(56), 1, row, _OPENED)
    _captures(views, j, row)
    cards = views[j, V_TABLE]
    at = _TABLE
    for _ in range(4):
        copy_eight(_CARD_BLOCKS, cards & _BYTE, row, at)
        cards >>= U(8)
        at += U(7)
    _turn(views, j, row)
    _numbers(views, j, row)
    if not is_steady(views, j):
        _left_and_bid(views, j, row)
    _rule_flags(views, j, row)
    if for_himself(views, j):
        _accounts_of_all(views, j, row)
    if speaks(views, j):
        encode_speech(views, j, row, _SPEECH)


@kernel
def encode_dense_slice(views, out, lo, hi):  # type: ignore[no-untyped-def]
    """Write view rows lo to hi - 1 as the same rows of out."""
    for j in range(lo, hi):
        encode_dense(views, j, out, j)
