"""Every item of the vocabulary in a position in which it may be said, and in one in which it may not."""

import pytest

from minchiate_rl.game.actions import DONE, SPEECH_NAMES, parse_action
from minchiate_rl.game.cards import parse_card
from minchiate_rl.game.piedicavallo.lawbook import PACK, cards_of
from minchiate_rl.game.piedicavallo.speech import Message
from minchiate_rl.game.piedicavallo.truth import Situation

COURTS = "KQNJ"
PIPS = {"C": "1 2 3 4 5 6", "D": "1 2 3 4 5 6", "S": "10 9 8 7 6 5", "B": "10 9 8 7 6 5"}


def cards(text):
    return frozenset(parse_card(code) for code in text.split())


def pips(letter, n):
    return " ".join(letter + rank for rank in PIPS[letter].split()[:n])


def all_of(letter, n):
    return " ".join([*(letter + rank for rank in COURTS), *pips(letter, 6).split()][:n])


def trumps(*numbers):
    return " ".join(f"T{n}" for n in numbers)


def message(card, hand="", said="", *, gone="", place=0, slept=None, named="", high=False, requests=True):
    """Return a message on the way: the card played, the hand left, and what has been said."""
    situation = Situation(
        card=parse_card(card),
        hand=cards(hand),
        played=cards(gone) | cards(card),
        place=place,
        slept=None if slept is None else cards(slept),
        partner_named=cards(named),
        partner_high=high,
        requests=requests,
    )
    on_its_way = Message(situation)
    for item in said.split(", ") if said else []:
        on_its_way.say(parse_action(item))
    return on_its_way


def case(*args, **keywords):
    return args, keywords


def numbered():
    """Yield the items with a number; in a block of the other colour neither suit has the number that is not true."""
    for k in range(7):
        one, two = (k + 1) % 7, (k + 2) % 7
        yield f"pips {k}", case("CK", pips("C", k)), case("CK", pips("C", one))
        yield f"pips {k}", case("SK", pips("D", k), "altro"), case("SK", f"{pips('C', one)} {pips('D', two)}", "altro")
    for k in range(11):
        neither = f"{all_of('C', (k + 1) % 11)} {all_of('D', (k + 2) % 11)}"
        yield f"total {k}", case("SK", all_of("C", k), "altro"), case("SK", neither, "altro")
    for k in range(10):
        yield f"total {k}", case("C6", all_of("C", k)), case("C6", all_of("C", (k + 1) % 10))
    for k in range(15):
        yield f"more {k}", case("T21", trumps(*range(1, k + 1))), case("T21", trumps(*range(1, (k + 1) % 15 + 1)))


def named():
    """Yield the items that name a card."""
    for rank in COURTS:
        have = f"have {rank}"
        yield have, case("C1", f"C{rank}"), case("C1", f"D{rank}")
        yield have, case("C1", f"S{rank}", "altro"), case("C1", f"D{rank}", "altro")
        yield have, case("C1", "", "lead altro", named=f"S{rank}"), case("C1", "", "lead altro", named=f"D{rank}")
        card = f"C{rank}"
        yield card, case("C1", "", "lead this", named=card), case("C1", "", "lead this", named=card, gone=card)
    for rank in "QNJ":
        have, of_this, of_another = f"have {rank}", f"C{rank} D1", f"B{rank} D1"
        yield have, case("C1", "", "sleep this", slept=of_this), case("C1", "", "sleep this", slept=of_another)
        yield have, case("C1", "", "sleep altro", slept=of_another), case("C1", "", "sleep altro", slept=of_this)
    for n in range(15, 22):
        card = f"T{n}"
        yield card, case("T1", card), case("T1", "T14")
        yield card, case("T1", "", "lead trump", named=card), case("T1", "", "lead trump", named=card, gone=card)


