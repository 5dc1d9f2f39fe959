"""Batches past one machine: chunks of numbers solved by the workers of a dask scheduler.

Owns what is sent to a worker and what comes of workers that die. Schedules nothing itself. The
scheduler and its workers need the installed package, in the same state as here, and nothing else.
`distributed` is loaded by `connect` only.
"""

from __future__ import annotations

import itertools
import logging
import queue
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from dealgen.batch import measure_numbers, solve_numbers
from dealgen.chunks import Pace
from dealgen.numbering import numbering_of
from dealgen.store import Chunk
from dealgen.task import Task
from solvers import games
from solvers.errors import ClusterError
from solvers.outcome import BatchOutcome, Limit, Limits
from solvers.profiles import parse_profile
from solvers.programs.files import source_hash

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")

#: Seconds that a chunk should take a worker: a thousand threads then ask the scheduler for 250
#: chunks a second, of which it manages a thousand.
_CHUNK_SECONDS = 4.0
#: Deals a chunk, at most: 2 MB of results.
_LARGEST_CHUNK = 50_000
#: Chunks in flight for each thread of the workers: one computed, one waiting.
_IN_FLIGHT = 2
#: Parts of a chunk whose workers died again and again: three rounds find one deal in 4,000.
_PARTS = 16
#: Seconds until a scheduler that does not answer, or has no worker, is given up.
PATIENCE_S = 60.0
#: Seconds between looks at how many threads the workers have.
_LOOK_S = 1.0


@dataclass(frozen=True, slots=True)
class _Order:
    """A Task as a worker is told of it, by names, and the state of the sources it is for."""

    game: str
    profile: str
    numbering: str
    limits: Limits
    method: str
    sources: str

    @classmethod
    def of(cls, task: Task) -> _Order:
        """Name what a task consists of."""
        names = task.game.name, task.profile_name, task.numbering.name
        return cls(*names, task.limits, task.method, source_hash())

    def task(self) -> Task:
        """Return the task, for one thread; raises ClusterError in another state of the sources."""
        if source_hash() != self.sources:
            raise ClusterError(_another_version())
        game = games.load(self.game)
        profile = parse_profile(self.profile, game.profiles)
        return Task(game, profile, numbering_of(self.numbering), self.limits, 1, self.method)


def _another_version() -> str:
    """Say which worker this is, and that its sources differ."""
    from distributed import get_worker

    address = get_worker().address
    return f"worker {address} has winnable in another state; install the same version everywhere"


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    """Return what the work gives, and the seconds that it took."""
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def _solve(
    order: _Order, numbers: NDArray[Any], grade: bool, audit: Literal["one", "all"]
) -> tuple[float, Chunk]:
    """Solve a chunk; called by workers."""
    task = order.task()
    size = len(numbers)
    return _timed(
        lambda: next(solve_numbers(task, numbers, grade=grade, audit=audit, chunk_size=size))
    )


def _measure(
    order: _Order, numbers: NDArray[Any]
) -> tuple[float, tuple[NDArray[Any], NDArray[np.int64]]]:
    """Measure a chunk; called by workers."""
    task = order.task()
    return _timed(lambda: next(measure_numbers(task, numbers, chunk_size=len(numbers))))


def _given_up(numbers: NDArray[Any]) -> Chunk:
    """Return the answer to a deal that ends its workers: undecided, and why."""
    n = len(numbers)
    outcome = BatchOutcome(
        verdict=np.zeros(n, np.int8),
        nodes=np.zeros(n, np.int64),
        limit=np.full(n, Limit.WORKER, np.int8),
        length=np.zeros(n, np.int32),
        lines=np.empty(0, np.uint16),
        offsets=np.zeros(n + 1, np.int64),
    )
    return Chunk(numbers, outcome, np.zeros(n, np.int64))


