"""How fast every game is dealt and played at random, beside the classic game in the same runs."""

from collections.abc import Callable
from typing import Final

from minchiate_rl.experiments.layers import SEED, Clock, Layer
from minchiate_rl.game.forms import GAMES
from minchiate_rl.game.rules import ruleset
from minchiate_rl.views.batch import Batch

#: Where speech makes a hand long, fewer hands are as much work.
_SPEECH_SHARE: Final = 8


def form_layers(hands: int) -> list[Layer]:
    """Return a playout for each game with decisions but the classic one, whose layer `playout` is the measure.

    Args:
        hands: hands of a playout; an eighth where players speak.
    """
    names = [name for name, game in GAMES.items() if game.decisions and name != "minchiate"]
    return [
        Layer(
            f"playout_{name}",
            "decisions",
            "complete random hands, deal and all phases",
            _playout(name, hands),
            "playout",
        )
        for name in names
    ]


def _playout(name: str, hands: int) -> Callable[[Clock], int]:
    rules = ruleset(name)
    batch = Batch(rules, max(1, hands // _SPEECH_SHARE) if rules.speaks else hands, seed=SEED)

    def work(clock: Clock) -> int:
        with clock:
            batch.reset()
            return batch.playout()

    return work
