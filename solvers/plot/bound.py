"""The reserve bound: how far each rank may be built before the reserve cannot be played.

Reserve cards go to foundations only, in their order. So when the last v of them are left, no
rank may have more cards out than all of those can still follow. The bound is exact for the
game in which every other card is free to play (tests/plot/test_bound.py): it proves deals dead
at the root, and keeps searches from foundation moves that lose. It holds in every profile.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.jit import Local, kernel
from solvers.plot.layout import COPIES, OUT, RANK_COUNT, RESERVE_LEFT, RESERVES

#: Words between the rows of a bound, and its size: rows for 0..13 reserve cards left.
ROW = 16
BOUND_SIZE = 14 * ROW
_new_counts = Local(np.int64, ROW)


@kernel
def build(packed: Any, bound: Any) -> bool:
    """Compute the bound of a position; tell whether the position keeps it.

    packed  uint8[PACKED_SIZE]
    bound   int64[BOUND_SIZE]    out; bound[ROW * v + q] is the most cards of relative rank q
            that may be out while the v deepest reserve cards are left; -1 when those can
            never be played

    Row v follows from row v - 1 and the rank r of the v-th card, which is played before the
    others. The row below it holds after that; so before, c[r] is one less, and r fits only
    where c[r] < c[q] for the ranks q below it. Cards of q still in the reserve are not out.
    Counters do not rise from rank to rank, hence the running minimum. While no card of the
    last rank may be out it is phase 1, and no rank has more than one.

    False means that the position is lost under every profile.
    """
    ranks = np.int64(packed[RANK_COUNT])
    copies = np.int64(packed[COPIES])
    left = np.int64(packed[RESERVE_LEFT])
    held = _new_counts()
    for rank in range(ranks):
        held[rank] = 0
        bound[rank] = copies
    for count in range(1, left + 1):
        row = ROW * count
        below = row - ROW
        top = np.int64(packed[RESERVES + count - 1])
        held[top] += 1
        lowest = copies
        lowest_before = copies
        for rank in range(ranks):
            most = min(bound[below + rank], copies - held[rank])
            if rank == top:
                most = min(most, bound[below + rank] - 1, lowest_before - 1)
            lowest_before = min(lowest_before, bound[below + rank])
            lowest = min(lowest, most)
            bound[row + rank] = lowest
        if bound[row + ranks - 1] < 1:
            lost = bound[row + ranks - 1] < 0
            for rank in range(ranks):
                bound[row + rank] = -1 if lost else min(bound[row + rank], 1)
    kept = True
    for rank in range(ranks):
        kept = kept and np.int64(packed[OUT + rank]) <= bound[ROW * left + rank]
    return kept
