"""`winnable pool stats`: what is in a pool."""

from __future__ import annotations

import click

from cli.commands.pool.shared import pool_argument, print_stats
from cli.options import json_option
from cli.parsing import Command


@click.command("stats", cls=Command)
@pool_argument
@json_option
def command(pool_file: str, as_json: bool) -> int:
    """Describe a pool: its numbers, rules and counts, and its tiers.

    \b
    Examples:
      winnable pool stats pool.json
      winnable pool stats pool.json --json
    """
    from dealgen.pool_read import open_pool

    print_stats(open_pool(pool_file), pool_file, as_json=as_json)
    return 0
