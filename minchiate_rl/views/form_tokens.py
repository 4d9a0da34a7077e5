"""The tokens of what only some forms of the game have: accounts of pairs, who has left, bids, the episode, switches."""

from typing import Final

import numpy as np

from minchiate_rl.game.engine.bits import ONE, ZERO, U
from minchiate_rl.game.engine.jit import hot_kernel, kernel
from minchiate_rl.game.engine.layout import (
    NO_CARD,
    SWITCH_BITS,
    V_BIDS,
    V_COUNTS,
    V_FORM,
    V_KNOWN,
    V_MATCH,
    V_PAIRS,
    V_PILE,
    V_ROBBED,
    V_RULES,
    V_SEATS,
    V_SWITCHES,
    V_TURN,
)
from minchiate_rl.game.forms import GAMES
from minchiate_rl.views.put import at_most, class_of, put, put_bits, put_cards, put_named
from minchiate_rl.views.reading import for_himself, game_of, is_steady
from minchiate_rl.views.vocabulary import AHEAD_STEP, N_AHEAD, N_BIDS, N_RESTI, TOKENS


def _at(name: str) -> int:
    return TOKENS[name][0]


_LATER_PHASE: Final = _at("later_phase")
_PILE: Final = _at("pile")
_TAKEN: Final = _at("taken")
_DEBTOR: Final = _at("debtor")
_AHEAD: Final = _at("ahead")
_OTHERS_TRICKS: Final = _at("others_tricks")
_WITHDRAWN: Final = _at("withdrawn")
_DROPPED: Final = _at("dropped")
_PICKED_FROM: Final = _at("picked_from")
_ANSWERED: Final = _at("answered")
_BID: Final = _at("bid")
_PASSED: Final = _at("passed")
_FOLA_USER: Final = _at("fola_user")
_ELDEST_CHOICE: Final = _at("eldest_choice")
_FOLA_SUITS: Final = _at("fola_suits")
_TRUMPS_DISCARDED: Final = _at("trumps_discarded")
_MATCH_RESTI: Final = _at("match_resti")
_HANDS_LEFT: Final = _at("hands_left")
_SWITCHES: Final = _at("switches")
_GAME: Final = _at("game")

_BYTE: Final = np.uint64(0xFF)
_WORD: Final = np.uint64(0xFFFF)
_FOUR: Final = np.uint64(4)
_N_BITS: Final = len(SWITCH_BITS)
_SWITCH_MASK: Final = np.uint64((1 << len(SWITCH_BITS)) - 1)
_TO_PILE: Final = np.uint64(1 << SWITCH_BITS.index("pigliare_to pile"))
_SUITS_HIDDEN: Final = np.uint64(1 << SWITCH_BITS.index("fola_suits_shown false"))
_N_GAMES: Final = np.uint64(len(GAMES))
_FOURTEEN: Final = np.uint64(2)
#: An episode's account is kept in resti, or in points, five of which stand for one.
_UNITS: Final = np.array([1 if game.counts_resti else 5 for game in GAMES.values()], dtype=np.int64)
_LOWEST_AHEAD: Final = -AHEAD_STEP * N_AHEAD // 2
_LOWEST_RESTI: Final = -13


