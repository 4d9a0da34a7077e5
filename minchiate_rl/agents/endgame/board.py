"""The board of the endgame solver: the cards left, the trick on the table and the piles, with make and unmake.

A solve numbers the cards that are still out (at most 32, those on the table included) by suit and strength: the
*places*. Who holds a card is fixed by its place, so that a set of places tells all four hands. Frames stand in arrays:
one a card played (`plies`, p counts from the first card of the trick on the table, so that p modulo 4 cards lie on the
table), and one a trick (`tricks`, at p // 4) with what changes only when a trick is taken in. Hands are made and
unmade.

Values are points of side 0 less those of side 1, counted from the frame on: what the piles are worth already (card
points and versicole) is booked, and lies outside. The Matto is booked for the side that holds or has played it, since
it stays there (docs/rules.md, 4.3). In *plain* endings this is all. In the others the debt for the Matto may cost
something, or piles do not count linearly: there the engine settles every line of play to its end (`settled_end`).
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, N_CARDS, SUIT_SIZE, VALUES
from minchiate_rl.game.engine.bits import ONE, ZERO, U, trailing_zeros
from minchiate_rl.game.engine.jit import hot_kernel
from minchiate_rl.game.engine.layout import (
    LEDGER,
    TRUMP_STRENGTH,
    W,
)
from minchiate_rl.game.engine.score import LAST_TRICK_POINTS
from minchiate_rl.game.engine.versicole import (
    card_words,
    value,
)

#: The most tricks that a solve can look through: the places are bits of half a word.
MAX_TRICKS: Final = 8

# Columns of a ply's frame: the trick before its card is played.
P_SEAT: Final = 0
P_LED: Final = 1
P_BEST: Final = 2
P_WINNER: Final = 3
#: Cards of this trick by side, two words each, the Matto apart; their points; the places of all.
P_CARDS: Final = 4
P_POINTS: Final = 8
P_PLACES: Final = 10
#: The seat whose Matto lies on the table, -1 if none.
P_MATTO: Final = 11
#: The search: what is asked, the best answer so far and its card, the card being tried, the points of its trick.
P_ASKED: Final = 12
P_VALUE: Final = 13
P_CHOSEN: Final = 14
P_CARD: Final = 15
P_DELTA: Final = 16
P_NEXT: Final = 17
P_N_MOVES: Final = 18
#: The card that last answered a question at this ply.
P_KILLER: Final = 19
#: The key of the position, four words.
P_KEY: Final = 20
P_MOVES: Final = 24
P_SCORES: Final = P_MOVES + MAX_TRICKS
P_COLUMNS: Final = P_SCORES + MAX_TRICKS

# Columns of a trick's frame, as it stands before its first card.
#: The places of the cards that are out.
T_PLACES: Final = 0
#: The trick piles of both sides, two words each, the Matto with the side that it stays with.
T_PILE: Final = 1
T_OPENED: Final = 5
#: The places of the cards that side 0 has won since the root.
T_WON: Final = 6
#: What the versicole in the piles are worth (int64 each).
T_WORTH: Final = 7
#: Tricks of side 0 since the root, and which side owes for the Matto: 0 none, else side + 1.
T_TRICKS: Final = 9
T_DEBT: Final = 10
T_COLUMNS: Final = 11

# Columns of what is fixed for a solve.
#: The places whose holder is of seats 1 and 3, and of seats 2 and 3; of cards that are not like their neighbours.
F_ODD: Final = 0
F_UPPER: Final = 1
F_SINGULAR: Final = 2
#: The places of each plain suit.
F_SUIT: Final = 3
#: Cards that are not like their neighbours, two words: they count, or may stand in a versicola.
F_SINGULAR_CARDS: Final = 7
F_PLAIN: Final = 9
#: Tricks from the root on, that of the table included.
F_TRICKS: Final = 10
F_EXTRAS: Final = 11
#: Marks that are booked at the root (int64): the value of the whole ending is that of the search and this.
F_BOOKED: Final = 12
#: Solves since the table was last emptied; positions looked at since the workspace was made.
F_SOLVE: Final = 13
F_NODES: Final = 14
F_COLUMNS: Final = 15

NO_LED: Final = 5
TRUMPS: Final = 4
_MATTO: Final = int(MATTO)
_FIRST_TRUMP: Final = FIRST_TRUMP
_TRUMP_STRENGTH: Final = int(TRUMP_STRENGTH)

#: The suit of each card, 4 for trumps and the Matto, and its strength as layout.BEST has it.
SUITS: Final = np.array([min(card // SUIT_SIZE, TRUMPS) for card in range(N_CARDS)], dtype=np.int64)
POWERS: Final = np.array(
    [card % SUIT_SIZE if card < FIRST_TRUMP else _TRUMP_STRENGTH + card - FIRST_TRUMP for card in range(N_CARDS)],
    dtype=np.int64,
)
POINTS: Final = np.array(VALUES, dtype=np.int64)


class Work(NamedTuple):
    """The arrays that a solve works in; each is modified. Make one with `workspace`, and one for each thread."""

    plies: npt.NDArray[np.int64]
    """The frames of the plies, (33, P_COLUMNS)."""
    tricks: npt.NDArray[np.uint64]
    """The frames of the tricks, (9, T_COLUMNS)."""
    hands: npt.NDArray[np.uint64]
    """The four hands, two words each, (8,)."""
    places: npt.NDArray[np.uint64]
    """The bit of each card's place, (97,)."""
    cards: npt.NDArray[np.int64]
    """The card at each place, (32,)."""
    fixed: npt.NDArray[np.uint64]
    """What is fixed for a solve, (F_COLUMNS,)."""
    table: npt.NDArray[np.uint64]
    """The transposition table, (a power of two, 4)."""
    row: npt.NDArray[np.uint64]
    """A row of a hand for the engine to settle, (1, W)."""
    ledger: npt.NDArray[np.uint32]
    """Its ledger, (1, LEDGER)."""
    rule: npt.NDArray[np.int64]
    """The rule row (RuleSet.row)."""


