"""`winnable pool merge`: one pool made of several."""

from __future__ import annotations

import click

from cli.commands.pool.shared import check_place, force_option, out_option, print_stats
from cli.options import json_option
from cli.parsing import Command
from solvers import games
from solvers.errors import NotationError


def _files(_ctx: click.Context, _parameter: click.Parameter, names: tuple[str, ...]) -> list[str]:
    """Read the names of two files or more."""
    if len(names) < 2:
        raise NotationError("POOLS has one name; valid is two pool files or more")
    return list(names)


@click.command("merge", cls=Command)
@click.argument("pool_files", metavar="POOLS...", nargs=-1, required=True, callback=_files)
@out_option
@force_option
@json_option
def command(pool_files: list[str], out: str, force: bool, as_json: bool) -> int:
    """Make one pool of several.

    They have to be of the same game, rules, numbering and tiers. What they say of a number has to
    agree; an undecided deal takes the answer of another pool. Pars and solutions are kept where all
    pools have them.

    \b
    Examples:
      winnable pool merge january.json february.json --out both.json
    """
    from dealgen.pool import write_pool
    from dealgen.pool_merge import merge_pools
    from dealgen.pool_read import open_pool

    check_place(out, force=force)
    pools = [open_pool(name) for name in pool_files]
    pool = merge_pools(pools, games.load(pools[0].game))
    write_pool(pool, out, force=force)
    print_stats(pool, out, as_json=as_json)
    return 0
