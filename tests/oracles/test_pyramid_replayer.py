"""The replayer of Pyramid lines, on moves judged by hand."""

from __future__ import annotations

import pytest
from oracles.pyramid_naive import Options
from oracles.pyramid_replayer import Table, replay

CLASSIC = Options(None, True, False, False)
#: Four cards: the apex, covered by both of the second row, the left of them by one of the third.
ROWS: list[str | None] = ["9C", "KD", "5H", "8H", *[None] * 24]


@pytest.mark.parametrize(
    ("moves", "options", "won"),
    [
        ("draw, 8H 5S, KD, draw, draw, 5H 8C, draw, 9C 4S", CLASSIC, True),
        # The left card of the third row lies on the king alone, not on the five.
        ("8H 5H, KD, draw, draw, draw, draw, 9C 4S", CLASSIC, True),
        # The king is covered; one card alone lies on it, but they are not a pair.
        ("KD", CLASSIC, False),
        ("9C 4S", CLASSIC, False),
        # Not everything is gone.
        ("8H 5H, KD", CLASSIC, False),
        # 4S is under 2D once that is drawn.
        ("8H 5H, KD, draw, draw, draw, draw, draw, 9C 4S", CLASSIC, False),
        ("reset", CLASSIC, False),
        ("8H 5H, KD, draw, draw, draw, draw, draw, draw", CLASSIC, False),
        # With the top of the stock in play: a pair of stock and waste, and 4S before it is drawn.
        ("8H 5H, KD, draw, draw, draw, 9C 4S", Options(0, False, True, False), True),
        ("8H 5H, KD, draw, draw, draw, 9C 4S", CLASSIC, False),
        # All must go.
        ("8H 5H, KD, draw, draw, draw, draw, 9C 4S", Options(None, True, False, True), False),
    ],
)
def test_lines_by_hand(moves: str, options: Options, won: bool) -> None:
    table = Table(ROWS, ["5S", "7C", "8C", "4S", "2D"], [], 0, options)
    assert replay(table, moves.split(", ")) is won


def test_resets_are_counted() -> None:
    moves = ["8H 5H", "KD", *["draw"] * 5, "reset", *["draw"] * 4, "9C 4S"]
    for resets, won in ((None, True), (1, True), (0, False)):
        options = Options(resets, True, False, False)
        table = Table(ROWS, ["5S", "7C", "8C", "4S", "2D"], [], 0, options)
        assert replay(table, moves) is won


def test_a_card_pairs_with_the_one_that_alone_covers_it() -> None:
    under: list[str | None] = ["8H", "5S", *[None] * 26]
    for cover_pairs in (True, False):
        table = Table(under, [], [], 0, Options(None, cover_pairs, False, False))
        assert replay(table, ["8H 5S"]) is cover_pairs
    two: list[str | None] = ["8H", "5S", "2C", *[None] * 25]
    assert not replay(Table(two, [], [], 0, CLASSIC), ["8H 5S"])
