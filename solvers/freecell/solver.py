"""FreeCell's solver: short searches in bulk; for what is left long searches, then a proof.

Owns the order in which methods are tried and the memory they get; all else is `Solver`'s. Loops
over nodes are the kernels'.

    >>> from solvers.freecell.rules import PROFILES, State
    >>> from solvers.outcome import Limits
    >>> nearly = State(((48, 49, 50, 51),) + ((),) * 7, (-1,) * 4, (12, 12, 12, 12))
    >>> SOLVER.solve(nearly, PROFILES["classic"], Limits(1000, 64)).length
    4
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import IllegalMoveError
from solvers.freecell import (
    bulk,
    effort,
    kernel,
    layout,
    proof,
    records,
    rules,
    schedule,
    singles,
)
from solvers.freecell.lines import MAX_LINE, WRITER_SIZE, write_line
from solvers.outcome import Limit, Limits, Verdict
from solvers.search.case import Case
from solvers.search.solver import Rows, Solver
from solvers.search.status import DRY, LOST, OUT_OF_MEMORY, REJECTED, WON

_MIB = 1 << 20
#: Nodes of the proof between two looks at the clock.
_SLICE = 20_000
#: Room for lines, moves a position: more than ten times what solutions take on average, some 90.
_ROOM = 1024


def _searched_rules(profile: rules.Profile) -> NDArray[np.int64]:
    """Return the rules that positions are searched by, `int64[RULES_SIZE]`.

    Without forced max autoplay every supermove of the power rule is a series of legal single
    moves, whatever the profile's own rule, and a safe card may go home at once: `lines` writes out
    what the profile does not do. With it, whole moves count.
    """
    searched = layout.pack_profile(profile)
    if searched[layout.RULE_AUTOPLAY] != layout.MAX:
        searched[layout.RULE_AUTOPLAY] = layout.SAFE
        searched[layout.RULE_SUPERMOVE] = layout.POWER
    return searched


def _run_stages(
    arena: NDArray[np.int64],
    packed: NDArray[np.uint8],
    profile: rules.Profile,
    stages: NDArray[np.int64],
    max_nodes: int,
    room: int,
) -> Rows:
    """Search positions by stages, configurations of `schedule`; `room` is for moves of lines.

    Stages with a choice of what goes home are left out where all of it is forced.
    """
    if profile.autoplay == "max":
        stages = schedule.forced(stages)
    rows = Rows.empty(len(packed), room)
    records.set_rules(arena.ctypes.data, _searched_rules(profile))
    bulk.decide(
        arena.ctypes.data,
        packed,
        layout.pack_profile(profile),
        stages,
        max_nodes,
        rows.statuses,
        rows.nodes,
        rows.lengths,
        rows.lines,
        rows.offsets,
    )
    return rows


class FreeCellCase(Case):
    """One position that resisted the short searches.

    ran_dry  whether a search did that leaves hardly anything out: only a proof is worth trying
    """

    def __init__(
        self, packed: NDArray[np.uint8], profile: rules.Profile, limits: Limits, spent: int
    ) -> None:
        """Begin; `spent` nodes went before."""
        super().__init__(limits, spent)
        self.packed = packed
        self.profile = profile
        self.memory_mib = limits.memory_mib
        self.ran_dry = False

    def decide(self, method: str, *, bulk_done: bool) -> None:
        """Run the method's searches, then the proof."""
        if method == "fast":
            if not bulk_done:
                self._search(records.quick_arena(self.memory_mib), schedule.QUICK)
            if self.is_open():
                self._search(records.deep_arena(self.memory_mib), schedule.LONG)
        elif method == "best-first":
            self._search(records.deep_arena(self.memory_mib), schedule.BEST_FIRST)
        self._exhaust()

    def _search(self, arena: NDArray[np.int64], stages: NDArray[np.int64]) -> None:
        """Run stages one by one while the case is open."""
        for stage in stages:
            if not self.is_open():
                return
            rows = _run_stages(
                arena, self.packed[None], self.profile, stage[None], self.nodes_left, MAX_LINE
            )
            self.nodes += int(rows.nodes[0])
            if rows.statuses[0] == REJECTED:
                raise SOLVER.rejection(self.packed, self.profile)
            if rows.statuses[0] == WON:
                self.won(rows.lines[: rows.lengths[0]])
            elif rows.statuses[0] == DRY:
                self.ran_dry = True
                return

    def _exhaust(self) -> None:
        """Visit positions one after another: running dry is the only source of `unwinnable`."""
        if not self.is_open():
            return
        # The arena of the searches has the rest.
        memory = self.memory_mib * _MIB * 3 // 5
        run = proof.Exhaustion(self.packed, _searched_rules(self.profile), memory)
        while self.is_open():
            status = run.go_on(min(_SLICE, self.nodes_left))
            self.nodes += run.nodes_of_last_slice
            if status == LOST:
                self.verdict = Verdict.UNWINNABLE
            elif status == OUT_OF_MEMORY:
                self.limit = Limit.MEMORY
            elif status == WON:
                self._write(run.macros(), int(run.rules[layout.RULE_AUTOPLAY]))

    def _write(self, macros: NDArray[np.int64], searched: int) -> None:
        """Write and replay the line that macros stand for."""
        # A macro of the proof is one move; the rest is for cards that go home, and to finish.
        line = np.empty(len(macros) + MAX_LINE, np.uint16)
        writer = np.empty(WRITER_SIZE, np.int64)
        own = layout.pack_profile(self.profile)
        length = write_line(self.packed.copy(), own, macros, searched, writer, line)
        if length < 0:
            raise SOLVER.rejection(self.packed, self.profile)
        self.won(line[:length])


class FreeCellSolver(Solver[rules.State, rules.Move, rules.Profile]):
    """How FreeCell's positions are decided; `SOLVER` is its only instance.

    Packed positions decided together all have the same number of columns. Outcomes have the extra
    `single_card_moves`: the solution's length with each supermove counted as the single-card moves
    that it stands for; None without a solution.
    """

    name = "freecell"
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
    ) -> Rows | None:
        """Run the short searches of `fast` over all positions; with a bound on seconds none."""
        if method != "fast" or limits.max_seconds is not None:
            return None
        arena = records.quick_arena(limits.memory_mib)
        room = len(packed) * _ROOM + MAX_LINE if want_lines else 0
        return _run_stages(arena, packed, profile, schedule.QUICK, limits.max_nodes, room)

    def case(
        self, packed: NDArray[np.uint8], profile: rules.Profile, limits: Limits, spent: int
    ) -> Case:
        """Return a position to be decided by itself."""
        return FreeCellCase(packed, profile, limits, spent)

    def measure_decks(self, decks: NDArray[np.uint8], profile: rules.Profile) -> NDArray[np.int64]:
        """Return the effort of decks, thousandths of a node."""
        return effort.measure_decks(decks, profile)

    def judge(
        self, began: rules.State, moves: Sequence[rules.Move], profile: rules.Profile
    ) -> Mapping[str, Any]:
        """Replay a solution by the plain rules; count the single-card moves that it stands for."""
        state, total = began, 0
        for move in moves:
            total += len(singles.single_moves(state, move, profile))
            state = rules.apply(state, move, profile)
        if not rules.is_won(state, profile):
            raise IllegalMoveError("the line ends here, and the game is not won", move="")
        return {"single_card_moves": total}

    def extras_without_solution(self) -> Mapping[str, Any]:
        """Return the extras of an outcome without a solution."""
        return {"single_card_moves": None}


SOLVER = FreeCellSolver()
