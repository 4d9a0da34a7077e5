"""A table as one seat sees it: as a text, and as a picture. Both are made from the seat's view alone.

The viewer sits below; play goes round anticlockwise, so the next seat sits at his right, a partner opposite.
"""

import sys
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.errors import MinchiateError
from minchiate_rl.views.view import View

MODES: Final = ("ansi", "human", "rgb_array")
"""The render modes of the environments; "human" writes the text to the terminal."""

WIDTH: Final = 960
HEIGHT: Final = 600

_SUITS: Final = "CDSBTM"
#: Where the seats sit by their number, from the viewer on: 0 below, 1 right, 2 above, 3 left.
_SIDES_OF_TABLE: Final = {2: (0, 2), 3: (0, 1, 3), 4: (0, 1, 2, 3)}
_BELOW, _RIGHT, _ABOVE, _LEFT = range(4)
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
#: The four sides of the table on the picture: name of the seat, and the card that was played.
_SPOTS: Final = (
    ((480, 440), (458, 330)),
    ((836, 246), (600, 240)),
    ((480, 74), (458, 150)),
    ((124, 246), (316, 240)),
)


def _places(view: View) -> tuple[str, ...]:
    """Return what the seats are to the viewer, from him on."""
    if view.rules.n_seats == 2:
        return "you", "opponent"
    if view.rules.n_seats == 3:
        return "you", "next", "previous"
    return "you", "next", "opposite" if view.rules.form.for_himself else "partner", "previous"


class _Scene:
    """What both forms show of a view: names and cards by side of the table, None where nobody sits."""

    def __init__(self, view: View) -> None:
        self.rules, self.seen = view.rules, view.to_json()
        self.over = self.seen["phase"] == "over"
        table, sides = dict(map(tuple, self.seen["table"])), _SIDES_OF_TABLE[self.rules.n_seats]
        self.cards: list[str | None] = [None] * 4
        self.names: list[str | None] = [None] * 4
        self.holder: int | None = None
        for r, (side, place) in enumerate(zip(sides, _places(view), strict=True)):
            seat = (view.seat + r) % self.rules.n_seats
            self.cards[side], self.names[side] = table.get(seat), self._name(seat, place)
            if seat == self.seen["winner"]:
                self.holder = side
        self.suits = [[card for card in self.seen["hand"] if card[0] == suit] for suit in _SUITS]

    def _name(self, seat: int, place: str) -> str:
        seen, marks = self.seen, [place]
        marks += ["dealer"] if seat == seen["dealer"] else []
        marks += ["holds the trick"] if seat == seen["winner"] else []
        marks += ["withdrawn"] if seat == seen["withdrawn"] else []
        marks += ["hand laid open"] if seat in seen["dropped"] else []
        marks += ["uses the fola"] if seat == seen["fola_user"] else []
        return f"seat {seat} ({', '.join(marks)})"

    @property
    def head(self) -> str:
        """What is going on, in one line."""
        seen, n_tricks = self.seen, self.rules.n_tricks
        if self.over:
            return f"{seen['rules']}: the hand is over"
        turn = "you" if seen["to_act"] == seen["seat"] else f"seat {seen['to_act']}"
        if seen["picking"] is not None:
            turn += f" (from the hand of seat {seen['picking']})"
        trick = min(seen["trick"] + 1, n_tricks)
        return f"{seen['rules']}: trick {trick} of {n_tricks}, {seen['phase']}, to act: {turn}"

    @property
    def counts(self) -> str:
        """The score, ours first; where everybody plays for himself, in the order of the seats."""
        seen, n_sides = self.seen, self.rules.n_sides
        if self.rules.form.for_himself:
            order, head = list(range(n_sides)), "by seat"
        else:
            side = seen["seat"] % n_sides
            order, head = [side, 1 - side], "we : they"
        told = {name: " : ".join(str(seen[name][side]) for side in order) for name in ("score", "resti", "tricks")}
        lead = "" if self.rules.form.for_himself else f" (lead {seen['lead'] if order[0] == 0 else -seen['lead']:+d})"
        return f"{head}   score {told['score']}{lead}   resti {told['resti']}   tricks {told['tricks']}"

    @property
    def legal(self) -> str:
        """The legal actions, in one line."""
        names = self.seen["legal"]
        if self.over or self.seen["to_act"] != self.seen["seat"]:
            return "-"
        more = f" and {len(names) - _SHOWN_ACTIONS} more" if len(names) > _SHOWN_ACTIONS else ""
        return " ".join(names[:_SHOWN_ACTIONS]) + more

    def notes(self) -> list[str]:
        """Return what each seat has declared or bid, and what was said in this trick, one line each."""
        seen = self.seen
        lines = [f"seat {s} declared {' '.join(names)}" for s, names in enumerate(seen["declared"]) if names]
        lines += [f"seat {seat} bids {points}" for seat, points in enumerate(seen["bids"]) if points]
        on_table = {code for _, code in seen["table"]}
        said = ((seat, card, items) for seat, card, items in seen["said"] if items and card in on_table)
        return lines + [f"seat {seat} with {card}: {', '.join(items)}" for seat, card, items in said]


def text_table(view: View) -> str:
    """Return a view as a text of some 12 lines."""
    scene = _Scene(view)
    cards = [card or (_EMPTY if name else "") for card, name in zip(scene.cards, scene.names, strict=True)]
    below, right, above, left = (name or "" for name in scene.names)
    lines = [
        scene.head,
        above.center(72).rstrip(),
        cards[_ABOVE].center(72).rstrip(),
        f"{left:<36}{right:>36}",
        f"{cards[_LEFT].center(len(left)):<36}{cards[_RIGHT].center(len(right)):>36}".rstrip(),
        cards[_BELOW].center(72).rstrip(),
        below.center(72).rstrip(),
        scene.counts,
        *scene.notes(),
        "hand   " + " | ".join(" ".join(suit) for suit in scene.suits if suit),
        "legal  " + scene.legal,
    ]
    return "\n".join(line for line in lines if line.strip())


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
    for k, line in enumerate(scene.notes()):
        pen.text((16, 330 + 20 * k), line, fill=_FAINT, font=small)
    for side, (name_at, card_at) in enumerate(_SPOTS):
        name = scene.names[side]
        if name is None:
            continue
        half = 16 + pen.textlength(name, font=small) / 2
        at = (min(max(name_at[0], half), WIDTH - half), name_at[1])  # a long name stays in the picture
        pen.text(at, name, fill=_MARKED if side == scene.holder else _WRITING, font=small, anchor="mm")
        _draw_card(pen, large, card_at, scene.cards[side])
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
