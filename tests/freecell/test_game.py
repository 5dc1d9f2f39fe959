"""FreeCell as the registry hands it out: the members of `Game`, wired to their rooms."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from freecell_cases import fc_solve_lines, ms_deal, random_play
from freecell_packed import decks_of

from solvers import games
from solvers.errors import IllegalMoveError, NotationError, UnknownNameError
from solvers.freecell import game, rules
from solvers.freecell.rules import PROFILES
from solvers.freecell.solver import SOLVER
from solvers.outcome import Limits, Verdict

GAME = games.load("freecell")
CLASSIC = PROFILES["classic"]
SMALL = Limits(20_000, 16)


def test_the_registry_hands_out_the_one_game() -> None:
    assert id(GAME) == id(game.GAME)
    assert "freecell" in games.NAMES
    with pytest.raises(UnknownNameError, match="unknown game 'FreeCel', did you mean 'freecell'"):
        games.load("FreeCel")


def test_data() -> None:
    assert (GAME.name, GAME.title, GAME.deck_size) == ("freecell", "FreeCell", 52)
    assert list(GAME.profiles) == ["classic", "linear", "safe-auto", "max-auto", "bakers"]
    assert all(profile.name == name for name, profile in GAME.profiles.items())
    assert GAME.default_profile == "classic"
    assert GAME.methods == ("fast", "best-first", "dfs")
    assert GAME.grader.name == "freecell-2"


def test_bench_lists_are_of_valid_numbers_and_hold_the_known_deals() -> None:
    lists = GAME.bench_deals
    for numbers in lists.values():
        assert len(numbers) == len(set(numbers)) > 0
        assert all(1 <= number < 1 << 33 for number in numbers)
    known = {11982, 146692, 186216, 455889, 495505, 512118, 517776, 781948}
    assert any(known <= set(numbers) for numbers in lists.values())


def test_rules_and_notation() -> None:
    deck = decks_of([617])[0].tolist()
    state = GAME.deal(deck)
    assert state == ms_deal(617)
    assert GAME.parse_board(GAME.format_board(state), CLASSIC) == state
    assert GAME.position_from_json(GAME.position_to_json(state), CLASSIC) == state
    begun = GAME.start(state, CLASSIC)
    moves = GAME.legal_moves(begun, CLASSIC)
    assert moves == rules.legal_moves(begun, CLASSIC)
    for move in moves:
        assert GAME.parse_move(GAME.format_move(move)) == move
        assert GAME.apply(begun, move, CLASSIC) == rules.apply(begun, move, CLASSIC)
    with pytest.raises(IllegalMoveError):
        GAME.apply(begun, GAME.parse_move("a1"), CLASSIC)
    with pytest.raises(NotationError):
        GAME.parse_move("99")
    line = [GAME.parse_move(text) for text in fc_solve_lines()[1]]
    end = GAME.replay(ms_deal(1), line, CLASSIC)
    assert GAME.is_won(end, CLASSIC)
    assert not GAME.is_won(ms_deal(1), CLASSIC)


def test_moves_are_taken_as_texts_and_what_is_wrong_with_them_is_said() -> None:
    texts = fc_solve_lines()[1]
    line = [GAME.parse_move(text) for text in texts]
    end = GAME.replay(ms_deal(1), line, CLASSIC)
    assert GAME.replay(ms_deal(1), texts, CLASSIC) == end
    assert GAME.replay(ms_deal(1), [texts[0], *line[1:]], CLASSIC) == end
    assert GAME.apply(ms_deal(1), texts[0], CLASSIC) == GAME.apply(ms_deal(1), line[0], CLASSIC)
    with pytest.raises(NotationError, match="'9z' is not a move"):
        GAME.replay(ms_deal(1), [texts[0], "9z"], CLASSIC)
    with pytest.raises(IllegalMoveError) as caught:
        GAME.replay(ms_deal(1), [texts[0], *texts], CLASSIC)
    assert caught.value.ply == 2
    hint = GAME.hint(ms_deal(1), CLASSIC, SMALL, line=texts)
    assert (hint.outcome.nodes, hint.outcome.moves) == (0, tuple(line))


def test_start_does_the_autoplay_of_the_profile_with_its_cells() -> None:
    profile = rules.Profile("classic", cells=6, autoplay="max")
    for number in range(1, 30):
        assert GAME.start(ms_deal(number), profile) == rules.start(ms_deal(number), profile)
        assert len(GAME.start(ms_deal(number), profile).cells) == 6


def test_packed_lines_are_texts_and_back() -> None:
    for number in range(1, 20):
        history = random_play(ms_deal(number), CLASSIC, random.Random(number), 50)
        texts = [str(move) for move, _ in history if move is not None]
        packed = GAME.parse_line(texts)
        assert packed.dtype == np.uint16
        assert GAME.format_line(packed) == texts
    assert GAME.format_line(GAME.parse_line([])) == []
    with pytest.raises(NotationError):
        GAME.parse_line(["26", "xx"])


def test_solving_is_the_solvers() -> None:
    decks = decks_of([1, 2, 11982])
    for method in GAME.methods:
        batch = GAME.solve_many(decks, CLASSIC, SMALL, want_lines=True, method=method)
        same = SOLVER.solve_decks(
            decks, CLASSIC, SMALL, want_lines=True, method=GAME.methods.index(method)
        )
        for name in ("verdict", "nodes", "limit", "length", "lines", "offsets"):
            assert getattr(batch, name).tolist() == getattr(same, name).tolist()
    fast = GAME.solve_many(decks, CLASSIC, SMALL, want_lines=True)
    outcome = GAME.solve(ms_deal(2), CLASSIC, SMALL)
    assert outcome == SOLVER.solve(ms_deal(2), CLASSIC, SMALL)
    assert outcome.verdict is Verdict.WINNABLE
    assert [str(move) for move in outcome.moves] == GAME.format_line(fast.line(1))
    wins = GAME.replay_many(decks, CLASSIC, fast.lines, fast.offsets)
    assert wins.tolist() == (fast.verdict == Verdict.WINNABLE).tolist()
    short = [outcome.length for outcome in GAME.short_many(decks, CLASSIC, SMALL, 5000)]
    assert short == [
        SOLVER.solve(ms_deal(number), CLASSIC, SMALL, short=5000).length for number in (1, 2, 11982)
    ]
    assert all(0 <= left <= right for left, right in zip(short, fast.length, strict=True))
    efforts = SOLVER.measure_decks(decks, CLASSIC)
    assert GAME.measure_many(decks, CLASSIC).tolist() == efforts.tolist()


def test_fewest_moves_are_not_offered() -> None:
    assert not GAME.offers_optimal(CLASSIC)
    with pytest.raises(UnknownNameError):
        GAME.solve(ms_deal(1), CLASSIC, SMALL, optimal=True)


def run_python(code: str) -> str:
    """Run code in a process of its own; return what it printed."""
    root = Path(games.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_games_data_and_rules_load_neither_numpy_nor_numba() -> None:
    printed = run_python(
        "import sys\n"
        "from solvers import games\n"
        "game = games.load('freecell')\n"
        "profile = game.profiles['classic']\n"
        "state = game.start(game.deal(range(52)), profile)\n"
        "game.format_board(game.apply(state, game.legal_moves(state, profile)[0], profile))\n"
        "game.grader, game.default_limits, game.methods, game.bench_deals\n"
        "print([name for name in ('numpy', 'numba') if name in sys.modules])"
    )
    assert printed == "[]\n"


def test_hints_followed_to_the_end_win() -> None:
    order = ("foundation", "column", "cell", "empty column")
    for number, name in ((5, "classic"), (24, "safe-auto"), (617, "max-auto")):
        profile = PROFILES[name]
        state = rules.start(ms_deal(number), profile)
        left = 200
        while not rules.is_won(state, profile):
            hint = GAME.hint(state, profile, Limits(1_000_000, 64))
            assert hint.outcome.verdict is Verdict.WINNABLE
            move = hint.outcome.moves[0]
            kinds = [kind for _, kind in hint.legal_moves]
            assert kinds == sorted(kinds, key=order.index)
            assert GAME.format_move(move) in {text for text, _ in hint.legal_moves}
            state = rules.apply(state, move, profile)
            left -= 1
            assert left > 0


def test_a_hint_tells_capacities_and_when_no_decision_is_left() -> None:
    hint = GAME.hint(ms_deal(11982), CLASSIC, Limits(1_000_000, 64))
    assert hint.outcome.verdict is Verdict.UNWINNABLE
    assert hint.extras["capacity"] == {"column": 5, "empty_column": 0}
    assert hint.finishes_by_itself is False
    assert [kind for _, kind in hint.legal_moves].count("cell") == 8
    # Kings left, one on another; a run of two on the table, one cell taken, six columns empty.
    state = rules.State(((50, 51), (49,), *[()] * 6), (48, -1, -1, -1), (12, 12, 12, 12))
    hint = GAME.hint(state, CLASSIC, SMALL)
    assert hint.finishes_by_itself is True
    assert hint.extras["capacity"] == {"column": 4 * 2**6, "empty_column": 4 * 2**5}
    assert hint.extras["longest_movable"] == [1, 1, 0, 0, 0, 0, 0, 0]
