"""What search has found in the last steps of a run, as it is learned from and as it is saved."""

import dataclasses
import io
import zipfile
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.errors import CheckpointError

Floats = npt.NDArray[np.float32]

TOP: Final = 8
"""The most moves of which an improved distribution is kept."""


@dataclasses.dataclass(frozen=True)
class Memory:
    """What search has found in a step: K choices in which it tried two moves or more."""

    tokens: npt.NDArray[np.int16]
    """int16 (K, T), rows cut to what they hold."""
    states: npt.NDArray[np.int16]
    """int16 (K, T')."""
    legal: npt.NDArray[np.uint64]
    """uint64 (K, 4)."""
    phases: npt.NDArray[np.int8]
    """int8 (K,)."""
    ids: npt.NDArray[np.int16]
    """int16 (K, TOP): the moves that were tried, as the network names them; -1 behind them."""
    chances: Floats
    """float32 (K, TOP): the improved distribution over them."""
    goals: Floats
    """float32 (K,): what the seat's side still won, in resti units."""

    def __len__(self) -> int:
        return len(self.goals)


def pack(memories: Sequence[Memory]) -> bytes:
    """Return memories as the bytes of an .npz file."""
    buffer = io.BytesIO()
    arrays = {f"{k}.{name}": array for k, memory in enumerate(memories) for name, array in vars(memory).items()}
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def unpack(data: bytes, where: str) -> list[Memory]:
    """Return the memories that `pack` made bytes of.

    Raises:
        CheckpointError: they are something else.
    """
    names = [field.name for field in dataclasses.fields(Memory)]
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            count = len(arrays.files) // len(names)
            return [Memory(**{name: arrays[f"{k}.{name}"] for name in names}) for k in range(count)]
    except (EOFError, KeyError, TypeError, ValueError, OSError, zipfile.BadZipFile) as error:
        raise CheckpointError(f"{where}: cannot be read: {type(error).__name__}") from None


def joined(memories: Sequence[Memory]) -> Memory:
    """Return memories as one, rows of tokens padded to the longest."""

    def rows(name: str) -> npt.NDArray[Any]:
        arrays = [getattr(memory, name) for memory in memories]
        if name not in {"tokens", "states"}:
            return np.concatenate(arrays)
        width = max(array.shape[1] for array in arrays)
        return np.concatenate([np.pad(array, ((0, 0), (0, width - array.shape[1]))) for array in arrays])

    return Memory(**{field.name: rows(field.name) for field in dataclasses.fields(Memory)})
