import random

import numpy as np
import pytest

from minchiate_rl.game.engine.layout import S, V
from minchiate_rl.game.lawbook import versicole_value
from minchiate_rl.game.rules import ruleset
from minchiate_rl.views import encoding
from minchiate_rl.views.economics import SLOT_CARDS
from minchiate_rl.views.vocabulary import HIDDEN_PLACES, PLACES, TOKENS, token_name


def tokens_of(rows):
    out = np.full((len(rows), WIDTH), -1, np.int16)
    encoding.encode_tokens_slice(rows, out, 0, len(rows))
    return out


def state_tokens_of(rows):
    out = np.full((len(rows), STATE_WIDTH), -1, np.int16)
    encoding.encode_state_tokens_slice(rows, out, 0, len(rows))
    return out


WIDTH, STATE_WIDTH = encoding.max_tokens(ruleset("solo")), encoding.max_state_tokens(ruleset("solo"))


def for_himself(f):
    return f["size"][2] > 2


def are_ours(f, who):
    if not for_himself(f):
        return (f["dealer"] % 2 == 0) == (who == 1)
    if who == 1:
        return f["dealer"] == 0
    return f["dealer"] == 1 if f["fola_user"] is None else f["fola_user"] == 0


def discards_by_side(f, name):
    """Return what of the discards is ours, and what is theirs."""
    ours, theirs = set(), set()
    for who in range(2):
        (ours if are_ours(f, who) else theirs).update(f[name][who])
    return ours, theirs


def card_tokens(f):
    """Return (card, place) of every card whose place is known."""
    places = {"my hand": f["hand"] - f["shown"][0], "my hand, seen by all": f["hand"] & f["shown"][0]}
    seats = ("me", "next", "partner", "previous")
    for r, who in enumerate(seats):
        if r:
            places[f"hand of {who}"] = f["shown"][r]
        places[f"on the table by {who}"] = {f["table"][r]} - {None}
        places[f"played by {who}, our pile"] = f["played"][r] & f["pile"][0]
        places[f"played by {who}, their pile"] = f["played"][r] & set().union(*f["pile"][1:])
    places["fola"] = f["fola"]
    places["our discards"], places["their discards"] = discards_by_side(f, "discards")
    first = TOKENS["card"][0]
    return {first + len(PLACES) * card + PLACES.index(place) for place, cards in places.items() for card in cards}


