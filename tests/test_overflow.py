"""Sums and products that are meant to wrap: numba marks plain ones as never overflowing."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import solvers
from solvers import games
from solvers.jit import KERNELS

ROOT = Path(solvers.__file__).parents[1]
#: The mark, beside a constant so large that products and sums with hashes overflow.
MARKED = re.compile(r"(?:add|sub|mul|shl) (?:nuw )?nsw i64 [^\n]*?[ (](-?\d{11,})")
#: Takes words of all 64 bits, so that plain arithmetic on its argument may overflow.
SCRAMBLERS = ("mix", "hash_deck")
#: What is large and no hash: masks of bits, which are not multiplied.
_PLAIN = (ast.Add, ast.Sub, ast.Mult)


@pytest.mark.parametrize("name", games.NAMES)
def test_no_kernel_multiplies_by_a_large_constant_in_plain_arithmetic(name: str) -> None:
    """The compiler may assume that what bears the mark never overflows, and fold it away."""
    game = games.load(name)
    rules = game.profiles[game.default_profile]
    from solvers.outcome import Limits

    deck = list(range(52)) * (game.deck_size // 52)
    game.solve_many([deck], rules, Limits(50, 16), want_lines=True)
    game.measure_many([deck], rules)
    looked_at = 0
    for kernel in KERNELS:
        if not kernel.__module__.startswith((f"solvers.{name}", "solvers.search")):
            continue
        for text in kernel.llvm():
            looked_at += 1
            found = MARKED.findall(text)
            assert not found, f"{kernel.__module__}.{kernel.__name__}: {found}"
    assert looked_at > 3


def test_what_is_scrambled_is_not_summed_in_plain_arithmetic() -> None:
    """`mix(seed + turn)` overflows for seeds near the end: `mix(wrapping_add(seed, turn))`."""
    calls = 0
    for package in ("solvers", "dealgen"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in SCRAMBLERS:
                    calls += 1
                    inner = [part for argument in node.args for part in ast.walk(argument)]
                    plain = [
                        part
                        for part in inner
                        if isinstance(part, ast.BinOp) and isinstance(part.op, _PLAIN)
                    ]
                    assert not plain, f"{path.name}:{node.lineno}"
    assert calls > 5
