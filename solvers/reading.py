"""What the notations of all games share: cards and JSON read strictly, and said where.

Owns no format. Every error names the place and the text, cut where it is long.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from solvers.cards import DECK_SIZE, Card, format_card, parse_card
from solvers.errors import NotationError, listed, nearest, quoted

M = TypeVar("M")

#: What colours are written with on a terminal.
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
#: `FreeCell 617 (ms)`, as `winnable deal` heads a table.
_TITLE = re.compile(r"\s*(?:FreeCell|Pyramid|The Plot) -?[0-9]+ \([a-z]+\)\s*", re.ASCII)
_LINE_END = re.compile(r"\r\n|\r|\n")
_TOKEN = re.compile(r"[^\s,]+")
_MOVE_TOKEN = re.compile(r"[^\s,;]+")


def card_names(cards: Iterable[Card]) -> str:
    """List cards in an error, also numbers that are not cards."""
    return listed([format_card(card) if 0 <= card < DECK_SIZE else f"({card})" for card in cards])


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text, whatever ends them, with their numbers from 1."""
    return enumerate(_LINE_END.split(text), 1)


def board_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a board: without colours and comments, which `#` begins.

    A title as `winnable deal` writes it is left out.
    """
    for number, line in lines_of(_ESCAPES.sub("", text)):
        plain, comment, _ = line.partition("#")
        if not _TITLE.fullmatch(plain) and (plain.strip() or not comment):
            yield number, plain


def tokens_of(line: str, number: int, begin: int = 0) -> Iterator[tuple[str, str]]:
    """Yield what stands between white space and commas in a line, and where it stands."""
    for token in _TOKEN.finditer(line, begin):
        yield token[0], place_in_line(number, token.start())


def move_tokens(line: str, number: int) -> Iterator[tuple[str, str]]:
    """Yield what stands between white space and commas in a line, and where it stands."""
    for token in _MOVE_TOKEN.finditer(line):
        yield token[0], place_in_line(number, token.start())


def read_each(tokens: Iterable[tuple[str, str]], parse: Callable[[str], M]) -> list[M]:
    """Read moves, each a token of its own; raises NotationError with the place."""
    moves = []
    for text, where in tokens:
        try:
            moves.append(parse(text))
        except NotationError as error:
            raise NotationError(str(error), text=text, position=where) from None
    return moves


def place_in_line(line: int, index: int) -> str:
    """Say where something stands; both numbers count from 1, `index` from 0."""
    return f"line {line}, column {index + 1}"


def read_card(text: Any, where: str) -> Card:
    """Read a card from a text or a JSON value; raises NotationError with the place."""
    if not isinstance(text, str):
        raise NotationError(
            f"{quoted(str(text))} is not a card; a card is a text such as 'TD'", position=where
        )
    try:
        return parse_card(text)
    except NotationError as error:
        raise NotationError(str(error), text=text, position=where) from None


def json_object(data: Any, keys: Sequence[str], what: str) -> dict[str, Any]:
    """Return a JSON object with no other keys than these; raises NotationError.

    what  names the object in errors, such as "a FreeCell position"
    """
    if not isinstance(data, dict):
        raise NotationError(f"{what} is a JSON object with {', '.join(keys)}")
    for key in data:
        if key not in keys:
            raise NotationError(
                f"unknown key {quoted(str(key))}{nearest(str(key), keys)}; the keys of {what} are "
                f"{', '.join(keys)}",
                text=str(key),
            )
    return data


def json_list(value: Any, where: str) -> list[Any]:
    """Return a JSON list; raises NotationError with the place."""
    if not isinstance(value, list):
        raise NotationError("valid is a list", position=where)
    return value


def json_cards(value: Any, where: str, gap: Card | None = None) -> list[Card]:
    """Read a JSON list of cards, with null for `gap` where there is one."""
    return [
        gap if card is None and gap is not None else read_card(card, f"{where}[{index}]")
        for index, card in enumerate(json_list(value, where))
    ]


def json_count(value: Any, low: int, high: int, where: str) -> int:
    """Read a whole number of a range from JSON; raises NotationError with the place."""
    # A bool is an int to Python, and not a number to JSON.
    if type(value) is not int or not low <= value <= high:
        raise NotationError(
            f"{quoted(str(value))} is not a whole number {low}..{high}", position=where
        )
    return value
