"""`winnable store`: what a batch keeps, described, checked, merged and exported."""

from __future__ import annotations

import click

from cli.parsing import Group

_COMMANDS = {name: f"cli.commands.store.{name}" for name in ("info", "check", "merge", "export")}


@click.group("store", cls=Group, modules=_COMMANDS)
def command() -> None:
    """Describe, check, merge and export stores.

    A store is the file in which 'winnable batch' keeps its answers.

    \b
    Examples:
      winnable store info deals.db
      winnable store merge monday.db tuesday.db --out week.db
    """
