"""`winnable pool`: pool files built, verified, described, and a deal picked from one."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import click

from cli.codes import INTERRUPTED
from cli.options import (
    Setup,
    available_cores,
    common_options,
    complete,
    disk_file,
    game_argument,
    jobs_option,
    json_option,
    limit_options,
    one_range,
    quiet_option,
    usage_error,
    whole_number,
)
from cli.output import Progress, RangeProgress, json_line, json_number, note, print_lines, printable
from cli.parsing import Group
from solvers import games
from solvers.errors import NotationError, UnknownNameError, WinnableError, quoted

if TYPE_CHECKING:
    from dealgen.grade import Cuts
    from dealgen.pool import Pool
    from dealgen.store import Store

_LARGEST_SEED = 2**53 - 1
_PROBLEMS_FOUND = 1

_MOST_TIERS = 9


def _read_tiers(
    _ctx: click.Context, _parameter: click.Parameter, text: str | None
) -> tuple[str, ...] | None:
    """Read into which tiers a range is to be divided: their names."""
    if text is None:
        return None
    if text == "thirds":
        return ("easy", "normal", "hard")
    if len(text) != 1 or text not in "23456789":
        raise NotationError(
            f"--tiers is {quoted(text)}; valid is thirds, or a whole number 2..{_MOST_TIERS}",
            text=text,
        )
    return tuple(str(tier) for tier in range(1, int(text) + 1))


def _read_tries(_ctx: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
    """Read an effort in tries; return its thousandths."""
    if text is None:
        return None
    # Digits alone, so that thousandths are exact.
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,3})?", text):
        raise NotationError(
            f"{parameter.opts[-1]} is {quoted(text)}; valid is a number of tries such as 2.5",
            text=text,
        )
    whole, _, rest = text.partition(".")
    return int(whole) * 1000 + int(rest.ljust(3, "0"))


pool_argument = click.argument("pool_file", metavar="POOL", callback=disk_file)


@click.group("pool", cls=Group)
def command() -> None:
    """Build, verify and use pool files.

    A pool holds the graded, winnable deals of a range, small enough to ship.

    \b
    Examples:
      winnable pool build freecell 1-32000 --store deals.db --out pool.json
      winnable pool verify pool.json
      winnable pool pick pool.json --tier easy --seed 7
    """


@command.command("build")
@game_argument
@click.argument("deals", metavar="RANGE")
@click.option(
    "--out", required=True, metavar="FILE", callback=disk_file, help="The pool file to write."
)
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@click.option(
    "--store",
    metavar="FILE",
    callback=disk_file,
    help="A store with answers to use; missing ones are solved and added. Without it, all deals "
    "are solved anew.",
)
@click.option("--solutions", is_flag=True, help="Include a solution of every deal.")
@click.option("--par", is_flag=True, help="Include the par of every deal: the moves to beat.")
@click.option(
    "--tiers",
    metavar="thirds|N",
    callback=_read_tiers,
    help="Divide the range's own deals evenly: into easy, normal and hard, or into 1..N.",
)
@click.option(
    "--easy-below", metavar="X", callback=_read_tries, help="Cut easy deals off here, in tries."
)
@click.option(
    "--hard-from", metavar="Y", callback=_read_tries, help="Cut hard deals off here, in tries."
)
@common_options
def build(
    setup: Setup,
    deals: str,
    out: str,
    force: bool,
    store: str | None,
    solutions: bool,
    par: bool,
    tiers: tuple[str, ...] | None,
    easy_below: int | None,
    hard_from: int | None,
) -> int:
    """Build the pool of a range of deals.

    The tiers are those that 'winnable grade' names, where the rules have a scale. Others, and all
    that want it, have the range divided by its own efforts with --tiers, or by --easy-below and
    --hard-from; the pool says by what.

    The same range, rules and limits give the same bytes, on any machine, with any number of jobs
    and after any number of interruptions. Answers that the store has under larger limits are used.

    \b
    Examples:
      winnable pool build freecell 1-32000 --out pool.json
      winnable pool build freecell 1-32000 --store deals.db --out pool.json --force
      winnable pool build freecell 1-1000 --out pool.json --solutions
      winnable pool build freecell 1-1000 --out pool.json --profile classic,cells=3 --tiers thirds
    """
    first, last = one_range(deals, setup.numbering, setup.game)
    if store is not None and os.path.realpath(store) == os.path.realpath(out):
        raise usage_error("--store and --out are the same file")
    from dealgen.pool import check_output, check_range, lopsided, write_pool
    from dealgen.store import Store

    if os.path.exists(out) and not force:
        raise WinnableError(f"{click.format_filename(out)} exists already; --force replaces it")
    check_range(setup.numbering, first, last, setup.game.name)
    check_output(out, force=force)
    cuts = _cuts(setup, tiers, easy_below, hard_from)
    with Store.in_memory() if store is None else Store.open(store, create=True) as opened:
        try:
            pool = _build(setup, opened, first, last, cuts=cuts, par=par, solutions=solutions)
        except KeyboardInterrupt:
            if store is None:
                raise
            note(
                f"winnable: interrupted; what was solved is in {click.format_filename(store)}; "
                "the same command goes on from there"
            )
            return INTERRUPTED
    write_pool(pool, out, force=force)
    warning = lopsided(pool)
    if warning and not setup.quiet:
        note(f"winnable: {warning}; --tiers thirds divides the range by its own efforts")
    _print_stats(pool, out, as_json=setup.as_json)
    return 0


def _cuts(
    setup: Setup, tiers: tuple[str, ...] | None, easy_below: int | None, hard_from: int | None
) -> Cuts | tuple[str, ...]:
    """Return what the options say of tiers: the cuts, or into what a range divides itself."""
    from dealgen.grade import GRADES, Cuts
    from dealgen.pool_build import scale_cuts

    if easy_below is None and hard_from is None:
        return scale_cuts(setup) if tiers is None else tiers
    if tiers is not None:
        raise usage_error("give either --tiers or --easy-below and --hard-from, not both")
    if easy_below is None or hard_from is None:
        raise usage_error("give both --easy-below and --hard-from")
    if easy_below > hard_from:
        raise usage_error("--easy-below is above --hard-from")
    return Cuts(GRADES, (easy_below, hard_from), None)


def _build(
    setup: Setup,
    store: Store,
    first: int,
    last: int,
    *,
    cuts: Cuts | tuple[str, ...],
    par: bool,
    solutions: bool,
) -> Pool:
    """Complete the store's answers for a range and make the pool of them."""
    from dealgen.batch import run_batch
    from dealgen.pool_build import build_pool

    with Progress(last - first + 1, quiet=setup.quiet, streams=False) as progress:
        progress.announce_compiling()
        run_batch(setup, store, [(first, last)], on_chunk=RangeProgress(progress).show)
    # Without solutions and par there is nothing more to compute, and no bar.
    quiet = setup.quiet or not (par or solutions)
    with Progress(0, quiet=quiet, streams=False) as progress:
        return build_pool(
            setup,
            store,
            first,
            last,
            cuts=cuts,
            par=par,
            solutions=solutions,
            on_progress=progress.show,
        )


