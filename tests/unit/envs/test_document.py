"""The page on environments: its examples run, and its table is the layout that there is."""

import re
from pathlib import Path

from minchiate_rl.views.encoding import OBSERVATION_SIZE, OBSERVATION_VERSION, SLICES

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "environments.md").read_text(encoding="utf-8")


def test_the_table_of_the_observation_is_the_layout():
    table = re.findall(r"^\| (\d+)(?: to (\d+))? \| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE)
    told = {name: (int(first), int(last or first) + 1, meaning) for first, last, name, meaning in table}
    assert told == SLICES
    assert list(told) == list(SLICES)
    assert f"float32 with {OBSERVATION_SIZE:,} entries, layout version {OBSERVATION_VERSION};" in PAGE


def test_the_examples_run(capsys):
    for block in re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL):
        exec(compile(block, "docs/environments.md", "exec"), {"__name__": "document"})
    assert re.fullmatch(r"[+-]\d+ points\n", capsys.readouterr().out)
