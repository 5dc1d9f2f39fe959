"""One deal on its way to a verdict: what the solvers of all games keep account of.

Owns the bookkeeping of limits; which searches are tried is up to each game.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from solvers.outcome import Limit, Limits, Verdict


class Case(ABC):
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

    @abstractmethod
    def decide(self, method: str, *, bulk_done: bool) -> None:
        """Try everything that the method has, one after another, while the case is open.

        bulk_done  whether `bulk.decide` has had this position already
        """

    @property
    def nodes_left(self) -> int:
        """How many states may still be expanded."""
        return self.max_nodes - self.nodes

    def won(self, line: NDArray[np.uint16]) -> None:
        """Note a solution that the kernel twin has replayed."""
        self.verdict, self.line = Verdict.WINNABLE, line.copy()

    def is_open(self) -> bool:
        """Tell whether to go on: no verdict, no limit reached. Notes the limit that is."""
        if self.verdict is Verdict.UNDECIDED and self.limit is Limit.NONE:
            if self.nodes >= self.max_nodes:
                self.limit = Limit.NODES
            elif self.deadline is not None and time.monotonic() >= self.deadline:
                self.limit = Limit.SECONDS
        return self.verdict is Verdict.UNDECIDED and self.limit is Limit.NONE
