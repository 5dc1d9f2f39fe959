"""Batches: many numbers solved and graded by threads, in order, and kept in a store.

Owns chunking, threads and resuming. The kernels release the GIL, so threads suffice. A
chunk's results depend on its numbers alone: not on the chunk size, the jobs or the order.
"""

from __future__ import annotations

import importlib.metadata
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from dealgen.lines import line_texts
from dealgen.numbering import Numbering, check_number
from dealgen.numbering_kernel import deal_numbers
from dealgen.store import Series, Store
from solvers.errors import InvalidNumberError
from solvers.games import Game
from solvers.outcome import BatchOutcome, Limits, Verdict
from solvers.profiles import format_profile

T = TypeVar("T")

#: Deals in each of the first chunks, before it is known how long one takes.
_FIRST_CHUNK = 64
#: Seconds that a chunk should take: long beside what handing it out and storing it costs
#: (under 1 ms), short to wait for when the run is interrupted.
_CHUNK_SECONDS = 0.25
#: Deals a chunk, at most.
_LARGEST_CHUNK = 4000
#: The same under a bound on seconds, which any deal may take up.
_LARGEST_TIMED_CHUNK = 100
#: Chunks a thread should get at least, so that all threads end together.
_CHUNKS_A_JOB = 16
#: Chunks in the making or waiting for an earlier one, for each thread.
_LOOK_AHEAD = 4
#: Numbers asked from the store at once.
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one chunk of numbers gave; row i belongs to number i.

    numbers  int64[n]
    outcome  BatchOutcome of n
    effort   int64[n]   the grader's effort, thousandths; 0 where not measured
    """

    numbers: NDArray[np.int64]
    outcome: BatchOutcome
    effort: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BatchReport:
    """How far a batch is.

    total       numbers of the range
    kept        numbers whose stored answer was complete when the run began
    done        numbers whose answer is complete now, `kept` included
    winnable, unwinnable, undecided
                verdicts of the `done` numbers
    """

    total: int
    kept: int
    done: int
    winnable: int
    unwinnable: int
    undecided: int


def solver_version() -> str:
    """Return the version that is stored with every answer: the program's own."""
    return importlib.metadata.version("winnable")


def series_of(game: Game, profile: Any, numbering: Numbering) -> Series:
    """Return the names under which a store keeps answers."""
    return Series(game.name, format_profile(profile, game.profiles), numbering.name)


def check_range(first: int, last: int, numbering: Numbering) -> None:
    """Raise InvalidNumberError unless first..last is a range of valid numbers."""
    check_number(first, numbering)
    check_number(last, numbering)
    if first > last:
        raise InvalidNumberError(f"range {first}-{last} is empty; valid is first <= last")


def decks_of(game: Game, numbers: NDArray[np.int64], numbering: Numbering) -> NDArray[np.uint8]:
    """Return the decks of numbers as the game takes them, `uint8[n, deck_size]`."""
    order = game.deal_order(numbering.name)
    return deal_numbers(numbers, numbering, game.deck_size, order)


