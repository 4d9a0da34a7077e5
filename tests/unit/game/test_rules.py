import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minchiate_rl.errors import RulesError
from minchiate_rl.game.actions import BID, DROP, N_ACTIONS
from minchiate_rl.game.forms import GAMES
from minchiate_rl.game.rules import CHOICES, R_EXTRAS, SWITCHES, RuleSet, allowed_values, ruleset, rulesets

#: Values that a switch of the classic game may take, a few of those that are numbers.
OPEN = {flag: list(values)[:12] for flag, values in SWITCHES["minchiate"].items()}
CHANGES = [(flag, value) for flag, values in OPEN.items() for value in values[1:]]


def is_nonsense(rules, flag, value):
    """Tell whether a change contradicts another switch of the rule set."""
    switches = {**rules.switches, flag: value}
    unusable = switches.get("take_29") == "if_usable" and switches.get("pigliare_to") == "pile"
    return unusable or (flag == "bid_limit" and value % rules.bid_step != 0)


EVERY_CHANGE = [
    (name, flag, value)
    for name in rulesets()
    for flag, values in SWITCHES[ruleset(name).game].items()
    for value in dict.fromkeys([*list(values)[:4], values[-1]])
    if value != ruleset(name).switches[flag] and not is_nonsense(ruleset(name), flag, value)
]
switches = st.fixed_dictionaries({}, optional={flag: st.sampled_from(values) for flag, values in OPEN.items()}).filter(
    lambda changes: not (changes.get("take_29") == "if_usable" and changes.get("pigliare_to") == "pile")
)


def test_the_classic_game_is_there_with_classic_values():
    assert "classic" in rulesets()
    assert rulesets() == sorted(rulesets())
    classic = ruleset("classic")
    assert classic.game == "minchiate"
    assert classic.switches == {flag: CHOICES[flag][0] for flag in SWITCHES["minchiate"]}
    assert classic.flags == {}
    assert classic.title
    assert classic.sources


@given(switches)
def test_flags_tell_what_differs_and_rebuild_the_rule_set(changes):
    classic = ruleset("classic")
    rules = classic.replace(**changes)
    assert rules.flags == {flag: value for flag, value in changes.items() if value != CHOICES[flag][0]}
    assert classic.replace(**rules.flags) == rules
    assert rules.replace(**classic.switches) == classic


@given(switches, st.text(min_size=1).filter(lambda text: text.isprintable()))
def test_toml_is_read_back_to_an_equal_rule_set(changes, title):
    rules = dataclasses.replace(ruleset("classic"), name="own", title=title, **changes)
    read = RuleSet.from_toml(rules.to_toml(), "own.toml")
    assert read.switches == rules.switches
    assert (read.name, read.title, read.sources) == (rules.name, rules.title, rules.sources)
    assert read.flags == {}
    assert RuleSet.from_toml(read.to_toml(), "own.toml") == read


@pytest.mark.parametrize(("name", "flag", "value"), EVERY_CHANGE)
def test_each_switch_makes_another_rule_set_and_another_row(name, flag, value):
    own = ruleset(name)
    rules = own.replace(**{flag: value})
    assert rules != own
    assert rules.flags == {flag: value}
    assert getattr(rules, flag) == value
    if flag not in {"players", "touches"}:
        assert not np.array_equal(rules.row, own.row)


def test_rows_of_all_changes_differ():
    rows = [tuple(ruleset("classic").replace(**{flag: value}).row) for flag, value in CHANGES]
    assert len(set(rows)) == len(rows)


def test_rows_of_all_rule_sets_differ():
    assert len({tuple(ruleset(name).row) for name in rulesets()}) == len(rulesets())


def test_a_row_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        ruleset("classic").row[0] = 1


def test_extras_are_packed_into_one_column():
    rules = ruleset("solo_fola").replace(diecine_vergognose=3, aria_bonus=7)
    assert rules.row[R_EXTRAS] == 1 + (3 << 8) + (7 << 16)
    assert ruleset("classic").row[R_EXTRAS] == 0


def test_every_game_has_a_rule_set_and_every_rule_set_is_a_form_of_a_game():
    assert {ruleset(name).game for name in rulesets()} == set(GAMES)
    assert all(ruleset(game).game == game for game in GAMES if game != "minchiate")
    for name in rulesets():
        rules = ruleset(name)
        assert rules.name == name
        assert rules.title
        assert rules.sources
        assert rules.flags == {}
        assert set(rules.switches) == set(SWITCHES[rules.game])


