"""The rule player on positions made by hand: each tactic of the sources has a case (docs/rules.md, section 9)."""

import numpy as np
import pytest

from minchiate_rl.agents.heuristic import choose_heuristic
from minchiate_rl.game.actions import action_name, parse_action
from tests.support.positions import Row, declaring, discarding, position


def answer(row: Row) -> str:
    return action_name(int(choose_heuristic(row, 0, np.uint64(0))))


def plays(hand: str, table: str = "", **facts: object) -> str:
    return answer(position(hand, table, **facts))


HIGHER = "T40 T39 T38 T37 T36 T35 T34 T33 T32 T31"
"""Trumps that have gone in cases about lower ones."""


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["done"], "done"),
        (["done", "tredici"], "tredici"),
        (["done", "papi", "papi+M"], "papi+M"),
        (["done", "matto", "regi", "regi+M"], "regi+M"),
        (["done", "matto"], "matto"),
    ],
)
def test_declares_everything_and_shows_the_matto(names: list[str], chosen: str) -> None:
    assert answer(declaring("M", *map(parse_action, names))) == chosen


def test_discards_towards_a_void_without_the_king() -> None:
    assert answer(discarding("CK C2 D5 D6 D7 S3 S4 S5 S6 BK B3 B4 T6 T21 T28")) == "D7"


def test_keeps_the_suit_of_a_short_king_to_the_last() -> None:
    assert answer(discarding("CK C2 T6 T21 DK D3 D4 D5 D6 D7")) == "D7"


def test_discards_no_trump_but_from_an_over_supply_and_then_the_lowest() -> None:
    assert answer(discarding("CK C2 T6 T21 T22 T23")) == "C2"
    assert answer(discarding("CK C2 T6 T7 T8 T9 T11 T12 T14 T15 T16 T17 T18 T19 T21 T22 T23")) == "T6"


def test_takes_a_counting_card_as_cheaply_as_it_can() -> None:
    assert plays("T9 T14 T22 T26", "T8 T2 T13") == "T14"


def test_ducks_with_its_lowest_harmless_card() -> None:
    assert plays("T1 T3 T8 T19 T20 T24", "T40 T9 T11") == "T8"
    assert plays("C9 C4 CQ", "CN CK C2") == "C9"


def test_feeds_a_partner_whose_trick_is_safe_as_last_hand() -> None:
    assert plays("T3 T8 T22", "T9 T26 T11") == "T3"


def test_feeds_a_partner_who_cannot_be_beaten() -> None:
    assert plays("T3 T8 T22", "T40 T11") == "T3"


def test_does_not_feed_a_trick_that_is_not_safe() -> None:
    assert plays("T3 T8 T22", "T11 T9") != "T3"
    assert plays("T3 T8", "T21") == "T8"


def test_guards_the_card_that_a_versicola_needs() -> None:
    assert plays("T31 T33", "T40 T9 T11", piles=("T34 T35", "T32")) == "T31"
    assert plays("T31 T33", "T40 T9 T11", piles=("T29 T30", "T34")) == "T33"


def test_denies_the_card_that_their_versicola_needs() -> None:
    assert plays("T31 T33", "T40 T9 T11", piles=("T32", "T34 T35")) == "T31"


def test_guards_the_carta_gelosa_among_papi() -> None:
    assert plays("T2 T3", "T40 T9 T11") == "T2"


def test_spends_less_on_a_card_whose_versicole_are_dead() -> None:
    assert plays("T2 T3", "T40 T9 T11", piles=("T2", "T1 T4")) in {"T2", "T3"}


def test_plays_the_matto_where_a_counting_card_would_die() -> None:
    assert plays("T30 T13 M", "T40 T9 T11") == "M"
    assert plays("T8 T13 M", "T40 T9 T11") == "T8"


def test_plays_the_matto_late() -> None:
    assert plays("T22 M", "T40 T9 T11", trick=19) == "M"
    assert plays("T22 M", "T40 T9 T11", trick=5) == "T22"


def test_third_hand_keeps_the_papi_out() -> None:
    fourth_may_trump = {1: "C"}
    assert plays("T4 T7 T8", "C5 C6", voids=fourth_may_trump, played=HIGHER) in {"T7", "T8"}


def test_third_hand_plays_a_sopraventi_against_the_twenty() -> None:
    gone = HIGHER + " T30 T29 T28 T27 T26 T25 T24 T1 T2 T3 T4 T5 T10 T13"
    assert plays("T15 T21 T22", "C5 C6", voids={1: "C"}, played=gone) == "T21"


def test_third_hand_does_not_waste_strength_on_a_fourth_that_must_follow() -> None:
    assert plays("T6 T15 T22", "C5 C6", shown={1: "CQ"}) == "T6"


def test_leads_a_suit_that_the_fourth_hand_still_holds() -> None:
    assert plays("C5 C6 D5 D6", voids={3: "C"}) == "D6"
    assert plays("C5 C6 D5 D6", voids={3: "D"}) == "C6"


def test_leads_no_suit_that_the_right_hand_opponent_trumps_before_partner() -> None:
    assert plays("C5 C6 D5 D6", voids={1: "C"}) == "D6"


def test_feeds_a_void_partner_with_leads() -> None:
    assert plays("C5 C6 D5 D6 S3 S4 B3 B4", voids={2: "S"}) == "S3"


def test_leaves_a_suit_that_nobody_else_holds() -> None:
    others = "C10 C9 C8 C7 C4 C3 C2 C1 CJ CN CQ CK"
    assert plays("C5 C6 D5 D6", played=others) == "D6"


def test_leads_low_from_a_short_king_where_an_opponent_would_trump_it() -> None:
    assert plays("C5 C6 SK S2 S7", opened="CDB", voids={3: "S"}) == "S2"
    assert plays("C5 C6 SK S2 S7", opened="CDBS", voids={3: "S"}) == "C6"


def test_leads_a_king_that_nobody_will_trump() -> None:
    assert plays("C5 C6 SK S2 S7 S8 S9", opened="CDB", shown={1: "S3", 3: "S4"}) == "SK"


def test_attacks_a_king_behind_a_void_partner() -> None:
    assert plays("C5 C6 D5 D6", opened="SB", shown={3: "CK"}, voids={2: "CD"}) == "C6"


def test_does_not_hang_the_king_of_its_partner() -> None:
    assert plays("C5 C6 D5 D6", opened="SB", shown={2: "CK"}, voids={1: "CD"}) == "D6"


def test_signals_its_tops_where_that_is_cheap() -> None:
    assert plays("T40 T39 T38 T12 T22", trick=12) == "T22"
    assert plays("T40 T39 T12 T26", trick=12) == "T26"


def test_a_single_legal_card_is_played() -> None:
    assert plays("C5 T40", "C6 C7 C8") == "C5"
