"""Rule sets: every switch of the game as data (docs/rules.md, sections 7.5 and 13).

A rule set is a named TOML file in envs/, or a file of one's own. It names a game (forms.py) and varies it by switches.
It becomes a frozen `RuleSet`, and for the kernels one row of integers (`RuleSet.row`). A value that the game does not
know, or a combination that makes no sense, is refused when the rule set is made.
"""

import dataclasses
import tomllib
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from minchiate_rl import content
from minchiate_rl.content import toml_value
from minchiate_rl.errors import RulesError
from minchiate_rl.game.actions import (
    ASK_FARLO,
    BID,
    DECLARE_WITH_MATTO,
    DEMONIO,
    DONE,
    DROP,
    N_ACTIONS,
    REGI,
    WITHDRAW,
)
from minchiate_rl.game.cards import N_CARDS, Card
from minchiate_rl.game.forms import ACCOUNTS, BIDDINGS, DEALS, GAMES, SORTERS, Game

TAKE_29: Final = ("always", "if_usable", "never")
ROBBERY_MARKED: Final = ("at_once", "after_turned")
MARKED: Final = ("at_once", "at_end")
PIGLIARE_TO: Final = ("hand", "pile")
DISCARDS_SHOWN: Final = ("after_lead", "after_first_trick")
DECLARE_WHEN: Final = ("before_lead", "after_lead", "after_own_card")
ALL_TRICKS: Final = ("none", "double_final", "fourteen")
MEMORY: Final = ("perfect", "own_tricks", "table")
SPEECH: Final = ("full", "facts", "off")
_BOTH: Final = (False, True)

#: Columns of `RuleSet.row`. What is a word in the rule set is there by its place in the tuple above or in forms.py.
R_EXTRAS: Final = 0
"""What versicole beside the plain ones are worth: bit 0 demonio, bits 8 to 15 the points of 20 and 30 alone, bits 16 to
23 the bonus of a versicola that holds an aria; 0 in the classic game."""
R_TAKE_29: Final = 1
R_ROB_FAILURE: Final = 2
R_ALL_TRICKS: Final = 3
R_MEMORY: Final = 4
R_SEATS: Final = 5
R_SIDES: Final = 6
R_TRICKS: Final = 7
"""The size of a hand, and so the number of tricks."""
R_PACK: Final = 8
"""The number of cards in the pack."""
R_DEAL: Final = 9
R_FIRST_PACKET: Final = 10
R_ROB_LIMIT: Final = 11
"""How many cards the cutter robs at most; 0 where nobody robs."""
R_EXTRACTS: Final = 12
"""0 nobody extracts, 1 to the dealer's hand, 2 to his side's pile."""
R_SORTER: Final = 13
R_BIDDING: Final = 14
R_DECLARE_WHEN: Final = 15
"""By its place in DECLARE_WHEN; NO_DECLARATIONS where none are made."""
R_KING_RULE: Final = 16
R_EXCHANGE: Final = 17
R_ACCOUNTS: Final = 18
R_MIDHAND: Final = 19
R_COUNTS_RESTI: Final = 20
R_BOTTOM_CHECK: Final = 21
R_ROBBERY_MARKED: Final = 22
R_TURNED_MARKED: Final = 23
R_DECLARED_MARKED: Final = 24
R_FOLA_SUITS: Final = 25
R_DISCARD_TRUMPS: Final = 26
R_DISCARDS_SHOWN: Final = 27
R_CASCARE: Final = 28
R_SPEECH: Final = 29
"""By its place in SPEECH; SPEECH_OFF in all games without speech."""
R_WITHDRAW_FEE: Final = 30
R_WITHDRAW_STEP: Final = 31
R_BID_STEP: Final = 32
R_BID_LIMIT: Final = 33
R_GIRATA_BONUS: Final = 34
R_GAME: Final = 35
"""The game's place in GAMES."""
R_STEADY: Final = 36
"""1 where nobody speaks and nobody leaves the hand, so that the turn passes from seat to seat."""
R_SWITCH_BITS: Final = 37
"""What a view tells of the switches (engine/layout.py): V_SWITCHES, and V_FORM but for the episode."""
R_FORM_BYTES: Final = 38
R_SIZE_BYTES: Final = 39
"""What a view tells of the size of the table: V_COUNTS from byte 5 on."""
R_USUAL: Final = 40
"""1 where the columns of USUAL have the values there: some kernels are compiled for that table and for any other."""
N_RULES: Final = 41

NO_DECLARATIONS: Final = len(DECLARE_WHEN)
SPEECH_OFF: Final = SPEECH.index("off")

