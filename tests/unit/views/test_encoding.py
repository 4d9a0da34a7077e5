import copy
import random

import numpy as np
import pytest

from minchiate_rl.game.cards import MATTO, VALUES
from minchiate_rl.game.engine.layout import V_LEGAL, S, V
from minchiate_rl.game.lawbook import versicole_value
from minchiate_rl.game.rules import ruleset
from minchiate_rl.views import encoding
from minchiate_rl.views.economics import SLOT_CARDS
from minchiate_rl.views.slices import ROBBED_CARDS

SEATS = ("me", "next", "partner", "previous")


def encode(rows):
    out = np.full((len(rows), encoding.OBSERVATION_SIZE), np.nan, np.float32)
    encoding.encode_dense_slice(rows, out, 0, len(rows))
    return out


def plane(cards):
    return [float(card in cards) for card in range(97)]


def one_hot(value, size):
    return [float(i == value) for i in range(size)]


def bits(word, size):
    return [float(word >> i & 1) for i in range(size)]


def strength(card):
    if card is None or card == MATTO:
        return 0.0
    return (card % 14 + 1) / 14 if card < 56 else (card - 55) / 40


def block(card):
    if card is None:
        return [0.0] * 7
    suit = 5 if card == MATTO else min(card // 14, 4)
    return [*one_hot(suit, 6), strength(card)]


def rank(card):
    if card is None or card == MATTO:
        return 0.0 if card is None else -1.0
    return strength(card) / 2 + (0.5 if card >= 56 else 0)


def for_himself(f):
    return f["size"][2] > 2


def extras(f):
    """Return the arguments of versicole_value besides the cards."""
    return f["demonio"], f["amounts"][0], f["amounts"][1]


def discards_are_ours(f, who):
    if not for_himself(f):
        return (f["dealer"] % 2 == 0) == (who == 1)
    if who == 1:
        return f["dealer"] == 0
    return f["dealer"] == 1 if f["fola_user"] is None else f["fola_user"] == 0


def places_known(f):
    known = set(f["hand"]) | f["fola"] | f["discards"][0] | f["discards"][1]
    return known.union(*f["pile"], *f["played"], *f["shown"][1:], {card for card in f["table"] if card is not None})


def out_of_play(f):
    weights = dict.fromkeys(f["fola"], 0.75) | dict.fromkeys(f["fola_public"], 1.0)
    for who in range(2):
        weights |= dict.fromkeys(f["discards"][who], 0.5 if discards_are_ours(f, who) else 0.25)
    return [weights.get(card, 0.0) for card in range(97)]


def gain(f, pile, card):
    now = versicole_value(pile, *extras(f))
    return max(versicole_value(pile | {card}, *extras(f)) - now, 0)


def captures(f, piles):
    gone = set().union(*f["pile"], f["fola"], *f["discards"])
    worth = []
    for card in SLOT_CARDS:
        points = VALUES[card] + max(gain(f, pile, card) for pile in piles)
        worth.append(0.0 if card in gone else min(points / 50, 1.0))
    return worth


def captured(f, card):
    weights = (1, -1, -0.5, -0.25)
    return next((weight for weight, pile in zip(weights, f["pile"], strict=True) if card in pile), 0.0)


def robbed(f):
    by_cutter, by_dealer, taken = f["robbed"]
    return [1.0 * (c in by_cutter) - 1.0 * (c in by_dealer) - 0.5 * (c in taken) for c in ROBBED_CARDS]


def expected(f):
    """Return what every slice should hold, from the facts of a view row."""
    slices = {"hand": plane(f["hand"]), "out_of_play": out_of_play(f), "robbed": robbed(f)}
    slices["unseen"] = plane(set(range(97)) - places_known(f))
    slices["captured"] = [captured(f, card) for card in range(97)]
    for r, who in enumerate(SEATS):
        slices[f"played_{who}"] = plane(f["played"][r])
        slices[f"shown_{who}"] = plane(f["shown"][r])
        word = f["declared"][r]
        slices[f"declared_{who}"] = [0.5 * (word >> k & 1) + (word >> 17 + k & 1) for k in range(17)]
        slices[f"table_{who}"] = block(f["table"][r])
    slices |= {
        "voids": [bit for word in f["voids"] for bit in bits(word, 5)],
        "no_king": [bit for word in f["no_king"] for bit in bits(word, 4)],
        "opened": bits(f["opened"], 4),
        "capture_us": captures(f, f["pile"][:1]),
        "capture_them": captures(f, f["pile"][1 : f["size"][2]]),
        "led": one_hot(f["led"], 5),
        "winner": one_hot(f["winner"], 4),
        "turned": [rank(card) for card in f["turned"]],
        "phase": one_hot(f["phase"], 9),
        "to_act": one_hot(f["to_act"], 4),
        "dealer": one_hot(f["dealer"], 4),
        "matto_played": one_hot(f["matto_played"], 4),
        "matto_owed": one_hot(f["matto_owed"], 4),
        "matto_paid": [0.0 if f["matto_paid"] is None else (VALUES[f["matto_paid"]] + 1) / 11],
        "trick": [f["trick"] / 25],
        "tricks_won": [n / 25 for n in f["tricks"]],
        "ahead": [n / 60 for n in (f["pairs"] if for_himself(f) else [f["lead"], 0, 0, 0, 0, 0])],
        "score": [n / 500 for n in (f["marks"] if for_himself(f) else [*f["score"], 0, 0])],
        "resti": [((n + 128) % 256 - 128 if for_himself(f) else n) / 8 for n in f["resti"]],
        "n_discards": [n / 13 for n in f["n_discards"]],
        "to_discard": [f["to_discard"] / 13],
        "revealed": [float(f["revealed"])],
        "fola": [f["fola_size"] / 13, told(f["fola_trumps"])],
        "fola_suits": [told(n) for n in f["fola_suits"]],
        "trumps_discarded": [0.0 if f["announced"] is None else (f["announced"] + 1) / 3],
        "stoppers": [strength(card) for card in f["stoppers"]],
        "rules": [
            f["demonio"],
            *(float(f["take_29"] == i) for i in (1, 2)),
            f["rob_failure"],
            (0.0, 1.0, 0.5)[f["all_tricks"]],
            *(float(f["memory"] == i) for i in (1, 2)),
        ],
        "switches": bits(f["switches"], 13),
        "amounts": [n / unit for n, unit in zip(f["amounts"], (50, 50, 200, 60, 60), strict=True)],
        "form": [f["size"][0] / 25, f["size"][1] / 4, (0.5 if f["game"] == 2 else 1.0) if for_himself(f) else 0.0],
    }
    return slices | left_and_bid(f)


def told(count):
    return -1.0 if count is None else count / 13


def left_and_bid(f):
    return {
        "out": [1.0 if r == f["withdrawn"] else 0.5 * (f["dropped"] >> r & 1) for r in range(4)],
        "answered": [f["answered"] / 4],
        "bids": [-1.0 if f["passed"] >> r & 1 else f["bids"][r] * f["bid_step"] / 200 for r in range(4)],
        "eldest_choice": [(0.0, 1.0, 0.5, 0.0)[f["choice"]]],
        "match_resti": [n / 24 for n in f["match_resti"]],
        "match_hand": [n / 12 for n in f["match_hand"]],
    }


def check_slices(rows, naive):
    for vector, row in zip(encode(rows), rows, strict=True):
        slices = expected(naive.decode(row))
        assert slices.keys() == encoding.SLICES.keys()
        for name, (start, stop, _) in encoding.SLICES.items():
            np.testing.assert_allclose(vector[start:stop], slices[name], atol=1e-6, err_msg=name)


def test_slices_tile_the_vector():
    ends = [0, *(stop for _, stop, _ in encoding.SLICES.values())]
    assert [start for start, _, _ in encoding.SLICES.values()] == ends[:-1]
    assert ends[-1] == encoding.OBSERVATION_SIZE <= 1500


def test_every_slice_says_what_the_row_says(synthetic_rows, naive):
    check_slices(synthetic_rows, naive)


def test_every_slice_says_what_a_played_row_says(real_rows, naive):
    check_slices(real_rows[::9], naive)


def test_entries_lie_about_between_minus_one_and_one(real_rows):
    vectors = encode(real_rows)
    assert np.abs(vectors).max() < 8
    within = np.ones(encoding.OBSERVATION_SIZE, np.bool_)
    for name in ("ahead", "score", "resti", "n_discards", "to_discard", "fola", "fola_suits", "bids", "match_resti"):
        start, stop, _ = encoding.SLICES[name]
        within[start:stop] = False
    assert np.abs(vectors[:, within]).max() <= 1


def test_a_row_in_python_and_back(real_rows, naive):
    for row in real_rows[::50]:
        again = naive.to_row(naive.decode(row))
        again[V_LEGAL : V_LEGAL + 4] = row[V_LEGAL : V_LEGAL + 4]  # the legal actions are no fact of their own
        np.testing.assert_array_equal(again, row)


OF_FOUR = (
    "played", "shown", "turned", "table", "declared", "voids", "no_king", "tricks", "fola_suits", "match_resti",
)  # fmt: skip
OF_TWO = ("pile", "discards", "stoppers", "n_discards", "score", "resti")
ALONE = (
    "hand", "fola", "fola_public", "phase", "to_act", "dealer", "trick", "led", "winner", "opened",
    "revealed", "fola_size", "fola_trumps", "to_discard", "matto_played", "matto_owed", "matto_paid", "lead", "demonio",
    "take_29", "rob_failure", "all_tricks", "memory", "withdrawn", "answered", "passed", "choice", "announced",
    "switches", "amounts",
)  # fmt: skip
FIELDS = [
    *ALONE,
    *((name, i) for name in OF_FOUR for i in range(4)),
    *((name, i) for name in OF_TWO for i in range(2)),
    *(("robbed", i) for i in range(3)),
]


def told_as(field, value):
    """Return what the vector tells of a value: a stopper by its strength, a payment by its value."""
    if field == "choice":
        return value % 3
    if field == "matto_paid":
        return None if value is None else VALUES[value]
    if field[0] == "turned":
        return rank(value)
    return strength(value) if field[0] == "stoppers" else value


def changed(facts, other, field):
    """Return the facts with one field from the others; None if the vector would tell the same."""
    facts = copy.deepcopy(facts)
    place, key, source = (
        (facts, field, other) if isinstance(field, str) else (facts[field[0]], field[1], other[field[0]])
    )
    old, place[key] = place[key], source[key]
    return None if told_as(field, old) == told_as(field, source[key]) else facts


@pytest.mark.parametrize("field", FIELDS, ids=str)
def test_every_fact_changes_the_vector(field, naive):
    differing = 0
    for seed in range(12):
        facts, other = naive.synthetic(seed), naive.synthetic(seed + 1000)
        facts_2 = changed(facts, other, field)
        if facts_2 is not None:
            before, after = encode(np.stack([naive.to_row(facts), naive.to_row(facts_2)]))
            assert (before != after).any()
            differing += 1
    assert differing > 0


def test_the_absolute_seat_does_not_show(naive):
    facts = naive.synthetic(3)
    rows = np.stack([naive.to_row(facts | {"seat": seat}) for seat in range(4)])
    vectors = encode(rows)
    assert (vectors == vectors[0]).all()


def test_slices_of_a_batch_leave_other_rows_alone(real_rows):
    out = np.full((9, encoding.OBSERVATION_SIZE), 5, np.float32)
    encoding.encode_dense_slice(real_rows[:9], out, 3, 6)
    np.testing.assert_array_equal(out[3:6], encode(real_rows[3:6]))
    assert (out[:3] == 5).all()
    assert (out[6:] == 5).all()


# Suits


def permuted_card(card, order):
    return card if card >= 56 else order[card // 14] * 14 + card % 14


def permuted_places(order):
    """Return for each entry of the vector the entry that says the same of the renamed suits."""
    moved = np.arange(encoding.OBSERVATION_SIZE)
    for name, (start, stop, _) in encoding.SLICES.items():
        if stop - start == 97:
            moved[start:stop] = [start + permuted_card(card, order) for card in range(97)]
        stride = {"voids": 5, "no_king": 4, "opened": 4, "led": 5, "fola_suits": 4}.get(name, 0)
        stride = stop - start if name[:5] == "table" else stride
        if name in ("robbed", "capture_us", "capture_them"):
            stride = stop - start
        for group in range(start, stop, stride or stop):
            if stride:
                moved[group : group + 4] = [group + order[suit] for suit in range(4)]
    return moved


@pytest.mark.parametrize("seed", range(8))
def test_renaming_suits_permutes_the_vector(seed, naive, real_rows, permute_suits):
    order = random.Random(seed).sample(range(4), 4)
    for facts in (naive.synthetic(seed), naive.decode(real_rows[seed * 37])):
        before, after = encode(np.stack([naive.to_row(facts), naive.to_row(permute_suits(facts, order))]))
        np.testing.assert_array_equal(after[permuted_places(order)], before)


# The critic's state, and the text


def test_a_state_is_the_observation_and_the_hidden_cards(real_rows, naive):
    out = np.full((len(real_rows) + 1, encoding.STATE_SIZE), 5, np.float32)
    encoding.encode_state_slice(real_rows, out, 0, len(real_rows))
    np.testing.assert_array_equal(out[:-1, : encoding.OBSERVATION_SIZE], encode(real_rows))
    assert (out[-1] == 5).all()
    assert encoding.OBSERVATION_SIZE + 97 * len(encoding.STATE_PLANES) == encoding.STATE_SIZE
    for vector, row in zip(out[::31], real_rows[::31], strict=False):
        f = naive.decode(row)
        sets = [*f["hidden_hands"], f["true_fola"], *f["true_discards"]]
        assert list(vector[encoding.OBSERVATION_SIZE :]) == [entry for cards in sets for entry in plane(cards)]


def test_hidden_cards_do_not_show_in_the_observation(real_rows):
    blinded = real_rows.copy()
    blinded[:, V:S] = np.uint64(0x5555555555)
    np.testing.assert_array_equal(encode(real_rows), encode(blinded))


def test_description_names_every_slice():
    text = encoding.describe(ruleset("classic"))
    lines = text.splitlines()
    for name, (start, stop, meaning) in encoding.SLICES.items():
        assert f"{start:>5} {stop:>5} {stop - start:>4}  {name:<18} {meaning}" in lines
    assert "classic" in lines[0]
    assert str(encoding.OBSERVATION_SIZE) in lines[0]
