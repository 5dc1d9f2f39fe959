"""Pyramid's public solver: validate, pack, test, search, replay.

Owns the order in which methods are tried, limits and memory. Loops over nodes are the
kernels'. Every solution is replayed by the kernel twin, and by `rules` as well before it
leaves `solve`.
"""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from solvers.errors import IllegalMoveError, SolutionRejectedError, UnknownNameError
from solvers.outcome import BatchOutcome, Limit, Limits, Outcome, Verdict
from solvers.pyramid import effort, graph, ideals, layout, optimal, passes, plan, proof, rules
from solvers.pyramid import search as bulk
from solvers.pyramid.kernel import locate, replay
from solvers.search.case import Case, merge_lines

METHODS = ("fast", "astar")

#: States between two looks at the clock.
_SLICE = 20_000
#: Moves per line that are made room for at first, and never more than the last ones need.
_ROOM = 128
_LIMITS = {bulk.OUT_OF_NODES: Limit.NODES, bulk.OUT_OF_MEMORY: Limit.MEMORY}
_LOCAL = threading.local()


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


def _tables(memory_mib: int) -> _Tables:
    """Return this thread's tables of a size; kept from call to call, the last size only."""
    kept: tuple[int, _Tables] | None = getattr(_LOCAL, "tables", None)
    if kept is None or kept[0] != memory_mib:
        kept = (memory_mib, _Tables(memory_mib))
        _LOCAL.tables = kept
    return kept[1]


class _Case(Case):
    """One position on its way to a verdict: what is spent, and what is found."""

    def __init__(
        self,
        deck: NDArray[np.uint8],
        state: NDArray[np.int64],
        profile: rules.Profile,
        limits: Limits,
        spent: int = 0,
    ) -> None:
        """Begin; `spent` states were expanded before."""
        super().__init__(limits, spent)
        self.deck, self.state, self.profile = deck, state, profile
        self.rules = layout.pack_profile(profile)
        self.tables = _tables(limits.memory_mib)
        self.ranks, self.tops = np.zeros(16, np.int64), np.zeros(16, np.int64)
        self.rank_at = np.zeros(64, np.int64)
        pyramid, stock = int(state[layout.PYRAMID]), int(state[layout.STOCK])
        proof.mask_ranks(deck, pyramid, stock, self.ranks, self.tops, self.rank_at)
        self.exact = profile.goal == "all" and not profile.stock_top
        self.needs = int(proof.root_needs(self.ranks, self.tops, self.exact))

    def test(self, write: bool) -> None:
        """Apply the exact test; with `write`, try a line from its pairs."""
        if self.needs < 0:
            self.nodes += 1
            self.verdict = Verdict.UNWINNABLE
            return
        pyramid = int(self.state[layout.PYRAMID])
        cover_pairs = self.profile.cover_pairs
        nodes, stack, index = self.tables.proof
        result, spent, used = proof.decide(
            pyramid,
            self.needs,
            self.ranks,
            self.rank_at,
            cover_pairs,
            self.nodes_left,
            nodes,
            stack,
            index,
        )
        self.nodes += int(spent)
        if result == proof.LOST:
            self.verdict = Verdict.UNWINNABLE
        elif result == proof.OUT_OF_NODES:
            self.limit = Limit.NODES
        elif result == proof.OUT_OF_MEMORY:
            self.limit = Limit.MEMORY
        elif write and self.profile.goal == "pyramid":
            found = np.zeros(proof.SCRATCH, np.int64)
            count = proof.solution_pairs(nodes, used, self.ranks, self.rank_at, found)
            line = np.empty(plan.LINE_ROOM, np.uint16)
            end = plan.write_line(
                self.deck,
                self.rules,
                self.state,
                self.ranks,
                self.tops,
                self.rank_at,
                found,
                count,
                line,
                0,
            )
            if end >= 0:
                self._won(line[:end])

    def _won(self, line: NDArray[np.uint16]) -> None:
        """Note a solution when the kernel twin has replayed it."""
        state, where = self.state.copy(), np.empty(64, np.uint8)
        locate(self.deck, where)
        played = replay(where, self.rules, state, line, 0, len(line))
        left = state[layout.PYRAMID] or (self.profile.goal == "all" and state[layout.STOCK])
        if played != len(line) or left:
            raise _rejection(self.deck, self.state, self.profile)
        self.verdict, self.line = Verdict.WINNABLE, line

    def search(self, *, hurry: bool) -> None:
        """Search for a shortest solution, or in a hurry for any; exhaustive either way."""
        tables = self.tables
        entries, links, index = tables.queue
        masks, after = ideals.tables()
        stock = int(self.state[layout.STOCK])
        cards = stock.bit_length()
        stock_ranks = np.zeros(rules.STOCK_SIZE, np.int64)
        stock_ranks[:cards] = (self.deck[rules.PYRAMID_SIZE :][:cards] >> 2) + 1
        kings = int(self.ranks[13])
        edges = (tables.singles, tables.pair_ends, tables.pair_nodes)
        total = graph.build(
            ideals.number_of(int(self.state[layout.PYRAMID])),
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
            int(self.state[layout.DRAWN]),
            0 if unlimited else int(self.state[layout.REDEALS]),
        )
        before = int(self.state[layout.PYRAMID]).bit_count()
        cost = before - int(tables.nodes[0, graph.PYRAMID]).bit_count()
        queue = (entries, links, index, tables.heads)
        if not optimal.start(
            position, cost, cards, self.rules, tables.nodes, *shared[1:], run_state, *queue
        ):
            self.verdict = Verdict.UNWINNABLE
            return
        status = optimal.RUNNING
        while status == optimal.RUNNING and self.is_open():
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
        if status == optimal.EXHAUSTED:
            self.verdict = Verdict.UNWINNABLE
        elif status == optimal.OUT_OF_MEMORY:
            self.limit = Limit.MEMORY
        elif status == optimal.SOLVED:
            self._write(int(run_state[optimal.GOAL_ENTRY]), kings)

    def _write(self, goal: int, kings: int) -> None:
        """Write and replay the line of a search's solution."""
        entries = self.tables.queue[0]
        steps = np.empty((64, 2), np.int64)
        count = optimal.trace(goal, entries, self.tables.nodes, steps)
        line = np.empty(optimal.MAX_COST, np.uint16)
        length = plan.write_path(
            self.deck, self.rules, self.state, kings, int(self.tops[13]), steps, count, line
        )
        if length != int(entries[goal, 1]) & optimal.COST_MASK:
            raise _rejection(self.deck, self.state, self.profile)
        self._won(line[:length].copy())

    def decide(self, *, shortest: bool, tested: bool = False) -> None:
        """Try the test, unless it is `tested` already, and then the search."""
        if not tested:
            self.test(write=not shortest)
        if self.is_open():
            self.search(hurry=not shortest)


