"""The action space: one numbering for every form of the game, and its names.

| numbers | action |
| --- | --- |
| 0 to 96 | the card of that number: play it, or discard it |
| 97 | done: declare no more |
| 98 + k | declare versicola k without showing the Matto |
| 115 + k | declare versicola k and show the Matto with it |

Versicola k: 0 papi, 1 to 11 the upper run that starts at trump 28 to 38, 12 the versicola del Matto (98 + 12 only),
13 tredici, 14 diecine, 15 regi, 16 demonio. Numbers from 132 on are reserved for the other forms of the game.
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
N_ACTIONS: Final = DECLARE_WITH_MATTO + N_VERSICOLE
"""One more than the highest action number that the classic game and its switches use."""

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


def action_name(action: int) -> str:
    """Return the name of an action: a card code, `done`, or a versicola's name with `+M` if the Matto is shown.

    Raises:
        InvalidNotation: no action has that number.
    """
    if 0 <= action < N_CARDS:
        return CODES[action]
    if action == DONE:
        return "done"
    if DECLARE <= action < DECLARE_WITH_MATTO:
        return VERSICOLA_NAMES[action - DECLARE]
    if DECLARE_WITH_MATTO <= action < N_ACTIONS and action != DECLARE_WITH_MATTO + DEL_MATTO:
        return VERSICOLA_NAMES[action - DECLARE_WITH_MATTO] + "+M"
    raise InvalidNotation(f"there is no action {action}")


_ACTIONS: Final = {action_name(a): Action(a) for a in range(N_ACTIONS) if a != DECLARE_WITH_MATTO + DEL_MATTO}


def parse_action(name: str) -> Action:
    """Return the number of an action from its name.

    Raises:
        InvalidNotation: no action has that name.
    """
    if name not in _ACTIONS:
        raise InvalidNotation(
            f"{name!r} is no action: a card code, 'done', or a versicola ({', '.join(VERSICOLA_NAMES)}), "
            "followed by '+M' where the Matto is shown with it"
        )
    return _ACTIONS[name]
