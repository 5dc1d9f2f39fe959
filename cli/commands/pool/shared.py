"""What the commands on pools share: reading one, writing one, and saying what is in it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from cli.options import complete, disk_file
from cli.output import json_line, json_number, print_lines, printable
from dealgen.numbering import NUMBERINGS
from solvers.errors import WinnableError

if TYPE_CHECKING:
    from dealgen.pool import Pool

pool_argument = click.argument("pool_file", metavar="POOL", callback=disk_file)
#: Pools mostly have these tiers; others may have any.
TIERS = ("easy", "normal", "hard")
complete_tier = complete((*TIERS, "random"))
out_option = click.option(
    "--out", required=True, metavar="FILE", callback=disk_file, help="The pool file to write."
)
force_option = click.option("--force", is_flag=True, help="Replace the file if it exists.")


def check_place(out: str, *, force: bool) -> None:
    """Raise WinnableError where a pool cannot be written; called before long work."""
    from dealgen.pool import check_output

    if os.path.exists(out) and not force:
        raise WinnableError(f"{click.format_filename(out)} exists already; --force replaces it")
    check_output(out, force=force)


def print_stats(pool: Pool, path: str, *, as_json: bool) -> None:
    """Write a pool's facts."""
    from dealgen import pool as pools

    facts = pools.stats(pool)
    if as_json:
        numbering = NUMBERINGS.get(pool.numbering)
        if numbering is not None:
            for end in ("first", "last"):
                facts[end] = json_number(numbering, facts[end])
        print_lines([json_line(facts)])
        return
    counts = facts["counts"]
    # A pool is somebody else's file: its names may hold anything.
    print_lines(
        printable(line)
        for line in (
            f"{click.format_filename(path)}: {facts['game']} {facts['profile']}, "
            f"{facts['numbering']} {pool.covers}",
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
