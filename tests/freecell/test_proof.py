"""The exhaustive search: it visits exactly what can be reached, and never claims more."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from freecell_bench import read_one
from freecell_cases import (
    ReducedGame,
    ms_deal,
    naive_options,
    naive_table,
    random_play,
    reachable_positions,
    reduced_deal,
    reduced_games,
)
from freecell_packed import SMALL_SHAPES, written_line
from oracles import freecell_naive as naive

from solvers.freecell import layout, proof, rules
from solvers.freecell.lines import MAX_WAY
from solvers.freecell.rules import Profile, State
from solvers.play import replay
from solvers.search import status
from solvers.search.arena import new_arena

MIB = 1 << 20


class Exhaustion:
    """The exhaustive search of a position under a profile's own autoplay, run in slices.

    memory  bytes of its tables
    stop    whether to stop at a win
    """

    def __init__(self, state: State, profile: Profile, *, stop: bool, memory: int = MIB) -> None:
        """Lay its memory out, and begin."""
        self._rules = layout.pack_profile(profile)
        self.arena = new_arena(proof.arena_size(memory))
        self._way = np.empty(proof.way_size(memory) // 8 + 1, np.int64)
        proof.lay_out(self.arena.ctypes.data, memory)
        proof.start(self.arena.ctypes.data, layout.pack(state), self._rules, stop)

    @property
    def positions(self) -> int:
        """How many positions have been found so far."""
        return read_one(self.arena, proof.PROOF, "found")

    @property
    def nodes(self) -> int:
        """How many positions have been expanded so far."""
        return read_one(self.arena, proof.PROOF, "visited")

    def go_on(self, nodes: int) -> int:
        """Expand up to `nodes` more; return the status."""
        return int(proof.run(self.arena.ctypes.data, self._rules, nodes))

    def macros(self, slice_: int = 1 << 40) -> list[int]:
        """Return the macros that lead to the won position, looked for in slices."""
        address, way = self.arena.ctypes.data, self._way.ctypes.data
        while not proof.find_way(address, self._rules, way, slice_):
            pass
        macros = np.empty(MAX_WAY, np.int64)
        return macros[: proof.read_way(address, way, macros)].tolist()


def run(search: Exhaustion, slice_: int = 1 << 40) -> tuple[int, int]:
    """Go on in slices of nodes until something stops the search; return status and nodes."""
    while (ended := search.go_on(slice_)) == status.OPEN:
        pass
    return ended, search.nodes


def oracle_of(game: ReducedGame) -> naive.Explored:
    """Return what the oracle says, counted as the proof counts.

    By suit, the proof's safe autoplay takes all that fits: no card can be built on one that
    may go. That is the rules' autoplay max, whose safe holds back for the other colour. And the
    proof begins after the autoplay, also where the table's waits for the first move.
    """
    options = replace(naive_options(game.profile), autoplay_on_deal=True)
    if (game.profile.build, game.profile.autoplay) == ("suit", "safe"):
        options = replace(options, autoplay="max")
    if options == naive_options(game.profile):
        return game.explored
    explored = naive.explore(naive_table(game.state), options)
    assert explored is not None
    return explored


# Everything that can be reached.


@pytest.mark.bounds
def test_reduced_games_are_counted_and_decided_as_by_the_oracle() -> None:
    unwinnable = 0
    for game in reduced_games():
        oracle = oracle_of(game)
        assert oracle.winnable == game.explored.winnable
        counted = Exhaustion(game.state, game.profile, stop=False)
        ended, nodes = run(counted)
        assert (ended, nodes, counted.positions) == (
            status.LOST,
            oracle.positions,
            oracle.positions,
        ), game
        ended, _ = run(Exhaustion(game.state, game.profile, stop=True))
        assert ended == (status.WON if oracle.winnable else status.LOST), game
        unwinnable += not oracle.winnable
    assert len(reduced_games()) / 4 <= unwinnable <= len(reduced_games()) * 3 / 4


def test_positions_in_mid_game_are_counted_as_by_the_oracle() -> None:
    compared = 0
    for game in reduced_games()[::3]:
        rng = random.Random(str(game.state))
        state = random_play(game.state, game.profile, rng, rng.randrange(1, 8))[-1][1]
        options = replace(naive_options(game.profile), autoplay_on_deal=True)
        explored = naive.explore(naive_table(state), options)
        assert explored is not None
        if (game.profile.build, game.profile.autoplay) == ("suit", "safe"):
            continue
        search = Exhaustion(state, game.profile, stop=False)
        assert run(search) == (status.LOST, explored.positions)
        compared += explored.positions > 2
    assert compared > 20


@pytest.mark.parametrize(("number", "autoplay", "positions"), reachable_positions())
def test_the_reference_positions_are_counted_exactly(
    number: int, autoplay: str, positions: int
) -> None:
    profile = Profile("classic", autoplay=autoplay)
    search = Exhaustion(ms_deal(number), profile, stop=False, memory=100 * MIB)
    assert run(search) == (status.LOST, positions)
    assert search.positions == positions
    if positions > 100_000:
        return
    # None of them is won: stopping at a win changes nothing.
    search = Exhaustion(ms_deal(number), profile, stop=True, memory=100 * MIB)
    assert run(search) == (status.LOST, positions)


# Bounds.


@pytest.mark.parametrize("slice_", [1, 7, 1000, 4381, 4382])
def test_slices_of_nodes_change_nothing(slice_: int) -> None:
    profile = Profile("classic", autoplay="safe")
    search = Exhaustion(ms_deal(781948), profile, stop=True)
    assert run(search, slice_) == (status.LOST, 4381)


def test_a_slice_expands_no_more_than_it_may() -> None:
    search = Exhaustion(ms_deal(781948), Profile("classic", autoplay="safe"), stop=True)
    for expected in (1000, 2000, 3000, 4000, 4381):
        ended = search.go_on(1000)
        assert search.nodes == expected
    assert ended == status.LOST


def test_a_win_is_found_in_slices_as_at_once() -> None:
    for game in reduced_games()[::7]:
        at_once = Exhaustion(game.state, game.profile, stop=True)
        in_slices = Exhaustion(game.state, game.profile, stop=True)
        assert run(at_once) == run(in_slices, 1)
        if game.explored.winnable:
            assert at_once.macros() == in_slices.macros(1)


def test_too_little_memory_is_said_and_decides_nothing() -> None:
    number, positions = 781948, 4381
    statuses = []
    for memory in (0, 1, 36, 1000, 20_000, 60_000, 100_000, 150_000, 170_000, 250_000, MIB):
        search = Exhaustion(ms_deal(number), Profile("classic", autoplay="safe"), stop=True)
        small = Exhaustion(
            ms_deal(number), Profile("classic", autoplay="safe"), stop=True, memory=memory
        )
        ended, _ = run(small)
        statuses.append(ended)
        assert ended in (status.LOST, status.OUT_OF_MEMORY)
        assert small.positions <= positions
        assert (ended == status.LOST) == (small.positions == positions)
        assert run(search) == (status.LOST, positions)
    # More memory never decides less.
    assert statuses == sorted(statuses, key=[status.OUT_OF_MEMORY, status.LOST].index)
    assert {*statuses} == {status.OUT_OF_MEMORY, status.LOST}


def test_too_little_memory_never_turns_a_verdict_round() -> None:
    for game in reduced_games()[::2]:
        decided = status.WON if game.explored.winnable else status.LOST
        for memory in (0, 360, 3600):
            ended, _ = run(Exhaustion(game.state, game.profile, stop=True, memory=memory))
            assert ended in (decided, status.OUT_OF_MEMORY)


def test_tables_keep_to_the_memory_that_they_are_given() -> None:
    for memory in (1 << 17, MIB, 3 * MIB, 10 * MIB, 400 * MIB):
        search = Exhaustion(ms_deal(1), Profile("classic"), stop=True, memory=memory)
        assert memory / 2 < search.arena.nbytes <= memory + 4096


def test_positions_are_never_more_than_links_can_count() -> None:
    for mib in (1, 400, 100_000, 1 << 24):
        bits, size = proof.table_sizes(mib * MIB)
        assert 1 <= size <= (1 << 31) - 2
        # The index never fills up: a search in it ends.
        assert 5 * size <= 4 << bits


# Wins.


def test_wins_are_written_as_lines_that_the_rules_accept() -> None:
    wins = 0
    for game in [game for game in reduced_games() if game.explored.winnable]:
        search = Exhaustion(game.state, game.profile, stop=True)
        assert run(search)[0] == status.WON
        assert_wins(game.state, game.profile, search.macros())
        wins += 1
    assert wins > 40


def test_wins_of_larger_games_are_written_too() -> None:
    wins = 0
    for seed in range(120):
        rng = random.Random(seed)
        profile = Profile(
            "classic",
            cells=rng.randrange(1, 4),
            build=rng.choice(("alternate", "alternate", "suit")),
            supermove=rng.choice(("power", "linear", "single")),
            autoplay=rng.choice(("safe", "max")),
        )
        state = reduced_deal(rng, rng.randrange(6, 10), rng.randrange(4, 7), profile.cells)
        search = Exhaustion(state, profile, stop=True)
        if search.go_on(5000) == status.WON:
            assert_wins(state, profile, search.macros())
            wins += 1
    assert wins > 60


def assert_wins(state: State, profile: Profile, macros: list[int]) -> None:
    """Write the line of a found win and replay it by the plain rules."""
    # Nothing is forced under none; whatever the search leaves lying is moved by the line.
    searched = max(int(layout.pack_profile(profile)[layout.RULE_AUTOPLAY]), layout.SAFE)
    moves = written_line(state, macros, searched, profile)
    assert moves is not None
    assert rules.is_won(replay(rules, state, moves, profile), profile)


def test_a_won_position_is_won_without_a_move() -> None:
    state = State(((),) * 8, (-1,) * 4, (13, 13, 13, 13))
    search = Exhaustion(state, Profile("classic"), stop=True)
    assert run(search) == (status.WON, 1)
    assert search.macros() == []


def test_small_games_of_every_shape_are_among_the_cases() -> None:
    shapes = {
        (sum(map(len, game.state.columns)) // 4, len(game.state.columns))
        for game in reduced_games()
    }
    assert shapes <= set(SMALL_SHAPES)
    assert len(shapes) >= 5


def test_a_full_table_never_runs_dry() -> None:
    # 83,239 positions, and room for some 30,000.
    search = Exhaustion(ms_deal(11982), Profile("classic"), stop=True, memory=MIB)
    assert run(search, 1000)[0] == status.OUT_OF_MEMORY
