import os
import random
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fake_game import EASY_LIMITS, LIMITS, PROFILES, FakeGame, task_of
from toy_numberings import Huge

from dealgen.batch import BatchReport, measure_numbers, run_batch, solve_numbers
from dealgen.cover import Cover
from dealgen.numbering import numbering_of
from dealgen.pool import pool_bytes
from dealgen.pool_build import build_pool
from dealgen.store import Store
from solvers.errors import InvalidNumberError, SolutionRejectedError, StoreError
from solvers.outcome import Limits, Verdict

MS = numbering_of("ms")
PLAIN = PROFILES["plain"]
SERIES = task_of().series


def facts(number, game=None):
    return (game or FakeGame()).facts(MS.stream(number, 52), PLAIN)


def solve_all(numbers, game=None, *, limits=LIMITS, jobs=1, **options):
    return list(solve_numbers(task_of(game, limits=limits, jobs=jobs), numbers, **options))


def joined(chunks):
    """All that chunks hold, without their boundaries."""
    return {
        "numbers": np.concatenate([chunk.numbers for chunk in chunks]).tolist(),
        "verdict": np.concatenate([chunk.outcome.verdict for chunk in chunks]).tolist(),
        "nodes": np.concatenate([chunk.outcome.nodes for chunk in chunks]).tolist(),
        "limit": np.concatenate([chunk.outcome.limit for chunk in chunks]).tolist(),
        "length": np.concatenate([chunk.outcome.length for chunk in chunks]).tolist(),
        "lines": [
            chunk.outcome.line(row).tolist()
            for chunk in chunks
            for row in range(len(chunk.numbers))
        ],
        "effort": np.concatenate([chunk.effort for chunk in chunks]).tolist(),
    }


# Solving numbers.


def test_each_number_is_answered_once_in_the_order_given():
    numbers = [617, 5, 11982, 2**33 - 1, 1, 31]
    found = joined(solve_all(numbers, chunk_size=4, want_lines=True, grade=True))
    assert found["numbers"] == numbers
    for row, number in enumerate(numbers):
        known = facts(number)
        assert found["verdict"][row] == (Verdict.WINNABLE if known.winnable else Verdict.UNWINNABLE)
        assert found["nodes"][row] == known.nodes
        cards = MS.stream(number, 52)[: known.length] if known.winnable else []
        assert found["lines"][row] == cards
        assert found["effort"][row] == (known.effort if known.winnable else 0)


def test_results_do_not_depend_on_jobs_or_chunks():
    numbers = range(1, 301)
    options = {"want_lines": True, "grade": True, "limits": EASY_LIMITS}
    expected = joined(solve_all(numbers, chunk_size=300, **options))
    assert set(expected["verdict"]) == set(Verdict)
    for jobs, chunk_size in ((1, 1), (2, 7), (3, 299), (2, None)):
        found = joined(solve_all(numbers, jobs=jobs, chunk_size=chunk_size, **options))
        assert found == expected


def test_order_holds_when_later_chunks_finish_first():
    class Uneven(FakeGame):
        def solve_many(self, decks, *args, **more):
            time.sleep(0.05 if len(decks) == 2 and decks[0, 0] % 2 else 0)
            return super().solve_many(decks, *args, **more)

    found = joined(solve_all(range(1, 41), Uneven(), jobs=4, chunk_size=2))
    assert found["numbers"] == list(range(1, 41))


def test_efforts_only_where_winnable_and_asked_for():
    ungraded = joined(solve_all(range(1, 101)))
    assert set(ungraded["effort"]) == {0}
    graded = joined(solve_all(range(1, 101), grade=True))
    for verdict, effort in zip(graded["verdict"], graded["effort"], strict=True):
        assert (effort > 0) == (verdict == Verdict.WINNABLE)


def test_no_numbers_are_no_chunks():
    assert solve_all([]) == []
    assert solve_all(range(0)) == []


