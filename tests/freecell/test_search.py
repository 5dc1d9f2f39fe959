"""The fast search: its states, its hash, its scores, and what it may conclude from them."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest
from freecell_bench import (
    Bench,
    arena_for,
    bench_and_deal,
    first_state,
    fits_rows,
    read_state,
    run_search,
    same_cells,
    search_arena,
)
from freecell_cases import ms_deal, random_play, reachable_positions, reduced_games, walk
from freecell_packed import tidy_position, written_line
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from solvers.cards import DECK_SIZE, rank_of
from solvers.freecell import layout, rules, schedule, score, search_state
from solvers.freecell import records as at
from solvers.freecell.rules import FIRST_CELL, FOUNDATION, NO_CARD, Move, Profile, State
from solvers.play import replay
from solvers.search import status

WON = State(((),) * 8, (NO_CARD,) * 4, (13, 13, 13, 13))


def macro_of(state: State, move: Move) -> int:
    """Return a legal move as the search packs it."""
    if move.source >= FIRST_CELL:
        cards = [state.cells[move.source - FIRST_CELL]]
    else:
        column = state.columns[move.source]
        count = max(move.count, 1)
        if move.target < FIRST_CELL and state.columns[move.target]:
            count = rank_of(state.columns[move.target][-1]) - rank_of(column[-1])
        cards = list(column[-count:])
    target = move.target
    if target >= FIRST_CELL:
        target = at.TO_HOME if target == FOUNDATION else at.TO_CELL
    return at.MOVE.pack(card=cards[0], target=target, count=len(cards))


def move_of(state: State, macro: int) -> Move:
    """Return the move of the rules that a packed macro stands for."""
    card, target, count = at.MOVE.unpack(macro).values()
    if card in state.cells:
        source = FIRST_CELL + state.cells.index(card)
    else:
        source = next(index for index, column in enumerate(state.columns) if card in column)
        assert state.columns[source][-count] == card
    if target == at.TO_HOME:
        return Move(source, FOUNDATION)
    if target == at.TO_CELL:
        return Move(source, FIRST_CELL + state.cells.index(NO_CARD))
    return Move(source, target, count if count > 1 else 0)


# States.


@pytest.mark.parametrize("seed", range(40))
def test_moves_change_a_state_into_what_it_would_be_from_scratch(seed: int) -> None:
    rng, bench, state = bench_and_deal(seed)
    state = rules.start(state, bench.profile)
    bench.load(state)
    for _ in range(60):
        moves = rules.legal_moves(state, bench.profile)
        after = [rules.apply(state, move, bench.profile) for move in moves]
        choice = [index for index, child in enumerate(after) if fits_rows(child)]
        if not choice:
            break
        index = rng.choice(choice)
        search_state.make_move(bench.address, bench.root, macro_of(state, moves[index]))
        state = after[index]
        assert bench.read() == same_cells(state)
        bench.assert_from_scratch(bench.root, state)


def test_loading_does_the_autoplay_of_the_configuration() -> None:
    for seed in range(60):
        rng, bench, deal = bench_and_deal(f"load {seed}")
        idle = Profile("classic", bench.profile.cells, bench.profile.build)
        state = random_play(deal, idle, rng, rng.randrange(80))[-1][1]
        if fits_rows(state):
            bench.load(state)
            assert bench.read() == same_cells(rules.autoplay(state, bench.profile))


def test_a_column_of_more_rows_than_there_are_is_not_loaded() -> None:
    bench = Bench(random.Random(0), Profile("classic", autoplay="max"))
    deck = list(range(DECK_SIZE - 1, -1, -1))
    for length, loaded in ((16, True), (17, False), (52, False)):
        columns = [deck[:length], *[deck[length:][index::7] for index in range(7)]]
        state = State(tuple(map(tuple, columns)), (NO_CARD,) * 4, (0, 0, 0, 0))
        assert search_state.load_state(bench.address, bench.root, layout.pack(state)) == loaded


# The hash.


@given(seed=st.integers(0, 2**32))
def test_the_order_of_columns_and_cells_changes_no_hash(seed: int) -> None:
    rng, bench, deal = bench_and_deal(seed)
    state = random_play(deal, bench.profile, rng, rng.randrange(60))[-1][1]
    if not fits_rows(state):
        return
    columns, cells = list(state.columns), list(state.cells)
    rng.shuffle(columns)
    rng.shuffle(cells)
    bench.load(state)
    bench.load(State(tuple(columns), tuple(cells), state.foundations), bench.spare)
    for name in ("hash", "tops", "runs", "singles", "held", "sums"):
        assert bench.field(name, bench.root) == bench.field(name, bench.spare)
    # The score is of the same position, but for what is a matter of the hash.
    first, second = (score.score_of(bench.address, where) for where in (bench.root, bench.spare))
    assert first == second


def test_different_positions_have_different_hashes() -> None:
    different = 0
    for game in [game for game in reduced_games() if game.profile.autoplay == "max"][::2]:
        # What lies on a card that it does not fit on has lain there since the deal: only
        # positions of one deal have to differ.
        hashes: dict[int, State] = {}
        bench = Bench(random.Random(0), game.profile)
        for state in reachable(game.state, game.profile):
            bench.load(state)
            key = State(tuple(sorted(state.columns)), tuple(sorted(state.cells)), state.foundations)
            # Small decks: what is at home is part of the position, not of the hash.
            known = hashes.setdefault(bench.field("hash", bench.root), key)
            assert sorted(filter(None, known.columns)) == sorted(filter(None, key.columns))
            assert held(known) == held(key)
        different += len(hashes)
    assert different > 500


def held(state: State) -> set[int]:
    """Return the cards in cells."""
    return set(state.cells) - {NO_CARD}


def reachable(state: State, profile: Profile) -> set[State]:
    """Return every position that can be reached."""
    first = rules.start(state, profile)
    seen, waiting = {first}, [first]
    while waiting:
        state = waiting.pop()
        for move in rules.legal_moves(state, profile):
            after = rules.apply(state, move, profile)
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return seen


# Children and scores.


@pytest.mark.bounds
def test_children_are_those_of_the_rules_with_the_scores_that_they_have_when_made() -> None:
    compared = 0
    for seed in range(60):
        rng, bench, deal = bench_and_deal(f"children {seed}")
        states = walk(random_play(deal, bench.profile, rng, 60))[::3]
        # Tidy columns, for long runs; more out of place than the search takes for won.
        tidy = [tidy_position(rng, bench.profile.cells, rng.randrange(6, 16)) for _ in range(20)]
        if len(deal.columns) == 8:
            states += [rules.start(state, bench.profile) for state in tidy]
        for state in filter(fits_rows, states):
            compared += compare_children(bench, state)
    assert compared > 3000


def compare_children(bench: Bench, state: State) -> int:
    """Compare the queued children of a position; return how many scores were compared."""
    bench.load(state)
    found, nodes, _ = run_search(bench.arena)
    assert nodes == (0 if score.is_sorted(bench.address, bench.root) else 1)
    assert nodes == 1 or found == status.WON
    upcoming = bench.field("next", bench.root)
    compared = 0
    for queued in bench.queue():
        where, macro = bench.child(queued)
        move = move_of(bench.read(0), macro)
        after = rules.apply(bench.read(0), move, bench.profile)
        assert read_state(bench.arena, where, bench.profile.cells) == same_cells(after)
        whole = score.score_of(bench.address, where)
        if queued.move == 0 or not moves_a_next_card(bench, macro, upcoming):
            assert queued.score == min(max(whole, 0), at.BUCKETS - 1)
            compared += 1
        if where != bench.spare:
            bench.assert_from_scratch(where, after)
    return compared


def moves_a_next_card(bench: Bench, macro: int, upcoming: int) -> bool:
    """Tell whether a next-needed card is among those that a macro moves.

    What covers such a card moves with it, and the score of a child that is not made counts
    it as left behind: a known approximation.
    """
    card, _, count = at.MOVE.unpack(macro).values()
    state = bench.read(0)
    for column in state.columns:
        if card in column:
            return any(upcoming >> moved & 1 for moved in column[-count:])
    return False


@pytest.mark.parametrize(
    ("number", "autoplay", "positions"),
    [case for case in reachable_positions() if case[1] != "none" and case[2] < 100_000],
)
def test_a_search_that_splits_runs_comes_to_every_position(
    number: int, autoplay: str, positions: int
) -> None:
    arena = arena_for(20, 1 << 18, 1 << 17)
    address = arena.ctypes.data
    at.set_rules(address, layout.pack_profile(Profile("classic")))
    plays = {"safe": layout.SAFE, "max": layout.MAX}[autoplay]
    counts = []
    for splits in (False, True):
        stage = dataclasses.replace(
            schedule.QUICK_STAGES[0], budget=1 << 20, autoplay=plays, splits=splits
        )
        at.set_config(address, schedule.configure(stage))
        assert search_state.load_state(address, first_state(arena), layout.pack(ms_deal(number)))
        found, nodes, _ = run_search(arena)
        assert found == status.DRY
        counts.append(nodes)
    # Without, it leaves some out: that is why running dry proves nothing.
    assert counts[0] < counts[1] == positions


# What may be concluded.


def bad_cards(state: State) -> int:
    """Count the cards that lie over a lower one."""
    return sum(
        any(rank_of(below) < rank_of(card) for below in column[:index])
        for column in state.columns
        for index, card in enumerate(column)
    )


@pytest.mark.parametrize("autoplay", ["safe", "max"])
@pytest.mark.parametrize("build", ["alternate", "suit"])
def test_a_sorted_position_is_finished_under_every_profile(build: str, autoplay: str) -> None:
    rng = random.Random(f"{build} {autoplay}")
    finished = 0
    for _ in range(300):
        profile = Profile("classic", rng.randrange(8), build, "power", autoplay)
        bench = Bench(rng, profile)
        state = tidy_position(rng, profile.cells, rng.randrange(8))
        if not fits_rows(state):
            continue
        # By suit the search sends home all that fits.
        forced = Profile("classic", profile.cells, build, "power", "max")
        began = rules.start(state, forced if build == "suit" else profile)
        bench.load(began)
        places = began.cells.count(NO_CARD) + began.columns.count(())
        is_sorted = score.is_sorted(bench.address, bench.root)
        assert is_sorted == (bad_cards(began) <= places)
        if not is_sorted:
            continue
        finished += 1
        supermove = rng.choice(("power", "linear", "single"))
        for plays in ("none", "safe", "max")[: 3 if autoplay == "max" else 2]:
            wanted = Profile("classic", profile.cells, build, supermove, plays)
            assert_finishes(state, wanted, autoplay)
    assert finished > 60


def assert_finishes(state: State, profile: Profile, autoplay: str) -> None:
    """Assert that a sorted position's line is written and that the plain rules accept it."""
    searched = {"safe": layout.SAFE, "max": layout.MAX}[autoplay]
    moves = written_line(state, (), searched, profile)
    assert moves is not None
    assert rules.is_won(replay(rules, state, moves, profile), profile)


