"""Settings of the whole suite: one thread, repeatable hypothesis, nothing written into the tree."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by torch when it is first imported

from hypothesis import HealthCheck, settings

_QUIET = {"deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("suite", max_examples=50, derandomize=True, **_QUIET)
settings.register_profile("deep", max_examples=2000, **_QUIET)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))
