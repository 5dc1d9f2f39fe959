"""check, solve, grade and deal: words, JSON keys, exit codes."""

import csv
import io
import json
import time
from pathlib import Path

import pytest
from oracles import freecell_naive as naive

from cli.output import Tally
from solvers import games

#: Deal 11982 is the one of 1..32000 that nobody can win; the others are winnable.
UNWINNABLE = 11982
COMMON = ["game", "profile", "numbering", "number", "verdict", "nodes", "limit"]
BOARDS = Path(__file__).parents[2] / "data" / "reference" / "ms_boards.json"


def records(result):
    return [json.loads(line) for line in result.lines]


# check


def test_check_answers_each_number_once_in_the_order_given(run):
    result = run("check", "freecell", "617", "3-5,4", "1,3", "--json")
    assert [record["number"] for record in records(result)] == [617, 3, 4, 5, 1]
    assert result.code == 0


def test_check_lines_are_aligned(run):
    result = run("check", "freecell", f"5,617,{UNWINNABLE}")
    assert [line[:17] for line in result.lines] == [
        "    5 winnable   ",
        "  617 winnable   ",
        "11982 unwinnable ",
    ]
    assert len({line.index(" nodes") for line in result.lines}) == 1
    assert "2 winnable, 1 unwinnable, 0 undecided" in result.err


def test_check_json_has_the_keys_of_the_contract(run):
    (record,) = records(run("check", "freecell", "617", "--json"))
    assert list(record) == COMMON
    assert record | {"nodes": None} == {
        "game": "freecell",
        "profile": "classic",
        "numbering": "ms",
        "number": 617,
        "verdict": "winnable",
        "nodes": None,
        "limit": None,
    }
    assert record["nodes"] > 0


@pytest.mark.parametrize(
    ("line", "code", "verdict"),
    [
        ("617", 0, "winnable"),
        (f"{UNWINNABLE}", 1, "unwinnable"),
        ("31465 --max-nodes 10", 3, "undecided"),
    ],
)
@pytest.mark.parametrize("command", ["check", "solve", "grade"])
def test_exit_codes(run, command, line, code, verdict):
    result = run(command, "freecell", *line.split(), "--json")
    assert [record["verdict"] for record in records(result)] == [verdict]
    assert result.code == code


@pytest.mark.parametrize(
    ("counts", "code"),
    [((0, 0, 0), 0), ((9, 0, 0), 0), ((9, 1, 0), 1), ((9, 0, 1), 3), ((9, 1, 1), 1)],
)
def test_unwinnable_outweighs_undecided_in_the_exit_code(counts, code):
    assert Tally(*counts).exit_code == code


def test_an_undecided_line_names_the_limit(run):
    result = run("check", "freecell", "31465", "--max-nodes", "10")
    assert result.lines == ["31465 undecided      10 nodes, stopped by --max-nodes 10"]
    (record,) = records(run("check", "freecell", "31465", "--max-nodes", "10", "--json"))
    assert (record["verdict"], record["limit"]) == ("undecided", "nodes")


def test_quiet_hides_stderr_alone(run):
    loud = run("check", "freecell", f"1-20,{UNWINNABLE}")
    quiet = run("check", "freecell", f"1-20,{UNWINNABLE}", "--quiet")
    assert (quiet.out, quiet.code, quiet.err) == (loud.out, loud.code, "")
    assert len(quiet.lines) == 21
    assert loud.err


def test_check_prints_only_the_verdicts_asked_for(run):
    words = ("check", "freecell", f"1-20,{UNWINNABLE},31465", "--max-nodes", "200000")
    every = records(run(*words, "--json"))
    for only in (["winnable"], ["unwinnable"], ["undecided"], ["unwinnable", "undecided"]):
        options = [word for verdict in only for word in ("--only", verdict)]
        result = run(*words, *options, "--json")
        assert records(result) == [record for record in every if record["verdict"] in only]
        # The exit code is about all that was asked.
        assert result.code == 1
        assert result.err.startswith("21 winnable, 1 unwinnable, 0 undecided; ")
    (line,) = run(*words, "--only", "unwinnable").lines
    assert line.startswith("11982 unwinnable ")
    assert run("check", "freecell", "1-20", "--only", "unwinnable").out == ""


@pytest.mark.parametrize("command", ["check", "grade"])
def test_csv_has_the_keys_and_values_of_json(run, command):
    words = (command, "freecell", f"5,{UNWINNABLE}", "--profile", "classic,cells=4,build=alternate")
    loud = [word.replace("classic,cells=4,build=alternate", "classic,cells=5") for word in words]
    for asked in (words, loud):
        rows = list(csv.DictReader(io.StringIO(run(*asked, "--csv").out)))
        known = records(run(*asked, "--json"))
        assert len(rows) == 2
        for row, record in zip(rows, known, strict=True):
            assert list(row) == list(record)
            assert list(row.values()) == [
                "" if value is None else str(value) for value in record.values()
            ]
    # A profile may hold commas: it is one value all the same.
    assert rows[0]["profile"] == "classic,cells=5"