#: What a hand of each game is made of: seats, sides, tricks, cards, par.
SIZES = {
    "classic": (4, 2, 21, 97, 42),
    "english": (4, 2, 21, 97, 42),
    "solo": (4, 4, 21, 97, 21),
    "solo_fola": (4, 4, 21, 97, 21),
    "three": (3, 3, 25, 97, 25),
    "two": (2, 2, 25, 97, 25),
    "piedicavallo": (4, 2, 15, 62, 30),
    "mini": (2, 2, 4, 10, 4),
    "mini_team": (4, 2, 4, 16, 8),
    "sei_tocchi": (4, 4, 6, 97, 6),
    "palio": (4, 4, 3, 97, 3),
}


@pytest.mark.parametrize(("name", "sizes"), SIZES.items())
def test_games_have_their_sizes(name, sizes):
    rules = ruleset(name)
    assert (rules.n_seats, rules.n_sides, rules.n_tricks, len(rules.cards), rules.par) == sizes


def test_a_switch_may_change_a_size():
    assert ruleset("mini").replace(hand_size=3).n_tricks == 3
    rules = ruleset("palio").replace(players=6)
    assert (rules.n_seats, rules.n_sides) == (6, 6)


#: The values of the three whole rule books (docs/rules.md, section 7.5), where they are not the classic ones.
BOOKS = {
    "english": {
        "robbery_marked": "after_turned", "pigliare_to": "pile", "take_29": "never", "discard_trumps_shown": False,
        "declare_when": "after_lead", "cascare": True, "midhand_resti": False,
    },
    "german": {
        "bottom_check": True, "turned_marked": "at_end", "take_29": "never", "declare_when": "after_lead",
        "declared_marked": "at_end", "diecine_vergognose": 10,
    },
    "accademia": {
        "rob_limit": None, "bottom_check": True, "fola_suits_shown": False, "discards_shown": "after_first_trick",
        "declare_when": "after_own_card", "cascare": True, "all_tricks": "fourteen", "memory": "own_tricks",
    },
    "cascare": {"cascare": True},
    "rob_all": {"rob_limit": None},
    "rob_failure": {"rob_failure_resto": True},
    "girata_bonus": {"girata_bonus": 3},
    "all_tricks_double": {"all_tricks": "double_final"},
    "take_29_if_usable": {"take_29": "if_usable"},
    "demonio": {"demonio": True},
}  # fmt: skip


@pytest.mark.parametrize("name", BOOKS)
def test_rule_books_and_single_switches_differ_from_the_classic_game_as_documented(name):
    classic = ruleset("classic").switches
    assert {flag: v for flag, v in ruleset(name).switches.items() if v != classic[flag]} == BOOKS[name]
    assert set(BOOKS) | set(SIZES) == set(rulesets())


def test_the_highest_action_number_follows_from_game_and_switches():
    classic = ruleset("classic")
    assert classic.num_actions == 131
    assert classic.replace(demonio=True).num_actions == 132
    assert classic.replace(cascare=True).num_actions == DROP + 1
    assert ruleset("solo").num_actions == DROP + 2
    assert ruleset("solo_fola").num_actions == BID + 1
    assert ruleset("piedicavallo").num_actions == N_ACTIONS == 201
    assert ruleset("piedicavallo").replace(speech="facts").num_actions == 189
    assert ruleset("piedicavallo").replace(speech="off").num_actions == 98


