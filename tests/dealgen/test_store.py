import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from toy_numberings import Huge

from dealgen.formats import STORE_FORMAT
from dealgen.numbering import numbering_of
from dealgen.store import Chunk, Store, larger_of, worth_retrying
from dealgen.task import Series
from solvers.errors import StoreError
from solvers.outcome import BatchOutcome, Limit, Limits, Verdict

MS = numbering_of("ms")
SERIES = Series("fake", "plain", MS)
LIMITS = Limits(1000, 16)
LARGER = Limits(2000, 16)
W, U, X = Verdict.WINNABLE, Verdict.UNDECIDED, Verdict.UNWINNABLE


def outcome_of(verdicts, limit=Limit.NODES):
    count = len(verdicts)
    verdict = np.array(verdicts, np.int8)
    return BatchOutcome(
        verdict=verdict,
        nodes=np.arange(count, dtype=np.int64) + 10,
        limit=np.where(verdict == U, limit, Limit.NONE).astype(np.int8),
        length=np.where(verdict == W, 40, 0).astype(np.int32),
        lines=np.empty(0, np.uint16),
        offsets=np.zeros(count + 1, np.int64),
    )


def save(
    store, numbers, verdicts, *, series=SERIES, limits=LIMITS, solver="1", effort=None, **more
):
    effort = [0] * len(numbers) if effort is None else effort
    if not isinstance(numbers, np.ndarray):
        numbers = series.numbering.array(numbers)
    chunk = Chunk(numbers, outcome_of(verdicts, **more), np.array(effort, np.int64))
    store.save(series, chunk, limits=limits, solver=solver, grader="fake-1")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deals.db"


# What is kept.


def test_rows_come_back_ascending_and_survive_the_file(path):
    with Store.open(path, create=True) as store:
        save(store, [5, 3, 9], [W, X, U], effort=[700, 0, 0])
    with Store.open(path, create=False, write=False) as store:
        rows = store.rows(SERIES, 1, 100, "fake-1")
    assert rows.numbers.tolist() == [3, 5, 9]
    assert rows.verdict.tolist() == [X, W, U]
    assert rows.effort.tolist() == [0, 700, 0]


def test_the_view_shows_every_fact_by_name(path):
    with Store.open(path, create=True) as store:
        save(store, [5], [W], effort=[700])
        save(store, [6], [U], limits=Limits(7, 8, 1.5))
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT * FROM deals").fetchall() == [
        ("fake", "plain", "ms", 5, "winnable", 10, None, 40, 1000, 16, None, "1", 0.7, "fake-1"),
        ("fake", "plain", "ms", 6, "undecided", 10, "nodes", 0, 7, 8, 1.5, "1", None, None),
    ]
    connection.close()


def test_series_and_ranges_are_kept_apart():
    with Store.in_memory() as store:
        save(store, [1, 2, 3], [W, W, W])
        save(store, [2], [X], series=Series("fake", "plain,cells=3", MS))
        assert store.rows(SERIES, 2, 3, "fake-1").numbers.tolist() == [2, 3]
        other = store.rows(Series("fake", "plain,cells=3", MS), 1, 9, "fake-1")
        assert other.verdict.tolist() == [X]
        assert store.rows(Series("fake", "bare", MS), 1, 9, "fake-1").numbers.tolist() == []


def test_a_number_has_one_row_the_last_written():
    with Store.in_memory() as store:
        save(store, [4], [U])
        save(store, [4], [W], limits=LARGER, effort=[5])
        rows = store.rows(SERIES, 1, 9, "fake-1")
        assert (rows.numbers.tolist(), rows.verdict.tolist()) == ([4], [W])