def test_csv_of_a_board_and_of_nothing(run):
    board = board_of(run, 617)
    (row,) = csv.DictReader(
        io.StringIO(run("check", "freecell", "--board", "-", "--csv", stdin=board).out)
    )
    assert row["board"] == board
    assert row["numbering"] == ""
    result = run("check", "freecell", "1-20", "--only", "unwinnable", "--csv")
    assert result.lines == [",".join(COMMON)]


@pytest.mark.parametrize("command", ["check", "grade"])
def test_csv_and_json_are_one_too_many(run, one_line, command):
    told = one_line(run(command, "freecell", "1", "--csv", "--json"))
    assert told == (
        f"winnable: give either --json or --csv, not both; see winnable {command} --help\n"
    )


def test_a_rate_is_told_when_it_means_something(monkeypatch):
    tally = Tally(3, 1, 0)
    clock = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: clock + 0.5)
    assert tally.summary() == "3 winnable, 1 unwinnable, 0 undecided; 0.5 s"
    monkeypatch.setattr(time, "monotonic", lambda: clock + 2)
    assert tally.summary() == "3 winnable, 1 unwinnable, 0 undecided; 2.0 s, 2 deals/s"


def test_profiles_are_printed_canonically(run):
    line = "check freecell 1 --json --profile classic,supermove=power,cells=5,autoplay=none"
    assert records(run(*line.split()))[0]["profile"] == "classic,cells=5"
    line = "check freecell 1 --json --profile classic,supermove=linear"
    assert records(run(*line.split()))[0]["profile"] == "linear"


def test_results_do_not_depend_on_jobs(run):
    one, two = (
        run("check", "freecell", "1-200", "--json", "--jobs", jobs).lines for jobs in (1, 2)
    )
    assert len(one) == 200
    assert one == two


@pytest.mark.parametrize("method", games.load("freecell").methods)
def test_methods(run, method):
    result = run("check", "freecell", "617", "--method", method, "--json")
    assert records(result)[0]["verdict"] == "winnable"


@pytest.mark.parametrize("name", games.NAMES)
@pytest.mark.parametrize("command", ["check", "solve", "bench"])
def test_a_method_of_another_game_is_refused_with_the_games_own(run, one_line, name, command):
    game = games.load(name)
    every = {method for other in games.NAMES for method in games.load(other).methods}
    deals = [] if command == "bench" else ["1"]
    for method in [*every - set(game.methods), "quick"]:
        told = one_line(run(command, name, *deals, "--method", method))
        assert told.startswith(f"winnable: unknown method {method!r}")
        assert told.endswith(f"; there are: {', '.join(game.methods)}\n")


def test_fewest_moves_are_refused_with_the_games_that_offer_them(run, one_line):
    offering = [
        name
        for name in games.NAMES
        if any(map(games.load(name).offers_optimal, games.load(name).profiles.values()))
    ]
    assert offering
    refusing = set(games.NAMES) - set(offering)
    assert refusing
    for name in refusing:
        told = one_line(run("solve", name, "617", "--optimal"))
        assert f"--optimal is not offered for {name} under classic; games that offer it: " in told
        assert f"offer it: {', '.join(offering)}; see winnable solve --help" in told


def test_deals_from_stdin(run):
    result = run("check", "freecell", "--deals-from", "-", "--json", stdin="5 7\n# no\n5,1-2")
    assert [record["number"] for record in records(result)] == [5, 7, 1, 2]


# Boards


def board_of(run, number):
    return run("deal", "freecell", number, "--format", "board").out


def test_a_board_is_answered_as_its_number_is(run, tmp_path):
    by_number = records(run("check", "freecell", "617", "--json"))[0]
    windows = tmp_path / "617.txt"
    windows.write_bytes(board_of(run, 617).rstrip("\n").replace("\n", "\r\n").encode())
    by_board = records(run("check", "freecell", "--board", windows, "--json"))[0]
    assert list(by_board) == ["game", "profile", "numbering", "name", "board", "deal", *COMMON[4:]]
    assert by_board["name"] == str(windows)
    assert by_board["deal"] == {"numbering": "ms", "number": 617, "same_order": True}
    assert by_board["board"] == board_of(run, 617)
    assert by_board["numbering"] is None
    for key in ("verdict", "nodes", "limit"):
        assert by_board[key] == by_number[key]
    text = run("check", "freecell", "--board", windows)
    assert text.out.startswith(f"{windows} winnable")
    assert text.code == 0


