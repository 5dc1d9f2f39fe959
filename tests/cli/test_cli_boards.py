"""Boards as people and programs write them, several of them, and under the wrong game's name."""

import json
import random
from pathlib import Path

import pytest

from dealgen.numbering import numbering_of
from solvers import games
from solvers.errors import WinnableError
from solvers.freecell.boards import LAYOUTS
from solvers.positions import read_position

#: Written for this project after public reports and the formats of other programs.
CASES = Path(__file__).parent.parent / "cases" / "boards"
WHOLE = (
    *("columns_reversed.txt", "deckline.txt", "emoji_vs16.txt", "labels_commas.txt", "one.txt"),
    *("rowwise.txt", "solvitaire.json", "suitfirst.txt", "zero.txt"),
)
FREECELL = games.load("freecell")
CLASSIC = FREECELL.profiles["classic"]
FORMATS = ("table", "board", "json", "cards")


def records(result):
    return [json.loads(line) for line in result.lines]


def columns_of(number):
    deck = numbering_of("ms").deck(FREECELL, number)
    return FREECELL.deal(deck).columns


@pytest.mark.parametrize("name", WHOLE)
def test_deal_24_however_it_is_written(run, name):
    state = read_position(FREECELL, (CASES / f"d24_{name}").read_text("utf-8"), CLASSIC)
    assert sorted(state.columns) == sorted(columns_of(24))
    result = run("check", "freecell", "--board", CASES / f"d24_{name}", "--json")
    (record,) = records(result)
    assert (result.code, record["verdict"]) == (0, "winnable")
    in_order = name != "columns_reversed.txt"
    assert record["deal"] == {"numbering": "ms", "number": 24, "same_order": in_order}
    assert state.columns == (columns_of(24) if in_order else columns_of(24)[::-1])


def test_a_deal_in_rows_under_headings_is_never_read_as_columns(run):
    # As seven columns it would be winnable; 11982 is the famous deal that nobody can win.
    path = CASES / "d11982_rowwise_with_headings.txt"
    for options in ((), ("--board-layout", "rows")):
        result = run("check", "freecell", "--board", path, *options, "--json")
        assert (result.code, records(result)[0]["deal"]["number"]) == (1, 11982)
    result = run("check", "freecell", "--board", path, "--board-layout", "columns")
    assert (result.code, result.out) == (2, "")
    assert "the board has 7 of 8 columns" in result.err


def test_rows_as_json_are_read_when_it_is_said_that_they_are(run):
    deck = [text for line in (CASES / "d24_rowwise.txt").read_text().split("\n") for text in [line]]
    rows = [line.split() for line in deck if line]
    for text in (json.dumps({"columns": rows}), json.dumps(rows)):
        result = run("check", "freecell", "--board", "-", stdin=text)
        assert (result.code, result.out) == (2, "")
        assert "7 lists, which look like rows (--board-layout rows reads them)" in result.err
        ask = ("check", "freecell", "--board", "-", "--board-layout", "rows", "--json")
        assert records(run(*ask, stdin=text))[0]["deal"]["number"] == 24
    assert run("check", "freecell", "--board", "-", stdin=json.dumps(columns_text(24))).code == 0


def columns_text(number):
    return FREECELL.position_to_json(FREECELL.deal(numbering_of("ms").deck(FREECELL, number)))[
        "columns"
    ]


def test_a_position_in_mid_game_is_the_same_in_two_programs_spellings(run):
    states = []
    for name in ("fcsolve_midgame_blank_cells.txt", "pysolfc_export_midgame.txt"):
        states.append(read_position(FREECELL, (CASES / name).read_text(), CLASSIC))
        assert run("check", "freecell", "--board", CASES / name).code == 0
    assert states[0] == states[1]
    assert list(map(len, states[0].columns)) == [7, 8, 7, 0, 6, 8, 6, 6]


def test_a_board_of_pysolfcs_the_plot(run):
    ask = ("check", "plot", "--profile", "pysol")
    result = run(*ask, "--board", CASES / "pysolfc_theplot_103.txt", "--json")
    (record,) = records(result)
    assert (result.code, record["deal"]["number"]) == (1, "103")
    assert run(*ask, "103").code == 1


def test_a_letter_of_another_alphabet_is_named_with_its_place(run):
    result = run("check", "freecell", "--board", CASES / "d24_cyrillic.txt")
    assert (result.code, result.out) == (2, "")
    assert "line 1, column 1: '4\u0421' is not a card" in result.err
    assert "U+0421 CYRILLIC CAPITAL LETTER ES" in result.err


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: text.replace("4C", "4C\u200b"), "U+200B ZERO WIDTH SPACE"),
        (lambda text: text.replace("4C", "\u00ad4C"), "U+00AD SOFT HYPHEN"),
        (lambda text: text.replace("4C", "\uff14C"), "U+FF14 FULLWIDTH DIGIT FOUR"),
        (lambda text: "".join(text.splitlines(True)[:7]), "the board has 7 of 8 columns"),
        (lambda text: "C2:" + text, "'C2:' stands before column 1; valid is 1 to 8 in order"),
    ],
)
def test_what_looks_right_and_is_not_is_said(run, change, says):
    text = "".join(" ".join(column) + "\n" for column in columns_text(24))
    result = run("check", "freecell", "--board", "-", stdin=change(text))
    assert (result.code, result.out) == (2, "")
    assert says in result.err
    assert result.err.count("\n") == 1


