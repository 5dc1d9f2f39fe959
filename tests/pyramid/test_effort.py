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
from solvers.search.bits import hash_deck

GAME = load("pyramid")
MS = numbering_of("ms")


def kernel_wins(deck: NDArray[np.uint8], playout: int, profile: Profile) -> bool:
    """Play a deal once by the kernel."""
    arena = new_arena(ranks.RANKS.size())
    ranks.set_rules(arena.ctypes.data, layout.pack_profile(profile))
    ranks.sort_cards(arena.ctypes.data, SOLVER.deal_decks(deck[None], profile)[0])
    return bool(effort.count_wins(arena.ctypes.data, hash_deck(deck), playout, playout + 1))


@pytest.mark.parametrize("profile", varied_profiles(), ids=str)
def test_every_playout_equals_the_description(profile: Profile) -> None:
    decks = MS.decks(GAME, range(1, 9))
    options = Options(
        profile.redeals, profile.cover_pairs, profile.stock_top, profile.goal == "all"
    )
    for deck in decks:
        for playout in range(12):
            expected = pyramid_player.wins(deck.tolist(), playout, options)
            assert kernel_wins(deck, playout, profile) is expected


def test_effort_is_tries_until_a_win() -> None:
    decks = MS.decks(GAME, [2])
    classic = Options(None, True, False, False)
    won = [
        sum(pyramid_player.wins(deck.tolist(), playout, classic) for playout in range(1000))
        for deck in decks
    ]
    expected = [1001 * 1000 // (wins + 1) for wins in won]
    assert SOLVER.measure_decks(decks, PROFILES["classic"]).tolist() == expected


def test_effort_depends_on_the_cards_alone() -> None:
    decks = MS.decks(GAME, [1, 2, 3, 2])
    efforts = SOLVER.measure_decks(decks, PROFILES["classic"])
    assert efforts[1] == efforts[3]
    assert (SOLVER.measure_decks(decks[1:2], PROFILES["classic"]) == efforts[1]).all()
    assert ((efforts >= 1000) & (efforts <= 1_001_000)).all()


def test_halves_of_the_playouts_rank_deals_alike() -> None:
    """Split-half rank correlation, lengthened to the whole (Spearman and Brown), is .95."""
    decks = MS.decks(GAME, range(40001, 40151))
    halves = np.zeros((2, len(decks)))
    for row, deck in enumerate(decks):
        for playout in range(400):
            halves[playout % 2, row] += kernel_wins(deck, playout, PROFILES["classic"])
    winnable = halves.sum(axis=0) > 0
    ranks = halves[:, winnable].argsort(axis=1).argsort(axis=1)
    correlation = np.corrcoef(ranks)[0, 1]
    assert 2 * correlation / (1 + correlation) >= 0.95