class Cluster:
    """The workers of a scheduler, as `run_batch` asks them. Made by `connect`.

    Results come in the order in which they are finished. A chunk whose worker died is computed
    again by another one. When that happened so often that the scheduler gives it up (its setting
    `allowed-failures`), its deals are computed again in ever smaller parts, each with no other
    deal in the workers, until one deal is left: that one is undecided, stopped by `worker`. So no
    deal is blamed for what another one did.
    """

    def __init__(self, client: Client) -> None:
        self._client = client

    def solve(
        self,
        task: Task,
        blocks: Iterable[NDArray[Any]],
        *,
        total: int,
        grade: bool,
        audit: Literal["one", "all"],
        chunk_size: int | None = None,
    ) -> Generator[Chunk, None, None]:
        """Yield what `solve_numbers` would of all blocks of numbers; `total` is about how many."""
        order = _Order.of(task)
        return self._each(
            lambda chunk: (_solve, order, chunk, grade, audit),
            _given_up,
            blocks,
            total=total,
            timed=task.timed,
            chunk_size=chunk_size,
        )

    def measure(
        self,
        task: Task,
        blocks: Iterable[NDArray[Any]],
        *,
        total: int,
        chunk_size: int | None = None,
    ) -> Generator[tuple[NDArray[Any], NDArray[np.int64]], None, None]:
        """Yield what `measure_numbers` would; raises ClusterError where a deal ends its workers."""
        order = _Order.of(task)

        def refuse(chunk: NDArray[Any]) -> Any:
            raise ClusterError(
                f"the workers die of measuring {order.game} deal {chunk[0]}; "
                "give each of them more memory"
            )

        return self._each(
            lambda chunk: (_measure, order, chunk),
            refuse,
            blocks,
            total=total,
            timed=False,
            chunk_size=chunk_size,
        )

    def _each(
        self,
        call: Callable[[NDArray[Any]], tuple[Any, ...]],
        give_up: Callable[[NDArray[Any]], T],
        blocks: Iterable[NDArray[Any]],
        *,
        total: int,
        timed: bool,
        chunk_size: int | None,
    ) -> Generator[T, None, None]:
        """Yield the results of all numbers, chunk by chunk, as they are finished.

        call     makes a chunk's function and its arguments
        give_up  makes the result of a single deal that ends its workers
        """
        flight = _Flight(self._client, call)
        threads = _Threads(self._client)
        pace = Pace(
            total,
            threads.count() or 1,
            timed=timed,
            fixed=chunk_size,
            seconds=_CHUNK_SECONDS,
            largest=_LARGEST_CHUNK,
        )
        suspects: deque[NDArray[Any]] = deque()
        waiting = _slices(blocks, lambda: pace.size)
        with flight.cancelled_at_the_end():
            more = True
            while more or flight.chunks or suspects:
                while more and flight.chunks < _IN_FLIGHT * (threads.count() or 1):
                    chunk = next(waiting, None)
                    more = chunk is not None
                    if chunk is not None:
                        flight.send(chunk)
                if suspects and not flight.chunks:
                    flight.send(suspects.popleft())
                for chunk, finished in flight.landed():
                    if finished is None:
                        if len(chunk) == 1:
                            yield give_up(chunk)
                        else:
                            suspects.extend(np.array_split(chunk, min(_PARTS, len(chunk))))
                        continue
                    seconds, result = finished
                    pace.took(len(chunk), seconds)
                    yield result


def _slices(blocks: Iterable[NDArray[Any]], size: Callable[[], int]) -> Iterator[NDArray[Any]]:
    """Cut blocks into chunks; `size` is asked for each."""
    for block in blocks:
        start = 0
        while start < len(block):
            chunk = block[start : start + size()]
            start += len(chunk)
            yield chunk


