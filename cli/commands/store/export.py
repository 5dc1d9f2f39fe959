"""`winnable store export`: a store's rows for other programs."""

from __future__ import annotations

import itertools

import click

from cli.options import csv_option, disk_file, json_option, usage_error
from cli.output import CsvLines, json_line, print_lines
from cli.parsing import Command

#: Lines written together.
_BLOCK = 1000


@click.command("export", cls=Command)
@click.argument("store", metavar="STORE", callback=disk_file)
@csv_option
@json_option
def command(store: str, as_csv: bool, as_json: bool) -> int:
    """Write the rows of a store: a line per deal, by game, profile, numbering and number.

    As CSV, or as JSON if that is asked for. The rows are those of its view 'deals', which any
    program for SQLite shows, too; efforts are in tries.

    \b
    Examples:
      winnable store export deals.db > deals.csv
      winnable store export deals.db --json | head
    """
    if as_csv and as_json:
        raise usage_error("give either --json or --csv, not both")
    from dealgen.store_tools import COLUMNS, rows_of

    csv = CsvLines()
    rows = rows_of(store)
    while block := list(itertools.islice(rows, _BLOCK)):
        lines: list[str] = []
        for row in block:
            record = dict(zip(COLUMNS, row, strict=True))
            if as_json:
                lines.append(json_line(record))
            else:
                lines += [*csv.header(record), csv.line(record)]
        print_lines(lines)
    return 0