def test_a_huge_range_is_taken_as_it_is_consumed():
    game = FakeGame()
    with closing(solve_numbers(task_of(game), range(1, 2**33))) as chunks:
        first = next(chunks)
    assert first.numbers[0] == 1
    assert game.solved < 100_000


def test_a_number_outside_the_numbering_is_an_error():
    with pytest.raises(InvalidNumberError, match="deal number 8589934592 is out of range"):
        solve_all([1, 2**33])


def test_chunks_are_short_under_a_bound_on_seconds():
    timed = solve_all(range(1, 5001), limits=Limits(2_000_000, 256, 60.0))
    assert max(len(chunk.numbers) for chunk in timed) <= 100


def test_jobs_share_few_numbers_evenly():
    assert [len(chunk.numbers) for chunk in solve_all(range(1, 11), jobs=2)] == [5, 5]


def test_measuring_alone_gives_the_same_efforts():
    chunks = solve_all(range(1, 201), grade=True)
    graded = joined(chunks)
    winnable = [n for n, effort in zip(graded["numbers"], graded["effort"], strict=True) if effort]
    measured = list(measure_numbers(task_of(jobs=2), winnable, chunk_size=9))
    assert np.concatenate([numbers for numbers, _ in measured]).tolist() == winnable
    efforts = [effort for effort in graded["effort"] if effort]
    assert np.concatenate([efforts for _, efforts in measured]).tolist() == efforts


def test_a_solution_that_the_rules_refuse_is_never_passed_on():
    game = FakeGame()
    game.refuses = lambda deck: True
    solve_all(range(1, 50), game)
    with pytest.raises(SolutionRejectedError, match=r"fake deal \d+: move 1, '..': not the next"):
        solve_all(range(1, 50), game, audit="one")


def test_the_rules_replay_every_solution_when_they_are_asked_to():
    game = FakeGame()
    last = max(number for number in range(1, 50) if facts(number).winnable)
    game.refuses = lambda deck: deck == tuple(MS.stream(last, 52))
    # A sample of one deal a chunk is the first one.
    solve_all(range(1, 50), game, audit="one", chunk_size=60)
    with pytest.raises(SolutionRejectedError, match=f"fake deal {last}: move 1"):
        solve_all(range(1, 50), game, audit="all", chunk_size=60)
    with (
        Store.in_memory() as store,
        pytest.raises(SolutionRejectedError, match=f"fake deal {last}: move 1"),
    ):
        run_batch(task_of(game), store, [(1, 49)], verify=True, chunk_size=60)


# Batches.


def batch(store, first=1, last=200, game=None, *, limits=LIMITS, jobs=1, **options):
    return run_batch(task_of(game, limits=limits, jobs=jobs), store, [(first, last)], **options)


def everything(store, last=200):
    """All rows as the store shows them."""
    return store._connection.execute("SELECT * FROM deals ORDER BY number").fetchall()


def test_a_batch_answers_the_whole_range():
    reports = []
    with Store.in_memory() as store:
        report = batch(store, chunk_size=30, on_chunk=reports.append)
        rows = store.rows(SERIES, 1, 200, "fake-1")
    winnable = [number for number in range(1, 201) if facts(number).winnable]
    assert rows.numbers.tolist() == list(range(1, 201))
    assert rows.numbers[rows.verdict == Verdict.WINNABLE].tolist() == winnable
    assert rows.effort[rows.verdict == Verdict.WINNABLE].tolist() == [
        facts(number).effort for number in winnable
    ]
    assert report == BatchReport(200, 0, 200, len(winnable), 200 - len(winnable), 0)
    assert [report.done for report in reports] == [0, 30, 60, 90, 120, 150, 180, 200]
    assert reports[-1] == report


def test_what_is_finished_is_not_done_again():
    game = FakeGame()
    with Store.in_memory() as store:
        batch(store, 51, 120, game)
        solved = game.solved
        report = batch(store, 1, 200, game)
        assert report.kept == 70
        # One deal a chunk is solved twice, for the rules to replay.
        assert 130 <= game.solved - solved <= 150
        before = everything(store)
        solved, measured = game.solved, game.measured
        again = batch(store, 1, 200, game)
        assert (game.solved, game.measured) == (solved, measured)
        assert again == BatchReport(
            200, 200, 200, report.winnable, report.unwinnable, report.undecided
        )
        assert everything(store) == before