def fact_tokens(f):
    """Return the tokens of the facts as name and offset."""
    said = [("phase", f["phase"])] if f["phase"] < 4 else [("later_phase", f["phase"] - 4)]
    said += [("position", f["position"])] if f["position"] < 4 else []
    said += [("trick", f["trick"]), ("dealer", f["dealer"])]
    said += [(name, f[name]) for name in ("led", "winner", "matto_played") if f[name] is not None]
    said += [("matto_owed", f["matto_owed"])] if f["matto_owed"] in (0, 1) else []
    said += [("to_act", f["to_act"] - 1)] if f["to_act"] else []
    said += [("opened", s) for s in range(4) if f["opened"] >> s & 1]
    said += [("voids", 5 * (r - 1) + s) for r in (1, 2, 3) for s in range(5) if f["voids"][r] >> s & 1]
    said += [("no_king", 4 * (r - 1) + s) for r in (1, 2, 3) for s in range(4) if f["no_king"][r] >> s & 1]
    said += [("lead", min(max(f["lead"] // 10 + 7, 0), 13)), ("tricks_won", f["tricks"][0])]
    ours, theirs = f["n_discards"][::-1] if are_ours(f, 1) else f["n_discards"]
    said += [("n_discards", min(ours, 13)), ("n_discards", 14 + min(theirs, 13))]
    said += [] if f["fola_trumps"] is None else [("fola_trumps", min(f["fola_trumps"], 13))]
    said += [("resti", min(f["resti"][0], 5))]
    said += [("resti", 6 + min(f["resti"][1], 5))]
    said += [("revealed", 0)] if f["revealed"] else []
    said += [("to_discard", min(f["to_discard"], 13))] if f["phase"] == 0 else []
    flags = [f["demonio"], f["take_29"] == 1, f["take_29"] == 2, f["rob_failure"], f["all_tricks"] == 1]
    flags += [f["memory"] == 1, f["memory"] == 2]
    said += [("rules", i) for i, flag in enumerate(flags) if flag]
    said += form_facts(f)
    said += facts_for_himself(f) if for_himself(f) else []
    return {TOKENS[name][0] + offset for name, offset in said}


def form_facts(f):
    """Return what only some forms of the game have, as name and offset."""
    said = [("withdrawn", f["withdrawn"]), ("picked_from", f["picking"]), ("fola_user", f["fola_user"])]
    said += [("trumps_discarded", f["announced"])]
    said = [(name, value) for name, value in said if value is not None]
    said += [("dropped", r) for r in range(4) if f["dropped"] >> r & 1]
    said += [("passed", r) for r in range(4) if f["passed"] >> r & 1]
    said += [("answered", f["answered"] - 1)] if f["answered"] else []
    said += [("eldest_choice", f["choice"] - 1)] if f["choice"] else []
    said += [("bid", 20 * r + min(steps, 20) - 1) for r, steps in enumerate(f["bids"]) if steps]
    hand, hands = f["match_hand"]
    if hands > 1:
        said += [("hands_left", hands - hand - 1)]
        said += [("match_resti", 9 * r + min(max((n + 13) // 3, 0), 8)) for r, n in enumerate(f["match_resti"])]
    flags = [*(f["switches"] >> k & 1 for k in range(15)), f["all_tricks"] == 2]
    flags += [f["amounts"][0], f["amounts"][1], f["amounts"][4]]
    said += [("switches", k) for k, flag in enumerate(flags) if flag]
    said += [("game", f["game"])] if f["game"] else []
    if f["switches"] >> 5 & 1:
        said += [("fola_suits", 14 * suit + n) for suit, n in enumerate(f["fola_suits"]) if n is not None]
    if f["switches"] >> 4 & 1:
        said += [("taken", card) for card in f["robbed"][2]]
    return said


def facts_for_himself(f):
    said = [("pile", 2 * card + r) for r in range(2) for card in f["pile"][2 + r]]
    pairs = [(r, q) for r in range(4) for q in range(r + 1, 4)]
    ahead = [n for (_, q), n in zip(pairs, f["pairs"], strict=True) if q < f["size"][1]]
    places = [k for k, (_, q) in enumerate(pairs) if q < f["size"][1]]
    said += [("ahead", 14 * k + min(max((n + 140) // 20, 0), 13)) for k, n in zip(places, ahead, strict=True)]
    said += [("others_tricks", f["tricks"][1]), ("others_tricks", 26 + f["tricks"][2])]
    return said + ([("debtor", f["matto_owed"] - 2)] if f["matto_owed"] in (2, 3) else [])


def gain_of(f, pile, card):
    extras = f["demonio"], f["amounts"][0], f["amounts"][1]
    return max(versicole_value(pile | {card}, *extras) - versicole_value(pile, *extras), 0)


def gain_tokens(f):
    gone = set().union(*f["pile"], f["fola"], *f["discards"])
    found = set()
    for slot, card in enumerate(SLOT_CARDS):
        for side in range(2):
            piles = f["pile"][:1] if side == 0 else f["pile"][1 : f["size"][2]]
            gain = max(gain_of(f, pile, card) for pile in piles)
            if card not in gone and gain > 0:
                found.add(TOKENS["gain"][0] + 6 * slot + 3 * side + (gain > 10) + (gain > 25))
    return found


def hidden_tokens(f):
    """Return the tokens of the true places of cards that the viewer does not know to be there."""
    true = discards_by_side(f, "true_discards")
    known = discards_by_side(f, "discards")
    places = [f["hidden_hands"][r] - f["shown"][r + 1] for r in range(3)]
    places += [f["true_fola"] - f["fola"], true[0] - known[0], true[1] - known[1]]
    n = len(HIDDEN_PLACES)
    return {encoding.N_TOKENS + n * card + place for place, cards in enumerate(places) for card in cards}


def check_packing(out, limit):
    assert out.min() >= 0
    assert out.max() < limit
    lengths = (out != 0).sum(axis=1)
    for row, n in zip(out, lengths, strict=True):
        assert row[:n].all()
        assert len(set(row[:n])) == n
    assert lengths.max() < out.shape[1]


@pytest.mark.parametrize("fixture", ["synthetic_rows", "real_rows"])
def test_tokens_say_what_the_row_says(fixture, request, naive):
    rows = request.getfixturevalue(fixture)[::3]
    for tokens, row in zip(tokens_of(rows), rows, strict=True):
        f = naive.decode(row)
        assert set(tokens) - {0} == card_tokens(f) | fact_tokens(f) | gain_tokens(f)


@pytest.mark.parametrize("fixture", ["synthetic_rows", "real_rows"])
def test_state_tokens_are_the_view_and_the_hidden_cards(fixture, request, naive):
    rows = request.getfixturevalue(fixture)[::3]
    pairs = zip(tokens_of(rows), state_tokens_of(rows), rows, strict=True)
    for tokens, state_tokens, row in pairs:
        assert set(state_tokens) - set(tokens) == hidden_tokens(naive.decode(row))
        assert set(tokens) <= set(state_tokens)


@pytest.mark.parametrize("fixture", ["synthetic_rows", "real_rows"])
def test_rows_are_packed_to_the_left_and_in_range(fixture, request):
    rows = request.getfixturevalue(fixture)
    check_packing(tokens_of(rows), encoding.N_TOKENS)
    check_packing(state_tokens_of(rows), encoding.N_STATE_TOKENS)


def test_the_number_of_tokens_is_returned(real_rows):
    out = np.zeros((1, WIDTH), np.int16)
    state = np.zeros((1, STATE_WIDTH), np.int16)
    for j in range(0, len(real_rows), 40):
        assert encoding.encode_tokens(real_rows, j, out, 0) == np.count_nonzero(out)
        assert encoding.encode_state_tokens(real_rows, j, state, 0) == np.count_nonzero(state)


def test_every_card_of_a_played_hand_has_its_place_in_a_state(real_rows, naive):
    """Under perfect memory a critic misses no card; one that was shown and then discarded unseen has two tokens."""
    (first, stop, _), taken = TOKENS["card"], TOKENS["taken"][0]
    for row, tokens in zip(real_rows[::11], state_tokens_of(real_rows[::11]), strict=True):
        if naive.decode(row)["memory"] == 0:
            seen = {(t - first) // len(PLACES) for t in tokens if first <= t < stop}
            seen |= {t - taken for t in tokens if taken <= t < taken + 97}
            hidden = {(t - encoding.N_TOKENS) // len(HIDDEN_PLACES) for t in tokens if t >= encoding.N_TOKENS}
            assert seen | hidden == set(range(97))


def test_hidden_cards_do_not_show_in_the_tokens_of_a_view(real_rows):
    blinded = real_rows.copy()
    blinded[:, V:S] = np.uint64(0x5555555555)
    np.testing.assert_array_equal(tokens_of(real_rows), tokens_of(blinded))


def test_slices_of_a_batch_leave_other_rows_alone(real_rows):
    out = np.full((9, WIDTH), -1, np.int16)
    encoding.encode_tokens_slice(real_rows[:9], out, 3, 6)
    np.testing.assert_array_equal(out[3:6], tokens_of(real_rows[3:6]))
    assert (np.delete(out, [3, 4, 5], axis=0) == -1).all()


def test_the_vocabulary_has_no_gaps_and_one_name_a_token():
    ends = [0, *(stop for _, stop, _ in TOKENS.values())]
    assert [start for start, _, _ in TOKENS.values()] == ends[:-1]
    assert ends[-1] == encoding.N_TOKENS
    assert len({token_name(t) for t in range(encoding.N_STATE_TOKENS)}) == encoding.N_STATE_TOKENS
    assert encoding.N_STATE_TOKENS < 1 << 15


def renamed(token, order):
    """Return the token that says the same after suit s is renamed to order[s]."""
    if token >= encoding.N_TOKENS:
        start, places = encoding.N_TOKENS, len(HIDDEN_PLACES)
    else:
        name, start = next((n, start) for n, (start, stop, _) in TOKENS.items() if start <= token < stop)
        offset = token - start
        if name == "gain" and offset < 4 * 6:
            return start + 6 * order[offset // 6] + offset % 6
        if name == "fola_suits":
            return start + 14 * order[offset // 14] + offset % 14
        width = {"led": 5, "voids": 5, "opened": 4, "no_king": 4}.get(name)
        if width:
            group, suit = divmod(offset, width)
            return start + group * width + (order[suit] if suit < 4 else suit)
        if name not in ("card", "pile", "taken"):
            return token
        places = {"card": len(PLACES), "pile": 2, "taken": 1}[name]
    card, place = divmod(token - start, places)
    card = card if card >= 56 else order[card // 14] * 14 + card % 14
    return start + card * places + place


@pytest.mark.parametrize("seed", range(8))
def test_renaming_suits_renames_the_tokens(seed, naive, real_rows, permute_suits):
    order = random.Random(seed).sample(range(4), 4)
    for facts in (naive.synthetic(seed), naive.decode(real_rows[seed * 37])):
        rows = np.stack([naive.to_row(facts), naive.to_row(permute_suits(facts, order))])
        before, after = state_tokens_of(rows)
        assert {renamed(int(t), order) for t in before if t} == set(map(int, after)) - {0}
