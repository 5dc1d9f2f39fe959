"""Searches and proofs against the naive oracle, and against each other."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import plot_naive as naive
from plot_cases import ALL_PROFILES, CLASSIC, PYSOL, decks_of, reduced_games, to_naive

from solvers.outcome import Limits, Verdict
from solvers.plot import (
    nodes,
    phase_one,
    phase_one_known,
    policy,
    search,
    search_state,
)
from solvers.plot.game import GAME
from solvers.plot.layout import (
    OUT,
    RANK_COUNT,
    RULE_ISOLATION,
    pack,
    pack_profile,
    unpack_moves,
)
from solvers.plot.rules import Profile, start
from solvers.plot.solver import SOLVER
from solvers.search.arena import new_arena
from solvers.search.status import LOST, OPEN, OUT_OF_NODES, WON

DEALS = 110
LIMITS = Limits(200_000, 16)


@pytest.mark.parametrize("method", GAME.methods)
def test_verdicts_and_lines_of_reduced_games_agree_with_the_oracle(method: str) -> None:
    """Every method decides them all; lines replay in the oracle; a quarter is unwinnable."""
    lost, place = 0, GAME.methods.index(method)
    for state, verdicts in reduced_games(DEALS):
        for profile, winnable in zip(ALL_PROFILES, verdicts, strict=True):
            began = start(state, profile)
            batch = SOLVER.solve_packed(
                pack(began)[None], profile, LIMITS, want_lines=True, method=place
            )
            expected = Verdict.WINNABLE if winnable else Verdict.UNWINNABLE
            assert batch.verdict[0] == expected
            lost += not winnable
            if winnable:
                texts = [str(move) for move in unpack_moves(batch.line(0))]
                assert naive.replay(to_naive(began, profile), texts)
    assert lost * 4 >= DEALS * len(ALL_PROFILES)


def new_nodes(memory_mib: int) -> NDArray[np.int64]:
    """Return an arena for searches."""
    arena = new_arena(nodes.arena_size(memory_mib))
    nodes.lay_out(arena.ctypes.data, memory_mib)
    return arena


def new_memory(capacity: int) -> NDArray[np.int64]:
    """Return the memory of the abstraction."""
    memory = new_arena(phase_one_known.memory_size(capacity))
    phase_one_known.lay_out(memory.ctypes.data, capacity)
    return memory


def _load(arena: NDArray[np.int64], packed: NDArray[np.uint8], profile: Profile) -> int:
    """Load a packed position; return the arena's address, 0 when the reserve bound is broken."""
    isolation = int(pack_profile(profile)[RULE_ISOLATION])
    address: int = arena.ctypes.data
    search_state.load_weights(address, policy.FOR_SEARCHES)
    return address if search_state.load_deal(address, packed, isolation) else 0


def _is_phase_one(packed: NDArray[np.uint8]) -> bool:
    """Tell whether the first foundation of a packed position lacks cards."""
    return bool(packed[OUT + packed[RANK_COUNT] - 1] == 0)


def _query(address: int, memory: NDArray[np.int64], threshold: int, most: int) -> int:
    """Ask the abstraction about the root at one threshold."""
    phase_one.prepare(address, memory.ctypes.data, threshold)
    answer: int = phase_one.ask(address, memory.ctypes.data, search_state.ROOT)
    return phase_one.explore(address, memory.ctypes.data, most) if answer == OPEN else answer


@pytest.mark.parametrize("order", range(5))
@pytest.mark.parametrize("pruned", [False, True])
def test_every_order_is_exact(order: int, pruned: bool) -> None:
    """Whatever the queues, with the abstraction or without, a search tells win from loss."""
    memory = new_memory(5_000)
    arena = new_nodes(4)
    for state, verdicts in reduced_games(DEALS):
        for profile, winnable in zip(ALL_PROFILES, verdicts, strict=True):
            packed = pack(start(state, profile))
            address = _load(arena, packed, profile)
            if address == 0:
                assert not winnable
                continue
            use = 0
            if pruned and _is_phase_one(packed):
                use = memory.ctypes.data
                phase_one.prepare(address, use, max(1, int(packed[RANK_COUNT]) - 2))
            search.begin(address, use, order, 0, 1, 50_000, 1_000_000)
            result = search.run(address, 1_000_000)
            assert result == (WON if winnable else LOST)


def test_abstraction_never_contradicts_the_oracle() -> None:
    """At every threshold of every reduced game, lost means lost; some losses are found."""
    memory = new_memory(5_000)
    arena = new_nodes(1)
    lost = 0
    for state, verdicts in reduced_games(DEALS, most_reserve=1):
        for profile, winnable in zip(ALL_PROFILES, verdicts, strict=True):
            packed = pack(start(state, profile))
            address = _load(arena, packed, profile)
            if address == 0 or not _is_phase_one(packed):
                continue
            for threshold in range(1, int(packed[RANK_COUNT])):
                answer = _query(address, memory, threshold, 2_000)
                assert answer in (WON, LOST)
                if answer == LOST:
                    assert not winnable
                    lost += 1
    assert lost >= 10


@pytest.mark.parametrize("profile", [CLASSIC, PYSOL])
def test_abstraction_never_contradicts_a_win(profile: Profile) -> None:
    """No threshold calls one of the first 600 winnable deals lost."""
    decks = decks_of(1, 600)
    batch = SOLVER.solve_decks(decks, profile, Limits(50_000, 16), want_lines=False)
    memory = new_memory(20_000)
    arena = new_nodes(1)
    for row, packed in enumerate(SOLVER.deal_decks(decks, profile)):
        if batch.verdict[row] != Verdict.WINNABLE:
            continue
        address = _load(arena, packed, profile)
        for threshold in (12, 11, 10, 9, 8):
            assert _query(address, memory, threshold, 500) != LOST, row + 1


@pytest.mark.parametrize("number", [441, 2183, 3308, 5108, 5694, 11464, 12706, 15105])
def test_phase_one_proofs_are_quick(number: int) -> None:
    """Deals that the reserve bound leaves open fall to a coarse threshold in few states."""
    outcome = SOLVER.solve_decks(decks_of(number, 1), CLASSIC, Limits(30_000, 16), want_lines=False)
    assert outcome.verdict[0] == Verdict.UNWINNABLE


@pytest.mark.parametrize("most", [1, 700, 10**9])
def test_questions_are_given_up_whatever_the_slices(most: int) -> None:
    """Threshold 5 proves deal 113963 lost in 22,799 states: more than one question may take."""
    arena, memory = new_nodes(4), new_memory(300_000)
    (packed,) = SOLVER.deal_decks(decks_of(113963, 1), CLASSIC)
    address = _load(arena, packed, CLASSIC)
    phase_one.prepare(address, memory.ctypes.data, 5)
    search.begin(address, memory.ctypes.data, search.BY_STOCK, 0, 1, 2_000, 30_000)
    result = OPEN
    while result == OPEN:
        result = search.run(address, most)
    # It ends by its budget, eight times which all questions may take together.
    assert result == OUT_OF_NODES
    assert search.spent(address) == 2_000 + 8 * 2_000
