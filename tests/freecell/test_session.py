"""Sessions: one position after another in a block of memory, in slices that change nothing."""

from __future__ import annotations

import functools
import random
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from freecell_cases import ms_deal, random_play, reduced_games
from freecell_packed import decks_of, tidy_position
from numpy.typing import NDArray

from solvers.freecell import layout, rules, session
from solvers.freecell.game import GAME
from solvers.freecell.layout import unpack_moves
from solvers.freecell.rules import PROFILES, Profile, State
from solvers.play import replay
from solvers.search import status
from solvers.search.arena import new_arena
from solvers.search.solver import LONGEST_LINE, Rows

CLASSIC = PROFILES["classic"]
FAST, BEST_FIRST, DFS = range(3)
AT_ONCE = 10**9
VARIED = (
    *PROFILES.values(),
    Profile("classic", 2),
    Profile("classic", 1, "suit", "single", "safe"),
    Profile("classic", 3, supermove="single", autoplay="max"),
)


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
        packed, packed_rules = packed_start(state, profile), layout.pack_profile(profile)
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
        return session.decide(
            self.address,
            packed,
            layout.pack_profile(profile),
            max_nodes,
            first,
            int(len(rows.lines) > 0),
            rows.statuses,
            rows.nodes,
            rows.lengths,
            rows.lines,
            rows.offsets,
        )


@functools.cache
def small_session() -> Session:
    """Return the session that most tests share; what it was used for before changes nothing."""
    return Session(2)


def packed_start(state: State, profile: Profile) -> NDArray[np.uint8]:
    """Return a position as `begin` takes it."""
    return layout.pack(rules.start(state, profile))


class Position(NamedTuple):
    """A position to decide, and the nodes that it may take."""

    state: State
    profile: Profile
    max_nodes: int


@functools.cache
def positions() -> list[Position]:
    """Return deals, positions in mid-game and small games, to be decided within few nodes."""
    rng = random.Random(1)
    found = []
    for number in range(60):
        profile = VARIED[number % len(VARIED)]
        deal = rules.deal(decks_of([number + 1])[0].tolist(), cells=profile.cells)
        state = random_play(deal, profile, rng, rng.randrange(100))[-1][1]
        tidy = tidy_position(rng, profile.cells, rng.randrange(14))
        found += [Position(each, profile, rng.choice((1, 40, 700, 1500))) for each in (state, tidy)]
    for game in reduced_games()[::2]:
        found.append(Position(game.state, game.profile, rng.choice((3, 5000, 5000))))
    return found


# Slices.


@pytest.mark.parametrize("method", [FAST, BEST_FIRST, DFS])
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
            began = rules.start(state, profile)
            assert rules.is_won(replay(rules, began, moves, profile), profile)
        else:
            assert not expected.line
        assert (expected.status == status.OUT_OF_NODES) <= (expected.nodes == max_nodes)
    assert len(positions()) >= 200
    assert set(statuses) == {status.WON, status.LOST, status.OUT_OF_NODES}
    assert min(statuses.values()) > 20


def test_slices_change_nothing_where_long_searches_and_the_proof_follow() -> None:
    block = Session(16)
    cases = [
        (ms_deal(781948), CLASSIC, FAST, 1_000_000, status.LOST),
        (ms_deal(57148), CLASSIC, FAST, 60_000, status.OUT_OF_NODES),
        (ms_deal(1941), PROFILES["max-auto"], FAST, 40_000, status.OUT_OF_NODES),
        (ms_deal(193879), CLASSIC, FAST, 1_000_000, status.WON),
        (ms_deal(455889), CLASSIC, BEST_FIRST, 1_000_000, status.LOST),
        (ms_deal(1941), Profile("classic", 3), DFS, 20_000, status.OUT_OF_NODES),
    ]
    for state, profile, method, max_nodes, found in cases:
        answers = []
        for nodes in (7, 1000, 20_000, AT_ONCE):
            block.begin(state, profile, method, max_nodes)
            answers.append(block.finish(nodes))
        assert answers[0].status == found
        assert answers == [answers[0]] * 4