def test_a_board_from_stdin_and_as_json(run):
    position = records(run("deal", "freecell", UNWINNABLE, "--json"))[0]["position"]
    for board in (board_of(run, UNWINNABLE), json.dumps(position)):
        result = run("check", "freecell", "--board", "-", stdin=board)
        assert result.out.startswith("stdin unwinnable")
        assert result.code == 1


# solve


@pytest.fixture
def wins(run):
    """Say whether moves, as text, win a deal: judged by the naive replayer from text alone."""

    def judge(number, moves, **options):
        return naive.replay(board_of(run, number), moves, naive.Options(**options)).won

    return judge


def test_solve_prints_a_solution_that_wins(run, wins):
    result = run("solve", "freecell", "617")
    heading, moves = result.lines
    assert heading.startswith("617 winnable")
    assert heading.endswith(f"nodes, {len(moves.split())} moves")
    assert wins(617, moves.split())


def test_solve_json_has_the_keys_of_the_contract(run, wins):
    result = run("solve", "freecell", "1-500", "--json")
    for record, number in zip(records(result), range(1, 501), strict=True):
        assert list(record) == [*COMMON, "moves", "length", "par_kind", "single_card_moves"]
        assert record["number"] == number
        assert record["length"] == len(record["moves"])
        assert record["single_card_moves"] >= record["length"]
        assert wins(number, record["moves"])
    assert run("solve", "freecell", "1-500", "--notation", "json").out == result.out


def test_without_a_solution_there_are_no_moves(run):
    result = run("solve", "freecell", UNWINNABLE)
    assert len(result.lines) == 1
    (record,) = records(run("solve", "freecell", UNWINNABLE, "--json"))
    assert record["moves"] is None
    assert record["length"] is None
    assert record["single_card_moves"] is None


def test_solve_as_text_ends_on_a_cleared_table(run):
    moves = run("solve", "freecell", "617").lines[1].split()
    lines = run("solve", "freecell", "617", "--notation", "text").lines
    numbered = [line.partition("  ")[0].partition(". ") for line in lines if ". " in line]
    assert [(place, move) for place, _, move in numbered] == [
        (str(place), move) for place, move in enumerate(moves, 1)
    ]
    # The same words, without the boards.
    words = run("solve", "freecell", "617", "--notation", "words").lines[1:]
    shown = [line.partition("  ") for line in lines if ". " in line]
    assert words == [f"{begin.partition(' ')[0]} {said}" for begin, _, said in shown]


def test_solve_takes_the_profile_seriously(run, wins):
    (record,) = records(run("solve", "freecell", "1", "--profile", "safe-auto", "--json"))
    assert record["profile"] == "safe-auto"
    assert wins(1, record["moves"], autoplay="safe", autoplay_on_deal=False)


# grade


def test_grade_json_has_the_keys_of_the_contract(run):
    graded, not_graded = records(run("grade", "freecell", f"617,{UNWINNABLE}", "--json"))
    assert list(graded) == [*COMMON, "effort", "grade", "percentile", "grader"]
    assert graded["grade"] in ("easy", "normal", "hard")
    assert graded["effort"] > 0
    assert graded["grader"] == not_graded["grader"] == "freecell-2"
    assert not_graded["effort"] is None
    assert not_graded["grade"] is None
    assert not_graded["percentile"] is None
    assert 0 <= graded["percentile"] <= 99


def test_grade_lines_say_the_same(run):
    (record,) = records(run("grade", "freecell", "617", "--json"))
    (line,) = run("grade", "freecell", "617").lines
    assert line.endswith(
        f"{record['grade']:<6}  effort {record['effort']:.0f} tries "
        f"(harder than {record['percentile']} % of deals 1..20000)"
    )


def test_a_profile_without_a_scale_has_efforts_and_no_grades(run):
    result = run("grade", "freecell", "3", "--profile", "classic,cells=3", "--json")
    (record,) = records(result)
    assert record["effort"] > 0
    assert (record["grade"], record["percentile"]) == (None, None)
    assert result.err == (
        "winnable: freecell-2 has no grades for profile classic,cells=3; 'winnable pool build "
        "--tiers thirds' divides a range by its own efforts\n"
    )
    plain = run("grade", "freecell", "3", "--profile", "classic,cells=3", "--quiet")
    assert plain.err == ""
    assert plain.out.endswith(" tries\n")


