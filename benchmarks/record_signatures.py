"""Record the node totals of the bench lists as those to keep, for games and methods given.

    python benchmarks/record_signatures.py freecell           # every method
    python benchmarks/record_signatures.py freecell fast      # one

The commit says which total changed, and why.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from cli.commands.bench.lists import measure, read_signatures, signatures_path
from solvers import games


def record(game_name: str, methods: Sequence[str]) -> None:
    """Measure a game's lists and write their totals beside those of the other games and methods."""
    game = games.load(game_name)
    signatures = read_signatures()
    lists = signatures.setdefault(game.name, {})
    for row in measure(game, methods or game.methods):
        before = lists.setdefault(row["list"], {}).get(row["method"])
        lists[row["list"]][row["method"]] = row["nodes"]
        print(f"{game.name} {row['list']} {row['method']}: {row['nodes']} nodes, was {before}")
    signatures_path().write_text(json.dumps(signatures, indent=2, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    record(sys.argv[1], sys.argv[2:])
