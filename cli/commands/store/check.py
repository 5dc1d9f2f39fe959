"""`winnable store check`: whether a store is sound."""

from __future__ import annotations

import click

from cli.options import disk_file
from cli.output import print_lines, printable
from cli.parsing import Command

_PROBLEMS_FOUND = 1


@click.command("check", cls=Command)
@click.argument("store", metavar="STORE", callback=disk_file)
def command(store: str) -> int:
    """Check that a store's file is whole, and that its rows can be right.

    Whether its answers are right takes solving again, which 'winnable pool verify' does.

    Exit code: 0 when nothing is wrong, 1 when something is, 2 when the file is not a store.

    \b
    Examples:
      winnable store check deals.db
    """
    from dealgen.store_tools import check

    shown = click.format_filename(store)
    problems = check(store)
    print_lines(printable(f"{shown}: {problem}") for problem in problems)
    if not problems:
        print_lines([f"{shown}: sound"])
    return _PROBLEMS_FOUND if problems else 0
