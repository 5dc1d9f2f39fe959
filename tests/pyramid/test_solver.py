"""Verdicts, lines and limits of the public solver, alone and in bulk."""

from __future__ import annotations

import itertools
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numba.core.types import unliteral
from oracles import pyramid_replayer as replayer
from pyramid_cases import as_naive, microsoft_decks, random_play, varied, varied_profiles

from dealgen.numbering import numbering_of
from solvers.cards import format_card
from solvers.errors import InvalidDealError, UnknownNameError
from solvers.games import load
from solvers.jit import KERNELS
from solvers.outcome import Limit, Limits, Verdict
from solvers.pyramid import ideals, rules
from solvers.pyramid.layout import BIT_OF, PLACE_BITS, unpack_moves
from solvers.pyramid.rules import PROFILES, Profile
from solvers.pyramid.solver import SOLVER
from solvers.search.arena import new_arena

GAME = load("pyramid")
LIMITS = GAME.default_limits
MS = numbering_of("ms")


def test_reference_decks_under_microsoft() -> None:
    """All 750: verdict and fewest steps (mchung94/pyramid-solver)."""
    decks, steps = microsoft_decks()
    shortest = GAME.solve_many(
        decks, PROFILES["microsoft"], LIMITS, want_lines=True, method="astar"
    )
    assert shortest.length.tolist() == steps
    assert shortest.verdict.tolist() == [1 if fewest else 2 for fewest in steps]
    wins = GAME.replay_many(decks, PROFILES["microsoft"], shortest.lines, shortest.offsets)
    assert wins.tolist() == [fewest > 0 for fewest in steps]
    quick = SOLVER.solve_decks(decks, PROFILES["microsoft"], LIMITS, want_lines=False)
    assert (quick.verdict == shortest.verdict).all()


@pytest.mark.parametrize(
    ("profile", "share", "tolerance"),
    [
        (PROFILES["classic"], 0.8315, 0.0036),
        (varied("classic", cover_pairs=False), 0.6687, 0.0045),
    ],
    ids=str,
)
def test_winnable_shares_of_the_first_100000(
    profile: Profile, share: float, tolerance: float
) -> None:
    """A public study of 100 million deals; three standard deviations."""
    decks = MS.decks(GAME, range(1, 100_001))
    batch = SOLVER.solve_decks(decks, profile, LIMITS, want_lines=False)
    assert (batch.verdict != Verdict.UNDECIDED).all()
    assert abs((batch.verdict == Verdict.WINNABLE).mean() - share) < tolerance


@pytest.mark.parametrize(
    ("cover_pairs", "share", "tolerance"), [(True, 0.2277, 0.04), (False, 0.0902, 0.027)]
)
def test_a_single_pass_with_the_stocks_top_comes_near_the_studys(
    cover_pairs: bool, share: float, tolerance: float
) -> None:
    """The same study, near by; without the stock's top it is .13 and .04."""
    decks = MS.decks(GAME, range(1, 1_001))
    profile = varied("single-pass", cover_pairs=cover_pairs, stock_top=True)
    batch = SOLVER.solve_decks(decks, profile, LIMITS, want_lines=False)
    assert (batch.verdict != Verdict.UNDECIDED).all()
    assert abs((batch.verdict == Verdict.WINNABLE).mean() - share) < tolerance


@pytest.mark.parametrize("profile", varied_profiles(), ids=str)
def test_bulk_and_single_answers_agree_and_every_line_wins(profile: Profile) -> None:
    if profile.goal == "all" and profile.stock_top and profile.redeals is None:
        limits = Limits(20_000, 64)
    else:
        limits = Limits(200_000, 64)
    decks = MS.decks(GAME, range(1, 13))
    batch = SOLVER.solve_decks(decks, profile, limits, want_lines=True)
    wins = GAME.replay_many(decks, profile, batch.lines, batch.offsets)
    assert ((batch.verdict == Verdict.WINNABLE) == wins).all()
    assert (batch.length == np.diff(batch.offsets)).all()
    for row, deck in enumerate(decks):
        state = rules.deal(deck.tolist())
        alone = SOLVER.solve(state, profile, limits)
        assert alone.verdict == batch.verdict[row]
        if alone.verdict is Verdict.WINNABLE:
            line = unpack_moves(batch.line(row))
            assert rules.is_won(GAME.replay(state, line, profile), profile)
            assert line == alone.moves