#: Positions that the table has room for, by the tricks that are left; more than this gains little (measured).
_TABLE_BITS: Final = (10, 10, 10, 10, 13, 16, 19, 21, 22)


def workspace(rule: npt.NDArray[np.int64], tricks: int = MAX_TRICKS) -> Work:
    """Return a workspace for endings of up to so many tricks under a rule row (RuleSet.row).

    The table is the larger part: 32 bytes a position, from 32 kB for three tricks to 128 MB for eight. What it holds of
    one ending is never taken for another's, so that a workspace serves any number of solves.
    """
    return Work(
        plies=np.zeros((4 * MAX_TRICKS + 1, P_COLUMNS), dtype=np.int64),
        tricks=np.zeros((MAX_TRICKS + 1, T_COLUMNS), dtype=np.uint64),
        hands=np.zeros(8, dtype=np.uint64),
        places=np.zeros(N_CARDS, dtype=np.uint64),
        cards=np.zeros(4 * MAX_TRICKS, dtype=np.int64),
        fixed=np.zeros(F_COLUMNS, dtype=np.uint64),
        table=np.zeros((1 << _TABLE_BITS[tricks], 4), dtype=np.uint64),
        row=np.zeros((1, W), dtype=np.uint64),
        ledger=np.zeros((1, LEDGER), dtype=np.uint32),
        rule=np.ascontiguousarray(rule, dtype=np.int64),
    )


@hot_kernel
def trick_after(card, seat, led, best, winner):  # type: ignore[no-untyped-def]
    """Return suit led, best strength and winner after one card more (docs/rules.md, 4.1), as int64s."""
    if card == _MATTO:
        return led, best, winner
    suit, power = SUITS[card], POWERS[card]
    if led == NO_LED:
        return suit, power, seat
    if (suit == led or suit == TRUMPS) and power > best:
        return led, power, seat
    return led, best, winner


@hot_kernel
def play_card(work, p, card):  # type: ignore[no-untyped-def]
    """Move a card from the hand of ply p's seat to the table and fill the frame of ply p + 1.

    The fourth card takes the trick in: its points go to P_DELTA of ply p, which is 0 otherwise.
    """
    plies, hands = work.plies, work.hands
    seat = plies[p, P_SEAT]
    c0, c1 = card_words(card)
    hands[2 * seat] &= ~c0
    hands[2 * seat + 1] &= ~c1
    plies[p, P_CARD], plies[p, P_DELTA] = card, 0
    q = p + 1
    for column in range(P_CARDS, P_MATTO + 1):
        plies[q, column] = plies[p, column]
    plies[q, P_PLACES] |= np.int64(work.places[card])
    if card == _MATTO:
        plies[q, P_MATTO] = seat
    else:
        side = seat & 1
        plies[q, P_CARDS + 2 * side] |= np.int64(c0)
        plies[q, P_CARDS + 2 * side + 1] |= np.int64(c1)
        plies[q, P_POINTS + side] += POINTS[card]
    led, best, winner = trick_after(card, seat, plies[p, P_LED], plies[p, P_BEST], plies[p, P_WINNER])
    if p & 3 != 3:
        plies[q, P_LED], plies[q, P_BEST], plies[q, P_WINNER] = led, best, winner
        plies[q, P_SEAT] = (seat + 1) & 3
        return
    plies[p, P_DELTA] = take_trick(work, q, led, winner)
    clear_table(plies, q, winner)


