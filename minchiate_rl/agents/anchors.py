"""The anchors: players that ratings are measured against, frozen and versioned.

Once named, an anchor's play does not change, to the card: the tests hold a digest of its decisions. A better player of
the kind gets a new version, here and in its name, and the old one stays. Only a fault is mended in place, and the
version says so: in version 1 `pimc` thought of deals in which a seat held a card that its declaration would have shown.
"""

from typing import Final

ANCHORS: Final = {
    "random": 1,
    "greedy": 1,
    "heuristic": 1,
    "deaf": 1,
    "mute": 1,
    "pimc:worlds=30": 2,
    "pimc:worlds=100": 2,
    "cheater": 1,
}
"""The version of each anchor, by spec."""


def anchors_of(name: str) -> dict[str, int]:
    """Return the anchors among the specs of an agent (the part before the colon), with their versions."""
    return {spec: version for spec, version in ANCHORS.items() if spec.partition(":")[0] == name}
