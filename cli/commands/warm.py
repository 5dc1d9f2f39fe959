"""`winnable warm`: every program compiled for this machine and kept."""

from __future__ import annotations

from typing import Any

import click

from cli.options import json_option, quiet_option
from cli.output import Progress, json_line, note, print_lines
from cli.parsing import Command

_NOT_KEPT = 1


@click.command("warm", cls=Command)
@json_option
@quiet_option
def command(as_json: bool, quiet: bool) -> int:
    """Compile everything for this machine, and keep it.

    For images of containers, and for those who do not want to wait later: what is compiled is tuned
    for this processor, and the first commands find it. Without it, installed packages run code that
    suits any processor of this kind, at nearly the same speed.

    Exit code: 0, or 1 when what was compiled cannot be kept.

    \b
    Examples:
      winnable warm
      winnable warm --json
    """
    from solvers.programs import files, load

    folder = files.folder()
    kept = True
    rows: list[dict[str, Any]] = []
    with Progress(len(load.MODULES), quiet=quiet, streams=False, unit="programs") as progress:
        for program in load.MODULES:
            data = load.compiled(program)
            found = folder is not None and load.is_kept(program)
            kept &= found
            rows.append({"program": program, "bytes": len(data), "kept": found})
            progress.show(len(rows), len(load.MODULES))
    if as_json:
        print_lines(map(json_line, rows))
    else:
        print_lines(f"{row['program']}: {row['bytes']:,} bytes" for row in rows)
    if not kept:
        where = "there is no folder for it" if folder is None else f"{folder} cannot be written"
        note(f"winnable: what was compiled is not kept: {where}")
        return _NOT_KEPT
    return 0
