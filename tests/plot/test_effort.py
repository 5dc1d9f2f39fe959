"""Effort `plot-2`: the player of the kernel is the one of the specification."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from oracles import plot_player as oracle
from plot_cases import decks_of

from solvers.plot.rules import PROFILES, Profile
from solvers.plot.solver import SOLVER

CLASSIC = PROFILES["classic"]


@pytest.mark.parametrize("isolation", ["phase1", "none", "always"])
@pytest.mark.parametrize("initial_waste", [0, 1])
def test_efforts_are_those_of_the_player_as_specified(isolation: str, initial_waste: int) -> None:
    """With an eighth of all tries, and of some deals' that need many."""
    profile = Profile("classic", isolation, initial_waste)
    decks = np.concatenate([decks_of(1, 6), decks_of(441, 1)])
    for first in (0, 70_000):
        found = SOLVER.measure_decks(decks, profile, first=first, parts=8).tolist()
        expected = [
            oracle.effort(deck, isolation, initial_waste, first, 8) for deck in decks.tolist()
        ]
        assert found == expected
    # Some play on after the tries that are always played.
    assert max(found) > 36_000 or isolation != "phase1"


def test_a_deal_that_nobody_wins_has_the_greatest_effort() -> None:
    """Deal 441 cannot be won under `classic`: 8192 tries, and the next one counts as won."""
    assert SOLVER.measure_decks(decks_of(441, 1), CLASSIC).tolist() == [8_193_000]


def test_effort_is_reliable() -> None:
    """Two halves with seeds of their own rank 1,000 deals alike."""
    decks = decks_of(5001, 1000)
    halves = [SOLVER.measure_decks(decks, CLASSIC, first=first, parts=2) for first in (0, 10**6)]
    assert (halves[0] != halves[1]).any()
    assert np.corrcoef([_ranks(half) for half in halves])[0, 1] >= 0.95


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return mean ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[inverse]


def test_efforts_depend_neither_on_order_nor_on_threads() -> None:
    decks = decks_of(1, 40)
    efforts = SOLVER.measure_decks(decks, CLASSIC, parts=8)
    order = np.random.default_rng(0).permutation(len(decks))
    assert SOLVER.measure_decks(decks[order], CLASSIC, parts=8).tolist() == efforts[order].tolist()
    with ThreadPoolExecutor(2) as threads:
        halves = list(
            threads.map(
                lambda half: SOLVER.measure_decks(half, CLASSIC, parts=8), (decks[:20], decks[20:])
            )
        )
    assert np.concatenate(halves).tolist() == efforts.tolist()


def test_other_tries_are_other_games() -> None:
    decks = decks_of(1, 30)
    efforts = SOLVER.measure_decks(decks, CLASSIC, parts=8)
    later = SOLVER.measure_decks(decks, CLASSIC, first=10**6, parts=8)
    assert (efforts != later).mean() > 0.5
    assert (SOLVER.measure_decks(decks, replace(CLASSIC, base_isolation="none"), parts=8) > 0).all()
