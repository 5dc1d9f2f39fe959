"""One deal on its way to a verdict, and the lines of many: what the games' solvers share.

Owns the bookkeeping of limits and of lines that come late; which methods are tried is up to each
game.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from solvers.outcome import Limit, Limits, Verdict


class Case:
    """What is spent on one position, and what is found.

    nodes    states expanded so far
    verdict  UNDECIDED until something is found
    limit    what stopped the search, if a limit did
    line     the replayed solution of a winnable position, packed moves
    """

    def __init__(self, limits: Limits, spent: int = 0) -> None:
        """Begin; `spent` states were expanded before."""
        self.max_nodes = limits.max_nodes
        seconds = limits.max_seconds
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.nodes = spent
        self.verdict = Verdict.UNDECIDED
        self.limit = Limit.NONE
        self.line = np.empty(0, np.uint16)

    @property
    def nodes_left(self) -> int:
        """How many states may still be expanded."""
        return self.max_nodes - self.nodes

    def is_open(self) -> bool:
        """Tell whether to go on: no verdict, no limit reached. Notes the limit that is."""
        if self.verdict is Verdict.UNDECIDED and self.limit is Limit.NONE:
            if self.nodes >= self.max_nodes:
                self.limit = Limit.NODES
            elif self.deadline is not None and time.monotonic() >= self.deadline:
                self.limit = Limit.SECONDS
        return self.verdict is Verdict.UNDECIDED and self.limit is Limit.NONE


def merge_lines(
    lines: NDArray[np.uint16], offsets: NDArray[np.int64], late: Mapping[int, NDArray[np.uint16]]
) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """Return the lines of a batch, and their offsets, with those that came late in their places.

    lines    line i is lines[offsets[i] : offsets[i + 1]]; room behind the last is left out
    late     lines by row
    """
    if not late:
        return lines[: offsets[-1]].copy(), offsets
    parts = [lines[offsets[row] : offsets[row + 1]] for row in range(len(offsets) - 1)]
    for row, line in late.items():
        parts[row] = line
    ends = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return np.concatenate(parts), ends
