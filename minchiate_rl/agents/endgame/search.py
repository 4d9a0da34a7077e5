"""Perfect play of an ending: the search, as kernels.

The value comes from null-window questions ("is it at least g?"), each answered by alpha-beta with a table of positions,
and moved towards the value by the answers: MTD(f) of A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin, Best-first
fixed-depth minimax algorithms, Artificial Intelligence 87 (1996). The search keeps its own stack: a frame a ply.
"""

from typing import Final

import numpy as np

from minchiate_rl.agents.endgame.board import (
    F_BOOKED,
    F_NODES,
    F_PLAIN,
    F_SINGULAR_CARDS,
    F_TRICKS,
    NO_LED,
    P_ASKED,
    P_BEST,
    P_CARD,
    P_CARDS,
    P_CHOSEN,
    P_DELTA,
    P_KILLER,
    P_LED,
    P_MOVES,
    P_N_MOVES,
    P_NEXT,
    P_POINTS,
    P_SCORES,
    P_SEAT,
    P_VALUE,
    P_WINNER,
    POINTS,
    POWERS,
    SUITS,
    T_OPENED,
    TRUMPS,
    last_trick,
    play_card,
    take_back,
    trick_after,
)
from minchiate_rl.agents.endgame.ends import last_trick_settled, set_up
from minchiate_rl.agents.endgame.memory import INFINITE, bounds, next_solve, recall, remember, write_key
from minchiate_rl.agents.worth import JEALOUS
from minchiate_rl.game.cards import FIRST_TRUMP, N_CARDS
from minchiate_rl.game.engine.bits import ONE, ZERO, U, highest, trailing_zeros
from minchiate_rl.game.engine.jit import hot_kernel, kernel
from minchiate_rl.game.engine.layout import TRUMP_BITS, TRUMP_STRENGTH
from minchiate_rl.game.engine.legal import legal_cards, legal_words, suit_mask
from minchiate_rl.game.engine.versicole import card_words
from minchiate_rl.game.rules import R_KING_RULE

#: Stands for the value of a card that may not be played.
NOT_LEGAL: Final = -32768
_FIRST_TRUMP: Final = FIRST_TRUMP
_TRUMP_STRENGTH: Final = int(TRUMP_STRENGTH)
_FIRST: Final = 1 << 20
#: What a card promises, in sixteenths of a point: its strength if it is kept, versicole that may hold it, and that it
#: answered the last question at its ply. Set by the number of positions looked at (benchmarks/endgame.py).
_STRENGTH: Final = 3
_LIVE: Final = 24
_KILLER: Final = 30
#: Points by which a question goes beyond the last answer: one a point would ask much the same again and again.
_STEP: Final = 12


@hot_kernel
def can_beat(h0, h1, led, best):  # type: ignore[no-untyped-def]
    """Return whether a hand has a card that would take a trick of suit `led` that a card of strength `best` holds."""
    if led < TRUMPS:
        follow = h0 & suit_mask(U(led))
        if follow != ZERO:
            return best < _TRUMP_STRENGTH and np.int64(highest(follow)) - 14 * led > best
    trumps = h1 & TRUMP_BITS
    return trumps != ZERO and _TRUMP_STRENGTH + np.int64(highest(trumps)) > best


@hot_kernel
def promise(work, p, card):  # type: ignore[no-untyped-def]
    """Return how good a card looks at ply p: what the trick is likely to bring its side, strength saved."""
    plies, hands = work.plies, work.hands
    n, seat = p & 3, plies[p, P_SEAT]
    side = seat & 1
    led, best, winner = trick_after(card, seat, plies[p, P_LED], plies[p, P_BEST], plies[p, P_WINNER])
    ours = winner >= 0 and winner & 1 == side
    # The seats still to play, the next of them an opponent; each takes the trick for its side if it can.
    for k in range(1, 4 - n):
        other = (seat + k) & 3
        if ours == (k & 1 == 1) and led < NO_LED and can_beat(hands[2 * other], hands[2 * other + 1], led, best):
            ours = not ours
    mine, theirs = plies[p, P_POINTS + side] + POINTS[card], plies[p, P_POINTS + 1 - side]
    points = 16 * (mine + 2 * theirs + 2) + _LIVE * JEALOUS[card]
    if not ours:
        points = -16 * (2 * mine + theirs + 2) - _LIVE * JEALOUS[card]
    return points - _STRENGTH * POWERS[card]


