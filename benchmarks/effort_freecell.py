"""Study the grader freecell-1: how stable it is, what it agrees with, where thirds lie.

    python benchmarks/effort_freecell.py

Prints the rank correlation between the two halves of the searches of a grade, and between a
grade and one from other seeds, over 10,000 deals above 32,000; the mean number of fewest cells
that win a deal, by grade, over deals 1..8000 (data/reference); the thirds of 1..32000.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dealgen.grade import GRADES, cuts_of, grades_of
from dealgen.numbering import numbering_of
from solvers import games
from solvers.freecell import effort, layout
from solvers.freecell import records as at
from solvers.freecell.game import GAME
from solvers.freecell.rules import PROFILES
from solvers.search.arena import new_arena

REFERENCE = Path(__file__).parent.parent / "data/reference/freecell_fewest_cells_1_to_8000.txt"
UNWINNABLE = 11982
CUTS = cuts_of(GAME.grader.scales["classic"])


def ranks(values: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the rank of each value, ties sharing the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


def correlation(left: NDArray[np.int64], right: NDArray[np.int64]) -> float:
    """Return the rank correlation (Spearman) of two measures."""
    return float(np.corrcoef(ranks(left), ranks(right))[0, 1])


def main() -> None:
    """Print the study."""

    queued = 8 * at.QUICK_STATES
    arena = new_arena(at.arena_size(at.QUICK_BITS, queued, at.QUICK_STATES))
    at.lay_out(arena.ctypes.data, at.QUICK_BITS, queued, at.QUICK_STATES)
    rules = layout.pack_profile(PROFILES["classic"])

    def measure(
        low: int, high: int, first: int = 0, count: int = effort.REPEATS
    ) -> NDArray[np.int64]:
        decks = numbering_of("ms").decks(games.load("freecell"), range(low, high + 1))
        efforts = np.empty(len(decks), np.int64)
        effort.measure(arena.ctypes.data, decks, rules, first, count, efforts)
        return efforts

    measure(1, 2)
    half = effort.REPEATS // 2
    begin = time.process_time()
    whole = measure(32001, 42000)
    cost_ms = (time.process_time() - begin) / 10
    print(f"{cost_ms:.3f} ms of CPU a deal, {effort.REPEATS} searches, deals 32001..42000")
    halves = measure(32001, 42000, count=half), measure(32001, 42000, first=half, count=half)
    print(f"rank correlation of the two halves of a grade's searches: {correlation(*halves):.4f}")
    other = measure(32001, 42000, first=effort.REPEATS)
    print(f"rank correlation with a grade from other seeds: {correlation(whole, other):.4f}")
    same = np.mean(grades_of(CUTS, whole) == grades_of(CUTS, other))
    print(f"same grade under other seeds: {100 * same:.1f} %")

    efforts = measure(1, 32000)
    winnable = np.delete(efforts, UNWINNABLE - 1)
    thirds = np.sort(winnable)[[len(winnable) // 3, 2 * len(winnable) // 3]]
    print(f"thirds of 1..32000: below {thirds[0]}, from {thirds[1]}; {CUTS}")
    fewest = np.loadtxt(REFERENCE, np.int64)[:, 1]
    print(f"rank correlation with fewest cells: {correlation(efforts[:8000], fewest):.3f}")
    grades = grades_of(CUTS, efforts[:8000])
    for place, grade in enumerate(GRADES):
        chosen = fewest[grades == place]
        print(f"{grade}: {len(chosen)} of 8000 deals, fewest cells {chosen.mean():.2f} on average")


if __name__ == "__main__":
    main()
