"""`winnable pool`: pool files built, verified and described, and deals picked from them."""

from __future__ import annotations

import click

from cli.parsing import Group

_COMMANDS = {
    "build": "cli.commands.pool.build",
    "verify": "cli.commands.pool.verify",
    **{
        name: f"cli.commands.pool.{name}"
        for name in ("stats", "list", "lookup", "pick", "subset", "merge")
    },
}


@click.group("pool", cls=Group, modules=_COMMANDS)
def command() -> None:
    """Build, verify and use pool files.

    A pool holds the graded, winnable deals of some numbers, small enough to ship.

    \b
    Examples:
      winnable pool build freecell 1-32000 --store deals.db --out pool.json
      winnable pool verify pool.json
      winnable pool pick pool.json --tier easy --date 2026-12-24
    """
