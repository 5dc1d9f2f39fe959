"""Hints of all games, followed to the end."""

from __future__ import annotations

import random

import pytest
from game_cases import deal_of, solved

from solvers import games
from solvers.outcome import Limits, Verdict

WINS = Verdict.WINNABLE
#: Deals of each game that are won by their hints.
DEALS = 200


def winnable(name: str, count: int) -> list[int]:
    """Return the first numbers of winnable deals under the default profile."""
    profile = games.load(name).default_profile
    numbers = (n for n in range(1, 2 * count) if solved(name, profile, n).verdict is WINS)
    return [number for number, _ in zip(numbers, range(count), strict=False)]


@pytest.mark.parametrize("name", games.NAMES)
def test_hints_followed_to_the_end_win(name: str) -> None:
    """A player who asks now and then, and follows each hint for up to forty moves."""
    game = games.load(name)
    profile, rng = game.profiles[game.default_profile], random.Random(name)
    numbers = winnable(name, DEALS)
    assert len(numbers) == DEALS
    for number in numbers:
        state = game.start(deal_of(game, number), profile)
        asked = 0
        while not game.is_won(state, profile):
            hint = game.hint(state, profile, game.default_limits)
            assert hint.verdict is WINS
            assert hint.legal_moves
            for move in hint.outcome.moves[: rng.randint(1, 40)]:
                state = game.apply(state, move, profile)
            asked += 1
            assert asked < 300, number


@pytest.mark.parametrize("name", games.NAMES)
def test_asking_after_each_move_wins_too(name: str) -> None:
    game = games.load(name)
    profile = game.profiles[game.default_profile]
    for number in winnable(name, 5):
        state = game.start(deal_of(game, number), profile)
        seen = {state}
        while not game.is_won(state, profile):
            (move, *_) = game.hint(state, profile, game.default_limits).outcome.moves
            state = game.apply(state, move, profile)
            assert state not in seen, number
            seen.add(state)


@pytest.mark.parametrize("name", games.NAMES)
def test_the_line_of_a_hint_is_followed_without_searching(name: str) -> None:
    game = games.load(name)
    profile, no_search = game.profiles[game.default_profile], Limits(1, 1)
    (number,) = winnable(name, 1)
    state = deal_of(game, number)
    line = game.hint(state, profile, game.default_limits).outcome.moves
    state = game.start(state, profile)
    while line:
        hint = game.hint(state, profile, no_search, line=line)
        assert (hint.verdict, hint.outcome.nodes, hint.outcome.moves) == (WINS, 0, line)
        assert hint.outcome.length == len(line)
        state, line = game.apply(state, line[0], profile), line[1:]
    assert game.is_won(state, profile)


@pytest.mark.parametrize("name", games.NAMES)
def test_a_line_that_does_not_win_is_not_followed(name: str) -> None:
    game = games.load(name)
    profile = game.profiles[game.default_profile]
    one, other = winnable(name, 2)
    fresh = game.hint(deal_of(game, one), profile, game.default_limits)
    foreign = solved(name, game.default_profile, other).moves
    for line in (foreign, fresh.outcome.moves[:-1], fresh.outcome.moves[1:]):
        hint = game.hint(deal_of(game, one), profile, game.default_limits, line=line)
        assert hint == fresh
