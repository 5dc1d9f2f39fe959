"""Batches: many numbers solved and graded by threads, in order, and kept in a store.

Owns what is done with a chunk of numbers, and resuming. A chunk's results depend on its numbers
alone: not on the chunk size, the jobs or the order.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from dealgen.chunks import map_chunks
from dealgen.lines import line_texts
from dealgen.store import Chunk, Store
from dealgen.task import Task
from solvers.outcome import BatchOutcome, Verdict

if TYPE_CHECKING:
    from dealgen.cluster import Cluster

T = TypeVar("T")

#: Numbers that the store is asked for at once: 8 MB as an array.
_BLOCK = 1 << 20


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


def map_decks(
    task: Task,
    numbers: Sequence[int] | NDArray[Any],
    work: Callable[[NDArray[Any], NDArray[np.uint8]], T],
    *,
    chunk_size: int | None = None,
    on_deals: Callable[[int], None] | None = None,
) -> Generator[T, None, None]:
    """Yield work(numbers, decks) of each chunk of numbers, in order, by the task's threads.

    on_deals  called with how many deals a chunk had, once the caller has taken its result

    Closing, Ctrl-C and errors as in `map_chunks`. Raises InvalidNumberError for a number outside
    the numbering.
    """

    def solve(chunk: Any) -> tuple[int, T]:
        chosen = task.numbering.array(chunk)
        return len(chosen), work(chosen, task.decks(chosen))

    task.game.prepare()
    results = map_chunks(solve, numbers, jobs=task.jobs, timed=task.timed, chunk_size=chunk_size)
    with closing(results):
        for deals, result in results:
            yield result
            if on_deals is not None:
                on_deals(deals)


def solve_numbers(
    task: Task,
    numbers: Sequence[int] | NDArray[Any],
    *,
    want_lines: bool = False,
    grade: bool = False,
    cells: bool = False,
    audit: Literal["none", "one", "all"] = "none",
    chunk_size: int | None = None,
) -> Generator[Chunk, None, None]:
    """Solve numbers; yield chunks in the order given.

    numbers     valid numbers of the numbering, in any order; a `range` is never expanded
    grade       measure the effort of the winnable deals, too
    cells       find the fewest cells that win each deal, too
    audit       whose solutions the plain rules also replay: none, one per chunk, or all
    chunk_size  numbers a chunk; None chooses. Results do not depend on it.

    Closing the iterator, or Ctrl-C while it waits, lets the chunks that have begun end by
    themselves (a fraction of a second, but for very hard deals) and begins no other. Raises
    InvalidNumberError for a number outside the numbering, SolutionRejectedError for a solution
    that the rules refuse.
    """
    game, profile = task.game, task.profile

    def solved(decks: NDArray[np.uint8], lines: bool) -> BatchOutcome:
        return game.solve_many(decks, profile, task.limits, want_lines=lines, method=task.method)

    def work(chunk: NDArray[Any], decks: NDArray[np.uint8]) -> Chunk:
        outcome = solved(decks, want_lines or audit == "all")
        winnable = outcome.verdict == Verdict.WINNABLE
        if audit == "all":
            for row in np.flatnonzero(winnable).tolist():
                line_texts(task, int(chunk[row]), decks[row], outcome.line(row))
        elif audit == "one" and winnable.any():
            sample = winnable.argmax()
            line = solved(decks[sample : sample + 1], True).line(0)
            line_texts(task, int(chunk[sample]), decks[sample], line)
        effort = np.zeros(len(chunk), np.int64)
        if grade:
            effort[winnable] = game.measure_many(decks[winnable], profile)
        fewest = game.fewest_cells_many(decks, profile, task.limits) if cells else None
        return Chunk(chunk, outcome, effort, fewest)

    return map_decks(task, numbers, work, chunk_size=chunk_size)


def measure_numbers(
    task: Task, numbers: Sequence[int] | NDArray[Any], *, chunk_size: int | None = None
) -> Generator[tuple[NDArray[Any], NDArray[np.int64]], None, None]:
    """Measure numbers; yield (numbers, efforts) of chunks in the order given."""

    def work(
        chunk: NDArray[Any], decks: NDArray[np.uint8]
    ) -> tuple[NDArray[Any], NDArray[np.int64]]:
        return chunk, task.game.measure_many(decks, task.profile)

    return map_decks(task, numbers, work, chunk_size=chunk_size)


def run_batch(
    task: Task,
    store: Store,
    ranges: Sequence[tuple[int, int]],
    *,
    grade: bool = True,
    verify: bool = False,
    chunk_size: int | None = None,
    cluster: Cluster | None = None,
    on_chunk: Callable[[BatchReport], None] | None = None,
) -> BatchReport:
    """Complete the store's answers for all numbers of the ranges; return the final report.

    Solves the numbers that have no answer or an undecided one that is worth trying again
    (`Store.unsolved`); with `grade`, then measures the winnable ones without an effort. A
    chunk is written as a whole when it is finished, so the run can be stopped or killed at
    any instant and goes on where it was. KeyboardInterrupt passes through.

    ranges    (first, last), both included; disjoint
    verify    have the plain rules replay every solution found, not one of each chunk
    cluster   whose workers solve and measure, in the place of the task's threads
    on_chunk  called with the report once before the first chunk and after each one written
    """
    for first, last in ranges:
        task.numbering.check_range(first, last, task.game.name)
    series, limits, solver = task.series, task.limits, solver_version()
    grader = task.game.grader.name
    counts = dict.fromkeys(Verdict, 0)
    for first, last in ranges:
        found = store.finished(series, first, last, limits, solver, grader if grade else None)
        for verdict, count in found.items():
            counts[verdict] += count
    total = sum(last - first + 1 for first, last in ranges)
    kept = sum(counts.values())

    def report() -> BatchReport:
        return BatchReport(
            total=total,
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
    workers = cluster or _Threads()
    unsolved = _numbers_of(
        ranges, lambda low, high: store.unsolved(series, low, high, limits, solver)
    )
    audit: Literal["one", "all"] = "all" if verify else "one"
    solving = workers.solve(
        task, unsolved, total=total - kept, grade=grade, audit=audit, chunk_size=chunk_size
    )
    with closing(solving):
        for chunk in solving:
            store.save(series, chunk, limits=limits, solver=solver, grader=grader)
            for verdict in Verdict:
                counts[verdict] += int(np.count_nonzero(chunk.outcome.verdict == verdict))
            written()
    if not grade:
        return report()
    # Solved by an earlier run; what was solved now was measured in the same chunk.
    ungraded = _numbers_of(ranges, lambda low, high: store.ungraded(series, low, high, grader))
    measuring = workers.measure(task, ungraded, total=total - kept, chunk_size=chunk_size)
    with closing(measuring):
        for numbers, efforts in measuring:
            store.save_efforts(series, numbers, efforts, grader)
            counts[Verdict.WINNABLE] += len(numbers)
            written()
    return report()


class _Threads:
    """The threads of the task, as `run_batch` asks them or a cluster's workers."""

    def solve(
        self,
        task: Task,
        blocks: Iterable[NDArray[Any]],
        *,
        total: int,
        grade: bool,
        audit: Literal["one", "all"],
        chunk_size: int | None,
    ) -> Generator[Chunk, None, None]:
        """Yield what `solve_numbers` gives of each block."""
        for block in blocks:
            yield from solve_numbers(task, block, grade=grade, audit=audit, chunk_size=chunk_size)

    def measure(
        self, task: Task, blocks: Iterable[NDArray[Any]], *, total: int, chunk_size: int | None
    ) -> Generator[tuple[NDArray[Any], NDArray[np.int64]], None, None]:
        """Yield what `measure_numbers` gives of each block."""
        for block in blocks:
            yield from measure_numbers(task, block, chunk_size=chunk_size)


def _numbers_of(
    ranges: Sequence[tuple[int, int]], ask: Callable[[int, int], NDArray[Any]]
) -> Iterator[NDArray[Any]]:
    """Yield what the store answers to the ranges, a block of at most _BLOCK numbers at a time."""
    for block in _blocks(ranges):
        yield np.concatenate([ask(low, high) for low, high in block])


def _blocks(ranges: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Yield the ranges a block of at most _BLOCK numbers at a time."""
    block: list[tuple[int, int]] = []
    room = _BLOCK
    for first, last in ranges:
        while first <= last:
            high = min(last, first + room - 1)
            block.append((first, high))
            room -= high - first + 1
            first = high + 1
            if room == 0:
                yield block
                block, room = [], _BLOCK
    if block:
        yield block
