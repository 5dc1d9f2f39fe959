"""`winnable grade`: how hard winnable deals are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from cli.deals import read_deals
from cli.options import (
    Setup,
    common_options,
    deals_argument,
    deals_from_option,
    game_argument,
    usage_error,
)
from cli.output import (
    Tally,
    answer_line,
    answer_record,
    answers_of,
    json_line,
    print_lines,
    print_summary,
)
from cli.parsing import Command
from cli.solving import solve_deals

if TYPE_CHECKING:
    from dealgen.batch import Chunk


@click.command("grade", cls=Command)
@game_argument
@deals_argument
@deals_from_option
@common_options()
def command(setup: Setup, deals: tuple[str, ...], deals_from: str | None) -> int:
    """Grade winnable deals easy, normal or hard.

    A grade says how much effort winning takes. DEALS are numbers, ranges such as 1-32000, and lists
    such as 1,5,617. Only winnable deals have an effort and a grade. Both are the same on every
    machine: the grader measures by a fixed, versioned method, and never in time.

    Exit code: 0 when all are winnable, 1 when some are unwinnable, 3 when some are undecided
    and none is unwinnable.

    \b
    Examples:
      winnable grade freecell 617
      winnable grade freecell 1-100 --json
    """
    if not deals and deals_from is None:
        raise usage_error("give deal numbers, such as 617 or 1-32000, or --deals-from FILE")
    asked = read_deals(deals, deals_from, setup.numbering)
    tally = Tally()
    for chunk in solve_deals(setup, asked, tally, grade=True):
        print_lines(_lines(setup, chunk, asked.digits))
    print_summary(tally, quiet=setup.quiet)
    return tally.exit_code


def _lines(setup: Setup, chunk: Chunk, width: int) -> Iterator[str]:
    """Write a chunk's grades."""
    from dealgen.grade import grade_of

    grader = setup.game.grader
    answers = answers_of(chunk.outcome, chunk.numbers)
    for answer, effort in zip(answers, chunk.effort.tolist(), strict=True):
        graded = effort > 0
        grade = grade_of(grader, effort) if graded else None
        if setup.as_json:
            record: dict[str, Any] = {
                **answer_record(setup, answer),
                "effort": effort / 1000 if graded else None,
                "grade": grade,
                "grader": grader.name,
            }
            yield json_line(record)
        else:
            measured = f"  {grade:<6}  effort {effort / 1000:.3f} {grader.unit}" if graded else ""
            yield answer_line(setup, answer, width) + measured
