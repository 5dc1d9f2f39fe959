"""Sessions: one position after another in a block of memory, in slices that change nothing."""

from __future__ import annotations

import functools
import random
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from plot_cases import ALL_PROFILES, CLASSIC, PYSOL, deck_of, decks_of, random_play, reduced_games

from solvers.play import replay
from solvers.plot import rules, session
from solvers.plot.game import GAME
from solvers.plot.layout import pack, pack_profile, unpack_moves
from solvers.plot.rules import Profile, State, deal, start
from solvers.search import status
from solvers.search.arena import new_arena
from solvers.search.solver import LONGEST_LINE, Rows

FAST, BEST_FIRST, DFS = METHODS = range(3)
AT_ONCE = 10**9


class Answer(NamedTuple):
    """What a session says of a position."""

    status: int
    nodes: int
    line: list[int]


class Session:
    """A block of memory with the entries of the program."""

    def __init__(self, memory_mib: int, content: int = 0) -> None:
        """Prepare a block whose bytes are of some content."""
        self.block = new_arena(session.session_size(memory_mib))
        self.block.view(np.uint8)[:] = content
        self.address = self.block.ctypes.data
        session.prepare(self.address, memory_mib)

    def begin(
        self,
        state: State,
        profile: Profile,
        method: int,
        max_nodes: int,
        *,
        spent: int = 0,
        bulk_done: bool = False,
    ) -> None:
        """Take up a position."""
        packed, packed_rules = pack(state), pack_profile(profile)
        session.begin(self.address, packed, packed_rules, method, max_nodes, spent, int(bulk_done))

    def steps(self, nodes: int) -> Iterator[tuple[int, int]]:
        """Go on to the end; yield status and nodes after each step."""
        found = status.OPEN
        while found == status.OPEN:
            found = session.step(self.address, nodes)
            yield found, session.nodes_spent(self.address)

    def finish(self, nodes: int = AT_ONCE) -> Answer:
        """Go on to the end in steps of some nodes."""
        *_, (found, spent) = self.steps(nodes)
        return Answer(found, spent, self.line())

    def line(self) -> list[int]:
        """Return the line."""
        line = np.empty(LONGEST_LINE, np.uint16)
        return line[: session.take_line(self.address, line)].tolist()

    def decide(
        self, packed: NDArray[np.uint8], profile: Profile, max_nodes: int, rows: Rows, first: int
    ) -> int:
        """Decide in bulk from a row on; return the row after the last."""
        keep_lines = int(len(rows.lines) > 0)
        return session.decide(
            self.address, packed, pack_profile(profile), max_nodes, first, keep_lines, *rows
        )


@functools.cache
def small_session() -> Session:
    """Return the session that most tests share; what it was used for before changes nothing."""
    return Session(2)


class Position(NamedTuple):
    """A position to decide, and the nodes that it may take."""

    state: State
    profile: Profile
    max_nodes: int


def deal_state(number: int, profile: Profile) -> State:
    """Return a numbered deal as `begin` takes it."""
    return start(deal(deck_of(number)), profile)


@functools.cache
def positions() -> list[Position]:
    """Return deals, positions in mid-game and small games, to be decided within few nodes."""
    rng = random.Random(1)
    found = []
    for number in (*range(1, 61), 16, 441, 501, 890, 1266, 1882, 2030, 2183, 2302, 3308, 4541):
        profile = ALL_PROFILES[number % len(ALL_PROFILES)]
        states = random_play(number, profile, seed=number, most=rng.randrange(1, 200))
        max_nodes = rng.choice((1, 40, 700, 1500, 2500))
        found += [Position(state, profile, max_nodes) for state in (states[0], states[-1])]
    for state, _ in reduced_games(30):
        for profile in ALL_PROFILES:
            most = rng.choice((3, 2000, 2000))
            found.append(Position(start(state, profile), profile, most))
    return found


# Slices.


