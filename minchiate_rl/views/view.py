"""What a seat may know: packed views in batches, one view in words, and the critic's states.

All of it is read out of the rows that `game.engine.observe` writes; nothing here looks at a hand.
"""

import functools
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.game.actions import DECLARE, FIRST_SPEECH, action_name
from minchiate_rl.game.cards import CODES, FIRST_TRUMP, N_CARDS
from minchiate_rl.game.engine.batch import output
from minchiate_rl.game.engine.expand import encode_mask_slice
from minchiate_rl.game.engine.layout import (
    NO_CARD,
    NO_SUIT,
    NOBODY,
    V_DECLARED,
    V_DISCARD,
    V_FACTS,
    V_FOLA,
    V_FOLA_PUBLIC,
    V_HAND,
    V_KNOWN,
    V_LEGAL,
    V_PILE,
    V_PLAYED,
    V_ROBBED,
    V_RULES,
    V_SCORE,
    V_SHOWN,
    V_TABLE,
    V_TURN,
)
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import N_SEATS, N_SIDES, Phase
from minchiate_rl.views import encoding

_LETTERS: Final = "CDSBT"
_N_DECLARATIONS: Final = 34


@functools.lru_cache(maxsize=1 << 14)
def _codes_of(w0: int, w1: int) -> tuple[str, ...]:
    number = w0 | (w1 << FIRST_TRUMP)
    return tuple(CODES[card] for card in range(N_CARDS) if number >> card & 1)


def codes_of(w0: int, w1: int) -> list[str]:
    """Return the codes of a set of cards given as two words, sorted by card number."""
    return list(_codes_of(w0, w1))


class View:
    """What one seat may know of one hand. Made by `Batch.view` or by indexing `Views`."""

    def __init__(self, words: npt.NDArray[np.uint64], rules: RuleSet) -> None:
        self.words = words
        """The packed view, uint64 (V,); the columns are in game/engine/layout.py."""
        self.rules = rules
        self.seat = int(words[V_RULES]) >> 56
        """The viewer's seat, absolute."""

    def _bytes(self, column: int) -> list[int]:
        return list(int(self.words[column]).to_bytes(8, "little"))

    def _cards(self, column: int) -> list[str]:
        return codes_of(int(self.words[column]), int(self.words[column + 1]))

    @property
    def phase(self) -> Phase:
        """The phase of the hand."""
        return Phase(self._bytes(V_TURN)[0])

    def absolute(self, rel_seat: int) -> int | None:
        """Return the absolute seat of one counted from the viewer; None for nobody."""
        return None if rel_seat == int(NOBODY) else (self.seat + rel_seat) % N_SEATS

    def by_seat(self, items: list[Any]) -> list[Any]:
        """Return a list by seat from the viewer as a list by absolute seat."""
        return [items[(seat - self.seat) % N_SEATS] for seat in range(N_SEATS)]

    def by_side(self, ours: Any, theirs: Any) -> list[Any]:
        """Return a pair (ours, theirs) by absolute side."""
        return [ours, theirs] if self.seat % N_SIDES == 0 else [theirs, ours]

    @property
    def legal(self) -> list[int]:
        """The legal action numbers, sorted; `done` alone for a seat that is not to act."""
        w0, w1, w2, w3 = (int(w) for w in self.words[V_LEGAL : V_LEGAL + 4])
        number = w0 | (w1 << FIRST_TRUMP) | (w2 << N_CARDS) | (w3 << FIRST_SPEECH)
        return [a for a in range(number.bit_length()) if number >> a & 1]

    def to_json(self) -> dict[str, Any]:
        """Return the view as plain data: absolute seats, card codes and action names (docs/design.md)."""
        phase, to_act, dealer, trick, _, led, winner, opened = self._bytes(V_TURN)
        facts, score = self._bytes(V_FACTS), int(self.words[V_SCORE])
        counts = self._bytes(V_RULES)
        lead = score >> 32 & 0xFFFF
        lead -= (lead & 0x8000) << 1
        return {
            "rules": self.rules.name,
            "flags": dict(self.rules.flags),
            "seat": self.seat,
            "dealer": self.absolute(dealer),
            "phase": Phase(phase).name.lower(),
            "to_act": self.absolute(to_act),
            "trick": trick,
            "hand": self._cards(V_HAND),
            "table": self._table(),
            "led": None if led == int(NO_SUIT) else _LETTERS[led],
            "winner": self.absolute(winner),
            "opened": [_LETTERS[s] for s in range(4) if opened >> s & 1],
            "played": self.by_seat([self._cards(V_PLAYED + 2 * r) for r in range(N_SEATS)]),
            "piles": self.by_side(self._cards(V_PILE), self._cards(V_PILE + 2)),
            "shown": self.by_seat([self._cards(V_SHOWN + 2 * r) for r in range(N_SEATS)]),
            "turned": self.by_seat([_code(card) for card in self._bytes(V_TABLE)[4:]]),
            "robbed": {"cutter": self._cards(V_ROBBED), "dealer": self._cards(V_ROBBED + 2)},
            "taken": self._cards(V_ROBBED + 4),
            "stoppers": [_code(card) for card in facts[3:5]],
            "fola": {
                "size": facts[5],
                "trumps": facts[6],
                "public": self._cards(V_FOLA_PUBLIC),
                "known": self._cards(V_FOLA),
            },
            "discarded": facts[:2],
            "revealed": bool(facts[2]),
            "discards": [self._cards(V_DISCARD), self._cards(V_DISCARD + 2)],
            "declared": self.by_seat([self._declared(r) for r in range(N_SEATS)]),
            **self._deduced(),
            "score": self.by_side(score & 0xFFFF, score >> 16 & 0xFFFF),
            "lead": lead if self.seat % N_SIDES == 0 else -lead,
            "resti": self.by_side(score >> 48 & 0xFF, score >> 56),
            "tricks": self.by_side(counts[0], counts[1]),
            "legal": [action_name(action) for action in self.legal],
        }

    def _table(self) -> list[list[Any]]:
        """Return the cards on the table as [seat, code] in order of play."""
        _, to_act, _, _, count, *_ = self._bytes(V_TURN)
        cards = self._bytes(V_TABLE)[:4]
        phase = self.phase
        # While the others declare after the lead, the seat to act is not the next to play.
        on_table = [r for r in range(N_SEATS) if cards[r] != int(NO_CARD)]
        if not on_table:
            return []
        first = on_table[0] if phase == Phase.DECLARE else (to_act - count) % N_SEATS
        order = [(first + n) % N_SEATS for n in range(count)]
        return [[self.absolute(r), CODES[cards[r]]] for r in order]

    def _declared(self, r: int) -> list[str]:
        word = int(self.words[V_DECLARED + r])
        return [action_name(DECLARE + bit) for bit in range(_N_DECLARATIONS) if word >> bit & 1]

    def _deduced(self) -> dict[str, Any]:
        """Return what play has shown: voids, kings not held, and the Matto's whereabouts."""
        known = int(self.words[V_KNOWN])
        *_, played_by, owed_by, paid = self._bytes(V_KNOWN)
        voids = [[_LETTERS[s] for s in range(5) if known >> (5 * r + s) & 1] for r in range(N_SEATS)]
        kings = [[_LETTERS[s] for s in range(4) if known >> (20 + 4 * r + s) & 1] for r in range(N_SEATS)]
        debtor = None if owed_by == int(NOBODY) else (self.seat + owed_by) % N_SIDES
        return {
            "voids": self.by_seat(voids),
            "no_king": self.by_seat(kings),
            "matto": {"played_by": self.absolute(played_by), "owed_by": debtor, "paid": _code(paid)},
        }


