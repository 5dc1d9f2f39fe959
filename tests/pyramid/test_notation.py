"""Boards, positions and moves as text and JSON."""

from __future__ import annotations

import json
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyramid_cases import random_deck, random_play, varied_profiles

from solvers.cards import DECK_SIZE, format_card
from solvers.errors import InvalidDealError, NotationError
from solvers.pyramid.layout import pack_moves, unpack_moves
from solvers.pyramid.notation import (
    format_board,
    format_move,
    parse_board,
    parse_move,
    position_from_json,
    position_to_json,
)
from solvers.pyramid.rules import DRAW, PROFILES, RESET, Move, deal, pair

CLASSIC = PROFILES["classic"]
ORDERED = " ".join(format_card(card) for card in range(DECK_SIZE))


@pytest.mark.parametrize("profile", varied_profiles(), ids=str)
def test_positions_round_trip(profile) -> None:  # type: ignore[no-untyped-def]
    rng = random.Random(str(profile))
    for length in (0, 1, 30, 150):
        state = random_play(deal(random_deck(rng)), profile, rng, length)
        assert parse_board(format_board(state), profile) == state
        assert position_from_json(json.loads(json.dumps(position_to_json(state))), profile) == state


def test_white_space_and_case_are_free() -> None:
    state = deal(range(DECK_SIZE))
    assert parse_board(ORDERED.lower().replace(" ", "\r\n\t"), CLASSIC) == state
    assert parse_board(ORDERED.replace("T", "10").replace("S", "♠"), CLASSIC) == state


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no cards"),
        ("\n\n  \n", "no cards"),
        (ORDERED.replace("2C", "XX"), "line 1, column 13: 'XX' is not a card"),
        ("AC\nAD A", "line 2, column 4: 'A' is not a card"),
        ("Redeals: two", "'two' is not a number of redeals"),
        ("-- Redeals: 1 2", "Redeals: takes one number"),
        ("AC -- Stock: 2C", "the pyramid has 2 places"),
        ("\x00\x01", "is not a card"),
    ],
)
def test_unreadable_boards(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        parse_board(text, CLASSIC)


def test_a_text_of_very_many_cards_is_refused_at_once() -> None:
    """Each is looked at a fixed number of times; quadratic reading takes minutes here."""
    begin = time.process_time()
    for text in ("KS " * 200_000, "Stock: " + "KS " * 200_000, "-- " * 200_000):
        with pytest.raises((InvalidDealError, NotationError)) as caught:
            parse_board(text, CLASSIC)
        assert len(str(caught.value)) < 5_000
    with pytest.raises(NotationError) as caught_move:
        parse_move("KS " * 200_000)
    assert len(str(caught_move.value)) < 200
    assert time.process_time() - begin < 10


def test_missing_and_duplicated_cards_are_all_named() -> None:
    with pytest.raises(InvalidDealError, match="missing: AD 2C; duplicated: AC KS") as caught:
        parse_board(ORDERED.replace("AD", "AC").replace("2C", "KS"), CLASSIC)
    assert [format_card(card) for card in caught.value.missing] == ["AD", "2C"]
    with pytest.raises(InvalidDealError, match="missing: KS"):
        parse_board(ORDERED.removesuffix(" KS"), CLASSIC)
    with pytest.raises(InvalidDealError, match="duplicated: AC"):
        parse_board(ORDERED + " AC", CLASSIC)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pyramid": ["AC"]}, "pyramid has 1 entries"),
        ({"pyramid": "AC"}, "pyramid: valid is a list"),
        ({"stock": None}, "stock: valid is a list"),
        ({"waste": [None]}, "waste.0.: 'None' is not a card"),
        ({"stock": ["XC"]}, "stock.0.: 'XC' is not a card"),
        ({"stock": [3]}, "stock.0.: '3' is not a card"),
        ({"redeals_used": True}, "redeals_used: 'True' is not a whole number 0..99"),
        ({"redeals_used": 100}, "redeals_used: '100' is not a whole number 0..99"),
        ({"redeals_used": "1"}, "redeals_used: '1' is not"),
        ({"waist": []}, "unknown key 'waist'"),
    ],
)
def test_unreadable_json_positions(change: dict[str, object], message: str) -> None:
    data = position_to_json(deal(range(DECK_SIZE)))
    with pytest.raises(NotationError, match=message):
        position_from_json(data | change, CLASSIC)
    with pytest.raises(NotationError, match="JSON object"):
        position_from_json([], CLASSIC)


@given(st.integers(0, 51), st.integers(0, 51))
def test_moves_round_trip(one: int, other: int) -> None:
    moves = [DRAW, RESET, Move(one)] + ([pair(one, other)] if one != other else [])
    for move in moves:
        assert parse_move(format_move(move)) == move
        assert unpack_moves(pack_moves([move])) == (move,)


@given(st.integers(0, 65535))
def test_any_packed_move_can_be_written(packed: int) -> None:
    text = format_move(unpack_moves([packed])[0])
    try:
        move = parse_move(text)
    except NotationError:
        return
    assert sorted(format_move(move).split()) == sorted(text.split())


@given(st.text(max_size=12))
def test_any_text_is_a_move_or_refused(text: str) -> None:
    try:
        move = parse_move(text)
    except NotationError:
        return
    assert parse_move(format_move(move)) == move


@given(st.text(max_size=200))
def test_any_text_is_a_board_or_refused(text: str) -> None:
    with pytest.raises((NotationError, InvalidDealError)):
        parse_board(text, CLASSIC)


@pytest.mark.parametrize("text", ["", "5", "drawn", "5C 8D 9H", "5C 5C", "9h4c"])
def test_unreadable_moves(text: str) -> None:
    with pytest.raises(NotationError):
        parse_move(text)
