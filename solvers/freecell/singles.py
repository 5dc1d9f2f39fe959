"""FreeCell supermoves written out as the single-card moves that they stand for.

Owns the way of a run over free cells and empty columns; `lines` is its compiled twin. The plain
rules judge every step.
"""

from __future__ import annotations

from dataclasses import replace

from solvers.errors import SolutionRejectedError
from solvers.freecell.rules import (
    FIRST_CELL,
    NO_CARD,
    Move,
    Place,
    Profile,
    State,
    apply,
    autoplay,
    cards_moved,
    with_cells,
)


def single_moves(state: State, move: Move, profile: Profile) -> list[Move]:
    """Return the single-card moves that a legal move stands for, in order.

    The profile's autoplay waits until the last of them is made. A run goes over free cells and,
    where those are too few, a part of it waits in an empty column.

    Raises IllegalMoveError when the rules refuse the move.

    >>> from solvers.freecell.rules import PROFILES
    >>> run = State(((43, 38, 32), (45,)) + ((),) * 6, (0, 1, -1, -1), (0,) * 4)
    >>> [str(move) for move in single_moves(run, Move(0, 1), PROFILES["classic"])]
    ['1c', '1d', '12', 'd2', 'c2']
    """
    count = cards_moved(state, move, profile)
    if count == 1:
        return [move]
    walk = _Walk(with_cells(state, profile), replace(profile, supermove="single", autoplay="none"))
    walk.move_run(move.source, move.target, count)
    if autoplay(walk.state, profile) != apply(state, move, profile):
        raise SolutionRejectedError(
            f"the single-card moves of {move} under {profile} lead elsewhere; position {state}"
        )
    return walk.moves


class _Walk:
    """Single-card moves made one after another, and the state after them."""

    def __init__(self, state: State, profile: Profile) -> None:
        self.state = state
        self.moves: list[Move] = []
        self._profile = profile

    def move_run(self, source: Place, target: Place, count: int) -> None:
        """Move the last cards of a column to another; they are a run within the capacity."""
        cells = self.state.cells[: self._profile.cells]
        free = [FIRST_CELL + n for n, card in enumerate(cells) if card == NO_CARD]
        if count <= len(free) + 1:
            waiting = free[: count - 1]
            for cell in waiting:
                self._step(source, cell)
            self._step(source, target)
            for cell in reversed(waiting):
                self._step(cell, target)
            return
        helpers = [n for n, cards in enumerate(self.state.columns) if not cards and n != target]
        # As few cards as will do wait in an empty column.
        part = max(count - ((len(free) + 1) << (len(helpers) - 1)), 1)
        self.move_run(source, helpers[0], part)
        self.move_run(source, target, count - part)
        self.move_run(helpers[0], target, part)

    def _step(self, source: Place, target: Place) -> None:
        """Make one move."""
        move = Move(source, target)
        self.state = apply(self.state, move, self._profile)
        self.moves.append(move)