def test_numbers_beyond_64_bits_are_kept_as_text_that_sorts(path):
    series = Series("fake", "plain", Huge())
    last = 10**20 - 1
    numbers = [last, 7, 2**64, 2**63 - 1, 32000123, 2**63]
    with Store.open(path, create=True) as store:
        save(store, numbers, [W, X, U, W, W, W], series=series, effort=[700, 0, 0, 0, 300, 0])
        save(store, [7], [W])
    with Store.open(path, create=False, write=False) as store:
        rows = store.rows(series, 0, last, "fake-1")
        assert rows.numbers.tolist() == sorted(numbers)
        assert rows.verdict.tolist() == [X, W, W, W, U, W]
        assert rows.effort.tolist() == [0, 300, 0, 0, 0, 700]
        assert store.rows(series, 2**63, 2**64 - 1, "fake-1").numbers.tolist() == [2**63]
        assert store.ungraded(series, 0, last, "fake-1").tolist() == [2**63 - 1, 2**63]
        unsolved = store.unsolved(series, 2**64 - 1, 2**64 + 1, LARGER, "1")
        assert unsolved.tolist() == [2**64 - 1, 2**64, 2**64 + 1]
        assert store.unsolved(series, 2**64, 2**64, LIMITS, "1").tolist() == []
        assert store.finished(series, 8, last, LIMITS, "1", None) == {W: 4, X: 0, U: 1}
        assert store.rows(SERIES, 1, 9, "fake-1").numbers.tolist() == [7]
    connection = sqlite3.connect(path)
    shown = connection.execute("SELECT numbering, number FROM deals ORDER BY number").fetchall()
    connection.close()
    assert shown[:2] == [("ms", 7), ("huge", "00000000000000000007")]
    assert shown[-1] == ("huge", str(last))


# What is still to do.


@pytest.mark.parametrize(
    ("given", "again"),
    [
        (Limits(1000, 16, 5.0), False),
        (Limits(1001, 16, 5.0), True),
        (Limits(1000, 17, 5.0), True),
        (Limits(1000, 16, 5.5), True),
        (Limits(1000, 16), True),  # no bound on seconds is the largest
        (Limits(5000, 15, 5.0), False),  # more nodes in less memory promises nothing
        (Limits(999, 64, None), False),
        (Limits(5000, 64, 4.0), False),
        (Limits(1, 1, 0.1), False),
    ],
)
def test_undecided_is_retried_when_no_bound_is_smaller_and_one_is_larger(given, again):
    assert worth_retrying(Limits(1000, 16, 5.0), given) is again
    with Store.in_memory() as store:
        save(store, [7, 8], [U, W], limits=Limits(1000, 16, 5.0))
        assert store.unsolved(SERIES, 7, 8, given, "1").tolist() == ([7] if again else [])


def test_no_bound_on_seconds_is_never_made_larger():
    assert not worth_retrying(Limits(1000, 16), Limits(1000, 16, 1e9))
    assert not worth_retrying(Limits(1000, 16), Limits(9000, 16, 1e9))


def test_numbers_without_an_answer_are_unsolved():
    with Store.in_memory() as store:
        assert store.unsolved(SERIES, 3, 6, LIMITS, "1").tolist() == [3, 4, 5, 6]
        save(store, [2, 4, 6, 9], [W, X, U, W])
        assert store.unsolved(SERIES, 3, 6, LIMITS, "1").tolist() == [3, 5]


def test_facts_outlive_the_solver_version_and_undecided_does_not():
    with Store.in_memory() as store:
        save(store, [1, 2, 3], [W, X, U], solver="1")
        assert store.unsolved(SERIES, 1, 3, LIMITS, "2").tolist() == [3]
        assert store.unsolved(SERIES, 1, 3, Limits(999, 16), "2").tolist() == []
        assert store.solver_versions(SERIES, 1, 3) == ("1",)


def test_deals_whose_worker_died_are_tried_again():
    with Store.in_memory() as store:
        save(store, [1], [U], limit=Limit.WORKER)
        save(store, [2], [U], limit=Limit.NODES)
        assert store.unsolved(SERIES, 1, 2, LIMITS, "1").tolist() == [1]


def test_efforts_are_added_to_answers_that_have_none_of_this_grader():
    with Store.in_memory() as store:
        save(store, [1, 2, 3, 4], [W, W, X, U], effort=[500, 0, 0, 0])
        assert store.ungraded(SERIES, 1, 9, "fake-1").tolist() == [2]
        assert store.ungraded(SERIES, 1, 9, "fake-2").tolist() == [1, 2]
        store.save_efforts(SERIES, np.array([2]), np.array([800]), "fake-1")
        assert store.rows(SERIES, 1, 9, "fake-1").effort.tolist() == [500, 800, 0, 0]
        assert store.rows(SERIES, 1, 9, "fake-2").effort.tolist() == [0, 0, 0, 0]
        store.save_efforts(SERIES, np.array([1, 2]), np.array([5, 8]), "fake-2")
        assert store.rows(SERIES, 1, 9, "fake-2").effort.tolist() == [5, 8, 0, 0]
        assert store.ungraded(SERIES, 1, 9, "fake-1").tolist() == [1, 2]


