"""A table as one seat sees it: as a text, and as a picture. Both are made from the seat's view alone.

The viewer sits below; play goes round anticlockwise, so the next seat sits at his right, the partner opposite.
"""

import sys
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.errors import MinchiateError
from minchiate_rl.game.seats import N_SEATS, N_TRICKS
from minchiate_rl.views.view import View

MODES: Final = ("ansi", "human", "rgb_array")
"""The render modes of the environments; "human" writes the text to the terminal."""

WIDTH: Final = 960
HEIGHT: Final = 600

_SUITS: Final = "CDSBTM"
_PLACES: Final = ("you", "next", "partner", "previous")
_EMPTY: Final = "--"
_SHOWN_ACTIONS: Final = 40

_CARD: Final = (44, 62)
_CLOTH: Final = (28, 84, 56)
_PAPER: Final = (250, 246, 234)
_EDGE: Final = (60, 52, 40)
_WRITING: Final = (238, 234, 214)
_FAINT: Final = (168, 190, 172)
_MARKED: Final = (250, 206, 84)
_INKS: Final = {
    "C": (186, 36, 44),
    "D": (170, 112, 0),
    "S": (30, 74, 150),
    "B": (22, 112, 60),
    "T": (92, 34, 112),
    "M": (20, 20, 20),
}
#: Where the seats stand on the picture, from the viewer on: name, and the card that was played.
_SPOTS: Final = (
    ((480, 440), (458, 330)),
    ((836, 246), (600, 240)),
    ((480, 74), (458, 150)),
    ((124, 246), (316, 240)),
)


class _Scene:
    """What both forms show of a view."""

    def __init__(self, view: View) -> None:
        seen = view.to_json()
        self.seen = seen
        self.over = seen["phase"] == "over"
        table = dict(map(tuple, seen["table"]))
        self.cards = [table.get(self._absolute(r)) for r in range(N_SEATS)]
        self.seats = [self._seat(r) for r in range(N_SEATS)]
        self.suits = [[card for card in seen["hand"] if card[0] == suit] for suit in _SUITS]
        side = view.seat % 2
        self.pairs = {name: (seen[name][side], seen[name][1 - side]) for name in ("score", "resti", "tricks")}
        self.lead = seen["lead"] if side == 0 else -seen["lead"]

    def _absolute(self, rel_seat: int) -> int:
        return int(self.seen["seat"] + rel_seat) % N_SEATS

    def _seat(self, rel_seat: int) -> str:
        seat = self._absolute(rel_seat)
        marks = [_PLACES[rel_seat]]
        if seat == self.seen["dealer"]:
            marks.append("dealer")
        if seat == self.seen["winner"]:
            marks.append("holds the trick")
        return f"seat {seat} ({', '.join(marks)})"

    @property
    def head(self) -> str:
        """What is going on, in one line."""
        seen = self.seen
        if self.over:
            return f"{seen['rules']}: the hand is over"
        turn = "you" if seen["to_act"] == seen["seat"] else f"seat {seen['to_act']}"
        trick = min(seen["trick"] + 1, N_TRICKS)
        return f"{seen['rules']}: trick {trick} of {N_TRICKS}, {seen['phase']}, to act: {turn}"

    @property
    def counts(self) -> str:
        """The score, ours first."""
        pairs = [f"{name} {ours} : {theirs}" for name, (ours, theirs) in self.pairs.items()]
        return f"we : they   {pairs[0]} (lead {self.lead:+d})   {pairs[1]}   {pairs[2]}"

    @property
    def legal(self) -> str:
        """The legal actions, in one line."""
        names = self.seen["legal"]
        if self.over or self.seen["to_act"] != self.seen["seat"]:
            return "-"
        more = f" and {len(names) - _SHOWN_ACTIONS} more" if len(names) > _SHOWN_ACTIONS else ""
        return " ".join(names[:_SHOWN_ACTIONS]) + more

    def declared(self) -> list[str]:
        """Return what each seat has declared, one line each."""
        return [f"seat {s} declared {' '.join(names)}" for s, names in enumerate(self.seen["declared"]) if names]


