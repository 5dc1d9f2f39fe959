"""Items handed out in chunks to threads, and their results gathered in order.

Owns how many items a chunk gets, and when one is begun. The kernels release the GIL, so threads
suffice.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")

#: Deals in each of the first chunks, before it is known how long one takes: even at 64 deals a
#: second they hold nothing up for longer than a second.
_FIRST_CHUNK = 64
#: Seconds that a chunk should take: long beside what handing it out and storing it costs
#: (under 1 ms), short to wait for when the run is interrupted.
_CHUNK_SECONDS = 0.25
#: A chunk is at most this many times as large as the one it is judged by: one lucky chunk must
#: not make a huge one.
_GROWTH = 4
#: Deals a chunk, at most: _CHUNK_SECONDS at 16,000 deals a second, and a few hundred kilobytes.
_LARGEST_CHUNK = 4000
#: The same under a bound on seconds, which any deal may take up.
_LARGEST_TIMED_CHUNK = 100
#: Chunks a thread should get at least: whoever is done first waits for one chunk of sixteen.
_CHUNKS_A_JOB = 16
#: Chunks in the making or waiting for an earlier one, for each thread: one chunk may take three
#: times as long as the others before a thread has nothing to do.
_LOOK_AHEAD = 4
#: Seconds that a chunk is taken to need at least, since clocks may tell 0.
_SHORTEST = 1e-9


class Progress:
    """Counts deals that are done, and tells of it."""

    def __init__(self, total: int, tell: Callable[[int, int], None] | None) -> None:
        """Begin at 0; `tell` is called with (deals done, deals in all)."""
        self._done, self._total, self._tell = 0, total, tell

    def add(self, deals: int) -> None:
        """Count more deals as done."""
        self._done += deals
        if self._tell is not None:
            self._tell(self._done, self._total)


class Pace:
    """Chooses how many items the next chunk gets; results never depend on it."""

    def __init__(
        self,
        total: int,
        jobs: int,
        *,
        timed: bool,
        fixed: int | None,
        seconds: float = _CHUNK_SECONDS,
        largest: int = _LARGEST_CHUNK,
    ) -> None:
        """Begin small.

        timed    whether a bound on seconds is kept for each item
        fixed    a size that never changes, or None
        seconds  how long a chunk should take
        largest  items in a chunk, at most
        """
        fair = max(_FIRST_CHUNK, total // (jobs * _CHUNKS_A_JOB))
        self._largest = fixed or min(fair, _LARGEST_TIMED_CHUNK if timed else largest)
        self._fixed = fixed is not None
        self._seconds = seconds
        self.size = fixed or min(_FIRST_CHUNK, -(-total // jobs), self._largest) or 1

    def took(self, items: int, seconds: float) -> None:
        """Learn from a finished chunk; called by any thread."""
        if not self._fixed:
            wanted = int(items * self._seconds / max(seconds, _SHORTEST))
            self.size = max(1, min(wanted, _GROWTH * items, self._largest))


def map_chunks(
    work: Callable[[Any], T],
    items: Any,
    *,
    jobs: int,
    timed: bool = False,
    chunk_size: int | None = None,
) -> Generator[T, None, None]:
    """Yield work(chunk) of each chunk of items, in order, computed by `jobs` threads.

    items       anything with a length that can be sliced; a chunk is a slice of it
    timed       whether the work keeps a bound on seconds for each item
    chunk_size  None chooses, by how long chunks take

    Chunks are handed out as results are taken. When the iterator is closed or an exception
    passes, Ctrl-C included, no chunk begins any more; one that has begun ends by itself.
    """
    pace = Pace(len(items), jobs, timed=timed, fixed=chunk_size)

    def timed_work(chunk: Any) -> T:
        begin = time.perf_counter()
        result = work(chunk)
        pace.took(len(chunk), time.perf_counter() - begin)
        return result

    executor = ThreadPoolExecutor(jobs, thread_name_prefix="winnable")
    waiting: deque[Future[T]] = deque()
    start = 0
    try:
        while start < len(items) or waiting:
            if start < len(items) and len(waiting) < jobs * _LOOK_AHEAD:
                chunk = items[start : start + pace.size]
                start += len(chunk)
                waiting.append(executor.submit(timed_work, chunk))
            else:
                yield waiting.popleft().result()
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
