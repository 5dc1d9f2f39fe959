"""Effort `freecell-2`: the player of the kernel is the one of the specification."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from freecell_packed import decks_of
from oracles import freecell_player as oracle

from solvers.freecell.rules import PROFILES, Profile
from solvers.freecell.solver import SOLVER

CLASSIC = PROFILES["classic"]
#: Deals that players call hard, and deals that they call easy.
HARD = (169, 178, 285, 454, 575, 598, 617, 657, 718, 775, 829, 988, 1941, 5087, 8820, 11854)
EASY = (164, 1187, 3148, 9998, 10913, 14820, 15196, 24176, 27251)


@pytest.mark.parametrize("cells", [0, 2, 3, 4, 7])
@pytest.mark.parametrize("build", ["alternate", "suit"])
def test_efforts_are_those_of_the_player_as_specified(cells: int, build: str) -> None:
    """Few tries each: with one cell or none, nearly all are lost, and go on wildly."""
    profile, decks = Profile("classic", cells, build), decks_of([1, 2, 617, 1000000])
    for first, parts in ((0, 24), (10**6, 48)):
        found = SOLVER.measure_decks(decks, profile, first=first, parts=parts).tolist()
        assert found == [
            oracle.effort(deck, cells, build == "suit", first=first, parts=parts)
            for deck in decks.tolist()
        ]


def test_a_deal_that_is_not_won_is_tried_wildly() -> None:
    """Deal 657: no win in 48 tries, and the next wins are waited for."""
    decks = decks_of([657])
    (found,) = SOLVER.measure_decks(decks, CLASSIC, parts=2).tolist()
    assert found == oracle.effort(decks[0].tolist(), 4, False, first=0, parts=2) > 48_000


def test_deals_that_players_call_hard_are_harder_than_those_that_they_call_easy() -> None:
    hard, easy = (SOLVER.measure_decks(decks_of(deals), CLASSIC) for deals in (HARD, EASY))
    above = (hard[:, None] > easy[None, :]) + 0.5 * (hard[:, None] == easy[None, :])
    assert above.mean() >= 0.97


def test_efforts_depend_on_cells_and_building_alone() -> None:
    decks = decks_of(range(1, 21))
    efforts = SOLVER.measure_decks(decks, CLASSIC, parts=4)
    for options in ({"supermove": "single"}, {"supermove": "linear", "autoplay": "max"}):
        other = replace(CLASSIC, **options)
        assert SOLVER.measure_decks(decks, other, parts=4).tolist() == efforts.tolist()
    fewer = SOLVER.measure_decks(decks, replace(CLASSIC, cells=3), parts=4)
    assert (fewer >= efforts).mean() > 0.9


def test_efforts_depend_neither_on_order_nor_on_threads() -> None:
    decks = decks_of(range(1, 41))
    efforts = SOLVER.measure_decks(decks, CLASSIC, parts=4)
    order = np.random.default_rng(0).permutation(len(decks))
    assert SOLVER.measure_decks(decks[order], CLASSIC, parts=4).tolist() == efforts[order].tolist()
    with ThreadPoolExecutor(2) as threads:
        calls = [
            threads.submit(SOLVER.measure_decks, half, CLASSIC, parts=4)
            for half in (decks[:20], decks[20:])
        ]
        halves = [call.result() for call in calls]
    assert np.concatenate(halves).tolist() == efforts.tolist()


def test_a_sorted_deal_takes_one_try() -> None:
    """Kings first: no card lies over a lower one, so that every try wins."""
    deck = np.arange(51, -1, -1, dtype=np.uint8)[None]
    assert SOLVER.measure_decks(deck, CLASSIC).tolist() == [1000]


def test_effort_is_reliable() -> None:
    """Two halves with seeds of their own rank 1,000 deals alike."""
    decks = decks_of(range(32001, 33001))
    halves = [SOLVER.measure_decks(decks, CLASSIC, first=first, parts=2) for first in (0, 10**6)]
    assert (halves[0] != halves[1]).any()
    assert np.corrcoef([_ranks(half) for half in halves])[0, 1] >= 0.95


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return mean ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[inverse]
