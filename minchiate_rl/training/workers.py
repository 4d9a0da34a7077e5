"""Threads for the two halves of the work.

Kernels and torch's operations release the GIL, so two Python threads keep two cores busy. Each thread computes with one
torch thread alone: more are slower on matrices of this size, and what a part computes must not depend on their number.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TypeVar

import torch

T = TypeVar("T")


def usable_cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """One or two threads that run parts of the work; results come in the order of the parts."""

    def __init__(self, threads: int | None = None) -> None:
        """Start the threads: as many as asked for, at most two; as many as there are cores if None."""
        self.threads = min(2, usable_cores() if threads is None else max(1, threads))
        self._torch_threads = torch.get_num_threads()
        torch.set_num_threads(1)
        self._pool = ThreadPoolExecutor(self.threads, initializer=torch.set_num_threads, initargs=(1,))

    def run(self, parts: Sequence[Callable[[], T]]) -> list[T]:
        """Run every part and return their results in order; raises what the first failing part raised."""
        return list(self._pool.map(_call, parts))

    def close(self) -> None:
        """End the threads and give torch its own number of threads back."""
        self._pool.shutdown()
        torch.set_num_threads(self._torch_threads)

    def __enter__(self) -> "Workers":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _call(part: Callable[[], T]) -> T:
    return part()
