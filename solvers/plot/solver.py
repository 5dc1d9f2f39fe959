"""The public solver of The Plot: validate, pack, roll out, prove, search, replay.

Owns the order in which methods are tried and the memory they get. Loops over nodes are the
kernels'. Every solution is replayed by the kernel twin before it leaves `solve_packed`, and by
`rules` as well before it leaves `solve`.
"""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from solvers.errors import IllegalMoveError, SolutionRejectedError, UnknownNameError
from solvers.outcome import BatchOutcome, Limit, Limits, Outcome, Verdict
from solvers.plot import (
    bound,
    effort,
    kernel,
    layout,
    lines,
    nodes,
    phase_one,
    rules,
    search,
    search_state,
    staged,
    stages,
)
from solvers.search.case import Case, merge_lines

METHODS = ("fast", "astar", "dfs")

_WORD = search_state.WORD
_LOCAL = threading.local()
#: Room for the lines of one deal of a batch, about twice what they take on average.
_ROOM = 640
#: Size of an arena that holds a deal and no nodes.
_GRADING_MIB = 1


def _arena(memory_mib: int, isolation: int) -> NDArray[np.int64]:
    """Return this thread's arena for searches; one is kept."""
    key = (memory_mib, isolation)
    if _LOCAL.__dict__.get("key") != key:
        _LOCAL.arena = None  # Let go of the old one before the new one is made.
        _LOCAL.arena = nodes.make_arena(memory_mib, isolation)
        _LOCAL.key = key
    arena: NDArray[np.int64] = _LOCAL.arena
    return arena


def _memory() -> NDArray[np.int64]:
    """Return this thread's memory for the threshold abstraction."""
    if "memory" not in _LOCAL.__dict__:
        _LOCAL.memory = phase_one.make_memory(stages.ABSTRACT_STATES)
    memory: NDArray[np.int64] = _LOCAL.memory
    return memory


