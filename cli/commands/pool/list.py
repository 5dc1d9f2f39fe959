"""`winnable pool list`: the deals of a pool's tiers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from cli.commands.pool.shared import complete_tier, pool_argument
from cli.options import LARGEST_COUNT, csv_option, json_option, usage_error, whole_number
from cli.output import CsvLines, json_line, json_number, print_lines, printable
from cli.parsing import Command

if TYPE_CHECKING:
    from dealgen.pool import Pool

#: Lines written together.
_BLOCK = 1000


@click.command("list", cls=Command)
@pool_argument
@click.option(
    "--tier",
    "tiers",
    metavar="NAME",
    multiple=True,
    shell_complete=complete_tier,
    help="Only the deals of this tier; may be given several times.",
)
@click.option(
    "--limit", metavar="N", callback=whole_number(1, LARGEST_COUNT), help="N deals of each tier."
)
@csv_option
@json_option
def command(
    pool_file: str, tiers: tuple[str, ...], limit: int | None, as_csv: bool, as_json: bool
) -> int:
    """List the deals of a pool, tier by tier.

    Each with its number, tier, and par where the pool has any.

    \b
    Examples:
      winnable pool list pool.json --tier easy --limit 10
      winnable pool list pool.json --csv > pool.csv
    """
    if as_csv and as_json:
        raise usage_error("give either --json or --csv, not both")
    from dealgen.pool_read import open_pool
    from solvers.errors import known_name

    pool = open_pool(pool_file)
    names = [known_name("tier", name, pool.tiers) for name in tiers] or list(pool.tiers)
    csv = CsvLines() if as_csv else None
    block: list[str] = []
    for record in _records(pool, names, limit):
        if csv is not None:
            block += [*csv.header(record), csv.line(record)]
        elif as_json:
            block.append(json_line(record))
        else:
            par = f"  par {record['par']}" if record["par"] else ""
            block.append(printable(f"{record['number']:>8} {record['tier']}{par}"))
        if len(block) >= _BLOCK:
            print_lines(block)
            block = []
    print_lines(block)
    return 0


def _records(pool: Pool, names: list[str], limit: int | None) -> Iterator[dict[str, Any]]:
    """Go through the deals of tiers, the first of each."""
    from dealgen.numbering import numbering_of

    numbering = numbering_of(pool.numbering)
    for name in names:
        tier = pool.tiers[name]
        pars = [0] * len(tier.numbers) if tier.par is None else tier.par.tolist()
        for number, par in list(zip(tier.numbers.tolist(), pars, strict=True))[:limit]:
            yield {"number": json_number(numbering, number), "tier": name, "par": par or None}