def _code(card: int) -> str | None:
    return None if card == int(NO_CARD) else CODES[card]


class Views:
    """The views of many seats, one a row: what agents are given to decide on.

    `words` is uint64 (M, V); its columns are named in game/engine/layout.py.
    """

    def __init__(self, words: npt.NDArray[np.uint64], rules: RuleSet) -> None:
        self.words = words
        self.rules = rules

    def __len__(self) -> int:
        """Return M, the number of views."""
        return len(self.words)

    def __getitem__(self, i: int) -> View:
        """Return one view."""
        return View(self.words[i], self.rules)

    def __iter__(self) -> Iterator[View]:
        """Iterate over the views, one by one."""
        return (self[i] for i in range(len(self)))

    def encode(self, out: npt.NDArray[np.float32] | None = None) -> npt.NDArray[np.float32]:
        """Return the dense observations, float32 (M, OBSERVATION_SIZE), -1 to 1; `encoding.SLICES` names the parts."""
        out = output(out, (len(self), encoding.OBSERVATION_SIZE), np.float32)
        encoding.encode_dense_slice(self.words, out, 0, len(self))
        return out

    def tokens(self, out: npt.NDArray[np.int16] | None = None) -> npt.NDArray[np.int16]:
        """Return the active features as token numbers, int16 (M, MAX_TOKENS), packed left and padded with 0."""
        out = output(out, (len(self), encoding.MAX_TOKENS), np.int16)
        encoding.encode_tokens_slice(self.words, out, 0, len(self))
        return out

    def legal_mask(self, out: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool (M, num_actions); `done` alone for a seat that is not to act."""
        out = output(out, (len(self), self.rules.num_actions), np.bool_)
        encode_mask_slice(self.words, V_LEGAL, out.view(np.int8), 0, len(self))
        return out


class States:
    """Views with the truth about the hidden cards beside them: the input of critics, never of policies.

    It is not a `Views`, and no agent takes it. `words` is uint64 (M, S).
    """

    def __init__(self, words: npt.NDArray[np.uint64], rules: RuleSet) -> None:
        self.words = words
        self.rules = rules

    def __len__(self) -> int:
        """Return M, the number of states."""
        return len(self.words)

    def tokens(self, out: npt.NDArray[np.int16] | None = None) -> npt.NDArray[np.int16]:
        """Return the active features as token numbers, int16 (M, MAX_STATE_TOKENS), packed left and padded with 0."""
        out = output(out, (len(self), encoding.MAX_STATE_TOKENS), np.int16)
        encoding.encode_state_tokens_slice(self.words, out, 0, len(self))
        return out

    def encode(self) -> npt.NDArray[np.float32]:
        """Return the dense form, float32 (M, STATE_SIZE): the observation, then the hidden cards.

        One plane of 97 each: the true hands of the next seat, the partner and the previous seat, the fola, and the
        discards of the cutter and of the dealer.
        """
        dense = np.empty((len(self), encoding.STATE_SIZE), dtype=np.float32)
        encoding.encode_state_slice(self.words, dense, 0, len(self))
        return dense
