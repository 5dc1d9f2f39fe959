"""Deal numbers: reference boards, pysol_cards, the edges of the ranges, and the bulk twin."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from freecell_cases import reference_boards
from pysol_cards.cards import CardRenderer
from pysol_cards.deal_game import Game as PysolGame
from pysol_cards.random import LCRandom31
from pysol_cards.random_base import RandomBase
from toy_numberings import Huge

from dealgen.numbering import (
    NUMBERINGS,
    Microsoft,
    Numbering,
    default_numbering,
    numbering_of,
    numberings_for,
)
from solvers.cards import DECK_SIZE, format_card
from solvers.errors import InvalidNumberError, NotationError, UnknownNameError
from solvers.games import Game, load

MS, PYSOL = numbering_of("ms"), numbering_of("pysol")
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


@pytest.mark.parametrize("number", [0, -5, -617, 2**33, 2**33 + 617, -(2**33), 2**62, 2**80])
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
    [
        ("1", 1),
        ("ms617", 617),
        ("MS00617", 617),
        ("617", 617),
        ("000617", 617),
        ("8589934591", 2**33 - 1),
        ("0" * 5000 + "5", 5),
    ],
)
def test_numbers_are_read(text: str, number: int) -> None:
    assert MS.parse(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "--1",
        "-ms1",
        "ms",
        "ms-1",
        "m1",
        "+1",
        "1.5",
        "1e3",
        "0x10",
        "1_000",
        " 1",
        "1\n",
        "1,000",
        "six",
        "٣",
        "１",
        "²",
    ],
)
def test_texts_that_are_not_numbers(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        MS.parse(text)
    assert str(caught.value).startswith(f"{text!r} is not a deal number")
    assert str(caught.value).endswith("; valid is a whole number 1..8589934591")


@pytest.mark.parametrize("text", ["0", "0000", "8589934592", "9" * 5000])
def test_texts_of_numbers_out_of_range(text: str) -> None:
    with pytest.raises(InvalidNumberError) as caught:
        MS.parse(text)
    assert "is out of range; ms has 1..8589934591" in str(caught.value)
    assert len(str(caught.value)) < 120


def test_unknown_numberings_list_the_known() -> None:
    with pytest.raises(
        UnknownNameError,
        match="unknown numbering 'msx', did you mean 'ms'\\?; there are: ms, pysol",
    ):
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
    assert [numbering.name for numbering in numberings_for("freecell")] == ["ms", "pysol", "huge"]
    assert [numbering.name for numbering in numberings_for("plot")] == ["ms", "pysol"]
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
        assert str(caught.value) == "unknown numbering for plot 'huge'; there are: ms, pysol"


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


# PySolFC's numbers.

PYSOL_REFERENCE = json.loads(
    (Path(__file__).parents[2] / "data/reference/pysol_pyramid_plot.json").read_text()
)
#: 32000 is pysol_cards' only number that PySolFC deals otherwise.
PYSOL_CASES = [
    (game, name)
    for game, deals in PYSOL_REFERENCE.items()
    for name in deals
    if name != "LC31:32000"
]
#: The last that Microsoft's generator deals, and the edges of what one more word of a seed holds.
PYSOL_EDGES = [
    *(1, 2, 11982, 31999, 32000, 32001, 10**20 - 1),
    *(2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64),
]


def reference_cards(deal: dict[str, Any]) -> list[str]:
    """Return a deal of the reference as our deck has it."""
    if "rows" in deal:
        return [*(card for row in deal["rows"] for card in row), *deal["stock_top_first"]]
    # PySolFC deals the last pile first, and the reference has piles in the order of dealing.
    piles = reversed(deal["tableau_1_12"])
    return [*deal["reserve_bottom_first"], deal["base"], *piles, *deal["stock_top_first"]]


@pytest.mark.parametrize(("game_name", "name"), PYSOL_CASES)
def test_pysol_deals_what_the_reference_has(game_name: str, name: str) -> None:
    game, number = load(game_name), int(name.partition(":")[2])
    expected = reference_cards(PYSOL_REFERENCE[game_name][name])
    for deck in (PYSOL.deck(game, number), PYSOL.decks(game, [number])[0].tolist()):
        assert [format_card(card) for card in deck] == expected


def pysol_numbers() -> list[int]:
    """Return the edges, and numbers of each length, seeded."""
    rng = random.Random("pysol")
    return PYSOL_EDGES + [rng.randrange(1, 10**digits) for digits in range(1, 21) for _ in range(9)]


def test_pysol_cards_deals_the_same_freecell() -> None:
    renderer = CardRenderer(True)
    for number in pysol_numbers():
        if number == 32000:
            continue
        pysol = PysolGame("freecell", number, RandomBase.DEALS_PYSOLFC)
        columns = [line.split() for line in pysol.calc_layout_string(renderer).splitlines()]
        assert board(PYSOL.stream(number, DECK_SIZE)) == columns, number


def test_pysol_cards_deals_two_decks_alike() -> None:
    cards = CardRenderer(True)
    for number in pysol_numbers():
        if number == 32000:
            continue
        pysol = PysolGame("gypsy", number, RandomBase.DEALS_PYSOLFC)
        pysol.deal()
        stream = [format_card(card) for card in PYSOL.stream(number, 2 * DECK_SIZE)]
        assert stream == [cards.to_s(card) for card in pysol.cards], number


@pytest.mark.parametrize("game_name", ["freecell", "pyramid", "plot"])
def test_the_kernels_deal_pysol_numbers_as_plain_python_does(game_name: str) -> None:
    game, numbers = load(game_name), pysol_numbers()
    decks = PYSOL.decks(game, numbers)
    assert (decks.dtype, decks.shape) == (np.uint8, (len(numbers), game.deck_size))
    for number, deck in zip(numbers, decks.tolist(), strict=True):
        assert deck == PYSOL.deck(game, number), number


def test_small_pysol_numbers_of_one_deck_are_those_of_microsoft() -> None:
    for number in (1, 617, 31999):
        assert PYSOL.stream(number, DECK_SIZE) == MS.stream(number, DECK_SIZE)
        assert PYSOL.parse(f"ms{number}") == number
    # From 32000 on, and for two decks from the first, they are others.
    assert PYSOL.stream(32000, DECK_SIZE) != MS.stream(32000, DECK_SIZE)
    assert PYSOL.deck(TWO_DECKS, 1) != MS.deck(TWO_DECKS, 1)
    with pytest.raises(InvalidNumberError, match="'ms32000' is a deal of Microsoft's numbering"):
        PYSOL.parse("ms32000")


@pytest.mark.parametrize("number", [0, -1, 10**20])
def test_pysol_has_twenty_digits(number: int) -> None:
    with pytest.raises(InvalidNumberError, match=r"out of range; pysol has 1\.\.9{20}$"):
        PYSOL.parse(str(number))


def test_the_pysol_profiles_go_with_its_numbers() -> None:
    plot, freecell = load("plot"), load("freecell")
    assert default_numbering(plot, "pysol") is PYSOL
    assert default_numbering(plot, "pysol,initial_waste=0") is PYSOL
    assert default_numbering(load("pyramid"), "pysol") is PYSOL
    for game, profile in ((plot, None), (plot, "classic"), (freecell, None)):
        assert default_numbering(game, profile) is MS
    # Named by its options alone, nobody has spoken of PySolFC.
    assert default_numbering(load("pyramid"), "microsoft,goal=all") is MS


# Microsoft's games below 0.

#: As Windows XP's program lays them out: columns 1 and 8, which two of its kind agree upon.
JOKES = {
    -1: ("AC 3C 5C 7C 9C JC KC", "QS TS 8S 6S 4S 2S"),
    -2: ("AS KS QS JS TS 9S 8S", "7C 6C 5C 4C 3C 2C"),
}


@pytest.mark.parametrize(("number", "columns"), JOKES.items())
def test_games_below_0(number: int, columns: tuple[str, str]) -> None:
    assert MS.parse(str(number)) == number
    deck = MS.deck(ONE_DECK, number)
    assert sorted(deck) == list(range(DECK_SIZE))
    shown = board(deck)
    assert (" ".join(shown[0]), " ".join(shown[7])) == columns
    assert MS.decks(ONE_DECK, [617, number, 5]).tolist() == [
        MS.deck(ONE_DECK, each) for each in (617, number, 5)
    ]
    # Every column is of one suit, in each of the two halves of the table the same ones.
    assert all(len({card[1] for card in column}) == 1 for column in shown)
    assert [column[0][1] for column in shown[:4]] == [column[0][1] for column in shown[4:]]


@pytest.mark.parametrize("number", [-1.0, True])
def test_games_below_0_are_whole_numbers(number: Any) -> None:
    with pytest.raises(InvalidNumberError, match="is not a whole number"):
        MS.check(number)


def test_games_below_0_are_freecells_alone() -> None:
    for attempt in (
        lambda: MS.parse("-1", "pyramid"),
        lambda: MS.deck(TWO_DECKS, -1),
        lambda: MS.decks(load("pyramid"), [5, -1]),
        lambda: MS.check_range(-1, -1, "plot"),
    ):
        with pytest.raises(InvalidNumberError, match="deal number -1 is out of range"):
            attempt()
    for number in (-3, -4):
        with pytest.raises(InvalidNumberError, match=f"Microsoft's game {number} is not offered"):
            MS.check(number)


def test_thousands_separators_are_named() -> None:
    for text in ("11.982", "1'000'000", "11_982", "11 982", "1,000", "11\u202f982"):
        with pytest.raises(NotationError, match="it has thousands separators, so") as e:
            MS.parse(text)
        assert "".join(filter(str.isdigit, text)) in str(e.value)
