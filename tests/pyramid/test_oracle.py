"""Verdicts and fewest moves against plain breadth-first search."""

from __future__ import annotations

import random

import pytest
from oracles import pyramid_naive as naive
from pyramid_cases import (
    as_naive,
    fresh_position,
    ideal_deck,
    small_position,
    varied,
    varied_profiles,
)

from solvers.games import load
from solvers.outcome import Limits, Verdict
from solvers.pyramid.rules import COVERS, PROFILES, Profile, State, deal
from solvers.pyramid.solver import SOLVER

LIMITS = Limits(10_000_000, 64)
MOST_POSITIONS = 2_000
#: The place of the search for fewest moves among the methods.
ASTAR = load("pyramid").methods.index("astar")


def compare(profile: Profile, rng: random.Random, count: int, most_cards: int) -> list[int]:
    """Compare `count` positions that the oracle can exhaust; return its answers.

    Half of them are reached by play, half have the whole stock.
    """
    answers: list[int] = []
    while len(answers) < count:
        state = fresh_position(rng, most_cards)
        if len(answers) % 2:
            state = small_position(profile, rng, most_cards)
        fewest = naive.fewest_moves(*as_naive(state, profile), MOST_POSITIONS)
        if fewest is None:
            continue
        answers.append(fewest)
        quick = SOLVER.solve(state, profile, LIMITS)
        shortest = SOLVER.solve(state, profile, LIMITS, method=ASTAR)
        assert quick.verdict is shortest.verdict
        assert quick.verdict is (Verdict.UNWINNABLE if fewest < 0 else Verdict.WINNABLE), state
        assert shortest.length == max(fewest, 0), state
        assert quick.length >= shortest.length
    return answers


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_agree_with_breadth_first_search(name: str) -> None:
    positions = 132 if PROFILES[name].goal == "all" else 66
    answers = compare(PROFILES[name], random.Random(name), positions, 12)
    assert sum(answer > 4 for answer in answers) >= 10
    assert sum(answer < 0 for answer in answers) >= 10


@pytest.mark.parametrize("profile", varied_profiles(), ids=str)
def test_every_option_agrees_with_breadth_first_search(profile: Profile) -> None:
    compare(profile, random.Random(str(profile)), 4, 8)


def test_the_oracle_on_positions_solved_by_hand() -> None:
    options = naive.Options(0, False, False, False)
    apex = (8,) + (0,) * 27
    assert naive.fewest_moves((apex, (3, 5), (), 0), options, 99) == 3
    assert naive.fewest_moves((apex, (3,), (5, 3), 0), options, 99) == -1
    again = naive.Options(1, False, False, False)
    assert naive.fewest_moves((apex, (3,), (5, 3), 0), again, 99) == 4
    top = naive.Options(0, False, True, False)
    assert naive.fewest_moves((apex, (3, 5), (), 0), top, 99) == 2
    assert naive.fewest_moves((apex, (), (), 0), again, 99) == -1


@pytest.mark.parametrize("seed", range(8))
def test_ideal_decks_take_14_moves(seed: int) -> None:
    state = deal(ideal_deck(random.Random(seed)))
    assert SOLVER.solve(state, PROFILES["classic"], LIMITS, method=ASTAR).length == 14
    # Without cover pairs the apex is exposed only when all others are gone: the 27 need 14 already.
    covered = SOLVER.solve(state, varied("classic", cover_pairs=False), LIMITS, method=ASTAR)
    assert covered.verdict is Verdict.UNWINNABLE or covered.length >= 15


def test_a_card_under_its_only_partner_needs_cover_pairs() -> None:
    # Apex 8C under 5H, no other five or eight anywhere.
    state = State((28, -1, 18) + (-1,) * 25, (0,), ())
    assert COVERS[0] == (1, 2)
    assert solve_verdict(state, "classic") is Verdict.WINNABLE
    assert solve_verdict(state, "single-pass") is Verdict.UNWINNABLE


def solve_verdict(state: State, name: str) -> Verdict:
    """Return the verdict on a position whose other cards left in pairs."""
    gone = [card for card in range(52) if card not in (*state.pyramid, *state.stock)]
    gone = [card for card in gone if card not in (0, 48)]
    rest = tuple(card for card in gone if card // 4 + 1 in (1, 12, 13))
    return SOLVER.solve(state._replace(stock=(*state.stock, *rest)), PROFILES[name], LIMITS).verdict
