"""The door for Python users: what one would guess works, and nothing heavy is loaded for it."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import numpy as np
import pytest
from freecell_cases import BEFORE
from oracles import freecell_naive

import winnable
from solvers import games
from solvers.outcome import Verdict

#: Deals that are known from outside: one that everybody wins, one that nobody can.
LOST = 11982


def run(code: str) -> str:
    """Run Python in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_and_playing_load_neither_numpy_nor_numba() -> None:
    code = (
        "import sys, winnable\n"
        "table = winnable.deal('freecell', 617)\n"
        "table.push(table.legal_moves[0]); table.pop(); str(table); table.to_json()\n"
        "winnable.read('pyramid', str(winnable.deal('pyramid', 2)))\n"
        "print([name for name in ('numpy', 'numba', 'click', 'tqdm') if name in sys.modules])"
    )
    assert run(code) == "[]\n"


def test_the_module_is_the_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "winnable", "check", "freecell", str(LOST), "--json"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["verdict"] == "unwinnable"


@pytest.mark.parametrize("name", games.NAMES)
def test_a_table_is_played_to_the_end_and_back(name: str) -> None:
    """By moves as objects and as text; every position on the way is found again on the way back."""
    table = winnable.deal(name, 2)
    seen = [table.state]
    for ply, move in enumerate(table.solve().moves):
        assert table.is_legal(move)
        assert table.push(str(move) if ply % 2 else move) == move
        seen.append(table.state)
    assert table.is_won
    assert len(table.moves) == len(seen) - 1
    assert table.hint().outcome.moves == ()
    while table.moves:
        seen.pop()
        table.pop()
        assert table.state == seen[-1]
    with pytest.raises(IndexError):
        table.pop()


@pytest.mark.parametrize("name", games.NAMES)
def test_a_position_is_read_as_it_was_written(name: str) -> None:
    """As text, as JSON and as its object, in mid-game under every named profile."""
    rng = random.Random(name)
    for profile in games.load(name).profiles:
        table = winnable.deal(name, rng.randrange(1, 1000), profile=profile)
        for _ in range(12):
            moves = table.legal_moves
            if moves:
                table.push(rng.choice(moves))
        for board in (str(table), json.dumps(table.to_json()), table.to_json()):
            again = winnable.read(name, board, profile=profile)
            assert again.to_json() == table.to_json()
            assert (again.game, again.profile, again.number) == (name, profile, None)


@pytest.mark.parametrize("name", games.NAMES)
def test_hints_are_followed_without_a_search_and_looked_for_anew_when_they_are_not(name: str):
    """No nodes are spent while the player follows; a detour costs a search, and still wins."""
    table = winnable.deal(name, 2)
    first = table.hint()
    assert first.outcome.nodes > 0 or first.outcome.moves
    table.push(first.outcome.moves[0])
    followed = table.hint()
    assert followed.outcome.nodes == 0
    assert followed.outcome.moves == first.outcome.moves[1:]
    other = [move for move in table.legal_moves if move != followed.outcome.moves[0]]
    if other:
        table.push(other[0])
        detour = table.hint()
        if detour.verdict is Verdict.WINNABLE:
            table.push(detour.outcome.moves[0])
            assert table.hint().outcome.nodes == 0


@pytest.mark.parametrize("name", games.NAMES)
def test_a_line_is_replayed_and_changes_nothing(name: str) -> None:
    """As a text, as texts and as moves; from where the table is."""
    table = winnable.deal(name, 2)
    moves = table.solve().moves
    text = games.load(name).format_moves(moves)
    for line in (text, [str(move) for move in moves], moves):
        played = table.replay(line)
        assert (played.wins, played.fault, played.moves) == (True, None, moves)
        assert (played.states[0], table.moves) == (table.state, ())
    table.push(moves[0])
    assert table.replay(moves[1:]).wins
    short = table.replay(moves[1:-1])
    assert (short.wins, short.fault) == (False, None)
    again = table.replay([*moves[1:4], moves[-1]])
    assert again.fault is not None
    assert (again.moves, again.fault.ply) == (moves[1:4], 4)
    with pytest.raises(winnable.NotationError):
        table.replay("what is this")


def test_moves_are_judged_and_the_loss_is_found() -> None:
    """7H to the last cell loses this position; so does what the oracle calls lost, alone."""
    options = freecell_naive.Options()
    table = winnable.read("freecell", BEFORE)
    lost = [str(move) for move, what in table.judge().items() if what is Verdict.UNWINNABLE]
    start = freecell_naive.read_board(BEFORE, options)
    for move in map(str, table.legal_moves):
        after = freecell_naive.played(start, move, options)
        explored = freecell_naive.explore(after, options, 2_000)
        assert (explored is not None and not explored.winnable) == (move in lost)
    assert "3d" in lost
    assert table.describe("3d") == "7H from column 3 to cell d"
    for move in ("3d", "53"):
        table.push(move)
    found = table.find_loss()
    assert (found.last_winnable, found.first_lost, found.undecided) == (0, 1, ())
    assert found.outcome is not None
    assert winnable.read("freecell", BEFORE).replay(found.outcome.moves).wins
    hurried = table.find_loss(max_nodes=1)
    assert hurried.undecided == (0, 1, 2)


