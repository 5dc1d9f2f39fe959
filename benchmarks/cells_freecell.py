"""Compare the fewest cells that win FreeCell deals with the reference list.

python benchmarks/cells_freecell.py [LAST [MAX_NODES]]   # of 1..8000, 100,000 nodes a search

Prints how many deals are decided, how often the list disagrees (never), and the CPU time.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from dealgen.numbering import numbering_of
from solvers import games
from solvers.outcome import Limits

REFERENCE = Path(__file__).parent.parent / "data/reference/freecell_fewest_cells_1_to_8000.txt"


def main() -> None:
    last = int(sys.argv[1]) if len(sys.argv) > 1 else 8000
    nodes = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    game = games.load("freecell")
    numbers, fewest = np.ascontiguousarray(np.loadtxt(REFERENCE, np.int64)[:last].T)
    decks = numbering_of("ms").decks(game, numbers)
    game.prepare()
    began = time.process_time()
    low, high = game.fewest_cells_many(decks, game.profiles["classic"], Limits(nodes, 400)).T
    seconds = time.process_time() - began
    decided = low == high
    wrong = (fewest < low) | ((high >= 0) & (fewest > high))
    print(
        f"1..{last}, {nodes:,} nodes a search: {decided.mean():.2%} decided, "
        f"{np.count_nonzero(wrong)} against the list; {seconds:.0f} s of CPU time"
    )


if __name__ == "__main__":
    main()
