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
from solvers.pyramid import effort, layout, proof
from solvers.pyramid.rules import PYRAMID_SIZE
from solvers.search.bits import hash_deck, mix

MS = numbering_of("ms")
GAME = load("pyramid")
CLASSIC = GAME.profiles["classic"]


def winnable_decks(first: int, last: int) -> NDArray[np.uint8]:
    """Return the decks of a range that can be won."""
    decks = MS.decks(GAME, range(first, last + 1))
    batch = GAME.solve_many(decks, CLASSIC, GAME.default_limits, want_lines=False)
    return decks[batch.verdict == Verdict.WINNABLE]


@kernel
def count_wins(deck, rules, first, step, playouts):  # type: ignore[no-untyped-def]
    """Count the wins of every `step`-th of the playouts from `first` on."""
    ranks, tops = np.zeros(16, np.int64), np.zeros(16, np.int64)
    rank_at, stock_ranks = np.zeros(64, np.int64), np.zeros(24, np.int64)
    proof.mask_ranks(deck, layout.FULL_PYRAMID, layout.FULL_STOCK, ranks, tops, rank_at)
    for index in range(24):
        stock_ranks[index] = (deck[PYRAMID_SIZE + index] >> 2) + 1
    needs = proof.root_needs(ranks, tops, False)
    seed = hash_deck(deck)
    wins = 0
    for turn in range(first, playouts, step):
        wins += effort.playout(mix(seed + turn), needs, rules, ranks, tops, rank_at, stock_ranks)
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
    rules = layout.pack_profile(CLASSIC)
    decks = winnable_decks(32_001, 42_000)
    for playouts in (effort.PLAYOUTS, 2 * effort.PLAYOUTS):
        wins = [[count_wins(deck, rules, half, 2, playouts) for deck in decks] for half in (0, 1)]
        ranks = [_ranks(np.array(half)) for half in wins]
        correlation = np.corrcoef(ranks[0], ranks[1])[0, 1]
        print(f"{len(decks)} deals, two halves of {playouts} playouts: {correlation:.4f}")


def _ranks(values: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return ranks, equal values sharing their mean rank."""
    _values, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    mean_rank = ends - (counts - 1) / 2
    return mean_rank[inverse]


if __name__ == "__main__":
    {"thresholds": thresholds, "halves": halves}[sys.argv[1]]()
