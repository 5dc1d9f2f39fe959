"""The compiled rules against the plain ones: each function with its twin."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from freecell_cases import ms_deal, random_play, random_profile, reduced_deal, varied_profiles, walk
from freecell_packed import SMALL_SHAPES, decks_of, random_position
from hypothesis import given
from hypothesis import strategies as st

from solvers.cards import DECK_SIZE
from solvers.errors import IllegalMoveError
from solvers.freecell import kernel, layout, rules
from solvers.freecell.layout import pack_moves, unpack_moves
from solvers.freecell.rules import Move, Profile, State
from solvers.play import perft, replay

ALL_PROFILES = [profile for cells in range(8) for profile in varied_profiles(cells)]


def kernel_moves(state: State, profile: Profile) -> list[int]:
    """Return the packed legal moves of the kernel."""
    moves = np.empty(kernel.MAX_MOVES, np.uint16)
    count = kernel.legal_moves(layout.pack(state), layout.pack_profile(profile), moves)
    return [int(move) for move in moves[:count]]


def kernel_apply(state: State, move: int, profile: Profile) -> tuple[State, int]:
    """Return the kernel's state after a legal packed move, and how many autoplay sent home."""
    packed, packed_rules = layout.pack(state), layout.pack_profile(profile)
    assert kernel.is_legal(packed, move, packed_rules)
    went = kernel.apply(packed, move, packed_rules)
    return layout.unpack(packed), int(went)


def kernel_perft(state: State, profile: Profile, depth: int) -> int:
    """Count sequences of moves with the kernel."""
    states = np.empty((depth + 1, layout.PACKED_SIZE), np.uint8)
    moves = np.empty((depth + 1, kernel.MAX_MOVES), np.uint16)
    counts = np.empty((depth + 1, 2), np.int64)
    packed_rules = layout.pack_profile(profile)
    return int(kernel.perft(layout.pack(state), packed_rules, depth, states, moves, counts))


def assert_twins(state: State, profile: Profile) -> None:
    """Assert that both rules see and do the same in a position."""
    moves = rules.legal_moves(state, profile)
    packed = kernel_moves(state, profile)
    assert packed == pack_moves(moves).tolist()
    home = sum(state.foundations)
    for move, bits in zip(moves, packed, strict=True):
        after = rules.apply(state, move, profile)
        by_autoplay = sum(after.foundations) - home - (move.target == rules.FOUNDATION)
        assert kernel_apply(state, bits, profile) == (after, by_autoplay)
    assert kernel.is_won(layout.pack(state)) == rules.is_won(state, profile)


# Moves.


@pytest.mark.parametrize("cells", range(8))
def test_moves_and_what_they_do_are_the_twins(cells: int) -> None:
    for profile in varied_profiles(cells):
        rng = random.Random(f"moves {profile}")
        for ranks, columns in (*SMALL_SHAPES[::2], (13, 8), (13, 8)):
            deal = reduced_deal(rng, ranks, columns, cells)
            for state in walk(random_play(deal, profile, rng, 60))[::12]:
                assert_twins(state, profile)


@pytest.mark.bounds
def test_perft_is_the_twins() -> None:
    for profile in ALL_PROFILES:
        rng = random.Random(f"perft {profile}")
        state = random_position(rng, profile)
        depth = 3 if len(state.columns) < 5 else 2
        for level in range(depth + 1):
            assert kernel_perft(state, profile, level) == perft(rules, state, profile, level)


def test_perft_of_a_deal() -> None:
    profile = rules.PROFILES["classic"]
    assert kernel_perft(ms_deal(1), profile, 4) == perft(rules, ms_deal(1), profile, 4)


@pytest.mark.parametrize("seed", range(4))
def test_each_of_the_65536_packed_moves_is_judged_as_by_the_rules(seed: int) -> None:
    rng = random.Random(seed)
    profile = Profile(
        "classic",
        cells=rng.randrange(1, 5),
        build=("alternate", "suit")[seed % 2],
        supermove=("power", "single", "linear", "power")[seed],
        autoplay=("none", "safe", "max", "none")[seed],
    )
    # Tidy columns give runs, empty columns give targets.
    runs = [list(range(51 - suit, -1, -4)) for suit in range(4)]
    if profile.build == "alternate":
        runs = [[card ^ (card >> 2 & 1) for card in run] for run in runs]
    for run in runs[:2]:
        del run[rng.randrange(4, 9) :]
    held = sorted(set(range(DECK_SIZE)) - {card for run in runs for card in run})
    rng.shuffle(held)
    columns = [*runs, [], held[::2], held[1::2][1:], []]
    cells = (held[1], *[rules.NO_CARD] * (profile.cells - 1))
    state = State(tuple(map(tuple, columns)), cells, (0, 0, 0, 0))
    rules.check_position(state, profile)
    assert rules.run_length(state.columns[2], profile) == 13
    packed, packed_rules = layout.pack(state), layout.pack_profile(profile)
    legal = 0
    for bits in range(1 << 16):
        count = kernel.cards_moved(packed, bits, packed_rules)
        assert kernel.is_legal(packed, bits, packed_rules) == (count > 0)
        try:
            after = rules.apply(state, unpack_moves([bits])[0], profile)
        except IllegalMoveError:
            assert count == 0
        else:
            legal += 1
            assert count == rules.cards_moved(state, unpack_moves([bits])[0], profile)
            assert kernel_apply(state, bits, profile)[0] == after
    assert legal > 30


