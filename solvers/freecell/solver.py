"""FreeCell's solver: what `Solver` has to know of the game.

>>> from solvers.freecell.rules import PROFILES, State
>>> from solvers.outcome import Limits
>>> nearly = State(((48, 49, 50, 51),) + ((),) * 7, (-1,) * 4, (12, 12, 12, 12))
>>> SOLVER.solve(nearly, PROFILES["classic"], Limits(1000, 64)).length
4
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from solvers.errors import IllegalMoveError
from solvers.freecell import layout, rules, session, singles
from solvers.search.solver import Solver


class FreeCellSolver(Solver[rules.State, rules.Move, rules.Profile]):
    """How FreeCell's positions are decided; `SOLVER` is its only instance.

    Outcomes have the extra `single_card_moves`: the solution's length with each supermove counted
    as the single-card moves that it stands for; None without a solution.
    """

    name = "freecell"
    rules = rules
    layout = layout
    program = session
    #: More than ten times what solutions take on average, some 90.
    line_room = 1024

    def judge(
        self, began: rules.State, moves: Sequence[rules.Move], profile: rules.Profile
    ) -> Mapping[str, Any]:
        """Replay a solution by the plain rules; count the single-card moves that it stands for."""
        state, total = began, 0
        for move in moves:
            total += len(singles.single_moves(state, move, profile))
            state = rules.apply(state, move, profile)
        if not rules.is_won(state, profile):
            raise IllegalMoveError("the line ends here, and the game is not won", move="")
        return {"single_card_moves": total}

    def extras_without_solution(self) -> Mapping[str, Any]:
        """Return the extras of an outcome without a solution."""
        return {"single_card_moves": None}


SOLVER = FreeCellSolver()
