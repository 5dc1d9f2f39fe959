"""Raw memory for search kernels: one allocation, addressed by byte offsets.

Passing arrays into the small functions of a search costs reference counts, measured at
more than a tenth of a fast search. A search may instead take one `int64` array, its
arena, pass the arena's address on, and read and write by byte offset through the
functions here. The arena's first word holds its size, so that under NUMBA_BOUNDSCHECK=1
every access is checked; without it none is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from solvers.jit import BOUNDSCHECK, kernel

#: Bytes at the start of every arena that are not the search's own.
HEADER = 64


def new_arena(size: int) -> NDArray[np.int64]:
    """Allocate `size` bytes, lazily backed by memory, and note the size in the first word."""
    arena = np.empty((size + 7) // 8, np.int64)
    arena[0] = arena.nbytes
    return arena


def _load(bits: int) -> Any:
    """Make an intrinsic that loads an unsigned integer of `bits` as int64."""

    @intrinsic
    def load(_typing: Any, address: Any) -> Any:
        def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            kind = ir.IntType(bits)
            value = builder.load(builder.inttoptr(args[0], kind.as_pointer()), align=bits // 8)
            return value if bits == 64 else builder.zext(value, ir.IntType(64))

        return types.int64(types.int64), codegen

    return load


def _store(bits: int) -> Any:
    """Make an intrinsic that stores the low `bits` of an int64."""

    @intrinsic
    def store(_typing: Any, address: Any, value: Any) -> Any:
        def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            kind = ir.IntType(bits)
            value = args[1] if bits == 64 else builder.trunc(args[1], kind)
            builder.store(value, builder.inttoptr(args[0], kind.as_pointer()), align=bits // 8)

        return types.void(types.int64, types.int64), codegen

    return store


_load8, _load16, _load32, _load64 = _load(8), _load(16), _load(32), _load(64)
_store8, _store16, _store32, _store64 = _store(8), _store(16), _store(32), _store(64)


@kernel
def _check(arena: int, offset: int, width: int) -> None:
    """Raise when an access leaves the arena, or is not aligned."""
    if offset < HEADER or offset + width > _load64(arena) or offset % width != 0:
        raise IndexError("access outside the arena")


@kernel
def load8(arena: int, offset: int) -> int:
    """Return the unsigned byte at `offset` of the arena at address `arena`."""
    if BOUNDSCHECK:
        _check(arena, offset, 1)
    return _load8(arena + offset)


@kernel
def load16(arena: int, offset: int) -> int:
    """Return the unsigned 16-bit integer at a multiple of 2."""
    if BOUNDSCHECK:
        _check(arena, offset, 2)
    return _load16(arena + offset)


@kernel
def load32(arena: int, offset: int) -> int:
    """Return the unsigned 32-bit integer at a multiple of 4."""
    if BOUNDSCHECK:
        _check(arena, offset, 4)
    return _load32(arena + offset)


@kernel
def load64(arena: int, offset: int) -> int:
    """Return the signed 64-bit integer at a multiple of 8."""
    if BOUNDSCHECK:
        _check(arena, offset, 8)
    return _load64(arena + offset)


@kernel
def store8(arena: int, offset: int, value: int) -> None:
    """Store the low byte of `value`."""
    if BOUNDSCHECK:
        _check(arena, offset, 1)
    _store8(arena + offset, value)


@kernel
def store16(arena: int, offset: int, value: int) -> None:
    """Store the low 16 bits of `value` at a multiple of 2."""
    if BOUNDSCHECK:
        _check(arena, offset, 2)
    _store16(arena + offset, value)


@kernel
def store32(arena: int, offset: int, value: int) -> None:
    """Store the low 32 bits of `value` at a multiple of 4."""
    if BOUNDSCHECK:
        _check(arena, offset, 4)
    _store32(arena + offset, value)


@kernel
def store64(arena: int, offset: int, value: int) -> None:
    """Store `value` at a multiple of 8."""
    if BOUNDSCHECK:
        _check(arena, offset, 8)
    _store64(arena + offset, value)


@kernel
def copy(arena: int, source: int, target: int, words: int) -> None:
    """Copy `words` 64-bit words between two multiples of 8 that do not overlap."""
    for word in range(words):
        store64(arena, target + 8 * word, load64(arena, source + 8 * word))


@kernel
def fill32(arena: int, offset: int, count: int, value: int) -> None:
    """Store `value` in `count` 32-bit words from a multiple of 4 on."""
    for word in range(count):
        store32(arena, offset + 4 * word, value)
