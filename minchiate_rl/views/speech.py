"""What has been said, read out of a view's transcript: messages as data, tokens for networks, a dense slice.

The transcript holds for each card played its number, the items said with it in order, and 97; it ends with the first
byte 0. Networks hear, of each speaker, the latest message with each suit and with trumps; requests, which are about
what is played next, of his very latest message alone. Messages that say nothing are passed over.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.game.actions import (
    ASK_FARLO,
    ASK_LEAD_TRUMP,
    ASK_PLAY,
    DONE,
    SAY_ALTRO,
    SAY_SLEEP_ALTRO,
    SAY_SLEEP_THIS,
    action_name,
)
from minchiate_rl.game.cards import CODES, FIRST_TRUMP, N_CARDS, SUIT_SIZE
from minchiate_rl.game.engine.bits import ONE, ZERO, U, leading_zeros
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import TRANSCRIPT_WORDS, V_PLAYED, V_RULES, V_TABLE, V_TRANSCRIPT
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import N_SEATS
from minchiate_rl.views.spoken import (
    ALTRO,
    AMOUNTS,
    ENTRIES,
    LEAD_BY,
    MAX_SPEECH_TOKENS,
    N_BY_SPEAKER,
    N_ENTRIES,
    N_IN_SUIT,
    N_SPEECH_TOKENS,
    PLAY,
    REQUEST,
    SECOND_ALTRO,
    SLEEP_ALTRO,
    SLEEP_THIS,
    SLOTS,
    SPEECH_ENTRIES,
    SPEECH_MEANING,
    SPEECH_SIZE,
    THIS,
    speech_token_name,
)

__all__ = [
    "messages_of",
    "byte_at",
    "speaker_of",
    "speech_tokens",
    "N_SPEECH_TOKENS",
    "MAX_SPEECH_TOKENS",
    "speech_token_name",
    "encode_speech",
    "SPEECH_SIZE",
    "SPEECH_ENTRIES",
    "SPEECH_MEANING",
]

_DONE: Final = int(DONE)
_N_CARDS: Final = N_CARDS
_FIRST_TRUMP: Final = FIRST_TRUMP
_SUIT_SIZE: Final = SUIT_SIZE
_TRUMPS: Final = 4
_TRICK_ENTRY: Final = 5
_BYTE: Final = np.uint64(0xFF)


def messages_of(words: npt.NDArray[np.uint64], rules: RuleSet) -> list[list[Any]]:
    """Return what has been said: [absolute seat, card code, [names of items]] for each card played, in order.

    Args:
        words: one view row or state row, uint64 (V_SPEECH,).
        rules: the rule set; where players do not speak the list is empty.
    """
    if not rules.speaks:
        return []
    viewer = int(words[V_RULES]) >> 56
    transcript = words[V_TRANSCRIPT : V_TRANSCRIPT + TRANSCRIPT_WORDS].astype("<u8").tobytes().rstrip(b"\0")
    messages = []
    for message in transcript.split(bytes([_DONE])):
        if message:
            seat = (viewer + int(speaker_of(words[None], 0, message[0]))) % N_SEATS
            messages.append([seat, CODES[message[0]], [action_name(item) for item in message[1:]]])
    return messages


@kernel
def byte_at(views, j, k):  # type: ignore[no-untyped-def]
    """Return byte k (int64) of the transcript as an int64."""
    return np.int64((views[j, V_TRANSCRIPT + (k >> 3)] >> U(8 * (k & 7))) & _BYTE)


@kernel
def _length(views, j):  # type: ignore[no-untyped-def]
    """Return the number of bytes in the transcript."""
    low, high = 0, TRANSCRIPT_WORDS
    while low < high:
        middle = (low + high) >> 1
        if views[j, V_TRANSCRIPT + middle] == ZERO:
            high = middle
        else:
            low = middle + 1
    if low == 0:
        return 0
    return 8 * low - (np.int64(leading_zeros(views[j, V_TRANSCRIPT + low - 1])) >> 3)


@kernel
def _on_table(views, j, card):  # type: ignore[no-untyped-def]
    """Return the seat, from the viewer on, whose card (int64) lies on the table; 4 if it does not lie there."""
    for r in range(4):
        if np.int64((views[j, V_TABLE] >> U(8 * r)) & _BYTE) == card:
            return r
    return 4


@kernel
def speaker_of(views, j, card):  # type: ignore[no-untyped-def]
    """Return the seat, from the viewer on, that played a card (int64)."""
    column, place = (V_PLAYED, card) if card < _FIRST_TRUMP else (V_PLAYED + 1, card - _FIRST_TRUMP)
    for r in range(4):
        if (views[j, column + 2 * r] >> U(place)) & ONE != ZERO:
            return r
    return _on_table(views, j, card)


@kernel
def _named_first_by(views, j, card):  # type: ignore[no-untyped-def]
    """Return the seat, from the viewer on, that first named a trump (int64): it is his own."""
    k, played, before = 0, 0, _DONE
    while True:
        byte = byte_at(views, j, k)
        if before == _DONE:
            played = byte
        elif byte == card and before != ASK_PLAY:
            return speaker_of(views, j, played)
        before = byte
        k += 1


@kernel
def _role_of(views, j, item, before, role, speaker, of_trumps):  # type: ignore[no-untyped-def]
    """Return the role of an item (int64), of which the item before and its role are given."""
    if before == ASK_PLAY:
        return PLAY
    if item >= ASK_FARLO:
        return REQUEST
    if item == SAY_ALTRO:
        return ALTRO
    if item == SAY_SLEEP_THIS:
        return SLEEP_THIS
    if item == SAY_SLEEP_ALTRO:
        return SLEEP_ALTRO
    if not of_trumps:
        # No fact follows a request before another block is opened.
        return LEAD_BY if before >= ASK_LEAD_TRUMP else role
    if before == ASK_LEAD_TRUMP and item < _N_CARDS - 1 and _named_first_by(views, j, item) != speaker:
        return LEAD_BY
    return THIS


@kernel
def _next_role(views, j, item, before, so_far, speaker, of_trumps):  # type: ignore[no-untyped-def]
    """Return the role of an item (int64), and how many altro blocks there are with it; `so_far` is both before it."""
    role, altri = so_far
    role = _role_of(views, j, item, before, role, speaker, of_trumps)
    if item == SAY_ALTRO:
        return SECOND_ALTRO if altri == 1 else ALTRO, altri + 1
    return role, altri


@kernel
def _next_message(views, j, end):  # type: ignore[no-untyped-def]
    """Return where the last message of the first `end` bytes begins, and where its items end."""
    stop = end - 1 if byte_at(views, j, end - 1) == _DONE else end
    start = stop - 1
    while start > 0 and byte_at(views, j, start - 1) != _DONE:
        start -= 1
    return start, stop


@kernel
def _mode_of(card):  # type: ignore[no-untyped-def]
    """Return the plain suit of a card (int64), or 4 for a trump and the Matto."""
    return min(card // _SUIT_SIZE, _TRUMPS)


@kernel
def speech_tokens(views, j, first_token, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens of what was said, first_token + 0 to N_SPEECH_TOKENS - 1; return the new length (uint64).

    Row j of `views` has the columns of games with speech; `row` has room for MAX_SPEECH_TOKENS more.
    """
    end = _length(views, j)
    heard, heard_at_all = ZERO, ZERO
    while end > 0:
        start, stop = _next_message(views, j, end)
        end = start
        if stop - start < 2:
            continue
        card = byte_at(views, j, start)
        speaker, mode = speaker_of(views, j, card), _mode_of(card)
        bit = ONE << U(5 * speaker + mode)
        if heard & bit != ZERO:
            continue
        last = heard_at_all & (ONE << U(speaker)) == ZERO
        heard |= bit
        heard_at_all |= ONE << U(speaker)
        n = _message_tokens(views, j, start, stop, first_token, last, row, n)
    return n


