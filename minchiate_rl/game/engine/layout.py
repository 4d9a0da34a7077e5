"""The columns of a hand's row and of a view's row: the only file that knows them.

A hand is one row of uint64, a batch one (B, W) array. A set of cards is two words: word 0 holds the four suits, 14 bits
each, word 1 the trumps T1 to T40 at bits 0 to 39 and the Matto at bit 40. `NAME + 2 * seat` is the first word of a set
that there is one of for each seat; a side's number is a seat modulo the number of sides. Small numbers have a column of
their own; what is packed in a column is named here. Rows of games with speech have TRANSCRIPT_WORDS columns more.

What most decisions read and write lies together, up to FOLA_SUITS: many hands side by side outgrow the cache.

Beside the row lie the decision log, uint8 (B, LOG): the action numbers in order, and the ledger, uint32 (B, LEDGER):
the score entries in order, packed as item << 24 | side << 20 | against << 16 | points, where `against` has a bit for
each player that the points are marked against, and is 0 where two sides keep one account.
"""

from typing import Final

import numpy as np

from minchiate_rl.game.rules import TOLD_SWITCHES

#: Cards in the hand of each seat; those of a player who has withdrawn stay here, set aside.
HAND: Final = 0
#: Cards that each seat played to earlier tricks.
PLAYED: Final = 8
#: Each side's trick pile; the Matto lies in the pile of the side that played it.
PILE: Final = 16
#: Cards that all have seen in the hand of each seat (turned, robbed, taken, declared, dropped), still there or not.
SHOWN: Final = 24
#: The fola after robbing and pigliare, without the discards.
FOLA: Final = 32
#: The part of the fola that everybody has seen: its suit cards, where they are shown, and the stoppers.
FOLA_PUBLIC: Final = 34
#: What the cutter (DISCARD) and the dealer (DISCARD + 2) discarded; in solo_fola DISCARD is the fola's user's.
DISCARD: Final = 36
#: What the cutter (ROBBED) and the dealer (ROBBED + 2) robbed.
ROBBED: Final = 40
#: What the dealer took out of the fola (pigliare).
TAKEN: Final = 44
#: What the cutter handed to the dealer out of his discards, where robbing has no limit.
PASSED: Final = 46
#: What each seat declared: bit a - 98 for action a.
DECLARED: Final = 48
#: The phase (seats.Phase).
PHASE: Final = 52
#: The seat to act; NOBODY when the hand is over.
SEAT: Final = 53
DEALER: Final = 54
#: The number of finished tricks.
TRICK: Final = 55
#: The number of cards on the table.
ON_TABLE: Final = 56
#: The suit led: 0 to 3, 4 for trumps, NO_SUIT while nothing but the Matto lies on the table.
LED: Final = 57
#: The seat that holds the trick so far; NOBODY while nothing but the Matto lies on the table.
WINNER: Final = 58
#: The strength of its card: the position in the suit, or 64 + the position among the trumps.
BEST: Final = 59
#: Plain suits that have been led in a finished trick, bits 0 to 3.
OPENED: Final = 60
#: The card on the table of each seat, a byte each; NO_CARD if none.
TABLE: Final = 61
#: The card turned up at the deal of each seat, a byte each; NO_CARD if none.
TURNED: Final = 62
#: The stopper of the cutter (byte 0) and of the dealer (byte 1); NO_CARD if none.
STOPPER: Final = 63
#: The seat that led the trick, or the one before while nothing is led.
LEADER: Final = 64
#: The card paid for the Matto; NO_CARD if none.
PAID: Final = 65
#: Suits that play has shown each seat not to hold: 5 bits a seat (four suits, trumps).
VOID: Final = 66
#: Kings that the king rule has shown each seat not to hold: 4 bits a seat.
NO_KING: Final = 67
#: How many cards the cutter (byte 0) and the dealer (byte 1) discard in all.
N_DISCARD: Final = 68
#: How many of them the seat to act has still to discard.
TO_DISCARD: Final = 69
#: 1 once the discards have been turned up.
REVEALED: Final = 70
#: Byte 0: the seat that played the Matto, byte 1: the side that owes a card for it, byte 2: the side that it is owed
#: to; NOBODY if none.
MATTO_STATE: Final = 71
#: Gross marks of each side, four columns.
SCORE: Final = 72
#: The lead of side 0 over side 1 since the last resto, an int64.
LEAD: Final = 76
#: Resti that each side received, four columns; where everybody plays for himself received less paid, an int64.
RESTI: Final = 77
#: Tricks won by each side, four columns.
TRICKS: Final = 81
#: Byte 0: hands of the episode before this one, byte 1: hands of the episode; 0 if the hand stands alone.
MATCH_HAND: Final = 85
#: The number of decisions taken.
DECISION: Final = 86
#: Suit cards of each suit in the fola as it was sorted, a byte each; NO_CARD each where nobody sorts it.
FOLA_SUITS: Final = 87
#: The key of the hand's random stream.
KEY: Final = 88
#: The seed and the number of the hand.
SEED: Final = 89
HAND_NUMBER: Final = 90
#: The number of ledger entries.
ENTRIES: Final = 91
#: Seats that play no card of their own any more, bits 0 to 3: withdrawn or dropped.
OUT: Final = 92
#: Byte 0: the seat that withdrew, NOBODY if none; byte 1: dropped hands, bits 0 to 3; byte 2: the seat whose dropped
#: hand is picked from, NOBODY if none; byte 3: how many seats have answered whether they withdraw.
LEFT: Final = 93
#: Bytes 0 to 3: the last bid of each seat, in steps; byte 4: seats that have passed, bits 0 to 3; byte 5: the seat that
#: bids highest, byte 6: the seat that uses the fola, NOBODY if none; byte 7: the eldest's choice of the fola: 0 none
#: yet, 1 use, 2 stay, 3 withdraw.
BIDS: Final = 94
#: Entries that are marked at the end, 16 bits each: item << 12 | side << 10 | points; the lowest of the first column
#: first; three columns and their number.
DEFERRED: Final = 95
N_DEFERRED: Final = 98
#: Points that seat i is ahead of seat j, an int64, in the order (0, 1) (0, 2) (0, 3) (1, 2) (1, 3) (2, 3).
PAIRS: Final = 99
#: The episode that the hand is part of: resti of each seat before this hand, a signed 16 bits each.
MATCH: Final = 105
#: What the message on the way holds (engine/speech.py), six columns.
MESSAGE: Final = 106
#: The number of bytes in the transcript.
SAID: Final = 112
#: The cards of each trick in order of play, four bytes a trick from byte 0 on: 1 + the card, 0 where none was played.
ORDER: Final = 113
ORDER_WORDS: Final = 13
#: Columns of a row: a whole number of cache lines.
W: Final = 128