@hot_kernel
def find_moves(work, p, first):  # type: ignore[no-untyped-def]
    """Write the cards to try at ply p into its frame, the most promising first; `first` is one to try before others.

    Of cards in one hand between which no other hand and the table have none, and which count nothing and stand in no
    versicola, one is as good as the other: the lowest stands for all.
    """
    plies, hands = work.plies, work.hands
    seat, led = plies[p, P_SEAT], plies[p, P_LED]
    king_rule = plies[p, P_BEST] >= _TRUMP_STRENGTH and work.rule[R_KING_RULE] != 0
    h0, h1 = hands[2 * seat], hands[2 * seat + 1]
    l0, l1 = legal_cards(h0, h1, U(led), work.tricks[p >> 2, T_OPENED], king_rule)
    s1, s2, s3 = 2 * ((seat + 1) & 3), 2 * ((seat + 2) & 3), 2 * ((seat + 3) & 3)
    foreign_0 = hands[s1] | hands[s2] | hands[s3] | U(plies[p, P_CARDS] | plies[p, P_CARDS + 2])
    foreign_1 = hands[s1 + 1] | hands[s2 + 1] | hands[s3 + 1] | U(plies[p, P_CARDS + 1] | plies[p, P_CARDS + 3])
    n = write_moves(work, p, 0, l0, foreign_0, work.fixed[F_SINGULAR_CARDS], 0)
    n = write_moves(work, p, n, l1, foreign_1, work.fixed[F_SINGULAR_CARDS + 1], _FIRST_TRUMP)
    plies[p, P_N_MOVES], plies[p, P_NEXT] = n, 0
    if n > 1:
        rank_moves(work, p, n, first)


@hot_kernel
def write_moves(work, p, n, legal, foreign, singular, offset):  # type: ignore[no-untyped-def]
    """Write the cards of one word to try behind the n that are there already; return their number."""
    plies = work.plies
    previous, barred, suit = -1, ZERO, -1
    while legal != ZERO:
        place = trailing_zeros(legal)
        bit = ONE << place
        legal ^= bit
        card = offset + np.int64(place)
        if (bit & singular) == ZERO:
            like = previous >= 0 and SUITS[card] == suit and (foreign & (bit - ONE) & barred) == ZERO
            previous, barred, suit = card, ~(bit - ONE), SUITS[card]
            if like:
                continue
        plies[p, P_MOVES + n] = card
        n += 1
    return n


@hot_kernel
def rank_moves(work, p, n, first):  # type: ignore[no-untyped-def]
    """Sort the n cards to try at ply p by what they promise."""
    plies = work.plies
    for m in range(n):
        card = plies[p, P_MOVES + m]
        if card == first:
            score = _FIRST
        else:
            score = promise(work, p, card)
            if card == plies[p, P_KILLER]:
                score += _KILLER
        k = m
        while k > 0 and plies[p, P_SCORES + k - 1] < score:
            plies[p, P_SCORES + k] = plies[p, P_SCORES + k - 1]
            plies[p, P_MOVES + k] = plies[p, P_MOVES + k - 1]
            k -= 1
        plies[p, P_SCORES + k], plies[p, P_MOVES + k] = score, card


@hot_kernel
def begin(work, p):  # type: ignore[no-untyped-def]
    """Look at the position at ply p for the first time; return whether it is answered already (P_VALUE)."""
    plies, first = work.plies, -1
    asked = plies[p, P_ASKED]
    work.fixed[F_NODES] += ONE
    if np.int64(work.fixed[F_TRICKS]) - (p >> 2) == 1:
        plain = work.fixed[F_PLAIN] != ZERO
        plies[p, P_VALUE] = last_trick(work, p) if plain else last_trick_settled(work, p)
        return True
    if p & 3 == 0:
        if work.fixed[F_PLAIN] != ZERO:
            low, high = bounds(work, p)
            if low >= asked or high < asked:
                plies[p, P_VALUE] = low if low >= asked else high
                return True
        write_key(work, p)
        low, high, first = recall(work, p)
        if low >= asked or high < asked:
            plies[p, P_VALUE] = low if low >= asked else high
            return True
    find_moves(work, p, first)
    plies[p, P_CHOSEN] = -1
    plies[p, P_VALUE] = -INFINITE if plies[p, P_SEAT] & 1 == 0 else INFINITE
    return False


