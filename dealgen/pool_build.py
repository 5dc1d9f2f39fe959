"""Pools built from a store's answers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dealgen.batch import map_decks
from dealgen.boards import find_duplicates
from dealgen.chunks import Progress
from dealgen.codec import narrowed
from dealgen.cover import Cover
from dealgen.grade import Cuts, cuts_of, even_cuts, grades_of
from dealgen.lines import line_texts
from dealgen.pool import FOUND, OPTIMAL, Pool, Tier, sealed
from dealgen.store import Rows, Store, larger_of
from dealgen.task import Task
from solvers.errors import StoreError, WinnableError
from solvers.outcome import BatchOutcome, Limits, Verdict

T = TypeVar("T")


def build_pool(
    task: Task,
    store: Store,
    covers: Cover,
    *,
    cuts: Cuts | tuple[str, ...] | None = None,
    par: str | None = None,
    states: int = 0,
    solutions: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> Pool:
    """Build the pool of some numbers from a store that `batch.run_batch` completed.

    cuts         where to divide the efforts, or the names of tiers into which the range's own deals
                 are divided evenly (`grade.even_cuts`); None for the profile's scale
    par          add the par of each deal: OPTIMAL the fewest moves (`Game.par_many`), 0 where the
                 task's limits did not suffice; FOUND the length of a short line
    states       expanded for a short line, at most (`Game.solve`)
    solutions    solve the tiers' deals again and add their lines, replayed by the plain rules; with
                 par, lines of so many moves
    on_progress  called with (deals done, deals in all) while par or solutions are computed

    Same answers, same pool. The task's limits bound the new work only; for solutions they are
    raised to what the stored answers took. Raises StoreError when answers or efforts are lacking,
    or no solution is found again; SolutionRejectedError when the rules refuse one; WinnableError
    for numbers that a pool cannot hold, for a profile without a scale, and for numbers without a
    winnable deal by which to divide them.
    """
    check_covers(task, covers)
    if cuts is None:
        cuts = scale_cuts(task)
    rows = _rows(task, store, covers)
    _check_complete(rows, covers)
    numbers, efforts, duplicates = _winnable(task, rows)
    if not isinstance(cuts, Cuts):
        if not len(numbers):
            raise WinnableError(f"no deal of {covers} is winnable, so nothing divides them")
        cuts = even_cuts(efforts, cuts)
    tiers = grades_of(cuts, efforts)
    limits = _largest_limits(task, store, covers)
    able = replace(task, limits=limits)
    pars = lines = None
    if par == FOUND:
        pars, lines = _short(able, numbers, states, on_progress)
        lines = lines if solutions else None
    elif par == OPTIMAL:
        pars = _pars(task, numbers, on_progress)
    if solutions and lines is None:
        lines = _lines(able, numbers, on_progress, fewest=par == OPTIMAL)
    return sealed(
        Pool(
            game=task.game.name,
            profile=task.profile_name,
            numbering=task.numbering.name,
            covers=covers,
            counts={
                verdict.label: int(np.count_nonzero(rows.verdict == verdict)) for verdict in Verdict
            },
            grader=task.game.grader.name,
            cuts=cuts,
            solver_versions=_versions(task, store, covers),
            limits=limits,
            par_kind=par,
            par_states=states if par == FOUND else None,
            tiers={
                name: _tier(np.flatnonzero(tiers == place), numbers, pars, lines)
                for place, name in enumerate(cuts.tiers)
            },
            duplicates=duplicates,
            unwinnable=rows.numbers[rows.verdict == Verdict.UNWINNABLE],
            undecided=rows.numbers[rows.verdict == Verdict.UNDECIDED],
        )
    )


def scale_cuts(task: Task) -> Cuts:
    """Return the cuts of the profile's scale; raises WinnableError where it has none."""
    scale = task.game.scale(task.profile)
    if scale is None:
        raise WinnableError(
            f"{task.game.grader.name} has no tiers for profile {task.profile_name}; "
            "give --tiers thirds, --tiers 5, or --easy-below and --hard-from"
        )
    return cuts_of(scale)


def check_covers(task: Task, covers: Cover) -> None:
    """Raise WinnableError unless a pool can answer for numbers under the task's numbering."""
    if not covers.ranges:
        raise WinnableError("a pool answers for one deal at least")
    for first, last in covers.ranges:
        task.numbering.check_range(first, last, task.game.name)
    if covers.first < 0:
        raise WinnableError(f"deal {covers.first} is below 0, and a pool has no such numbers")


def _rows(task: Task, store: Store, covers: Cover) -> Rows:
    """Return the answers of all numbers."""
    grader = task.game.grader.name
    parts = [store.rows(task.series, *part, grader) for part in covers.ranges]
    return Rows(
        narrowed(np.concatenate([part.numbers for part in parts])),
        np.concatenate([part.verdict for part in parts]),
        np.concatenate([part.effort for part in parts]),
    )


def _largest_limits(task: Task, store: Store, covers: Cover) -> Limits:
    """Return the task's limits, raised to what the stored answers took."""
    found = [store.largest_limits(task.series, *part) for part in covers.ranges]
    return functools.reduce(larger_of, (limits for limits in found if limits), task.limits)


