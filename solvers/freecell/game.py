"""FreeCell as the registry hands it out: see `solvers.games.Game` for every member.

Owns the grader's thresholds, the bench lists and FreeCell's part of a hint. Nothing here loads
numpy or numba until something is solved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from solvers.freecell import notation, rules, singles
from solvers.games import Game
from solvers.hints import advise
from solvers.outcome import Grader, Hint, Limits


class FreeCell(Game[rules.State, rules.Move, rules.Profile]):
    """The game FreeCell; `GAME` is its only instance."""

    rules = rules
    notation = notation
    name = "freecell"
    title = "FreeCell"
    deck_size = 52
    profiles = rules.PROFILES
    default_profile = "classic"
    default_limits = Limits(max_nodes=10_000_000, memory_mib=400)
    methods = ("fast", "best-first", "dfs")
    offers_short = True
    grader = Grader("freecell-1", "nodes", 50_322, 83_042, "ms 1..32000 under classic")
    #: The first deals; deals that take long searches, and some of those that players call hard;
    #: the unwinnable ones of the first million.
    bench_deals: ClassVar[Mapping[str, Sequence[int]]] = {
        "first": range(1, 4001),
        "hard": (
            *(193879, 218907, 452572, 551799, 581546, 654133, 780343, 801860, 946160, 960915),
            *(1941, 98714, 31465, 57148, 617, 1001874),
        ),
        "unwinnable": (11982, 146692, 186216, 455889, 495505, 512118, 517776, 781948),
    }

    def single_moves(
        self, state: rules.State, move: rules.Move, profile: rules.Profile
    ) -> list[rules.Move]:
        """Return the single-card moves that a move stands for."""
        return singles.single_moves(state, move, profile)

    def hint(
        self,
        state: rules.State,
        profile: rules.Profile,
        limits: Limits,
        *,
        line: Sequence[rules.Move | str] = (),
    ) -> Hint[rules.Move]:
        """Advise on one position, with capacities and how much of each column may move."""
        moves = tuple(map(self._move, line))
        began, outcome, legal_moves = advise(self, state, profile, limits, moves)
        return Hint(
            outcome,
            legal_moves,
            rules.finishes_by_itself(began, profile),
            {
                "capacity": {
                    "column": rules.capacity(began, profile, empty_target=False),
                    "empty_column": rules.capacity(began, profile, empty_target=True),
                },
                "longest_movable": rules.longest_movable(began, profile),
            },
        )


GAME = FreeCell()
