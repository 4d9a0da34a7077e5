import pytest

from minchiate_rl.errors import InvalidNotation
from minchiate_rl.game.actions import DECLARE_WITH_MATTO, DEL_MATTO, N_ACTIONS, action_name, parse_action

UNUSED = DECLARE_WITH_MATTO + DEL_MATTO
FREE = range(136, 144)
NUMBERS = [a for a in range(N_ACTIONS) if a != UNUSED and a not in FREE]


@pytest.mark.parametrize("action", NUMBERS)
def test_names_are_read_back(action):
    assert parse_action(action_name(action)) == action


def test_every_action_has_a_name_of_its_own():
    assert len({action_name(a) for a in NUMBERS}) == len(NUMBERS)


def test_some_names_and_numbers():
    assert [action_name(a) for a in (97, 98, 99, 109, 110, 114, 115, 116, 131)] == [
        "done", "papi", "run28", "run38", "matto", "demonio", "papi+M", "run28+M", "demonio+M",
    ]  # fmt: skip


@pytest.mark.parametrize("action", [-1, UNUSED, *FREE, N_ACTIONS, 500])
def test_other_numbers_are_no_actions(action):
    with pytest.raises(InvalidNotation, match="there is no action"):
        action_name(action)


@pytest.mark.parametrize("name", ["", "matto+M", "run27", "run39", "Done", "papi+m", "M+M", "papi "])
def test_other_names_are_no_actions(name):
    with pytest.raises(InvalidNotation, match="is no action"):
        parse_action(name)