#: Everything said so far in bytes: for each card played its number, the items (action numbers) in order, and DONE.
TRANSCRIPT: Final = W
TRANSCRIPT_WORDS: Final = 336
#: Columns of a row in games with speech.
W_SPEECH: Final = W + TRANSCRIPT_WORDS

LOG: Final = 128
#: Bytes of the log in games with bidding for the fola.
LOG_BIDS: Final = 256
#: Bytes of the log in games with speech.
LOG_SPEECH: Final = LOG + 8 * TRANSCRIPT_WORDS
LEDGER: Final = 64
#: Entries of the ledger where everybody plays for himself.
LEDGER_PAIRS: Final = 128

NOBODY: Final = np.uint64(7)
NO_CARD: Final = np.uint64(0xFF)
NO_SUIT: Final = np.uint64(5)
#: What BEST is above where a trump holds the trick.
TRUMP_STRENGTH: Final = np.uint64(64)
EMPTY_TABLE: Final = np.uint64(0xFFFFFFFF)
MATTO_BIT: Final = np.uint64(1 << 40)
TRUMP_BITS: Final = np.uint64((1 << 40) - 1)
SUIT_BITS: Final = np.uint64((1 << 14) - 1)

# The view of one seat. `r` counts seats from the viewer: 0 viewer, 1 the next in order of play, and so on; at a table
# of four 2 is the partner, 3 the previous player. Sides count likewise: "us" is the viewer's side, "them" that of the
# next seat. What does not exist (a seat, a side, a card) is 0, NOBODY or NO_CARD. Sets have two words as above.

