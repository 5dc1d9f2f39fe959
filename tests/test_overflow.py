"""Sums and products that are meant to wrap: numba marks plain ones as never overflowing."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import solvers
from solvers import games
from solvers.jit import KERNELS
from solvers.outcome import Limits

ROOT = Path(solvers.__file__).parents[1]
#: The mark, beside a constant so large that products and sums of hashes with it overflow.
MARKED = re.compile(r"= (?:add|sub|mul|shl) (?:nuw )?nsw i64 [^,\n]+, (-?\d{11,})$", re.MULTILINE)
#: Takes words of all 64 bits, so that plain arithmetic on its argument may overflow.
SCRAMBLER = "mix"


@pytest.mark.parametrize("name", games.NAMES)
def test_no_kernel_computes_with_large_constants_in_plain_arithmetic(name: str) -> None:
    """The compiler may assume that what bears the mark never overflows, and fold it away."""
    game = games.load(name)
    rules = game.profiles[game.default_profile]
    decks = np.array([list(range(52)) * (game.deck_size // 52)], np.uint8)
    for method in game.methods:
        game.solve_many(decks, rules, Limits(50, 16), want_lines=True, method=method)
    game.measure_many(decks, rules)
    rooms = (f"solvers.{name}.", "solvers.search.")
    ours = [kernel for kernel in KERNELS if kernel.__module__.startswith(rooms)]
    for kernel in ours:
        for signature in kernel.entry.signatures if "entry" in kernel.__dict__ else ():
            kernel.part.compile(signature)
    texts = {kernel: kernel.llvm() for kernel in ours}
    assert sum(map(len, texts.values())) > 20
    for kernel, compiled in texts.items():
        for text in compiled:
            # LLVM itself writes `(x - 1) * 4` with 2^62 - 1.
            found = [n for n in map(int, MARKED.findall(text)) if n & (n + 1)]
            assert not found, f"{kernel.__module__}.{kernel.__name__}: {found}"


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
