"""The vocabulary of tokens: what each number says, and how many may stand in a row (views/tokens.py writes them).

Numbers never change their meaning; what is new comes behind. What players say to each other has numbers of its own
behind all others, in the games that know speech alone.
"""

from typing import Final

from minchiate_rl.game.cards import N_CARDS, card_name
from minchiate_rl.game.engine.layout import SWITCH_BITS
from minchiate_rl.game.forms import GAMES
from minchiate_rl.game.rules import RuleSet, allowed_values
from minchiate_rl.views.economics import N_SLOTS, SLOT_CARDS
from minchiate_rl.views.spoken import MAX_SPEECH_TOKENS, N_SPEECH_TOKENS, speech_token_name

PLACES: Final[tuple[str, ...]] = (
    "my hand",
    "my hand, seen by all",
    "hand of next",
    "hand of partner",
    "hand of previous",
    "fola",
    "our discards",
    "their discards",
    *(f"on the table by {who}" for who in ("me", "next", "partner", "previous")),
    *(f"played by {who}, {pile} pile" for who in ("me", "next", "partner", "previous") for pile in ("our", "their")),
)
"""The known places of a card; its token is 1 + place + len(PLACES) * card."""

HIDDEN_PLACES: Final[tuple[str, ...]] = (
    "hand of next",
    "hand of partner",
    "hand of previous",
    "fola",
    "our discards",
    "their discards",
)
"""The true places of a hidden card; its token follows those of a view: n_tokens + place + len(HIDDEN_PLACES) * card."""

#: What the tokens `switches` tell besides layout.SWITCH_BITS.
MORE_SWITCHES: Final = ("all_tricks fourteen", "diecine_vergognose", "aria_bonus", "girata_bonus")

#: Classes of bids, in steps; classes and steps of how far one player is ahead of another; classes of resti.
N_BIDS: Final = 20
N_AHEAD: Final = 14
AHEAD_STEP: Final = 20
N_RESTI: Final = 9

#: Upper bounds of the first two classes of versicole gains; the third is beyond.
GAIN_BOUNDS: Final = (10, 25)

_VOCABULARY: Final[tuple[tuple[str, int, str], ...]] = (
    ("padding", 1, "no token"),
    ("card", N_CARDS * len(PLACES), "card and place"),
    ("phase", 4, "discard, declare, play, over"),
    ("to_act", 3, "seat to act, if not the viewer: next, partner, previous"),
    ("position", 4, "cards on the table"),
    ("trick", 26, "finished tricks"),
    ("dealer", 4, "dealer, from the viewer on"),
    ("led", 5, "suit led"),
    ("winner", 4, "seat that holds the trick so far, from the viewer on"),
    ("opened", 4, "a plain suit that a finished trick was led in"),
    ("voids", 15, "a suit that a seat is known not to hold, 5 a seat: next, partner, previous"),
    ("no_king", 12, "a king that a seat is known not to hold, 4 a seat: next, partner, previous"),
    ("lead", 14, "our lead since the last resto in steps of 10, from -70"),
    ("tricks_won", 26, "our tricks"),
    ("matto_played", 4, "seat that played the Matto, from the viewer on"),
    ("matto_owed", 2, "a card is owed for the Matto: by us, by them"),
    ("fola_trumps", 14, "trumps in the fola"),
    ("n_discards", 28, "discards in all, 14 a side: ours, theirs"),
    ("to_discard", 14, "cards that the seat to act has still to discard, while it discards"),
    ("revealed", 1, "the discards have been turned up"),
    ("resti", 12, "resti received, 0 to 5 and more: ours, theirs"),
    ("rules", 7, "demonio, take_29 if_usable, never, rob_failure_resto, all_tricks, memory own_tricks, table"),
    (
        "gain",
        N_SLOTS * 2 * 3,
        "versicole gain of capturing a card, by slot, side (us, them), class (to 10, to 25, more)",
    ),
    ("later_phase", 5, "withdraw, fola, bid, pick, speak"),
    ("pile", 2 * N_CARDS, "card in the trick pile of seat 2, of seat 3 from the viewer on, beside its token of a card"),
    ("taken", N_CARDS, "card that the dealer took out of the fola into his side's pile"),
    ("debtor", 2, "a card is owed for the Matto by seat 2, by seat 3"),
    ("ahead", 6 * N_AHEAD, "points ahead in steps of 20, from -140: me of next, 2, 3; next of 2, 3; 2 of 3"),
    ("others_tricks", 52, "tricks of the next seat, of seat 2"),
    ("withdrawn", 4, "seat that has withdrawn"),
    ("dropped", 4, "seat that has dropped its hand"),
    ("picked_from", 4, "seat whose dropped hand is picked from"),
    ("answered", 4, "seats that have answered whether they withdraw: 1 to 4"),
    ("bid", 4 * N_BIDS, "last bid of a seat: 1 to 20 steps and more"),
    ("passed", 4, "seat that bids no more"),
    ("fola_user", 4, "seat that uses the fola"),
    ("eldest_choice", 3, "the eldest uses the fola, stays, withdraws"),
    ("fola_suits", 4 * 14, "cards of a suit in the fola, where these are told and not shown"),
    ("trumps_discarded", 3, "trumps that the dealer has announced to have discarded"),
    ("match_resti", 4 * N_RESTI, "resti of a seat from earlier hands of the episode in steps of 3, from -13"),
    ("hands_left", 12, "hands of the episode still to be played, this one included: 1 to 12"),
    ("switches", len(SWITCH_BITS) + len(MORE_SWITCHES), ", ".join((*SWITCH_BITS, *MORE_SWITCHES))),
    ("game", len(GAMES), "game, if it is not minchiate"),
)


