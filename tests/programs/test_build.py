"""Programs: how an entry is declared and called, and what must not be left in compiled code."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

from solvers.errors import ProgramError, UnknownNameError
from solvers.jit import Local, View, entry, inlined, kernel
from solvers.programs import build, targets
from solvers.programs.abi import marshal, parameters_of

_squares = Local(np.int64, 8)
_as_words, _as_row = View(np.int64, 2), View(np.int64)


@kernel
def square(value):
    return value * value


@entry("i64, u8[:,:], i64[:]")
def sum_squares(factor, rows, sums):
    """Sum the squares of each row's values."""
    held = _squares()
    for row in range(len(rows)):
        for column in range(rows.shape[1]):
            held[column] = square(np.int64(rows[row, column]))
        sums[row] = 0
        for column in range(rows.shape[1]):
            sums[row] += factor * held[column]
    return len(rows)


@entry("i64, i64, i64")
def fill(address, count, width):
    """Number the words of somebody else's memory."""
    words = _as_words(address, count, width)
    for row in range(count):
        for column in range(width):
            words[row, column] = 10 * row + column


def test_entries_are_called_with_arrays_and_give_what_python_gives() -> None:
    rows = np.arange(21, dtype=np.uint8).reshape(3, 7)
    sums = np.empty(3, np.int64)
    assert sum_squares(2, rows, sums) == 3
    assert sums.tolist() == [2 * sum(int(v) ** 2 for v in row) for row in rows.tolist()]
    block = np.zeros((4, 5), np.int64)
    assert fill(block.ctypes.data, 4, 5) == 0
    assert block.tolist() == [[10 * row + column for column in range(5)] for row in range(4)]


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros((3, 7), np.int64),
        np.zeros(21, np.uint8),
        np.zeros((3, 14), np.uint8)[:, ::2],
        np.asfortranarray(np.zeros((3, 7), np.uint8)),
    ],
    ids=["type", "dimensions", "strides", "order"],
)
def test_arrays_that_would_be_misread_are_refused(wrong) -> None:
    with pytest.raises(TypeError, match="rows is"):
        sum_squares(2, wrong, np.empty(3, np.int64))


@pytest.mark.parametrize(
    "types", ["", "i64", "i64, i64, i64", "f64, i64", "u8, i64", "i64[:,], i64"]
)
def test_declarations_that_make_no_sense_are_refused(types) -> None:
    with pytest.raises(TypeError):
        parameters_of(types, inspect.signature(lambda one, two: None))


def test_words_are_named_for_callers_in_other_languages() -> None:
    one, two = parameters_of("i64, u16[:,:]", inspect.signature(lambda arena, lines: None))
    assert one.words == ["arena"]
    assert two.words == ["lines", "lines_size", "lines_width"]
    lines = np.zeros((2, 3), np.uint16)
    assert marshal("f", (one, two))(7, lines) == [7, lines.ctypes.data, 2, 3]


@pytest.mark.parametrize("target", [targets.HOST, *targets.GENERIC, targets.WASM], ids=str)
def test_code_is_emitted_for_every_target(target) -> None:
    data = build.compile_object([sum_squares, fill], target)
    assert data.startswith(b"\0asm" if target.is_wasm else b"\x7fELF")


@inlined
def words_of(address, count):
    """Return an array, as a record in memory whose layout is the target's."""
    return _as_row(address + 8, count)


@entry("i64, i64")
def sum_words(address, count):
    """Sum words behind the first."""
    total = 0
    for word in words_of(address, count):
        total += word
    return total


@pytest.mark.parametrize("target", [targets.HOST, targets.WASM], ids=str)
def test_records_of_arrays_are_laid_out_for_the_target(target) -> None:
    words = np.arange(5, 9)
    assert sum_words(words.ctypes.data, 3) == 6 + 7 + 8
    module, _ = build.optimise(build.link([sum_words]), target, jit=False)
    # Laid out for this machine, the record of an array on another one has no items.
    assert "load" in str(module)


def test_the_same_sources_give_the_same_bytes() -> None:
    once = build.compile_object([sum_squares, fill], targets.GENERIC[0])
    assert build.compile_object([sum_squares, fill], targets.GENERIC[0]) == once


def test_a_program_that_allocates_is_not_built() -> None:
    @entry("i64")
    def allocates(count):
        """Ask for memory, which a program has none of."""
        return np.zeros(count, np.int64).sum()

    allocates.program = "broken"
    with pytest.raises(ProgramError, match=r"unresolved symbols are left: .*NRT"):
        build.compile_object([allocates], targets.HOST)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("declare ptr @malloc(i64)", "malloc"),
        ('declare void @"PyErr_SetString"(ptr, ptr)', "PyErr_SetString"),
        ("  %1 = inttoptr (i64 140737488355328 to ptr)", "140737488355328"),
        ("@.const.pickledata.139 = internal constant [3 x i8] zeroinitializer", "raises"),
        ("  br label %numba.dynamic.globals", "raises"),
    ],
)
def test_code_that_could_not_run_elsewhere_is_refused(line, words) -> None:
    with pytest.raises(ProgramError, match=words):
        build.check(line)
    build.check(
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\ndeclare ptr @memcpy(ptr, ptr, i64)"
    )


def test_the_header_declares_every_entry() -> None:
    text = build.header("test", [sum_squares, fill])
    name = build.symbol_of(sum_squares)
    assert re.search(
        rf"int64_t {name}\(int64_t factor, int64_t rows, int64_t rows_size, int64_t rows_width, "
        r"int64_t sums, int64_t sums_size\);",
        text,
    )
    assert "Sum the squares of each row's values." in text
    assert "rows: uint8_t, sums: int64_t" in text


def test_targets_are_found_by_name_or_triple() -> None:
    assert targets.named("wasm32") is targets.WASM
    assert targets.named("aarch64-apple-darwin").triple == "aarch64-apple-darwin"
    with pytest.raises(UnknownNameError, match="any triple that LLVM knows"):
        targets.named("no-such-machine")
