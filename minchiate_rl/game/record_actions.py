"""The actions of a record: `[seat, kind, argument]` as numbers, and back (docs/records.md)."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from minchiate_rl.errors import RecordError
from minchiate_rl.game.actions import (
    BID,
    DECLARE,
    DECLARE_WITH_MATTO,
    DEL_MATTO,
    DONE,
    DROP,
    SPEECH_NAMES,
    USE_FOLA,
    WITHDRAW,
    action_name,
)
from minchiate_rl.game.cards import CODES, MATTO, Card, card_name
from minchiate_rl.game.lawbook import versicole_of
from minchiate_rl.game.record_fields import card_of, list_of, refusal, shown, whole
from minchiate_rl.game.seats import N_SEATS

#: Kinds without an argument (null), and their actions.
_BARE: Final = {"drop": DROP, "withdraw": WITHDRAW, "use_fola": USE_FOLA, "stay": DONE}
_ITEMS: Final[dict[str, int]] = {name: item for item, name in SPEECH_NAMES.items()} | {
    code: card for card, code in enumerate(CODES)
}
MAX_BID: Final = 500


class Move(NamedTuple):
    """One recorded action."""

    seat: int
    kind: str
    action: int
    """Its action number."""
    cards: frozenset[Card] = frozenset()
    """The card, or the cards shown."""
    number: int = 0
    """The seat whose dropped hand is picked from, or the points bid; 0 for other kinds."""


def parse_declaration(cards: Sequence[int]) -> int:
    """Return the action that declares a versicola by showing these cards, in any order.

    Raises:
        RecordError: the cards are not one whole versicola of any rule set, with or without the Matto.
    """
    held = set(cards)
    for with_matto in (False, True):
        if with_matto and MATTO not in held:
            continue
        rest = held - {MATTO} if with_matto else held
        for versicola in versicole_of(rest, demonio=True, vergognose=1):
            if set(versicola.cards) == rest and (versicola.k == DEL_MATTO) == (MATTO in rest):
                return (DECLARE_WITH_MATTO if with_matto else DECLARE) + versicola.k
    raise RecordError(f"{' '.join(map(card_name, cards))}: these cards are no versicola")


def _one_card(seat: int, kind: str, argument: object, field: str) -> Move:
    card = card_of(argument, field)
    return Move(seat, kind, card, frozenset({card}))


def _declaration(seat: int, kind: str, argument: object, field: str) -> Move:
    cards = [card_of(code, field) for code in list_of(argument, field, "a list of cards")]
    if len(set(cards)) != len(cards):
        raise refusal(field, "a card is shown twice")
    try:
        return Move(seat, kind, parse_declaration(cards), frozenset(cards))
    except RecordError as error:
        raise refusal(field, str(error)) from None


def _bare(seat: int, kind: str, argument: object, field: str) -> Move:
    if argument is not None:
        raise refusal(field, f"{shown(argument)} is not allowed; {kind} has no argument: null")
    return Move(seat, kind, _BARE[kind])


def _pick(seat: int, kind: str, argument: object, field: str) -> Move:
    owner, code = list_of(argument, field, "a list of the seat picked from and its card", 2)
    whole(owner, field, 0, N_SEATS - 1)
    card = card_of(code, field)
    return Move(seat, kind, card, frozenset({card}), owner)


def _bid(seat: int, kind: str, argument: object, field: str) -> Move:
    points = whole(argument, field, 0, MAX_BID)
    return Move(seat, kind, BID if points else DONE, number=points)


def _item(seat: int, kind: str, argument: object, field: str) -> Move:
    if not isinstance(argument, str) or argument not in _ITEMS:
        raise refusal(field, f"{shown(argument)} is no item of speech and no card")
    return Move(seat, kind, _ITEMS[argument])


_READERS: Final[dict[str, Callable[[int, str, object, str], Move]]] = {
    "discard": _one_card,
    "declare": _declaration,
    "play": _one_card,
    "drop": _bare,
    "pick": _pick,
    "withdraw": _bare,
    "use_fola": _bare,
    "stay": _bare,
    "bid": _bid,
    "say": _item,
}
KINDS: Final = tuple(_READERS)
"""The kinds of action."""


def parse_move(action: object, field: str, n_seats: int = N_SEATS) -> Move:
    """Return a recorded action as numbers.

    Args:
        action: `[seat, kind, argument]`.
        field: its name in messages.
        n_seats: how many seats the game has.

    Raises:
        RecordError: no such seat, kind, card, versicola or item.
    """
    seat, kind, argument = list_of(action, field, "a list of seat, kind and argument", 3)
    whole(seat, field, 0, n_seats - 1)
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise refusal(field, f"there is no kind {shown(kind)}; allowed: {', '.join(KINDS)}")
    return reader(seat, kind, argument, field)


def move_to_record(move: Move) -> list[Any]:
    """Return an action in the form of a record; `parse_move` reads it back."""
    codes = [card_name(card) for card in sorted(move.cards)]
    argument: Any
    if move.kind in _BARE:
        argument = None
    elif move.kind == "declare":
        argument = codes
    elif move.kind == "pick":
        argument = [move.number, codes[0]]
    elif move.kind == "bid":
        argument = move.number
    elif move.kind == "say":
        argument = action_name(move.action)
    else:
        argument = codes[0]
    return [move.seat, move.kind, argument]
