"""Deal numbers: reference boards, pysol_cards, the edges of the ranges, and the bulk twin."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from freecell_cases import reference_boards
from pysol_cards.cards import CardRenderer
from pysol_cards.deal_game import Game as PysolGame
from pysol_cards.random import LCRandom31
from pysol_cards.random_base import RandomBase
from toy_numberings import Huge

from dealgen.numbering import NUMBERINGS, Microsoft, Numbering, numbering_of, numberings_for
from solvers.cards import DECK_SIZE, format_card
from solvers.errors import InvalidNumberError, NotationError, UnknownNameError
from solvers.games import Game, load

MS = numbering_of("ms")
ONE_DECK, TWO_DECKS = load("freecell"), load("plot")
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
    assert board(MS.stream(number, DECK_SIZE)) == columns
    assert board(MS.decks(ONE_DECK, [number])[0].tolist()) == columns


def test_the_reference_has_boards_of_every_range() -> None:
    bounds = [(1, 32001), (32001, 2**31), (2**31, 2**32), (2**32, 2**33)]
    for low, high in bounds:
        assert any(low <= number < high for number in reference_boards())


@pytest.mark.parametrize("size", [DECK_SIZE, 2 * DECK_SIZE])
def test_pysol_cards_deals_the_same(size: int) -> None:
    for number in EDGES + random_numbers(400):
        assert MS.stream(number, size) == pysol_stream(number, size), number


def test_a_truth_value_is_not_a_number() -> None:
    with pytest.raises(InvalidNumberError, match="deal number True is not a whole number"):
        MS.stream(True, DECK_SIZE)


def test_pysol_cards_boards_are_the_same() -> None:
    renderer = CardRenderer(True)
    for number in EDGES + random_numbers(60):
        text = PysolGame("freecell", number, RandomBase.DEALS_MS).calc_layout_string(renderer)
        columns = [line.split() for line in text.splitlines()]
        assert board(MS.stream(number, DECK_SIZE)) == columns, number


def in_order(order: list[int]) -> Numbering:
    """Return `ms` with an order of its own for every game asked for here."""

    class Ordered(Microsoft):
        orders = dict.fromkeys(("freecell", "plot"), order)

    return Ordered()


@pytest.mark.parametrize("game", [ONE_DECK, TWO_DECKS], ids=lambda game: game.name)
def test_the_kernel_deals_the_same_as_plain_python(game: Game) -> None:
    numbers = EDGES + random_numbers(600)
    size = game.deck_size
    order = random.Random(size).sample(range(size), size)
    decks = MS.decks(game, numbers)
    reordered = in_order(order).decks(game, np.asarray(numbers))
    assert decks.dtype == np.uint8
    for number, deck, other in zip(numbers, decks.tolist(), reordered.tolist(), strict=True):
        expected = MS.stream(number, size)
        assert deck == expected == MS.deck(game, number), number
        assert other == [expected[place] for place in order]
        assert other == in_order(order).deck(game, number)


def test_every_card_is_dealt_once_from_each_deck() -> None:
    for number in EDGES:
        assert sorted(MS.stream(number, DECK_SIZE)) == list(range(DECK_SIZE))
        assert set(Counter(MS.stream(number, 2 * DECK_SIZE)).values()) == {2}


def test_no_number_is_an_alias_of_another_at_the_edges() -> None:
    # The generator starts at the number mod 2^32, so n, n + 2^31 and n + 2^32 are the
    # candidates for a clash.
    numbers = {
        number
        for low in (1, 617, 11982, 2**31 - 1)
        for number in (low, low + 2**31, low + 2**32, low + 2**31 + 2**32)
    }
    assert len({tuple(MS.stream(number, DECK_SIZE)) for number in numbers}) == len(numbers)


def test_no_numbers_make_no_decks() -> None:
    assert MS.decks(ONE_DECK, []).shape == (0, DECK_SIZE)


# What is not a number of the numbering.


@pytest.mark.parametrize("number", [0, -1, -617, 2**33, 2**33 + 617, -(2**33), 2**62, 2**80])
def test_numbers_out_of_range_are_errors(number: int) -> None:
    message = f"deal number {number} is out of range; ms has 1..8589934591"
    for attempt in (
        lambda: MS.check(number),
        lambda: MS.stream(number, DECK_SIZE),
        lambda: MS.decks(ONE_DECK, [1, number, 2]),
    ):
        with pytest.raises(InvalidNumberError) as caught:
            attempt()
        assert str(caught.value) == message


@pytest.mark.parametrize("number", [1.5, 617.0, "617", None, float("nan")])
def test_what_is_not_a_whole_number_is_an_error(number: object) -> None:
    for attempt in (
        lambda: MS.check(number),  # type: ignore[arg-type]
        lambda: MS.stream(number, DECK_SIZE),  # type: ignore[arg-type]
        lambda: MS.decks(ONE_DECK, [1, number]),  # type: ignore[list-item]
    ):
        with pytest.raises(InvalidNumberError, match="is not a whole number"):
            attempt()


def test_the_first_bad_number_of_many_is_named() -> None:
    with pytest.raises(InvalidNumberError, match="deal number 0 is out of range"):
        MS.decks(ONE_DECK, np.array([5, 0, -3]))
    with pytest.raises(InvalidNumberError, match="is not a whole number"):
        MS.decks(ONE_DECK, np.array([1.0, 2.5]))


@pytest.mark.parametrize(
    ("text", "number"),
    [("1", 1), ("617", 617), ("000617", 617), ("8589934591", 2**33 - 1), ("0" * 5000 + "5", 5)],
)
def test_numbers_are_read(text: str, number: int) -> None:
    assert MS.parse(text) == number


@pytest.mark.parametrize(
    "text",
    ["", "-1", "+1", "1.5", "1e3", "0x10", "1_000", " 1", "1\n", "1,000", "six", "٣", "１", "²"],
)
def test_texts_that_are_not_numbers(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        MS.parse(text)
    assert f"{text!r} is not a deal number; valid is a whole number 1..8589934591" in str(
        caught.value
    )


@pytest.mark.parametrize("text", ["0", "0000", "8589934592", "9" * 5000])
def test_texts_of_numbers_out_of_range(text: str) -> None:
    with pytest.raises(InvalidNumberError) as caught:
        MS.parse(text)
    assert "is out of range; ms has 1..8589934591" in str(caught.value)
    assert len(str(caught.value)) < 120


def test_unknown_numberings_list_the_known() -> None:
    with pytest.raises(UnknownNameError, match="unknown numbering 'msx'; there are: ms"):
        numbering_of("msx")
    assert NUMBERINGS["ms"] is MS


# Numberings of any size.


def test_a_number_too_long_to_quote_is_an_error_all_the_same() -> None:
    for attempt in (lambda: MS.check(10**5000), lambda: MS.parse("9" * 5000)):
        with pytest.raises(InvalidNumberError) as caught:
            attempt()
        assert str(caught.value) == (
            "deal number of more than 40 digits is out of range; ms has 1..8589934591"
        )


def test_a_numbering_says_which_games_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NUMBERINGS, "huge", Huge())
    assert [numbering.name for numbering in numberings_for("freecell")] == ["ms", "huge"]
    assert [numbering.name for numbering in numberings_for("plot")] == ["ms"]
    assert numbering_of("huge").order_of("pyramid") is None
    assert MS.order_of("plot") is None
    plot = load("plot")
    for attempt in (
        lambda: numbering_of("huge").order_of("plot"),
        lambda: numbering_of("huge").deck(plot, 5),
        lambda: numbering_of("huge").decks(plot, [5]),
    ):
        with pytest.raises(UnknownNameError) as caught:
            attempt()
        assert str(caught.value) == "unknown numbering for plot 'huge'; there are: ms"


def test_numbers_beyond_64_bits_are_dealt_in_bulk_without_a_kernel() -> None:
    huge = Huge()
    numbers = [10**20 - 1, 2**63, 2**64 + 5, 7, 2**63 - 1, 0]
    decks = huge.decks(ONE_DECK, numbers)
    assert (decks.dtype, decks.shape, decks.flags.c_contiguous) == (np.uint8, (6, 52), True)
    for number, deck in zip(numbers, decks.tolist(), strict=True):
        cards = huge.stream(number, DECK_SIZE)
        assert deck == cards[26:] + cards[:26] == huge.deck(ONE_DECK, number)
    assert len({tuple(deck) for deck in decks.tolist()}) == len(numbers)
    assert huge.array(numbers).tolist() == numbers
    assert huge.decks(ONE_DECK, []).shape == (0, DECK_SIZE)
    for bad, fault in ((10**20, "out of range; huge has 0..9"), (2.0**64, "not a whole number")):
        with pytest.raises(InvalidNumberError, match=fault):
            huge.decks(ONE_DECK, [5, bad])  # type: ignore[list-item]
