"""Effort: the player of the description, exactly; and what the grade rests on."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import pyramid_player
from oracles.pyramid_naive import Options
from pyramid_cases import varied_profiles

from dealgen.numbering import numbering_of
from solvers.games import load
from solvers.pyramid import effort, layout, ranks
from solvers.pyramid.rules import PROFILES, Profile
from solvers.pyramid.solver import SOLVER
from solvers.search.arena import new_arena

GAME = load("pyramid")
MS = numbering_of("ms")


def options_of(profile: Profile) -> Options:
    """Return a profile as the oracle takes it."""
    return Options(profile.redeals, profile.cover_pairs, profile.stock_top, profile.goal == "all")


def kernel_wins(deck: NDArray[np.uint8], number: int, profile: Profile) -> bool:
    """Play a deal once by the kernel."""
    arena = new_arena(ranks.RANKS.size())
    address = arena.ctypes.data
    ranks.set_rules(address, layout.pack_profile(profile))
    ranks.sort_cards(address, SOLVER.deal_decks(deck[None], profile)[0])
    x = np.uint64(pyramid_player.Dice(deck.tolist(), number).x).astype(np.int64)
    return bool(effort.win_try(address, x, ranks.needs_of(address, False)))


@pytest.mark.parametrize("profile", varied_profiles(), ids=str)
def test_every_try_equals_the_description(profile: Profile) -> None:
    decks = MS.decks(GAME, range(1, 9))
    for deck in decks:
        for number in range(12):
            expected = pyramid_player.wins(deck.tolist(), number, options_of(profile))
            assert kernel_wins(deck, number, profile) is expected


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize(("first", "parts"), [(0, 50), (1_000_000, 100)])
def test_effort_of_a_quick_study(name: str, first: int, parts: int) -> None:
    decks = MS.decks(GAME, range(1, 9))
    options = options_of(PROFILES[name])
    expected = [pyramid_player.effort(deck.tolist(), options, first, parts) for deck in decks]
    assert (
        SOLVER.measure_decks(decks, PROFILES[name], first=first, parts=parts).tolist() == expected
    )


def test_a_hard_deal_gets_more_tries_until_a_few_wins() -> None:
    """The first two end after 150 tries, the third at a later win."""
    decks = MS.decks(GAME, [3, 7, 91])
    options = options_of(PROFILES["microsoft"])
    expected = [pyramid_player.effort(deck.tolist(), options, 0, 4) for deck in decks]
    assert expected[0] < 5_000 < expected[1] < 76_000 < 151_000 < expected[2] < 5_001_000
    assert SOLVER.measure_decks(decks, PROFILES["microsoft"], parts=4).tolist() == expected


def test_effort_depends_on_the_cards_alone() -> None:
    decks = MS.decks(GAME, [1, 2, 3, 2])
    efforts = SOLVER.measure_decks(decks, PROFILES["classic"])
    assert efforts[1] == efforts[3]
    assert (SOLVER.measure_decks(decks[1:2], PROFILES["classic"]) == efforts[1]).all()
    assert (efforts >= 1000).all()
