"""Sessions: one position after another in one block of memory, in slices of any size."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from pyramid_cases import random_deck, random_play, varied

from solvers.games import load
from solvers.outcome import Limits
from solvers.pyramid import kernel, layout, rules, session
from solvers.pyramid.rules import PROFILES, Profile
from solvers.search.arena import new_arena
from solvers.search.status import (
    LIMITS,
    LOST,
    OPEN,
    OUT_OF_MEMORY,
    OUT_OF_NODES,
    VERDICTS,
    WON,
)

GAME = load("pyramid")
FAST, ASTAR = range(len(GAME.methods))
PLAYED_BY = (
    *PROFILES.values(),
    varied("classic", goal="all"),
    varied("microsoft", goal="all"),
    varied("classic", redeals=1),
)
SLICES = (1, 7, 1000, 10**9)
#: The least that there is, so that some searches fill it.
MEMORY_MIB = 1
ROOM = 1 << 12


class Case(NamedTuple):
    """A position to be decided."""

    packed: NDArray[np.uint8]
    profile: Profile
    method: int
    max_nodes: int


class Answer(NamedTuple):
    """What became of it."""

    status: int
    nodes: int
    line: list[int]


def new_session(fill: int = 0) -> NDArray[np.int64]:
    """Return a session in memory that was full of something."""
    block = new_arena(session.session_size(MEMORY_MIB))
    block[1:] = fill
    session.prepare(block.ctypes.data, MEMORY_MIB)
    return block


def begin(block: NDArray[np.int64], case: Case, spent: int = 0, bulk_done: int = 0) -> None:
    """Take up a case."""
    packed_rules = layout.pack_profile(case.profile)
    session.begin(
        block.ctypes.data,
        case.packed,
        packed_rules,
        case.method,
        case.max_nodes,
        spent,
        bulk_done,
    )


def finish(block: NDArray[np.int64], case: Case, nodes_a_step: int) -> Answer:
    """Take steps until the case is decided; no step expands more than it may."""
    address = block.ctypes.data
    before, status = session.nodes_spent(address), OPEN
    while status == OPEN:
        status = session.step(address, nodes_a_step)
        nodes = session.nodes_spent(address)
        assert before <= nodes <= min(before + nodes_a_step, case.max_nodes)
        # Without an expansion something was decided.
        assert nodes > before or status != OPEN
        before = nodes
    line = np.empty(ROOM, np.uint16)
    length = session.take_line(address, line)
    assert (length >= 0) == (status == WON)
    return Answer(status, before, line[: max(length, 0)].tolist())


def cases(method: int, count: int, rng: random.Random) -> list[Case]:
    """Return deals and positions in mid-game, under different profiles and bounds."""
    found = []
    for index in range(count):
        profile = PLAYED_BY[index % len(PLAYED_BY)]
        state = rules.deal(random_deck(rng))
        if rng.random() < 0.5:
            state = random_play(state, profile, rng, rng.randrange(1, 60))
        max_nodes = rng.choice((1, 2, 9, 40, 300, 2000, 20_000))
        found.append(Case(layout.pack(state), profile, method, max_nodes))
    return found


@pytest.mark.parametrize("method", [FAST, ASTAR])
def test_slices_of_any_size_give_the_same_answers(method: int) -> None:
    block = new_session()
    seen: Counter[int] = Counter()
    for case in cases(method, 200, random.Random(method)):
        answers = []
        for nodes_a_step in SLICES:
            begin(block, case)
            answers.append(finish(block, case, nodes_a_step))
        assert answers == answers[:1] * len(SLICES), case
        status, nodes, line = answers[0]
        seen[status] += 1
        assert (status == OUT_OF_NODES) <= (nodes == case.max_nodes)
        if status == WON:
            began, moves = layout.unpack(case.packed), layout.unpack_moves(line)
            assert rules.is_won(GAME.replay(began, moves, case.profile), case.profile)
    # Fewest moves have to be proved, and the goal `all` has large proofs: both fill the memory.
    assert set(seen) == {WON, LOST, OUT_OF_NODES, OUT_OF_MEMORY}
    assert min(seen[status] for status in (WON, LOST, OUT_OF_NODES)) >= 5


@pytest.mark.bounds
def test_a_given_up_search_leaves_nothing_behind() -> None:
    """Each case is begun a few times and left after some nodes: the answers are a new session's."""
    rng = random.Random("given up")
    whole, used = new_session(fill=-1), new_session()
    for case in cases(FAST, 40, rng) + cases(ASTAR, 20, rng):
        case = case._replace(max_nodes=min(case.max_nodes, 300))
        begin(whole, case)
        expected = finish(whole, case, 10**9)
        for nodes in (1, 3, rng.randrange(1, 20)):
            begin(used, case)
            session.step(used.ctypes.data, nodes)
        begin(used, case)
        assert finish(used, case, 10**9) == expected, case