def _versions(task: Task, store: Store, covers: Cover) -> tuple[str, ...]:
    """Return the versions that gave the answers, ascending."""
    found = (store.solver_versions(task.series, *part) for part in covers.ranges)
    return tuple(sorted({version for part in found for version in part}))


def _check_complete(rows: Rows, covers: Cover) -> None:
    """Raise StoreError unless every number has an answer and every winnable one an effort."""
    lacking = covers.size - len(rows.numbers)
    if lacking:
        raise StoreError(f"the store lacks {lacking} deals of {covers}; run the batch first")
    ungraded = int(np.count_nonzero((rows.verdict == Verdict.WINNABLE) & (rows.effort < 1)))
    if ungraded:
        raise StoreError(
            f"the store lacks the effort of {ungraded} winnable deals of {covers}; "
            "run the batch with grading first"
        )


def _winnable(task: Task, rows: Rows) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[Any]]:
    """Return the winnable numbers of different boards, their efforts, and the duplicates."""
    winnable = rows.verdict == Verdict.WINNABLE
    numbers = rows.numbers[winnable]
    efforts = rows.effort[winnable]
    duplicates = find_duplicates(task, numbers)
    first_of_board = ~np.isin(numbers, duplicates)
    return numbers[first_of_board], efforts[first_of_board], duplicates


def _tier(
    places: NDArray[np.intp],
    numbers: NDArray[np.int64],
    pars: NDArray[np.int64] | None,
    lines: list[str] | None,
) -> Tier:
    """Return the tier of the numbers at `places`."""
    return Tier(
        numbers[places],
        None if pars is None else pars[places],
        None if lines is None else tuple(lines[place] for place in places.tolist()),
    )


def _gathered(
    task: Task,
    numbers: NDArray[np.int64],
    work: Callable[[NDArray[np.int64], NDArray[np.uint8]], list[T]],
    on_progress: Callable[[int, int], None] | None,
) -> list[T]:
    """Return what work(numbers, decks) gives for each number."""
    progress = Progress(len(numbers), on_progress)
    with closing(map_decks(task, numbers, work, on_deals=progress.add)) as parts:
        return [item for part in parts for item in part]


def _pars(
    task: Task, numbers: NDArray[np.int64], on_progress: Callable[[int, int], None] | None
) -> NDArray[np.int64]:
    """Return the par of each number, 0 where none was found."""

    def work(_numbers: NDArray[np.int64], decks: NDArray[np.uint8]) -> list[int]:
        pars: list[int] = task.game.par_many(decks, task.profile, task.limits).tolist()
        return pars

    return np.array(_gathered(task, numbers, work, on_progress), np.int64)


def _short(
    task: Task,
    numbers: NDArray[Any],
    states: int,
    on_progress: Callable[[int, int], None] | None,
) -> tuple[NDArray[np.int64], list[str]]:
    """Return the length of a short line of each number, and the line."""
    game = task.game

    def work(chunk: NDArray[Any], decks: NDArray[np.uint8]) -> list[tuple[int, str]]:
        outcomes = game.short_many(decks, task.profile, task.limits, states)
        for number, outcome in zip(chunk.tolist(), outcomes, strict=True):
            if outcome.verdict is not Verdict.WINNABLE:
                raise _not_found_again(number)
        return [
            (outcome.length, ",".join(map(game.format_move, outcome.moves))) for outcome in outcomes
        ]

    found = _gathered(task, numbers, work, on_progress)
    return np.array([length for length, _ in found], np.int64), [line for _, line in found]


def _not_found_again(number: int) -> StoreError:
    """Return the error for a deal that the store has as winnable."""
    return StoreError(
        f"the store has deal {number} as winnable, "
        "but no solution is found again under these limits"
    )


def _lines(
    task: Task,
    numbers: NDArray[np.int64],
    on_progress: Callable[[int, int], None] | None,
    *,
    fewest: bool,
) -> list[str]:
    """Return the solution of each number as moves joined by commas.

    fewest  take one of fewest moves where the limits suffice
    """
    game = task.game

    def solved(decks: NDArray[np.uint8], method: str) -> BatchOutcome:
        return game.solve_many(decks, task.profile, task.limits, want_lines=True, method=method)

    def work(chunk: NDArray[np.int64], decks: NDArray[np.uint8]) -> list[str]:
        lines: dict[int, NDArray[np.uint16]] = {}
        for method in (game.optimal_method, task.method) if fewest else (task.method,):
            rows = [row for row in range(len(chunk)) if row not in lines]
            if method is None or not rows:
                continue
            outcome = solved(decks[rows], method)
            for at in np.flatnonzero(outcome.verdict == Verdict.WINNABLE).tolist():
                lines[rows[at]] = outcome.line(at)
        for row, number in enumerate(chunk.tolist()):
            if row not in lines:
                raise _not_found_again(number)
        return [
            ",".join(line_texts(task, number, decks[row], lines[row]))
            for row, number in enumerate(chunk.tolist())
        ]

    return _gathered(task, numbers, work, on_progress)
