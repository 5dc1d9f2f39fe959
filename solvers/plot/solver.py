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
    phase_one_known,
    playout,
    policy,
    rules,
    schedule,
    search,
    search_state,
)
from solvers.plot.search_state import words_of
from solvers.search.arena import PerThread
from solvers.search.case import Case
from solvers.search.solver import Rows, Solver
from solvers.search.status import LIMITS, LOST, OPEN, OUT_OF_MEMORY, OUT_OF_NODES, REJECTED, WON

#: What a search or a query may spend between two looks at the clock, and at Ctrl-C: 20 to 50 ms.
_SLICE = 16_000

#: Room for the line of a search; depth-first ones wander, and may be longer.
_LINE_ROOM = 2048

#: Each thread's arena for searches, by MiB.
_arena = PerThread(nodes.make_arena)
#: Each thread's memory for the threshold abstraction.
_memory = PerThread(phase_one_known.make_memory)


class _Case(Case):
    """One position that resisted the first stages: what is spent, and what is found.

    slice_size  as _SLICE; what is found does not depend on it
    """

    def __init__(
        self,
        packed: NDArray[np.uint8],
        profile: rules.Profile,
        limits: Limits,
        spent: int = 0,
        slice_size: int = _SLICE,
    ) -> None:
        """Load the position into this thread's arena."""
        super().__init__(limits, spent)
        self.packed = packed
        self.profile = profile
        self.slice_size = slice_size
        self.rules = layout.pack_profile(profile)
        self.isolation = int(self.rules[layout.RULE_ISOLATION])
        self.arena = _arena(limits.memory_mib)
        self.memory = _memory(schedule.ABSTRACT_STATES)
        self.address, self.memory_address = self.arena.ctypes.data, self.memory.ctypes.data
        self._isolation, self._weights = (
            words_of(self.arena, search_state.DEAL, name) for name in ("isolation", "weights")
        )
        self._expanded, self._asked = (
            words_of(self.arena, search.SEARCH, name) for name in ("expanded", "asked")
        )
        self._answered = words_of(self.memory, phase_one_known.TABLES, "expanded")
        own_bound = np.zeros(bound.BOUND_SIZE, np.int64)
        if not bound.build(packed, own_bound):
            self.verdict = Verdict.UNWINNABLE
        search_state.load_deal(self.address, packed, own_bound, self.isolation)
        self.threshold = 0

    def decide(self, method: str, *, bulk_done: bool) -> None:
        """Try everything that the method has, one after another, while the case is open."""
        if method == "fast":
            if not bulk_done:
                self.roll()
            self.prove(schedule.QUICK_THRESHOLDS, schedule.QUICK_QUERY)
            for stage in schedule.FAST:
                self.search(stage, stage.budget)
            self.prove(schedule.DEEP_THRESHOLDS, schedule.DEEP_QUERY)
            for stage in schedule.SLOW:
                self.search(stage, stage.budget)
        self.search(schedule.LAST[method], self.max_nodes)
        self.nodes = max(self.nodes, 1)

    def roll(self) -> None:
        """Try rollouts, for a position that did not go through the first stages in bulk."""
        if not self.is_open():
            return
        rows = _roll(self.arena, self.packed[None], self.rules, self.nodes_left, playout.MAX_LINE)
        self.nodes += int(rows.nodes[0])
        if rows.statuses[0] == REJECTED:
            raise SOLVER.rejection(self.packed, self.profile)
        if rows.statuses[0] == WON:
            self.won(rows.lines[: rows.lengths[0]])

    def prove(self, thresholds: range, most: int) -> None:
        """Ask the abstraction for a proof, from the coarsest threshold to the finest.

        most  abstract states for each threshold; where they do not suffice, the finer ones are
              not asked

        Notes the finest that was cheap to answer: the search asks it about its states.
        """
        ranks = int(self.packed[layout.RANK_COUNT])
        in_phase_one = self.packed[layout.OUT + ranks - 1] == 0
        for threshold in thresholds:
            if not (in_phase_one and 1 <= threshold < ranks):
                continue
            if not self.is_open():
                return
            answer, asked = self._ask(threshold, most)
            if answer == LOST:
                self.verdict = Verdict.UNWINNABLE
            elif answer != WON:
                return
            elif asked <= schedule.CHEAP_QUERY and threshold >= schedule.FINEST_PRUNING:
                self.threshold = threshold

    def _ask(self, threshold: int, most: int) -> tuple[int, int]:
        """Ask one threshold; return the status of the answer and the states it took."""
        self._isolation[:] = self.isolation
        phase_one.prepare(self.address, self.memory_address, threshold)
        answer = phase_one.ask(self.address, self.memory_address, search_state.ROOT)
        before, asked = self.nodes, 0
        while answer == OPEN and asked < most and self.is_open():
            part = min(self.slice_size, most - asked, self.nodes_left)
            answer = phase_one.explore(self.address, self.memory_address, part)
            asked = int(self._answered[0])
            self.nodes = before + asked
        return answer, asked

    def search(self, stage: schedule.Stage, budget: int) -> None:
        """Run one search while the case is open."""
        if not self.is_open():
            return
        restricted = stage.isolates and self.isolation == layout.ISOLATION_NONE
        self._isolation[:] = layout.ISOLATION_PHASE1 if restricted else self.isolation
        self._weights[:] = schedule.weights_of(stage, self.isolation)
        memory = self.memory_address if stage.prunes and self.threshold > 0 else 0
        if memory:
            phase_one.prepare(self.address, memory, self.threshold)
        search.begin(
            self.address,
            memory,
            stage.order,
            stage.noise,
            stage.seed,
            min(budget, self.nodes_left),
            self.nodes_left,
        )
        before, status = self.nodes, OPEN
        while status == OPEN and self.is_open():
            status = search.run(self.address, self.slice_size)
            self.nodes = before + int(self._expanded[0] + self._asked[0])
        if status == WON:
            self._write()
        elif status == LOST and not restricted:
            self.verdict = Verdict.UNWINNABLE
        elif stage.is_last and status in (OUT_OF_NODES, OUT_OF_MEMORY):
            self.limit = Limit(int(LIMITS[status]))

    def _write(self) -> None:
        """Write and replay the line that the search found."""
        line = np.empty(_LINE_ROOM, np.uint16)
        length = lines.write_line(self.address, self.packed.copy(), line)
        if length > len(line):
            line = np.empty(length, np.uint16)
            lines.write_line(self.address, self.packed.copy(), line)
        if not kernel.wins(self.packed.copy(), line[:length], self.rules):
            raise SOLVER.rejection(self.packed, self.profile)
        self.won(line[:length])


def _roll(
    arena: NDArray[np.int64],
    packed: NDArray[np.uint8],
    rules: NDArray[np.int64],
    max_nodes: int,
    room: int,
) -> Rows:
    """Run the first stages over packed positions; `room` is how many moves the lines may have."""
    rows = Rows.empty(len(packed), room)
    weights = policy.weights_for(int(rules[layout.RULE_ISOLATION]))
    words_of(arena, search_state.DEAL, "weights")[:] = weights
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
        room = len(packed) * playout.MAX_LINE if want_lines else 0  # No rollout is longer.
        packed_rules = layout.pack_profile(profile)
        return _roll(_arena(limits.memory_mib), packed, packed_rules, limits.max_nodes, room)

    def case(
        self, packed: NDArray[Any], profile: rules.Profile, limits: Limits, spent: int
    ) -> Case:
        """Return a position to be decided by itself; `spent` nodes went before."""
        return _Case(packed, profile, limits, spent)

    def measure_decks(self, decks: NDArray[np.uint8], profile: rules.Profile) -> NDArray[np.int64]:
        """Return the effort of decks, `int64[n]`, thousandths of a try; see `effort`."""
        return effort.measure_decks(decks, profile)


SOLVER = PlotSolver()
