"""Winnable shares under the option sets that a public study of 100 million deals may mean.

    python benchmarks/pyramid_shares.py 20000

The study says .8315 and .6687 (unlimited redeals, with and without cover pairs) and .2277
and .0902 for a single pass. Deals are numbers 1..N of the `ms` numbering.
"""

from __future__ import annotations

import dataclasses
import sys

from dealgen.numbering import numbering_of
from solvers.games import load
from solvers.outcome import Verdict

GAME = load("pyramid")


def main() -> None:
    """Print a line an option set."""
    count = int(sys.argv[1])
    decks = numbering_of("ms").decks(GAME, range(1, count + 1))
    for redeals, stock_top, goal in (
        (None, False, "pyramid"),
        (0, False, "pyramid"),
        (0, True, "pyramid"),
        (0, True, "all"),
        (1, False, "pyramid"),
    ):
        for cover_pairs in (True, False):
            profile = dataclasses.replace(
                GAME.profiles["classic"],
                redeals=redeals,
                cover_pairs=cover_pairs,
                stock_top=stock_top,
                goal=goal,
            )
            batch = GAME.solve_many(decks, profile, GAME.default_limits, want_lines=False)
            won = int((batch.verdict == Verdict.WINNABLE).sum())
            unknown = int((batch.verdict == Verdict.UNDECIDED).sum())
            print(
                f"redeals={redeals} stock_top={stock_top} goal={goal} cover_pairs={cover_pairs}: "
                f"{won / count:.4f} winnable, {unknown} undecided",
                flush=True,
            )


if __name__ == "__main__":
    main()
