"""Text and picture of a table: made from one seat's view, and telling what that seat may know."""

import builtins

import numpy as np
import pytest

import minchiate_rl
from minchiate_rl.envs.render import HEIGHT, WIDTH, draw_table, render_view, text_table
from minchiate_rl.errors import MinchiateError
from minchiate_rl.game.engine.layout import DECLARED


@pytest.fixture(scope="module")
def batch():
    """Return a hand in its third trick, or a little later."""
    batch = minchiate_rl.Batch("classic", 1, seed=5)
    while batch.trick[0] < 2 or batch.view(0).to_json()["table"] == []:
        batch.step(batch.legal_mask().argmax(axis=1))
    return batch


def test_the_text_shows_the_hand_the_table_the_score_and_what_is_legal(batch):
    view = batch.view(0)
    seen, text = view.to_json(), text_table(view)
    lines = text.splitlines()
    assert all(len(line) <= 120 for line in lines)
    assert set(seen["hand"]) <= set(next(line for line in lines if line.startswith("hand")).split())
    assert seen["legal"] == next(line for line in lines if line.startswith("legal")).split()[1:]
    for _, card in seen["table"]:
        assert card in text
    ours, theirs = seen["score"][view.seat % 2], seen["score"][1 - view.seat % 2]
    assert f"score {ours} : {theirs}" in text
    assert f"seat {view.seat} (you" in text
    assert "dealer" in text


def test_every_seat_has_its_own_text_and_sees_no_other_hand(batch):
    views = [batch.view(0, seat) for seat in range(4)]
    texts = [text_table(view) for view in views]
    assert len(set(texts)) == 4
    waiting = (int(batch.seat[0]) + 1) % 4
    hands = [next(line for line in text.splitlines() if line.startswith("hand")) for text in texts]
    assert not set(views[(waiting + 1) % 4].to_json()["hand"]) & set(hands[waiting].split())
    assert "legal  -" in texts[waiting]


def test_the_end_is_told():
    batch = minchiate_rl.Batch("classic", 1, seed=5)
    batch.playout()
    text = text_table(batch.view(0, 3))
    assert text.startswith("classic: the hand is over")
    assert "lead +0" in text
    assert draw_table(batch.view(0, 3)).shape == (HEIGHT, WIDTH, 3)


def test_the_picture_changes_with_what_is_seen(batch):
    pictures = [draw_table(batch.view(0, seat)) for seat in range(4)]
    for picture in pictures:
        assert picture.shape == (HEIGHT, WIDTH, 3)
        assert picture.dtype == np.uint8
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 20
    assert len({picture.tobytes() for picture in pictures}) == 4
    assert draw_table(batch.view(0, 0)).tobytes() == pictures[0].tobytes()


def test_the_largest_hand_fits_on_the_picture():
    batch = minchiate_rl.Batch("classic", 256, seed=0)
    sizes = [len(batch.view(i).to_json()["hand"]) for i in range(256)]
    assert max(sizes) > 26
    assert draw_table(batch.view(int(np.argmax(sizes)))).shape == (HEIGHT, WIDTH, 3)


def test_declarations_are_shown():
    batch = minchiate_rl.Batch("classic", 64, seed=0)
    while not any((batch.rows[:, DECLARED : DECLARED + 4] != 0).any(axis=1)):
        mask = batch.legal_mask()
        batch.step(np.where(mask[:, 98:].any(axis=1), 98 + mask[:, 98:].argmax(axis=1), mask.argmax(axis=1)))
    i = int(np.flatnonzero((batch.rows[:, DECLARED : DECLARED + 4] != 0).any(axis=1))[0])
    view = batch.view(i)
    assert "declared" in text_table(view)
    assert draw_table(view).shape == (HEIGHT, WIDTH, 3)


def test_the_modes(batch, capsys):
    view = batch.view(0)
    assert render_view(view, "ansi") == text_table(view)
    assert render_view(view, "human") is None
    assert capsys.readouterr().out == text_table(view) + "\n"
    assert render_view(view, "rgb_array").tobytes() == draw_table(view).tobytes()


def test_without_pillow_one_message_says_what_to_install(batch, monkeypatch):
    real = builtins.__import__

    def without(name, *arguments, **keywords):
        if name.split(".")[0] == "PIL":
            raise ImportError(name)
        return real(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MinchiateError, match=r'pip install "minchiate-rl\[render\]"'):
        draw_table(batch.view(0))


def test_the_longest_name_stays_in_the_picture():
    batch = minchiate_rl.Batch("classic", 64, seed=3, dealers=np.full(64, 3))
    for _ in range(400):
        seen = [batch.view(i, seat=0).to_json() for i in range(8)]
        found = [i for i, view in enumerate(seen) if view["winner"] == 3]
        if found:
            break
        batch.step(batch.legal_mask().argmax(axis=1))
    view = batch.view(found[0], seat=0)
    assert "seat 3 (previous, dealer, holds the trick)" in text_table(view)
    picture = draw_table(view)
    assert (picture[:, :12] == picture[0, 0]).all()
    assert (picture[:, -12:] == picture[0, 0]).all()