def test_a_hint_of_fewest_moves_is_looked_for_anew_and_then_followed() -> None:
    table = winnable.deal("pyramid", 2)
    fewest = table.solve(optimal=True).length
    assert table.hint().outcome.length > fewest
    best = table.hint(optimal=True).outcome
    assert (best.length, best.nodes > 0) == (fewest, True)
    table.push(best.moves[0])
    for optimal in (True, False):
        followed = table.hint(optimal=optimal).outcome
        assert (followed.length, followed.nodes) == (fewest - 1, 0)


def test_answers_in_bulk_are_those_of_the_tables() -> None:
    """Verdicts, nodes, efforts and grades, in the order given, with any number of threads."""
    for name in games.NAMES:
        numbers = [5, 3, 1, 2, 9]
        graded = winnable.grade(name, numbers, jobs=2)
        checked = winnable.check(name, np.array(numbers))
        assert graded.numbers.tolist() == checked.numbers.tolist() == numbers
        assert graded.verdict.tolist() == checked.verdict.tolist()
        assert checked.effort is None
        assert checked.grade is None
        for row, number in enumerate(numbers):
            deal = winnable.deal(name, number).grade()
            assert deal.verdict == graded.verdict[row]
            assert (deal.effort or 0) == graded.effort[row]
            assert (deal.grade or "") == graded.grade[row]
            assert graded.percentile[row] == (-1 if deal.percentile is None else deal.percentile)
            assert winnable.deal(name, number).check().verdict == checked.verdict[row]


def test_answers_are_sorted_by_verdict() -> None:
    answers = winnable.check("freecell", [617, LOST], max_nodes=10_000_000)
    assert answers.winnable.tolist() == [617]
    assert answers.unwinnable.tolist() == [LOST]
    hurried = winnable.check("freecell", (number for number in (617, LOST)), max_nodes=1)
    assert hurried.undecided.tolist() == [617, LOST]
    assert hurried.limit.tolist() == [1, 1]
    assert winnable.check("freecell", []).numbers.tolist() == []


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: winnable.deal("spider", 1), winnable.UnknownNameError, "freecell, pyramid, plot"),
        (lambda: winnable.deal("freecell", 0), winnable.InvalidNumberError, "ms has 1"),
        (lambda: winnable.deal("freecell", 1.5), winnable.InvalidNumberError, "ms has 1"),
        (lambda: winnable.deal("freecell", "x"), winnable.NotationError, "'x'"),
        (lambda: winnable.deal("freecell", 1, profile="x"), winnable.UnknownNameError, "classic"),
        (lambda: winnable.deal("freecell", 1, numbering="x"), winnable.UnknownNameError, "ms"),
        (lambda: winnable.read("freecell", ""), winnable.NotationError, "empty"),
        (lambda: winnable.read("freecell", {"colums": []}), winnable.NotationError, "columns"),
        (
            lambda: winnable.read("freecell", {"cells": []}),
            winnable.InvalidDealError,
            "missing",
        ),
        (lambda: winnable.check("freecell", [1], method="x"), winnable.UnknownNameError, "fast"),
        (lambda: winnable.check("freecell", [1], max_nodes=0), winnable.InvalidNumberError, "0"),
        (lambda: winnable.check("freecell", [1], jobs=0), winnable.InvalidNumberError, "jobs is 0"),
        (lambda: winnable.grade("plot", [1], jobs=1.5), winnable.InvalidNumberError, "jobs is 1"),
        (lambda: winnable.check("freecell", [1], jobs=True), winnable.InvalidNumberError, "True"),
        (lambda: winnable.check("freecell", [2**40]), winnable.InvalidNumberError, "ms has 1"),
        (lambda: winnable.check("freecell", ["1"]), winnable.InvalidNumberError, "ms has 1"),
        (lambda: winnable.deal("plot", 1).solve(optimal=True), winnable.UnknownNameError, "fast"),
        (lambda: winnable.Pool.open("/no/such/pool"), winnable.PoolFormatError, "/no/such/pool"),
    ],
)
def test_what_does_not_exist_says_what_does(call, error, words) -> None:
    with pytest.raises(error, match=words):
        call()


def test_a_profile_without_a_scale_has_efforts_and_no_grades() -> None:
    deal = winnable.deal("freecell", 3, profile="classic,cells=3").grade()
    assert (deal.grade, deal.percentile) == (None, None)
    many = winnable.grade("freecell", [3], profile="classic,cells=3")
    assert (many.effort.tolist(), many.grade.tolist()) == ([deal.effort], [""])
    assert many.percentile.tolist() == [-1]


def test_only_whole_deals_are_graded() -> None:
    table = winnable.deal("pyramid", 2)
    table.push(table.legal_moves[0])
    assert table.grade().grade  # of the deal that it began with
    with pytest.raises(winnable.InvalidDealError, match="mid-game"):
        winnable.read("pyramid", str(table)).grade()


def test_short_hints_are_followed_to_the_end() -> None:
    table = winnable.deal("freecell", 7, profile="max-auto")
    length = table.solve(short=True, effort=1).length
    for left in range(length, 0, -1):
        hint = table.hint(short=True, effort=1)
        assert hint.outcome.length == left
        table.push(hint.outcome.moves[0])
    assert table.is_won
