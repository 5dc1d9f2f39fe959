"""The registry of games, and the members by which everybody else speaks to one.

This is the only place where games are told apart. `cli` and `dealgen` know a game by
`load(name)` and by the members of `Game` alone. Games are loaded lazily, and a game's
data (names, profiles, grader) loads neither numpy nor numba.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

from solvers.errors import UnknownNameError
from solvers.hints import advise
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


class Game:
    """One game, as the registry hands it out: data, and methods that ask the room that knows.

    `profile` is always an element of `profiles` or a variation of one (`solvers.profiles`).
    `State` and `Move` are the types of the game's `rules`; a packed line is a `uint16`
    array whose bit fields the game's `layout` describes. Each game derives a class of its own,
    with its data and with what differs.

    rules, notation  the game's rooms of these names
    deck_size        cards
    methods          names of searches; the first is the default
    bench_deals      the fixed `ms` deal numbers of each named bench list
    """

    rules: ModuleType
    notation: ModuleType
    name: str
    title: str
    deck_size: int
    profiles: Mapping[str, Any]
    default_profile: str
    default_limits: Limits
    methods: tuple[str, ...]
    grader: Grader
    bench_deals: ClassVar[Mapping[str, Sequence[int]]]

    @property
    def layout(self) -> ModuleType:
        """The game's `layout` room, which loads numpy."""
        return importlib.import_module(f"solvers.{self.name}.layout")

    @property
    def solver(self) -> ModuleType:
        """The game's `solver` room, which loads numpy and numba."""
        return importlib.import_module(f"solvers.{self.name}.solver")

    # Rules and notation: plain Python.

    def deal(self, deck: Sequence[int]) -> Any:
        """Lay out a deck (`deck_size` cards in canonical order); return a State."""
        return self.rules.deal(deck)

    def deck_of(self, state: Any) -> list[int] | None:
        """Return the deck that `deal` lays out as this state, or None in mid-game."""
        return self.rules.deck_of(state)

    def parse_board(self, text: str, profile: Any) -> Any:
        """Read a board, a deal or a position, in the game's text format.

        Raises NotationError (where, and the text) or InvalidDealError (every fault).
        """
        return self.notation.parse_board(text, profile)

    def format_board(self, state: Any) -> str:
        """Write a state in the game's text format, with a final newline."""
        return self.notation.format_board(state)

    def position_from_json(self, data: Any, profile: Any) -> Any:
        """Read a position from decoded JSON; raises as `parse_board`."""
        return self.notation.position_from_json(data, profile)

    def position_to_json(self, state: Any) -> dict[str, Any]:
        """Write a state as the JSON position that `position_from_json` reads."""
        return self.notation.position_to_json(state)

    def parse_move(self, text: str) -> Any:
        """Read one move; raises NotationError."""
        return self.notation.parse_move(text)

    def format_move(self, move: Any) -> str:
        """Write one move in the game's standard notation."""
        return self.notation.format_move(move)

    def legal_moves(self, state: Any, profile: Any) -> list[Any]:
        """Return every legal move of a state."""
        return self.rules.legal_moves(state, profile)

    def apply(self, state: Any, move: Any, profile: Any) -> Any:
        """Return the state after a move and the autoplay it triggers.

        Raises IllegalMoveError when the profile's rules refuse the move.
        """
        return self.rules.apply(state, move, profile)

    def start(self, state: Any, profile: Any) -> Any:
        """Return the state from which a player first moves: forced autoplay is done."""
        return self.rules.start(state, profile)

    def single_moves(self, state: Any, move: Any, profile: Any) -> list[Any]:
        """Return the single-card moves that a legal move stands for: here, itself alone.

        Forced autoplay waits until the last of them is made.
        """
        return [move]

    def replay(self, state: Any, moves: Sequence[Any], profile: Any) -> Any:
        """Apply moves one after another from `start(state)`; return the last state.

        Raises IllegalMoveError with the ply of the first move that is refused.
        """
        return self.rules.replay(state, moves, profile)

    def is_won(self, state: Any, profile: Any) -> bool:
        """Tell whether a state is won."""
        return self.rules.is_won(state)

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

        Raises UnknownNameError for a method, or fewest moves, that the game does not have.
        """
        if optimal:
            raise UnknownNameError(f"search for {self.title}", "optimal", self.methods)
        return self.solver.solve(state, profile, limits, method=method)

    def offers_optimal(self, profile: Any) -> bool:
        """Tell whether `solve(optimal=True)` is offered."""
        return False

    def hint(self, state: Any, profile: Any, limits: Limits, *, line: Sequence[Any] = ()) -> Hint:
        """Advise on one position: a move that keeps the win, or that nothing wins any more.

        line  moves left of an earlier hint; while they still win, they are followed and nothing
              is searched, so that hint after hint comes to the end
        """
        advice = advise(self, state, profile, limits, line, self.rules.target_kind)
        return Hint(advice.outcome, advice.legal_moves)

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
        return self.solver.solve_decks(decks, profile, limits, want_lines=want_lines, method=method)

    def measure_many(self, decks: NDArray[np.uint8], profile: Any) -> NDArray[np.int64]:
        """Return the grader's effort of each deck, thousandths of its unit, at least 1."""
        return self.solver.measure_decks(decks, profile)

    def par_many(self, decks: NDArray[np.uint8], profile: Any, limits: Limits) -> NDArray[np.int32]:
        """Return the par of each deck in moves, 0 where none was found within the limits.

        Here it is the length of the solution that `solve_many` finds.
        """
        return self.solve_many(decks, profile, limits, want_lines=False).length

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
        return self.solver.replay_decks(decks, profile, lines, offsets)

    # Packed lines as text, without the deck.

    def format_line(self, line: NDArray[np.uint16]) -> list[str]:
        """Write a packed line as moves in standard notation."""
        return [self.format_move(move) for move in self.layout.unpack_moves(line)]

    def parse_line(self, texts: Sequence[str]) -> NDArray[np.uint16]:
        """Pack moves in standard notation; raises NotationError."""
        return self.layout.pack_moves(map(self.parse_move, texts))

    # Numbering.

    def deal_order(self, numbering: str) -> Sequence[int] | None:
        """Return where the deck's cards stand in a numbered stream, None for the same places.

        Card i of the deck is card `deal_order[i]` of the stream. Raises UnknownNameError for
        a numbering that the game does not have.
        """
        if numbering != "ms":
            raise UnknownNameError(f"numbering for {self.title}", numbering, ("ms",))
        return None

    def board_key(self, deck: Sequence[int]) -> bytes:
        """Return a key that two decks share when they lay the same cards in the same places."""
        return bytes(deck)


def load(name: str) -> Game:
    """Return a game by name; raises UnknownNameError listing the names."""
    module = _MODULES.get(name)
    if module is None:
        raise UnknownNameError("game", name, NAMES)
    game: Game = importlib.import_module(module).GAME
    return game
