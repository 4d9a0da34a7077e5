"""What the documents and the notebooks show, runs."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [
    "README.md",
    "envs/README.md",
    "agents/README.md",
    "docs/agents.md",
    "docs/search.md",
    "experiments/README.md",
    "notebooks/README.md",
]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def blocks(name: str) -> list[str]:
    return BLOCK.findall((ROOT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if blocks(name)])
def test_the_python_of_a_document_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "document"}
    for block in blocks(name):
        exec(compile(block, name, "exec"), names)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_cells_of_a_notebook_run_in_order(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "notebook"}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), path.name, "exec"), names)


def test_every_notebook_is_in_the_list():
    text = (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in NOTEBOOKS if f"({path.name})" not in text] == []


def test_the_readme_shows_python():
    assert blocks("README.md")


@pytest.mark.parametrize(
    "name",
    [
        *DOCUMENTS,
        "CONTRIBUTING.md",
        "docs/design.md",
        "docs/rules.md",
        "docs/records.md",
        "docs/environments.md",
        "docs/review.md",
    ],
)
def test_links_lead_somewhere(name):
    folder = (ROOT / name).parent
    targets = LINK.findall((ROOT / name).read_text(encoding="utf-8"))
    assert [target for target in targets if not (folder / target).exists()] == []


def test_the_front_page_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 200
    assert len((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()) <= 70