def test_rows_are_the_same_however_they_came_about():
    with Store.in_memory() as store:
        batch(store)
        expected = everything(store)
    for parts in (
        [(1, 200, {"chunk_size": 1})],
        [(150, 200, {"jobs": 2}), (1, 160, {"jobs": 3, "chunk_size": 7})],
        [(1, 100, {"grade": False}), (90, 130, {}), (1, 200, {"chunk_size": 11})],
        [(1, 200, {"limits": EASY_LIMITS}), (1, 200, {})],
    ):
        with Store.in_memory() as store:
            for first, last, options in parts:
                batch(store, first, last, **options)
            found = everything(store)
        # Facts found under smaller limits stay as they were found.
        same = [row[:8] + row[12:] for row in found] == [row[:8] + row[12:] for row in expected]
        assert same


def test_undecided_deals_are_tried_again_under_larger_limits_only():
    hard = [n for n in range(1, 201) if facts(n).nodes > 1000 or facts(n).memory_mib > 16]
    assert len(hard) > 5
    game = FakeGame()
    with Store.in_memory() as store:
        report = batch(store, game=game, limits=EASY_LIMITS)
        assert (report.done, report.undecided) == (200, len(hard))
        solved = game.solved
        assert batch(store, game=game, limits=Limits(900, 16)).kept == 200
        assert game.solved == solved
        report = batch(store, game=game, limits=Limits(2_000_000, 16))
        assert report.kept == 200 - len(hard)
        short_of_memory = [n for n in hard if facts(n).memory_mib > 16]
        assert report.undecided == len(short_of_memory)
        assert batch(store, game=game).undecided == 0


def test_grades_are_added_without_solving_again():
    game = FakeGame()
    with Store.in_memory() as store:
        batch(store, game=game, grade=False)
        assert game.measured == 0
        plain = batch(store, game=game, grade=False)
        solved = game.solved
        graded = batch(store, game=game, jobs=2, chunk_size=9)
        assert game.solved == solved
        assert game.measured == graded.winnable
        assert graded.kept == graded.unwinnable
        assert graded.done == plain.done == 200
        with Store.in_memory() as other:
            batch(other)
            assert everything(other) == everything(store)


def test_another_grader_measures_again_and_does_not_solve():
    game = FakeGame()
    with Store.in_memory() as store:
        batch(store, game=game)
        solved, measured = game.solved, game.measured
        game.grader = replace(game.grader, name="fake-2")
        report = batch(store, game=game)
        assert game.solved == solved
        assert game.measured - measured == report.winnable


@pytest.mark.parametrize(
    ("first", "last", "fault"),
    [
        (0, 5, "deal number 0 is out of range"),
        (1, 2**33, "deal number 8589934592 is out of range"),
        (6, 5, "range 6-5 is empty"),
    ],
)
def test_ranges_that_are_none(first, last, fault):
    with Store.in_memory() as store, pytest.raises(InvalidNumberError, match=fault):
        batch(store, first, last)


def test_an_interrupt_keeps_the_finished_chunks(tmp_path):
    def interrupt(report):
        if report.done >= 60:
            raise KeyboardInterrupt

    path = tmp_path / "deals.db"
    with pytest.raises(KeyboardInterrupt), Store.open(path, create=True) as store:
        batch(store, chunk_size=20, on_chunk=interrupt)
    assert [file.name for file in tmp_path.iterdir()] == ["deals.db"]
    with Store.open(path, create=False) as store:
        assert store.rows(SERIES, 1, 200, "fake-1").numbers.tolist() == list(range(1, 61))
        assert batch(store).kept == 60


# Real processes that are stopped.


def start(path, last, seconds):
    return subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("batch_process.py")), path, last, seconds],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def pool_of(path):
    with Store.open(path, create=False) as store:
        return pool_bytes(build_pool(task_of(), store, Cover.of([(1, 600)])))


