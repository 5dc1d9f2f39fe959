"""The registry of games, and the protocol by which everybody else speaks to one.

This is the only place where games are told apart. `cli` and `dealgen` know a game by
`load(name)` and by the members of `Game` alone. Games are loaded lazily, and a game's
data (names, profiles, grader) loads neither numpy nor numba.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from solvers.errors import UnknownNameError
from solvers.outcome import BatchOutcome, Grader, Hint, Limits, Outcome

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Game names in the order in which they are listed, and the module of each.
_MODULES = {
    "freecell": "solvers.freecell.game",
    "pyramid": "solvers.pyramid.game",
    "plot": "solvers.plot.game",
}

NAMES = tuple(_MODULES)


class Game(Protocol):
    """One game, as the registry hands it out.

    `profile` is always an element of `profiles` or a variation of one (`solvers.profiles`).
    `State` and `Move` are the types of the game's `rules`; a packed line is a `uint16`
    array whose bit fields the game's `layout` describes.
    """

    name: str
    title: str
    deck_size: int
    profiles: Mapping[str, Any]
    default_profile: str
    default_limits: Limits
    methods: tuple[str, ...]
    grader: Grader

    # Rules and notation: plain Python.

    def deal(self, deck: Sequence[int]) -> Any:
        """Lay out a deck (`deck_size` cards in canonical order); return a State."""

    def deck_of(self, state: Any) -> list[int] | None:
        """Return the deck that `deal` lays out as this state, or None in mid-game."""

    def parse_board(self, text: str, profile: Any) -> Any:
        """Read a board, a deal or a position, in the game's text format.

        Raises NotationError (where, and the text) or InvalidDealError (every fault).
        """

    def format_board(self, state: Any) -> str:
        """Write a state in the game's text format, with a final newline."""

    def position_from_json(self, data: Any, profile: Any) -> Any:
        """Read a position from decoded JSON; raises as `parse_board`."""

    def position_to_json(self, state: Any) -> dict[str, Any]:
        """Write a state as the JSON position that `position_from_json` reads."""

    def parse_move(self, text: str) -> Any:
        """Read one move; raises NotationError."""

    def format_move(self, move: Any) -> str:
        """Write one move in the game's standard notation."""

    def legal_moves(self, state: Any, profile: Any) -> list[Any]:
        """Return every legal move of a state."""

    def apply(self, state: Any, move: Any, profile: Any) -> Any:
        """Return the state after a move and the autoplay it triggers.

        Raises IllegalMoveError when the profile's rules refuse the move.
        """

    def start(self, state: Any, profile: Any) -> Any:
        """Return the state from which a player first moves: forced autoplay is done."""

    def single_moves(self, state: Any, move: Any, profile: Any) -> list[Any]:
        """Return the single-card moves that a legal move stands for; mostly itself alone.

        Forced autoplay waits until the last of them is made.
        """

    def replay(self, state: Any, moves: Sequence[Any], profile: Any) -> Any:
        """Apply moves one after another from `start(state)`; return the last state.

        Raises IllegalMoveError with the ply of the first move that is refused.
        """

    def is_won(self, state: Any, profile: Any) -> bool:
        """Tell whether a state is won."""

    # Solving.

    def solve(
        self,
        state: Any,
        profile: Any,
        limits: Limits,
        *,
        method: str = "fast",
        optimal: bool = False,
    ) -> Outcome:
        """Decide one position; a solution in the outcome was replayed by the rules.

        optimal  find a solution of proved fewest moves; only where `offers_optimal(profile)`
        """

    def offers_optimal(self, profile: Any) -> bool:
        """Tell whether `solve(optimal=True)` is offered."""

    def hint(self, state: Any, profile: Any, limits: Limits, *, line: Sequence[Any] = ()) -> Hint:
        """Advise on one position: a move that keeps the win, or that nothing wins any more.

        line  moves left of an earlier hint; while they still win, they are followed and nothing
              is searched, so that hint after hint comes to the end
        """

    def solve_many(
        self,
        decks: NDArray[np.uint8],
        profile: Any,
        limits: Limits,
        *,
        want_lines: bool,
        method: str = "fast",
    ) -> BatchOutcome:
        """Decide `uint8[n, deck_size]` decks; every solution found was replayed by the kernel.

        Releases the GIL, and may be called by several threads at once.
        """

    def measure_many(self, decks: NDArray[np.uint8], profile: Any) -> NDArray[np.int64]:
        """Return the grader's effort of each deck, thousandths of its unit, at least 1."""

    def par_many(self, decks: NDArray[np.uint8], profile: Any, limits: Limits) -> NDArray[np.int32]:
        """Return the par of each deck in moves, 0 where none was found within the limits."""

    def replay_many(
        self,
        decks: NDArray[np.uint8],
        profile: Any,
        lines: NDArray[np.uint16],
        offsets: NDArray[np.int64],
    ) -> NDArray[np.bool_]:
        """Tell for each deck whether its packed line wins it, strictly by the profile's rules.

        Solution i is lines[offsets[i]:offsets[i + 1]]. Any uint16 is a safe input.
        """

    # Packed lines as text, without the deck.

    def format_line(self, line: NDArray[np.uint16]) -> list[str]:
        """Write a packed line as moves in standard notation."""

    def parse_line(self, texts: Sequence[str]) -> NDArray[np.uint16]:
        """Pack moves in standard notation; raises NotationError."""

    # Numbering.

    def deal_order(self, numbering: str) -> Sequence[int] | None:
        """Return where the deck's cards stand in a numbered stream, None for the same places.

        Card i of the deck is card `deal_order[i]` of the stream. Raises UnknownNameError for
        a numbering that the game does not have.
        """

    def board_key(self, deck: Sequence[int]) -> bytes:
        """Return a key that two decks share when they lay the same cards in the same places."""

    def bench_deals(self) -> Mapping[str, Sequence[int]]:
        """Return the fixed `ms` deal numbers of each named bench list."""


def load(name: str) -> Game:
    """Return a game by name; raises UnknownNameError listing the names."""
    module = _MODULES.get(name)
    if module is None:
        raise UnknownNameError("game", name, NAMES)
    game: Game = importlib.import_module(module).GAME
    return game
