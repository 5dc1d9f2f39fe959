"""`winnable grade`: how hard winnable deals are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import click

from cli.boards import Board, board_options, deals_or_boards
from cli.options import (
    Setup,
    common_options,
    csv_option,
    deals_argument,
    deals_from_option,
    game_argument,
    refuse_both,
    usage_error,
)
from cli.output import (
    Answer,
    CsvLines,
    Tally,
    answer_line,
    answer_record,
    answers_of,
    json_line,
    note,
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
@board_options
@click.option(
    "--cells",
    is_flag=True,
    help="Also the fewest cells that win, of the cells that the program plays; FreeCell only.",
)
@csv_option
@common_options
def command(
    setup: Setup,
    deals: tuple[str, ...],
    deals_from: str | None,
    boards: tuple[str, ...],
    board_layout: str,
    cells: bool,
    as_csv: bool,
) -> int:
    """Grade winnable deals easy, normal or hard.

    A grade says how much effort winning takes: how many tries a fallible player needs until it
    wins. DEALS are numbers, ranges such as 1-32000, and lists such as 1,5,617. Only winnable deals
    have an effort and a grade. Both are the same on every machine: the grader measures by a fixed,
    versioned method, and never in time. A --board must be a whole deal: grades are of deals, not
    of positions in mid-game.

    The named profiles have scales: an effort comes with its grade, and with the percentage of the
    deals of a published range that take less. Under other rules only efforts are printed.

    With --cells the number of cells is varied, from none upwards, each time within the limits.
    Where a search was stopped by one, the fewest cells that win are somewhere in a range: '2..3'.

    Exit code: 0 when all are winnable, 1 when some are unwinnable, 3 when some are undecided
    and none is unwinnable.

    \b
    Examples:
      winnable grade freecell 617
      winnable grade freecell 1-100 --csv > grades.csv
      winnable grade freecell 1-100 --cells
      winnable grade freecell --board mydeal.txt
    """
    refuse_both(setup, as_csv)
    if cells and not setup.game.has_cells:
        raise usage_error(f"--cells is given, and {setup.game.title} has no cells")
    asked = deals_or_boards(setup, deals, deals_from, boards, board_layout)
    tally = Tally()
    csv = CsvLines() if as_csv else None
    if isinstance(asked, list):
        decks = [deck_of(setup, board) for board in asked]
        solve = partial(setup.game.solve, profile=setup.profile, limits=setup.limits)
        answered = answer_each(setup, asked, tally, solve)
        for deck, (board, _, outcome) in zip(decks, answered, strict=True):
            answer = Answer(board, outcome.verdict, outcome.nodes, outcome.limit)
            print_lines(_lines(setup, answer, *measured(setup, deck, answer, cells), 0, csv))
        print_summary(tally, quiet=setup.quiet)
    else:
        for chunk in solve_deals(setup, asked, tally, grade=True, cells=cells):
            answers = answers_of(chunk.outcome, chunk.numbers)
            fewest = [None] * len(chunk.numbers) if chunk.cells is None else chunk.cells.tolist()
            rows = zip(answers, chunk.effort.tolist(), fewest, strict=True)
            print_lines(line for row in rows for line in _lines(setup, *row, asked.digits, csv))
        print_summary(tally, quiet=setup.quiet)
    if setup.game.scale(setup.profile) is None and not setup.quiet:
        note(
            f"winnable: {setup.game.grader.name} has no grades for profile {setup.profile_name}; "
            "'winnable pool build --tiers thirds' divides a range by its own efforts"
        )
    return tally.exit_code


def deck_of(setup: Setup, board: Board) -> list[int]:
    """Return the deck of the deal that a board is; raises NotationError in mid-game."""
    deck = setup.game.whole_deal(board.state)
    if deck is None:
        raise NotationError(
            "is a position in mid-game, and only deals are graded; valid is a board as "
            "'winnable deal --format board' writes it",
            position=board.name,
        )
    return deck


def measured(
    setup: Setup, deck: list[int], answer: Answer, cells: bool
) -> tuple[int, list[int] | None]:
    """Return the effort of a deck, and the fewest cells that win it if they are asked for."""
    import numpy as np

    decks = np.array([deck], np.uint8)
    effort, fewest = 0, None
    if answer.verdict is Verdict.WINNABLE:
        effort = int(setup.game.measure_many(decks, setup.profile)[0])
    if cells:
        fewest = setup.game.fewest_cells_many(decks, setup.profile, setup.limits)[0].tolist()
    return effort, fewest


def grade_record(
    setup: Setup, answer: Answer, effort: int, fewest: Sequence[int] | None
) -> dict[str, Any]:
    """Return the keys of one grade; arguments as for `_lines`."""
    from dealgen.grade import cuts_of, grade_of

    scale = setup.game.scale(setup.profile)
    record: dict[str, Any] = {
        **answer_record(setup, answer),
        "effort": effort / 1000 if effort else None,
        "grade": grade_of(cuts_of(scale), effort) if scale and effort else None,
        "percentile": scale.percentile(effort) if scale and effort else None,
        "grader": setup.game.grader.name,
    }
    if fewest is not None:
        low, high = fewest
        record["fewest_cells"] = {"low": low, "high": None if high < 0 else high}
    return record


def _lines(
    setup: Setup,
    answer: Answer,
    effort: int,
    fewest: Sequence[int] | None,
    width: int,
    csv: CsvLines | None,
) -> Iterator[str]:
    """Write one answer.

    effort  thousandths of a try, 0 where there is none
    fewest  cells that win, at least and at most; None where nobody asks
    """
    from dealgen.grade import cuts_of, format_tries, grade_of

    scale = setup.game.scale(setup.profile)
    grade = grade_of(cuts_of(scale), effort) if scale is not None and effort else None
    percentile = scale.percentile(effort) if scale is not None and effort else None
    if setup.as_json or csv:
        record = grade_record(setup, answer, effort, fewest)
        if csv:
            cells = record.pop("fewest_cells", {})
            record |= {f"fewest_cells_{end}": number for end, number in cells.items()}
            yield from csv.header(record)
            yield csv.line(record)
        else:
            yield json_line(record)
        return
    line = answer_line(setup, answer, width)
    if grade is not None:
        line += f"  {grade:<6}"
    if effort:
        line += f"  effort {format_tries(effort)} tries"
    if scale is not None and effort:
        # The range without its numbering.
        deals = scale.range.partition(" ")[2]
        line += f" (harder than {percentile} % of deals {deals})"
    yield line if fewest is None else f"{line}  {_cells(*fewest)}"


def _cells(low: int, high: int) -> str:
    """Write how many cells win at the least."""
    if high < 0:
        return f"at least {low} cells"
    return f"{low} cells" if low == high else f"{low}..{high} cells"
