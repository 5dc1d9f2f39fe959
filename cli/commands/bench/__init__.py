"""`winnable bench`: fixed deals, one node total, and our speed beside another program's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from cli.commands.bench import peers
from cli.commands.bench.lists import measure, read_signatures
from cli.options import check_method, game_argument, json_option, method_option
from cli.output import Progress, json_line, print_lines
from cli.parsing import Command
from solvers.games import AnyGame

_SIGNATURE_DIFFERS = 1


@click.command("bench", cls=Command)
@game_argument
@method_option(also=("all",))
@click.option(
    "--peer",
    metavar="PROGRAM",
    help="Also compare with another installed program, side by side: fc-solve.",
)
@json_option
def command(game: AnyGame, method: str, peer: str | None, as_json: bool) -> int:
    """Solve fixed deals; compare nodes and speed.

    Lists of deals are solved on one core and their nodes compared with the recorded total. The node
    total is a signature of rules and search: a change that should not alter what is searched must
    not alter it. Deals a second are by CPU time, warm. Methods other than the first take the first
    100 deals of a list, with 50,000 nodes a deal.

    --peer fc-solve runs freecell-solver-range-parallel-solve (Debian package
    freecell-solver-bin) and our own solver on deals 1..32000 side by side, and where Node is
    installed our WebAssembly module on deals 1..2000.

    Exit code: 0, or 1 when a total differs from the recorded one or none is recorded.

    \b
    Examples:
      winnable bench freecell
      winnable bench freecell --method all
      winnable bench freecell --peer fc-solve
    """
    methods = game.methods if method == "all" else (check_method(game, method),)
    rival = None if peer is None else peers.find(peer, game)
    known = read_signatures().get(game.name, {})
    same = True
    with Progress(1, quiet=False, streams=True) as progress:
        progress.announce_compiling()
        for row in measure(game, methods):
            row["recorded"] = known.get(row["list"], {}).get(row["method"])
            same &= row["recorded"] == row["nodes"]
            print_lines([json_line(row)] if as_json else _lines(row))
    if rival is not None:
        comparison = peers.compare(rival, game)
        print_lines([json_line(comparison.record())] if as_json else comparison.lines())
    return 0 if same else _SIGNATURE_DIFFERS


def _lines(row: Mapping[str, Any]) -> list[str]:
    """Write one measurement."""
    if row["recorded"] is None:
        signature = "not recorded"
    elif row["recorded"] == row["nodes"]:
        signature = "as recorded"
    else:
        signature = f"DIFFERS from the recorded {row['recorded']}"
    return [
        f"{row['game']} {row['list']} {row['method']}: {row['nodes']} nodes, {signature}",
        f"  {row['deals']:,} deals: {row['winnable']:,} winnable, {row['unwinnable']:,} "
        f"unwinnable, {row['undecided']:,} undecided; {row['deals_per_s']:,} deals/s",
    ]
