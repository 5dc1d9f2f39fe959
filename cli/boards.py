"""Boards and positions that are asked about: files, folders, and lines of JSON on stdin.

Owns what each is called, and lines of moves played on one. What a board means is the game's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias, TypeVar

import click

from cli.deals import Deals, read_board, read_text, shown_name
from cli.options import (
    Decorator,
    Setup,
    asked_deals,
    file_name,
    layout_option,
    stacked,
    usage_error,
)
from solvers.errors import NotationError, WinnableError, quoted
from solvers.games import AnyGame
from solvers.play import Followed
from solvers.positions import decode_json, position_from_json, read_position
from solvers.transcripts import LARGEST_KIB, read_moves

F = TypeVar("F", bound=Callable[..., Any])
#: Boards are looked for among the deals up to this one: a third of a second for FreeCell.
LAST_LOOKED_FOR = 1_000_000
#: Names that a line of JSON may give its position.
_NAME_KEYS = ("id", "name")


class NumberedDeal(NamedTuple):
    """A deal by its number; `same_order` is False where a board's columns lie otherwise."""

    number: int
    same_order: bool


@dataclass(frozen=True, slots=True)
class Board:
    """One position; `name` is its file's, or where it stood, as messages give it.

    deal  the numbered deal that it is, None where it is none, or nobody asked
    """

    name: str
    state: Any
    deal: NumberedDeal | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class After(Board):
    """The position that moves lead to; `name` also says how many.

    asked     the deal number or the board's file, as messages give it
    number    of the deal that was asked for, None where it was a board
    begun     the position before the moves
    followed  the moves, and the positions on the way
    """

    asked: str
    number: int | None
    begun: Any
    followed: Followed[Any, Any]


#: What a command is asked about; one deal or board, or several.
Asked: TypeAlias = Deals | list[Board]


def _file_names(
    ctx: click.Context, parameter: click.Parameter, names: tuple[str, ...]
) -> tuple[str, ...]:
    """Read files' names; the same one twice would be answered twice."""
    for name in names:
        file_name(ctx, parameter, name)
        if names.count(name) > 1:
            raise NotationError(f"--board {shown_name(name)} is given twice; valid is once")
    return names


def board_options(function: F) -> F:
    """Give a command `--board` and how a board lies on its lines."""
    board = click.option(
        "--board",
        "boards",
        multiple=True,
        metavar="FILE|-",
        callback=_file_names,
        help="A board or JSON position instead of deal numbers: a file, a folder of such files, or "
        "- for standard input, where each line may be a JSON position of its own. May be given "
        "again.",
    )
    decorated: F = stacked((board, layout_option))(function)
    return decorated


after_option: Decorator[Any] = click.option(
    "--after",
    metavar="MOVES|-",
    help="The position after these moves of one deal or board, such as '26 7a 26v3'; - reads them "
    "from standard input.",
)


def position_after(
    setup: Setup,
    texts: tuple[str, ...],
    deals_from: str | None,
    boards: Sequence[str],
    layout: str,
    moves: str | None,
) -> Asked:
    """Return what `deals_or_boards` does or, with moves, the position that they lead to.

    Raises UsageError unless moves are of one deal or board, NotationError for what is not moves,
    IllegalMoveError for one that the rules refuse.
    """
    if moves == "-" and "-" in boards:
        raise usage_error("--board and --after cannot both be standard input")
    asked = deals_or_boards(setup, texts, deals_from, boards, layout)
    if moves is None:
        return asked
    after = line_of(setup, asked, "-") if moves == "-" else line_of(setup, asked, None, moves)
    if after.followed.fault is not None:
        raise after.followed.fault
    return [after]


def deals_or_boards(
    setup: Setup,
    texts: tuple[str, ...],
    deals_from: str | None,
    boards: Sequence[str],
    layout: str,
) -> Asked:
    """Return the deals or the positions asked for; raises UsageError for both or none."""
    if not boards:
        if layout != "auto":
            raise usage_error("--board-layout goes with --board")
        if not texts and deals_from is None:
            raise usage_error(
                "give deal numbers, such as 617 or 1-32000, --deals-from FILE or --board FILE"
            )
        return asked_deals(setup.game, setup.numbering, texts, deals_from, quiet=setup.quiet)
    if texts or deals_from is not None:
        raise usage_error("give either deal numbers or --board, not both")
    return [
        board
        for path in boards
        for name in _files_of(path)
        for board in read_boards(setup.game, setup.profile, name, layout)
    ]


