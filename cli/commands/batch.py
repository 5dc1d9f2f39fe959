"""`winnable batch`: a range solved and graded into a store, resumable at any time."""

from __future__ import annotations

from typing import Any

import click

from cli.codes import RESUMABLE
from cli.options import (
    Setup,
    asked_deals,
    common_options,
    deals_argument,
    deals_from_option,
    disk_file,
    game_argument,
    usage_error,
)
from cli.output import Progress, RangeProgress, json_line, json_number, note, print_lines
from cli.parsing import Command


@click.command("batch", cls=Command)
@game_argument
@deals_argument
@deals_from_option
@click.option(
    "--store",
    required=True,
    metavar="FILE",
    callback=disk_file,
    help="The file that keeps the answers; it may exist already.",
)
@click.option("--no-grade", is_flag=True, help="Verdicts only; grades can be added later.")
@click.option(
    "--verify",
    is_flag=True,
    help="Replay every solution by the plain rules, not just one per chunk.",
)
@common_options
def command(
    setup: Setup,
    deals: tuple[str, ...],
    deals_from: str | None,
    store: str,
    no_grade: bool,
    verify: bool,
) -> int:
    """Solve and grade deals into a store.

    DEALS are numbers, ranges such as 1-32000, and lists such as 1,5,617.

    Stop or kill it at any moment: the same command goes on from there, and finished deals are not
    solved again. Undecided deals are tried again when the limits given are larger.

    Exit code: 0 when all are done, 4 when it was interrupted.

    \b
    Examples:
      winnable batch freecell 1-32000 --store deals.db
      winnable batch freecell 1-1000000 --store deals.db --no-grade --jobs 2
      winnable batch freecell --deals-from mine.txt --store deals.db
    """
    if not deals and deals_from is None:
        raise usage_error("give deal numbers, such as 1-32000, or --deals-from FILE")
    asked = asked_deals(setup.game, setup.numbering, deals, deals_from, quiet=setup.quiet)
    ranges = asked.ranges
    shown = click.format_filename(store)
    following = None
    try:
        from dealgen.batch import run_batch
        from dealgen.store import Store

        with (
            Store.open(store, create=True) as opened,
            Progress(len(asked), quiet=setup.quiet, streams=False) as progress,
        ):
            progress.announce_compiling()
            following = RangeProgress(progress)
            report = run_batch(
                setup,
                opened,
                ranges,
                grade=not no_grade,
                verify=verify,
                on_chunk=following.show,
            )
    except KeyboardInterrupt:
        done = following.done if following else 0
        note(
            f"winnable: interrupted; {done:,} of {len(asked):,} deals are in {shown}; "
            "the same command goes on from there"
        )
        return RESUMABLE
    if setup.as_json:
        record: dict[str, Any] = {
            "game": setup.game.name,
            "profile": setup.profile_name,
            "numbering": setup.numbering.name,
            "first": json_number(setup.numbering, min(first for first, _ in ranges)),
            "last": json_number(setup.numbering, max(last for _, last in ranges)),
            "deals": len(asked),
            "store": store,
            "kept": report.kept,
            "winnable": report.winnable,
            "unwinnable": report.unwinnable,
            "undecided": report.undecided,
        }
        print_lines([json_line(record)])
    else:
        kept = f"; {report.kept:,} of them from before" if report.kept else ""
        print_lines([f"{following.tally} in {shown}{kept}"])
        if report.undecided:
            print_lines(["Larger limits, given to the same command, try the undecided ones again."])
    return 0