class _Threads:
    """How many threads the workers have, asked now and then: workers come and go."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._asked = -_LOOK_S
        self._count = 0

    def count(self) -> int:
        """Return how many there are, as of a second ago at most."""
        if time.monotonic() - self._asked >= _LOOK_S:
            with suppress(OSError):  # a scheduler that is away has none
                self._count = sum(self._client.nthreads().values())
            self._asked = time.monotonic()
        return self._count


class _Flight:
    """The chunks that the scheduler has."""

    def __init__(self, client: Client, call: Callable[[NDArray[Any]], tuple[Any, ...]]) -> None:
        self._client = client
        self._call = call
        self._sent: dict[Future[Any], NDArray[Any]] = {}
        self._ended: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        self._lost_at: float | None = None

    @property
    def chunks(self) -> int:
        """How many there are."""
        return len(self._sent)

    def send(self, chunk: NDArray[Any]) -> None:
        """Hand out a chunk."""
        future = self._client.submit(*self._call(chunk), pure=False)
        self._sent[future] = chunk
        future.add_done_callback(self._ended.put)

    def landed(self) -> Iterator[tuple[NDArray[Any], Any]]:
        """Wait for a while; yield chunks that ended with their results, None where workers died.

        Chunks that were lost with the scheduler are sent again. Raises ClusterError when the
        scheduler stays away, or what a chunk raised.
        """
        from distributed import KilledWorker

        try:
            ended = [self._ended.get(timeout=_LOOK_S)]
        except queue.Empty:
            self._check_scheduler()
            return
        while not self._ended.empty():
            ended.append(self._ended.get())
        for future in ended:
            chunk = self._sent.pop(future)
            if future.status == "finished":
                yield chunk, future.result()
            elif future.status == "error":
                error = future.exception()
                if not isinstance(error, KilledWorker):
                    raise _as_ours(error)
                yield chunk, None
            else:
                self._check_scheduler()
                self.send(chunk)

    def _check_scheduler(self) -> None:
        """Raise ClusterError when the scheduler has been away for too long."""
        if self._client.status == "running":
            self._lost_at = None
            return
        now = time.monotonic()
        self._lost_at = self._lost_at or now
        if self._client.status in ("closed", "closing") or now - self._lost_at > PATIENCE_S:
            raise ClusterError("the scheduler is gone; the same command goes on from there")

    @contextmanager
    def cancelled_at_the_end(self) -> Iterator[None]:
        """Take back, on the way out, what was not finished."""
        try:
            yield
        finally:
            if self._sent and self._client.status == "running":
                with suppress(OSError):
                    self._client.cancel(list(self._sent), force=True)


def _as_ours(error: BaseException | None) -> BaseException:
    """Return what a chunk raised, as an error that a person can act on where it is none of ours."""
    if isinstance(error, ImportError):
        return ClusterError(
            f"a worker cannot load winnable ({error}); install the same version everywhere"
        )
    if isinstance(error, MemoryError):
        return ClusterError("a worker has not enough memory; give less to --memory")
    return error or ClusterError("a worker failed without a reason")


@contextmanager
def connect(address: str) -> Iterator[Cluster]:
    """Connect to a scheduler, or make a cluster of this machine's processes: `local:N`.

    Raises ClusterError when `distributed` is not installed, the scheduler does not answer, or it
    gets no worker in a minute.
    """
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise ClusterError(
            "--cluster needs dask; install it with: pip install 'winnable[cluster]'"
        ) from None
    # What workers do is told by the results.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    patience = {"distributed.comm.timeouts.connect": f"{PATIENCE_S:.0f}s"}
    with dask.config.set(patience):
        if address.startswith("local:"):
            with (
                LocalCluster(
                    n_workers=int(address.removeprefix("local:")),
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=None,
                    silence_logs=logging.CRITICAL,
                ) as local,
                Client(local) as client,
            ):
                yield Cluster(client)
            return
        try:
            client = Client(address, timeout=PATIENCE_S, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ClusterError(f"no scheduler answers at {address}: {_first_line(error)}") from None
        with client:
            try:
                client.wait_for_workers(1, timeout=PATIENCE_S)
            except TimeoutError:
                raise ClusterError(
                    f"the scheduler at {address} has no worker; start one with: "
                    f"dask worker {address}"
                ) from None
            yield Cluster(client)


def _first_line(error: BaseException) -> str:
    """Return the beginning of an error's text."""
    return next(iter(itertools.chain(str(error).splitlines(), [type(error).__name__])))
