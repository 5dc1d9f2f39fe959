"""The kernel twin: the same moves, states and counts as the plain rules."""

from __future__ import annotations

import random

import numpy as np
import pytest
from pyramid_cases import random_deck, random_play, varied_profiles

from solvers.pyramid import kernel, layout, rules
from solvers.pyramid.layout import pack, pack_moves, pack_profile, unpack, unpack_moves


def twin(state: rules.State):  # type: ignore[no-untyped-def]
    """Return a state as the kernel takes it: deck, state, where."""
    deck, packed = pack(state)
    where = np.empty(64, np.uint8)
    kernel.locate(deck, where)
    return deck, packed, where


@pytest.mark.parametrize("profile", varied_profiles(), ids=str)
def test_same_moves_and_perft_on_random_positions(profile: rules.Profile) -> None:
    rng = random.Random(str(profile))
    packed_rules = pack_profile(profile)
    moves = np.empty(kernel.MAX_MOVES, np.uint16)
    for _turn in range(8):
        state = random_play(rules.deal(random_deck(rng)), profile, rng, rng.randrange(140))
        deck, packed, where = twin(state)
        assert unpack(deck.tolist(), packed.tolist()) == state
        count = kernel.generate(deck, packed_rules, packed, moves)
        legal = list(unpack_moves(moves[:count]))
        assert legal == rules.legal_moves(state, profile)
        for move in legal:
            after = packed.copy()
            line = pack_moves([move])
            assert kernel.replay(where, packed_rules, after, line, 0, 1) == 1
            assert unpack(deck.tolist(), after.tolist()) == rules.apply(state, move, profile)
        assert kernel.perft(deck, where, packed_rules, packed, 3) == rules.perft(state, profile, 3)


@pytest.mark.parametrize("profile", varied_profiles()[::5], ids=str)
def test_every_16_bit_move_is_judged_alike(profile: rules.Profile) -> None:
    rng = random.Random(7)
    packed_rules = pack_profile(profile)
    line = np.arange(1 << 16, dtype=np.uint16)
    for length in (0, 25, 80):
        state = random_play(rules.deal(random_deck(rng)), profile, rng, length)
        _deck, packed, where = twin(state)
        legal = set(pack_moves(rules.legal_moves(state, profile)).tolist())
        for move in [move for move in legal if move & 63 < 52 and move >> 6 < 52]:
            legal.add(move >> 6 | (move & 63) << 6)
        taken = set()
        for at in range(1 << 16):
            after = packed.copy()
            if kernel.replay(where, packed_rules, after, line, at, at + 1):
                taken.add(at)
            else:
                assert (after == packed).all()
        assert taken == legal


def test_replay_stops_at_the_first_illegal_move_and_at_the_win() -> None:
    state = rules.State((48,) + (rules.NO_CARD,) * 27, (0, 44), ())
    _deck, packed, where = twin(state)
    draw, king = layout.PACKED_DRAW, int(pack_moves([rules.Move(48)])[0])
    packed_rules = pack_profile(rules.PROFILES["classic"])
    line = np.array([draw, layout.PACKED_RESET, king, draw, king], np.uint16)
    assert kernel.replay(where, packed_rules, packed.copy(), line, 0, 5) == 1
    assert kernel.replay(where, packed_rules, packed.copy(), line, 2, 5) == 1
    assert kernel.replay(where, packed_rules, packed.copy(), line, 0, 0) == 0
