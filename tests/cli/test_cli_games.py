"""The command line serves every game through the members of `Game` alone."""

from __future__ import annotations

import json

import pytest

from solvers import games


@pytest.fixture(params=games.NAMES)
def game(request: pytest.FixtureRequest) -> games.Game:
    return games.load(request.param)


def test_a_deal_its_number_and_its_json_have_one_answer(run, game, tmp_path):
    by_number = json.loads(run("check", game.name, "3", "--json").out)
    board = tmp_path / "board.json"
    board.write_text(run("deal", game.name, "3", "--format", "json").out)
    by_board = json.loads(run("check", game.name, "--board", str(board), "--json").out)
    assert by_board["verdict"] == by_number["verdict"]
    assert by_board["game"] == by_number["game"] == game.name


def test_a_printed_solution_wins_by_the_plain_rules(run, game):
    profile = game.profiles[game.default_profile]
    deals = json.loads(run("deal", game.name, "1", "--format", "json").out)
    answer = json.loads(run("solve", game.name, "1", "--json").out)
    state = game.position_from_json(deals["position"], profile)
    moves = [game.parse_move(text) for text in answer["moves"]]
    assert game.is_won(game.replay(state, moves, profile), profile)
    assert answer["length"] == len(moves)
    shown = run("solve", game.name, "1", "--notation", "text").out
    assert all(f". {text}" in shown for text in answer["moves"])


def test_a_store_becomes_a_pool_that_verifies(run, game, tmp_path):
    store, pool = str(tmp_path / "store.db"), str(tmp_path / "pool.json")
    assert run("batch", game.name, "1-40", "--store", store, "--quiet").code == 0
    build = ("pool", "build", game.name, "1-40", "--store", store, "--out", pool, "--solutions")
    assert run(*build, "--quiet").code == 0
    assert run("pool", "verify", pool, "--rules").code == 0
    counts = json.loads(run("pool", "stats", pool, "--json").out)["counts"]
    assert sum(counts.values()) == 40


def test_nonsense_is_one_line(run, game, tmp_path):
    board = tmp_path / "board.txt"
    board.write_text("xx yy\n")
    answer = run("check", game.name, "--board", str(board))
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.count("\n") == 1
    assert "line 1" in answer.err
