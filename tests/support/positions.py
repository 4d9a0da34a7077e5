"""View rows made by hand: a position as its viewer sees it, without a hand behind it."""

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from minchiate_rl.game.actions import DONE, parse_action
from minchiate_rl.game.cards import FIRST_TRUMP, SUIT_LETTERS, parse_card, suit_of
from minchiate_rl.game.engine import layout as at
from minchiate_rl.game.engine.legal import legal_cards, legal_discards
from minchiate_rl.game.forms import GAMES
from minchiate_rl.game.seats import Phase

Row = npt.NDArray[np.uint64]


def words(codes: str | Iterable[int]) -> tuple[np.uint64, np.uint64]:
    """Return a set of cards as two words, from codes with blanks between or from numbers."""
    cards = [parse_card(code) for code in codes.split()] if isinstance(codes, str) else list(codes)
    low = sum(1 << c for c in cards if c < FIRST_TRUMP)
    return np.uint64(low), np.uint64(sum(1 << (c - FIRST_TRUMP) for c in cards if c >= FIRST_TRUMP))


def _put(row: Row, column: int, codes: str | Iterable[int]) -> None:
    row[0, column], row[0, column + 1] = words(codes)


def _taken_by(table: list[tuple[int, int]]) -> tuple[int, int]:
    """Return the suit led and the seat that holds the trick; 5 and 7 where nothing but the Matto lies there."""
    cards = [(r, c) for r, c in table if c != parse_card("M")]
    if not cards:
        return 5, 7
    led = suit_of(cards[0][1])
    trumps = [(c, r) for r, c in cards if c >= FIRST_TRUMP]
    return int(led), max(trumps or [(c, r) for r, c in cards if suit_of(c) == led])[1]


def position(
    hand: str,
    table: str = "",
    *,
    trick: int = 5,
    opened: str = "CDSB",
    played: str = "",
    piles: tuple[str, str] = ("", ""),
    shown: Mapping[int, str] | None = None,
    voids: Mapping[int, str] | None = None,
    fola: str = "",
) -> Row:
    """Return the view row (1, V) of a seat that is to play.

    Args:
        hand: codes of the cards held.
        table: codes of the cards on the table, in order of play; the viewer plays next.
        trick: finished tricks.
        opened: letters of the plain suits led before.
        played: codes of cards that went in earlier tricks, besides those in `piles`.
        piles: codes of cards in our and their pile.
        shown: by seat from the viewer, codes of cards known to lie there.
        voids: by seat from the viewer, letters of suits known not to lie there.
        fola: codes of cards known to be in the fola.
    """
    row = np.zeros((1, at.V), dtype=np.uint64)
    cards = [parse_card(code) for code in table.split()]
    lying = [(4 - len(cards) + k, card) for k, card in enumerate(cards)]
    led, winner = _taken_by(lying)
    _put(row, at.V_HAND, hand)
    _put(row, at.V_PLAYED + 2, f"{played} {piles[0]} {piles[1]}")
    _put(row, at.V_PILE, piles[0])
    _put(row, at.V_PILE + 2, piles[1])
    _put(row, at.V_FOLA, fola)
    _put(row, at.V_FOLA_PUBLIC, fola)
    for r, codes in (shown or {}).items():
        _put(row, at.V_SHOWN + 2 * r, codes)
    on_table = [0xFF] * 8
    for r, card in lying:
        on_table[r] = int(card)
    row[0, at.V_TABLE] = _bytes(on_table)
    opened_bits = sum(1 << SUIT_LETTERS.index(letter) for letter in opened)
    row[0, at.V_TURN] = _bytes([Phase.PLAY, 0, 0, trick, len(cards), led, winner, opened_bits])
    row[0, at.V_SEATS] = _bytes([7, 0, 7, 0, 0, 0, 0, 0])
    row[0, at.V_BIDS] = _bytes([0, 0, 0, 0, 0, 7, 7, 0])
    row[0, at.V_COUNTS] = _bytes([0, 0, 0, 0, 0xFF, 21, 4, 2])
    known = sum(1 << (5 * r + SUIT_LETTERS.index(s)) for r, letters in (voids or {}).items() for s in letters)
    row[0, at.V_KNOWN] = np.uint64(known | 0xFF0707 << 40)
    ruffed = led != 4 and any(FIRST_TRUMP <= card < FIRST_TRUMP + 40 for _, card in lying)
    legal = legal_cards(*words(hand), np.uint64(led), np.uint64(opened_bits), ruffed)
    row[0, at.V_LEGAL], row[0, at.V_LEGAL + 1] = legal
    return row


def at_piedicavallo(
    hand: str,
    table: str = "",
    *,
    said: Iterable[tuple[str, list[str]]] = (),
    played: Mapping[int, str] | None = None,
) -> Row:
    """Return the view row (1, V_SPEECH) of a seat that is to play at Piedicavallo, where facts are told.

    Args:
        hand: codes of the cards held.
        table: codes of the cards on the table, in order of play; the viewer plays next, the previous player deals.
        said: the cards played so far, in order, each with the names of the items said after it.
        played: by seat from the viewer, codes of the cards that it played to earlier tricks.
    """
    row = np.zeros((1, at.V_SPEECH), dtype=np.uint64)
    row[:, : at.V] = position(hand, table)
    row[0, at.V_TURN] |= np.uint64(3 << 16)
    row[0, at.V_COUNTS] = _bytes([0xFF, 0xFF, 0xFF, 0xFF, 0, 15, 4, 2])
    row[0, at.V_SWITCHES] = np.uint64(1 << at.SWITCH_BITS.index("speech facts"))
    row[0, at.V_FORM] = np.uint64(list(GAMES).index("piedicavallo") << 56)
    for r, codes in (played or {}).items():
        _put(row, at.V_PLAYED + 2 * r, codes)
    transcript = [number for card, items in said for number in (parse_card(card), *map(parse_action, items), DONE)]
    for n in range(0, len(transcript), 8):
        row[0, at.V_TRANSCRIPT + n // 8] = _bytes(transcript[n : n + 8])
    return row


def discarding(hand: str) -> Row:
    """Return the view row (1, V) of a seat that is to discard from a hand."""
    row = position(hand)
    row[0, at.V_TURN] = _bytes([Phase.DISCARD, 0, 0, 0, 0, 5, 7, 0])
    row[0, at.V_LEGAL], row[0, at.V_LEGAL + 1] = legal_discards(*words(hand))
    return row


def declaring(hand: str, *actions: int) -> Row:
    """Return the view row (1, V) of a seat that may take one of some actions in its declaration turn."""
    row = position(hand, trick=0, opened="")
    row[0, at.V_TURN] = _bytes([Phase.DECLARE, 0, 0, 0, 0, 5, 7, 0])
    row[0, at.V_LEGAL : at.V_LEGAL + 2] = 0
    row[0, at.V_LEGAL + 2] = np.uint64(sum(1 << (action - 97) for action in actions))
    return row


def _bytes(values: Iterable[int]) -> np.uint64:
    return np.uint64(sum(int(value) << (8 * n) for n, value in enumerate(values)))
