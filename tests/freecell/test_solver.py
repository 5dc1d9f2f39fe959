"""The public solver: verdicts against outside answers, limits, and what must change nothing."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from freecell_cases import (
    REFERENCE,
    ms_deal,
    naive_options,
    naive_table,
    reduced_games,
)
from freecell_packed import cards, decks_of
from numpy.typing import NDArray
from oracles import freecell_naive as naive

from solvers.errors import InvalidDealError, SolutionRejectedError, UnknownNameError
from solvers.freecell import layout, rules, schedule
from solvers.freecell.game import GAME
from solvers.freecell.layout import unpack_moves
from solvers.freecell.rules import NO_CARD, PROFILES, Move, Profile, State
from solvers.freecell.solver import SOLVER
from solvers.outcome import BatchOutcome, Limit, Limits, Verdict
from solvers.play import replay

CLASSIC = PROFILES["classic"]
LIMITS = Limits(max_nodes=1_000_000, memory_mib=200)
SMALL = Limits(max_nodes=20_000, memory_mib=16)
#: The deals of the first million that four cells cannot win.
UNWINNABLE = (11982, 146692, 186216, 455889, 495505, 512118, 517776, 781948)
WINS, LOSES, OPEN = Verdict.WINNABLE, Verdict.UNWINNABLE, Verdict.UNDECIDED


def decide(
    numbers: list[int], profile: Profile, limits: Limits, *, method: str = "fast"
) -> BatchOutcome:
    """Decide numbered deals, with their lines."""
    return GAME.solve_many(decks_of(numbers), profile, limits, want_lines=True, method=method)


def facts(batch: BatchOutcome) -> list[tuple[int, int, int, list[int]]]:
    """Return all that is said of each deck."""
    return [
        (int(verdict), int(nodes), int(limit), batch.line(index).tolist())
        for index, (verdict, nodes, limit) in enumerate(
            zip(batch.verdict, batch.nodes, batch.limit, strict=True)
        )
    ]


def assert_consistent(batch: BatchOutcome, limits: Limits) -> None:
    """Assert what holds of every batch: limits are kept and named, lines belong to wins."""
    assert (batch.nodes <= limits.max_nodes).all()
    for index, (verdict, nodes, limit, line) in enumerate(facts(batch)):
        assert (limit == Limit.NONE) == (verdict != OPEN)
        assert len(line) == batch.length[index]
        assert (len(line) > 0) == (verdict == WINS)
        if limit == Limit.NODES:
            assert nodes == limits.max_nodes


# Answers from outside.


def test_the_unwinnable_deals_are_those_of_the_reference_list() -> None:
    listed = [
        int(line)
        for line in (REFERENCE / "freecell_unwinnable_1_to_1e7.txt").read_text().split()
        if int(line) <= 1_000_000
    ]
    assert tuple(listed) == UNWINNABLE


@pytest.mark.parametrize("name", ["classic", "safe-auto", "max-auto"])
def test_unwinnable_deals_are_proved(name: str) -> None:
    batch = decide([*UNWINNABLE, 1], PROFILES[name], LIMITS)
    assert batch.verdict.tolist() == [LOSES] * 8 + [WINS]
    assert_consistent(batch, LIMITS)


def test_more_unwinnable_deals_of_the_reference_list_are_proved() -> None:
    listed = (REFERENCE / "freecell_unwinnable_1_to_1e7.txt").read_text().split()
    numbers = random.Random(1).sample([int(line) for line in listed[8:]], 3)
    batch = decide(numbers, CLASSIC, LIMITS, method="dfs")
    assert batch.verdict.tolist() == [LOSES] * 3


@pytest.mark.parametrize("number", [1941, 98714])
def test_forced_autoplay_loses_two_deals_of_the_first_million(number: int) -> None:
    for name, verdict in (
        ("classic", WINS),
        ("linear", WINS),
        ("safe-auto", WINS),
        ("max-auto", LOSES),
    ):
        batch = decide([number], PROFILES[name], Limits(5_000_000, 400))
        assert batch.verdict.tolist() == [verdict], name


@pytest.mark.parametrize("needed", [1, 2, 3, 4])
def test_as_many_cells_as_the_reference_says_win_and_one_less_does_not(needed: int) -> None:
    text = (REFERENCE / "freecell_fewest_cells_1_to_8000.txt").read_text()
    fewest = [tuple(map(int, line.split())) for line in text.splitlines()]
    numbers = random.Random(needed).sample([deal for deal, cells in fewest if cells == needed], 15)
    limits = Limits(300_000, 64)
    enough = Counter(decide(numbers, Profile("classic", needed), limits).verdict.tolist())
    fewer = Counter(decide(numbers, Profile("classic", needed - 1), limits).verdict.tolist())
    assert enough[LOSES] == fewer[WINS] == 0
    assert enough[WINS] >= 12
    # Three cells leave more positions than these limits reach.
    assert needed == 4 or fewer[LOSES] >= 12


@pytest.mark.parametrize("name", ["classic", "safe-auto", "max-auto"])
def test_the_first_deals_are_won(name: str) -> None:
    batch = decide(list(range(1, 701)), PROFILES[name], LIMITS)
    assert batch.verdict.tolist() == [WINS] * 700
    assert_consistent(batch, LIMITS)


@pytest.mark.parametrize("method", GAME.methods)
def test_reduced_games_are_decided_as_by_the_oracle(method: str) -> None:
    for game in reduced_games():
        packed = layout.pack(rules.start(game.state, game.profile))[None]
        place = GAME.methods.index(method)
        batch = SOLVER.solve_packed(packed, game.profile, SMALL, want_lines=True, method=place)
        assert batch.verdict.tolist() == [WINS if game.explored.winnable else LOSES], game
        if game.explored.winnable:
            moves = unpack_moves(batch.line(0))
            assert rules.is_won(replay(rules, game.state, moves, game.profile), game.profile)


def test_positions_in_mid_game_are_decided_as_by_the_oracle() -> None:
    verdicts: Counter[Verdict] = Counter()
    for game in reduced_games():
        state = upper_ranks(game.state)
        explored = naive.explore(naive_table(state), naive_options(game.profile), 400)
        if explored is not None and explored.positions > 2:
            outcome = SOLVER.solve(state, game.profile, SMALL)
            assert outcome.verdict == (WINS if explored.winnable else LOSES)
            verdicts[outcome.verdict] += 1
    assert min(verdicts[WINS], verdicts[LOSES]) > 20


def upper_ranks(state: State) -> State:
    """Turn a deal of few ranks into a position of a full deck, the lower ranks home."""
    missing = 13 - sum(map(len, state.columns)) // 4
    columns = tuple(tuple(card + 4 * missing for card in column) for column in state.columns)
    return State(columns, state.cells, (missing,) * 4)


# Limits.


@pytest.mark.parametrize("method", GAME.methods)
def test_nodes_never_exceed_the_limit(method: str) -> None:
    numbers = [1, 2, 3, 617, 1941, 11982, 31465]
    for max_nodes in (1, 2, 10, 99, 600, 601, 1000, 1001, 5000, 16_500, 16_501, 40_000):
        limits = Limits(max_nodes, 16)
        batch = decide(numbers, CLASSIC, limits, method=method)
        assert_consistent(batch, limits)
        assert batch.verdict[5] != WINS
        assert set(batch.limit.tolist()) <= {Limit.NONE, Limit.NODES}


@pytest.mark.parametrize("method", GAME.methods)
def test_one_node_fewer_than_needed_leaves_a_deal_undecided(method: str) -> None:
    for number in (1, 2, 3, 4, 5, 169, 781948):
        whole = decide([number], CLASSIC, Limits(80_000, 100), method=method)
        nodes = int(whole.nodes[0])
        if whole.verdict[0] == OPEN:
            continue
        exact = decide([number], CLASSIC, Limits(nodes, 100), method=method)
        assert facts(exact) == facts(whole)
        fewer = decide([number], CLASSIC, Limits(nodes - 1, 100), method=method)
        assert facts(fewer) == [(OPEN, nodes - 1, Limit.NODES, [])]


def test_a_limit_of_seconds_is_named() -> None:
    limits = Limits(1_000_000, 16, max_seconds=1e-9)
    batch = decide([1, 2, 11982], CLASSIC, limits)
    assert batch.verdict.tolist() == [OPEN] * 3
    assert batch.limit.tolist() == [Limit.SECONDS] * 3
    assert batch.length.tolist() == [0] * 3


@pytest.mark.parametrize("name", ["classic", "max-auto"])
def test_a_limit_of_seconds_that_is_not_reached_changes_nothing(name: str) -> None:
    numbers = [*range(1, 40), 617, 781948]
    expected = facts(decide(numbers, PROFILES[name], LIMITS))
    patient = dataclasses.replace(LIMITS, max_seconds=3600.0)
    assert facts(decide(numbers, PROFILES[name], patient)) == expected


@pytest.mark.parametrize("method", GAME.methods)
def test_too_little_memory_never_turns_a_verdict_round(method: str) -> None:
    numbers = [1, 617, 11982, 146692, 455889]
    truth = [WINS, WINS, LOSES, LOSES, LOSES]
    decided = []
    for memory in (1, 2, 4, 16):
        limits = Limits(400_000, memory)
        batch = decide(numbers, CLASSIC, limits, method=method)
        assert_consistent(batch, limits)
        for verdict, limit, true in zip(batch.verdict, batch.limit, truth, strict=True):
            assert verdict in (true, OPEN)
            assert limit in (Limit.NONE, Limit.MEMORY, Limit.NODES)
        decided.append((batch.verdict[2:] == LOSES).tolist())
    # 11982 has more positions than 1 MiB holds; 16 MiB hold all of each.
    assert decided[0][0] is False
    assert decided[-1] == [True] * 3
    assert decide([11982], CLASSIC, Limits(150_000, 1), method="dfs").limit[0] == Limit.MEMORY


# What must change nothing.


def test_methods_agree_where_they_decide() -> None:
    numbers = [*range(1, 17), *UNWINNABLE[1:3]]
    limits = Limits(25_000, 100)
    by_method = [decide(numbers, CLASSIC, limits, method=method) for method in GAME.methods]
    decided = Counter[str]()
    for method, batch in zip(GAME.methods, by_method, strict=True):
        assert_consistent(batch, limits)
        decided[method] = int((batch.verdict != OPEN).sum())
    for verdicts in zip(*(batch.verdict.tolist() for batch in by_method), strict=True):
        assert len(set(verdicts) - {OPEN}) <= 1
    assert min(decided.values()) >= 5
    # They are different methods.
    assert len({tuple(batch.nodes.tolist()) for batch in by_method}) == 3


def test_what_was_solved_before_changes_nothing() -> None:
    numbers = [*range(1, 120), 617, 1941, 11982, 31465]
    expected = dict(zip(numbers, facts(decide(numbers, CLASSIC, SMALL)), strict=True))
    shuffled = random.Random(1).sample(numbers, len(numbers))
    assert facts(decide(shuffled, CLASSIC, SMALL)) == [expected[number] for number in shuffled]
    for number in shuffled[:25]:
        decide([number + 1], PROFILES["bakers"], Limits(3000, 16))
        decide([number], CLASSIC, Limits(700, 64))
        assert facts(decide([number], CLASSIC, SMALL)) == [expected[number]]


def test_threads_and_chunks_change_nothing() -> None:
    numbers = [*range(1, 400), 617, 1941, 11982]
    expected = facts(decide(numbers, CLASSIC, SMALL))
    for chunk in (1, 13, 200):
        parts = [numbers[first : first + chunk] for first in range(0, len(numbers), chunk)]
        with ThreadPoolExecutor(2) as pool:
            batches = pool.map(lambda part: decide(part, CLASSIC, SMALL), parts)
        assert [fact for batch in batches for fact in facts(batch)] == expected


def test_the_capacity_rule_changes_lines_alone() -> None:
    numbers = list(range(1, 60))
    power = decide(numbers, CLASSIC, LIMITS)
    for profile in (PROFILES["linear"], Profile("classic", supermove="single")):
        other = decide(numbers, profile, LIMITS)
        assert other.nodes.tolist() == power.nodes.tolist()
        assert other.verdict.tolist() == power.verdict.tolist()
        assert (other.length >= power.length).all()


def test_lines_that_nobody_wants_are_not_returned() -> None:
    numbers = [1, 2, 617, 11982, 5]
    wanted = decide(numbers, CLASSIC, LIMITS)
    unwanted = SOLVER.solve_decks(decks_of(numbers), CLASSIC, LIMITS, want_lines=False)
    assert unwanted.lines.tolist() == []
    assert unwanted.offsets.tolist() == [0] * 6
    for name in ("verdict", "nodes", "limit", "length"):
        assert getattr(unwanted, name).tolist() == getattr(wanted, name).tolist()


def test_short_searches_never_run_dry_for_good() -> None:
    # What is DRY in bulk would not be taken up again.
    assert not any(stage.splits for stage in schedule.QUICK_STAGES)


def test_no_decks_have_no_outcomes() -> None:
    for method in GAME.methods:
        batch = decide_none(method)
        assert len(batch.verdict) == len(batch.nodes) == len(batch.lines) == 0
        assert batch.offsets.tolist() == [0]


def decide_none(method: str) -> BatchOutcome:
    """Decide no decks."""
    decks: NDArray[np.uint8] = np.empty((0, 52), np.uint8)
    return GAME.solve_many(decks, CLASSIC, LIMITS, want_lines=True, method=method)


# One position.


@pytest.mark.parametrize("name", PROFILES)
def test_the_solution_of_one_position_is_that_of_its_batch(name: str) -> None:
    for number in range(1, 21):
        outcome = SOLVER.solve(ms_deal(number), PROFILES[name], SMALL)
        batch = decide([number], PROFILES[name], SMALL)
        assert outcome.verdict == batch.verdict[0]
        assert (outcome.nodes, outcome.limit) == (batch.nodes[0], batch.limit[0])
        assert list(outcome.moves) == list(unpack_moves(batch.line(0)))
        assert outcome.length == len(outcome.moves) == batch.length[0]
        assert (outcome.verdict is WINS) == (outcome.extras["single_card_moves"] is not None)


def test_supermoves_stand_for_the_single_moves_that_single_makes() -> None:
    single = Profile("classic", supermove="single")
    longer = 0
    for number in range(1, 61):
        outcome = SOLVER.solve(ms_deal(number), CLASSIC, LIMITS)
        split = SOLVER.solve(ms_deal(number), single, LIMITS)
        assert outcome.extras["single_card_moves"] == split.length
        assert split.extras["single_card_moves"] == split.length
        longer += split.length > outcome.length
    assert longer > 50


def test_every_position_on_the_way_to_a_win_is_won() -> None:
    for name in ("classic", "safe-auto", "max-auto"):
        profile = PROFILES[name]
        state = rules.start(ms_deal(7), profile)
        for move in SOLVER.solve(state, profile, LIMITS).moves:
            state = rules.apply(state, move, profile)
            assert SOLVER.solve(state, profile, LIMITS).verdict is WINS


def test_any_length_of_column_is_decided() -> None:
    # All in one column, aces on top: they all go home.
    deck = tuple(range(51, -1, -1))
    for profile in (CLASSIC, PROFILES["max-auto"], Profile("classic", cells=0)):
        for length in (16, 17, 52):
            rest = tuple(deck[length:][index::7] for index in range(7))
            state = State((deck[:length], *rest), (NO_CARD,) * profile.cells, (0, 0, 0, 0))
            assert SOLVER.solve(state, profile, LIMITS).verdict is WINS
    # Seven black cards of which none fits on another, and under a red king all others.
    singles = cards("KC JC 9C 7C 5C 3C KS")
    others = tuple(card for card in range(50) if card not in singles)
    stuck = State(((*others, 50), *((card,) for card in singles)), (), (0, 0, 0, 0))
    outcome = SOLVER.solve(stuck, Profile("classic", cells=0), LIMITS)
    assert (len(stuck.columns[0]), outcome.verdict) == (45, LOSES)


def test_a_won_position_is_won_in_no_moves() -> None:
    state = State(((),) * 8, (NO_CARD,) * 4, (13, 13, 13, 13))
    outcome = SOLVER.solve(state, CLASSIC, Limits(1, 1))
    assert (outcome.verdict, outcome.length, outcome.moves) == (WINS, 0, ())


def test_an_illegal_position_is_refused() -> None:
    columns = ms_deal(1).columns
    state = State((columns[0][:-1], *columns[1:]), (NO_CARD,) * 4, (0, 0, 0, 0))
    with pytest.raises(InvalidDealError, match="missing: "):
        SOLVER.solve(state, CLASSIC, LIMITS)
    with pytest.raises(InvalidDealError, match="beyond the profile's 4 cells"):
        SOLVER.solve(ms_deal(1)._replace(cells=(NO_CARD,) * 4 + (0,)), CLASSIC, LIMITS)


def test_an_unknown_method_is_refused() -> None:
    message = "unknown method for FreeCell 'astar', .*; there are: fast, best-first, dfs"
    with pytest.raises(UnknownNameError, match=message):
        GAME.solve(ms_deal(1), CLASSIC, LIMITS, method="astar")
    with pytest.raises(UnknownNameError):
        GAME.solve_many(decks_of([1]), CLASSIC, LIMITS, want_lines=True, method="")


@pytest.mark.parametrize("spoil", ["illegal", "short"])
def test_a_solution_that_fails_its_replay_is_never_handed_out(
    spoil: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoilt(packed: list[int]) -> tuple[Move, ...]:
        moves = unpack_moves(packed)
        return moves[:-1] if spoil == "short" else (Move(0, 0), *moves)

    monkeypatch.setattr(layout, "unpack_moves", spoilt)
    with pytest.raises(SolutionRejectedError, match="failed its replay"):
        SOLVER.solve(ms_deal(1), CLASSIC, LIMITS)


@pytest.mark.bounds
def test_a_handful_of_deals_under_every_profile() -> None:
    for profile in (*PROFILES.values(), Profile("classic", 2, supermove="single")):
        limits = Limits(150_000, 32)
        batch = decide([1, 2, 617, 781948], profile, limits)
        assert_consistent(batch, limits)
        for method in ("best-first", "dfs"):
            assert_consistent(decide([5, 6], profile, SMALL, method=method), SMALL)