def test_comments_and_a_second_line_of_cells_are_read(run):
    text = "# mine\nFC: JH\nFC: 5D # from column 4\nFounds: S-2\n"
    lines = (CASES / "fcsolve_midgame_blank_cells.txt").read_text().splitlines(True)[2:]
    state = read_position(FREECELL, text + "".join(lines), CLASSIC)
    plain = (CASES / "fcsolve_midgame_blank_cells.txt").read_text()
    assert state == read_position(FREECELL, plain, CLASSIC)


@pytest.mark.parametrize("game", games.NAMES)
@pytest.mark.parametrize("layout", FORMATS)
def test_what_deal_writes_is_read_again(run, game, layout):
    for number in (1, 617, 11982):
        text = run("deal", game, number, "--format", layout).out
        coloured = text.replace("9♦", "\x1b[31m9♦\x1b[0m")
        for given in (text, coloured):
            ask = ("check", game, "--board", "-", "--max-nodes", "1", "--json")
            (record,) = records(run(*ask, stdin=given))
            assert record["deal"] == {"numbering": "ms", "number": number, "same_order": True}


@pytest.mark.parametrize("game", games.NAMES)
def test_a_picture_is_refused_and_what_is_read_is_named(run, game):
    picture = run("deal", game, 617, "--format", "svg").out
    result = run("check", game, "--board", "-", stdin=picture)
    assert (result.code, result.out) == (2, "")
    assert "is a picture, which is not read; valid is any other format" in result.err


@pytest.mark.parametrize("layout", ["table", "board", "json"])
def test_another_games_board_is_called_so(run, layout):
    for given in games.NAMES:
        text = run("deal", given, 617, "--format", layout).out
        for asked in set(games.NAMES) - {given}:
            result = run("check", asked, "--board", "-", stdin=text)
            assert (result.code, result.out) == (2, "")
            titles = (games.load(given).title, games.load(asked).title)
            assert "this looks like {}, not {}: ".format(*titles) in result.err


def test_a_deal_in_another_order_of_columns_is_graded_and_numbered(run):
    shuffled = columns_text(617)
    random.Random(1).shuffle(shuffled)
    text = "".join(": " + " ".join(column) + "\n" for column in shuffled)
    (graded,) = records(run("grade", "freecell", "--board", "-", "--json", stdin=text))
    (by_number,) = records(run("grade", "freecell", "617", "--json"))
    assert graded["grade"] == by_number["grade"]
    line = run("check", "freecell", "--board", "-", stdin=text).out
    assert line.endswith(", deal 617 (ms) with its columns in another order\n")
    # Beyond the first million nobody looks, and a position in mid-game has no number.
    far = run("deal", "freecell", 1_000_001, "--format", "board").out
    assert "deal" not in run("check", "freecell", "--board", "-", stdin=far).out


@pytest.mark.parametrize("seed", range(3))
def test_a_text_is_a_position_or_one_line(seed):
    """Texts made of what boards are made of either read as a legal position or are refused."""
    choices = random.Random(seed)
    lines = [path.read_text("utf-8").splitlines(True) for path in sorted(CASES.glob("*.txt"))]
    everything = [line for text in lines for line in text]
    read = 0
    for _ in range(400):
        text = choices.choice(lines)[:]
        for _ in range(choices.randrange(3)):
            at = choices.randrange(len(text))
            text[at : at + choices.randrange(2)] = [choices.choice(everything)]
        game = games.load(choices.choice(games.NAMES))
        profile = game.profiles[game.default_profile]
        layout = choices.choice(LAYOUTS) if game is FREECELL else "auto"
        try:
            state = read_position(game, "".join(text), profile, layout)
        except WinnableError:
            continue
        read += 1
        assert read_position(game, game.format_board(state), profile) == state
    assert read > 20


# Several boards.


@pytest.fixture
def folder(run, tmp_path):
    for number in (11982, 617):
        (tmp_path / f"{number}.txt").write_text(run("deal", "freecell", number).out)
    (tmp_path / ".hidden").write_text("no board")
    (tmp_path / "deeper").mkdir()
    return tmp_path


