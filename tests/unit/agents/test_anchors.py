"""Anchors are known by name, and their decisions are frozen: a digest changes only if the player does.

A digest that differs calls for a new version of the anchor under a new name, not for a new digest: every rating
against it would mean something else.
"""

import hashlib

import numpy as np
import pytest

from minchiate_rl import Batch
from minchiate_rl.agents import describe, make
from minchiate_rl.agents.anchors import ANCHORS, anchors_of
from minchiate_rl.matches.play import answers

DIGESTS = {
    "pimc:worlds=30": "91c7a059138efd57",
    "pimc:worlds=100": "d0a2c2078a187c04",
    "cheater": "38b0e205d5cdf5fe",
}
"""The digest of each anchor's decisions at three points of some hands. Kernel agents have theirs of whole hands, in
test_kernel_agents.py, test_forms.py and hashes.json."""


def test_every_anchor_is_an_agent():
    known = {entry.name for entry in describe()}
    assert {spec.partition(":")[0] for spec in ANCHORS} <= known
    assert all(make(spec).name == spec for spec in ANCHORS)
    assert anchors_of("pimc") == {"pimc:worlds=30": 2, "pimc:worlds=100": 2}
    assert anchors_of("policy") == {}


@pytest.mark.parametrize("spec", DIGESTS)
def test_its_decisions_are_frozen(spec):
    found = []
    for steps in (2, 24, 60):
        batch = Batch("classic", 8 if spec == "pimc:worlds=100" else 24, seed=2027)
        for _ in range(steps):
            batch.step(make("heuristic").act(batch.views(), batch.rng()))
        found.append(answers(make(spec), batch, np.ones(batch.num_games, np.bool_)))
    assert hashlib.sha256(np.concatenate(found).astype("<i2").tobytes()).hexdigest()[:16] == DIGESTS[spec]
