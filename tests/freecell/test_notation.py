"""FreeCell boards, positions and moves as text: what is read, what is refused, and how."""

from __future__ import annotations

import json
import random

import pytest
from freecell_cases import ms_deal, random_play, random_profile, reference_boards
from hypothesis import given
from hypothesis import strategies as st

from solvers.cards import format_card, parse_card
from solvers.errors import InvalidDealError, NotationError
from solvers.freecell.layout import pack_moves, unpack_moves
from solvers.freecell.notation import (
    format_board,
    format_move,
    parse_board,
    parse_move,
    position_from_json,
    position_to_json,
)
from solvers.freecell.rules import (
    FOUNDATION,
    NO_CARD,
    PROFILES,
    Move,
    Profile,
    State,
    check_position,
    legal_moves,
)

CLASSIC = PROFILES["classic"]

DEAL_24 = """\
4C 2C 9C 8C QS 4S 2H
5H QH 3C AC 3H 4H QD
QC 9S 6H 9H 3S KS 3D
5D 2S JC 5C JH 6D AS
2D KD TH TC TD 8D
7H JS KH TS KC 7C
AH 5S 6S AD 8H JD
7S 6C 7D 4D 8S 9D
"""

#: A position of deal 24 as fc-solve prints it: cell a is empty, and blank.
PRINTED = """\
Foundations: H-2 C-0 D-A S-A 
Freecells:      4S  6S  8H
: 
: 2D KD TH TC TD 8D
: 4C 2C 9C 8C QS JD
: 5H QH 3C AC 3H 4H QD
: 5D 2S JC 5C JH 6D 5S
: 7H JS KH TS KC 7C
: 7S 6C 7D 4D 8S 9D
: QC 9S 6H 9H 3S KS 3D
"""  # noqa: W291
CELLS = "Freecells:      4S  6S  8H"


def cells_of(state: State) -> list[str]:
    """Return the cells as text."""
    return ["--" if card == NO_CARD else format_card(card) for card in state.cells]


# Boards that are read.


@pytest.mark.parametrize(("number", "columns"), reference_boards().items())
def test_reference_boards_are_read(number: int, columns: list[list[str]]) -> None:
    text = "\n".join(" ".join(column) for column in columns)
    state = parse_board(text, CLASSIC)
    assert [[format_card(card) for card in column] for column in state.columns] == columns
    assert format_board(state) == text + "\n"
    assert state == ms_deal(number)


@pytest.mark.parametrize(
    "text",
    [
        DEAL_24.rstrip("\n"),
        DEAL_24.replace("\n", "\r\n"),
        DEAL_24.replace("\n", "\r"),
        DEAL_24 + "\n \n\t\n",
        "".join(f": {line}\n" for line in DEAL_24.splitlines()),
        "".join(f"  :{line}  \n" for line in DEAL_24.splitlines()),
        DEAL_24.replace("T", "10"),
        DEAL_24.lower().replace(" ", "\t"),
        DEAL_24.translate(str.maketrans("CDHS", "♣♦♥♠")),
        "Foundations: H-0 C-0 D-0 S-0 \nFreecells:                \n" + DEAL_24,
        "Freecells: -- -- -- --\n" + DEAL_24,
        "FC: - - * -\nFounds:\n" + DEAL_24,
    ],
    ids=[
        "no last line end",
        "Windows",
        "old Mac",
        "blank lines after",
        "colons",
        "spaces around",
        "10",
        "small letters",
        "suit symbols",
        "as fc-solve prints a start",
        "dashes",
        "short headings",
    ],
)
def test_spellings_of_a_deal(text: str) -> None:
    assert parse_board(text, CLASSIC) == ms_deal(24)


