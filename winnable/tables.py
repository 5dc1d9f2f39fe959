"""One table: a deal or a position under a profile, played, decided, hinted at and graded.

Owns nothing but the moves made so far; rules, notation and searches are `solvers`'.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, overload

from dealgen.grade import cuts_of, grade_of
from dealgen.numbering import default_numbering, numbering_of
from solvers import games
from solvers.errors import IllegalMoveError, InvalidDealError, InvalidNumberError
from solvers.games import Game
from solvers.hints import History, find_loss, judge_moves
from solvers.outcome import Hint, Limit, Outcome, Verdict, states_of_effort
from solvers.play import Followed, M, P, S
from solvers.positions import position_from_json, read_position
from solvers.profiles import format_profile, parse_profile
from solvers.transcripts import read_moves

if TYPE_CHECKING:
    from solvers.freecell import rules as freecell
    from solvers.plot import rules as plot
    from solvers.pyramid import rules as pyramid

    FreeCellTable: TypeAlias = "Table[freecell.State, freecell.Move, freecell.Profile]"
    PyramidTable: TypeAlias = "Table[pyramid.State, pyramid.Move, pyramid.Profile]"
    PlotTable: TypeAlias = "Table[plot.State, plot.Move, plot.Profile]"


@dataclass(frozen=True, slots=True)
class Checked:
    """Whether a position can be won.

    nodes  states expanded
    limit  what stopped the search where the verdict is UNDECIDED
    """

    verdict: Verdict
    nodes: int
    limit: Limit


@dataclass(frozen=True, slots=True)
class Graded:
    """How hard a deal is.

    grade       `easy`, `normal` or `hard`; None unless the deal is winnable, as are
    effort      in tries, and
    percentile  the percentage of the deals of the scale's range than which it is harder; grade and
                percentile are None under a profile without a scale, too
    grader      the versioned measurement, such as `pyramid-2`
    """

    verdict: Verdict
    grade: str | None
    effort: float | None
    percentile: int | None
    grader: str


class Table(Generic[S, M, P]):
    """A game under way; made by `deal` and `read`.

    What the frontend of the profile plays by itself is done, on the deal and after every move. A
    move may be given as text wherever one is taken, and `str(move)` is that text. One thread at
    a time may use a table; any number of tables may be used at once.

    >>> import winnable
    >>> table = winnable.deal("freecell", 7, profile="safe-auto")
    >>> table.push("38")
    Move(source=2, target=7, count=0)
    >>> [str(move) for move in table.moves], table.is_won
    (['38'], False)
    """

    def __init__(self, game: Game[S, M, P], state: S, profile: P, *, number: int | None = None):
        """Begin at a legal state; `number` is the deal's where it has one."""
        self._game, self._profile = game, profile
        self._deck = game.deck_of(state)
        self._states = [game.start(state, profile)]
        self._moves: list[M] = []
        #: The rest of the line that the last hint began, while it is followed, and what it was
        #: asked to be: of fewest moves, or short by so many states.
        self._line: list[M] = []
        self._line_kind = False, 0
        self.number = number

    @property
    def game(self) -> str:
        """The game's name."""
        return self._game.name

    @property
    def profile(self) -> str:
        """The rules, in canonical spelling."""
        return format_profile(self._profile, self._game.profiles)

    @property
    def state(self) -> S:
        """The position, an immutable value of the game's own type."""
        return self._states[-1]

    @property
    def moves(self) -> tuple[M, ...]:
        """The moves made so far."""
        return tuple(self._moves)

    @property
    def legal_moves(self) -> list[M]:
        """Every legal move; of places that are alike, such as empty cells, one stands for all."""
        return self._game.legal_moves(self.state, self._profile)

    @property
    def is_won(self) -> bool:
        """Whether the game is won."""
        return self._game.is_won(self.state, self._profile)

    def is_legal(self, move: M | str) -> bool:
        """Tell whether a move may be made; raises NotationError for a text that is not a move."""
        try:
            self._game.apply(self.state, move, self._profile)
        except IllegalMoveError:
            return False
        return True

    def push(self, move: M | str) -> M:
        """Make a move and return it.

        Raises IllegalMoveError saying why the rules refuse it, NotationError for a text that is
        not a move; the table stays as it was.
        """
        made = self._game.parse_move(move) if isinstance(move, str) else move
        self._states.append(self._game.apply(self.state, made, self._profile))
        self._moves.append(made)
        self._line = self._line[1:] if self._line[:1] == [made] else []
        return made

    def pop(self) -> M:
        """Take the last move back and return it; raises IndexError when there is none."""
        if not self._moves:
            raise IndexError("no move to take back")
        self._states.pop()
        self._line = []
        return self._moves.pop()

    def describe(self, move: M | str) -> str:
        """Say in words what a legal move would do; raises as `push`.

        >>> import winnable
        >>> winnable.deal("freecell", 7, profile="max-auto").describe("38")
        '6S from column 3 onto 7D in column 8'
        """
        made = self._game.parse_move(move) if isinstance(move, str) else move
        return self._game.describe_move(self.state, made, self._profile)

    def replay(self, line: str | Iterable[M | str]) -> Followed[S, M]:
        """Tell how far a line of moves goes from here, and whether it wins; makes none of them.

        line  moves, or a text of them: in our notation, with or without FreeCell's counts to empty
              columns, or as fc-solve prints them

        Raises NotationError for a text that is not moves.

        >>> import winnable
        >>> played = winnable.deal("freecell", 7).replay("38 8a 12")
        >>> [str(move) for move in played.moves], played.wins, str(played.fault)
        (['38', '8a'], False, "move 3, '12': nothing there fits on AC")
        """
        moves = read_moves(self._game, line) if isinstance(line, str) else line
        return self._game.follow(self.state, moves, self._profile)

    def __str__(self) -> str:
        """Write the position in the game's text format."""
        return self._game.format_board(self.state)

    def to_json(self) -> dict[str, Any]:
        """Write the position as an object for JSON, as `read` reads it."""
        return self._game.position_to_json(self.state)

    def check(
        self,
        *,
        method: str = "fast",
        max_nodes: int | None = None,
        max_seconds: float | None = None,
        memory: int | None = None,
    ) -> Checked:
        """Tell whether the position can be won; arguments as for `solve`."""
        outcome = self.solve(
            method=method, max_nodes=max_nodes, max_seconds=max_seconds, memory=memory
        )
        return Checked(outcome.verdict, outcome.nodes, outcome.limit)

    def solve(
        self,
        *,
        optimal: bool = False,
        short: bool = False,
        effort: int = 3,
        method: str = "fast",
        max_nodes: int | None = None,
        max_seconds: float | None = None,
        memory: int | None = None,
    ) -> Outcome[M]:
        """Find a solution from here, or a proof that there is none.

        Args:
            optimal: find one of proved fewest moves, for games that offer it.
            short: look for a short one, for games that offer it; never longer than without.
            effort: how long to look: a level 1..6, each of 4 times the states of the one before, or
                a number of states. More never makes a solution longer.
            method: a search of the game, as `winnable games` lists them.
            max_nodes: stop after this many states; the game's default where None.
            max_seconds: stop after this many seconds; never by default.
            memory: MiB of tables; the game's default where None.

        Returns:
            The outcome; its moves, replayed by the plain rules, begin at this position.
        """
        limits = self._game.limits(max_nodes=max_nodes, max_seconds=max_seconds, memory=memory)
        if effort < 1:
            raise InvalidNumberError(f"effort is {effort}; valid is a whole number from 1 on")
        return self._game.solve(
            self.state,
            self._profile,
            limits,
            method=method,
            optimal=optimal,
            short=states_of_effort(effort) if short else 0,
        )

    def hint(
        self,
        *,
        optimal: bool = False,
        short: bool = False,
        effort: int = 3,
        max_nodes: int | None = None,
        max_seconds: float | None = None,
        memory: int | None = None,
    ) -> Hint[M]:
        """Advise on what to do next; arguments as for `solve`.

        Whoever makes the hinted moves comes to the end: the line of the last hint is followed
        as long as it is played, and nothing is searched then.
        """
        limits = self._game.limits(max_nodes=max_nodes, max_seconds=max_seconds, memory=memory)
        kind = optimal, states_of_effort(effort) if short else 0
        line = self._line if kind in (self._line_kind, (False, 0)) else []
        hint = self._game.hint(
            self.state, self._profile, limits, line=line, optimal=optimal, short=kind[1]
        )
        if not line:
            self._line_kind = kind
        self._line = list(hint.outcome.moves)
        return hint

    def judge(
        self,
        *,
        max_nodes: int | None = None,
        max_seconds: float | None = None,
        memory: int | None = None,
    ) -> dict[M, Verdict]:
        """Tell of every legal move whether the game can be won after it; limits are for each.

        Arguments as for `solve`.
        """
        game, profile = self._game, self._profile
        limits = game.limits(max_nodes=max_nodes, max_seconds=max_seconds, memory=memory)
        outcome = game.hint(self.state, profile, limits, line=self._line).outcome
        return judge_moves(game, self.state, profile, limits, outcome)

    def find_loss(
        self,
        *,
        max_nodes: int | None = None,
        max_seconds: float | None = None,
        memory: int | None = None,
    ) -> History[M]:
        """Tell which of the moves made lost the game; limits are for each position.

        Arguments as for `solve`.
        """
        game, profile = self._game, self._profile
        limits = game.limits(max_nodes=max_nodes, max_seconds=max_seconds, memory=memory)
        last = game.solve(self.state, profile, limits)
        return find_loss(game, self._states, profile, limits, last)

    def grade(
        self,
        *,
        max_nodes: int | None = None,
        max_seconds: float | None = None,
        memory: int | None = None,
    ) -> Graded:
        """Grade the deal that the table began with; arguments as for `solve`.

        Raises InvalidDealError for a position in mid-game: only whole deals have grades.
        """
        game, limits = (
            self._game,
            self._game.limits(max_nodes=max_nodes, max_seconds=max_seconds, memory=memory),
        )
        if self._deck is None:
            raise InvalidDealError(["a position in mid-game has no grade; valid is a whole deal"])
        import numpy as np

        decks = np.array([self._deck], np.uint8)
        outcome = game.solve_many(decks, self._profile, limits, want_lines=False)
        verdict = Verdict(int(outcome.verdict[0]))
        if verdict is not Verdict.WINNABLE:
            return Graded(verdict, None, None, None, game.grader.name)
        effort = int(game.measure_many(decks, self._profile)[0])
        scale = game.scale(self._profile)
        return Graded(
            verdict,
            None if scale is None else grade_of(cuts_of(scale), effort),
            effort / 1000,
            None if scale is None else scale.percentile(effort),
            game.grader.name,
        )


