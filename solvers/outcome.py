"""Verdicts, limits and the results of solving, the same for every game.

Owns the words that the store, the pool and the JSON output use. Numpy is named
in annotations only, so that `--help` does not import it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from solvers.errors import InvalidNumberError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The move of a game.
M = TypeVar("M")


class Verdict(IntEnum):
    """What is known about a deal; the numbers are stored.

    WINNABLE    a solution exists and was replayed
    UNWINNABLE  the search space was exhausted with sound pruning and no lost table entry
    UNDECIDED   a limit stopped the search; `Limit` says which
    """

    UNDECIDED = 0
    WINNABLE = 1
    UNWINNABLE = 2

    @property
    def label(self) -> str:
        """The word that is printed and stored: `winnable`, `unwinnable` or `undecided`."""
        return self.name.lower()


class Limit(IntEnum):
    """What stopped a search; the numbers are stored.

    WORKER  the process that searched died again and again (cluster only)
    """

    NONE = 0
    NODES = 1
    MEMORY = 2
    SECONDS = 3
    WORKER = 4

    @property
    def label(self) -> str | None:
        """The word that is printed, or None when nothing stopped the search."""
        return None if self is Limit.NONE else self.name.lower()


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on the search of one deal; it stops at whichever comes first.

    max_nodes    states expanded, all stages together; at least 1
    memory_mib   size of the tables, MiB; at least 1
    max_seconds  wall-clock time, seconds; None for no bound. The only bound whose
                 result depends on the machine.
    """

    max_nodes: int
    memory_mib: int
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        """Raise InvalidNumberError for a bound that no search could keep."""
        for name, value in (("max_nodes", self.max_nodes), ("memory_mib", self.memory_mib)):
            # A bool is an integer to Python, and not a number to anybody else.
            if not isinstance(value, Integral) or isinstance(value, bool):
                raise InvalidNumberError(f"{name} is {value!r}; valid is a whole number from 1 on")
            if not 1 <= value < 2**62:
                raise InvalidNumberError(f"{name} is {value}; valid is 1 or more")
        seconds = self.max_seconds
        if seconds is None:
            return
        # Written so that NaN fails too.
        if not isinstance(seconds, Real) or isinstance(seconds, bool) or not seconds > 0:
            raise InvalidNumberError(f"max_seconds is {seconds!r}; valid is a number above 0")


#: Levels of effort for short lines, 1 up to this one, and the states of the first; each has four
#: times those of the one before.
MOST_EFFORT = 6
_LEAST_STATES = 3000


def states_of_effort(effort: int) -> int:
    """Return the states that an effort for short lines stands for: a level, or states themselves.

    >>> states_of_effort(1), states_of_effort(6), states_of_effort(500_000)
    (3000, 3072000, 500000)
    """
    return _LEAST_STATES << (2 * (effort - 1)) if effort <= MOST_EFFORT else effort


@dataclass(frozen=True, slots=True)
class Outcome(Generic[M]):
    """What solving one position gave.

    moves   the solution, moves of the game's `rules`; empty unless winnable
    length  the solution's length as the profile counts moves; 0 unless winnable
    nodes   states expanded, all stages together
    extras  the game's own facts, ready for JSON, such as `single_card_moves`
    """

    verdict: Verdict
    nodes: int
    limit: Limit = Limit.NONE
    moves: tuple[M, ...] = ()
    length: int = 0
    extras: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """What solving n decks gave, as arrays; row i belongs to deck i.

    verdict  int8[n]     Verdict numbers
    nodes    int64[n]    states expanded
    limit    int8[n]     Limit numbers
    length   int32[n]    as the profile counts moves; 0 unless winnable
    lines    uint16[m]   packed moves of all solutions, one after another
    offsets  int64[n+1]  solution i is lines[offsets[i]:offsets[i+1]]; empty unless
                         winnable and lines were wanted
    """

    verdict: NDArray[np.int8]
    nodes: NDArray[np.int64]
    limit: NDArray[np.int8]
    length: NDArray[np.int32]
    lines: NDArray[np.uint16]
    offsets: NDArray[np.int64]

    def line(self, index: int) -> NDArray[np.uint16]:
        """Return the packed solution of deck `index` (empty unless winnable)."""
        return self.lines[self.offsets[index] : self.offsets[index + 1]]


@dataclass(frozen=True, slots=True)
class Hint(Generic[M]):
    """Advice on one position.

    outcome             what is known; its first move is the hint, and its moves without that one
                        are the `line` for the next hint
    legal_moves         every legal move as (text, target kind), in the order of kinds foundation,
                        column, cell, empty column (FreeCell), foundation, waste, stock (Pyramid),
                        foundation, pile, space, waste (The Plot)
    finishes_by_itself  whether sending cards home as long as one fits wins; None for a game
                        without that question
    extras              the game's own facts, ready for JSON, such as FreeCell's capacities
    """

    outcome: Outcome[M]
    legal_moves: tuple[tuple[str, str], ...]
    finishes_by_itself: bool | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """The outcome's verdict: whether the position can still be won."""
        return self.outcome.verdict
