"""The fewest cells that win a deal of FreeCell.

Owns the order of the questions. A line that wins with k cells wins with k + 1, one of which stays
empty, under every profile: forced autoplay sees the same cards, and no capacity is less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from solvers.freecell.rules import MAX_CELLS, Profile
from solvers.outcome import Verdict

#: In the place of the upper end, where no number of cells was found to win.
NO_CELLS = -1


def fewest_cells(
    decks: NDArray[np.uint8],
    profile: Profile,
    verdicts: Callable[[NDArray[np.uint8], Profile], NDArray[np.int8]],
) -> NDArray[np.int64]:
    """Return the fewest cells that win each deck, `int64[n, 2]`: at least, and at most.

    From no cells upwards, the cheapest searches first; who has won is not asked about again.

    verdicts  decides decks under a profile, int8[n] of Verdict numbers
    """
    found = np.zeros((len(decks), 2), np.int64)
    found[:, 1] = NO_CELLS
    left = np.arange(len(decks))
    for cells in range(MAX_CELLS + 1):
        if not len(left):
            break
        verdict = verdicts(decks[left], replace(profile, cells=cells))
        found[left[verdict == Verdict.UNWINNABLE], 0] = cells + 1
        found[left[verdict == Verdict.WINNABLE], 1] = cells
        left = left[verdict != Verdict.WINNABLE]
    return found
