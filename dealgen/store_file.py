"""The store's file: its schema, its lock, and the errors of both as one line.

The tables, `user_version` 1 (the view `deals` shows all of it with names):

    series    id, game, profile (canonical spelling), numbering
    search    id, solver (version), max_nodes, memory_mib, max_seconds (NULL: no bound)
    grader    id, name
    result    series, number, verdict, nodes, limit, length, search, effort, grader;
              by (series, number); effort (thousandths) and grader are NULL where not measured

`number` has no declared type, so that a column of SQLite integers (`ms`) and one of
zero-padded digits (a numbering beyond 64 bits) both sort by value.

One process writes at a time: its connection is in SQLite's exclusive locking mode, whose
lock the system drops with the process, however that ends. While it runs, commits go to a
write-ahead log; closing brings them back into the one file. After a kill the log stays, and
whoever opens the store next, to read or to write, finds every committed chunk in it.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dealgen.formats import STORE_APPLICATION_ID, STORE_FORMAT
from solvers.errors import StoreError
from solvers.outcome import Limit, Verdict

_MAGIC = b"SQLite format 3\0"
_SCHEMA = """
CREATE TABLE series (
    id INTEGER PRIMARY KEY, game TEXT NOT NULL, profile TEXT NOT NULL, numbering TEXT NOT NULL,
    UNIQUE (game, profile, numbering));
CREATE TABLE search (
    id INTEGER PRIMARY KEY, solver TEXT NOT NULL,
    max_nodes INTEGER NOT NULL, memory_mib INTEGER NOT NULL, max_seconds REAL);
CREATE TABLE grader (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE result (
    series INTEGER NOT NULL REFERENCES series, number NOT NULL,
    verdict INTEGER NOT NULL, nodes INTEGER NOT NULL, "limit" INTEGER NOT NULL,
    length INTEGER NOT NULL, search INTEGER NOT NULL REFERENCES search,
    effort INTEGER, grader INTEGER REFERENCES grader,
    PRIMARY KEY (series, number)) WITHOUT ROWID;
CREATE VIEW deals AS
    SELECT game, profile, numbering, number,
        CASE verdict {verdicts} END AS verdict, nodes,
        CASE "limit" {limits} END AS "limit", length,
        max_nodes, memory_mib, max_seconds, solver,
        effort / 1000.0 AS effort, grader.name AS grader
    FROM result JOIN series ON series.id = series JOIN search ON search.id = search
        LEFT JOIN grader ON grader.id = grader;
""".format(
    verdicts=" ".join(f"WHEN {int(item)} THEN '{item.label}'" for item in Verdict),
    limits=" ".join(f"WHEN {int(item)} THEN '{item.label}'" for item in Limit if item.label),
)


def connect(path: str, *, create: bool, write: bool) -> sqlite3.Connection:
    """Open the file of a store, and take its lock for good when it is to be written.

    Every statement is its own transaction unless BEGIN says otherwise. Raises StoreError for
    a file that is not ours, of a newer format, in use, not there or not writable; nothing is
    written then.
    """
    _check_file(path, create=create and write)
    mode = "rwc" if create and write else "rw" if write else "ro"
    uri = f"{Path(path).absolute().as_uri()}?mode={mode}"
    with store_errors(path):
        connection = sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)
        try:
            if write:
                prepare(connection)
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version != STORE_FORMAT:
                raise StoreError(f"store {path} has format {version}, which is unknown")
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def store_errors(path: str) -> Iterator[None]:
    """Turn SQLite's errors into StoreError lines."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            reason = "is in use; one process may have it open at a time"
        elif code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            reason = "cannot be opened here; its folder and file must be writable"
        else:
            reason = f"cannot be used: {error}"
        raise StoreError(f"store {path} {reason}") from error


def _check_file(path: str, *, create: bool) -> None:
    """Raise StoreError unless `path` is a store of ours, empty, or yet to be made.

    Reads the bytes themselves: SQLite would begin to repair a file that is not ours.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise StoreError(f"store {path} is not a file")
        with open(path, "rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        if not create:
            raise StoreError(f"store {path} does not exist") from None
        _check_folder(path)
        return
    except OSError as error:
        raise StoreError(f"store {path} cannot be read: {error.strerror}") from None
    if not header and create:
        return
    if header[:16] != _MAGIC or len(header) < 100:
        raise StoreError(f"store {path} is not an SQLite file")
    if int.from_bytes(header[68:72], "big") != STORE_APPLICATION_ID:
        raise StoreError(f"store {path} is an SQLite file of another program")
    version = int.from_bytes(header[60:64], "big")
    if version > STORE_FORMAT:
        raise StoreError(
            f"store {path} has format {version}; this program knows up to {STORE_FORMAT}"
        )


def _check_folder(path: str) -> None:
    """Raise StoreError unless the folder of a file to be made is there."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise StoreError(f"store {path} cannot be made: {folder} is not a folder")


def prepare(connection: sqlite3.Connection) -> None:
    """Take the lock for good, make the tables if the file is empty, begin the log."""
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN IMMEDIATE")
    # A kill while the tables were made leaves an empty file, or one that SQLite has just
    # rolled back to empty.
    if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        for statement in _SCHEMA.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {STORE_APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {STORE_FORMAT}")
    connection.execute("COMMIT")
    connection.execute("PRAGMA journal_mode = WAL")
    # In WAL mode this loses nothing when the process dies, and corrupts nothing when the
    # machine does.
    connection.execute("PRAGMA synchronous = NORMAL")