def test_a_position_as_fc_solve_prints_it() -> None:
    state = parse_board(PRINTED, CLASSIC)
    assert state.foundations == (0, 1, 2, 1)
    assert cells_of(state) == ["--", "4S", "6S", "8H"]
    assert [len(column) for column in state.columns] == [0, 6, 6, 7, 7, 6, 6, 7]
    assert parse_board(PRINTED.replace("T", "10"), CLASSIC) == state
    # Our own spelling of it.
    assert format_board(state) == (
        "Foundations: H-2 C-0 D-A S-A\nFreecells: -- 4S 6S 8H\n:\n"
        + "".join(f"{line}\n" for line in PRINTED.splitlines()[3:])
    )


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        (CELLS, "-- 4S 6S 8H"),
        (CELLS.replace("  6S  8H", "  8H  6S"), "-- 4S 8H 6S"),
        ("Freecells:  4S      6S  8H", "4S -- 6S 8H"),
        ("Freecells:  4S  6S  8H    ", "4S 6S 8H --"),
        ("Freecells: 4S 6S 8H", "4S 6S 8H --"),
        ("Freecells: 4S -- 6S 8H", "4S -- 6S 8H"),
        ("Freecells:  4S  --  6S  8H", "4S -- 6S 8H"),
        ("freecells:4S 6S - 8h", "4S 6S -- 8H"),
        # Cells past the profile's are fine as long as they are empty.
        ("Freecells: 4S 6S 8H -- -- --", "4S 6S 8H --"),
    ],
)
def test_cells_are_read_by_place_or_in_order(line: str, cells: str) -> None:
    assert cells_of(parse_board(PRINTED.replace(CELLS, line), CLASSIC)) == cells.split()


def test_cells_printed_as_tens_keep_their_places() -> None:
    # fc-solve prints ten as 10 unless told otherwise: four characters with one space.
    text = PRINTED.replace("8H", "XX").replace("TH", "8H").replace("XX", "TH")
    state = parse_board(text, CLASSIC)
    assert cells_of(state) == ["--", "4S", "6S", "TH"]
    assert parse_board(text.replace("  TH", " 10H"), CLASSIC) == state


@pytest.mark.parametrize(
    "text",
    [
        # A bare colon, or an empty line.
        ":\n{rest}",
        "\n{rest}",
        "{rest}:\n",
        "Freecells:\n{rest}:\n",
        "Foundations: H-0\n{rest}C8:\n\n",
    ],
)
def test_empty_columns(text: str) -> None:
    full = DEAL_24.splitlines()
    rest = "\n".join([full[0] + " " + full[1], *full[2:]]) + "\n"
    columns = list(map(len, parse_board(text.format(rest=rest), CLASSIC).columns))
    filled = [14, 7, 7, 6, 6, 6, 6]
    assert columns == ([0, *filled] if text[0] in ":\n" else [*filled, 0])


def test_a_board_without_headings_has_all_its_columns() -> None:
    deck = " ".join(DEAL_24.split())
    for text in (f":{deck}\n\n\n", "\n".join([deck[:20], deck[21:]]), deck[:-3]):
        for heading in ("", "Freecells:\n", "Foundations:\n"):
            with pytest.raises(NotationError, match="of 8 columns; each is a line, and an empty"):
                parse_board(heading + text, CLASSIC)


def test_an_empty_line_between_columns_is_a_column() -> None:
    lines = DEAL_24.splitlines()
    text = "\n".join([*lines[:3], "", *lines[4:], lines[3]])
    # The last of them is then the ninth.
    with pytest.raises(NotationError, match="one column too many"):
        parse_board(text, CLASSIC)
    text = "\n".join([*lines[:3], "", *lines[4:7], f"{lines[3]} {lines[7]}"])
    assert list(map(len, parse_board(text, CLASSIC).columns)) == [7, 7, 7, 0, 6, 6, 6, 13]


def test_a_won_position() -> None:
    won = State(((),) * 8, (NO_CARD,) * 4, (13, 13, 13, 13))
    text = "Foundations: H-K C-K D-K S-K\nFreecells: -- -- -- --\n" + ":\n" * 8
    assert format_board(won) == text
    assert parse_board(text, CLASSIC) == won
    assert parse_board("Foundations: S-K D-K C-K H-K", CLASSIC) == won


# Boards that are refused.