@hot_kernel
def weigh(work, p, found):  # type: ignore[no-untyped-def]
    """Take note of what the card tried at ply p brings; return whether the position is answered."""
    plies = work.plies
    card, asked = plies[p, P_CARD], plies[p, P_ASKED]
    answered = plies[p, P_NEXT] == plies[p, P_N_MOVES]
    if plies[p, P_SEAT] & 1 == 0:
        if found > plies[p, P_VALUE]:
            plies[p, P_VALUE] = found
            if found >= asked:
                plies[p, P_CHOSEN], plies[p, P_KILLER] = card, card
                answered = True
    elif found < plies[p, P_VALUE]:
        plies[p, P_VALUE] = found
        if found < asked:
            plies[p, P_CHOSEN], plies[p, P_KILLER] = card, card
            answered = True
    if answered and p & 3 == 0:
        remember(work, p)
    return answered


@kernel
def answer(work, base, asked):  # type: ignore[no-untyped-def]
    """Return a bound of the value at ply `base`: one that is at least `asked` if the value is, else one below."""
    plies, p = work.plies, base
    plies[p, P_ASKED] = asked
    answered = begin(work, p)
    while not (answered and p == base):
        if answered:
            p -= 1
            take_back(work, p)
            answered = weigh(work, p, plies[p + 1, P_VALUE] + plies[p, P_DELTA])
        else:
            play_card(work, p, plies[p, P_MOVES + plies[p, P_NEXT]])
            plies[p, P_NEXT] += 1
            plies[p + 1, P_ASKED] = plies[p, P_ASKED] - plies[p, P_DELTA]
            p += 1
            answered = begin(work, p)
    return plies[base, P_VALUE]


@kernel
def converge(work, base, guess):  # type: ignore[no-untyped-def]
    """Return the value at ply `base` exactly, by questions from a guess on that go a step beyond each answer."""
    low, high, asked = -INFINITE, INFINITE, guess
    while low < high:
        guess = answer(work, base, asked)
        if guess >= asked:
            low, asked = guess, min(high, guess + 1 + _STEP)
        else:
            high, asked = guess, max(low + 1, guess - _STEP)
    return low


@kernel
def first_guess(work, base):  # type: ignore[no-untyped-def]
    """Return what the most promising card at every ply from `base` on leads to."""
    plies, p, points = work.plies, base, np.int64(0)
    tricks = np.int64(work.fixed[F_TRICKS])
    while p >> 2 < tricks - 1:
        find_moves(work, p, -1)
        play_card(work, p, plies[p, P_MOVES])
        points += plies[p, P_DELTA]
        p += 1
    if work.fixed[F_PLAIN] != ZERO:
        points += last_trick(work, p)
    while p > base:
        p -= 1
        take_back(work, p)
    return points


@kernel
def value_of_row(work, rows, i):  # type: ignore[no-untyped-def]
    """Return what the rest of the hand in row i adds to side 0's lead under perfect play, all cards seen (int64).

    The row, which is not modified, stands at a card to be played (phase PLAY) of a game of two sides of two without
    dropping, and at most as many tricks before its end as the workspace was made for.
    """
    next_solve(work)
    root = set_up(work, rows, i)
    return np.int64(work.fixed[F_BOOKED]) + converge(work, root, first_guess(work, root))


@kernel
def values_of_moves(work, rows, i, out):  # type: ignore[no-untyped-def]
    """Write the value after each legal card of row i to out[card], NOT_LEGAL for others, int16 (97,).

    What must hold of the row is said at `value_of_row`; the value of the row is the highest of them for side 0, the
    lowest for side 1.
    """
    next_solve(work)
    root = set_up(work, rows, i)
    booked, guess = np.int64(work.fixed[F_BOOKED]), first_guess(work, root)
    out[:] = NOT_LEGAL
    find_moves(work, root, -1)
    for m in range(work.plies[root, P_N_MOVES]):
        card = work.plies[root, P_MOVES + m]
        guess = value_after(work, root, card, guess)
        out[card] = booked + guess
    # Cards that another one stood for have its value.
    w0, w1, _, _ = legal_words(rows, i, work.rule)
    same = np.int16(NOT_LEGAL)
    for card in range(N_CARDS):
        c0, c1 = card_words(card)
        if (w0 & c0) != ZERO or (w1 & c1) != ZERO:
            if out[card] == NOT_LEGAL:
                out[card] = same
            elif (c0 & work.fixed[F_SINGULAR_CARDS]) == ZERO and (c1 & work.fixed[F_SINGULAR_CARDS + 1]) == ZERO:
                same = out[card]


@kernel
def value_after(work, p, card, guess):  # type: ignore[no-untyped-def]
    """Return the value at ply p if a card is played there."""
    if np.int64(work.fixed[F_TRICKS]) - (p >> 2) == 1:
        return answer(work, p, guess)
    play_card(work, p, card)
    delta = work.plies[p, P_DELTA]
    found = converge(work, p + 1, guess - delta) + delta
    take_back(work, p)
    return found
