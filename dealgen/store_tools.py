"""Whole stores: what is in one, whether it is sound, several made one, and its rows for others.

Owns nothing of the format: `store_file` has the tables and the view `deals`.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dealgen.store import Store
from dealgen.store_file import connect, store_errors
from solvers.errors import StoreError
from solvers.outcome import Limit, Limits, Verdict

#: The columns of the view `deals`, in which a store is exported.
COLUMNS = (
    *("game", "profile", "numbering", "number", "verdict", "nodes", "limit", "length"),
    *("max_nodes", "memory_mib", "max_seconds", "solver", "effort", "grader"),
)
_COUNTED = ("winnable", "unwinnable", "undecided", "graded")
#: Rows that are Python objects at once.
_FETCHED = 10_000
#: Problems of one kind that are told of.
_TOLD = 20

_INFO = """
SELECT game, profile, numbering, count(*), min(number), max(number),
    sum(verdict = {winnable}), sum(verdict = {unwinnable}), sum(verdict = {undecided}),
    count(effort)
FROM result JOIN series ON series.id = series
GROUP BY series ORDER BY game, profile, numbering
""".format(**{verdict.label: int(verdict) for verdict in Verdict})

#: What no row may be, and how it is said.
_UNSOUND = {
    "not one of the verdicts": f"verdict NOT IN ({', '.join(str(int(each)) for each in Verdict)})",
    "not one of the limits": f'"limit" NOT IN ({", ".join(str(int(each)) for each in Limit)})',
    "undecided, and stopped by nothing": f'verdict = {int(Verdict.UNDECIDED)} AND "limit" = 0',
    "decided, and stopped by a limit": f'verdict <> {int(Verdict.UNDECIDED)} AND "limit" <> 0',
    "a length without a solution": f"verdict <> {int(Verdict.WINNABLE)} AND length <> 0",
    "an effort without a grader, or the other way round": "(effort IS NULL) <> (grader IS NULL)",
    "an effort below 1, or of a deal that is not winnable": (
        f"effort IS NOT NULL AND (effort < 1 OR verdict <> {int(Verdict.WINNABLE)})"
    ),
    "values that are no whole numbers": (
        "typeof(verdict) <> 'integer' OR typeof(nodes) <> 'integer' OR nodes < 0"
        " OR typeof(\"limit\") <> 'integer' OR typeof(length) <> 'integer' OR length < 0"
        " OR typeof(effort) NOT IN ('integer', 'null')"
    ),
    "a series, search or grader that is not there": (
        "series NOT IN (SELECT id FROM series) OR search NOT IN (SELECT id FROM search)"
        " OR grader IS NOT NULL AND grader NOT IN (SELECT id FROM grader)"
    ),
}


def _read(path: str) -> sqlite3.Connection:
    """Open a store to read it; raises StoreError."""
    return connect(path, create=False, write=False)


def info(path: str) -> list[dict[str, Any]]:
    """Return what a store has of each game, profile and numbering, ready for JSON.

    Raises StoreError for a file that is not a store, or is in use.
    """
    connection = _read(path)
    try:
        with store_errors(path):
            found = connection.execute(_INFO).fetchall()
    finally:
        connection.close()
    names = [*("game", "profile", "numbering", "deals", "first", "last"), *_COUNTED]
    rows = [dict(zip(names, row, strict=True)) for row in found]
    for row in rows:
        for end in ("first", "last"):
            # Texts are numbers beyond 64 bits, with zeros before them.
            row[end] = str(int(row[end])) if isinstance(row[end], str) else row[end]
    return rows


def check(path: str) -> list[str]:
    """Return what is wrong with a store, a line each: the file itself, and rows that cannot be.

    Whether its answers are right takes solving, which `winnable pool verify` does.
    """
    connection = _read(path)
    try:
        problems = []
        with store_errors(path):
            for (said,) in connection.execute(f"PRAGMA integrity_check({_TOLD})"):
                if said != "ok":
                    problems.append(f"the file is damaged: {said}")
            for what, condition in _UNSOUND.items():
                numbers = connection.execute(
                    f"SELECT number FROM result WHERE {condition} ORDER BY number LIMIT {_TOLD + 1}"
                ).fetchall()
                if numbers:
                    shown = ", ".join(str(number) for (number,) in numbers[:_TOLD])
                    more = " and more" if len(numbers) > _TOLD else ""
                    problems.append(f"{what}: deals {shown}{more}")
        return problems
    finally:
        connection.close()


def rows_of(path: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a store by game, profile, numbering and number, as COLUMNS names them."""
    connection = _read(path)
    try:
        columns = ", ".join(f'"{name}"' for name in COLUMNS)
        with store_errors(path):
            cursor = connection.execute(
                f"SELECT {columns} FROM deals ORDER BY game, profile, numbering, number"
            )
            while found := cursor.fetchmany(_FETCHED):
                yield from found
    finally:
        connection.close()