def test_slices_change_nothing_where_memory_runs_out() -> None:
    block = Session(1)
    for method in (FAST, DFS):
        answers = []
        for nodes in (1, 1000, AT_ONCE):
            block.begin(ms_deal(11982), CLASSIC, method, 1_000_000)
            answers.append(block.finish(nodes))
        assert answers == [answers[0]] * 3
        assert answers[0].status == status.OUT_OF_MEMORY


@pytest.mark.parametrize("nodes", [1, 3, 50])
def test_a_step_expands_some_states_and_no_more_than_it_may(nodes: int) -> None:
    block, ways = small_session(), 0
    for state, profile, max_nodes in positions()[::3]:
        for method in (FAST, BEST_FIRST, DFS):
            block.begin(state, profile, method, max_nodes)
            before, on_the_way = 0, False
            for found, spent in block.steps(nodes):
                assert before <= spent <= min(before + nodes, max_nodes)
                if on_the_way:
                    assert spent == before
                    assert found in (status.OPEN, status.WON)
                    ways += found == status.WON
                # Only looking for the way to a win that the proof came upon counts no nodes.
                on_the_way |= found == status.OPEN and spent < before + nodes
                before = spent
    assert ways > 0


def test_steps_and_limits_may_be_as_large_as_numbers_are() -> None:
    block, most = small_session(), (1 << 63) - 1
    for state, profile, _ in positions()[120::4]:
        for method in (FAST, BEST_FIRST, DFS):
            block.begin(state, profile, method, 10**6)
            expected = block.finish()
            block.begin(state, profile, method, most)
            assert block.finish(most) == expected
            # Also where something has been expanded already.
            block.begin(state, profile, method, most)
            found = session.step(block.address, 2)
            assert found != status.OPEN or block.finish(most) == expected


def test_a_step_of_no_nodes_is_one_of_one() -> None:
    block = small_session()
    for nodes in (0, -5):
        block.begin(ms_deal(1), CLASSIC, FAST, 1000)
        spent = [after for _, after in block.steps(nodes)]
        assert spent == list(range(1, len(spent) + 1))


@pytest.mark.parametrize("method", [FAST, BEST_FIRST, DFS])
def test_a_position_that_has_ended_stays_as_it_ended(method: int) -> None:
    for block, state, max_nodes in (
        (small_session(), ms_deal(2), 90),
        (small_session(), ms_deal(2), 5000),
        (small_session(), tidy_position(random.Random(3), 4, 9), 5000),
        (Session(1), ms_deal(11982), 1_000_000),
    ):
        block.begin(state, CLASSIC, method, max_nodes)
        ended = block.finish()
        for nodes in (1, 1000, AT_ONCE):
            assert block.finish(nodes) == ended


# What went before.


def test_nodes_that_went_before_count() -> None:
    block = small_session()
    for method in (FAST, BEST_FIRST, DFS):
        for spent in (0, 1, 30, 98, 99):
            block.begin(ms_deal(11982), CLASSIC, method, 99, spent=spent)
            steps = [after for _, after in block.steps(1)]
            assert steps == ([*range(spent + 1, 100)] or [99])
        for spent in (99, 100, 1000):
            block.begin(ms_deal(11982), CLASSIC, method, 99, spent=spent)
            assert block.finish() == (status.OUT_OF_NODES, spent, [])


