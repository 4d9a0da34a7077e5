"""The one kernel decorator of the package: numba's `njit` with the options of the house and a cache that notices edits.

numba keys its cache on the file of the compiled function alone, so an edit to a function that is called from another
file would go unnoticed. Here the cache folder's name is a hash of every module that holds kernels or constants of
kernels. Where the folder cannot be written, kernels are compiled anew in every process; nothing else changes.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import numba

from minchiate_rl import content

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE: Final = Path(__file__).resolve().parents[2]


def kernel_stamp() -> str:
    """Return a hash of the sources that compiled kernels depend on."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        text = path.read_bytes()
        if path.relative_to(_PACKAGE).parts[0] == "game" or b"@kernel" in text:
            digest.update(path.name.encode())
            digest.update(text)
    return digest.hexdigest()[:16]


def _usable_cache() -> Path | None:
    folder = content.cache_root() / f"kernels-{kernel_stamp()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


CACHE_FOLDER: Final[Path | None] = _usable_cache()
"""Where compiled kernels are kept, or None if no folder can be written."""


def kernel(function: F) -> F:
    """Compile a function with numba: no bounds checks, the GIL released, cached on disk where possible."""
    return _compiled(function, forceinline=False)


def hot_kernel(function: F) -> F:
    """Compile like `kernel`, and set the code into every kernel that calls it: for the path of most decisions.

    What is rare is left to kernels of its own, so that the common path stays short.
    """
    return _compiled(function, forceinline=True)


def _compiled(function: F, forceinline: bool) -> F:
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_FOLDER or "")
    try:
        compiled: F = numba.njit(
            function,
            cache=CACHE_FOLDER is not None,
            nogil=True,
            boundscheck=False,
            error_model="numpy",
            forceinline=forceinline,
        )
    finally:
        numba.config.CACHE_DIR = before
    return compiled