@pytest.mark.parametrize("method", METHODS)
def test_slices_change_neither_status_nor_nodes_nor_line(method: int) -> None:
    block, statuses = small_session(), Counter[int]()
    for state, profile, max_nodes in positions():
        block.begin(state, profile, method, max_nodes)
        expected = block.finish()
        for nodes in (1, 7, 1000):
            block.begin(state, profile, method, max_nodes)
            assert block.finish(nodes) == expected
        statuses[expected.status] += 1
        if expected.status == status.WON:
            moves = unpack_moves(expected.line)
            assert rules.is_won(replay(rules, state, moves, profile), profile)
        else:
            assert not expected.line
        assert 1 <= expected.nodes <= max_nodes
        assert (expected.status == status.OUT_OF_NODES) <= (expected.nodes == max_nodes)
    assert len(positions()) >= 200
    assert set(statuses) == {status.WON, status.LOST, status.OUT_OF_NODES}
    assert min(statuses.values()) > 20


@pytest.mark.parametrize(
    ("number", "profile", "method", "max_nodes", "found"),
    [
        (9298, CLASSIC, FAST, 60_000, status.WON),
        (4541, CLASSIC, FAST, 60_000, status.OUT_OF_NODES),
        (113963, CLASSIC, FAST, 100_000, status.LOST),
        (5694, PYSOL, FAST, 60_000, status.OUT_OF_NODES),
        (16, CLASSIC, BEST_FIRST, 3_000, status.OUT_OF_NODES),
        (5, CLASSIC, BEST_FIRST, 20_000, status.WON),
        (38, CLASSIC, DFS, 20_000, status.WON),
    ],
)
def test_slices_change_nothing_where_searches_are_long(
    number: int, profile: Profile, method: int, max_nodes: int, found: int
) -> None:
    block, answers = Session(16), []
    for nodes in (1, 7, 1000, 20_000, AT_ONCE):
        block.begin(deal_state(number, profile), profile, method, max_nodes)
        answers.append(block.finish(nodes))
    assert answers[0].status == found
    assert answers == [answers[0]] * len(answers)


def test_slices_change_nothing_where_memory_runs_out() -> None:
    block = Session(1)
    for number, method in ((5555, FAST), (5555, BEST_FIRST), (16, DFS)):
        answers = []
        for nodes in (1, 1000, AT_ONCE):
            block.begin(deal_state(number, CLASSIC), CLASSIC, method, 10_000_000)
            answers.append(block.finish(nodes))
        assert answers == [answers[0]] * 3
        assert answers[0].status == status.OUT_OF_MEMORY


@pytest.mark.parametrize("nodes", [1, 3, 50])
def test_a_step_expands_no_more_than_it_may_and_gets_on(nodes: int) -> None:
    block = small_session()
    for state, profile, max_nodes in positions()[::3]:
        for method in METHODS:
            block.begin(state, profile, method, max_nodes)
            before, idle = 0, 0
            for _, spent in block.steps(nodes):
                assert before <= spent <= min(before + nodes, max_nodes)
                idle += spent == before
                before = spent
            # Tables that are cleared, and states that are known to be lost, take their time.
            assert idle <= 200 + 30 * before


def test_a_step_of_no_nodes_is_one_of_one() -> None:
    block = small_session()
    for nodes in (0, -5):
        block.begin(deal_state(1, CLASSIC), CLASSIC, FAST, 1000)
        spent = [after for _, after in block.steps(nodes)]
        assert spent == list(range(1, len(spent) + 1))


@pytest.mark.parametrize("method", METHODS)
def test_a_position_that_has_ended_stays_as_it_ended(method: int) -> None:
    for block, number, max_nodes in (
        (small_session(), 1, 90),
        (small_session(), 2, 1000),
        (small_session(), 501, 1000),
        (Session(1), 16, 10_000_000),
    ):
        block.begin(deal_state(number, CLASSIC), CLASSIC, method, max_nodes)
        ended = block.finish()
        for nodes in (1, 1000, AT_ONCE):
            assert block.finish(nodes) == ended


# What went before.


def test_nodes_that_went_before_count() -> None:
    block, state = small_session(), deal_state(16, CLASSIC)
    for method in METHODS:
        for spent in (0, 1, 30, 98, 99):
            block.begin(state, CLASSIC, method, 99, spent=spent)
            steps = [after for _, after in block.steps(1)]
            assert sorted(set(steps) - {spent}) == list(range(spent + 1, 100))
            assert steps[-1] == 99
        for spent in (99, 100, 1000):
            block.begin(state, CLASSIC, method, 99, spent=spent)
            assert block.finish() == (status.OUT_OF_NODES, spent, [])