@pytest.mark.parametrize(
    ("text", "position", "token"),
    [
        (DEAL_24.replace("8C", "8X"), "line 1, column 10", "8X"),
        (DEAL_24.replace("TH", "XH"), "line 5, column 7", "XH"),
        (DEAL_24.replace("TH", "TH;"), "line 5, column 7", "TH;"),
        (DEAL_24.replace("TH", "T\u041d"), "line 5, column 7", "T\u041d"),
        (DEAL_24.replace("8D\n", "8\n"), "line 5, column 16", "8"),
        (DEAL_24.replace("8D\n", "8D\r\n").replace("4C", "CX"), "line 1, column 1", "CX"),
        (DEAL_24.replace("5H QH", ":: 5H QH"), "line 2, column 2", ":"),
        (DEAL_24 + "3C\n", "line 9, column 1", "3C"),
        (DEAL_24 + ":\n", "line 9, column 1", ":"),
        (DEAL_24 + "\n" + DEAL_24, "line 10, column 1", "4C 2C 9C 8C QS 4S 2H"),
        ("\n" + DEAL_24, "line 9, column 1", "7S 6C 7D 4D 8S 9D"),
        (PRINTED.replace("H-2", "H-13"), "line 1, column 14", "H-13"),
        (PRINTED.replace("H-2", "H2"), "line 1, column 14", "H2"),
        (PRINTED.replace("H-2", "X-2"), "line 1, column 14", "X-2"),
        (PRINTED.replace("C-0", "H-0"), "line 1, column 18", "H-0"),
        (PRINTED.replace("4S  6S", "4S  ??"), "line 2, column 21", "??"),
        ("C1:" + DEAL_24.replace("\n", "\nC3:"), "line 2, column 1", "C3:"),
        ("Foundations:\n" + PRINTED, "line 2, column 1", "Foundations:"),
        ("<html>\n", "line 1, column 1", "<html>"),
        ("\x00\x01\x02", "line 1, column 1", "\x00\x01\x02"),
        ("7S\n\x7fELF\x02", "line 2, column 1", "\x7fELF\x02"),
    ],
)
def test_unreadable_boards_name_line_column_and_token(text: str, position: str, token: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_board(text, CLASSIC)
    assert (caught.value.position, caught.value.text) == (position, token)
    message = str(caught.value)
    assert message.startswith(f"{position}: ")
    assert repr(token) in message
    assert "\n" not in message


@pytest.mark.parametrize(
    "text",
    [
        "AC " * 20_000,
        "AC\n" * 8 + "KS " * 20_000,
        DEAL_24 + "Freecells: " + "4S " * 20_000,
        "Foundations: " + "H-1 " * 20_000,
        "4C" + "\n" * 200_000 + "5C\n",
        "4C " + "x" * 100_000,
    ],
)
def test_an_error_stays_short_however_long_the_board_is(text: str) -> None:
    with pytest.raises((NotationError, InvalidDealError)) as caught:
        parse_board(text, CLASSIC)
    assert len(str(caught.value)) < 5000


@pytest.mark.parametrize("name", ["columns", "cells"])
def test_an_error_stays_short_however_long_the_json_is(name: str) -> None:
    many = ["AC"] * 50_000
    for value in (many, [many], [many] * 3):
        with pytest.raises((NotationError, InvalidDealError)) as caught:
            position_from_json({name: value}, CLASSIC)
        assert len(str(caught.value)) < 5000


@pytest.mark.parametrize("text", ["", "\n", " \r\n\t\n"])
def test_an_empty_board_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="the board is empty; it has 8 lines"):
        parse_board(text, CLASSIC)


def test_a_long_token_is_quoted_in_part() -> None:
    with pytest.raises(NotationError) as caught:
        parse_board("x" * 100_000, CLASSIC)
    assert len(str(caught.value)) < 200
    assert len(caught.value.text) == 100_000


@pytest.mark.parametrize(
    ("text", "faults", "missing", "duplicated"),
    [
        (
            DEAL_24.replace("QS", "").replace("7C\n", "\n"),
            ["missing: 7C QS"],
            "7C QS",
            "",
        ),
        (
            DEAL_24.replace("QS", "2H").replace("7C\n", "AH\n"),
            [
                "missing: 7C QS",
                "more than once: AH 2H",
                "AH is at line 6, column 16 and line 7, column 1",
                "2H is at line 1, column 13 and line 1, column 19",
            ],
            "7C QS",
            "AH 2H",
        ),
        (
            PRINTED.replace("H-2", "H-3"),
            ["on a foundation and elsewhere too: 3H", "3H is at line 6, column 15"],
            "",
            "3H",
        ),
        (PRINTED.replace("H-2", "H-A"), ["missing: 2H"], "2H", ""),
        (
            PRINTED.replace(CELLS, "Freecells: 4S -- -- -- 6S 8H"),
            ["beyond the profile's 4 cells: 6S 8H"],
            "",
            "",
        ),
    ],
    ids=["missing", "duplicated", "home too", "not home", "cells"],
)
def test_illegal_boards_list_every_fault(
    text: str, faults: list[str], missing: str, duplicated: str
) -> None:
    with pytest.raises(InvalidDealError) as caught:
        parse_board(text, CLASSIC)
    assert caught.value.faults == tuple(faults)
    assert str(caught.value) == "; ".join(faults)
    assert caught.value.missing == tuple(map(parse_card, missing.split()))
    assert caught.value.duplicated == tuple(map(parse_card, duplicated.split()))


