"""The public solver: replayed lines, limits, determinism, and what depends on what."""

from __future__ import annotations

import random

import numpy as np
import pytest
from oracles import plot_naive as naive
from plot_cases import CLASSIC, PYSOL, board_text, deck_of, decks_of, random_play

from solvers import jit
from solvers.cards import SUITS
from solvers.errors import InvalidDealError, UnknownNameError
from solvers.outcome import Limit, Limits, Verdict
from solvers.play import replay
from solvers.plot import rules
from solvers.plot.game import GAME
from solvers.plot.layout import unpack_moves
from solvers.plot.rules import DRAW, Profile, deal, is_won
from solvers.plot.solver import SOLVER

LIMITS = Limits(100_000, 16)
COUNT = 500


@pytest.mark.parametrize("profile", [CLASSIC, PYSOL])
def test_lines_of_the_first_deals_replay_in_the_oracle_from_their_text(profile: Profile) -> None:
    """Deals 1..500: the oracle accepts every line from its text alone."""
    batch = SOLVER.solve_decks(decks_of(1, COUNT), profile, LIMITS, want_lines=True)
    won = np.flatnonzero(batch.verdict == Verdict.WINNABLE)
    assert len(won) > 480
    for row in won:
        game = naive.game_of(
            board_text(int(row) + 1), profile.base_isolation, profile.initial_waste
        )
        assert naive.replay(game, GAME.format_line(batch.line(row))), row + 1


def test_lines_replay_by_the_rules_and_classic_ones_under_pysol() -> None:
    """Every line of 1..200 wins by `rules.py`; without its first draw, by pysol's too."""
    batch = SOLVER.solve_decks(decks_of(1, 200), CLASSIC, LIMITS, want_lines=True)
    won = np.flatnonzero(batch.verdict == Verdict.WINNABLE)
    assert len(won) > 190
    for row in won:
        state = deal(deck_of(int(row) + 1))
        moves = list(unpack_moves(batch.line(row)))
        assert len(moves) == batch.length[row]
        assert is_won(replay(rules, state, moves, CLASSIC), CLASSIC)
        moves.remove(DRAW)
        assert is_won(replay(rules, state, moves, PYSOL), PYSOL)


def test_known_verdicts() -> None:
    """Both profiles lose the deals that die of their reserve; 441 is lost under classic alone.

    The relaxed game of test_bound decides the first; 441 falls to the phase-1 abstraction, and
    pysol's lines are replayed.
    """
    dead = decks_of(501, 1)
    for profile in (CLASSIC, PYSOL):
        assert SOLVER.solve_decks(dead, profile, LIMITS, want_lines=False).verdict[0] == 2
    loose = decks_of(441, 1)
    assert SOLVER.solve_decks(loose, CLASSIC, LIMITS, want_lines=False).verdict[0] == 2
    batch = SOLVER.solve_decks(loose, PYSOL, LIMITS, want_lines=True)
    assert batch.verdict[0] == Verdict.WINNABLE
    assert SOLVER.replay_decks(loose, PYSOL, batch.lines, batch.offsets).all()


def test_most_deals_are_winnable_and_nearly_all_are_decided() -> None:
    """1..500: the shares that are known of random deals, 99.0 % and no more than one open."""
    for profile in (CLASSIC, PYSOL):
        batch = SOLVER.solve_decks(decks_of(1, COUNT), profile, LIMITS, want_lines=False)
        assert (batch.verdict == Verdict.WINNABLE).mean() > 0.975
        assert (batch.verdict == Verdict.UNDECIDED).sum() <= 1
        assert (batch.nodes > 0).all()


@pytest.mark.parametrize("method", GAME.methods)
def test_node_limit_is_named(method: str) -> None:
    """Ten nodes decide nothing, and no verdict is made up."""
    batch = GAME.solve_many(decks_of(1, 8), CLASSIC, Limits(10, 16), want_lines=True, method=method)
    assert (batch.verdict == Verdict.UNDECIDED).all()
    assert (batch.limit == Limit.NODES).all()
    assert len(batch.lines) == 0


def test_memory_limit_never_makes_a_verdict() -> None:
    """One MiB and a deal that needs search: undecided by memory, never a loss."""
    batch = SOLVER.solve_decks(decks_of(5555, 1), CLASSIC, Limits(10_000_000, 1), want_lines=False)
    assert batch.verdict[0] == Verdict.UNDECIDED
    assert batch.limit[0] == Limit.MEMORY


def test_seconds_are_a_limit() -> None:
    """No time at all leaves every deal undecided but those that the bound decides."""
    batch = SOLVER.solve_decks(
        decks_of(500, 3), CLASSIC, Limits(10_000, 16, 1e-9), want_lines=False
    )
    assert batch.verdict.tolist() == [0, 2, 0]
    assert batch.limit.tolist() == [Limit.SECONDS, Limit.NONE, Limit.SECONDS]


