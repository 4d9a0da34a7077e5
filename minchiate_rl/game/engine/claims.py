"""What the player of a card may truly say of his hand at Piedicavallo, and where a message on the way is kept.

A message is about the hand after the card was played. `begin_message` works out once what is true of it; speech.py
takes it from there (docs/rules.md, section 10.4).
"""

from typing import Final

import numpy as np

from minchiate_rl.game.actions import (
    ASK_COVER,
    ASK_FARLO,
    ASK_FEWEST,
    ASK_HIGH,
    ASK_LEAD_ALTRO,
    ASK_LEAD_THIS,
    ASK_LEAD_TRUMP,
    ASK_LOW,
    ASK_PLAY,
    ASK_VALUABLE,
    FIRST_SPEECH,
    SAY_ALTRO,
    SAY_BAGATTO,
    SAY_BATTO,
    SAY_BATTO_BATTO,
    SAY_HONOUR,
    SAY_MORE,
    SAY_NO_TRUMPS,
    SAY_PIPS,
    SAY_SLEEP_ALTRO,
    SAY_SLEEP_THIS,
    SAY_TOTAL,
    SAY_VOID,
)
from minchiate_rl.game.cards import FIRST_TRUMP, MATTO
from minchiate_rl.game.engine.bits import ONE, ZERO, U, highest, popcount
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    DEALER,
    DISCARD,
    HAND,
    MATTO_BIT,
    MESSAGE,
    NO_CARD,
    ON_TABLE,
    PLAYED,
    SAID,
    SEAT,
    TABLE,
    TRANSCRIPT,
)
from minchiate_rl.game.engine.versicole import with_card

# The columns of MESSAGE. All but KNOWN are of the message on the way.

#: The state of the grammar, in the bits below.
FLAGS: Final = MESSAGE
#: With a plain suit: the facts that are true of the first and of the second suit of the other colour, as item bits.
TRUE_OF: Final = MESSAGE + 1
#: With a trump or the Matto: trumps from the 15th on and the Matto that may still be named, as bits of word 1; the
#: trumps held that have not been named.
CARDS: Final = MESSAGE + 1
UNNAMED: Final = MESSAGE + 2
#: The items that may come next, bit a - 144; one that must come next narrows them (FACT_DUE, CARD_DUE).
SAYABLE: Final = MESSAGE + 3
#: What each seat has told of itself in this hand, 32 bits a seat, seats 0 and 1 in the first of two columns. Bits 0 to
#: 15: courts that it has named in the suit of its card and still holds, 4 a suit, from the page up; bits 16 to 22:
#: likewise trumps 15 to 21; bit 23: it has announced a high card.
KNOWN: Final = MESSAGE + 4

# Bits of FLAGS.

#: The next item has to be a fact of the block just opened; the card that is asked for.
FACT_DUE: Final = np.uint64(1 << 0)
CARD_DUE: Final = np.uint64(1 << 1)
#: The item before asked for a lead; the lead can be named by a card.
LED_BEFORE: Final = np.uint64(1 << 2)
BY_CARD: Final = np.uint64(1 << 3)
#: The card played is a trump or the Matto.
TRUMP_MODE: Final = np.uint64(1 << 4)
#: The block that is open: of the suit played, of a suit of the other colour, sleep of a suit of the other colour.
IN_THIS: Final = np.uint64(1 << 5)
IN_ALTRO: Final = np.uint64(1 << 6)
IN_SLEEP_ALTRO: Final = np.uint64(1 << 7)
#: One block of the other colour has been opened.
ALTRO_SAID: Final = np.uint64(1 << 8)
#: Two bits each: suits of the other colour that the open block (or the last) fits; that sleep fits.
FITS: Final = 10
SLEEP_FITS: Final = 12
#: The plain suit of the card played, two bits.
SUIT: Final = 14
#: Ten bits each: facts that are true of the dealer's discards in the suit played, the first and the second suit of the
#: other colour: Q, N, J, pips 0 to 6.
ASLEEP: Final = 16

ANNOUNCED: Final = np.uint64(1 << 23)

BLOCKS: Final = IN_THIS | IN_ALTRO | IN_SLEEP_ALTRO
_MATTO: Final = int(MATTO)
_FIRST_TRUMP: Final = FIRST_TRUMP
_TRUMP_15: Final = FIRST_TRUMP + 14


def _bits(first: int, last: int | None = None) -> np.uint64:
    """Return the bits a - 144 of the items from first to last."""
    return np.uint64(sum(1 << (a - FIRST_SPEECH) for a in range(first, (first if last is None else last) + 1)))


