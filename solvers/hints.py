"""What hints of all games share: the line behind one, and the moves that it lists.

Owns nothing of any game; a game's `hint` adds facts of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
    game: Game[S, M, P],
    state: S,
    profile: P,
    limits: Limits,
    line: Sequence[M],
    *,
    optimal: bool,
    short: int,
) -> Advice[S, M]:
    """Return the line behind a hint, and every legal move.

    state    a legal position, before forced autoplay
    line     moves left of an earlier hint, or none. Where they still win they are the answer,
             with 0 nodes; so a player who follows hints comes one move nearer to the win with each.
    optimal  where a line is searched for, it is one of proved fewest moves
    short    states to expand, at most, for a shorter line than the one that was found

    Raises InvalidDealError, as `Game.solve` does, for a position that has to be searched.
    """
    if line and _wins(game, state, profile, line):
        outcome = Outcome(Verdict.WINNABLE, 0, moves=tuple(line), length=len(line))
    else:
        outcome = game.solve(state, profile, limits, optimal=optimal, short=short)
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


def judge_moves(
    game: Game[S, M, P], state: S, profile: P, limits: Limits, outcome: Outcome[M]
) -> dict[M, Verdict]:
    """Tell of every legal move whether the game can be won after it.

    outcome  what is known about the position: a win keeps its first move, and where nothing wins
             every move has lost
    limits   for each move
    """
    began = game.start(state, profile)
    verdicts = {}
    for move in game.legal_moves(began, profile):
        if outcome.verdict is Verdict.UNWINNABLE or move == next(iter(outcome.moves), None):
            verdicts[move] = outcome.verdict
        else:
            after = game.apply(began, move, profile)
            verdicts[move] = game.solve(after, profile, limits).verdict
    return verdicts


@dataclass(frozen=True, slots=True)
class History(Generic[M]):
    """Where on a played line the win was lost; positions are counted by the moves before them.

    outcome        of the last position that is known to be winnable, None where none is
    last_winnable  that position, or None
    first_lost     the first position that is proved lost, or None
    undecided      positions that the limits left open, all between the two
    """

    outcome: Outcome[M] | None
    last_winnable: int | None
    first_lost: int | None
    undecided: tuple[int, ...]


def find_loss(
    game: Game[S, M, P], states: Sequence[S], profile: P, limits: Limits, last: Outcome[M]
) -> History[M]:
    """Find the move of a played line that lost the game.

    What is lost stays lost, so halving is exact; positions that stay undecided are passed by.

    states  before the first move and after each
    limits  for each position
    last    what is known about the last of them
    """
    known = {len(states) - 1: last}
    while True:
        won = [n for n, outcome in known.items() if outcome.verdict is Verdict.WINNABLE]
        lost = [n for n, outcome in known.items() if outcome.verdict is Verdict.UNWINNABLE]
        low, high = max(won, default=-1), min(lost, default=len(states))
        between = range(low + 1, high)
        untried = [n for n in between if n not in known]
        if not untried:
            break
        middle = untried[len(untried) // 2]
        known[middle] = game.solve(states[middle], profile, limits)
    return History(
        known.get(low),
        None if low < 0 else low,
        None if high == len(states) else high,
        tuple(between),
    )


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
