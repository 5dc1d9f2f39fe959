"""Pyramid's solver: what `Solver` has to know of the game.

>>> from solvers.outcome import Limits
>>> last = rules.State((48,) + (rules.NO_CARD,) * 27, stock=(0, 44))
>>> SOLVER.solve(last, rules.PROFILES["classic"], Limits(1000, 1)).length
1
"""

from __future__ import annotations

from solvers.pyramid import layout, rules, session
from solvers.search.solver import Solver


class PyramidSolver(Solver[rules.State, rules.Move, rules.Profile]):
    """How Pyramid's positions are decided; `SOLVER` is its only instance."""

    name = "pyramid"
    rules = rules
    layout = layout
    program = session
    #: Twice what lines from pairs take, some 60.
    line_room = 128


SOLVER = PyramidSolver()
