"""`winnable replay`: whether a line of moves is legal, and whether it wins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from cli.boards import After, board_options, deals_or_boards, line_of
from cli.options import (
    Setup,
    deals_argument,
    file_name,
    game_argument,
    rules_options,
    usage_error,
)
from cli.output import asked_record, json_line, print_lines
from cli.parsing import Command

_WINS, _DOES_NOT_WIN = 0, 1


@click.command("replay", cls=Command)
@game_argument
@deals_argument
@board_options
@click.option(
    "--moves",
    "path",
    metavar="FILE|-",
    required=True,
    callback=file_name,
    help="The line: moves in our notation or JSON, or as fc-solve prints them.",
)
@rules_options
def command(
    setup: Setup,
    deals: tuple[str, ...],
    boards: tuple[str, ...],
    board_layout: str,
    path: str,
) -> int:
    """Tell whether a line of moves is legal, and whether it wins.

    The rules of the profile judge every move; where one is refused, it says which and why. A line
    may be what 'winnable solve' or fc-solve (-sn, -snx) print, with all that stands around the
    moves. FreeCell moves to an empty column may leave out how many cards move: then any number that
    is legal is tried, and what was read is told. A supermove may be spelled as single cards.

    Exit code: 0 when the line wins, 1 when it does not.

    \b
    Examples:
      winnable replay freecell 617 --moves line.txt
      winnable solve freecell 617 | winnable replay freecell 617 --moves -
      winnable replay freecell --board mydeal.txt --moves line.txt --profile linear
    """
    if path == "-" and "-" in boards:
        raise usage_error("--board and --moves cannot both be standard input")
    asked = deals_or_boards(setup, deals, None, boards, board_layout)
    line = line_of(setup, asked, path)
    print_lines([json_line(replay_record(setup, line))] if setup.as_json else _lines(line))
    return _WINS if line.followed.wins else _DOES_NOT_WIN


def _lines(line: After) -> Iterator[str]:
    """Write how a line went."""
    followed = line.followed
    made = len(followed.moves)
    moves = f"{made} move{'' if made == 1 else 's'}"
    if followed.wins:
        yield f"{line.asked} wins in {moves}"
    elif followed.fault is None:
        yield f"{line.asked} does not win: {moves}, all legal, and the game is not over"
    else:
        yield f"{line.asked} does not win: {followed.fault}; legal until then: {moves}"
    yield from (f"  {text}" for text in followed.notes)


def replay_record(setup: Setup, line: After) -> dict[str, Any]:
    """Return how a line went."""
    followed, fault = line.followed, line.followed.fault
    asked = asked_record(setup, line)
    moves = asked.pop("after")
    return {
        **asked,
        "wins": followed.wins,
        "legal": fault is None,
        "length": len(moves),
        "moves": moves,
        "refused": None if fault is None else fault.move,
        "ply": None if fault is None else fault.ply,
        "reason": None if fault is None else fault.reason,
        "notes": list(followed.notes),
        "position": setup.game.position_to_json(line.state),
    }