_PERFECT, _PARTNER = MEMORY.index("perfect"), SORTERS.index("partner")
USUAL: Final = {R_SEATS: 4, R_SIDES: 2, R_MEMORY: _PERFECT, R_SORTER: _PARTNER, R_STEADY: 1}
"""The table of most games: two partnerships that remember all, and nobody leaves."""
NO_LIMIT: Final = N_CARDS

#: The values that each switch may take in some game, the classic one first; a range stands for whole numbers.
CHOICES: Final[dict[str, tuple[Any, ...] | range]] = {
    "rob_limit": (13, None, 22),
    "bottom_check": _BOTH,
    "robbery_marked": ROBBERY_MARKED,
    "turned_marked": MARKED,
    "pigliare_to": PIGLIARE_TO,
    "take_29": TAKE_29,
    "fola_suits_shown": (True, False),
    "discard_trumps_shown": (True, False),
    "discards_shown": DISCARDS_SHOWN,
    "declare_when": DECLARE_WHEN,
    "declared_marked": MARKED,
    "diecine_vergognose": range(51),
    "cascare": _BOTH,
    "midhand_resti": (True, False),
    "all_tricks": ALL_TRICKS,
    "rob_failure_resto": _BOTH,
    "demonio": _BOTH,
    "girata_bonus": range(61),
    "memory": MEMORY,
    "speech": ("off", "facts", "full"),
    "hand_size": range(26),
    "players": (0, 2, 3, 4, 5, 6),
    "touches": range(33),
    "aria_bonus": range(51),
    "withdraw_fee": range(201),
    "withdraw_step": range(61),
    "bid_step": range(61),
    "bid_limit": range(501),
}

#: The values of switches that a view tells by a bit each (engine/layout.V_SWITCHES), from bit 0 on.
TOLD_SWITCHES: Final[tuple[tuple[str, Any], ...]] = (
    ("rob_limit", None),
    ("bottom_check", True),
    ("robbery_marked", "after_turned"),
    ("turned_marked", "at_end"),
    ("pigliare_to", "pile"),
    ("fola_suits_shown", False),
    ("discard_trumps_shown", False),
    ("discards_shown", "after_first_trick"),
    ("declare_when", "after_lead"),
    ("declare_when", "after_own_card"),
    ("declared_marked", "at_end"),
    ("cascare", True),
    ("midhand_resti", False),
    ("speech", "facts"),
    ("speech", "full"),
)

_COMMON: Final[dict[str, Any]] = {"demonio": _BOTH, "diecine_vergognose": range(51), "memory": MEMORY}
_CLASSIC: Final[dict[str, Any]] = {
    **dict(list(CHOICES.items())[:19]),
    "rob_limit": (13, None),
}
_SOLO: Final[dict[str, Any]] = {
    **_COMMON,
    "rob_limit": (13,),
    "take_29": TAKE_29,
    "midhand_resti": (False,),
    "withdraw_fee": range(10, 201),
    "withdraw_step": range(61),
}

#: The switches that each game has, with the values that it allows, its own first; all others have their classic values.
SWITCHES: Final[dict[str, dict[str, Any]]] = {
    "minchiate": _CLASSIC,
    "solo": _SOLO,
    "solo_fola": {
        **_COMMON,
        "demonio": (True, False),
        "midhand_resti": (False,),
        "withdraw_fee": range(10, 201),
        "aria_bonus": range(51),
        "bid_step": (10, 5, 20),
        "bid_limit": range(20, 501),
    },
    "three": {**_COMMON, "rob_limit": (22,), "take_29": TAKE_29, "midhand_resti": (False,)},
    "two": {**_COMMON, "midhand_resti": (True, False)},
    "piedicavallo": {"speech": ("full", "facts", "off"), "midhand_resti": (False,)},
    "mini": {"hand_size": (4, 3), "midhand_resti": (False,)},
    "mini_team": {"hand_size": (4, 3), "midhand_resti": (False,)},
    "sei_tocchi": {"players": (4, 2, 3, 5, 6), "hand_size": range(1, 13), "touches": range(1, 33)},
    "palio": {"players": (4, 2, 3, 5, 6), "hand_size": range(1, 13)},
}


def allowed_values(game: str, switch: str) -> tuple[Any, ...] | range:
    """Return the values that a switch may take in a game, its own first; one value alone where it is fixed."""
    own = SWITCHES[game].get(switch)
    if own is not None:
        return own  # type: ignore[no-any-return]
    return CHOICES[switch][:1]


