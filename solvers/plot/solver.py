"""The solver of The Plot: what `Solver` has to know of the game.

>>> from solvers.plot.rules import PROFILES, State
>>> from solvers.outcome import Limits
>>> out = (8,) * 12 + (6,)
>>> nearly = State(1, (), out, ((48,), (49,)) + ((),) * 10, (), ())
>>> SOLVER.solve(nearly, PROFILES["classic"], Limits(1000, 16)).length
2
"""

from __future__ import annotations

from solvers.plot import layout, rules, session
from solvers.search.solver import Solver


class PlotSolver(Solver[rules.State, rules.Move, rules.Profile]):
    """How positions of The Plot are decided; `SOLVER` is its only instance."""

    name = "plot"
    rules = rules
    layout = layout
    program = session
    #: Lines are about 240 moves long.
    line_room = 320


SOLVER = PlotSolver()
