"""The columns of a hand's row and of a view's row: the only file that knows them.

A hand is one row of uint64, a batch one (B, W) array. A set of cards is two words: word 0 holds the four suits, 14 bits
each, word 1 the trumps T1 to T40 at bits 0 to 39 and the Matto at bit 40. `NAME + 2 * seat` is the first word of a set
that there is one of for each seat. Small numbers have a column of their own; what is packed in a column is named here.

Beside the row lie the decision log, uint8 (B, LOG): the action numbers in order, and the ledger, uint16 (B, LEDGER):
the score entries in order, packed as item << 12 | side << 11 | points.
"""

from typing import Final

import numpy as np

#: Cards in the hand of each seat.
HAND: Final = 0
#: Cards that each seat played to earlier tricks.
PLAYED: Final = 8
#: Each side's trick pile; the Matto lies in the pile of the side that played it.
PILE: Final = 16
#: Cards that all have seen in the hand of each seat (turned, robbed, taken, declared), whether still there or not.
SHOWN: Final = 20
#: The fola after robbing and pigliare, without the discards.
FOLA: Final = 28
#: The part of the fola that everybody has seen: its suit cards and the stoppers.
FOLA_PUBLIC: Final = 30
#: What the cutter (DISCARD) and the dealer (DISCARD + 2) discarded.
DISCARD: Final = 32
#: What the cutter (ROBBED) and the dealer (ROBBED + 2) robbed.
ROBBED: Final = 36
#: What the dealer took out of the fola (pigliare).
TAKEN: Final = 40
#: What each seat declared: bit a - 98 for action a.
DECLARED: Final = 42
#: The phase (seats.Phase).
PHASE: Final = 46
#: The seat to act; NOBODY when the hand is over.
SEAT: Final = 47
DEALER: Final = 48
#: The number of finished tricks.
TRICK: Final = 49
#: The number of cards on the table.
ON_TABLE: Final = 50
#: The suit led: 0 to 3, 4 for trumps, NO_SUIT while nothing but the Matto lies on the table.
LED: Final = 51
#: The seat that holds the trick so far; NOBODY while nothing but the Matto lies on the table.
WINNER: Final = 52
#: The strength of its card: the position in the suit, or 64 + the position among the trumps.
BEST: Final = 53
#: Plain suits that have been led in a finished trick, bits 0 to 3.
OPENED: Final = 54
#: The card on the table of each seat, a byte each; NO_CARD if none.
TABLE: Final = 55
#: The card turned up at the deal of each seat, a byte each.
TURNED: Final = 56
#: The stopper of the cutter (byte 0) and of the dealer (byte 1); NO_CARD if none.
STOPPER: Final = 57
#: Suits that play has shown each seat not to hold: 5 bits a seat (four suits, trumps).
VOID: Final = 58
#: Kings that the king rule has shown each seat not to hold: 4 bits a seat.
NO_KING: Final = 59
#: How many cards the cutter (byte 0) and the dealer (byte 1) discard in all.
N_DISCARD: Final = 60
#: How many of them the seat to act has still to discard.
TO_DISCARD: Final = 61
#: 1 once the discards have been turned up.
REVEALED: Final = 62
#: Byte 0: the seat that played the Matto, byte 1: the side that owes a card for it; NOBODY if none.
MATTO_STATE: Final = 63
#: Gross marks of each side.
SCORE: Final = 64
#: The lead of side 0 over side 1 since the last resto, an int64.
LEAD: Final = 66
#: Resti that each side received.
RESTI: Final = 67
#: Tricks won by each side.
TRICKS: Final = 69
#: The number of ledger entries.
ENTRIES: Final = 71
#: The number of decisions taken.
DECISION: Final = 72
#: The key of the hand's random stream.
KEY: Final = 73
#: The seed and the number of the hand.
SEED: Final = 74
HAND_NUMBER: Final = 75
#: The card paid for the Matto; NO_CARD if none.
PAID: Final = 76
#: Columns of a row: a whole number of cache lines.
W: Final = 80

LOG: Final = 128
LEDGER: Final = 64

NOBODY: Final = np.uint64(7)
NO_CARD: Final = np.uint64(0xFF)
NO_SUIT: Final = np.uint64(5)
#: What BEST is above where a trump holds the trick.
TRUMP_STRENGTH: Final = np.uint64(64)
EMPTY_TABLE: Final = np.uint64(0xFFFFFFFF)
MATTO_BIT: Final = np.uint64(1 << 40)
TRUMP_BITS: Final = np.uint64((1 << 40) - 1)
SUIT_BITS: Final = np.uint64((1 << 14) - 1)

# The view of one seat. `r` counts seats from the viewer (0 viewer, 1 next, 2 partner, 3 previous); "us" is the
# viewer's side. Sets have two words as above.

#: The viewer's hand.
V_HAND: Final = 0
#: Cards of earlier tricks that the viewer remembers, by the seat that played them: + 2 r.
V_PLAYED: Final = 2
#: Cards in the trick piles that the viewer remembers: ours, theirs.
V_PILE: Final = 10
#: Cards that all have seen in the hand of seat r and the viewer has not seen leave it: + 2 r.
V_SHOWN: Final = 14
#: The fola as the viewer knows it: for the dealer and his partner all of it, for the others what all have seen.
V_FOLA: Final = 22
#: The fola as everybody knows it.
V_FOLA_PUBLIC: Final = 24
#: The discards of the cutter and of the dealer as the viewer knows them: + 0, + 2.
V_DISCARD: Final = 26
#: What the cutter robbed, the dealer robbed, the dealer took: + 0, + 2, + 4.
V_ROBBED: Final = 30
#: Legal actions: cards in two words, then bit a - 97 for action a in a third. Only `done` unless the viewer is to act.
V_LEGAL: Final = 36
#: What seat r declared: + r; bit a - 98 for action a.
V_DECLARED: Final = 39
#: Bytes 0 to 3: the card on the table of seat r; bytes 4 to 7: the card turned up of seat r. NO_CARD if none.
V_TABLE: Final = 43
#: Bytes: phase, seat to act (r), dealer (r), finished tricks, cards on the table, suit led, winner so far (r), suits
#: opened.
V_TURN: Final = 44
#: Bytes: discards of the cutter, of the dealer, 1 if they are revealed, stopper of the cutter, of the dealer, size of
#: the fola, number of trumps in the fola, cards still to be discarded by the seat to act.
V_FACTS: Final = 45
#: Bits 5 r to 5 r + 4: suits that seat r is known not to hold; bits 20 + 4 r to 23 + 4 r: kings likewise.
#: Byte 5: who played the Matto (r), byte 6: the side that owes for it (0 us, 1 them), NOBODY if none; byte 7: the card
#: paid.
V_KNOWN: Final = 46
#: 16 bits each: our gross marks, their gross marks, the lead as a signed number; then bytes: our resti, their resti.
V_SCORE: Final = 47
#: Bytes: our tricks, their tricks, demonio, take_29, rob_failure, all_tricks, memory, the viewer's absolute seat.
V_RULES: Final = 48
V: Final = 49

# What a critic sees besides: the truth about every card that the view leaves open.

#: Hands of seats r = 1, 2, 3: + 2 (r - 1).
S_HAND: Final = V
#: The fola; the discards of the cutter and of the dealer.
S_FOLA: Final = V + 6
S_DISCARD: Final = V + 8
S: Final = V + 12
