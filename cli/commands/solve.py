"""`winnable solve`: solutions, each replayed by the rules before it is printed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import click

from cli.boards import Board, after_option, board_options, position_after
from cli.options import (
    Setup,
    common_options,
    deals_argument,
    deals_from_option,
    game_argument,
    method_option,
    usage_error,
)
from cli.output import (
    Answer,
    Tally,
    answer_line,
    answer_record,
    json_line,
    print_lines,
    print_summary,
)
from cli.parsing import Command
from cli.solving import (
    answer_each,
    check_optimal,
    effort_option,
    note_readings,
    par_kind,
    states_for,
)
from solvers.outcome import Outcome, Verdict

_NOTATIONS = ("standard", "words", "text", "json")


@click.command("solve", cls=Command)
@game_argument
@deals_argument
@deals_from_option
@board_options
@after_option
@method_option()
@click.option(
    "--optimal",
    is_flag=True,
    help="Find a solution of proved fewest moves, where the game offers it.",
)
@click.option(
    "--short",
    is_flag=True,
    help="Look for a short solution, where the game offers it: never longer than without.",
)
@effort_option("--short")
@click.option(
    "--notation",
    type=click.Choice(_NOTATIONS),
    help="standard: all moves on one line (default). words: each move in words, with what "
    "goes home by itself. text: the same with the board after it. json: as --json.",
)
@click.option(
    "--expand",
    is_flag=True,
    help="Write supermoves as their single-card moves; autoplay waits until the last of them.",
)
@common_options
def command(
    setup: Setup,
    deals: tuple[str, ...],
    deals_from: str | None,
    boards: tuple[str, ...],
    board_layout: str,
    after: str | None,
    optimal: bool,
    short: bool,
    effort: int | None,
    notation: str | None,
    expand: bool,
) -> int:
    """Find solutions.

    Each was replayed by the rules of the profile before it is printed. DEALS are numbers, ranges
    such as 1-100, and lists such as 1,5,617. Each is answered once, in the order given.

    Exit code: 0 when all are winnable, 1 when some are unwinnable, 3 when some are undecided
    and none is unwinnable.

    \b
    Examples:
      winnable solve freecell 617
      winnable solve freecell 617 --short
      winnable solve freecell 617 --notation words
      winnable solve freecell 617 --expand
      winnable solve freecell 1-100 --json
      winnable solve freecell --board mydeal.txt --after "26 7a"
    """
    check_optimal(setup, optimal)
    states = states_for(setup, "--short", short, effort)
    if short and optimal:
        raise usage_error("give either --short or --optimal, not both")
    if setup.as_json and notation not in (None, "json"):
        raise usage_error(f"give either --json or --notation {notation}, not both")
    notation = "json" if setup.as_json else notation or "standard"
    if expand and notation == "words":
        raise usage_error("give either --expand or --notation words, not both")
    asked = position_after(setup, deals, deals_from, boards, board_layout, after)
    note_readings(setup, asked)
    solve = partial(
        setup.game.solve,
        profile=setup.profile,
        limits=setup.limits,
        method=setup.method,
        optimal=optimal,
        short=states,
    )
    tally = Tally()
    for item, state, outcome in answer_each(setup, asked, tally, solve):
        print_lines(_lines(setup, notation, expand, optimal, item, state, outcome))
    print_summary(tally, quiet=setup.quiet)
    return tally.exit_code


def _lines(
    setup: Setup,
    notation: str,
    expand: bool,
    optimal: bool,
    asked: int | Board,
    state: Any,
    outcome: Outcome[Any],
) -> Iterator[str]:
    """Write one answer with its solution."""
    answer = Answer(asked, outcome.verdict, outcome.nodes, outcome.limit)
    won = outcome.verdict is Verdict.WINNABLE
    moves = [[setup.game.format_move(move)] for move in outcome.moves]
    if expand:
        moves = _expanded(setup, state, outcome)
    texts = [text for written in moves for text in written]
    if notation == "json":
        yield json_line(
            solution_record(setup, asked, state, outcome, expand=expand, optimal=optimal)
        )
        return
    counted = f", {outcome.length} moves" if won else ""
    if len(texts) != outcome.length:
        counted += f", {len(texts)} of single cards"
    yield answer_line(setup, answer) + counted
    if notation in ("text", "words") and won:
        yield from _walk(setup, state, outcome, moves, with_boards=notation == "text")
    elif won:
        every = outcome.moves if not expand else map(setup.game.parse_move, texts)
        yield setup.game.format_moves(every)


def solution_record(
    setup: Setup,
    asked: int | Board,
    state: Any,
    outcome: Outcome[Any],
    *,
    expand: bool,
    optimal: bool,
) -> dict[str, Any]:
    """Return the keys of one answer with its solution."""
    answer = Answer(asked, outcome.verdict, outcome.nodes, outcome.limit)
    won = outcome.verdict is Verdict.WINNABLE
    moves = [[setup.game.format_move(move)] for move in outcome.moves]
    if expand:
        moves = _expanded(setup, state, outcome)
    record = {
        **answer_record(setup, answer),
        "moves": [text for written in moves for text in written] if won else None,
        "length": outcome.length if won else None,
        "par_kind": par_kind(outcome, optimal=optimal),
        **outcome.extras,
    }
    if expand:
        record["move_sizes"] = list(map(len, moves)) if won else None
    return record


def _expanded(setup: Setup, state: Any, outcome: Outcome[Any]) -> list[list[str]]:
    """Write each move of a solution as the single-card moves that it stands for."""
    game = setup.game
    written = []
    state = game.start(state, setup.profile)
    for move in outcome.moves:
        singles = game.single_moves(state, move, setup.profile)
        written.append([game.format_move(single) for single in singles])
        state = game.apply(state, move, setup.profile)
    return written


def _walk(
    setup: Setup, state: Any, outcome: Outcome[Any], moves: list[list[str]], *, with_boards: bool
) -> Iterator[str]:
    """Write a solution move by move, in words and, with boards, as text and with each board.

    moves  texts of each move
    """
    game, profile = setup.game, setup.profile
    if said := game.describe_start(state, profile):
        yield said
    state = game.start(state, profile)
    if with_boards:
        yield from game.format_board(state).splitlines()
    for place, (move, texts) in enumerate(zip(outcome.moves, moves, strict=True), 1):
        said = game.describe_move(state, move, profile)
        state = game.apply(state, move, profile)
        if with_boards:
            yield f"{place}. {' '.join(texts)}  {said}"
            yield from game.format_board(state).splitlines()
        else:
            yield f"{place}. {said}"
