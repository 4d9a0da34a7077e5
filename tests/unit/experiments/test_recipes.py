"""Training recipes."""

import dataclasses
from pathlib import Path

import pytest

from minchiate_rl.errors import RecipeError
from minchiate_rl.experiments.recipes import Recipe, recipe, recipes
from minchiate_rl.experiments.stages import Stage, ends
from minchiate_rl.game.rules import ruleset


def test_every_recipe_that_comes_with_the_toolkit_is_sound() -> None:
    assert {"classic", "classic-warm", "demo", "two", "solo", "mini", "piedicavallo"} <= set(recipes())
    for name in recipes():
        assert recipe(name).name == name
        assert ruleset(recipe(name).rules).form.decisions


def test_files_of_tournaments_are_no_recipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "field.toml").write_text('agents = ["random", "greedy"]\ndeals = 10\n', encoding="utf-8")
    (tmp_path / "mine.toml").write_text("lr = 1e-3\n", encoding="utf-8")
    (tmp_path / "torn.toml").write_text("lr = \n", encoding="utf-8")
    paths = {path.stem: path for path in sorted(tmp_path.glob("*.toml"))}
    monkeypatch.setattr("minchiate_rl.content.tomls", lambda folder: paths)
    assert recipes() == ["mine", "torn"]
    with pytest.raises(RecipeError, match="unknown field 'agents'"):
        recipe("field")


def test_a_recipe_reads_back_from_its_own_toml() -> None:
    one = Recipe(name='odd "name" \\', lr=3e-4, scripted=("random", "greedy"), seed=5, steps=7)
    assert Recipe.from_toml(one.to_toml(), "config.toml") == one


STAGES = """
steps = 100
lr = 1e-3
[[stages]]
kind = "imitation"
steps = 10
minutes = 1
[[stages]]
kind = "ppo"
share = 0.5
scripted = ["random"]
[[stages]]
kind = "magnet"
name = "polish"
lr = 5e-4
"""


def test_stages_are_read_with_their_own_settings() -> None:
    one = Recipe.from_toml(STAGES, "chain.toml")
    assert [stage.title for stage in one.course] == ["imitation", "ppo", "polish"]
    imitation, ppo, polish = (one.of_stage(stage) for stage in one.course)
    assert (imitation.lr, imitation.epochs) == (one.imitation_lr, 1)
    assert (ppo.lr, ppo.epochs, ppo.scripted) == (1e-3, 2, ("random",))
    assert polish.lr == 5e-4
    assert ends(one.course, 100.0, True) == [10.0, 60.0, 100.0]
    assert Recipe.from_toml(one.to_toml(), "config.toml") == one.replace(name="chain")


def test_lengths_of_stages_fill_the_run() -> None:
    free = [Stage("ppo"), Stage("ppo", minutes=1.0, share=0.25), Stage("ppo")]
    assert ends(free, 120.0, False) == [30.0, 90.0, 120.0]
    assert ends(free, 9.0, True) == [3.0, 6.0, 9.0]
    assert ends([Stage("imitation", minutes=5.0), Stage("ppo")], 60.0, False) == [60.0, 60.0]
    assert ends([Stage("imitation", share=0.1)], 60.0, False) == [60.0]
    with pytest.raises(RecipeError, match=r"stage 1 \(imitation\) has its length in minutes and the run goes by steps"):
        ends([Stage("imitation", minutes=5.0), Stage("ppo")], 60.0, True)


def test_without_stages_imitation_comes_before_self_play() -> None:
    by_clock = Recipe(name="x", imitation_minutes=1.0)
    assert [stage.title for stage in by_clock.course] == ["imitation", "self-play"]
    assert [stage.title for stage in by_clock.replace(steps=5).course] == ["self-play"]


def test_a_size_names_the_widths() -> None:
    assert dataclasses.astuple(Recipe(name="x").network) == (192, 192, 1, 0)
    assert dataclasses.astuple(Recipe(name="x", size="base", critic_width=64).network) == (512, 64, 2, 0)


def test_a_file_of_ones_own_is_named_by_its_stem(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("lr = 1\nhands = 64\n", encoding="utf-8")
    mine = recipe(path)
    assert (mine.name, mine.lr, mine.hands) == ("mine", 1.0, 64)


def test_flags_override_and_are_checked() -> None:
    assert recipe("demo").replace(minutes=2, seed=3).minutes == 2.0
    with pytest.raises(RecipeError, match="unknown field 'minute'"):
        recipe("demo").replace(minute=2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lr = ", "not a TOML file"),
        ("learning_rate = 1.0", "unknown field 'learning_rate'; allowed: name,"),
        ("lr = 'fast'", "lr = 'fast' must be a number"),
        ("hands = 64.0", "hands = 64.0 must be a whole number"),
        ("hands = true", "hands = True must be a whole number"),
        ("hands = 65", "hands = 65 must be a multiple of 8"),
        ("lr = 0.0", "lr = 0.0 must be from"),
        ("lr = nan", "lr = nan must be from"),
        ("gae_lambda = 1.5", "gae_lambda = 1.5 must be from 0 to 1"),
        ("reward = 'money'", "reward = 'money' is not allowed; allowed: points, potential, resti"),
        ("advantage = 'both'", "allowed: seat, joint"),
        ("name = ''", "name must be a text on one line"),
        ("name = '../x'", "without a slash"),
        ("scripted = 'greedy'", "scripted = 'greedy' must be a list of names"),
        ("past_share = 0.6\nscripted_share = 0.6", "add up to more than 1"),
        ("scripted_share = 0.5\nscripted = []", "needs the names"),
        ("partner_share = 0.9", "add up to more than 1"),
        ("size = 'huge'", "size = 'huge' is not allowed; allowed: tiny, small, base"),
        ("width = 5", "width = 5 must be 0 or from 8"),
        ("stages = 3", "must be a list of tables"),
        ("stages = [3]", "must be a list of tables"),
        ("stages = [{}]", "stage 1: kind = None is not allowed; allowed: imitation, ppo"),
        ("[[stages]]\nkind = 'ppo'\nspeed = 1", "stage 1: unknown field 'speed'; allowed: kind,"),
        ("[[stages]]\nkind = 'ppo'\nseed = 1", "unknown field 'seed'"),
        ("[[stages]]\nkind = 'ppo'\nshare = 1.5", "share = 1.5 must be above 0 and at most 1"),
        ("[[stages]]\nkind = 'ppo'\nsteps = 1.5", "steps = 1.5 must be a whole number"),
        ("[[stages]]\nkind = 'ppo'\nlr = 'fast'", "stage ppo: lr = 'fast' must be a number"),
        ("[[stages]]\nkind = 'ppo'\nlr = 2", "lr = 2.0 must be from"),
        ("[[stages]]\nkind = 'ppo'\nhands = 12", "must be a multiple of 8"),
        ("imitation_steps = 3\n[[stages]]\nkind = 'ppo'", "the imitation's length is said there"),
    ],
)
def test_faults_are_told_in_one_line(text: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        Recipe.from_toml(text, "some.toml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_recipe_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"known: .*classic"):
        recipe("clasic")
    with pytest.raises(RecipeError, match="cannot be read"):
        recipe(tmp_path / "missing.toml")
