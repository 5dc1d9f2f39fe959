"""What follows from the rules of any game: lines replayed, move sequences counted.

Owns the protocol that every game's `rules` room keeps. Plain Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from solvers.errors import IllegalMoveError

#: State, move and profile of a game.
S = TypeVar("S")
M = TypeVar("M")
P = TypeVar("P")
#: The profile in protocols, which take profiles and return none.
ProfileIn = TypeVar("ProfileIn", contravariant=True)


class Rules(Protocol[S, M, ProfileIn]):
    """The members of a `rules` room that others rely on; the room documents them."""

    def deal(self, deck: Sequence[int], /) -> S:
        """Lay out a whole deck."""

    def deck_of(self, state: S, /) -> list[int] | None:
        """Return the deck that `deal` lays out as this state, or None in mid-game."""

    def start(self, state: S, profile: ProfileIn, /) -> S:
        """Return the state from which a player first moves; starting twice changes nothing."""

    def legal_moves(self, state: S, profile: ProfileIn, /) -> list[M]:
        """Return every legal move."""

    def target_kind(self, state: S, move: M, /) -> str:
        """Name the kind of place that a move goes to."""

    def apply(self, state: S, move: M, profile: ProfileIn, /) -> S:
        """Return the state after a move; raises IllegalMoveError, without a ply."""

    def is_won(self, state: S, profile: ProfileIn, /) -> bool:
        """Tell whether the game is won."""

    def check_position(self, state: S, profile: ProfileIn, /) -> None:
        """Raise InvalidDealError with every fault of a position."""


@dataclass(frozen=True, slots=True)
class Followed(Generic[S, M]):
    """How far a line of moves goes.

    moves   the moves made, as they were read: all of the line where it is legal
    states  the position before the first move, and after each
    wins    whether the line is legal to its end and the game is won there
    fault   why the next move is refused, with its place in the line; None where none is
    notes   what had to be read into the line, a phrase each
    """

    moves: tuple[M, ...]
    states: tuple[S, ...]
    wins: bool
    fault: IllegalMoveError | None = None
    notes: tuple[str, ...] = ()


def follow(rules: Rules[S, M, P], state: S, moves: Iterable[M], profile: P) -> Followed[S, M]:
    """Apply moves from `start(state)` as far as the rules take them."""
    states, made, fault = [rules.start(state, profile)], [], None
    for ply, move in enumerate(moves, 1):
        try:
            states.append(rules.apply(states[-1], move, profile))
        except IllegalMoveError as error:
            fault = IllegalMoveError(error.reason, move=error.move, ply=ply)
            break
        made.append(move)
    wins = fault is None and rules.is_won(states[-1], profile)
    return Followed(tuple(made), tuple(states), wins, fault)


def replay(rules: Rules[S, M, P], state: S, moves: Iterable[M], profile: P) -> S:
    """Apply moves one after another from `start(state)`; return the last state.

    Raises IllegalMoveError with the ply, from 1, of the first move that is refused.
    """
    state = rules.start(state, profile)
    for ply, move in enumerate(moves, 1):
        try:
            state = rules.apply(state, move, profile)
        except IllegalMoveError as error:
            raise IllegalMoveError(error.reason, move=error.move, ply=ply) from None
    return state


def perft(rules: Rules[S, M, P], state: S, profile: P, depth: int) -> int:
    """Return the number of sequences of `depth` legal moves: the oracle of the kernel twins."""
    if depth == 0:
        return 1
    return sum(
        perft(rules, rules.apply(state, move, profile), profile, depth - 1)
        for move in rules.legal_moves(state, profile)
    )
