"""The kernel twin: perft, legality, dealing and replay as the plain rules have them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from plot_cases import ALL_PROFILES, CLASSIC, PYSOL, deck_of, random_play, reduced_games

from solvers import play
from solvers.errors import IllegalMoveError
from solvers.outcome import Limits
from solvers.plot import kernel, rules
from solvers.plot.layout import (
    BOTTOMS,
    LENGTHS,
    OUT,
    PACKED_SIZE,
    RESERVE_LEFT,
    RESERVES,
    STOCK,
    STOCK_END,
    WASTE,
    WASTE_LEFT,
    pack,
    pack_moves,
    pack_profile,
    unpack_moves,
)
from solvers.plot.rules import Move, Profile, State, apply, deal, is_won, legal_moves, start
from solvers.plot.solver import SOLVER


def kernel_perft(state: State, profile: Profile, depth: int) -> int:
    """Count the move sequences by the kernel."""
    moves = np.empty((depth, kernel.MAX_MOVES), np.uint16)
    count: int = kernel.perft(pack(state), pack_profile(profile), depth, moves)
    return count


@pytest.mark.parametrize("profile", ALL_PROFILES)
def test_perft_twins_on_random_positions(profile: Profile) -> None:
    """Rules and kernel count the same sequences of three moves from 60 positions."""
    rng = random.Random(1)
    for number in range(1, 61):
        state = rng.choice(random_play(number, profile, seed=number))
        assert kernel_perft(state, profile, 3) == play.perft(rules, state, profile, 3), number


def test_perft_twins_on_reduced_games() -> None:
    """Fewer ranks, piles and reserve cards, five moves deep."""
    for state, _ in reduced_games(40):
        for profile in ALL_PROFILES:
            began = start(state, profile)
            assert kernel_perft(began, profile, 5) == play.perft(rules, began, profile, 5)


@pytest.mark.parametrize("profile", ALL_PROFILES)
def test_moves_and_undo(profile: Profile) -> None:
    """The same moves in some order; applied they give the packed state; undone, nothing is left."""
    for state in random_play(3, profile, seed=3)[::5]:
        packed = pack(state)
        moves = np.empty(kernel.MAX_MOVES, np.uint16)
        count = kernel.legal_moves(packed, pack_profile(profile), moves)
        assert sorted(unpack_moves(moves[:count])) == sorted(legal_moves(state, profile))
        for move in unpack_moves(moves[:count]):
            code = int(pack_moves([move])[0])
            before = packed.copy()
            rank = kernel.apply(packed, code)
            after = pack(apply(state, move, profile))
            for first, last in ((OUT, OUT + 13), (LENGTHS, LENGTHS + 12), (RESERVE_LEFT, 5)):
                assert (packed[first:last] == after[first:last]).all()
            left = int(after[WASTE_LEFT])
            assert (packed[WASTE : WASTE + left] == after[WASTE : WASTE + left]).all()
            used = after[LENGTHS : LENGTHS + 12] > 0
            assert (packed[BOTTOMS : BOTTOMS + 12] == after[BOTTOMS : BOTTOMS + 12])[used].all()
            kernel.undo(packed, code, rank)
            spaces = before[LENGTHS : LENGTHS + 12] == 0
            packed[BOTTOMS : BOTTOMS + 12][spaces] = before[BOTTOMS : BOTTOMS + 12][spaces]
            assert (packed[:WASTE] == before[:WASTE]).all()


def test_deal_twin() -> None:
    """The kernel deals what `rules.deal` and `rules.start` lay out."""
    for number in (1, 2, 617, 31999, 2**31, 2**33 - 1):
        deck = np.array(deck_of(number), np.uint8)
        for profile in (CLASSIC, PYSOL):
            dealt = np.empty(PACKED_SIZE, np.uint8)
            kernel.deal(deck, pack_profile(profile), dealt)
            plain = pack(start(deal(deck_of(number)), profile))
            assert (dealt[RESERVES : RESERVES + 13] == plain[RESERVES : RESERVES + 13]).all()
            assert (dealt[BOTTOMS:RESERVES] == plain[BOTTOMS:RESERVES]).all()
            drawn = profile.initial_waste
            assert (dealt[STOCK + drawn : STOCK + 78] == plain[STOCK : STOCK + 78 - drawn]).all()
            assert int(dealt[STOCK_END]) == 78
            assert (dealt[WASTE : WASTE + drawn] == plain[WASTE : WASTE + drawn]).all()


@given(arrays.arrays(np.uint16, st.integers(0, 40)), st.integers(1, 50))
def test_any_line_is_a_safe_input(line: np.ndarray, number: int) -> None:
    """Replay stops before the first illegal move, as the plain rules do."""
    for profile in (CLASSIC, PYSOL):
        state = start(deal(deck_of(number)), profile)
        played = kernel.replay(pack(state), line, pack_profile(profile))
        for move in unpack_moves(line[:played]):
            state = apply(state, move, profile)
        if played < len(line):
            following = unpack_moves(line[played : played + 1])[0]
            assert following not in legal_moves(state, profile)
        assert not is_won(state, profile)


@pytest.mark.parametrize("profile", ALL_PROFILES)
def test_is_legal_twin_on_any_number(profile: Profile) -> None:
    """Every packed move, and numbers around them: legal where the plain rules accept the move."""
    for number in (1, 2, 3):
        for state in random_play(number, profile, seed=number)[::20]:
            packed = pack(state)
            for code in range(-3, 700):
                move = Move(code & 15, code >> 4)
                try:
                    apply(state, move, profile)
                    accepted = True
                except IllegalMoveError:
                    accepted = False
                assert kernel.is_legal(packed, code, pack_profile(profile)) == accepted, code


def test_lines_that_win_and_lines_that_do_not() -> None:
    """A winning line wins; cut short, begun late or with a move to spare it does not."""
    deck = np.array([deck_of(1)], np.uint8)
    line = SOLVER.solve_decks(deck, CLASSIC, Limits(10_000, 16), want_lines=True).lines
    lines = [line, line[:-1], line[1:], np.append(line, line[-1:]), line[:0]]
    decks = np.repeat(deck, len(lines), axis=0)
    offsets = np.cumsum([0, *map(len, lines)])
    won = SOLVER.replay_decks(decks, CLASSIC, np.concatenate(lines), offsets)
    assert won.tolist() == [True, False, False, False, False]
