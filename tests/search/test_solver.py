"""What the solvers of all games share: lines that come late, and the clock that gives up."""

from __future__ import annotations

import numpy as np
import pytest

from dealgen.numbering import numbering_of
from solvers import games
from solvers.outcome import Limit, Limits, Verdict
from solvers.search import solver
from solvers.search.solver import Rows

MS = numbering_of("ms")
#: Deals that the first stages leave open, winnable and unwinnable ones, as found by others.
LATE = {"freecell": [193879, 11982], "pyramid": [1, 2], "plot": [16, 441]}


def test_late_lines_come_into_their_places() -> None:
    """Rows keep their own lines otherwise, and room behind the last one is not a line."""
    rows = Rows.empty(3, 4)
    rows.lines[:] = [1, 2, 3, 99]
    rows.offsets[:] = [0, 2, 2, 3]
    merged, ends = solver._merge_lines(rows, {1: np.array([7, 8], np.uint16)})
    assert merged.tolist() == [1, 2, 7, 8, 3]
    assert ends.tolist() == [0, 2, 4, 5]
    same, ends = solver._merge_lines(rows, {})
    assert same.tolist() == [1, 2, 3]
    assert ends.tolist() == [0, 2, 2, 3]


@pytest.mark.parametrize("name", games.NAMES)
def test_lines_of_bulk_and_of_single_positions_belong_to_their_rows(name: str) -> None:
    """Whatever came first: each line wins its own deck, and the same as by itself."""
    game = games.load(name)
    profile = game.profiles[game.default_profile]
    decks = MS.decks(game, [3, *LATE[name], 5, 8])
    batch = game.solve_many(decks, profile, game.default_limits, want_lines=True)
    wins = game.replay_many(decks, profile, batch.lines, batch.offsets)
    assert wins.tolist() == (batch.verdict == Verdict.WINNABLE).tolist()
    assert (batch.length == np.diff(batch.offsets)).all()
    for row in range(len(decks)):
        alone = game.solve_many(decks[row : row + 1], profile, game.default_limits, want_lines=True)
        assert alone.line(0).tolist() == batch.line(row).tolist()


def test_room_for_lines_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch whose lines need more room than was made at first loses none of them."""
    game = games.load("freecell")
    profile = game.profiles["classic"]
    decks = MS.decks(game, range(1, 30))
    whole = game.solve_many(decks, profile, game.default_limits, want_lines=True)
    monkeypatch.setattr(game.solver, "line_room", 1)
    monkeypatch.setattr(solver, "LONGEST_LINE", 4096)
    pieces = game.solve_many(decks, profile, game.default_limits, want_lines=True)
    assert pieces.lines.tolist() == whole.lines.tolist()
    assert pieces.offsets.tolist() == whole.offsets.tolist()


def test_the_clock_leaves_a_search_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """And names itself as the limit; without it the same search goes on."""
    game = games.load("freecell")
    state = game.deal(MS.deck(game, 11982))
    profile = game.profiles["classic"]
    now = iter(range(10**6))
    monkeypatch.setattr("time.monotonic", lambda: float(next(now)))
    monkeypatch.setattr(solver, "_SLICE", 100)
    outcome = game.solve(state, profile, Limits(10_000_000, 64, 3.0))
    assert (outcome.verdict, outcome.limit) == (Verdict.UNDECIDED, Limit.SECONDS)
    assert 0 < outcome.nodes <= 301