def _rejection(
    deck: NDArray[np.uint8], state: NDArray[np.int64], profile: rules.Profile
) -> SolutionRejectedError:
    """Return the error for a line of ours that failed its replay."""
    position = layout.unpack(deck.tolist(), state.tolist())
    return SolutionRejectedError(
        f"a Pyramid solution under {profile} failed its replay; position {position}"
    )


def _start(deck: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the packed state of a deck that is just dealt."""
    state = np.zeros(layout.STATE_SIZE, np.int64)
    state[layout.PYRAMID], state[layout.STOCK] = layout.FULL_PYRAMID, layout.FULL_STOCK
    return state


def _check_method(method: str) -> None:
    """Raise UnknownNameError unless there is such a method."""
    if method not in METHODS:
        raise UnknownNameError("method for pyramid", method, METHODS)


def solve(
    state: rules.State,
    profile: rules.Profile,
    limits: Limits,
    *,
    method: str = "fast",
    shortest: bool = False,
) -> Outcome:
    """Decide one position: the exact test by pair needs, then best-first search.

    Complete but for the limits, and deterministic but for `max_seconds`. The solution is
    replayed by `rules`.

    Args:
        state: any legal position.
        profile: the rules to play by.
        limits: nodes, MiB of tables and seconds.
        method: `fast`, or `astar`, which finds a solution of fewest moves.
        shortest: find a solution of fewest moves, whatever the method.

    Returns:
        The outcome.

    Raises:
        InvalidDealError: the position is not legal; every fault is listed.
        UnknownNameError: there is no such method.

    >>> from solvers.pyramid.rules import PROFILES, State
    >>> last = State((48,) + (-1,) * 27, (0, 44), (), 0)
    >>> solve(last, PROFILES["classic"], Limits(1000, 1)).length
    1
    """
    _check_method(method)
    rules.check_position(state, profile)
    if rules.is_won(state, profile):
        return Outcome(Verdict.WINNABLE, 0)
    deck, packed = layout.pack(state)
    case = _Case(deck, packed, profile, limits)
    case.decide(shortest=shortest or method == "astar")
    if case.verdict is not Verdict.WINNABLE:
        return Outcome(case.verdict, case.nodes, case.limit)
    moves = layout.unpack_moves(case.line)
    try:
        won = rules.is_won(rules.replay(state, moves, profile), profile)
    except IllegalMoveError as error:
        raise _rejection(deck, packed, profile) from error
    if not won:
        raise _rejection(deck, packed, profile)
    return Outcome(case.verdict, case.nodes, moves=moves, length=len(moves))


def solve_decks(
    decks: NDArray[np.uint8],
    profile: rules.Profile,
    limits: Limits,
    *,
    want_lines: bool,
    method: str = "fast",
) -> BatchOutcome:
    """Decide decks, `uint8[n, 52]`; see `solve`. Solutions are replayed by the kernel twin.

    Raises UnknownNameError when there is no such method.
    """
    _check_method(method)
    count = len(decks)
    statuses, limit = np.zeros(count, np.int8), np.zeros(count, np.int8)
    nodes, length = np.zeros(count, np.int64), np.zeros(count, np.int32)
    offsets = np.zeros(count + 1, np.int64)
    line = np.empty((_ROOM * count if want_lines else 0) + plan.LINE_ROOM, np.uint16)
    packed_rules = layout.pack_profile(profile)
    row = 0
    while row < count:
        row = bulk.decide_decks(
            decks,
            packed_rules,
            limits.max_nodes,
            row,
            *_tables(limits.memory_mib).proof,
            statuses,
            nodes,
            length,
            line,
            want_lines,
            offsets,
        )
        if row < count:
            line = np.concatenate([line, np.empty(len(line), np.uint16)])
    if (statuses == bulk.REJECTED).any():
        row = int((statuses == bulk.REJECTED).argmax())
        raise _rejection(decks[row], _start(decks[row]), profile)
    verdict = np.full(count, Verdict.UNDECIDED, np.int8)
    verdict[statuses == bulk.WON] = Verdict.WINNABLE
    verdict[statuses == bulk.LOST] = Verdict.UNWINNABLE
    for status, reason in _LIMITS.items():
        limit[statuses == status] = reason
    shortest = method == "astar"
    open_rows = statuses == bulk.OPEN
    if shortest:
        open_rows |= statuses == bulk.WON
    late: dict[int, NDArray[np.uint16]] = {}
    for row in np.flatnonzero(open_rows).tolist():
        case = _Case(decks[row], _start(decks[row]), profile, limits, int(nodes[row]))
        case.decide(shortest=shortest, tested=True)
        verdict[row], limit[row], nodes[row] = case.verdict, case.limit, case.nodes
        length[row] = len(case.line)
        if want_lines:
            late[row] = case.line
    lines, offsets = merge_lines(line, offsets, late)
    return BatchOutcome(verdict, nodes, limit, length, lines, offsets)


def measure_decks(decks: NDArray[np.uint8], profile: rules.Profile) -> NDArray[np.int64]:
    """Return the effort of decks, `int64[n]`, thousandths of a try; see `effort`."""
    efforts = np.empty(len(decks), np.int64)
    effort.measure(decks, layout.pack_profile(profile), efforts)
    return efforts


def replay_decks(
    decks: NDArray[np.uint8],
    profile: rules.Profile,
    lines: NDArray[np.uint16],
    offsets: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Tell for each deck whether its packed line wins it, by the kernel twin, strictly."""
    wins = np.empty(len(decks), np.bool_)
    bulk.replay_decks(decks, layout.pack_profile(profile), lines, offsets, wins)
    return wins
