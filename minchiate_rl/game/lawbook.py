"""The rules of play and scoring as plain functions over cards, one question each (docs/rules.md).

They are written to be read beside the rule book, and share nothing with the kernels of game/engine. A trick is a list
of `(seat, card)` in order of play. How a hand is dealt is in dealing.py, how it runs in reference.py.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple, TypedDict

from minchiate_rl.game.actions import DEL_MATTO, DEMONIO, DIECINE, FIRST_RUN, PAPI, REGI, TREDICI
from minchiate_rl.game.cards import KINGS, MATTO, PACK_ORDER, UNDISCARDABLE, VALUES, Card, Suit, suit_of, trump
from minchiate_rl.game.rules import RuleSet

RESTO: Final = 60
"""The points of one resto (docs/rules.md, section 5.1)."""

HALF_OF_THE_CARDS: Final = 42
MATTO_ADDITION: Final = 5


class Versicola(NamedTuple):
    """One scoring combination found in a set of cards."""

    k: int
    """Its number, as in the table of actions."""
    cards: tuple[Card, ...]
    """Its cards by number; the Matto only in the versicola del Matto."""
    points: int
    """Its points, the Matto's addition included if it was asked for."""


class Extras(TypedDict):
    """What a rule set adds to the plain versicole, as keywords for the functions below."""

    demonio: bool
    vergognose: int
    aria_bonus: int


def extras_of(rules: RuleSet) -> Extras:
    """Return what a rule set adds to the plain versicole."""
    return Extras(demonio=rules.demonio, vergognose=rules.diecine_vergognose, aria_bonus=rules.aria_bonus)


def _points_in_run(card: int) -> int:
    return 5 if card == trump(29) else VALUES[card]


def _maximal_runs(cards: Collection[int], low: int, high: int) -> list[tuple[Card, ...]]:
    """Return the maximal runs of three or more consecutive trumps between two trumps."""
    runs: list[tuple[Card, ...]] = []
    run: list[Card] = []
    for n in range(low, high + 2):
        if n <= high and trump(n) in cards:
            run.append(trump(n))
            continue
        if len(run) >= 3:
            runs.append(tuple(run))
        run = []
    return runs


def _plain_versicole(cards: Collection[int]) -> list[Versicola]:
    """Return the versicole that every game counts, without the Matto's addition (docs/rules.md, section 1.3)."""
    found: list[Versicola] = []
    for run in _maximal_runs(cards, 1, 5):
        found.append(Versicola(PAPI, run, sum(map(_points_in_run, run))))
    for run in _maximal_runs(cards, 28, 40):
        found.append(Versicola(FIRST_RUN + run[0] - trump(28), run, sum(map(_points_in_run, run))))
    if all(card in cards for card in (trump(1), trump(40), MATTO)):
        found.append(Versicola(DEL_MATTO, (trump(1), trump(40), MATTO), 20))
    if all(trump(n) in cards for n in (1, 13, 28)):
        found.append(Versicola(TREDICI, (trump(1), trump(13), trump(28)), 15))
    tens = tuple(trump(n) for n in (10, 20, 30, 40) if trump(n) in cards)
    if trump(20) in tens and trump(30) in tens and len(tens) >= 3:
        found.append(Versicola(DIECINE, tens, sum(VALUES[card] for card in tens)))
    kings = tuple(king for king in KINGS if king in cards)
    if len(kings) >= 3:
        found.append(Versicola(REGI, kings, 5 * len(kings)))
    return found


def versicole_of(
    cards: Collection[int],
    demonio: bool = False,
    matto_shown: bool | None = None,
    vergognose: int = 0,
    aria_bonus: int = 0,
) -> list[Versicola]:
    """Return every versicola in a set of cards, by k (docs/rules.md, section 1.3).

    Args:
        cards: card numbers: a hand, or a side's trick pile.
        demonio: whether trumps 14, 35 and 39 make one (section 7, V-8).
        matto_shown: whether each versicola but the versicola del Matto is worth 5 more; None: if the Matto is there.
        vergognose: what trumps 20 and 30 without the 10 and the 40 are worth (section 7.2); 0: they are none.
        aria_bonus: how much more each versicola that holds one of trumps 36 to 40 is worth (section 13).
    """
    found = _plain_versicole(cards)
    has_10_or_40 = trump(10) in cards or trump(40) in cards
    if vergognose and trump(20) in cards and trump(30) in cards and not has_10_or_40:
        found.append(Versicola(DIECINE, (trump(20), trump(30)), vergognose))
    if demonio and all(trump(n) in cards for n in (14, 35, 39)):
        found.append(Versicola(DEMONIO, (trump(14), trump(35), trump(39)), 20))
    addition = MATTO_ADDITION if (MATTO in cards if matto_shown is None else matto_shown) else 0
    arie = {trump(n) for n in range(36, 41)}
    return sorted(
        Versicola(k, held, points + (addition if k != DEL_MATTO else 0) + (0 if arie.isdisjoint(held) else aria_bonus))
        for k, held, points in found
    )


def versicole_value(cards: Collection[int], demonio: bool = False, vergognose: int = 0, aria_bonus: int = 0) -> int:
    """Return the points of all versicole in a set of cards, the Matto adding where it is among them."""
    found = versicole_of(cards, demonio, vergognose=vergognose, aria_bonus=aria_bonus)
    return sum(versicola.points for versicola in found)


