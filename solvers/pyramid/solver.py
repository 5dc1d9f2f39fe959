"""Pyramid's solver: the exact test for all positions at once, then a search for each left over.

Owns the order in which methods are tried, limits and memory. Loops over nodes are the kernels'.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.outcome import Limit, Limits, Verdict
from solvers.pyramid import bulk, effort, frontier, kernel, layout, loop, optimal, rules, search
from solvers.pyramid.lines import LINE_ROOM, write_path
from solvers.pyramid.memory import arena_of
from solvers.search.case import Case
from solvers.search.solver import Rows, Solver
from solvers.search.status import LIMITS, OPEN, VERDICTS, WON

#: States between two looks at the clock: some tens of milliseconds.
_SLICE = 20_000
#: Moves per line that are made room for at first: lines from pairs have some 60.
_ROOM = 128


class _Case(Case):
    """One position that the exact test left open."""

    def __init__(
        self, packed: NDArray[np.uint8], profile: rules.Profile, limits: Limits, spent: int
    ) -> None:
        """Begin; `spent` states were expanded before."""
        super().__init__(limits, spent)
        self.packed, self.profile = packed, profile
        self.arena = arena_of(limits.memory_mib)

    def decide(self, method: str, *, bulk_done: bool) -> None:
        """Search, exhaustively but for the limits; the exact test has left nothing else to try."""
        if not self.is_open():
            return
        address, packed_rules = self.arena.ctypes.data, layout.pack_profile(self.profile)
        run = optimal.run if method == "astar" else search.run
        status = loop.start(address, self.packed, packed_rules)
        while status == OPEN and self.is_open():
            status, expanded = run(address, min(_SLICE, self.nodes_left))
            self.nodes += expanded
        if status == WON:
            self._write(address, packed_rules)
        elif status != OPEN:
            self.verdict, self.limit = Verdict(VERDICTS[status]), Limit(LIMITS[status])

    def _write(self, address: int, packed_rules: NDArray[np.int64]) -> None:
        """Write and replay the line of a search's solution."""
        line = np.empty(frontier.MAX_COST, np.uint16)
        length = write_path(address, self.packed, line)
        where = np.empty(kernel.CARD_CODES, np.uint8)
        if length < 0 or not kernel.wins(self.packed, where, packed_rules, line, 0, length):
            raise SOLVER.rejection(self.packed, self.profile)
        self.won(line[:length])


class PyramidSolver(Solver[rules.State, rules.Move, rules.Profile]):
    """Pyramid's solver; `SOLVER` is its only instance.

    >>> last = rules.State((48,) + (rules.NO_CARD,) * 27, stock=(0, 44))
    >>> SOLVER.solve(last, rules.PROFILES["classic"], Limits(1000, 1)).length
    1
    """

    name = "pyramid"
    rules = rules
    layout = layout
    kernel = kernel

    def decide_in_bulk(
        self,
        packed: NDArray[np.uint8],
        profile: rules.Profile,
        limits: Limits,
        *,
        want_lines: bool,
        method: str,
    ) -> Rows:
        """Apply the exact test, which takes a position some microseconds at most milliseconds."""
        count = len(packed)
        rows = Rows.empty(count, (_ROOM * count if want_lines else 0) + LINE_ROOM)
        arena, packed_rules = arena_of(limits.memory_mib), layout.pack_profile(profile)
        row = 0
        while row < count:
            row = bulk.decide(
                arena.ctypes.data, packed, packed_rules, limits.max_nodes, row, rows, want_lines
            )
            if row < count:
                more = np.empty(len(rows.lines), np.uint16)
                rows = rows._replace(lines=np.concatenate([rows.lines, more]))
        if method == "astar":
            # What is winnable is open still: lines from pairs are not the shortest.
            rows.statuses[(rows.statuses == WON) & (rows.lengths > 0)] = OPEN
        return rows

    def case(
        self, packed: NDArray[np.uint8], profile: rules.Profile, limits: Limits, spent: int
    ) -> Case:
        """Return a position that the exact test left open."""
        return _Case(packed, profile, limits, spent)

    def measure_decks(self, decks: NDArray[np.uint8], profile: rules.Profile) -> NDArray[np.int64]:
        """Return the effort of decks, `int64[n]`, thousandths of a try; see `effort`."""
        return effort.measure_decks(decks, profile)


SOLVER = PyramidSolver()