#: The viewer's hand.
V_HAND: Final = 0
#: Cards of earlier tricks that the viewer remembers, by the seat that played them: + 2 r.
V_PLAYED: Final = 2
#: Cards in the trick piles that the viewer remembers: ours, theirs, and where everybody plays for himself those of
#: seats 2 and 3.
V_PILE: Final = 10
#: Cards that all have seen in the hand of seat r and the viewer has not seen leave it: + 2 r.
V_SHOWN: Final = 18
#: The fola as the viewer knows it: for who has sorted it all of it, for the others what all have seen.
V_FOLA: Final = 26
#: The fola as everybody knows it.
V_FOLA_PUBLIC: Final = 28
#: The discards of the cutter (or the fola's user) and of the dealer as the viewer knows them: + 0, + 2.
V_DISCARD: Final = 30
#: What the cutter robbed, the dealer robbed, the dealer took: + 0, + 2, + 4.
V_ROBBED: Final = 34
#: What the cutter handed to the dealer, known to these two.
V_PASSED: Final = 40
#: Legal actions: cards in two words, then bit a - 97 for actions to 143, then bit a - 144. Only `done` unless the
#: viewer is to act.
V_LEGAL: Final = 42
#: What seat r declared: + r; bit a - 98 for action a.
V_DECLARED: Final = 46
#: Bytes 0 to 3: the card on the table of seat r; bytes 4 to 7: the card turned up of seat r. NO_CARD if none.
V_TABLE: Final = 50
#: Bytes: phase, seat to act (r), dealer (r), finished tricks, cards on the table, suit led, winner so far (r), suits
#: opened.
V_TURN: Final = 51
#: Bytes: discards of the cutter, of the dealer, 1 if they are revealed, stopper of the cutter, of the dealer, size of
#: the fola, number of trumps in the fola (NO_CARD if nobody tells), cards still to be discarded by the seat to act.
V_FACTS: Final = 52
#: Bits 5 r to 5 r + 4: suits that seat r is known not to hold; bits 20 + 4 r to 23 + 4 r: kings likewise.
#: Byte 5: who played the Matto (r), byte 6: the side that owes for it (0 us, 1 them, 2, 3), NOBODY if none; byte 7: the
#: card paid.
V_KNOWN: Final = 53
#: 16 bits each: our gross marks, their gross marks, the lead as a signed number; then bytes: our resti, their resti.
#: Where everybody plays for himself the lead is 0 and the resti are signed.
V_SCORE: Final = 54
#: Bytes: our tricks, their tricks, demonio, take_29, rob_failure, all_tricks, memory, the viewer's absolute seat.
V_RULES: Final = 55
#: Bytes: the seat that withdrew (r), dropped hands (bit r), the seat whose dropped hand is picked from (r), how many
#: have answered whether they withdraw; then the tricks won by side 0 to 3 from the viewer on.
V_SEATS: Final = 56
#: Bytes 0 to 3: the last bid of seat r in steps; byte 4: seats that have passed, bit r; byte 5: the highest bidder (r),
#: byte 6: who uses the fola (r); byte 7: the eldest's choice of the fola: 0 none yet, 1 use, 2 stay, 3 withdraw.
V_BIDS: Final = 57
#: Bytes 0 to 3: suit cards of each suit in the fola as announced, NO_CARD where nobody tells; byte 4: trumps among the
#: dealer's discards as announced (Piedicavallo), NO_CARD elsewhere; byte 5: size of the hand, byte 6: seats, byte 7:
#: sides.
V_COUNTS: Final = 58
#: Where everybody plays for himself, 16 bits each: gross marks of r = 0 to 3; 0 elsewhere.
V_MARKS: Final = 59
#: Signed 16 bits each: how far the viewer is ahead of r = 1, 2, 3; then r = 1 of 2, 1 of 3, 2 of 3. 0 for two sides.
V_PAIRS: Final = 60
#: Signed 16 bits each: resti of r = 0 to 3 from earlier hands of the episode.
V_MATCH: Final = 62
#: Bytes: hands of the episode before this one, hands of the episode, points of 20 and 30 alone, aria bonus, fee of
#: withdrawing, its step, girata bonus, the game (its place in GAMES).
V_FORM: Final = 63
#: The other switches, as bits: SWITCH_BITS; byte 3: the step of a bid, byte 4: the most steps; byte 7: the seat that
#: led the trick (r), NOBODY if nothing is led.
V_SWITCHES: Final = 64
#: The cards of each trick in order of play as in ORDER, for who remembers all tricks; 0 for the others.
V_ORDER: Final = 65
V: Final = 78

#: The bits of V_SWITCHES, from bit 0 on, by name.
SWITCH_BITS: Final[tuple[str, ...]] = tuple(
    f"{switch} {'none' if value is None else str(value).lower()}" for switch, value in TOLD_SWITCHES
)

# What a critic sees besides: the truth about every card that the view leaves open.

#: Hands of seats r = 1, 2, 3: + 2 (r - 1).
S_HAND: Final = V
#: The fola; the discards of the cutter and of the dealer.
S_FOLA: Final = V + 6
S_DISCARD: Final = V + 8
S: Final = V + 12

#: In games with speech the transcript follows, in views (which leave the columns of the critic 0) as in states.
V_TRANSCRIPT: Final = S
#: Columns of a view, and of a state, in games with speech.
V_SPEECH: Final = S + TRANSCRIPT_WORDS
