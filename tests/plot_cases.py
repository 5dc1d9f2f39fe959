"""Deals of The Plot, random play and reduced games for tests, and the way into the oracle."""

from __future__ import annotations

import functools
import random

import numpy as np
from numpy.typing import NDArray
from oracles import plot_naive as naive

from dealgen.numbering import numbering_of
from solvers.cards import card_of, format_card, rank_of
from solvers.games import load
from solvers.plot.rules import (
    DECK_SIZE,
    PROFILES,
    Profile,
    State,
    apply,
    deal,
    legal_moves,
    start,
)

CLASSIC, PYSOL = PROFILES["classic"], PROFILES["pysol"]
ALWAYS = Profile("classic", base_isolation="always")
ALL_PROFILES = (CLASSIC, PYSOL, ALWAYS)
MS = numbering_of("ms")


def deck_of(number: int) -> list[int]:
    """Return the deck of a number."""
    return MS.stream(number, DECK_SIZE)


def decks_of(first: int, count: int) -> NDArray[np.uint8]:
    """Return the decks of consecutive numbers."""
    return MS.decks(load("plot"), np.arange(first, first + count))


def random_play(number: int, profile: Profile, seed: int, most: int = 200) -> list[State]:
    """Return the positions of a random game."""
    rng = random.Random(seed)
    states = [start(deal(deck_of(number)), profile)]
    for _ in range(most):
        moves = legal_moves(states[-1], profile)
        if not moves:
            break
        states.append(apply(states[-1], rng.choice(moves), profile))
    return states


def to_naive(state: State, profile: Profile) -> naive.Game:
    """Tell a position to the oracle: counters become foundations of the same cards."""
    ranks = len(state.foundations)
    out = [state.foundations[(state.base - 1 + above) % ranks] for above in range(ranks)]
    heights = [sum(count > index for count in out) for index in range(max(out))]
    return naive.Game(
        ranks,
        state.base,
        profile.base_isolation,
        tuple(map(rank_of, state.reserve)),
        tuple(heights),
        tuple(tuple(map(rank_of, pile)) for pile in state.piles),
        tuple(map(rank_of, state.stock)),
        tuple(map(rank_of, state.waste)),
    )


@functools.cache
def reduced_games(count: int, most_reserve: int = 4) -> tuple[tuple[State, tuple[bool, ...]], ...]:
    """Return reduced deals that the oracle exhausts, with its verdict under ALL_PROFILES."""
    games = []
    seed = 0
    while len(games) < count:
        seed += 1
        rng = random.Random(seed)
        ranks, copies = rng.randint(3, 6), rng.randint(2, 3)
        piles, reserve = rng.randint(1, 3), rng.randint(1, most_reserve)
        deck = [card_of(rank, 0) for rank in naive.shuffled(seed, ranks=ranks, copies=copies)]
        state = deal(deck, ranks=ranks, reserve=reserve, piles=piles)
        verdicts = []
        for profile in ALL_PROFILES:
            verdict = naive.winnable(to_naive(start(state, profile), profile), 1_500)
            if verdict is None:
                break
            verdicts.append(verdict)
        else:
            games.append((state, tuple(verdicts)))
    return tuple(games)


def board_text(number: int) -> list[str]:
    """Return the cards of a deal as text."""
    return [format_card(card) for card in deck_of(number)]
