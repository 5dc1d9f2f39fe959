"""Raw memory: what is stored is loaded again, and nothing leaves the arena unseen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from solvers.jit import kernel
from solvers.search import arena as memory
from solvers.search.arena import HEADER, new_arena

ROOT = Path(memory.__file__).parents[2]

ACCESSES = """
import sys
import numpy as np
from solvers import jit
from solvers.search.arena import *

@jit.kernel
def load(arena, offset, width):
    if width == 8:
        return load8(arena, offset)
    if width == 16:
        return load16(arena, offset)
    if width == 32:
        return load32(arena, offset)
    return load64(arena, offset)

@jit.kernel
def store(arena, offset, width):
    if width == 8:
        store8(arena, offset, 7)
    elif width == 16:
        store16(arena, offset, 7)
    elif width == 32:
        store32(arena, offset, 7)
    else:
        store64(arena, offset, 7)

assert jit.BOUNDSCHECK
size = HEADER + 64
# Room around the arena, so that an access that is not refused does no harm.
room = np.zeros(3 * size // 8, np.int64)
arena = room[size // 8 : 2 * size // 8]
arena[0] = size
address = arena.ctypes.data
for access in (load, store):
    for width in (8, 16, 32, 64):
        refused = []
        for offset in range(-8, size + 16):
            try:
                access(address, offset, width)
            except IndexError as error:
                assert "outside the arena" in str(error)
                refused.append(offset)
        step = width // 8
        allowed = set(range(HEADER, size - step + 1, step))
        assert set(refused) == set(range(-8, size + 16)) - allowed, (width, refused)
for function, arguments in (
    (copy, (HEADER, HEADER + 40, 32)),
    (copy, (HEADER + 40, HEADER, 32)),
    (copy, (HEADER + 4, HEADER + 32, 32)),
    (copy, (HEADER - 8, HEADER + 32, 32)),
    (copy, (HEADER, HEADER + 32, 64)),
    (fill32, (HEADER, 17, 1)),
    (fill32, (HEADER - 4, 1, 1)),
):
    try:
        function(address, *arguments)
    except IndexError:
        continue
    raise AssertionError((function, arguments))
copy(address, HEADER, HEADER + 32, 32)
fill32(address, HEADER, 16, 1)
print("checked")
"""


@kernel
def store_all(arena: int, offset: int, value: int) -> None:
    """Store a value in each width, eight bytes apart."""
    memory.store8(arena, offset, value)
    memory.store16(arena, offset + 8, value)
    memory.store32(arena, offset + 16, value)
    memory.store64(arena, offset + 24, value)


@kernel
def load_all(arena: int, offset: int) -> tuple[int, int, int, int]:
    """Load what store_all stored."""
    return (
        memory.load8(arena, offset),
        memory.load16(arena, offset + 8),
        memory.load32(arena, offset + 16),
        memory.load64(arena, offset + 24),
    )


@pytest.mark.parametrize("size", [64, 65, 71, 72, 1000])
def test_a_new_arena_holds_its_size(size: int) -> None:
    arena = new_arena(size)
    assert arena.dtype == np.int64
    assert size <= arena.nbytes < size + 8
    assert arena[0] == arena.nbytes


@pytest.mark.parametrize(
    "value", [0, 1, -1, 127, 128, 255, 256, 65535, 65536, (1 << 32) - 1, 1 << 32, -(1 << 63)]
)
def test_what_is_stored_is_loaded_as_unsigned_low_bits(value: int) -> None:
    arena = new_arena(HEADER + 64)
    arena[1:] = 0x5555555555555555
    address = arena.ctypes.data
    store_all(address, HEADER + 16, value)
    low = [value & (1 << width) - 1 for width in (8, 16, 32)]
    assert load_all(address, HEADER + 16) == (*low, value)
    # The same bytes as numpy sees them, and none beside them.
    bytes_ = arena.view(np.uint8)
    expected = np.full(arena.nbytes, 0x55, np.uint8)
    expected[:8] = bytes_[:8]
    for place, width in ((0, 1), (8, 2), (16, 4), (24, 8)):
        stored = (value & (1 << 8 * width) - 1).to_bytes(width, "little")
        expected[HEADER + 16 + place : HEADER + 16 + place + width] = list(stored)
    assert bytes_.tolist() == expected.tolist()


def test_copy_and_fill() -> None:
    arena = new_arena(HEADER + 160)
    words = HEADER // 8
    arena[words:] = np.arange(20)
    memory.copy(arena.ctypes.data, HEADER + 8, HEADER + 80, 64)
    assert arena[words:].tolist() == [*range(10), *range(1, 9), 18, 19]
    memory.fill32(arena.ctypes.data, HEADER + 12, 3, 7)
    assert arena[words : words + 4].tolist() == [0, 7 << 32 | 1, 7 << 32 | 7, 3]


def test_lower_takes_the_lesser_of_each_two_bytes() -> None:
    arena = new_arena(HEADER + 160)
    ours, theirs = np.random.default_rng(1).integers(0, 256, (2, 64), np.uint8)
    data = arena.view(np.uint8)
    data[HEADER:] = 9
    data[HEADER + 8 : HEADER + 72], data[HEADER + 80 : HEADER + 144] = theirs, ours
    memory.lower(arena.ctypes.data, HEADER + 8, HEADER + 80, 64)
    assert (data[HEADER + 80 : HEADER + 144] == np.minimum(ours, theirs)).all()
    assert (data[HEADER + 8 : HEADER + 72] == theirs).all()
    assert (data[HEADER + 144 :] == 9).all()


def test_every_access_outside_is_refused_under_bounds_check(tmp_path: Path) -> None:
    script = tmp_path / "accesses.py"
    script.write_text(ACCESSES)
    environment = {
        **os.environ,
        "NUMBA_BOUNDSCHECK": "1",
        "NUMBA_CACHE_DIR": str(tmp_path),
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stderr, done.stdout) == ("", "checked\n")
