"""The layout of the dense observation: every slice of the vector with its name and its meaning.

Seats count from the viewer (r = 0 viewer, 1 next, 2 partner, 3 previous), sides are ours and theirs.
The functions of dense.py under @kernel take the places from here.
"""

from typing import Final

from minchiate_rl.game.actions import N_VERSICOLE, VERSICOLA_NAMES
from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, N_CARDS, card_name
from minchiate_rl.views.economics import N_SLOTS, SLOT_CARDS

#: Grows whenever an entry of the vector changes its place or its meaning.
OBSERVATION_VERSION: Final = 1

#: The 33 cards that can be robbed, in the order of the slice "robbed".
ROBBED_CARDS: Final = (13, 27, 41, 55, *(FIRST_TRUMP + n - 1 for n in (1, 2, 3, 4, 5, 10, 13, *range(20, 41))), MATTO)

_BLOCK: Final = "cups, coins, swords, batons, trump, matto, then strength (0 to 1) and value / 10; zeros if none"
_CARDS: Final = "one entry a card, C10 to M"

_LAYOUT: Final[tuple[tuple[str, int, str], ...]] = (
    ("hand", N_CARDS, f"own hand; {_CARDS}"),
    ("played_me", N_CARDS, f"cards of earlier tricks that the viewer played; {_CARDS}"),
    ("played_next", N_CARDS, f"cards of earlier tricks that the next seat played; {_CARDS}"),
    ("played_partner", N_CARDS, f"cards of earlier tricks that the partner played; {_CARDS}"),
    ("played_previous", N_CARDS, f"cards of earlier tricks that the previous seat played; {_CARDS}"),
    ("captured", N_CARDS, f"1 in our trick pile, -1 in theirs; {_CARDS}"),
    ("shown_me", N_CARDS, f"own cards that all have seen; {_CARDS}"),
    ("shown_next", N_CARDS, f"cards known to be in the next seat's hand; {_CARDS}"),
    ("shown_partner", N_CARDS, f"cards known to be in the partner's hand; {_CARDS}"),
    ("shown_previous", N_CARDS, f"cards known to be in the previous seat's hand; {_CARDS}"),
    (
        "out_of_play",
        N_CARDS,
        f"1 fola seen by all, 0.75 fola seen by the dealer's side, 0.5 our discards, 0.25 their discards; {_CARDS}",
    ),
    ("unseen", N_CARDS, f"cards whose place the viewer does not know; {_CARDS}"),
    (
        "robbed",
        len(ROBBED_CARDS),
        "1 robbed by the cutter, -1 robbed and -0.5 taken by the dealer; kings, T1 to T5, T10, T13, T20 to T40, M",
    ),
    *(
        (f"declared_{who}", N_VERSICOLE, f"1 declared with the Matto, 0.5 without; {', '.join(VERSICOLA_NAMES)}")
        for who in ("me", "next", "partner", "previous")
    ),
    ("voids", 20, "suits known not to be held, 5 a seat from the viewer on: cups, coins, swords, batons, trumps"),
    ("no_king", 16, "kings known not to be held, 4 a seat from the viewer on: cups, coins, swords, batons"),
    ("opened", 4, "plain suits that a finished trick was led in: cups, coins, swords, batons"),
    (
        "capture_us",
        N_SLOTS,
        "what capturing it is worth to us now, card and versicole, / 50, at most 1; 0 once in a pile or out of play; "
        + ", ".join(map(card_name, SLOT_CARDS)),
    ),
    ("capture_them", N_SLOTS, "the same for them"),
    *((f"table_{who}", 8, f"card on the table: {_BLOCK}") for who in ("me", "next", "partner", "previous")),
    *((f"turned_{who}", 8, f"card turned up at the deal: {_BLOCK}") for who in ("me", "next", "partner", "previous")),
    ("led", 5, "suit led: cups, coins, swords, batons, trumps; zeros if none"),
    ("winner", 4, "seat that holds the trick so far, from the viewer on; zeros if none"),
    ("position", 4, "cards on the table: 0, 1, 2, 3"),
    ("phase", 4, "discard, declare, play, over"),
    ("to_act", 4, "seat to act, from the viewer on; zeros if none"),
    ("dealer", 4, "dealer, from the viewer on"),
    ("matto_played", 4, "seat that played the Matto, from the viewer on; zeros if none"),
    ("matto_owed", 2, "a card is owed for the Matto: by us, by them"),
    ("matto_paid", 2, "a card was paid for the Matto; its value / 10"),
    ("trick", 1, "finished tricks / 25"),
    ("tricks_won", 2, "tricks won / 25: ours, theirs"),
    ("lead", 1, "our lead since the last resto / 60"),
    ("score", 2, "marks / 500: ours, theirs"),
    ("resti", 2, "resti received / 8: ours, theirs"),
    ("n_discards", 2, "cards that the cutter, the dealer discards in all / 13"),
    ("to_discard", 1, "cards that the seat to act has still to discard / 13"),
    ("revealed", 1, "1 once the discards have been turned up"),
    ("fola", 2, "size of the fola / 13; trumps in it / 13"),
    ("stoppers", 2, "strength of the card that stopped the cutter's, the dealer's robbing (0 to 1); 0 if none"),
    (
        "rules",
        7,
        "demonio, take_29 if_usable, take_29 never, rob_failure_resto, all_tricks double_final, memory own_tricks, "
        "memory table",
    ),
)


def _slices() -> dict[str, tuple[int, int, str]]:
    slices, start = {}, 0
    for name, size, meaning in _LAYOUT:
        slices[name] = (start, start + size, meaning)
        start += size
    return slices


SLICES: Final[dict[str, tuple[int, int, str]]] = _slices()
"""The layout of the vector: name -> (start, stop, meaning), in ascending order and without gaps."""

OBSERVATION_SIZE: Final[int] = sum(size for _, size, _ in _LAYOUT)
"""The number of entries of the vector."""
