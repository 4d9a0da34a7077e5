"""Advantages from the recorded decisions: what happened until the same seat decided again.

A reward is a difference of potentials of the hand, so what is earned while a seat waits is never lost: the reward of a
decision is the potential at the seat's next recorded decision (or at the end of the hand) less the potential at this
one, of the seat's side. Forced moves are no decisions. The discount is 1; generalised advantage estimation is
Schulman et al.: High-Dimensional Continuous Control Using Generalized Advantage Estimation, 2016.
"""

import numpy as np
import numpy.typing as npt

from minchiate_rl.game.engine.jit import owning_kernel
from minchiate_rl.game.seats import N_SEATS, N_SIDES

Floats = npt.NDArray[np.float32]


@owning_kernel
def _by_seat(games, seats, potentials, finals, values, gae_lambda, out):  # type: ignore[no-untyped-def]
    """Fill out[0] with advantages and out[1] with returns, from the last row back; rows are in order of play."""
    advantages, returns = out
    n_games, n_sides = finals.shape
    later_potential = np.empty((n_games, N_SEATS), np.float64)
    later_value = np.zeros((n_games, N_SEATS), np.float64)
    later_advantage = np.zeros((n_games, N_SEATS), np.float64)
    for g in range(n_games):
        for s in range(N_SEATS):
            later_potential[g, s] = finals[g, s % n_sides]
    for k in range(games.shape[0] - 1, -1, -1):
        g, s = games[k], seats[k]
        reward = later_potential[g, s] - potentials[k]
        value = np.float64(values[k])
        advantage = reward + later_value[g, s] - value + gae_lambda * later_advantage[g, s]
        advantages[k], returns[k] = advantage, advantage + value
        later_potential[g, s], later_value[g, s], later_advantage[g, s] = potentials[k], value, advantage


@owning_kernel
def _jointly(games, seats, potentials, finals, values, gae_lambda, out):  # type: ignore[no-untyped-def]
    """The same over the decisions of all seats: values and advantages change sign between the two sides."""
    advantages, returns = out
    n_games = finals.shape[0]
    later_potential = finals[:, 0].copy()
    later_value = np.zeros(n_games, np.float64)
    later_advantage = np.zeros(n_games, np.float64)
    for k in range(games.shape[0] - 1, -1, -1):
        g = games[k]
        sign = 1.0 if seats[k] % 2 == 0 else -1.0
        value, potential = sign * np.float64(values[k]), sign * potentials[k]
        advantage = later_potential[g] - potential + later_value[g] - value + gae_lambda * later_advantage[g]
        advantages[k], returns[k] = sign * advantage, sign * (advantage + value)
        later_potential[g], later_value[g], later_advantage[g] = potential, value, advantage


def advantages_and_returns(
    moments: tuple[npt.NDArray[np.int32], npt.NDArray[np.int8], npt.NDArray[np.float64]],
    finals: npt.NDArray[np.float64],
    values: Floats,
    gae_lambda: float,
    joint: bool = False,
) -> tuple[Floats, Floats]:
    """Return the advantage and the return of every recorded decision.

    Args:
        moments: of each of K decisions, those of a game in order of play: the game, int32 (K,); the seat, int8 (K,);
            and how far the seat's side was ahead before the decision, float64 (K,), in resti units.
        finals: float64 (games, sides), how far each side was ahead at the end of each game.
        values: float32 (K,), the critic's expectation of the rest of the hand for the seat's side.
        gae_lambda: the decay: 1 takes all later rewards as they fell, 0 trusts the critic's next value.
        joint: whether the sum runs over the decisions of all seats, and not of the same seat alone. It needs two sides,
            where what one wins the other loses; with more sides it runs over those of the seat in any case.

    Returns:
        Advantages float32 (K,), and returns float32 (K,): advantage plus value, the critic's targets.
    """
    games, seats, potentials = moments
    out: tuple[Floats, Floats] = (np.empty(len(games), np.float32), np.empty(len(games), np.float32))
    both = joint and finals.shape[1] == N_SIDES
    (_jointly if both else _by_seat)(games, seats, potentials, finals, values, gae_lambda, out)
    return out[0], out[1]


def outcomes(
    moments: tuple[npt.NDArray[np.int32], npt.NDArray[np.int8], npt.NDArray[np.float64]],
    finals: npt.NDArray[np.float64],
) -> Floats:
    """Return what the seat's side still won after every recorded decision, float32 (K,), in resti units.

    Args:
        moments: of each of K decisions the game, the seat and the potential, as in `advantages_and_returns`.
        finals: float64 (games, sides), how far each side was ahead at the end of each game.
    """
    games, seats, potentials = moments
    out: Floats = (finals[games, seats % finals.shape[1]] - potentials).astype(np.float32)
    return out


def normalised(advantages: Floats) -> Floats:
    """Return the advantages with mean 0 and standard deviation 1, float32 (K,)."""
    spread = advantages.std(dtype=np.float64)
    out: Floats = ((advantages - advantages.mean(dtype=np.float64)) / (spread + 1e-8)).astype(np.float32)
    return out
