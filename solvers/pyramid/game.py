"""Pyramid as the registry hands it out: see `solvers.games.Game` for every member.

Owns the wiring, the grader's thresholds and the bench lists. Nothing here loads numpy or numba
until something is solved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from solvers.errors import UnknownNameError
from solvers.hints import advise
from solvers.outcome import BatchOutcome, Grader, Hint, Limits, Outcome
from solvers.pyramid import notation, rules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Pyramid:
    """The game Pyramid; `GAME` is its only instance."""

    name = "pyramid"
    title = "Pyramid"
    deck_size = 52
    profiles: Mapping[str, rules.Profile] = rules.PROFILES
    default_profile = rules.DEFAULT_PROFILE
    default_limits = Limits(max_nodes=10_000_000, memory_mib=250)
    methods: tuple[str, ...] = ("fast", "astar")
    grader = Grader("pyramid-1", "tries", 1_630, 2_400, "ms 1..20000 under classic")

    def deal(self, deck: Sequence[int]) -> rules.State:
        """Lay out 52 cards: the pyramid apex first, row by row, then the stock."""
        return rules.deal(deck)

    def deck_of(self, state: rules.State) -> list[int] | None:
        """Return the deck of a fresh deal, None in mid-game."""
        return rules.deck_of(state)

    def parse_board(self, text: str, profile: rules.Profile) -> rules.State:
        """Read a board or a position as text."""
        return notation.parse_board(text, profile)

    def format_board(self, state: rules.State) -> str:
        """Write a board or a position as text."""
        return notation.format_board(state)

    def position_from_json(self, data: Any, profile: rules.Profile) -> rules.State:
        """Read a position from decoded JSON."""
        return notation.position_from_json(data, profile)

    def position_to_json(self, state: rules.State) -> dict[str, Any]:
        """Write a position for JSON."""
        return notation.position_to_json(state)

    def parse_move(self, text: str) -> rules.Move:
        """Read a move: draw, reset, a king, or two cards."""
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
        """Return the move itself: no card goes on the way of another."""
        return [move]

    def start(self, state: rules.State, profile: rules.Profile) -> rules.State:
        """Return the state itself: Pyramid plays nothing by itself."""
        return rules.start(state, profile)

    def replay(
        self, state: rules.State, moves: Sequence[rules.Move], profile: rules.Profile
    ) -> rules.State:
        """Apply moves one after another."""
        return rules.replay(state, moves, profile)

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
        from solvers.pyramid import solver

        return solver.solve(state, profile, limits, method=method, shortest=optimal)

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
        """Advise on one position: removals count as moves to the foundation."""
        line = [rules.canonical(move) for move in line]
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
        """Decide decks, `uint8[n, 52]`."""
        from solvers.pyramid import solver

        return solver.solve_decks(decks, profile, limits, want_lines=want_lines, method=method)

    def measure_many(self, decks: NDArray[np.uint8], profile: rules.Profile) -> NDArray[np.int64]:
        """Return the effort of decks; see `solvers.pyramid.effort`."""
        from solvers.pyramid import solver

        return solver.measure_decks(decks, profile)

    def par_many(
        self, decks: NDArray[np.uint8], profile: rules.Profile, limits: Limits
    ) -> NDArray[np.int32]:
        """Return the fewest moves that win each deck, 0 where none are known."""
        from solvers.pyramid import solver

        return solver.solve_decks(decks, profile, limits, want_lines=False, method="astar").length

    def replay_many(
        self,
        decks: NDArray[np.uint8],
        profile: rules.Profile,
        lines: NDArray[np.uint16],
        offsets: NDArray[np.int64],
    ) -> NDArray[np.bool_]:
        """Tell which packed lines win their decks."""
        from solvers.pyramid import solver

        return solver.replay_decks(decks, profile, lines, offsets)

    def format_line(self, line: NDArray[np.uint16]) -> list[str]:
        """Write a packed line as moves."""
        from solvers.pyramid import layout

        return [notation.format_move(layout.unpack_move(move)) for move in line.tolist()]

    def parse_line(self, texts: Sequence[str]) -> NDArray[np.uint16]:
        """Pack moves."""
        import numpy as np

        from solvers.pyramid import layout

        return np.array([layout.pack_move(notation.parse_move(text)) for text in texts], np.uint16)

    def deal_order(self, numbering: str) -> None:
        """Deal `ms` numbers in the order of their stream."""
        if numbering != "ms":
            raise UnknownNameError("numbering for pyramid", numbering, ("ms",))

    def board_key(self, deck: Sequence[int]) -> bytes:
        """Return the deck itself: other decks lay other boards."""
        return bytes(deck)

    def bench_deals(self) -> Mapping[str, Sequence[int]]:
        """Return the bench lists."""
        return _BENCH


#: The first deals: few enough for the search for fewest moves, which takes the same list.
_BENCH: Mapping[str, Sequence[int]] = {"first": range(1, 1001)}
GAME = Pyramid()
