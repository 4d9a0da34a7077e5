"""The layout of the dense observation: every slice of the vector with its name and its meaning.

Seats count from the viewer (r = 0 viewer, 1 next, 2 partner, 3 previous), sides are ours and theirs. Tables of two and
three seats use the first places. One layout serves every game; where players speak, what they say follows.
The functions of dense.py under @kernel take the places from here.
"""

from typing import Final

from minchiate_rl.game.actions import N_VERSICOLE, VERSICOLA_NAMES
from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, N_CARDS, card_name
from minchiate_rl.game.engine.layout import SWITCH_BITS
from minchiate_rl.game.rules import RuleSet
from minchiate_rl.game.seats import Phase
from minchiate_rl.views.economics import N_SLOTS, SLOT_CARDS
from minchiate_rl.views.spoken import SPEECH_MEANING, SPEECH_SIZE

#: Grows whenever an entry of the vector changes its place or its meaning.
OBSERVATION_VERSION: Final = 2

#: The 33 cards that can be robbed, in the order of the slice "robbed".
ROBBED_CARDS: Final = (13, 27, 41, 55, *(FIRST_TRUMP + n - 1 for n in (1, 2, 3, 4, 5, 10, 13, *range(20, 41))), MATTO)

#: The seats from the viewer on, as they are named at a table of four.
WHO: Final = ("me", "next", "partner", "previous")
#: The switches of every form but those of speech, which a rule set fixes with the size of the vector.
N_SWITCHES: Final = 13

_BLOCK: Final = "cups, coins, swords, batons, trump, matto, then strength (0 to 1); zeros if none"
_CARDS: Final = "one entry a card, C10 to M"

