"""Calibrate and check the grader `pyramid-1`.

python benchmarks/pyramid_grade.py thresholds   # thirds of the winnable ones of 1..20000
python benchmarks/pyramid_grade.py halves       # split-half rank correlation above 32000
"""

from __future__ import annotations

import sys
import time

import numpy as np
from numpy.typing import NDArray

from dealgen.numbering import numbering_of
from solvers.games import load
from solvers.jit import kernel
from solvers.outcome import Verdict
from solvers.pyramid import effort, layout, ranks
from solvers.search.arena import new_arena
from solvers.search.bits import hash_deck

MS = numbering_of("ms")
GAME = load("pyramid")
CLASSIC = GAME.profiles["classic"]


def winnable_decks(first: int, last: int) -> NDArray[np.uint8]:
    """Return the decks of a range that can be won."""
    decks = MS.decks(GAME, range(first, last + 1))
    batch = GAME.solve_many(decks, CLASSIC, GAME.default_limits, want_lines=False)
    return decks[batch.verdict == Verdict.WINNABLE]


@kernel
def count_wins(arena, seed, first, step, playouts):  # type: ignore[no-untyped-def]
    """Count the wins of every `step`-th of the playouts from `first` on."""
    wins = 0
    for turn in range(first, playouts, step):
        wins += effort.count_wins(arena, seed, turn, turn + 1)
    return wins


def wins_of(decks: NDArray[np.uint8], first: int, step: int, playouts: int) -> NDArray[np.int64]:
    """Count the wins of each deck in every `step`-th of the playouts from `first` on."""
    arena = new_arena(ranks.RANKS.size())
    address = arena.ctypes.data
    ranks.set_rules(address, layout.pack_profile(CLASSIC))
    wins = np.zeros(len(decks), np.int64)
    for row, packed in enumerate(GAME.solver.deal_decks(decks, CLASSIC)):
        ranks.sort_cards(address, packed)
        wins[row] = count_wins(address, hash_deck(decks[row]), first, step, playouts)
    return wins


def thresholds() -> None:
    """Print the thirds, and the time that measuring takes."""
    decks = winnable_decks(1, 20_000)
    GAME.measure_many(decks[:1], CLASSIC)
    begin = time.thread_time()
    efforts = GAME.measure_many(decks, CLASSIC)
    ms = (time.thread_time() - begin) / len(decks) * 1e3
    low, high = np.percentile(efforts, [100 / 3, 200 / 3], method="lower")
    print(f"{len(decks)} winnable deals: thirds at {low} and {high} thousandths of a try")
    print(f"tenths: {np.percentile(efforts, range(10, 100, 10)).astype(int).tolist()}")
    print(f"{ms:.2f} ms a deal (CPU)")


def halves() -> None:
    """Print the rank correlation of two halves of the playouts, 10,000 deals above 32000."""
    decks = winnable_decks(32_001, 42_000)
    for playouts in (effort.REPEATS, 2 * effort.REPEATS):
        places = [_ranks(wins_of(decks, half, 2, playouts)) for half in (0, 1)]
        correlation = np.corrcoef(places[0], places[1])[0, 1]
        print(f"{len(decks)} deals, two halves of {playouts} playouts: {correlation:.4f}")


def _ranks(values: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return ranks, equal values sharing their mean rank."""
    _values, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    mean_rank = ends - (counts - 1) / 2
    return mean_rank[inverse]


if __name__ == "__main__":
    {"thresholds": thresholds, "halves": halves}[sys.argv[1]]()
