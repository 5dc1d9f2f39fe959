"""The three games alike: numbered deals, play at random, and what the naive oracles say."""

from __future__ import annotations

import functools
import random
from typing import Any

import freecell_cases
import plot_cases
import pyramid_cases
from oracles import freecell_naive, plot_naive, pyramid_naive, pyramid_replayer

from dealgen.numbering import numbering_of
from solvers import games
from solvers.games import Game
from solvers.outcome import Outcome, Verdict

MS = numbering_of("ms")

#: Every game under each of its profiles.
NAMED = [(name, profile) for name in games.NAMES for profile in games.load(name).profiles]


def deal_of(game: Game, number: int) -> Any:
    """Return a numbered deal."""
    return game.deal(MS.deck(game, number))


@functools.cache
def solved(name: str, profile: str, number: int) -> Outcome:
    """Return the answer to a numbered deal."""
    game = games.load(name)
    return game.solve(deal_of(game, number), game.profiles[profile], game.default_limits)


def random_walk(game: Game, profile: Any, state: Any, rng: random.Random, most: int) -> list[Any]:
    """Return the states of up to `most` random moves, the first ones listed being likelier."""
    states = [game.start(state, profile)]
    for _ in range(most):
        moves = game.legal_moves(states[-1], profile)
        if not moves:
            break
        move = moves[int(len(moves) * rng.random() ** 2)]
        states.append(game.apply(states[-1], move, profile))
    return states


def oracle_verdict(game: Game, state: Any, profile: Any, most: int) -> Verdict | None:
    """Return the verdict of an exhaustive search, None past `most` positions."""
    winnable: bool | None
    if game.name == "freecell":
        table = freecell_cases.naive_table(state)
        explored = freecell_naive.explore(table, freecell_cases.naive_options(profile), most)
        winnable = None if explored is None else explored.winnable
    elif game.name == "pyramid":
        fewest = pyramid_naive.fewest_moves(*pyramid_cases.as_naive(state, profile), most)
        winnable = None if fewest is None else fewest >= 0
    else:
        winnable = plot_naive.winnable(plot_cases.to_naive(state, profile), most)
    if winnable is None:
        return None
    return Verdict.WINNABLE if winnable else Verdict.UNWINNABLE


def oracle_wins(game: Game, state: Any, moves: list[str], profile: Any) -> bool:
    """Tell whether the naive replayer of the game wins from a state by moves given as text."""
    if game.name == "freecell":
        options = freecell_cases.naive_options(profile)
        return freecell_naive.replay(game.format_board(state), moves, options).won
    if game.name == "pyramid":
        data = game.position_to_json(state)
        _, rules = pyramid_cases.as_naive(state, profile)
        table = pyramid_replayer.Table(
            data["pyramid"], data["stock"], data["waste"], data["redeals_used"], rules
        )
        return pyramid_replayer.replay(table, moves)
    return plot_naive.replay(plot_cases.to_naive(state, profile), moves)


def texts(game: Game, moves: Any) -> list[str]:
    """Write moves."""
    return [game.format_move(move) for move in moves]