@kernel
def _message_tokens(views, j, start, stop, first_token, last, row, n):  # type: ignore[no-untyped-def]
    """Append the tokens of one message, its requests only if it is the `last` of its speaker; return the new length."""
    card = byte_at(views, j, start)
    speaker, mode = speaker_of(views, j, card), _mode_of(card)
    kind = np.int64(mode == _TRUMPS)
    first_token += N_BY_SPEAKER * speaker + N_IN_SUIT * mode
    role, before, altri = THIS, card, 0
    for k in range(start + 1, stop):
        item = byte_at(views, j, k)
        role, altri = _next_role(views, j, item, before, (role, altri), speaker, kind == 1)
        before = item
        slot = np.int64(SLOTS[kind, role, item])
        if slot >= 0 and (last or role < REQUEST):
            row[n] = first_token + slot
            n += ONE
    return n


@kernel
def encode_speech(views, j, row, at):  # type: ignore[no-untyped-def]
    """Write what was said to row[at : at + SPEECH_SIZE], float32; `at` is unsigned, SPEECH_ENTRIES names them."""
    for k in range(SPEECH_SIZE):
        row[at + U(k)] = np.float32(0)
    end = _length(views, j)
    heard = ZERO
    while end > 0 and heard != U(15):
        start, stop = _next_message(views, j, end)
        end = start
        if stop - start < 2:
            continue
        card = byte_at(views, j, start)
        speaker = speaker_of(views, j, card)
        if heard & (ONE << U(speaker)) != ZERO:
            continue
        heard |= ONE << U(speaker)
        _encode_message(views, j, start, stop, row, at + U(N_ENTRIES * speaker))


@kernel
def _encode_message(views, j, start, stop, row, at):  # type: ignore[no-untyped-def]
    """Write the entries of one message from row[at] on."""
    card = byte_at(views, j, start)
    speaker, mode = speaker_of(views, j, card), _mode_of(card)
    kind = np.int64(mode == _TRUMPS)
    row[at + U(mode)] = np.float32(1)
    row[at + U(_TRICK_ENTRY)] = np.float32(_on_table(views, j, card) < 4)
    role, before, altri = THIS, card, 0
    for k in range(start + 1, stop):
        item = byte_at(views, j, k)
        role, altri = _next_role(views, j, item, before, (role, altri), speaker, kind == 1)
        before = item
        entry = np.int64(ENTRIES[kind, role, item])
        if entry >= 0:
            row[at + U(entry)] = np.float32(1)
            if AMOUNTS[item] >= np.float32(0):
                row[at + U(entry + 1)] = AMOUNTS[item]
