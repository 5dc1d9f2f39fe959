"""`winnable pool pick`: a deal of a tier, by a seed or by the day."""

from __future__ import annotations

import datetime
from typing import Any

import click

from cli.commands.pool.shared import complete_tier, pool_argument
from cli.options import json_option, usage_error, whole_number
from cli.output import json_line, json_number, print_lines
from cli.parsing import Command
from solvers import games
from solvers.errors import NotationError, quoted

_LARGEST_SEED = 2**53 - 1


def _read_date(
    _ctx: click.Context, _parameter: click.Parameter, text: str | None
) -> datetime.date | None:
    """Read a day, as ISO 8601 writes it."""
    if text is None:
        return None
    try:
        date = datetime.date.fromisoformat(text)
    except ValueError:
        date = None
    if date is None or date.isoformat() != text:
        raise NotationError(
            f"--date is {quoted(text)}; valid is a day such as 2026-12-24", text=text
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
    callback=_read_date,
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
    game, entry = games.load(pool.game), pool_use.lookup(pool, number)
    record: dict[str, Any] = {
        "game": pool.game,
        "profile": pool.profile,
        "numbering": pool.numbering,
        "number": json_number(numbering, number),
        "tier": tier.lower(),
        "position": game.position_to_json(game.deal(numbering.deck(game, number))),
        "par": entry.par,
        "par_kind": pool.par_kind if entry.par else None,
        "solution": None if entry.solution is None else list(entry.solution),
    }
    print_lines([json_line(record)])
    return 0
