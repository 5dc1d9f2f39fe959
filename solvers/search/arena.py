"""Raw memory for search kernels: one allocation, addressed by byte offsets.

Passing arrays into the small functions of a search costs reference counts, measured at
more than a tenth of a fast search. A search may instead take one `int64` array, its
arena, pass the arena's address on, and read and write by byte offset through the
functions here. The arena's first word holds its size, so that under NUMBA_BOUNDSCHECK=1
every access is checked; without it none is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from solvers.jit import BOUNDSCHECK, effect, intrinsic, kernel

T = TypeVar("T")

#: Bytes at the start of every arena that are not the search's own.
HEADER = 64


class PerThread(Generic[T]):
    """What each thread makes once and keeps from call to call: tables that are dear to make."""

    def __init__(self, make: Callable[..., T], most: int = 1) -> None:
        """Keep the `most` latest of what `make` returns for different arguments."""
        self._make, self._most = make, most
        self._local = threading.local()

    def __call__(self, *arguments: Hashable) -> T:
        """Return what `make(*arguments)` made in this thread, making it if need be."""
        kept: dict[tuple[Hashable, ...], T] = self._local.__dict__.setdefault("kept", {})
        if arguments not in kept:
            # The oldest goes first, so that both never take memory at once.
            if len(kept) == self._most:
                del kept[next(iter(kept))]
            kept[arguments] = self._make(*arguments)
        return kept[arguments]


def new_arena(size: int) -> NDArray[np.int64]:
    """Allocate `size` bytes, lazily backed by memory, and note the size in the first word."""
    arena = np.empty((size + 7) // 8, np.int64)
    arena[0] = arena.nbytes
    return arena


@effect
def note_size(_context: Any, builder: Any, arena: Any, size: Any) -> None:
    """Note an arena's size in its first word, for one that lies within another."""
    builder.store(size, _pointer(builder, arena, size.type(0), 64), align=8)


def _emit_check(context: Any, builder: Any, arena: Any, offset: Any, width: int) -> None:
    """Emit a raise for an access that leaves the arena or is not aligned."""
    if not BOUNDSCHECK:
        return
    word = offset.type
    size = builder.load(builder.inttoptr(arena, word.as_pointer()))
    inside = builder.and_(
        builder.icmp_signed(">=", offset, word(HEADER)),
        builder.icmp_signed("<=", builder.add(offset, word(width)), size),
    )
    aligned = builder.icmp_signed("==", builder.and_(offset, word(width - 1)), word(0))
    with builder.if_then(builder.not_(builder.and_(inside, aligned)), likely=False):
        context.call_conv.return_user_exc(
            builder, IndexError, ("access outside the arena, or not aligned",)
        )


def _pointer(builder: Any, arena: Any, offset: Any, bits: int) -> Any:
    """Emit the pointer to an integer of `bits`."""
    from llvmlite import ir

    return builder.inttoptr(builder.add(arena, offset), ir.IntType(bits).as_pointer())


def emit_load(context: Any, builder: Any, arena: Any, offset: Any, bits: int) -> Any:
    """Emit the load of an unsigned integer of `bits` at an offset; return it as int64."""
    _emit_check(context, builder, arena, offset, bits // 8)
    value = builder.load(_pointer(builder, arena, offset, bits), align=bits // 8)
    return value if bits == 64 else builder.zext(value, arena.type)


def emit_store(context: Any, builder: Any, arena: Any, offset: Any, value: Any, bits: int) -> None:
    """Emit the store of the low `bits` of an int64 at an offset."""
    _emit_check(context, builder, arena, offset, bits // 8)
    pointer = _pointer(builder, arena, offset, bits)
    cut = value if bits == 64 else builder.trunc(value, pointer.type.pointee)
    builder.store(cut, pointer, align=bits // 8)


def _make_load(bits: int) -> Any:
    """Make `load(arena, offset)`, an unsigned integer of `bits` as int64."""

    # An intrinsic and not a kernel: a kernel would be compiled anew for every literal offset.
    @intrinsic
    def load(context: Any, builder: Any, arena: Any, offset: Any) -> Any:
        return emit_load(context, builder, arena, offset, bits)

    return load


def _make_store(bits: int) -> Any:
    """Make `store(arena, offset, value)`, which stores the low `bits` of an int64."""

    @effect
    def store(context: Any, builder: Any, arena: Any, offset: Any, value: Any) -> None:
        emit_store(context, builder, arena, offset, value, bits)

    return store


# Offsets are multiples of the width.
load8, load16, load32, load64 = (_make_load(bits) for bits in (8, 16, 32, 64))
store8, store16, store32, store64 = (_make_store(bits) for bits in (8, 16, 32, 64))


def _emit_blocks(
    context: Any, builder: Any, arena: Any, source: Any, target: Any, bits: int
) -> tuple[Any, Any]:
    """Emit the pointers to two blocks of 32 bytes, as vectors of integers of `bits`."""
    from llvmlite import ir

    block = ir.VectorType(ir.IntType(bits), 256 // bits).as_pointer()
    pointers = []
    for offset in (source, target):
        last = builder.add(offset, offset.type(24))
        _emit_check(context, builder, arena, offset, 8)
        _emit_check(context, builder, arena, last, 8)
        pointers.append(builder.inttoptr(builder.add(arena, offset), block))
    return pointers[0], pointers[1]


@effect
def _copy_block(context: Any, builder: Any, arena: Any, source: Any, target: Any) -> None:
    """Copy 32 bytes between two multiples of 8, in one load and one store."""
    theirs, ours = _emit_blocks(context, builder, arena, source, target, 64)
    builder.store(builder.load(theirs, align=8), ours, align=8)


@effect
def _lower_block(context: Any, builder: Any, arena: Any, source: Any, target: Any) -> None:
    """Lower each of 32 bytes to its fellow from another 32, both at multiples of 8."""
    theirs_at, ours_at = _emit_blocks(context, builder, arena, source, target, 8)
    theirs, ours = builder.load(theirs_at, align=8), builder.load(ours_at, align=8)
    less = builder.icmp_unsigned("<", theirs, ours)
    builder.store(builder.select(less, theirs, ours), ours_at, align=8)


@kernel
def lower(arena: int, source: int, target: int, size: int) -> None:
    """Lower each of `size` bytes at a target to its fellow at a source; else as `copy`."""
    for offset in range(0, size, 32):
        _lower_block(arena, source + offset, target + offset)


@kernel
def copy(arena: int, source: int, target: int, size: int) -> None:
    """Copy `size` bytes, a multiple of 32, between two multiples of 8 that do not overlap."""
    for offset in range(0, size, 32):
        _copy_block(arena, source + offset, target + offset)


@kernel
def fill32(arena: int, offset: int, count: int, value: int) -> None:
    """Store `value` in `count` 32-bit words from a multiple of 4 on."""
    for word in range(count):
        store32(arena, offset + 4 * word, value)
