"""One seat's view in words: what it may know of one hand, as plain data with absolute seats (docs/design.md)."""

import functools
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from minchiate_rl.game.actions import DECLARE, FIRST_SPEECH, N_VERSICOLE, action_name
from minchiate_rl.game.cards import CODES, FIRST_TRUMP, N_CARDS
from minchiate_rl.game.engine.layout import (
    NO_CARD,
    NO_SUIT,
    NOBODY,
    V_BIDS,
    V_COUNTS,
    V_DECLARED,
    V_DISCARD,
    V_FACTS,
    V_FOLA,
    V_FOLA_PUBLIC,
    V_FORM,
    V_HAND,
    V_KNOWN,
    V_LEGAL,
    V_MARKS,
    V_MATCH,
    V_ORDER,
    V_PAIRS,
    V_PASSED,
    V_PILE,
    V_PLAYED,
    V_ROBBED,
    V_RULES,
    V_SCORE,
    V_SEATS,
    V_SHOWN,
    V_SWITCHES,
    V_TABLE,
    V_TURN,
)
from minchiate_rl.game.engine.score import settle
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import Phase, side_of
from minchiate_rl.views.speech import messages_of

_LETTERS: Final = "CDSBT"
_CHOICES: Final = (None, "use", "stay", "withdraw")
#: The pairs of seats from the viewer on, in the order of the six numbers of V_PAIRS; the fourth place is free.
_PAIRS: Final = {(0, 1): 0, (0, 2): 1, (0, 3): 2, (1, 2): 4, (1, 3): 5, (2, 3): 6}

T = TypeVar("T")


@functools.lru_cache(maxsize=1 << 14)
def _codes_of(w0: int, w1: int) -> tuple[str, ...]:
    number = w0 | (w1 << FIRST_TRUMP)
    return tuple(CODES[card] for card in range(N_CARDS) if number >> card & 1)


def codes_of(w0: int, w1: int) -> list[str]:
    """Return the codes of a set of cards given as two words, sorted by card number."""
    return list(_codes_of(w0, w1))


def _code(card: int) -> str | None:
    return None if card == int(NO_CARD) else CODES[card]