@pytest.mark.parametrize("name", PROFILES)
def test_lines_of_the_first_deals_win_by_the_naive_replayer_from_their_text(name: str) -> None:
    """Deals 1..500, and the fewest-move lines of some."""
    profile = PROFILES[name]
    decks = MS.decks(GAME, range(1, 501))
    quick = SOLVER.solve_decks(decks, profile, LIMITS, want_lines=True)
    shortest = GAME.solve_many(decks[:40], profile, LIMITS, want_lines=True, method="astar")
    assert (quick.verdict[:40] == shortest.verdict).all()
    assert (quick.verdict == Verdict.WINNABLE).sum() > 10
    for batch in (quick, shortest):
        for row in np.flatnonzero(batch.verdict == Verdict.WINNABLE).tolist():
            deck = [format_card(card) for card in decks[row].tolist()]
            _, options = as_naive(rules.deal(decks[row].tolist()), profile)
            table = replayer.Table(deck[:28], deck[28:], [], 0, options)
            assert replayer.replay(table, GAME.format_line(batch.line(row))), row + 1


def test_more_freedom_never_loses() -> None:
    decks = MS.decks(GAME, range(1, 201))

    def winnable(**options: object):  # type: ignore[no-untyped-def]
        batch = SOLVER.solve_decks(decks, varied("classic", **options), LIMITS, want_lines=False)
        return batch.verdict == Verdict.WINNABLE

    shares = [winnable(redeals=redeals) for redeals in (0, 1, 2, 3, None)]
    for fewer, more in itertools.pairwise(shares):
        assert (fewer <= more).all()
    assert (winnable(redeals=1, cover_pairs=False) <= shares[1]).all()
    assert (shares[0] <= winnable(redeals=0, stock_top=True)).all()
    assert (winnable(goal="all") <= shares[-1]).all()


@pytest.mark.parametrize("name", PROFILES)
def test_can_this_still_be_won(name: str) -> None:
    """From positions of random play; and every step of a solution is still winnable."""
    profile, rng = PROFILES[name], random.Random(name)
    for number in range(1, 9):
        deal = rules.deal(MS.decks(GAME, [number])[0].tolist())
        state = random_play(deal, profile, rng, 40)
        outcome = SOLVER.solve(state, profile, LIMITS)
        for move in outcome.moves:
            state = rules.apply(state, move, profile)
            assert SOLVER.solve(state, profile, LIMITS).verdict is Verdict.WINNABLE
        if outcome.verdict is Verdict.UNWINNABLE:
            for move in rules.legal_moves(state, profile):
                after = rules.apply(state, move, profile)
                assert SOLVER.solve(after, profile, LIMITS).verdict is Verdict.UNWINNABLE


def test_limits_are_named_and_never_turn_into_a_verdict() -> None:
    decks = MS.decks(GAME, range(1, 301))
    full = SOLVER.solve_decks(decks, PROFILES["microsoft"], LIMITS, want_lines=False).verdict
    for max_nodes in (1, 3, 30):
        few = SOLVER.solve_decks(
            decks, PROFILES["microsoft"], Limits(max_nodes, 1), want_lines=False
        )
        undecided = few.verdict == Verdict.UNDECIDED
        assert undecided.any()
        assert (few.limit[undecided] == Limit.NODES).all()
        assert (few.verdict[~undecided] == full[~undecided]).all()
        assert (few.nodes <= max_nodes).all()
    slow = Limits(LIMITS.max_nodes, 64, max_seconds=1e-9)
    state = rules.deal(decks[int((full == Verdict.WINNABLE).argmax())].tolist())
    outcome = GAME.solve(state, PROFILES["microsoft"], slow, method="astar")
    assert (outcome.verdict, outcome.limit) == (Verdict.UNDECIDED, Limit.SECONDS)


