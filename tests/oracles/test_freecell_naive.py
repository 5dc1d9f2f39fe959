"""The naive FreeCell oracle against answers from outside the project."""

from __future__ import annotations

import pytest
from freecell_cases import fc_solve_lines, ms_deal, naive_table, reachable_positions, reduced_games
from oracles import freecell_naive as naive

from solvers.freecell.notation import format_board

#: What plain Python counts in a few seconds; the compiled proof counts all of the file.
SMALL = [case for case in reachable_positions() if case[2] < 9000]


@pytest.mark.parametrize(("number", "autoplay", "positions"), SMALL)
def test_counts_the_reference_positions(number: int, autoplay: str, positions: int) -> None:
    options = naive.Options(autoplay=autoplay)
    explored = naive.explore(naive_table(ms_deal(number)), options)
    assert explored == naive.Explored(winnable=False, positions=positions)


def test_there_are_small_reference_counts_of_every_autoplay() -> None:
    assert {autoplay for _, autoplay, _ in SMALL} == {"none", "safe", "max"}


@pytest.mark.parametrize("number", [1, 2, 20, 40])
def test_accepts_lines_of_fc_solve_and_refuses_spoilt_ones(number: int) -> None:
    board = format_board(ms_deal(number))
    line = fc_solve_lines()[number]
    assert naive.replay(board, line, naive.Options()) == naive.Replay(won=True)
    assert naive.replay(board, line[:-1], naive.Options()) == naive.Replay(won=False)
    # A move that has been made cannot be made again at once, but for moves to the foundation.
    spoilt = [line[0], *line]
    refused = naive.replay(board, spoilt, naive.Options())
    assert (refused.won, refused.refused) == (False, 2)


def test_reads_the_lines_of_cells_and_foundations() -> None:
    text = "Foundations: H-0 C-2 D-T S-A\nFreecells: 3C -- TD --\n: 4H 3S\n:\n"
    assert naive.read_board(text, naive.Options()) == naive.Table(
        (("4H", "3S"), ()), ("3C", "", "TD", ""), (2, 10, 0, 1)
    )


def test_reduced_games_are_winnable_and_unwinnable() -> None:
    games = reduced_games()
    winnable = sum(game.explored.winnable for game in games)
    assert winnable >= len(games) / 4
    assert len(games) - winnable >= len(games) / 4
