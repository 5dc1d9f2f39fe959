"""What hints of all games share: the line behind one, and the moves that it lists.

Owns nothing of any game; a game's `hint` adds facts of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

from solvers.errors import IllegalMoveError, SolutionRejectedError
from solvers.outcome import Limits, Outcome, Verdict
from solvers.play import M, P, S

if TYPE_CHECKING:
    from solvers.games import Game


class Advice(NamedTuple, Generic[S, M]):
    """What every game's hint begins with.

    state        from which the player moves: forced autoplay is done
    outcome      if it has moves, the first is in `legal_moves`, unless the caller's line spells
                 it differently (`52v1` for `52`)
    legal_moves  (text, target kind) of each legal move
    """

    state: S
    outcome: Outcome[M]
    legal_moves: tuple[tuple[str, str], ...]


def advise(
    game: Game[S, M, P], state: S, profile: P, limits: Limits, line: Sequence[M]
) -> Advice[S, M]:
    """Return the line behind a hint, and every legal move.

    state  a legal position, before forced autoplay
    line   moves left of an earlier hint, or none. Where they still win they are the answer, with
           0 nodes; so a player who follows hints comes one move nearer to the win with each.

    Raises InvalidDealError, as `Game.solve` does, for a position that has to be searched.
    """
    if line and _wins(game, state, profile, line):
        outcome = Outcome(Verdict.WINNABLE, 0, moves=tuple(line), length=len(line))
    else:
        outcome = game.solve(state, profile, limits)
    began = game.start(state, profile)
    kinds = {move: game.target_kind(began, move) for move in game.legal_moves(began, profile)}
    if outcome.moves and outcome.moves[0] not in kinds:
        moves = _first_as_listed(outcome.moves, kinds, game.target_kind(began, outcome.moves[0]))
        if not _wins(game, state, profile, moves):
            raise SolutionRejectedError(
                f"a {game.title} line under {profile} no longer wins with two places swapped; "
                f"position {state}"
            )
        outcome = replace(outcome, moves=moves)
    listed = tuple((game.format_move(move), kind) for move, kind in kinds.items())
    return Advice(began, outcome, listed)


def _wins(game: Game[S, M, P], state: S, profile: P, line: Sequence[M]) -> bool:
    """Tell whether the rules accept a line from a state, and it wins."""
    try:
        return game.is_won(game.replay(state, line, profile), profile)
    except IllegalMoveError:
        return False


def _first_as_listed(line: tuple[Any, ...], kinds: dict[Any, str], kind: str) -> tuple[Any, ...]:
    """Return a line whose first move goes to the empty place that the list of moves names.

    Of several empty places the list has one, and a line may begin with another. Both are empty,
    so the two can change their names from there on.
    """
    first = line[0]
    for move, other in kinds.items():
        if other == kind and move._replace(target=first.target) == first:
            names = {first.target: move.target, move.target: first.target}
            return tuple(
                each._replace(
                    source=names.get(each.source, each.source),
                    target=names.get(each.target, each.target),
                )
                for each in line
            )
    return line