def test_results_depend_on_the_deal_alone() -> None:
    """Alone or in a batch, one by one or with seconds: same verdicts, nodes and lines."""
    decks = decks_of(1, 60)
    together = SOLVER.solve_decks(decks, CLASSIC, LIMITS, want_lines=True)
    timed = SOLVER.solve_decks(decks, CLASSIC, Limits(100_000, 16, 1e6), want_lines=True)
    for row in range(len(decks)):
        alone = SOLVER.solve_decks(decks[row : row + 1], CLASSIC, LIMITS, want_lines=True)
        assert alone.nodes[0] == together.nodes[row] == timed.nodes[row]
        assert (alone.line(0) == together.line(row)).all()
        assert (timed.line(row) == together.line(row)).all()


def _other_suits(deck: np.ndarray, seed: int) -> np.ndarray:
    """Return a deck with the same ranks in the same places and other suits."""
    rng = random.Random(seed)
    left = {rank: [rank * SUITS + suit for suit in (0, 0, 1, 1, 2, 2, 3, 3)] for rank in range(13)}
    for cards in left.values():
        rng.shuffle(cards)
    return np.array([left[int(card) >> 2].pop() for card in deck], np.uint8)


def test_suits_never_matter() -> None:
    """The same ranks give the same verdict, nodes, line and effort."""
    decks = decks_of(11, 12)
    others = np.array([_other_suits(deck, seed) for seed, deck in enumerate(decks)])
    assert (decks != others).any()
    one = SOLVER.solve_decks(decks, CLASSIC, LIMITS, want_lines=True)
    other = SOLVER.solve_decks(others, CLASSIC, LIMITS, want_lines=True)
    assert (one.nodes == other.nodes).all()
    assert (one.lines == other.lines).all()
    efforts = SOLVER.measure_decks(decks, CLASSIC)
    assert (efforts == SOLVER.measure_decks(others, CLASSIC)).all()


def test_solve_takes_positions_and_replays() -> None:
    """From the middle of a won game the rest is found; a spoilt one has every fault named."""
    state = deal(deck_of(1))
    outcome = GAME.solve(state, CLASSIC, LIMITS)
    assert outcome.verdict is Verdict.WINNABLE
    half = replay(rules, state, outcome.moves[:150], CLASSIC)
    rest = GAME.solve(half, CLASSIC, LIMITS)
    assert is_won(replay(rules, half, rest.moves, CLASSIC), CLASSIC)
    with pytest.raises(InvalidDealError):
        GAME.solve(half._replace(stock=half.stock[1:]), CLASSIC, LIMITS)
    with pytest.raises(UnknownNameError, match="fast, best-first, dfs"):
        GAME.solve(state, CLASSIC, LIMITS, method="slow")


def test_hint_lists_moves_with_their_kinds() -> None:
    """A hint has the first move of a win and every legal move, foundations first."""
    state = random_play(2, CLASSIC, seed=5, most=20)[-1]
    hint = GAME.hint(state, CLASSIC, LIMITS)
    kinds = [kind for _, kind in hint.legal_moves]
    order = ["foundation", "pile", "space", "waste"]
    assert kinds == sorted(kinds, key=order.index)
    assert {text for text, _ in hint.legal_moves} == {
        GAME.format_move(move) for move in GAME.legal_moves(state, CLASSIC)
    }


def test_grader_divides_its_range_in_thirds() -> None:
    """A sample of the published range has about a third in each grade."""
    decks = decks_of(1, 600)
    won = SOLVER.solve_decks(decks, CLASSIC, LIMITS, want_lines=False).verdict == 1
    efforts = SOLVER.measure_decks(decks, CLASSIC)[won]
    easy = (efforts < GAME.grader.scales["classic"].easy_below).mean()
    hard = (efforts >= GAME.grader.scales["classic"].hard_from).mean()
    assert 0.26 < easy < 0.41
    assert 0.26 < hard < 0.41


@pytest.mark.bounds
def test_every_stage_keeps_within_its_memory() -> None:
    """Rollouts, proofs, searches with and without the abstraction, the grader: checked accesses."""
    limits = Limits(8_000, 4)
    decks = np.concatenate([decks_of(number, 1) for number in (1, 441, 4541, 9298)])
    for profile in (CLASSIC, PYSOL):
        for method in GAME.methods:
            batch = GAME.solve_many(decks, profile, limits, want_lines=True, method=method)
            assert (batch.nodes <= limits.max_nodes).all()
            assert set(batch.limit) <= {Limit.NONE, Limit.NODES, Limit.MEMORY}
        assert (GAME.measure_many(decks[:2], profile) >= 1000).all()


def test_kernels_have_one_signature() -> None:
    """A second specialisation is an accident that doubles compile time."""
    for compiled in jit.KERNELS:
        if compiled.__module__.startswith("solvers.plot"):
            assert len(compiled.signatures) <= 1, compiled.__qualname__
