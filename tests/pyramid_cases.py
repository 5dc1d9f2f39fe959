"""Pyramid decks, profiles and random play for tests, and the way into the naive oracle."""

from __future__ import annotations

import csv
import dataclasses
import functools
import itertools
import random
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from oracles import pyramid_naive as naive

from solvers.cards import DECK_SIZE, parse_card, rank_of
from solvers.pyramid.rules import (
    COVERS,
    DRAW,
    NO_CARD,
    PROFILES,
    PYRAMID_SIZE,
    RESET,
    Profile,
    State,
    apply,
    deal,
    legal_moves,
)

REFERENCE = Path(__file__).parent.parent / "data" / "reference"


@functools.cache
def microsoft_decks() -> tuple[NDArray[np.uint8], list[int]]:
    """Return the reference decks, and the fewest steps of each, 0 for unwinnable ones."""
    decks, steps = [], []
    with (REFERENCE / "pyramid_microsoft_750.csv").open() as file:
        for cards, fewest in csv.reader(file):
            decks.append([parse_card(card) for card in cards.split()])
            steps.append(int(fewest))
    return np.array(decks, np.uint8), steps


def varied_profiles() -> list[Profile]:
    """Return every combination of options, with 0, 1, 2 and unlimited redeals."""
    return [
        Profile("classic", *options)
        for options in itertools.product(
            (None, 0, 1, 2), (False, True), (False, True), ("pyramid", "all")
        )
    ]


def varied(name: str, **options: object) -> Profile:
    """Return a named profile with other options."""
    return dataclasses.replace(PROFILES[name], **options)  # type: ignore[arg-type]


def random_deck(rng: random.Random) -> list[int]:
    """Return a shuffled deck."""
    deck = list(range(DECK_SIZE))
    rng.shuffle(deck)
    return deck


def random_play(
    state: State, profile: Profile, rng: random.Random, length: int, *, eager: float = 0.7
) -> State:
    """Return the state after up to `length` random legal moves, removals with a preference."""
    for _turn in range(length):
        moves = legal_moves(state, profile)
        if not moves:
            break
        removals = [move for move in moves if move not in (DRAW, RESET)]
        if removals and rng.random() < eager:
            moves = removals
        state = apply(state, rng.choice(moves), profile)
    return state


def small_position(profile: Profile, rng: random.Random, most_cards: int) -> State:
    """Return a position, reached by play from a random deal, with few pyramid cards left."""
    while True:
        state = deal(random_deck(rng))
        for _turn in range(150):
            state = random_play(state, profile, rng, 1, eager=0.9)
            left = PYRAMID_SIZE - state.pyramid.count(NO_CARD)
            if left <= most_cards:
                break
        if 0 < left <= most_cards:
            return state


def fresh_position(rng: random.Random, most_cards: int) -> State:
    """Return a position with few pyramid cards and the whole stock, never drawn from."""
    left = set(range(PYRAMID_SIZE))
    gone = PYRAMID_SIZE - rng.randrange(2, most_cards + 1)
    while PYRAMID_SIZE - len(left) < gone:
        left.remove(rng.choice([place for place in left if not left.intersection(COVERS[place])]))
    deck = random_deck(rng)
    pairs = [(card, DECK_SIZE - 5 - card) for card in deck if card < 24]
    kings = [card for card in deck if rank_of(card) == 13]
    removed = kings[: gone % 2] + [card for pair in pairs[: gone // 2] for card in pair]
    rest = [card for card in deck if card not in removed]
    pyramid = [rest.pop() if place in left else NO_CARD for place in range(PYRAMID_SIZE)]
    return State(tuple(pyramid), tuple(rest))


def ideal_deck(rng: random.Random) -> list[int]:
    """Return a deck whose pyramid can leave in 14 pairs within it, with covers if need be."""
    while True:
        left = set(range(PYRAMID_SIZE))
        order: list[tuple[int, int]] = []
        while left:
            free = [place for place in left if not left.intersection(COVERS[place])]
            pairs = list(itertools.combinations(free, 2))
            for place in left.difference(free):
                covers = left.intersection(COVERS[place])
                if len(covers) == 1 and covers <= set(free):
                    pairs.append((place, *covers))
            if not pairs:
                break
            order.append(rng.choice(pairs))
            left -= set(order[-1])
        if left:
            continue
        lows = rng.sample([card for card in range(DECK_SIZE) if rank_of(card) <= 6], 14)
        deck = [NO_CARD] * PYRAMID_SIZE
        for (one, other), card in zip(order, lows, strict=True):
            deck[one], deck[other] = card, DECK_SIZE - 5 - card
        return deck + rng.sample(sorted(set(range(DECK_SIZE)) - set(deck)), DECK_SIZE - len(deck))


def as_naive(state: State, profile: Profile) -> tuple[naive.Position, naive.Options]:
    """Return a state and a profile as the oracle takes them."""

    def ranks(cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(0 if card == NO_CARD else rank_of(card) for card in cards)

    position = (ranks(state.pyramid), ranks(state.stock), ranks(state.waste), state.redeals_used)
    if profile.redeals is None:
        position = (*position[:3], 0)
    options = naive.Options(
        profile.redeals, profile.cover_pairs, profile.stock_top, profile.goal == "all"
    )
    return position, options