@hot_kernel
def clear_table(plies, q, leader):  # type: ignore[no-untyped-def]
    """Make ply q the lead of a seat."""
    for column in range(P_CARDS, P_MATTO):
        plies[q, column] = 0
    plies[q, P_MATTO] = -1
    plies[q, P_LED], plies[q, P_BEST], plies[q, P_WINNER] = NO_LED, 0, -1
    plies[q, P_SEAT] = leader


@hot_kernel
def take_trick(work, q, led, winner):  # type: ignore[no-untyped-def]
    """Take in the full trick of ply q's frame: fill the next trick's frame; return the points that it brings side 0."""
    plies, tricks = work.plies, work.tricks
    t, side = q >> 2, winner & 1
    for column in range(T_COLUMNS):
        tricks[t, column] = tricks[t - 1, column]
    tricks[t, T_PLACES] &= ~U(plies[q, P_PLACES])
    if led < TRUMPS:
        tricks[t, T_OPENED] |= ONE << U(led)
    c0 = U(plies[q, P_CARDS] | plies[q, P_CARDS + 2])
    c1 = U(plies[q, P_CARDS + 1] | plies[q, P_CARDS + 3])
    pile = T_PILE + 2 * side
    tricks[t, pile] |= c0
    tricks[t, pile + 1] |= c1
    points = trick_points(plies[q, P_POINTS + side], plies[q, P_POINTS] + plies[q, P_POINTS + 1])
    if (c0 & work.fixed[F_SINGULAR_CARDS]) != ZERO or (c1 & work.fixed[F_SINGULAR_CARDS + 1]) != ZERO:
        worth = value(tricks[t, pile], tricks[t, pile + 1], np.int64(work.fixed[F_EXTRAS]))
        points += worth - np.int64(tricks[t, T_WORTH + side])
        tricks[t, T_WORTH + side] = U(worth)
    matto = plies[q, P_MATTO]
    if matto >= 0 and matto & 1 != side:
        tricks[t, T_DEBT] = U((matto & 1) + 1)
    if side != 0:
        return -points
    tricks[t, T_WON] |= U(plies[q, P_PLACES])
    tricks[t, T_TRICKS] += ONE
    return points


@hot_kernel
def take_back(work, p):  # type: ignore[no-untyped-def]
    """Put the card that ply p's seat played back into its hand."""
    seat = work.plies[p, P_SEAT]
    c0, c1 = card_words(work.plies[p, P_CARD])
    work.hands[2 * seat] |= c0
    work.hands[2 * seat + 1] |= c1


@hot_kernel
def only_card(work, seat):  # type: ignore[no-untyped-def]
    """Return the card of a hand that has no more than one."""
    h0, h1 = work.hands[2 * seat], work.hands[2 * seat + 1]
    return np.int64(trailing_zeros(h0) if h0 != ZERO else U(_FIRST_TRUMP) + trailing_zeros(h1))


@hot_kernel
def last_trick(work, p):  # type: ignore[no-untyped-def]
    """Return what the last trick, in which nobody has a choice, brings side 0 in a plain ending, from ply p on."""
    plies, frame = work.plies, work.tricks[p >> 2]
    seat, led, best, winner = plies[p, P_SEAT], plies[p, P_LED], plies[p, P_BEST], plies[p, P_WINNER]
    c0 = U(plies[p, P_CARDS] | plies[p, P_CARDS + 2])
    c1 = U(plies[p, P_CARDS + 1] | plies[p, P_CARDS + 3])
    # Points of side 0, and of all.
    even, both = plies[p, P_POINTS], plies[p, P_POINTS] + plies[p, P_POINTS + 1]
    for _ in range(p & 3, 4):
        card = only_card(work, seat)
        led, best, winner = trick_after(card, seat, led, best, winner)
        if card != _MATTO:
            a0, a1 = card_words(card)
            c0 |= a0
            c1 |= a1
            both += POINTS[card]
            even += POINTS[card] if seat & 1 == 0 else 0
        seat = (seat + 1) & 3
    side = winner & 1
    worth = value(frame[T_PILE + 2 * side] | c0, frame[T_PILE + 2 * side + 1] | c1, np.int64(work.fixed[F_EXTRAS]))
    points = trick_points(even if side == 0 else both - even, both) + worth - np.int64(frame[T_WORTH + side])
    points += LAST_TRICK_POINTS
    return points if side == 0 else -points


@hot_kernel
def trick_points(own, both):  # type: ignore[no-untyped-def]
    """Return what a trick brings its captor, versicole apart, by the points of his side's cards in it and of all.

    He counts every card and marks the deaths of the other side's cards. Item 9 is four points a trick (docs/rules.md,
    5.2); two are booked for either side at the root (`book`), so that a trick brings its captor two.
    """
    return both + (both - own) + 2
