"""`winnable bench`: fixed deals, one node total, and our speed beside another program's."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import click

from cli.options import check_method, game_argument, json_option, method_option
from cli.output import Progress, Tally, json_line, print_lines
from cli.parsing import Command
from dealgen.numbering import DEFAULT_NUMBERING, numbering_of
from solvers.errors import WinnableError
from solvers.games import Game

_SIGNATURE_DIFFERS = 1
#: Deals of each list that are solved first: compiled code and memory are warm then.
_WARM_UP_DEALS = 4
#: Deals and nodes a deal of the methods other than the game's first: they are there to be
#: compared with it, and take up to a thousand times as long.
_SLOW_DEALS, _SLOW_NODES = 100, 50_000

#: Total nodes by game, list and method.
Signatures = dict[str, dict[str, dict[str, int]]]


@click.command("bench", cls=Command)
@game_argument
@method_option(also=("all",))
@click.option(
    "--peer",
    metavar="PROGRAM",
    help="Also compare side by side with another installed program: fc-solve.",
)
@click.option("--record", is_flag=True, help="Record the node totals as the ones to keep.")
@json_option
def command(game: Game, method: str, peer: str | None, record: bool, as_json: bool) -> int:
    """Solve fixed deals; compare nodes and speed.

    Lists of deals are solved on one core and their nodes compared with the recorded total. The node
    total is a signature of rules and search: a change that should not alter what is searched must
    not alter it. Deals a second are by CPU time, warm. Methods other than the first take the first
    100 deals of a list, with 50,000 nodes a deal.

    --peer fc-solve runs freecell-solver-range-parallel-solve (Debian package
    freecell-solver-bin) and our own solver side by side on deals 1..32000.

    Exit code: 0, or 1 when a total differs from the recorded one or none is recorded.

    \b
    Examples:
      winnable bench freecell
      winnable bench freecell --method all
      winnable bench freecell --peer fc-solve
    """
    methods = game.methods if method == "all" else (check_method(game, method),)
    from cli import peers

    rival = None if peer is None else peers.find(peer, game)
    recorded = _read_signatures()
    known = recorded.get(game.name, {})
    rows = []
    with Progress(1, quiet=False, streams=True) as progress:
        progress.announce_compiling()
        for row in _measure(game, methods):
            row["recorded"] = known.get(row["list"], {}).get(row["method"])
            rows.append(row)
            print_lines([json_line(row)] if as_json else _lines(row))
    if record:
        for row in rows:
            lists = recorded.setdefault(game.name, {})
            lists.setdefault(row["list"], {})[row["method"]] = row["nodes"]
        _write_signatures(recorded)
    if rival is not None:
        comparison = peers.compare(rival, game)
        print_lines([json_line(comparison.record())] if as_json else comparison.lines())
    same = record or all(row["nodes"] == row["recorded"] for row in rows)
    return 0 if same else _SIGNATURE_DIFFERS


def _measure(game: Game, methods: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Solve every list with every method on this thread; yield the figures of each."""
    import numpy as np

    from dealgen.batch import decks_of

    profile = game.profiles[game.default_profile]
    numbering = numbering_of(DEFAULT_NUMBERING)

    def solve(decks: Any, method: str) -> Any:
        limits = game.default_limits
        if method != game.methods[0]:
            limits = dataclasses.replace(limits, max_nodes=_SLOW_NODES)
        return game.solve_many(decks, profile, limits, want_lines=False, method=method)

    lists = {
        name: decks_of(game, np.asarray(numbers, np.int64), numbering)
        for name, numbers in game.bench_deals.items()
    }
    # Of each list: what is compiled late is compiled before the clock starts, too.
    for decks, method in itertools.product(lists.values(), methods):
        solve(decks[:_WARM_UP_DEALS], method)
    for (name, decks), method in itertools.product(lists.items(), methods):
        chosen = decks if method == game.methods[0] else decks[:_SLOW_DEALS]
        begin = time.process_time()
        outcome = solve(chosen, method)
        seconds = time.process_time() - begin
        tally = Tally()
        tally.add_many(outcome.verdict)
        yield {
            "game": game.name,
            "profile": game.default_profile,
            "list": name,
            "method": method,
            "deals": tally.deals,
            "winnable": tally.winnable,
            "unwinnable": tally.unwinnable,
            "undecided": tally.undecided,
            "nodes": int(outcome.nodes.sum()),
            "deals_per_s": round(tally.deals / max(seconds, 1e-9), 1),
        }


def _lines(row: Mapping[str, Any]) -> list[str]:
    """Write one measurement."""
    if row["recorded"] is None:
        signature = "not recorded (--record does)"
    elif row["recorded"] == row["nodes"]:
        signature = "as recorded"
    else:
        signature = f"DIFFERS from the recorded {row['recorded']}"
    return [
        f"{row['game']} {row['list']} {row['method']}: {row['nodes']} nodes, {signature}",
        f"  {row['deals']:,} deals: {row['winnable']:,} winnable, {row['unwinnable']:,} "
        f"unwinnable, {row['undecided']:,} undecided; {row['deals_per_s']:,} deals/s",
    ]


def _signatures_path() -> Path:
    """Return where the recorded totals are, in the installed package."""
    return Path(str(resources.files("dealgen") / "resources" / "signatures.json"))


def _read_signatures() -> Signatures:
    """Return the recorded totals; nothing is recorded before the first --record."""
    try:
        signatures: Signatures = json.loads(_signatures_path().read_text("utf-8"))
    except FileNotFoundError:
        return {}
    return signatures


def _write_signatures(signatures: Signatures) -> None:
    """Write the recorded totals, as a whole or not at all."""
    path = _signatures_path()
    new = path.with_suffix(".new")
    try:
        new.write_text(json.dumps(signatures, indent=2, sort_keys=True) + "\n", "utf-8")
        os.replace(new, path)
    except OSError as error:
        raise WinnableError(f"{path}: cannot be written: {error.strerror}") from error