@command.command("verify")
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
def verify(
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
    found again and replayed, and the unwinnable deals are proved again, under limits no smaller
    than those of the build; then every grade and par, by measuring again.

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
                limits=game.limits(max_nodes=max_nodes, max_seconds=max_seconds, memory=memory),
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


@command.command("stats")
@pool_argument
@json_option
def stats(pool_file: str, as_json: bool) -> int:
    """Describe a pool: its range, rules and counts, and its tiers.

    \b
    Examples:
      winnable pool stats pool.json
      winnable pool stats pool.json --json
    """
    from dealgen.pool_read import read_pool

    _print_stats(read_pool(pool_file), pool_file, as_json=as_json)
    return 0


@command.command("pick")
@pool_argument
@click.option(
    "--tier",
    required=True,
    metavar="NAME",
    shell_complete=complete(("easy", "normal", "hard", "random")),
    help="One of the pool's, such as easy; or random.",
)
@click.option(
    "--seed",
    required=True,
    metavar="N",
    callback=whole_number(0, _LARGEST_SEED),
    help="The same seed picks the same deal.",
)
@click.option(
    "--not",
    "exclude",
    metavar="DEAL",
    multiple=True,
    help="A deal number never to pick; may be given several times.",
)
@json_option
def pick(pool_file: str, tier: str, seed: int, exclude: tuple[str, ...], as_json: bool) -> int:
    """Pick a deal number of a tier.

    The tier 'random' is the whole range, unvetted: its deals may be unwinnable.

    \b
    Examples:
      winnable pool pick pool.json --tier easy --seed 7
      winnable pool pick pool.json --tier hard --seed 7 --not 617
    """
    from dealgen import pool as pools
    from dealgen.numbering import numbering_of
    from dealgen.pool_read import read_pool

    pool = read_pool(pool_file)
    numbering = numbering_of(pool.numbering)
    excluded = [numbering.parse(text) for text in exclude]
    number = pools.pick(pool, tier, seed, excluded)
    if as_json:
        record = {
            "game": pool.game,
            "profile": pool.profile,
            "numbering": pool.numbering,
            "number": json_number(numbering, number),
            "tier": tier,
        }
        print_lines([json_line(record)])
    else:
        print_lines([str(number)])
    return 0


def _print_stats(pool: Pool, path: str, *, as_json: bool) -> None:
    """Write a pool's facts."""
    from dealgen import pool as pools

    facts = pools.stats(pool)
    if as_json:
        print_lines([json_line(facts)])
        return
    counts = facts["counts"]
    # A pool is somebody else's file: its names may hold anything.
    print_lines(
        printable(line)
        for line in (
            f"{click.format_filename(path)}: {facts['game']} {facts['profile']}, "
            f"{facts['numbering']} {facts['first']}..{facts['last']}",
            f"  winnable {counts['winnable']:,}, unwinnable {counts['unwinnable']:,}, "
            f"undecided {counts['undecided']:,}",
            *(_tier_line(name, tier) for name, tier in facts["tiers"].items()),
            f"  grader {facts['grader']['name']}, tiers cut at {_cuts_text(facts['grader'])}; "
            f"{'with' if facts['solutions'] else 'without'} solutions; "
            f"{facts['duplicates']:,} left out as the same board as a lower number",
            f"  sha256 {facts['sha256']}",
        )
    )


def _cuts_text(grader: dict[str, Any]) -> str:
    """Write where the tiers are cut, and on what."""
    cuts = ", ".join(map(str, grader["cuts"]))
    on = grader["calibrated_on"]
    return f"{cuts} tries" + (f" by {on}" if on else "")


def _tier_line(name: str, tier: dict[str, Any]) -> str:
    """Write one tier's facts."""
    line = f"  {name:<6} {tier['count']:>9,} deals {tier['share']:>7.1%}"
    par = tier["par"]
    if par is None:
        return line
    return f"{line}, par {par['min']}..{par['max']} moves, median {par['median']}"
