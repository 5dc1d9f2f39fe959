"""`winnable pool pick`: a deal of a tier, by a seed or by the day."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import click

from cli.commands.pool.shared import complete_tier, pool_argument
from cli.options import json_option, usage_error, whole_number
from cli.output import json_line, json_number, print_lines
from cli.parsing import Command
from solvers import games
from solvers.errors import NotationError, quoted

if TYPE_CHECKING:
    from dealgen.pool import Pool

_LARGEST_SEED = 2**53 - 1


def _date(
    _ctx: click.Context, parameter: click.Parameter, text: str | None
) -> datetime.date | None:
    """Read the option's day."""
    return None if text is None else read_date(parameter.opts[-1], text)


def read_date(name: str, text: str) -> datetime.date:
    """Read a day, as ISO 8601 writes it; raises NotationError, calling it `name`."""
    try:
        date = datetime.date.fromisoformat(text)
    except ValueError:
        date = datetime.date.min
    if date.isoformat() != text:
        raise NotationError(
            f"{name} is {quoted(text)}; valid is a day such as 2026-12-24", text=text
        )
    return date


@click.command("pick", cls=Command)
@pool_argument
@click.option(
    "--tier",
    required=True,
    metavar="NAME",
    shell_complete=complete_tier,
    help="One of the pool's, such as easy; or random.",
)
@click.option(
    "--seed",
    metavar="N",
    callback=whole_number(0, _LARGEST_SEED),
    help="The same seed picks the same deal.",
)
@click.option(
    "--date",
    metavar="YYYY-MM-DD",
    callback=_date,
    help="The deal of a day: none comes again before all of the tier were there.",
)
@click.option(
    "--not",
    "exclude",
    metavar="DEAL",
    multiple=True,
    help="A deal number never to pick; may be given several times.",
)
@json_option
def command(
    pool_file: str,
    tier: str,
    seed: int | None,
    date: datetime.date | None,
    exclude: tuple[str, ...],
    as_json: bool,
) -> int:
    """Pick a deal number of a tier.

    The tier 'random' is all numbers of the pool, unvetted: its deals may be unwinnable.

    \b
    Examples:
      winnable pool pick pool.json --tier easy --seed 7
      winnable pool pick pool.json --tier hard --date 2026-12-24
      winnable pool pick pool.json --tier hard --seed 7 --not 617 --json
    """
    if (seed is None) == (date is None):
        raise usage_error("give either --seed or --date")
    from dealgen import pool_use
    from dealgen.numbering import numbering_of
    from dealgen.pool_read import open_pool

    pool = open_pool(pool_file)
    numbering = numbering_of(pool.numbering)
    excluded = [numbering.parse(text) for text in exclude]
    if date is not None:
        number = pool_use.pick_for(pool, tier, date, excluded)
    else:
        number = pool_use.pick(pool, tier, seed or 0, excluded)
    if not as_json:
        print_lines([str(number)])
        return 0
    print_lines([json_line(pick_record(pool, tier.lower(), number))])
    return 0


def pick_record(pool: Pool, tier: str, number: int) -> dict[str, Any]:
    """Return the keys of a deal that was picked."""
    from dealgen import pool_use
    from dealgen.numbering import numbering_of

    numbering = numbering_of(pool.numbering)
    game, entry = games.load(pool.game), pool_use.lookup(pool, number)
    return {
        "game": pool.game,
        "profile": pool.profile,
        "numbering": pool.numbering,
        "number": json_number(numbering, number),
        "tier": tier,
        "position": game.position_to_json(game.deal(numbering.deck(game, number))),
        "par": entry.par,
        "par_kind": pool.par_kind if entry.par else None,
        "solution": None if entry.solution is None else list(entry.solution),
    }
