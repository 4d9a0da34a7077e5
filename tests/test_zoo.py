"""The trained agents that come with the toolkit: small, whole, without torch, and better than the rule player."""

import json
import subprocess
import sys

import pytest

from minchiate_rl import content
from minchiate_rl.agents import make, registry
from minchiate_rl.matches.match import play_match

AGENTS = registry.zoo()
MOST_BYTES = 10_000_000


def test_the_trained_agents_come_with_the_toolkit():
    assert {"champion", "challenger", "quick"} <= set(AGENTS)


@pytest.mark.parametrize("name", AGENTS)
def test_an_agents_folder_is_small_and_tells_what_it_is(name):
    folder = content.folder("agents") / name
    assert sum(path.stat().st_size for path in folder.iterdir()) < MOST_BYTES
    about = json.loads((folder / "agent.json").read_text())["about"]
    assert {"recipe", "seed", "hands"} <= set(about)
    card = (folder / "card.md").read_text()
    for part in ("## How it was trained", "## Curve", "## Results", "## By role", "## Known weaknesses"):
        assert part in card


@pytest.mark.parametrize("name", AGENTS)
def test_it_beats_the_rule_player(name):
    result = play_match(f"zoo:{name}", "heuristic", 150, seed=71)
    assert result.interval is not None
    assert result.interval[0] > 20


def test_it_plays_without_torch():
    code = (
        "import sys, minchiate_rl as mrl\n"
        "batch = mrl.Batch('classic', 8, seed=1)\n"
        "actions = mrl.agents.make('zoo:champion').act(batch.views(), batch.rng())\n"
        "batch.step(actions)\n"
        "assert 'torch' not in sys.modules\n"
        "print(len(actions))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "8\n"), done.stderr


@pytest.mark.parametrize("more", ["", ",playout=zoo:quick", ",playout=zoo:quick,weigh=zoo:quick,steps=3"])
def test_search_is_guided_and_played_out_by_them(more):
    agent = make(f"pimc:worlds=4,guide=zoo:champion,top=3{more}")
    result = play_match(agent, "heuristic", 20, seed=72)
    assert result.mean_difference > 0