@overload
def deal(
    game: Literal["freecell"],
    number: int | str,
    *,
    profile: str | None = ...,
    numbering: str | None = ...,
) -> FreeCellTable: ...
@overload
def deal(
    game: Literal["pyramid"],
    number: int | str,
    *,
    profile: str | None = ...,
    numbering: str | None = ...,
) -> PyramidTable: ...
@overload
def deal(
    game: Literal["plot"],
    number: int | str,
    *,
    profile: str | None = ...,
    numbering: str | None = ...,
) -> PlotTable: ...
@overload
def deal(
    game: str, number: int | str, *, profile: str | None = ..., numbering: str | None = ...
) -> Table[Any, Any, Any]: ...
def deal(
    game: str,
    number: int | str,
    *,
    profile: str | None = None,
    numbering: str | None = None,
) -> Table[Any, Any, Any]:
    """Deal a numbered deal.

    Args:
        game: `freecell`, `pyramid` or `plot`.
        number: the deal's number; as text, it is read as on the command line.
        profile: the rules, such as `safe-auto` or `classic,cells=3`; the game's default where
            None.
        numbering: what the number stands for: `ms`, or `pysol`, which is the default under the
            profile of that name.

    Raises:
        UnknownNameError: for a game, profile, option or numbering; it lists what there is.
        InvalidNumberError: the numbering has no such number.
        NotationError: a text that is not a number, or an option with a wrong value.

    >>> import winnable
    >>> winnable.deal("pyramid", 2).legal_moves[-1]
    Move(first=52, second=-1)
    """
    found = games.load(game)
    scheme = numbering_of(numbering) if numbering else default_numbering(found, profile)
    rules = _rules(found, profile)
    valid = scheme.parse(number, game) if isinstance(number, str) else scheme.check(number, game)
    return Table(found, found.deal(scheme.deck(found, valid)), rules, number=valid)


