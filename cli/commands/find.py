"""`winnable find`: which numbers deal a board. Solves nothing."""

from __future__ import annotations

from typing import Any

import click

from cli.boards import read_one_board
from cli.options import (
    available_cores,
    file_name,
    game_argument,
    jobs_option,
    json_option,
    layout_option,
    numbering_option,
    one_range,
    profile_option,
    quiet_option,
)
from cli.output import Progress, Tally, json_line, json_number, note, print_lines
from cli.parsing import Command
from dealgen.numbering import Numbering, default_numbering
from solvers.errors import NotationError
from solvers.games import AnyGame
from solvers.profiles import parse_profile

FOUND, NOT_FOUND = 0, 1


@click.command("find", cls=Command)
@game_argument
@click.option(
    "--board",
    required=True,
    metavar="FILE|-",
    callback=file_name,
    help="The board: a whole deal, as 'check' reads it.",
)
@layout_option
@click.option(
    "--range",
    "searched",
    default="1-1000000",
    show_default=True,
    metavar="FIRST-LAST",
    help="The numbers to look through.",
)
@profile_option
@numbering_option
@jobs_option
@json_option
@quiet_option
def command(
    game: AnyGame,
    board: str,
    board_layout: str,
    searched: str,
    profile: str | None,
    numbering: Numbering | None,
    jobs: int | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Find the number of a deal.

    Prints every number of the range that deals the board. A FreeCell board whose columns lie in
    another order is found as well, and said to be so: it is won by the same moves, but for the
    columns' numbers.

    Exit code: 0 when a number is found, 1 when none is.

    \b
    Examples:
      winnable find freecell --board mine.txt
      winnable find pyramid --board - --range 1-10000000 --jobs 2
      winnable find plot --board mine.txt --numbering pysol --range 1-31999
    """
    numbering = numbering or default_numbering(game, profile)
    numbering.order_of(game.name)  # raises where the game has no such numbering
    first, last = one_range(searched, numbering, game)
    rules = parse_profile(game.default_profile if profile is None else profile, game.profiles)
    asked = read_one_board(game, rules, board, board_layout)
    deck = game.whole_deal(asked.state)
    if deck is None:
        raise NotationError(
            "is not a whole deal, but a position in mid-game, and has no number",
            position=asked.name,
        )
    from dealgen.find import find_numbers

    is_deal = game.deck_of(asked.state) is not None
    found = []
    with Progress(last - first + 1, quiet=quiet, streams=True) as progress:
        progress.announce_compiling()
        numbers = find_numbers(
            game,
            numbering,
            [deck],
            first,
            last,
            jobs=jobs or available_cores(),
            on_deals=lambda deals: progress.advance(deals, Tally()),
        )
        for number, _, same_deck in numbers:
            found.append(number)
            in_order = same_deck and is_deal
            print_lines([_line(game, numbering, number, in_order=in_order, as_json=as_json)])
    if not found and not quiet:
        note(f"winnable: {asked.name} is none of the deals {first}-{last} of {numbering.name}")
    return FOUND if found else NOT_FOUND


def _line(
    game: AnyGame, numbering: Numbering, number: int, *, in_order: bool, as_json: bool
) -> str:
    """Write a number that was found."""
    if as_json:
        record: dict[str, Any] = {
            "game": game.name,
            "numbering": numbering.name,
            "number": json_number(numbering, number),
            "same_order": in_order,
        }
        return json_line(record)
    order = "" if in_order else ", with its columns in another order"
    return f"{game.name} {number} ({numbering.name}){order}"
