"""The Plot as the registry hands it out: see `solvers.games.Game` for every member.

Owns the wiring, the grader's thresholds, the bench lists and the deal order. Nothing here loads
numpy or numba until something is solved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from solvers.errors import UnknownNameError
from solvers.hints import advise
from solvers.outcome import BatchOutcome, Grader, Hint, Limits, Outcome
from solvers.plot import notation, rules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Plot:
    """The game The Plot; `GAME` is its only instance."""

    name = "plot"
    title = "The Plot"
    deck_size = rules.DECK_SIZE
    profiles: Mapping[str, rules.Profile] = rules.PROFILES
    default_profile = "classic"
    default_limits = Limits(max_nodes=500_000, memory_mib=128)
    methods: tuple[str, ...] = ("fast", "astar", "dfs")
    grader = Grader("plot-1", "tries", 1_135, 1_473, "ms 1..5000 under classic")

    def deal(self, deck: Sequence[int]) -> rules.State:
        """Lay out 104 cards: reserve, base card, piles 1..12, stock."""
        return rules.deal(deck)

    def deck_of(self, state: rules.State) -> list[int] | None:
        """Return a deck of a fresh deal (the base card in any suit left), None in mid-game."""
        return rules.deck_of(state)

    def parse_board(self, text: str, profile: rules.Profile) -> rules.State:
        """Read a deal, 104 cards in `ms` deal order, or a position."""
        return notation.parse_board(text, profile)

    def format_board(self, state: rules.State) -> str:
        """Write a deal or a position as `parse_board` reads it."""
        return notation.format_board(state)

    def position_from_json(self, data: Any, profile: rules.Profile) -> rules.State:
        """Read a position from decoded JSON."""
        return notation.position_from_json(data, profile)

    def position_to_json(self, state: rules.State) -> dict[str, Any]:
        """Write a position for JSON."""
        return notation.position_to_json(state)

    def parse_move(self, text: str) -> rules.Move:
        """Read a move: `draw`, `w>3`, `w>f`, `5>2`, `5>f` or `r>f`."""
        return notation.parse_move(text)

    def format_move(self, move: rules.Move) -> str:
        """Write a move."""
        return notation.format_move(move)

    def legal_moves(self, state: rules.State, profile: rules.Profile) -> list[rules.Move]:
        """Return every legal move."""
        return rules.legal_moves(state, profile)

    def apply(self, state: rules.State, move: rules.Move, profile: rules.Profile) -> rules.State:
        """Return the state after a move."""
        return rules.apply(state, move, profile)

    def single_moves(
        self, state: rules.State, move: rules.Move, profile: rules.Profile
    ) -> list[rules.Move]:
        """Return the move itself: cards move one at a time."""
        return [move]

    def start(self, state: rules.State, profile: rules.Profile) -> rules.State:
        """Return the state from which a player first moves: the initial waste is turned."""
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
        """Decide one position; see `solvers.plot.solver.solve`."""
        from solvers.plot import solver

        if optimal:
            raise UnknownNameError("search for The Plot", "optimal", self.methods)
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
        """Advise on one position: the first move of a win, and every legal move."""
        advice = advise(self, state, profile, limits, line, rules.target_kind)
        return Hint(advice.outcome, advice.legal_moves)

    def solve_many(
        self,
        decks: NDArray[np.uint8],
        profile: rules.Profile,
        limits: Limits,
        *,
        want_lines: bool,
        method: str = "fast",
    ) -> BatchOutcome:
        """Decide decks, `uint8[n, 104]`."""
        from solvers.plot import solver

        return solver.solve_decks(decks, profile, limits, want_lines=want_lines, method=method)

    def measure_many(self, decks: NDArray[np.uint8], profile: rules.Profile) -> NDArray[np.int64]:
        """Return the effort of decks; see `solvers.plot.effort`."""
        from solvers.plot import solver

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
        from solvers.plot import solver

        return solver.replay_decks(decks, profile, lines, offsets)

    def format_line(self, line: NDArray[np.uint16]) -> list[str]:
        """Write a packed line in text."""
        from solvers.plot import layout

        return [notation.format_move(move) for move in layout.unpack_moves(line)]

    def parse_line(self, texts: Sequence[str]) -> NDArray[np.uint16]:
        """Pack moves given as text."""
        from solvers.plot import layout

        return layout.pack_moves(map(notation.parse_move, texts))

    def deal_order(self, numbering: str) -> None:
        """Deal `ms` numbers in the order of their stream."""
        if numbering != "ms":
            raise UnknownNameError("numbering for The Plot", numbering, ("ms",))

    def board_key(self, deck: Sequence[int]) -> bytes:
        """Return the deck itself: other decks lay other boards."""
        return bytes(deck)

    def bench_deals(self) -> Mapping[str, Sequence[int]]:
        """Return the bench lists."""
        return _BENCH


#: The first deals; deals that rollouts leave open; deals proved lost, by the reserve bound and
#: by the phase-1 abstraction.
_BENCH: Mapping[str, Sequence[int]] = {
    "first": range(1, 5001),
    "hard": (16, 1266, 1882, 2030, 2302, 3622, 7522, 9298, 10598, 12518, 13892, 14620, 18982),
    "unwinnable": (501, 890, 979, 987, 441, 2183, 3308, 5108, 5694, 10926, 13107, 15105),
}
GAME = Plot()