@overload
def read(
    game: Literal["freecell"],
    board: str | dict[str, Any],
    *,
    profile: str | None = ...,
    layout: str = ...,
) -> FreeCellTable: ...
@overload
def read(
    game: Literal["pyramid"],
    board: str | dict[str, Any],
    *,
    profile: str | None = ...,
    layout: str = ...,
) -> PyramidTable: ...
@overload
def read(
    game: Literal["plot"],
    board: str | dict[str, Any],
    *,
    profile: str | None = ...,
    layout: str = ...,
) -> PlotTable: ...
@overload
def read(
    game: str,
    board: str | dict[str, Any],
    *,
    profile: str | None = ...,
    layout: str = ...,
) -> Table[Any, Any, Any]: ...
def read(
    game: str, board: str | dict[str, Any], *, profile: str | None = None, layout: str = "auto"
) -> Table[Any, Any, Any]:
    """Read a deal or a position in mid-game; `docs/boards.md` has what is read.

    Args:
        game: `freecell`, `pyramid` or `plot`.
        board: the game's text, JSON as text, or the decoded JSON object.
        profile: the rules; the game's default where None.
        layout: how FreeCell's columns lie: `columns`, `rows`, or `auto` for what is certain.

    Raises:
        NotationError: the text is not a position: what, where, and what would be valid.
        InvalidDealError: no deal leads to it; every fault is listed.
        UnknownNameError: for a game, profile or option.
    """
    found = games.load(game)
    rules = _rules(found, profile)
    if isinstance(board, str):
        return Table(found, read_position(found, board, rules, layout), rules)
    return Table(found, position_from_json(found, board, rules, layout), rules)


def _rules(game: Game[S, M, P], profile: str | None) -> P:
    """Return a profile by its text."""
    return parse_profile(game.default_profile if profile is None else profile, game.profiles)