def test_finished_counts_what_no_run_would_touch():
    with Store.in_memory() as store:
        save(store, [1, 2, 3, 4, 5], [W, W, X, U, U], effort=[500, 0, 0, 0, 0])
        assert store.finished(SERIES, 1, 9, LIMITS, "1", None) == {W: 2, X: 1, U: 2}
        assert store.finished(SERIES, 1, 9, LIMITS, "1", "fake-1") == {W: 1, X: 1, U: 2}
        assert store.finished(SERIES, 1, 9, LIMITS, "1", "fake-2") == {W: 0, X: 1, U: 2}
        assert store.finished(SERIES, 2, 4, LARGER, "1", None) == {W: 1, X: 1, U: 0}


def test_limits_that_find_every_answer_again():
    with Store.in_memory() as store:
        assert store.largest_limits(SERIES, 1, 9) is None
        save(store, [1], [W], limits=Limits(1000, 16, 2.5))
        assert store.largest_limits(SERIES, 1, 9) == Limits(1000, 16, 2.5)
        save(store, [2], [W], limits=Limits(10, 64, 1.0))
        assert store.largest_limits(SERIES, 1, 9) == Limits(1000, 64, 2.5)
        save(store, [3], [W], limits=Limits(10, 1))
        assert store.largest_limits(SERIES, 1, 9) == Limits(1000, 64, None)
        assert store.largest_limits(SERIES, 2, 2) == Limits(10, 64, 1.0)
    assert larger_of(Limits(1, 5), Limits(3, 2, 9.0)) == Limits(3, 5, None)


def test_a_chunk_is_written_whole_or_not_at_all():
    with Store.in_memory() as store:
        save(store, [1, 2], [W, W])
        with pytest.raises(StoreError, match="cannot be used"):
            save(store, np.array([3, 4, {}], object), [W, W, W])
        assert store.rows(SERIES, 1, 9, "fake-1").numbers.tolist() == [1, 2]
        save(store, [3], [W])
        assert store.rows(SERIES, 1, 9, "fake-1").numbers.tolist() == [1, 2, 3]


# The file and its lock.


def other_files(path):
    return sorted(file.name for file in path.parent.iterdir() if file != path)


def test_one_file_remains(path):
    with Store.open(path, create=True) as store:
        save(store, [1], [W])
        assert other_files(path) == ["deals.db-wal"]
    assert other_files(path) == []
    with Store.open(path, create=False, write=False) as store:
        assert len(store.rows(SERIES, 1, 9, "fake-1").numbers) == 1
    assert other_files(path) == []


def test_an_empty_file_becomes_a_store(path):
    path.touch()
    with Store.open(path, create=True) as store:
        save(store, [1], [W])
    assert path.stat().st_size > 0


@pytest.mark.parametrize("name", ["plain name.db", "what?mode=memory#x%41.db", "♠.db"])
def test_any_file_name_will_do(tmp_path, name):
    with Store.open(tmp_path / name, create=True):
        pass
    assert [file.name for file in tmp_path.iterdir()] == [name]


def foreign_database(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE result (number)")
    connection.commit()
    connection.close()


def newer_store(path):
    Store.open(path, create=True).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {STORE_FORMAT + 1}")
    connection.close()


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (foreign_database, "is an SQLite file of another program"),
        (newer_store, f"has format {STORE_FORMAT + 1}; this program knows up to {STORE_FORMAT}"),
        (lambda path: path.write_text("1-32000\n"), "is not an SQLite file"),
        (lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(20)), "is not an SQLite file"),
    ],
)
@pytest.mark.parametrize("write", [True, False])
def test_files_that_are_not_ours_are_refused_and_left_alone(path, make, fault, write):
    make(path)
    before = path.read_bytes()
    with pytest.raises(StoreError) as caught:
        Store.open(path, create=True, write=write)
    assert str(caught.value) == f"store {path} {fault}"
    assert path.read_bytes() == before
    assert other_files(path) == []