HONOURS: Final = _bits(SAY_HONOUR, SAY_HONOUR + 3)
HIGH: Final = HONOURS | _bits(SAY_BATTO, SAY_BATTO_BATTO)
SUIT_FACTS: Final = _bits(SAY_HONOUR, SAY_TOTAL + 10) | _bits(SAY_BATTO) | _bits(SAY_VOID)
MORES: Final = _bits(SAY_MORE, SAY_MORE + 14)
NAMINGS: Final = _bits(SAY_BATTO, SAY_BAGATTO)
ALTRO: Final = _bits(SAY_ALTRO)
_SLEEP: Final = _bits(SAY_SLEEP_THIS, SAY_SLEEP_ALTRO)
SLEEP_THIS: Final = _bits(SAY_SLEEP_THIS)
STATEMENTS: Final = _bits(SAY_HONOUR, SAY_SLEEP_ALTRO)
LEADS: Final = _bits(ASK_LEAD_TRUMP, ASK_LEAD_ALTRO)
QUALITIES: Final = _bits(ASK_HIGH, ASK_VALUABLE)
_NOW: Final = _bits(ASK_LOW, ASK_FEWEST)
_FARLO, _PLAY, _COVER = _bits(ASK_FARLO), _bits(ASK_PLAY), _bits(ASK_COVER)
_LEAD_TRUMP: Final = _bits(ASK_LEAD_TRUMP)
_LEADS_IN_SUIT: Final = _bits(ASK_LEAD_THIS, ASK_LEAD_ALTRO)
_BATTO_AT, DOUBLE_AT, _BAGATTO_AT, _NONE_AT, _VOID_AT = (
    np.uint64(a - FIRST_SPEECH) for a in (SAY_BATTO, SAY_BATTO_BATTO, SAY_BAGATTO, SAY_NO_TRUMPS, SAY_VOID)
)
_PIPS_AT, _TOTAL_AT, MORE_AT = (np.uint64(a - FIRST_SPEECH) for a in (SAY_PIPS, SAY_TOTAL, SAY_MORE))

#: The ten cards that a suit has here, its six pips lowest, and how far they stand above bit 0 of the suit.
TEN_CARDS: Final = np.uint64(0x3FF)
_PIPS: Final = np.uint64(0x3F)
ABOVE: Final = np.uint64(4)
ALL_TRUMPS: Final = np.uint64((1 << 21) - 1)
NAMEABLE_TRUMPS: Final = np.uint64(0x7F << 14)
FOUR_BITS: Final = np.uint64(15)
BOTH_SUITS: Final = np.uint64(3)
#: Nibble x is x with its four bits in reverse order: courts from the page up become K, Q, N, J.
REVERSED: Final = np.uint64(0xF7B3D591E6A2C480)
_KNOWN_BITS: Final = np.uint64(0xFFFFFFFF)


@kernel
def seen_cards(rows, i):  # type: ignore[no-untyped-def]
    """Return the cards that all have seen played, those on the table with them."""
    w0 = rows[i, PLAYED] | rows[i, PLAYED + 2] | rows[i, PLAYED + 4] | rows[i, PLAYED + 6]
    w1 = rows[i, PLAYED + 1] | rows[i, PLAYED + 3] | rows[i, PLAYED + 5] | rows[i, PLAYED + 7]
    table = rows[i, TABLE]
    for seat in range(4):
        card = (table >> U(8 * seat)) & NO_CARD
        if card != NO_CARD:
            w0, w1 = with_card(w0, w1, np.int64(card))
    return w0, w1


@kernel
def ten_cards(word, suit):  # type: ignore[no-untyped-def]
    """Return the ten cards of a plain suit in a word 0, from bit 0 on."""
    return (word >> (suit * U(14) + ABOVE)) & TEN_CARDS


@kernel
def _true_of(held, others):  # type: ignore[no-untyped-def]
    """Return the facts, as item bits, of a suit of which `held` is in the hand and `others` outstanding elsewhere."""
    courts = (REVERSED >> (U(4) * (held >> U(6)))) & FOUR_BITS
    counts = (ONE << (_PIPS_AT + popcount(held & _PIPS))) | (ONE << (_TOTAL_AT + popcount(held)))
    return courts | counts | (U(held > others) << _BATTO_AT) | (U(held == ZERO) << _VOID_AT)


@kernel
def _asleep(slept):  # type: ignore[no-untyped-def]
    """Return the facts, in ten bits, of what the dealer discarded of a suit."""
    courts = (REVERSED >> (U(4) * (slept >> U(6)))) & FOUR_BITS
    return (courts >> ONE) | (U(8) << popcount(slept & _PIPS))


