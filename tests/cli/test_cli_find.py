"""find: the number of a board, of every game and numbering, and what has none."""

from __future__ import annotations

import json

import pytest

from dealgen.numbering import Microsoft, numbering_of
from solvers import games

RANGE = ["--range", "1-3000"]
GAMES = ["freecell", "pyramid", "plot"]


@pytest.mark.parametrize("numbering", ["ms", "pysol"])
@pytest.mark.parametrize("game", GAMES)
def test_a_deal_is_found(run, game, numbering):
    for number in (1, 2718, 3000):
        board = run("deal", game, number, "--format", "board", "--numbering", numbering).out
        found = run("find", game, "--board", "-", *RANGE, "--numbering", numbering, stdin=board)
        assert (found.code, found.out) == (0, f"{game} {number} ({numbering})\n")


def test_numbers_of_twenty_digits_are_found_in_a_range_of_them(run):
    number, low = 10**20 - 7, 10**20 - 2000
    board = run("deal", "plot", number, "--format", "board", "--numbering", "pysol").out
    words = ["find", "plot", "--board", "-", "--range", f"{low}-{10**20 - 1}", "--json"]
    found = run(*words, "--profile", "pysol", stdin=board)
    assert found.code == 0
    assert json.loads(found.out) == {
        "game": "plot",
        "numbering": "pysol",
        "number": str(number),
        "same_order": True,
    }


@pytest.mark.parametrize("order", [range(7, -1, -1), [3, 1, 0, 2, 4, 7, 5, 6]])
def test_columns_in_another_order_are_found_and_said_to_be(run, order):
    columns = run("deal", "freecell", 24, "--format", "board").lines
    board = "".join(f"{columns[place]}\n" for place in order)
    found = run("find", "freecell", "--board", "-", *RANGE, stdin=board)
    assert (found.code, found.lines) == (
        0,
        ["freecell 24 (ms), with its columns in another order"],
    )
    record = json.loads(run("find", "freecell", "--board", "-", "--json", *RANGE, stdin=board).out)
    assert (record["number"], record["same_order"]) == (24, False)


def test_cards_that_change_places_within_the_columns_are_another_deal(run):
    columns = [line.split() for line in run("deal", "freecell", 24, "--format", "board").lines]
    # The same deepest cards: only the rest of the columns tells the boards apart.
    columns[0][1], columns[1][1] = columns[1][1], columns[0][1]
    board = "".join(f"{' '.join(column)}\n" for column in columns)
    found = run("find", "freecell", "--board", "-", *RANGE, stdin=board)
    assert (found.code, found.out) == (1, "")
    assert found.err == "winnable: stdin is none of the deals 1-3000 of ms\n"
    assert run("find", "freecell", "--board", "-", *RANGE, "--quiet", stdin=board).err == ""


def test_every_number_of_a_board_is_found(run, monkeypatch):
    bulk = Microsoft.decks

    def dealt_twice(self, game, numbers):
        return bulk(self, game, [(number - 1) % 1500 + 1 for number in numbers])

    monkeypatch.setattr(Microsoft, "decks", dealt_twice)
    board = run("deal", "pyramid", 617, "--format", "board").out
    found = run("find", "pyramid", "--board", "-", *RANGE, stdin=board)
    assert found.lines == ["pyramid 617 (ms)", "pyramid 2117 (ms)"]


@pytest.mark.parametrize("game", GAMES)
def test_a_position_in_mid_game_has_no_number(run, one_line, game):
    loaded = games.load(game)
    profile = loaded.profiles[loaded.default_profile]
    state = loaded.deal(numbering_of("ms").deck(loaded, 617))
    state = loaded.apply(state, loaded.legal_moves(state, profile)[-1], profile)
    text = json.dumps(loaded.position_to_json(state))
    message = one_line(run("find", game, "--board", "-", *RANGE, stdin=text))
    assert "stdin: is not a whole deal" in message


def test_the_range_is_one_of_the_numbering(run, one_line):
    board = run("deal", "freecell", 1, "--format", "board").out
    for searched, message in (
        ("1,5", "'1,5' is not one range"),
        ("0-5", "deal number 0 is out of range"),
        ("9-5", "range '9-5' is empty"),
    ):
        words = ["find", "freecell", "--board", "-", "--range", searched]
        assert message in one_line(run(*words, stdin=board))