def _files_of(path: str) -> list[str]:
    """Return a file as it is, and of a folder its files by name."""
    if path == "-" or not os.path.isdir(path):
        return [path]
    with os.scandir(path) as entries:
        found = sorted(
            entry.path for entry in entries if entry.is_file() and not entry.name.startswith(".")
        )
    if not found:
        raise NotationError("is a folder without a file", position=shown_name(path))
    return found


def read_one_board(game: AnyGame, profile: Any, path: str, layout: str) -> Board:
    """Read a file that holds one board; raises NotationError for several."""
    found = read_boards(game, profile, path, layout)
    if len(found) > 1:
        raise NotationError(
            f"has {len(found)} positions; valid is one board or position",
            position=shown_name(path),
        )
    return found[0]


def read_boards(game: AnyGame, profile: Any, path: str, layout: str) -> list[Board]:
    """Read a file of one board, or of a JSON position on each of several lines.

    Errors say which it was.
    """
    name, text = shown_name(path), read_board(path)
    lines = _json_lines(text)
    if lines is None:
        with _told_where(name):
            return [Board(name, read_position(game, text, profile, layout))]
    found = []
    for number, line in lines:
        where = f"{name}, line {number}"
        with _told_where(where):
            found.append(_named_position(game, profile, where, decode_json(line), layout))
    return found


@contextmanager
def _told_where(where: str) -> Iterator[None]:
    """Say of what is wrong with a board which one it is."""
    try:
        yield
    except WinnableError as error:
        raise NotationError(str(error), position=where) from error


def _json_lines(text: str) -> list[tuple[int, str]] | None:
    """Return the lines of a text with their numbers if each of them is a JSON object."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    each = all(line.lstrip().startswith("{") and line.rstrip().endswith("}") for _, line in lines)
    return lines if len(lines) > 1 and each else None


def _named_position(
    game: AnyGame, profile: Any, name: str, data: dict[str, Any], layout: str
) -> Board:
    """Read a decoded JSON position, with the name that may be beside it in place of `name`."""
    given = next((data[key] for key in _NAME_KEYS if key in data), name)
    if not isinstance(given, str | int) or given == "":
        raise NotationError(f"{quoted(str(given))} is not a name; valid is a text or a number")
    plain = {key: value for key, value in data.items() if key not in _NAME_KEYS}
    return Board(str(given), position_from_json(game, plain, profile, layout))


def with_numbers(setup: Setup, boards: Sequence[Board]) -> list[Board]:
    """Return the boards, each with the deal that it is if its number is one of the first million.

    Of several numbers it is the lowest.
    """
    game, numbering = setup.game, setup.numbering
    decks = [game.whole_deal(board.state) for board in boards]
    whole = [at for at, deck in enumerate(decks) if deck is not None]
    found: dict[int, NumberedDeal] = {}
    if whole:
        from dealgen.find import find_numbers

        last = min(numbering.last, LAST_LOOKED_FOR)
        asked = [deck for deck in decks if deck is not None]
        for match in find_numbers(game, numbering, asked, 1, last, jobs=setup.jobs):
            at = whole[match.at]
            same = match.same_deck and game.deck_of(boards[at].state) is not None
            found.setdefault(at, NumberedDeal(match.number, same))
    return [replace(board, deal=found.get(at)) for at, board in enumerate(boards)]


def line_of(setup: Setup, asked: Sequence[int | Board], path: str | None, moves: str = "") -> After:
    """Follow a line from one deal or board as far as the rules take it.

    path   of the file that holds the line, `-` for stdin; None for the text in `moves`

    Raises UsageError for several deals or boards, NotationError for a text that is not moves.
    """
    if len(asked) != 1:
        kind = "boards" if isinstance(asked, list) else "deals"
        raise usage_error(f"moves are of one deal or board; {len(asked):,} {kind} are given")
    first = asked[0]
    if isinstance(first, Board):
        named, number, begun = first.name, None, first.state
    else:
        named, number = str(first), first
        begun = setup.game.deal(setup.numbering.deck(setup.game, first))
    text = moves if path is None else read_text(path, "a line of moves", LARGEST_KIB)
    try:
        line = read_moves(setup.game, text)
    except NotationError as error:
        where = "--after" if path is None else shown_name(path)
        raise NotationError(str(error), text=text, position=where) from error
    followed = setup.game.follow(begun, line, setup.profile)
    made = len(followed.moves)
    label = f"{named} after {made} move{'' if made == 1 else 's'}"
    return After(label, followed.states[-1], named, number, begun, followed)