def test_a_batch_killed_again_and_again_ends_with_the_same_pool(tmp_path):
    path = tmp_path / "killed.db"
    moments = random.Random(7)
    done = 0
    for _ in range(4):
        process = start(str(path), "600", "0.002")
        # It goes on from where the last one was killed; committed chunks are never lost.
        kept = int(process.stdout.readline())
        assert kept >= done
        assert kept % 20 == 0
        done = kept
        for _ in range(moments.randint(1, 5)):
            done = int(process.stdout.readline())
        time.sleep(moments.random() * 0.05)
        process.kill()
        process.communicate()
        with Store.open(path, create=False, write=False) as store:
            numbers = store.rows(SERIES, 1, 600, "fake-1").numbers.tolist()
        assert len(numbers) >= done
        assert numbers == list(range(1, len(numbers) + 1))
        with pytest.raises(StoreError, match=r"the store lacks \d+ deals of 1..600"):
            pool_of(path)
    process = start(str(path), "600", "0")
    output, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    assert output.split()[-1] == "600"

    undisturbed = tmp_path / "undisturbed.db"
    with Store.open(undisturbed, create=True) as store:
        batch(store, 1, 600)
    assert pool_of(path) == pool_of(undisturbed)
    with Store.open(path, create=False) as one, Store.open(undisturbed, create=False) as other:
        assert everything(one) == everything(other)


def test_an_interrupted_process_stops_at_once_and_closes_its_store(tmp_path):
    path = tmp_path / "deals.db"
    process = start(str(path), "100000", "0.005")
    while int(process.stdout.readline()) < 40:
        pass
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert time.monotonic() - begin < 3
    assert errors.splitlines()[-1] == "KeyboardInterrupt"
    assert [file.name for file in tmp_path.iterdir()] == ["deals.db"]
    with Store.open(path, create=False, write=False) as store:
        assert len(store.rows(SERIES, 1, 100_000, "fake-1").numbers) >= 40


# Numbers beyond 64 bits.


def test_a_batch_of_numbers_beyond_64_bits_goes_on_where_it_was(monkeypatch, tmp_path):
    task = task_of(numbering=Huge(), jobs=2)
    first, last = 2**63 - 70, 2**63 + 129
    path = tmp_path / "deals.db"

    def interrupt(report):
        if report.done >= 60:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Store.open(path, create=True) as store:
        run_batch(task, store, [(first, last)], chunk_size=20, on_chunk=interrupt)
    with Store.open(path, create=True) as store:
        assert store.rows(task.series, first, last, "fake-1").numbers.tolist() == list(
            range(first, first + 60)
        )
        # The block that the store is asked for may end anywhere.
        monkeypatch.setattr("dealgen.batch._BLOCK", 64)
        report = run_batch(task, store, [(first, last)])
        assert (report.total, report.kept, report.done) == (200, 60, 200)
        rows = store.rows(task.series, first, last, "fake-1")
    game, numbering = FakeGame(), Huge()
    known = [game.facts(numbering.deck(game, n), PLAIN) for n in range(first, last + 1)]
    assert rows.numbers.tolist() == list(range(first, last + 1))
    assert (rows.verdict == Verdict.WINNABLE).tolist() == [facts.winnable for facts in known]
    assert rows.effort.tolist() == [facts.effort * facts.winnable for facts in known]


def test_results_of_numbers_beyond_64_bits_do_not_depend_on_jobs_or_chunks():
    numbers = [2**64 + 5, 3, *range(2**63 - 20, 2**63 + 20)]
    task = task_of(numbering=Huge())
    expected = joined(list(solve_numbers(task, numbers, want_lines=True, grade=True)))
    assert expected["numbers"] == numbers
    for jobs, chunk_size in ((1, 1), (3, 7)):
        task = task_of(numbering=Huge(), jobs=jobs)
        found = solve_numbers(task, numbers, want_lines=True, grade=True, chunk_size=chunk_size)
        assert joined(list(found)) == expected
