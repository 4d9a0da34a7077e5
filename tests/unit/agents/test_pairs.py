"""The rule player of Piedicavallo on positions made by hand, with what was told and without."""

import pytest

from minchiate_rl.agents.pairs import choose_pairs
from minchiate_rl.game.actions import action_name
from tests.support.positions import at_piedicavallo


def plays(hand: str, table: str = "", *, reads: bool = True, **facts: object) -> str:
    row = at_piedicavallo(hand, table, **facts)  # type: ignore[arg-type]
    return action_name(int(choose_pairs(row, 0, reads, True)))


@pytest.mark.parametrize(("reads", "card"), [(True, "CQ"), (False, "C5")])
def test_brings_points_to_the_trick_of_a_partner_who_has_told_its_king(reads: bool, card: str) -> None:
    told = [("C3", ["have K", "total 2"]), ("C6", [])]
    assert plays("CQ C5 T3", "C6", said=told, played={2: "C3"}, reads=reads) == card


@pytest.mark.parametrize(("reads", "card"), [(True, "C5"), (False, "CN")])
def test_keeps_points_from_a_trick_of_an_opponent_who_has_told_the_king(reads: bool, card: str) -> None:
    told = [("C2", ["have K", "total 3"]), ("C6", []), ("C3", [])]
    assert plays("CN CQ C5 T3", "C6 C3", said=told, played={1: "C2"}, reads=reads) == card


def test_leads_a_suit_that_the_partner_has_told_to_be_void_in() -> None:
    hand = "C5 D5 S5 B5 C6 D6 S6 B6"
    assert plays(hand, said=[("D3", ["void"])], played={2: "D3"}) == "D6"
    assert plays(hand, said=[("S7", ["void"]), ("T9", ["more 4"])], played={2: "S7 T9"}) == "S5"
    assert plays(hand, said=[("D3", ["void"])], played={1: "D3"}) not in {"D5", "D6"}


def test_brings_the_bagatto_home_as_last_hand() -> None:
    assert plays("T1 T8", "C6 T17 C9") == "T1"
