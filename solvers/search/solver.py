"""The public solver of every game: validate, pack, decide in bulk, then one by one, replay.

Owns that order, the same for all games, and what is done with lines. A game derives its solver
from `Solver`, and its cases from `case.Case`. Every solution is replayed by the kernel twin
before it leaves `solve_packed`, and by the plain rules as well before it leaves `solve`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.errors import IllegalMoveError, SolutionRejectedError
from solvers.outcome import BatchOutcome, Limit, Limits, Outcome, Verdict
from solvers.play import M, P, Rules, S, replay
from solvers.search.case import Case
from solvers.search.status import LIMITS, OPEN, REJECTED, VERDICTS


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


class Solver(ABC, Generic[S, M, P]):
    """How one game's positions are decided; stateless, so any number of threads may use it.

    name                   the game's
    rules, layout, kernel  the game's rooms of these names
    """

    name: str
    rules: Rules[S, M, P]
    layout: ModuleType
    kernel: ModuleType

    # What differs from game to game.

    @abstractmethod
    def decide_in_bulk(
        self, packed: NDArray[Any], profile: P, limits: Limits, *, want_lines: bool, method: str
    ) -> Rows | None:
        """Run the game's `bulk.decide` over positions, or return None where it does not serve.

        What is OPEN afterwards, or everything after None, is taken one by one.
        """

    @abstractmethod
    def case(self, packed: NDArray[Any], profile: P, limits: Limits, spent: int) -> Case:
        """Return a position to be decided by itself; `spent` nodes went before."""

    @abstractmethod
    def measure_decks(self, decks: NDArray[np.uint8], profile: P) -> NDArray[np.int64]:
        """Return the effort of decks, `int64[n]`, thousandths of the grader's unit."""

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

    # What is the same.

    def solve(self, state: S, profile: P, limits: Limits, *, method: str = "fast") -> Outcome[M]:
        """Decide one position.

        Complete but for the limits, and deterministic but for `max_seconds`. The solution is
        written for the profile and replayed by the plain rules.

        Args:
            state: any legal position, before forced autoplay.
            profile: the rules to play by.
            limits: nodes, MiB of tables and seconds.
            method: one of the game's `methods`.

        Returns:
            The outcome; its moves begin at `rules.start(state, profile)`.

        Raises:
            InvalidDealError: the position is not legal; every fault is listed.
        """
        self.rules.check_position(state, profile)
        began = self.rules.start(state, profile)
        packed = self.layout.pack(began)
        batch = self.solve_packed(packed[None], profile, limits, want_lines=True, method=method)
        verdict, nodes = Verdict(int(batch.verdict[0])), int(batch.nodes[0])
        if verdict is not Verdict.WINNABLE:
            limit = Limit(int(batch.limit[0]))
            return Outcome(verdict, nodes, limit, extras=self.extras_without_solution())
        moves = self.layout.unpack_moves(batch.line(0))
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
        method: str = "fast",
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
        method: str = "fast",
    ) -> BatchOutcome:
        """Decide packed positions: all in one kernel call, then those left over one by one.

        Raises SolutionRejectedError for a solution of ours that failed its replay.
        """
        rows = self.decide_in_bulk(packed, profile, limits, want_lines=want_lines, method=method)
        bulk_done = rows is not None
        if rows is None:
            rows = Rows.empty(len(packed))
        if (rows.statuses == REJECTED).any():
            raise self.rejection(packed[(rows.statuses == REJECTED).argmax()], profile)
        verdict, limit = VERDICTS[rows.statuses], LIMITS[rows.statuses]
        late: dict[int, NDArray[np.uint16]] = {}
        for row in np.flatnonzero(rows.statuses == OPEN).tolist():
            case = self.case(packed[row], profile, limits, int(rows.nodes[row]))
            case.decide(method, bulk_done=bulk_done)
            verdict[row], limit[row] = case.verdict, case.limit
            rows.nodes[row], rows.lengths[row] = case.nodes, len(case.line)
            if want_lines:
                late[row] = case.line
        lines, offsets = _merge_lines(rows, late)
        return BatchOutcome(verdict, rows.nodes, limit, rows.lengths, lines, offsets)

    def deal_decks(self, decks: NDArray[np.uint8], profile: P) -> NDArray[Any]:
        """Deal decks into packed positions, forced autoplay not done."""
        packed = self.layout.empty_packed(len(decks))
        self.kernel.deal_decks(decks, self.layout.pack_profile(profile), packed)
        return packed

    def replay_decks(
        self,
        decks: NDArray[np.uint8],
        profile: P,
        lines: NDArray[np.uint16],
        offsets: NDArray[np.int64],
    ) -> NDArray[np.bool_]:
        """Tell for each deck whether its packed line wins it, by the kernel twin, strictly."""
        wins = np.empty(len(decks), np.bool_)
        self.kernel.replay_decks(decks, self.layout.pack_profile(profile), lines, offsets, wins)
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
