"""The vocabulary of speech for networks: what each item means where it stands, as token numbers and dense entries.

An item is told apart by the card that its message was said with (a plain suit, or trumps and the Matto) and by its
role in the message: a fact of one of the blocks, a request, the card asked for, or how to lead. `SLOTS` and `ENTRIES`
are lookup tables for the kernels of speech.py, by kind of card, role and action number.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.game.actions import (
    ASK_FARLO,
    ASK_HIGH,
    ASK_LEAD_THIS,
    ASK_LEAD_TRUMP,
    ASK_VALUABLE,
    SAY_BATTO,
    SAY_HONOUR,
    SAY_MORE,
    SAY_NO_TRUMPS,
    SAY_PIPS,
    SAY_TOTAL,
    SAY_VOID,
    action_name,
)
from minchiate_rl.game.cards import MATTO, SUIT_SIZE, trump

ROLES: Final = ("this", "altro", "second altro", "sleep this", "sleep altro", "request", "play", "lead by")
"""What an item is in its message; facts said with a trump or the Matto have the role `this`."""
THIS, ALTRO, SECOND_ALTRO, SLEEP_THIS, SLEEP_ALTRO, REQUEST, PLAY, LEAD_BY = range(len(ROLES))

MODES: Final = ("cups", "coins", "swords", "batons", "trumps")
"""The suit of the card that a message is said with; the Matto speaks of trumps."""
WHO: Final = ("me", "next", "partner", "previous")

_IN_SUIT, _OF_TRUMPS = 0, 1
_N_BYTES: Final = 256
_RANKS: Final = range(4, SUIT_SIZE)
_MAX_PIPS, _MAX_TOTAL, _MAX_MORE, _MAX_ASLEEP = 6, 10, 14, 2

Item = tuple[int, str, tuple[int, ...]]
"""A role, the item's name, and the action numbers that mean it."""


def _named(role: int, actions: Iterator[int] | range) -> Iterator[Item]:
    return ((role, action_name(action), (action,)) for action in actions)


def _in_every_suit(rank: int) -> tuple[str, tuple[int, ...]]:
    """Return the name of a rank, pips counted from the weakest, and its card in each suit."""
    cards = tuple(SUIT_SIZE * suit + rank for suit in range(4))
    return ("JNQK"[rank - 10] if rank >= 10 else f"pip {rank - 3}"), cards


def _said_in_suit() -> Iterator[Item]:
    """Yield what may be said with a plain card."""
    for role in (THIS, ALTRO, SECOND_ALTRO):
        yield from _named(role, range(SAY_HONOUR, SAY_TOTAL + _MAX_TOTAL + 1))
        yield from _named(role, iter((SAY_BATTO, SAY_VOID)))
    for role in (SLEEP_THIS, SLEEP_ALTRO):
        yield from _named(role, range(SAY_HONOUR + 1, SAY_PIPS + _MAX_ASLEEP + 1))
    yield from _named(REQUEST, (a for a in range(ASK_FARLO, ASK_VALUABLE + 1) if a != ASK_LEAD_TRUMP))
    for rank in _RANKS:
        name, cards = _in_every_suit(rank)
        yield PLAY, name, cards
    for court, action in zip(range(13, 9, -1), range(SAY_HONOUR, SAY_HONOUR + 4), strict=True):
        name, cards = _in_every_suit(court)
        yield LEAD_BY, name, (*cards, action)


def _said_of_trumps() -> Iterator[Item]:
    """Yield what may be said with a trump or the Matto."""
    nameable = range(trump(15), trump(21) + 1)
    yield from _named(THIS, iter((*nameable, int(MATTO))))
    yield from _named(THIS, range(SAY_MORE, SAY_MORE + _MAX_MORE + 1))
    yield from _named(THIS, range(SAY_BATTO, SAY_NO_TRUMPS + 1))
    yield from _named(REQUEST, range(ASK_FARLO, ASK_LEAD_THIS))
    yield from _named(REQUEST, range(ASK_HIGH, ASK_VALUABLE + 1))
    yield from _named(PLAY, range(trump(1), trump(21) + 1))
    yield from _named(LEAD_BY, nameable)


_ITEMS: Final[tuple[tuple[Item, ...], tuple[Item, ...]]] = (tuple(_said_in_suit()), tuple(_said_of_trumps()))

