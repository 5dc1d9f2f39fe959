"""`winnable pool lookup`: what a pool says of a number."""

from __future__ import annotations

import click

from cli.commands.pool.shared import pool_argument
from cli.options import json_option
from cli.output import json_line, json_number, print_lines
from cli.parsing import Command
from solvers import games
from solvers.outcome import Verdict

_CODES = {Verdict.WINNABLE: 0, Verdict.UNWINNABLE: 1, Verdict.UNDECIDED: 3}


@click.command("lookup", cls=Command)
@pool_argument
@click.argument("deal", metavar="DEAL")
@json_option
def command(pool_file: str, deal: str, as_json: bool) -> int:
    """Say what a pool has on a deal.

    Its tier, par and solution, or why it is in no tier.

    Exit code: 0 when it is winnable, 1 when it is unwinnable, 3 when it is undecided, 2 when the
    pool does not answer for it.

    \b
    Examples:
      winnable pool lookup pool.json 617
      winnable pool lookup pool.json 11982 --json
    """
    from dealgen.numbering import numbering_of
    from dealgen.pool_read import open_pool
    from dealgen.pool_use import lookup

    pool = open_pool(pool_file)
    numbering = numbering_of(pool.numbering)
    entry = lookup(pool, numbering.parse(deal, pool.game))
    if as_json:
        record = {
            "game": pool.game,
            "profile": pool.profile,
            "numbering": pool.numbering,
            "number": json_number(numbering, entry.number),
            "verdict": entry.verdict.label,
            "tier": entry.tier,
            "par": entry.par,
            "par_kind": pool.par_kind if entry.par else None,
            "solution": None if entry.solution is None else list(entry.solution),
            "duplicate": entry.duplicate,
        }
        print_lines([json_line(record)])
        return _CODES[entry.verdict]
    said = [f"{entry.number} {entry.verdict.label}"]
    if entry.tier is not None:
        said.append(f"tier {entry.tier}")
    if entry.duplicate:
        said.append("the same board as a lower number, so in no tier")
    if entry.par is not None:
        said.append(f"par {entry.par}" + (f" ({pool.par_kind})" if pool.par_kind else ""))
    print_lines([", ".join(said)])
    if entry.solution is not None:
        game = games.load(pool.game)
        print_lines([game.format_moves([game.parse_move(text) for text in entry.solution])])
    return _CODES[entry.verdict]