@given(seed=st.integers(0, 2**32), bits=st.lists(st.integers(0, 0xFFFF), max_size=40))
def test_any_packed_move_in_any_position_is_judged_as_by_the_rules(
    seed: int, bits: list[int]
) -> None:
    rng = random.Random(seed)
    profile = random_profile(rng)
    state = random_position(rng, profile)
    # Also such as are nearly legal.
    near = [move ^ 1 << rng.randrange(12) for move in kernel_moves(state, profile)]
    for move in bits + near:
        count = kernel.cards_moved(layout.pack(state), move, layout.pack_profile(profile))
        try:
            after = rules.apply(state, unpack_moves([move])[0], profile)
        except IllegalMoveError:
            assert count == 0
        else:
            assert kernel_apply(state, move, profile)[0] == after


@given(seed=st.integers(0, 2**32))
def test_replay_is_the_twins(seed: int) -> None:
    rng = random.Random(seed)
    profile = random_profile(rng)
    deal = reduced_deal(rng, *rng.choice(SMALL_SHAPES), profile.cells)
    history = random_play(deal, profile, rng, 60)
    moves = [move for move, _ in history if move is not None]
    for line in (moves, moves[:-1], moves[1:], [*moves, Move(0, 1)]):
        try:
            won = rules.is_won(replay(rules, deal, line, profile), profile)
        except IllegalMoveError:
            won = False
        packed = pack_moves(line)
        assert kernel.replay(layout.pack(deal), packed, layout.pack_profile(profile)) == won


@given(seed=st.integers(0, 2**32))
def test_the_cells_are_the_profiles_whatever_the_state_was_packed_with(seed: int) -> None:
    rng = random.Random(seed)
    profile = random_profile(rng)
    other = Profile("classic", rng.randrange(8))
    state = rules.with_cells(random_position(rng, other), profile)
    assert kernel_moves(state, profile) == pack_moves(rules.legal_moves(state, profile)).tolist()
    for move in rng.sample(range(1 << 12), 200):
        count = kernel.cards_moved(layout.pack(state), move, layout.pack_profile(profile))
        try:
            expected = rules.cards_moved(state, unpack_moves([move])[0], profile)
        except IllegalMoveError:
            expected = 0
        assert count == expected


# Parts.


def test_won_means_nothing_left_in_columns_and_cells() -> None:
    for columns, cells, won in (
        (((),) * 8, (-1,) * 4, True),
        (((),) * 3, (), True),
        (((),) * 7 + ((51,),), (-1,) * 4, False),
        (((),) * 8, (-1, -1, -1, 51), False),
    ):
        state = State(columns, cells, (13, 13, 13, 12))
        assert (
            kernel.is_won(layout.pack(state))
            == rules.is_won(state, rules.PROFILES["classic"])
            == won
        )


def test_what_fits_on_what_is_the_twins() -> None:
    for build, card, below in itertools.product(("alternate", "suit"), range(52), range(52)):
        profile = Profile("classic", build=build)
        fits = kernel.fits_on(card, below, int(build == "suit"))
        assert fits == rules.fits_on(card, below, profile)


@given(seed=st.integers(0, 2**32))
def test_capacities_and_runs_are_the_twins(seed: int) -> None:
    rng = random.Random(seed)
    profile = random_profile(rng)
    state = random_position(rng, profile, 200)
    packed, packed_rules = layout.pack(state), layout.pack_profile(profile)
    for target, column in enumerate(state.columns):
        room = rules.capacity(state, profile, empty_target=not column)
        assert kernel.capacity(packed, target, packed_rules) == room
        run = kernel.run_length(packed, target, int(packed_rules[layout.RULE_SUIT_BUILD]))
        assert run == rules.run_length(column, profile)
    assert kernel.free_cells(packed, packed_rules) == state.cells.count(rules.NO_CARD)
    assert kernel.count_empty_columns(packed, -1) == state.columns.count(())


@pytest.mark.parametrize("autoplay", ["none", "safe", "max"])
def test_autoplay_on_any_position_is_the_twins(autoplay: str) -> None:
    rng = random.Random(autoplay)
    profile = Profile("classic", autoplay=autoplay)
    moved = 0
    for _ in range(80):
        # Played without autoplay, so that there is something left to do.
        state = random_position(rng, Profile("classic"), 150)
        packed = layout.pack(state)
        went = kernel.autoplay(packed, layout.pack_profile(profile))
        after = rules.autoplay(state, profile)
        assert layout.unpack(packed) == after
        assert went == sum(after.foundations) - sum(state.foundations)
        moved += went
    assert (moved > 0) == (autoplay != "none")


def test_deals_are_laid_out_as_by_the_twin() -> None:
    for cells in range(8):
        profile = Profile("classic", cells)
        decks = decks_of([1, 24, 617, 11982])
        packed = layout.empty_packed(len(decks))
        packed[:] = 77
        kernel.deal_decks(decks, layout.pack_profile(profile), packed)
        for deck, dealt in zip(decks, packed, strict=True):
            expected = rules.deal(deck.tolist(), cells=cells)
            assert layout.unpack(dealt) == expected
            assert layout.unpack(layout.pack(expected)) == expected


@given(seed=st.integers(0, 2**32))
def test_packing_loses_nothing(seed: int) -> None:
    rng = random.Random(seed)
    state = random_position(rng, random_profile(rng))
    assert layout.unpack(layout.pack(state)) == state
