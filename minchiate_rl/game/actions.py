"""The action space: one numbering for every form of the game, and its names.

| numbers | action |
| --- | --- |
| 0 to 96 | the card of that number: play it, discard it, pick it, or name it in speech |
| 97 | done: declare no more, stay, pass, end of message |
| 98 + k | declare versicola k without showing the Matto |
| 115 + k | declare versicola k and show the Matto with it |
| 132 | drop the hand (cascare) |
| 133 | withdraw |
| 134 | use the fola |
| 135 | bid the next step for the fola |
| 144 to 200 | say an item of Piedicavallo's speech (SPEECH_NAMES) |

Versicola k: 0 papi, 1 to 11 the upper run that starts at trump 28 to 38, 12 the versicola del Matto (98 + 12 only),
13 tredici, 14 diecine, 15 regi, 16 demonio. 136 to 143 are free.

In speech the card ids stand for "have trump n" and "I hold the Matto", and after `play` for the card asked for.
"""

from typing import Final, NewType

from minchiate_rl.errors import InvalidNotation
from minchiate_rl.game.cards import CODES, N_CARDS

Action = NewType("Action", int)
"""An action number of the table above."""

DONE: Final = Action(97)
DECLARE: Final = 98
DECLARE_WITH_MATTO: Final = 115
N_VERSICOLE: Final = 17
DROP: Final = Action(132)
WITHDRAW: Final = Action(133)
USE_FOLA: Final = Action(134)
BID: Final = Action(135)

#: The first action of the last of the four words that legal actions are packed in.
FIRST_SPEECH: Final = 144

PAPI: Final = 0
FIRST_RUN: Final = 1
LAST_RUN: Final = 11
DEL_MATTO: Final = 12
TREDICI: Final = 13
DIECINE: Final = 14
REGI: Final = 15
DEMONIO: Final = 16

VERSICOLA_NAMES: Final[tuple[str, ...]] = (
    "papi",
    *(f"run{start}" for start in range(28, 39)),
    "matto",
    "tredici",
    "diecine",
    "regi",
    "demonio",
)
"""The name of each versicola, by k."""

# Speech: the block that an item stands in (this suit, or "altro", one of the other colour) gives the suit of a fact.
SAY_HONOUR: Final = 144
"""144 to 147: have K, Q, N, J."""
SAY_PIPS: Final = 148
"""148 to 154: pips 0 to 6."""
SAY_TOTAL: Final = 155
"""155 to 165: total 0 to 10."""
SAY_MORE: Final = 166
"""166 to 180: more 0 to 14 (trumps besides those named)."""
SAY_BATTO: Final = 181
SAY_BATTO_BATTO: Final = 182
SAY_BAGATTO: Final = 183
SAY_NO_TRUMPS: Final = 184
SAY_VOID: Final = 185
SAY_ALTRO: Final = 186
SAY_SLEEP_THIS: Final = 187
SAY_SLEEP_ALTRO: Final = 188
ASK_FARLO: Final = 189
ASK_LOW: Final = 190
ASK_MOST: Final = 191
ASK_FEWEST: Final = 192
ASK_PLAY: Final = 193
"""The next item is the id of the card asked for."""
ASK_COVER: Final = 194
ASK_LEAD_TRUMP: Final = 195
ASK_LEAD_THIS: Final = 196
ASK_LEAD_ALTRO: Final = 197
ASK_HIGH: Final = 198
ASK_QUALITY_LOW: Final = 199
ASK_VALUABLE: Final = 200

SPEECH_NAMES: Final[dict[int, str]] = {
    **{SAY_HONOUR + i: f"have {rank}" for i, rank in enumerate("KQNJ")},
    **{SAY_PIPS + k: f"pips {k}" for k in range(7)},
    **{SAY_TOTAL + k: f"total {k}" for k in range(11)},
    **{SAY_MORE + k: f"more {k}" for k in range(15)},
    SAY_BATTO: "batto",
    SAY_BATTO_BATTO: "batto batto",
    SAY_BAGATTO: "bagatto",
    SAY_NO_TRUMPS: "no trumps",
    SAY_VOID: "void",
    SAY_ALTRO: "altro",
    SAY_SLEEP_THIS: "sleep this",
    SAY_SLEEP_ALTRO: "sleep altro",
    ASK_FARLO: "farlo",
    ASK_LOW: "low",
    ASK_MOST: "most points",
    ASK_FEWEST: "fewest points",
    ASK_PLAY: "play",
    ASK_COVER: "cover",
    ASK_LEAD_TRUMP: "lead trump",
    ASK_LEAD_THIS: "lead this",
    ASK_LEAD_ALTRO: "lead altro",
    ASK_HIGH: "high",
    ASK_QUALITY_LOW: "low card",
    ASK_VALUABLE: "valuable",
}
"""The name of each item of speech, by action number; a record's `say` holds this name, or a card code."""

N_ACTIONS: Final = ASK_VALUABLE + 1
"""One more than the highest action number of any form."""

_OTHERS: Final = {DROP: "drop", WITHDRAW: "withdraw", USE_FOLA: "use_fola", BID: "bid"}


def action_name(action: int) -> str:
    """Return the name of an action: a card code, `done`, a versicola's name with `+M` if the Matto is shown, ...

    Raises:
        InvalidNotation: no action has that number.
    """
    if 0 <= action < N_CARDS:
        return CODES[action]
    if action == DONE:
        return "done"
    if DECLARE <= action < DECLARE_WITH_MATTO:
        return VERSICOLA_NAMES[action - DECLARE]
    if DECLARE_WITH_MATTO <= action < DECLARE_WITH_MATTO + N_VERSICOLE and action != DECLARE_WITH_MATTO + DEL_MATTO:
        return VERSICOLA_NAMES[action - DECLARE_WITH_MATTO] + "+M"
    name = _OTHERS.get(Action(action)) or SPEECH_NAMES.get(action)
    if name is None:
        raise InvalidNotation(f"there is no action {action}")
    return name


def _named() -> dict[str, Action]:
    actions: dict[str, Action] = {}
    for number in range(N_ACTIONS):
        try:
            actions[action_name(number)] = Action(number)
        except InvalidNotation:
            continue
    return actions


_ACTIONS: Final = _named()


def parse_action(name: str) -> Action:
    """Return the number of an action from its name.

    Raises:
        InvalidNotation: no action has that name.
    """
    if name not in _ACTIONS:
        raise InvalidNotation(
            f"{name!r} is no action: a card code, 'done', a versicola ({', '.join(VERSICOLA_NAMES)}), followed by '+M' "
            f"where the Matto is shown with it, {', '.join(_OTHERS.values())}, or an item of speech"
        )
    return _ACTIONS[name]
