"""`winnable store merge`: one store made of several."""

from __future__ import annotations

import click

from cli.options import disk_file
from cli.output import print_lines
from cli.parsing import Command


@click.command("merge", cls=Command)
@click.argument("stores", metavar="STORES...", nargs=-1, required=True)
@click.option(
    "--out",
    required=True,
    metavar="FILE",
    callback=disk_file,
    help="The store to bring them into; it may exist already, with answers of its own.",
)
def command(stores: tuple[str, ...], out: str) -> int:
    """Bring the answers of several stores into one.

    Verdicts and efforts have to agree; an undecided deal takes the answer of another store. All
    is brought in, or nothing.

    \b
    Examples:
      winnable store merge monday.db tuesday.db --out week.db
    """
    from dealgen.store_tools import info, merge

    merge(stores, out)
    deals = sum(row["deals"] for row in info(out))
    print_lines([f"{click.format_filename(out)}: {deals:,} deals"])
    return 0