# Not the deals of four cells: with three, millions of positions are left.
@pytest.mark.parametrize("needed", [0, 1, 2, 3])
def test_the_fewest_cells_are_those_of_the_reference(run, needed):
    lines = (BOARDS.parent / "freecell_fewest_cells_1_to_8000.txt").read_text().splitlines()
    fewest = {int(number): int(cells) for number, cells in map(str.split, lines)}
    numbers = [number for number in fewest if fewest[number] == needed][:12]
    words = ["--max-nodes", "100000", "--memory", "64", "--cells"]
    result = run("grade", "freecell", ",".join(map(str, numbers)), *words, "--json")
    decided = 0
    for number, record in zip(numbers, records(result), strict=True):
        low, high = record["fewest_cells"].values()
        assert list(record["fewest_cells"]) == ["low", "high"]
        assert low <= needed <= high, number
        decided += low == high
    assert decided >= len(numbers) // 2


def test_fewest_cells_that_are_not_decided_are_an_interval(run):
    # The reference: deal 3 takes two cells. A node decides nothing.
    words = ["grade", "freecell", "3", "--cells", "--max-nodes"]
    (record,) = records(run(*words, "1", "--json"))
    assert record["fewest_cells"] == {"low": 0, "high": None}
    assert run(*words, "1").lines[0].endswith("  at least 0 cells")
    assert run(*words, "300000").lines[0].endswith("  2 cells")


def test_only_games_with_cells_have_fewest(run, one_line):
    for name, title in (("pyramid", "Pyramid"), ("plot", "The Plot")):
        told = one_line(run("grade", name, "1", "--cells"))
        assert f"--cells is given, and {title} has no cells" in told


# deal


def test_deals_are_the_known_boards(run):
    boards = json.loads(BOARDS.read_text())
    assert boards
    for number, columns in boards.items():
        shown = board_of(run, number).splitlines()
        assert [line.lstrip(": ").split() for line in shown] == columns


def test_deal_formats_agree(run):
    board = board_of(run, 24)
    (record,) = records(run("deal", "freecell", "24", "--json"))
    assert list(record) == ["game", "numbering", "number", "cards", "position"]
    columns = [line.split() for line in board.splitlines()]
    assert record["position"]["columns"] == columns
    dealt = [column[row] for row in range(7) for column in columns if row < len(column)]
    assert record["cards"] == dealt
    title, empty, numbers, *rows = run("deal", "freecell", "24").lines
    assert (title, empty, numbers.split()) == ("FreeCell 24 (ms)", "", [*"12345678"])
    shown = "\n".join(rows).translate(str.maketrans("♣♦♥♠", "CDHS"))
    assert shown.split() == dealt
    assert run("deal", "freecell", "24", "--format", "cards").out == " ".join(dealt) + "\n"
    assert run("deal", "freecell", "24", "--format", "json").lines == [json.dumps(record)]


@pytest.mark.parametrize("name", games.NAMES)
def test_a_board_is_called_so_in_every_game_and_read_as_it_is_written(run, name):
    board = run("deal", name, "24", "--format", "board").out
    (record,) = records(run("check", name, "--board", "-", "--json", stdin=board))
    assert record["board"] == board


def test_several_deals_are_apart(run):
    both = run("deal", "freecell", "1-2", "--format", "board").out
    assert both == board_of(run, 1) + "\n" + board_of(run, 2)


# games


def test_games_lists_profiles_options_and_graders(run):
    by_name = {record["game"]: record for record in records(run("games", "--json"))}
    assert list(by_name) == ["freecell", "pyramid", "plot"]
    assert [record["grader"]["name"] for record in by_name.values()] == [
        f"{name}-2" for name in by_name
    ]
    # Values are spelled so that --profile takes them.
    assert by_name["pyramid"]["profiles"]["classic"] == {
        "redeals": "unlimited",
        "cover_pairs": "yes",
        "stock_top": "no",
        "goal": "pyramid",
    }
    for name, found in by_name.items():
        for profile, values in found["profiles"].items():
            text = ",".join([profile, *(f"{key}={value}" for key, value in values.items())])
            (dealt,) = records(
                run("replay", name, "1", "--profile", text, "--moves", "-", "--json", stdin="[]")
            )
            assert dealt["profile"] == profile
    record = by_name["freecell"]
    assert set(record["profiles"]) == {"classic", "linear", "safe-auto", "max-auto", "bakers"}
    assert record["options"]["cells"]["valid"] == "0..7"
    numberings = [(each["name"], each["first"], each["last"]) for each in record["numberings"]]
    assert numberings == [("ms", 1, 2**33 - 1), ("pysol", "1", "9" * 20)]
    assert record["grader"]["unit"] == "tries"
    for record in by_name.values():
        assert set(record["grader"]["scales"]) == set(record["profiles"])
    text = run("games").out
    for word in ("bakers", "cells=0..7", "ms 1..8589934591", "freecell-2"):
        assert word in text
