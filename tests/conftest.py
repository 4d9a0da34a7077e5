"""Settings of the whole suite: one thread, repeatable hypothesis, nothing written into the tree.

After the last test, whatever kernels it has had compiled are looked over: without reference counts none may pass on an
array.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by torch when it is first imported

import pytest
from hypothesis import HealthCheck, settings

from tests.support.kernels import uncounted_that_are_handed_arrays, uncounted_that_return_arrays

_QUIET = {"deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("suite", max_examples=50, derandomize=True, **_QUIET)
settings.register_profile("deep", max_examples=2000, **_QUIET)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


@pytest.fixture(scope="session", autouse=True)
def _kernels_pass_on_no_arrays_uncounted():  # type: ignore[no-untyped-def]
    yield
    assert not uncounted_that_return_arrays()
    assert not uncounted_that_are_handed_arrays()
