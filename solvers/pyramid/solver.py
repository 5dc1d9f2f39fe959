"""Pyramid's solver: the exact test for all positions at once, then a search for each left over.

Owns the order in which methods are tried, limits and memory. Loops over nodes are the kernels'.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.outcome import Limit, Limits, Verdict
from solvers.pyramid import bulk, effort, graph, ideals, kernel, layout, lines, optimal, passes, proof, rules
from solvers.search.arena import PerThread
from solvers.search.case import Case
from solvers.search.solver import Rows, Solver
from solvers.search.status import LOST, OPEN, OUT_OF_MEMORY, WON

#: States between two looks at the clock.
_SLICE = 20_000
#: Moves per line that are made room for at first; solutions found in bulk have 60 to 90.
_ROOM = 128


class _Tables:
    """The tables of one thread, for searches within so many MiB."""

    def __init__(self, memory_mib: int) -> None:
        """Allocate; what is not used is never backed by memory."""
        self.proof = proof.new_memory(memory_mib)
        self.nodes = np.empty((graph.MAX_NODES, graph.NODE_COLUMNS), np.int64)
        self.singles = np.empty((graph.MAX_NODES, layout.PLACE_BITS), np.int16)
        self.pair_ends = np.empty(graph.MAX_NODES + 1, np.int32)
        self.pair_nodes = np.empty(graph.MAX_PAIRS, np.int16)
        self.reach = np.empty((graph.MAX_NODES, passes.LAYERS * passes.WIDTH), np.uint8)
        self.queue = optimal.new_memory(memory_mib)
        self.heads = np.empty(optimal.MAX_COST, np.int32)


_tables = PerThread(_Tables)


class _Case(Case):
    """One position that the exact test left open."""

    def __init__(
        self,
        packed: NDArray[np.uint8],
        profile: rules.Profile,
        limits: Limits,
        spent: int,
        solver: PyramidSolver,
    ) -> None:
        """Begin; `spent` states were expanded before."""
        super().__init__(limits, spent)
        self.packed, self.profile, self.solver = packed, profile, solver
        self.rules = layout.pack_profile(profile)
        self.tables = _tables(limits.memory_mib)
        self.ranks, self.tops = np.zeros(16, np.int64), np.zeros(16, np.int64)
        self.rank_at = np.zeros(64, np.int64)
        pyramid, stock = self._masks()
        proof.mask_ranks(packed, pyramid, stock, self.ranks, self.tops, self.rank_at)
        self.exact = profile.goal == "all" and not profile.stock_top
        self.needs = int(proof.root_needs(self.ranks, self.tops, self.exact))

    def _masks(self):
        rows = self.packed[layout.PYRAMID:].tolist()
        pyramid = sum(row << 7 * i for i, row in enumerate(rows[:7]))
        stock = int.from_bytes(bytes(rows[7:10]), "little")
        return pyramid, stock

    def decide(self, method: str, *, bulk_done: bool) -> None:
        """Search, exhaustively but for the limits."""
        if self.is_open():
            self.search(hurry=method == "fast")

    def search(self, *, hurry: bool) -> None:
        """Search for a shortest solution, or in a hurry for any; exhaustive either way."""
        tables = self.tables
        entries, links, index = tables.queue
        masks, after = ideals.tables()
        pyramid, stock = self._masks()
        cards = stock.bit_length()
        stock_ranks = np.zeros(rules.STOCK_SIZE, np.int64)
        stock_ranks[:cards] = (self.packed[rules.PYRAMID_SIZE :][:cards] >> 2) + 1
        kings = int(self.ranks[13])
        edges = (tables.singles, tables.pair_ends, tables.pair_nodes)
        total = graph.build(
            ideals.number_of(pyramid),
            self.needs,
            kings,
            self.profile.cover_pairs,
            self.exact,
            masks,
            after,
            self.rank_at,
            tables.nodes,
            *edges,
        )
        if total == 0:
            self.verdict = Verdict.UNWINNABLE
            return
        shared = (self.rank_at, self.tops, stock_ranks, tables.reach)
        passes.fill_passes(self.rules, total, cards, tables.nodes, *edges, *shared)
        run_state = np.zeros(optimal.RUN_SIZE, np.int64)
        unlimited = self.profile.redeals is None
        position = optimal.pack_position(
            0,
            stock,
            int(self.packed[layout.DRAWN]),
            0 if unlimited else int(self.packed[layout.REDEALS]),
        )
        before = pyramid.bit_count()
        cost = before - int(tables.nodes[0, graph.PYRAMID]).bit_count()
        queue = (entries, links, index, tables.heads)
        if not optimal.start(
            position, cost, cards, self.rules, tables.nodes, *shared[1:], run_state, *queue
        ):
            self.verdict = Verdict.UNWINNABLE
            return
        status = OPEN
        while status == OPEN and self.is_open():
            expanded = int(run_state[optimal.EXPANDED])
            status = optimal.run(
                run_state,
                min(_SLICE, self.nodes_left),
                optimal.MAX_COST,
                hurry,
                cards,
                self.rules,
                tables.nodes,
                *edges,
                *shared,
                *queue,
            )
            self.nodes += int(run_state[optimal.EXPANDED]) - expanded
        if status == LOST:
            self.verdict = Verdict.UNWINNABLE
        elif status == OUT_OF_MEMORY:
            self.limit = Limit.MEMORY
        elif status == WON:
            self._write(int(run_state[optimal.GOAL_ENTRY]), kings)

    def _write(self, goal: int, kings: int) -> None:
        """Write and replay the line of a search's solution."""
        entries = self.tables.queue[0]
        steps = np.empty((64, 2), np.int64)
        count = optimal.trace(goal, entries, self.tables.nodes, steps)
        line = np.empty(optimal.MAX_COST, np.uint16)
        length = lines.write_path(
            self.packed, self.rules, kings, int(self.tops[13]), steps, count, line
        )
        if length != int(entries[goal, 1]) & optimal.COST_MASK or not kernel.wins(
            self.packed, np.empty(kernel.CARD_CODES, np.uint8), self.rules, line, 0, length
        ):
            raise self.solver.rejection(self.packed, self.profile)
        self.won(line[:length])


