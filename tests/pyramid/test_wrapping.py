"""What is meant to wrap says so: plain sums and products are marked as never overflowing."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import solvers.pyramid

ROOMS = sorted(path.stem for path in Path(solvers.pyramid.__file__).parent.glob("[a-z]*.py"))
#: More than any mask of a pyramid, and what two of less than half the word make together.
LARGE = 1 << 52
#: Functions whose argument is a hash or a seed, so that a sum of it may leave the word.
HASHES = {"mix", "wrapping_add", "wrapping_multiply", "count_wins"}


def value_of(node: ast.expr, names: dict[str, object]) -> int:
    """Return the number that an expression is before the program runs, 0 for others."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -value_of(node.operand, names)
    named = names.get(node.id) if isinstance(node, ast.Name) else None
    return named if isinstance(named, int) else 0


def plain_arithmetic(node: ast.AST) -> bool:
    """Tell whether a node is a plain sum, difference or product."""
    return isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(
        node.op, ast.Add | ast.Sub | ast.Mult
    )


@pytest.mark.parametrize("room", ROOMS)
def test_no_plain_arithmetic_may_overflow(room: str) -> None:
    module = importlib.import_module(f"solvers.pyramid.{room}")
    tree = ast.parse(Path(module.__file__ or "").read_text("utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node in (node for function in functions for node in ast.walk(function)):
        where = f"line {getattr(node, 'lineno', 0)}: {ast.unparse(node)}"
        if plain_arithmetic(node):
            parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
            assert all(abs(value_of(part, vars(module))) < LARGE for part in parts), where
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in HASHES:
            assert not any(map(plain_arithmetic, node.args)), where
