"""Pools built from a store's answers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dealgen.batch import check_range, decks_of, map_numbers, series_of
from dealgen.boards import find_duplicates
from dealgen.grade import GRADES, grades_of
from dealgen.lines import line_texts
from dealgen.numbering import Numbering
from dealgen.pool import Pool, Tier, sealed
from dealgen.store import Rows, Store, larger_of
from solvers.errors import StoreError
from solvers.games import Game
from solvers.outcome import Limits, Verdict

#: Called with (deals done, deals in all).
Progress = Callable[[int, int], None]


def build_pool(
    game: Game,
    store: Store,
    first: int,
    last: int,
    *,
    numbering: Numbering,
    profile: Any,
    limits: Limits,
    jobs: int = 1,
    par: bool = False,
    solutions: bool = False,
    on_progress: Progress | None = None,
) -> Pool:
    """Build the pool of first..last from a store that `batch.run_batch` completed.

    par          add the par of each deal (`Game.par_many`) under `limits`
    solutions    solve the tiers' deals again and add their lines, replayed by the plain rules
    on_progress  called while par or solutions are computed

    Same answers, same pool. `limits` bound the new work only; for solutions they are raised
    to what the stored answers took. Raises StoreError when answers or efforts are lacking, or
    no solution is found again; SolutionRejectedError when the rules refuse one.
    """
    check_range(first, last, numbering)
    series = series_of(game, profile, numbering)
    rows = store.rows(series, first, last, game.grader.name)
    _check_complete(rows, first, last)
    numbers, grades, duplicates = _graded(game, rows, numbering)
    pars = lines = None
    if par:
        pars = _pars(game, numbers, numbering, profile, limits, jobs, on_progress)
    if solutions:
        limits = larger_of(limits, store.largest_limits(series, first, last) or limits)
        lines = _lines(game, numbers, numbering, profile, limits, jobs, on_progress)
    return sealed(
        Pool(
            game=game.name,
            profile=series.profile,
            numbering=numbering.name,
            first=first,
            last=last,
            counts={
                verdict.label: int(np.count_nonzero(rows.verdict == verdict)) for verdict in Verdict
            },
            grader=game.grader,
            solver_versions=store.solver_versions(series, first, last),
            tiers={
                name: _tier(np.flatnonzero(grades == place), numbers, pars, lines)
                for place, name in enumerate(GRADES)
            },
            duplicates=duplicates,
            unwinnable=rows.numbers[rows.verdict == Verdict.UNWINNABLE],
            undecided=rows.numbers[rows.verdict == Verdict.UNDECIDED],
        )
    )


def _check_complete(rows: Rows, first: int, last: int) -> None:
    """Raise StoreError unless every number has an answer and every winnable one an effort."""
    lacking = last - first + 1 - len(rows.numbers)
    if lacking:
        raise StoreError(f"the store lacks {lacking} deals of {first}-{last}; run the batch first")
    ungraded = int(np.count_nonzero((rows.verdict == Verdict.WINNABLE) & (rows.effort < 1)))
    if ungraded:
        raise StoreError(
            f"the store lacks the effort of {ungraded} winnable deals of {first}-{last}; "
            "run the batch with grading first"
        )


def _graded(
    game: Game, rows: Rows, numbering: Numbering
) -> tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.int64]]:
    """Return the winnable numbers of different boards, their grades, and the duplicates."""
    winnable = rows.verdict == Verdict.WINNABLE
    numbers = rows.numbers[winnable]
    grades = grades_of(game.grader, rows.effort[winnable])
    duplicates = find_duplicates(game, numbers, numbering)
    first_of_board = ~np.isin(numbers, duplicates)
    return numbers[first_of_board], grades[first_of_board], duplicates


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


def _pars(
    game: Game,
    numbers: NDArray[np.int64],
    numbering: Numbering,
    profile: Any,
    limits: Limits,
    jobs: int,
    on_progress: Progress | None,
) -> NDArray[np.int64]:
    """Return the par of each number, 0 where none was found."""

    def work(chunk: NDArray[np.int64]) -> NDArray[np.int32]:
        return game.par_many(decks_of(game, chunk, numbering), profile, limits)

    pars = np.zeros(len(numbers), np.int64)
    done = 0
    timed = limits.max_seconds is not None
    with closing(map_numbers(work, numbers, jobs=jobs, timed=timed)) as parts:
        for part in parts:
            pars[done : done + len(part)] = part
            done += len(part)
            if on_progress is not None:
                on_progress(done, len(numbers))
    return pars


def _lines(
    game: Game,
    numbers: NDArray[np.int64],
    numbering: Numbering,
    profile: Any,
    limits: Limits,
    jobs: int,
    on_progress: Progress | None,
) -> list[str]:
    """Return the solution of each number as moves joined by commas."""

    def work(chunk: NDArray[np.int64]) -> list[str]:
        decks = decks_of(game, chunk, numbering)
        outcome = game.solve_many(decks, profile, limits, want_lines=True)
        lost = outcome.verdict != Verdict.WINNABLE
        if lost.any():
            raise StoreError(
                f"the store has deal {chunk[lost.argmax()]} as winnable, "
                "but no solution is found again under these limits"
            )
        return [
            ",".join(line_texts(game, number, decks[row], outcome.line(row), profile))
            for row, number in enumerate(chunk.tolist())
        ]

    lines: list[str] = []
    timed = limits.max_seconds is not None
    with closing(map_numbers(work, numbers, jobs=jobs, timed=timed)) as parts:
        for part in parts:
            lines += part
            if on_progress is not None:
                on_progress(len(lines), len(numbers))
    return lines
