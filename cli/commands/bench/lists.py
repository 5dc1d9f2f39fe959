"""The bench lists of a game solved, and the node totals that are recorded for them."""

from __future__ import annotations

import dataclasses
import itertools
import json
import time
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, TypeAlias

from cli.output import Tally
from dealgen.numbering import DEFAULT_NUMBERING, numbering_of
from solvers.games import AnyGame

#: Deals of each list that are solved first: compiled code and memory are warm then.
_WARM_UP_DEALS = 4
#: Deals and nodes a deal of the methods other than the game's first: they are there to be
#: compared with it, and take up to a thousand times as long.
_SLOW_DEALS, _SLOW_NODES = 100, 50_000

#: Total nodes by game, list and method.
Signatures: TypeAlias = dict[str, dict[str, dict[str, int]]]


def measure(game: AnyGame, methods: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Solve every list with every method on this thread; yield the figures of each."""
    profile = game.profiles[game.default_profile]

    def solve(decks: Any, method: str) -> Any:
        limits = game.default_limits
        if method != game.methods[0]:
            limits = dataclasses.replace(limits, max_nodes=_SLOW_NODES)
        return game.solve_many(decks, profile, limits, want_lines=False, method=method)

    numbering = numbering_of(DEFAULT_NUMBERING)
    lists = {name: numbering.decks(game, numbers) for name, numbers in game.bench_deals.items()}
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


def signatures_path() -> Path:
    """Return where the recorded totals are, in the installed package."""
    return Path(str(resources.files("dealgen") / "resources" / "signatures.json"))


def read_signatures() -> Signatures:
    """Return the recorded totals."""
    signatures: Signatures = json.loads(signatures_path().read_text("utf-8"))
    return signatures
