"""What notations share: cards, JSON and places, read strictly and said where."""

from __future__ import annotations

import pytest

from solvers.errors import NotationError, listed, quoted
from solvers.reading import (
    card_names,
    json_cards,
    json_count,
    json_list,
    json_object,
    lines_of,
    read_card,
    tokens_of,
)


def test_lines_end_as_people_end_them() -> None:
    assert list(lines_of("a\r\nb\rc\nd")) == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]


def test_tokens_have_their_places() -> None:
    assert list(tokens_of(" AC  2D", 3)) == [("AC", "line 3, column 2"), ("2D", "line 3, column 6")]
    assert list(tokens_of("x: AC", 1, 2)) == [("AC", "line 1, column 4")]


@pytest.mark.parametrize("wrong", ["XX", "", None, 7, ["AC"], {"AC": 1}, "A" * 1000])
def test_what_is_not_a_card_is_quoted_and_placed(wrong) -> None:
    with pytest.raises(NotationError, match=r"^reserve\[2\]: .* is not a card") as caught:
        read_card(wrong, "reserve[2]")
    assert len(str(caught.value)) < 300


def test_json_is_read_strictly() -> None:
    assert json_object({"a": 1}, ("a", "b"), "a thing") == {"a": 1}
    assert json_cards(["AC", None], "stock", gap=-1) == [0, -1]
    assert json_count(3, 0, 3, "n") == 3
    for call, says in (
        (lambda: json_object([], ("a", "b"), "a thing"), "a thing is a JSON object with a, b"),
        (lambda: json_object({"c": 1}, ("a",), "a thing"), "unknown key 'c'; the keys of a thing"),
        (lambda: json_list("AC", "stock"), "stock: valid is a list"),
        (lambda: json_cards([None], "stock"), r"stock\[0\]: 'None' is not a card"),
        (lambda: json_count(4, 0, 3, "n"), r"n: '4' is not a whole number 0\.\.3"),
        (lambda: json_count(True, 0, 3, "n"), "'True' is not a whole number"),
        (lambda: json_count(1.0, 0, 3, "n"), "'1.0' is not a whole number"),
    ):
        with pytest.raises(NotationError, match=says):
            call()


def test_messages_stay_short() -> None:
    assert len(quoted("x" * 10_000)) < 100
    assert listed(["AC", "2C"]) == "AC 2C"
    many = listed(["AC"] * 10_000)
    assert many.endswith(" more")
    assert len(many) < 400
    assert card_names([0, 51, 99, -1]) == "AC KS (99) (-1)"
