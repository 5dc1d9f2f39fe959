"""The bookkeeping that the solvers share: what is spent, and which limit stops it."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.outcome import Limit, Limits, Verdict
from solvers.search.case import Case


class Plain(Case):
    """A case that decides nothing by itself."""

    def decide(self, method: str, *, bulk_done: bool) -> None:
        self.is_open()


def test_a_case_is_open_until_its_nodes_are_spent() -> None:
    """What was spent before counts, and the limit is named."""
    case = Plain(Limits(max_nodes=10, memory_mib=1), spent=7)
    assert case.nodes_left == 3
    assert case.is_open()
    assert case.limit is Limit.NONE
    case.nodes += 3
    assert not case.is_open()
    assert case.limit is Limit.NODES


def test_time_ends_a_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the deadline, not before."""
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    case = Plain(Limits(max_nodes=10, memory_mib=1, max_seconds=2))
    now = 101.9
    assert case.is_open()
    now = 102.0
    assert not case.is_open()
    assert case.limit is Limit.SECONDS


def test_a_verdict_closes_a_case_and_names_no_limit() -> None:
    """Even when the nodes are spent with it."""
    case = Plain(Limits(max_nodes=10, memory_mib=1), spent=10)
    case.verdict = Verdict.WINNABLE
    assert not case.is_open()
    assert case.limit is Limit.NONE


def test_a_case_keeps_its_line_when_the_search_goes_on_writing() -> None:
    """Lines are written into work space that the next search uses again."""
    case = Plain(Limits(max_nodes=10, memory_mib=1))
    space = np.array([1, 2, 3], np.uint16)
    case.won(space[:2])
    space[:] = 9
    assert case.verdict is Verdict.WINNABLE
    assert case.line.tolist() == [1, 2]