@pytest.mark.parametrize(
    ("name", "flag", "value"),
    [
        ("classic", "demonio", 1),
        ("classic", "demonio", "true"),
        ("classic", "demonio", None),
        ("classic", "rob_limit", 12),
        ("classic", "rob_limit", 22),
        ("classic", "rob_limit", 13.0),
        ("classic", "take_29", "sometimes"),
        ("classic", "memory", "none"),
        ("classic", "all_tricks", "fifteen"),
        ("classic", "cascare", None),
        ("classic", "girata_bonus", -1),
        ("classic", "girata_bonus", True),
        ("classic", "midhand_resti", 0),
        ("classic", "diecine_vergognose", False),
        ("classic", "diecine_vergognose", 10.0),
        ("classic", "speech", "full"),
        ("classic", "hand_size", 4),
        ("classic", "withdraw_fee", 30),
        ("solo", "midhand_resti", True),
        ("solo", "cascare", True),
        ("solo", "declare_when", "after_lead"),
        ("solo", "withdraw_fee", 0),
        ("solo_fola", "take_29", "never"),
        ("solo_fola", "bid_step", 7),
        ("three", "rob_limit", 13),
        ("two", "players", 3),
        ("piedicavallo", "speech", "loud"),
        ("piedicavallo", "demonio", True),
        ("mini", "hand_size", 5),
        ("mini_team", "midhand_resti", True),
        ("sei_tocchi", "players", 7),
        ("sei_tocchi", "touches", 0),
        ("palio", "touches", 6),
        ("palio", "hand_size", 13),
    ],
)
def test_values_that_cannot_be_played_are_refused(name, flag, value):
    game = ruleset(name).game
    with pytest.raises(RulesError, match=rf"{flag} = .* is not allowed in the game {game}; allowed: "):
        ruleset(name).replace(**{flag: value})


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("flag", CHOICES)
def test_a_switch_that_a_game_has_not_keeps_its_classic_value(game, flag):
    allowed = allowed_values(game, flag)
    if flag not in SWITCHES[game]:
        assert list(allowed) == [CHOICES[flag][0]]
    assert list(allowed)


def test_switches_that_contradict_each_other_are_refused():
    with pytest.raises(RulesError, match="take_29 = 'if_usable' asks for a versicola in the dealer's hand"):
        ruleset("english").replace(take_29="if_usable")
    with pytest.raises(RulesError, match="bid_limit = 195 is not a number of steps of 10"):
        ruleset("solo_fola").replace(bid_limit=195)
    assert ruleset("solo_fola").replace(bid_limit=195, bid_step=5).bid_limit == 195


def test_an_unknown_switch_is_refused_by_name():
    with pytest.raises(RulesError, match="unknown switch 'sudden_death'; allowed: rob_limit"):
        ruleset("classic").replace(sudden_death=True)


def test_an_unknown_rule_set_is_refused_with_the_known_ones():
    with pytest.raises(RulesError, match=r"there is no rule set 'tarocchi'; known: .*classic"):
        ruleset("tarocchi")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "not a TOML file"),
        ("nom = 'x'", "unknown field 'nom'"),
        ("name = ''", "name must be a text"),
        ("name = 3", "name must be a text"),
        ('name = "a\\nb"', "name must be a text on one line"),
        ("title = 3", "title must be a text"),
        ("sources = 'a'", "sources must be a list of texts"),
        ("switches = 3", "switches must be a table"),
        ("[switches]\nfoo = 1", "unknown switch 'foo'"),
        ("[switches]\ndemonio = 1", "demonio = 1 is not allowed"),
        ("game = 'tarocchi'", "there is no game 'tarocchi'; allowed: minchiate, solo"),
        ("game = 3", "there is no game 3"),
        ("game = 'two'\n[switches]\ncascare = true", "cascare = True is not allowed in the game two"),
    ],
)
def test_a_faulty_file_is_refused(tmp_path, text, message):
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RulesError, match=message):
        ruleset(path)


def test_a_file_of_ones_own_is_read_by_path(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text("[switches]\ndemonio = true\n", encoding="utf-8")
    rules = ruleset(str(path))
    assert rules.name == "own"
    assert rules.demonio
    assert ruleset(rules) is rules


@pytest.mark.parametrize("name", rulesets())
def test_a_file_that_names_a_game_alone_has_the_games_own_values(name, tmp_path):
    game = ruleset(name).game
    path = tmp_path / "own.toml"
    path.write_text(f"game = '{game}'\n", encoding="utf-8")
    own = "classic" if game == "minchiate" else game
    assert ruleset(path).switches == ruleset(own).switches
    assert RuleSet.from_toml(ruleset(name).to_toml(), name) == ruleset(name)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(RulesError, match=r"cannot be read: No such file or directory$"):
        ruleset(tmp_path / "gone.toml")


def test_every_rule_set_and_every_switch_is_in_the_documents():
    root = Path(__file__).parents[3]
    rules = (root / "docs" / "rules.md").read_text(encoding="utf-8")
    listed = (root / "envs" / "README.md").read_text(encoding="utf-8")
    assert [name for name in (*rulesets(), *CHOICES) if f"`{name}`" not in rules] == []
    assert [name for name in rulesets() if f"({name}.toml)" not in listed] == []