def text_table(view: View) -> str:
    """Return a view as a text of some 12 lines."""
    scene = _Scene(view)
    cards = [card or _EMPTY for card in scene.cards]
    left, right = scene.seats[3], scene.seats[1]
    lines = [
        scene.head,
        scene.seats[2].center(72).rstrip(),
        cards[2].center(72).rstrip(),
        f"{left:<36}{right:>36}",
        f"{cards[3].center(len(left)):<36}{cards[1].center(len(right)):>36}".rstrip(),
        cards[0].center(72).rstrip(),
        scene.seats[0].center(72).rstrip(),
        scene.counts,
        *scene.declared(),
        "hand   " + " | ".join(" ".join(suit) for suit in scene.suits if suit),
        "legal  " + scene.legal,
    ]
    return "\n".join(lines)


def render_view(view: View, mode: str) -> Any:
    """Return a view as a text ("ansi") or a picture ("rgb_array"); write the text to the terminal in "human"."""
    if mode == "rgb_array":
        return draw_table(view)
    text = text_table(view)
    if mode == "ansi":
        return text
    sys.stdout.write(text + "\n")
    return None


def _pillow() -> tuple[Any, Any, Any]:
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise MinchiateError('pictures need pillow: pip install "minchiate-rl[render]"') from None
    return Image, ImageDraw, ImageFont


def draw_table(view: View) -> npt.NDArray[np.uint8]:
    """Return a view as a picture, uint8 (HEIGHT, WIDTH, 3).

    Raises:
        MinchiateError: pillow is not installed.
    """
    image_module, draw_module, font_module = _pillow()
    scene = _Scene(view)
    image = image_module.new("RGB", (WIDTH, HEIGHT), _CLOTH)
    pen = draw_module.Draw(image)
    small, large = font_module.load_default(size=15), font_module.load_default(size=19)
    pen.text((16, 12), scene.head, fill=_WRITING, font=large)
    pen.text((16, 40), scene.counts, fill=_FAINT, font=small)
    for k, line in enumerate(scene.declared()):
        pen.text((16, 330 + 20 * k), line, fill=_FAINT, font=small)
    for r, (name_at, card_at) in enumerate(_SPOTS):
        holds = scene.seen["winner"] == (view.seat + r) % N_SEATS
        half = 16 + pen.textlength(scene.seats[r], font=small) / 2
        at = (min(max(name_at[0], half), WIDTH - half), name_at[1])  # a long name stays in the picture
        pen.text(at, scene.seats[r], fill=_MARKED if holds else _WRITING, font=small, anchor="mm")
        _draw_card(pen, large, card_at, scene.cards[r])
    _draw_hand(pen, large, scene)
    return np.asarray(image, dtype=np.uint8).copy()


def _draw_card(pen: Any, font: Any, at: tuple[float, float], code: str | None) -> None:
    """Draw a card with its upper left corner at a place; an empty place if there is none."""
    x, y = at
    box = (x, y, x + _CARD[0], y + _CARD[1])
    if code is None:
        pen.rounded_rectangle(box, 5, outline=_FAINT)
        return
    pen.rounded_rectangle(box, 5, fill=_PAPER, outline=_EDGE)
    pen.text((x + _CARD[0] / 2, y + _CARD[1] / 2), code, fill=_INKS[code[0]], font=font, anchor="mm")


def _draw_hand(pen: Any, font: Any, scene: _Scene) -> None:
    """Draw the viewer's hand in two rows below; the cards that may be played now stand a little higher."""
    hand = [card for suit in scene.suits for card in suit]
    legal = set(scene.seen["legal"]) if scene.seen["to_act"] == scene.seen["seat"] else set()
    half = (len(hand) + 1) // 2
    for row, cards in enumerate((hand[:half], hand[half:])):
        x = WIDTH / 2 - len(cards) * (_CARD[0] + 4) / 2
        for k, card in enumerate(cards):
            lift = 6 if card in legal else 0
            _draw_card(pen, font, (x + k * (_CARD[0] + 4), 464 + 68 * row - lift), card)
