"""Deal numbers: reference boards, pysol_cards, the edges of the ranges, and the bulk twin."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from freecell_cases import reference_boards
from pysol_cards.cards import CardRenderer
from pysol_cards.deal_game import Game
from pysol_cards.random import LCRandom31
from pysol_cards.random_base import RandomBase

from dealgen.numbering import NUMBERINGS, check_number, numbering_of, parse_number, stream
from dealgen.numbering_kernel import deal_numbers
from solvers.cards import DECK_SIZE, format_card
from solvers.errors import InvalidNumberError, NotationError, UnknownNameError

MS = numbering_of("ms")
#: The first and last numbers of each range of the generator, and their neighbours.
EDGES = [
    *(1, 2, 3, 31999, 32000, 32001, 65535, 65536),
    *(2**31 - 2, 2**31 - 1, 2**31, 2**31 + 1),
    *(2**32 - 2, 2**32 - 1, 2**32, 2**32 + 1),
    *(2**33 - 2, 2**33 - 1),
]


def random_numbers(count: int) -> list[int]:
    """Return numbers of every range, seeded."""
    rng = random.Random("numbering")
    ranges = [(1, 32000), (1, 2**31 - 1), (2**31, 2**32 - 1), (2**32, 2**33 - 1)]
    return [rng.randint(*ranges[index % len(ranges)]) for index in range(count)]


def pysol_stream(number: int, size: int) -> list[int]:
    """Return what pysol_cards' generator deals from our unshuffled deck."""
    generator = LCRandom31()
    generator.setSeed(number)
    shuffled = generator.shuffle([index % DECK_SIZE for index in range(size)])
    return shuffled[::-1]


def board(cards: list[int]) -> list[list[str]]:
    """Return cards dealt row by row to eight columns, as text."""
    return [[format_card(card) for card in cards[column::8]] for column in range(8)]


@pytest.mark.parametrize(("number", "columns"), reference_boards().items())
def test_reference_boards(number: int, columns: list[list[str]]) -> None:
    assert board(stream(number, MS, DECK_SIZE)) == columns
    assert board(deal_numbers([number], MS, DECK_SIZE, None)[0].tolist()) == columns


def test_the_reference_has_boards_of_every_range() -> None:
    bounds = [(1, 32001), (32001, 2**31), (2**31, 2**32), (2**32, 2**33)]
    for low, high in bounds:
        assert any(low <= number < high for number in reference_boards())


@pytest.mark.parametrize("size", [DECK_SIZE, 2 * DECK_SIZE])
def test_pysol_cards_deals_the_same(size: int) -> None:
    for number in EDGES + random_numbers(400):
        assert stream(number, MS, size) == pysol_stream(number, size), number


def test_a_truth_value_is_no_number() -> None:
    with pytest.raises(InvalidNumberError, match="deal number True is no whole number"):
        stream(True, MS, DECK_SIZE)


def test_pysol_cards_boards_are_the_same() -> None:
    renderer = CardRenderer(True)
    for number in EDGES + random_numbers(60):
        text = Game("freecell", number, RandomBase.DEALS_MS).calc_layout_string(renderer)
        columns = [line.split() for line in text.splitlines()]
        assert board(stream(number, MS, DECK_SIZE)) == columns, number


@pytest.mark.parametrize("size", [DECK_SIZE, 2 * DECK_SIZE])
def test_the_kernel_deals_the_same_as_plain_python(size: int) -> None:
    numbers = EDGES + random_numbers(600)
    order = random.Random(size).sample(range(size), size)
    decks = deal_numbers(numbers, MS, size, None)
    reordered = deal_numbers(np.asarray(numbers), MS, size, order)
    assert decks.dtype == np.uint8
    for number, deck, other in zip(numbers, decks.tolist(), reordered.tolist(), strict=True):
        expected = stream(number, MS, size)
        assert deck == expected, number
        assert other == [expected[place] for place in order]


def test_every_card_is_dealt_once_from_each_deck() -> None:
    for number in EDGES:
        assert sorted(stream(number, MS, DECK_SIZE)) == list(range(DECK_SIZE))
        assert set(Counter(stream(number, MS, 2 * DECK_SIZE)).values()) == {2}


def test_no_number_is_an_alias_of_another_at_the_edges() -> None:
    # The generator starts at the number mod 2^32, so n, n + 2^31 and n + 2^32 are the
    # candidates for a clash.
    numbers = {
        number
        for low in (1, 617, 11982, 2**31 - 1)
        for number in (low, low + 2**31, low + 2**32, low + 2**31 + 2**32)
    }
    assert len({tuple(stream(number, MS, DECK_SIZE)) for number in numbers}) == len(numbers)


def test_no_numbers_make_no_decks() -> None:
    assert deal_numbers([], MS, DECK_SIZE, None).shape == (0, DECK_SIZE)


# Numbers that are none.


@pytest.mark.parametrize("number", [0, -1, -617, 2**33, 2**33 + 617, -(2**33), 2**62, 2**80])
def test_numbers_out_of_range_are_errors(number: int) -> None:
    message = f"deal number {number} is out of range; ms has 1..8589934591"
    for attempt in (
        lambda: check_number(number, MS),
        lambda: stream(number, MS, DECK_SIZE),
        lambda: deal_numbers([1, number, 2], MS, DECK_SIZE, None),
    ):
        with pytest.raises(InvalidNumberError) as caught:
            attempt()
        assert str(caught.value) == message


@pytest.mark.parametrize("number", [1.5, 617.0, "617", None, float("nan")])
def test_what_is_no_whole_number_is_an_error(number: object) -> None:
    for attempt in (
        lambda: check_number(number, MS),  # type: ignore[arg-type]
        lambda: stream(number, MS, DECK_SIZE),  # type: ignore[arg-type]
        lambda: deal_numbers([1, number], MS, DECK_SIZE, None),  # type: ignore[list-item]
    ):
        with pytest.raises(InvalidNumberError, match="is no whole number"):
            attempt()


def test_the_first_bad_number_of_many_is_named() -> None:
    with pytest.raises(InvalidNumberError, match="deal number 0 is out of range"):
        deal_numbers(np.array([5, 0, -3]), MS, DECK_SIZE, None)
    with pytest.raises(InvalidNumberError, match="is no whole number"):
        deal_numbers(np.array([1.0, 2.5]), MS, DECK_SIZE, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "number"),
    [("1", 1), ("617", 617), ("000617", 617), ("8589934591", 2**33 - 1), ("0" * 5000 + "5", 5)],
)
def test_numbers_are_read(text: str, number: int) -> None:
    assert parse_number(text, MS) == number


@pytest.mark.parametrize(
    "text",
    ["", "-1", "+1", "1.5", "1e3", "0x10", "1_000", " 1", "1\n", "1,000", "six", "٣", "１", "²"],
)
def test_texts_that_are_no_numbers(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_number(text, MS)
    assert f"{text!r} is no deal number; valid is a whole number 1..8589934591" in str(caught.value)


@pytest.mark.parametrize("text", ["0", "0000", "8589934592", "9" * 5000])
def test_texts_of_numbers_out_of_range(text: str) -> None:
    with pytest.raises(InvalidNumberError) as caught:
        parse_number(text, MS)
    assert "is out of range; ms has 1..8589934591" in str(caught.value)
    assert len(str(caught.value)) < 120


def test_unknown_numberings_list_the_known() -> None:
    with pytest.raises(UnknownNameError, match="unknown numbering 'msx'; there are: ms"):
        numbering_of("msx")
    assert NUMBERINGS["ms"] is MS