@pytest.mark.parametrize("memory_mib", [1, 3, 250])
def test_a_block_is_as_large_as_it_says_and_nothing_is_written_beyond(memory_mib: int) -> None:
    size = session.session_size(memory_mib)
    assert size % 8 == 0
    block = np.full(size // 8 + 1, -1, np.int64)
    session.prepare(block.ctypes.data, memory_mib)
    assert block[0] == size
    assert block[-1] == -1
    # No more than the tables that the limit is for, those of the exact test, and what any search
    # takes.
    assert size < (memory_mib + 16 + 8) << 20


def test_a_session_without_a_position_expands_nothing() -> None:
    block = new_session()
    assert session.step(block.ctypes.data, 10) == OUT_OF_NODES
    assert session.nodes_spent(block.ctypes.data) == 0
    assert session.take_line(block.ctypes.data, np.empty(ROOM, np.uint16)) == -1


def rows_for(count: int, room: int) -> tuple[NDArray[Any], ...]:
    """Return what `decide` writes."""
    return (
        np.full(count, -1, np.int8),
        np.full(count, -1, np.int64),
        np.full(count, -1, np.int32),
        np.empty(room, np.uint16),
        np.zeros(count + 1, np.int64),
    )


def decide(
    block: NDArray[np.int64], packed: NDArray[np.uint8], profile: Profile, rows: Any, first: int = 0
) -> int:
    """Test positions from a row on, lines kept."""
    packed_rules = layout.pack_profile(profile)
    row: int = session.decide(block.ctypes.data, packed, packed_rules, 20_000, first, 1, *rows)
    return row


def test_the_test_in_bulk_and_then_a_search_are_what_steps_alone_do() -> None:
    """Also under the bounds that lie next to what the test takes: nodes before count for them."""
    rng = random.Random("bulk")
    block = new_session()
    seen: Counter[int] = Counter()
    for profile in PLAYED_BY:
        states = [random_play(rules.deal(random_deck(rng)), profile, rng, 3 * n) for n in range(20)]
        packed = np.array([layout.pack(state) for state in states])
        rows = rows_for(len(packed), 1 << 16)
        assert decide(block, packed, profile, rows) == len(packed)
        statuses, nodes, lengths, lines, offsets = rows
        for row, status in enumerate(statuses.tolist()):
            spent = int(nodes[row])
            line = lines[offsets[row] : offsets[row + 1]].tolist()
            assert lengths[row] == len(line)
            for max_nodes in (spent, spent + 1, spent + 5, spent + 300):
                case = Case(packed[row], profile, FAST, max_nodes)
                begin(block, case)
                alone = finish(block, case, 10)
                seen[alone.status] += 1
                if status == OPEN:
                    begin(block, case, spent, bulk_done=1)
                    assert session.nodes_spent(block.ctypes.data) == spent
                    assert finish(block, case, 10) == alone
                    assert (alone.status == OUT_OF_NODES) == (alone.nodes == max_nodes)
                # That nothing new is left may only be seen by a look beyond the bound.
                elif (status, alone.status) != (LOST, OUT_OF_NODES) or max_nodes > spent:
                    assert alone == Answer(status, spent, line)
    assert min(seen[status] for status in (WON, LOST, OUT_OF_NODES)) > 20


def test_what_was_spent_before_counts_for_the_bound() -> None:
    rng = random.Random(1)
    block = new_session()
    for method in (FAST, ASTAR):
        status = OPEN
        while status != OUT_OF_NODES:
            packed = layout.pack(rules.deal(random_deck(rng)))
            case = Case(packed, PROFILES["microsoft"], method, 1000)
            begin(block, case)
            status = finish(block, case, 1000).status
        for spent in (1, 500, 998, 999):
            begin(block, case, spent)
            assert session.nodes_spent(block.ctypes.data) == spent
            assert finish(block, case, 4) == Answer(OUT_OF_NODES, 1000, [])
        for spent in (1000, 1001):
            begin(block, case, spent)
            assert session.step(block.ctypes.data, 10) == OUT_OF_NODES
            assert session.nodes_spent(block.ctypes.data) == spent


def test_a_line_is_taken_by_who_has_room_for_it() -> None:
    rng = random.Random(5)
    block = new_session()
    state = rules.deal(random_deck(rng))
    while GAME.solve(state, PROFILES["classic"], Limits(1000, 1)).length == 0:
        state = rules.deal(random_deck(rng))
    case = Case(layout.pack(state), PROFILES["classic"], FAST, 1000)
    begin(block, case)
    answer = finish(block, case, 1000)
    for room in range(len(answer.line)):
        line = np.full(room, 77, np.uint16)
        assert session.take_line(block.ctypes.data, line) == -1
        assert (line == 77).all()
    line = np.empty(len(answer.line), np.uint16)
    assert session.take_line(block.ctypes.data, line) == len(line)
    assert line.tolist() == answer.line


def test_a_won_position_has_a_line_of_no_moves() -> None:
    won = rules.State((rules.NO_CARD,) * rules.PYRAMID_SIZE, tuple(range(12, 36)))
    block = new_session()
    for method in (FAST, ASTAR):
        case = Case(layout.pack(won), PROFILES["classic"], method, 5)
        begin(block, case)
        assert finish(block, case, 1) == Answer(WON, 0, [])
    rows = rows_for(1, 0)
    assert decide(block, layout.pack(won)[None], PROFILES["classic"], rows) == 1
    assert [array.tolist() for array in rows] == [[WON], [0], [0], [], [0, 0]]


def test_lines_in_bulk_end_where_there_is_no_room_and_go_on_there() -> None:
    """Whatever room there is at first: the rows before stand, and no move is written beyond."""
    rng = random.Random(9)
    profile, block = PROFILES["classic"], new_session()
    packed = np.array([layout.pack(rules.deal(random_deck(rng))) for _ in range(12)])
    full = rows_for(len(packed), ROOM)
    assert decide(block, packed, profile, full) == len(packed)
    ends = full[4].tolist()
    assert ends[-1] > 200
    for room in (0, 1, ends[3], ends[3] + 1, ends[-1] - 1, ends[-1]):
        rows = rows_for(len(packed), room)
        row = decide(block, packed, profile, rows)
        # Lost rows need no room.
        assert row == sum(end <= room for end in ends[1:])
        assert rows[4][row] == ends[row]
        assert (rows[0][row:] == -1).all()
        more = np.empty(ends[-1], np.uint16)
        more[: ends[row]] = rows[3][: ends[row]]
        rows = (*rows[:3], more, rows[4])
        assert decide(block, packed, profile, rows, row) == len(packed)
        for found, expected in zip(rows, full, strict=True):
            assert (found == expected[: len(found)]).all()
    wins = np.empty(len(packed), np.bool_)
    decks = packed[:, : GAME.deck_size].copy()
    kernel.replay_decks(decks, layout.pack_profile(profile), full[3], full[4], wins)
    assert (wins == (full[0] == WON)).all()


def test_statuses_are_what_the_solver_says() -> None:
    """One by one under a bound on seconds, and in bulk without one."""
    rng = random.Random(11)
    block = new_session()
    for case in cases(FAST, 30, rng) + cases(ASTAR, 12, rng):
        begin(block, case)
        status, nodes, line = finish(block, case, 1000)
        for seconds in (None, 1e6):
            batch = GAME.solver.solve_packed(
                case.packed[None],
                case.profile,
                Limits(case.max_nodes, MEMORY_MIB, seconds),
                want_lines=True,
                method=case.method,
            )
            found = (batch.verdict[0], batch.limit[0], batch.nodes[0], batch.line(0).tolist())
            assert found == (VERDICTS[status], LIMITS[status], nodes, line)
