"""The measurement behind the grade: reproducible, and what its definition says."""

from __future__ import annotations

import math
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from freecell_bench import first_state, run_search, search_arena
from freecell_packed import decks_of
from numpy.typing import NDArray

from solvers.freecell import effort, layout, search_state
from solvers.freecell import records as at
from solvers.freecell.effort import CAP, REPEATS
from solvers.freecell.rules import PROFILES, Profile, deal
from solvers.freecell.solver import SOLVER
from solvers.outcome import Limits
from solvers.search import status

CLASSIC = PROFILES["classic"]
MASK = (1 << 64) - 1
#: 65536 * log2(n), rounded, of 1..CAP + 1.
LOGS = [round(65536 * math.log2(number)) for number in range(1, CAP + 2)]


def mixed(value: int) -> int:
    """Return SplitMix64's finaliser, in plain integers."""
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & MASK
    return value ^ value >> 31


def deck_seed(deck: NDArray[np.uint8]) -> int:
    """Return the hash of a deck as it is specified."""
    value = len(deck)
    for card in deck.tolist():
        value = mixed((value + card + 1) * 0x9E3779B97F4A7C15 & MASK)
    return value


def signed(value: int) -> int:
    """Return 64 bits as a signed integer."""
    return value - (1 << 64) if value >> 63 else value


def node_counts(
    deck: NDArray[np.uint8], profile: Profile, searches: range, arena: NDArray[np.int64]
) -> list[int]:
    """Return the nodes of each seeded search, CAP for one that fails."""
    address, state = arena.ctypes.data, first_state(arena)
    at.set_rules(address, layout.pack_profile(profile))
    counts = []
    for index in searches:
        config = effort._CONFIG.copy()
        config[at.config_words("seed")] = signed(mixed((deck_seed(deck) + index) & MASK))
        at.set_config(address, config)
        packed = layout.pack(deal(deck.tolist(), 8, profile.cells))
        assert search_state.load_state(address, state, packed)
        found, nodes, _ = run_search(arena)
        counts.append(max(nodes, 1) if found == status.WON else CAP)
    return counts


def geometric_mean(counts: list[int]) -> int:
    """Return the mean in thousandths by the documented arithmetic: a table, then straight lines."""
    mean = sum(LOGS[count - 1] for count in counts) // len(counts)
    below = max(number for number in range(1, CAP + 1) if LOGS[number - 1] <= mean)
    low, high = LOGS[below - 1], LOGS[below]
    return 1000 * below + 1000 * (mean - low) // (high - low)


def test_the_table_of_logarithms_is_right() -> None:
    assert effort._LOG2.tolist() == LOGS


@pytest.mark.bounds
@pytest.mark.parametrize("name", ["classic", "bakers"])
def test_effort_is_the_geometric_mean_of_seeded_searches(name: str) -> None:
    arena, profile = search_arena(14, 1 << 13), PROFILES[name]
    decks = decks_of([1, 2, 169, 617, 1941, 11982, 25904, 1 << 31, (1 << 33) - 1])
    efforts = SOLVER.measure_decks(decks, profile)
    for deck, measured in zip(decks, efforts.tolist(), strict=True):
        counts = node_counts(deck, profile, range(REPEATS), arena)
        assert measured == geometric_mean(counts)
        exact = math.exp(sum(map(math.log, counts)) / len(counts))
        # A straight line between whole numbers lies above the curve, by most at the low end.
        above = math.log1p(1 / int(exact)) ** 2 / 7
        assert exact * (1 - 2e-5) - 0.001 <= measured / 1000 <= exact * (1 + above) + 0.001


def test_searches_that_never_win_count_as_the_cap() -> None:
    # 11982 is unwinnable, and without cells no search of these wins either.
    assert SOLVER.measure_decks(decks_of([11982]), CLASSIC).tolist() == [1000 * CAP]
    none = Profile("classic", cells=0)
    assert SOLVER.measure_decks(decks_of([1, 2, 3]), none).tolist() == [1000 * CAP] * 3


def test_a_deal_that_is_won_as_it_lies_counts_one_node() -> None:
    # Kings first, aces last: nothing lies over a lower card.
    deck = np.arange(51, -1, -1, dtype=np.uint8)[None]
    assert SOLVER.measure_decks(deck, CLASSIC).tolist() == [1000]


def test_chunks_order_and_other_searches_change_nothing() -> None:
    numbers = list(range(32001, 32101))
    decks = decks_of(numbers)
    efforts = SOLVER.measure_decks(decks, CLASSIC)
    assert (efforts >= 1000).all()
    assert (efforts <= 1000 * CAP).all()
    order = random.Random(1).sample(range(len(numbers)), len(numbers))
    assert SOLVER.measure_decks(decks[order], CLASSIC).tolist() == efforts[order].tolist()
    parts = []
    for first in range(0, len(numbers), 7):
        parts += SOLVER.measure_decks(decks[first : first + 7], CLASSIC).tolist()
        SOLVER.solve_decks(decks[:3], PROFILES["bakers"], Limits(2000, 16), want_lines=False)
    assert parts == efforts.tolist()
    # A new arena, with other things in it: those of another thread.
    with ThreadPoolExecutor(1) as thread:
        other = Profile("classic", cells=1, build="suit")
        thread.submit(SOLVER.measure_decks, decks[50:], other).result()
        again = thread.submit(SOLVER.measure_decks, decks, CLASSIC).result()
    assert again.tolist() == efforts.tolist()


def test_effort_depends_on_cards_cells_and_building_alone() -> None:
    decks = decks_of(range(1, 41))
    expected = SOLVER.measure_decks(decks, CLASSIC).tolist()
    for name in ("linear", "safe-auto", "max-auto"):
        assert SOLVER.measure_decks(decks, PROFILES[name]).tolist() == expected
    assert SOLVER.measure_decks(decks, PROFILES["bakers"]).tolist() != expected
    fewer = SOLVER.measure_decks(decks, Profile("classic", cells=3))
    assert fewer.sum() > sum(expected)
    # Each deck by itself.
    for deck, measured in zip(decks, expected, strict=True):
        assert SOLVER.measure_decks(deck[None], CLASSIC).tolist() == [measured]


def test_no_decks_have_no_efforts() -> None:
    assert SOLVER.measure_decks(np.empty((0, 52), np.uint8), CLASSIC).tolist() == []


def test_other_seeds_rank_deals_alike() -> None:
    decks = decks_of(range(40001, 40301))
    first, second = np.empty((2, len(decks)), np.int64)
    arena, rules = search_arena(at.QUICK_BITS, at.QUICK_STATES), layout.pack_profile(CLASSIC)
    for efforts, begin in ((first, 0), (second, REPEATS)):
        effort.measure(arena.ctypes.data, decks, rules, begin, REPEATS, efforts)
    assert first.tolist() == SOLVER.measure_decks(decks, CLASSIC).tolist()
    assert (first != second).mean() > 0.9
    assert np.corrcoef(ranks(first), ranks(second))[0, 1] > 0.9


def ranks(values: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the ranks of values, ties at their mean."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[inverse], np.float64)