class _Pace:
    """Chooses how many deals the next chunk gets; results never depend on it."""

    def __init__(self, total: int, jobs: int, timed: bool, fixed: int | None) -> None:
        """Begin small; `fixed` is a size that never changes."""
        fair = max(_FIRST_CHUNK, total // (jobs * _CHUNKS_A_JOB))
        self._largest = fixed or min(fair, _LARGEST_TIMED_CHUNK if timed else _LARGEST_CHUNK)
        self._fixed = fixed is not None
        self.size = fixed or min(_FIRST_CHUNK, -(-total // jobs), self._largest) or 1

    def took(self, deals: int, seconds: float) -> None:
        """Learn from a finished chunk; called by any thread."""
        if not self._fixed:
            wanted = int(deals * _CHUNK_SECONDS / max(seconds, 1e-9))
            # One lucky chunk must not make a huge one.
            self.size = max(1, min(wanted, 4 * deals, self._largest))


def map_numbers(
    work: Callable[[NDArray[np.int64]], T],
    numbers: Sequence[int] | NDArray[np.int64],
    *,
    jobs: int,
    timed: bool = False,
    chunk_size: int | None = None,
) -> Generator[T, None, None]:
    """Yield work(chunk) of each chunk of numbers, in order, computed by `jobs` threads.

    numbers     in any order; a `range` is never expanded
    timed       whether the work keeps a bound on seconds for each deal
    chunk_size  None chooses, by how long chunks take

    Chunks are handed out as results are taken. When the iterator is closed or an exception
    passes, Ctrl-C included, no chunk begins any more; one that has begun ends by itself.
    """
    pace = _Pace(len(numbers), jobs, timed, chunk_size)

    def timed_work(chunk: NDArray[np.int64]) -> T:
        begin = time.perf_counter()
        result = work(chunk)
        pace.took(len(chunk), time.perf_counter() - begin)
        return result

    executor = ThreadPoolExecutor(jobs, thread_name_prefix="winnable")
    waiting: deque[Future[T]] = deque()
    start = 0
    try:
        while start < len(numbers) or waiting:
            if start < len(numbers) and len(waiting) < jobs * _LOOK_AHEAD:
                chunk = np.asarray(numbers[start : start + pace.size], np.int64)
                start += len(chunk)
                waiting.append(executor.submit(timed_work, chunk))
            else:
                yield waiting.popleft().result()
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def solve_numbers(
    game: Game,
    numbers: Sequence[int] | NDArray[np.int64],
    *,
    numbering: Numbering,
    profile: Any,
    limits: Limits,
    jobs: int = 1,
    method: str = "fast",
    want_lines: bool = False,
    grade: bool = False,
    audit: Literal["none", "one", "all"] = "none",
    chunk_size: int | None = None,
) -> Generator[Chunk, None, None]:
    """Solve numbers with `jobs` threads; yield chunks in the order given.

    numbers     valid numbers of the numbering, in any order; a `range` is never expanded
    grade       measure the effort of the winnable deals, too
    audit       whose solutions the plain rules replay, too: those of `none`, of `one` deal of each
                chunk, or of `all`
    chunk_size  numbers a chunk; None chooses. Results do not depend on it, nor on `jobs`.

    Closing the iterator, or Ctrl-C while it waits, lets the chunks that have begun end by
    themselves (a fraction of a second, but for very hard deals) and begins no other. Raises
    InvalidNumberError for a number outside the numbering, SolutionRejectedError for a solution
    that the rules refuse.
    """

    def work(chunk: NDArray[np.int64]) -> Chunk:
        decks = decks_of(game, chunk, numbering)
        lines = want_lines or audit == "all"
        outcome = game.solve_many(decks, profile, limits, want_lines=lines, method=method)
        winnable = outcome.verdict == Verdict.WINNABLE
        if audit == "all":
            for row in np.flatnonzero(winnable).tolist():
                line_texts(game, int(chunk[row]), decks[row], outcome.line(row), profile)
        elif audit == "one" and winnable.any():
            sample = winnable.argmax()
            again = slice(sample, sample + 1)
            found = game.solve_many(decks[again], profile, limits, want_lines=True, method=method)
            line_texts(game, int(chunk[sample]), decks[sample], found.line(0), profile)
        effort = np.zeros(len(chunk), np.int64)
        if grade:
            effort[winnable] = game.measure_many(decks[winnable], profile)
        return Chunk(chunk, outcome, effort)

    return map_numbers(
        work, numbers, jobs=jobs, timed=limits.max_seconds is not None, chunk_size=chunk_size
    )


def measure_numbers(
    game: Game,
    numbers: Sequence[int] | NDArray[np.int64],
    *,
    numbering: Numbering,
    profile: Any,
    jobs: int = 1,
    chunk_size: int | None = None,
) -> Generator[tuple[NDArray[np.int64], NDArray[np.int64]], None, None]:
    """Measure numbers with `jobs` threads; yield (numbers, efforts) in the order given."""

    def work(chunk: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return chunk, game.measure_many(decks_of(game, chunk, numbering), profile)

    return map_numbers(work, numbers, jobs=jobs, chunk_size=chunk_size)


def run_batch(
    game: Game,
    store: Store,
    first: int,
    last: int,
    *,
    numbering: Numbering,
    profile: Any,
    limits: Limits,
    jobs: int = 1,
    grade: bool = True,
    verify: bool = False,
    chunk_size: int | None = None,
    on_chunk: Callable[[BatchReport], None] | None = None,
) -> BatchReport:
    """Complete the store's answers for first..last; return the final report.

    Solves the numbers that have no answer or an undecided one that is worth trying again
    (`Store.unsolved`); with `grade`, then measures the winnable ones without an effort. A
    chunk is written as a whole when it is finished, so the run can be stopped or killed at
    any instant and goes on where it was. KeyboardInterrupt passes through.

    verify    have the plain rules replay every solution found, not one of each chunk
    on_chunk  called with the report once before the first chunk and after each one written
    """
    check_range(first, last, numbering)
    series, solver = series_of(game, profile, numbering), solver_version()
    grader = game.grader.name
    counts = store.finished(series, first, last, limits, solver, grader if grade else None)
    kept = sum(counts.values())

    def report() -> BatchReport:
        return BatchReport(
            total=last - first + 1,
            kept=kept,
            done=sum(counts.values()),
            winnable=counts[Verdict.WINNABLE],
            unwinnable=counts[Verdict.UNWINNABLE],
            undecided=counts[Verdict.UNDECIDED],
        )

    def written() -> None:
        if on_chunk is not None:
            on_chunk(report())

    written()
    for low in range(first, last + 1, _BLOCK):
        high = min(last, low + _BLOCK - 1)
        unsolved = store.unsolved(series, low, high, limits, solver)
        # Solved by an earlier run; what is solved now is measured in the same chunk.
        ungraded = store.ungraded(series, low, high, grader) if grade else unsolved[:0]
        solving = solve_numbers(
            game,
            unsolved,
            numbering=numbering,
            profile=profile,
            limits=limits,
            jobs=jobs,
            grade=grade,
            audit="all" if verify else "one",
            chunk_size=chunk_size,
        )
        with closing(solving):
            for chunk in solving:
                store.save(
                    series,
                    chunk.numbers,
                    chunk.outcome,
                    limits=limits,
                    solver=solver,
                    effort=chunk.effort,
                    grader=grader,
                )
                for verdict in Verdict:
                    counts[verdict] += int(np.count_nonzero(chunk.outcome.verdict == verdict))
                written()
        measuring = measure_numbers(
            game,
            ungraded,
            numbering=numbering,
            profile=profile,
            jobs=jobs,
            chunk_size=chunk_size,
        )
        with closing(measuring):
            for numbers, efforts in measuring:
                store.save_efforts(series, numbers, efforts, grader)
                counts[Verdict.WINNABLE] += len(numbers)
                written()
    return report()