def test_little_memory_is_named() -> None:
    deck = microsoft_decks()[0][3]
    outcome = GAME.solve(
        rules.deal(deck.tolist()), PROFILES["classic"], Limits(10**7, 1), method="astar"
    )
    assert outcome.verdict is Verdict.UNDECIDED
    assert outcome.limit is Limit.MEMORY


def test_threads_give_the_same_answers() -> None:
    decks = MS.decks(GAME, range(1, 401))
    profile = PROFILES["microsoft"]
    whole = SOLVER.solve_decks(decks, profile, LIMITS, want_lines=True)
    with ThreadPoolExecutor(2) as pool:
        parts = list(
            pool.map(
                lambda part: SOLVER.solve_decks(part, profile, LIMITS, want_lines=True),
                (decks[:150], decks[150:]),
            )
        )
    for name in ("verdict", "nodes", "length", "lines"):
        joined = np.concatenate([getattr(part, name) for part in parts])
        assert (joined == getattr(whole, name)).all()


def test_bad_input() -> None:
    state = rules.deal(range(52))
    with pytest.raises(UnknownNameError, match="fast, astar"):
        GAME.solve(state, PROFILES["classic"], LIMITS, method="dfs")
    with pytest.raises(InvalidDealError):
        SOLVER.solve(state._replace(stock=()), PROFILES["classic"], LIMITS)


def test_a_won_position_is_won_in_no_moves() -> None:
    gone = (rules.NO_CARD,) * 28
    # What is left: all sevens and sixes, fives and eights, fours and nines.
    won = rules.State(gone, tuple(range(12, 36)))
    for method in GAME.methods:
        outcome = GAME.solve(won, PROFILES["classic"], LIMITS, method=method)
        assert (outcome.verdict, outcome.moves) == (Verdict.WINNABLE, ())
    every = SOLVER.solve(won, varied("classic", goal="all"), LIMITS)
    assert every.verdict is Verdict.UNWINNABLE
    together = rules.State(gone, (12, 35, 13, 34, 14, 33, 15, 32, *range(16, 20), *range(28, 32)))
    kings = varied("microsoft", goal="all")
    assert SOLVER.solve(together._replace(stock=(12, 35)), kings, LIMITS).length == 2


def test_lines_as_text() -> None:
    """As text a line wins by the naive replayer, and is the same line whatever its spelling."""
    decks = MS.decks(GAME, [2])
    line = GAME.solve_many(decks, PROFILES["classic"], LIMITS, want_lines=True).line(0)
    texts = GAME.format_line(line)
    deck = [format_card(card) for card in decks[0].tolist()]
    _, options = as_naive(rules.deal(decks[0].tolist()), PROFILES["classic"])
    assert replayer.replay(replayer.Table(deck[:28], deck[28:], [], 0, options), texts)
    assert (GAME.parse_line(texts) == line).all()
    other = [" ".join(reversed(text.split())).lower() for text in texts]
    assert other != texts
    assert (GAME.parse_line(other) == line).all()


@pytest.mark.parametrize("profile", [*PROFILES.values(), varied("microsoft", goal="all")], ids=str)
@pytest.mark.parametrize("method", GAME.methods)
def test_no_limit_is_exceeded(method: str, profile: Profile) -> None:
    """By whatever limit: no more nodes than allowed, no verdict that more nodes would change."""
    decks = MS.decks(GAME, range(1, 13))
    most = Limits(20_000, 16)
    full = GAME.solve_many(decks, profile, most, want_lines=False, method=method)
    assert (full.nodes <= most.max_nodes).all()
    decided_at_last = 0
    for max_nodes in range(1, 201):
        limits = Limits(max_nodes, 16)
        batch = GAME.solve_many(decks, profile, limits, want_lines=False, method=method)
        assert (batch.nodes <= max_nodes).all()
        open_rows = batch.verdict == Verdict.UNDECIDED
        assert (batch.limit[open_rows] == Limit.NODES).all()
        assert (batch.nodes[open_rows] == max_nodes).all()
        assert (batch.limit[~open_rows] == Limit.NONE).all()
        assert (batch.verdict[~open_rows] == full.verdict[~open_rows]).all()
        assert (batch.nodes[~open_rows] == full.nodes[~open_rows]).all()
        # What few nodes decide, more do.
        assert (~open_rows).sum() >= decided_at_last
        decided_at_last = (~open_rows).sum()
        state = rules.deal(decks[max_nodes % len(decks)].tolist())
        assert GAME.solve(state, profile, limits, method=method).nodes <= max_nodes


