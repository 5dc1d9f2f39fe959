"""Supermoves written out card by card: every step legal, no more steps than it takes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from freecell_cases import ms_deal, naive_options
from freecell_packed import cards
from oracles import freecell_naive as naive

from solvers.errors import IllegalMoveError
from solvers.freecell import rules
from solvers.freecell.game import GAME
from solvers.freecell.notation import format_board, parse_move
from solvers.freecell.rules import NO_CARD, PROFILES, Profile, State
from solvers.freecell.singles import single_moves
from solvers.outcome import Limits, Verdict

CLASSIC = PROFILES["classic"]
SINGLE = naive.Options(supermove="single")


def table(columns: list[str], cells: str, home: tuple[int, int, int, int]) -> State:
    """Read a position of four cells."""
    filled = [*cards(cells), *[NO_CARD] * 4][:4]
    return State(tuple(map(cards, columns)), tuple(filled), home)


def written(state: State, move: str, profile: Profile = CLASSIC) -> str:
    """Write a move out."""
    return " ".join(map(str, single_moves(state, parse_move(move), profile)))


# By hand: JS TH 9C on the first column; what else there is fits nowhere.
RUN = ["KC JS TH 9C", "QD", "KS", "KH", "2C", "2S", "4C", "4S"]


@pytest.mark.parametrize(
    ("cells", "columns", "move", "expected"),
    [
        # A run of three over two free cells takes five moves.
        ("6C 6S", RUN, "12", "1c 1d 12 d2 c2"),
        ("6C", RUN, "12", "1b 1c 12 c2 b2"),
        # One card is one move, whatever the room.
        ("6C 6S", ["KC JS", *RUN[1:]], "12", "12"),
        ("6C 6S", RUN, "1c", "1c"),
        # Over one empty column and no cell: half of the run waits there.
        ("6C 6S 8C 8S", ["KC JS TH", *RUN[1:7], ""], "12", "18 12 82"),
        # Over a cell and an empty column: two wait in the column, over the cell.
        ("6C 6S 8C", [*RUN[:7], ""], "12", "18 1d 12 d2 82"),
        # To an empty column, which does not help itself.
        ("6C 6S", [*RUN[:7], ""], "18v3", "1c 1d 18 d8 c8"),
        ("6C 6S", [*RUN[:7], ""], "18v2", "1c 18 c8"),
    ],
)
def test_runs_written_by_hand(cells: str, columns: list[str], move: str, expected: str) -> None:
    assert written(table(columns, cells, (0, 0, 0, 0)), move) == expected


def test_autoplay_waits_until_the_whole_move_is_done() -> None:
    # Once the nine is off it the ten could go home; it waits for the jack and the nine.
    state = table(["KC JS TH 9C", "QD", *[""] * 6], "", (8, 9, 9, 9))
    profile = PROFILES["max-auto"]
    assert written(state, "12", profile) == "1a 1b 12 b2 a2"
    after = rules.apply(state, parse_move("12"), profile)
    # The nine of clubs and the ten of hearts go after it; the jack waits for its ten.
    assert after.foundations == (9, 9, 10, 9)
    assert after.columns[1] == cards("QD JS")


def test_an_illegal_move_is_refused() -> None:
    state = table(RUN, "6C 6S 8C 8S", (0, 0, 0, 0))
    with pytest.raises(IllegalMoveError, match="it would move 3 cards as one"):
        single_moves(state, parse_move("12"), CLASSIC)


def by_singles(state: naive.Table, moves: list[str], options: naive.Options) -> naive.Table:
    """Play single-card moves without autoplay, then what goes home by itself, by the oracle."""
    single = replace(options, supermove="single", autoplay="none")
    for move in moves:
        state = naive.played(state, move, single)
    return naive.autoplayed(state, options)


@pytest.mark.parametrize("name", PROFILES)
def test_solutions_card_by_card_win_by_the_oracle_from_their_text_alone(name: str) -> None:
    """Deals 1..500; and the number of cards moved is what the solution says it is."""
    profile = PROFILES[name]
    options, limits = naive_options(profile), Limits(3_000, 16)
    wins = 0
    for number in range(1, 501):
        outcome = GAME.solve(ms_deal(number), profile, limits)
        if outcome.verdict is not Verdict.WINNABLE:
            continue
        state, count = rules.start(ms_deal(number), profile), 0
        judged = naive.begun(naive.read_board(format_board(ms_deal(number)), options), options)
        for move in outcome.moves:
            texts = [str(single) for single in single_moves(state, move, profile)]
            judged = by_singles(judged, texts, options)
            state = rules.apply(state, move, profile)
            count += len(texts)
        assert naive.is_won(judged), number
        assert count == outcome.extras["single_card_moves"], number
        wins += 1
    assert wins >= (100 if name == "bakers" else 490)


def test_every_supermove_that_the_rules_allow_can_be_made() -> None:
    """Runs over 0..4 free cells and 0..4 empty columns, to a card and to an empty column."""
    made = 0
    for free in range(5):
        for empty in range(5):
            for length in range(2, 12):
                for to_empty in (False, True):
                    made += _check_run(free, empty, length, to_empty)
    assert made > 200


def _check_run(free: int, empty: int, length: int, to_empty: bool) -> bool:
    """Compare the single moves of one run with the move itself; tell whether it is legal."""
    run = " ".join(f"{'A23456789TJQK'[rank - 1]}{'HS'[rank % 2]}" for rank in range(length, 0, -1))
    target = "" if to_empty else f"{'A23456789TJQK'[length]}{'DC'[(length + 1) % 2]}"
    others = ["KC", "KD", "KH", "KS", "QC", "QD"][: 6 - empty]
    held = ["JC", "JD", "TC", "TD"][: 4 - free]
    state = State(
        (cards(run), cards(target), *map(cards, others), *[()] * empty),
        (*cards(" ".join(held)), *[NO_CARD] * free),
        (0, 0, 0, 0),
    )
    move = rules.Move(0, 1, length if to_empty else 0)
    try:
        after = rules.apply(state, move, CLASSIC)
    except IllegalMoveError:
        return False
    judged = naive.read_board(format_board(state), SINGLE)
    for single in single_moves(state, move, CLASSIC):
        judged = naive.played(judged, str(single), SINGLE)
    assert judged == naive.read_board(format_board(after), SINGLE)
    return True
