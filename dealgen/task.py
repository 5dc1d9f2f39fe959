"""What a run is about, as one value: whose deals, under which rules, and how they are solved.

Loads neither numpy nor numba.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple

from dealgen.numbering import Numbering
from solvers.errors import InvalidNumberError, UnknownNameError
from solvers.games import AnyGame
from solvers.outcome import Limits
from solvers.profiles import format_profile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Series(NamedTuple):
    """What a store keeps answers under.

    Less than a Task: answers found under any limits, by any method, are answers to the same
    question. `profile` is in canonical spelling.
    """

    game: str
    profile: str
    numbering: Numbering


@dataclass(frozen=True, slots=True)
class Task:
    """How deal numbers are to be solved.

    profile  one of the game's, or a variation of one
    jobs     threads that solve at the same time; results do not depend on it
    method   one of the game's searches

    Raises UnknownNameError for a numbering or a method that the game does not have,
    InvalidNumberError for jobs that are not a whole number from 1 on.
    """

    game: AnyGame
    profile: Any
    numbering: Numbering
    limits: Limits
    jobs: int = 1
    method: str = "fast"

    def __post_init__(self) -> None:
        """Check what belongs together."""
        if not isinstance(self.jobs, Integral) or isinstance(self.jobs, bool) or self.jobs < 1:
            raise InvalidNumberError(f"jobs is {self.jobs!r}; valid is a whole number from 1 on")
        self.numbering.order_of(self.game.name)
        if self.method not in self.game.methods:
            raise UnknownNameError("method", self.method, self.game.methods)

    @property
    def profile_name(self) -> str:
        """The profile in canonical spelling."""
        return format_profile(self.profile, self.game.profiles)

    @property
    def series(self) -> Series:
        """The store's key of these answers."""
        return Series(self.game.name, self.profile_name, self.numbering)

    @property
    def timed(self) -> bool:
        """Whether a search may be stopped by the clock, after a time that is long for a chunk."""
        return self.limits.max_seconds is not None

    def decks(self, numbers: Sequence[int] | NDArray[Any]) -> NDArray[np.uint8]:
        """Return the decks of numbers as the game takes them, `uint8[n, deck_size]`."""
        return self.numbering.decks(self.game, numbers)
