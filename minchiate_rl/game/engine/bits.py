"""Sets of cards as bits: counting, finding and picking set bits of uint64 words.

The machine's own instructions are used through LLVM: `popcnt`, `tzcnt`, `lzcnt`, and `pdep` where the processor has
BMI2. The k-th set bit by `pdep` and a trailing-zero count is about half as fast again as popping bits one by one. Every
function has a plain twin, which serves under NUMBA_DISABLE_JIT and on processors without BMI2, with equal results.
"""

from typing import Any, Final

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from minchiate_rl.game.engine.jit import kernel

U: Final = np.uint64
ZERO: Final = np.uint64(0)
ONE: Final = np.uint64(1)
ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)

HAS_PDEP: Final[bool] = bool(llvm.get_host_cpu_features().get("bmi2", False))


def _unary(name: str) -> Any:
    """Return an intrinsic uint64 -> uint64 that calls the LLVM function of that name."""
    zero_flag = name in ("llvm.cttz", "llvm.ctlz")

    @intrinsic
    def call(typingctx: Any, x: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            i64 = ir.IntType(64)
            parameters = [i64, ir.IntType(1)] if zero_flag else [i64]
            function = builder.module.declare_intrinsic(name, [i64], ir.FunctionType(i64, parameters))
            flags = [ir.Constant(ir.IntType(1), 0)] if zero_flag else []
            return builder.call(function, [args[0], *flags])

        return types.uint64(types.uint64), codegen

    return call


@intrinsic
def _pdep(typingctx: Any, source: Any, mask: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        i64 = ir.IntType(64)
        kind = ir.FunctionType(i64, [i64, i64])
        function = numba.core.cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pdep.64")
        return builder.call(function, args)

    return types.uint64(types.uint64, types.uint64), codegen


@intrinsic
def _pext(typingctx: Any, source: Any, mask: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        i64 = ir.IntType(64)
        kind = ir.FunctionType(i64, [i64, i64])
        function = numba.core.cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pext.64")
        return builder.call(function, args)

    return types.uint64(types.uint64, types.uint64), codegen


def popcount_plain(x: Any) -> Any:
    """Return the number of set bits of a uint64."""
    return np.uint64(int(x).bit_count())


def trailing_zeros_plain(x: Any) -> Any:
    """Return the position of the lowest set bit of a uint64; 64 if there is none."""
    return np.uint64((int(x) & -int(x)).bit_length() - 1 if x else 64)


def leading_zeros_plain(x: Any) -> Any:
    """Return 63 less the position of the highest set bit of a uint64; 64 if there is none."""
    return np.uint64(64 - int(x).bit_length())


if numba.config.DISABLE_JIT:
    popcount, trailing_zeros, leading_zeros = popcount_plain, trailing_zeros_plain, leading_zeros_plain
else:
    _ctpop, _cttz, _ctlz = _unary("llvm.ctpop"), _unary("llvm.cttz"), _unary("llvm.ctlz")

    @kernel
    def popcount(x):  # type: ignore[no-untyped-def]
        """Return the number of set bits of a uint64."""
        return _ctpop(x)

    @kernel
    def trailing_zeros(x):  # type: ignore[no-untyped-def]
        """Return the position of the lowest set bit of a uint64; 64 if there is none."""
        return _cttz(x)

    @kernel
    def leading_zeros(x):  # type: ignore[no-untyped-def]
        """Return 63 less the position of the highest set bit of a uint64; 64 if there is none."""
        return _ctlz(x)


@kernel
def nth_bit_plain(x, k):  # type: ignore[no-untyped-def]
    """Return the position of the k-th lowest set bit (k from 0) of a uint64 with more than k set bits."""
    for _ in range(k):
        x &= x - ONE
    return trailing_zeros(x)


@kernel
def gather_plain(x, mask):  # type: ignore[no-untyped-def]
    """Return the bits of a uint64 that lie in a mask, packed to the low end in their order."""
    packed, place = ZERO, ONE
    while mask != ZERO:
        if (x & mask & (~mask + ONE)) != ZERO:
            packed |= place
        place <<= ONE
        mask &= mask - ONE
    return packed


if HAS_PDEP and not numba.config.DISABLE_JIT:

    @kernel
    def nth_bit(x, k):  # type: ignore[no-untyped-def]
        """Return the position of the k-th lowest set bit (k from 0) of a uint64 with more than k set bits."""
        return _cttz(_pdep(ONE << U(k), x))

    @kernel
    def gather(x, mask):  # type: ignore[no-untyped-def]
        """Return the bits of a uint64 that lie in a mask, packed to the low end in their order."""
        return _pext(x, mask)

else:
    nth_bit, gather = nth_bit_plain, gather_plain


@kernel
def highest(x):  # type: ignore[no-untyped-def]
    """Return the position of the highest set bit of a uint64 that is not zero."""
    return U(63) - leading_zeros(x)