#: An item, a position in which it may be said, one in which it may not.
CASES = [
    *numbered(),
    *named(),
    ("M", case("T1", "M"), case("T1", "T2")),
    ("M", case("T1", "M", "more 0"), case("M", "T1")),
    ("batto", case("C1", "CK"), case("C1", "CQ")),
    ("batto", case("C1", "CQ", gone="CK"), case("C1", "CN", gone="CK")),
    ("batto", case("C1", "CQ", slept="CK D1"), case("C1", "CQ", slept="C2 D1")),
    ("batto", case("CQ", "CK"), case("CK")),
    ("batto", case("C1", "BK", "altro"), case("C1", "DK", "altro")),
    ("batto", case("T1", "T21"), case("T1", "T20")),
    ("batto", case("T21", "T20"), case("T21", "T19")),
    ("batto", case("T21", "T19", slept="T20 C1"), case("T21", "T19", slept="T18 C1")),
    ("batto", case("C1", "CK"), case("C1", "CK", "batto")),
    ("batto batto", case("M", "T21 T20"), case("M", "T21 T19")),
    ("batto batto", case("T21", "T20 T19", "batto"), case("T21", "T20", "batto", gone=trumps(*range(1, 20)))),
    ("batto batto", case("T21", "T20 T19"), case("T21", "T20 T19", "more 2")),
    ("bagatto", case("T2", "T1"), case("T2", "T3")),
    ("bagatto", case("M", "T1"), case("C1", "T1")),
    ("no trumps", case("T2", "M C1"), case("T2", "T1")),
    ("no trumps", case("T2", "C1", "more 0"), case("C1", "C2")),
    ("void", case("C1", "D1"), case("C1", "C2")),
    ("void", case("C1", "S5", "altro"), case("C1", "S5 B5", "altro")),
    ("void", case("C1", "S5", "altro, total 1, altro"), case("C1", "S5", "altro, void, altro")),
    ("altro", case("C1"), case("T1")),
    ("altro", case("C1", "C2", "total 1, lead this, altro, total 0"), case("C1", "", "altro, void, altro, void")),
    ("altro", case("C1"), case("C1", said="altro")),
    ("sleep this", case("C1", slept="C2 S5"), case("C1")),
    ("sleep this", case("C1", "", "sleep altro, pips 2", slept="S5 S6"), case("C1", "", "low", slept=None)),
    ("sleep this", case("C1", "", "altro, void", slept="C2 S5"), case("C1", "", "sleep this, pips 1", slept="C2 S5")),
    ("sleep altro", case("C1", slept="C2 S5"), case("T1", slept="C2 S5")),
    ("sleep altro", case("C1", "", "lead this", slept="C2 S5"), case("C1", "", "sleep altro, pips 1", slept="C2 S5")),
    ("farlo", case("C1", high=True), case("C1", high=False)),
    ("farlo", case("C1", high=True, place=1), case("C1", high=True, place=2)),
    ("low", case("C1", place=1), case("C1", place=2)),
    ("most points", case("T1"), case("T1", place=3)),
    ("fewest points", case("T1"), case("T1", said="fewest points")),
    ("play", case("C1", place=1), case("C1", place=2)),
    ("play", case("C6", all_of("C", 8)), case("C6", all_of("C", 9))),
    ("cover", case("C1", place=0), case("C1", place=1)),
    ("lead trump", case("T1", place=3), case("C1", place=3)),
    ("lead trump", case("M"), case("M", said="lead trump")),
    ("lead this", case("C1", place=3), case("T1", place=3)),
    ("lead this", case("C1", said="low"), case("C1", said="lead altro, high")),
    ("lead altro", case("C1", place=3), case("M", place=3)),
    ("lead altro", case("C1", "C2", "pips 1"), case("C1", said="lead this")),
    ("high", case("T1", said="lead trump"), case("T1")),
    ("low card", case("C1", said="lead this"), case("C1", said="lead this, high")),
    ("valuable", case("C1", said="lead altro"), case("C1", said="lead altro, low")),
    ("CK", case("C1", said="lead this", named="CK"), case("C1", said="lead this", named="SK")),
    ("CK", case("C1", said="lead this", named="CK"), case("C1", said="lead this", named="CK", gone="CK")),
    ("done", case("C1"), case("C1", said="altro")),
    ("done", case("C1", slept="C2 C3", said="sleep this, pips 2"), case("C1", slept="C2 C3", said="sleep this")),
    ("done", case("C1", slept="C2 C3", said="sleep altro, pips 0"), case("C1", slept="C2 C3", said="sleep altro")),
    ("done", case("C1", said="play, C2"), case("C1", said="play")),
    ("done", case("C1", said="lead this"), case("T1", said="play")),
]  # fmt: skip


@pytest.mark.parametrize(("item", "yes", "no"), CASES, ids=[f"{n}: {row[0]}" for n, row in enumerate(CASES)])
def test_where_an_item_may_be_said_and_where_not(item, yes, no):
    action = parse_action(item)
    assert action in message(*yes[0], **yes[1]).legal()
    assert action not in message(*no[0], **no[1]).legal()


def test_the_cases_are_the_whole_vocabulary():
    told = {row[0] for row in CASES}
    assert set(SPEECH_NAMES.values()) | {"done"} <= told
    assert {"M", *(f"T{n}" for n in range(15, 22))} <= told


@pytest.mark.parametrize("suit", range(5))
def test_every_card_of_the_suit_played_can_be_asked_for_until_it_is_seen_or_held(suit):
    first, *rest = cards_of(suit)
    for card in rest:
        for hand, gone in ((), ()), ((card,), ()), ((), (card,)):
            on_its_way = Message(Situation(first, frozenset(hand), frozenset({first, *gone}), place=0))
            on_its_way.say(parse_action("play"))
            assert on_its_way.legal() == set(rest) - {*hand, *gone}


def test_with_the_matto_any_trump_can_be_asked_for():
    assert message("M", said="play").legal() == set(cards_of(4))


def test_trumps_below_15_are_counted_and_not_named():
    assert message("M", trumps(*range(1, 15))).legal() & set(PACK) == set()


def test_facts_alone_leave_every_request_out():
    for card in ("C1", "T1", "M"):
        on_its_way = message(card, "CK T21", requests=False, high=True)
        assert max(on_its_way.legal()) < parse_action("farlo")
        assert DONE in on_its_way.legal()
