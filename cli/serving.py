"""The server behind `winnable serve`: lines of requests in, lines of answers out.

Owns threads, ids and the end. What is asked and answered is in `requests`.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

import click

from cli.requests import ASKS, answer
from solvers.errors import NotationError, WinnableError, nearest, quoted
from solvers.positions import decode_json

#: Bytes of a request, at most: a board and a line of moves are a few thousand.
LARGEST_REQUEST = 1 << 20


class Server:
    """Answers requests, several at a time, each by a thread of its own.

    The searches of all threads share the cores, so a short one ends soon however long the others
    take, as long as there are threads left.
    """

    def __init__(self, out: IO[bytes], *, at_once: int) -> None:
        self._out = out
        self._writing = threading.Lock()
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="winnable")
        #: For each request under way or waiting, by id as JSON: what ends its search.
        self._open: dict[str, list[threading.Event]] = {}
        self._opening = threading.Lock()

    def serve(self, lines: IO[bytes]) -> None:
        """Answer all requests of a stream; return when the last one is answered."""
        try:
            for line in _requests(lines):
                self._take_up(line)
            self._threads.shutdown(wait=True)
        except BaseException:
            with self._opening:
                for events in self._open.values():
                    for event in events:
                        event.set()
            self._threads.shutdown(wait=False, cancel_futures=True)
            raise

    def _take_up(self, line: bytes | None) -> None:
        """Begin to answer a line; None is one that was too long."""
        if line is None:
            self._refuse(None, NotationError(f"a request has at most {LARGEST_REQUEST >> 20} MiB"))
            return
        name: Any = None
        try:
            request = _decoded(line)
            name = request.pop("id", None)
            if isinstance(name, dict | list):
                name = None
                raise NotationError("id is not a text, a number, true, false or null")
            if request.get("do") == "cancel":
                self._write({"id": name, "cancelled": self._cancel(request)})
                return
        except WinnableError as error:
            self._refuse(name, error)
            return
        ended = threading.Event()
        key = json.dumps(name)
        with self._opening:
            self._open.setdefault(key, []).append(ended)
        self._threads.submit(self._answer, name, key, ended, request)

    def _cancel(self, request: dict[str, Any]) -> int:
        """End the requests of an id; return how many there are."""
        for name in request:
            if name not in ("do", "cancels"):
                raise NotationError(
                    f"unknown key {quoted(name)}{nearest(name, ['cancels'])}; the keys here are "
                    "id, do, cancels"
                )
        if "cancels" not in request:
            raise NotationError("cancels is missing; valid is the id of a request")
        with self._opening:
            events = list(self._open.get(json.dumps(request["cancels"]), []))
        for event in events:
            event.set()
        return len(events)

    def _answer(self, name: Any, key: str, ended: threading.Event, request: dict[str, Any]) -> None:
        """Answer a request, whatever happens."""
        record = _answered(request, ended)
        # From here on there is nothing left to cancel.
        with self._opening:
            self._open[key].remove(ended)
            if not self._open[key]:
                del self._open[key]
        self._write({"id": name, **record})

    def _refuse(self, name: Any, error: Exception) -> None:
        """Write that a request cannot be answered, and why."""
        self._write({"id": name, **_error(error)})

    def _write(self, record: dict[str, Any]) -> None:
        """Write one object as a line."""
        line = json.dumps(record, separators=(", ", ": ")).encode() + b"\n"
        try:
            with self._writing:
                self._out.write(line)
                self._out.flush()
        except (OSError, ValueError):
            # Nobody reads answers any more, and the main thread may wait for requests for ever.
            os._exit(0)


def _answered(request: dict[str, Any], ended: threading.Event) -> dict[str, Any]:
    """Return the answer to a request, or the error that it ends with.

    ended  set to end its search
    """
    from solvers.errors import CancelledError
    from solvers.search.solver import CANCELLED

    CANCELLED.set(ended)
    try:
        if ended.is_set():
            raise CancelledError("cancelled")
        return answer(request)
    except click.UsageError as error:
        return _error(NotationError(error.format_message()))
    except (WinnableError, OSError, MemoryError) as error:
        return _error(error)
    # Blind on purpose: one request must not end those beside it.
    except Exception as error:  # noqa: BLE001
        return _error(error, "InternalError")


def _error(error: Exception, kind: str | None = None) -> dict[str, Any]:
    """Return what is said of an error."""
    return {"error": {"type": kind or type(error).__name__, "message": str(error)}}


def _requests(lines: IO[bytes]) -> Iterator[bytes | None]:
    """Yield the lines of a stream that are not blank, None for one that is too long."""
    while line := lines.readline(LARGEST_REQUEST + 1):
        if len(line) <= LARGEST_REQUEST:
            if line.strip():
                yield line
            continue
        while line and not line.endswith(b"\n"):
            line = lines.readline(LARGEST_REQUEST)
        yield None


def _decoded(line: bytes) -> dict[str, Any]:
    """Decode a request; raises NotationError."""
    try:
        request = decode_json(line.decode())
    except UnicodeDecodeError as error:
        raise NotationError(f"byte {error.start + 1} of the request is not UTF-8") from None
    if not isinstance(request, dict):
        raise NotationError(f"a request is a JSON object with 'do': {', '.join((*ASKS, 'cancel'))}")
    return request
