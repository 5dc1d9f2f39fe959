"""The bookkeeping that the solvers share: limits, and lines that come late."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.outcome import Limit, Limits, Verdict
from solvers.search.case import Case, merge_lines


def test_a_case_is_open_until_its_nodes_are_spent() -> None:
    """What was spent before counts, and the limit is named."""
    case = Case(Limits(max_nodes=10, memory_mib=1), spent=7)
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
    case = Case(Limits(max_nodes=10, memory_mib=1, max_seconds=2))
    now = 101.9
    assert case.is_open()
    now = 102.0
    assert not case.is_open()
    assert case.limit is Limit.SECONDS


def test_a_verdict_closes_a_case_and_names_no_limit() -> None:
    """Even when the nodes are spent with it."""
    case = Case(Limits(max_nodes=10, memory_mib=1), spent=10)
    case.verdict = Verdict.WINNABLE
    assert not case.is_open()
    assert case.limit is Limit.NONE


def test_late_lines_come_into_their_places() -> None:
    """Rows keep their own lines otherwise, and room behind the last one is no line."""
    lines = np.array([1, 2, 3, 99], np.uint16)
    offsets = np.array([0, 2, 2, 3], np.int64)
    merged, ends = merge_lines(lines, offsets, {1: np.array([7, 8], np.uint16)})
    assert merged.tolist() == [1, 2, 7, 8, 3]
    assert ends.tolist() == [0, 2, 4, 5]
    same, ends = merge_lines(lines, offsets, {})
    assert same.tolist() == [1, 2, 3]
    assert ends.tolist() == offsets.tolist()
