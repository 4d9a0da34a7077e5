"""The cache of compiled kernels goes by the sources that a kernel depends on."""

from pathlib import Path

import pytest

import minchiate_rl
from minchiate_rl.game.engine import jit

PACKAGE = Path(minchiate_rl.__file__).resolve().parent


def sources(name):
    found, fresh = set(), {PACKAGE / name}
    while fresh:
        found |= fresh
        fresh = {file for source in fresh for file in jit._imports(source)} - found
    return {path.relative_to(PACKAGE).as_posix() for path in found}


def test_a_kernel_depends_on_what_its_module_imports_through_others():
    needed = sources("game/engine/step.py")
    assert {"game/engine/trick.py", "game/engine/score.py", "game/engine/versicole.py", "game/engine/bits.py"} <= needed
    assert "game/rules.py" in needed
    assert "game/engine/observe.py" not in needed


def test_modules_that_are_imported_by_name_out_of_a_package_count():
    assert "agents/fused.py" in sources("matches/play.py")
    assert "agents/suits.py" in sources("agents/policy.py")


@pytest.mark.parametrize(
    "text",
    [
        "from minchiate_rl.game.engine import bits\n",
        "from minchiate_rl.game.engine import (\n    bits,\n    streams,\n)\n",
        "from minchiate_rl.game.engine import streams, bits\n",
        "from minchiate_rl.game.engine.bits import ONE, ZERO\n",
        "import minchiate_rl.game.engine.bits\n",
    ],
)
def test_every_form_of_import_is_seen(tmp_path, text):
    path = tmp_path / "own.py"
    path.write_text(text)
    assert PACKAGE / "game" / "engine" / "bits.py" in jit._imports(path)


def test_an_edit_changes_the_stamp_of_those_that_depend_on_it(tmp_path):
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    first.write_text("from minchiate_rl.game.engine.bits import ONE\n")
    second.write_text("from minchiate_rl.game.engine.bits import ONE\n\n")
    assert jit.kernel_stamp(first) != jit.kernel_stamp(second)
    assert len(jit.kernel_stamp(first)) == 16
