"""FreeCell as the registry hands it out: see `solvers.games.Game` for every member.

Owns the bench lists and FreeCell's part of a hint. Nothing here loads numpy or numba until
something is solved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from solvers.freecell import notation, readings, rules, singles
from solvers.freecell.boards import LAYOUTS
from solvers.freecell.grader import GRADER
from solvers.games import Game
from solvers.hints import advise
from solvers.outcome import Hint, Limits
from solvers.play import Followed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
    has_cells = True
    offers_short = True
    grader = GRADER
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

    position_marks = ("columns", "cells", "freecells")
    board_shape = (7, 7, 7, 7, 6, 6, 6, 6)
    board_layouts = LAYOUTS
    #: The deepest cards of the columns.
    loose_cards: ClassVar[int] = rules.MAX_COLUMNS

    def parse_board(self, text: str, profile: rules.Profile, layout: str = "auto") -> rules.State:
        """Read a board; `layout` says whether its lines are columns or rows."""
        return notation.parse_board(text, profile, layout)

    def position_from_json(
        self, data: Any, profile: rules.Profile, layout: str = "auto"
    ) -> rules.State:
        """Read a position; `layout` says whether its lists are columns or rows."""
        return notation.position_from_json(data, profile, layout)

    def whole_deal(self, state: rules.State) -> list[int] | None:
        """Return a deck that deals these columns, in their order if it is one of a deal."""
        deck = self.deck_of(state)
        if deck is None:
            longest_first = tuple(sorted(state.columns, key=len, reverse=True))
            deck = self.deck_of(state._replace(columns=longest_first))
        return deck

    def same_board(self, deck: Sequence[int], other: Sequence[int]) -> bool:
        """Tell whether two decks deal the same columns, in whatever order."""
        return sorted(rules.deal(deck).columns) == sorted(rules.deal(other).columns)

    def follow(
        self, state: rules.State, moves: Iterable[rules.Move | str], profile: rules.Profile
    ) -> Followed[rules.State, rules.Move]:
        """Apply moves as far as the rules take them; counts that are left out are found."""
        return readings.follow(state, [self._move(move) for move in moves], profile)

    def single_moves(
        self, state: rules.State, move: rules.Move, profile: rules.Profile
    ) -> list[rules.Move]:
        """Return the single-card moves that a move stands for."""
        return singles.single_moves(state, move, profile)

    def fewest_cells_many(
        self, decks: NDArray[np.uint8], profile: rules.Profile, limits: Limits
    ) -> NDArray[np.int64]:
        """Return the fewest cells that win each deck, `int64[n, 2]`: at least, and at most."""
        from solvers.freecell.fewest import fewest_cells

        def verdicts(some: NDArray[np.uint8], varied: rules.Profile) -> NDArray[np.int8]:
            return self.solver.solve_decks(some, varied, limits, want_lines=False).verdict

        return fewest_cells(self._decks(decks), profile, verdicts)

    def hint(
        self,
        state: rules.State,
        profile: rules.Profile,
        limits: Limits,
        *,
        line: Sequence[rules.Move | str] = (),
        optimal: bool = False,
        short: int = 0,
    ) -> Hint[rules.Move]:
        """Advise on one position, with capacities and how much of each column may move."""
        moves = tuple(map(self._move, line))
        began, outcome, legal_moves = advise(
            self, state, profile, limits, moves, optimal=optimal, short=short
        )
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
