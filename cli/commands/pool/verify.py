"""`winnable pool verify`: all that a pool claims, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.commands.pool.shared import pool_argument
from cli.options import available_cores, jobs_option, json_option, limit_options, quiet_option
from cli.output import Progress, json_line, print_lines, printable
from cli.parsing import Command
from solvers import games
from solvers.errors import UnknownNameError
from solvers.games import AnyGame
from solvers.outcome import Limits

if TYPE_CHECKING:
    from dealgen.pool import Pool

_PROBLEMS_FOUND = 1


@click.command("verify", cls=Command)
@pool_argument
@click.option("--rules", is_flag=True, help="Also replay every solution by the plain rules.")
@click.option(
    "--no-measure",
    is_flag=True,
    help="Do not check grades and pars: measuring them takes most of the time.",
)
@limit_options
@jobs_option
@json_option
@quiet_option
def command(
    pool_file: str,
    rules: bool,
    no_measure: bool,
    max_nodes: int | None,
    max_seconds: float | None,
    memory: int | None,
    jobs: int | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Check everything that a pool claims.

    Its hash and counts; then every deal: its solution is replayed or, where the pool has none,
    found again and replayed, and the unwinnable deals are proved again, under the limits of the
    build unless others are given; then every grade and par, by measuring again.

    Exit code: 0 when all is right, 1 when something is wrong, 2 when the file is not a pool.

    \b
    Examples:
      winnable pool verify pool.json
      winnable pool verify pool.json --rules --json
    """
    from dealgen.pool_read import read_pool

    pool = read_pool(pool_file)
    try:
        game = games.load(pool.game)
    except UnknownNameError as error:
        problems = [str(error)]
    else:
        from dealgen.pool_verify import verify_pool

        with Progress(0, quiet=quiet, streams=False) as progress:
            progress.announce_compiling()
            problems = verify_pool(
                pool,
                game,
                limits=_limits(game, pool, max_nodes, max_seconds, memory),
                jobs=jobs or available_cores(),
                rules=rules,
                measure=not no_measure,
                on_progress=progress.show,
            )
    shown = click.format_filename(pool_file)
    if as_json:
        record = {"pool": pool_file, "ok": not problems, "problems": problems}
        print_lines([json_line({**record, "measured": not no_measure})])
    elif problems:
        print_lines(printable(f"{shown}: {problem}") for problem in problems)
    else:
        deals = sum(len(tier.numbers) for tier in pool.tiers.values())
        graded = "grades and pars were not measured" if no_measure else "every grade measured"
        print_lines(
            [f"{shown}: all right; a solution of each of its {deals:,} deals replayed, {graded}"]
        )
    return _PROBLEMS_FOUND if problems else 0


def _limits(
    game: AnyGame,
    pool: Pool,
    max_nodes: int | None,
    max_seconds: float | None,
    memory: int | None,
) -> Limits:
    """Return the limits of the pool's build, or the game's, each unless another is given."""
    base = pool.limits or game.default_limits
    return Limits(
        base.max_nodes if max_nodes is None else max_nodes,
        base.memory_mib if memory is None else memory,
        base.max_seconds if max_seconds is None else max_seconds,
    )
