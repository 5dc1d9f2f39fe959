"""Pyramid as the registry hands it out: see `solvers.games.Game` for every member.

Owns the grader's thresholds, the bench list and the searches for fewest moves. Nothing here loads
numpy or numba until something is solved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from solvers.games import Game
from solvers.outcome import Grader, Hint, Limits, Outcome
from solvers.pyramid import notation, rules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Pyramid(Game):
    """The game Pyramid; `GAME` is its only instance."""

    rules = rules
    notation = notation
    name = "pyramid"
    title = "Pyramid"
    deck_size = 52
    profiles = rules.PROFILES
    default_profile = rules.DEFAULT_PROFILE
    default_limits = Limits(max_nodes=10_000_000, memory_mib=250)
    methods = ("fast", "astar")
    grader = Grader("pyramid-1", "tries", 1_630, 2_400, "ms 1..20000 under classic")
    #: The first deals: few enough for the search for fewest moves, which takes the same list.
    bench_deals: ClassVar[Mapping[str, Sequence[int]]] = {"first": range(1, 1001)}

    def is_won(self, state: rules.State, profile: rules.Profile) -> bool:
        """Tell whether the profile's goal is reached."""
        return rules.is_won(state, profile)

    def solve(
        self,
        state: rules.State,
        profile: rules.Profile,
        limits: Limits,
        *,
        method: str = "fast",
        optimal: bool = False,
    ) -> Outcome:
        """Decide one position; see `solvers.pyramid.solver.solve`."""
        return self.solver.solve(state, profile, limits, method=method, shortest=optimal)

    def offers_optimal(self, profile: rules.Profile) -> bool:
        """Fewest moves are offered under every profile."""
        return True

    def hint(
        self,
        state: rules.State,
        profile: rules.Profile,
        limits: Limits,
        *,
        line: Sequence[rules.Move] = (),
    ) -> Hint:
        """Advise on one position; a line may name the cards of a pair in either order."""
        canonical = [rules.canonical(move) for move in line]
        return super().hint(state, profile, limits, line=canonical)

    def par_many(
        self, decks: NDArray[np.uint8], profile: rules.Profile, limits: Limits
    ) -> NDArray[np.int32]:
        """Return the fewest moves that win each deck, 0 where none are known."""
        return self.solve_many(decks, profile, limits, want_lines=False, method="astar").length


GAME = Pyramid()