def _count(byte: int) -> int | None:
    return None if byte == int(NO_CARD) else byte


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

    def _numbers(self, column: int) -> list[int]:
        """Return the four signed numbers of 16 bits in a column."""
        word = int(self.words[column]).to_bytes(8, "little")
        return [int.from_bytes(word[k : k + 2], "little", signed=True) for k in range(0, 8, 2)]

    def _cards(self, column: int) -> list[str]:
        return codes_of(int(self.words[column]), int(self.words[column + 1]))

    @property
    def phase(self) -> Phase:
        """The phase of the hand."""
        return Phase(self._bytes(V_TURN)[0])

    def absolute(self, rel_seat: int) -> int | None:
        """Return the absolute seat of one counted from the viewer; None for nobody."""
        return None if rel_seat == int(NOBODY) else (self.seat + rel_seat) % self.rules.n_seats

    def by_seat(self, items: Sequence[T]) -> list[T]:
        """Return a list by seat from the viewer as a list by absolute seat."""
        n_seats = self.rules.n_seats
        return [items[(seat - self.seat) % n_seats] for seat in range(n_seats)]

    def by_side(self, items: Sequence[T]) -> list[T]:
        """Return a list by side from the viewer's on as a list by absolute side."""
        n_sides = self.rules.n_sides
        return [items[(side - self.seat) % n_sides] for side in range(n_sides)]

    def _seats(self, bits: int) -> list[int]:
        """Return the absolute seats, ascending, of a set of seats from the viewer on."""
        n_seats = self.rules.n_seats
        return [seat for seat in range(n_seats) if bits >> (seat - self.seat) % n_seats & 1]

    @property
    def legal(self) -> list[int]:
        """The legal action numbers, sorted; `done` alone for a seat that is not to act."""
        w0, w1, w2, w3 = (int(w) for w in self.words[V_LEGAL : V_LEGAL + 4])
        number = w0 | (w1 << FIRST_TRUMP) | (w2 << N_CARDS) | (w3 << FIRST_SPEECH)
        return [a for a in range(number.bit_length()) if number >> a & 1]

    def to_json(self) -> dict[str, Any]:
        """Return the view as plain data: absolute seats, card codes and action names (docs/design.md)."""
        return {
            "rules": self.rules.name,
            "flags": dict(self.rules.flags),
            "seat": self.seat,
            **self._turn(),
            **self._cards_seen(),
            **self._out_of_play(),
            **self._left_and_bid(),
            **self._deduced(),
            **self._account(),
            "said": messages_of(self.words, self.rules),
            "legal": [action_name(action) for action in self.legal],
        }

    def _turn(self) -> dict[str, Any]:
        phase, to_act, dealer, trick, _, led, winner, opened = self._bytes(V_TURN)
        return {
            "dealer": self.absolute(dealer),
            "phase": Phase(phase).name.lower(),
            "to_act": self.absolute(to_act),
            "trick": trick,
            "table": self._table(),
            "led": None if led == int(NO_SUIT) else _LETTERS[led],
            "winner": self.absolute(winner),
            "opened": [_LETTERS[s] for s in range(4) if opened >> s & 1],
            "past_tricks": [self._past_trick(number) for number in range(trick if self._remembers else 0)],
        }

    @property
    def _remembers(self) -> bool:
        """Whether the viewer remembers which cards were played in which order."""
        return self.rules.memory == "perfect"

    def _past_trick(self, trick: int) -> list[list[Any]]:
        """Return a trick that all have played to, as [seat, code] in order of play."""
        cards = [byte - 1 for byte in self._bytes(V_ORDER + trick // 2)[4 * (trick % 2) :][:4] if byte]
        words, seats = self.words[V_PLAYED : V_PLAYED + 8], range(self.rules.n_seats)
        played = [int(words[2 * r]) | int(words[2 * r + 1]) << FIRST_TRUMP for r in seats]
        return [[self.absolute(r), CODES[card]] for card in cards for r in seats if played[r] >> card & 1]

    def _table(self) -> list[list[Any]]:
        """Return the cards on the table as [seat, code]: own cards in order of play, then those picked."""
        cards, n_seats = self._bytes(V_TABLE)[:4], self.rules.n_seats
        leader, dropped = self._bytes(V_SWITCHES)[7], self._bytes(V_SEATS)[1]
        if leader == int(NOBODY):
            return []
        lying = {seat: cards[(seat - self.seat) % n_seats] for seat in range(n_seats)}
        picked = self._seats(dropped)
        order = [(self.seat + leader + place) % n_seats for place in range(n_seats)]
        order = [seat for seat in order if seat not in picked] + picked
        return [[seat, CODES[lying[seat]]] for seat in order if lying[seat] != int(NO_CARD)]

    def _cards_seen(self) -> dict[str, Any]:
        """Return the cards in hands and in tricks as far as the viewer knows them."""
        seats = range(self.rules.n_seats)
        return {
            "hand": self._cards(V_HAND),
            "played": self.by_seat([self._cards(V_PLAYED + 2 * r) for r in seats]),
            "piles": self.by_side([self._cards(V_PILE + 2 * r) for r in range(self.rules.n_sides)]),
            "shown": self.by_seat([self._cards(V_SHOWN + 2 * r) for r in seats]),
            "turned": self.by_seat([_code(card) for card in self._bytes(V_TABLE)[4:]]),
            "declared": self.by_seat([self._declared(r) for r in seats]),
        }

    def _declared(self, r: int) -> list[str]:
        word = int(self.words[V_DECLARED + r])
        return [action_name(DECLARE + bit) for bit in range(2 * N_VERSICOLE) if word >> bit & 1]

    def _out_of_play(self) -> dict[str, Any]:
        """Return what the viewer knows of robbing, the fola and the discards."""
        facts, counts = self._bytes(V_FACTS), self._bytes(V_COUNTS)
        suits = [_count(byte) for byte in counts[:4]]
        return {
            "robbed": {"cutter": self._cards(V_ROBBED), "dealer": self._cards(V_ROBBED + 2)},
            "taken": self._cards(V_ROBBED + 4),
            "stoppers": [_code(card) for card in facts[3:5]],
            "fola": {
                "size": facts[5],
                "trumps": _count(facts[6]),
                "suits": None if None in suits else suits,
                "public": self._cards(V_FOLA_PUBLIC),
                "known": self._cards(V_FOLA),
            },
            "discarded": facts[:2],
            "revealed": bool(facts[2]),
            "discards": [self._cards(V_DISCARD), self._cards(V_DISCARD + 2)],
            "passed": self._cards(V_PASSED),
            "trumps_discarded": _count(counts[4]),
        }

    def _left_and_bid(self) -> dict[str, Any]:
        """Return who plays no more, and the bids for the fola."""
        withdrawn, dropped, picking, stayed = self._bytes(V_SEATS)[:4]
        *bids, passes, bidder, user, choice = self._bytes(V_BIDS)
        return {
            "withdrawn": self.absolute(withdrawn),
            "stayed": stayed,
            "dropped": self._seats(dropped),
            "picking": self.absolute(picking),
            "bids": self.by_seat([bid * self.rules.bid_step for bid in bids]),
            "bid_passes": self._seats(passes),
            "bidder": self.absolute(bidder),
            "fola_user": self.absolute(user),
            "eldest_choice": _CHOICES[choice],
        }

    def _deduced(self) -> dict[str, Any]:
        """Return what play has shown: voids, kings not held, and the Matto's whereabouts."""
        known, seats = int(self.words[V_KNOWN]), range(self.rules.n_seats)
        *_, played_by, owed_by, paid = self._bytes(V_KNOWN)
        debtor = None if owed_by == int(NOBODY) else side_of(self.seat + owed_by, self.rules.n_sides)
        return {
            "voids": self.by_seat([[_LETTERS[s] for s in range(5) if known >> (5 * r + s) & 1] for r in seats]),
            "no_king": self.by_seat([[_LETTERS[s] for s in range(4) if known >> (20 + 4 * r + s) & 1] for r in seats]),
            "matto": {"played_by": self.absolute(played_by), "owed_by": debtor, "paid": _code(paid)},
        }

    def _account(self) -> dict[str, Any]:
        """Return marks, resti and tricks, and how the episode stands."""
        hand, hands = self._bytes(V_FORM)[:2]
        account = self._for_himself() if self.rules.form.for_himself else self._of_sides()
        return {
            **account,
            "tricks": self.by_side(self._bytes(V_SEATS)[4:]),
            "match": {"hand": hand, "hands": hands, "resti": self.by_seat(self._numbers(V_MATCH))},
        }

    def _of_sides(self) -> dict[str, Any]:
        ours, theirs, lead, _ = self._numbers(V_SCORE)
        return {
            "score": self.by_side([ours, theirs]),
            "lead": lead if side_of(self.seat) == 0 else -lead,
            "resti": self.by_side(self._bytes(V_SCORE)[6:]),
            "pairs": [],
        }

    def _for_himself(self) -> dict[str, Any]:
        numbers, n_seats = [*self._numbers(V_PAIRS), *self._numbers(V_PAIRS + 1)], self.rules.n_seats
        ahead = [[0] * n_seats for _ in range(n_seats)]
        for (r, q), place in _PAIRS.items():
            if q < n_seats:
                i, j = (self.seat + r) % n_seats, (self.seat + q) % n_seats
                ahead[i][j], ahead[j][i] = numbers[place], -numbers[place]
        settled = self.phase == Phase.OVER
        return {
            "score": self.by_seat(self._numbers(V_MARKS)),
            "lead": 0,
            "resti": [sum(int(settle(points, 0, 0)) for points in row) if settled else 0 for row in ahead],
            "pairs": [[i, j, ahead[i][j]] for i in range(n_seats) for j in range(i + 1, n_seats)],
        }
