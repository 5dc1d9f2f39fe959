"""The store: one SQLite file that keeps what was found out about numbered deals.

Owns what is asked of it and written to it; the file itself, its tables and its lock are in
`store_file`. Knows no game and runs no search.
"""

from __future__ import annotations

import functools
import math
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dealgen.numbering import Numbering
from dealgen.store_file import connect, prepare, store_errors
from dealgen.task import Series
from solvers.errors import StoreError
from solvers.outcome import BatchOutcome, Limit, Limits, Verdict

#: Rows that are Python tuples at once: a million of them take 150 MB.
_FETCHED = 50_000
#: The rows of a range of a series; `Store._within` has the values.
_WITHIN = "series = ? AND number BETWEEN ? AND ?"
_FIND_SERIES = "SELECT id FROM series WHERE (game, profile, numbering) = (?, ?, ?)"


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one chunk of numbers gave; row i belongs to number i.

    numbers  [n]         as `Numbering.array` has them
    outcome  BatchOutcome of n
    effort   int64[n]    the grader's effort, thousandths; 0 where not measured
    cells    int64[n, 2] or None  as `Game.fewest_cells_many` has them, where that was asked for
    """

    numbers: NDArray[Any]
    outcome: BatchOutcome
    effort: NDArray[np.int64]
    cells: NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """Stored answers, ascending by number.

    numbers  [n]       as `Numbering.array` has them
    verdict  int8[n]   Verdict numbers
    effort   int64[n]  by the grader that was asked for; 0 where it did not measure
    """

    numbers: NDArray[Any]
    verdict: NDArray[np.int8]
    effort: NDArray[np.int64]


def worth_retrying(stored: Limits, given: Limits) -> bool:
    """Tell whether a search that a limit stopped may end otherwise under the given ones.

    It is tried again when no bound is smaller than it was and at least one is larger (no
    bound on seconds is larger than any). Which bound stopped it does not matter: more memory
    also changes how far the same nodes reach.
    """
    before, now = _as_tuple(stored), _as_tuple(given)
    return before != now and all(old <= new for old, new in zip(before, now, strict=True))


def larger_of(one: Limits, other: Limits) -> Limits:
    """Return limits of which each bound is the larger of two."""
    nodes, memory, seconds = (
        max(pair) for pair in zip(_as_tuple(one), _as_tuple(other), strict=True)
    )
    return Limits(int(nodes), int(memory), None if math.isinf(seconds) else seconds)


def _as_tuple(limits: Limits) -> tuple[float, float, float]:
    """Return the three bounds, comparable one by one."""
    seconds = math.inf if limits.max_seconds is None else limits.max_seconds
    return limits.max_nodes, limits.memory_mib, seconds


def _names(series: Series) -> tuple[str, str, str]:
    """Return a series as its table has it."""
    return series.game, series.profile, series.numbering.name


def _keys(numbering: Numbering, numbers: Sequence[int] | NDArray[Any]) -> list[int] | list[str]:
    """Return numbers as the table has them.

    SQLite's integers have 64 bits; where that is too few, texts of equal length, which sort alike.
    """
    found = numbers.tolist() if isinstance(numbers, np.ndarray) else list(numbers)
    if not numbering.is_wide:
        return found
    digits = len(str(numbering.last))
    return [f"{number:0{digits}}" for number in found]


def _numbers(numbering: Numbering, keys: NDArray[Any]) -> NDArray[Any]:
    """Return what `_keys` wrote as numbers, as `Numbering.array` has them."""
    if not numbering.is_wide:
        return keys
    return np.array([int(key) for key in keys.tolist()], object)


class Store:
    """An open store. Use it as a context manager, and in one thread."""

    def __init__(self, connection: sqlite3.Connection, path: str, *, write: bool) -> None:
        """Wrap a connection; use `open` or `in_memory`."""
        self._connection = connection
        self._path = path
        self._write = write

    @classmethod
    def open(cls, path: str | Path, *, create: bool, write: bool = True) -> Store:
        """Open a store; a writer holds its lock until it is closed.

        create  make the file when there is none
        write   False only reads; it works whenever no writer has the store open

        Raises StoreError (one line) for a file that is not ours, of a newer format, in use,
        not there or not writable; nothing is written then.
        """
        path = os.fspath(path)
        return cls(connect(path, create=create, write=write), path, write=write)

    @classmethod
    def in_memory(cls) -> Store:
        """Return an empty store that is gone when closed."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        prepare(connection)
        return cls(connection, ":memory:", write=True)

    def close(self) -> None:
        """Bring everything back into the one file and give up the lock."""
        with store_errors(self._path):
            try:
                if self._write:
                    self._connection.execute("PRAGMA journal_mode = DELETE")
                    # The index of the log, left by a reader after a kill; we have no use for
                    # one, and nobody else can have the file open now.
                    Path(f"{self._path}-shm").unlink(missing_ok=True)
            finally:
                self._connection.close()

    def __enter__(self) -> Store:
        """Return the store itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the store."""
        self.close()

    def save(
        self,
        series: Series,
        chunk: Chunk,
        *,
        limits: Limits,
        solver: str,
        grader: str,
    ) -> None:
        """Write the answers of a chunk in one transaction, replacing older ones.

        solver  version of the program that solved them
        grader  name of what measured the efforts
        """
        outcome = chunk.outcome
        with self.transaction():
            series_id, search_id = self.series_id(*_names(series)), self.search_id(solver, limits)
            grader_id = self.grader_id(grader)
            # Ids stand in the statement: each bound value costs time on every row.
            self._connection.executemany(
                'INSERT OR REPLACE INTO result (series, number, verdict, nodes, "limit", length,'
                " search, effort, grader)"
                f" VALUES ({series_id}, ?1, ?2, ?3, ?4, ?5, {search_id}, nullif(?6, 0),"
                f" CASE ?6 WHEN 0 THEN NULL ELSE {grader_id} END)",
                zip(
                    _keys(series.numbering, chunk.numbers),
                    outcome.verdict.tolist(),
                    outcome.nodes.tolist(),
                    outcome.limit.tolist(),
                    outcome.length.tolist(),
                    chunk.effort.tolist(),
                    strict=True,
                ),
            )

    def save_efforts(
        self,
        series: Series,
        numbers: NDArray[Any],
        effort: NDArray[np.int64],
        grader: str,
    ) -> None:
        """Add efforts (each at least 1) to stored answers in one transaction."""
        with self.transaction():
            self._connection.executemany(
                f"UPDATE result SET effort = ?, grader = {self.grader_id(grader)}"
                f" WHERE series = {self.series_id(*_names(series))} AND number = ?",
                zip(effort.tolist(), _keys(series.numbering, numbers), strict=True),
            )

    def unsolved(
        self, series: Series, first: int, last: int, limits: Limits, solver: str
    ) -> NDArray[Any]:
        """Return the numbers of first..last that a run under `limits` has to solve.

        These are the numbers without an answer, and the undecided ones whose search was
        stopped by smaller limits (`worth_retrying`), was another solver version's under no
        larger limits, or was given up because its worker died. Winnable and unwinnable are
        facts, whoever found them. The whole range is in memory, so ask for parts.
        """
        answered = self._select(
            f"SELECT number FROM result WHERE {_WITHIN} AND {self._settled(limits, solver)}",
            self._within(series, first, last),
            texts=series.numbering.is_wide,
        )
        places = _numbers(series.numbering, answered[:, 0]) - first
        missing = np.ones(last - first + 1, bool)
        missing[places.astype(np.int64, copy=False)] = False
        return np.flatnonzero(missing).astype(places.dtype, copy=False) + first

    def ungraded(self, series: Series, first: int, last: int, grader: str) -> NDArray[Any]:
        """Return the winnable numbers of first..last without an effort by `grader`."""
        found = self._select(
            f"SELECT number FROM result WHERE {_WITHIN} AND verdict = {Verdict.WINNABLE:d}"
            " AND grader IS NOT ? ORDER BY number",
            (*self._within(series, first, last), self._find_grader(grader)),
            texts=series.numbering.is_wide,
        )
        return _numbers(series.numbering, found[:, 0])

    def finished(
        self,
        series: Series,
        first: int,
        last: int,
        limits: Limits,
        solver: str,
        grader: str | None,
    ) -> dict[Verdict, int]:
        """Count the numbers of first..last with nothing left to do, by verdict.

        grader  None when efforts are not wanted
        """
        done = self._settled(limits, solver)
        if grader is not None:
            grader_id = self._find_grader(grader)
            done += f" AND NOT (verdict = {Verdict.WINNABLE:d} AND grader IS NOT {grader_id})"
        found = self._select(
            f"SELECT verdict, count(*) FROM result WHERE {_WITHIN} AND {done} GROUP BY verdict",
            self._within(series, first, last),
            columns=2,
        )
        counts = dict.fromkeys(Verdict, 0)
        for verdict, count in found.tolist():
            if verdict not in counts:
                raise StoreError(f"store {self._path} is damaged: it has a verdict {verdict}")
            counts[Verdict(verdict)] = count
        return counts

    def rows(self, series: Series, first: int, last: int, grader: str) -> Rows:
        """Return the answers of first..last."""
        grader_id = self._find_grader(grader)
        found = self._select(
            f"SELECT number, verdict, CASE WHEN grader IS {grader_id} THEN effort ELSE 0 END"
            f" FROM result WHERE {_WITHIN} ORDER BY number",
            self._within(series, first, last),
            columns=3,
            texts=series.numbering.is_wide,
        )
        return Rows(
            _numbers(series.numbering, found[:, 0]),
            found[:, 1].astype(np.int8),
            found[:, 2].astype(np.int64, copy=False),
        )

    def solver_versions(self, series: Series, first: int, last: int) -> tuple[str, ...]:
        """Return the versions that gave the answers of first..last, sorted."""
        return tuple(sorted({solver for solver, _ in self._searches(series, first, last)}))

    def largest_limits(self, series: Series, first: int, last: int) -> Limits | None:
        """Return the limits under which every answer of first..last can be found again.

        Each bound is the largest that one of them had; None when there is no answer.
        """
        found = [limits for _, limits in self._searches(series, first, last)]
        if not found:
            return None
        return functools.reduce(larger_of, found)

    def _searches(self, series: Series, first: int, last: int) -> list[tuple[str, Limits]]:
        """Return solver and limits of the answers of first..last."""
        with store_errors(self._path):
            found = self._connection.execute(
                "SELECT solver, max_nodes, memory_mib, max_seconds FROM search WHERE id IN"
                f" (SELECT search FROM result WHERE {_WITHIN})",
                self._within(series, first, last),
            ).fetchall()
        return [(solver, Limits(*bounds)) for solver, *bounds in found]

    def _settled(self, limits: Limits, solver: str) -> str:
        """Return the SQL condition of rows that need no solving under `limits`."""
        with store_errors(self._path):
            searches = self._connection.execute(
                "SELECT id, solver, max_nodes, memory_mib, max_seconds FROM search"
            ).fetchall()
        final = []
        for search_id, by, *bounds in searches:
            stored = Limits(*bounds)
            again = worth_retrying(stored, limits) or (by != solver and stored == limits)
            if not again:
                final.append(str(search_id))
        return (
            f"(verdict <> {Verdict.UNDECIDED:d}"
            f' OR (search IN ({", ".join(final)}) AND "limit" <> {Limit.WORKER:d}))'
        )

    def _within(self, series: Series, first: int, last: int) -> tuple[int | str, ...]:
        """Return the values that _WITHIN asks for."""
        low, high = _keys(series.numbering, [first, last])
        return self._find_series(series), low, high

    def _select(
        self, query: str, values: Sequence[Any], *, columns: int = 1, texts: bool = False
    ) -> NDArray[Any]:
        """Return the rows of a query, `int64[n, columns]`, or of objects if it finds texts."""
        dtype = object if texts else np.int64
        with store_errors(self._path):
            cursor = self._connection.execute(query, values)
            parts = [np.empty((0, columns), dtype)]
            while found := cursor.fetchmany(_FETCHED):
                parts.append(np.array(found, dtype))
        return np.concatenate(parts)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Commit what is done inside, or nothing of it; gives the connection to do it with."""
        with store_errors(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                # SQLite has rolled back by itself where the disk is full.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _find_series(self, series: Series) -> int:
        """Return the id of a series, 0 when the store has none of it."""
        return self._find(_FIND_SERIES, _names(series))

    def _find_grader(self, name: str) -> int:
        """Return the id of a grader, 0 when the store has none of it."""
        return self._find("SELECT id FROM grader WHERE name = ?", (name,))

    def _find(self, query: str, values: Sequence[Any]) -> int:
        """Return the one integer that a query finds, else 0, which is never an id."""
        with store_errors(self._path):
            found = self._connection.execute(query, values).fetchone()
        return 0 if found is None else int(found[0])

    def series_id(self, game: str, profile: str, numbering: str) -> int:
        """Return the id of a series, new if need be."""
        names = game, profile, numbering
        return self._find(_FIND_SERIES, names) or self._insert(
            "INSERT INTO series (game, profile, numbering) VALUES (?, ?, ?)", names
        )

    def search_id(self, solver: str, limits: Limits) -> int:
        """Return the id of a solver version under limits, new if need be."""
        values = (solver, limits.max_nodes, limits.memory_mib, limits.max_seconds)
        return self._find(
            "SELECT id FROM search WHERE solver = ? AND max_nodes = ? AND memory_mib = ?"
            " AND max_seconds IS ?",
            values,
        ) or self._insert(
            "INSERT INTO search (solver, max_nodes, memory_mib, max_seconds) VALUES (?, ?, ?, ?)",
            values,
        )

    def grader_id(self, name: str) -> int:
        """Return the id of a grader, new if need be."""
        return self._find_grader(name) or self._insert(
            "INSERT INTO grader (name) VALUES (?)", (name,)
        )

    def _insert(self, statement: str, values: Sequence[Any]) -> int:
        """Insert one row; return its id."""
        return int(self._connection.execute(statement, values).lastrowid or 0)
