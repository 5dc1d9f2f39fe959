"""FreeCell deals, profiles and random play for tests, and the way into the naive oracle."""

from __future__ import annotations

import csv
import functools
import itertools
import json
import random
from pathlib import Path
from typing import Any, NamedTuple

from oracles import freecell_naive as naive

from dealgen.numbering import numbering_of
from solvers.cards import DECK_SIZE, SUITS, format_card
from solvers.freecell.rules import (
    NO_CARD,
    PROFILES,
    Move,
    Profile,
    State,
    apply,
    deal,
    legal_moves,
    start,
)

#: FreeCell deal 484 in mid-game; 7H to the last cell loses it, though play goes on.
BEFORE = """\
Foundations: H-0 C-0 D-A S-A
Freecells: 5S KH 9H --
: 2S 7C 5D 3D TS TD 9C 8D
: 4S KC TH KS 9D
: QD QS KD 5H 9S 3H 7H
: 7D 2D QC 8H 7S 4H
: 6D 6H AC JS AH 2C
: JC 4C 6S 8S 2H 5C 4D 3C
: 3S TC JH JD
: 8C QH 6C
"""
AFTER = BEFORE.replace("9H --", "9H 7H").replace("3H 7H", "3H")


REFERENCE = Path(__file__).parent.parent / "data" / "reference"


def reference_boards() -> dict[int, list[list[str]]]:
    """Return the reference boards: number, columns, deepest card first."""
    boards: dict[str, Any] = json.loads((REFERENCE / "ms_boards.json").read_text())
    return {int(number): columns for number, columns in boards.items()}


def reachable_positions() -> list[tuple[int, str, int]]:
    """Return (deal, autoplay, positions that can be reached) of the reference file."""
    with (REFERENCE / "freecell_reachable_states.csv").open() as file:
        return [
            (int(row["deal"]), autoplay, int(row[autoplay]))
            for row in csv.DictReader(file)
            for autoplay in ("none", "safe", "max")
            if row[autoplay]
        ]


def fc_solve_lines() -> dict[int, list[str]]:
    """Return lines that fc-solve printed: deal number, moves."""
    with (REFERENCE / "freecell_lines_fc_solve.csv").open() as file:
        return {int(row["deal"]): row["line"].split() for row in csv.DictReader(file)}


def ms_deal(number: int) -> State:
    """Return a numbered deal."""
    return deal(numbering_of("ms").stream(number, DECK_SIZE))


def varied_profiles(cells: int) -> list[Profile]:
    """Return every combination of options with this number of cells."""
    return [
        Profile("classic", cells, *options)
        for options in itertools.product(
            ("alternate", "suit"),
            ("power", "linear", "single"),
            ("none", "safe", "max"),
            (True, False),
        )
        if options[2:] != ("max", False)
    ]


def random_profile(rng: random.Random) -> Profile:
    """Return a profile with options at random, none to seven cells."""
    return rng.choice([*PROFILES.values(), *varied_profiles(rng.randrange(8))])


def random_play(
    state: State, profile: Profile, rng: random.Random, length: int
) -> list[tuple[Move | None, State]]:
    """Return the start and up to `length` random legal moves, each with the state after it.

    Foundation moves and moves onto cards are as likely as all others together, so that play
    does not end at once with full cells.
    """
    state = start(state, profile)
    history: list[tuple[Move | None, State]] = [(None, state)]
    for _ in range(length):
        moves = legal_moves(state, profile)
        if not moves:
            break
        good = [move for move in moves if move.target == 15 or move.count or move.target < 8]
        move = rng.choice(good if good and rng.random() < 0.5 else moves)
        state = apply(state, move, profile)
        history.append((move, state))
    return history


def walk(history: list[tuple[Move | None, State]]) -> list[State]:
    """Return the states of a random play."""
    return [state for _, state in history]


def reduced_deal(rng: random.Random, ranks: int, columns: int, cells: int) -> State:
    """Return a random deal of a deck of few ranks."""
    deck = list(range(ranks * SUITS))
    rng.shuffle(deck)
    return deal(deck, columns, cells)


def naive_options(profile: Profile) -> naive.Options:
    """Return a profile's options for the naive oracle."""
    return naive.Options(
        profile.cells,
        profile.build,
        profile.supermove,
        profile.autoplay,
        profile.autoplay_on_deal,
    )


def naive_table(state: State) -> naive.Table:
    """Return a state for the naive oracle."""
    return naive.Table(
        tuple(tuple(map(format_card, column)) for column in state.columns),
        tuple("" if card == NO_CARD else format_card(card) for card in state.cells),
        state.foundations,
    )


class ReducedGame(NamedTuple):
    """A small game and all that the naive oracle knows about it."""

    state: State
    profile: Profile
    explored: naive.Explored


#: (ranks, columns, cells) of games that the naive oracle can exhaust under every option.
#: Larger ones, and easier ones such as 3 ranks with a cell, have too many positions.
REDUCED_SHAPES = (
    (3, 3, 0),
    (3, 4, 0),
    (4, 3, 0),
    (4, 3, 1),
    (4, 4, 0),
    (5, 3, 0),
    (5, 3, 1),
    (5, 3, 2),
    (5, 4, 0),
    (5, 4, 1),
)


@functools.cache
def reduced_games(at_most: int = 300) -> tuple[ReducedGame, ...]:
    """Return a game of each reduced shape under each combination of options.

    Each has at least three positions and at most `at_most`; others are dealt again.
    """
    return tuple(
        _reduced_game(ranks, columns, profile, at_most)
        for ranks, columns, cells in REDUCED_SHAPES
        for profile in varied_profiles(cells)
    )


def _reduced_game(ranks: int, columns: int, profile: Profile, at_most: int) -> ReducedGame:
    """Return the first game of a seeded series that is neither too large nor trivial."""
    for number in range(100):
        rng = random.Random(f"{ranks} {columns} {profile} {number}")
        state = reduced_deal(rng, ranks, columns, profile.cells)
        explored = naive.explore(naive_table(state), naive_options(profile), at_most)
        if explored is not None and explored.positions > 2:
            return ReducedGame(state, profile, explored)
    raise AssertionError(f"no game of {ranks} ranks, {columns} columns and {profile} is small")
