"""Solutions as move texts, judged by the plain rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dealgen.task import Task
from solvers.errors import IllegalMoveError, NotationError, SolutionRejectedError


def line_fault(task: Task, deck: NDArray[np.uint8], texts: Sequence[str]) -> str | None:
    """Replay a solution given as move texts by the plain rules; return what is wrong, or None."""
    game, profile = task.game, task.profile
    try:
        moves = [game.parse_move(text) for text in texts]
        end = game.replay(game.deal(deck.tolist()), moves, profile)
    except (NotationError, IllegalMoveError) as error:
        return str(error)
    return None if game.is_won(end, profile) else f"not won after {len(texts)} moves"


def line_texts(
    task: Task, number: int, deck: NDArray[np.uint8], line: NDArray[np.uint16]
) -> list[str]:
    """Return our own solution of a deal as move texts that the plain rules have replayed.

    Raises SolutionRejectedError when they refuse it.
    """
    texts = task.game.format_line(line)
    fault = line_fault(task, deck, texts)
    if fault is not None:
        raise SolutionRejectedError(f"{task.game.name} deal {number}: {fault}")
    return texts
