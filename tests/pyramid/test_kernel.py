"""The kernel twin: the same moves, states and counts as the plain rules."""

from __future__ import annotations

import random

import numpy as np
import pytest
from pyramid_cases import random_deck, random_play, varied_profiles

from solvers import play
from solvers.pyramid import kernel, layout, rules
from solvers.pyramid.layout import pack, pack_moves, pack_profile, unpack, unpack_moves


@pytest.mark.parametrize("profile", varied_profiles(), ids=str)
def test_same_moves_and_perft_on_random_positions(profile: rules.Profile) -> None:
    rng = random.Random(str(profile))
    packed_rules = pack_profile(profile)
    moves = np.empty(kernel.MAX_MOVES, np.uint16)
    for _turn in range(8):
        state = random_play(rules.deal(random_deck(rng)), profile, rng, rng.randrange(140))
        packed = pack(state)
        assert unpack(packed) == state
        assert kernel.is_won(packed, packed_rules) == rules.is_won(state, profile)
        count = kernel.legal_moves(packed, packed_rules, moves)
        legal = list(unpack_moves(moves[:count]))
        assert legal == rules.legal_moves(state, profile)
        for move in legal:
            expected = rules.apply(state, move, profile)
            after, again = packed.copy(), packed.copy()
            line = pack_moves([move])
            kernel.apply(after, int(line[0]))
            assert unpack(after) == expected
            assert kernel.replay(again, line, packed_rules) == 1
            assert (again == after).all()
        expected_count = play.perft(rules, state, profile, 3)
        assert kernel.perft(packed, packed_rules, 3) == expected_count


@pytest.mark.bounds
@pytest.mark.parametrize("profile", varied_profiles()[::5], ids=str)
def test_every_16_bit_move_is_judged_alike(profile: rules.Profile) -> None:
    """By `is_legal`, by the replay, and by the plain rules, from which the twin must not differ."""
    rng = random.Random(7)
    packed_rules = pack_profile(profile)
    line = np.arange(1 << 16, dtype=np.uint16)
    for length in (0, 25, 80):
        state = random_play(rules.deal(random_deck(rng)), profile, rng, length)
        packed = pack(state)
        legal = set(rules.legal_moves(state, profile))
        expected = {
            at for at, move in enumerate(unpack_moves(line)) if rules.canonical(move) in legal
        }
        assert len(expected) >= len(legal)
        taken = set()
        for at in range(1 << 16):
            after = packed.copy()
            if kernel.replay(after, line[at : at + 1], packed_rules):
                taken.add(at)
            else:
                assert (after == packed).all()
        assert taken == expected
        judged = {at for at in range(1 << 16) if kernel.is_legal(packed, at, packed_rules)}
        assert judged == expected


def test_replay_stops_at_the_first_illegal_move_and_at_the_win() -> None:
    packed = pack(rules.State((48,) + (rules.NO_CARD,) * 27, (0, 44), ()))
    draw, king = layout.PACKED_DRAW, int(pack_moves([rules.Move(48)])[0])
    packed_rules = pack_profile(rules.PROFILES["classic"])
    line = np.array([draw, layout.PACKED_RESET, king, draw, king], np.uint16)
    for first, last, legal, wins in (
        (0, 5, 1, False),
        (2, 5, 1, False),
        (2, 3, 1, True),
        (0, 0, 0, False),
    ):
        assert kernel.replay(packed.copy(), line[first:last], packed_rules) == legal
        assert kernel.wins(packed, packed_rules, line, first, last) is wins


def test_dealt_decks_are_the_deals_of_the_rules() -> None:
    rng = random.Random(3)
    decks = np.array([random_deck(rng) for _ in range(20)], np.uint8)
    packed = layout.empty_packed(len(decks))
    kernel.deal_decks(decks, pack_profile(rules.PROFILES["classic"]), packed)
    for row, deck in zip(packed, decks.tolist(), strict=True):
        assert unpack(row) == rules.deal(deck)
        assert (pack(rules.deal(deck)) == row).all()


def test_resets_without_a_bound_are_never_forgotten_nor_run_out() -> None:
    """However often the waste is turned over: the number that is kept stays at its greatest."""
    profile = rules.PROFILES["classic"]
    packed = pack(rules.State((48,) + (rules.NO_CARD,) * 27, (0,)))
    line = np.array([layout.PACKED_DRAW, layout.PACKED_RESET] * 300, np.uint16)
    assert kernel.replay(packed, line, pack_profile(profile)) == len(line)
    state = unpack(packed)
    assert state.redeals_used == layout.MOST_REDEALS
    assert rules.legal_moves(state, profile) == [rules.Move(48), rules.DRAW]