def card_points(cards: Iterable[int]) -> int:
    """Return the sum of the values of cards (docs/rules.md, section 1.2)."""
    return sum(VALUES[card] for card in cards)


def legal_discards(hand: Collection[int]) -> set[int]:
    """Return what may be discarded next (docs/rules.md, section 2, step 11, and U-5).

    Counting cards and the 29 may go only when nothing else is left, and then those of the lowest value first.
    """
    free = {card for card in hand if card not in UNDISCARDABLE}
    if free:
        return free
    lowest = min(VALUES[card] for card in hand)
    return {card for card in hand if VALUES[card] == lowest}


def led_suit(trick: Sequence[tuple[int, int]]) -> Suit | None:
    """Return the suit to be followed; None while nothing but the Matto lies on the table (section 4.1, rule 7)."""
    for _, card in trick:
        if card != MATTO:
            return suit_of(card)
    return None


def king_of(suit: Suit) -> Card:
    """Return the king of a plain suit."""
    return KINGS[suit]


def legal_cards(hand: Collection[int], trick: Sequence[tuple[int, int]], opened: Collection[Suit]) -> set[int]:
    """Return the cards that may be played (docs/rules.md, section 4.1).

    Args:
        hand: card numbers of the player to act.
        trick: what lies on the table.
        opened: plain suits that were led in an earlier trick of the hand.
    """
    led = led_suit(trick)
    if led is None:
        return set(hand)
    trumped = any(suit_of(card) == Suit.TRUMPS for _, card in trick)
    if led != Suit.TRUMPS and led not in opened and trumped and king_of(led) in hand:
        return {king_of(led)}
    following = {card for card in hand if suit_of(card) == led}
    trumps = {card for card in hand if suit_of(card) == Suit.TRUMPS}
    return (following or trumps or set(hand)) | ({MATTO} & set(hand))


def trick_winner(trick: Sequence[tuple[int, int]]) -> int | None:
    """Return the seat that holds the trick so far; None while nothing but the Matto lies on the table."""
    led = led_suit(trick)
    if led is None:
        return None
    trumps = [(card, seat) for seat, card in trick if suit_of(card) == Suit.TRUMPS]
    following = [(card, seat) for seat, card in trick if suit_of(card) == led]
    return max(trumps or following)[1]


def mark(lead: int, side: int, points: int) -> tuple[int, int]:
    """Mark points during the hand (docs/rules.md, section 5.1).

    Args:
        lead: side 0's lead over side 1, negative if side 1 is ahead.
        side: who scores.
        points: how much.

    Returns:
        The new lead, and the resti that the side is paid at once.
    """
    lead += points if side == 0 else -points
    resti = 0
    while abs(lead) >= RESTO:
        resti += 1
        lead += -RESTO if lead > 0 else RESTO
    return lead, resti


def settle(lead: int, finals: Sequence[int]) -> tuple[int, int]:
    """Return the resti that each side is paid at the end of the hand (docs/rules.md, section 5.1).

    Args:
        lead: side 0's lead before the final block.
        finals: the final block's points (items 6 to 9) of each side, applied once.
    """
    resti = resti_for(lead + finals[0] - finals[1])
    return max(resti, 0), max(-resti, 0)


def points_above_half(n_cards: int, par: int = HALF_OF_THE_CARDS) -> int:
    """Return item 9 for a side with that many cards: one point for each above its par (section 5.2)."""
    return max(0, n_cards - par)


def matto_payment(
    payer: Collection[int],
    receiver: Collection[int],
    demonio: bool = False,
    vergognose: int = 0,
    aria_bonus: int = 0,
) -> Card:
    """Return the card that is paid for the Matto after the last trick (docs/rules.md, section 4.3).

    It is the card that costs the payer least: the death and the card's points on both sides, and what the versicole
    of both sides change by it; among equals the first of the new pack.

    Args:
        payer: the pile of the side that played the Matto, the Matto in it.
        receiver: the pile of the other side.
        demonio: whether the demonio counts as a versicola; the rest as in `versicole_of`.
        vergognose: what 20 and 30 alone are worth.
        aria_bonus: how much more a versicola with an aria is worth.

    Returns:
        The card; the Matto itself if nothing else lies in the payer's pile.
    """
    own, other = set(payer), set(receiver)

    def value(pile: set[int]) -> int:
        return versicole_value(pile, demonio, vergognose, aria_bonus)

    def cost(card: Card) -> int:
        lost, won = value(own) - value(own - {card}), value(other | {card}) - value(other)
        return 3 * VALUES[card] + lost + won

    choice = [card for card in PACK_ORDER if card in own and card != MATTO]
    return min(choice, key=cost) if choice else MATTO


def legal_picks(hand: Collection[int], led: Suit | None) -> set[int]:
    """Return what the winner of a trick may pick from a dropped hand (docs/rules.md, section 7, V-1).

    Cards of the suit led, if there are any, else all of them; the Matto always. No king rule binds the picker.
    """
    following = {card for card in hand if suit_of(card) == led}
    return (following or set(hand)) | ({MATTO} & set(hand))


def resti_for(points: int) -> int:
    """Return the resti for a difference in points: one for each started 60, with its sign (section 5.1)."""
    resti = -(-abs(points) // RESTO)
    return resti if points > 0 else -resti
