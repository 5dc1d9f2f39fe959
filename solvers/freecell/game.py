"""FreeCell as the registry hands it out: see `solvers.games.Game` for every member.

Owns the wiring, the grader's thresholds and the bench lists. Nothing here loads numpy or numba
until something is solved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from solvers.errors import UnknownNameError
from solvers.freecell import notation, rules, singles
from solvers.hints import advise
from solvers.outcome import BatchOutcome, Grader, Hint, Limits, Outcome

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class FreeCell:
    """The game FreeCell; `GAME` is its only instance."""

    name = "freecell"
    title = "FreeCell"
    deck_size = 52
    profiles: Mapping[str, rules.Profile] = rules.PROFILES
    default_profile = "classic"
    default_limits = Limits(max_nodes=10_000_000, memory_mib=400)
    methods: tuple[str, ...] = ("fast", "astar", "dfs")
    grader = Grader("freecell-1", "nodes", 50_322, 83_042, "ms 1..32000 under classic")

    def deal(self, deck: Sequence[int]) -> rules.State:
        """Lay out 52 cards row by row, with the classic four cells."""
        return rules.deal(deck)

    def deck_of(self, state: rules.State) -> list[int] | None:
        """Return the deck of a fresh deal, None in mid-game."""
        return rules.deck_of(state)

    def parse_board(self, text: str, profile: rules.Profile) -> rules.State:
        """Read a board in fc-solve's layout."""
        return notation.parse_board(text, profile)

    def format_board(self, state: rules.State) -> str:
        """Write a board in fc-solve's layout."""
        return notation.format_board(state)

    def position_from_json(self, data: Any, profile: rules.Profile) -> rules.State:
        """Read a position from decoded JSON."""
        return notation.position_from_json(data, profile)

    def position_to_json(self, state: rules.State) -> dict[str, Any]:
        """Write a position for JSON."""
        return notation.position_to_json(state)

    def parse_move(self, text: str) -> rules.Move:
        """Read a move in standard notation."""
        return notation.parse_move(text)

    def format_move(self, move: rules.Move) -> str:
        """Write a move in standard notation."""
        return notation.format_move(move)

    def legal_moves(self, state: rules.State, profile: rules.Profile) -> list[rules.Move]:
        """Return every legal move."""
        return rules.legal_moves(state, profile)

    def apply(self, state: rules.State, move: rules.Move, profile: rules.Profile) -> rules.State:
        """Return the state after a move and its autoplay."""
        return rules.apply(state, move, profile)

    def single_moves(
        self, state: rules.State, move: rules.Move, profile: rules.Profile
    ) -> list[rules.Move]:
        """Return the single-card moves that a move stands for."""
        return singles.single_moves(state, move, profile)

    def start(self, state: rules.State, profile: rules.Profile) -> rules.State:
        """Return the state after the profile's autoplay on the deal, with its number of cells."""
        return rules.start(state, profile)

    def replay(
        self, state: rules.State, moves: Sequence[rules.Move], profile: rules.Profile
    ) -> rules.State:
        """Apply moves one after another."""
        return rules.replay(state, moves, profile)

    def is_won(self, state: rules.State, profile: rules.Profile) -> bool:
        """Tell whether all cards are on the foundations."""
        return rules.is_won(state)

    def solve(
        self,
        state: rules.State,
        profile: rules.Profile,
        limits: Limits,
        *,
        method: str = "fast",
        optimal: bool = False,
    ) -> Outcome:
        """Decide one position; see `solvers.freecell.solver.solve`."""
        from solvers.freecell import solver

        if optimal:
            raise UnknownNameError("search for FreeCell", "optimal", self.methods)
        return solver.solve(state, profile, limits, method=method)

    def offers_optimal(self, profile: rules.Profile) -> bool:
        """Fewest moves are not offered."""
        return False

    def hint(
        self,
        state: rules.State,
        profile: rules.Profile,
        limits: Limits,
        *,
        line: Sequence[rules.Move] = (),
    ) -> Hint:
        """Advise on one position: the first move of a win, every legal move, capacities."""
        began, outcome, legal_moves = advise(self, state, profile, limits, line, rules.target_kind)
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

    def solve_many(
        self,
        decks: NDArray[np.uint8],
        profile: rules.Profile,
        limits: Limits,
        *,
        want_lines: bool,
        method: str = "fast",
    ) -> BatchOutcome:
        """Decide decks, `uint8[n, 52]`."""
        from solvers.freecell import solver

        return solver.solve_decks(decks, profile, limits, want_lines=want_lines, method=method)

    def measure_many(self, decks: NDArray[np.uint8], profile: rules.Profile) -> NDArray[np.int64]:
        """Return the effort of decks; see `solvers.freecell.effort`."""
        from solvers.freecell import solver

        return solver.measure_decks(decks, profile)

    def par_many(
        self, decks: NDArray[np.uint8], profile: rules.Profile, limits: Limits
    ) -> NDArray[np.int32]:
        """Return the length of the solution that `solve_many` finds: a par to beat."""
        return self.solve_many(decks, profile, limits, want_lines=False).length

    def replay_many(
        self,
        decks: NDArray[np.uint8],
        profile: rules.Profile,
        lines: NDArray[np.uint16],
        offsets: NDArray[np.int64],
    ) -> NDArray[np.bool_]:
        """Tell which packed lines win their decks."""
        from solvers.freecell import solver

        return solver.replay_decks(decks, profile, lines, offsets)

    def format_line(self, line: NDArray[np.uint16]) -> list[str]:
        """Write a packed line in standard notation."""
        return [str(move) for move in notation.unpack_moves(line.tolist())]

    def parse_line(self, texts: Sequence[str]) -> NDArray[np.uint16]:
        """Pack moves in standard notation."""
        import numpy as np

        return np.array(notation.pack_moves(map(notation.parse_move, texts)), np.uint16)

    def deal_order(self, numbering: str) -> None:
        """Deal `ms` numbers in the order of their stream."""
        if numbering != "ms":
            raise UnknownNameError("numbering for FreeCell", numbering, ("ms",))

    def board_key(self, deck: Sequence[int]) -> bytes:
        """Return the deck itself: other decks lay other boards."""
        return bytes(deck)

    def bench_deals(self) -> Mapping[str, Sequence[int]]:
        """Return the bench lists."""
        return _BENCH


#: The first deals; deals that take long searches, and some of those that players call hard;
#: the unwinnable ones of the first million.
_BENCH: Mapping[str, Sequence[int]] = {
    "first": range(1, 4001),
    "hard": (
        *(193879, 218907, 452572, 551799, 581546, 654133, 780343, 801860, 946160, 960915),
        *(1941, 98714, 31465, 57148, 617, 1001874),
    ),
    "unwinnable": (11982, 146692, 186216, 455889, 495505, 512118, 517776, 781948),
}
GAME = FreeCell()
