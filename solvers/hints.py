"""What hints of all games share: an earlier winning line is followed before anything is searched.

Owns nothing of any game; a game's `hint` adds its legal moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from solvers.errors import IllegalMoveError
from solvers.outcome import Limits, Outcome, Verdict

if TYPE_CHECKING:
    from solvers.games import Game


def advise(
    game: Game, state: Any, profile: Any, limits: Limits, line: Sequence[Any]
) -> tuple[Outcome, Any]:
    """Return the outcome behind a hint, and the state from which the player moves.

    state  a legal position, before forced autoplay
    line   moves left of an earlier hint, or none. Where they still win they are the answer, with
           0 nodes; so a player who follows hints comes one move nearer to the win with each.

    Raises InvalidDealError, as `Game.solve` does, for a position that has to be searched.
    """
    if line and _wins(game, state, profile, line):
        outcome = Outcome(Verdict.WINNABLE, 0, moves=tuple(line), length=len(line))
    else:
        outcome = game.solve(state, profile, limits)
    return outcome, game.start(state, profile)


def _wins(game: Game, state: Any, profile: Any, line: Sequence[Any]) -> bool:
    """Tell whether the rules accept a line from a state, and it wins."""
    try:
        return game.is_won(game.replay(state, line, profile), profile)
    except IllegalMoveError:
        return False
