"""`winnable grade`: how hard winnable deals are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import click

from cli.options import (
    Board,
    Setup,
    board_option,
    common_options,
    csv_option,
    deals_argument,
    deals_from_option,
    deals_or_board,
    game_argument,
    refuse_both,
)
from cli.output import (
    Answer,
    CsvLines,
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
from solvers.errors import NotationError
from solvers.outcome import Verdict


@click.command("grade", cls=Command)
@game_argument
@deals_argument
@deals_from_option
@board_option
@csv_option
@common_options
def command(
    setup: Setup,
    deals: tuple[str, ...],
    deals_from: str | None,
    board: str | None,
    as_csv: bool,
) -> int:
    """Grade winnable deals easy, normal or hard.

    A grade says how much effort winning takes. DEALS are numbers, ranges such as 1-32000, and lists
    such as 1,5,617. Only winnable deals have an effort and a grade. Both are the same on every
    machine: the grader measures by a fixed, versioned method, and never in time. A --board must be
    a whole deal: grades are of deals, not of positions in mid-game.

    Exit code: 0 when all are winnable, 1 when some are unwinnable, 3 when some are undecided
    and none is unwinnable.

    \b
    Examples:
      winnable grade freecell 617
      winnable grade freecell 1-100 --csv > grades.csv
      winnable grade freecell --board mydeal.txt
    """
    refuse_both(setup, as_csv)
    asked = deals_or_board(setup, deals, deals_from, board)
    tally = Tally()
    csv = CsvLines() if as_csv else None
    if isinstance(asked, Board):
        print_lines(_grade_board(setup, asked, tally, csv))
        return tally.exit_code
    for chunk in solve_deals(setup, asked, tally, grade=True):
        answers = answers_of(chunk.outcome, chunk.numbers)
        rows = zip(answers, chunk.effort.tolist(), strict=True)
        print_lines(
            line
            for answer, effort in rows
            for line in _lines(setup, answer, effort, asked.digits, csv)
        )
    print_summary(tally, quiet=setup.quiet)
    return tally.exit_code


def _grade_board(setup: Setup, board: Board, tally: Tally, csv: CsvLines | None) -> Iterator[str]:
    """Grade the deal that a board is; raises NotationError for a position in mid-game."""
    deck = setup.game.deck_of(board.state)
    if deck is None:
        raise NotationError(
            "is a position in mid-game, and only deals are graded; valid is a board as "
            "'winnable deal --format board' writes it",
            position=board.name,
        )
    solve = partial(setup.game.solve, profile=setup.profile, limits=setup.limits)
    ((_, _, outcome),) = answer_each(setup, board, tally, solve)
    effort = 0
    if outcome.verdict is Verdict.WINNABLE:
        import numpy as np

        effort = int(setup.game.measure_many(np.array([deck], np.uint8), setup.profile)[0])
    answer = Answer(board, outcome.verdict, outcome.nodes, outcome.limit)
    return _lines(setup, answer, effort, 0, csv)


def _lines(
    setup: Setup, answer: Answer, effort: int, width: int, csv: CsvLines | None
) -> Iterator[str]:
    """Write one answer; `effort` is in thousandths, 0 where there is none."""
    from dealgen.grade import grade_of

    grader = setup.game.grader
    grade = grade_of(grader, effort) if effort else None
    if setup.as_json or csv:
        record: dict[str, Any] = {
            **answer_record(setup, answer),
            "effort": effort / 1000 if effort else None,
            "grade": grade,
            "grader": grader.name,
        }
        if csv:
            yield from csv.header(record)
            yield csv.line(record)
        else:
            yield json_line(record)
        return
    measured = f"  {grade:<6}  effort {effort / 1000:.3f} {grader.unit}" if grade else ""
    yield answer_line(setup, answer, width) + measured
