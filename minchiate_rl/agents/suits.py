"""One order of the plain suits for all views: networks see, and answer in, suits renamed by what the viewer holds.

With cards numbered by strength the four plain suits are interchangeable, so a network need not learn each of the 24
renamings of a position: first comes the suit led, then the suits by the number of cards that the viewer holds in them,
then by which cards these are. Suits that tell nothing apart by that keep their own order. Tokens and legal actions are
renamed on the way in, actions on the way out; the suit order is worked out anew at every decision. Games with another
pack than that of 97 keep their suits as they are: there the suits differ, or are spoken of.
"""

import itertools
from typing import Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.game.actions import N_ACTIONS
from minchiate_rl.game.cards import FIRST_TRUMP, N_CARDS, SUIT_SIZE
from minchiate_rl.game.engine.bits import U, popcount
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import SUIT_BITS, V_HAND, V_TURN
from minchiate_rl.views.encoding import N_STATE_TOKENS, N_TOKENS, TOKENS
from minchiate_rl.views.reading import WHOLE_PACK, game_of
from minchiate_rl.views.vocabulary import HIDDEN_PLACES, PLACES

#: Grows whenever the order changes, since weights are trained for one.
VERSION: Final = 1

N_SUITS: Final = 4
_N_SUITS: Final = U(N_SUITS)
_BYTE: Final = np.uint64(0xFF)
_SIZE: Final = np.uint64(SUIT_SIZE)

#: ORDERS[o, s]: the place that suit s takes in order o.
ORDERS: Final[npt.NDArray[np.int64]] = np.array(list(itertools.permutations(range(N_SUITS))), dtype=np.int64)


def _order_numbers() -> npt.NDArray[np.int64]:
    """Return the number of an order by the places of suits 0, 1, 2 as digits of base 4."""
    numbers = np.zeros(N_SUITS**3, dtype=np.int64)
    for order, places in enumerate(ORDERS):
        numbers[places[0] + N_SUITS * places[1] + N_SUITS**2 * places[2]] = order
    return numbers


def _renamed_cards(places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the card that each card is called under an order."""
    cards = np.arange(N_CARDS)
    suits, ranks = np.divmod(cards[:FIRST_TRUMP], SUIT_SIZE)
    cards[:FIRST_TRUMP] = places[suits] * SUIT_SIZE + ranks
    return cards


def _renamed_tokens(places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the token that each token becomes under an order."""
    tokens, cards = np.arange(N_STATE_TOKENS), _renamed_cards(places)
    blocks = [(TOKENS[name][0], n) for name, n in (("card", len(PLACES)), ("pile", 2), ("taken", 1))]
    for first, n_places in (*blocks, (N_TOKENS, len(HIDDEN_PLACES))):
        block = first + np.arange(N_CARDS * n_places).reshape(N_CARDS, n_places)
        tokens[block] = block[cards]
    # Groups of entries of which the first four stand for the suits: (name, groups, entries a group, tokens an entry).
    for name, groups, entries, size in (
        ("led", 1, 5, 1),
        ("opened", 1, 4, 1),
        ("voids", 3, 5, 1),
        ("no_king", 3, 4, 1),
        ("gain", 1, 27, 6),
        ("fola_suits", 1, 4, 14),
    ):
        entry = TOKENS[name][0] + np.arange(groups * entries * size).reshape(groups, entries, size)
        tokens[entry[:, :N_SUITS]] = entry[:, places]
    return tokens


def _renamed_actions(places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    actions = np.arange(N_ACTIONS)
    actions[:N_CARDS] = _renamed_cards(places)
    return actions


_NUMBERS: Final = _order_numbers()
#: TOKEN_NAMES[o, t]: what token t becomes in order o. ACTION_NAMES likewise; ACTIONS_BACK undoes it.
TOKEN_NAMES: Final[npt.NDArray[np.int16]] = np.array([_renamed_tokens(places) for places in ORDERS], dtype=np.int16)
ACTION_NAMES: Final[npt.NDArray[np.int16]] = np.array([_renamed_actions(places) for places in ORDERS], dtype=np.int16)
ACTIONS_BACK: Final[npt.NDArray[np.int16]] = np.argsort(ACTION_NAMES, axis=1).astype(np.int16)


@kernel
def _key(hand, led, suit):  # type: ignore[no-untyped-def]
    """Return the number by which a suit (uint64) is placed, the highest first."""
    cards = (hand >> (_SIZE * suit)) & SUIT_BITS
    return (U(led == suit) << U(32)) | (popcount(cards) << U(16)) | cards


@kernel
def suit_order(views, j):  # type: ignore[no-untyped-def]
    """Return the number of the suit order of view row j; 0, their own order, where not the whole pack is in play."""
    if not WHOLE_PACK[game_of(views, j)]:
        return 0
    hand, led = views[j, V_HAND], (views[j, V_TURN] >> U(40)) & _BYTE
    keys = (_key(hand, led, U(0)), _key(hand, led, U(1)), _key(hand, led, U(2)), _key(hand, led, U(3)))
    number, base = 0, 1
    for s in range(N_SUITS - 1):
        place = 0
        for other in range(N_SUITS):
            if keys[other] > keys[s] or (keys[other] == keys[s] and other < s):
                place += 1
        number += base * place
        base *= N_SUITS
    return _NUMBERS[number]


@kernel
def rename(views, rows, tokens, legal, orders):  # type: ignore[no-untyped-def]
    """Rename tokens (M, T) and legal words (M, 4) of the named view rows, modified in place; fill orders (M,)."""
    for k in range(rows.shape[0]):
        orders[k] = rename_row(views, rows[k], tokens, legal, k)


@kernel
def rename_row(views, j, tokens, legal, k):  # type: ignore[no-untyped-def]
    """Rename tokens and legal words in row k, modified in place, for view row j; return the order."""
    order = suit_order(views, j)
    rename_tokens(order, tokens, k)
    word = legal[k, 0]
    renamed = word & U(0)
    for s in range(N_SUITS):
        renamed |= ((word >> (_SIZE * U(s))) & SUIT_BITS) << (_SIZE * U(ORDERS[order, s]))
    legal[k, 0] = renamed
    return order


@kernel
def rename_tokens(order, tokens, k):  # type: ignore[no-untyped-def]
    """Rename the tokens of row k, modified in place."""
    if order == 0:
        return
    for i in range(tokens.shape[1]):
        token = tokens[k, i]
        if token == 0:
            break
        tokens[k, i] = TOKEN_NAMES[order, token]


def own_actions(actions: npt.NDArray[np.int16], orders: npt.NDArray[np.int8]) -> npt.NDArray[np.int16]:
    """Return the real actions, int16 (M,), of actions renamed under orders, int8 (M,)."""
    return ACTIONS_BACK[orders, actions]


def renamed_actions(actions: npt.NDArray[np.int16], orders: npt.NDArray[np.int8]) -> npt.NDArray[np.int16]:
    """Return real actions, int16 (M,), as they are called under orders, int8 (M,)."""
    return ACTION_NAMES[orders, actions]