def test_what_was_done_in_bulk_is_not_done_again() -> None:
    block = Session(16)
    numbers, left = [3, 617, 1941, 57148, 193879, 455889, 781948], 0
    for profile in (CLASSIC, PROFILES["max-auto"], Profile("classic", 2)):
        packed = np.array([packed_start(ms_deal(number), profile) for number in numbers])
        rows = Rows.empty(len(packed), 1 << 12)
        assert block.decide(packed, profile, 40_000, rows, 0) == len(packed)
        for row, number in enumerate(numbers):
            block.begin(ms_deal(number), profile, FAST, 40_000)
            whole = block.finish()
            if rows.statuses[row] != status.OPEN:
                line = rows.lines[rows.offsets[row] : rows.offsets[row + 1]].tolist()
                assert whole == (rows.statuses[row], rows.nodes[row], line)
                continue
            left += 1
            spent = int(rows.nodes[row])
            block.begin(ms_deal(number), profile, FAST, 40_000, spent=spent, bulk_done=True)
            assert block.finish() == whole
            # Done again, it would cost as much once more.
            block.begin(ms_deal(number), profile, FAST, 40_000, spent=spent)
            assert block.finish().nodes == min(whole.nodes + spent, 40_000)
    assert left > 3


@pytest.mark.parametrize("content", [0x55, 0xFF])
def test_what_a_block_held_before_changes_nothing(content: int) -> None:
    filled, block = Session(2, content), Session(2)
    for state, profile, max_nodes in positions()[::7]:
        for method in (FAST, BEST_FIRST, DFS):
            answers = []
            for each in (filled, block):
                each.begin(state, profile, method, max_nodes)
                answers.append(each.finish())
            assert answers[0] == answers[1]


def test_positions_that_were_given_up_change_nothing() -> None:
    block, rng = small_session(), random.Random(1)
    for state, profile, max_nodes in positions()[::5]:
        for method in (FAST, BEST_FIRST, DFS):
            block.begin(state, profile, method, max_nodes)
            expected = block.finish()
            other = rng.choice(positions())
            block.begin(other.state, other.profile, rng.randrange(3), 5000)
            for _ in range(3):
                session.step(block.address, rng.choice((1, 100, 700)))
            block.begin(state, profile, method, max_nodes)
            assert block.finish() == expected


def test_without_a_position_there_is_nothing_to_expand() -> None:
    block = Session(1)
    decks = decks_of([1])
    packed, efforts = packed_start(ms_deal(1), CLASSIC)[None], np.empty(1, np.int64)
    assert block.finish() == (status.OUT_OF_NODES, 0, [])
    for drop in (
        lambda: block.decide(packed, CLASSIC, 1000, Rows.empty(1), 0),
        lambda: session.measure_decks(
            block.address, decks, layout.pack_profile(CLASSIC), 0, 1, efforts
        ),
    ):
        block.begin(ms_deal(1), CLASSIC, FAST, 1000)
        session.step(block.address, 1)
        drop()
        assert block.finish() == (status.OUT_OF_NODES, 0, [])


# Lines.


def test_a_line_for_which_there_is_no_room_is_not_written() -> None:
    block = small_session()
    block.begin(ms_deal(1), CLASSIC, FAST, 1000)
    line = block.finish().line
    for room in (0, 1, len(line) - 1):
        short = np.full(room, 77, np.uint16)
        assert session.take_line(block.address, short) == -1
        assert short.tolist() == [77] * room
    exact = np.empty(len(line), np.uint16)
    assert session.take_line(block.address, exact) == len(line)
    assert exact.tolist() == line


@pytest.mark.parametrize("method", [FAST, BEST_FIRST, DFS])
def test_a_position_that_is_won_already_has_a_line_without_moves(method: int) -> None:
    block = small_session()
    for profile in VARIED:
        won = State(((),) * 8, (rules.NO_CARD,) * profile.cells, (13, 13, 13, 13))
        block.begin(won, profile, method, 10)
        assert block.finish() == (status.WON, int(method == DFS), [])
        assert session.take_line(block.address, np.empty(0, np.uint16)) == 0


def test_a_win_with_the_last_node_is_a_win() -> None:
    block, wins = small_session(), 0
    for state, profile, _ in positions()[::4]:
        for method in (FAST, BEST_FIRST, DFS):
            block.begin(state, profile, method, 5000)
            whole = block.finish()
            if whole.status not in (status.WON, status.LOST) or whole.nodes < 2:
                continue
            for nodes in (1, AT_ONCE):
                block.begin(state, profile, method, whole.nodes)
                assert block.finish(nodes) == whole
                block.begin(state, profile, method, whole.nodes - 1)
                assert block.finish(nodes) == (status.OUT_OF_NODES, whole.nodes - 1, [])
            wins += whole.status == status.WON
    assert wins > 20


