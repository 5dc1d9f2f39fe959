"""The solver of The Plot: rollouts, proofs of loss, best-first searches.

Owns the order in which they are tried and the memory they get. Loops over nodes are the kernels'.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.outcome import Limit, Limits, Verdict
from solvers.plot import (
    bound,
    bulk,
    effort,
    kernel,
    layout,
    lines,
    nodes,
    phase_one,
    playout,
    rules,
    schedule,
    search,
    search_state,
)
from solvers.search.arena import PerThread
from solvers.search.case import Case
from solvers.search.solver import Rows, Solver
from solvers.search.status import LOST, OUT_OF_MEMORY, REJECTED, WON

_WORD = search_state.WORD

#: Each thread's arena for searches, by MiB and isolation.
_arena = PerThread(nodes.make_arena)
#: Each thread's memory for the threshold abstraction.
_memory = PerThread(phase_one.make_memory)


class _Case(Case):
    """One position that resisted the first stages: what is spent, and what is found."""

    def __init__(
        self, packed: NDArray[np.uint8], profile: rules.Profile, limits: Limits, spent: int
    ) -> None:
        """Load the position into this thread's arena."""
        super().__init__(limits, spent)
        self.packed = packed
        self.profile = profile
        self.rules = layout.pack_profile(profile)
        self.isolation = int(self.rules[layout.RULE_ISOLATION])
        self.arena = _arena(limits.memory_mib, self.isolation)
        self.address = self.arena.ctypes.data
        own_bound = np.zeros(bound.BOUND_SIZE, np.int64)
        if not bound.build(packed, own_bound):
            self.verdict = Verdict.UNWINNABLE
        search_state.load_deal(self.address, packed, own_bound, self.isolation)
        self.seed = search_state.fingerprint(self.address)
        self.threshold = 0

    def roll(self) -> None:
        """Try rollouts, for a position that did not go through the first stages in bulk."""
        rows = _roll(self.arena, self.packed[None], self.rules, self.nodes_left, playout.MAX_LINE)
        self.nodes += int(rows.nodes[0])
        if rows.statuses[0] == REJECTED:
            raise SOLVER.rejection(self.packed, self.profile)
        if rows.statuses[0] == WON:
            self.won(rows.lines[: rows.lengths[0]])

    def prove(self, thresholds: range, limit: int) -> None:
        """Ask the abstraction for a proof, from the coarsest threshold to the finest.

        Notes the finest that was cheap to answer: the search asks it about its states.
        """
        if not kernel.in_phase_one(self.packed):
            return
        memory = _memory(schedule.ABSTRACT_STATES)
        ranks = int(self.packed[layout.RANK_COUNT])
        for threshold in thresholds:
            if not 1 <= threshold < ranks:
                continue
            if not self.is_open():
                return
            phase_one.prepare(self.address, memory.ctypes.data, threshold)
            answer = phase_one.query(
                self.address,
                memory.ctypes.data,
                search_state.ROOT,
                min(limit, self.nodes_left),
            )
            expanded = int(memory[phase_one.EXPANDED // _WORD])
            self.nodes += expanded
            if answer == phase_one.DEAD:
                self.verdict = Verdict.UNWINNABLE
            elif answer == phase_one.ALIVE and expanded <= schedule.CHEAP_QUERY:
                if threshold >= schedule.FINEST_PRUNING:
                    self.threshold = threshold
            elif answer == phase_one.UNKNOWN:
                return

    def search(self, stage: schedule.Stage, budget: int) -> None:
        """Run one search while the case is open."""
        if not self.is_open():
            return
        memory = 0
        if stage.prunes and self.threshold > 0:
            memory = _memory(schedule.ABSTRACT_STATES).ctypes.data
        weights = schedule.weights_of(stage, self.isolation)
        first = search_state.WEIGHTS_AT // _WORD
        before = self.arena[first : first + len(weights)].copy()
        self.arena[first : first + len(weights)] = weights
        isolation = search_state.ISOLATION_AT // _WORD
        restricted = stage.isolates and self.isolation == layout.ISOLATION_NONE
        if restricted:
            self.arena[isolation] = layout.ISOLATION_PHASE1
        if memory:
            phase_one.prepare(self.address, memory, self.threshold)
        result = search.run(
            self.address,
            memory,
            stage.order,
            stage.noise,
            self.seed + stage.seed,
            min(budget, self.nodes_left),
        )
        self.arena[first : first + len(weights)] = before
        self.arena[isolation] = self.isolation
        self.nodes += int(self.arena[search.EXPANDED // _WORD])
        if memory:
            memory_words = _memory(schedule.ABSTRACT_STATES)
            self.nodes += int(memory_words[phase_one.EXPANDED // _WORD])
        if result == WON:
            self._write()
        elif result == LOST and not restricted:
            self.verdict = Verdict.UNWINNABLE
        elif result == OUT_OF_MEMORY and stage.is_last:
            self.limit = Limit.MEMORY

    def _write(self) -> None:
        """Write and replay the line that the search found."""
        line = np.empty(lines.MAX_LINE, np.uint16)
        length = lines.write_line(self.address, self.packed.copy(), line)
        end = self.packed.copy()
        if length > len(line) or kernel.replay(end, line[:length], self.rules) != length:
            raise SOLVER.rejection(self.packed, self.profile)
        if not kernel.is_won(end):
            raise SOLVER.rejection(self.packed, self.profile)
        self.won(line[:length])

    def decide(self, method: str, *, bulk_done: bool) -> None:
        """Try everything that the method has, one after another, while the case is open."""
        if method == "fast":
            if not bulk_done and self.is_open():
                self.roll()
            self.prove(schedule.QUICK_THRESHOLDS, schedule.QUICK_QUERY)
            for stage in schedule.FAST:
                self.search(stage, stage.budget)
            self.prove(schedule.DEEP_THRESHOLDS, schedule.DEEP_QUERY)
            for stage in schedule.SLOW:
                self.search(stage, stage.budget)
        self.search(schedule.LAST[method], self.max_nodes)
        self.is_open()
        self.nodes = max(self.nodes, 1)


def _roll(
    arena: NDArray[np.int64],
    packed: NDArray[np.uint8],
    rules: NDArray[np.int64],
    max_nodes: int,
    room: int,
) -> Rows:
    """Run the first stages; `room` is for so many moves of lines."""
    rows = Rows.empty(len(packed), room)
    bulk.decide(
        arena.ctypes.data,
        packed,
        rules,
        max_nodes,
        rows.statuses,
        rows.nodes,
        rows.lengths,
        rows.lines,
        rows.offsets,
    )
    return rows


class PlotSolver(Solver[rules.State, rules.Move, rules.Profile]):
    """How positions of The Plot are decided; `SOLVER` is its only instance.

    >>> from solvers.plot.rules import PROFILES, State
    >>> out = (8,) * 12 + (6,)
    >>> nearly = State(1, (), out, ((48,), (49,)) + ((),) * 10, (), ())
    >>> SOLVER.solve(nearly, PROFILES["classic"], Limits(1000, 16)).length
    2
    """

    name = "The Plot"
    rules = rules
    layout = layout
    kernel = kernel

    def decide_in_bulk(
        self,
        packed: NDArray[Any],
        profile: rules.Profile,
        limits: Limits,
        *,
        want_lines: bool,
        method: str,
    ) -> Rows | None:
        """Run the first stages of `fast`; with a bound on seconds positions go one by one."""
        if method != "fast" or limits.max_seconds is not None:
            return None
        packed_rules = layout.pack_profile(profile)
        arena = _arena(limits.memory_mib, int(packed_rules[layout.RULE_ISOLATION]))
        room = len(packed) * playout.MAX_LINE if want_lines else 0
        return _roll(arena, packed, packed_rules, limits.max_nodes, room)

    def case(
        self, packed: NDArray[Any], profile: rules.Profile, limits: Limits, spent: int
    ) -> Case:
        """Return a position to be decided by itself; `spent` nodes went before."""
        return _Case(packed, profile, limits, spent)

    def measure_decks(self, decks: NDArray[np.uint8], profile: rules.Profile) -> NDArray[np.int64]:
        """Return the effort of decks, `int64[n]`, thousandths of a try; see `effort`."""
        return effort.measure_decks(decks, profile)


SOLVER = PlotSolver()
