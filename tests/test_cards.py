"""Cards and their names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.cards import (
    CLUBS,
    DECK_SIZE,
    DIAMONDS,
    HEARTS,
    SPADES,
    card_of,
    format_card,
    is_red,
    parse_card,
    rank_of,
    suit_of,
)
from solvers.errors import NotationError

DECK = [
    *("AC", "AD", "AH", "AS", "2C", "2D", "2H", "2S", "3C", "3D", "3H", "3S"),
    *("4C", "4D", "4H", "4S", "5C", "5D", "5H", "5S", "6C", "6D", "6H", "6S"),
    *("7C", "7D", "7H", "7S", "8C", "8D", "8H", "8S", "9C", "9D", "9H", "9S"),
    *("TC", "TD", "TH", "TS", "JC", "JD", "JH", "JS", "QC", "QD", "QH", "QS"),
    *("KC", "KD", "KH", "KS"),
]


def test_cards_are_numbered_in_the_order_of_the_unshuffled_deck() -> None:
    assert [format_card(card) for card in range(DECK_SIZE)] == DECK
    assert [parse_card(text) for text in DECK] == list(range(DECK_SIZE))


def test_rank_and_suit_make_a_card() -> None:
    for card, text in enumerate(DECK):
        assert rank_of(card) == "A23456789TJQK".index(text[0]) + 1
        assert suit_of(card) == "CDHS".index(text[1])
        assert card_of(rank_of(card), suit_of(card)) == card
        assert is_red(card) == (text[1] in "DH")
    assert (CLUBS, DIAMONDS, HEARTS, SPADES) == (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("text", "card"),
    [
        *(("10H", "TH"), ("10h", "TH"), ("th", "TH"), ("tH", "TH"), ("aS", "AS"), ("qd", "QD")),
        *(("A♣", "AC"), ("K♦", "KD"), ("10♥", "TH"), ("t♠", "TS"), ("2♧", "2C"), ("2♢", "2D")),
        *(("2♡", "2H"), ("2♤", "2S")),
        # As fc-solve reads them, and as phones write them.
        *(("1C", "AC"), ("0h", "TH"), ("C4", "4C"), ("s10", "TS"), ("D1", "AD"), ("H0", "TH")),
        *(("A♣\ufe0f", "AC"), ("10♥\ufe0e", "TH"), ("♠\ufe0fK", "KS"), ("♦9", "9D")),
    ],
)
def test_other_spellings(text: str, card: str) -> None:
    assert format_card(parse_card(text)) == card


@pytest.mark.parametrize(
    "text",
    [
        *("", "A", "C", "11C", "01C", "00C", "XC", "AX", "CC", "A C", " AC", "AC ", "AC\n"),
        *(
            "AAC",
            "ACC",
            "100C",
            "1 0C",
            "-C",
            "--",
            "٣C",
            "Ａ♣",
            "A\ufe0f♣",
            "A♣\u200b",
            "A♣\ufe0f\ufe0f",
            "CAC",
            "JOKER",
        ),
    ],
)
def test_anything_else_is_refused_by_name(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_card(text)
    assert caught.value.text == text
    assert f"{text!r} is not a card" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("4\u0421", "'4\u0421' is not a card, since it has U+0421 CYRILLIC CAPITAL LETTER ES;"),
        ("\uff14C", "U+FF14 FULLWIDTH DIGIT FOUR;"),
        ("4C\u200b", "U+200B ZERO WIDTH SPACE;"),
        ("\u20634C", "U+2063 INVISIBLE SEPARATOR;"),
        ("4\u2764", "U+2764 HEAVY BLACK HEART;"),
        ("\ue0004", "since it has U+E000;"),
    ],
)
def test_what_only_looks_right_is_named(text: str, says: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_card(text)
    assert says in str(caught.value)


@given(st.text(max_size=4))
def test_a_text_is_a_card_or_a_notation_error(text: str) -> None:
    try:
        card = parse_card(text)
    except NotationError:
        return
    assert 0 <= card < DECK_SIZE
    assert parse_card(format_card(card)) == card
