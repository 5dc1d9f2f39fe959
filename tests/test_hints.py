"""Hints of all games, followed to the end."""

from __future__ import annotations

import random

import pytest
from game_cases import deal_of, solved, texts

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
            assert game.format_move(hint.outcome.moves[0]) in dict(hint.legal_moves)
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
            hint = game.hint(state, profile, game.default_limits)
            move = hint.outcome.moves[0]
            assert game.format_move(move) in dict(hint.legal_moves)
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
        assert (hint.verdict, hint.outcome.nodes, hint.outcome.length) == (WINS, 0, len(line))
        move, *rest = hint.outcome.moves
        assert game.format_move(move) in dict(hint.legal_moves)
        state, line = game.apply(state, move, profile), tuple(rest)
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


def test_a_line_may_spell_its_first_move_in_another_way() -> None:
    """Onto a card no count is needed; one that is right is allowed, and stays as it is."""
    game = games.load("freecell")
    profile = game.profiles["classic"]
    text = "Foundations: H-J C-J D-J S-J\n: KS QH\n: KD\n: KH QS\n: KC QD\n: QC\n:\n:\n:\n"
    state = game.parse_board(text, profile)
    moves = ["52v1", *["1h", "2h", "3h", "4h", "1h", "2h", "3h", "4h"]]
    line = [game.parse_move(move) for move in moves]
    hint = game.hint(state, profile, Limits(1, 1), line=line)
    assert texts(game, hint.outcome.moves) == moves


def test_a_line_may_name_a_pair_in_either_order() -> None:
    game = games.load("pyramid")
    profile = game.profiles["classic"]
    deal, moves = deal_of(game, 1), solved("pyramid", "classic", 1).moves
    # Of a king, a draw and a reset the second part says that there is none.
    line = [move if move.second < 0 else type(move)(*reversed(move)) for move in moves]
    assert line[0] != moves[0]
    assert game.hint(deal, profile, Limits(1, 1), line=line).outcome.moves == moves


@pytest.mark.parametrize("first", ["16", "17", "18"])
def test_a_line_into_another_empty_column_is_told_as_it_is_listed(first: str) -> None:
    game = games.load("freecell")
    profile = game.profiles["classic"]
    text = "Foundations: H-J C-J D-J S-J\n: KS QH\n: KD QC\n: KH QS\n: KC QD\n:\n:\n:\n:\n"
    state = game.parse_board(text, profile)
    home = [f"{first[1]}h", *["2h", "3h", "4h", "1h", "2h", "3h", "4h"]]
    line = [game.parse_move(move) for move in (first, *home)]
    assert game.is_won(game.replay(state, line, profile), profile)
    hint = game.hint(state, profile, Limits(1, 1), line=line)
    assert texts(game, hint.outcome.moves) == ["15", "5h", *home[1:]]
