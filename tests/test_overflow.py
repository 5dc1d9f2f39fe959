"""Sums and products that are meant to wrap: numba marks plain ones as never overflowing."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import solvers
from solvers.programs.build import link
from solvers.programs.load import MODULES, entries_of

ROOT = Path(solvers.__file__).parents[1]
#: The mark, beside a constant so large that products and sums of hashes with it overflow.
MARKED = re.compile(r"= (?:add|sub|mul|shl) (?:nuw )?nsw i64 [^,\n]+, (-?\d{11,})$", re.MULTILINE)
#: Takes words of all 64 bits, so that plain arithmetic on its argument may overflow.
SCRAMBLER = "mix"


@pytest.mark.parametrize("program", MODULES)
def test_no_program_computes_with_large_constants_in_plain_arithmetic(program: str) -> None:
    """The compiler may assume that what bears the mark never overflows, and fold it away."""
    text = link(entries_of(program))
    assert text.count("\ndefine ") > 5
    # LLVM itself writes `(x - 1) * 4` with 2^62 - 1.
    assert [number for number in map(int, MARKED.findall(text)) if number & (number + 1)] == []
    marked = "  %3 = mul nsw i64 %1, -7046029254386353131\n"
    assert MARKED.findall(marked) == ["-7046029254386353131"]


def overflows(expression: ast.expr) -> bool:
    """Tell whether an expression adds or multiplies in plain arithmetic outside of calls."""
    if not isinstance(expression, ast.BinOp):
        return False
    return (
        isinstance(expression.op, ast.Add | ast.Sub | ast.Mult)
        or overflows(expression.left)
        or overflows(expression.right)
    )


def test_what_is_scrambled_is_not_summed_in_plain_arithmetic() -> None:
    """`mix(seed + turn)` overflows for seeds near the end: `mix(wrapping_add(seed, turn))`."""
    calls = 0
    for package in ("solvers", "dealgen"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == SCRAMBLER:
                    calls += 1
                    assert not any(map(overflows, node.args)), f"{path.name}:{node.lineno}"
    assert calls > 5
    for text in ("mix(seed + 1)", "mix(a ^ b * c)", "mix((a - b) ^ c)"):
        (call,) = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
        assert any(map(overflows, call.args))
