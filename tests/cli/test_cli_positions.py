"""Positions in mid-game on the command line: read as text and JSON, refused with all faults."""

import json
import re

import pytest

#: FreeCell deal 1730 and The Plot's 1977 in mid-game, and a Pyramid after some pairs of 664.
FREECELL = {
    "columns": [
        ["6C", "QD", "TS", "9H", "8S", "JH", "TC", "9D"],
        ["2D", "QH", "AS", "AH", "8D", "7S", "6H", "5S", "4H"],
        ["8H", "6S", "JS", "KD", "7D", "JC", "TD", "9S"],
        ["QS", "3S", "5C", "TH", "9C"],
        ["4D", "3C", "2H"],
        ["6D", "2S", "QC", "JD", "7C"],
        ["AD", "8C", "4C", "3H"],
        ["5D", "4S", "7H", "3D", "KH"],
    ],
    "cells": ["5H", "KS", None, "KC"],
    "foundations": {"C": 2, "D": 0, "H": 0, "S": 0},
}
PYRAMID = {
    "pyramid": [
        *["6H", "4D", "9C", "5S", "2C", "5D", "6S", "QH", "KS", "AS", None, None, None, None],
        *["2S", None, None, None, None, None, "TD", None, None, None, None, None, None, "7H"],
    ],
    "stock": ["QD", "3D", "AH", "4S", "2D", "JS", "QC", "JD", "AC", "9D", "8D", "JH", "KH", "8S"],
    "waste": ["7S"],
    "redeals_used": 0,
}
PLOT = {
    "base": "6",
    "reserve": ["QH", "4S", "3S", "KS", "6C", "5C", "6S", "3D", "JC"],
    "foundations": {
        **dict.fromkeys("A2345", 5),
        **dict.fromkeys("6789T", 6),
        **dict.fromkeys("JQK", 5),
    },
    "piles": [
        pile.split()
        for pile in (
            *("JD TS 9C 8H 7C", "2C AH KC QH", "TD 9D", "JD", "8C 7H", "3H 2C AH KD QS"),
            *("", "2H AD", "5D 4H", "5H 4H", "", ""),
        )
    ],
    "stock": [],
    "waste": [],
}
POSITIONS = {"freecell": FREECELL, "pyramid": PYRAMID, "plot": PLOT}
PROFILES = {"freecell": "classic", "pyramid": "microsoft", "plot": "classic"}


def changed(game, **keys):
    """Return a game's position, as JSON text, with some keys changed."""
    return json.dumps({**POSITIONS[game], **keys})


@pytest.mark.parametrize("game", POSITIONS)
@pytest.mark.parametrize("command", ["check", "solve", "hint"])
def test_a_position_is_answered_alike_as_json_and_as_text(run, command, game):
    ask = (command, game, "--board", "-", "--profile", PROFILES[game], "--json")
    by_json = run(*ask, stdin=json.dumps(POSITIONS[game]))
    record = json.loads(by_json.out)
    assert (by_json.code, record["verdict"]) == (0, "winnable")
    by_text = run(*ask, stdin=record["board"])
    assert json.loads(by_text.out) == record
    # The text is that of the position.
    for card in re.findall(r'"([A2-9TJQK][CDHS])"', json.dumps(POSITIONS[game])):
        assert card in record["board"]


#: Each fault alone, and at last many at once.
FAULTS = {
    "freecell": [
        ({"cells": ["5H", "KS", None, None]}, ["missing: KC"]),
        ({"cells": ["5H", "KS", "KH", "KC"]}, ["more than once: KH; KH is at columns[7][4] and"]),
        (
            {"foundations": {"C": 4}},
            ["on a foundation and elsewhere too: 3C 4C", "3C is at columns[4][1]", "4C is at"],
        ),
        (
            {"columns": [*FREECELL["columns"][:7], ["5D", "4S", "7H"]], "cells": [*"....."]},
            ["cells[0]: '.' is not a card"],
        ),
        (
            {
                "columns": [*FREECELL["columns"][:7], ["5D", "4S", "7H"]],
                "cells": ["5H", "KS", "3D", "KC", "KH"],
            },
            ["beyond the profile's 4 cells: KH"],
        ),
        ({"foundations": {"C": 14}}, ["foundations.C: '14' is not a whole number 0..13"]),
        (
            {"cells": ["5H", "5H", None, None, "KH"], "foundations": {"C": 2, "D": 1}},
            [
                "beyond the profile's 4 cells: KH",
                "missing: KC KS",
                "more than once: 5H KH",
                "on a foundation and elsewhere too: AD",
            ],
        ),
    ],
    "pyramid": [
        ({"waste": []}, ["missing: 7C 7D 7S, but 2 of rank 6 to pair with"]),
        ({"waste": ["QD", "7S"]}, ["duplicated: QD"]),
        (
            {"pyramid": [*PYRAMID["pyramid"][:9], None, "AS", *PYRAMID["pyramid"][11:]]},
            ["the place of row 4 under 2S is empty"],
        ),
        ({"redeals_used": 3}, ["redeals_used is 3; the profile has 2"]),
        ({"pyramid": PYRAMID["pyramid"][:27]}, ["pyramid has 27 entries; valid is 28"]),
        (
            {
                "pyramid": [*PYRAMID["pyramid"][:9], None, "QD", *PYRAMID["pyramid"][11:]],
                "stock": [*PYRAMID["stock"], "KS"],
                "redeals_used": 9,
            },
            [
                "duplicated: QD KS",
                "missing: AD AS, but 1 of rank Q",
                "row 4 under 2S is empty",
                "redeals_used is 9",
            ],
        ),
    ],
    "plot": [
        (
            {"stock": ["7C"]},
            ["rank 7 occurs 9 times with the foundations; there are 8"],
        ),
        ({"stock": ["JD"]}, ["JD occurs 3 times; there are 2", "rank J occurs 9 times"]),
        ({"reserve": PLOT["reserve"][1:]}, ["rank Q occurs 7 times with the foundations"]),
        ({"piles": PLOT["piles"][:11]}, ["there are 11 piles; valid is 12"]),
        (
            {"piles": [["JD", "TS", "9C", "7C", "8H"], *PLOT["piles"][1:]]},
            ["pile 1: 7C lies on 9C", "pile 1: 8H lies on 7C"],
        ),
        (
            {"foundations": {**PLOT["foundations"], "6": 9}, "stock": ["JD"]},
            ["JD occurs 3 times", "rank 6 occurs 11 times", "rank J occurs 9 times"],
        ),
    ],
}