@pytest.mark.parametrize("command", ["check", "solve", "hint", "grade"])
def test_each_board_is_answered_under_its_name(run, folder, command):
    names = [str(folder / "11982.txt"), str(folder / "617.txt")]
    by_folder = run(command, "freecell", "--board", folder, "--json")
    found = records(by_folder)
    assert [record["name"] for record in found] == names
    assert [record["verdict"] for record in found] == ["unwinnable", "winnable"]
    assert by_folder.code == 1
    several = run(command, "freecell", "--board", names[0], "--board", names[1], "--json")
    assert several.out == by_folder.out
    text = run(command, "freecell", "--board", folder)
    assert [line.split()[0] for line in text.lines if line.startswith(str(folder))] == names


def test_lines_of_json_have_names_of_their_own(run):
    lines = [
        {"id": 7, "position": {"columns": columns_text(617)}},
        {"name": "the lost one", "columns": columns_text(11982)},
        {"columns": columns_text(2)},
    ]
    text = "\n".join(map(json.dumps, lines))
    result = run("check", "freecell", "--board", "-", "--json", stdin=text)
    found = [(record["name"], record["verdict"]) for record in records(result)]
    assert found == [
        ("7", "winnable"),
        ("the lost one", "unwinnable"),
        ("stdin, line 3", "winnable"),
    ]


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda line: line.replace("columns", "colums"), "did you mean 'columns'?"),
        (lambda line: line.replace('"7"', '""'), "'' is not a name; valid is a text or a number"),
        (lambda line: line.replace("QH", "XH"), "'XH' is not a card"),
    ],
)
def test_a_bad_board_among_several_is_named_and_nothing_is_answered(run, spoil, says):
    good = json.dumps({"id": "7", "columns": columns_text(617)})
    result = run("check", "freecell", "--board", "-", stdin=f"{good}\n{spoil(good)}\n")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("winnable: stdin, line 2: ")
    assert says in result.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--board", "{0}", "--board", "{0}"), "is given twice; valid is once"),
        (("--board", "{0}/deeper"), "is a folder without a file"),
        (("--board", "{0}", "--after", "26"), "moves are of one deal or board; 2 boards are given"),
        (("617", "--board-layout", "rows"), "--board-layout goes with --board"),
        (("--board", "{0}/617.txt", "--board-layout", "row"), "did you mean 'rows'?"),
        (("--board", "{0}/617.txt", "--board-layout", "rows"), "the numbers"),
    ],
)
def test_bad_questions_about_boards(run, folder, words, says):
    result = run("check", "freecell", *(word.format(folder) for word in words))
    if words[-1] == "rows" and "617.txt" in words[1]:
        # Its lines are rows; saying so changes nothing.
        assert result.code == 0
        return
    assert (result.code, result.out) == (2, "")
    assert says in result.err


# Names.


def test_names_are_read_in_any_case(run):
    right = run("check", "pyramid", "2", "--profile", "classic,redeals=2,goal=all", "--json")
    other = run("check", "Pyramid", "2", "--profile", "Classic,Redeals=2,goal=ALL", "--json")
    assert right.code == other.code == 1
    assert right.out == other.out
    assert run("deal", "PLOT", "5", "--numbering", "PySol").out.startswith("The Plot 5 (pysol)")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("chekc",), "unknown command 'chekc', did you mean 'check'?; there are: deal, "),
        (("check", "fercell", "1"), "unknown game 'fercell', did you mean 'freecell'?"),
        (("check", "pyramid", "1", "--profile", "micrsoft"), "did you mean 'microsoft'?"),
        (("check", "pyramid", "1", "--profile", "redeals=2"), "did you mean 'classic,redeals=2'?"),
        (("check", "pyramid", "1", "--profile", "classic,reedals=2"), "did you mean 'redeals'?"),
        (("check", "freecell", "1", "--numbering", "psol"), "did you mean 'pysol'?"),
        (("check", "freecell", "1", "--method", "fsat"), "did you mean 'fast'?"),
        (("check", "freecell", "1", "--jsn"), "'--json'"),
    ],
)
def test_a_wrong_name_gets_the_nearest_right_one(run, words, says):
    result = run(*words)
    assert (result.code, result.out) == (2, "")
    assert says.lower() in result.err.lower()
    assert result.err.count("\n") == 1


def test_redeals_that_matter_are_asked_for(run):
    position = records(run("deal", "pyramid", "2", "--json"))[0]["position"]
    del position["redeals_used"]
    text = json.dumps(position)
    assert run("check", "pyramid", "--board", "-", stdin=text).code == 0
    result = run("check", "pyramid", "--profile", "microsoft", "--board", "-", stdin=text)
    assert (result.code, result.out) == (2, "")
    assert "redeals_used is missing; the rules allow 2" in result.err


def test_a_profiles_numbering_is_dealt(run):
    assert run("deal", "plot", "103", "--profile", "pysol").out == (
        run("deal", "plot", "103", "--numbering", "pysol").out
    )
    assert run("deal", "plot", "103", "--profile", "psol").code == 2
