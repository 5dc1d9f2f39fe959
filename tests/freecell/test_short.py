"""Short lines: known lengths, what more effort must not do, limits, and slices."""

from __future__ import annotations

import numpy as np
import pytest
from freecell_cases import ms_deal

from solvers.errors import InvalidNumberError, UnknownNameError
from solvers.freecell import layout, rules, session
from solvers.freecell.game import GAME
from solvers.freecell.layout import unpack_moves
from solvers.freecell.rules import PROFILES, Profile, State
from solvers.games import load
from solvers.outcome import Limits, Verdict, states_of_effort
from solvers.play import replay
from solvers.search import status
from solvers.search.arena import new_arena

LIMITS = Limits(max_nodes=2_000_000, memory_mib=32)
MAX_AUTO = PROFILES["max-auto"]


def length(state: State, profile: Profile, short: int, limits: Limits = LIMITS) -> int:
    """Return the length of the solution, which `solve` has replayed by the plain rules."""
    outcome = GAME.solve(state, profile, limits, short=short)
    assert outcome.verdict is Verdict.WINNABLE
    assert outcome.length == len(outcome.moves)
    assert outcome.nodes <= limits.max_nodes
    return outcome.length


@pytest.mark.parametrize(
    ("number", "published", "effort"), [(224533, 8, 1), (239313, 8, 1), (31465, 47, 5)]
)
def test_lines_are_as_short_as_those_published(number: int, published: int, effort: int) -> None:
    """A run counts 1, and all that goes home by itself is free: what `max-auto` counts."""
    assert length(ms_deal(number), MAX_AUTO, states_of_effort(effort)) <= published


@pytest.mark.parametrize(
    "profile",
    [
        *PROFILES.values(),
        Profile("classic", 3, supermove="single", autoplay="safe"),
        Profile("classic", 5, "suit", "linear", "max"),
    ],
    ids=str,
)
def test_more_effort_never_makes_a_line_longer(profile: Profile) -> None:
    shorter = 0
    for number in (2, 3, 5, 26, 164):
        state = ms_deal(number)
        fast = GAME.solve(state, profile, LIMITS)
        if fast.verdict is not Verdict.WINNABLE:
            continue
        lengths = [fast.length]
        efforts = (1, 1500, 3000, 9000, 15_000, 50_000)
        lengths += [length(state, profile, short) for short in efforts]
        assert lengths == sorted(lengths, reverse=True)
        shorter += lengths[-1] < lengths[0]
    assert shorter > 0


def test_a_line_from_mid_game_counts_what_is_left() -> None:
    for name in ("classic", "safe-auto", "max-auto"):
        profile = PROFILES[name]
        whole = GAME.solve(ms_deal(164), profile, LIMITS, short=8000)
        middle = replay(rules, ms_deal(164), whole.moves[:12], profile)
        assert length(middle, profile, 8000) <= GAME.solve(middle, profile, LIMITS).length
        # The rest of a line is a line.
        assert length(middle, profile, 100_000) <= whole.length - 12


def test_what_cannot_be_won_stays_so() -> None:
    limits = Limits(max_nodes=1_000_000, memory_mib=200)
    lost = GAME.solve(ms_deal(11982), PROFILES["classic"], limits, short=9000)
    assert lost.verdict is Verdict.UNWINNABLE
    won = State(((),) * 8, (-1,) * 4, (13,) * 4)
    assert GAME.solve(won, MAX_AUTO, LIMITS, short=9000).length == 0


def test_limits_hold() -> None:
    deals = list(map(ms_deal, (1, 2, 3, 4, 7)))
    fast = [GAME.solve(deal, MAX_AUTO, LIMITS) for deal in deals]
    first, every = ([length(deal, MAX_AUTO, short) for deal in deals] for short in (3000, 50_000))
    assert sum(every) < sum(first) < sum(outcome.length for outcome in fast)
    # There are nodes for the first beam alone.
    for deal, outcome, expected in zip(deals, fast, first, strict=True):
        bound = Limits(max_nodes=outcome.nodes + 3000, memory_mib=32)
        assert length(deal, MAX_AUTO, 50_000, bound) == expected
    # There is room for the first beam alone.
    least = Limits(max_nodes=2_000_000, memory_mib=1)
    assert [length(deal, MAX_AUTO, 50_000, least) for deal in deals] == first
    timed = Limits(max_nodes=2_000_000, memory_mib=32, max_seconds=1e-9)
    assert GAME.solve(deals[0], MAX_AUTO, timed, short=50_000).verdict is not Verdict.UNWINNABLE


def test_what_is_not_offered_is_refused() -> None:
    pyramid = load("pyramid")
    with pytest.raises(UnknownNameError, match="short"):
        pyramid.solve(None, pyramid.profiles["classic"], LIMITS, short=1)
    with pytest.raises(InvalidNumberError, match="short is -1"):
        GAME.solve(ms_deal(1), MAX_AUTO, LIMITS, short=-1)


@pytest.mark.bounds
def test_slices_change_nothing() -> None:
    block = new_arena(session.session_size(8))
    address = block.ctypes.data
    session.prepare(address, 8)
    for number, profile in ((164, MAX_AUTO), (617, PROFILES["safe-auto"]), (1, PROFILES["bakers"])):
        packed = layout.pack(rules.start(ms_deal(number), profile))
        packed_rules, line = layout.pack_profile(profile), np.empty(4096, np.uint16)
        answers = []
        for nodes in (1, 100, 10**9):
            session.begin_short(address, packed, packed_rules, 200, 3000)
            found = status.OPEN
            while found == status.OPEN:
                found = session.shorten(address, nodes)
                moves = unpack_moves(line[: session.take_line(address, line)])
            spent = session.nodes_spent(address)
            answers.append((found, spent, moves))
        assert answers[0] == answers[1] == answers[2]
        found, spent, moves = answers[0]
        assert (found == status.WON) == (len(moves) > 0)
        assert spent <= 3000
        if moves:
            assert rules.is_won(replay(rules, ms_deal(number), moves, profile), profile)
