"""The Plot as text: what is written is read back, and what is wrong is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plot_cases import ALL_PROFILES, CLASSIC, PYSOL, board_text, deck_of, random_play

from solvers.errors import InvalidDealError, NotationError
from solvers.plot.layout import pack_moves, unpack_moves
from solvers.plot.notation import (
    format_board,
    format_move,
    parse_board,
    parse_move,
    position_from_json,
    position_to_json,
)
from solvers.plot.rules import DRAW, FOUNDATION, RESERVE, WASTE, Move, deal, start


@given(st.integers(1, 2**33 - 1))
def test_boards_round_trip(number: int) -> None:
    """A deal is written and read back, with its first stock card turned or not."""
    state = deal(deck_of(number))
    text = format_board(state)
    assert parse_board(text, CLASSIC) == state
    assert format_board(start(state, PYSOL)) == text
    assert parse_board(text.replace("\n", "\r\n").lower(), CLASSIC) == state


def test_board_faults_are_named() -> None:
    """A token that is no card has its place; missing and duplicated cards are listed."""
    words = board_text(1)
    with pytest.raises(NotationError, match="line 2, column 4: '1X' is no card"):
        parse_board(f"{words[0]}\n{words[1]} 1X", CLASSIC)
    twice = [words[0], words[0], words[0], *words[3:]]
    with pytest.raises(InvalidDealError) as caught:
        parse_board(" ".join(twice), CLASSIC)
    assert f"more than twice: {words[0]}" in str(caught.value)
    assert "missing: " in str(caught.value)
    with pytest.raises(InvalidDealError, match="has 0 cards; a deal of The Plot has 104"):
        parse_board("", CLASSIC)


def test_mid_game_has_no_board_text() -> None:
    """Positions past the deal are for JSON."""
    with pytest.raises(NotationError, match="write it as JSON"):
        format_board(random_play(1, CLASSIC, seed=1)[-1])


@given(st.integers(1, 500), st.sampled_from(ALL_PROFILES), st.integers(0, 200))
def test_positions_round_trip(number: int, profile: object, ply: int) -> None:
    """A position of a random game is written and read back."""
    states = random_play(number, profile, seed=number)  # type: ignore[arg-type]
    state = states[min(ply, len(states) - 1)]
    assert position_from_json(position_to_json(state), profile) == state  # type: ignore[arg-type]


def _broken(**changes: object) -> dict[str, object]:
    """Return the JSON of deal 1 with some keys changed."""
    return {**position_to_json(deal(deck_of(1))), **changes}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "a position is a JSON object"),
        (_broken(hand=[]), "'hand' is unknown"),
        ({"base": "7"}, "'waste' is missing"),
        (_broken(base="0"), "base: '0' is no rank"),
        (_broken(base=7), "base: 7 is no rank"),
        (_broken(stock="7C"), "stock: a list of cards is needed"),
        (_broken(reserve=["7C", 3]), "reserve, card 2: 3 is no card"),
        (_broken(piles=[["ZZ"]]), "pile 1, card 1: 'ZZ' is no card"),
        (_broken(piles={}), "piles: a list"),
        (_broken(foundations=[]), "foundations: an object"),
        (_broken(foundations={"7": 9}), "7 is 9; valid is 0..8"),
        (_broken(foundations={"7": True}), "7 is True"),
        (_broken(foundations={"T": 1, "10": 1}), "given twice"),
    ],
)
def test_wrong_json_is_refused(data: object, message: str) -> None:
    """Every wrong form has one clear line."""
    with pytest.raises(NotationError, match=message):
        position_from_json(data, CLASSIC)


def test_impossible_positions_list_all_faults() -> None:
    """Too many piles, too large a reserve, and cards that are not there."""
    data = _broken(piles=[[]] * 13, reserve=["7C"] * 14)
    with pytest.raises(InvalidDealError) as caught:
        position_from_json(data, CLASSIC)
    text = str(caught.value)
    assert "13 piles" in text
    assert "the reserve holds 14 cards" in text
    assert "7C occurs" in text


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("draw", DRAW),
        ("w>3", Move(WASTE, 2)),
        ("W>F", Move(WASTE, FOUNDATION)),
        ("5>2", Move(4, 1)),
        ("12>f", Move(11, FOUNDATION)),
        ("r>f", Move(RESERVE, FOUNDATION)),
    ],
)
def test_moves_are_read_and_packed(text: str, move: Move) -> None:
    """The standard moves, read, written and packed."""
    assert parse_move(text) == move
    assert format_move(move) == text.lower()
    assert unpack_moves(pack_moves([move])) == (move,)


@given(st.text(max_size=6))
def test_any_text_is_a_move_or_an_error(text: str) -> None:
    """A text is refused, or is written as it was read."""
    try:
        move = parse_move(text)
    except NotationError:
        return
    assert parse_move(format_move(move)) == move


@pytest.mark.parametrize("text", ["", "w", "13>1", "0>1", "w>r", "f>1", "5>>2", "w>٣", "r"])
def test_wrong_moves_are_refused(text: str) -> None:
    """The message says what moves there are."""
    with pytest.raises(NotationError, match="moves are draw"):
        parse_move(text)
