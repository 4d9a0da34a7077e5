"""The course of a run: its stages with their settings, their ways of learning, their opponents and their ends."""

import dataclasses

from minchiate_rl.agents import make
from minchiate_rl.agents.registry import playout_player, weigher_of
from minchiate_rl.errors import RecipeError
from minchiate_rl.experiments.recipes import Recipe
from minchiate_rl.experiments.stages import ends
from minchiate_rl.training.believe import Believe
from minchiate_rl.training.dmc import DeepMonteCarlo
from minchiate_rl.training.expert import OWN, ExpertIteration, Search
from minchiate_rl.training.imitation import Imitation
from minchiate_rl.training.league import Mix
from minchiate_rl.training.magnet import Magnet
from minchiate_rl.training.method import Method, Settings
from minchiate_rl.training.ppo import PPO


@dataclasses.dataclass(frozen=True)
class Part:
    """A stage as it is run."""

    title: str
    recipe: Recipe
    """The settings of the stage."""
    method: Method
    mix: Mix
    end: float
    """Where it ends, in seconds or steps from the run's start."""

    def settings(self, done: float) -> Settings:
        """Return the settings of a step when a share of the stage, 0 to 1, is done: what falls does so linearly."""
        recipe = self.recipe

        def falling(start: float, final_share: float) -> float:
            return start * (1.0 - (1.0 - final_share) * done)

        return Settings(
            minibatch=recipe.minibatch,
            epochs=recipe.epochs,
            critic_epochs=recipe.critic_epochs,
            clip=recipe.clip,
            lr=falling(recipe.lr, recipe.final_lr),
            entropy=falling(recipe.entropy, recipe.final_entropy),
            gae_lambda=recipe.gae_lambda,
            joint=recipe.advantage == "joint",
            magnet=falling(recipe.magnet_weight, recipe.final_magnet_weight),
            proximal=recipe.proximal,
            epsilon=falling(recipe.epsilon, recipe.final_epsilon),
            belief_every=recipe.belief_every,
        )


def course_of(recipe: Recipe) -> list[Part]:
    """Return the stages of a recipe, in order.

    Raises:
        MinchiateError: a stage's settings or length are not allowed, or its teacher is unknown.
    """
    total = float(recipe.steps) if recipe.by_steps else 60.0 * recipe.minutes
    parts = []
    for stage, end in zip(recipe.course, ends(recipe.course, total, recipe.by_steps), strict=True):
        own = recipe.of_stage(stage)
        parts.append(Part(stage.title, own, _method(stage.kind, own), _mix(stage.kind, own), end))
    return parts


def _method(kind: str, recipe: Recipe) -> Method:
    if kind == "imitation":
        return Imitation(make(recipe.teacher), recipe.random_share)
    if kind == "magnet":
        return Magnet(recipe.magnet_every, recipe.magnet_decay)
    if kind == "expert":
        return ExpertIteration(_search(recipe), recipe.replay)
    if kind == "belief":
        if not recipe.belief_every:
            raise RecipeError(f"recipe {recipe.name!r}: a stage of the kind belief needs belief_every above 0")
        return Believe()
    return DeepMonteCarlo() if kind == "dmc" else PPO()


def _search(recipe: Recipe) -> Search:
    who, player, weigher = f"recipe {recipe.name!r}: search", recipe.search_playout, recipe.search_weigh
    return Search(
        recipe.search_worlds,
        recipe.search_top,
        recipe.search_tau,
        recipe.search_prior,
        player if player == OWN else playout_player(who, player),
        weigher if weigher == OWN else weigher_of(who, weigher),
        recipe.search_steps,
    )


def _mix(kind: str, recipe: Recipe) -> Mix:
    return Mix(
        past=recipe.past_share,
        scripted=recipe.scripted_share,
        names=recipe.scripted,
        pool_size=recipe.pool_size,
        partner=recipe.partner_share,
        temperature=0.0 if kind in {"dmc", "belief"} else 1.0,
    )