def merge(paths: Sequence[str], out: str) -> None:
    """Bring the answers of stores into one, which is made if it is not there; all or nothing.

    An undecided answer gives way to a decided one, and of two undecided ones the first stays.
    Raises StoreError for a store that is not sound, and where two stores disagree on a deal's
    verdict or effort, with its number.
    """
    for path in paths:
        if os.path.exists(out) and os.path.exists(path) and os.path.samefile(path, out):
            raise StoreError(f"store {path} cannot be merged into itself")
        problems = check(path)
        if problems:
            raise StoreError(f"store {path} is not sound: {problems[0]}")
    made = not os.path.exists(out)
    try:
        with Store.open(out, create=True) as store, store.transaction() as main:
            for path in paths:
                _take_in(store, main, path)
    except BaseException:
        if made:
            Path(out).unlink(missing_ok=True)
        raise


def _take_in(store: Store, main: sqlite3.Connection, path: str) -> None:
    """Bring the answers of one store into another, within a transaction of that one."""
    other = _read(path)
    try:
        with store_errors(path):
            series = {
                old: store.series_id(*names)
                for old, *names in other.execute("SELECT id, game, profile, numbering FROM series")
            }
            searches = {
                old: store.search_id(solver, Limits(*bounds))
                for old, solver, *bounds in other.execute(
                    "SELECT id, solver, max_nodes, memory_mib, max_seconds FROM search"
                )
            }
            graders: dict[int | None, int | None] = {
                old: store.grader_id(name)
                for old, name in other.execute("SELECT id, name FROM grader")
            }
            graders[None] = None
            main.execute("CREATE TEMP TABLE incoming AS SELECT * FROM result LIMIT 0")
            rows = other.execute(
                'SELECT series, number, verdict, nodes, "limit", length, search, effort, grader'
                " FROM result"
            )
            main.executemany(
                "INSERT INTO incoming VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (series[row[0]], *row[1:6], searches[row[6]], row[7], graders[row[8]])
                    for row in rows
                ),
            )
    finally:
        other.close()
    _refuse_conflicts(main, path)
    # WHERE true: SQLite's grammar takes ON for a join otherwise.
    changed = ", ".join(
        f'"{name}" = excluded."{name}"'
        for name in ("verdict", "nodes", "limit", "length", "search", "effort", "grader")
    )
    main.execute(
        "INSERT INTO result SELECT * FROM incoming WHERE true ON CONFLICT (series, number) DO"
        f" UPDATE SET {changed} WHERE result.verdict = 0 AND excluded.verdict <> 0"
    )
    main.execute(
        "UPDATE result SET effort = incoming.effort, grader = incoming.grader FROM incoming"
        " WHERE (result.series, result.number) = (incoming.series, incoming.number)"
        " AND result.effort IS NULL AND incoming.effort IS NOT NULL"
    )
    main.execute("DROP TABLE incoming")


def _refuse_conflicts(main: sqlite3.Connection, path: str) -> None:
    """Raise StoreError where the incoming answers are not those that are there."""
    both = "FROM incoming JOIN result USING (series, number) WHERE"
    verdicts = main.execute(
        f"SELECT number, result.verdict, incoming.verdict {both} result.verdict <> 0 AND"
        " incoming.verdict <> 0 AND result.verdict <> incoming.verdict ORDER BY number LIMIT 1"
    ).fetchone()
    if verdicts is not None:
        number, ours, theirs = verdicts
        raise StoreError(
            f"store {path} disagrees on deal {number}: {Verdict(theirs).label} there, "
            f"{Verdict(ours).label} before"
        )
    efforts = main.execute(
        f"SELECT number {both} result.grader = incoming.grader"
        " AND result.effort <> incoming.effort ORDER BY number LIMIT 1"
    ).fetchone()
    if efforts is not None:
        raise StoreError(f"store {path} disagrees on the effort of deal {efforts[0]}")
