"""Records: fields where they are declared, kept apart, and read back as they were written."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.jit import kernel
from solvers.search import record
from solvers.search.arena import HEADER, new_arena
from solvers.search.record import Bits, Record

ROOT = Path(record.__file__).parents[2]

FIXED = Record(at=HEADER)
get_total, set_total = FIXED.word("total", "a word")
get_byte, set_byte = FIXED.array(8, 5, "bytes", "five bytes")
get_pair, set_pair = FIXED.array(64, 2, "pair", "two words")
ITEMS = FIXED.block(3 * 48, "items", "three items")

ITEM = Record()
get_half, set_half = ITEM.field(32, "half", "a half word")
get_short, set_short = ITEM.array(16, 3, "shorts", "three of 16 bits")
get_sum, set_sum = ITEM.word("sum", "a word")
ITEM_SIZE = ITEM.size(16)

WORD = Bits()
get_card, put_card = WORD.field(6, "card", "a card")
get_target, put_target = WORD.field(4, "target", "a place")
get_rest, put_rest = WORD.field(54, "rest", "what is left, up to the sign bit")


@kernel
def write(arena, total, byte, half, short, item_sum):
    """Write every field; item i holds the values plus i."""
    set_total(arena, total)
    for index in range(5):
        set_byte(arena, index, byte + index)
    for index in range(2):
        set_pair(arena, index, total + index)
    for index in range(3):
        item = ITEMS + 48 * index
        set_half(arena, item, half + index)
        for place in range(3):
            set_short(arena, item, place, short + place + index)
        set_sum(arena, item, item_sum + index)


@kernel
def read(arena, found):
    """Read every field in the order in which `write` writes them."""
    found[0] = get_total(arena)
    at = 1
    for index in range(5):
        found[at] = get_byte(arena, index)
        at += 1
    for index in range(2):
        found[at] = get_pair(arena, index)
        at += 1
    for index in range(3):
        item = ITEMS + 48 * index
        found[at] = get_half(arena, item)
        for place in range(3):
            found[at + 1 + place] = get_short(arena, item, place)
        found[at + 4] = get_sum(arena, item)
        at += 5


@kernel
def join(card, target, rest):
    return put_card(card) | put_target(target) | put_rest(rest)


@kernel
def part(word, which):
    if which == 0:
        return get_card(word)
    return get_target(word) if which == 1 else get_rest(word)


def test_fields_lie_one_after_another_on_multiples_of_their_width() -> None:
    """Two fields never share a byte, and the record ends behind the last one."""
    for declared in (FIXED, ITEM):
        fields = list(declared.fields.values())
        for field in fields:
            assert field.offset % (field.bits // 8) == 0, field
        for before, after in itertools.pairwise(fields):
            assert before.offset + before.bits // 8 * before.count <= after.offset
        last = fields[-1]
        assert declared.size() >= last.offset + last.bits // 8 * last.count
    assert FIXED.at("total") == HEADER
    assert ITEM.at("half") == 0
    assert ITEM_SIZE % 16 == 0


def test_fields_are_read_as_they_were_written() -> None:
    """Narrow fields are unsigned and cut to their width; words keep their sign."""
    arena = new_arena(FIXED.size())
    write(arena.ctypes.data, -5, 250, 2**32 - 1, 65534, -(2**63))
    found = np.zeros(8 + 15, np.int64)
    read(arena.ctypes.data, found)
    assert found[:8].tolist() == [-5, 250, 251, 252, 253, 254, -5, -4]
    assert found[8:13].tolist() == [2**32 - 1, 65534, 65535, 0, -(2**63)]
    assert found[13:18].tolist() == [0, 65535, 0, 1, -(2**63) + 1]


@given(st.integers(0, 63), st.integers(0, 15), st.integers(0, 2**54 - 1))
def test_bit_fields_are_the_same_in_kernels_and_in_python(card: int, target: int, rest: int):
    """The word is one: written here and read there."""
    packed = WORD.pack(card=card, target=target, rest=rest)
    word = join(card, target, rest)
    assert word % 2**64 == packed
    assert [part(word, which) for which in range(3)] == [card, target, rest]
    assert WORD.unpack(packed) == {"card": card, "target": target, "rest": rest}


def test_a_declaration_that_cannot_hold_is_refused() -> None:
    """A second field of a name, bits beyond the word, a value beyond its field."""
    with pytest.raises(ValueError, match="twice"):
        FIXED.word("total", "again")
    with pytest.raises(ValueError, match="does not fit"):
        WORD.field(1, "more", "no room")
    with pytest.raises(ValueError, match=r"card is 64; valid is 0\.\.63"):
        WORD.pack(card=64)


OUTSIDE = """
from solvers import jit
from solvers.search.arena import HEADER, new_arena
from solvers.search.record import Record

RECORD = Record(at=HEADER)
get_one, set_one = RECORD.array(32, 4, "one", "four")

@jit.kernel
def load(arena, index):
    return get_one(arena, index)

@jit.kernel
def store(arena, index):
    set_one(arena, index, 1)

assert jit.BOUNDSCHECK
arena = new_arena(RECORD.size())
for access in (load, store):
    for index in range(-2, 7):
        try:
            access(arena.ctypes.data, index)
            refused = False
        except IndexError:
            refused = True
        assert refused == (not 0 <= index < 4), index
print("checked")
"""


def test_accesses_outside_the_arena_are_refused_under_bounds_check(tmp_path: Path) -> None:
    """An index beyond the last field's array leaves the arena, and is seen to."""
    script = tmp_path / "outside.py"
    script.write_text(OUTSIDE)
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == "checked\n", done.stderr
