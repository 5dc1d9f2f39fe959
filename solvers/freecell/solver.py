"""FreeCell's public solver: validate, pack, search in stages, prove, replay.

Owns the order in which methods are tried and the memory they get. Loops over nodes are the
kernels'. Every solution is replayed by the kernel twin before it leaves `solve_packed`, and by
`rules` as well before it leaves `solve`.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.cards import rank_of
from solvers.errors import IllegalMoveError, SolutionRejectedError, UnknownNameError
from solvers.freecell import (
    effort,
    kernel,
    layout,
    proof,
    proof_state,
    rules,
    search_state,
    staged,
    stages,
)
from solvers.freecell.lines import MAX_LINE, write_line
from solvers.outcome import BatchOutcome, Limit, Limits, Outcome, Verdict
from solvers.search.case import Case, merge_lines

METHODS = ("fast", "astar", "dfs")

_MIB = 1 << 20
#: Nodes of the proof between two looks at the clock.
_SLICE = 20_000
_KEPT_ARENAS = 3
#: Room for every search of the grader, whatever the limits: efforts do not depend on them.
_GRADING_MIB = 16


_LOCAL = threading.local()


def _arena(table_bits: int, states: int) -> NDArray[np.int64]:
    """Return this thread's arena of a size; kept from call to call, the last few sizes."""
    arenas: dict[tuple[int, int], NDArray[np.int64]] = _LOCAL.__dict__.setdefault("arenas", {})
    if (table_bits, states) not in arenas:
        if len(arenas) == _KEPT_ARENAS:
            del arenas[next(iter(arenas))]
        nodes = min(8 * states, search_state.NO_NODE)
        arenas[table_bits, states] = search_state.make_arena(table_bits, nodes, states)
    return arenas[table_bits, states]