@pytest.mark.bounds
@pytest.mark.parametrize("name", PROFILES)
def test_every_search_stays_within_its_arrays(name: str) -> None:
    """Under NUMBA_BOUNDSCHECK=1; the answers are those that were recorded elsewhere."""
    decks, steps = microsoft_decks()
    profile = PROFILES[name]
    for method in GAME.methods:
        batch = GAME.solve_many(decks[:12], profile, LIMITS, want_lines=True, method=method)
        wins = GAME.replay_many(decks[:12], profile, batch.lines, batch.offsets)
        assert ((batch.verdict == Verdict.WINNABLE) == wins).all()
        if name == "microsoft":
            assert (wins == np.array(steps[:12], np.bool_)).all()
    small = GAME.solve_many(decks[:12], profile, Limits(10_000, 1), want_lines=True, method="astar")
    assert set(small.limit.tolist()) <= {Limit.NONE, Limit.NODES, Limit.MEMORY}


def test_hints_take_texts_and_moves_in_either_order_of_a_pair() -> None:
    profile = PROFILES["classic"]
    state = rules.deal(MS.decks(GAME, [1])[0].tolist())
    moves = GAME.solve(state, profile, LIMITS).moves
    spelled = [" ".join(reversed(GAME.format_move(move).split())).lower() for move in moves]
    turned = [move if move.second < 0 else rules.Move(*reversed(move)) for move in moves]
    for line in (spelled, turned, [*spelled[:9], *turned[9:]]):
        hint = GAME.hint(state, profile, Limits(1, 1), line=line)
        assert (hint.outcome.nodes, hint.outcome.moves) == (0, moves)
        assert GAME.format_move(hint.outcome.moves[0]) in dict(hint.legal_moves)


@pytest.mark.bounds
def test_shapes_are_all_that_removals_lead_to_and_know_where_they_lead() -> None:
    """Places with cards as sets: a card can leave that is not covered."""
    arena = new_arena(ideals.SHAPES.size())
    address = arena.ctypes.data
    ideals.write_shapes(address)
    places = {bit: place for place, bit in enumerate(BIT_OF)}
    masks = [ideals.mask_of(address, shape) for shape in range(ideals.IDEALS)]
    sets = [frozenset(places[bit] for bit in places if mask >> bit & 1) for mask in masks]
    assert all(mask.bit_count() == len(left) for mask, left in zip(masks, sets, strict=True))
    numbers = {left: shape for shape, left in enumerate(sets)}
    assert len(numbers) == ideals.IDEALS
    assert len(sets[0]) == rules.PYRAMID_SIZE
    assert sets[ideals.EMPTY] == frozenset()
    for shape, left in enumerate(sets):
        for bit in range(PLACE_BITS):
            found = ideals.without(address, shape, bit)
            place = places.get(bit)
            if place in left and not left.intersection(rules.COVERS[place]):
                assert found == numbers[left - {place}] > shape
            else:
                assert found == ideals.NO_SHAPE


def test_one_signature_a_kernel() -> None:
    """Constants make signatures of their own; types must not."""
    ours = [kernel for kernel in KERNELS if kernel.__module__.startswith("solvers.pyramid")]
    assert ours
    for kernel in ours:
        types = {tuple(unliteral(arg) for arg in signature) for signature in kernel.signatures}
        assert len(types) <= 1, kernel.__name__
