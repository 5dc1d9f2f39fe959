"""Pyramid as the registry hands it out: see `solvers.games.Game` for every member.

Owns the bench list and the names of the searches. Nothing here loads numpy or numba until
something is solved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from solvers.games import Game
from solvers.outcome import Limits
from solvers.pyramid import notation, rules
from solvers.pyramid.grader import GRADER


class Pyramid(Game[rules.State, rules.Move, rules.Profile]):
    """The game Pyramid; `GAME` is its only instance."""

    rules = rules
    notation = notation
    name = "pyramid"
    title = "Pyramid"
    position_marks = ("pyramid", "redeals_used", "redeals")
    board_shape = (1, 2, 3, 4, 5, 6, 7, 12, 12)
    deck_size = 52
    profiles = rules.PROFILES
    default_profile = rules.DEFAULT_PROFILE
    default_limits = Limits(max_nodes=10_000_000, memory_mib=250)
    methods = ("fast", "astar")
    optimal_method = "astar"
    grader = GRADER
    profile_numberings: ClassVar[Mapping[str, str]] = {"pysol": "pysol"}
    #: The first deals: few enough for the search for fewest moves, which takes the same list.
    bench_deals: ClassVar[Mapping[str, Sequence[int]]] = {"first": range(1, 1001)}

    def _move(self, move: rules.Move | str) -> rules.Move:
        """Return a move that may be given as text, or name the cards of a pair in any order."""
        return rules.canonical(super()._move(move))


GAME = Pyramid()
