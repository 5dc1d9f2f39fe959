"""Every bad input is one line on stderr that says what is wrong and what is valid, exit 2."""

import json
import os
import time

import pytest

from solvers import games
from solvers.errors import NotationError
from solvers.positions import read_position

GOOD_BOARD = """\
7D TD TH KD 4C 4S JD
AD 7S QC 5H QS TS KS
5C QD 3H 9S 9C 2H KC
3S AC 9D 3C 9H 5D 4H
5S 6D 6S 8S 7C JC
8C 8H 8D 7H 6H 6C
2D AS 3D 4D 2C JH
AH KH TC JS 2S QH
"""

ARGUMENTS = [
    ("chek", "unknown command 'chek', did you mean 'check'?; there are: deal, check, solve"),
    ("--colour", "no such option '--colour'"),
    ("check", "missing argument 'GAME'; see winnable check --help"),
    ("check chess 1", "unknown game 'chess'; there are: freecell"),
    ("check FREE 1", "unknown game 'FREE', did you mean 'freecell'?; there are: freecell"),
    ("check freecell", "give deal numbers"),
    ("check freecell -5", "deal number -5 is out of range; ms has 1.."),
    ("check freecell -h5", "'-5' is not a deal number or range; valid is 617"),
    ("check freecell 1 --json=1", "option '--json' does not take a value; see winnable check --h"),
    ("check freecell --board", "option '--board' requires an argument; see winnable check --help"),
    ("pool stats --frob", "no such option '--frob'; see winnable pool stats --help"),
    ("check freecell 3 -5-7", "'-5-7' is not a deal number or range"),
    ("check freecell -- -5", "deal number -5 is out of range"),
    ("check freecell 0", "deal number 0 is out of range; ms has 1..8589934591"),
    ("check freecell 8589934592", "deal number 8589934592 is out of range"),
    ("check freecell 1-8589934592", "deal number 8589934592 is out of range"),
    ("check freecell 5-1", "range '5-1' is empty"),
    ("check freecell 1,x", "'x' in '1,x' is not a deal number"),
    ("check freecell 1.5", "'1.5' is not a deal number"),
    ("check freecell 1 --frob", "no such option '--frob'"),
    ("check freecell 1 --profile easy", "unknown profile 'easy'; there are: classic, linear"),
    ("check freecell 1 --profile classic,cells=8", "cells is '8'; valid is 0..7"),
    ("check freecell 1 --profile classic,cels=3", "unknown profile option 'cels'"),
    ("check freecell 1 --profile classic,cells", "'cells' is not an option; write option=value"),
    ("check freecell 1 --profile classic,cells=1,cells=2", "cells is given twice"),
    ("check freecell 1 --numbering xp", "unknown numbering 'xp'; there are: ms"),
    ("check freecell 1 --max-nodes 0", "--max-nodes is '0'; valid is a whole number 1.."),
    ("check freecell 1 --max-nodes -3", "--max-nodes is '-3'; valid is a whole number 1.."),
    ("check freecell 1 --max-nodes 1e6", "--max-nodes is '1e6'; valid is a whole number 1.."),
    ("check freecell 1 --max-nodes", "option '--max-nodes' requires an argument"),
    ("check freecell 1 --max-seconds 0", "--max-seconds is '0'; valid is a number of seconds"),
    ("check freecell 1 --max-seconds nan", "--max-seconds is 'nan'; valid is a number"),
    ("check freecell 1 --max-seconds inf", "--max-seconds is 'inf'; valid is a number"),
    ("check freecell 1 --memory 0", "--memory is '0'; valid is a whole number 1.."),
    ("check freecell 1 --memory 99999999999999", "--memory is '99999999999999'; valid is"),
    ("check freecell 1 --jobs 0", "--jobs is '0'; valid is a whole number 1..1024"),
    ("check freecell 1 --jobs ٣", "--jobs is '٣'; valid is a whole number 1..1024"),
    ("check freecell --deals-from no.txt", "no.txt: cannot be read: No such file"),
    ("check freecell --board no.txt", "no.txt: cannot be read: No such file"),
    ("check freecell 1 --board no.txt", "give either deal numbers or --board, not both"),
    ("solve freecell 1 --notation old", "'old' is not one of 'standard', 'words', 'text', 'json'"),
    ("solve freecell 1 --json --notation text", "give either --json or --notation text"),
    ("solve freecell 1 --optimal", "--optimal is not offered for freecell under classic"),
    (
        "solve pyramid 1 --short",
        "--short is not offered for pyramid; games that offer it: freecell",
    ),
    ("solve freecell 1 --effort 5", "--effort goes with --short"),
    ("solve freecell 1 --short --effort 0", "--effort is '0'; valid is a whole number 1.."),
    ("solve freecell 1 --short --effort x", "--effort is 'x'; valid is a whole number 1.."),
    ("deal freecell", "give deal numbers"),
    (
        "deal freecell 1 --format png",
        "'png' is not one of 'table', 'board', 'json', 'cards', 'svg'",
    ),
    ("deal freecell 1 --json --format cards", "give either --json or --format cards"),
    ("grade freecell", "give deal numbers"),
    ("grade freecell 1 --board no.txt", "give either deal numbers or --board, not both"),
    ("hint", "missing argument 'GAME'; see winnable hint --help"),
    ("hint freecell", "give deal numbers"),
    ("hint freecell 1 --board no.txt", "give either deal numbers or --board, not both"),
    ("hint freecell 1 --move", "no such option '--move'"),
    ("hint freecell x", "'x' is not a deal number or range"),
    ("batch freecell 1-10", "missing option '--store'"),
    ("batch freecell --store s.db", "give deal numbers, such as 1-32000, or --deals-from FILE"),
    ("batch freecell 9-1 --store s.db", "range '9-1' is empty"),
    ("batch freecell 1-10 --store no/s.db", "no/s.db"),
    ("batch freecell 1-10 --store foreign", "foreign"),
    (
        "pool bild",
        "unknown command 'bild', did you mean 'build'?; there are: build",
    ),
    ("pool build freecell 1-10", "missing option '--out'"),
    ("pool build freecell 1-10 --out foreign", "foreign exists already; --force replaces it"),
    ("pool build freecell 1-10 --out no/p.json", "no/p.json"),
    ("pool build freecell 1-10 --out -", "--out is '-'; valid is the name of a file, './-' for"),
    ("pool stats -", "POOL is '-'; valid is the name of a file"),
    ("batch freecell 1-10 --store -", "--store is '-'; valid is the name of a file"),
    ("pool build freecell 1-10 --out x --store ./x", "--store and --out are the same file"),
    ("pool verify no.json", "no.json: cannot be read: No such file"),
    ("pool verify foreign", "foreign"),
    ("pool stats foreign", "foreign"),
    ("pool pick foreign --tier easy --seed 1", "foreign"),
    ("pool pick foreign --tier easy", "give either --seed or --date"),
    ("pool pick foreign --tier easy --seed -1", "--seed is '-1'; valid is a whole number 0.."),
    ("bench -5", "'-5' is not a deal number or range"),
    ("bench freecell --record", "no such option '--record'"),
    ("bench chess", "unknown game 'chess'"),
    ("bench -5", "'-5' is not a deal number"),
    ("bench freecell --peer gnubg", "unknown peer 'gnubg'; there are: fc-solve"),
    ("games freecell", "unexpected extra argument (freecell)"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a file of somebody else's; the test runs in it."""
    (tmp_path / "foreign").write_text("Dear diary\n")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert [path.name for path in tmp_path.iterdir()] == ["foreign"]
    assert (tmp_path / "foreign").read_text() == "Dear diary\n"


@pytest.mark.parametrize(("line", "says"), ARGUMENTS, ids=[line for line, _ in ARGUMENTS])
def test_bad_arguments(run, one_line, folder, line, says):
    assert says in one_line(run(*line.split()))


@pytest.mark.parametrize(
    ("board", "says"),
    [
        (b"", "stdin: "),
        (b"\xff\xfe\x00", "stdin, line 1: byte 0xff is not UTF-8 text"),
        (b"{", "stdin: line 1, column 2: not JSON"),
        (b'{"columns": [], "columns": []}', "key 'columns' is given twice"),
        (b'{"columns":' * 5000, "JSON too deep"),
        (b'{"foundations": {"C": ' + b"1" * 5000 + b"}}", "too long a number"),
        (b"[]", "stdin: "),
        (GOOD_BOARD.replace("7D", "XD").encode(), "'XD'"),
        (GOOD_BOARD.replace("7D", "7S").encode(), "7D"),
        ((GOOD_BOARD + "KS\n").encode(), "stdin: "),
        (b"A" * (64 << 10) + b"A", "stdin: is larger than 64 KiB, too large for a board"),
    ],
)
@pytest.mark.parametrize("command", ["check", "solve", "hint", "grade"])
def test_bad_boards(run, one_line, command, board, says):
    assert says in one_line(run(command, "freecell", "--board", "-", stdin=board))


#: Boards of nearly 64 KiB, each of one thing again and again.
REPEATED = {
    "one card": "AC ",
    "cards on lines": "AC\n",
    "not cards": "XX ",
    "one word": "A",
    "empty lines": "\n",
    "spaces": " ",
    "columns": ": AC\n",
    "headings": "Freecells: AC\n",
    "gaps": "-- ",
}
JSON = {
    "one key": ("{", '"columns": [], ', '"columns": []}'),
    "many keys": ("{" + "".join(f'"{key}": 0, ' for key in range(4000)), '"0": 0, ', '"0": 0}'),
    "several keys": ("{", '"a": 1, "b": 2, ', '"c": 3}'),
    "cards": ('{"columns": [[', '"AC", ', '"AC"]]}'),
    "columns": ('{"columns": [', "[], ", "[]]}"),
    "cells": ('{"cells": [', '"AC", ', '"AC"]}'),
    "piles": (
        '{"base": "7", "reserve": [], "foundations": {}, "piles": [',
        '["2C", "2C"], ',
        '[]],"stock": [], "waste": []}',
    ),
    "pyramid": ('{"pyramid": [', '"AC", ', '"AC"], "stock": [], "waste": []}'),
    "stock": ('{"pyramid": [], "stock": [', '"AC", ', '"AC"], "waste": []}'),
    "lists": ("", "[", ""),
}


def large(before, again, after=""):
    """Repeat a text as often as a board may hold it."""
    return before + again * (((64 << 10) - len(before + after)) // len(again)) + after


@pytest.mark.parametrize("game", games.NAMES)
@pytest.mark.parametrize(
    "board",
    [
        *(large("", text) for text in REPEATED.values()),
        *(large("Foundations: C-0\n", text) for text in REPEATED.values()),
        *(large("Base: 7\nReserve: ", text) for text in REPEATED.values()),
        *(large("Stock: ", text) for text in REPEATED.values()),
        *(large(*parts) for parts in JSON.values()),
    ],
    ids=[*(f"{kind}{name}" for kind in ("", "fc ", "plot ", "stock ") for name in REPEATED), *JSON],
)
def test_the_largest_boards_are_refused_at_once_in_a_short_line(run, one_line, game, board):
    begin = time.process_time()
    told = one_line(run("check", game, "--board", "-", stdin=board))
    # Seconds, where the time grows as the square of the size; milliseconds, where as the size.
    assert time.process_time() - begin < 1.5
    assert len(told) < 2100


@pytest.mark.parametrize(
    "words",
    [
        ["check", "freecell", "9" * 100_000],
        ["check", "freecell", "1," * 50_000],
        ["check", "freecell", "-" + "5" * 100_000],
        ["check", "freecell", "1", "--profile", "classic," + "a" * 70_000],
        ["check", "freecell", "1", "--profile", "classic" + ",cells=4" * 7000],
        ["check", "freecell", "1", "--profile", "x" * 60_000],
        ["check", "freecell", "1", "--numbering", "x" * 100_000],
        ["check", "freecell", "1", "--max-nodes", "9" * 100_000],
        ["check", "freecell", "1", "--max-seconds", "x" * 100_000],
        ["check", "freecell", "1", "--method", "x" * 100_000],
        ["check", "x" * 100_000],
        ["x" * 100_000],
    ],
    ids=lambda words: " ".join(word[:12] for word in words),
)
def test_long_arguments_are_refused_at_once_in_a_short_line(run, one_line, words):
    begin = time.process_time()
    assert len(one_line(run(*words))) < 500
    assert time.process_time() - begin < 1.5


def test_a_profile_has_a_bound_that_is_named(run, one_line):
    told = one_line(run("check", "freecell", "1", "--profile", "classic," + "a" * (64 << 10)))
    assert told == "winnable: is larger than 64 KiB, too large for a profile\n"


@pytest.mark.parametrize("name", games.NAMES)
def test_positions_and_moves_have_a_bound_that_is_named(name):
    game = games.load(name)
    profile = game.profiles[game.default_profile]
    for character in "A{♠ ":
        with pytest.raises(NotationError, match="larger than 64 KiB, too large for a board or a"):
            read_position(game, character * ((64 << 10) + 1), profile)
        with pytest.raises(NotationError, match="is larger than 64 KiB, too large for a move"):
            game.parse_move(character * ((64 << 10) + 1))


def test_a_long_list_in_a_message_says_how_many_more_there_are(run, one_line):
    told = one_line(run("check", "freecell", "--board", "-", stdin="AC " * 30 + "\n:" * 7))
    # 30 places, of which 20 are named.
    assert "AC is at line 1, column 1 and line 1, column 4 and " in told
    assert " line 1, column 58 and 10 more\n" in told


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["check", "freecell", "--board", ""], "--board is empty; valid is the name of a file"),
        (["check", "freecell", "--deals-from", ""], "--deals-from is empty"),
        (["batch", "freecell", "1-10", "--store", ""], "--store is empty"),
        (["pool", "build", "freecell", "1-10", "--out", ""], "--out is empty"),
        (["pool", "stats", ""], "POOL is empty"),
        (["check", "freecell", ""], "'' is not a deal number or range"),
        (["check", "", "1"], "unknown game ''"),
        (["check", "freecell", "1", "--profile", ""], "unknown profile ''"),
        (["check", "freecell", "1", "--numbering", ""], "unknown numbering ''"),
        (["check", "freecell", "1", "--jobs", ""], "--jobs is ''"),
        (["check", "freecell", "1", "--max-seconds", ""], "--max-seconds is ''"),
    ],
)
def test_nothing_is_not_taken_for_something(run, one_line, folder, words, says):
    assert says in one_line(run(*words))


def test_a_line_break_in_an_argument_stays_on_the_line(run, one_line):
    assert r"'a\nb'" in one_line(run("check", "freecell", "a\nb"))
    assert r"no such option '--a\nb'" in one_line(run("check", "freecell", "--a\nb"))


def test_a_truncated_pool(run, one_line, tmp_path):
    pool = tmp_path / "pool.json"
    pool.write_text(json.dumps({"format": "winnable-pool", "format_version": 1})[:-1])
    for command in (["verify", pool], ["stats", pool], ["pick", pool, "--tier=easy", "--seed=1"]):
        assert str(pool) in one_line(run("pool", *command))


def test_a_peer_that_is_not_installed(run, one_line, monkeypatch):
    monkeypatch.setenv("PATH", os.devnull)
    message = one_line(run("bench", "freecell", "--peer", "fc-solve"))
    assert "freecell-solver-range-parallel-solve" in message
    assert "freecell-solver-bin" in message


@pytest.mark.parametrize(
    "line", ["check freecell -5", "pool verify no.json", "chek", "check freecell --board no.txt"]
)
def test_the_real_process_says_the_same(process, run, tmp_path, line):
    assert process(*line.split(), cwd=tmp_path) == run(*line.split())
