"""replay, --after, --history and --all: lines of ours and of others, and what they come to."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from freecell_cases import AFTER, BEFORE
from oracles import freecell_naive as naive

from solvers.freecell import readings

ROOT = Path(__file__).parents[2]
with (ROOT / "data" / "reference" / "freecell_lines_fc_solve.csv").open(encoding="utf-8") as file:
    #: Winning lines of fc-solve by deal, with their counts.
    LINES = {int(row["deal"]): row["line"] for row in csv.DictReader(file)}

#: What fc-solve prints with -p -t -m -snx, around a line broken into tens.
FC_SOLVE = """\
-=-=-=-=-=-=-=-=-=-=-=-

{}

This game is solveable.
Total number of states checked is 60.
This scan generated 119 states.
"""
#: And with -sam -snx, where boards stand between the moves.
FC_SOLVE_BOARDS = """\
====================

Move: {}

Foundations: H-0 C-0 D-0 S-A
Freecells:
: 4C 2C 9C 8C QS 4S 2H
: 5H QH 3C

"""


def records(result):
    return [json.loads(line) for line in result.lines]


def tens(moves):
    return "\n".join(" ".join(moves[at : at + 10]) + " " for at in range(0, len(moves), 10))


def replayed(run, line, *words):
    """Return the record of a line of FreeCell, on a deal number or with --board."""
    result = run("replay", "freecell", *words, "--moves", "-", "--json", stdin=line)
    (record,) = records(result)
    assert result.code == (0 if record["wins"] else 1)
    return record


@pytest.mark.parametrize("deal", LINES)
def test_lines_of_fc_solve_win_with_their_counts_and_without(run, deal):
    moves = LINES[deal].split()
    bare = re.sub(r"v[0-9a-d]+", "", LINES[deal])
    board = run("deal", "freecell", deal, "--format", "board").out
    for line in (LINES[deal], FC_SOLVE.format(tens(moves)), FC_SOLVE.format(tens(bare.split()))):
        record = replayed(run, line, deal)
        assert (record["wins"], record["legal"], record["length"]) == (True, True, len(moves))
        assert naive.replay(board, record["moves"], naive.Options()).won
    # The counts that fc-solve wrote need no reading in.
    assert replayed(run, LINES[deal], deal)["notes"] == []


def test_moves_between_boards(run):
    line = "".join(map(FC_SOLVE_BOARDS.format, LINES[24].split()))
    assert replayed(run, line, 24)["wins"]


@pytest.mark.parametrize("game", ["freecell", "pyramid", "plot"])
@pytest.mark.parametrize(
    "options", [(), ("--notation", "text"), ("--json",), ("--expand",), ("--expand", "--json")]
)
def test_what_solve_prints_is_read(run, game, options):
    solved = run("solve", game, "2", *options).out
    result = run("replay", game, "2", "--moves", "-", stdin=solved)
    assert result.code == 0
    length = json.loads(run("solve", game, "2", "--json").out)["length"]
    if "--expand" not in options or game != "freecell":
        assert result.lines == [f"2 wins in {length} moves"]


@pytest.mark.parametrize("profile", ["safe-auto", "max-auto"])
def test_single_cards_spell_supermoves_that_autoplay_waits_for(run, profile):
    for deal in range(1, 11):
        words = ("solve", "freecell", deal, "--profile", profile, "--json")
        (solved,) = records(run(*words, "--expand"))
        assert replayed(run, json.dumps(solved["moves"]), deal, "--profile", profile)["wins"]


#: Columns that are runs from the king on, and empty ones; lines on it are by hand.
EMPTY = """\
Foundations: H-T C-T D-T S-T
Freecells: -- -- -- --
: KC QD JC
: KD QC JD
: KH QS JH
: KS QH JS
:
:
:
:
"""


@pytest.fixture
def empty_board(tmp_path):
    """Return the file of a board with empty columns."""
    path = tmp_path / "empty.txt"
    path.write_text(EMPTY)
    return path


def test_counts_left_out_are_one_card_where_the_line_wins_so(run, empty_board):
    line = "15 5h 2h 3h 4h 1h 2h 3h 4h 1h 2h 3h 4h"
    record = replayed(run, line, "--board", empty_board)
    assert (record["wins"], record["moves"], record["notes"]) == (True, line.split(), [])


def test_counts_left_out_are_as_many_as_the_line_needs(run, empty_board):
    # The king goes home from column 1 where two cards went to column 5, and from 5 where three did.
    home = "5h 2h 3h 4h 5h 2h 3h 4h"
    for first, kings in (("15v2", "1h 2h 3h 4h"), ("15v3", "5h 2h 3h 4h")):
        line = f"15 {home} {kings}"
        record = replayed(run, line, "--board", empty_board)
        assert (record["wins"], record["moves"][0]) == (True, first)
        assert record["notes"] == [f"move 1, '15', is read as {first}"]


def test_readings_are_bounded(run, empty_board, monkeypatch):
    monkeypatch.setattr(readings, "_MOST_STEPS", 7)
    line = "15 5h 2h 3h 4h 5h 2h 3h 4h 1h 2h 3h 4h"
    record = replayed(run, line, "--board", empty_board)
    assert (record["wins"], record["ply"], record["refused"]) == (False, 8, "3h")
    assert record["reason"].startswith("the counts left out can be read in too many ways")


def test_a_line_that_ends_early_tells_what_it_leaves_open(run, empty_board):
    result = run("replay", "freecell", "--board", empty_board, "--moves", "-", stdin="15\n")
    assert result.code == 1
    assert result.lines == [
        f"{empty_board} does not win: 1 move, all legal, and the game is not over",
        "  move 1, '15', is read as one card; 15v3 moves 3",
    ]
    # Where a line has counts, none means one card.
    record = replayed(run, "15 26v3", "--board", empty_board)
    assert record["notes"] == []


@pytest.mark.parametrize(
    ("line", "profile", "ply", "refused", "reason"),
    [
        ("82 12", "classic", 2, "12", "nothing there fits on QH"),
        ("82 1a 2b 3c 4d 5d", "classic", 6, "5d", "cell d holds 4H"),
        ("1a 2b", "classic,cells=1", 2, "2b", "there is no cell b"),
        ("1h", "classic", 1, "1h", "JD does not fit on the foundation of D, empty"),
    ],
)
def test_the_first_move_that_is_refused_is_named(run, line, profile, ply, refused, reason):
    record = replayed(run, line, 617, "--profile", profile)
    assert (record["wins"], record["legal"]) == (False, False)
    assert (record["ply"], record["refused"], record["reason"]) == (ply, refused, reason)
    assert record["moves"] == line.split()[: ply - 1]
    result = run("replay", "freecell", 617, "--profile", profile, "--moves", "-", stdin=line)
    plural = "" if ply == 2 else "s"
    assert result.lines == [
        f"617 does not win: move {ply}, '{refused}': {reason}; "
        f"legal until then: {ply - 1} move{plural}"
    ]


@pytest.mark.parametrize(
    ("game", "text", "told"),
    [
        ("freecell", "82 9a", "stdin: line 1, column 4: '9a' is not a move"),
        ("freecell", "82\n\n1a xx", "stdin: line 3, column 4: 'xx' is not a move"),
        ("freecell", "", "stdin: there is no move in it"),
        ("freecell", '{"moves": ["82", 5]}', "stdin: moves[1]: '5' is not a text"),
        ("freecell", '["82", "zz"]', "stdin: moves[1]: 'zz' is not a move"),
        ("freecell", '{"line": []}', "stdin: JSON of a line is a list of moves"),
        ("freecell", "I could not solve this game.", "stdin: line 1, column 1: 'I' is not a move"),
        ("pyramid", "KS, 9D", "stdin: line 1, column 5: '9D' is without a partner"),
        ("pyramid", "9D+4S+KS", "stdin: line 1, column 1: '4S+KS' is not a card"),
        ("plot", "draw w>13", "stdin: line 1, column 6: 'w>13' is not a move"),
    ],
)
def test_what_is_not_a_line_is_refused_with_its_place(run, one_line, game, text, told):
    refused = one_line(run("replay", game, "2", "--moves", "-", stdin=text))
    assert refused.startswith(f"winnable: {told}")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("replay freecell 1-2 --moves -", "moves are of one deal or board; 2 deals are given"),
        ("replay freecell 1", "missing option '--moves'"),
        ("replay freecell --board - --moves -", "--board and --moves cannot both be standard"),
        ("check freecell --board - --after -", "--board and --after cannot both be standard"),
        ("solve freecell 1,5 --after 1a", "moves are of one deal or board; 2 deals are given"),
        ("hint freecell 617 --after 12", "move 1, '12': nothing there fits on KS"),
        ("hint freecell 617 --after x", "--after: line 1, column 1: 'x' is not a move"),
        ("hint freecell 617 --history", "--history is about moves that were played"),
        ("hint plot 2 --optimal", "--optimal is not offered for plot under classic; games that"),
        ("solve freecell 1 --notation words --expand", "give either --expand or --notation words"),
    ],
)
def test_questions_that_make_no_sense(run, one_line, words, told):
    assert one_line(run(*words.split(), stdin="1a")).startswith(f"winnable: {told}")


# --after


def test_the_position_after_moves_is_the_one_they_lead_to(run):
    played = naive.played(naive.read_board(BEFORE, naive.Options()), "3d", naive.Options())
    assert played == naive.read_board(AFTER, naive.Options())
    for command in ("check", "solve", "hint"):
        there = run(command, "freecell", "--board", "-", "--json", stdin=AFTER)
        after = run(command, "freecell", "--board", "-", "--after", "3d", "--json", stdin=BEFORE)
        (one,), (other,) = records(there), records(after)
        assert (one.pop("board"), other.pop("board")) == (AFTER, BEFORE)
        assert other.pop("after") == ["3d"]
        assert (one, after.code) == (other, there.code)
    result = run("check", "freecell", "--board", "-", "--after", "3d", stdin=BEFORE)
    assert result.out.startswith("stdin after 1 move unwinnable ")


def test_moves_may_come_from_standard_input_and_of_a_numbered_deal(run):
    (solved,) = records(run("solve", "pyramid", "2", "--json"))
    half = solved["moves"][: solved["length"] // 2]
    result = run("solve", "pyramid", "2", "--after", "-", "--json", stdin=json.dumps(half))
    (rest,) = records(result)
    assert (rest["number"], rest["after"]) == (2, half)
    line = json.dumps(half + rest["moves"])
    assert run("replay", "pyramid", "2", "--moves", "-", stdin=line).code == 0


def test_a_count_left_open_is_told_on_stderr(run, empty_board):
    words = ("check", "freecell", "--board", empty_board, "--after", "15")
    assert run(*words).err == "winnable: move 1, '15', is read as one card; 15v3 moves 3\n"
    assert run(*words, "--quiet").err == ""


# hint


def test_every_legal_move_is_judged_as_the_oracle_judges_it(run):
    result = run("hint", "freecell", "--board", "-", "--all", "--json", stdin=BEFORE)
    (record,) = records(result)
    verdicts = {entry["move"]: entry["verdict"] for entry in record["legal_moves"]}
    assert set(verdicts.values()) == {"winnable", "unwinnable"}
    table = naive.read_board(BEFORE, naive.Options())
    for move, verdict in verdicts.items():
        after = naive.played(table, move, naive.Options())
        explored = naive.explore(after, naive.Options(), 2_000)
        # What can be won has too many positions to visit; what is lost here has few.
        assert (explored is not None and not explored.winnable) == (verdict == "unwinnable"), move
    lines = run("hint", "freecell", "--board", "-", "--all", stdin=BEFORE).lines[1:]
    said = {"winnable": "keeps the win", "unwinnable": "loses it"}
    for line, (move, verdict) in zip(lines, verdicts.items(), strict=True):
        assert line.startswith(f"  {move}  {said[verdict]}")
    lost = run("hint", "freecell", "--board", "-", "--all", stdin=AFTER).lines[1:]
    assert [line.split()[1:3] for line in lost] == [["lost", "already"]] * 2


def test_legal_moves_say_where_from_where_to_and_which_cards(run):
    board = EMPTY.replace("-- -- -- --", "-- KS --").replace(": KS QH JS", ": QH JS")
    (record,) = records(run("hint", "freecell", "--board", "-", "--json", stdin=board))
    by_move = {entry.pop("move"): entry for entry in record["legal_moves"]}
    assert all(list(entry) == ["from", "to", "cards", "target"] for entry in by_move.values())
    assert by_move["15v2"] == {
        "from": "1",
        "to": "5",
        "cards": ["QD", "JC"],
        "target": "empty column",
    }
    assert by_move["1h"] == {"from": "1", "to": "h", "cards": ["JC"], "target": "foundation"}
    assert by_move["b5"] == {"from": "b", "to": "5", "cards": ["KS"], "target": "empty column"}
    assert by_move["1a"] == {"from": "1", "to": "a", "cards": ["JC"], "target": "cell"}
    (record,) = records(run("hint", "pyramid", "2", "--after", "KS, 9D+4S, draw", "--json"))
    by_move = {entry.pop("move"): entry for entry in record["legal_moves"]}
    assert by_move["7C 6S"] == {
        "from": "pyramid+waste",
        "to": "foundation",
        "cards": ["7C", "6S"],
        "target": "foundation",
    }
    assert by_move["draw"] == {"from": "stock", "to": "waste", "cards": ["4H"], "target": "waste"}


def test_the_move_that_lost_a_game_is_found(run):
    words = ("hint", "freecell", "--board", "-", "--json")
    begun = ["83"]
    table = naive.read_board(BEFORE, naive.Options())
    for move in begun:
        table = naive.played(table, move, naive.Options())
    (judged,) = records(run(*words, "--after", " ".join(begun), "--all", stdin=BEFORE))
    losing = [entry["move"] for entry in judged["legal_moves"] if entry["verdict"] == "unwinnable"]
    assert losing
    for move in losing:
        explored = naive.explore(naive.played(table, move, naive.Options()), naive.Options(), 9_000)
        assert explored is not None
        assert not explored.winnable
        line = [*begun, move]
        (lost,) = records(run(*words, "--after", " ".join(line), stdin=BEFORE))
        line += [entry["move"] for entry in lost["legal_moves"]][:1]
        after = (*words, "--after", " ".join(line), "--history")
        history = records(run(*after, stdin=BEFORE))[0]["history"]
        assert (history["lost_by"], history["first_lost"]) == (move, 2)
        assert (history["last_winnable"], history["undecided"]) == (1, [])
        assert naive.replay(BEFORE, begun + history["moves"], naive.Options()).won


def test_the_last_position_that_could_be_won_is_shown(run):
    words = ("hint", "freecell", "--board", "-", "--after", "3d 53", "--history")
    history = records(run(*words, "--json", stdin=BEFORE))[0]["history"]
    result = run(*words, stdin=BEFORE)
    assert result.code == 1
    assert result.lines[1] == "  lost by move 1, 3d (7H from column 3 to cell d)"
    told = f"  could be won after move 0: next {history['moves'][0]} ("
    assert result.lines[2].startswith(told)
    assert "\n".join(result.lines[3:]) + "\n" == BEFORE


def test_a_game_that_nobody_lost(run):
    (record,) = records(run("hint", "freecell", "617", "--after", "82", "--history", "--json"))
    assert record["history"]["lost_by"] is None
    assert record["history"]["last_winnable"] == 1
    lines = run("hint", "freecell", "617", "--after", "82", "--history").lines
    assert lines[1:] == ["  no move lost it"]
    # Deal 11982 was lost before it began.
    lines = run("hint", "freecell", "11982", "--after", "1a", "--history").lines
    assert lines[1:] == ["  no move lost it: it could not be won before the first"]


def test_positions_that_limits_leave_open_are_named(run):
    words = ("hint", "freecell", "617", "--after", "82 1a", "--history", "--max-nodes", "10")
    result = run(*words)
    assert result.code == 3
    assert result.lines[1:] == ["  undecided after moves 0 to 2: larger limits may tell"]
    history = records(run(*words, "--json"))[0]["history"]
    assert history == {
        "lost_by": None,
        "first_lost": None,
        "last_winnable": None,
        "position": None,
        "moves": None,
        "undecided": [0, 1, 2],
    }


def test_an_optimal_hint_begins_a_line_of_fewest_moves(run):
    (hint,) = records(run("hint", "pyramid", "2", "--optimal", "--json"))
    (solved,) = records(run("solve", "pyramid", "2", "--optimal", "--json"))
    (plain,) = records(run("hint", "pyramid", "2", "--json"))
    assert hint["length"] == solved["length"] < plain["length"]