def _is_allowed(value: Any, allowed: tuple[Any, ...] | range) -> bool:
    if isinstance(allowed, range):
        return type(value) is int and value in allowed
    return any(value == a and type(value) is type(a) for a in allowed)


def _told(allowed: tuple[Any, ...] | range) -> str:
    if isinstance(allowed, range) and len(allowed) > 1:
        return f"a whole number from {allowed[0]} to {allowed[-1]}"
    return ", ".join(map(repr, allowed))


@dataclasses.dataclass(frozen=True)
class RuleSet:
    """One form of the game: a name, what it is, the game that it is a form of, and every switch.

    Make one with `ruleset`, change it with `replace`. Equal rule sets play the same game. The switches are those of
    docs/rules.md, section 7.5; from `speech` on they belong to single games (section 13).
    """

    name: str
    title: str = ""
    sources: tuple[str, ...] = ()
    base: tuple[tuple[str, Any], ...] = ()
    """The switches of the named file, from which `flags` tells the difference."""
    game: str = "minchiate"
    """The game (forms.GAMES) that it is a form of."""
    rob_limit: int | None = 13
    bottom_check: bool = False
    robbery_marked: str = "at_once"
    turned_marked: str = "at_once"
    pigliare_to: str = "hand"
    take_29: str = "always"
    fola_suits_shown: bool = True
    discard_trumps_shown: bool = True
    discards_shown: str = "after_lead"
    declare_when: str = "before_lead"
    declared_marked: str = "at_once"
    diecine_vergognose: int = 0
    cascare: bool = False
    midhand_resti: bool = True
    all_tricks: str = "none"
    rob_failure_resto: bool = False
    demonio: bool = False
    girata_bonus: int = 0
    memory: str = "perfect"
    speech: str = "off"
    hand_size: int = 0
    """Cards of a hand where a game leaves the choice; 0 elsewhere (`n_tricks` holds the number in every game)."""
    players: int = 0
    """Players of a game of chance; 0 elsewhere (`n_seats` holds the number in every game)."""
    touches: int = 0
    aria_bonus: int = 0
    withdraw_fee: int = 0
    withdraw_step: int = 0
    bid_step: int = 0
    bid_limit: int = 0

    def __post_init__(self) -> None:
        """Refuse a game, a value or a combination that cannot be played."""
        if self.game not in GAMES:
            raise RulesError(f"rule set {self.name!r}: there is no game {self.game!r}; allowed: {', '.join(GAMES)}")
        for switch in CHOICES:
            value, allowed = getattr(self, switch), allowed_values(self.game, switch)
            if not _is_allowed(value, allowed):
                raise RulesError(
                    f"rule set {self.name!r}: {switch} = {value!r} is not allowed in the game {self.game}; "
                    f"allowed: {_told(allowed)}"
                )
        self._refuse_nonsense()

    def _refuse_nonsense(self) -> None:
        """Refuse switches that contradict each other."""
        if self.take_29 == "if_usable" and self.pigliare_to == "pile":
            raise RulesError(
                f"rule set {self.name!r}: take_29 = 'if_usable' asks for a versicola in the dealer's hand, but "
                "pigliare_to = 'pile' takes no card into it; allowed with 'pile': 'always', 'never'"
            )
        if self.game == "solo_fola" and self.bid_limit % self.bid_step:
            raise RulesError(
                f"rule set {self.name!r}: bid_limit = {self.bid_limit} is not a number of steps of {self.bid_step}"
            )

    def replace(self, **switches: Any) -> "RuleSet":
        """Return the same rule set with some switches changed.

        Raises:
            RulesError: an unknown switch, a value that is not allowed, or a combination that makes no sense.
        """
        _check_names(switches, self.name)
        return dataclasses.replace(self, **switches)

    @property
    def form(self) -> Game:
        """What a hand of the game is made of."""
        return GAMES[self.game]

    @property
    def n_seats(self) -> int:
        """The number of players."""
        return self.players or self.form.n_seats

    @property
    def n_sides(self) -> int:
        """The number of sides that keep accounts: two, or one a seat."""
        return self.players or self.form.n_sides

    @property
    def n_tricks(self) -> int:
        """The number of tricks, and of cards in a hand after the discards."""
        return self.hand_size or self.form.hand_size

    @property
    def cards(self) -> tuple[Card, ...]:
        """The pack, in the order of the new pack."""
        return self.form.cards

    @property
    def par(self) -> int:
        """Cards in tricks above which each is a point (item 9): half of all for two sides, a hand for one player."""
        return self.n_tricks * self.n_seats // self.n_sides

    @property
    def speaks(self) -> bool:
        """Whether players speak."""
        return self.speech != "off"

    @property
    def switches(self) -> dict[str, Any]:
        """Every switch that the game has, with its value."""
        return {switch: getattr(self, switch) for switch in CHOICES if switch in SWITCHES[self.game]}

    @cached_property
    def flags(self) -> dict[str, Any]:
        """The switches that differ from the named rule set's own values, as in a record's `flags`."""
        own = dict(self.base)
        return {
            switch: value
            for switch, value in self.switches.items()
            if own.get(switch, _default(self.game, switch)) != value
        }

    @property
    def num_actions(self) -> int:
        """One more than the highest action number in use."""
        if self.speaks:
            return N_ACTIONS if self.speech == "full" else ASK_FARLO
        if self.form.bidding != "none":
            return BID + 1 if self.form.bidding == "fola" else WITHDRAW + 1
        if self.cascare:
            return DROP + 1
        if not self.form.declares:
            return DONE + 1
        return DECLARE_WITH_MATTO + (DEMONIO if self.demonio else REGI) + 1

    @cached_property
    def row(self) -> npt.NDArray[np.int64]:
        """The rule set as int64 (N_RULES,), for the kernels; the columns are the R_ constants."""
        form, row = self.form, np.zeros(N_RULES, dtype=np.int64)
        row[R_EXTRAS] = self.demonio | self.diecine_vergognose << 8 | self.aria_bonus << 16
        row[R_TAKE_29] = TAKE_29.index(self.take_29)
        row[R_ROB_FAILURE] = self.rob_failure_resto
        row[R_ALL_TRICKS] = ALL_TRICKS.index(self.all_tricks)
        row[R_MEMORY] = MEMORY.index(self.memory)
        row[R_SEATS], row[R_SIDES], row[R_TRICKS] = self.n_seats, self.n_sides, self.n_tricks
        row[R_PACK], row[R_DEAL] = len(self.cards), DEALS.index(form.deal)
        row[R_FIRST_PACKET] = form.first_packet
        row[R_ROB_LIMIT] = (NO_LIMIT if self.rob_limit is None else self.rob_limit) if form.robs else 0
        row[R_EXTRACTS] = 1 + PIGLIARE_TO.index(self.pigliare_to) if form.extracts else 0
        row[R_SORTER], row[R_BIDDING] = SORTERS.index(form.sorter), BIDDINGS.index(form.bidding)
        row[R_DECLARE_WHEN] = DECLARE_WHEN.index(self.declare_when) if form.declares else NO_DECLARATIONS
        row[R_KING_RULE], row[R_EXCHANGE] = form.king_rule, form.exchange
        row[R_ACCOUNTS], row[R_MIDHAND] = ACCOUNTS.index(form.accounts), self.midhand_resti
        row[R_COUNTS_RESTI], row[R_BOTTOM_CHECK] = form.counts_resti, self.bottom_check
        row[R_ROBBERY_MARKED] = ROBBERY_MARKED.index(self.robbery_marked)
        row[R_TURNED_MARKED] = MARKED.index(self.turned_marked)
        row[R_DECLARED_MARKED] = MARKED.index(self.declared_marked)
        row[R_FOLA_SUITS], row[R_DISCARD_TRUMPS] = self.fola_suits_shown, self.discard_trumps_shown
        row[R_DISCARDS_SHOWN] = DISCARDS_SHOWN.index(self.discards_shown)
        row[R_CASCARE], row[R_SPEECH] = self.cascare, SPEECH.index(self.speech)
        row[R_WITHDRAW_FEE], row[R_WITHDRAW_STEP] = self.withdraw_fee, self.withdraw_step
        row[R_BID_STEP], row[R_BID_LIMIT] = self.bid_step, self.bid_limit
        row[R_GIRATA_BONUS] = self.girata_bonus
        row[R_GAME] = list(GAMES).index(self.game)
        row[R_STEADY] = not (self.speaks or self.cascare or form.bidding != "none")
        bits = sum((getattr(self, switch) == value) << place for place, (switch, value) in enumerate(TOLD_SWITCHES))
        limit = self.bid_limit // self.bid_step if self.bid_step else 0
        row[R_SWITCH_BITS] = bits | self.bid_step << 24 | limit << 32
        told = [self.diecine_vergognose, self.aria_bonus, self.withdraw_fee, self.withdraw_step, self.girata_bonus]
        told.append(list(GAMES).index(self.game))
        row[R_FORM_BYTES] = sum(number << 8 * place for place, number in enumerate(told, start=2))
        row[R_SIZE_BYTES] = self.n_tricks << 40 | self.n_seats << 48 | self.n_sides << 56
        row[R_USUAL] = all(row[column] == value for column, value in USUAL.items())
        row.flags.writeable = False
        return row

    def to_toml(self) -> str:
        """Return the rule set as the text of a TOML file that `ruleset` reads back to an equal rule set."""
        lines = [f"name = {toml_value(self.name)}", f"title = {toml_value(self.title)}"]
        lines.append(f"sources = {toml_value(self.sources)}")
        lines.append(f"game = {toml_value(self.game)}")
        lines += ["", "[switches]", *(f"{switch} = {toml_value(value)}" for switch, value in self.switches.items())]
        return "\n".join(lines) + "\n"

    @classmethod
    def from_toml(cls, text: str, where: str) -> "RuleSet":
        """Return the rule set that a TOML text describes.

        Args:
            text: `name`, `title`, `sources`, `game` ("minchiate" if left out), and a table `switches`; switches left
                out have the game's own values; "none" stands for no limit, since TOML has no null.
            where: the file's name, for messages.

        Raises:
            RulesError: the text is no TOML, or names an unknown field, or gives a value that is not allowed.
        """
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise RulesError(f"{where}: not a TOML file: {error}") from None
        fields = ("name", "title", "sources", "game", "switches")
        extra = sorted(set(table) - set(fields))
        if extra:
            raise RulesError(f"{where}: unknown field {extra[0]!r}; allowed: {', '.join(fields)}")
        name, switches = table.get("name", Path(where).stem), table.get("switches", {})
        title, sources, game = table.get("title", ""), table.get("sources", []), table.get("game", "minchiate")
        if not isinstance(name, str) or not name or not name.isprintable():
            raise RulesError(f"{where}: name must be a text on one line")
        if not isinstance(title, str) or not title.isprintable():
            raise RulesError(f"{where}: title must be a text on one line")
        if not isinstance(sources, list) or not all(isinstance(s, str) and s.isprintable() for s in sources):
            raise RulesError(f"{where}: sources must be a list of texts on one line each")
        if not isinstance(game, str) or game not in GAMES:
            raise RulesError(f"{where}: there is no game {game!r}; allowed: {', '.join(GAMES)}")
        if not isinstance(switches, dict):
            raise RulesError(f"{where}: switches must be a table")
        _check_names(switches, where)
        if switches.get("rob_limit") == "none":
            switches["rob_limit"] = None
        own = {switch: _default(game, switch) for switch in SWITCHES[game]}
        rules = cls(name=name, title=title, sources=tuple(sources), game=game, **{**own, **switches})
        return dataclasses.replace(rules, base=tuple(rules.switches.items()))


