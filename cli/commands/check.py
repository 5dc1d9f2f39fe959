"""`winnable check`: which deals can be won."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import click

from cli.boards import after_option, board_options, position_after, with_numbers
from cli.options import (
    Setup,
    common_options,
    csv_option,
    deals_argument,
    deals_from_option,
    game_argument,
    method_option,
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
from cli.solving import answer_each, note_readings, solve_deals
from solvers.outcome import Verdict


@click.command("check", cls=Command)
@game_argument
@deals_argument
@deals_from_option
@board_options
@after_option
@click.option(
    "--only",
    type=click.Choice([verdict.label for verdict in Verdict]),
    multiple=True,
    help="Print only deals of this verdict; may be given several times.",
)
@method_option()
@csv_option
@common_options
def command(
    setup: Setup,
    deals: tuple[str, ...],
    deals_from: str | None,
    boards: tuple[str, ...],
    board_layout: str,
    after: str | None,
    only: tuple[str, ...],
    as_csv: bool,
) -> int:
    """Tell which deals can be won.

    Prints one line per deal, as soon as it is decided. DEALS are numbers, ranges such as 1-32000,
    and lists such as 1,5,617. Each is answered once, in the order given.

    Exit code: 0 when all are winnable, 1 when some are unwinnable, 3 when some are undecided
    and none is unwinnable.

    \b
    Examples:
      winnable check freecell 617
      winnable check freecell 1-32000 --only unwinnable
      winnable check freecell 11982 --profile classic,cells=5 --json
      winnable check freecell 1-1000 --csv > answers.csv
      winnable check freecell --board mydeal.txt --after "26 7a"
    """
    refuse_both(setup, as_csv)
    asked = position_after(setup, deals, deals_from, boards, board_layout, after)
    note_readings(setup, asked)
    tally = Tally()
    lines = _Lines(setup, only, CsvLines() if as_csv else None)
    if isinstance(asked, list):
        known = with_numbers(setup, asked)
        solve = partial(
            setup.game.solve, profile=setup.profile, limits=setup.limits, method=setup.method
        )
        for item, _, outcome in answer_each(setup, known, tally, solve):
            answer = Answer(item, outcome.verdict, outcome.nodes, outcome.limit)
            print_lines(lines.of([answer], 0))
        print_summary(tally, quiet=setup.quiet)
        return tally.exit_code
    for chunk in solve_deals(setup, asked, tally):
        print_lines(lines.of(answers_of(chunk.outcome, chunk.numbers), asked.digits))
    print_summary(tally, quiet=setup.quiet)
    return tally.exit_code


@dataclass(frozen=True, slots=True)
class _Lines:
    """Writes answers of the verdicts that are wanted; none named means all."""

    setup: Setup
    only: tuple[str, ...]
    csv: CsvLines | None

    def of(self, answers: Iterable[Answer], width: int) -> Iterator[str]:
        """Yield the lines of answers, labels aligned to a width."""
        for answer in answers:
            wanted = not self.only or answer.verdict.label in self.only
            if self.csv:
                record = answer_record(self.setup, answer)
                # Also where no answer is wanted, the names are there.
                yield from self.csv.header(record)
                if wanted:
                    yield self.csv.line(record)
            elif wanted and self.setup.as_json:
                yield json_line(answer_record(self.setup, answer))
            elif wanted:
                yield answer_line(self.setup, answer, width)
