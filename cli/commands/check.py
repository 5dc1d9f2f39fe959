"""`winnable check`: which deals can be won."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import click

from cli.options import (
    Board,
    Setup,
    board_option,
    common_options,
    deals_argument,
    deals_from_option,
    deals_or_board,
    game_argument,
    method_option,
)
from cli.output import (
    Answer,
    Tally,
    answer_line,
    answer_record,
    answers_of,
    json_line,
    print_lines,
    print_summary,
)
from cli.parsing import Command
from cli.solving import answer_each, solve_deals
from solvers.outcome import Verdict


@click.command("check", cls=Command)
@game_argument
@deals_argument
@deals_from_option
@board_option
@method_option()
@common_options
def command(
    setup: Setup,
    deals: tuple[str, ...],
    deals_from: str | None,
    board: str | None,
) -> int:
    """Tell which deals can be won.

    Prints one line per deal, as soon as it is decided. DEALS are numbers, ranges such as 1-32000,
    and lists such as 1,5,617. Each is answered once, in the order given. With --quiet only the
    deals that are not winnable are printed.

    Exit code: 0 when all are winnable, 1 when some are unwinnable, 3 when some are undecided
    and none is unwinnable.

    \b
    Examples:
      winnable check freecell 617
      winnable check freecell 1-32000 --quiet
      winnable check freecell 11982 --profile classic,cells=5 --json
      winnable check freecell --board mydeal.txt
    """
    asked = deals_or_board(setup, deals, deals_from, board)
    tally = Tally()
    if isinstance(asked, Board):
        solve = partial(
            setup.game.solve, profile=setup.profile, limits=setup.limits, method=setup.method
        )
        for item, _, outcome in answer_each(setup, asked, tally, solve):
            answer = Answer(item, outcome.verdict, outcome.nodes, outcome.limit)
            print_lines(_lines(setup, [answer], 0))
        return tally.exit_code
    for chunk in solve_deals(setup, asked, tally):
        print_lines(_lines(setup, answers_of(chunk.outcome, chunk.numbers), asked.digits))
    print_summary(tally, quiet=setup.quiet)
    return tally.exit_code


def _lines(setup: Setup, answers: Iterable[Answer], width: int) -> Iterator[str]:
    """Write answers; with --quiet those that are not winnable."""
    for answer in answers:
        if setup.quiet and answer.verdict is Verdict.WINNABLE:
            continue
        if setup.as_json:
            yield json_line(answer_record(setup, answer))
        else:
            yield answer_line(setup, answer, width)
