"""The rules of the house that no linter knows."""

import ast
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter import cli as importlinter

import minchiate_rl

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "minchiate_rl"
MODULES = sorted(PACKAGE.rglob("*.py"))
FORBIDDEN = {"utils", "common", "helpers", "misc", "base"}
ALLOWED = {PACKAGE / "agents" / "base.py"}
MAX_FILE, MAX_FUNCTION, MAX_PARAMETERS = 500, 50, 7
NUMBA_ITSELF = {PACKAGE / "game" / "engine" / "jit.py", PACKAGE / "game" / "engine" / "bits.py"}


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def is_kernel(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        getattr(mark, "id", getattr(mark, "attr", "")) in {"kernel", "hot_kernel", "owning_kernel"}
        for mark in function.decorator_list
    )


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines from `def` to the end, the docstring apart."""
    lines = (function.end_lineno or 0) - function.lineno + 1
    if ast.get_docstring(function) is not None:
        lines -= (function.body[0].end_lineno or 0) - function.body[0].lineno + 1
    return lines


def test_no_file_is_too_long():
    sizes = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: size for name, size in sizes.items() if size > MAX_FILE} == {}


def test_no_function_is_too_long():
    sizes = {f"{name_of(path)}:{f.name}": lines_of(f) for path in MODULES for f in functions(path)}
    assert {name: size for name, size in sizes.items() if size > MAX_FUNCTION} == {}


def test_no_function_has_too_many_parameters():
    counts = {}
    for path in MODULES:
        for f in functions(path):
            if not is_kernel(f):
                names = [a.arg for a in (*f.args.posonlyargs, *f.args.args, *f.args.kwonlyargs)]
                counts[f"{name_of(path)}:{f.name}"] = len([n for n in names if n not in {"self", "cls"}])
    # An initialiser of an environment has an argument for each of its documented options.
    assert {n: c for n, c in counts.items() if c > MAX_PARAMETERS and not n.endswith(":__init__")} == {}


def test_no_module_is_a_drawer():
    names = {path for path in MODULES if path.stem in FORBIDDEN} | {
        p for p in PACKAGE.rglob("*") if p.name in FORBIDDEN
    }
    assert names - ALLOWED == set()


def test_only_the_app_prints():
    printing = set()
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                printing.add(path)
    assert {name_of(path) for path in printing if PACKAGE / "app" not in path.parents} == set()


def test_kernels_are_made_by_the_one_decorator():
    culprits = set()
    for path in set(MODULES) - NUMBA_ITSELF:
        for node in ast.walk(tree_of(path)):
            modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(module.split(".")[0] == "numba" for module in modules):
                culprits.add(name_of(path))
    assert culprits == set()


def test_no_kernel_uses_prange():
    assert [name_of(path) for path in MODULES if "prange(" in path.read_text(encoding="utf-8")] == []


def test_nothing_is_left_for_later():
    mark = re.compile("TO" + "DO|FIX" + "ME|XX" + "X:")
    assert [name_of(path) for path in MODULES if mark.search(path.read_text(encoding="utf-8"))] == []


def test_imports_go_down_the_floors(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert importlinter.lint_imports(config_filename="pyproject.toml", no_cache=True) == 0


def test_importing_the_package_loads_neither_torch_nor_numba():
    code = "import sys, minchiate_rl; print(sorted({'torch', 'numba', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_name_of_the_contents_page_is_there():
    assert [name for name in minchiate_rl.__all__ if not hasattr(minchiate_rl, name)] == []
    assert set(minchiate_rl.__all__) <= set(dir(minchiate_rl))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = minchiate_rl.nothing


def test_the_changelog_is_headed_by_this_version():
    first = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert first is not None
    assert first[1] == minchiate_rl.__version__


@pytest.mark.parametrize("folder", ["envs", "agents", "experiments", "notebooks"])
def test_every_content_folder_says_what_lies_there(folder):
    text = (ROOT / folder / "README.md").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert "minchiate_rl/" in text


@pytest.mark.slow
def test_the_wheel_carries_the_content_and_works_elsewhere(tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, capture_output=True, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
        packed.extractall(tmp_path / "installed")
    assert {"minchiate_rl/py.typed", "minchiate_rl/_content/envs/classic.toml"} <= names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"minchiate_rl"}
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "installed")}
    code = "import minchiate_rl as m; print(m.__file__, m.rulesets())"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert str(tmp_path) in done.stdout
    assert "classic" in done.stdout