@kernel
def _accounts_of_all(views, j, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens of piles, balances and tricks where everybody plays for himself."""
    for r in range(2):
        w0, w1 = views[j, V_PILE + 4 + 2 * r], views[j, V_PILE + 5 + 2 * r]
        n = put_cards(w0, w1, _PILE + r, 2, row, n)
    n_seats = np.int64((views[j, V_COUNTS] >> U(48)) & _BYTE)
    k = 0
    for r in range(3):
        for q in range(r + 1, 4):
            if q < n_seats:
                word = views[j, V_PAIRS] if r == 0 else views[j, V_PAIRS + 1]
                ahead = np.int64(np.int16((word >> U(16 * (k % 3))) & _WORD))
                row[n] = _AHEAD + N_AHEAD * k + class_of(ahead, _LOWEST_AHEAD, AHEAD_STEP, N_AHEAD)
                n += ONE
            k += 1
    tricks = views[j, V_SEATS] >> U(40)
    n = put(_OTHERS_TRICKS, tricks & _BYTE, U(26), row, n)
    n = put(_OTHERS_TRICKS + 26, (tricks >> U(8)) & _BYTE, U(26), row, n)
    debtor = (views[j, V_KNOWN] >> U(48)) & _BYTE
    return put(_DEBTOR, debtor - U(2), U(2), row, n)


@kernel
def _left_and_bid(views, j, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens of who plays no more, of who has answered, and of the bids."""
    seats, bids = views[j, V_SEATS], views[j, V_BIDS]
    n = put(_WITHDRAWN, seats & _BYTE, _FOUR, row, n)
    n = put_bits((seats >> U(8)) & U(0xF), _DROPPED, row, n)
    n = put(_PICKED_FROM, (seats >> U(16)) & _BYTE, _FOUR, row, n)
    n = put_named(_ANSWERED, (seats >> U(24)) & _BYTE, U(5), row, n)
    for r in range(4):
        steps = at_most((bids >> U(8 * r)) & _BYTE, U(N_BIDS))
        n = put_named(_BID + N_BIDS * r, steps, U(N_BIDS + 1), row, n)
    n = put_bits((bids >> U(32)) & U(0xF), _PASSED, row, n)
    n = put(_FOLA_USER, (bids >> U(48)) & _BYTE, _FOUR, row, n)
    return put_named(_ELDEST_CHOICE, bids >> U(56), _FOUR, row, n)


@kernel
def _episode(views, j, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens of how an episode of several hands stands."""
    form = views[j, V_FORM]
    hands = (form >> U(8)) & _BYTE
    if hands < U(2):
        return n
    n = put_named(_HANDS_LEFT, hands - (form & _BYTE), U(13), row, n)
    unit = _UNITS[game_of(views, j)]
    for r in range(4):
        resti = np.int64(np.int16((views[j, V_MATCH] >> U(16 * r)) & _WORD)) // unit
        row[n] = _MATCH_RESTI + N_RESTI * r + class_of(resti, _LOWEST_RESTI, 3, N_RESTI)
        n += ONE
    return n


@kernel
def _switches(views, j, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens of the switches that are not the classic ones, and of what they hide and show."""
    form, switches, counts = views[j, V_FORM], views[j, V_SWITCHES] & _SWITCH_MASK, views[j, V_COUNTS]
    n = put_bits(switches, _SWITCHES, row, n)
    if (views[j, V_RULES] >> U(40)) & _BYTE == _FOURTEEN:
        n = put(_SWITCHES + _N_BITS, ZERO, ONE, row, n)
    for k in range(2):
        n = put(_SWITCHES + _N_BITS + 1 + k, ZERO, (form >> U(16 + 8 * k)) & _BYTE, row, n)
    n = put(_SWITCHES + _N_BITS + 3, ZERO, (form >> U(48)) & _BYTE, row, n)
    n = put_named(_GAME + 1, game_of(views, j), _N_GAMES, row, n)
    if switches & _SUITS_HIDDEN != ZERO:
        for suit in range(4):
            n = put(_FOLA_SUITS + 14 * suit, (counts >> U(8 * suit)) & _BYTE, U(14), row, n)
    if switches & _TO_PILE != ZERO:
        n = put_cards(views[j, V_ROBBED + 4], views[j, V_ROBBED + 5], _TAKEN, 1, row, n)
    return n


@kernel
def _all_of_it(views, j, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens of a form that has something to tell; return the new length."""
    phase = views[j, V_TURN] & _BYTE
    n = put_named(_LATER_PHASE, phase - U(3) if phase > U(3) else ZERO, U(6), row, n)
    announced = (views[j, V_COUNTS] >> U(32)) & _BYTE
    if announced != NO_CARD:
        n = put(_TRUMPS_DISCARDED, announced, U(3), row, n)
    n = _left_and_bid(views, j, row, n)
    n = _episode(views, j, row, n)
    n = _switches(views, j, row, n)
    return _accounts_of_all(views, j, row, n) if for_himself(views, j) else n


@hot_kernel
def form_tokens(views, j, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens of what only some forms of the game have; return the new length."""
    plain = views[j, V_SWITCHES] & _SWITCH_MASK == ZERO and (views[j, V_RULES] >> U(40)) & _BYTE != _FOURTEEN
    if plain and views[j, V_FORM] == ZERO and is_steady(views, j):
        # The classic game and its nearest relatives, which have nothing to tell here.
        return n
    return _all_of_it(views, j, row, n)