class PyramidSolver(Solver[rules.State, rules.Move, rules.Profile]):
    """Pyramid's solver; `SOLVER` is its only instance.

    >>> last = rules.State((48,) + (-1,) * 27, (0, 44), (), 0)
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
        """Apply the exact test; the few nodes of a position are one look at the clock."""
        count = len(packed)
        rows = Rows.empty(count, (_ROOM * count if want_lines else 0) + lines.LINE_ROOM)
        packed_rules = layout.pack_profile(profile)
        row = 0
        while row < count:
            row = bulk.decide(
                packed,
                packed_rules,
                limits.max_nodes,
                row,
                *_tables(limits.memory_mib).proof,
                rows,
                want_lines,
            )
            if row < count:
                more = np.empty(len(rows.lines), np.uint16)
                rows = rows._replace(lines=np.concatenate([rows.lines, more]))
        if method != "fast":
            # The winnable ones are still open: their lines are not the shortest.
            rows.statuses[(rows.statuses == WON) & (rows.lengths > 0)] = OPEN
        return rows

    def case(
        self, packed: NDArray[Any], profile: rules.Profile, limits: Limits, spent: int
    ) -> Case:
        """Return a position that the exact test left open."""
        return _Case(packed, profile, limits, spent, self)

    def measure_decks(
        self, decks: NDArray[np.uint8], profile: rules.Profile
    ) -> NDArray[np.int64]:
        """Return the effort of decks, `int64[n]`, thousandths of a try; see `effort`."""
        return effort.measure_decks(decks, profile)


SOLVER = PyramidSolver()
