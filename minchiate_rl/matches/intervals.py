"""A mean and how far it can be trusted: intervals from one value a deal.

The default is Student's interval: the mean over hundreds of deals is as good as normal, and it needs no chance. The
bootstrap (bias-corrected and accelerated: Efron, Better Bootstrap Confidence Intervals, JASA 1987) makes no assumption
about the shape of the values; it serves to check the default where deals are few. Both take the deal as the unit, since
the two playings of a deal are not independent.
"""

import math
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.base import Rng
from minchiate_rl.errors import MinchiateError

LEVEL: Final = 0.95
METHODS: Final = ("student", "bootstrap")
RESAMPLES: Final = 4000

_NORMAL: Final = NormalDist()
_MANY: Final = 400
_BISECTIONS: Final = 60
_CHUNK: Final = 1 << 22
_SALT: Final = 0x8D36_5BF3_1A5C_4E27

Floats = npt.NDArray[np.float64]
Interval = tuple[float, float]


def mean_interval(
    values: npt.ArrayLike, level: float = LEVEL, method: str = "student", seed: int = 0
) -> Interval | None:
    """Return the interval that the mean lies in with a given confidence; None if one value alone tells nothing.

    Args:
        values: numbers (D,), one a deal, independent of each other.
        level: the confidence, above 0 and below 1.
        method: "student" or "bootstrap".
        seed: of the bootstrap's draws.

    Raises:
        MinchiateError: no values, an unknown method, or a level out of range.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or not len(sample):
        raise MinchiateError("an interval needs one value a deal, and one deal at least")
    if not 0.0 < level < 1.0:
        raise MinchiateError(f"the confidence of an interval is above 0 and below 1, not {level}")
    if method not in METHODS:
        raise MinchiateError(f"there is no interval {method!r}; allowed: {', '.join(METHODS)}")
    if len(sample) == 1:
        return None
    if np.all(sample == sample[0]):
        return float(sample[0]), float(sample[0])
    return _student(sample, level) if method == "student" else _bootstrap(sample, level, seed)


def _student(sample: Floats, level: float) -> Interval:
    mean = float(sample.mean())
    margin = student_quantile((1.0 + level) / 2.0, len(sample) - 1) * float(sample.std(ddof=1)) / math.sqrt(len(sample))
    return mean - margin, mean + margin


def student_quantile(p: float, dof: int) -> float:
    """Return the quantile of Student's distribution with whole degrees of freedom.

    Up to 400 of them by bisection of the exact distribution function (Abramowitz and Stegun, 26.7.3 and 26.7.4), above
    by the first two terms of its expansion about the normal quantile (26.7.5), right to seven digits.
    """
    if p < 0.5:
        return -student_quantile(1.0 - p, dof)
    z = _NORMAL.inv_cdf(p)
    if dof > _MANY:
        return z + (z**3 + z) / (4 * dof) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * dof**2)
    low, high = 0.0, 1.0
    while _within(high, dof) < 2.0 * p - 1.0:
        high *= 2.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _within(middle, dof) < 2.0 * p - 1.0 else (low, middle)
    return (low + high) / 2.0


def _within(t: float, dof: int) -> float:
    """Return the probability that a Student variable lies between -t and t."""
    angle = math.atan(t / math.sqrt(dof))
    cosine = math.cos(angle)
    if dof == 1:
        return 2.0 * angle / math.pi
    odd = dof % 2
    term = cosine if odd else 1.0
    total = term
    for k in range(2 + odd, dof - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    if odd:
        return 2.0 * (angle + math.sin(angle) * total) / math.pi
    return math.sin(angle) * total


def _bootstrap(sample: Floats, level: float, seed: int) -> Interval:
    """Return the BCa interval of the mean."""
    means = np.sort(_resampled_means(sample, seed))
    mean = sample.mean()
    below = (np.count_nonzero(means < mean) + 0.5 * np.count_nonzero(means == mean)) / len(means)
    bias = _NORMAL.inv_cdf(min(max(below, 0.5 / len(means)), 1.0 - 0.5 / len(means)))
    away = sample - mean  # the jackknife's deviations are these, but for a factor that cancels
    acceleration = float((away**3).sum()) / (6.0 * float((away**2).sum()) ** 1.5)
    ends = []
    for p in ((1.0 - level) / 2.0, (1.0 + level) / 2.0):
        z = bias + _NORMAL.inv_cdf(p)
        share = _NORMAL.cdf(bias + z / (1.0 - acceleration * z))
        ends.append(float(np.quantile(means, share)))
    return ends[0], ends[1]


def _resampled_means(sample: Floats, seed: int) -> Floats:
    """Return the means of samples drawn with replacement, float64 (RESAMPLES,); a function of sample and seed."""
    n = len(sample)
    means = np.empty(RESAMPLES)
    keys = Rng(np.array([seed ^ _SALT], dtype=np.uint64))
    at_once = max(1, _CHUNK // n)
    for first in range(0, RESAMPLES, at_once):
        last = min(first + at_once, RESAMPLES)
        heads = np.concatenate([keys.draw(k) for k in range(first, last)])
        words = Rng((heads[:, None] + np.arange(n, dtype=np.uint64) * np.uint64(0xD1342543DE82EF95)).ravel()).draw(0)
        picks = ((words >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32)
        means[first:last] = sample[picks.astype(np.intp)].reshape(last - first, n).mean(axis=1)
    return means
