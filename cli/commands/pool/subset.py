"""`winnable pool subset`: some deals of a pool, as a pool."""

from __future__ import annotations

import click

from cli.commands.pool.shared import (
    TIERS,
    check_place,
    force_option,
    out_option,
    pool_argument,
    print_stats,
)
from cli.options import LARGEST_COUNT, complete, json_option, whole_number
from cli.parsing import Command

_LARGEST_SEED = 2**53 - 1


@click.command("subset", cls=Command)
@pool_argument
@out_option
@force_option
@click.option(
    "--tier",
    "tiers",
    metavar="NAME",
    multiple=True,
    shell_complete=complete(TIERS),
    help="Only deals of this tier; may be given several times.",
)
@click.option(
    "--count",
    metavar="N",
    callback=whole_number(1, LARGEST_COUNT),
    help="N deals of each tier; without it, all.",
)
@click.option(
    "--seed",
    metavar="N",
    default="0",
    show_default=True,
    callback=whole_number(0, _LARGEST_SEED),
    help="Another seed takes other deals.",
)
@json_option
def command(
    pool_file: str,
    out: str,
    force: bool,
    tiers: tuple[str, ...],
    count: int | None,
    seed: int,
    as_json: bool,
) -> int:
    """Make a pool of some deals of another.

    It answers for these and no others.

    The same pool, tiers, count and seed give the same bytes.

    \b
    Examples:
      winnable pool subset pool.json --tier easy --count 500 --seed 7 --out easy.json
    """
    from dealgen.pool import write_pool
    from dealgen.pool_read import open_pool
    from dealgen.pool_use import subset

    check_place(out, force=force)
    pool = subset(open_pool(pool_file), tiers, count, seed)
    write_pool(pool, out, force=force)
    print_stats(pool, out, as_json=as_json)
    return 0