N_IN_SUIT: Final[int] = len(_ITEMS[_IN_SUIT])
"""Tokens of what is said with the cards of one plain suit."""
N_BY_SPEAKER: Final[int] = 4 * N_IN_SUIT + len(_ITEMS[_OF_TRUMPS])
"""Tokens of one speaker: those of the four suits, then those of trumps."""
N_SPEECH_TOKENS: Final[int] = N_BY_SPEAKER * len(WHO)
"""Token numbers of speech: N_BY_SPEAKER for each speaker, from the viewer on."""

MAX_SPEECH_TOKENS: Final = 268
"""More than are active at once.

In the 12 blocks of a speaker's four messages with plain cards: 3 facts that are no courts each, so 144 for four
speakers; a court is said by its holder alone, in three blocks: 48; 4 of sleep in each of the dealer's messages: 16. Of
trumps: 7 by name, the Matto, and 4 others a speaker: 24. In the last message of each: 9 requests, cards and leads: 36.
"""


def _slots() -> npt.NDArray[np.int16]:
    table = np.full((2, len(ROLES), _N_BYTES), -1, np.int16)
    for kind, items in enumerate(_ITEMS):
        for slot, (role, _, actions) in enumerate(items):
            table[kind, role, list(actions)] = slot
    return table


SLOTS: Final = _slots()
"""int16 (2, roles, 256): the token of an item within its suit or within trumps, -1 where the item tells nothing."""


def speech_token_name(token: int) -> str:
    """Return what a token of speech says, such as `partner with cups: altro have K`; `token` counts from 0."""
    speaker, token = divmod(token, N_BY_SPEAKER)
    mode, slot = divmod(token, N_IN_SUIT) if token < 4 * N_IN_SUIT else (4, token - 4 * N_IN_SUIT)
    role, name, _ = _ITEMS[mode // 4][slot]
    return f"{WHO[speaker]} with {MODES[mode]}: {ROLES[role]} {name}"


def _dense() -> tuple[list[str], npt.NDArray[np.int16], npt.NDArray[np.float32]]:
    """Return the names of a speaker's entries, and the tables ENTRIES and AMOUNTS."""
    names = [*(f"latest with {mode}" for mode in MODES), "latest in this trick"]
    entries = np.full((2, len(ROLES), _N_BYTES), -1, np.int16)
    amounts = np.full(_N_BYTES, -1, np.float32)
    counts = {"pips": (SAY_PIPS, _MAX_PIPS), "total": (SAY_TOTAL, _MAX_TOTAL), "more": (SAY_MORE, _MAX_MORE)}
    for first, most in counts.values():
        amounts[first : first + most + 1] = np.linspace(0, 1, most + 1)
    for kind, items in enumerate(_ITEMS):
        for role, item, actions in items:
            word = item.split()[0]
            shared = role == REQUEST or word in counts
            name = f"{ROLES[role]} {word if word in counts else item}"
            name = name if shared or kind == _IN_SUIT else f"{name} (trumps)"
            if name not in names:
                names += [name, f"{name} / {counts[word][1]}"] if word in counts else [name]
            entries[kind, role, list(actions)] = names.index(name)
    return names, entries, amounts


_NAMES, ENTRIES, AMOUNTS = _dense()
"""ENTRIES, int16 (2, roles, 256): the entry of an item among its speaker's, -1 if none. AMOUNTS, float32 (256,): what
stands in the entry behind it for an item that is a number, from 0 to 1; -1 for any other item."""

N_ENTRIES: Final[int] = len(_NAMES)
"""Dense entries of one speaker."""
SPEECH_SIZE: Final[int] = N_ENTRIES * len(WHO)
"""Dense entries of speech: N_ENTRIES for each speaker, from the viewer on."""
SPEECH_ENTRIES: Final[tuple[str, ...]] = tuple(f"{who}: {name}" for who in WHO for name in _NAMES)
"""What each dense entry says; it is 1 if its item was said, or the number said as a part of the highest."""
SPEECH_MEANING: Final = (
    "latest message of each speaker that says anything, from the viewer on: the suit it was said with, whether in this "
    "trick, each item by its block, numbers as parts of the highest"
)
