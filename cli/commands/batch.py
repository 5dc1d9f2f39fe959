"""`winnable batch`: a range solved and graded into a store, resumable at any time."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

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
from solvers.errors import NotationError, quoted

if TYPE_CHECKING:
    from dealgen.cluster import Cluster

_LOCAL = re.compile(r"local:([1-9][0-9]{0,2})", re.ASCII)
_SCHEDULER = re.compile(r"(?:tcp|tls|ws|wss)://[^\s/]+", re.ASCII)


def _cluster_address(
    _ctx: click.Context, _parameter: click.Parameter, text: str | None
) -> str | None:
    """Read where a cluster is; raises NotationError."""
    if text is None or _LOCAL.fullmatch(text) or _SCHEDULER.fullmatch(text):
        return text
    raise NotationError(
        f"--cluster is {quoted(text)}; valid is the address of a dask scheduler, such as "
        "tcp://host:8786, or local:N for 1..999 processes of this machine",
        text=text,
    )


def _workers(address: str | None) -> AbstractContextManager[Cluster | None]:
    """Connect to a cluster, or to nothing."""
    if address is None:
        return nullcontext()
    from dealgen.cluster import connect

    return connect(address)


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
@click.option(
    "--cluster",
    metavar="ADDRESS",
    callback=_cluster_address,
    help="Let the workers of a dask scheduler solve: tcp://HOST:PORT, or local:N for N processes "
    "of this machine.",
)
@common_options
def command(
    setup: Setup,
    deals: tuple[str, ...],
    deals_from: str | None,
    store: str,
    no_grade: bool,
    verify: bool,
    cluster: str | None,
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
      winnable batch freecell 1-100000000 --store deals.db --cluster tcp://10.0.0.1:8786
    """
    if not deals and deals_from is None:
        raise usage_error("give deal numbers, such as 1-32000, or --deals-from FILE")
    if cluster is not None and click.get_current_context().params.get("jobs") is not None:
        raise usage_error("--jobs are threads of this process, and --cluster has its own; give one")
    asked = asked_deals(setup.game, setup.numbering, deals, deals_from, quiet=setup.quiet)
    ranges = asked.ranges
    shown = click.format_filename(store)
    following = None
    try:
        from dealgen.batch import run_batch
        from dealgen.store import Store

        with (
            Store.open(store, create=True) as opened,
            _workers(cluster) as workers,
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
                cluster=workers,
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
