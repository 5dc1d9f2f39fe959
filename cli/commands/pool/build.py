"""`winnable pool build`: the pool of some deals, solved as far as a store does not have them."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import click

from cli.codes import INTERRUPTED
from cli.commands.pool.shared import check_place, force_option, out_option, print_stats
from cli.options import (
    Setup,
    asked_deals,
    common_options,
    deals_argument,
    deals_from_option,
    disk_file,
    game_argument,
    usage_error,
)
from cli.output import Progress, RangeProgress, note
from cli.parsing import Command
from cli.solving import check_optimal, effort_option, states_for
from solvers.errors import NotationError, quoted

if TYPE_CHECKING:
    from dealgen.cover import Cover
    from dealgen.grade import Cuts
    from dealgen.pool import Pool
    from dealgen.store import Store

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


@click.command("build", cls=Command)
@game_argument
@deals_argument
@deals_from_option
@out_option
@force_option
@click.option(
    "--store",
    metavar="FILE",
    callback=disk_file,
    help="A store with answers to use; missing ones are solved and added. Without it, all deals "
    "are solved anew.",
)
@click.option("--solutions", is_flag=True, help="Include a solution of every deal.")
@click.option(
    "--par",
    type=click.Choice(("optimal", "short")),
    help="Include the par of every deal, the moves to beat: fewest moves, proved, or the length of "
    "a short solution, where the game offers it. With --solutions, those are of that length.",
)
@effort_option("--par short")
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
def command(
    setup: Setup,
    deals: tuple[str, ...],
    deals_from: str | None,
    out: str,
    force: bool,
    store: str | None,
    solutions: bool,
    par: str | None,
    effort: int | None,
    tiers: tuple[str, ...] | None,
    easy_below: int | None,
    hard_from: int | None,
) -> int:
    """Build the pool of some deals.

    DEALS are numbers, ranges such as 1-32000, and lists such as 1,5,617.

    The tiers are those that 'winnable grade' names, where the rules have a scale. Others, and all
    that want it, have the range divided by its own efforts with --tiers, or by --easy-below and
    --hard-from; the pool says by what.

    The same deals, rules and limits give the same bytes, on any machine, with any number of jobs
    and after any number of interruptions. Answers that the store has under larger limits are used.

    \b
    Examples:
      winnable pool build freecell 1-32000 --out pool.json
      winnable pool build freecell 1-32000 --store deals.db --out pool.json --force
      winnable pool build freecell 1-1000 --out pool.json --solutions
      winnable pool build freecell --deals-from mine.txt --out pool.json --tiers 5
    """
    if not deals and deals_from is None:
        raise usage_error("give deal numbers, such as 1-32000, or --deals-from FILE")
    asked = asked_deals(setup.game, setup.numbering, deals, deals_from, quiet=setup.quiet)
    if store is not None and os.path.realpath(store) == os.path.realpath(out):
        raise usage_error("--store and --out are the same file")
    from dealgen.cover import Cover
    from dealgen.pool import lopsided, write_pool
    from dealgen.pool_build import check_covers
    from dealgen.store import Store

    covers = Cover.of(asked.ranges)
    check_place(out, force=force)
    check_covers(setup, covers)
    cuts = _cuts(setup, tiers, easy_below, hard_from)
    states = states_for(setup, "--par short", par == "short", effort)
    check_optimal(setup, par == "optimal", "--par optimal")
    with Store.in_memory() if store is None else Store.open(store, create=True) as opened:
        try:
            pool = _build(setup, opened, covers, cuts, par, states, solutions)
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
    print_stats(pool, out, as_json=setup.as_json)
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
    covers: Cover,
    cuts: Cuts | tuple[str, ...],
    par: str | None,
    states: int,
    solutions: bool,
) -> Pool:
    """Complete the store's answers for some numbers and make the pool of them."""
    from dealgen.batch import run_batch
    from dealgen.pool import FOUND, OPTIMAL
    from dealgen.pool_build import build_pool

    with Progress(covers.size, quiet=setup.quiet, streams=False) as progress:
        progress.announce_compiling()
        run_batch(setup, store, covers.ranges, on_chunk=RangeProgress(progress).show)
    # Without solutions and par there is nothing more to compute, and no bar.
    quiet = setup.quiet or not (par or solutions)
    with Progress(0, quiet=quiet, streams=False) as progress:
        return build_pool(
            setup,
            store,
            covers,
            cuts=cuts,
            par={None: None, "short": FOUND, "optimal": OPTIMAL}[par],
            states=states,
            solutions=solutions,
            on_progress=progress.show,
        )