def solve(arena: NDArray[np.int64], number: int, budget: int) -> tuple[int, int, int]:
    """Search a numbered deal once by the first weights."""
    address = arena.ctypes.data
    at.set_rules(address, layout.pack_profile(Profile("classic")))
    stage = dataclasses.replace(schedule.QUICK_STAGES[0], budget=budget)
    at.set_config(address, schedule.configure(stage))
    assert search_state.load_state(address, first_state(arena), layout.pack(ms_deal(number)))
    return run_search(arena)


def test_a_search_keeps_exactly_to_its_budget() -> None:
    arena = search_arena()
    found, needed, _ = solve(arena, 1, 1000)
    assert found == status.WON
    for budget in (1, 2, needed - 1):
        assert solve(arena, 1, budget) == (status.OUT_OF_NODES, budget, 0)
    assert solve(arena, 1, needed)[:2] == (status.WON, needed)


def test_a_full_pool_ends_a_search_without_a_verdict() -> None:
    _, needed, won = solve(search_arena(), 1, 1000)
    for states in (1, 2, 5, needed // 2):
        found, nodes, _ = solve(search_arena(states=states), 1, 1000)
        assert found == status.OUT_OF_MEMORY
        assert nodes <= min(needed, states)
    few_nodes = arena_for(12, 5, 1 << 10)
    assert solve(few_nodes, 1, 1000)[0] == status.OUT_OF_MEMORY
    assert solve(search_arena(states=won + 1), 1, 1000)[0] == status.WON


def test_a_visited_table_that_overflows_ends_too() -> None:
    arena = search_arena(table_bits=4)
    found, nodes, _ = solve(arena, 1, 900)
    assert found in (status.WON, status.OUT_OF_NODES)
    assert nodes <= 900


def test_earlier_searches_in_the_same_arena_change_nothing() -> None:
    numbers = list(range(1, 9))
    expected = [solve(search_arena(), number, 300) for number in numbers]
    arena = search_arena()
    rng = random.Random(1)
    for _ in range(40):
        number = rng.choice(numbers)
        assert solve(arena, number, 300) == expected[number - 1]
        solve(arena, rng.randrange(100, 200), rng.randrange(300))


def test_a_visited_table_that_comes_round_holds_nothing_of_its_last_round() -> None:
    numbers = list(range(1, 9))
    arena = search_arena()
    first = [solve(arena, number, 300) for number in numbers]
    # Entries carry twelve bits of a count of searches, of which 0 is none.
    search_state.load_state(arena.ctypes.data, first_state(arena), layout.pack(WON))
    for _ in range(4095 - len(numbers)):
        assert run_search(arena) == (status.WON, 0, 0)
    assert [solve(arena, number, 300) for number in numbers] == first
