"""The search for any win, where pair needs alone do not decide: limited redeals, or all cards.

It is best-first (see `loop`) by the estimate of the moves that are left, whatever was spent so
far. A position is never looked at twice: the first solution is any, but a search that ends
without one has seen every position that could win.
"""

from __future__ import annotations

from typing import Any

from solvers.jit import kernel
from solvers.pyramid import loop


@kernel
def run(arena: int, most: int) -> Any:
    """Go on with a search from `loop.start`; return its status and the states expanded."""
    return loop.run(arena, most, True)
