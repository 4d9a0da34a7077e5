"""What numba has compiled in this process."""

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from numba import types
from numba.core.dispatcher import Dispatcher


def dispatchers(modules: dict[str, ModuleType]) -> Iterator[Any]:
    """Yield the compiled functions of modules of the package."""
    for name, module in list(modules.items()):
        if name.split(".")[0] == "minchiate_rl":
            yield from (value for value in list(vars(module).values()) if isinstance(value, Dispatcher))


def holds_array(kind: Any) -> bool:
    """Return whether a numba type is an array, or a tuple with one in it."""
    if isinstance(kind, types.BaseTuple):
        return any(map(holds_array, kind))
    return isinstance(kind, types.Array)


def uncounted_that_return_arrays(kernels: Iterator[Any] | None = None) -> set[str]:
    """Return the kernels without reference counts that return an array in a signature compiled so far."""
    found = dispatchers(sys.modules) if kernels is None else kernels
    return {
        f"{kernel.__module__}.{kernel.__name__}"
        for kernel in found
        if not kernel.targetoptions["_nrt"]
        for overload in list(kernel.overloads.values())
        if holds_array(overload.signature.return_type)
    }


def uncounted_that_are_handed_arrays(kernels: Iterator[Any] | None = None) -> set[str]:
    """Return the kernels without reference counts that call one which returns an array."""
    found = list(dispatchers(sys.modules)) if kernels is None else list(kernels)
    giving = {
        id(kernel)
        for kernel in found
        if any(holds_array(overload.signature.return_type) for overload in list(kernel.overloads.values()))
    }

    def calls(kernel: Any) -> set[int]:
        function = kernel.py_func
        return {id(function.__globals__.get(name)) for name in function.__code__.co_names}

    return {
        f"{kernel.__module__}.{kernel.__name__}"
        for kernel in found
        if not kernel.targetoptions["_nrt"] and giving & calls(kernel)
    }