def _vocabulary() -> dict[str, tuple[int, int, str]]:
    tokens, start = {}, 0
    for name, size, meaning in _VOCABULARY:
        tokens[name] = (start, start + size, meaning)
        start += size
    return tokens


TOKENS: Final[dict[str, tuple[int, int, str]]] = _vocabulary()
"""The vocabulary of views: name -> (first, one past the last, meaning)."""

N_TOKENS: Final[int] = sum(size for _, size, _ in _VOCABULARY)
"""Token numbers of a view, the padding included."""

N_STATE_TOKENS: Final[int] = N_TOKENS + N_CARDS * len(HIDDEN_PLACES)
"""Token numbers of a state: those of a view, then the hidden cards'."""

MAX_TOKENS: Final = 208
"""The width of a row of the classic game: above 97 cards, 46 gains and 59 facts, more than any view holds at once."""

MAX_STATE_TOKENS: Final = 240
"""The width of a state's row: a view's, and the true place of a card shown in a hand and discarded since."""

_WIDE: Final = 256
"""With the 28 facts more that the switches bring."""
_FOR_HIMSELF: Final = 352
"""With the owner of the pile for each card played, and the accounts of all pairs."""
_HIDDEN: Final = MAX_STATE_TOKENS - MAX_TOKENS

#: The switches of which each brings one token at most.
_NARROW: Final = ("take_29", "all_tricks", "rob_failure_resto", "demonio", "girata_bonus", "midhand_resti", "memory")


def n_tokens(rules: RuleSet) -> int:
    """Return the number of token numbers of a rule set's views; only where players speak is it above N_TOKENS."""
    return N_TOKENS + (N_SPEECH_TOKENS if rules.speaks else 0)


def n_state_tokens(rules: RuleSet) -> int:
    """Return the number of token numbers of a rule set's states: those of a view, then the hidden cards'."""
    return n_tokens(rules) + N_STATE_TOKENS - N_TOKENS


def max_tokens(rules: RuleSet) -> int:
    """Return the width of a row of a rule set's tokens: more than any of its views holds at once."""
    others = (switch for switch in rules.switches if switch not in _NARROW)
    if rules.form.for_himself:
        width = _FOR_HIMSELF
    elif all(getattr(rules, switch) == allowed_values("minchiate", switch)[0] for switch in others):
        width = MAX_TOKENS
    else:
        width = _WIDE
    return width + (MAX_SPEECH_TOKENS if rules.speaks else 0)


def max_state_tokens(rules: RuleSet) -> int:
    """Return the width of a row of a rule set's state tokens."""
    return max_tokens(rules) + _HIDDEN


def token_name(token: int, rules: RuleSet | None = None) -> str:
    """Return what a token of a view or of a state says, such as `card: CK my hand` or `trick: 3`.

    Args:
        token: the token.
        rules: the rule set, where it is one with speech.
    """
    first_hidden = N_TOKENS if rules is None else n_tokens(rules)
    if token >= first_hidden:
        card, place = divmod(token - first_hidden, len(HIDDEN_PLACES))
        return f"hidden: {card_name(card)} {HIDDEN_PLACES[place]}"
    if token >= N_TOKENS:
        return f"said: {speech_token_name(token - N_TOKENS)}"
    name, start = next((n, start) for n, (start, stop, _) in TOKENS.items() if start <= token < stop)
    if name == "card":
        card, place = divmod(token - start, len(PLACES))
        return f"card: {card_name(card)} {PLACES[place]}"
    if name == "pile":
        return f"pile: {card_name((token - start) // 2)} of seat {2 + (token - start) % 2}"
    if name == "gain":
        slot, rest = divmod(token - start, 6)
        return f"gain: {card_name(SLOT_CARDS[slot])} {('us', 'them')[rest // 3]} class {rest % 3}"
    return f"{name}: {token - start}"
