"""Effort: the player of the description, exactly; and what the grade rests on."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import pyramid_player
from oracles.pyramid_naive import Options
from pyramid_cases import varied_profiles

from dealgen.numbering import numbering_of
from solvers.games import load
from solvers.pyramid import effort, layout, proof
from solvers.pyramid.rules import PROFILES, PYRAMID_SIZE, Profile
from solvers.pyramid.solver import measure_decks
from solvers.search.bits import hash_deck, mix

GAME = load("pyramid")
MS = numbering_of("ms")


def kernel_wins(deck, playout: int, profile: Profile) -> bool:  # type: ignore[no-untyped-def]
    """Play a deal once by the kernel."""
    ranks, tops = np.zeros(16, np.int64), np.zeros(16, np.int64)
    rank_at = np.zeros(64, np.int64)
    proof.mask_ranks(deck, layout.FULL_PYRAMID, layout.FULL_STOCK, ranks, tops, rank_at)
    needs = proof.root_needs(ranks, tops, False)
    stock_ranks = (deck[PYRAMID_SIZE:] >> 2).astype(np.int64) + 1
    seed = mix(hash_deck(deck) + playout)
    rules = layout.pack_profile(profile)
    return bool(effort.playout(seed, needs, rules, ranks, tops, rank_at, stock_ranks))


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
    assert measure_decks(decks, PROFILES["classic"]).tolist() == expected


def test_effort_depends_on_the_cards_alone() -> None:
    decks = MS.decks(GAME, [1, 2, 3, 2])
    efforts = measure_decks(decks, PROFILES["classic"])
    assert efforts[1] == efforts[3]
    assert (measure_decks(decks[1:2], PROFILES["classic"]) == efforts[1]).all()
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