def test_a_verdict_that_is_none_is_one_clear_line(path):
    with Store.open(path, create=True) as store:
        save(store, [1, 2], [W, W])
    connection = sqlite3.connect(path)
    connection.execute("UPDATE result SET verdict = 7 WHERE number = 2")
    connection.commit()
    connection.close()
    with Store.open(path, create=False) as store, pytest.raises(StoreError) as caught:
        store.finished(SERIES, 1, 2, LIMITS, "1", None)
    assert str(caught.value) == f"store {path} is damaged: it has a verdict 7"


def test_places_where_no_store_can_be(tmp_path):
    with pytest.raises(StoreError, match="is not a file"):
        Store.open(tmp_path, create=True)
    with pytest.raises(StoreError, match="does not exist"):
        Store.open(tmp_path / "none.db", create=False)
    with pytest.raises(StoreError, match="does not exist"):
        Store.open(tmp_path / "none.db", create=True, write=False)
    with pytest.raises(StoreError, match="is not a folder"):
        Store.open(tmp_path / "none" / "deals.db", create=True)
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="Not a directory"):
        Store.open(tmp_path / "file" / "deals.db", create=True)
    with pytest.raises(StoreError, match="is not a file"):
        Store.open("/dev/null", create=True)
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_an_unwritable_folder_is_one_clear_line():
    # Of /proc even root can make no file.
    with pytest.raises(StoreError, match=r"store /proc/deals\.db cannot be opened here"):
        Store.open("/proc/deals.db", create=True)


@pytest.mark.parametrize("size", [100, 4096, 9000])
def test_a_truncated_store_is_one_clear_line(path, size):
    with Store.open(path, create=True) as store:
        save(store, range(1, 2001), [W] * 2000)
    whole = path.read_bytes()
    assert len(whole) > 9000
    path.write_bytes(whole[:size])
    with (
        pytest.raises(StoreError, match="cannot be used"),
        Store.open(path, create=False, write=False) as store,
    ):
        store.rows(SERIES, 1, 2000, "fake-1")


def test_a_second_writer_and_a_reader_are_turned_away_at_once(path):
    with Store.open(path, create=True) as store:
        save(store, [1], [W])
        for write in (True, False):
            with pytest.raises(StoreError) as caught:
                Store.open(path, create=True, write=write)
            expected = f"store {path} is in use; one process may have it open at a time"
            assert str(caught.value) == expected
        save(store, [2], [W])
    with Store.open(path, create=True) as store:
        assert store.rows(SERIES, 1, 9, "fake-1").numbers.tolist() == [1, 2]


def test_readers_share(path):
    with Store.open(path, create=True) as store:
        save(store, [1], [W])
    with Store.open(path, create=False, write=False) as one:
        with Store.open(path, create=False, write=False) as two:
            assert two.rows(SERIES, 1, 9, "fake-1").numbers.tolist() == [1]
        assert one.rows(SERIES, 1, 9, "fake-1").numbers.tolist() == [1]


HOLDER = """
import sys, numpy as np
sys.path.insert(0, sys.argv[2])
import test_store
store = test_store.Store.open(sys.argv[1], create=True)
test_store.save(store, [1, 2, 3], [test_store.W] * 3)
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(path):
    """Another process that has written to the store and keeps it open."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), str(Path(__file__).parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    assert process.stdout.readline() == "ready\n"
    yield process
    process.kill()
    process.communicate()


def test_the_lock_holds_between_processes(path, holder):
    for write in (True, False):
        with pytest.raises(StoreError, match="is in use"):
            Store.open(path, create=True, write=write)


@pytest.mark.parametrize("write", [True, False])
def test_a_killed_writer_leaves_no_lock_and_loses_nothing(path, holder, write):
    holder.kill()
    holder.wait()
    assert "deals.db-wal" in other_files(path)
    with Store.open(path, create=False, write=write) as store:
        assert store.rows(SERIES, 1, 9, "fake-1").numbers.tolist() == [1, 2, 3]
    with Store.open(path, create=False) as store:
        save(store, [4], [W])
    assert other_files(path) == []
