"""The public solver of every game: validate, pack, decide in bulk, then one by one, replay.

Owns that order and the clock, the same for all games; which searches run for how long is the
session's business, in the game's compiled program. Every solution is replayed by the kernel twin
before it leaves the program, and by the plain rules as well before it leaves `solve`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from types import ModuleType
from typing import Any, Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.errors import CancelledError, IllegalMoveError, SolutionRejectedError
from solvers.outcome import BatchOutcome, Limit, Limits, Outcome, Verdict
from solvers.play import M, P, Rules, S, replay
from solvers.search.arena import PerThread, new_arena
from solvers.search.status import LIMITS, OPEN, REJECTED, VERDICTS, WON

#: Set by whoever wants the searches of this context to end; they raise CancelledError then.
CANCELLED: ContextVar[threading.Event | None] = ContextVar("CANCELLED", default=None)
#: States between two looks at the clock, and at the keyboard: some milliseconds.
_SLICE = 20_000
#: Moves of any line, generously: written out by single cards the longest known have some 600.
LONGEST_LINE = 1 << 16
#: MiB that measuring takes, whatever the limits: efforts do not depend on them.
_MEASURING_MIB = 16


def _new_session(program: ModuleType, memory_mib: int) -> NDArray[np.int64]:
    """Return the memory of a session, which is touched as it is used."""
    arena = new_arena(program.session_size(memory_mib))
    program.prepare(arena.ctypes.data, memory_mib)
    return arena


#: Each thread's sessions: the one that solves, and the one that measures.
_sessions = PerThread(_new_session, most=2)


class Rows(NamedTuple):
    """What `bulk.decide` writes, a row a position; a kernel takes it as one argument.

    statuses  int8[n]       codes of `search.status`
    nodes     int64[n]      states expanded
    lengths   int32[n]      moves of the solution; 0 without one
    lines     uint16[m]     packed solutions one after another, or room for them
    offsets   int64[n + 1]  solution i is lines[offsets[i]:offsets[i + 1]]
    """

    statuses: NDArray[np.int8]
    nodes: NDArray[np.int64]
    lengths: NDArray[np.int32]
    lines: NDArray[np.uint16]
    offsets: NDArray[np.int64]

    @classmethod
    def empty(cls, count: int, room: int = 0) -> Rows:
        """Return rows that say nothing yet, with room for `room` moves of lines."""
        return cls(
            np.full(count, OPEN, np.int8),
            np.zeros(count, np.int64),
            np.zeros(count, np.int32),
            np.empty(room, np.uint16),
            np.zeros(count + 1, np.int64),
        )


class Solver(Generic[S, M, P]):
    """How one game's positions are decided; stateless, so any number of threads may use it.

    A method is its place in the game's `methods`; the first one begins in bulk.

    name       the game's
    rules      the game's room of this name, as is
    layout     the packed forms
    program    the game's room `session`: the entries of its compiled program
    line_room  moves of a line that are made room for at first
    """

    name: str
    rules: Rules[S, M, P]
    layout: ModuleType
    program: ModuleType
    line_room: int

    def judge(self, began: S, moves: Sequence[M], profile: P) -> Mapping[str, Any]:
        """Replay a solution by the plain rules; return the outcome's extras.

        Raises IllegalMoveError when it does not win.
        """
        if not self.rules.is_won(replay(self.rules, began, moves, profile), profile):
            raise IllegalMoveError("the line ends here, and the game is not won", move="")
        return {}

    def extras_without_solution(self) -> Mapping[str, Any]:
        """Return the extras of an outcome without a solution, with the keys of `judge`'s."""
        return {}

    def solve(
        self, state: S, profile: P, limits: Limits, *, method: int = 0, short: int = 0
    ) -> Outcome[M]:
        """Decide one position.

        Complete but for the limits, and deterministic but for `max_seconds`. The solution is
        written for the profile and replayed by the plain rules.

        Args:
            state: any legal position, before forced autoplay.
            profile: the rules to play by.
            limits: nodes, MiB of tables and seconds.
            method: place in the game's `methods`.
            short: states to expand, at most, for a shorter solution than the method's.

        Returns:
            The outcome; its moves begin at `rules.start(state, profile)`.

        Raises:
            InvalidDealError: the position is not legal; every fault is listed.
        """
        self.rules.check_position(state, profile)
        began = self.rules.start(state, profile)
        packed = self.layout.pack(began)
        start = time.monotonic()
        batch = self.solve_packed(packed[None], profile, limits, want_lines=True, method=method)
        verdict, nodes = Verdict(int(batch.verdict[0])), int(batch.nodes[0])
        if verdict is not Verdict.WINNABLE:
            limit = Limit(int(batch.limit[0]))
            return Outcome(verdict, nodes, limit, extras=self.extras_without_solution())
        line = batch.line(0)
        if short > 0:
            seconds = limits.max_seconds
            left = replace(
                limits, max_seconds=seconds and max(seconds - (time.monotonic() - start), 1e-9)
            )
            most = min(short, limits.max_nodes - nodes)
            shorter, more = self.shorten(packed, profile, left, len(line), most)
            line, nodes = (shorter if len(shorter) > 0 else line), nodes + more
        moves = self.layout.unpack_moves(line)
        try:
            extras = self.judge(began, moves, profile)
        except IllegalMoveError as error:
            raise self.rejection(packed, profile) from error
        return Outcome(verdict, nodes, moves=moves, length=len(moves), extras=extras)

    def solve_decks(
        self,
        decks: NDArray[np.uint8],
        profile: P,
        limits: Limits,
        *,
        want_lines: bool,
        method: int = 0,
    ) -> BatchOutcome:
        """Decide decks, `uint8[n, deck_size]`, which are not checked; see `solve_packed`."""
        packed = self.deal_decks(decks, profile)
        return self.solve_packed(packed, profile, limits, want_lines=want_lines, method=method)

    def solve_packed(
        self,
        packed: NDArray[Any],
        profile: P,
        limits: Limits,
        *,
        want_lines: bool,
        method: int = 0,
    ) -> BatchOutcome:
        """Decide packed positions: the first stages in bulk, and what they leave one by one.

        With a bound on seconds, or another method than the first, all are taken one by one.

        Raises SolutionRejectedError for a solution of ours that failed its replay.
        """
        rules = self.layout.pack_profile(profile)
        session = _sessions(self.program, limits.memory_mib)
        bulk = method == 0 and limits.max_seconds is None
        if bulk:
            rows = self._decide_in_bulk(session, packed, rules, limits.max_nodes, want_lines)
        else:
            rows = Rows.empty(len(packed))
        if (rows.statuses == REJECTED).any():
            raise self.rejection(packed[(rows.statuses == REJECTED).argmax()], profile)
        verdict, limit = VERDICTS[rows.statuses], LIMITS[rows.statuses]
        late: dict[int, NDArray[np.uint16]] = {}
        for row in np.flatnonzero(rows.statuses == OPEN).tolist():
            spent = int(rows.nodes[row])
            self.program.begin(
                session.ctypes.data, packed[row], rules, method, limits.max_nodes, spent, bulk
            )
            status = self._step_on(session, limits.max_seconds, self.program.step)
            if status == REJECTED:
                raise self.rejection(packed[row], profile)
            verdict[row] = VERDICTS[status]
            # Only the clock leaves a search open.
            limit[row] = Limit.SECONDS if status == OPEN else LIMITS[status]
            rows.nodes[row] = self.program.nodes_spent(session.ctypes.data)
            line = self._line(session) if status == WON else np.empty(0, np.uint16)
            rows.lengths[row] = len(line)
            if want_lines:
                late[row] = line
        lines, offsets = _merge_lines(rows, late)
        return BatchOutcome(verdict, rows.nodes, limit, rows.lengths, lines, offsets)

    def shorten(
        self, packed: NDArray[Any], profile: P, limits: Limits, length: int, nodes: int
    ) -> tuple[NDArray[np.uint16], int]:
        """Look for a shorter line than the one of `length` moves that a packed position has.

        nodes  states to expand, at most; of `limits`, memory and seconds count

        Returns the line, empty where none was found, and the states expanded. More nodes never
        make the line longer. Raises SolutionRejectedError for a line that failed its replay.
        """
        rules = self.layout.pack_profile(profile)
        session = _sessions(self.program, limits.memory_mib)
        self.program.begin_short(session.ctypes.data, packed, rules, length, nodes)
        if self._step_on(session, limits.max_seconds, self.program.shorten) == REJECTED:
            raise self.rejection(packed, profile)
        return self._line(session), self.program.nodes_spent(session.ctypes.data)

    def _decide_in_bulk(
        self,
        session: NDArray[np.int64],
        packed: NDArray[Any],
        rules: NDArray[np.int64],
        max_nodes: int,
        want_lines: bool,
    ) -> Rows:
        """Run the first stages over all positions, making room for their lines as it is needed."""
        room = self.line_room * (len(packed) + 1) if want_lines else 0
        rows = Rows.empty(len(packed), room)
        row = 0
        while row < len(packed):
            row = self.program.decide(
                session.ctypes.data,
                packed,
                rules,
                max_nodes,
                row,
                int(want_lines),
                rows.statuses,
                rows.nodes,
                rows.lengths,
                rows.lines,
                rows.offsets,
            )
            if row < len(packed):
                more = np.empty(len(rows.lines) + LONGEST_LINE, np.uint16)
                rows = rows._replace(lines=np.concatenate([rows.lines, more]))
        return rows

    def _step_on(
        self, session: NDArray[np.int64], max_seconds: float | None, step: Callable[..., int]
    ) -> int:
        """Take steps until the search ends or the time is up; return the last status."""
        end = None if max_seconds is None else time.monotonic() + max_seconds
        cancelled = CANCELLED.get()
        # Some positions are decided when they are taken up; that needs no time.
        status = step(session.ctypes.data, 1)
        while status == OPEN and (end is None or time.monotonic() < end):
            if cancelled is not None and cancelled.is_set():
                raise CancelledError("cancelled")
            status = step(session.ctypes.data, _SLICE)
        return status

    def _line(self, session: NDArray[np.int64]) -> NDArray[np.uint16]:
        """Return the line of a position that was won."""
        room = LONGEST_LINE
        while True:
            line = np.empty(room, np.uint16)
            length = self.program.take_line(session.ctypes.data, line)
            if length >= 0:
                return line[:length].copy()
            room *= 2

    def deal_decks(self, decks: NDArray[np.uint8], profile: P) -> NDArray[Any]:
        """Deal decks into packed positions, forced autoplay not done."""
        packed = self.layout.empty_packed(len(decks))
        self.program.deal_decks(decks, self.layout.pack_profile(profile), packed)
        return packed

    def measure_decks(
        self, decks: NDArray[np.uint8], profile: P, *, first: int = 0, parts: int = 1
    ) -> NDArray[np.int64]:
        """Return the effort of decks, `int64[n]`, thousandths of a try.

        first  number of the first try in the endless series; other than 0 to study the noise
        parts  by which the wins and tries that are enough are divided; likewise
        """
        session = _sessions(self.program, _MEASURING_MIB)
        efforts = np.empty(len(decks), np.int64)
        rules = self.layout.pack_profile(profile)
        self.program.measure_decks(session.ctypes.data, decks, rules, first, parts, efforts)
        return efforts

    def replay_decks(
        self,
        decks: NDArray[np.uint8],
        profile: P,
        lines: NDArray[np.uint16],
        offsets: NDArray[np.int64],
    ) -> NDArray[np.bool_]:
        """Tell for each deck whether its packed line wins it, by the kernel twin, strictly."""
        wins = np.empty(len(decks), np.bool_)
        rules = self.layout.pack_profile(profile)
        self.program.replay_decks(decks, rules, lines, offsets, wins)
        return wins

    def rejection(self, packed: NDArray[Any], profile: P) -> SolutionRejectedError:
        """Return the error for a line of ours that failed its replay."""
        return SolutionRejectedError(
            f"a solution of {self.name} under {profile} failed its replay; packed position "
            f"{packed.tolist()}"
        )


def _merge_lines(
    rows: Rows, late: Mapping[int, NDArray[np.uint16]]
) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """Return lines and offsets with the lines that came late, by row, in their places."""
    lines, offsets = rows.lines, rows.offsets
    if not late:
        return lines[: offsets[-1]].copy(), offsets
    parts = [lines[offsets[row] : offsets[row + 1]] for row in range(len(offsets) - 1)]
    for row, line in late.items():
        parts[row] = line
    ends = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return np.concatenate(parts), ends