def _quick_arena(memory_mib: int) -> NDArray[np.int64]:
    """Return an arena for searches of a few thousand nodes."""
    return _arena(14, min(1 << 13, memory_mib * _MIB // 1280))


def _deep_arena(memory_mib: int) -> NDArray[np.int64]:
    """Return an arena for searches of a hundred thousand nodes, two fifths of the memory."""
    return _arena(18, min(1 << 18, memory_mib * _MIB // 1664))


def _set_rules(arena: NDArray[np.int64], profile: rules.Profile, columns: int) -> None:
    """Write a profile's rules into an arena.

    Without forced max autoplay every supermove of the power rule is a series of legal single
    moves, whatever the profile's own rule; `lines` splits it. With it, whole moves count.
    """
    options = kernel.options_of(profile)
    forced = profile.autoplay == "max"
    search_state.set_rules(
        arena.ctypes.data,
        profile.cells,
        columns,
        int(options[kernel.SUPERMOVE]) if forced else kernel.POWER,
        int(options[kernel.SUIT_BUILD]),
    )


@dataclass(slots=True)
class _Batch:
    """The results of packed positions while they are being decided."""

    statuses: NDArray[np.int8]
    nodes: NDArray[np.int64]
    lengths: NDArray[np.int32]
    lines: NDArray[np.uint16]
    offsets: NDArray[np.int64]

    @classmethod
    def empty(cls, count: int, room: int = 0) -> _Batch:
        """Return nothing known about so many positions, with room for so many moves."""
        return cls(
            np.zeros(count, np.int8),
            np.zeros(count, np.int64),
            np.zeros(count, np.int32),
            np.empty(room, np.uint16),
            np.zeros(count + 1, np.int64),
        )


def _room(count: int, want_lines: bool) -> int:
    """Return room for the lines of so many positions, far above what they take."""
    return count * 1024 + MAX_LINE if want_lines else 0


def _run_stages(
    arena: NDArray[np.int64],
    states: NDArray[np.uint8],
    profile: rules.Profile,
    configs: NDArray[np.int64],
    max_nodes: int,
    room: int,
) -> _Batch:
    """Search positions in stages; `room` is for so many moves of lines.

    Stages with a choice of what goes home are left out where all of it is forced.
    """
    if profile.autoplay == "max":
        configs = configs[configs[:, search_state.AUTOPLAY] == kernel.MAX]
    batch = _Batch.empty(len(states), room)
    _set_rules(arena, profile, int(states[0, layout.COLUMNS_AT]))
    staged.solve_states(
        arena.ctypes.data,
        states,
        kernel.options_of(profile),
        configs,
        max_nodes,
        batch.statuses,
        batch.nodes,
        batch.lengths,
        batch.lines,
        batch.offsets,
    )
    if (batch.statuses == staged.REJECTED).any():
        row = int((batch.statuses == staged.REJECTED).argmax())
        raise _rejection(states[row], profile)
    return batch


def _rejection(packed: NDArray[np.uint8], profile: rules.Profile) -> SolutionRejectedError:
    """Return the error for a line of ours that failed its replay."""
    return SolutionRejectedError(
        f"a FreeCell solution under {profile} failed its replay; position {layout.unpack(packed)}"
    )


class _Case(Case):
    """One position that resisted the quick stages: what is spent, and what is found.

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

    def won(self, line: NDArray[np.uint16]) -> None:
        """Note a replayed solution."""
        self.verdict, self.line = Verdict.WINNABLE, line.copy()

    def search(self, arena: NDArray[np.int64], configs: NDArray[np.int64]) -> None:
        """Run stages one by one while the case is open."""
        for config in configs:
            if not self.is_open():
                return
            batch = _run_stages(
                arena, self.packed[None], self.profile, config[None], self.nodes_left, MAX_LINE
            )
            self.nodes += int(batch.nodes[0])
            if batch.statuses[0] == staged.WON:
                self.won(batch.lines[: batch.lengths[0]])
            elif batch.statuses[0] == staged.DRY:
                self.ran_dry = True
                return

    def exhaust(self) -> None:
        """Visit positions one after another: running dry is the only source of `unwinnable`."""
        if not self.is_open():
            return
        memory = self.memory_mib * _MIB * 3 // 5
        run = proof.Exhaustion(self.packed, self._settings(), memory)
        while self.is_open():
            status = run.go_on(min(_SLICE, self.nodes_left))
            self.nodes += run.nodes_of_last_slice
            if status == proof.EXHAUSTED:
                self.verdict = Verdict.UNWINNABLE
            elif status == proof.OUT_OF_MEMORY:
                self.limit = Limit.MEMORY
            elif status == proof.WON:
                self._write(run.macros(), int(run.options[proof_state.AUTOPLAY]))

    def _settings(self) -> NDArray[np.int64]:
        """Return the options of the exhaustive search."""
        options = kernel.options_of(self.profile)
        settings = np.zeros(proof_state.OPTIONS, np.int64)
        settings[proof_state.CELLS] = self.profile.cells
        settings[proof_state.COLUMNS] = self.packed[layout.COLUMNS_AT]
        settings[proof_state.SUIT_BUILD] = options[kernel.SUIT_BUILD]
        forced = self.profile.autoplay == "max"
        settings[proof_state.AUTOPLAY] = kernel.MAX if forced else kernel.SAFE
        settings[proof_state.SUPERMOVE] = options[kernel.SUPERMOVE]
        settings[proof_state.STOP_AT_WIN] = 1
        return settings

    def _write(self, macros: NDArray[np.int64], searched: int) -> None:
        """Write and replay the line that macros stand for."""
        options = kernel.options_of(self.profile)
        line, where = np.empty(MAX_LINE + 8 * len(macros), np.uint16), np.empty(52, np.int64)
        length = write_line(self.packed.copy(), macros, searched, options, where, line)
        if length < 0:
            raise _rejection(self.packed, self.profile)
        self.won(line[:length])

    def decide(self, method: str, quick_done: bool) -> None:
        """Try everything that the method has, in turn."""
        if method == "fast":
            if not quick_done:
                self.search(_quick_arena(self.memory_mib), stages.QUICK)
            if self.is_open():
                self.search(_deep_arena(self.memory_mib), stages.LONG)
        elif method == "astar":
            self.search(_deep_arena(self.memory_mib), stages.ASTAR)
        self.exhaust()


def solve_packed(
    states: NDArray[np.uint8],
    profile: rules.Profile,
    limits: Limits,
    *,
    want_lines: bool,
    method: str = "fast",
) -> BatchOutcome:
    """Decide packed positions, all with the same number of columns.

    The quick stages of `fast` run over all of them in one kernel call, without the GIL; what
    they leave open is taken one by one. With a bound on seconds every position is.

    Raises UnknownNameError for an unknown method, SolutionRejectedError for a bug of ours.
    """
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    count = len(states)
    verdicts = np.zeros(count, np.int8)
    stopped = np.zeros(count, np.int8)
    quick_done = bool(count) and method == "fast" and limits.max_seconds is None
    if quick_done:
        room = _room(count, want_lines)
        arena = _quick_arena(limits.memory_mib)
        batch = _run_stages(arena, states, profile, stages.QUICK, limits.max_nodes, room)
        verdicts[batch.statuses == staged.WON] = Verdict.WINNABLE
        stopped[batch.statuses == staged.OUT_OF_NODES] = Limit.NODES
        left = np.flatnonzero(batch.statuses == staged.OPEN)
    else:
        batch = _Batch.empty(count)
        left = np.arange(count)
    late: dict[int, NDArray[np.uint16]] = {}
    for row in left:
        case = _Case(states[row], profile, limits, int(batch.nodes[row]))
        case.decide(method, quick_done)
        verdicts[row], stopped[row] = case.verdict, case.limit
        batch.nodes[row], batch.lengths[row] = case.nodes, len(case.line)
        if want_lines:
            late[int(row)] = case.line
    lines, offsets = merge_lines(batch.lines, batch.offsets, late)
    return BatchOutcome(verdicts, batch.nodes, stopped, batch.lengths, lines, offsets)


def solve_decks(
    decks: NDArray[np.uint8],
    profile: rules.Profile,
    limits: Limits,
    *,
    want_lines: bool,
    method: str = "fast",
) -> BatchOutcome:
    """Decide decks, `uint8[n, 52]`; see `solve_packed`."""
    states = np.empty((len(decks), layout.STATE_SIZE), np.uint8)
    staged.lay_out_decks(decks, profile.cells, states)
    return solve_packed(states, profile, limits, want_lines=want_lines, method=method)


def measure_decks(decks: NDArray[np.uint8], profile: rules.Profile) -> NDArray[np.int64]:
    """Return the effort of decks, `int64[n]`, thousandths of a node; see `effort`."""
    return effort.measure_decks(_quick_arena(_GRADING_MIB), decks, profile)


def replay_decks(
    decks: NDArray[np.uint8],
    profile: rules.Profile,
    lines: NDArray[np.uint16],
    offsets: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Tell for each deck whether its packed line wins it, by the kernel twin, strictly."""
    wins = np.empty(len(decks), np.bool_)
    options = kernel.options_of(profile)
    kernel.replay_decks(decks, profile.cells, options, lines, offsets, wins)
    return wins


def solve(
    state: rules.State, profile: rules.Profile, limits: Limits, *, method: str = "fast"
) -> Outcome:
    """Decide one position: staged best-first search, then exhaustion.

    Complete but for the limits, and deterministic but for `max_seconds`. The solution is
    written for the profile (its supermoves, its autoplay) and replayed by `rules`.

    Args:
        state: any legal position, before autoplay.
        profile: the rules to play by.
        limits: nodes, MiB of tables and seconds.
        method: `fast`, `astar` (one long search) or `dfs` (exhaustion alone).

    Returns:
        The outcome. Its extras hold `single_card_moves`, the solution's length with each
        supermove counted as the single moves that it stands for; None without a solution.

    Raises:
        InvalidDealError: the position is not legal; every fault is listed.
        UnknownNameError: there is no such method.

    >>> from solvers.freecell.rules import PROFILES, State
    >>> nearly = State(((48, 49, 50, 51),) + ((),) * 7, (-1,) * 4, (12, 12, 12, 12))
    >>> solve(nearly, PROFILES["classic"], Limits(1000, 64)).length
    4
    """
    rules.check_position(state, profile)
    began = rules.start(state, profile)
    batch = solve_packed(layout.pack(began)[None], profile, limits, want_lines=True, method=method)
    verdict, limit = Verdict(int(batch.verdict[0])), Limit(int(batch.limit[0]))
    nodes = int(batch.nodes[0])
    if verdict is not Verdict.WINNABLE:
        return Outcome(verdict, nodes, limit, extras={"single_card_moves": None})
    moves = layout.unpack_moves(batch.line(0))
    try:
        single_card_moves = _judge(began, moves, profile)
    except IllegalMoveError as error:
        raise _rejection(layout.pack(began), profile) from error
    return Outcome(
        verdict,
        nodes,
        moves=moves,
        length=len(moves),
        extras={"single_card_moves": single_card_moves},
    )


def _judge(state: rules.State, moves: tuple[rules.Move, ...], profile: rules.Profile) -> int:
    """Replay a solution by the plain rules; return how many single-card moves it stands for."""
    total = 0
    for ply, move in enumerate(moves, 1):
        total += _singles(state, move)
        state = rules.apply(state, move, profile, ply=ply)
    if not rules.is_won(state):
        raise IllegalMoveError("the line ends here, and the game is not won", move="", ply=None)
    return total


def _singles(state: rules.State, move: rules.Move) -> int:
    """Return how many single-card moves a legal move stands for."""
    if move.source >= rules.FIRST_CELL or move.target >= rules.FIRST_CELL:
        return 1
    target = state.columns[move.target]
    count = max(move.count, 1)
    if target:
        count = rank_of(target[-1]) - rank_of(state.columns[move.source][-1])
    free = state.cells.count(rules.NO_CARD)
    empty = sum(not cards for cards in state.columns) - (not target)
    whole = len(state.columns[move.source]) == count
    return _singles_of_run(count, free, empty, whole, not target)


def _singles_of_run(count: int, free: int, empty: int, whole: bool, to_empty: bool) -> int:
    """Return the single-card moves of a run over free cells and empty columns, as `lines` splits.

    empty     columns, the target left out
    whole     the run is all of its column: one more empty column once it has left
    to_empty  the target is empty: one more while the upper part makes way
    """
    if count <= free + 1:
        return 2 * count - 1
    part = max(count - ((free + 1) << (empty - 1)), 1)
    return (
        _singles_of_run(part, free, empty - 1 + to_empty, False, True)
        + _singles_of_run(count - part, free, empty - 1, whole, to_empty)
        + _singles_of_run(part, free, empty - 1 + whole, True, False)
    )
