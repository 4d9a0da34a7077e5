"""What was said, out of hand-made view rows: messages, tokens and dense entries."""

import numpy as np
import pytest

from minchiate_rl.game.actions import parse_action
from minchiate_rl.game.cards import parse_card
from minchiate_rl.game.engine.layout import TRANSCRIPT_WORDS, V_PLAYED, V_RULES, V_SPEECH, V_TABLE, V_TRANSCRIPT
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.views import speech

FULL = RuleSet("piedicavallo", game="piedicavallo", midhand_resti=False, speech="full")


def view_row(viewer, said, on_table=0):
    """Return a view row, uint64 (V_SPEECH,), of [seat, card, items] with the last `on_table` cards on the table.

    The last message ends where its last item is `done`.
    """
    row = np.zeros(V_SPEECH, np.uint64)
    row[V_RULES] = viewer << 56
    text, table = [], [255] * 8
    for k, (seat, code, items) in enumerate(said):
        card, r = parse_card(code), (seat - viewer) % 4
        text += [card, *(parse_action(item) for item in items)]
        if k < len(said) - 1:
            text.append(97)
        if k >= len(said) - on_table:
            table[r] = card
        else:
            row[V_PLAYED + 2 * r + (card >= 56)] |= np.uint64(1 << (card if card < 56 else card - 56))
    row[V_TABLE] = int.from_bytes(bytes(table), "little")
    packed = bytes(text).ljust(8 * TRANSCRIPT_WORDS, b"\0")
    row[V_TRANSCRIPT : V_TRANSCRIPT + TRANSCRIPT_WORDS] = np.frombuffer(packed, "<u8")
    return row


def tokens_of(row):
    """Return the names of the active tokens, sorted."""
    out = np.full(speech.MAX_SPEECH_TOKENS + 1, -1, np.int16)
    n = int(speech.speech_tokens(row[None], 0, 7, out, np.uint64(1)))
    assert out[0] == -1
    return sorted(speech.speech_token_name(int(token) - 7) for token in out[1:n])


def entries_of(row):
    """Return the dense entries that are not 0, by name."""
    out = np.full(speech.SPEECH_SIZE + 2, 5, np.float32)
    speech.encode_speech(row[None], 0, out, np.uint64(1))
    assert out[0] == out[-1] == 5
    return {speech.SPEECH_ENTRIES[k]: round(float(x), 4) for k, x in enumerate(out[1:-1]) if x}


SAID = [
    [1, "CN", ["have K", "total 4", "altro", "void", "altro", "have Q", "pips 2"]],
    [2, "C5", ["lead this", "CK", "sleep altro", "have J", "pips 1"]],
    [3, "T3", ["lead trump", "T17", "more 2", "play", "T20"]],
    [0, "C1", []],
    [3, "T2", []],
    [0, "T4", ["bagatto", "no trumps"]],
    [1, "T5", ["lead trump", "T17", "low"]],
    [2, "S7", ["low", "lead altro", "have Q", "altro", "batto"]],
]


@pytest.mark.parametrize("viewer", range(4))
@pytest.mark.parametrize("on_table", [0, 1, 3])
def test_messages_are_told_with_absolute_seats(viewer, on_table):
    assert speech.messages_of(view_row(viewer, SAID, on_table), FULL) == SAID


def test_nothing_said_and_a_message_just_begun():
    assert speech.messages_of(view_row(2, []), FULL) == []
    assert tokens_of(view_row(2, [])) == []
    assert entries_of(view_row(2, [])) == {}
    begun = [[1, "T4", []]]
    assert speech.messages_of(view_row(2, begun, 1), FULL) == begun
    assert tokens_of(view_row(2, begun, 1)) == []


def test_where_nobody_speaks_there_are_no_messages():
    assert speech.messages_of(np.zeros(V_PLAYED + 80, np.uint64), FULL.replace(speech="off")) == []


def test_an_ended_message_is_read_like_one_on_the_way():
    ended = [[*SAID[0][:2], [*SAID[0][2], "done"]]]
    assert tokens_of(view_row(0, ended, 1)) == tokens_of(view_row(0, SAID[:1], 1))
    assert speech.messages_of(view_row(0, ended, 1), FULL) == SAID[:1]


def test_tokens_tell_speaker_suit_block_and_item():
    assert tokens_of(view_row(0, SAID)) == sorted(
        [
            "next with cups: this have K", "next with cups: this total 4", "next with cups: altro void",
            "next with cups: second altro have Q", "next with cups: second altro pips 2",
            "next with trumps: request lead trump", "next with trumps: lead by T17", "next with trumps: request low",
            "partner with cups: sleep altro have J", "partner with cups: sleep altro pips 1",
            "partner with swords: request low", "partner with swords: request lead altro",
            "partner with swords: lead by Q", "partner with swords: altro batto",
            "previous with trumps: request lead trump", "previous with trumps: this T17",
            "previous with trumps: this more 2", "previous with trumps: request play", "previous with trumps: play T20",
            "me with trumps: this bagatto", "me with trumps: this no trumps",
        ]
    )  # fmt: skip


def test_only_the_latest_message_with_a_suit_counts():
    said = [[1, "CN", ["total 4", "altro", "void"]], [2, "C5", []], [1, "C4", ["total 3"]], [1, "C3", []]]
    assert tokens_of(view_row(1, said)) == ["me with cups: this total 3"]


def test_the_owner_of_a_trump_that_is_named_after_a_lead_is_the_first_to_name_it():
    said = [[1, "T4", ["T18"]], [3, "T5", ["lead trump", "T18"]], [1, "T6", ["lead trump", "T18"]]]
    names = [name for name in tokens_of(view_row(1, said)) if "T18" in name]
    assert names == ["me with trumps: this T18", "partner with trumps: lead by T18"]


def test_entries_hold_the_latest_message_of_each_speaker():
    entries = entries_of(view_row(0, SAID, on_table=1))
    partner = {name: x for name, x in entries.items() if name.startswith("partner")}
    assert partner == {
        "partner: latest with swords": 1, "partner: latest in this trick": 1, "partner: request low": 1,
        "partner: request lead altro": 1, "partner: lead by Q": 1, "partner: altro batto": 1,
    }  # fmt: skip
    previous = {name: x for name, x in entries.items() if name.startswith("previous")}
    assert previous == {
        "previous: latest with trumps": 1, "previous: request lead trump": 1, "previous: this T17 (trumps)": 1,
        "previous: this more": 1, "previous: this more / 14": round(2 / 14, 4), "previous: request play": 1,
        "previous: play T20 (trumps)": 1,
    }  # fmt: skip


def test_numbers_stand_behind_the_entry_that_says_them():
    said = [[2, "D3", ["pips 3", "total 0", "altro", "pips 6", "total 10", "sleep this", "pips 2"]]]
    entries = entries_of(view_row(3, said))
    assert entries["previous: this pips"] == 1
    assert entries["previous: this pips / 6"] == 0.5
    assert entries["previous: this total"] == 1
    assert "previous: this total / 10" not in entries
    assert entries["previous: altro pips / 6"] == entries["previous: altro total / 10"] == 1
    assert entries["previous: sleep this pips / 6"] == round(2 / 6, 4)


def test_the_vocabulary_has_a_name_for_every_token_and_entry():
    names = {speech.speech_token_name(token) for token in range(speech.N_SPEECH_TOKENS)}
    assert len(names) == speech.N_SPEECH_TOKENS
    assert len(set(speech.SPEECH_ENTRIES)) == speech.SPEECH_SIZE <= 600