@pytest.mark.parametrize(
    ("game", "change", "says"),
    [(game, *case) for game, cases in FAULTS.items() for case in cases],
)
def test_an_impossible_position_is_refused_with_all_its_faults(run, one_line, game, change, says):
    for command in ("check", "solve", "hint"):
        ask = (command, game, "--board", "-", "--profile", PROFILES[game])
        told = one_line(run(*ask, stdin=changed(game, **change)))
        assert told.startswith("winnable: stdin: ")
        for part in says:
            assert part in told


@pytest.mark.parametrize(
    ("game", "spoil", "says"),
    [
        ("freecell", ("5H", "5X"), "line 2, column 12: '5X' is not a card"),
        ("freecell", ("C-2", "C-4"), "3C is at line 7, column 6; 4C is at line 9, column 9"),
        ("freecell", ("KC", "KH"), "missing: KC; more than once: KH"),
        ("pyramid", ("QD", "7S"), "duplicated: 7S; missing: QD QS, but 1 of rank A to pair with"),
        ("pyramid", ("7S", "7X"), "'7X' is not a card"),
        ("plot", ("QH", "JH"), "rank J occurs 9 times with the foundations"),
        ("plot", ("QH", "XH"), "line 3, column 10: 'XH' is not a card"),
        ("plot", ("Base", "Bass"), "'Bass:' is not a heading of a position"),
    ],
)
def test_a_wrong_text_is_refused_with_its_place(run, one_line, game, spoil, says):
    ask = ("--board", "-", "--profile", PROFILES[game])
    text = json.loads(run("check", game, *ask, "--json", stdin=changed(game)).out)["board"]
    assert says in one_line(run("hint", game, *ask, stdin=text.replace(*spoil, 1)))


def test_a_position_is_judged_by_the_profile_that_asks(run, one_line):
    ask = ("check", "freecell", "--board", "-", "--profile")
    assert run(*ask, "classic,cells=6", stdin=changed("freecell")).code == 0
    told = one_line(run(*ask, "classic,cells=2", stdin=changed("freecell")))
    assert "beyond the profile's 2 cells: KC" in told


# grade --board


@pytest.mark.parametrize("game", POSITIONS)
@pytest.mark.parametrize("layout", ["board", "json"])
def test_a_deal_on_a_board_is_graded_as_its_number_is(run, game, layout):
    by_number = json.loads(run("grade", game, "2", "--json").out)
    board = run("deal", game, "2", "--format", layout).out
    result = run("grade", game, "--board", "-", "--json", stdin=board)
    record = json.loads(result.out)
    assert result.code == 0
    for key in ("verdict", "nodes", "effort", "grade", "percentile", "grader"):
        assert record[key] == by_number[key]
    (line,) = run("grade", game, "--board", "-", stdin=board).lines
    assert line.endswith(run("grade", game, "2").lines[0].partition("winnable")[2])


def test_a_deal_on_a_board_that_cannot_be_won_has_no_grade(run):
    board = run("deal", "freecell", "11982", "--format", "board").out
    result = run("grade", "freecell", "--board", "-", "--json", stdin=board)
    record = json.loads(result.out)
    assert (result.code, record["effort"], record["grade"]) == (1, None, None)


@pytest.mark.parametrize("game", POSITIONS)
def test_a_position_in_mid_game_is_not_graded(run, one_line, game):
    ask = ("grade", game, "--board", "-", "--profile", PROFILES[game])
    told = one_line(run(*ask, stdin=changed(game)))
    assert "stdin: is a position in mid-game, and only deals are graded; valid is" in told
