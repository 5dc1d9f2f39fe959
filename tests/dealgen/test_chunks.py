"""Chunks: how large, in which order, and how they stop."""

import threading
import time

import pytest

from dealgen.chunks import Pace, Progress, map_chunks
from solvers.errors import SolutionRejectedError


def test_chunks_grow_while_they_are_quick_and_shrink_when_slow():
    pace = Pace(1_000_000, 2, timed=False, fixed=None)
    first = pace.size
    assert first <= 100
    pace.took(first, 0.001)
    assert pace.size == 4 * first
    for _ in range(10):
        pace.took(pace.size, 0.001)
    assert pace.size == 4000
    pace.took(4000, 2.5)
    assert pace.size == 400
    pace.took(400, 1000.0)
    assert pace.size == 1
    pace.took(1, 0.0)
    assert pace.size == 4


def test_no_chunk_is_so_large_that_a_thread_waits_long_for_the_last():
    pace = Pace(32_000, 2, timed=False, fixed=None)
    for _ in range(10):
        pace.took(pace.size, 0.001)
    assert pace.size == 1000


# Stopping.


def test_closing_the_iterator_begins_no_further_chunk():
    begun = []

    def work(chunk):
        begun.append(len(chunk))
        time.sleep(0.02)

    results = map_chunks(work, range(1000), jobs=2, chunk_size=1)
    next(results)
    results.close()
    time.sleep(0.1)
    stopped_at = len(begun)
    assert stopped_at < 20
    time.sleep(0.1)
    assert len(begun) == stopped_at


def test_an_error_in_a_thread_reaches_the_caller_and_stops_the_others():
    begun = []

    def work(chunk):
        begun.append(int(chunk[0]))
        time.sleep(0.01)
        if chunk[0] == 3:
            raise SolutionRejectedError("deal 3")

    with pytest.raises(SolutionRejectedError, match="deal 3"):
        list(map_chunks(work, range(1000), jobs=2, chunk_size=1))
    time.sleep(0.1)
    assert len(begun) < 30
    assert not [t for t in threading.enumerate() if t.name.startswith("winnable")]


# What is handed out.


@pytest.mark.parametrize("items", [range(10), list(range(10)), range(2**70, 2**70 + 10)])
def test_chunks_are_slices_in_order(items):
    results = map_chunks(list, items, jobs=3, chunk_size=4)
    assert list(results) == [list(items[:4]), list(items[4:8]), list(items[8:])]


def test_progress_adds_up():
    told = []
    progress = Progress(7, lambda done, total: told.append((done, total)))
    progress.add(3)
    progress.add(4)
    assert told == [(3, 7), (7, 7)]
    Progress(7, None).add(1)
