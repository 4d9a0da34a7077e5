"""The kernel decorators of the package: numba's `njit` with the options of the house and a cache that notices edits.

numba keys its cache on the file of the compiled function alone, so an edit to a function that is called from another
file would go unnoticed. Here every module's kernels have a folder whose name is a hash of its source and of all modules
of the package that it imports, directly or through others. Where no folder can be written, kernels are compiled anew in
every process; nothing else changes.

numba counts references to arrays in compiled code, by atomic additions wherever a branch keeps it from seeing that two
of them cancel. A kernel that only works on the arrays that it is given needs none of that, and a playout without it is
more than twice as fast. So `kernel` and `hot_kernel` compile without, and cannot make arrays; `owning_kernel` can.
"""

import functools
import hashlib
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import numba

from minchiate_rl import content

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE: Final = Path(__file__).resolve().parents[2]


_IMPORT: Final = re.compile(rb"^(?:from|import) (minchiate_rl[\w.]*)(?: import (\([^)]*\)|[^\n]*))?", re.MULTILINE)


@functools.cache
def _imports(path: Path) -> frozenset[Path]:
    """Return the files of the package that a file imports itself."""
    found = set()
    for module, names in _IMPORT.findall(path.read_bytes()):
        stem = _PACKAGE.parent.joinpath(*module.decode().split("."))
        # `from package import name` may import a module of the package.
        inner = [stem / f"{name.strip(b'() ,').decode()}.py" for name in names.split()]
        found |= {file for file in (stem.with_suffix(".py"), stem / "__init__.py", *inner) if file.is_file()}
    return frozenset(found)


@functools.cache
def kernel_stamp(path: Path) -> str:
    """Return a hash of all sources that the kernels of a file may depend on: its own, and what it imports."""
    sources, fresh = set(), {path}
    while fresh:
        sources |= fresh
        fresh = {file for source in fresh for file in _imports(source)} - sources
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(sources):
        digest.update(str(source).encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _usable_cache() -> Path | None:
    folder = content.cache_root() / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


CACHE_FOLDER: Final[Path | None] = _usable_cache()
"""Where compiled kernels are kept, in a folder for each stamp, or None if no folder can be written."""


def kernel(function: F) -> F:
    """Compile a function that works on given arrays: no bounds checks, no reference counts, the GIL released, cached.

    It must not make an array, nor return one, nor call a kernel that returns one: see `owning_kernel`.
    """
    return _compiled(function)


def hot_kernel(function: F) -> F:
    """Compile like `kernel`, and set the code into every kernel that calls it: for the path of most decisions.

    What is rare is left to kernels of its own, so that the common path stays short.
    """
    return _compiled(function, forceinline=True)


def owning_kernel(function: F) -> F:
    """Compile like `kernel`, with reference counts: for one that makes arrays or is handed new ones by another."""
    return _compiled(function, owning=True)


def summing_kernel(function: F) -> F:
    """Compile like `kernel`, and let sums of floats run in the order that is quickest on the processor at hand.

    For the arithmetic of training alone, which matrix products tie to the processor anyway.
    """
    return _compiled(function, reordering=True)


def _compiled(function: F, *, forceinline: bool = False, owning: bool = False, reordering: bool = False) -> F:
    before = numba.config.CACHE_DIR
    path = Path(function.__code__.co_filename)
    folder = str(CACHE_FOLDER / kernel_stamp(path)) if CACHE_FOLDER is not None and path.is_file() else ""
    numba.config.CACHE_DIR = folder
    try:
        compiled: F = numba.njit(
            function,
            cache=bool(folder),
            nogil=True,
            boundscheck=False,
            error_model="numpy",
            forceinline=forceinline,
            fastmath={"reassoc", "nsz", "contract"} if reordering else False,
            _nrt=owning,
        )
    finally:
        numba.config.CACHE_DIR = before
    return compiled