_LAYOUT: Final[tuple[tuple[str, int, str], ...]] = (
    ("hand", N_CARDS, f"own hand; {_CARDS}"),
    ("played_me", N_CARDS, f"cards of earlier tricks that the viewer played; {_CARDS}"),
    ("played_next", N_CARDS, f"cards of earlier tricks that the next seat played; {_CARDS}"),
    ("played_partner", N_CARDS, f"cards of earlier tricks that the partner played; {_CARDS}"),
    ("played_previous", N_CARDS, f"cards of earlier tricks that the previous seat played; {_CARDS}"),
    (
        "captured",
        N_CARDS,
        "1 in our trick pile, -1 in theirs; where everybody plays for himself -1 in that of the next seat, -0.5 and "
        f"-0.25 in those of the seats after it; {_CARDS}",
    ),
    ("shown_me", N_CARDS, f"own cards that all have seen; {_CARDS}"),
    ("shown_next", N_CARDS, f"cards known to be in the next seat's hand; {_CARDS}"),
    ("shown_partner", N_CARDS, f"cards known to be in the partner's hand; {_CARDS}"),
    ("shown_previous", N_CARDS, f"cards known to be in the previous seat's hand; {_CARDS}"),
    (
        "out_of_play",
        N_CARDS,
        f"1 fola seen by all, 0.75 fola seen by who sorted it, 0.5 our discards, 0.25 those of others; {_CARDS}",
    ),
    ("unseen", N_CARDS, f"cards of the pack whose place the viewer does not know; {_CARDS}"),
    (
        "robbed",
        len(ROBBED_CARDS),
        "1 robbed by the cutter, -1 robbed and -0.5 taken by the dealer; kings, T1 to T5, T10, T13, T20 to T40, M",
    ),
    *(
        (f"declared_{who}", N_VERSICOLE, f"1 declared with the Matto, 0.5 without; {', '.join(VERSICOLA_NAMES)}")
        for who in WHO
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
    ("capture_them", N_SLOTS, "the same for them, or for the one of the others whom it helps most"),
    *((f"table_{who}", 7, f"card on the table: {_BLOCK}") for who in WHO),
    (
        "turned",
        4,
        "card turned up of each seat: a suit card its strength / 2, a trump 1/2 + n / 80, Matto -1; 0 if none",
    ),
    ("led", 5, "suit led: cups, coins, swords, batons, trumps; zeros if none"),
    ("winner", 4, "seat that holds the trick so far, from the viewer on; zeros if none"),
    ("phase", 9, ", ".join(phase.name.lower() for phase in Phase)),
    ("to_act", 4, "seat to act, from the viewer on; zeros if none"),
    ("dealer", 4, "dealer, from the viewer on"),
    ("matto_played", 4, "seat that played the Matto, from the viewer on; zeros if none"),
    ("matto_owed", 4, "a card is owed for the Matto by: us, them; for himself by each seat from the viewer on"),
    ("matto_paid", 1, "a card was paid for the Matto: (its value + 1) / 11"),
    ("trick", 1, "finished tricks / 25"),
    ("tricks_won", 4, "tricks won / 25: ours, theirs; for himself each seat from the viewer on"),
    (
        "ahead",
        6,
        "our lead since the last resto / 60; for himself how far me is ahead of next, partner, previous, then "
        "next of partner, next of previous, partner of previous, all / 60",
    ),
    ("score", 4, "marks / 500: ours, theirs; for himself each seat from the viewer on"),
    ("resti", 2, "resti received / 8: ours, theirs; for himself the settlement of me, of next"),
    ("n_discards", 2, "cards that the cutter (or the fola's user), the dealer discards in all / 13"),
    ("to_discard", 1, "cards that the seat to act has still to discard / 13"),
    ("revealed", 1, "1 once the discards have been turned up"),
    ("fola", 2, "size of the fola / 13; trumps in it / 13, -1 if nobody tells"),
    ("fola_suits", 4, "cups, coins, swords, batons in the fola as announced / 13, -1 if nobody tells"),
    ("trumps_discarded", 1, "trumps that the dealer has announced to have discarded (Piedicavallo): (n + 1) / 3"),
    ("stoppers", 2, "strength of the card that stopped the cutter's, the dealer's robbing (0 to 1); 0 if none"),
    ("out", 4, "seats that play no card of their own any more, from the viewer on: 1 withdrawn, 0.5 hand dropped"),
    ("answered", 1, "seats that have answered whether they withdraw / 4"),
    ("bids", 4, "last bid of each seat from the viewer on / 200; -1 for who has passed"),
    ("eldest_choice", 1, "1 the eldest uses the fola, 0.5 he stays without it"),
    ("match_resti", 4, "resti of each seat from earlier hands of the episode / 24"),
    ("match_hand", 2, "hands of the episode before this one / 12; hands of the episode / 12"),
    (
        "rules",
        7,
        "demonio, take_29 if_usable, take_29 never, rob_failure_resto, all_tricks (1 double_final, 0.5 fourteen), "
        "memory own_tricks, memory table",
    ),
    ("switches", N_SWITCHES, ", ".join(SWITCH_BITS[:N_SWITCHES])),
    (
        "amounts",
        5,
        "diecine_vergognose / 50, aria_bonus / 50, withdraw_fee / 200, withdraw_step / 60, girata_bonus / 60",
    ),
    ("form", 3, "size of the hand / 25, seats / 4, everybody for himself (0.5 where the fola is for sale)"),
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
"""The number of entries of the vector where nobody speaks."""


def slices_of(rules: RuleSet) -> dict[str, tuple[int, int, str]]:
    """Return the layout of a rule set's vector: `SLICES`, and where players speak also the slice `speech`."""
    if not rules.speaks:
        return SLICES
    return {**SLICES, "speech": (OBSERVATION_SIZE, OBSERVATION_SIZE + SPEECH_SIZE, SPEECH_MEANING)}


def observation_size(rules: RuleSet) -> int:
    """Return the number of entries of a rule set's vector."""
    return OBSERVATION_SIZE + (SPEECH_SIZE if rules.speaks else 0)
