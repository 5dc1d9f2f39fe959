"""`winnable store info`: what is in a store."""

from __future__ import annotations

import click

from cli.options import disk_file, json_option
from cli.output import json_line, print_lines, printable
from cli.parsing import Command


@click.command("info", cls=Command)
@click.argument("store", metavar="STORE", callback=disk_file)
@json_option
def command(store: str, as_json: bool) -> int:
    """Describe a store: its games, rules and numberings, and how many deals of each.

    \b
    Examples:
      winnable store info deals.db
      winnable store info deals.db --json
    """
    from dealgen.store_tools import info

    rows = info(store)
    if as_json:
        print_lines(map(json_line, rows))
        return 0
    # A store is somebody else's file: its names may hold anything.
    print_lines(
        printable(
            f"{row['game']} {row['profile']}, {row['numbering']} {row['first']}..{row['last']}: "
            f"{row['deals']:,} deals, {row['winnable']:,} winnable, {row['unwinnable']:,} "
            f"unwinnable, {row['undecided']:,} undecided, {row['graded']:,} graded"
        )
        for row in rows
    )
    return 0
