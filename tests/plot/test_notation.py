"""The Plot as text: what is written is read back, and what is wrong is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plot_cases import ALL_PROFILES, CLASSIC, PYSOL, board_text, deck_of, random_play

from solvers.errors import InvalidDealError, NotationError
from solvers.plot import rules
from solvers.plot.layout import pack_moves, unpack_moves
from solvers.plot.notation import (
    format_board,
    format_move,
    parse_board,
    parse_move,
    position_from_json,
    position_to_json,
)
from solvers.plot.rules import DRAW, FOUNDATION, RESERVE, WASTE, Move, Profile, deal, start


@given(st.integers(1, 2**33 - 1))
def test_boards_round_trip(number: int) -> None:
    """A deal is written and read back, also with its first stock card turned."""
    state = deal(deck_of(number))
    text = format_board(state)
    assert parse_board(text, CLASSIC) == state
    assert state == deal(deck_of(number)) == deal(rules.deck_of(state) or [])
    turned = start(state, PYSOL)
    assert rules.deck_of(turned) is None
    assert parse_board(format_board(turned), PYSOL) == turned
    assert parse_board(text.replace("\n", "\r\n").lower(), CLASSIC) == state


def test_board_faults_are_named() -> None:
    """A token that is not a card has its place; missing and duplicated cards are listed."""
    words = board_text(1)
    with pytest.raises(NotationError, match="line 2, column 4: '1X' is not a card"):
        parse_board(f"{words[0]}\n{words[1]} 1X", CLASSIC)
    twice = [words[0], words[0], words[0], *words[3:]]
    with pytest.raises(InvalidDealError) as caught:
        parse_board(" ".join(twice), CLASSIC)
    assert f"more than twice: {words[0]}" in str(caught.value)
    assert "missing: " in str(caught.value)
    for text in ("", " \r\n"):
        with pytest.raises(NotationError, match="no cards; a deal of The Plot has 104"):
            parse_board(text, CLASSIC)


@given(st.integers(1, 500), st.sampled_from(ALL_PROFILES), st.integers(0, 200))
def test_positions_round_trip(number: int, profile: Profile, ply: int) -> None:
    """A position of a random game is written and read back, as JSON and as text."""
    states = random_play(number, profile, seed=number)
    state = states[min(ply, len(states) - 1)]
    assert position_from_json(position_to_json(state), profile) == state
    text = format_board(state)
    assert parse_board(text, profile) == state
    assert parse_board(text.lower().replace("\n", "\r\n").replace(": ", ":"), profile) == state


def test_a_position_as_text_is_as_it_is_described() -> None:
    """The last king is the reserve's, the last queen lies on the waste."""
    cards = dict.fromkeys("A23456789TJQK", 8) | {"Q": 7, "K": 7}
    text = (
        "Base: A\n"
        f"Foundations: {' '.join(f'{rank}-{out}' for rank, out in cards.items())}\n"
        "Reserve: KS\n" + ":\n" * 12 + "Stock:\n"
        "Waste: QC\n"
    )
    state = parse_board(text, CLASSIC)
    assert (state.base, state.reserve, state.waste) == (1, (51,), (44,))
    assert state.foundations == (*[8] * 11, 7, 7)
    assert format_board(state) == text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("Base: A", ""), "one rank after Base:"),
        (("Base: A", "Base: A 2"), "one rank after Base:"),
        (("Base: A", "Base: 1"), "line 1, column 7: '1' is not a rank"),
        (("Base:", "AC Base:"), "line 1, column 1: 'AC' is not a heading"),
        (("Stock:", "Stack:"), "line 16, column 1: 'Stack:' is not a heading"),
        (
            ("Stock:", "Waste:"),
            "line 17, column 1: 'Waste:' is not a heading of a position, or is given twice",
        ),
        (("A-8", "A8"), "line 2, column 14: 'A8' is not a rank"),
        (("A-8", "A-"), "'A-' is not a foundation"),
        (("2-8", "A-8"), "'A-8' is not a foundation, or its rank is given twice"),
        (("KS", "SX"), "line 3, column 10: 'SX' is not a card"),
    ],
)
def test_unreadable_positions_as_text(change: tuple[str, str], message: str) -> None:
    """What, where, and what would be valid."""
    ranks = " ".join(f"{rank}-8" for rank in "A23456789TJ")
    text = f"Base: A\nFoundations: {ranks} Q-7 K-7\nReserve: KS\n" + ":\n" * 12
    text += "Stock:\nWaste: QC\n"
    parse_board(text, CLASSIC)
    with pytest.raises(NotationError, match=message):
        parse_board(text.replace(*change, 1), CLASSIC)


def _broken(**changes: object) -> dict[str, object]:
    """Return the JSON of deal 1 with some keys changed."""
    return {**position_to_json(deal(deck_of(1))), **changes}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "a position of The Plot is a JSON object"),
        (_broken(hand=[]), "unknown key 'hand'"),
        ({"base": "7"}, "missing key reserve, foundations, piles, stock, waste"),
        (_broken(base="0"), "base: '0' is not a rank"),
        (_broken(base=7), "base: '7' is not a rank"),
        (_broken(stock="7C"), "stock: valid is a list"),
        (_broken(reserve=["7C", 3]), "reserve\\[1\\]: '3' is not a card"),
        (_broken(piles=[["ZZ"]]), "piles\\[0\\]\\[0\\]: 'ZZ' is not a card"),
        (_broken(piles={}), "piles: valid is a list"),
        (_broken(foundations=[]), "foundations: valid is an object"),
        (_broken(foundations={"7": -1}), "foundations, 7: '-1' is not a whole number 0..104"),
        (_broken(foundations={"7": True}), "foundations, 7: 'True' is not a whole number"),
        (_broken(foundations={"T": 1, "10": 1}), "given twice"),
    ],
)
def test_wrong_json_is_refused(data: object, message: str) -> None:
    """Every wrong form has one clear line."""
    with pytest.raises(NotationError, match=message):
        position_from_json(data, CLASSIC)


def test_impossible_positions_list_all_faults() -> None:
    """Too many piles, too large a reserve, and cards that are not there."""
    data = _broken(piles=[[]] * 13, reserve=["7C"] * 14, foundations={"4": 9})
    with pytest.raises(InvalidDealError) as caught:
        position_from_json(data, CLASSIC)
    text = str(caught.value)
    assert "13 piles" in text
    assert "the reserve holds 14 cards" in text
    assert "7C occurs" in text
    assert "the foundations hold 9 of rank 4 on 0 of rank 3" in text


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
