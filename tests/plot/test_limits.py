"""Limits are kept exactly, in nodes and in seconds, and change nothing but where it ends."""

from __future__ import annotations

import dataclasses
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from plot_cases import CLASSIC, PYSOL, decks_of, random_play

from solvers.outcome import BatchOutcome, Limit, Limits, Verdict
from solvers.plot import layout
from solvers.plot.game import GAME
from solvers.plot.rules import Profile
from solvers.plot.solver import SOLVER
from solvers.search import solver

#: Deals that take every kind of work: two won by searches, of 45,796 and 130,358 nodes; two proved
#: lost by the abstraction, soon and late; one won by a rollout; one lost by its reserve.
WORKED = (
    (9298, CLASSIC),
    (4541, CLASSIC),
    (441, CLASSIC),
    (113963, CLASSIC),
    (1, PYSOL),
    (501, PYSOL),
)
#: Seconds, with room for a busy machine; the whole search takes minutes, a slice milliseconds.
NOTICE_S = 5


def solve(number: int, profile: Profile, limits: Limits, method: str = "fast") -> BatchOutcome:
    """Solve one numbered deal."""
    return GAME.solve_many(decks_of(number, 1), profile, limits, want_lines=True, method=method)


@pytest.mark.parametrize(("number", "profile"), WORKED)
def test_a_limit_cuts_the_same_work_off(number: int, profile: Profile) -> None:
    """With the nodes that an answer took it is found again; with fewer it is cut off there."""
    whole = solve(number, profile, Limits(500_000, 16))
    assert whole.verdict[0] != Verdict.UNDECIDED
    needed = int(whole.nodes[0])
    rng = random.Random(number)
    fewer = {rng.randrange(1, needed) for _ in range(12)} if needed > 1 else set()
    for most in sorted({needed, needed + 1, *fewer} | ({needed - 1} if fewer else set())):
        part = solve(number, profile, Limits(most, 16))
        if most < needed:
            assert part.verdict[0] == Verdict.UNDECIDED
            assert part.limit[0] == Limit.NODES
            assert part.nodes[0] == most
        else:
            assert part.verdict[0] == whole.verdict[0]
            assert part.nodes[0] == needed
            assert (part.lines == whole.lines).all()


@pytest.mark.parametrize("method", GAME.methods)
@pytest.mark.parametrize("most", [1, 2, 16, 100, 1_000, 9_000, 10_250, 30_000])
def test_no_method_exceeds_its_nodes(method: str, most: int) -> None:
    """Hard deals and positions in mid-game: what is undecided names its limit, and keeps it."""
    rng = random.Random(most)
    packed = [*SOLVER.deal_decks(decks_of(16, 1), CLASSIC)]
    packed += [
        row for number in (4541, 9298) for row in SOLVER.deal_decks(decks_of(number, 1), PYSOL)
    ]
    packed += [layout.pack(rng.choice(random_play(n, CLASSIC, seed=n))) for n in range(1, 13)]
    for profile in (CLASSIC, PYSOL):
        batch = SOLVER.solve_packed(
            np.array(packed),
            profile,
            Limits(most, 16),
            want_lines=False,
            method=GAME.methods.index(method),
        )
        assert (batch.nodes >= 1).all()
        assert (batch.nodes <= most).all()
        undecided = batch.verdict == Verdict.UNDECIDED
        assert (batch.limit[undecided] == Limit.NODES).all()
        assert (batch.limit[~undecided] == Limit.NONE).all()


@pytest.mark.parametrize("most", [16, 100, 300])
def test_rollouts_at_the_end_of_phase_one_keep_within_the_limit(most: int) -> None:
    """Best-first searches under pysol come to that end within a few nodes; a rollout takes 200."""
    decks = decks_of(1, 200)
    batch = GAME.solve_many(decks, PYSOL, Limits(most, 16), want_lines=False, method="best-first")
    assert (batch.nodes <= most).all()
    assert (batch.nodes[batch.verdict == Verdict.UNDECIDED] == most).all()


@pytest.mark.parametrize(
    ("number", "method"), [(441, "fast"), (9298, "fast"), (38, "dfs"), (5, "best-first")]
)
def test_the_largest_limit_is_one_like_others(number: int, method: str) -> None:
    """No product with a limit overflows: the same answer as under the default."""
    usual = solve(number, CLASSIC, Limits(500_000, 16), method)
    largest = solve(number, CLASSIC, Limits(2**62 - 1, 16), method)
    assert usual.verdict[0] != Verdict.UNDECIDED
    for field in dataclasses.fields(usual):
        assert (getattr(usual, field.name) == getattr(largest, field.name)).all()


@pytest.mark.parametrize("method", GAME.methods)
def test_seconds_are_kept(method: str) -> None:
    """However much there is to search and to remember, the clock is looked at in time."""
    solve(5694, PYSOL, Limits(1_000, 1_000), method)  # compiled, and its memory allocated
    for seconds in (0.05, 0.4):
        begin = time.monotonic()
        batch = solve(5694, PYSOL, Limits(10**8, 1_000, seconds), method)
        assert time.monotonic() - begin < seconds + NOTICE_S
        assert batch.limit[0] == Limit.SECONDS


class _Interrupt(Exception):
    """What the alarm raises."""


@contextmanager
def _interrupted_after(seconds: float) -> Iterator[None]:
    """Raise _Interrupt when Python next has control after some time."""

    def interrupt(_number: int, _frame: object) -> None:
        raise _Interrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("method", GAME.methods)
def test_interrupts_are_noticed_and_leave_nothing_behind(method: str) -> None:
    """Ctrl-C ends a long search in time, and what is solved afterwards is solved as before."""
    limits = Limits(20_000, 1_000)
    before = [solve(number, PYSOL, limits, method) for number in (1, 4541, 5694)]
    for seconds in (0.03, 0.1, 0.3):
        begin = time.monotonic()
        with pytest.raises(_Interrupt), _interrupted_after(seconds):
            solve(5694, PYSOL, Limits(10**8, 1_000), method)
        assert time.monotonic() - begin < seconds + NOTICE_S
        for number, answer in zip((1, 4541, 5694), before, strict=True):
            again = solve(number, PYSOL, limits, method)
            assert again.nodes[0] == answer.nodes[0]
            assert (again.lines == answer.lines).all()


def test_a_line_of_any_length_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Depth-first lines wander: one longer than the usual room is written as a whole."""
    usual = solve(38, CLASSIC, Limits(20_000, 16), "dfs")
    assert usual.length[0] > 400
    monkeypatch.setattr(solver, "LONGEST_LINE", 10)
    short = solve(38, CLASSIC, Limits(20_000, 16), "dfs")
    assert (short.lines == usual.lines).all()
