"""The registry of games, and the members by which everybody else speaks to one.

This is the only place where games are told apart. `cli` and `dealgen` know a game by
`load(name)` and by the members of `Game` alone. Games are loaded lazily, and a game's
data (names, profiles, grader) loads neither numpy nor numba.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeAlias

from solvers import play
from solvers.errors import InvalidNumberError, UnknownNameError, WinnableError, known_name
from solvers.graders import Grader, Scale
from solvers.hints import advise
from solvers.outcome import BatchOutcome, Hint, Limits, Outcome
from solvers.play import Followed, M, P, ProfileIn, Rules, S
from solvers.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from solvers.search.solver import Solver

#: Game names in the order in which they are listed, and the module of each.
_MODULES = {
    "freecell": "solvers.freecell.game",
    "pyramid": "solvers.pyramid.game",
    "plot": "solvers.plot.game",
}

NAMES = tuple(_MODULES)


class Notation(Protocol[S, M, ProfileIn]):
    """The members of a `notation` room that others rely on; `Game` documents them."""

    def parse_board(self, text: str, profile: ProfileIn, /) -> S: ...

    def format_board(self, state: S, /) -> str: ...

    def position_from_json(self, data: Any, profile: ProfileIn, /) -> S: ...

    def position_to_json(self, state: S, /) -> dict[str, Any]: ...

    def parse_move(self, text: str, /) -> M: ...

    def format_move(self, move: M, /) -> str: ...

    def parse_moves(self, text: str, number: int, /) -> list[M]: ...

    def format_moves(self, moves: Iterable[M], /) -> str: ...

    def move_to_json(self, state: S, move: M, profile: ProfileIn, /) -> dict[str, Any]: ...

    def describe_move(self, state: S, move: M, profile: ProfileIn, /) -> str: ...

    def describe_start(self, state: S, profile: ProfileIn, /) -> str: ...


class Game(Generic[S, M, P]):
    """One game: its data, and methods that delegate to its rooms.

    `profile` is always an element of `profiles` or a variation of one (`solvers.profiles`).
    `State` and `Move` are the types of the game's `rules`; a packed line is a `uint16`
    array whose bit fields the game's `layout` describes. Each game derives a class of its own,
    with its data and with what differs.

    rules, notation  the game's rooms of these names
    deck_size        cards
    methods          names of searches; the first is the default
    optimal_method   the one that finds a solution of proved fewest moves, or None
    has_cells        whether there are cells, so that the fewest that win can be asked for
    offers_short     whether it looks for shorter solutions than its searches find
    bench_deals      the fixed `ms` deal numbers of each named bench list
    position_marks   words that only positions of this game have: keys in JSON, headings in text
    board_shape      cards on each line of a whole deal as text
    board_layouts    how boards may lie on their lines; the first finds out
    loose_cards      how many of a deck's first cards may change places on the same board
    profile_numberings  the numbering of the program that a named profile describes; `ms` for others
    """

    rules: Rules[S, M, P]
    notation: Notation[S, M, P]
    name: str
    title: str
    deck_size: int
    profiles: Mapping[str, P]
    default_profile: str
    default_limits: Limits
    methods: tuple[str, ...]
    optimal_method: str | None = None
    has_cells: ClassVar[bool] = False
    offers_short: bool = False
    grader: Grader
    bench_deals: ClassVar[Mapping[str, Sequence[int]]]
    position_marks: tuple[str, ...]
    board_shape: tuple[int, ...]
    board_layouts: tuple[str, ...] = ("auto",)
    loose_cards: ClassVar[int] = 0
    profile_numberings: ClassVar[Mapping[str, str]] = {}

    @property
    def layout(self) -> ModuleType:
        """The game's `layout` room, which loads numpy."""
        return importlib.import_module(f"solvers.{self.name}.layout")

    @property
    def solver(self) -> Solver[S, M, P]:
        """The game's solver, from the room that loads numpy and numba."""
        solver: Solver[S, M, P] = importlib.import_module(f"solvers.{self.name}.solver").SOLVER
        return solver

    # Rules and notation: plain Python.

    def deal(self, deck: Sequence[int]) -> S:
        """Lay out a deck (`deck_size` cards in canonical order)."""
        return self.rules.deal(deck)

    def deck_of(self, state: S) -> list[int] | None:
        """Return the deck that `deal` lays out as this state, or None in mid-game."""
        return self.rules.deck_of(state)

    def whole_deal(self, state: S) -> list[int] | None:
        """Return a deck that deals this board (`same_board`), or None in mid-game."""
        return self.deck_of(state)

    def same_board(self, deck: Sequence[int], other: Sequence[int]) -> bool:
        """Tell whether two decks deal the same board, in whatever order its parts lie."""
        return list(deck) == list(other)

    def parse_board(self, text: str, profile: P, layout: str = "auto") -> S:
        """Read a board, a deal or a position, in the game's text format.

        layout  one of `board_layouts`

        Raises NotationError (where, and the text) or InvalidDealError (every fault).
        """
        return self.notation.parse_board(text, profile)

    def format_board(self, state: S) -> str:
        """Write a state in the game's text format, with a final newline."""
        return self.notation.format_board(state)

    def position_from_json(self, data: Any, profile: P, layout: str = "auto") -> S:
        """Read a position from decoded JSON; raises as `parse_board`."""
        return self.notation.position_from_json(data, profile)

    def position_to_json(self, state: S) -> dict[str, Any]:
        """Write a state as the JSON position that `position_from_json` reads."""
        return self.notation.position_to_json(state)

    def view(self, state: S) -> View:
        """Say where each card of a state lies on the screen."""
        room = importlib.import_module(f"solvers.{self.name}.view")
        view: View = room.view(state)
        return view

    def parse_move(self, text: str) -> M:
        """Read one move; raises NotationError."""
        return self.notation.parse_move(text)

    def format_move(self, move: M) -> str:
        """Write one move in the game's standard notation."""
        return self.notation.format_move(move)

    def parse_moves(self, text: str, number: int = 1) -> list[M]:
        """Read moves on one line, which has this number; raises NotationError with the place."""
        return self.notation.parse_moves(text, number)

    def format_moves(self, moves: Iterable[M]) -> str:
        """Write moves on one line, as `parse_moves` reads them."""
        return self.notation.format_moves(moves)

    def move_to_json(self, state: S, move: M, profile: P) -> dict[str, Any]:
        """Return a legal move's `move`, `from`, `to`, `cards` and `target`, ready for JSON."""
        return self.notation.move_to_json(state, move, profile)

    def describe_move(self, state: S, move: M, profile: P) -> str:
        """Say in words what a legal move does, and what goes home by itself after it."""
        return self.notation.describe_move(state, move, profile)

    def describe_start(self, state: S, profile: P) -> str:
        """Say in words what happens by itself before the first move, or nothing."""
        return self.notation.describe_start(state, profile)

    def start(self, state: S, profile: P) -> S:
        """Return the state from which a player first moves: forced autoplay is done."""
        return self.rules.start(state, profile)

    def legal_moves(self, state: S, profile: P) -> list[M]:
        """Return every legal move of a state that has been started."""
        return self.rules.legal_moves(state, profile)

    def target_kind(self, state: S, move: M) -> str:
        """Name the kind of place that a legal move goes to, as `Hint.legal_moves` does."""
        return self.rules.target_kind(state, move)

    def apply(self, state: S, move: M | str, profile: P) -> S:
        """Return the state after a move and the autoplay it triggers.

        Raises IllegalMoveError when the profile's rules refuse the move, NotationError for a
        text that is not a move.
        """
        return self.rules.apply(state, self._move(move), profile)

    def replay(self, state: S, moves: Iterable[M | str], profile: P) -> S:
        """Apply moves one after another from `start(state)`; return the last state.

        Raises IllegalMoveError with the ply of the first move that is refused, NotationError
        for a text that is not a move.
        """
        return play.replay(self.rules, state, map(self._move, moves), profile)

    def follow(self, state: S, moves: Iterable[M | str], profile: P) -> Followed[S, M]:
        """Apply moves from `start(state)` as far as the rules take them.

        What other programs leave out of their lines is read into them, and noted. Raises
        NotationError for a text that is not a move.
        """
        return play.follow(self.rules, state, map(self._move, moves), profile)

    def single_moves(self, state: S, move: M, profile: P) -> list[M]:
        """Return the single-card moves that a legal move stands for: here, itself alone.

        Forced autoplay waits until the last of them is made.
        """
        return [move]

    def is_won(self, state: S, profile: P) -> bool:
        """Tell whether a state is won."""
        return self.rules.is_won(state, profile)

    def _move(self, move: M | str) -> M:
        """Return a move that may be given as text."""
        return self.parse_move(move) if isinstance(move, str) else move

    # Solving.

    def solve(
        self,
        state: S,
        profile: P,
        limits: Limits,
        *,
        method: str = "fast",
        optimal: bool = False,
        short: int = 0,
    ) -> Outcome[M]:
        """Decide one position; a solution in the outcome was replayed by the rules.

        optimal  find a solution of proved fewest moves, whatever the method
        short    states to expand, at most, for a shorter solution than the method's, which is
                 never longer; more states never make it longer

        Raises UnknownNameError for a method, or fewest moves, or shorter solutions that the game
        does not have, and InvalidNumberError for a negative number of states.
        """
        place = self._method(method, optimal)
        if short and not self.offers_short:
            raise UnknownNameError(f"method for {self.title}", "short", self.methods)
        if short < 0:
            raise InvalidNumberError(f"short is {short}; valid is a number of states from 0 on")
        return self.solver.solve(state, profile, limits, method=place, short=short)

    def _method(self, method: str, optimal: bool) -> int:
        """Return the place of the method that does what is asked."""
        if optimal and self.optimal_method is None:
            raise UnknownNameError(f"method for {self.title}", "optimal", self.methods)
        name = self.optimal_method if optimal else method
        if name not in self.methods:
            raise UnknownNameError(f"method for {self.title}", method, self.methods)
        return self.methods.index(name)

    def limits(
        self,
        *,
        max_nodes: int | None = None,
        max_seconds: float | None = None,
        memory: int | None = None,
    ) -> Limits:
        """Return the default limits with those that are given in their place; `memory` in MiB.

        Raises InvalidNumberError for a bound that no search could keep.
        """
        default = self.default_limits
        return Limits(
            default.max_nodes if max_nodes is None else max_nodes,
            default.memory_mib if memory is None else memory,
            default.max_seconds if max_seconds is None else max_seconds,
        )

    def offers_optimal(self, profile: P) -> bool:
        """Tell whether `solve(optimal=True)` is offered."""
        return self.optimal_method is not None

    def hint(
        self,
        state: S,
        profile: P,
        limits: Limits,
        *,
        line: Sequence[M | str] = (),
        optimal: bool = False,
        short: int = 0,
    ) -> Hint[M]:
        """Advise on one position: a move that keeps the win, or that nothing wins any more.

        line     moves left of an earlier hint; while they still win, they are followed and
                 nothing is searched, so that hint after hint comes to the end
        optimal  begin a line of proved fewest moves, for games that offer it
        short    states to expand, at most, for a short line to begin, likewise
        """
        moves = tuple(map(self._move, line))
        _, outcome, legal_moves = advise(
            self, state, profile, limits, moves, optimal=optimal, short=short
        )
        return Hint(outcome, legal_moves)

    def prepare(self) -> None:
        """Load what solving needs, before threads are started that would load it."""
        from solvers.programs.load import load

        load("deals", self.solver.name)

    def scale(self, profile: P) -> Scale | None:
        """Return what efforts mean under a profile, None where nobody has calibrated that."""
        return self.grader.scale_of(profile, self.profiles)

    # In bulk. What comes from outside is checked here, once: kernels check nothing.

    def solve_many(
        self,
        decks: NDArray[np.uint8],
        profile: P,
        limits: Limits,
        *,
        want_lines: bool,
        method: str = "fast",
    ) -> BatchOutcome:
        """Decide `uint8[n, deck_size]` decks; every solution found was replayed by the kernel.

        Releases the GIL, and may be called by several threads at once. Raises InvalidArrayError
        naming the first row that is not a deck, UnknownNameError for a method.
        """
        checked, place = self._decks(decks), self._method(method, optimal=False)
        return self.solver.solve_decks(
            checked, profile, limits, want_lines=want_lines, method=place
        )

    def measure_many(self, decks: NDArray[np.uint8], profile: P) -> NDArray[np.int64]:
        """Return the grader's effort of each deck, thousandths of a try, at least 1.

        Raises InvalidArrayError as `solve_many`.
        """
        return self.solver.measure_decks(self._decks(decks), profile)

    def par_many(self, decks: NDArray[np.uint8], profile: P, limits: Limits) -> NDArray[np.int32]:
        """Return the fewest moves that win each deck, 0 where they are not found within the limits.

        Raises UnknownNameError for a game without fewest moves, InvalidArrayError as `solve_many`.
        """
        method = self.methods[self._method(self.methods[0], optimal=True)]
        return self.solve_many(decks, profile, limits, want_lines=False, method=method).length

    def short_many(
        self, decks: NDArray[np.uint8], profile: P, limits: Limits, states: int
    ) -> list[Outcome[M]]:
        """Return an outcome of each deck, with the short line that `solve(short=states)` finds."""
        return [
            self.solve(self.deal(deck), profile, limits, short=states)
            for deck in self._decks(decks).tolist()
        ]

    def fewest_cells_many(
        self, decks: NDArray[np.uint8], profile: P, limits: Limits
    ) -> NDArray[np.int64]:
        """Return the fewest cells that win each deck, `int64[n, 2]`: at least, and at most.

        Both are the same where that is decided within the limits of each search; the second is -1
        where no number of cells was found to win. Raises WinnableError for a game without cells,
        InvalidArrayError as `solve_many`.
        """
        raise WinnableError(f"{self.title} has no cells")

    def replay_many(
        self,
        decks: NDArray[np.uint8],
        profile: P,
        lines: NDArray[np.uint16],
        offsets: NDArray[np.int64],
    ) -> NDArray[np.bool_]:
        """Tell for each deck whether its packed line wins it, strictly by the profile's rules.

        Solution i is lines[offsets[i]:offsets[i + 1]]. Any uint16 is a safe input. Raises
        InvalidArrayError for what is not decks, moves, or bounds of lines.
        """
        from solvers.search.decks import checked_lines

        checked = self._decks(decks)
        moves, bounds = checked_lines(lines, offsets, len(checked))
        return self.solver.replay_decks(checked, profile, moves, bounds)

    def _decks(self, decks: Any) -> NDArray[np.uint8]:
        """Check an array of decks."""
        from solvers.search.decks import checked_decks

        return checked_decks(decks, self.deck_size)

    # Packed lines as text, without the deck.

    def format_line(self, line: NDArray[np.uint16]) -> list[str]:
        """Write a packed line as moves in standard notation."""
        return [self.format_move(move) for move in self.layout.unpack_moves(line)]

    def parse_line(self, texts: Sequence[str]) -> NDArray[np.uint16]:
        """Pack moves in standard notation; raises NotationError."""
        line: NDArray[np.uint16] = self.layout.pack_moves(map(self.parse_move, texts))
        return line


#: A game whose types are not known before the program runs, as the registry has them.
AnyGame: TypeAlias = Game[Any, Any, Any]


def load(name: str) -> AnyGame:
    """Return a game by name, in any case; raises UnknownNameError listing the names."""
    module = _MODULES[known_name("game", name, NAMES)]
    game: AnyGame = importlib.import_module(module).GAME
    return game
