"""Positions in mid-game: verdicts against exhaustive search, and the move that loses a game."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from game_cases import (
    NAMED,
    deal_of,
    oracle_verdict,
    oracle_wins,
    random_walk,
    solved,
    texts,
)

from solvers import games
from solvers.games import Game
from solvers.outcome import Limits, Verdict

WINS, LOSES = Verdict.WINNABLE, Verdict.UNWINNABLE
LIMITS = Limits(300_000, 64)
#: Positions that the oracles visit at most: Pyramid's is the fastest.
MOST = {"freecell": 150, "pyramid": 3_000, "plot": 200}
#: Positions of each verdict that are compared under each profile.
ENOUGH = 5


def won_deals(name: str, profile: str) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield numbers and solutions of winnable deals, at random."""
    rng = random.Random(f"{name} {profile}")
    while True:
        number = rng.randrange(1, 500)
        outcome = solved(name, profile, number)
        if outcome.verdict is WINS:
            yield number, outcome.moves


@pytest.mark.parametrize(("name", "profile"), NAMED)
def test_positions_of_random_play_are_decided_as_by_exhaustive_search(
    name: str, profile: str
) -> None:
    """Random moves shortly before a win, and the ends of random play that began earlier."""
    game, rng = games.load(name), random.Random(name)
    rules = game.profiles[profile]
    compared: Counter[Verdict] = Counter()
    for number, moves in won_deals(name, profile):
        late = compared[WINS] < ENOUGH
        left = rng.randint(2, 8) if late else rng.randrange(len(moves))
        state = game.replay(deal_of(game, number), moves[: len(moves) - left], rules)
        state = random_walk(game, rules, state, rng, 2 if late else 200)[-1]
        truth = oracle_verdict(game, state, rules, MOST[name])
        if truth is None or game.is_won(state, rules):
            continue
        outcome = game.solve(state, rules, LIMITS)
        assert outcome.verdict is truth, (number, game.position_to_json(state))
        assert truth is LOSES or oracle_wins(game, state, texts(game, outcome.moves), rules)
        compared[truth] += 1
        if min(compared[WINS], compared[LOSES]) >= ENOUGH:
            break


def turning_point(game: Game, profile: Any, states: list[Any]) -> int | None:
    """Return the place of the last state that can be won, None where none or all can."""
    verdicts = [game.solve(state, profile, LIMITS).verdict for state in (states[0], states[-1])]
    if verdicts != [WINS, LOSES]:
        return None
    low, high = 0, len(states) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if game.solve(states[middle], profile, LIMITS).verdict is WINS:
            low = middle
        else:
            high = middle
    return low


@pytest.mark.parametrize(("name", "profile"), NAMED)
def test_the_move_that_loses_a_game_is_told(name: str, profile: str) -> None:
    game, rng = games.load(name), random.Random(name)
    rules = game.profiles[profile]
    for number, moves in won_deals(name, profile):
        state = game.replay(deal_of(game, number), moves[: rng.randrange(len(moves))], rules)
        states = random_walk(game, rules, state, rng, 80)
        last = turning_point(game, rules, states)
        if last is None:
            continue
        before, after = states[last], states[last + 1]
        if oracle_verdict(game, after, rules, MOST[name]) is LOSES:
            break
    hint = game.hint(before, rules, LIMITS)
    assert hint.verdict is WINS
    assert oracle_wins(game, before, texts(game, hint.outcome.moves), rules)
    assert game.apply(before, hint.outcome.moves[0], rules) != after
    lost = game.hint(after, rules, LIMITS)
    assert (lost.verdict, lost.outcome.moves) == (LOSES, ())
    # Nothing that the player does brings the win back.
    for move in game.legal_moves(after, rules):
        further = game.solve(game.apply(after, move, rules), rules, LIMITS)
        assert further.verdict is LOSES