#: The house's own values of the switches that are numbers (docs/rules.md, section 13).
_HOUSE: Final[dict[tuple[str, str], int]] = {
    ("solo", "withdraw_fee"): 30,
    ("solo", "withdraw_step"): 10,
    ("solo_fola", "withdraw_fee"): 30,
    ("solo_fola", "aria_bonus"): 10,
    ("solo_fola", "bid_limit"): 200,
    ("sei_tocchi", "hand_size"): 6,
    ("sei_tocchi", "touches"): 6,
    ("palio", "hand_size"): 3,
}


def _default(game: str, switch: str) -> Any:
    """Return the game's own value of a switch."""
    return _HOUSE.get((game, switch), allowed_values(game, switch)[0])


def _check_names(switches: dict[str, Any], where: str) -> None:
    for field in switches:
        if field not in CHOICES:
            raise RulesError(f"{where}: unknown switch {field!r}; allowed: {', '.join(CHOICES)}")


def rulesets() -> list[str]:
    """Return the names of the rule sets in envs/, sorted."""
    return list(content.tomls("envs"))


def ruleset(name: "str | Path | RuleSet") -> RuleSet:
    """Return a rule set by the name of a file in envs/, or by the path of a TOML file.

    Raises:
        RulesError: there is no such rule set, or its file is faulty.
    """
    if isinstance(name, RuleSet):
        return name
    known = content.tomls("envs")
    path = known.get(str(name))
    if path is None and str(name).endswith(".toml"):
        path = Path(name)
    if path is None:
        raise RulesError(f"there is no rule set {str(name)!r}; known: {', '.join(known)}, or the path of a .toml file")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RulesError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return RuleSet.from_toml(text, str(path))
