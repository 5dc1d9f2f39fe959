"""Proved fewest moves, by A* over removals.

It is best-first (see `loop`) by the moves so far and the estimate of those that are left, which
never exceeds the truth: `bounds` adds up removals, draws and resets that are certain. So the first
solution that is taken from the queue is a shortest one.
"""

from __future__ import annotations

from typing import Any

from solvers.jit import kernel
from solvers.pyramid import loop


@kernel
def run(arena: int, most: int) -> Any:
    """Go on with a search from `loop.start`; return its status and the states expanded."""
    return loop.run(arena, most, False)