def test_what_was_done_in_bulk_is_not_done_again() -> None:
    block = Session(16)
    numbers, left = [1, 16, 441, 501, 1266, 2302, 4541, 9298], 0
    for profile in ALL_PROFILES:
        states = [deal_state(number, profile) for number in numbers]
        packed = np.array([pack(state) for state in states])
        rows = Rows.empty(len(packed), 1 << 13)
        assert block.decide(packed, profile, 40_000, rows, 0) == len(packed)
        for row, state in enumerate(states):
            block.begin(state, profile, FAST, 40_000)
            whole = block.finish()
            if rows.statuses[row] != status.OPEN:
                line = rows.lines[rows.offsets[row] : rows.offsets[row + 1]].tolist()
                assert whole == (rows.statuses[row], rows.nodes[row], line)
                continue
            left += 1
            spent = int(rows.nodes[row])
            block.begin(state, profile, FAST, 40_000, spent=spent, bulk_done=True)
            assert block.finish() == whole
            # Done again, it would cost as much once more.
            block.begin(state, profile, FAST, 40_000, spent=spent)
            assert block.finish().nodes == min(whole.nodes + spent, 40_000)
    assert left > 6


@pytest.mark.parametrize("content", [0x55, 0xFF])
def test_what_a_block_held_before_changes_nothing(content: int) -> None:
    filled, block = Session(2, content), Session(2)
    for state, profile, max_nodes in positions()[::7]:
        for method in METHODS:
            answers = []
            for each in (filled, block):
                each.begin(state, profile, method, max_nodes)
                answers.append(each.finish())
            assert answers[0] == answers[1]


def test_positions_that_were_given_up_change_nothing() -> None:
    block, rng = small_session(), random.Random(1)
    for state, profile, max_nodes in positions()[::5]:
        for method in METHODS:
            block.begin(state, profile, method, max_nodes)
            expected = block.finish()
            other = rng.choice(positions())
            block.begin(other.state, other.profile, rng.choice(METHODS), 20_000)
            for _ in range(3):
                session.step(block.address, rng.choice((1, 100, 5000)))
            block.begin(state, profile, method, max_nodes)
            assert block.finish() == expected


def test_without_a_position_there_is_nothing_to_expand() -> None:
    block = Session(1)
    decks, efforts = decks_of(1, 1), np.empty(1, np.int64)
    state = deal_state(1, CLASSIC)
    assert block.finish() == (status.OUT_OF_NODES, 0, [])
    for drop in (
        lambda: block.decide(pack(state)[None], CLASSIC, 1000, Rows.empty(1), 0),
        lambda: session.measure_decks(block.address, decks, pack_profile(CLASSIC), 0, 1, efforts),
    ):
        block.begin(state, CLASSIC, FAST, 1000)
        session.step(block.address, 1)
        drop()
        assert block.finish() == (status.OUT_OF_NODES, 0, [])


# Lines.


@pytest.mark.parametrize(("number", "method"), [(1, FAST), (5, BEST_FIRST), (38, DFS)])
def test_a_line_for_which_there_is_no_room_is_not_written(number: int, method: int) -> None:
    block = small_session()
    block.begin(deal_state(number, CLASSIC), CLASSIC, method, 10_000)
    answer = block.finish()
    assert answer.status == status.WON
    for room in (0, 1, len(answer.line) - 1):
        short = np.full(room, 77, np.uint16)
        assert session.take_line(block.address, short) == -1
        assert short.tolist() == [77] * room
    exact = np.empty(len(answer.line), np.uint16)
    assert session.take_line(block.address, exact) == len(answer.line)
    assert exact.tolist() == answer.line


@pytest.mark.parametrize("method", METHODS)
def test_a_position_that_is_won_already_has_a_line_without_moves(method: int) -> None:
    block = small_session()
    won = State(1, (), (8,) * 13, ((),) * 12, (), ())
    for profile in ALL_PROFILES:
        block.begin(won, profile, method, 10)
        assert block.finish() == (status.WON, 1, [])
        assert session.take_line(block.address, np.empty(0, np.uint16)) == 0


