"""Solutions as move texts, judged by the plain rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import IllegalMoveError, NotationError, SolutionRejectedError
from solvers.games import Game


def line_fault(game: Game, deck: Sequence[int], texts: Sequence[str], profile: Any) -> str | None:
    """Replay a solution given as move texts by the plain rules; return what is wrong, or None."""
    try:
        moves = [game.parse_move(text) for text in texts]
        end = game.replay(game.deal(deck), moves, profile)
    except (NotationError, IllegalMoveError) as error:
        return str(error)
    return None if game.is_won(end, profile) else f"not won after {len(texts)} moves"


def line_texts(
    game: Game, number: int, deck: NDArray[np.uint8], line: NDArray[np.uint16], profile: Any
) -> list[str]:
    """Return our own solution of a deal as move texts that the plain rules have replayed.

    Raises SolutionRejectedError when they refuse it.
    """
    texts = game.format_line(line)
    fault = line_fault(game, deck.tolist(), texts, profile)
    if fault is not None:
        raise SolutionRejectedError(f"{game.name} deal {number}: {fault}")
    return texts