@pytest.mark.parametrize("room", [1, 60, 200, 1000])
def test_bulk_ends_where_a_line_has_no_room_and_goes_on_from_there(room: int) -> None:
    block = small_session()
    packed = np.array([packed_start(ms_deal(number), CLASSIC) for number in range(1, 13)])
    whole = Rows.empty(len(packed), 1 << 14)
    assert block.decide(packed, CLASSIC, 5000, whole, 0) == len(packed)
    assert (whole.statuses == status.WON).all()
    rows = Rows.empty(len(packed), room)
    row, ends = 0, 0
    while row < len(packed):
        row = block.decide(packed, CLASSIC, 5000, rows, row)
        # No win without its line, no row left out.
        assert np.diff(rows.offsets[: row + 1]).tolist() == rows.lengths[:row].tolist()
        assert (rows.statuses[:row] == status.WON).all()
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
    packed = np.array([packed_start(ms_deal(number), CLASSIC) for number in range(1, 13)])
    kept, counted = Rows.empty(len(packed), 1 << 14), Rows.empty(len(packed))
    for rows in (kept, counted):
        assert block.decide(packed, CLASSIC, 5000, rows, 0) == len(packed)
    assert counted.lengths.tolist() == kept.lengths.tolist()
    assert counted.offsets.tolist() == [0] * (len(packed) + 1)


# Memory.


def test_efforts_do_not_depend_on_the_memory_of_a_session() -> None:
    decks, packed_rules = decks_of(range(1, 61)), layout.pack_profile(CLASSIC)
    efforts = np.empty((2, len(decks)), np.int64)
    for block, row in zip((Session(1), Session(64)), efforts, strict=True):
        session.measure_decks(block.address, decks, packed_rules, 0, 1, row)
    assert efforts[0].tolist() == efforts[1].tolist()


def test_a_limit_of_memory_holds_after_measuring() -> None:
    measured, plain = Session(1), Session(1)
    decks, efforts = decks_of([1, 2]), np.empty(2, np.int64)
    session.measure_decks(measured.address, decks, layout.pack_profile(CLASSIC), 0, 1, efforts)
    bounded = 0
    for number in (617, 1941, 31465):
        answers = []
        for block in (measured, plain, Session(16)):
            block.begin(ms_deal(number), CLASSIC, FAST, 16_000)
            answers.append(block.finish())
        assert answers[0] == answers[1]
        bounded += answers[1] != answers[2]
    assert bounded > 0


def test_blocks_keep_to_the_memory_limit_but_for_what_all_sessions_have() -> None:
    least = session.session_size(1)
    assert least < 8 << 20
    for memory_mib in (2, 16, 400, 6000):
        size = session.session_size(memory_mib)
        assert size % 64 == 0
        # Two fifths for long searches, up to a limit, and three fifths for the proof.
        assert size <= least + (memory_mib << 20)


@pytest.mark.bounds
def test_a_few_positions_in_slices() -> None:
    block = Session(1)
    for state, profile, max_nodes in positions()[::6]:
        for method in (FAST, BEST_FIRST, DFS):
            block.begin(state, profile, method, max_nodes)
            ended = block.finish(50)
            block.begin(state, profile, method, max_nodes)
            assert block.finish() == ended
    block.begin(ms_deal(11982), CLASSIC, DFS, 1_000_000)
    assert block.finish(1000).status == status.OUT_OF_MEMORY


def test_the_methods_are_those_of_the_game() -> None:
    assert (GAME.methods[FAST], GAME.methods[BEST_FIRST]) == ("fast", "best-first")
    assert GAME.methods[DFS:] == ("dfs",)
