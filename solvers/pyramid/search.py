"""The search for any win, where pair needs alone do not decide: limited redeals, or all cards.

It is best-first (see `loop`) by the estimate of the moves that are left, whatever was spent so
far. A position is never looked at twice: the first solution is any, but a search that ends
without one has seen every position that could win.
"""

from __future__ import annotations

from solvers.pyramid import loop


def run(arena: int, budget: int) -> tuple[int, int]:
    """Go on with a search from `loop.start`; return its status and the states expanded."""
    status, expanded = loop.run(arena, budget, True)
    return status, expanded