class _Case(Case):
    """One position that resisted the first stages: what is spent, and what is found."""

    def __init__(
        self, packed: NDArray[np.uint8], profile: rules.Profile, limits: Limits, spent: int
    ) -> None:
        """Load the position into this thread's arena."""
        super().__init__(limits, spent)
        self.packed = packed
        self.profile = profile
        self.isolation = layout.isolation_of(profile)
        self.arena = _arena(limits.memory_mib, self.isolation)
        self.address = self.arena.ctypes.data
        own_bound = np.zeros(bound.BOUND_SIZE, np.int64)
        if not bound.build(packed, own_bound):
            self.verdict = Verdict.UNWINNABLE
        search_state.load_deal(self.address, packed, own_bound, self.isolation)
        self.seed = staged.fingerprint(self.address)
        self.threshold = 0

    def roll(self) -> None:
        """Try rollouts, for a position that did not go through the first stages in bulk."""
        batch = _Rows(self.packed[None], room=lines.MAX_LINE)
        batch.roll(self.address, self.isolation, self.nodes_left)
        self.nodes += int(batch.nodes[0])
        if batch.statuses[0] == staged.REJECTED:
            raise _rejection(self.packed, self.profile)
        if batch.statuses[0] == staged.WON:
            self.verdict = Verdict.WINNABLE
            self.line = batch.lines[: batch.lengths[0]].copy()

    def prove(self, thresholds: range, limit: int) -> None:
        """Ask the abstraction for a proof, from the coarsest threshold to the finest.

        Notes the finest that was cheap to answer: the search asks it about its states.
        """
        if not kernel.in_phase_one(self.packed):
            return
        memory = _memory()
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
            elif answer == phase_one.ALIVE and expanded <= stages.CHEAP_QUERY:
                if threshold >= stages.FINEST_PRUNING:
                    self.threshold = threshold
            elif answer == phase_one.UNKNOWN:
                return

    def search(self, stage: stages.Stage, budget: int) -> None:
        """Run one search while the case is open."""
        if not self.is_open():
            return
        memory = 0
        if stage.prunes and self.threshold > 0:
            memory = _memory().ctypes.data
        weights = stages.weights_of(stage, self.isolation)
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
            self.nodes += int(_memory()[phase_one.EXPANDED // _WORD])
        if result == search.WON:
            self._write()
        elif result == search.EXHAUSTED and not restricted:
            self.verdict = Verdict.UNWINNABLE
        elif result == search.OUT_OF_MEMORY and stage.is_last:
            self.limit = Limit.MEMORY

    def _write(self) -> None:
        """Write and replay the line that the search found."""
        line = np.empty(lines.MAX_LINE, np.uint16)
        length = lines.write_line(self.address, self.packed.copy(), line)
        end = self.packed.copy()
        if length > len(line) or kernel.replay(end, line[:length], self.isolation) != length:
            raise _rejection(self.packed, self.profile)
        if not kernel.is_won(end):
            raise _rejection(self.packed, self.profile)
        self.verdict, self.line = Verdict.WINNABLE, line[:length].copy()

    def decide(self, method: str, *, rolled: bool) -> None:
        """Try everything that the method has, in turn, while the case is open."""
        if method == "fast":
            if not rolled and self.is_open():
                self.roll()
            self.prove(stages.QUICK_THRESHOLDS, stages.QUICK_QUERY)
            for stage in stages.FAST:
                self.search(stage, stage.budget)
            self.prove(stages.DEEP_THRESHOLDS, stages.DEEP_QUERY)
            for stage in stages.SLOW:
                self.search(stage, stage.budget)
        self.search(stages.LAST[method], self.max_nodes)
        self.is_open()


def _rejection(packed: NDArray[np.uint8], profile: rules.Profile) -> SolutionRejectedError:
    """Return the error for a line of ours that failed its replay."""
    return SolutionRejectedError(
        f"a solution of The Plot under {profile} failed its replay; position {packed.tolist()}"
    )


class _Rows:
    """The arrays of the first stages over packed positions."""

    def __init__(self, positions: NDArray[np.uint8], room: int) -> None:
        """Begin with nothing known, and room for so many moves of lines."""
        count = len(positions)
        self.positions = positions
        self.statuses = np.zeros(count, np.int8)
        self.nodes = np.zeros(count, np.int64)
        self.lengths = np.zeros(count, np.int32)
        self.lines = np.empty(room, np.uint16)
        self.offsets = np.zeros(count + 1, np.int64)

    def roll(self, address: int, isolation: int, max_nodes: int) -> None:
        """Run the first stages."""
        staged.decide(
            address,
            self.positions,
            isolation,
            staged.TRIES,
            max_nodes,
            self.statuses,
            self.nodes,
            self.lengths,
            self.lines,
            self.offsets,
        )


def solve_packed(
    positions: NDArray[np.uint8],
    profile: rules.Profile,
    limits: Limits,
    *,
    want_lines: bool,
    method: str = "fast",
) -> BatchOutcome:
    """Decide packed positions, `uint8[n, POSITION_SIZE]`.

    The first stages of `fast` run over all of them in one kernel call, without the GIL; what
    they leave open is taken one by one. With a bound on seconds every position is.

    Raises UnknownNameError for an unknown method, SolutionRejectedError for a bug of ours.
    """
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    count = len(positions)
    verdicts = np.zeros(count, np.int8)
    stopped = np.zeros(count, np.int8)
    rolled = method == "fast" and limits.max_seconds is None
    rows = _Rows(positions, count * _ROOM + lines.MAX_LINE if want_lines and rolled else 0)
    left = np.arange(count)
    if rolled:
        isolation = layout.isolation_of(profile)
        address = _arena(limits.memory_mib, isolation).ctypes.data
        rows.roll(address, isolation, limits.max_nodes)
        if (rows.statuses == staged.REJECTED).any():
            raise _rejection(positions[(rows.statuses == staged.REJECTED).argmax()], profile)
        verdicts[rows.statuses == staged.WON] = Verdict.WINNABLE
        verdicts[rows.statuses == staged.LOST] = Verdict.UNWINNABLE
        stopped[rows.statuses == staged.OUT_OF_NODES] = Limit.NODES
        left = np.flatnonzero(rows.statuses == staged.OPEN)
    late: dict[int, NDArray[np.uint16]] = {}
    for row in left:
        case = _Case(positions[row], profile, limits, int(rows.nodes[row]))
        case.decide(method, rolled=rolled)
        verdicts[row], stopped[row] = case.verdict, case.limit
        rows.nodes[row], rows.lengths[row] = max(case.nodes, 1), len(case.line)
        if want_lines:
            late[int(row)] = case.line
    packed, offsets = merge_lines(rows.lines, rows.offsets, late)
    return BatchOutcome(verdicts, rows.nodes, stopped, rows.lengths, packed, offsets)


def deal_all(decks: NDArray[np.uint8], profile: rules.Profile) -> NDArray[np.uint8]:
    """Deal decks, `uint8[n, 104]`, into packed positions."""
    positions = np.empty((len(decks), layout.POSITION_SIZE), np.uint8)
    staged.deal_all(decks, profile.initial_waste, positions)
    return positions


def solve_decks(
    decks: NDArray[np.uint8],
    profile: rules.Profile,
    limits: Limits,
    *,
    want_lines: bool,
    method: str = "fast",
) -> BatchOutcome:
    """Decide decks, `uint8[n, 104]`; see `solve_packed`."""
    positions = deal_all(decks, profile)
    return solve_packed(positions, profile, limits, want_lines=want_lines, method=method)


def measure_decks(decks: NDArray[np.uint8], profile: rules.Profile) -> NDArray[np.int64]:
    """Return the effort of decks, `int64[n]`, thousandths of a try; see `effort`."""
    isolation = layout.isolation_of(profile)
    efforts = np.empty(len(decks), np.int64)
    positions = deal_all(decks, profile)
    address = _arena(_GRADING_MIB, isolation).ctypes.data
    effort.measure(address, positions, isolation, 0, effort.GAMES, efforts)
    return efforts


def replay_decks(
    decks: NDArray[np.uint8],
    profile: rules.Profile,
    packed: NDArray[np.uint16],
    offsets: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Tell for each deck whether its packed line wins it, by the kernel twin, strictly."""
    wins = np.empty(len(decks), np.bool_)
    isolation = layout.isolation_of(profile)
    kernel.replay_many(decks, profile.initial_waste, isolation, packed, offsets, wins)
    return wins


def solve(
    state: rules.State, profile: rules.Profile, limits: Limits, *, method: str = "fast"
) -> Outcome:
    """Decide one position: rollouts, proofs of loss, best-first searches.

    Complete but for the limits, and deterministic but for `max_seconds`. The solution is
    replayed by `rules`.

    Args:
        state: any legal position.
        profile: the rules to play by.
        limits: nodes, MiB of tables and seconds.
        method: `fast`, `astar` (one best-first search) or `dfs` (depth-first exhaustion).

    Returns:
        The outcome; its moves start from `rules.start(state, profile)`.

    Raises:
        InvalidDealError: the position is not legal; every fault is listed.
        UnknownNameError: there is no such method.

    >>> from solvers.plot.rules import PROFILES, State
    >>> out = (8,) * 12 + (6,)
    >>> nearly = State(1, (), out, ((48,), (49,)) + ((),) * 10, (), ())
    >>> solve(nearly, PROFILES["classic"], Limits(1000, 16)).length
    2
    """
    rules.check_position(state, profile)
    began = rules.start(state, profile)
    packed = layout.pack(began)
    batch = solve_packed(packed[None], profile, limits, want_lines=True, method=method)
    verdict, nodes_spent = Verdict(int(batch.verdict[0])), int(batch.nodes[0])
    if verdict is not Verdict.WINNABLE:
        return Outcome(verdict, nodes_spent, Limit(int(batch.limit[0])))
    moves = layout.unpack_moves(batch.line(0))
    try:
        end = rules.replay(began, moves, profile)
    except IllegalMoveError as error:
        raise _rejection(packed, profile) from error
    if not rules.is_won(end):
        raise _rejection(packed, profile)
    return Outcome(verdict, nodes_spent, moves=moves, length=len(moves))
