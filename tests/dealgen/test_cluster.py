"""Batches by a real scheduler and real workers, which die, pause and lose each other."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from dealgen import cluster as cluster_module
from dealgen.batch import run_batch
from dealgen.cluster import connect
from dealgen.numbering import numbering_of
from dealgen.store import Store
from dealgen.task import Task
from solvers import games
from solvers.errors import ClusterError
from solvers.outcome import Limits

pytest.importorskip("distributed")
HERE = Path(__file__).parent
FREECELL = games.load("freecell")
TASK = Task(FREECELL, FREECELL.profiles["classic"], numbering_of("ms"), Limits(300_000, 64), jobs=2)
#: Any number with a solution; as good as any other.
DEADLY = 77


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


class Processes:
    """A scheduler and its workers."""

    def __init__(self, folder, settings):
        self.folder, self.address = folder, f"tcp://127.0.0.1:{free_port()}"
        self.settings, self.running = settings, []
        self.scheduler = None

    def start(self, module, *arguments, **settings):
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{module}", *arguments],
            cwd=self.folder,
            env={
                **os.environ,
                # Each worker's death is the last of its chunk.
                "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
                "TEST_WORKER": json.dumps({**self.settings, **settings}),
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.running.append(process)
        return process

    def start_scheduler(self):
        host, port = self.address.removeprefix("tcp://").split(":")
        self.scheduler = self.start(
            "dask_scheduler", "--host", host, "--port", port, "--no-dashboard"
        )

    def start_worker(self, *, reborn=False, **settings):
        return self.start(
            "dask_worker",
            self.address,
            *("--nthreads", "1", "--no-dashboard", "--preload", str(HERE / "cluster_worker.py")),
            *([] if reborn else ["--no-nanny"]),
            **settings,
        )

    def end(self):
        for process in self.running:
            process.send_signal(signal.SIGCONT)
            process.terminate()
        for process in self.running:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def processes(folder, **settings):
    made = Processes(folder, settings)
    try:
        made.start_scheduler()
        yield made
    finally:
        made.end()


def rows(path):
    with sqlite3.connect(path) as store:
        return store.execute("SELECT * FROM deals ORDER BY number").fetchall()


def run(path, *, cluster=None, last=600, on_done=lambda done: None):
    with Store.open(path, create=True) as store:
        return run_batch(
            TASK,
            store,
            [(1, last)],
            chunk_size=20,
            cluster=cluster,
            on_chunk=lambda report: on_done(report.done),
        )


@pytest.fixture(scope="module")
def by_threads(tmp_path_factory):
    path = tmp_path_factory.mktemp("threads") / "store.db"
    run(path)
    return rows(path)


def test_rows_are_those_of_a_local_run_though_workers_die_and_pause(tmp_path, by_threads):
    with processes(tmp_path, seconds=0.1) as made:
        mortal, sleepy = made.start_worker(), made.start_worker()
        happened = []

        def on_done(done):
            if done >= 100 and not happened:
                happened.append("killed")
                mortal.send_signal(signal.SIGKILL)
                made.start_worker()
            elif done >= 200 and happened == ["killed"]:
                happened.append("paused")
                sleepy.send_signal(signal.SIGSTOP)
            elif done >= 400 and happened == ["killed", "paused"]:
                happened.append("goes on")
                sleepy.send_signal(signal.SIGCONT)

        with connect(made.address) as workers:
            report = run(tmp_path / "store.db", cluster=workers, on_done=on_done)
        assert happened == ["killed", "paused", "goes on"]
    assert (report.done, report.undecided) == (600, 0)
    assert rows(tmp_path / "store.db") == by_threads


def test_a_scheduler_may_be_killed_and_started_again(tmp_path, by_threads):
    with processes(tmp_path, seconds=0.1) as made:
        made.start_worker()
        happened = []

        def on_done(done):
            if done >= 200 and not happened:
                happened.append("killed")
                made.scheduler.kill()
                made.scheduler.wait()
                made.start_scheduler()
                made.start_worker()

        with connect(made.address) as workers:
            report = run(tmp_path / "store.db", cluster=workers, on_done=on_done)
        assert happened
    assert report.done == 600
    assert rows(tmp_path / "store.db") == by_threads


def test_a_scheduler_that_stays_away_ends_the_run_and_keeps_what_is_done(
    tmp_path, by_threads, monkeypatch
):
    monkeypatch.setattr(cluster_module, "PATIENCE_S", 3.0)
    with ExitStack() as stack:
        made = stack.enter_context(processes(tmp_path, seconds=0.1))
        made.start_worker()

        def on_done(done):
            if done >= 200:
                made.scheduler.kill()

        with connect(made.address) as workers, pytest.raises(ClusterError, match="is gone"):
            run(tmp_path / "store.db", cluster=workers, on_done=on_done)
    kept = rows(tmp_path / "store.db")
    assert len(kept) >= 200
    assert set(kept) <= set(by_threads)
    run(tmp_path / "store.db")
    assert rows(tmp_path / "store.db") == by_threads


def test_a_deal_that_ends_its_workers_is_undecided_and_no_other(tmp_path, by_threads):
    with processes(tmp_path, deadly=[DEADLY]) as made:
        made.start_worker(reborn=True)
        with connect(made.address) as workers:
            report = run(tmp_path / "store.db", cluster=workers, last=120)
    assert (report.done, report.undecided) == (120, 1)
    found = {row[3]: row for row in rows(tmp_path / "store.db")}
    assert found[DEADLY][4:7] == ("undecided", 0, "worker")
    del found[DEADLY]
    assert list(found.values()) == [row for row in by_threads[:120] if row[3] != DEADLY]
    # Nothing is wrong with the deal: where no worker dies of it, it is decided.
    run(tmp_path / "store.db", last=120)
    assert rows(tmp_path / "store.db") == by_threads[:120]


def test_a_worker_of_another_version_is_refused_by_name(tmp_path):
    with processes(tmp_path) as made:
        made.start_worker(state="another")
        with (
            connect(made.address) as workers,
            pytest.raises(ClusterError, match=r"worker tcp://127\.0\.0\.1:\d+ has winnable in an"),
        ):
            run(tmp_path / "store.db", cluster=workers)
    assert rows(tmp_path / "store.db") == []


def test_nobody_at_the_address_and_a_scheduler_without_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster_module, "PATIENCE_S", 1.0)
    with pytest.raises(ClusterError, match="no scheduler answers at"), connect("tcp://127.0.0.1:1"):
        pass
    with processes(tmp_path) as made:
        time.sleep(3)
        told = "has no worker; start one with: dask worker tcp"
        with pytest.raises(ClusterError, match=told), connect(made.address):
            pass


def test_processes_of_this_machine(tmp_path, by_threads):
    with connect("local:2") as workers:
        run(tmp_path / "store.db", cluster=workers)
    assert rows(tmp_path / "store.db") == by_threads