def test_more_cells_used_than_the_profile_has() -> None:
    assert len(parse_board(DEAL_24, Profile("classic", cells=2)).cells) == 2
    with pytest.raises(InvalidDealError, match="beyond the profile's 2 cells: 6S 8H"):
        parse_board(PRINTED, Profile("classic", cells=2))


# JSON.


def test_a_position_as_json() -> None:
    data = position_to_json(parse_board(PRINTED, CLASSIC))
    assert list(data) == ["columns", "cells", "foundations"]
    assert data["columns"][:2] == [[], ["2D", "KD", "TH", "TC", "TD", "8D"]]
    assert data["cells"] == [None, "4S", "6S", "8H"]
    assert data["foundations"] == {"C": 0, "D": 1, "H": 2, "S": 1}


def test_parts_that_are_empty_may_be_left_out() -> None:
    data = {"columns": [line.split() for line in DEAL_24.splitlines()]}
    assert position_from_json(data, CLASSIC) == ms_deal(24)
    home = {"foundations": {"C": 13, "D": 13, "H": 13, "S": 12}}
    state = position_from_json({**home, "cells": ["ks"]}, CLASSIC)
    assert cells_of(state) == ["KS", "--", "--", "--"]
    assert state.columns == ((),) * 8
    columns = [["K♠"], *[[]] * 7]
    assert position_from_json({**home, "columns": columns}, CLASSIC).columns[0] == (51,)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "a FreeCell position is a JSON object with columns, cells, foundations"),
        ([], "columns: 0 lists; valid is 8, with [] for an empty column"),
        ({"columns": [["4C"]]}, "columns: 1 lists; valid is 8, with [] for an empty column"),
        (
            {"column": []},
            "unknown key 'column', did you mean 'columns'?; the keys of a FreeCell position",
        ),
        ({"columns": {}}, "columns: valid is a list"),
        ({"columns": ["4C"]}, "columns[0]: valid is a list"),
        ({"columns": [[], ["4C", None]]}, "columns[1][1]: 'None' is not a card; a card is a text"),
        (
            {"columns": [[], ["4C", 7]]},
            "columns[1][1]: '7' is not a card; a card is a text such as",
        ),
        ({"columns": [[], ["4C", "4X"]]}, "columns[1][1]: '4X' is not a card"),
        ({"cells": "4C"}, "cells: valid is a list"),
        ({"cells": [None, "--"]}, "cells[1]: '--' is not a card"),
        ({"foundations": [0, 0, 0, 0]}, "foundations: valid is an object with the suits C D H S"),
        ({"foundations": {"CD": 1}}, "foundations: valid is an object with the suits C D H S"),
        ({"foundations": {"C": 14}}, "foundations.C: '14' is not a whole number 0..13"),
        ({"foundations": {"C": -1}}, "foundations.C: '-1' is not a whole number 0..13"),
        ({"foundations": {"C": True}}, "foundations.C: 'True' is not a whole number 0..13"),
        ({"foundations": {"C": 1.0}}, "foundations.C: '1.0' is not a whole number 0..13"),
    ],
)
def test_unreadable_json_says_where(data: object, message: str) -> None:
    with pytest.raises(NotationError) as caught:
        position_from_json(data, CLASSIC)
    assert str(caught.value).startswith(message)


def test_illegal_json_lists_every_fault() -> None:
    home = {"C": 13, "D": 13, "H": 12, "S": 11}
    data = {"columns": [["KS"], ["AC"]] + [[]] * 7, "cells": ["KS"], "foundations": home}
    with pytest.raises(InvalidDealError) as caught:
        position_from_json(data, CLASSIC)
    assert caught.value.faults == (
        "there are 9 columns; at most 8 are valid",
        "missing: QS KH",
        "more than once: KS",
        "on a foundation and elsewhere too: AC",
        "AC is at columns[1][0]",
        "KS is at columns[0][0] and cells[0]",
    )


# Moves.


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("5a", Move(4, 8)),
        ("26", Move(1, 5)),
        ("26v3", Move(1, 5, 3)),
        ("26v13", Move(1, 5, 13)),
        ("3h", Move(2, FOUNDATION)),
        ("a4", Move(8, 3)),
        ("gh", Move(14, FOUNDATION)),
    ],
)
def test_moves_are_read_and_written(text: str, move: Move) -> None:
    assert parse_move(text) == move
    assert format_move(move) == str(move) == text
    assert parse_move(text.upper()) == move