@kernel
def append_byte(rows, i, byte):  # type: ignore[no-untyped-def]
    """Append a byte (int64) to the transcript."""
    n = rows[i, SAID]
    rows[i, TRANSCRIPT + np.int64(n >> U(3))] |= U(byte) << (U(8) * (n & U(7)))
    rows[i, SAID] = n + ONE


@kernel
def known_of(rows, i, seat):  # type: ignore[no-untyped-def]
    """Return what a seat (int64) has told of itself."""
    return (rows[i, KNOWN + (seat >> 1)] >> U(32 * (seat & 1))) & _KNOWN_BITS


@kernel
def _requests(rows, i, seat, askable):  # type: ignore[no-untyped-def]
    """Return the requests for this trick that a seat (int64) may make; `askable` cards can be asked for."""
    partner = seat ^ 2
    if (rows[i, TABLE] >> U(8 * partner)) & NO_CARD != NO_CARD:
        return ZERO
    items = _NOW
    if (known_of(rows, i, partner) & ANNOUNCED) != ZERO:
        items |= _FARLO
    if askable != ZERO:
        items |= _PLAY
    if rows[i, ON_TABLE] == ONE:
        items |= _COVER
    return items


@kernel
def _begin_with_trump(rows, i, seat):  # type: ignore[no-untyped-def]
    """Prepare a message said with a trump or the Matto."""
    held = rows[i, HAND + 2 * seat + 1]
    trumps = held & ALL_TRUMPS
    _, seen = seen_cards(rows, i)
    elsewhere = ALL_TRUMPS & ~seen & ~trumps
    others = elsewhere
    if U(seat) == rows[i, DEALER]:
        others &= ~rows[i, DISCARD + 3]
    items = _LEAD_TRUMP | (ONE << (MORE_AT + popcount(trumps))) | ((trumps & ONE) << _BAGATTO_AT)
    if trumps == ZERO:
        items |= ONE << _NONE_AT
    elif trumps > others:
        items |= ONE << _BATTO_AT
        items |= U((trumps & ~(ONE << highest(trumps))) > others) << DOUBLE_AT
    rows[i, FLAGS] = TRUMP_MODE
    rows[i, CARDS] = held & (NAMEABLE_TRUMPS | MATTO_BIT)
    rows[i, UNNAMED] = trumps
    rows[i, SAYABLE] = items | _requests(rows, i, seat, elsewhere)


@kernel
def _begin_in_suit(rows, i, seat, suit):  # type: ignore[no-untyped-def]
    """Prepare a message said with a card of a plain suit (uint64)."""
    held = rows[i, HAND + 2 * seat]
    seen, _ = seen_cards(rows, i)
    elsewhere = ~(seen | held)
    others = elsewhere
    flags = IN_THIS | (suit << U(SUIT))
    items = ALTRO | _LEADS_IN_SUIT
    first = (suit & U(2)) ^ U(2)
    if U(seat) == rows[i, DEALER]:
        slept = rows[i, DISCARD + 2]
        others &= ~slept
        items |= _SLEEP
        facts = _asleep(ten_cards(slept, suit)) | (_asleep(ten_cards(slept, first)) << U(10))
        flags |= (facts | (_asleep(ten_cards(slept, first + ONE)) << U(20))) << U(ASLEEP)
    rows[i, FLAGS] = flags
    rows[i, TRUE_OF] = _true_of(ten_cards(held, first), ten_cards(others, first))
    rows[i, TRUE_OF + 1] = _true_of(ten_cards(held, first + ONE), ten_cards(others, first + ONE))
    items |= _true_of(ten_cards(held, suit), ten_cards(others, suit))
    rows[i, SAYABLE] = items | _requests(rows, i, seat, ten_cards(elsewhere, suit))


@kernel
def begin_message(rows, i, card):  # type: ignore[no-untyped-def]
    """Begin the message of the seat to act, which has just played a card (int64): it lies on the table already."""
    seat = np.int64(rows[i, SEAT])
    append_byte(rows, i, card)
    if card < _FIRST_TRUMP:
        suit = U(card) // U(14)
        rank = U(card) - suit * U(14)
        if rank >= U(10):
            rows[i, KNOWN + (seat >> 1)] &= ~(ONE << (U(32 * (seat & 1)) + U(4) * suit + rank - U(10)))
        _begin_in_suit(rows, i, seat, suit)
    else:
        if _TRUMP_15 <= card < _MATTO:
            rows[i, KNOWN + (seat >> 1)] &= ~(ONE << U(32 * (seat & 1) + 16 + card - _TRUMP_15))
        _begin_with_trump(rows, i, seat)
