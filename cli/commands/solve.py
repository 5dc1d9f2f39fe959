"""`winnable solve`: solutions, each replayed by the rules before it is printed."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import click

from cli.deals import Deals, deck_of
from cli.options import (
    Board,
    Setup,
    board_option,
    check_method,
    common_options,
    deals_argument,
    deals_from_option,
    deals_or_board,
    game_argument,
    method_option,
    usage_error,
)
from cli.output import (
    Answer,
    Progress,
    Tally,
    answer_line,
    answer_record,
    json_line,
    print_lines,
    print_summary,
)
from cli.parsing import Command
from cli.solving import solve_board
from solvers.errors import NotationError
from solvers.games import Game
from solvers.outcome import Outcome, Verdict

_NOTATIONS = ("standard", "text", "json")


@click.command("solve", cls=Command)
@game_argument
@deals_argument
@deals_from_option
@board_option
@method_option()
@click.option("--optimal", is_flag=True, help="Fewest moves, proved; not every game offers it.")
@click.option(
    "--notation",
    type=click.Choice(_NOTATIONS),
    help="standard: all moves on one line (default). text: each move and the board after it. "
    "json: as --json.",
)
@common_options()
def command(
    setup: Setup,
    deals: tuple[str, ...],
    deals_from: str | None,
    board: str | None,
    method: str,
    optimal: bool,
    notation: str | None,
) -> int:
    """Find solutions.

    Each was replayed by the rules of the profile before it is printed. DEALS are numbers, ranges
    such as 1-100, and lists such as 1,5,617. Each is answered once, in the order given.

    Exit code: 0 when all are winnable, 1 when some are unwinnable, 3 when some are undecided
    and none is unwinnable.

    \b
    Examples:
      winnable solve freecell 617
      winnable solve freecell 617 --notation text
      winnable solve freecell 1-100 --json
      winnable solve freecell --board mydeal.txt
    """
    check_method(setup.game, method)
    if optimal and not setup.game.offers_optimal(setup.profile):
        raise usage_error(
            f"--optimal is not offered for {setup.game.name} under {setup.profile_name}"
        )
    if setup.as_json and notation not in (None, "json"):
        raise usage_error(f"give either --json or --notation {notation}, not both")
    notation = "json" if setup.as_json else notation or "standard"
    asked = deals_or_board(setup, deals, deals_from, board)
    write = partial(_lines, setup, notation)
    tally = Tally()
    if isinstance(asked, Board):
        outcome = solve_board(setup, asked, method=method, optimal=optimal)
        tally.add(outcome.verdict)
        print_lines(write(asked, asked.state, outcome))
        return tally.exit_code
    for number, state, outcome in _solve_deals(setup, asked, tally, method, optimal):
        print_lines(write(number, state, outcome))
    print_summary(tally, quiet=setup.quiet)
    return tally.exit_code


def _solve_deals(
    setup: Setup, deals: Deals, tally: Tally, method: str, optimal: bool
) -> Iterator[tuple[int, Any, Outcome]]:
    """Yield each number, its deal and its outcome, in order, as they are found.

    One deal at a time instead of a chunk: a solution that is shown goes through the plain
    rules anyway, which takes far longer than the search.
    """
    from dealgen.batch import map_numbers

    def work(numbers: Any) -> tuple[int, Any, Outcome]:
        number = int(numbers[0])
        state = setup.game.deal(deck_of(setup.game, number, setup.numbering))
        return (
            number,
            state,
            setup.game.solve(state, setup.profile, setup.limits, method=method, optimal=optimal),
        )

    with Progress(len(deals), quiet=setup.quiet, streams=True) as progress:
        progress.announce_compiling()
        results = map_numbers(work, deals, jobs=min(setup.jobs, len(deals)), chunk_size=1)
        with contextlib.closing(results):
            for result in results:
                tally.add(result[2].verdict)
                yield result
                progress.advance(1, tally)


def _lines(
    setup: Setup, notation: str, asked: int | Board, state: Any, outcome: Outcome
) -> Iterator[str]:
    """Write one answer with its solution."""
    answer = Answer(asked, outcome.verdict, outcome.nodes, outcome.limit)
    won = outcome.verdict is Verdict.WINNABLE
    moves = [setup.game.format_move(move) for move in outcome.moves]
    if notation == "json":
        record = {
            **answer_record(setup, answer),
            "moves": moves if won else None,
            "length": outcome.length if won else None,
            **outcome.extras,
        }
        yield json_line(record)
        return
    yield answer_line(setup, answer) + (f", {outcome.length} moves" if won else "")
    if notation == "text" and won:
        yield from _walk(setup, state, outcome)
    elif won:
        yield " ".join(moves)


def _walk(setup: Setup, state: Any, outcome: Outcome) -> Iterator[str]:
    """Write a solution move by move, with the board after each."""
    game = setup.game
    state = game.start(state, setup.profile)
    yield from _show(game, state)
    for place, move in enumerate(outcome.moves, 1):
        state = game.apply(state, move, setup.profile)
        yield f"{place}. {game.format_move(move)}"
        yield from _show(game, state)


def _show(game: Game, state: Any) -> list[str]:
    """Write a state as a board, or as JSON where the game's text format has deals alone."""
    try:
        return game.format_board(state).splitlines()
    except NotationError:
        return [json.dumps(game.position_to_json(state))]