def test_counts_of_ten_and_more_are_read_as_fc_solve_writes_them() -> None:
    assert parse_move("26va") == parse_move("26v10") == Move(1, 5, 10)
    assert parse_move("26vd") == parse_move("26v13")


@pytest.mark.parametrize(
    "text",
    [
        *("", "5", "55", "hh", "9a", "0a", "5i", "5 a", " 5a", "5a\n", "5a6", "26v", "26v0"),
        *("26v14", "26ve", "26v03", "26v-3", "26w3", "26v3 ", "２6", "5à", "x" * 1000),
    ],
)
def test_what_is_not_a_move_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="is not a move; a move is where from and where to"):
        parse_move(text)


@given(st.builds(Move, st.integers(0, 15), st.integers(0, 15), st.integers(0, 13)))
def test_every_move_round_trips(move: Move) -> None:
    if move.source != move.target:
        assert parse_move(format_move(move)) == move
    assert unpack_moves(pack_moves([move])) == (move,)


@given(st.lists(st.integers(0, 2**16 - 1), max_size=20))
def test_any_sixteen_bits_are_some_move(packed: list[int]) -> None:
    moves = unpack_moves(packed)
    assert pack_moves(moves).tolist() == packed
    assert all(format_move(move) for move in moves)


def test_the_bits_of_a_packed_move() -> None:
    assert pack_moves([Move(1, 5, 3), Move(4, FOUNDATION)]).tolist() == [0x0351, 0x00F4]


# Round trips.


@given(seed=st.integers(0, 2**32), length=st.integers(0, 120))
def test_positions_and_their_moves_round_trip(seed: int, length: int) -> None:
    rng = random.Random(seed)
    profile = random_profile(rng)
    state = random_play(ms_deal(rng.randrange(1, 32001)), profile, rng, length)[-1][1]
    text = format_board(state)
    assert parse_board(text, profile) == state
    assert parse_board(text.replace("\n", "\r\n"), profile) == state
    assert position_from_json(json.loads(json.dumps(position_to_json(state))), profile) == state
    for move in legal_moves(state, profile):
        assert parse_move(format_move(move)) == move


@given(st.text(max_size=12) | st.text("12345678abcdefghv0 ", max_size=6))
def test_a_text_is_a_move_or_a_notation_error(text: str) -> None:
    try:
        move = parse_move(text)
    except NotationError:
        return
    assert parse_move(format_move(move)) == move


BOARD_SCRAPS = st.lists(
    st.sampled_from(
        [*DEAL_24.split(), *PRINTED.splitlines(), *DEAL_24.splitlines(), ":", "\n", "\r\n", "--"]
    )
    | st.text(max_size=5),
    max_size=12,
)


def board_or_error(text: str) -> State | str:
    """Return the state that a text stands for, or the error that refuses it."""
    try:
        return parse_board(text, CLASSIC)
    except (NotationError, InvalidDealError) as error:
        return str(error)


@given(st.text(max_size=80) | BOARD_SCRAPS.map(" ".join) | BOARD_SCRAPS.map("\n".join))
def test_a_text_is_a_board_or_one_clear_error(text: str) -> None:
    state = board_or_error(text)
    if isinstance(state, str):
        assert len(state.splitlines()) == 1
    else:
        assert parse_board(format_board(state), CLASSIC) == state


@given(seed=st.integers(0, 2**32), cuts=st.lists(st.integers(0, 400), max_size=3))
def test_a_spoilt_board_is_an_error_or_another_legal_position(seed: int, cuts: list[int]) -> None:
    rng = random.Random(seed)
    text = format_board(random_play(ms_deal(rng.randrange(1, 32001)), CLASSIC, rng, 40)[-1][1])
    for cut in cuts:
        text = text[:cut] + rng.choice(["", " ", "\n", "A", "4", "-", ":", "é"]) + text[cut + 1 :]
    state = board_or_error(text)
    if isinstance(state, str):
        assert len(state.splitlines()) == 1
    else:
        check_position(state, CLASSIC)
        assert parse_board(format_board(state), CLASSIC) == state


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 20) | st.sampled_from(["KS", "AC", "", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["columns", "cells", "foundations", "C", "S"]), inner)
    ),
    max_leaves=8,
)


@given(JSON_VALUES)
def test_any_json_is_a_position_or_one_clear_error(data: object) -> None:
    with pytest.raises((NotationError, InvalidDealError)) as caught:
        position_from_json(data, CLASSIC)
    assert len(str(caught.value).splitlines()) == 1
