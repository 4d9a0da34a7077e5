"""View rows taken apart and put together in plain Python, for the tests of what is made from them."""

import copy
import random
from types import SimpleNamespace

import numpy as np
import pytest

from minchiate_rl.game.engine import layout as lay
from minchiate_rl.game.rules import ruleset
from minchiate_rl.views.batch import Batch

NOBODY, NO_CARD, NO_SUIT = 7, 0xFF, 5


def cards_of(row, column):
    """Return the set of cards in two columns."""
    word = int(row[column]) | int(row[column + 1]) << 56
    return {card for card in range(97) if word >> card & 1}


def byte(row, column, place):
    """Return one byte of a column."""
    return int(row[column]) >> 8 * place & 0xFF


def number(row, column, place):
    """Return one signed number of 16 bits of a column."""
    word = int(row[column]) >> 16 * place & 0xFFFF
    return word - (word >> 15 << 16)


def card_or_none(number):
    return None if number == NO_CARD else number


def below_or_none(number, limit):
    return number if number < limit else None


def decode(row):
    """Return the facts of a view row or a state row as plain Python."""
    known = int(row[lay.V_KNOWN])
    score = int(row[lay.V_SCORE])
    lead = score >> 32 & 0xFFFF
    facts = {
        "hand": cards_of(row, lay.V_HAND),
        "played": [cards_of(row, lay.V_PLAYED + 2 * r) for r in range(4)],
        "pile": [cards_of(row, lay.V_PILE + 2 * side) for side in range(4)],
        "shown": [cards_of(row, lay.V_SHOWN + 2 * r) for r in range(4)],
        "fola": cards_of(row, lay.V_FOLA),
        "fola_public": cards_of(row, lay.V_FOLA_PUBLIC),
        "discards": [cards_of(row, lay.V_DISCARD + 2 * who) for who in range(2)],
        "robbed": [cards_of(row, lay.V_ROBBED + 2 * i) for i in range(3)],
        "declared": [int(row[lay.V_DECLARED + r]) for r in range(4)],
        "table": [card_or_none(byte(row, lay.V_TABLE, r)) for r in range(4)],
        "turned": [card_or_none(byte(row, lay.V_TABLE, 4 + r)) for r in range(4)],
        "phase": byte(row, lay.V_TURN, 0),
        "to_act": below_or_none(byte(row, lay.V_TURN, 1), 4),
        "dealer": byte(row, lay.V_TURN, 2),
        "trick": byte(row, lay.V_TURN, 3),
        "position": byte(row, lay.V_TURN, 4),
        "led": below_or_none(byte(row, lay.V_TURN, 5), 5),
        "winner": below_or_none(byte(row, lay.V_TURN, 6), 4),
        "opened": byte(row, lay.V_TURN, 7),
        "n_discards": [byte(row, lay.V_FACTS, who) for who in range(2)],
        "revealed": byte(row, lay.V_FACTS, 2),
        "stoppers": [card_or_none(byte(row, lay.V_FACTS, 3 + who)) for who in range(2)],
        "fola_size": byte(row, lay.V_FACTS, 5),
        "fola_trumps": card_or_none(byte(row, lay.V_FACTS, 6)),
        "to_discard": byte(row, lay.V_FACTS, 7),
        "voids": [known >> 5 * r & 31 for r in range(4)],
        "no_king": [known >> 20 + 4 * r & 15 for r in range(4)],
        "matto_played": below_or_none(known >> 40 & 0xFF, 4),
        "matto_owed": below_or_none(known >> 48 & 0xFF, 4),
        "matto_paid": card_or_none(known >> 56),
        "score": [score >> 16 * side & 0xFFFF for side in range(2)],
        "lead": lead - 0x10000 if lead >= 0x8000 else lead,
        "resti": [score >> 48 + 8 * side & 0xFF for side in range(2)],
        "tricks": [byte(row, lay.V_SEATS, 4 + side) for side in range(4)],
        "withdrawn": below_or_none(byte(row, lay.V_SEATS, 0), 4),
        "dropped": byte(row, lay.V_SEATS, 1),
        "picking": below_or_none(byte(row, lay.V_SEATS, 2), 4),
        "answered": byte(row, lay.V_SEATS, 3),
        "bids": [byte(row, lay.V_BIDS, r) for r in range(4)],
        "passed": byte(row, lay.V_BIDS, 4),
        "bidder": below_or_none(byte(row, lay.V_BIDS, 5), 4),
        "fola_user": below_or_none(byte(row, lay.V_BIDS, 6), 4),
        "choice": byte(row, lay.V_BIDS, 7),
        "fola_suits": [card_or_none(byte(row, lay.V_COUNTS, suit)) for suit in range(4)],
        "announced": card_or_none(byte(row, lay.V_COUNTS, 4)),
        "size": [byte(row, lay.V_COUNTS, 5 + i) for i in range(3)],
        "marks": [number(row, lay.V_MARKS, r) for r in range(4)],
        "pairs": [number(row, lay.V_PAIRS + k // 3, k % 3) for k in range(6)],
        "match_resti": [number(row, lay.V_MATCH, r) for r in range(4)],
        "match_hand": [byte(row, lay.V_FORM, i) for i in range(2)],
        "amounts": [byte(row, lay.V_FORM, 2 + i) for i in range(5)],
        "game": byte(row, lay.V_FORM, 7),
        "switches": int(row[lay.V_SWITCHES]) & (1 << 24) - 1,
        "bid_step": byte(row, lay.V_SWITCHES, 3),
        "bid_steps": byte(row, lay.V_SWITCHES, 4),
        "leader": below_or_none(byte(row, lay.V_SWITCHES, 7), 4),
        "order": [int(word) for word in row[lay.V_ORDER : lay.V_ORDER + lay.ORDER_WORDS]],
        "taken_over": cards_of(row, lay.V_PASSED),
        "demonio": byte(row, lay.V_RULES, 2),
        "take_29": byte(row, lay.V_RULES, 3),
        "rob_failure": byte(row, lay.V_RULES, 4),
        "all_tricks": byte(row, lay.V_RULES, 5),
        "memory": byte(row, lay.V_RULES, 6),
        "seat": byte(row, lay.V_RULES, 7),
        "hidden_hands": [set() for _ in range(3)],
        "true_fola": set(),
        "true_discards": [set(), set()],
    }
    if len(row) >= lay.S:
        facts["hidden_hands"] = [cards_of(row, lay.S_HAND + 2 * r) for r in range(3)]
        facts["true_fola"] = cards_of(row, lay.S_FOLA)
        facts["true_discards"] = [cards_of(row, lay.S_DISCARD + 2 * who) for who in range(2)]
    return facts


def packed(values, none=0):
    """Return bytes packed into one number."""
    return sum((none if value is None else value) << 8 * i for i, value in enumerate(values))


def to_row(f):
    """Return the state row, uint64 (S,), that the facts describe; the legal actions stay empty."""
    row = np.zeros(lay.S, np.uint64)

    def put(column, cards):
        word = sum(1 << card for card in cards)
        row[column], row[column + 1] = word & (1 << 56) - 1, word >> 56

    put(lay.V_HAND, f["hand"])
    put(lay.V_FOLA, f["fola"])
    put(lay.V_FOLA_PUBLIC, f["fola_public"])
    put(lay.S_FOLA, f["true_fola"])
    for r in range(4):
        put(lay.V_PLAYED + 2 * r, f["played"][r])
        put(lay.V_SHOWN + 2 * r, f["shown"][r])
        row[lay.V_DECLARED + r] = f["declared"][r]
    put(lay.V_PASSED, f["taken_over"])
    for i in range(4):
        put(lay.V_PILE + 2 * i, f["pile"][i])
    for i in range(2):
        put(lay.V_DISCARD + 2 * i, f["discards"][i])
        put(lay.S_DISCARD + 2 * i, f["true_discards"][i])
    for i in range(3):
        put(lay.V_ROBBED + 2 * i, f["robbed"][i])
        put(lay.S_HAND + 2 * i, f["hidden_hands"][i])
    row[lay.V_TABLE] = packed(f["table"] + f["turned"], NO_CARD)
    turn = [f["phase"], NOBODY if f["to_act"] is None else f["to_act"], f["dealer"], f["trick"], f["position"]]
    turn += [NO_SUIT if f["led"] is None else f["led"], NOBODY if f["winner"] is None else f["winner"], f["opened"]]
    row[lay.V_TURN] = packed(turn)
    stoppers = [NO_CARD if card is None else card for card in f["stoppers"]]
    counts = [f["fola_size"], NO_CARD if f["fola_trumps"] is None else f["fola_trumps"], f["to_discard"]]
    row[lay.V_FACTS] = packed([*f["n_discards"], f["revealed"], *stoppers, *counts])
    matto = [NOBODY if f[key] is None else f[key] for key in ("matto_played", "matto_owed")]
    known = sum(f["voids"][r] << 5 * r | f["no_king"][r] << 20 + 4 * r for r in range(4))
    row[lay.V_KNOWN] = known | packed([*matto, NO_CARD if f["matto_paid"] is None else f["matto_paid"]]) << 40
    marks = f["score"][0] | f["score"][1] << 16 | (f["lead"] & 0xFFFF) << 32
    row[lay.V_SCORE] = marks | f["resti"][0] << 48 | f["resti"][1] << 56
    names = ("demonio", "take_29", "rob_failure", "all_tricks", "memory", "seat")
    row[lay.V_RULES] = packed([*f["tricks"][:2], *(f[name] for name in names)])
    put_form(row, f)
    return row


def put_form(row, f):
    """Write the columns of what only some forms of the game have."""
    row[lay.V_SEATS] = packed([f["withdrawn"]], NOBODY) | packed([f["dropped"]]) << 8
    row[lay.V_SEATS] |= np.uint64(packed([f["picking"]], NOBODY) << 16 | packed([f["answered"], *f["tricks"]]) << 24)
    seats = packed([f["bidder"], f["fola_user"]], NOBODY)
    row[lay.V_BIDS] = packed([*f["bids"], f["passed"]]) | seats << 40 | f["choice"] << 56
    row[lay.V_COUNTS] = packed([*f["fola_suits"], f["announced"]], NO_CARD) | packed(f["size"]) << 40
    row[lay.V_MARKS] = words_packed(f["marks"])
    row[lay.V_PAIRS], row[lay.V_PAIRS + 1] = words_packed(f["pairs"][:3]), words_packed(f["pairs"][3:])
    row[lay.V_MATCH] = words_packed(f["match_resti"])
    row[lay.V_FORM] = packed([*f["match_hand"], *f["amounts"], f["game"]])
    row[lay.V_ORDER : lay.V_ORDER + lay.ORDER_WORDS] = f["order"]
    row[lay.V_SWITCHES] = (
        f["switches"] | f["bid_step"] << 24 | f["bid_steps"] << 32 | packed([f["leader"]], NOBODY) << 56
    )


def words_packed(values):
    """Return signed numbers of 16 bits packed into one number."""
    return sum((value & 0xFFFF) << 16 * i for i, value in enumerate(values))


def synthetic(seed, for_himself=False):
    """Return facts in which every field has a value of its own, and every card one place.

    Where everybody plays for himself there are four sides, else two.
    """
    rng = random.Random(seed)
    facts = copy.deepcopy(decode(np.zeros(lay.S, np.uint64)))
    facts |= {"table": [None] * 4, "turned": rng.sample(range(97), 4), "stoppers": rng.sample([None, *range(97)], 2)}
    for card in range(97):
        where = rng.randrange(17)
        if where < 3:
            facts["hand"].add(card)
            if where == 0:
                facts["shown"][0].add(card)
        elif where < 6:
            facts["shown"][where - 2].add(card)
            facts["hidden_hands"][where - 3].add(card)
        elif where == 6:
            for name in ("fola", "true_fola", *rng.choice([(), ("fola_public",)])):
                facts[name].add(card)
        elif where == 7:
            who = rng.randrange(2)
            facts["discards"][who].add(card)
            facts["true_discards"][who].add(card)
        elif where < 13:
            facts["played"][rng.randrange(4)].add(card)
            facts["pile"][rng.randrange(4 if for_himself else 2)].add(card)
        else:
            places = [*facts["hidden_hands"], facts["true_fola"], *facts["true_discards"]]
            rng.choice(places).add(card)
    for r in rng.sample(range(4), rng.randrange(4)):
        if facts["hidden_hands"][0] - facts["shown"][1]:
            card = min(facts["hidden_hands"][0] - facts["shown"][1])
            facts["hidden_hands"][0].remove(card)
            facts["table"][r] = card
    robbable = [13, 27, 41, 55, 56, 57, 58, 59, 60, 65, 68, *range(75, 97)]
    for card in robbable:
        i = rng.randrange(6)
        if i < 3:
            facts["robbed"][i].add(card)
    for r in range(4):
        for k in range(17):
            i = rng.randrange(6)
            if i < 2:
                facts["declared"][r] |= 1 << k + 17 * i
        facts["voids"][r] = rng.randrange(32)
        facts["no_king"][r] = rng.randrange(16)
    choices = {
        "phase": range(4), "to_act": (None, 0, 1, 2, 3), "dealer": range(4), "trick": range(26), "position": range(4),
        "led": (None, 0, 1, 2, 3, 4), "winner": (None, 0, 1, 2, 3), "opened": range(16), "revealed": range(2),
        "fola_size": range(14), "fola_trumps": (None, *range(14)), "to_discard": range(14),
        "matto_played": (None, 0, 1, 2, 3),
        "matto_owed": (None, *range(4 if for_himself else 2)), "matto_paid": (None, *range(97)),
        "lead": range(-59, 60), "demonio": range(2),
        "take_29": range(3), "rob_failure": range(2), "all_tricks": range(3), "memory": range(3), "seat": range(4),
        "withdrawn": (None, 0, 1, 2, 3), "dropped": (0, 0, *range(1, 16)), "picking": (None, 0, 1, 2, 3),
        "answered": range(5), "passed": range(16), "bidder": (None, 0, 1, 2, 3), "fola_user": (None, 0, 1, 2, 3),
        "choice": range(4), "announced": (None, 0, 1, 2), "switches": range(1 << 13), "leader": (None, 0, 1, 2, 3),
        "bid_step": (5, 10, 20), "bid_steps": range(2, 101),
    }  # fmt: skip
    facts |= {name: rng.choice(values) for name, values in choices.items()}
    pairs = {"n_discards": range(14), "score": range(500), "resti": range(8)}
    facts |= {name: [rng.choice(values) for _ in range(2)] for name, values in pairs.items()}
    by_seat = {"tricks": range(26), "bids": range(25), "match_resti": range(-40, 41), "fola_suits": (None, *range(14))}
    facts |= {name: [rng.choice(values) for _ in range(4)] for name, values in by_seat.items()}
    facts |= {
        "match_hand": [rng.randrange(12), 12],
        "amounts": [rng.choice((0, 0, 10, 40)), 0, 0, 0, rng.choice((0, 3))],
    }
    facts |= {"size": [21, 4, 4 if for_himself else 2], "game": 1 if for_himself else 0}
    if for_himself:
        facts |= {"marks": [rng.randrange(500) for _ in range(4)], "pairs": [rng.randint(-400, 400) for _ in range(6)]}
        facts |= {"amounts": [0, 10, 30, 10, 0], "lead": 0}
    return facts


def permuted_card(card, order):
    return card if card is None or card >= 56 else order[card // 14] * 14 + card % 14


def permuted_bits(word, order):
    plain = sum(1 << order[suit] for suit in range(4) if word >> suit & 1)
    return plain | word & ~15


def renamed_suits(facts, order):
    """Return the facts with suit s renamed to order[s] everywhere."""
    words = ("opened", "voids", "no_king")

    def convert(name, value):
        if isinstance(value, list) and name != "fola_suits":
            return [convert(name, part) for part in value]
        if isinstance(value, set):
            return {permuted_card(card, order) for card in value}
        if name in words:
            return permuted_bits(value, order)
        if name == "fola_suits":
            return [value[order.index(suit)] for suit in range(4)]
        if name == "led":
            return value if value is None or value == 4 else order[value]
        return permuted_card(value, order) if name in ("table", "turned", "stoppers", "matto_paid") else value

    return {name: convert(name, value) for name, value in facts.items()}


def playthrough(rules, seed):
    """Return state rows, uint64 (M, S), of random hands: the seat to act, and now and then the others."""
    batch = Batch(rules, num_games=4, seed=seed)
    rng = np.random.default_rng(seed)
    rows = []
    for step in range(200):
        rows.append(batch.states(seat=step % 4).words[step % 4 :: 4])
        if batch.done.all():
            break
        rows.append(batch.states().words[step % 3 :: 3])
        mask = batch.legal_mask()
        batch.step((rng.random(mask.shape) * mask).argmax(axis=1).astype(np.int16))
    return np.concatenate(rows)


@pytest.fixture(scope="session")
def real_rows():
    """State rows of played hands under several rule sets, uint64 (M, S)."""
    classic = ruleset("classic")
    forms = [
        classic,
        classic.replace(demonio=True, take_29="never", rob_failure_resto=True, all_tricks="double_final"),
        classic.replace(memory="own_tricks", take_29="if_usable"),
        classic.replace(memory="table"),
        *map(ruleset, ("english", "german", "accademia", "cascare", "solo", "solo_fola")),
    ]
    return np.concatenate([playthrough(rules, seed) for seed, rules in enumerate(forms)])


@pytest.fixture(scope="session")
def synthetic_rows():
    """State rows in which every field varies, uint64 (M, S)."""
    return np.stack([to_row(synthetic(seed, seed % 3 == 0)) for seed in range(120)])


@pytest.fixture(scope="session")
def naive():
    """The plain-Python side: decode, to_row, synthetic."""
    return SimpleNamespace(decode=decode, to_row=to_row, synthetic=synthetic, byte=byte, cards_of=cards_of)


@pytest.fixture(scope="session")
def permute_suits():
    """A function of (facts, order) that renames suit s to order[s]."""
    return renamed_suits
