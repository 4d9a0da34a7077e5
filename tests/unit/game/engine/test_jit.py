"""The cache of compiled kernels goes by the sources that a kernel depends on; few kernels count references."""

import gc
from pathlib import Path

import numpy as np
import pytest
from numba.core.errors import NumbaError
from numba.core.runtime import _nrt_python, rtsys

import minchiate_rl
from minchiate_rl import Batch, agents
from minchiate_rl.game.engine import jit
from tests.support.kernels import uncounted_that_are_handed_arrays, uncounted_that_return_arrays

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


@jit.kernel
def first_of(array):
    """Return an array that was given."""
    return array


@jit.owning_kernel
def new_pair():
    """Return a new array in a tuple."""
    return 1, np.zeros(3)


@jit.kernel
def sum_of_new():
    """Ask for a new array without reference counts."""
    _, array = new_pair()
    return array[0]


def test_a_kernel_without_reference_counts_cannot_make_arrays():
    @jit.kernel
    def makes():
        return np.zeros(3)[0]

    with pytest.raises(NumbaError):
        makes()


def test_kernels_that_pass_arrays_on_without_reference_counts_are_found():
    first_of(np.zeros(2))
    assert new_pair()[0] == 1
    assert sum_of_new() == 0.0
    kernels = [first_of, new_pair, sum_of_new]
    assert uncounted_that_return_arrays(iter(kernels)) == {f"{__name__}.first_of"}
    assert uncounted_that_are_handed_arrays(iter(kernels)) == {f"{__name__}.sum_of_new"}


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("classic", "heuristic"),
        ("solo_fola", "heuristic"),
        ("piedicavallo", "heuristic"),
        ("classic", "pimc:worlds=4"),
        ("classic", "pimc:worlds=4,weigh=heuristic"),
        ("classic", "ismcts:iterations=10"),
    ],
)
def test_what_kernels_allocate_they_release(name, spec):
    def act():
        batch = Batch(name, 3, seed=2)
        agent = agents.make(spec)
        for _ in range(8):
            batch.step(agent.act(batch.views(), batch.rng()))

    act()
    _nrt_python.memsys_enable_stats()
    try:
        gc.collect()
        before = rtsys.get_allocation_stats()
        act()
        gc.collect()
        after = rtsys.get_allocation_stats()
    finally:
        _nrt_python.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free