def test_a_win_or_loss_with_the_last_node_is_one() -> None:
    block, decided = small_session(), Counter[int]()
    # The small games are the last 90; most losses are seen at once, and take one node.
    for state, profile, _ in positions()[:-90:6] + positions()[-90:]:
        for method in METHODS:
            block.begin(state, profile, method, 5000)
            whole = block.finish()
            if whole.status not in (status.WON, status.LOST) or whole.nodes < 2:
                continue
            for nodes in (1, AT_ONCE):
                block.begin(state, profile, method, whole.nodes)
                assert block.finish(nodes) == whole
                block.begin(state, profile, method, whole.nodes - 1)
                assert block.finish(nodes) == (status.OUT_OF_NODES, whole.nodes - 1, [])
            decided[whole.status] += 1
    assert min(decided[status.WON], decided[status.LOST]) > 5


@pytest.mark.parametrize("room", [1, 240, 700, 2000])
def test_bulk_ends_where_a_line_has_no_room_and_goes_on_from_there(room: int) -> None:
    block = small_session()
    packed = np.array([pack(deal_state(number, CLASSIC)) for number in (1, 2, 501, 3, 16, 4, 5)])
    whole = Rows.empty(len(packed), 1 << 14)
    assert block.decide(packed, CLASSIC, 50_000, whole, 0) == len(packed)
    assert set(whole.statuses) == {status.WON, status.LOST, status.OPEN}
    rows = Rows.empty(len(packed), room)
    row, ends = 0, 0
    while row < len(packed):
        row = block.decide(packed, CLASSIC, 50_000, rows, row)
        # No win without its line, no row left out.
        assert np.diff(rows.offsets[: row + 1]).tolist() == rows.lengths[:row].tolist()
        assert rows.statuses[:row].tolist() == whole.statuses[:row].tolist()
        if row < len(packed):
            assert rows.offsets[row] + whole.lengths[row] > len(rows.lines)
            more = np.concatenate([rows.lines, np.zeros(100, np.uint16)])
            rows = rows._replace(lines=more)
            ends += 1
    assert (ends > 0) == (room < whole.offsets[-1])
    for name in ("statuses", "nodes", "lengths", "offsets"):
        assert getattr(rows, name).tolist() == getattr(whole, name).tolist()
    end = int(whole.offsets[-1])
    assert rows.lines[:end].tolist() == whole.lines[:end].tolist()


def test_lines_that_nobody_keeps_are_counted() -> None:
    block = small_session()
    packed = np.array([pack(deal_state(number, CLASSIC)) for number in range(1, 13)])
    kept, counted = Rows.empty(len(packed), 1 << 14), Rows.empty(len(packed))
    for rows in (kept, counted):
        assert block.decide(packed, CLASSIC, 5000, rows, 0) == len(packed)
    assert counted.lengths.tolist() == kept.lengths.tolist()
    assert counted.offsets.tolist() == [0] * (len(packed) + 1)


# Memory.


def test_efforts_do_not_depend_on_the_memory_of_a_session() -> None:
    decks, packed_rules = decks_of(1, 60), pack_profile(CLASSIC)
    efforts = np.empty((2, len(decks)), np.int64)
    for block, row in zip((Session(1), Session(64)), efforts, strict=True):
        session.measure_decks(block.address, decks, packed_rules, 0, 1, row)
    assert efforts[0].tolist() == efforts[1].tolist()


def test_blocks_keep_to_the_memory_limit_but_for_what_all_sessions_have() -> None:
    least = session.session_size(1)
    assert least < 24 << 20
    sizes = [session.session_size(memory_mib) for memory_mib in (1, 2, 16, 400, 6000)]
    assert sizes == sorted(sizes)
    for memory_mib, size in zip((1, 2, 16, 400, 6000), sizes, strict=True):
        assert size % 8 == 0
        assert size <= least + (memory_mib << 20)
    # Of more nodes than have numbers there is no use, whatever the limit.
    assert session.session_size(1 << 30) == session.session_size(2**62 - 1)


@pytest.mark.bounds
def test_a_few_positions_in_slices() -> None:
    block = Session(1)
    for state, profile, max_nodes in positions()[::9]:
        for method in METHODS:
            block.begin(state, profile, method, max_nodes)
            ended = block.finish(50)
            block.begin(state, profile, method, max_nodes)
            assert block.finish() == ended
    block.begin(deal_state(16, CLASSIC), CLASSIC, DFS, 1_000_000)
    assert block.finish(1000).status == status.OUT_OF_MEMORY


def test_the_methods_are_those_of_the_game() -> None:
    assert GAME.methods == ("fast", "best-first", "dfs")
