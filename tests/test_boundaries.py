"""Arrays, limits and moves from outside: what no kernel checks is checked once, and named."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from game_cases import deal_of, solved

from dealgen.numbering import numbering_of
from solvers import games
from solvers.errors import (
    IllegalMoveError,
    InvalidArrayError,
    InvalidNumberError,
    NotationError,
    UnknownNameError,
)
from solvers.games import AnyGame
from solvers.jit import KERNELS
from solvers.outcome import Limits, Verdict

LIMITS = Limits(2_000, 16)


def decks_of(game: AnyGame, count: int = 3) -> np.ndarray:
    """Return the decks of the first numbers."""
    return numbering_of("ms").decks(game, np.arange(1, count + 1))


#: Every function that takes decks, given decks that may be wrong.
CALLS: dict[str, Callable[[AnyGame, Any], Any]] = {
    "solve_many": lambda game, decks: game.solve_many(
        decks, profile(game), LIMITS, want_lines=True
    ),
    "measure_many": lambda game, decks: game.measure_many(decks, profile(game)),
    "par_many": lambda game, decks: (
        game.par_many(decks, profile(game), LIMITS)
        if game.optimal_method
        else game.short_many(decks, profile(game), LIMITS, 0)
    ),
    "replay_many": lambda game, decks: game.replay_many(
        decks, profile(game), np.empty(0, np.uint16), np.zeros(len(decks) + 1, np.int64)
    ),
}


def profile(game: AnyGame) -> Any:
    return game.profiles[game.default_profile]


def _no_row(decks: np.ndarray) -> list[tuple[Any, int | None]]:
    """Return wrong arrays made from right ones, and the row that each error should name."""
    repeated, foreign, swapped = decks.copy(), decks.astype(np.int64), decks.astype(np.int64)
    repeated[1, 0] = repeated[1, 1]
    foreign[2, -1] = 52
    swapped[0, 0] -= 256  # would be the right card once cut to a byte
    return [
        (decks[:, :40], None),
        (np.hstack([decks, decks]), None),
        (decks[0], None),
        (decks.astype(float), None),
        (decks.astype(str), None),
        (decks[:, :, None], None),
        (repeated, 1),
        (foreign, 2),
        (swapped, 0),
        (np.full_like(decks, 255), 0),
    ]


@pytest.mark.parametrize("name", games.NAMES)
@pytest.mark.parametrize("call", CALLS)
def test_arrays_that_are_not_decks_are_refused(name: str, call: str) -> None:
    """Never answered, never a crash; the first bad row is named."""
    game = games.load(name)
    for wrong, row in _no_row(decks_of(game)):
        with pytest.raises(InvalidArrayError) as caught:
            CALLS[call](game, wrong)
        assert caught.value.row == row
        assert row is None or f"row {row} is not a deck" in str(caught.value)


@pytest.mark.parametrize("name", games.NAMES)
def test_any_array_of_decks_gives_the_same_answers_and_compiles_nothing_new(name: str) -> None:
    """Other integer types, byte orders and memory layouts, and arrays that may not be written."""
    game = games.load(name)
    decks = decks_of(game)
    frozen = decks.copy()
    frozen.flags.writeable = False
    expected = CALLS["solve_many"](game, decks)
    efforts = CALLS["measure_many"](game, decks)
    before = {kernel: len(kernel.signatures) for kernel in KERNELS}
    kinds = (
        decks.astype(np.int64),
        decks.astype(">u4"),
        np.asfortranarray(decks),
        np.repeat(decks, 2, axis=0)[::2],
        frozen,
    )
    for kind in kinds:
        found = CALLS["solve_many"](game, kind)
        assert found.verdict.tolist() == expected.verdict.tolist()
        assert found.nodes.tolist() == expected.nodes.tolist()
        assert CALLS["measure_many"](game, kind).tolist() == efforts.tolist()
    assert {kernel: len(kernel.signatures) for kernel in KERNELS} == before
    assert len(game.solve_many(decks[:0], profile(game), LIMITS, want_lines=True).verdict) == 0


@pytest.mark.parametrize("name", games.NAMES)
def test_lines_and_offsets_that_do_not_fit_are_refused(name: str) -> None:
    """Offsets that leave the lines would have kernels read what is not theirs."""
    game = games.load(name)
    decks, lines = decks_of(game), np.zeros(5, np.uint16)
    for offsets in ([0, 1, 2], [0, 1, 2, 6], [0, 3, 2, 5], [-1, 0, 1, 2], [[0, 1, 2, 3]]):
        with pytest.raises(InvalidArrayError, match="offset"):
            game.replay_many(decks, profile(game), lines, np.array(offsets))
    for wrong in (np.zeros(5), np.array([1 << 16] * 5), np.array([-1] * 5), np.zeros((5, 1), int)):
        with pytest.raises(InvalidArrayError, match="lines"):
            game.replay_many(decks, profile(game), wrong, np.array([0, 1, 2, 5]))


@pytest.mark.parametrize("name", games.NAMES)
def test_solutions_replay_through_the_checked_boundary(name: str) -> None:
    """As int64, too; and a line cut short does not win."""
    game = games.load(name)
    decks = decks_of(game)
    batch = game.solve_many(decks, profile(game), game.default_limits, want_lines=True)
    won = batch.verdict == Verdict.WINNABLE
    assert won.any()
    for kind in (np.uint16, np.int64):
        wins = game.replay_many(decks, profile(game), batch.lines.astype(kind), batch.offsets)
        assert wins.tolist() == won.tolist()
    short = game.replay_many(
        decks[won][:1], profile(game), batch.line(int(won.argmax()))[:-1], np.array([0, 0])
    )
    assert not short.any()


@pytest.mark.parametrize(
    "arguments",
    [
        (0, 16),
        (1000, 0),
        (-1, 16),
        (1e5, 16),
        (1000, 16.0),
        (True, True),
        (2**62, 16),
        ("1000", 16),
        (None, 16),
        (1000, 16, 0),
        (1000, 16, -1.0),
        (1000, 16, math.nan),
        (1000, 16, True),
        (1000, 16, "2"),
    ],
)
def test_limits_that_no_search_could_keep_are_refused(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidNumberError, match="valid is"):
        Limits(*arguments)


def test_whole_numbers_of_any_kind_are_limits() -> None:
    assert Limits(np.int64(5), np.uint8(3), np.float32(1.5)).max_nodes == 5
    assert Limits(5, 3, math.inf).max_seconds == math.inf


@pytest.mark.parametrize("name", games.NAMES)
def test_moves_as_text_are_moves(name: str) -> None:
    """Replayed, applied and followed by hints; what is not a move says so."""
    game = games.load(name)
    rules = profile(game)
    number = next(n for n in range(1, 9) if solved(name, game.default_profile, n).moves)
    moves = solved(name, game.default_profile, number).moves
    texts = [game.format_move(move) for move in moves]
    assert texts == [str(move) for move in moves]
    deal = deal_of(game, number)
    assert game.is_won(game.replay(deal, texts, rules), rules)
    assert game.replay(deal, texts[:3], rules) == game.replay(deal, moves[:3], rules)
    assert game.apply(game.start(deal, rules), texts[0], rules) == game.replay(
        deal, moves[:1], rules
    )
    assert game.hint(deal, rules, LIMITS, line=texts).outcome.moves == moves
    with pytest.raises(NotationError, match=r"not a (move|card)"):
        game.replay(deal, [*texts[:2], "nonsense"], rules)
    with pytest.raises(IllegalMoveError) as caught:
        game.replay(deal, [*texts[:2], *texts[:2] * 60], rules)
    assert caught.value.ply > 2


@pytest.mark.parametrize("name", games.NAMES)
def test_moves_of_any_numbers_are_refused_in_words(name: str) -> None:
    """Values that no text stands for, from a foreign program or a damaged file."""
    game = games.load(name)
    rules = profile(game)
    state = game.start(deal_of(game, 2), rules)
    kind = type(game.legal_moves(state, rules)[0])
    size = len(kind._fields)
    rng = random.Random(name)
    extremes = (-1, -2, 0, 1, 12, 15, 16, 51, 52, 53, 54, 60, 63, 64, 255, 2**31, -(2**63))
    listed = set(game.legal_moves(state, rules))
    refused = set()
    for _ in range(3000):
        move = kind(*rng.choices(extremes, k=size))
        try:
            game.apply(state, move, rules)
        except IllegalMoveError as error:
            refused.add((move, error.reason))
    assert len(refused) > 100
    assert all(reason and move not in listed for move, reason in refused)


@pytest.mark.parametrize("name", games.NAMES)
def test_a_method_that_a_game_lacks_is_refused_with_those_that_it_has(name: str) -> None:
    game = games.load(name)
    state, rules = deal_of(game, 1), profile(game)
    for method in ("", "Fast", "no-such"):
        with pytest.raises(UnknownNameError) as caught:
            game.solve(state, rules, LIMITS, method=method)
        assert caught.value.valid == game.methods
        with pytest.raises(UnknownNameError):
            game.solve_many(decks_of(game), rules, LIMITS, want_lines=False, method=method)
    assert (game.optimal_method is None) == (not game.offers_optimal(rules))
    if game.optimal_method is None:
        with pytest.raises(UnknownNameError):
            game.solve(state, rules, LIMITS, optimal=True)
    else:
        assert game.optimal_method in game.methods
